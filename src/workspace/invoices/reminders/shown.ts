/** Reminders as invoices show them. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { computed } from '#kernel/records/view.ts'
import { choice, coded, instant, money } from '#kernel/values/fields.ts'
import { customerHidden } from '#workspace/billing-documents/public.ts'

export const REMINDER_STATES = ['listed', 'no_address', 'sent'] as const
/** Maximum reminders in an invoice's detail view. */
const MAX_SHOWN = 100

export const InvoiceReminder = z
  .object({
    id: z.int(),
    days: z
      .int()
      .nullable()
      .meta({ description: 'The step of the plan, by its days behind the due date; null: somebody reminded.', examples: [7] }),
    status: choice(REMINDER_STATES).describe(
      'sent: mailed; no_address: the customer has no e-mail address; listed: was due before the plan’s first run, and isn’t mailed by itself.',
    ),
    display_status: coded(
      choice([...REMINDER_STATES, 'kept']).describe(
        'The status; kept for one whose mail is in the log, but is delivered by nobody.',
      ),
      { kept: 'Kept, not sent' },
    ),
    subject: z
      .string()
      .nullable()
      .meta({ description: 'Subject of the mail.', examples: ['Reminder: invoice INV-00042'] }),
    to: z.array(z.string()).meta({ description: 'Who was mailed.', examples: [['ann@nordwind.example']] }),
    fee: money()
      .nullable()
      .meta({ description: 'The reminder fee that it told; null: none.', examples: [5] }),
    email_log_uuid: z.uuid().nullable().describe('Uuid of the mail in the log, by which its fate can be told.'),
    created_at: instant(),
  })
  .meta({ id: 'InvoiceReminder' })

/** Recipients of a reminder; hidden from readers who may not view the customer. */
function addressesShown(ctx: Ctx, table: string) {
  const addresses = sql`to_json(${sql.ref(`${table}.sent_to`)})`
  const hidden = customerHidden(ctx, 'invoices', sql.ref(`${table}.invoice_id`))
  return hidden ? sql`case when ${hidden} then '[]'::json else ${addresses} end` : addresses
}

/** Renders a row of `invoice_reminders`. */
export const reminderShown = (
  ctx: Ctx,
  table: string,
) => sql`json_build_object('id', ${sql.ref(`${table}.id`)}, 'days', ${sql.ref(`${table}.days`)},
  'status', ${sql.ref(`${table}.status`)},
  'display_status', case when ${sql.ref(`${table}.status`)} = 'sent' and exists (
    select from email_logs l where l.tenant_id = ${ctx.tenant.id} and l.uuid = ${sql.ref(`${table}.email_log_uuid`)}
      and l.status = 'sent' and l.provider = 'log') then 'kept' else ${sql.ref(`${table}.status`)} end,
  'subject', ${sql.ref(`${table}.subject`)}, 'to', ${addressesShown(ctx, table)},
  'fee', trim_scale(${sql.ref(`${table}.fee`)}), 'email_log_uuid', ${sql.ref(`${table}.email_log_uuid`)},
  'created_at', app.iso(${sql.ref(`${table}.updated_at`)}))`

/** Field of an invoice's detail view: its reminders, newest first. */
export const reminders = () =>
  computed(
    z.array(InvoiceReminder),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(${reminderShown(ctx, 'r')} order by r.updated_at desc, r.id desc), '[]') from (
        select * from invoice_reminders where tenant_id = ${ctx.tenant.id} and invoice_id = ${sql.ref(`${table}.id`)}
        order by id desc limit ${MAX_SHOWN}) r)`,
  ).describe(`What its customer was reminded of, the newest first; at most ${MAX_SHOWN}.`)

/** Timeline texts about reminders. */
export const reminderSentences = {
  reminded: ({ to }: { to: string[]; subject: string }) =>
    (to as string[] | undefined) ? `Reminded ${to.join(', ')}` : 'Reminded',
  not_reminded: () => 'Not reminded: the customer has no e-mail address',
  reminders_paused: () => 'Reminders paused',
  reminders_resumed: () => 'Reminders resumed',
}
