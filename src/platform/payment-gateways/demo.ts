/** Demo: card provider in test mode, tested and disabled. Its keys are invalid and nothing is charged. */
import { sql } from 'kysely'
import { defineDemo } from '#kernel/demo/parts.ts'
import { configure } from './credentials.ts'
import { gatewayCalled, saveGateway } from './gateways.ts'
import { logAction } from './logs.ts'
import { storeSetting } from './state.ts'

const credentials = { publishable_key: 'pk_test_demo', secret_key: 'sk_test_demo', webhook_secret: 'whsec_demo' }
const events = ['payment_intent.succeeded', 'payment_intent.payment_failed', 'charge.refunded', 'customer.updated']

export default defineDemo({
  after: ['billing'],
  async fillPlatform(ctx, { calendar, workspaces }) {
    const row = await gatewayCalled(ctx, 'stripe')
    if (!row.sealed_sandbox && !row.sealed_live) {
      const then = { ...ctx, now: calendar.instant(10)! }
      await configure(then, row, { mode: 'sandbox', credentials })
      await saveGateway(then, row, { is_enabled: false, is_configured: true })
      await storeSetting(then, 'stripe_enabled', false)
      await storeSetting(then, 'default_payment_gateway', 'manual')
      const message = 'Connected: Atrium Cloud Cooperative.'
      await logAction(then, row, { action: 'test-connection', mode: 'sandbox', isSuccess: true, message })
      await ctx.tx
        .insertInto('payment_gateway_events')
        .values(
          events.map((type, n) => ({
            ...{ gateway_id: row.id, mode: 'sandbox', event_id: `evt_demo_${n}`, type, occurred_at: calendar.instant(60 + n)! },
            ...{ outcome: n < 3 ? ('processed' as const) : ('ignored' as const), created_at: calendar.instant(60 + n)! },
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await sql`
        insert into payment_gateway_prices (gateway_id, module_id, monthly_price_id, yearly_price_id)
        select ${row.id}::bigint, id, 'price_demo_' || key || '_month', 'price_demo_' || key || '_year' from modules where monthly_price > 0
        on conflict do nothing`.execute(ctx.tx)
    }
    await ctx.tx
      .insertInto('payment_customers')
      .values(
        workspaces.map(({ id }) => ({
          ...{ tenant_id: id, gateway_id: row.id, mode: 'sandbox', customer: `cus_demo_${id}`, payment_method: `pm_demo_${id}` },
        })),
      )
      .execute()
    return workspaces.length
  },
})
