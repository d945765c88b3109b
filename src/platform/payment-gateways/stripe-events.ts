/** What Stripe tells of payments, by answers and by webhooks, in our words. Ours are those that carry our marks. */
import type Stripe from 'stripe'
import { decimal, minorUnits } from '#kernel/values/money.ts'
import type { Charge, Mode, PaymentNews, ProviderEvent } from './gateway.ts'

/** Whether signed JSON is an event at all. */
export const isEvent = (event: Partial<Stripe.Event> | null) => typeof event?.id === 'string' && typeof event.type === 'string'

/** An event whose signature is right. Those of the other mode, and those about nothing, are none of ours. */
export function eventOf(event: Stripe.Event, mode: Mode, now: string): ProviderEvent {
  const { id, type, created, livemode, data } = event
  const isTimed = Number.isSafeInteger(created) && Math.abs(created) < 1e11
  const common = { id: id.slice(0, 255), type: type.slice(0, 255), occurred_at: isTimed ? isoOf(created) : now }
  if (livemode !== (mode === 'live') || !data?.object) return common
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.processing':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled':
      return { ...common, news: newsOf(event.data.object) }
    case 'checkout.session.expired':
      return { ...common, news: expiryOf(event.data.object) }
    case 'charge.refunded':
      return { ...common, news: refundOf(event.data.object) }
    default:
      return common
  }
}

export const marksOf = ({ uuid, tenant_id }: Charge, kind: 'charge' | 'checkout') => ({
  atrium_payment: uuid,
  atrium_tenant: String(tenant_id),
  atrium_kind: kind,
})

/** Whose payment it is, by the marks; undefined for one that isn't ours. */
function ownerOf(metadata: Stripe.Metadata | null | undefined) {
  const { atrium_payment: uuid, atrium_tenant: tenant } = metadata ?? {}
  const isOurs = /^[0-9a-f-]{36}$/.test(uuid ?? '') && /^\d{1,15}$/.test(tenant ?? '')
  return isOurs ? { uuid: uuid!, tenant_id: Number(tenant) } : undefined
}

export function newsOf(intent: Stripe.PaymentIntent): PaymentNews | undefined {
  const owner = ownerOf(intent.metadata)
  if (!owner) return undefined
  const common = { ...owner, reference: intent.id }
  const { status, last_payment_error: error, customer, payment_method } = intent
  if (status === 'succeeded') {
    const known = customer && { customer: idOf(customer), payment_method: payment_method && idOf(payment_method) }
    return { ...common, status: 'succeeded', customer: known || undefined }
  }
  // On the provider's page the customer may try another card, until the page expires.
  const mayGoOn = intent.metadata.atrium_kind === 'checkout' && status !== 'canceled'
  if (status === 'processing' || mayGoOn) return { ...common, status: 'pending', underway: status === 'processing' }
  const code = error?.decline_code ?? error?.code ?? status
  return { ...common, status: 'failed', failure: { code, message: error?.message ?? `The payment is ${status}.` } }
}

function expiryOf({ id, metadata, payment_status }: Stripe.Checkout.Session): PaymentNews | undefined {
  const owner = payment_status === 'paid' ? undefined : ownerOf(metadata)
  const failure = { code: 'expired', message: 'The payment page has expired.' }
  return owner && { ...owner, reference: id, status: 'failed', failure }
}

function refundOf({ metadata, payment_intent, amount_refunded, currency }: Stripe.Charge): PaymentNews | undefined {
  const owner = ownerOf(metadata)
  if (!owner || !payment_intent) return undefined
  const refunded = decimal(amount_refunded).div(unitsOf(currency)).toFixed()
  return { ...owner, reference: idOf(payment_intent), status: 'succeeded', refunded }
}

/** Stripe's units of a currency are its minor ones, with two exceptions that it counts as if they had two decimals. */
export const unitsOf = (currency: string) =>
  ['ISK', 'UGX'].includes(currency.toUpperCase()) ? 100 : 10 ** minorUnits(currency.toUpperCase())

const idOf = (of: string | { id: string }) => (typeof of === 'string' ? of : of.id)
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()
