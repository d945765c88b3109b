import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { LookupTableName } from '#kernel/records/lookup-table.ts'
import { computed, view } from '#kernel/records/view.ts'
import { choice, email, formatted, hardStamps, instant, optionalText, text } from '#kernel/values/fields.ts'
import { ENCRYPTIONS } from '../connections/credentials.ts'

/** EML-04 */
const INTERVALS = [5, 10, 15, 30, 60] as const

const host = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .min(1, 'Must not be empty.')
    .max(255, 'Must be at most 255 characters.')
    .regex(/^[\p{L}\p{N}._:-]+$/u, 'Must be the name or the address of a server.')
const port = () => z.int('Must be a whole number.').min(1).max(65_535)
const encryption = () => choice(ENCRYPTIONS).default('ssl')
/** Not trimmed: a space may be part of it. */
const password = () => z.string().min(1, 'Must not be empty.').max(1000, 'Must be at most 1000 characters.')

/** EML-03, EML-11 */
export const CreateAccount = z.object({
  email_address: email(),
  from_name: optionalText(255),
  imap_host: host(),
  imap_port: port().default(993),
  imap_encryption: encryption(),
  imap_username: text(255),
  imap_password: password(),
  smtp_host: host(),
  smtp_port: port().default(465),
  smtp_encryption: encryption(),
  smtp_username: text(255),
  smtp_password: password(),
  is_default: z.boolean().default(false),
  sync_interval_minutes: z.literal(INTERVALS, `Must be one of ${INTERVALS.join(', ')}.`).default(5),
})

/** Passwords are never shown. */
export const Account = view('email_accounts', 'EmailAccount', {
  uuid: z.string(),
  email_address: formatted('email'),
  from_name: z.string().nullable(),
  imap_host: z.string(),
  imap_port: z.int(),
  imap_encryption: choice(ENCRYPTIONS),
  imap_username: z.string(),
  smtp_host: z.string(),
  smtp_port: z.int(),
  smtp_encryption: choice(ENCRYPTIONS),
  smtp_username: z.string(),
  is_default: z.boolean(),
  sync_interval_minutes: z.int(),
  is_syncing: computed(
    z.boolean(),
    ({ table }) => sql`coalesce(${sql.ref(`${table}.sync_leased_until`)} > statement_timestamp(), false)`,
  ),
  last_synced_at: instant().nullable(),
  last_error: z.string().nullable().describe('Why the last synchronisation failed.'),
  counts: computed(
    z
      .object({ on_server: z.int(), here: z.int(), quarantined: z.int() })
      .describe('Messages on the server, those of them that are here, and those that could not be read.'),
    ({ ctx, table }) => sql`(
      select json_build_object('on_server', coalesce(sum(f.server_total), 0), 'here', coalesce(sum(h.n), 0), 'quarantined', coalesce(sum(q.n), 0))
      from email_folders f
      cross join lateral (select count(*) as n from email_messages m where m.tenant_id = ${ctx.tenant.id} and m.remote_folder_id = f.id and m.uid is not null) h
      cross join lateral (select count(*) as n from email_quarantine q where q.tenant_id = ${ctx.tenant.id} and q.folder_id = f.id) q
      where f.tenant_id = ${ctx.tenant.id} and f.account_id = ${sql.ref(`${table}.id`)})`,
  ),
  quarantine: computed(
    z
      .array(z.object({ folder: z.string(), uid: z.int(), reason: z.string() }))
      .describe('The newest messages that could not be read, and why.'),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(newest), '[]') from (
        select f.name as folder, q.uid, q.reason from email_folders f join email_quarantine q on q.tenant_id = ${ctx.tenant.id} and q.folder_id = f.id
        where f.tenant_id = ${ctx.tenant.id} and f.account_id = ${sql.ref(`${table}.id`)} order by q.created_at desc, q.uid desc limit 20) newest)`,
  ),
  ...hardStamps,
})

export const ConnectionTest = z
  .object({ imap: z.object({ ok: z.boolean() }), smtp: z.object({ ok: z.boolean() }) })
  .meta({ id: 'EmailConnectionTest' })

// What belongs to one user alone (EML-01, EML-02): nobody else sees it, not even the owner of the workspace.

/** The scope of a table whose rows belong to an account: those of the actor's accounts. */
export const ofMyAccounts = (table: Extract<LookupTableName, `email_${string}`>) => (ctx: Ctx) =>
  sql<SqlBool>`${sql.ref(`${table}.account_id`)} in (
    select id from email_accounts where tenant_id = ${ctx.tenant.id} and user_id = ${ctx.actor.id} and removed_at is null)`
