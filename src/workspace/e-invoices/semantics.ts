/**
 * An invoice or credit note in the terms of EN 16931: the one model for both syntaxes. Comments name its terms (BT) and groups
 * (BG). Amounts are exact decimals: stored amounts of the lines are copied and added up, never recomputed.
 */
import { plainOf } from '#kernel/values/html.ts'
import { type Decimal, decimal } from '#kernel/values/money.ts'
import type { TaxCategory } from '#workspace/billing-documents/public.ts'
import type { Buyer } from './buyers.ts'
import type { Seller } from './sellers.ts'
import { ENGLISH, VATEX, type Words } from './words.ts'
import { writable } from './xml.ts'

/** Seller and buyer at the time the document was issued. */
export interface Parties {
  seller: Seller
  buyer: Buyer | null
  /** Texts in the document's languages; undefined for drafts, and for documents older than these texts. */
  words?: Words
  /**
   * Set if the law of the seller's country requires the day of supply even if it is the day of issue. Older documents don't have
   * it, because they never change.
   */
  states_supply_date?: true
}

/** A document as its detail view returns it. */
export interface Billed {
  number: string
  title: string
  currency: string
  tax_rounding?: string
  issue_date: string | null
  due_date?: string | null
  delivery_date: string | null
  delivery_period_start: string | null
  delivery_period_end: string | null
  buyer_reference: string | null
  order_reference: string | null
  /** Invoice that a credit note corrects. */
  corrects?: { number: string; issued_on: string }
  /** Formatted text, as printed; credit notes have neither. */
  notes?: string | null
  terms_and_conditions?: string | null
  tax_total: Exact
  total: Exact
  lines: BilledLine[]
}
type Exact = number | string
interface BilledLine {
  name: string
  body: string | null
  quantity: Exact
  unit_code: string
  unit_price: Exact
  tax_rate: Exact
  tax_category: TaxCategory | null
  tax_exemption_reason: string | null
  discount_amount: Exact
  line_total: Exact
  tax_amount: Exact
  product: { sku: string } | null
}

/** An electronic address (BT-34, BT-49) with its scheme. */
interface ElectronicAddress {
  scheme: string
  id: string
  /** Defaults to the e-mail address, because none is set. */
  isAssumed: boolean
}

export interface Party {
  name: string
  /** BT-29, of a seller without a VAT id. */
  id?: string
  address: { lines: string[]; postcode?: string | null; city?: string | null; country?: string | null }
  vat_id?: string | null
  /** BT-32 */
  tax_number?: string
  contact: { name?: string | null; phone?: string | null; email?: string | null }
  endpoint?: ElectronicAddress
}

export interface Tax {
  category: TaxCategory
  rate: string
  base: string
  tax: string
  reason?: { text: string; code?: string }
}

/** The model of an e-invoice. */
export interface EInvoice {
  type: '380' | '381' // BT-3
  number: string // BT-1
  issued_on: string // BT-2
  due_on?: string | null // BT-9
  currency: string // BT-5
  note: string // BT-22, one, since Peppol refuses more (R002)
  buyer_reference?: string | null // BT-10
  order_reference?: string | null // BT-13
  corrects?: { number: string; issued_on: string } // BG-3
  delivered_on?: string | null // BT-72
  /** BG-15, if goods are moved to another member state (BR-IC-12). */
  delivered_to?: Party['address']
  period?: { start?: string | null; end?: string | null } // BG-14
  seller: Party // BG-4
  buyer: Party // BG-7
  reference: string // BT-83
  terms?: string // BT-20
  payment?: { code: string; iban: string; bic: string; name: string } // BG-16
  taxes: Tax[] // BG-23
  discounted: string // BT-139
  net: string // BT-106, BT-109
  tax: string // BT-110
  total: string // BT-112, BT-115
  lines: {
    name: string // BT-153
    description?: string // BT-154
    sku?: string // BT-155
    quantity: string // BT-129
    unit: string // BT-130
    price: string // BT-146
    /** BT-149: quantity that the price is for; default one. */
    per?: string
    discount?: string // BT-136
    net: string // BT-131
    category: TaxCategory // BT-151
    rate: string // BT-152
  }[]
}

