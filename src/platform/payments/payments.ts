/** The ledger's payments, as the operator reads them (BIL-05). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { computed, readOne, view } from '#kernel/records/view.ts'
import { choice, formatted, hardStamps, instant, money } from '#kernel/values/fields.ts'
import { ofTenant } from '#platform/tenants/public.ts'

const STATUSES = ['pending', 'succeeded', 'failed'] as const

const invoice = computed(
  z.object({ id: z.int(), number: z.string(), tenant_name: z.string() }),
  ({ table }) => sql`(
    select json_build_object('id', i.id, 'number', i.number, 'tenant_name', i.tenant_name) from ledger_invoices i
    where i.tenant_id = ${sql.ref(`${table}.tenant_id`)} and i.id = ${sql.ref(`${table}.invoice_id`)})`,
)

export const LedgerPayment = view('ledger_payments', 'LedgerPayment', {
  id: z.int(),
  uuid: z.string(),
  tenant_id: z.int(),
  invoice_id: z.int(),
  invoice,
  gateway: z.string().describe('A gateway’s code, or `credit`: paid from what the workspace had to its credit.'),
  mode: choice(['sandbox', 'live']),
  kind: choice(['charge', 'checkout', 'credit']),
  status: choice(STATUSES),
  currency: formatted('currency'),
  amount: money(),
  amount_refunded: money(),
  reference: z.string().nullable().describe('What the provider calls it.'),
  failure_code: z.string().nullable(),
  failure_message: z.string().nullable(),
  settled_at: instant().nullable(),
  ...hardStamps,
})

const filters = { status: filter.oneOf('status', STATUSES), gateway: filter.text('gateway') }
const search = ['reference'] as const

export const paymentList = listing(platformTable('ledger_payments', LedgerPayment), {
  hardDeleted: true,
  search,
  filters: { ...filters, tenant_id: filter.id('tenant_id'), invoice_id: filter.id('invoice_id') },
})

/** Those of one workspace (CEN-31). */
export const tenantPayments = listing(ofTenant('ledger_payments', LedgerPayment), { hardDeleted: true, search, filters })

export const showPayment = (ctx: PlatformCtx, id: number) =>
  readOne(ctx, LedgerPayment, 'ledger_payments', sql`ledger_payments.id = ${id}`, { noun: 'payment' })
