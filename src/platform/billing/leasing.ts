/** Leases due invoices to a worker, each with a pending payment that is stored before the provider is called. */
import { type Selectable, sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { byWorkspace, lockAcross } from '#kernel/tenancy/across.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import {
  type Charge,
  type Customer,
  customersOf,
  type GatewayRow,
  type Mode,
  usableGateways,
} from '#platform/payment-gateways/public.ts'
import type { LedgerInvoices, LedgerPayments } from './tables.ts'

/**
 * Maximum number of invoices per lease. Several are requested in parallel, so that the last one is done long before the lease
 * ends.
 */
const BATCH = 24
const LEASE_SECONDS = 600
const DAY = 86_400
/** Maximum time for a customer on the provider's page, with some margin. In seconds. */
export const PAGE_SECONDS = 4200

type Invoice = Pick<
  Selectable<LedgerInvoices>,
  'tenant_id' | 'id' | 'number' | 'currency' | 'balance_due' | 'status' | 'gateway' | 'due_at'
>
export type Payment = Selectable<LedgerPayments>

/** Payment to request from a provider: a new one, or one whose reply was lost. */
export interface Asked {
  row: GatewayRow
  payment: Payment
  charge: Charge
  customer: Customer
  isNew: boolean
}

interface Leased {
  found: number
  asked: Asked[]
  /** Overdue invoices without a payment method. */
  unpayable: Invoice[]
}

/** Leases the next due invoices, each with a pending payment. */
export async function lease(ctx: BaseCtx): Promise<Leased> {
  const invoices = await lockAcross(ctx, async (within, lock) => {
    const { rows } = await sql<Invoice>`
      select tenant_id, id, number, currency, balance_due, status, gateway, due_at from ledger_invoices
      where next_attempt_at <= ${ctx.now} and ${within('ledger_invoices')}
        and exists (select from tenants t where t.id = ledger_invoices.tenant_id and t.deleted_at is null)
      order by next_attempt_at limit ${BATCH} ${lock ? sql`for update skip locked` : sql``}`.execute(ctx.tx)
    return rows
  })
  if (!invoices.length) return { found: 0, asked: [], unpayable: [] }
  const tenants = [...new Set(invoices.map(({ tenant_id }) => tenant_id))]
  const [gateways, customers, pending] = await Promise.all([
    usableGateways(ctx),
    customersOf(ctx, tenants),
    ctx.tx.selectFrom('ledger_payments').selectAll().where('tenant_id', 'in', tenants).where('status', '=', 'pending').execute(),
  ])
  const planned = invoices.map((invoice) => {
    const row = gateways.get(invoice.gateway)
    const before = pending.find(({ tenant_id, invoice_id }) => tenant_id === invoice.tenant_id && invoice_id === invoice.id)
    const mode = before?.mode ?? row?.mode
    const customer = customers.find(
      (one) => one.tenant_id === invoice.tenant_id && one.gateway_id === row?.id && one.mode === mode,
    )
    return { invoice, row, before, customer, ...planOf(ctx, { invoice, row, before, customer }) }
  })
  await postpone(ctx, planned)
  const made = await insertPayments(
    ctx,
    planned.flatMap(({ invoice, row, plan }) => (plan === 'charge' ? { invoice, mode: row!.mode } : [])),
  )
  const asked = planned.flatMap(({ invoice, row, before, customer, plan }): Asked[] => {
    const payment = plan === 'look up' ? before : plan === 'charge' ? made.get(`${invoice.tenant_id} ${invoice.id}`) : undefined
    if (!payment) return []
    return [{ row: row!, payment, charge: chargeOf(payment, invoice.number), customer: customer!, isNew: !before }]
  })
  return { found: invoices.length, asked, unpayable: planned.flatMap(({ invoice, plan }) => (plan === 'fail' ? invoice : [])) }
}

interface Known {
  invoice: Invoice
  row: GatewayRow | undefined
  before: Payment | undefined
  customer: Customer | undefined
}

/** Returns the action for an invoice, and when it is due again if the action has no result. */
function planOf(
  { now }: BaseCtx,
  { invoice, row, before, customer }: Known,
): { plan: 'charge' | 'look up' | 'fail' | 'wait'; again: string | null } {
  const leased = plusSeconds(now, LEASE_SECONDS)
  if (!row) return { plan: 'wait', again: plusSeconds(now, DAY) } // until the gateway is usable again
  if (before) {
    const patience = before.kind === 'checkout' ? PAGE_SECONDS : 0
    const until = plusSeconds(before.created_at, patience)
    if (until > now || !customer) return { plan: 'wait', again: customer ? until : plusSeconds(now, DAY) }
    return { plan: 'look up', again: before.reference ? plusSeconds(now, DAY) : leased }
  }
  if (invoice.status !== 'open') return { plan: 'wait', again: null }
  if (customer?.payment_method) return { plan: 'charge', again: leased }
  // Nothing to charge: the workspace may pay by the mailed link until the due date.
  return now < invoice.due_at ? { plan: 'wait', again: invoice.due_at } : { plan: 'fail', again: leased }
}

async function postpone(ctx: BaseCtx, planned: { invoice: Invoice; again: string | null }[]) {
  const all = planned.map(({ invoice: { tenant_id, id }, again }) => ({ tenant_id, id, again }))
  await byWorkspace(ctx, all, async (rows, within) => {
    await sql`
      update ledger_invoices i set next_attempt_at = g.again
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(tenant_id bigint, id bigint, again timestamptz)
      where i.tenant_id = g.tenant_id and i.id = g.id and ${within('i')}`.execute(ctx.tx)
    return []
  })
}

/** Inserts pending payments of the balances. Returns them by workspace and invoice. */
async function insertPayments({ tx, now }: BaseCtx, charged: { invoice: Invoice; mode: Mode }[]): Promise<Map<string, Payment>> {
  if (!charged.length) return new Map()
  const made = await tx
    .insertInto('ledger_payments')
    .values(
      charged.map(({ invoice, mode }) => ({
        tenant_id: invoice.tenant_id,
        invoice_id: invoice.id,
        gateway: invoice.gateway,
        mode,
        kind: 'charge' as const,
        status: 'pending' as const,
        currency: invoice.currency,
        amount: invoice.balance_due,
        created_at: now,
        updated_at: now,
      })),
    )
    .returningAll()
    .execute()
  return new Map(made.map((payment) => [`${payment.tenant_id} ${payment.invoice_id}`, payment]))
}

/** Returns a payment as a request to the provider. */
export const chargeOf = ({ uuid, tenant_id, amount, currency, created_at }: Payment, number: string): Charge => ({
  uuid,
  tenant_id,
  amount,
  currency,
  created_at,
  description: `Invoice ${number}`,
})
