/**
 * Finds the payment that a returned debit or transfer reverses: by the payer's reference, or by the invoices in the return's
 * text.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { namesIn, type Transaction } from './proposals.ts'

/** Returns processed together. */
const BATCH = 200

const openReturns = (ctx: Ctx) =>
  ctx
    .from('bank_transactions')
    .selectAll()
    .where('is_reversal', '=', true)
    .where('returned_payment_id', 'is', null)
    .where('amount', '<', '0')
    .orderBy('id')

/** Links the returns of a newly read statement. */
export async function linkReturnsOf(ctx: Ctx, statementId: number) {
  for (let after = 0; ; ) {
    const rows = await openReturns(ctx)
      .where('bank_statement_id', '=', statementId)
      .where('id', '>', after)
      .limit(BATCH)
      .execute()
    await link(ctx, rows)
    if (rows.length < BATCH) return
    after = rows.at(-1)!.id
  }
}

/** Links returns that were read before their payment was posted. */
export async function linkReturnsTo(ctx: Ctx, paymentId: number) {
  const { rows } = await sql<Transaction>`
    select t.* from payments p join bank_transactions t on t.tenant_id = ${ctx.tenant.id} and t.currency = p.currency
    where p.tenant_id = ${ctx.tenant.id} and p.id = ${paymentId} and t.is_reversal and t.returned_payment_id is null
      and (t.amount = -p.amount or t.amount + coalesce(t.bank_charges, 0) = -p.amount)
    order by t.id desc limit ${BATCH}`.execute(ctx.tx)
  await link(ctx, rows)
}

/** Links each return to its payment if exactly one fits; never guesses among several. */
async function link(ctx: Ctx, returns: Transaction[]) {
  if (!returns.length) return
  const references = returns.flatMap(({ id, end_to_end_id }) => (end_to_end_id ? [{ id, key: end_to_end_id }] : []))
  const names = returns.flatMap((one) => {
    const { numbers, references: known } = namesIn(one)
    return [...numbers, ...known].map((key) => ({ id: one.id, key }))
  })
  const byReference = await paymentsOf(
    ctx,
    references,
    sql`bank_transactions b where b.tenant_id = ${ctx.tenant.id} and b.end_to_end_id = sought.key and b.payment_id is not null`,
    sql`b.payment_id`,
  )
  const byInvoice = await paymentsOf(
    ctx,
    names,
    sql`invoices i join payment_allocations a on a.tenant_id = ${ctx.tenant.id} and a.invoice_id = i.id
      where i.tenant_id = ${ctx.tenant.id} and i.number_key = sought.key`,
    sql`a.payment_id`,
  )
  for (const { id } of returns) {
    const found = [byReference.get(id), byInvoice.get(id)].find((one) => one?.size)
    if (found?.size !== 1) continue
    const [returned_payment_id] = found
    await ctx
      .update('bank_transactions')
      .set({ returned_payment_id: returned_payment_id!, updated_at: ctx.now })
      .where('id', '=', id)
      .execute()
  }
}

interface Sought {
  /** Id of the return. */
  id: number
  key: string
}

/** Returns earlier posted payments of a return's amount, with or without charges, that aren't returned already. */
async function paymentsOf(ctx: Ctx, sought: Sought[], from: ReturnType<typeof sql>, payment: ReturnType<typeof sql>) {
  const found = new Map<number, Set<number>>()
  if (!sought.length) return found
  const { rows } = await sql<{ id: number; payment_id: number }>`
    select distinct sought.id, p.id as payment_id
    from unnest(${sought.map(({ id }) => id)}::bigint[], ${sought.map(({ key }) => key)}::text[]) as sought (id, key)
    cross join lateral (select ${payment} as payment_id from ${from} limit 50) linked
    join bank_transactions r on r.tenant_id = ${ctx.tenant.id} and r.id = sought.id
    join payments p on p.tenant_id = ${ctx.tenant.id} and p.id = linked.payment_id
    where p.status = 'posted' and p.currency = r.currency and p.amount in (-r.amount, -r.amount - coalesce(r.bank_charges, 0))
      and p.paid_at < r.booked_on + interval '2 days'
      and not exists (select from bank_transactions o where o.tenant_id = ${ctx.tenant.id} and o.returned_payment_id = p.id)`.execute(
    ctx.tx,
  )
  for (const { id, payment_id } of rows) found.getOrInsertComputed(id, () => new Set()).add(payment_id)
  return found
}
