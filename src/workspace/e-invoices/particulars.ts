/**
 * Particulars that the law of the seller's country requires on an invoice, as data. Each row names its sources; no row was
 * reviewed by a tax adviser of the country (`reviewed: false`). Missing particulars are a notice and never an error: Atrium
 * doesn't know whether an exception applies.
 */

/** Particulars that a row may require, by their names in replies. */
export const PARTICULARS = [
  'seller_address',
  'seller_tax_id',
  'seller_vat_id',
  'buyer_name',
  'buyer_address',
  'buyer_tax_id',
  'due_date',
] as const
export type Particular = (typeof PARTICULARS)[number]

export interface CountryRules {
  /** Texts of law, with article and paragraph. */
  sources: string[]
  /** Whether a tax adviser of the country has reviewed the row. */
  reviewed: boolean
  /**
   * Day or period of supply: `always` if the invoice must contain it even if it is the day of issue; `if_different` only if it is
   * another day, which only the user knows.
   */
  supplyDate: 'always' | 'if_different'
  asks: Particular[]
  /** Total, tax included, up to which particulars of the buyer aren't required. */
  simplified?: { upTo: number; currency: string }
}

const SELLER_AND_BUYER: Particular[] = ['seller_address', 'seller_vat_id', 'buyer_name', 'buyer_address']
const DIRECTIVE = 'Directive 2006/112/EC, article 226'

const RULES: Record<string, CountryRules> = {
  DE: {
    sources: ['§ 14 (4) UStG', '§ 31 (4) UStDV', '§ 33 UStDV', 'UStAE 14.5 (16)'],
    reviewed: false,
    supplyDate: 'always',
    asks: ['seller_address', 'seller_tax_id', 'buyer_name', 'buyer_address'],
    simplified: { upTo: 250, currency: 'EUR' },
  },
  AT: {
    sources: ['§ 11 (1) UStG 1994', '§ 11 (6) UStG 1994'],
    reviewed: false,
    supplyDate: 'always',
    asks: SELLER_AND_BUYER,
    simplified: { upTo: 400, currency: 'EUR' },
  },
  CH: {
    sources: ['Art. 26 (2) MWSTG', 'Art. 57 MWSTV'],
    reviewed: false,
    supplyDate: 'if_different',
    asks: SELLER_AND_BUYER,
    simplified: { upTo: 400, currency: 'CHF' },
  },
  FR: {
    sources: ['CGI, annexe II, art. 242 nonies A', 'Code de commerce, art. L. 441-9'],
    reviewed: false,
    supplyDate: 'if_different',
    asks: [...SELLER_AND_BUYER, 'due_date'],
  },
  IT: {
    sources: ['D.P.R. 633/1972, art. 21 (2)', 'D.P.R. 633/1972, art. 21-bis'],
    reviewed: false,
    supplyDate: 'if_different',
    asks: [...SELLER_AND_BUYER, 'buyer_tax_id'],
    simplified: { upTo: 400, currency: 'EUR' },
  },
  ES: {
    sources: ['Real Decreto 1619/2012, art. 6', 'Real Decreto 1619/2012, art. 4'],
    reviewed: false,
    supplyDate: 'if_different',
    asks: [...SELLER_AND_BUYER, 'buyer_tax_id'],
    simplified: { upTo: 400, currency: 'EUR' },
  },
  NL: {
    sources: ['Wet op de omzetbelasting 1968, art. 35a'],
    reviewed: false,
    supplyDate: 'if_different',
    asks: SELLER_AND_BUYER,
    simplified: { upTo: 100, currency: 'EUR' },
  },
  BE: {
    sources: ['KB nr. 1, art. 5'],
    reviewed: false,
    supplyDate: 'if_different',
    asks: [...SELLER_AND_BUYER, 'buyer_tax_id'],
  },
  PL: {
    sources: ['Ustawa o VAT, art. 106e (1)', 'Ustawa o VAT, art. 106e (5)'],
    reviewed: false,
    supplyDate: 'if_different',
    asks: [...SELLER_AND_BUYER, 'buyer_tax_id'],
    simplified: { upTo: 450, currency: 'PLN' },
  },
  GB: {
    sources: ['The Value Added Tax Regulations 1995, reg. 14', 'The Value Added Tax Regulations 1995, reg. 16'],
    reviewed: false,
    supplyDate: 'if_different',
    asks: SELLER_AND_BUYER,
    simplified: { upTo: 250, currency: 'GBP' },
  },
}

/** Member states of the Union without a row of their own: the directive's requirements for all of them. */
const MEMBERS = new Set('BG CY CZ DK EE EL FI GR HR HU IE LT LU LV MT PT RO SE SI SK'.split(' '))
const OF_THE_UNION: CountryRules = {
  sources: [DIRECTIVE],
  reviewed: false,
  supplyDate: 'if_different',
  asks: SELLER_AND_BUYER,
}

/** Returns the rules of the seller's country; undefined if none are known, or no country is set. */
export const rulesIn = (country: string | null | undefined): CountryRules | undefined =>
  RULES[country ?? ''] ?? (MEMBERS.has(country ?? '') ? OF_THE_UNION : undefined)

/** Whether an invoice must contain the day of supply even if it is the day of issue. */
export const asksSupplyDate = (country: string | null | undefined) => rulesIn(country)?.supplyDate === 'always'
