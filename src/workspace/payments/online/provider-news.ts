/** What the provider tells of a page, by its webhook or when it is asked: each piece may come in any order and number. */
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
    /** Money came by a provider's page, or some of it went back. `amount` is what is left of it; `reference` the provider's name of the payment. */
    'checkout.settled': { uuid: string; invoice_id: number | null; amount: string; currency: string; reference: string }
  }
}

/**
 * Takes an event that a workspace's provider has signed, also while the method is switched off: money that came has come. 404 for an address that is nobody's,
 * 400 without the signature, 503 where the workspace lacks the module: the provider tells it again.
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

/** Writes down what is new in it, and tells what money there is by now. Nothing, where there is no such page. */
export async function applyNews(ctx: Ctx, news: PaymentNews) {
  const known = await ctx.from('payment_checkouts').selectAll().where('uuid', '=', news.uuid).forUpdate().executeTakeFirst()
  if (!known) return
  const { status, received: told } = news
  const received = known.received ?? (status === 'succeeded' ? (told?.amount ?? null) : null)
  const refunded = decimal(news.refunded ?? 0).gt(known.refunded) ? news.refunded! : known.refunded
  const currency = known.received === null && told ? told.currency : known.currency
  // What has succeeded stays so, and only that has anything more to tell.
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
