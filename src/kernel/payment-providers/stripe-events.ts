/** Maps Stripe's replies and webhook events to ours. Only payments with our metadata are considered. */
import { z } from 'zod'
import { decimal, isCurrency, minorUnits } from '../values/money.ts'
import type { Charge, Mode, PaymentNews, ProviderEvent } from './provider.ts'

/** Range of timestamps that the database can store, in seconds. */
const SECONDS = { least: 0, most: 253_402_300_799 }

/** Text for the database: without NUL, and truncated. */
const label = (most: number) => z.string().transform((text) => text.replaceAll('\0', '').slice(0, most))
const Reference = z.union([label(255), z.object({ id: label(255) }).transform(({ id }) => id)])

/** Metadata that identifies our payments. */
const Marks = z.object({
  atrium_payment: z.uuid(),
  atrium_tenant: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
  atrium_kind: z.string().optional(),
})
const Currency = z.string().refine((code) => isCurrency(code.toUpperCase()))
const Intent = z.object({
  id: label(255),
  metadata: Marks,
  status: label(100),
  amount_received: z.int().min(0).optional().catch(undefined),
  currency: Currency.optional().catch(undefined),
  customer: Reference.nullish(),
  payment_method: Reference.nullish(),
  last_payment_error: z
    .object({ code: label(100).nullish(), decline_code: label(100).nullish(), message: label(500).nullish() })
    .nullish(),
})
const Session = z.object({ id: label(255), metadata: Marks, payment_status: z.string() })
const Looked = z.object({ status: z.string().nullish(), payment_intent: z.unknown() })
const Refunded = z.object({
  metadata: Marks,
  payment_intent: Reference,
  amount_refunded: z.int().min(0),
  currency: Currency,
})
const Event = z.object({
  id: label(255),
  type: label(255),
  created: z.int().min(SECONDS.least).max(SECONDS.most).optional().catch(undefined),
  livemode: z.boolean().optional().catch(undefined),
  data: z.object({ object: z.unknown() }).optional().catch(undefined),
})

/** Parsers of payment events, by type. Events of other types or with other objects are ignored. */
const NEWS = new Map<string, (object: unknown) => PaymentNews | undefined>([
  ['payment_intent.succeeded', newsOf],
  ['payment_intent.processing', newsOf],
  ['payment_intent.payment_failed', newsOf],
  ['payment_intent.canceled', newsOf],
  ['checkout.session.expired', expiryOf],
  ['charge.refunded', refundOf],
])

/**
 * Parses JSON with a valid signature; undefined if it isn't an event. Events of the other mode, or without a payment, have no
 * `news`.
 */
export function eventOf(signed: unknown, mode: Mode, now: string): ProviderEvent | undefined {
  const { data: event } = Event.safeParse(signed)
  if (!event?.id || !event.type) return undefined
  const { id, type, created, livemode, data } = event
  const common = { id, type, occurred_at: created === undefined ? now : isoOf(created) }
  if (livemode !== (mode === 'live')) return common
  return { ...common, news: NEWS.get(type)?.(data?.object) }
}

/** Returns the metadata by which Stripe's objects are matched to payments. */
export const marksOf = ({ uuid, tenant_id }: Charge, kind: 'charge' | 'checkout') => ({
  atrium_payment: uuid,
  atrium_tenant: String(tenant_id),
  atrium_kind: kind,
})

const ownerOf = ({ atrium_payment: uuid, atrium_tenant: tenant_id }: z.output<typeof Marks>) => ({ uuid, tenant_id })

/** Returns the payment's state of a PaymentIntent; undefined if the payment isn't ours. */
export function newsOf(object: unknown): PaymentNews | undefined {
  const { data: intent } = Intent.safeParse(object)
  if (!intent) return undefined
  const { id: reference, status, last_payment_error: error, customer, payment_method = null, metadata } = intent
  const common = { ...ownerOf(metadata), reference }
  if (status === 'succeeded')
    return { ...common, status, received: receivedOf(intent), customer: customer ? { customer, payment_method } : undefined }
  // On the hosted page, the customer may try another card until the page expires.
  const mayGoOn = metadata.atrium_kind === 'checkout' && status !== 'canceled'
  if (status === 'processing' || mayGoOn) return { ...common, status: 'pending', underway: status === 'processing' }
  const code = error?.decline_code ?? error?.code ?? status
  return { ...common, status: 'failed', failure: { code, message: error?.message ?? `The payment is ${status}.` } }
}

function receivedOf({ amount_received, currency }: z.output<typeof Intent>): PaymentNews['received'] {
  if (amount_received === undefined || currency === undefined) return undefined
  return { amount: amountOf(amount_received, currency), currency: currency.toUpperCase() }
}

/** Returns the payment's state of a session with its expanded PaymentIntent; undefined before any attempt. */
export function newsOfSession(session: unknown): PaymentNews | undefined {
  const { data } = Looked.safeParse(session)
  return newsOf(data?.payment_intent) ?? (data?.status === 'expired' ? expiryOf(session) : undefined)
}

function expiryOf(object: unknown): PaymentNews | undefined {
  const { data: session } = Session.safeParse(object)
  if (!session || session.payment_status === 'paid') return undefined
  const failure = { code: 'expired', message: 'The payment page has expired.' }
  return { ...ownerOf(session.metadata), reference: session.id, status: 'failed', failure }
}

function refundOf(object: unknown): PaymentNews | undefined {
  const { data: charge } = Refunded.safeParse(object)
  if (!charge) return undefined
  const refunded = amountOf(charge.amount_refunded, charge.currency)
  return { ...ownerOf(charge.metadata), reference: charge.payment_intent, status: 'succeeded', refunded }
}

/**
 * Returns Stripe's units per unit of a currency: its minor units, except for two currencies that Stripe counts with two decimals.
 */
export const unitsOf = (currency: string) =>
  ['ISK', 'UGX'].includes(currency.toUpperCase()) ? 100 : 10 ** minorUnits(currency.toUpperCase())

const amountOf = (units: number, currency: string) => decimal(units).div(unitsOf(currency)).toFixed()

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()
