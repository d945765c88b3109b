/** Sending an estimate and hearing what became of it. It is printed and mailed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { readByIds } from '#kernel/records/view.ts'
import {
  drawingOf,
  type EmailDocument,
  emailOffer,
  type OfferPaper,
  offerPapers,
  refuseOver,
  refuseUnmailable,
  sinceOffered,
} from '#workspace/billing-documents/public.ts'
import { type Issuable, issue, paperOf } from '#workspace/issued-documents/public.ts'
import { type EstimateRow, estimates } from './estimates.ts'
import { lifecycle } from './lifecycle.ts'
import { type DeclineEstimate, PrintedEstimate } from './schema.ts'

export const issuableEstimate: Issuable<OfferPaper> = {
  of: estimates,
  papers: async (ctx, ids) => offerPapers(ctx, 'estimate', await readByIds(ctx, PrintedEstimate, 'estimates', ids)),
}

/** draft → sent. Sends no mail. 422 on `valid_until` when that is over. */
export async function send(ctx: Ctx, estimate: EstimateRow) {
  const sent = await lifecycle.move(ctx, estimates, estimate, 'send', { issued_on: ctx.today() })
  refuseOver(ctx, sent, 'valid_until')
  await issue(ctx, issuableEstimate, [sent.id])
  await emit(ctx, 'estimate.sent', { estimate_id: sent.id })
}

/** sent → accepted. */
export async function accept(ctx: Ctx, estimate: EstimateRow) {
  await lifecycle.move(ctx, estimates, estimate, 'accept')
  await emit(ctx, 'estimate.accepted', { estimate_id: estimate.id })
}

/** sent → declined, with what the customer said. */
export async function decline(ctx: Ctx, estimate: EstimateRow, { reason = null }: z.output<typeof DeclineEstimate>) {
  await lifecycle.move(ctx, estimates, estimate, 'decline', { decline_reason: reason })
  await emit(ctx, 'estimate.declined', { estimate_id: estimate.id, reason })
}

/** sent → expired. */
export async function expire(ctx: Ctx, estimate: EstimateRow) {
  await lifecycle.move(ctx, estimates, estimate, 'expire')
  await emit(ctx, 'estimate.expired', { estimate_id: estimate.id })
}

export const pdf = async (ctx: Ctx, estimate: EstimateRow) =>
  drawingOf(await paperOf(ctx, issuableEstimate, estimate.id), sinceOffered(estimate))

/** Queues a mail, by default to the contact, else to the company. */
export async function email(ctx: Ctx, estimate: EstimateRow, body: z.output<typeof EmailDocument>) {
  refuseUnmailable('estimate', estimate, ['sent', 'accepted'])
  return emailOffer(ctx, estimates, estimate, { paper: await paperOf(ctx, issuableEstimate, estimate.id) }, body)
}
