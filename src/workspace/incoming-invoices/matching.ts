/** Matches an invoice to a vendor and an order, and collects notices to check before payment. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { type Decimal, decimal } from '#kernel/values/money.ts'
import { orderNumbered } from '#workspace/purchase-orders/public.ts'
import { vendorsKnownAs } from '#workspace/vendors/public.ts'
import { type Deposits, finalBefore } from './deposits.ts'
import { type Incoming, type InvoiceNumber, namesakes, yearOf } from './incoming-invoices.ts'
import { isSelfBilled, isWorkspace, ownSale } from './own-sales.ts'
import { plain } from './plain-numbers.ts'
import type { InvoiceData } from './reading/invoice-data.ts'
import { WITHOUT_LINES } from './reading/profiles.ts'
import { countedLines, isOff, NOT_QUANTITY_BY_PRICE } from './reading/rules.ts'

type Matched = Pick<Incoming, 'vendor_id' | 'vendor_matched_by' | 'purchase_order_id'>
/** A warning about an invoice, for the user who checks it. */
export interface Notice {
  field: string
  message: string
  /** Prevents automatic booking: a user has to check the invoice. */
  holds?: true
  /** Id of an order whose total the message contains; `brief` is shown to users who may not see that order. */
  order_id?: number
  brief?: string
}

/** Placeholders that sellers write if they have no order number. */
const NO_NUMBER = new Set(['', 'NA', 'NONE', 'NULL', 'UNKNOWN'])

/** Key that identifies the same seller: the VAT id, the tax number, the registration, else the name. */
export function sellerKeyOf({ vat_id, tax_number, registration, country, name }: InvoiceData['seller']): string {
  const key = vat_id
    ? `vat ${plain(vat_id)}`
    : tax_number
      ? `tax ${country ?? ''} ${plain(tax_number)}`
      : registration
        ? `reg ${country ?? ''} ${plain(registration)}`
        : `name ${name!.normalize('NFKC').toLowerCase()}`
  return key.slice(0, 200)
}

/** Returns the vendor, if exactly one has the tax id or name, and the referenced order, if the actor may see it. */
export async function match(ctx: Ctx, data: InvoiceData): Promise<Matched & { notices: Notice[] }> {
  const notices: Notice[] = []
  const vendor = await vendorOf(ctx, data, notices)
  const order = await orderOf(ctx, data, vendor.vendor_id, notices)
  return { ...vendor, purchase_order_id: order, notices }
}

async function vendorOf(ctx: Ctx, { seller }: InvoiceData, notices: Notice[]) {
  const none = { vendor_id: null, vendor_matched_by: null }
  if (!ctx.entitled('vendors')) return none
  const { vat_id, tax_number, name, trading_name } = seller
  const taxIds = [vat_id, tax_number].filter((id) => id !== null).map(plain)
  const names = [name, trading_name].filter((one) => one !== null)
  const { byTaxId, byName } = await vendorsKnownAs(ctx, taxIds, names)
  const [found, how] = byTaxId.length ? [byTaxId, 'tax_id' as const] : [byName, 'name' as const]
  if (found.length === 1) return { vendor_id: found[0]!, vendor_matched_by: how }
  const who = `the ${how === 'tax_id' || !name ? `tax id ${taxIds.join(' or ')}` : `name ${name}`}`
  notices.push({
    field: 'seller',
    message: found.length
      ? `Several vendors have ${who}: say which it is.`
      : `No vendor has the seller’s tax id or name: say which it is.`,
  })
  return none
}

async function orderOf(
  ctx: Ctx,
  { order_reference, currency, totals }: InvoiceData,
  vendor_id: number | null,
  notices: Notice[],
) {
  if (!order_reference || NO_NUMBER.has(plain(order_reference)) || !ctx.entitled('purchase-orders')) return null
  const say = (message: string, more: Omit<Notice, 'field' | 'message'> = {}) =>
    void notices.push({ field: 'order_reference', message, ...more })
  const order = await orderNumbered(ctx, order_reference)
  if (!order) return say(`No purchase order has the number ${order_reference.slice(0, 100)}.`) ?? null
  if (vendor_id !== null && order.vendor_id !== vendor_id) return say(`${order.number} is an order to another vendor.`) ?? null
  if (vendor_id === null)
    say(`${order.number} is an order to a vendor, and it isn’t known that the seller is that one.`, { holds: true })
  if (order.status === 'draft' || order.status === 'cancelled')
    say(`${order.number} is ${order.status}, so nothing is booked on it.`, { holds: true })
  if (order.converted_expense_id !== null) say(`${order.number} has become an expense already: see that it isn’t paid twice.`)
  else if (!ctx.can('purchase-orders.convert'))
    say(`Making an expense of ${order.number} needs the permission purchase-orders.convert.`, { holds: true })
  if (order.currency !== currency || !decimal(order.total).eq(totals.total))
    say(
      `${order.number} comes to ${order.currency} ${decimal(order.total).toFixed(2)}, the invoice to ${currency} ${decimal(totals.total).toFixed(2)}.`,
      { holds: true, order_id: order.id, brief: `${order.number} comes to another amount than the invoice.` },
    )
  return order.id
}

