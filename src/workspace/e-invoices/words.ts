/** What e-invoices say in words. */
import type { TaxCategory } from '#workspace/billing-documents/public.ts'

/** BT-139 */
export const DISCOUNT = 'Discount'

/** Codes of why no tax is charged (CEF VATEX). */
export const VATEX: Partial<Record<TaxCategory, string>> = {
  AE: 'VATEX-EU-AE',
  K: 'VATEX-EU-IC',
  G: 'VATEX-EU-G',
  O: 'VATEX-EU-O',
}

/** BT-120: the same in words, unless a line has its own. */
export const NOTICES: Partial<Record<TaxCategory, string>> = {
  AE: 'Reverse charge',
  K: 'Intra-Community supply',
  G: 'Export outside the EU',
  O: 'Not subject to VAT',
}
