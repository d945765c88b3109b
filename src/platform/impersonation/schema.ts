import { sql } from 'kysely'
import { z } from 'zod'
import { computed, view } from '#kernel/records/view.ts'
import { instant, shownOnce } from '#kernel/values/fields.ts'

/** CEN-32. */
export const Impersonate = z.object({
  reason: z.string().trim().min(5, 'Must have at least 5 characters.').max(1000, 'Must be at most 1000 characters.'),
})

const Person = z.object({ id: z.int(), name: z.string(), email: z.string() })

/** CEN-34: what tells of a session, and never its token. */
export const Impersonation = view('platform_impersonations', 'Impersonation', {
  id: z.int(),
  tenant_id: z.int(),
  reason: z.string(),
  admin: computed(Person, ({ table: t }) => {
    const at = (column: string) => sql.ref(`${t}.${column}`)
    return sql`json_build_object('id', ${at('admin_id')}, 'name', ${at('admin_name')}, 'email', ${at('admin_email')})`
  }),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  started_at: instant(),
  expires_at: instant(),
  ended_at: instant().nullable(),
  duration_seconds: computed(z.int().nullable().describe('Null while it runs.'), ({ table: t }) => {
    const [start, end] = [sql.ref(`${t}.started_at`), sql.ref(`${t}.ended_at`)]
    return sql`floor(extract(epoch from ${end} - ${start}))::int`
  }),
})

/** The token is told this once. */
export const StartedImpersonation = z
  .object({ ...Impersonation.shape, tenant_token: shownOnce(), tenant_user: Person })
  .meta({ id: 'StartedPlatformImpersonation' })