/**
 * Further warnings before payment: the invoice is addressed to another company, or has a bank account that is not known as the
 * seller's.
 */
export async function cautions(ctx: Ctx, data: InvoiceData, sellerKey: string): Promise<Notice[]> {
  const notices: Notice[] = []
  // For a self-billed invoice, the remarks identify the seller.
  const ours = isSelfBilled(data) ? '' : plain(await ctx.setting('vat_id'))
  const { buyer, payee, seller } = data
  if (ours && buyer.vat_id && plain(buyer.vat_id) !== ours)
    notices.push({ field: 'buyer.vat_id', message: `Is ${buyer.vat_id}; this workspace has ${ours}.`, holds: true })
  if (ours && seller.vat_id && plain(seller.vat_id) === ours)
    notices.push({
      field: 'seller.vat_id',
      message: 'Is this workspace’s own: it is an invoice that it wrote itself.',
      holds: true,
    })
  if (payee && payee !== seller.name) notices.push({ field: 'payee', message: `Is to be paid to ${payee}, not to the seller.` })
  const accounts = accountsOf(data)
  if (!accounts.length) return notices
  const other = await knownByOther(ctx, accounts, sellerKey)
  if (other)
    notices.push({
      field: ACCOUNT,
      message: `Names another account than this seller’s invoice ${other}: ask the seller by a number that you know before it is paid.`,
    })
  return notices
}

/** Notices about the content of the invoice: amount due, missing parts, self-billing, and its number. */
export async function remarks(ctx: Ctx, data: InvoiceData, number: InvoiceNumber, deposits: Deposits): Promise<Notice[]> {
  return [
    ...dueNotices(data),
    ...(await depositNotices(ctx, data, number, deposits)),
    ...(await numberNotices(ctx, number)),
    ...(await selfBillingNotices(ctx, data)),
    ...contentNotices(data),
  ]
}

const sumIn = ({ currency }: InvoiceData, amount: Decimal | number | string) => `${currency} ${decimal(amount).toFixed(2)}`

/** Reasons why the amount due differs from the total. */
function dueNotices(data: InvoiceData): Notice[] {
  const { total, prepaid, rounding, due } = data.totals
  if (due === null || due === total) return []
  const third = data.third_party_payments.reduce((sum: Decimal, { amount }) => sum.plus(amount ?? 0), decimal(0))
  const reasons = [
    ...(prepaid ? [`${sumIn(data, prepaid)} was paid before`] : []),
    ...(rounding ? [`${sumIn(data, rounding)} is rounding`] : []),
    ...(third.eq(0) ? [] : [`${sumIn(data, third)} is collected for others`]),
  ]
  const because = reasons.length ? ` ${reasons.join(', ')}.` : ' It doesn’t say why.'
  return [
    {
      field: 'totals.due',
      message: `${sumIn(data, due)} is to be paid, but the invoice comes to ${sumIn(data, total)}.${because}`,
    },
  ]
}

/** Deposits that the invoice deducts, and the final invoice that has deducted this one. */
async function depositNotices(
  ctx: Ctx,
  data: InvoiceData,
  { seller_key, kind, number }: InvoiceNumber,
  { found, total, isDeductible, isNamed, waiting, taken, overlooked }: Deposits,
): Promise<Notice[]> {
  const notices: Notice[] = []
  const field = 'totals.prepaid'
  const names = found.map((one) => `${one.number} (${sumIn(data, one.total)}, expense ${one.expense_id})`).join(', ')
  const left = sumIn(data, decimal(data.totals.total).minus(total))
  if (waiting.length)
    notices.push({
      field,
      message: `Takes off ${waiting.join(', ')}, which isn’t booked yet: deal with that first.`,
      holds: true,
    })
  else if (found.length && !isDeductible)
    notices.push({
      field,
      message: `Takes off another amount than ${names} comes to: see that nothing is booked twice.`,
      holds: true,
    })
  else if (found.length && isNamed)
    notices.push({ field, message: `Takes off ${names}: its expense is of what is left, ${left}.` })
  else if (found.length)
    notices.push({
      field,
      message: `Seems to take off ${names}: an expense that is made of it is of what is left, ${left}.`,
      holds: true,
    })
  for (const one of taken)
    notices.push({
      field,
      message: `${one.byNumber} (incoming invoice ${one.byId}) took off ${one.number} already: see that nothing is booked twice.`,
      holds: true,
    })
  if (overlooked.length)
    notices.push({
      field,
      message: `Names ${overlooked.map((one) => `${one.number} (${sumIn(data, one.total)})`).join(', ')} and takes nothing off: see that nothing is booked twice.`,
      holds: true,
    })
  const final = kind === 'invoice' ? await finalBefore(ctx, seller_key, number) : undefined
  if (final)
    notices.push({
      field: 'number',
      message: `${final.number} (incoming invoice ${final.id}) takes it off and was booked for the whole already: an expense of it would count twice.`,
      holds: true,
    })
  return notices
}

