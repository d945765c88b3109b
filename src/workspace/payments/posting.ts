/** Posts payments and allocates them to invoices, at once or later (INV-39). */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { checkReferences } from '#kernel/records/references.ts'
import type { PendingInsert } from '#kernel/records/saving.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { instantIn } from '#kernel/values/local-time.ts'
import { decimal, refuseFractions } from '#kernel/values/money.ts'
import { type Invoice, lockInvoices, settle } from '#workspace/invoices/public.ts'
import { issue } from '#workspace/issued-documents/public.ts'
import { type Claim, checkClaims, inFull } from './claims.ts'
import { type Payment, payments } from './payments.ts'
import { issuableReceipt } from './receipt.ts'
import { AllocatePayment, CreatePayment } from './schema.ts'

/**
 * Creates a payment and pays its invoices in one transaction: there is no payment without its effect. Validates references where
 * they were sent; `payer` is the customer of the invoices.
 */
export async function post(
  ctx: Ctx,
  body: z.output<typeof CreatePayment>,
  payer: Pick<Columns, 'contact_id' | 'company_id'> = {},
): Promise<PendingInsert> {
  const { allocations, amount, currency = ctx.tenant.currency, paid_at, ...described } = body
  refuseFractions(currency, { amount })
  sumWithin(currency, amount, allocations)
  const invoices = await claim(ctx, currency, allocations, CreatePayment, body)
  const columns = { ...described, ...payer, amount, currency, paid_at: paid_at ? instantIn(ctx, paid_at) : ctx.now }
  const id = await book(ctx, columns, allocations, invoices)
  return { id, inserted: Promise.resolve() }
}

type Columns = Pick<Payment, 'amount' | 'currency' | 'method' | 'paid_at'> &
  Partial<Pick<Payment, 'reference' | 'contact_id' | 'company_id' | 'checkout_uuid'>>

/** Inserts a payment with allocations to locked invoices, which must be validated, and returns its id. */
export async function book(ctx: Ctx, columns: Columns, allocations: Claim[], invoices: Map<number, Invoice>): Promise<number> {
  const allocated_amount = allocations.reduce((sum, { amount }) => sum.plus(amount), decimal(0)).toFixed()
  const { id } = await payments.insert(
    ctx,
    { ...columns, allocated_amount },
    {
      numberPrefix: await ctx.setting('payments_number_prefix'),
      children: { field: 'allocations', table: 'payment_allocations', by: 'payment_id', rows: allocations },
    },
  )
  await issue(ctx, issuableReceipt, [id])
  await pay(ctx, invoices, allocations)
  await emit(ctx, 'payment.posted', { payment_id: id })
  return id
}

/** 422 on `status` of a voided payment, and on the first amount where nothing is unallocated. */
export function refuseAllocation(_: Ctx, { status, currency, unallocated_amount }: Payment) {
  if (status !== 'posted') throw invalid({ status: 'A voided payment pays nothing.' })
  if (decimal(unallocated_amount).lte(0)) throw tooMuch(0, currency, unallocated_amount)
}

/** Allocates unallocated money of a posted payment. A further allocation to the same invoice is added to the former. */
export async function allocate(ctx: Ctx, payment: Payment, body: z.output<typeof AllocatePayment>) {
  const { id, currency, allocated_amount, unallocated_amount } = payment
  const { allocations } = body
  const sum = sumWithin(currency, unallocated_amount, allocations)
  const invoices = await claim(ctx, currency, allocations, AllocatePayment, body)
  await ctx.tx
    .insertInto('payment_allocations')
    .values(allocations.map((allocation) => ({ ...allocation, tenant_id: ctx.tenant.id, payment_id: id })))
    .onConflict((conflict) =>
      conflict.constraint('payment_allocations_once').doUpdateSet({ amount: sql`payment_allocations.amount + excluded.amount` }),
    )
    .execute()
  await payments.save(ctx, payment, { allocated_amount: decimal(allocated_amount).plus(sum).toFixed() })
  for (const { invoice_id, amount } of allocations) {
    const told = { invoice_id, number: invoices.get(invoice_id)!.number, amount: Number(amount), currency }
    await logActivity(ctx, payments, id, 'allocated', told)
  }
  await pay(ctx, invoices, allocations)
}

/** Returns the sum of the allocations. 422 on the `amount` that exceeds the available sum, and on a repeated `invoice_id`. */
function sumWithin(currency: string, available: string, allocations: Claim[]): string {
  const named = new Set<number>()
  let sum = decimal(0)
  for (const [n, { invoice_id, amount }] of allocations.entries()) {
    if (named.has(invoice_id)) throw invalid({ [`allocations.${n}.invoice_id`]: 'Names an invoice again; name each one once.' })
    named.add(invoice_id)
    sum = sum.plus(amount)
    if (sum.gt(available)) throw tooMuch(n, currency, available)
  }
  return sum.toFixed()
}

const tooMuch = (n: number, currency: string, available: string) =>
  invalid({ [`allocations.${n}.amount`]: `Must leave all allocations together at most ${inFull(currency, available)}.` })

/** Locks the invoices before they are validated, so that no concurrent request pays, voids or deletes one. */
async function claim(ctx: Ctx, currency: string, allocations: Claim[], schema: z.ZodObject, body: object) {
  const invoices = await lockInvoices(
    ctx,
    allocations.map(({ invoice_id }) => invoice_id),
  )
  await checkReferences(ctx, schema, body)
  checkClaims(currency, allocations, invoices, (n, part) => `allocations.${n}.${part}`)
  return invoices
}

async function pay(ctx: Ctx, invoices: Map<number, Invoice>, allocations: Claim[]) {
  for (const { invoice_id, amount } of allocations) await settle(ctx, invoices.get(invoice_id)!, { paid: amount })
}
