/**
 * Quotations and estimates: documents that offer a price to a customer until a day. A module declares its kind; the workflow from
 * draft to answer and invoice is implemented here.
 */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { Route } from '#kernel/http/route.ts'
import type { Permission } from '#kernel/names.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import type { Listing } from '#kernel/records/listing.ts'
import type { Machine, Stored } from '#kernel/records/machine.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import { createRecord } from '#kernel/records/saving.ts'
import type { Stats } from '#kernel/records/stats.ts'
import { readByIds, type View } from '#kernel/records/view.ts'
import {
  acceptanceGuard,
  type CustomerDocument,
  conversionGuard,
  convertToInvoice,
  drawingOf,
  type EmailDocument,
  emailOffer,
  type LineTable,
  type OfferPaper,
  offerPapers,
  priceNew,
  refuseOver,
  refuseUnmailable,
  type StoredOfferLine,
  sinceOffered,
  storedLines,
  updateDraft,
} from '#workspace/billing-documents/public.ts'
import { wordsOf } from '#workspace/document-texts/public.ts'
import { createDraftInvoice, type InvoiceTerms } from '#workspace/invoices/public.ts'
import { type Issuable, issue, paperOf } from '#workspace/issued-documents/public.ts'
import { OfferChanges, type OfferDetail, OfferInput, offerPrinted, type RefusalInput } from './fields.ts'

/** Tables of offers, recognised by their columns: an offer expires on a day and is converted to an invoice. */
type OfferTable = {
  [T in RecordTable]: Row<T> extends InvoiceTerms & { valid_until: string | null; converted_invoice_id: number | null }
    ? T
    : never
}[RecordTable]
/** Columns that every offer has. */
type OfferRow = Row<OfferTable>
type Email = z.output<typeof EmailDocument>

/** An offer kind for the modules that print, issue and deliver documents. */
interface Offered extends Issuable<OfferPaper> {
  lastDay: 'valid_until'
  /** Called when the customer has accepted it. */
  accepted(ctx: Ctx, offer: OfferRow): Promise<unknown>
}

/** Delivery of an offer to the customer. */
interface Delivery {
  /** Issues a newly sent offer; 422 on `valid_until` in the past. */
  send(ctx: Ctx, offered: Offered, offer: OfferRow): Promise<unknown>
  /** Returns the specification of its PDF, not rendered yet. */
  pdf(ctx: Ctx, offered: Offered, offer: OfferRow): Promise<PdfSpec>
  /**
   * 422 on `status` of an offer that can't be mailed: its state is not in `mailable`, or another rule of the delivery forbids it.
   */
  refuseMailing(ctx: Ctx, offered: Offered, mailable: string[], offer: OfferRow): void
  /** Queues a mail; the recipient defaults to the contact, or else the company. */
  email(ctx: Ctx, offered: Offered, offer: OfferRow, body: Email): ReturnType<typeof emailOffer>
  /** Called when it was answered or has expired. */
  end?(ctx: Ctx, offered: Offered, offer: OfferRow): Promise<unknown>
  /** Additional routes for staff with this permission. */
  routes?(offered: Offered, allow: Permission): Route[]
}

/** Default delivery: PDF and mail. */
const onPaper: Delivery = {
  async send(ctx, offered, offer) {
    refuseOver(ctx, offer, offered.lastDay)
    await issue(ctx, offered, [offer.id])
  },
  async pdf(ctx, offered, offer) {
    const paper = await paperOf(ctx, offered, offer.id)
    return drawingOf(paper, sinceOffered(await wordsOf(ctx, paper), offer))
  },
  refuseMailing: (_, offered, mailable, offer) => refuseUnmailable(offered.of.noun, offer, mailable),
  email: async (ctx, offered, offer, body) =>
    emailOffer(ctx, offered.of, offer, { paper: await paperOf(ctx, offered, offer.id) }, body),
}

/** Definition of an offer kind by its module. */
interface OfferKind<T extends OfferTable, S extends string, Refuse extends string> {
  of: Resource<T> & Stored<T, S>
  type: CustomerDocument['type']
  list: Listing<View, Ctx>
  stats: Stats
  lifecycle: Machine<S, 'send' | 'accept' | 'expire' | Refuse>
  lines: LineTable
  /** The move of a customer's refusal, and the column with their reason. */
  refusal: { move: Refuse; reason: keyof Row<T> & string }
  /** Column of the resulting invoice that refers to the offer. */
  origin: 'quotation_id' | 'estimate_id'
  /** Default: PDF and mail only. */
  delivery?: Delivery
  tell: {
    sent(ctx: Ctx, id: number): Promise<unknown>
    accepted(ctx: Ctx, id: number, by: 'customer' | 'staff'): Promise<unknown>
    refused(ctx: Ctx, id: number, reason: string | null): Promise<unknown>
    expired(ctx: Ctx, id: number): Promise<unknown>
  }
}

