/**
 * Validates a received invoice by the rules of EN 16931 that matter to a buyer: required parts, sums, taxes, code lists. Rules
 * have their official names. Country-specific rules are the sender's responsibility.
 */
import { type Decimal, decimal, isCurrency } from '#kernel/values/money.ts'
import type { Adjustment, InvoiceData, Line, Problem } from './invoice-data.ts'
import { type Profile, WITHOUT_LINES } from './profiles.ts'

/** Further problems are dropped: the sender has enough to fix. */
const MAX_PROBLEMS = 100

/** Returns the problems of an invoice; none if it is valid. */
export function problemsOf(invoice: InvoiceData): Problem[] {
  const problems: Problem[] = []
  const isJudged = judgedBy(invoice.profile)
  const say: Say = (isWrong, rule, field, message) => {
    if (isWrong && problems.length < MAX_PROBLEMS && isJudged(rule))
      problems.push({ rule: nameOf(rule, invoice.profile), field, message })
  }
  heads(invoice, say)
  lines(invoice, say)
  totals(invoice, say)
  taxes(invoice, say)
  return problems
}

/** Rules of MINIMUM (Factur-X 1.07.3): a header, two totals and the amount due. Code lists are checked in addition. */
const MINIMUM = new Set(
  'BR-01 BR-02 BR-04 BR-06 BR-07 BR-09 BR-13 BR-15 BR-CO-09 BR-CO-26 BR-DEC-12 BR-DEC-13 BR-DEC-14 BR-DEC-18'.split(' '),
)
/** Names of the rules with these numbers for each tax category: `BR-S-08`, `BR-AE-08`. */
const ofCategories = (...numbers: string[]) =>
  'S Z E AE IC G O IG IP B'.split(' ').flatMap((category) => numbers.map((number) => `BR-${category}-${number}`))
/** BASIC WL has the rules of EN 16931 except those about lines. */
const ABOUT_LINES = new Set([
  ...'BR-16 BR-21 BR-22 BR-23 BR-24 BR-25 BR-26 BR-27 BR-41 BR-42 BR-43 BR-44 BR-CO-04 BR-CO-10 BR-DEC-23'.split(' '),
  ...ofCategories('01', '02', '05', '08'),
])
/** EXTENDED allows negative prices, and does not limit sums by rate (Factur-X 1.07.3). */
const NOT_EXTENDED = new Set(['BR-27', 'BR-CO-17', ...ofCategories('08')])

/** Returns whether a profile contains a rule. */
function judgedBy(profile: Profile): (rule: string) => boolean {
  if (profile === 'minimum') return (rule) => MINIMUM.has(rule) || rule.startsWith('BR-CL-')
  if (profile === 'basic_wl') return (rule) => !ABOUT_LINES.has(rule)
  if (profile === 'factur_x_extended') return (rule) => !NOT_EXTENDED.has(rule)
  return () => true
}

/** Rules that EXTENDED replaces by its own. */
const EXTENDED_NAMES = new Map<string, string>([
  ...['22', '23', '24', '26'].map((n) => [`BR-${n}`, `BR-FXEXT-BR-${n}`] as const),
  ...['04', '10', '11', '12', '13', '15', '16'].map((n) => [`BR-CO-${n}`, `BR-FXEXT-CO-${n}`] as const),
  ...['S', 'Z', 'E', 'AE', 'IC', 'G', 'O'].map((n) => [`BR-${n}-01`, `BR-FXEXT-${n}-01`] as const),
])

/** Returns the profile's name of an EN 16931 rule. */
function nameOf(rule: string, profile: Profile): string {
  if (profile === 'factur_x_extended') return EXTENDED_NAMES.get(rule) ?? rule
  return profile === 'xrechnung_extension' && rule === 'BR-CO-16' ? 'BR-DEX-09' : rule
}

/** Lines that count towards the total: without subtotals and lines that are parts of another one. */
export const countedLines = ({ lines: all }: InvoiceData) => all.filter(({ subtype }) => subtype === 'detail')

type Say = (isWrong: boolean, rule: string, field: string, message: string) => void

/** UNTDID 1001 as restricted by EN 16931, with the types of credit notes. */
const TYPES = new Set(
  `71 80 81 82 83 84 102 130 202 203 204 211 218 219 261 262 295 296 308 325 326 331 380 381 382 383 384 385 386 387 388 389 390 393 394 395 396 420 456
  457 458 471 472 473 500 501 502 503 527 532 553 575 623 633 751 780 817 870 875 876 877 935`.split(/\s+/),
)
const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
/** ISO 3166-1, with the additions of EN 16931: Northern Ireland, Kosovo, and Greece as in its VAT ids. */
const isCountry = (code: string) =>
  ['XI', '1A', 'EL'].includes(code) || (/^[A-Z]{2}$/.test(code) && regions.of(code) !== undefined)
