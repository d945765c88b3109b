/** Payments of the ledger, for operators (BIL-05). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { embedded, readOne, view } from '#kernel/records/view.ts'
import { choice, coded, formatted, hardStamps, instant, money } from '#kernel/values/fields.ts'
import { gatewayWords } from '#platform/payment-gateways/public.ts'
import { ofTenant, tenantIfAny } from '#platform/tenants/public.ts'

const STATUSES = ['pending', 'succeeded', 'failed'] as const

const invoice = embedded(
  z.object({
    id: z.int(),
    number: z.string(),
    tenant_name: z.string().meta({ description: 'Name of the workspace.', examples: ['Nordwind'] }),
  }),
  {
    columns: ['invoice_id'],
    refersTo: 'invoice',
    value: ({ table }) => sql`(
      select json_build_object('id', i.id, 'number', i.number, 'tenant_name', i.tenant_name) from ledger_invoices i
      where i.tenant_id = ${sql.ref(`${table}.tenant_id`)} and i.id = ${sql.ref(`${table}.invoice_id`)})`,
  },
)

export const LedgerPayment = view('ledger_payments', 'LedgerPayment', {
  id: z.int(),
  uuid: z.string(),
  tenant_id: z.int().meta({ description: 'Id of the workspace that pays.', examples: [1] }),
  tenant: tenantIfAny().describe('The workspace, shown in short; null: it was erased.'),
  invoice_id: z.int().meta({ description: 'Id of the invoice that it pays.', examples: [3] }),
  invoice: invoice.describe('The invoice that it pays, shown in short.'),
  gateway: coded(
    z.string().describe('A gateway’s code, or `credit`: paid from what the workspace had to its credit.'),
    gatewayWords,
  ),
  mode: choice(['sandbox', 'live']).describe('Whether it is live money or the provider’s sandbox.'),
  kind: choice(['charge', 'checkout', 'credit']).describe(
    'Charged by itself, paid on the provider’s page, or taken from credit.',
  ),
  status: choice(STATUSES).describe('Where it stands.'),
  currency: formatted('currency'),
  amount: money(),
  amount_refunded: money().meta({ description: 'What was given back of it.', examples: [0] }),
  reference: z.string().nullable().describe('What the provider calls it.'),
  failure_code: z
    .string()
    .nullable()
    .meta({ description: 'Why it failed, in the provider’s code; null: it did not.', examples: ['card_declined'] }),
  failure_message: z
    .string()
    .nullable()
    .meta({ description: 'Why it failed, for people; null: it did not.', examples: ['The card was declined.'] }),
  settled_at: instant().nullable().describe('When the money was there, or the try had failed; null: not yet.'),
  ...hardStamps,
})

const filters = { status: filter.oneOf('status', STATUSES), gateway: filter.text('gateway', gatewayWords) }
const search = ['reference'] as const

export const paymentList = listing(platformTable('ledger_payments', LedgerPayment), {
  hardDeleted: true,
  search,
  filters: { ...filters, tenant_id: filter.id('tenant_id'), invoice_id: filter.id('invoice_id') },
})

/** Payments of one workspace (CEN-31). */
export const tenantPayments = listing(ofTenant('ledger_payments', LedgerPayment), { hardDeleted: true, search, filters })

export const showPayment = (ctx: PlatformCtx, id: number) =>
  readOne(ctx, LedgerPayment, 'ledger_payments', sql`ledger_payments.id = ${id}`, { noun: 'payment' })
