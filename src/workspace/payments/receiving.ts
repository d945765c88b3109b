/** Payments received through a provider's page: at most one posted payment per checkout, over the money that remains. */
import type { Ctx } from '#kernel/context.ts'
import { decimal } from '#kernel/values/money.ts'
import { lockInvoices } from '#workspace/invoices/public.ts'
import type { Claim } from './claims.ts'
import type { Payment } from './payments.ts'
import { book } from './posting.ts'
import { voidPayment } from './voiding.ts'

interface Settled {
  uuid: string
  invoice_id: number | null
  amount: string
  currency: string
  reference: string
}

/**
 * Posts the received sum and pays the locked invoice, up to its balance due and only if it is unpaid; the rest is unallocated.
 * After a refund, voids the payment and posts the remaining sum again. A payment voided by staff stays voided.
 */
export async function receive(ctx: Ctx, { uuid, invoice_id, amount, currency, reference }: Settled) {
  const before = await ctx
    .from('payments')
    .selectAll()
    .where('checkout_uuid', '=', uuid)
    .orderBy('id', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  if (before && (before.status === 'voided' || decimal(before.amount).eq(amount))) return
  const wanted = before ? await allocationsOf(ctx, before) : invoice_id === null ? [] : [{ invoice_id, amount }]
  if (before) await voidPayment(ctx, before)
  if (decimal(amount).lte(0)) return
  const invoices = await lockInvoices(
    ctx,
    wanted.map((claim) => claim.invoice_id),
  )
  const customer = before ?? invoices.get(invoice_id ?? 0)
  const allocations = within(amount, wanted, (id) => {
    const invoice = invoices.get(id)
    return invoice?.status === 'unpaid' && !invoice.deleted_at && invoice.currency === currency ? invoice.balance_due : '0'
  })
  const columns = {
    ...{ amount, currency, reference, method: 'card' as const, checkout_uuid: uuid },
    paid_at: before?.paid_at ?? ctx.now,
    contact_id: customer?.contact_id ?? null,
    company_id: customer?.company_id ?? null,
  }
  await book(ctx, columns, allocations, invoices)
}

const allocationsOf = (ctx: Ctx, { id }: Payment): Promise<Claim[]> =>
  ctx.from('payment_allocations').select(['invoice_id', 'amount']).where('payment_id', '=', id).orderBy('id').execute()

/** Reduces allocations, in order, to the available money and the invoices' balances. */
function within(amount: string, claims: Claim[], leftOn: (invoiceId: number) => string): Claim[] {
  let rest = decimal(amount)
  return claims.flatMap(({ invoice_id, amount: wanted }) => {
    const most = [rest, decimal(wanted), decimal(leftOn(invoice_id))].reduce((least, one) => (one.lt(least) ? one : least))
    rest = rest.minus(most)
    return most.gt(0) ? [{ invoice_id, amount: most.toFixed() }] : []
  })
}
