import { sql } from 'kysely'
import { z } from 'zod'
import { computed, embedded, extended, view } from '#kernel/records/view.ts'
import { choice, coded, date, formatted, hardStamps, instant, money } from '#kernel/values/fields.ts'
import { gatewayWords } from '#platform/payment-gateways/public.ts'

export const STATUSES = ['open', 'paid', 'uncollectible'] as const

const tenant = embedded(z.object({ id: z.int(), name: z.string(), email: z.string() }), {
  columns: ['tenant_id'],
  refersTo: 'tenant',
  value: ({ table }) =>
    sql`json_build_object('id', ${sql.ref(`${table}.tenant_id`)}, 'name', ${sql.ref(`${table}.tenant_name`)}, 'email', ${sql.ref(`${table}.tenant_email`)})`,
})

const LedgerLine = z
  .object({
    id: z.int(),
    subscription_id: z
      .int()
      .meta({ description: 'Id of the subscription that the line bills.', examples: [5], 'x-refers-to': 'module_subscription' }),
    module_id: z.int().meta({ description: 'Id of the module.', examples: [5], 'x-refers-to': 'module' }),
    description: z.string(),
    billing_cycle: coded(z.string().meta({ description: 'How long the period is.', examples: ['monthly'] }), {
      ...{ monthly: 'Monthly', yearly: 'Yearly' },
    }),
    period_start: date().describe('First day of the period.'),
    period_end: date().describe('The first day after the period.'),
    amount: money(),
  })
  .meta({ id: 'LedgerLine' })

const lines = computed(
  z.array(LedgerLine),
  ({ table }) => sql`(
    select coalesce(json_agg(json_build_object('id', l.id, 'subscription_id', l.subscription_id, 'module_id', l.module_id, 'description', l.description,
      'billing_cycle', l.billing_cycle, 'period_start', l.period_start, 'period_end', l.period_end, 'amount', trim_scale(l.amount)) order by l.id), '[]')
    from ledger_lines l where l.tenant_id = ${sql.ref(`${table}.tenant_id`)} and l.invoice_id = ${sql.ref(`${table}.id`)})`,
)

export const LedgerInvoice = view('ledger_invoices', 'LedgerInvoice', {
  id: z.int(),
  number: z.string(),
  tenant_id: z.int().meta({ description: 'Id of the workspace that it is for.', examples: [1] }),
  tenant,
  gateway: coded(
    z.string().meta({ description: 'Code of the gateway by which it is paid.', examples: ['stripe'] }),
    gatewayWords,
  ),
  status: choice(STATUSES).describe('Open until it is paid, or written off.'),
  currency: formatted('currency'),
  subtotal: money(),
  tax_total: money(),
  total: money(),
  amount_paid: money().meta({ description: 'What was paid of it so far; refunds don’t lower it.', examples: [58.8] }),
  balance_due: money().meta({ description: 'What is left to pay.', examples: [0] }),
  issued_at: instant().describe('When it was issued.'),
  due_at: instant().describe('Until when it is to be paid.'),
  paid_at: instant().nullable().describe('When it was paid in full; null: it is not.'),
  next_attempt_at: instant().nullable().describe('When it is charged, or looked after, next.'),
  lines,
  ...hardStamps,
})

const LedgerPaymentRef = z
  .object({
    id: z.int(),
    gateway: coded(z.string(), gatewayWords),
    kind: coded(
      z.string().meta({
        description: 'Charged by itself (`charge`), paid on the provider’s page (`checkout`), or taken from credit (`credit`).',
        examples: ['charge'],
      }),
      { charge: 'Charge', checkout: 'Checkout', credit: 'Credit' },
    ),
    status: coded(z.string(), { pending: 'Pending', succeeded: 'Succeeded', failed: 'Failed' }),
    amount: money(),
    created_at: instant(),
  })
  .meta({ id: 'LedgerInvoicePayment' })

export const LedgerInvoiceDetail = extended(LedgerInvoice, 'LedgerInvoiceDetail', {
  payments: computed(
    z.array(LedgerPaymentRef),
    ({ table }) => sql`(
      select coalesce(json_agg(json_build_object('id', p.id, 'gateway', p.gateway, 'kind', p.kind, 'status', p.status, 'amount', trim_scale(p.amount),
        'created_at', app.iso(p.created_at)) order by p.id desc), '[]')
      from (select * from ledger_payments p where p.tenant_id = ${sql.ref(`${table}.tenant_id`)} and p.invoice_id = ${sql.ref(`${table}.id`)}
        order by p.id desc limit 100) p)`,
  ).describe('Payments and tries of it, the newest first.'),
})
