/**
 * Paying on the provider's page. A page is a row before the provider knows of it: under its uuid the provider makes it once, and tells of it. Who asks
 * again while a page over the same sum is open gets that one, so that an invoice isn't paid twice by mistake.
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

/** Seconds in which a page that was opened before is offered again; the provider's lives for an hour. */
const REUSE_SECONDS = 3000
/** Seconds after which the provider is asked what became of a page, where it hasn't told. */
const FIRST_CHECK_SECONDS = 600

/** How customers pay online, for the page of a pay link; undefined where they can't. */
export async function onlinePayment(ctx: Ctx) {
  const method = (await enabledMethods(ctx)).get('stripe')
  return method && { allowPartial: method.allow_partial, pages: stripePages(ctx.services.config) }
}

/** What the provider's page says that is paid, in the language of the invoice; and how its reader writes numbers. */
type Describe = (ctx: Ctx, invoiceId: number) => Promise<Pick<Charge, 'description' | 'language'> & { locale: string }>

/**
 * The address of the provider's page over what is left to pay and not under way, or over `asked` where customers may pay less; undefined where there is
 * nothing to pay any more, or not online. 422 on `amount` for a sum that isn't one, or is more than is left. 503 where the provider doesn't open a page.
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

/** The page to go to: this one, unless another request has opened one over the same sum meanwhile. Then nobody is ever told of this one. */
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

/** How much of an invoice the bank is moving already: with a debit that takes days. */
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

/** What is left to pay beside what is under way: nobody is asked to pay that once more. */
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
