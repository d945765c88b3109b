/** Enabled and default gateways. The platform's settings decide (SET-12), wherever they were changed. */
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { platformSettings } from '#kernel/modules/declared-settings.ts'
import { storePlatformSettings } from '#kernel/modules/platform-settings.ts'

const stored = (key: ReturnType<typeof sql>) => sql`(select s.value #>> '{}' from platform_settings s where s.key = ${key})`

/** SQL expression: code of the default gateway. */
export const defaultCode = sql<string>`coalesce(${stored(sql`'default_payment_gateway'`)}, ${platformSettings.default_payment_gateway.default})`

/** SQL expression: whether a row of payment_gateways is enabled. A setting (`stripe_enabled`) takes precedence. */
export const isEnabled = (table: string) =>
  sql<boolean>`coalesce(${stored(sql`${sql.ref(`${table}.code`)} || '_enabled'`)}::boolean, ${sql.ref(`${table}.is_enabled`)})`

/** Stores a setting of the platform if one of this name exists. */
export async function storeSetting(ctx: BaseCtx, key: string, value: unknown) {
  if (key in platformSettings) await storePlatformSettings(ctx, { [key]: value })
}

/** Returns whether a default gateway was ever chosen. */
export const isDefaultChosen = async ({ tx }: BaseCtx) =>
  (await tx.selectFrom('platform_settings').select('key').where('key', '=', 'default_payment_gateway').execute()).length > 0
