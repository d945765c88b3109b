/**
 * Stripe. Each payment is one PaymentIntent, made under our uuid as idempotency key and carrying it as metadata, by which webhooks and
 * look-ups find it again.
 */
import type Stripe from 'stripe'
import type { Config } from '../config.ts'
import { decimal } from '../values/money.ts'
import type { Charge, Credentials, Mode, PaymentNews, Provider } from './provider.ts'
import { eventOf, marksOf, newsOf, newsOfSession, unitsOf } from './stripe-events.ts'

/** What an account is reached by. */
export const STRIPE_CREDENTIALS = ['publishable_key', 'secret_key', 'webhook_secret'] as const

/** The mode that a key is for, where it tells. */
export const modeOfStripeKey = (key: string): Mode | undefined =>
  /^[psr]k_test_/.test(key) ? 'sandbox' : /^[psr]k_live_/.test(key) ? 'live' : undefined

/** Where customers pay: what forms of ours may lead to. A stand-in has its pages beside its API. */
export function stripePages({ STRIPE_API_BASE }: Config): string {
  const { origin, hostname } = new URL(STRIPE_API_BASE)
  return hostname === 'api.stripe.com' ? 'https://checkout.stripe.com' : origin
}

/** How far a webhook's time may be off, in seconds. */
const TOLERANCE = 300
/** Languages of documents that Stripe's page speaks. */
const PAGES = new Set(['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt'])
/** How long a page lives, in seconds: Stripe takes half an hour to a day. */
const PAGE_SECONDS = 3600
const WAIT = { timeout: 20_000, maxNetworkRetries: 1 }

/** Stripe with the credentials of an account. */
export async function stripeProvider(config: Config, mode: Mode, credentials: Credentials): Promise<Provider> {
  const { Stripe: Client } = await import('stripe')
  const { protocol, hostname: host, port } = new URL(config.STRIPE_API_BASE)
  const client = new Client(credentials.secret_key ?? 'not set', {
    ...WAIT,
    host,
    protocol: protocol === 'http:' ? 'http' : 'https',
    port: port || (protocol === 'http:' ? 80 : 443),
    telemetry: false,
  })

  /** Product of a mapped price, under which Stripe then counts the revenue. None where the price is gone: the name serves too. */
  const productOf = (price: string) =>
    client.prices.retrieve(price).then(
      ({ product }) => ({ product: String(product) }),
      (error) => {
        if (error instanceof Client.errors.StripeInvalidRequestError) return undefined
        throw error
      },
    )

  return {
    async test() {
      const { livemode } = await client.balance.retrieve()
      if (livemode !== (mode === 'live')) throw new Error(`This is a key of the ${livemode ? 'live' : 'test'} mode.`)
      return livemode ? 'live account' : 'test account'
    },

    async charge(charge, { customer, payment_method }) {
      try {
        const intent = await client.paymentIntents.create(
          {
            ...moneyOf(charge),
            customer,
            payment_method: payment_method ?? undefined,
            off_session: true,
            confirm: true,
            description: charge.description,
            metadata: marksOf(charge, 'charge'),
          },
          { idempotencyKey: charge.uuid },
        )
        return newsOf(intent)!
      } catch (error) {
        if (error instanceof Client.errors.StripeCardError && error.payment_intent) {
          const { code, decline_code, message } = error
          return {
            ...newsOf(error.payment_intent)!,
            status: 'failed',
            failure: { code: decline_code ?? code ?? 'declined', message },
          }
        }
        // Refused for what it asks: asked again it would be refused again.
        if (error instanceof Client.errors.StripeInvalidRequestError && error.statusCode !== 409)
          return failed(charge, error.code ?? 'invalid_request', error.message)
        throw error
      }
    },

    async find(charge, { customer }) {
      const gte = Math.floor(Date.parse(charge.created_at) / 1000) - PAGE_SECONDS
      for await (const intent of client.paymentIntents.list({ customer, created: { gte }, limit: 100 }))
        if (intent.metadata.atrium_payment === charge.uuid) return newsOf(intent)
      return undefined
    },

    async register({ id, name, email }) {
      const metadata = { atrium_tenant: String(id) }
      const customer = await client.customers.create({ name, email, metadata })
      return { customer: customer.id, payment_method: null }
    },

    async checkout(charge, payer, back, price) {
      const { amount: unit_amount, currency } = moneyOf(charge)
      const product = price === null ? undefined : await productOf(price)
      const session = await client.checkout.sessions.create(
        {
          mode: 'payment',
          ...(PAGES.has(charge.language ?? '') ? { locale: charge.language as 'de' } : {}),
          ...(payer ? { customer: payer.customer } : {}),
          line_items: [
            {
              quantity: 1,
              price_data: { currency, unit_amount, ...(product ?? { product_data: { name: charge.description } }) },
            },
          ],
          payment_intent_data: {
            description: charge.description,
            metadata: marksOf(charge, 'checkout'),
            ...(payer ? { setup_future_usage: 'off_session' } : {}), // so that renewals can be charged
          },
          metadata: marksOf(charge, 'checkout'),
          success_url: back,
          cancel_url: back,
          expires_at: Math.floor(Date.parse(charge.created_at) / 1000) + PAGE_SECONDS,
        },
        { idempotencyKey: charge.uuid },
      )
      return { reference: session.id, url: session.url! }
    },

    async lookAt(reference) {
      return newsOfSession(await client.checkout.sessions.retrieve(reference, { expand: ['payment_intent'] }))
    },

    readEvent(raw, headers, now) {
      const signature = headers['stripe-signature']
      const { webhook_secret } = credentials
      if (typeof signature !== 'string' || !webhook_secret) return undefined
      let event: Stripe.Event
      try {
        const received = Date.parse(now)
        event = client.webhooks.constructEvent(raw, signature, webhook_secret, TOLERANCE, undefined, received)
      } catch {
        return undefined // not signed, or no JSON
      }
      return eventOf(event, mode, now)
    },
  }
}

const failed = ({ uuid, tenant_id }: Charge, code: string, message: string): PaymentNews => ({
  uuid,
  tenant_id,
  status: 'failed',
  reference: '',
  failure: { code, message },
})

const moneyOf = ({ amount, currency }: Charge) => ({
  amount: decimal(amount).times(unitsOf(currency)).toNumber(),
  currency: currency.toLowerCase(),
})
