/** Texts in e-invoices, in the document's languages. */
import { noticesIn, type TaxCategory } from '#workspace/billing-documents/public.ts'
import type { Say } from '#workspace/document-texts/public.ts'

export interface Words {
  /** BT-139 */
  discount: string
  /** BT-120: why no tax is charged, unless a line has its own reason. */
  notices: Partial<Record<TaxCategory, string>>
}

/** Default for documents issued before their texts were stored. */
export const ENGLISH: Words = {
  discount: 'Discount',
  notices: {
    AE: 'Reverse charge',
    K: 'Intra-Community supply',
    G: 'Export outside the EU',
    O: 'Not subject to VAT',
  },
}

/** Returns the texts of an e-invoice in a document's languages. */
export const wordsIn = (say: Say): Words => ({ discount: say('discount'), notices: noticesIn(say) })

/** Codes of the reasons for charging no tax (CEF VATEX). */
export const VATEX: Partial<Record<TaxCategory, string>> = {
  AE: 'VATEX-EU-AE',
  K: 'VATEX-EU-IC',
  G: 'VATEX-EU-G',
  O: 'VATEX-EU-O',
}
