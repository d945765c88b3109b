/** Test world with paid modules, for billing tests. */

import jobs from '#platform/billing/jobs.ts'
import { CREDENTIALS, type StripeStandIn, startStripe, WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'
import { startTest, type World } from './harness.ts'

export interface BillingWorld extends World, Billing {
  stripe: StripeStandIn
}

/** Billing operations for tests. */
export interface Billing {
  /** Sets a module's price. */
  price(key: string, monthly: number, yearly: number, currency?: string): Promise<number>
  /** Advances the clock: due renewals, mails and collections are processed. */
  runAt(instant: string): Promise<void>
  /** The same at the current time. */
  runDue(): Promise<void>
  install(tenantId: number, moduleId: number, billing_cycle?: 'monthly' | 'yearly'): Promise<{ id: number; status: string }>
  /** Stores a payment method, as if the workspace had paid by link before. */
  saveCard(tenantId: number, payment_method: string): Promise<void>
  /** Delivers events signed as by Stripe, and asserts success. */
  deliver(events: object[]): Promise<void>
  setting(key: string, value: unknown): Promise<void>
}

export async function startBilling(at: string): Promise<BillingWorld> {
  let now = () => at
  const stripe = await startStripe(() => now())
  const world = await startTest({ env: { STRIPE_API_BASE: stripe.url } })
  world.clock.set(at)
  now = () => world.clock.now()
  return { ...world, stripe, ...(await billingOf(world, stripe)) }
}

/** Sets up billing with the Stripe stand-in in a world that uses its address. */
export async function billingOf(world: World, stripe: StripeStandIn): Promise<Billing> {
  const { Stripe } = await import('stripe')
  const { webhooks } = new Stripe('sk_test_nothing')
  const gateways = await world.sql(`SELECT id FROM payment_gateways WHERE code = 'stripe'`)
  const { id } = gateways[0]
  await world.admin.put(`/payment-gateways/${id}/config`, { credentials: CREDENTIALS })

  async function runDue() {
    const attempt = { signal: AbortSignal.timeout(60_000), module: undefined }
    for (const job of jobs) await job.handle(world.services, { data: {} }, attempt)
  }

  return {
    runDue,
    async price(key, monthly, yearly, currency = 'USD') {
      const [module] = await world.sql(
        'UPDATE modules SET is_billable = true, monthly_price = $2, yearly_price = $3, currency = $4, is_default_included = false WHERE key = $1 RETURNING id',
        [key, monthly, yearly, currency],
      )
      return Number(module.id)
    },
    async runAt(instant) {
      world.clock.set(instant)
      await runDue()
    },
    async install(tenantId, module_id, billing_cycle = 'monthly') {
      const { status, body } = await world.admin.post(`/tenants/${tenantId}/modules`, { module_id, billing_cycle })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.data
    },
    async saveCard(tenantId, payment_method) {
      const customer = `cus_of_${tenantId}`
      stripe.customers.set(customer, { id: customer })
      await world.sql(
        `INSERT INTO payment_customers (tenant_id, gateway_id, mode, customer, payment_method) VALUES ($1, $2, 'sandbox', $3, $4)
         ON CONFLICT (tenant_id, gateway_id, mode) DO UPDATE SET payment_method = $4`,
        [tenantId, id, customer, payment_method],
      )
    },
    async deliver(events) {
      for (const event of events) {
        const payload = JSON.stringify(event)
        const timestamp = Math.floor(Date.parse(world.clock.now()) / 1000)
        const signature = webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, timestamp })
        const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
        const reply = await world.app.inject({ method: 'POST', url: '/payment-provider/webhook', payload, headers })
        if (reply.statusCode !== 200) throw new Error(reply.body)
      }
    },
    async setting(key, value) {
      await world.sql(
        'INSERT INTO platform_settings (key, value, updated_at) VALUES ($1, $2, now()) ON CONFLICT (key) DO UPDATE SET value = $2',
        [key, JSON.stringify(value)],
      )
    },
  }
}