export type Offer = ReturnType<typeof defineOffer>

const MAILABLE = ['sent', 'accepted']

export function defineOffer<T extends OfferTable, S extends string, Refuse extends string>(kind: OfferKind<T, S, Refuse>) {
  const { type, lines, origin, tell, refusal, delivery = onPaper } = kind
  const of = kind.of as unknown as Resource<OfferTable>
  const lifecycle = kind.lifecycle as unknown as Machine<OfferRow['status']>
  const printed = (of.detail as z.ZodObject<OfferDetail>).pick(offerPrinted)
  const offered: Offered = {
    of,
    lastDay: 'valid_until',
    papers: async (ctx, ids) => offerPapers(ctx, type, await readByIds(ctx, printed, of.table, ids)),
    accepted: (ctx, offer) => accept(ctx, offer, 'customer'),
  }

  /** sent → accepted (ACC-08). */
  async function accept(ctx: Ctx, offer: OfferRow, by: 'customer' | 'staff') {
    await end(ctx, offer, 'accept')
    await tell.accepted(ctx, offer.id, by)
  }

  /** An answered offer has no active link (ACC-09). */
  async function end(ctx: Ctx, offer: OfferRow, move: string, also?: object) {
    await lifecycle.move(ctx, of, offer, move, also)
    await delivery.end?.(ctx, offered, offer)
  }

  return {
    of,
    offered,
    lifecycle,
    lines,
    list: kind.list,
    stats: kind.stats,
    refuseMove: refusal.move as string,
    staffRoutes: delivery.routes,

    /** Creates a draft with the next number. */
    create: (ctx: Ctx, body: z.output<typeof OfferInput>) =>
      createRecord(ctx, of, OfferInput, body, () => priceNew(ctx, lines, body)),

    /** Changes the fields sent; drafts only, because a sent offer must not change. */
    update: (ctx: Ctx, offer: OfferRow, body: z.output<typeof OfferChanges>) =>
      updateDraft(ctx, of, { schema: OfferChanges, lines }, offer, body),

    refuseSending: (ctx: Ctx, offer: OfferRow) => refuseOver(ctx, offer, offered.lastDay),

    /** draft → sent. Sends no mail. 422 on `valid_until` when that is over. */
    async send(ctx: Ctx, offer: OfferRow) {
      const sent = await lifecycle.move(ctx, of, offer, 'send', { issued_on: ctx.today() })
      await delivery.send(ctx, offered, sent)
      await tell.sent(ctx, offer.id)
    },

    refuseAcceptance: acceptanceGuard(of, offered.lastDay),

    /** sent → accepted, by staff on the customer's behalf. */
    accept: (ctx: Ctx, offer: OfferRow) => accept(ctx, offer, 'staff'),

    /** sent → rejected or declined, with the customer's reason. */
    async refuse(ctx: Ctx, offer: OfferRow, { reason = null }: z.output<typeof RefusalInput>) {
      await end(ctx, offer, refusal.move, { [refusal.reason]: reason })
      await tell.refused(ctx, offer.id, reason)
    },

    /** sent → expired. */
    async expire(ctx: Ctx, offer: OfferRow) {
      await end(ctx, offer, 'expire')
      await tell.expired(ctx, offer.id)
    },

    refuseConversion: conversionGuard(of, MAILABLE),

    /** Creates a draft invoice with the offer's texts and lines and returns its id. The offer's status stays. */
    convert: (ctx: Ctx, offer: OfferRow) =>
      convertToInvoice(ctx, of, offer, async () => {
        const { id, title, currency, contact_id, company_id, assigned_to } = offer
        const { line_discount_type, tax_rounding, notes, terms_and_conditions } = offer
        return createDraftInvoice(ctx, {
          ...{
            title,
            currency,
            contact_id,
            company_id,
            assigned_to,
            line_discount_type,
            tax_rounding,
            notes,
            terms_and_conditions,
          },
          [origin]: id,
          lines: await storedLines<StoredOfferLine>(ctx, lines, id),
        })
      }),

    pdf: (ctx: Ctx, offer: OfferRow) => delivery.pdf(ctx, offered, offer),

    refuseMailing: (ctx: Ctx, offer: OfferRow) => delivery.refuseMailing(ctx, offered, MAILABLE, offer),

    email: (ctx: Ctx, offer: OfferRow, body: Email) => delivery.email(ctx, offered, offer, body),
  }
}
