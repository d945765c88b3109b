/**
 * Stripe. Each payment is one PaymentIntent with our uuid as its idempotency key and in its metadata, by which webhooks and
 * queries find it.
 */
import type Stripe from 'stripe'
import type { Config } from '../config.ts'
import { decimal } from '../values/money.ts'
import type { Charge, Credentials, Mode, PaymentNews, Provider } from './provider.ts'
import { eventOf, marksOf, newsOf, newsOfSession, unitsOf } from './stripe-events.ts'

/** Names of the credentials of an account. */
export const STRIPE_CREDENTIALS = ['publishable_key', 'secret_key', 'webhook_secret'] as const

/** Returns the mode of a key, if its prefix shows it. */
export const modeOfStripeKey = (key: string): Mode | undefined =>
  /^[psr]k_test_/.test(key) ? 'sandbox' : /^[psr]k_live_/.test(key) ? 'live' : undefined

/**
 * Returns the origin of Stripe's payment pages, as a target for our forms. A substitute server has its pages at the API's origin.
 */
export function stripePages({ STRIPE_API_BASE }: Config): string {
  const { origin, hostname } = new URL(STRIPE_API_BASE)
  return hostname === 'api.stripe.com' ? 'https://checkout.stripe.com' : origin
}

/** Maximum difference between a webhook's timestamp and now, in seconds. */
const TOLERANCE = 300
/** Document languages that Stripe's page supports. */
const PAGES = new Set(['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt'])
/** Lifetime of a page in seconds. Stripe allows half an hour to a day. */
const PAGE_SECONDS = 3600
const WAIT = { timeout: 20_000, maxNetworkRetries: 1 }

/** Returns Stripe as a provider, with the credentials of an account. */
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

  /**
   * Returns the product of a mapped price, for Stripe's revenue reports. Undefined if the price no longer exists: the description
   * is used instead.
   */
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
        // Invalid request: a retry would fail in the same way.
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
            ...(payer ? { setup_future_usage: 'off_session' } : {}), // stored for charging renewals
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
        return undefined // invalid signature or JSON
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
