/**
 * Deposit invoices that a final invoice deducts by its prepaid amount (BT-113). A final invoice covers the whole sum, so an
 * expense of it would count the deposit twice: its expense is the remainder.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emptyReferences } from '#kernel/records/on-purge.ts'
import { type Decimal, decimal } from '#kernel/values/money.ts'
import type { Incoming } from './incoming-invoices.ts'
import type { InvoiceData } from './reading/invoice-data.ts'

/** UNTDID 1001: prepayment invoices, including self-billed ones. */
const DEPOSIT_TYPES = ['386', '500']
/** Maximum deposits of one seller that are considered, newest first. */
const MAX_DEPOSITS = 200

/** A booked deposit invoice with its expense. */
export interface Deposit {
  id: number
  number: string
  total: string
  tax_total: string
  expense_id: number
}

/** Deposits that a final invoice may deduct. */
export interface Deposits {
  found: Deposit[]
  /** Their total, tax included, and the tax within it. */
  total: Decimal
  tax: Decimal
  /** Whether they can be deducted: they don't exceed the prepaid amount. */
  isDeductible: boolean
  /** Whether the invoice references each of them (BG-3); otherwise they are found by type and amount. */
  isNamed: boolean
  /** Numbers of referenced invoices that are not booked yet. */
  waiting: string[]
  /** Referenced deposits that another final invoice has deducted. */
  taken: { number: string; byNumber: string; byId: number }[]
  /** Referenced deposits of an invoice without a prepaid amount. */
  overlooked: { number: string; total: string }[]
}

