/** Mailing a billing document to its recipient: the body that purchase orders and invoices share, its limiter, the mail itself. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { limiter } from '#kernel/http/limits.ts'
import { letter } from '#kernel/mail/letter.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { type HasTimeline, logActivity } from '#kernel/records/timeline.ts'
import { email, text } from '#kernel/values/fields.ts'
import { capital } from '#kernel/values/words.ts'
import { customerOf } from './customer.ts'
import type { CustomerDocument } from './customer-document.ts'
import { customerPdf, printedCustomerDocument, type Signed } from './customer-pdf.ts'

/** Ten a minute by user (PO-41). */
export const billingDocumentEmail = limiter({ name: 'billing-document-email', points: 10, seconds: 60, by: 'user' })

const addresses = z.array(email()).max(50, 'Must be at most 50 addresses.')

export const EmailDocument = z.object({
  to: addresses.nullish(),
  cc: addresses.default([]),
  bcc: addresses.default([]),
  subject: text(255),
  message: text(65_535),
  attach_pdf: z.boolean().default(true),
})

/** What a mailed document answers: the entry of the e-mail log. */
export const EmailedDocument = z.object({ email_log_uuid: z.string(), to: z.array(z.string()) })

interface Document {
  /** `purchase_order.emailed` */
  type: string
  number: string
  /** The recipient when none is sent. */
  recipient: string | null | undefined
  /** What stands below the message: number, dates, what it comes to. As the PDF prints them. */
  facts: { label: string; value: string }[]
  pdf: PdfSpec
  /** A button below the message, whose address holds a secret. */
  link?: { label: string; url: string; token: string }
}

/** Queues the mail in the transaction; its PDF shows the document as it is now, and is drawn when the mail is delivered. 422 on `to` when nobody is named and the recipient has no address. */
export async function emailDocument(
  ctx: Ctx,
  document: Document,
  body: z.output<typeof EmailDocument>,
): Promise<z.input<typeof EmailedDocument>> {
  const to = body.to?.length ? body.to : document.recipient ? [document.recipient] : []
  if (!to.length) throw invalid({ to: 'Name a recipient; the linked record has no e-mail address.' })
  const replyTo = (await ctx.setting('company_email')) || ctx.actor.email
  const bodies = letter({
    from: ctx.tenant.name,
    paragraphs: body.message.split(/\n{2,}/),
    facts: document.facts,
    button: document.link,
    accent: await ctx.setting('document_accent_color'),
  })
  const attachments = body.attach_pdf ? [{ name: `${document.number}.pdf`, mime: 'application/pdf', drawing: document.pdf }] : []
  const uuid = await sendMail(ctx, {
    type: document.type,
    to,
    cc: body.cc,
    bcc: body.bcc,
    subject: body.subject,
    replyTo,
    attachments,
    secrets: document.link && [document.link.token],
    ...bodies,
  })
  return { email_log_uuid: uuid, to }
}

/** What the timelines of a customer's documents know beside what all know. */
export const offerSentences = {
  emailed: ({ to }: { to: string[] }) => `Mailed to ${to.join(', ')}`,
  converted: ({ invoice_id }: { invoice_id: number }) => `Converted to invoice ${invoice_id}`,
}

interface Offer {
  id: number
  number: string
  status: string
  contact_id: number | null
  company_id: number | null
}

/** 422 on `status` in a state in which no mail is sent. */
export function refuseUnmailable(noun: string, { status }: Pick<Offer, 'status'>, mailable: string[]) {
  if (!mailable.includes(status))
    throw invalid({ status: `Only ${mailable.join(' and ')} ${noun}s are mailed; this one is ${status}.` })
}

interface OfferMail {
  document: CustomerDocument
  signed?: Signed
  /** By which it can be accepted. */
  link?: { url: string; token: string }
}

/** Mails a customer's document, by default to its contact, else to its company, and says so in its timeline. */
export async function emailOffer(
  ctx: Ctx,
  of: HasTimeline<typeof offerSentences>,
  offer: Offer,
  { document, signed, link }: OfferMail,
  body: z.output<typeof EmailDocument>,
) {
  const { email: recipient } = await customerOf(ctx, offer)
  const { dates, totals } = printedCustomerDocument(document, ctx.tenant.locale)
  const sums = totals.filter(({ strong }) => strong)
  const facts = [
    { label: capital(document.type), value: offer.number },
    ...dates,
    ...sums.map(({ label, value }) => ({ label, value: `${document.currency} ${value}` })),
  ]
  const button = link && { label: 'Read and accept', ...link }
  const pdf = await customerPdf(ctx, document, offer.status, signed)
  const type = `${document.type}.emailed`
  const mailed = await emailDocument(ctx, { type, pdf, number: offer.number, recipient, facts, link: button }, body)
  await logActivity(ctx, of, offer.id, 'emailed', { to: mailed.to })
  return mailed
}
