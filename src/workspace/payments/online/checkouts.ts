/**
 * Payment on the provider's page. A checkout is stored before the provider's page exists, and its uuid makes that idempotent. A
 * repeated request for the same sum returns the open page, so that an invoice isn't paid twice by mistake.
 */
import type { Ctx, PublicSteps } from '#kernel/context.ts'
import { HttpError, invalid, unavailable } from '#kernel/errors.ts'
import type { Charge } from '#kernel/payment-providers/provider.ts'
import { stripePages } from '#kernel/payment-providers/stripe.ts'
import type { Row } from '#kernel/records/resource.ts'
import { amountTyped, chargeableUnits, decimal, formatAmount, refuseFractions } from '#kernel/values/money.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { brandedAddress } from '#workspace/branded/public.ts'
import { enabledMethods, type Method, providerOf } from './methods.ts'
import { throughPayLink } from './pay-links.ts'

export type Checkout = Row<'payment_checkouts'>

/** Seconds during which an open page is reused; the provider's page expires after an hour. */
const REUSE_SECONDS = 3000
/** Seconds without an event after which the provider is queried about a page. */
const FIRST_CHECK_SECONDS = 600

/** Returns the online payment options for a pay link's page; undefined where online payment is off. */
export async function onlinePayment(ctx: Ctx) {
  const method = (await enabledMethods(ctx)).get('stripe')
  return method && { allowPartial: method.allow_partial, pages: stripePages(ctx.services.config) }
}

/** Provides the description on the provider's page in the invoice's language, and the locale of its reader's number format. */
type Describe = (ctx: Ctx, invoiceId: number) => Promise<Pick<Charge, 'description' | 'language'> & { locale: string }>

/**
 * Returns the address of the provider's page for the balance due minus pending debits, or for `asked` where partial payment is
 * on. Undefined where nothing is left to pay or online payment is off. 422 on `amount` for an invalid sum or one above the
 * balance. 503 where the provider doesn't open a page.
 */
export async function openCheckout(
  steps: PublicSteps,
  token: string,
  { asked, describe }: { asked: string | undefined; describe: Describe },
): Promise<string | undefined> {
  const begun = await steps.write((ctx) => throughPayLink(ctx, token, (ctx, id) => begin(ctx, id, asked, describe)))
  if (!begun) return undefined
  const { checkout, method, charge, back } = begun
  if (checkout.url) return checkout.url
  const page = await open(steps, method, charge, `${back}/pay/invoices/${token}?returned=1`)
  return steps.finish((ctx) => throughPayLink(ctx, token, (ctx, id) => keep(ctx, id, method, checkout, page)))
}

/**
 * Stores the page and returns its address, or that of a page that another request has opened for the same sum meanwhile. In that
 * case this page's address is never used.
 */
async function keep(ctx: Ctx, id: number, method: Method, { uuid, amount }: Checkout, page: { reference: string; url: string }) {
  await ctx.from('invoices').select('id').where('id', '=', id).forUpdate().execute()
  const other = await pageAtHand(ctx, id, method, amount)
  if (other) return other.url!
  await ctx
    .update('payment_checkouts')
    .set({ ...page, updated_at: ctx.now, next_check_at: plusSeconds(ctx.now, FIRST_CHECK_SECONDS) })
    .where('uuid', '=', uuid)
    .where('status', '=', 'open')
    .execute()
  return page.url
}

async function open({ services, log }: PublicSteps, method: Method, charge: Charge, back: string) {
  try {
    return await (await providerOf(services, method))!.checkout(charge, null, back, null)
  } catch (error) {
    if (error instanceof HttpError) throw error
    log.warn({ err: error, tenant: method.tenant_id }, 'no page to pay an invoice on')
    throw unavailable('The payment page can’t be opened at the moment. Please try again.')
  }
}

async function begin(ctx: Ctx, id: number, asked: string | undefined, describe: Describe) {
  const method = (await enabledMethods(ctx)).get('stripe')
  const invoice = await ctx
    .from('invoices')
    .select(['id', 'status', 'currency', 'balance_due'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!method || invoice?.status !== 'unpaid' || decimal(invoice.balance_due).lte(0)) return undefined
  const { currency, balance_due } = invoice
  const { locale, ...described } = await describe(ctx, id)
  const left = leftBeside(balance_due, await underwayOf(ctx, id))
  if (decimal(left).eq(0)) return undefined
  const amount = asked !== undefined && method.allow_partial ? sumAsked(asked, currency, left, locale) : left
  refuseFractions(currency, { amount }, chargeableUnits(currency))
  const checkout = (await pageAtHand(ctx, id, method, amount)) ?? (await newPage(ctx, id, method, { amount, currency }))
  const { uuid, created_at } = checkout
  const charge: Charge = { uuid, tenant_id: ctx.tenant.id, amount, currency, created_at, ...described }
  return { checkout, method, charge, back: await brandedAddress(ctx) }
}

function sumAsked(asked: string, currency: string, left: string, locale: string): string {
  const typed = amountTyped(asked, locale)
  if (!typed || decimal(typed).lte(0)) throw invalid({ amount: 'Must be a sum such as 25.50.' })
  refuseFractions(currency, { amount: typed })
  if (decimal(typed).gt(left)) throw invalid({ amount: `Must be at most what is left to pay, ${formatAmount(left, currency)}.` })
  return decimal(typed).toFixed()
}

/** Returns the amount of an invoice in pending bank debits, which take days. */
export async function underwayOf(ctx: Ctx, invoiceId: number): Promise<string> {
  const rows = await ctx
    .from('payment_checkouts')
    .select('amount')
    .where('invoice_id', '=', invoiceId)
    .where('status', '=', 'open')
    .where('is_underway', '=', true)
    .execute()
  return rows.reduce((sum, { amount }) => sum.plus(amount), decimal(0)).toFixed()
}

/** Returns the balance due minus pending debits, so that customers don't pay that sum twice. */
export function leftBeside(balanceDue: string | number, underway: string): string {
  const left = decimal(balanceDue).minus(underway)
  return left.gt(0) ? left.toFixed() : '0'
}

const pageAtHand = (ctx: Ctx, invoiceId: number, method: Method, amount: string): Promise<Checkout | undefined> =>
  ctx
    .from('payment_checkouts')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .where('created_at', '>', plusSeconds(ctx.now, -REUSE_SECONDS))
    .where('status', '=', 'open')
    .where('is_underway', '=', false)
    .where('mode', '=', method.mode!)
    .where('amount', '=', amount)
    .where('url', 'is not', null)
    .limit(1)
    .executeTakeFirst()

const newPage = (ctx: Ctx, invoice_id: number, method: Method, sum: { amount: string; currency: string }) =>
  ctx.tx
    .insertInto('payment_checkouts')
    .values({ tenant_id: ctx.tenant.id, invoice_id, mode: method.mode!, ...sum, created_at: ctx.now, updated_at: ctx.now })
    .returningAll()
    .executeTakeFirstOrThrow()
