/** Mails a billing document to its recipient: the body shared by purchase orders and invoices, its limiter, and the mail. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { limiter } from '#kernel/http/limits.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import { letter } from '#kernel/mail/letter.ts'
import { sendMails } from '#kernel/mail/mail.ts'
import type { DrawnMail } from '#kernel/mail/mail-log.ts'
import type { Permission } from '#kernel/names.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import { type HasTimeline, logActivity } from '#kernel/records/timeline.ts'
import { email, text } from '#kernel/values/fields.ts'
import { withCurrency } from '#kernel/values/money.ts'
import { localInstant } from '#kernel/values/written.ts'
import { type Say, wordsOf } from '#workspace/document-texts/public.ts'
import { recipientOf } from './customer.ts'
import { chipOf, drawingOf, type OfferPaper, type Paper, type Since } from './paper.ts'
import { type Addressed, canViewRecipient, mayMailAddress, withoutAddress } from './recipient-visibility.ts'

/** Ten a minute per user (PO-41). */
const billingDocumentEmail = limiter({ name: 'billing-document-email', points: 10, seconds: 60, by: 'user' })

const addresses = z.array(email()).max(50, 'Must be at most 50 addresses.')

export const EmailDocument = z.object({
  to: addresses.nullish().meta({
    description: 'Who gets it. Unless sent: the address of whom the document is for.',
    examples: [['ann@nordwind.example']],
  }),
  cc: addresses.default([]),
  bcc: addresses.default([]),
  subject: text(255).meta({ description: 'Subject line of the mail.', examples: ['Your quotation'] }),
  message: text(65_535).meta({
    description: 'Text of the mail, above the link to the document.',
    examples: ['Dear Ann, here is what we talked about.'],
  }),
  attach_pdf: z.boolean().describe('Whether its PDF comes along.').default(true),
})

/** Reply about a mailed document: the entry of the e-mail log. */
const EmailedDocument = z.object({
  email_log_uuid: z.string().meta({
    description: 'Uuid of the mail in the log, by which its fate can be told.',
    examples: ['0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f'],
  }),
  to: z.array(z.string()).meta({
    description: 'Where it goes; empty: to the address of the recipient’s record, which the caller may not view.',
    examples: [['ann@nordwind.example']],
  }),
})

interface EmailRules<R> {
  allow: Permission
  /** 422 on `status` of a document that can't be mailed in its current state. */
  guard(ctx: Ctx, document: R): unknown
}

/** POST /:id/email, ten a minute per user over all kinds of document. */
export const emailRoute = <T extends RecordTable>(
  of: Resource<T>,
  { allow, guard }: EmailRules<Row<T>>,
  email: (ctx: Ctx, document: Row<T>, body: z.output<typeof EmailDocument>) => Promise<z.input<typeof EmailedDocument>>,
): Route =>
  workspace.post(
    '/:id/email',
    {
      allow,
      grants: false,
      limit: billingDocumentEmail,
      record: of.lock,
      guard,
      body: EmailDocument,
      reply: EmailedDocument,
      message: 'The mail is on its way.',
      description:
        'Mails the document, with its PDF unless told not to. It goes to the addresses in `to`, or to those of whom it is for. 422 on `status` for a draft.',
    },
    async (ctx, { record, body }) => {
      const mailed = await email(ctx, record, body)
      // Hides the address of a record that the sender may not view.
      return body.to?.length || canViewRecipient(ctx, record as Addressed) ? mailed : { ...mailed, to: [] }
    },
  )

interface Document {
  /** `purchase_order.emailed` */
  type: string
  paper: Paper
  /** Texts of the document. */
  say: Say
  /** Current state of the document. */
  since: Partial<Since>
  /** Storage key of a drawn signature on it. */
  signature?: string | null
  /** Default recipient. */
  recipient: string | null | undefined
  /** Row with the document's customer. */
  row: Addressed
  /** Facts below the message, next to the number: dates and totals, as printed in the PDF. */
  facts: { label: string; value: string }[]
  /** Whether it is sent automatically, so that auto-responders don't reply. */
  isAutomatic?: boolean
  /** Button below the message, whose address contains a secret. */
  link?: { label: string; url: string; token: string; holds?: string }
}

/**
 * Queues the mail in the transaction. It has the document's letterhead; its PDF, with the document's current state, is rendered
 * before delivery. 422 on `to` without a recipient.
 */
