/** Applies the provider's events about a checkout, from its webhook or a query. Events may arrive in any order and repeatedly. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Ctx, PublicCtx } from '#kernel/context.ts'
import { badRequest, notFound, unavailable } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import type { PaymentNews } from '#kernel/payment-providers/provider.ts'
import { enterWorkspace } from '#kernel/tenancy/session.ts'
import { decimal } from '#kernel/values/money.ts'
import { methodNamed, providerOf } from './methods.ts'

declare module '#kernel/modules/events.ts' {
  interface Events {
    /**
     * Emitted when money was received by a checkout, or refunded. `amount` is the remaining sum; `reference` the provider's id of
     * the payment.
     */
    'checkout.settled': { uuid: string; invoice_id: number | null; amount: string; currency: string; reference: string }
  }
}

/**
 * Handles an event signed by a workspace's provider, even while the method is disabled, because the money has been received. 404
 * for an unknown webhook, 400 without a valid signature, 503 where the module isn't installed, so that the provider retries.
 */
export async function receiveInvoiceEvent(ctx: PublicCtx, uuid: string, raw: Buffer, headers: IncomingHttpHeaders) {
  const method = await methodNamed(ctx, uuid)
  const provider = method && (await providerOf(ctx.services, method))
  if (!provider) throw notFound('There is no such webhook.')
  const event = provider.readEvent(raw, headers, ctx.now)
  if (!event) throw badRequest('The signature is missing, wrong or too old.')
  const { news } = event
  if (news?.tenant_id === method.tenant_id)
    await enterWorkspace(ctx, method.tenant_id, async (ctx) => {
      if (!ctx.entitled('payments')) throw unavailable('The workspace takes no payments at the moment.')
      await applyNews(ctx, news)
    })
}

/** Stores what is new in an event and emits the current sum. Ignores unknown checkouts. */
export async function applyNews(ctx: Ctx, news: PaymentNews) {
  const known = await ctx.from('payment_checkouts').selectAll().where('uuid', '=', news.uuid).forUpdate().executeTakeFirst()
  if (!known) return
  const { status, received: told } = news
  const received = known.received ?? (status === 'succeeded' ? (told?.amount ?? null) : null)
  const refunded = decimal(news.refunded ?? 0).gt(known.refunded) ? news.refunded! : known.refunded
  const currency = known.received === null && told ? told.currency : known.currency
  // A paid checkout stays paid, and only paid ones emit events.
  const isPaid = received !== null
  const next = isPaid ? 'paid' : status === 'failed' ? 'failed' : known.status
  await ctx
    .update('payment_checkouts')
    .set({
      status: next,
      received,
      refunded,
      currency,
      is_underway: next === 'open' && news.underway === true,
      updated_at: ctx.now,
      ...(next === 'open' ? {} : { next_check_at: null }),
    })
    .where('uuid', '=', known.uuid)
    .execute()
  const hasChanged = known.received === null || !decimal(refunded).eq(known.refunded)
  if (!isPaid || !hasChanged) return
  const { uuid, invoice_id } = known
  const left = decimal(received).minus(refunded)
  await emit(ctx, 'checkout.settled', { uuid, invoice_id, amount: left.toFixed(), currency, reference: news.reference })
}