/** Serialises receiving and booking invoices of one seller, so that a deposit and its final invoice see each other. */
export const lockSeller = (ctx: Ctx, sellerKey: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`invoices of ${ctx.tenant.id} ${sellerKey}`}, 0))`.execute(ctx.tx)

type Final = Pick<Incoming, 'seller_key' | 'currency' | 'kind'> & { id?: number }

/** Returns booked deposits of the seller that an invoice references, or that match its prepaid amount; `found` is empty without a prepaid amount. */
export async function depositsOf(ctx: Ctx, final: Final, data: InvoiceData): Promise<Deposits> {
  const prepaid = decimal(data.totals.prepaid ?? 0)
  if (final.kind !== 'invoice' || !(prepaid.gt(0) || data.preceding_invoices.length)) return depositsIn([], data)
  const all = await candidatesFor(ctx, final, data.preceding_invoices)
  const isNamed = ({ number }: { number: string }) => data.preceding_invoices.includes(number)
  const isDeposit = ({ type_code }: { type_code: string | null }) => DEPOSIT_TYPES.includes(type_code ?? '')
  const taken = all.flatMap((one) =>
    one.by_id !== null && one.by_number !== null && isNamed(one) && isDeposit(one)
      ? { number: one.number, byNumber: one.by_number, byId: one.by_id }
      : [],
  )
  const open = all.filter(({ by_id }) => by_id === null)
  if (!prepaid.gt(0)) return { ...depositsIn([], data), taken, overlooked: open.filter((one) => isNamed(one) && isDeposit(one)) }
  const booked = open.flatMap(({ expense_id, ...one }) => (expense_id === null ? [] : { ...one, expense_id }))
  const waiting = open.filter((one) => one.status === 'received' && isNamed(one)).map(({ number }) => number)
  const named = booked.filter(isNamed)
  if (named.length || waiting.length || taken.length) return { ...depositsIn(named, data), isNamed: true, waiting, taken }
  const ofType = booked.filter(isDeposit)
  const alike = ofType.filter(({ total }) => prepaid.eq(total))
  if (alike.length === 1) return depositsIn(alike, data)
  const isAll = ofType.length > 0 && totalOf(ofType).eq(prepaid)
  return depositsIn(isAll ? ofType : [], data)
}

/**
 * Returns the referenced invoices of the seller, with the final invoice that deducted each, and its deposits that none has deducted. They wait, or have an
 * expense that isn't deleted.
 */
async function candidatesFor(ctx: Ctx, { seller_key, currency, id }: Final, numbers: string[]) {
  const rows = await ctx
    .from('incoming_invoices as one')
    .leftJoin('expenses', (join) =>
      join
        .on('expenses.tenant_id', '=', ctx.tenant.id)
        .onRef('expenses.id', '=', 'one.expense_id')
        .on('expenses.deleted_at', 'is', null),
    )
    .leftJoin('incoming_invoices as by', (join) =>
      join.on('by.tenant_id', '=', ctx.tenant.id).onRef('by.id', '=', 'one.final_invoice_id').on('by.deleted_at', 'is', null),
    )
    .select(['one.id', 'one.number', 'one.total', 'one.tax_total', 'one.status', 'expenses.id as expense_id'])
    .select(['one.final_invoice_id as by_id', 'by.number as by_number'])
    .select(sql<string | null>`one.data ->> 'type_code'`.as('type_code'))
    .where('one.seller_key', '=', seller_key)
    .where('one.currency', '=', currency)
    .where('one.kind', '=', 'invoice')
    .where('one.status', 'in', ['booked', 'received'])
    .where('one.deleted_at', 'is', null)
    .where((where) =>
      where.or([
        where('one.number', 'in', numbers.length ? numbers : ['']),
        where.and([where('one.final_invoice_id', 'is', null), where(sql<string>`one.data ->> 'type_code'`, 'in', DEPOSIT_TYPES)]),
      ]),
    )
    .orderBy('one.id', 'desc')
    .limit(MAX_DEPOSITS)
    .execute()
  return rows.filter((row) => row.id !== id && row.by_id !== id)
}

const totalOf = (deposits: { total: string }[]): Decimal =>
  deposits.reduce((sum: Decimal, { total }) => sum.plus(total), decimal(0))

function depositsIn(found: Deposit[], { totals }: InvoiceData): Deposits {
  const total = totalOf(found)
  const tax = totalOf(found.map((one) => ({ total: one.tax_total })))
  const left = { total: decimal(totals.total).minus(total), tax: decimal(totals.tax ?? 0).minus(tax) }
  const isDeductible =
    found.length > 0 && total.lte(totals.prepaid ?? 0) && left.tax.gte(0) && left.total.gte(0) && left.tax.lte(left.total)
  return { found, total, tax, isDeductible, isNamed: false, waiting: [], taken: [], overlooked: [] }
}

/** Marks deposits as deducted by a final invoice. 422 on `status` if another one has deducted them in the meantime. */
export async function settleDeposits(ctx: Ctx, finalId: number, deposits: Deposit[]) {
  for (const { id, number } of deposits) {
    const settled = await ctx
      .update('incoming_invoices')
      .set((set) => ({ final_invoice_id: finalId, updated_at: ctx.now, revision: set('revision', '+', 1) }))
      .where('id', '=', id)
      .where('final_invoice_id', 'is', null)
      .returning(['id', 'revision'])
      .executeTakeFirst()
    if (!settled) throw invalid({ status: `Another invoice took off ${number} meanwhile. Try again.` })
    ctx.revised?.('incoming_invoices', settled)
  }
}

/** Releases the deposits of a final invoice whose expense was deleted. */
export const releaseDeposits = (ctx: Ctx, finalId: number) =>
  emptyReferences(ctx, 'incoming_invoices', 'final_invoice_id', finalId)

/**
 * Returns the seller's booked invoice that references this one as a deposit, but was booked for its full amount before this one
 * arrived.
 */
export const finalBefore = (ctx: Ctx, sellerKey: string, number: string) =>
  ctx
    .from('incoming_invoices')
    .select(['id', 'number'])
    .where('seller_key', '=', sellerKey)
    .where('kind', '=', 'invoice')
    .where('status', '=', 'booked')
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`data -> 'preceding_invoices' @> ${JSON.stringify([number])}::jsonb`)
    .where(sql<boolean>`(data #>> '{totals,prepaid}')::numeric > 0`)
    .orderBy('id', 'desc')
    .executeTakeFirst()