/** Means of payment to a bank account. */
const TRANSFERS = new Set(['30', '58'])

function heads(invoice: InvoiceData, say: Say) {
  const { type_code, currency, seller, buyer, payment, totals: sums } = invoice
  say(!invoice.specification, 'BR-01', 'specification', 'What it keeps to (BT-24) is missing.')
  say(!type_code, 'BR-04', 'type_code', 'Its type is missing.')
  say(!!type_code && !TYPES.has(type_code), 'BR-CL-01', 'type_code', `No invoice has the type ${type_code}.`)
  say(!isCurrency(currency), 'BR-CL-04', 'currency', `There is no currency ${currency}.`)
  say(!seller.name, 'BR-06', 'seller.name', 'The seller is missing.')
  say(!buyer.name, 'BR-07', 'buyer.name', 'The buyer is missing.')
  for (const [field, party, rule] of [
    ['seller', seller, 'BR-09'],
    ['buyer', buyer, 'BR-11'],
  ] as const) {
    say(!party.country, rule, `${field}.country`, `The country of the ${field} is missing.`)
    const isUnknown = !!party.country && !isCountry(party.country)
    say(isUnknown, 'BR-CL-14', `${field}.country`, `There is no country ${party.country}.`)
    const isBare = !!party.vat_id && !isCountry(party.vat_id.slice(0, 2))
    say(isBare, 'BR-CO-09', `${field}.vat_id`, 'A VAT id begins with the code of its country.')
  }
  const isNameless = !seller.vat_id && !seller.registration && !seller.ids.length
  say(
    isNameless,
    'BR-CO-26',
    'seller.vat_id',
    'A number that names the seller is missing: a VAT id, a registration or another one.',
  )
  const { period_start: start, period_end: end } = invoice
  say(!!start && !!end && end < start, 'BR-29', 'period_end', 'The period ends before it starts.')
  for (const [n, { code, iban }] of payment.means.entries()) {
    say(!code, 'BR-49', `payment.means.${n}.code`, 'How it is to be paid is missing.')
    const isLost = TRANSFERS.has(code ?? '') && !iban && (sums.due ?? 0) > 0
    say(isLost, 'BR-61', `payment.means.${n}.iban`, 'The account to transfer to is missing.')
  }
}

function lines(invoice: InvoiceData, say: Say) {
  const { lines: all, profile } = invoice
  say(!all.length && !WITHOUT_LINES[profile], 'BR-16', 'lines', 'It has no line.')
  const places = new Map(all.map(({ id }, n) => [id, n]))
  const parts = Map.groupBy(
    all.filter(({ subtype }) => subtype !== 'information'),
    ({ parent_id }) => parent_id,
  )
  for (const [n, line] of all.entries()) {
    const { id, name, quantity, unit, price, net, category, subtype, parent_id } = line
    const field = `lines.${n}`
    // Parts of a line in UBL have rules of their own, from the XRechnung extension.
    if (invoice.syntax === 'ubl' && subtype === 'information') continue
    say(!id, 'BR-21', `${field}.id`, 'The line has no number.')
    say(!name, 'BR-25', `${field}.name`, 'What was sold is missing.')
    say(hasMore(net), 'BR-DEC-23', `${field}.net`, TWO_DECIMALS)
    adjusted(line.adjustments, field, 'BR-41', 'BR-43', say)
    const isOrphan = parent_id !== null && !places.has(parent_id)
    say(isOrphan, 'BR-FXEXT-11', `${field}.parent_id`, `No line has the number ${parent_id}, which this one is a part of.`)
    if (subtype === 'group' && id !== null && net !== null) subtotal(net, parts.get(id) ?? [], field, say)
    if (subtype !== 'detail') continue
    say(quantity === null, 'BR-22', `${field}.quantity`, 'The quantity is missing.')
    say(!unit, 'BR-23', `${field}.unit`, 'The unit is missing.')
    say(net === null, 'BR-24', `${field}.net`, 'What the line comes to is missing.')
    say(price === null, 'BR-26', `${field}.price`, 'The price is missing.')
    say((price ?? 0) < 0, 'BR-27', `${field}.price`, 'A price is not negative.')
    say(!category, 'BR-CO-04', `${field}.category`, 'The category of tax is missing.')
    say(profile === 'peppol' && isOff(line), 'PEPPOL-EN16931-R120', `${field}.net`, NOT_QUANTITY_BY_PRICE)
  }
}

export const NOT_QUANTITY_BY_PRICE = 'Is not its quantity by its price.'