/** Returns the line's category, by default S if it has a rate. Otherwise Z is written, and `check` rejects it. */
export const categoryOf = ({ tax_category, tax_rate }: Pick<BilledLine, 'tax_category' | 'tax_rate'>): TaxCategory =>
  tax_category ?? (Number(tax_rate) > 0 ? 'S' : 'Z')

/** Converts the document to the model. A draft gets today as its day of issue. */
export function semanticsOf(
  document: Billed,
  kind: 'invoice' | 'credit note',
  { seller, buyer, words = ENGLISH, states_supply_date }: Parties,
  today: string,
  reference = document.number,
): EInvoice {
  const { number, title, currency, delivery_date, delivery_period_start: start, delivery_period_end: end } = document
  const { notes, terms_and_conditions } = document
  const places = (amount: Exact) => decimal(amount).toFixed(2)
  const lines = document.lines.map((line) => ({
    name: line.name,
    description: line.body ? plainOf(line.body) : undefined,
    sku: line.product?.sku,
    unit: line.unit_code,
    ...priceOf(line),
    discount: Number(line.discount_amount) ? places(line.discount_amount) : undefined,
    net: places(line.line_total),
    category: categoryOf(line),
    rate: decimal(line.tax_rate).toFixed(),
  }))
  const isOutside = lines.some(({ category }) => category === 'O')
  const issued_on = document.issue_date ?? today
  // Goods moved to another member state require the actual day (BR-IC-11).
  const isAssumed = states_supply_date && kind === 'invoice' && !start && !end && !lines.some(({ category }) => category === 'K')
  const bought = buyerOf(buyer, isOutside)
  return {
    type: kind === 'invoice' ? '380' : '381',
    ...{ number, currency, lines },
    note: uncoded(notes ? `${title}\n${plainOf(notes)}` : title),
    issued_on,
    due_on: document.due_date,
    buyer_reference: document.buyer_reference ?? buyer?.buyer_reference,
    order_reference: document.order_reference,
    corrects: document.corrects,
    delivered_on: delivery_date ?? (isAssumed ? issued_on : null),
    delivered_to: lines.some(({ category }) => category === 'K') ? bought.address : undefined,
    period: start || end ? { start, end } : undefined,
    seller: sellerParty(seller, isOutside),
    buyer: bought,
    reference,
    terms: terms_and_conditions ? undiscounted(plainOf(terms_and_conditions)) : undefined,
    payment: paymentTo(seller, currency),
    taxes: taxesOf(document.lines, words),
    discounted: words.discount,
    net: decimal(document.total).minus(document.tax_total).toFixed(2),
    tax: places(document.tax_total),
    total: places(document.total),
  }
}

/** Maximum characters of a text, the same as for received ones. The PDF has the full text. */
const MAX_TEXT = 5000

