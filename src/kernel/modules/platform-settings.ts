/** Settings of the platform that code reads. Stored only when changed; the operator's routes over them come with the platform. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from '../database/connect.ts'

const platformSettings = {
  app_name: { schema: z.string().min(1).max(100), default: 'Atrium' },
  registration_enabled: { schema: z.boolean(), default: true },
  session_lifetime_minutes: { schema: z.int().min(5).max(525_600), default: 10_080 },
  password_min_length: { schema: z.int().min(8).max(128), default: 8 },
  password_require_special: { schema: z.boolean(), default: false },
} as const

type Key = keyof typeof platformSettings
type Value<K extends Key> = z.output<(typeof platformSettings)[K]['schema']>

/** A platform setting's stored value, or its default. */
export async function platformSetting<K extends Key>(tx: Tx, key: K): Promise<Value<K>> {
  const { schema, default: fallback } = platformSettings[key]
  const { rows } = await sql<{ value: unknown }>`select app.platform_setting(${key}) as value`.execute(tx)
  const stored = schema.safeParse(rows[0]?.value)
  return (stored.success ? stored.data : fallback) as Value<K>
}
