/**
 * Payment by link: the workspace pays an open invoice on the provider's page, and its payment method is stored for renewals. The
 * page is a pending payment, like a charge, so that both never happen at once.
 */
import type { Selectable } from 'kysely'
import type { PublicCtx, PublicSteps } from '#kernel/context.ts'
import { conflict, notFound, unavailable } from '#kernel/errors.ts'
import { isHead } from '#kernel/http/head.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import {
  type Customer,
  customersOf,
  type GatewayRow,
  priceOf,
  providerOf,
  registered,
  usableGateways,
} from '#platform/payment-gateways/public.ts'
import { chargeOf, PAGE_SECONDS, type Payment } from './leasing.ts'
import { invoiceNamed, payUrl } from './pay-links.ts'
import type { LedgerInvoices } from './tables.ts'

type Invoice = Selectable<LedgerInvoices>

/** Time in seconds for which an existing page is reused. */
const REUSE_SECONDS = 3000

/** Public data of an invoice by its link, or the provider's page. */
export interface Opened {
  invoice: Pick<Invoice, 'number' | 'status'>
  url?: string
  /** Address to open the page again, for a user who returned from it. */
  again?: string
}

/**
 * Opens the provider's payment page of an invoice. 404 for an invalid link, 409 while a charge is pending. No page is opened for
 * a settled invoice, a gateway without pages, a user who returns from a page, or a HEAD request.
 */
export async function openPaymentPage(steps: PublicSteps, token: string, returned: boolean): Promise<Opened> {
  const { invoice, row, known } = await steps.read((ctx) => look(ctx, token))
  if (!row || invoice.status !== 'open' || isHead(steps.request)) return { invoice }
  if (returned) return { invoice, again: payUrl(steps.services, invoice) }
  const provider = (await providerOf(steps.services, row))!
  const { tenant_id: id, tenant_name: name, tenant_email: email } = invoice
  const unstored = known ? undefined : await provider.register({ id, name, email }).catch(notOpened(steps))
  const { payment, price, customer } = await steps.write(async (ctx) => ({
    customer: unstored ? await registered(ctx, row, id, unstored) : known!,
    ...(await begin(ctx, invoice, row)),
  }))
  if (!payment) return { invoice }
  if (payment.url) return { invoice, url: payment.url }
  const back = `${payUrl(steps.services, invoice)}?returned=1`
  const page = await provider.checkout(chargeOf(payment, invoice.number), customer, back, price).catch(notOpened(steps))
  await steps.finish(async ({ tx, now }) => {
    await tx
      .updateTable('ledger_payments')
      .set({ ...page, updated_at: now })
      .where('tenant_id', '=', payment.tenant_id)
      .where('id', '=', payment.id)
      .where('status', '=', 'pending')
      .execute()
  })
  return { invoice, url: page.url }
}

const notOpened =
  ({ log }: PublicSteps) =>
  (error: Error): never => {
    log.warn({ err: error }, 'no payment page')
    throw unavailable('The payment page can’t be opened at the moment. Please try again.')
  }

async function look(ctx: PublicCtx, token: string): Promise<{ invoice: Invoice; row?: GatewayRow; known?: Customer }> {
  const named = invoiceNamed(ctx.services, token)
  const invoice = named && (await invoices(ctx, named).executeTakeFirst())
  if (!invoice) throw notFound('There is no such invoice.')
  const row = (await usableGateways(ctx)).get(invoice.gateway)
  const known = (await customersOf(ctx, [invoice.tenant_id])).find((one) => one.gateway_id === row?.id && one.mode === row?.mode)
  return { invoice, row, known: known && { customer: known.customer, payment_method: known.payment_method } }
}

const invoices = ({ tx }: PublicCtx, { tenant_id, id }: { tenant_id: number; id: number }) =>
  tx.selectFrom('ledger_invoices').selectAll().where('tenant_id', '=', tenant_id).where('id', '=', id)

/** Returns the existing page or a new pending payment; no payment if the invoice was settled meanwhile. */
async function begin(
  ctx: PublicCtx,
  { tenant_id, id }: Invoice,
  row: GatewayRow,
): Promise<{ payment?: Payment; price: string | null }> {
  const invoice = await invoices(ctx, { tenant_id, id }).forUpdate().executeTakeFirstOrThrow()
  if (invoice.status !== 'open') return { price: null }
  const price = await mappedPrice(ctx, invoice, row)
  const pending = await ctx.tx
    .selectFrom('ledger_payments')
    .selectAll()
    .where('tenant_id', '=', tenant_id)
    .where('invoice_id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  if (pending) {
    const isOpen =
      pending.kind === 'checkout' && pending.mode === row.mode && plusSeconds(pending.created_at, REUSE_SECONDS) > ctx.now
    if (!isOpen) throw conflict('A payment of this invoice is under way. Please look again in some minutes.')
    return { payment: pending, price }
  }
  const payment = await ctx.tx
    .insertInto('ledger_payments')
    .values({
      tenant_id,
      invoice_id: id,
      gateway: row.code,
      mode: row.mode,
      kind: 'checkout',
      status: 'pending',
      currency: invoice.currency,
      amount: invoice.balance_due,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await ctx.tx
    .updateTable('ledger_invoices')
    .set({ next_attempt_at: plusSeconds(ctx.now, PAGE_SECONDS) }) // when the page's result is checked
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute()
  return { payment, price }
}

/** Returns the provider's price id of an invoice with a single line. */
async function mappedPrice(ctx: PublicCtx, { tenant_id, id }: Invoice, row: GatewayRow) {
  const lines = await ctx.tx
    .selectFrom('ledger_lines')
    .select(['module_id', 'billing_cycle'])
    .where('tenant_id', '=', tenant_id)
    .where('invoice_id', '=', id)
    .limit(2)
    .execute()
  return lines.length === 1 ? priceOf(ctx, row, lines[0]!.module_id, lines[0]!.billing_cycle) : null
}
