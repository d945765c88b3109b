/** Whose an invoice is, which order it is for, and what to look at before it is paid. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { decimal } from '#kernel/values/money.ts'
import { orderNumbered } from '#workspace/purchase-orders/public.ts'
import { vendorsKnownAs } from '#workspace/vendors/public.ts'
import type { Incoming } from './incoming-invoices.ts'
import type { InvoiceData } from './reading/invoice-data.ts'

type Matched = Pick<Incoming, 'vendor_id' | 'vendor_matched_by' | 'purchase_order_id'>
export interface Notice {
  field: string
  message: string
  /** It isn't booked by itself: somebody has to look at it. */
  holds?: true
  /** The id of an order of which the message tells what it comes to, and what whoever may not see that order is told. */
  order_id?: number
  brief?: string
}

/** What sellers write where they know no number. */
const NO_NUMBER = new Set(['', 'NA', 'NONE', 'NULL', 'UNKNOWN'])

/** By which the same seller is known again: the VAT id, the tax number, the registration, else the name. */
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

const plain = (number: string) => number.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The vendor, where the VAT id or the name is one's alone, and the order that the invoice names, where the actor may see it. */
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

/** What else whoever pays should know: that it isn't addressed to this firm, or names an account that isn't known as the seller's. */
export async function cautions(ctx: Ctx, data: InvoiceData, sellerKey: string): Promise<Notice[]> {
  const notices: Notice[] = []
  const ours = plain(await ctx.setting('vat_id'))
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

const ACCOUNT = 'payment.means'
/** Of a seller's earlier invoices the newest are looked at. */
const MAX_EARLIER = 100

/**
 * The number of an earlier invoice of the seller that names other accounts, where one of these isn't known; undefined: all are, or none was named before. What
 * was itself warned of makes its account known once somebody has approved its expense: a second invoice vouches for no first one.
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