export const emailDocument = async (ctx: Ctx, document: Document, body: z.output<typeof EmailDocument>) =>
  (await emailDocuments(ctx, [{ document, body }]))[0]!

/** Mails several documents with as many statements as one. */
export async function emailDocuments(
  ctx: Ctx,
  all: { document: Document; body: z.output<typeof EmailDocument> }[],
): Promise<z.input<typeof EmailedDocument>[]> {
  const replyTo = (await ctx.setting('company_email')) || ctx.actor.email || undefined
  const mails = all.map(({ document, body }) => mailOf(ctx, document, body, replyTo))
  const uuids = await sendMails(ctx, mails)
  return mails.map(({ to }, n) => ({ email_log_uuid: uuids[n]!, to }))
}

function mailOf(ctx: Ctx, document: Document, body: z.output<typeof EmailDocument>, replyTo: string | undefined): DrawnMail {
  const to = body.to?.length ? body.to : document.recipient ? [document.recipient] : []
  if (!to.length) throw invalid({ to: 'Name a recipient; the linked record has no e-mail address.' })
  const { paper, say, signature } = document
  const { kind, number, accent, issuer } = paper.printed
  const bodies = letter({
    title: body.subject,
    lang: paper.languages[0],
    words: { openAddress: say('open_address') },
    from: issuer.name,
    paragraphs: body.message.split(/\n{2,}/),
    facts: [{ label: kind, value: number }, ...document.facts],
    button: document.link,
    brand: { logoUrl: paper.logo && ctx.services.storage.url(paper.logo) },
    accent: accent ?? undefined,
  })
  const whole = drawingOf(paper, document.since, { signature })
  const drawing = mayMailAddress(ctx, document.row, document.recipient, body) ? whole : withoutAddress(whole)
  return {
    type: document.type,
    to,
    cc: body.cc,
    bcc: body.bcc,
    subject: body.subject,
    from: issuer.name,
    replyTo,
    automatic: document.isAutomatic ?? false,
    attachments: body.attach_pdf ? [{ name: `${number}.pdf`, mime: 'application/pdf', drawing }] : [],
    secrets: document.link && [document.link.token],
    ...bodies,
  }
}

/** Timeline text of a mail. `recipientAddresses` hides its addresses from some readers. */
export const mailedTo = ({ to }: { to: string[] }) => ((to as string[] | undefined) ? `Mailed to ${to.join(', ')}` : 'Mailed')

/** Additional timeline texts of documents for customers. */
export const offerSentences = {
  emailed: mailedTo,
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

/** The signature on a document. */
export interface Signed {
  block: NonNullable<Since['signature']>
  /** Storage key of a drawn signature. */
  image: string | null
}

interface OfferMail {
  paper: OfferPaper
  signed?: Signed
  /** Link with which it can be accepted. */
  link?: { url: string; token: string; expires_at: string }
}

/** Current state of an offer: draft or accepted, and its signature. */
export const sinceOffered = (say: Say, { status }: { status: string }, signed?: Signed): Since => ({
  status: chipOf(say, status),
  signature: signed?.block,
})

/** Mails a document to its customer, by default to its contact, else to its company, and writes it to its timeline. */
export async function emailOffer(
  ctx: Ctx,
  of: HasTimeline<typeof offerSentences>,
  offer: Offer,
  { paper, signed, link }: OfferMail,
  body: z.output<typeof EmailDocument>,
) {
  const { email: recipient } = await recipientOf(ctx, offer)
  const { dates, totals, currency } = paper.printed
  const sums = totals.filter(({ strong }) => strong)
  const say = await wordsOf(ctx, paper)
  const facts = [...dates, ...sums.map(({ label, value }) => ({ label, value: withCurrency(value, currency, say.locale) }))]
  const { timezone } = paper
  const until = (locale: string) => localInstant(link!.expires_at, { timezone, locale })
  const button = link && { label: say('read_and_accept'), holds: say('link_good_until', { until }), ...link }
  const since = sinceOffered(say, offer, signed)
  const type = `${paper.shown.type}.emailed`
  const document = { type, paper, say, since, signature: signed?.image, recipient, row: offer, facts, link: button }
  const mailed = await emailDocument(ctx, document, body)
  await logActivity(ctx, of, offer.id, 'emailed', { to: mailed.to })
  return mailed
}
