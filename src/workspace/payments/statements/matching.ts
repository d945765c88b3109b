/** Matches incoming transactions: each becomes at most one payment, posted in the same way as a manual one. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { type Ctx, savepoint } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { readRow } from '#kernel/records/resource.ts'
import { decimal } from '#kernel/values/money.ts'
import { lockInvoices } from '#workspace/invoices/public.ts'
import { payments } from '../payments.ts'
import { post } from '../posting.ts'
import { voidPayment } from '../voiding.ts'
import { type Found, proposalsFor, type Transaction } from './proposals.ts'
import { linkReturnsTo } from './returns.ts'
import type { MatchTransaction, Proposal } from './schema.ts'

/** Transactions processed together. */
const BATCH = 200

const isTransaction = (ctx: Ctx, id: number) =>
  sql<boolean>`bank_transactions.tenant_id = ${ctx.tenant.id} and bank_transactions.id = ${id}`

/** 404 outside the workspace. */
export const lockTransaction = (ctx: Ctx, id: number): Promise<Transaction> =>
  readRow(ctx, 'bank_transactions', isTransaction(ctx, id), { noun: 'bank transaction', lock: true })

const save = (ctx: Ctx, { id }: Transaction, changes: Pick<Transaction, 'status'> & Partial<Transaction>) =>
  ctx
    .update('bank_transactions')
    .set({ ...changes, updated_at: ctx.now })
    .where('id', '=', id)
    .execute()

/**
 * Posts the payment of an open transaction to the given invoices, or else to its certain ones; or links a payment that was posted
 * by hand. 422 on `status` of one that isn't open, on `allocations` where nothing is certain, and on invalid payments.
 */
export async function match(ctx: Ctx, transaction: Transaction, { allocations, payment_id }: z.output<typeof MatchTransaction>) {
  if (transaction.status !== 'open')
    throw invalid({ status: `Only open transactions can be matched; this one is ${transaction.status}.` })
  if (payment_id !== undefined) {
    if (allocations !== undefined) throw invalid({ payment_id: 'Send it without allocations: the payment has its own.' })
    return take(ctx, transaction, payment_id)
  }
  const chosen = allocations ?? (await certainOf(ctx, transaction))
  const booked = await book(ctx, transaction, chosen)
  await save(ctx, transaction, { status: 'matched', payment_id: booked })
  await linkReturnsTo(ctx, booked)
}

type Allocations = NonNullable<z.output<typeof MatchTransaction>['allocations']>

async function certainOf(ctx: Ctx, transaction: Transaction): Promise<Allocations> {
  const { certain } = (await proposalsFor(ctx, [transaction])).get(transaction.id)!
  if (!certain.length) throw invalid({ allocations: 'No invoice is certain: say which ones it pays, each by how much.' })
  return certain.map(({ invoice_id, amount }) => ({ invoice_id, amount: decimal(amount).toFixed() }))
}

async function book(ctx: Ctx, transaction: Transaction, allocations: Allocations): Promise<number> {
  const { amount, currency, booked_on, creditor_reference, end_to_end_id, remittance, bank_reference } = transaction
  const reference = creditor_reference ?? end_to_end_id ?? remittance?.split('\n')[0] ?? bank_reference
  const invoices = await lockInvoices(
    ctx,
    allocations.map(({ invoice_id }) => invoice_id),
  )
  const customer = invoices.get(allocations[0]?.invoice_id ?? 0)
  const { id } = await post(
    ctx,
    {
      ...{ amount: decimal(amount).toFixed(), currency, allocations, method: 'bank_transfer', paid_at: booked_on },
      reference: reference?.slice(0, 255).toWellFormed() ?? null,
    },
    { contact_id: customer?.contact_id ?? null, company_id: customer?.company_id ?? null },
  )
  return id
}

/**
 * Links an existing payment. 422 on `payment_id` of one that isn't posted, differs in amount or currency, or belongs to another
 * transaction.
 */
