/**
 * Bookings of a customer in SQL: sent invoices, issued credit notes, posted payments. Cancelled and voided ones are excluded, as
 * everywhere. A payment counts with its allocations to the customer's invoices and, where it is the customer's own, its
 * unallocated rest; a credit note likewise. So the bookings add up to the balance due of the invoices minus unused credit.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'

export const KINDS = ['invoice', 'credit_note', 'payment'] as const
export const BUCKETS = ['not_due', 'days_1_30', 'days_31_60', 'days_61_90', 'days_over_90'] as const

/** Customer of a statement: the column by which documents refer to them. */
export interface Customer {
  by: 'company_id' | 'contact_id'
  id: number
}

interface Booking {
  kind: (typeof KINDS)[number]
  id: number
  number: string
  on: string
  due_date: string | null
  reference: string | null
  currency: string
  /** Positive: the customer owes more. */
  amount: string
}

const customersInvoices = (ctx: Ctx, { by, id }: Customer) => sql`
  select id, number, issue_date, due_date, order_reference, currency, total from invoices
  where tenant_id = ${ctx.tenant.id} and ${sql.ref(by)} = ${id} and status in ('unpaid', 'paid') and deleted_at is null`

const paidOn = (ctx: Ctx) => sql`(p.paid_at at time zone ${ctx.tenant.timezone}::text)::date`

const bookings = (ctx: Ctx, customer: Customer) => {
  const tenant = ctx.tenant.id
  const isTheirs = (table: string) => sql`${sql.ref(`${table}.${customer.by}`)} = ${customer.id}`
  return sql`
    with inv as materialized (${customersInvoices(ctx, customer)}),
    paid as (
      select a.payment_id as id, sum(a.amount) as amount from inv
      join payment_allocations a on a.tenant_id = ${tenant} and a.invoice_id = inv.id group by 1),
    credited as (
      select a.credit_note_id as id, sum(a.amount) as amount from inv
      join credit_note_applications a on a.tenant_id = ${tenant} and a.invoice_id = inv.id group by 1),
    bookings as (
      select 0 as rank, 'invoice' as kind, id, number, issue_date as "on", due_date, order_reference as reference, currency, total as amount from inv
      union all
      select 1, 'credit_note', n.id, n.number, n.issue_date, null, null, n.currency,
        -(coalesce(credited.amount, 0) + case when ${isTheirs('n')} then n.amount_remaining else 0 end)
      from (select id from credit_notes c where tenant_id = ${tenant} and ${isTheirs('c')} union select id from credited) named
      join credit_notes n on n.tenant_id = ${tenant} and n.id = named.id and n.status = 'issued' and n.deleted_at is null
      left join credited on credited.id = n.id
      union all
      select 2, 'payment', p.id, p.number, ${paidOn(ctx)}, null, p.reference, p.currency,
        -(coalesce(paid.amount, 0) + case when ${isTheirs('p')} then p.unallocated_amount else 0 end)
      from (select id from payments c where tenant_id = ${tenant} and ${isTheirs('c')} union select id from paid) named
      join payments p on p.tenant_id = ${tenant} and p.id = named.id and p.status = 'posted' and p.deleted_at is null
      left join paid on paid.id = p.id)`
}

/** Returns the balance before a day, by currency. */
export async function openingBalances(ctx: Ctx, customer: Customer, from: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ currency: string; balance: string }>`${bookings(ctx, customer)}
    select currency, sum(amount)::text as balance from bookings where "on" < ${from}::date group by 1`.execute(ctx.tx)
  return new Map(rows.map(({ currency, balance }) => [currency, balance]))
}

/** Returns bookings between two days in chronological order; within a day debits come first. */
export async function bookingsIn(ctx: Ctx, customer: Customer, from: string, to: string, most: number): Promise<Booking[]> {
  const { rows } = await sql<Booking>`${bookings(ctx, customer)}
    select kind, id, number, "on", due_date, reference, currency, amount::text from bookings
    where "on" between ${from}::date and ${to}::date and amount <> 0
    order by "on", rank, id limit ${most}`.execute(ctx.tx)
  return rows
}

type Open = { currency: string } & Record<(typeof BUCKETS)[number], string>

/** Returns the open balance of invoices at the end of a day, by days overdue. An invoice without a due date is never overdue. */
export async function openAt(ctx: Ctx, customer: Customer, day: string): Promise<Open[]> {
  const tenant = ctx.tenant.id
  const overdue = (least: number, most: number | null) =>
    sql`coalesce(sum(left_to_pay) filter (where days >= ${least} and days <= ${most ?? 10_000_000}), 0)::text`
  const { rows } = await sql<Open>`
    with inv as materialized (${customersInvoices(ctx, customer)}),
    owed as (
      select currency, ${day}::date - coalesce(due_date, ${day}::date) as days, total
        - coalesce((select sum(a.amount) from payment_allocations a join payments p on p.tenant_id = ${tenant} and p.id = a.payment_id
          where a.tenant_id = ${tenant} and a.invoice_id = inv.id and p.status = 'posted' and ${paidOn(ctx)} <= ${day}::date), 0)
        - coalesce((select sum(a.amount) from credit_note_applications a join credit_notes n on n.tenant_id = ${tenant} and n.id = a.credit_note_id
          where a.tenant_id = ${tenant} and a.invoice_id = inv.id and n.status = 'issued' and n.issue_date <= ${day}::date), 0) as left_to_pay
      from inv where issue_date <= ${day}::date)
    select currency, coalesce(sum(left_to_pay) filter (where days <= 0), 0)::text as not_due, ${overdue(1, 30)} as days_1_30,
      ${overdue(31, 60)} as days_31_60, ${overdue(61, 90)} as days_61_90, ${overdue(91, null)} as days_over_90
    from owed group by currency`.execute(ctx.tx)
  return rows
}