/**
 * Invoices of the same number: sellers restart numbering each year, and per type. One of the same year and kind may be the same
 * purchase.
 */
async function numberNotices(ctx: Ctx, one: InvoiceNumber): Promise<Notice[]> {
  const others = await namesakes(ctx, one)
  const [newest] = others
  if (!newest) return []
  const holds = others.some(({ kind, issue_date }) => kind === one.kind && yearOf(issue_date) === yearOf(one.issue_date))
  return [
    {
      field: 'number',
      message: `Is also the number of incoming invoice ${newest.id} of this seller, of ${newest.issue_date}: see that it isn’t the same.`,
      ...(holds ? { holds } : {}),
    },
  ]
}

async function selfBillingNotices(ctx: Ctx, data: InvoiceData): Promise<Notice[]> {
  if (!isSelfBilled(data)) return []
  const field = 'type_code'
  const own = await ownSale(ctx, data)
  if (own) return [{ field, message: own, holds: true }]
  const isBuyer = await isWorkspace(ctx, data.buyer)
  return isBuyer
    ? [{ field, message: `Is self-billed (type ${data.type_code}): this workspace wrote it in the seller’s name.` }]
    : [
        {
          field,
          message: `Is self-billed (type ${data.type_code}): the buyer wrote it in the seller’s name. If the seller is this workspace, it is a sale and no expense.`,
          holds: true,
        },
      ]
}

/** Missing lines, and lines that differ from quantity by price where the profile has no rule for it. */
function contentNotices(data: InvoiceData): Notice[] {
  const name = WITHOUT_LINES[data.profile]
  if (name)
    return [
      { field: 'lines', message: `Holds no lines, as its profile ${name} has none: what was bought stands on the page alone.` },
    ]
  if (data.profile === 'peppol') return []
  const counted = new Set(countedLines(data))
  return data.lines
    .flatMap((line, n) => (counted.has(line) && isOff(line) ? [{ field: `lines.${n}.net`, message: NOT_QUANTITY_BY_PRICE }] : []))
    .slice(0, MAX_LINE_NOTICES)
}
const MAX_LINE_NOTICES = 20

const ACCOUNT = 'payment.means'
/** Maximum earlier invoices of the seller that are considered, newest first. */
const MAX_EARLIER = 100

/**
 * Returns the number of an earlier invoice of the seller with other accounts, if one of these is unknown. Undefined if all are
 * known, or none was given before. Accounts of an invoice with this warning become known once its expense is approved, so that a
 * second invoice can't confirm the first.
 */
async function knownByOther(ctx: Ctx, accounts: string[], sellerKey: string): Promise<string | undefined> {
  const earlier = await ctx
    .from('incoming_invoices')
    .leftJoin('expenses', (join) =>
      join.on('expenses.tenant_id', '=', ctx.tenant.id).onRef('expenses.id', '=', 'incoming_invoices.expense_id'),
    )
    .select(['incoming_invoices.number', 'expenses.status as expense'])
    .select([
      sql<InvoiceData['payment']['means']>`incoming_invoices.data #> '{payment,means}'`.as('means'),
      sql<boolean>`incoming_invoices.notices @> ${JSON.stringify([{ field: ACCOUNT }])}::jsonb`.as('was_warned_of'),
    ])
    .where('incoming_invoices.seller_key', '=', sellerKey)
    .where('incoming_invoices.status', '!=', 'rejected')
    .where('incoming_invoices.deleted_at', 'is', null)
    .orderBy('incoming_invoices.id', 'desc')
    .limit(MAX_EARLIER)
    .execute()
  const naming = earlier.filter(({ means }) => ibansIn(means).length)
  const vouching = naming.filter(({ was_warned_of, expense }) => !was_warned_of || expense === 'approved' || expense === 'paid')
  const known = new Set(vouching.flatMap(({ means }) => ibansIn(means)))
  return accounts.every((iban) => known.has(iban)) ? undefined : (vouching[0] ?? naming[0])?.number
}

const accountsOf = ({ payment }: InvoiceData) => ibansIn(payment.means)

const ibansIn = (means: InvoiceData['payment']['means']) => means.flatMap(({ iban }) => (iban ? [plain(iban)] : []))
