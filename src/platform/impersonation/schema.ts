import { sql } from 'kysely'
import { z } from 'zod'
import { computed, view } from '#kernel/records/view.ts'
import { instant, shownOnce } from '#kernel/values/fields.ts'

/** CEN-32. */
export const Impersonate = z.object({
  reason: z
    .string()
    .trim()
    .min(5, 'Must have at least 5 characters.')
    .max(1000, 'Must be at most 1000 characters.')
    .meta({
      description: 'Why, as it was said at the beginning; the audit log has it.',
      examples: ['Ticket 4711: wrong totals.'],
    }),
})

const Person = z.object({ id: z.int(), name: z.string(), email: z.string() })

/** CEN-34: data of a session, never its token. */
export const Impersonation = view('platform_impersonations', 'Impersonation', {
  id: z.int(),
  tenant_id: z.int().meta({ description: 'Id of the workspace.', examples: [1] }),
  reason: z.string(),
  admin: computed(Person, ({ table: t }) => {
    const at = (column: string) => sql.ref(`${t}.${column}`)
    return sql`json_build_object('id', ${at('admin_id')}, 'name', ${at('admin_name')}, 'email', ${at('admin_email')})`
  }).describe('Who works as the owner.'),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  started_at: instant().describe('When it began.'),
  expires_at: instant().describe('When the token ends by itself: an hour after it began.'),
  ended_at: instant().nullable().describe('When it was ended; null: it was not.'),
  duration_seconds: computed(z.int().nullable().describe('Null while it runs.'), ({ table: t }) => {
    const [start, end] = [sql.ref(`${t}.started_at`), sql.ref(`${t}.ended_at`)]
    return sql`floor(extract(epoch from ${end} - ${start}))::int`
  }),
})

/** Started session. Only this reply contains the token. */
export const StartedImpersonation = z
  .object({
    ...Impersonation.shape,
    tenant_token: shownOnce().meta({
      description: 'Bearer token of the workspace API. Told this once.',
      examples: ['42|Jm3rVtq0o8nWc5xYb1dKfA'],
    }),
    tenant_user: Person.describe('The owner whom it is the token of.'),
  })
  .meta({ id: 'StartedPlatformImpersonation' })