/** Returns a text without parts that a format would parse as code: in UBL `#AAI#` would be the subject of a note (BR-CL-08). */
function uncoded(text: string): string {
  const lines = writable(text).replace(/\r\n?/g, '\n').trim()
  const whole = lines.replace(/#(?=[^#]{3}#)/gu, '# ')
  return whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT - 1)}…` : whole
}

/** XRechnung parses each line of the terms that begins with # as a cash discount, and rejects invalid ones (BR-DE-18). */
const undiscounted = (text: string) =>
  uncoded(text)
    .split('\n')
    .map((one) => (one.trimStart().startsWith('#') ? `– ${one.trimStart()}` : one))
    .join('\n')

/**
 * Returns the quantity with the sign of the line, because a price is never negative (BR-27), and the unit price. If the line's
 * amount was rounded to whole units of a currency without cents, returns the price of the whole quantity, which matches the
 * amount (PEPPOL-EN16931-R120).
 */
function priceOf({ quantity, unit_price, line_total, discount_amount }: BilledLine): {
  quantity: string
  price: string
  per?: string
} {
  const gross = decimal(line_total).plus(discount_amount)
  const isRounded = decimal(quantity).times(unit_price).minus(gross).abs().gt(0.01)
  const signed = decimal(unit_price).lt(0) ? decimal(quantity).times(-1) : decimal(quantity)
  const price = isRounded
    ? { price: gross.abs().toFixed(), per: decimal(quantity).toFixed() }
    : { price: decimal(unit_price).abs().toFixed() }
  return { quantity: signed.toFixed(), ...price }
}

/** Outside the scope of tax, no party has a VAT id (BR-O-02). Without one, the tax number identifies the seller (BR-CO-26). */
function sellerParty(seller: Seller, isOutside: boolean): Party {
  const { legal_name, company_name, street, postcode, city, country, contact_name, contact_phone, contact_email } = seller
  const vat_id = isOutside ? '' : seller.vat_id
  return {
    name: legal_name || company_name,
    id: vat_id ? undefined : seller.tax_number,
    address: { lines: addressLines(street, seller.company_address), postcode, city, country },
    vat_id,
    tax_number: seller.tax_number,
    contact: { name: contact_name, phone: contact_phone || seller.company_phone, email: contact_email || seller.company_email },
    endpoint: endpointOf(seller.einvoice_address, seller.company_email),
  }
}

function buyerOf(buyer: Buyer | null, isOutside: boolean): Party {
  if (!buyer) return { name: '', address: { lines: [] }, contact: {} }
  const { name, street, address, postcode, city, country, vat_id, einvoice_address, email, contact_name } = buyer
  return {
    name,
    address: { lines: addressLines(street, address), postcode, city, country },
    vat_id: isOutside ? null : vat_id,
    contact: { name: contact_name },
    endpoint: endpointOf(einvoice_address, email),
  }
}

/** Address lines 1 and 2; without a street, from the printed address. */
function addressLines(street: string | null, printed: string | null): string[] {
  if (street) return [street]
  const [first = '', ...others] = (printed ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  return [first, others.join(', ')]
}

function endpointOf(set: string | null, email: string | null): ElectronicAddress | undefined {
  const [address, isAssumed] = [set || email, !set]
  if (!address) return undefined
  if (address.includes('@')) return { scheme: 'EM', id: address, isAssumed }
  const [scheme = '', ...id] = address.split(':')
  return { scheme, id: id.join(':'), isAssumed }
}

/** UNCL 4461: 58 is a SEPA credit transfer, 30 another one. */
const paymentTo = ({ iban, bic, account_holder, legal_name, company_name }: Seller, currency: string) =>
  iban ? { code: currency === 'EUR' ? '58' : '30', iban, bic, name: account_holder || legal_name || company_name } : undefined

/** Sums of the lines by category and rate. */
function taxesOf(lines: BilledLine[], { notices }: Words): Tax[] {
  const groups = Map.groupBy(lines, (line) => `${categoryOf(line)} ${decimal(line.tax_rate).toFixed()}`)
  return [...groups.values()].map((members) => {
    const category = categoryOf(members[0]!)
    const reasons = members.flatMap(({ tax_exemption_reason }) => tax_exemption_reason ?? notices[category] ?? [])
    return {
      category,
      rate: decimal(members[0]!.tax_rate).toFixed(),
      base: sum(members.map(({ line_total }) => line_total)).toFixed(2),
      tax: sum(members.map(({ tax_amount }) => tax_amount)).toFixed(2),
      reason: reasons.length ? { text: [...new Set(reasons)].join('; '), code: VATEX[category] } : undefined,
    }
  })
}

const sum = (amounts: Exact[]): Decimal => amounts.reduce((total: Decimal, amount) => total.plus(amount), decimal(0))
