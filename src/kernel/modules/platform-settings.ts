/** Settings of the platform: stored only when changed, secrets encrypted. Reading returns the stored value or the default. */

import { sql } from 'kysely'
import { z } from 'zod'
import type { BaseCtx } from '../context.ts'
import type { SealedColumn } from '../secrets/secrets.ts'
import { type PlatformSetting, platformSettings } from './declared-settings.ts'

declare module '../database/channel.ts' {
  interface Topics {
    /** Platform settings have changed. */
    'platform-settings': { keys: string[] }
  }
}

export type PlatformSettingKey = keyof typeof platformSettings
type Value<K extends PlatformSettingKey> = z.output<(typeof platformSettings)[K]['schema']>

/** Encryption purpose of a secret setting: the ciphertext of one setting can't be used for another. */
const secretOf = (key: string) => `platform-setting:${key}`
export const sealedColumns: SealedColumn[] = [
  { table: 'platform_settings', column: 'sealed', by: ['key'], purpose: ({ key }) => secretOf(String(key)) },
]

/**
 * Returns settings of the platform, each with its stored value or its default. Values that are no longer valid, or can't be
 * decrypted, read as the default.
 */
export async function readPlatformSettings<const K extends PlatformSettingKey>(
  { tx, role, services, log }: BaseCtx,
  keys: readonly K[],
): Promise<{ [Key in K]: Value<Key> }> {
  const read =
    role === 'app_platform'
      ? sql<Stored>`select key, value, sealed from platform_settings where key = any(${keys})`
      : sql<Stored>`select key, app.platform_setting(key) as value, null::bytea as sealed from unnest(${keys}::text[]) key`
  const stored = new Map((await read.execute(tx)).rows.map((row) => [row.key, row]))
  const opened = (key: K, sealed: Buffer) => {
    try {
      return services.secrets.decrypt(secretOf(key), sealed)
    } catch {
      log.error({ key }, 'a secret setting was encrypted under another APP_KEY: set it anew')
    }
  }
  const valueFor = (key: K) => {
    const { schema, default: fallback, secret } = platformSettings[key] as PlatformSetting
    const { value, sealed } = stored.get(key) ?? {}
    const given = secret && sealed ? opened(key, sealed) : value
    const fits = given === undefined ? undefined : z.safeParse(schema, given)
    return fits?.success ? fits.data : fallback
  }
  return Object.fromEntries(keys.map((key) => [key, valueFor(key)])) as { [Key in K]: Value<Key> }
}

interface Stored {
  key: string
  value: unknown
  sealed: Buffer | null
}

/** Returns one setting of the platform: its stored value, or its default. */
export const platformSetting = async <K extends PlatformSettingKey>(ctx: BaseCtx, key: K): Promise<Value<K>> =>
  (await readPlatformSettings(ctx, [key]))[key]

/**
 * Stores settings that were validated by their schemas; null resets one to its default. All processes are notified after the
 * commit, so that they drop cached values.
 */
export async function storePlatformSettings(ctx: BaseCtx, changes: Record<string, unknown>) {
  // Sorted, so that concurrent changes of the same settings can't deadlock.
  const keys = Object.keys(changes).sort()
  const rows = keys.flatMap((key) => {
    const value = changes[key]
    if (value === null) return []
    const secret = (platformSettings as Record<string, PlatformSetting>)[key]!.secret
    const stored = secret
      ? { value: null, sealed: ctx.services.secrets.encrypt(secretOf(key), value as string) }
      : { value: JSON.stringify(value), sealed: null }
    return { key, ...stored, updated_at: ctx.now }
  })
  const gone = keys.filter((key) => changes[key] === null)
  if (gone.length) await ctx.tx.deleteFrom('platform_settings').where('key', 'in', gone).execute()
  if (rows.length)
    await ctx.tx
      .insertInto('platform_settings')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet((eb) => ({
          value: eb.ref('excluded.value'),
          sealed: eb.ref('excluded.sealed'),
          updated_at: eb.ref('excluded.updated_at'),
        })),
      )
      .execute()
  ctx.afterCommit(() => ctx.services.channel.publish('platform-settings', { keys }))
}
