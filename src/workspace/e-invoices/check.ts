/**
 * Checks whether a document can be an e-invoice: the rules of EN 16931, XRechnung 3.0 and Peppol BIS 3 that a workspace's own
 * data can break. Rules that the model itself guarantees (sums, order, code lists) are not checked again. Peppol's rules for
 * sellers of countries other than Germany are left to the Peppol provider.
 */
import { decimal } from '#kernel/values/money.ts'
import type { Buyer } from './buyers.ts'
import type { Profile } from './profiles.ts'
import type { Billed, EInvoice, Tax } from './semantics.ts'

/** A broken rule, and the field to correct. */
export interface Problem {
  /** Name in the standard. */
  rule: string
  /** Field to correct: of the document, `company.country`, `settings.iban`. */
  field: string
  message: string
}

/** Schemes of electronic addresses that EN 16931 allows and Peppol doesn't. */
const NOT_IN_PEPPOL = new Set(['AN', 'AQ', 'AS', 'AU', 'EM', '0219', '0220', '0242', '0244', '0245', '0246', '0248'])

/** Returns the problems of a document and its model; none if it is valid. `buyer` is the record of the buyer. */
export function problemsOf(document: Billed, invoice: EInvoice, profile: Profile, buyer: Buyer['field'] = 'company'): Problem[] {
  const problems: Problem[] = []
  const say = (isWrong: boolean, rule: string, field: string, message: string) => {
    if (isWrong) problems.push({ rule, field, message })
  }
  const { seller, buyer: bought, taxes } = invoice
  const isBought = bought.name !== ''
  const uses = (...categories: string[]) => taxes.some(({ category }) => categories.includes(category))

  say(!invoice.lines.length, 'BR-16', 'lines', 'An e-invoice has at least one line.')
  say(!seller.address.country, 'BR-09', 'settings.country', 'The country of the seller is missing.')
  say(!isBought, 'BR-07', `${buyer}_id`, 'The buyer is missing.')
  say(isBought && !bought.address.country, 'BR-11', `${buyer}.country`, 'The country of the buyer is missing.')
  for (const [n, { tax_category, tax_rate }] of document.lines.entries())
    say(
      !tax_category && Number(tax_rate) === 0,
      'BR-CO-04',
      `lines.${n}.tax_category`,
      'Why this line has no tax is missing: Z zero rate, E exempt, AE reverse charge, K intra-Community supply, G export, O outside the scope.',
    )
  for (const [n, { tax_category, tax_exemption_reason }] of document.lines.entries())
    say(
      tax_category === 'E' && !tax_exemption_reason,
      'BR-E-10',
      `lines.${n}.tax_exemption_reason`,
      'Why it is exempt is missing.',
    )
  sellersTax(invoice, uses, say)
  for (const [category, rules] of [
    ['AE', 'BR-AE-02'],
    ['K', 'BR-IC-02'],
  ] as const)
    say(isBought && uses(category) && !bought.vat_id, rules, `${buyer}.vat_id`, 'The VAT id of the buyer is missing.')
  const isDelivered = invoice.delivered_on || invoice.period
  say(uses('K') && !isDelivered, 'BR-IC-11', 'delivery_date', 'An intra-Community supply says when it was delivered.')
  say(
    taxes.some(isFarOff),
    'BR-CO-17',
    'lines',
    'Tax rounded on each line is too far from that of their sum; round it by document.',
  )

  const isGerman = seller.address.country === 'DE' && bought.address.country === 'DE'
  if (profile === 'xrechnung') german(invoice, buyer, (n) => `BR-DE-${n}`, say)
  if (profile === 'peppol' && isGerman) german(invoice, buyer, (n) => `DE-R-${n.padStart(3, '0')}`, say)
  if (profile === 'peppol') network(invoice, buyer, say)
  return problems
}

type Say = (isWrong: boolean, rule: string, field: string, message: string) => void