/** Amount of a GROUP line must be the sum of the lines directly below it. */
function subtotal(net: number, parts: Line[], field: string, say: Say) {
  const whole = sum(parts.map((part) => part.net))
  say(
    differ(net, whole) || parts.some((part) => part.net === null),
    'BR-FXEXT-08',
    `${field}.net`,
    `Is ${net}, but the lines below it come to ${whole.round(2).toFixed()}.`,
  )
}

/** Whether a line's amount differs by more than 0.02 from quantity by price, with its allowances and charges. */
export function isOff({ quantity, price, price_quantity, adjustments, net }: Line): boolean {
  if (quantity === null || price === null || net === null || price_quantity === 0) return false
  const gross = decimal(quantity)
    .times(price)
    .div(price_quantity ?? 1)
  return gross.plus(signed(adjustments)).minus(net).abs().gt(0.02)
}

const signed = (adjustments: Adjustment[]): Decimal =>
  adjustments.reduce(
    (sum: Decimal, { is_charge, amount }) => (is_charge ? sum.plus(amount ?? 0) : sum.minus(amount ?? 0)),
    decimal(0),
  )

function adjusted(adjustments: Adjustment[], field: string, allowance: string, charge: string, say: Say) {
  for (const [n, { is_charge, amount }] of adjustments.entries()) {
    say(
      amount === null,
      is_charge ? charge : allowance,
      `${field && `${field}.`}adjustments.${n}.amount`,
      'The amount is missing.',
    )
  }
}

const TWO_DECIMALS = 'Has more than two decimals.'
const hasMore = (amount: number | null) => amount !== null && !decimal(amount).round(2).eq(amount)

/** Whether two amounts differ by more than some cents. A missing amount is checked by another rule. */
const differ = (said: number | null, computed: Decimal, cents = 0) =>
  said !== null && computed.round(2).minus(said).abs().gt(decimal(cents).div(100))
const sum = (amounts: (number | null)[]): Decimal => amounts.reduce((total: Decimal, one) => total.plus(one ?? 0), decimal(0))

function totals(invoice: InvoiceData, say: Say) {
  const { totals: said, adjustments, taxes: breakdown, profile } = invoice
  for (const [name, rule, what] of [
    ['lines', 'BR-12', 'What the lines come to'],
    ['net', 'BR-13', 'The total without tax'],
    ['due', 'BR-15', 'What is to be paid'],
  ] as const)
    say(said[name] === null, rule, `totals.${name}`, `${what} is missing.`)
  for (const [name, rule] of [
    ['lines', 'BR-DEC-09'],
    ['allowances', 'BR-DEC-10'],
    ['charges', 'BR-DEC-11'],
    ['net', 'BR-DEC-12'],
    ['tax', 'BR-DEC-13'],
    ['total', 'BR-DEC-14'],
    ['prepaid', 'BR-DEC-16'],
    ['rounding', 'BR-DEC-17'],
    ['due', 'BR-DEC-18'],
  ] as const)
    say(hasMore(said[name]), rule, `totals.${name}`, TWO_DECIMALS)
  adjusted(adjustments, '', 'BR-31', 'BR-36', say)

  const counted = countedLines(invoice)
  const charges = adjustments.filter(({ is_charge }) => is_charge)
  const allowances = adjustments.filter(({ is_charge }) => !is_charge)
  const lineSum = sum(counted.map(({ net }) => net))
  const [chargeSum, allowanceSum] = [sum(charges.map(({ amount }) => amount)), sum(allowances.map(({ amount }) => amount))]
  // EXTENDED allows a cent for each amount in a sum; EN 16931 allows none.
  const isLenient = profile === 'factur_x_extended'
  const parts = counted.length + adjustments.length
  const is = (name: keyof typeof said, computed: Decimal, rule: string, what: string, cents = 0) => {
    const isWrong = isLenient ? differ(said[name], computed, cents) : differ(said[name], computed)
    say(isWrong, rule, `totals.${name}`, `Is ${said[name]}, but ${what} ${computed.round(2).toFixed()}.`)
  }
  is('lines', lineSum, 'BR-CO-10', 'the lines come to', invoice.lines.length)
  is('allowances', allowanceSum, 'BR-CO-11', 'the allowances come to', allowances.length)
  is('charges', chargeSum, 'BR-CO-12', 'the charges come to', charges.length)
  const whole = isLenient
    ? lineSum.minus(allowanceSum).plus(chargeSum)
    : decimal(said.lines ?? 0)
        .minus(said.allowances ?? 0)
        .plus(said.charges ?? 0)
  if (said.lines !== null) is('net', whole, 'BR-CO-13', 'lines, allowances and charges come to', parts)
  if (breakdown.length) is('tax', sum(breakdown.map(({ tax }) => tax)), 'BR-CO-14', 'the taxes come to')
  if (said.net !== null) is('total', decimal(said.net).plus(said.tax ?? 0), 'BR-CO-15', 'without tax and tax come to', parts)
  is('due', dueOf(invoice), 'BR-CO-16', 'the total less what is paid comes to')
}

