/** Demo mails of the last weeks, of the platform and of workspaces: delivered, opened, bounced, failed. */
import { sql } from 'kysely'
import type { PlatformCtx } from '#kernel/context.ts'
import { defineDemo, type PlatformPlan } from '#kernel/demo/parts.ts'
import { plusSeconds } from '#kernel/values/time.ts'

interface Mail {
  type: string
  subject: string
  text: string
  to: string
  pdf?: string
}
const ends = ['delivered', 'delivered', 'opened', 'delivered', 'bounced', 'clicked', 'delivered', 'failed'] as const

/** Smallest document that PDF readers open. */
const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\ntrailer<</Root 1 0 R>>\n',
)

export default defineDemo({
  after: ['billing', 'users'],
  async fillPlatform(ctx, plan) {
    let made = 0
    for (const { id, email } of plan.workspaces)
      made += await send(ctx, plan, id, [...(await documentsOf(ctx, id)), ...billsOf(email)])
    const invitation = {
      type: 'auth.invitation',
      subject: 'You are invited to run Atrium',
      text: 'Choose a password to begin.',
    }
    return made + (await send(ctx, plan, 0, [{ ...invitation, to: 'chloe@platform.example' }]))
  },
})

/** Returns mails of a workspace to its customers. */
async function documentsOf({ tx }: PlatformCtx, tenant_id: number): Promise<Mail[]> {
  const { rows } = await sql<{ number: string; to: string }>`
    select i.number, c.email as "to" from invoices i join contacts c on c.tenant_id = i.tenant_id and c.id = i.contact_id
    where i.tenant_id = ${tenant_id} and i.status <> 'draft' and i.deleted_at is null and c.email is not null order by i.id desc limit 12`.execute(
    tx,
  )
  return rows.map(({ number, to }) => ({
    ...{
      type: 'customer_invoice.emailed',
      to,
      subject: `Invoice ${number}`,
      text: `Please find our invoice ${number} attached.`,
      pdf: `${number}.pdf`,
    },
  }))
}

const billsOf = (to: string): Mail[] => [
  {
    type: 'billing.invoice_issued',
    to,
    subject: 'Your invoice for this month',
    text: 'Here is the invoice for the modules of your workspace.',
  },
  { type: 'auth.verify_email', to, subject: 'Confirm your address', text: 'Please confirm that this address is yours.' },
]

async function send(ctx: PlatformCtx, { calendar, random }: PlatformPlan, tenant_id: number, mails: Mail[]) {
  for (const [n, { type, to, subject, text, pdf }] of mails.entries()) {
    const end = ends[n % ends.length]!
    const status = end === 'opened' || end === 'clicked' ? 'delivered' : end
    const created_at = calendar.instant(calendar.days - random.between(0.1, 25))!
    const [sent_at, told_at] = [plusSeconds(created_at, 4), plusSeconds(created_at, 60)]
    const { id } = await ctx.tx
      .insertInto('email_logs')
      .values({
        ...{ tenant_id, notification_type: type, to: [to], subject, body_html: `<p>${text}</p>`, body_text: text, status },
        ...{ provider: 'postmark', provider_message_id: `demo-${tenant_id}-${n}-${random.whole(1e6, 9e6)}`, created_at, sent_at },
        ...{ open_count: end === 'opened' || end === 'clicked' ? 1 : 0, click_count: end === 'clicked' ? 1 : 0 },
        error: end === 'failed' ? 'The mail server refused the message: 552 mailbox full' : null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await ctx.tx
      .insertInto('email_events')
      .values({
        ...{ tenant_id, email_log_id: id, event_key: `demo-${n}`, type: end, recipient: to, permanent: end === 'bounced' },
        ...{ detail: end === 'bounced' ? '550 no such mailbox' : null, occurred_at: told_at, created_at: told_at },
      })
      .execute()
    if (pdf)
      await ctx.tx
        .insertInto('email_attachments')
        .values({ tenant_id, email_log_id: id, name: pdf, mime: 'application/pdf', content: PDF })
        .execute()
  }
  return mails.length
}