async function take(ctx: Ctx, transaction: Transaction, payment_id: number) {
  const payment = await payments.lock(ctx, payment_id).catch((error) => {
    throw error instanceof HttpError && error.status === 404 ? invalid({ payment_id: 'There is no such payment.' }) : error
  })
  const { status, amount, currency, number } = payment
  if (status !== 'posted') throw invalid({ payment_id: `${number} is ${status}.` })
  if (currency !== transaction.currency || !decimal(amount).eq(transaction.amount))
    throw invalid({
      payment_id: `${number} is over ${currency} ${decimal(amount).toFixed()}, and this over ${transaction.currency} ${decimal(transaction.amount).toFixed()}.`,
    })
  const other = await ctx.from('bank_transactions').select('id').where('payment_id', '=', payment_id).executeTakeFirst()
  if (other) throw invalid({ payment_id: `${number} is matched to another transaction already.` })
  await save(ctx, transaction, { status: 'matched', payment_id })
  await linkReturnsTo(ctx, payment_id)
}

/**
 * Reopens a transaction and voids its payment, which needs the permission for that. 422 on `status` of one that isn't matched.
 */
export async function unmatch(ctx: Ctx, transaction: Transaction) {
  ctx.require('payments.void')
  if (transaction.status !== 'matched')
    throw invalid({ status: `Only a matched transaction can be unmatched; this one is ${transaction.status}.` })
  const payment = transaction.payment_id === null ? undefined : await payments.lockAny(ctx, transaction.payment_id)
  if (payment?.status === 'posted') return voidPayment(ctx, payment) // the event reopens the transaction
  await save(ctx, transaction, { status: 'open', payment_id: null })
}

/** Reopens the transaction of a voided payment. */
export const release = (ctx: Ctx, paymentId: number) =>
  ctx
    .update('bank_transactions')
    .set({ status: 'open', payment_id: null, updated_at: ctx.now })
    .where('payment_id', '=', paymentId)
    .execute()

/** Ignores a transaction or reopens an ignored one. 422 on `status` of one that is matched or outgoing. */
export async function ignore(ctx: Ctx, transaction: Transaction, isIgnored: boolean) {
  const [from, to] = isIgnored ? (['open', 'ignored'] as const) : (['ignored', 'open'] as const)
  if (transaction.status !== from) throw invalid({ status: `It is ${transaction.status}, not ${from}.` })
  await save(ctx, transaction, { status: to })
}

const waiting = (ctx: Ctx, statementId: number) =>
  ctx
    .from('bank_transactions')
    .selectAll()
    .where('bank_statement_id', '=', statementId)
    .where('status', '=', 'open')
    .orderBy('id')

/** Returns proposals for the first 200 open transactions of a statement. */
export async function proposalsOf(ctx: Ctx, statementId: number) {
  const rows = await waiting(ctx, statementId)
    .limit(BATCH + 1)
    .execute()
  const found = await proposalsFor(ctx, rows.slice(0, BATCH))
  const told = (which: keyof Found): Proposal[] =>
    [...found].flatMap(([transaction_id, one]) => (one[which].length ? [{ transaction_id, invoices: one[which] }] : []))
  return { certain: told('certain'), suggested: told('suggested'), has_more: rows.length > BATCH }
}

/**
 * Books the certain proposals among the first 200 open transactions, each separately: one that can't be booked stays open.
 * Returns their number.
 */
export async function matchCertain(ctx: Ctx, statementId: number): Promise<number> {
  const rows = await waiting(ctx, statementId).limit(BATCH).forUpdate().execute()
  const found = await proposalsFor(ctx, rows)
  let matched = 0
  for (const row of rows) {
    if (!found.get(row.id)!.certain.length) continue
    try {
      await savepoint(ctx, (part) => match(part, row, {}))
      matched++
    } catch (error) {
      if (!(error instanceof HttpError)) throw error // an earlier transaction has paid the invoice
    }
  }
  return matched
}