/** Amount due according to the other totals, including amounts collected for others. */
const dueOf = ({ totals: { total, prepaid, rounding }, third_party_payments }: InvoiceData): Decimal =>
  decimal(total)
    .minus(prepaid ?? 0)
    .plus(rounding ?? 0)
    .plus(sum(third_party_payments.map(({ amount }) => amount)))

/** Tax categories, and their names in rules. */
const CATEGORIES: Record<string, string> = { S: 'S', Z: 'Z', E: 'E', AE: 'AE', K: 'IC', G: 'G', O: 'O', L: 'IG', M: 'IP', B: 'B' }
/** Categories without tax. */
const UNTAXED = new Set(['Z', 'E', 'AE', 'K', 'G', 'O'])
/** Categories that require a reason for charging no tax. */
const EXPLAINED = new Set(['E', 'AE', 'K', 'G', 'O'])

function taxes(invoice: InvoiceData, say: Say) {
  const { taxes: breakdown, adjustments, totals: said, seller, buyer } = invoice
  const all = countedLines(invoice)
  say(!breakdown.length, 'BR-CO-18', 'taxes', 'What tax is charged is missing.')
  for (const [n, { category, rate, base, tax, reason }] of breakdown.entries()) {
    const field = `taxes.${n}`
    say(base === null, 'BR-45', `${field}.base`, 'What the tax is charged on is missing.')
    say(tax === null, 'BR-46', `${field}.tax`, 'The tax is missing.')
    say(!category, 'BR-47', `${field}.category`, 'The category of the tax is missing.')
    say(hasMore(base), 'BR-DEC-19', `${field}.base`, TWO_DECIMALS)
    say(hasMore(tax), 'BR-DEC-20', `${field}.tax`, TWO_DECIMALS)
    if (!category) continue
    const called = CATEGORIES[category]
    say(!called, 'BR-CL-17', `${field}.category`, `There is no category ${category}.`)
    say(rate === null && category !== 'O', 'BR-48', `${field}.rate`, 'The rate is missing.')
    if (!called || base === null || tax === null || (rate === null && category !== 'O')) continue
    if (UNTAXED.has(category)) {
      say(tax !== 0, `BR-${called}-09`, `${field}.tax`, `No tax is charged in the category ${category}.`)
      say((rate ?? 0) !== 0, `BR-${called}-05`, `${field}.rate`, `The category ${category} has the rate 0.`)
    } else {
      const due = decimal(base)
        .times(rate ?? 0)
        .div(100)
      const isFarOff = due.round(2).minus(tax).abs().gte(1)
      say(isFarOff, 'BR-CO-17', `${field}.tax`, `Is ${tax}, but ${rate} % of ${base} is ${due.round(2).toFixed()}.`)
    }
    say(EXPLAINED.has(category) && !reason, `BR-${called}-10`, `${field}.reason`, 'Why no tax is charged is missing.')
    // S has a subtotal per rate, the other categories have one each.
    const isOf = (one: { category: string | null; rate: number | null }) =>
      one.category === category && (UNTAXED.has(category) || (one.rate ?? 0) === (rate ?? 0))
    const within = sum(all.filter(isOf).map(({ net }) => net)).plus(signed(adjustments.filter(isOf)))
    const isOther = all.length > 0 && within.minus(base).abs().gte(1)
    say(
      isOther,
      `BR-${called}-08`,
      `${field}.base`,
      `Is ${base}, but what is charged by this rate comes to ${within.round(2).toFixed()}.`,
    )
  }
  const named = new Set(breakdown.map(({ category }) => category))
  for (const category of new Set(all.map((line) => line.category)))
    say(
      !!category && breakdown.length > 0 && !named.has(category),
      `BR-${CATEGORIES[category!] ?? category}-01`,
      'taxes',
      `Lines are in the category ${category}, and no tax is.`,
    )
  const isTaxed = said.tax !== null && said.tax !== 0
  say(isTaxed && !seller.vat_id && !seller.tax_number, 'BR-S-02', 'seller.vat_id', 'The tax number of the seller is missing.')
  say(
    named.has('AE') && !buyer.vat_id && !buyer.registration,
    'BR-AE-02',
    'buyer.vat_id',
    'Reverse charge needs the buyer’s VAT id.',
  )
  say(named.has('K') && !buyer.vat_id, 'BR-IC-02', 'buyer.vat_id', 'An intra-Community supply needs the buyer’s VAT id.')
}
