/** Returns a user's mailboxes with their folders and labels in one reply, for the navigation next to the messages. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { choice, instant } from '#kernel/values/fields.ts'
import { isMine } from './accounts/schema.ts'
import { countIn, FOLDER_TYPES } from './folders.ts'

const uuid = () => z.string()

export const Mailboxes = z
  .object({
    mailboxes: z
      .array(
        z.object({
          uuid: uuid(),
          email_address: z.string().meta({ description: 'The mailbox’s own address.', examples: ['ann@nordwind.example'] }),
          from_name: z.string().nullable().describe('What stands beside the address in mails from here; null: nothing.'),
          is_default: z.boolean().describe('Whether new messages are written from here.'),
          last_synced_at: instant().nullable().describe('When it was last read to its end; null: not yet.'),
          last_error: z
            .string()
            .nullable()
            .describe('Why the last synchronisation failed, or which folders the server did not open to it; null: neither.'),
          folders: z
            .array(
              z.object({
                uuid: uuid(),
                name: z.string(),
                type: choice(FOLDER_TYPES).describe('What the folder is for, as the server says or its name tells.'),
                is_on_server: z.boolean().describe('Whether the mail server has it: messages are moved only into such folders.'),
                unread_count: z.int(),
                total_count: z.int(),
              }),
            )
            .describe('The folders of the mailbox, by their names.'),
          labels: z
            .array(z.object({ uuid: uuid(), name: z.string(), color: z.string().nullable() }))
            .describe('The labels of the mailbox, in their order.'),
        }),
      )
      .describe('The mailboxes of the caller, the oldest first.'),
  })
  .meta({ id: 'EmailMailboxes' })

/** Limits of accounts, and of labels of each; the number of folders is limited when they are read. */
const MAX_ACCOUNTS = 100
const MAX_LABELS = 500

export async function mailboxesOf(ctx: Ctx): Promise<z.input<typeof Mailboxes>> {
  const count = (which: 'all' | 'unread') => countIn(ctx, sql.ref('f.id'), which)
  const { rows } = await sql<z.input<typeof Mailboxes>['mailboxes'][number]>`
    select a.uuid, a.email_address, a.from_name, a.is_default, app.iso(a.last_synced_at) as last_synced_at, a.last_error,
      (select coalesce(json_agg(json_build_object('uuid', f.uuid, 'name', f.name, 'type', f.type, 'is_on_server', f.remote_path is not null,
          'unread_count', ${count('unread')}, 'total_count', ${count('all')}) order by f.name, f.id), '[]')
        from email_folders f where f.tenant_id = ${ctx.tenant.id} and f.account_id = a.id) as folders,
      (select coalesce(json_agg(json_build_object('uuid', l.uuid, 'name', l.name, 'color', l.color) order by l.sort_order, l.name), '[]')
        from (select * from email_labels l where l.tenant_id = ${ctx.tenant.id} and l.account_id = a.id order by l.sort_order, l.name limit ${MAX_LABELS}) l
      ) as labels
    from email_accounts a where a.tenant_id = ${ctx.tenant.id} and ${isMine(ctx, 'a')} order by a.created_at, a.id limit ${MAX_ACCOUNTS}`.execute(
    ctx.tx,
  )
  return { mailboxes: rows }
}
