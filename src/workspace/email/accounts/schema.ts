import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { LookupTableName } from '#kernel/records/lookup-table.ts'
import { computed, view } from '#kernel/records/view.ts'
import { choice, email, formatted, hardStamps, instant, optionalText, text, wholeNumber } from '#kernel/values/fields.ts'
import { ENCRYPTIONS } from '../connections/credentials.ts'

/** Minutes between two synchronisations (EML-04). */
const INTERVALS = [5, 10, 15, 30, 60] as const

const host = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .min(1, 'Must not be empty.')
    .max(255, 'Must be at most 255 characters.')
    .regex(/^[\p{L}\p{N}._:-]+$/u, 'Must be the name or the address of a server.')
const port = () => wholeNumber(1, 65_535)
const encryption = () => choice(ENCRYPTIONS).default('ssl')
/** Not trimmed: a space may be part of a password. */
const password = () => z.string().min(1, 'Must not be empty.').max(1000, 'Must be at most 1000 characters.')

/** Input of a new account (EML-03, EML-11). */
export const CreateAccount = z.object({
  email_address: email().meta({ description: 'The mailbox’s own address.', examples: ['ann@nordwind.example'] }),
  from_name: optionalText(255),
  imap_host: host(),
  imap_port: port().default(993),
  imap_encryption: encryption(),
  imap_username: text(255),
  imap_password: password().meta({
    description: 'Password or app password for the IMAP server. It is encrypted and never answered.',
    examples: ['app-password'],
  }),
  smtp_host: host(),
  smtp_port: port().default(465),
  smtp_encryption: encryption(),
  smtp_username: text(255),
  smtp_password: password().meta({
    description: 'Password or app password for the SMTP server. It is encrypted and never answered.',
    examples: ['app-password'],
  }),
  is_default: z.boolean().default(false),
  sync_interval_minutes: z
    .literal(INTERVALS, `Must be one of ${INTERVALS.join(', ')}.`)
    .default(5)
    .describe('How often the mailbox is looked after, in minutes, beside what its server announces.'),
})

/** The account in replies; passwords are never included. */
export const Account = view('email_accounts', 'EmailAccount', {
  uuid: z.string(),
  email_address: formatted('email'),
  from_name: z
    .string()
    .nullable()
    .meta({ description: 'What stands beside the address in mails from here; null: nothing.', examples: ['Ann Ash'] }),
  imap_host: z.string().meta({ description: 'Name or address of the IMAP server.', examples: ['imap.nordwind.example'] }),
  imap_port: z.int().meta({ description: 'Port of the IMAP server.', examples: [993] }),
  imap_encryption: choice(ENCRYPTIONS).describe(
    'How the connection to the IMAP server is secured: from the beginning (`ssl`), by STARTTLS (`starttls`), or not at all.',
  ),
  imap_username: z.string().meta({ description: 'Name to sign in with at the IMAP server.', examples: ['ann@nordwind.example'] }),
  smtp_host: z.string().meta({ description: 'Name or address of the SMTP server.', examples: ['smtp.nordwind.example'] }),
  smtp_port: z.int().meta({ description: 'Port of the SMTP server.', examples: [465] }),
  smtp_encryption: choice(ENCRYPTIONS).describe(
    'How the connection to the SMTP server is secured: from the beginning (`ssl`), by STARTTLS (`starttls`), or not at all.',
  ),
  smtp_username: z.string().meta({ description: 'Name to sign in with at the SMTP server.', examples: ['ann@nordwind.example'] }),
  is_default: z.boolean(),
  sync_interval_minutes: z
    .int()
    .meta({ description: 'How often the mailbox is looked after, beside what the server announces itself.', examples: [5] }),
  is_syncing: computed(
    z.boolean(),
    ({ table }) => sql`coalesce(${sql.ref(`${table}.sync_leased_until`)} > statement_timestamp(), false)`,
  ).describe('Whether it is being read at this moment.'),
  last_synced_at: instant().nullable().describe('When it was last read to its end; null: not yet.'),
  last_error: z
    .string()
    .nullable()
    .describe('Why the last synchronisation failed, or which folders the server did not open to it; null: neither.'),
  counts: computed(
    z
      .object({
        on_server: z.int().meta({ description: 'Messages on the server.', examples: [812] }),
        here: z.int().meta({ description: 'Those of them that are here.', examples: [800] }),
        quarantined: z.int().meta({ description: 'Those that could not be read.', examples: [1] }),
      })
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
      .array(
        z.object({
          folder: z.string().meta({ description: 'Name of the folder.', examples: ['Inbox'] }),
          uid: z.int().meta({ description: 'What the server calls the message in its folder.', examples: [4711] }),
          reason: z.string(),
        }),
      )
      .describe('The newest messages that could not be read, and why.'),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(newest), '[]') from (
        select f.name as folder, q.uid, q.reason from email_folders f join email_quarantine q on q.tenant_id = ${ctx.tenant.id} and q.folder_id = f.id
        where f.tenant_id = ${ctx.tenant.id} and f.account_id = ${sql.ref(`${table}.id`)} order by q.created_at desc, q.uid desc limit 20) newest)`,
  ),
  ...hardStamps,
})

/** Result of a connection test, per server. */
export const ConnectionTest = z
  .object({
    imap: z.object({ ok: z.boolean().describe('Whether it let the caller in.') }).describe('The IMAP server.'),
    smtp: z.object({ ok: z.boolean().describe('Whether it let the caller in.') }).describe('The SMTP server.'),
  })
  .meta({ id: 'EmailConnectionTest' })

// Scopes of data that belongs to one user alone (EML-01, EML-02): nobody else sees it, not even the workspace's owner.

/** Condition for the actor's own accounts; `as` is the table's alias in the statement. */
export const isMine = (ctx: Ctx, as = 'email_accounts') =>
  sql<SqlBool>`${sql.ref(`${as}.user_id`)} = ${ctx.actor.id} and ${sql.ref(`${as}.removed_at`)} is null`

/** Scope of a table whose rows belong to an account: rows of the actor's accounts. */
export const ofMyAccounts = (table: Extract<LookupTableName, `email_${string}`>) => (ctx: Ctx) =>
  sql<SqlBool>`${sql.ref(`${table}.account_id`)} in (
    select id from email_accounts where tenant_id = ${ctx.tenant.id} and user_id = ${ctx.actor.id} and removed_at is null)`
