/**
 * Received invoices: users with the view permission see all of them. The data read from one never changes; its match and its
 * status do.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { lifecycle } from './lifecycle.ts'
import { IncomingInvoice, IncomingInvoiceDetail, KINDS } from './schema.ts'

export type Incoming = Row<'incoming_invoices'>

/** Message about a second valid invoice of the same number. */
export const IS_HERE = 'An invoice of this seller with this number is here already.'

export const incoming = resource({
  table: 'incoming_invoices',
  module: 'incoming-invoices',
  noun: 'incoming invoice',
  title: 'number',
  item: IncomingInvoice,
  detail: IncomingInvoiceDetail,
  tallied: ['status'],
  due: 'due_date',
  unique: { incoming_invoices_once_a_year: { file: IS_HERE } },
  activityTemplates: {
    booked: ({ expense_id }: { expense_id: number }) => `Became expense ${expense_id}`,
    rejected: ({ reason }: { reason: string }) => `Rejected: ${reason}`,
  },
})

export const incomingList = listing(incoming, {
  search: true,
  sorts: ['created_at', 'updated_at', 'issue_date', 'due_date', 'number', 'seller_name', 'total'],
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    kind: filter.oneOf('kind', KINDS),
    is_valid: filter.flag('is_valid'),
    vendor_id: filter.id('vendor_id'),
    purchase_order_id: filter.id('purchase_order_id'),
  },
})

export const incomingStats = statsOf('IncomingInvoiceStats', incomingList, {
  total: 'total_incoming_invoices',
  states: lifecycle.states,
})

/** Valid invoices of a seller's number, newest first; rejected and trashed ones are excluded. */
const numbered = (ctx: Ctx, { seller_key, number }: Pick<Incoming, 'seller_key' | 'number'>) =>
  ctx
    .from('incoming_invoices')
    .select(['id', 'created_at', 'issue_date', 'kind'])
    .select(sql<string>`coalesce(data ->> 'type_code', '')`.as('type_code'))
    .where('seller_key', '=', seller_key)
    .where('number', '=', number)
    .where('status', '!=', 'rejected')
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')

/** Columns that identify an invoice of a seller. */
export interface InvoiceNumber {
  seller_key: string
  number: string
  kind: Incoming['kind']
  type_code: string | null
  issue_date: string
}
export const yearOf = (issueDate: string) => issueDate.slice(0, 4)

/** Returns the invoice of this seller and number with the same type (UNTDID 1001) and year. */
export const standing = async (ctx: Ctx, one: InvoiceNumber) => {
  const { kind, type_code, issue_date } = one
  const year = Number(yearOf(issue_date))
  return numbered(ctx, one)
    .where('kind', '=', kind)
    .where(sql<string>`coalesce(data ->> 'type_code', '')`, '=', type_code ?? '')
    .where(sql<number>`extract(year from issue_date)`, '=', year)
    .executeTakeFirst()
}

/** Returns invoices with the same number, including other years and types. */
export const namesakes = (ctx: Ctx, one: InvoiceNumber) => numbered(ctx, one).limit(MAX_NAMESAKES).execute()
const MAX_NAMESAKES = 20
