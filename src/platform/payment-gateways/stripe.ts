import { modeOfStripeKey, STRIPE_CREDENTIALS, stripeProvider } from '#kernel/payment-providers/stripe.ts'
import type { Gateway } from './gateway.ts'

export const stripe: Gateway = {
  code: 'stripe',
  name: 'Stripe',
  credentials: STRIPE_CREDENTIALS,
  modeOf: modeOfStripeKey,
  needsPriceMapping: true,
  hasWebhook: true,
  provider: stripeProvider,
}