/** Checks for the tax numbers of the seller that the tax categories require. */
function sellersTax({ seller }: EInvoice, uses: (...categories: string[]) => boolean, say: Say) {
  const missing = 'The VAT id of the seller is missing.'
  for (const [category, rule] of [
    ['S', 'BR-S-02'],
    ['Z', 'BR-Z-02'],
    ['E', 'BR-E-02'],
    ['AE', 'BR-AE-02'],
  ] as const)
    say(uses(category) && !seller.vat_id && !seller.tax_number, rule, 'settings.vat_id', missing)
  say(uses('K') && !seller.vat_id, 'BR-IC-02', 'settings.vat_id', missing)
  say(uses('G') && !seller.vat_id, 'BR-G-02', 'settings.vat_id', missing)
  const isNameless = !seller.vat_id && !seller.id
  const field = uses('O') ? 'settings.tax_number' : 'settings.vat_id'
  say(
    isNameless,
    'BR-CO-26',
    field,
    'A number that names the seller is missing: the VAT id, or the tax number where there is none.',
  )
}

/** Whether the tax of a rate differs by 1 or more from the tax on the sum of its lines. */
const isFarOff = ({ base, rate, tax }: Tax) => decimal(base).times(rate).div(100).round(2, 1).minus(tax).abs().gte(1)

/** Additional rules of Germany's CIUS. */
function german(
  { seller, buyer, payment, buyer_reference }: EInvoice,
  field: Buyer['field'],
  rule: (n: string) => string,
  say: Say,
) {
  const { contact, address } = seller
  say(!payment, rule('1'), 'settings.iban', 'How it is to be paid is missing: the IBAN of the seller.')
  const isUnknown = !contact.name && !contact.phone && !contact.email
  say(isUnknown, rule('2'), 'settings.contact_name', 'Whom the buyer may ask is missing.')
  say(!address.city, rule('3'), 'settings.city', 'The town of the seller is missing.')
  say(!address.postcode, rule('4'), 'settings.postcode', 'The postcode of the seller is missing.')
  say(!isUnknown && !contact.name, rule('5'), 'settings.contact_name', 'The name of whom the buyer may ask is missing.')
  say(!isUnknown && !contact.phone, rule('6'), 'settings.contact_phone', 'The telephone of whom the buyer may ask is missing.')
  say(
    !isUnknown && !contact.email,
    rule('7'),
    'settings.contact_email',
    'The e-mail address of whom the buyer may ask is missing.',
  )
  const hasDigits = /(?:\d\D*){3}/.test(contact.phone ?? '')
  say(!!contact.phone && !hasDigits, rule('27'), 'settings.contact_phone', 'A telephone number has at least three digits.')
  say(!buyer.address.city, rule('8'), `${field}.city`, 'The town of the buyer is missing.')
  say(!buyer.address.postcode, rule('9'), `${field}.postcode`, 'The postcode of the buyer is missing.')
  say(!buyer_reference, rule('15'), 'buyer_reference', 'What the buyer wants to read on it is missing, such as a Leitweg-ID.')
}

/** Rules for documents sent through the Peppol network. */
function network({ seller, buyer, buyer_reference, order_reference }: EInvoice, field: Buyer['field'], say: Say) {
  const isNamed = buyer_reference || order_reference
  say(
    !isNamed,
    'PEPPOL-EN16931-R003',
    'buyer_reference',
    'What the buyer wants to read on it is missing: a reference or an order’s number.',
  )
  for (const [endpoint, rule, at] of [
    [seller.endpoint, 'PEPPOL-EN16931-R020', 'settings.einvoice_address'],
    [buyer.endpoint, 'PEPPOL-EN16931-R010', `${field}.einvoice_address`],
  ] as const) {
    // The network doesn't support e-mail addresses, which otherwise are the default.
    const isMissing = !endpoint || endpoint.isAssumed
    say(isMissing, rule, at, 'The electronic address is missing; it is one such as 0088:4012345000009.')
    const isForeign = !isMissing && NOT_IN_PEPPOL.has(endpoint.scheme)
    say(
      isForeign,
      'PEPPOL-EN16931-CL008',
      at,
      'Peppol does not know this kind of address; it needs one such as 0088:4012345000009.',
    )
  }
}
