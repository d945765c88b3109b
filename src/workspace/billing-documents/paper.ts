/** A document on paper: what it says for good, and beside it what has become of it. */
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import type { Say, Written } from '#workspace/document-texts/public.ts'
import type { CustomerDocument } from './customer-document.ts'
import { type BillingDocumentPdf, billingDocument } from './pdf.ts'

/** What a document says. It is frozen when the document is issued; until then it is made anew each time. */
export interface Paper extends Written {
  printed: BillingDocumentPdf
  /** A key in the storage. */
  logo: string | null
  /** The time zone of `printed`: for what is added to it later, as its languages are. */
  timezone: string
  /** The e-invoice that was issued inside its PDF. */
  xml?: string | null
}

/** Of a document that customers read and accept. */
export interface OfferPaper extends Paper {
  shown: CustomerDocument
}

/** What has become of a document since: what was paid of it, that it was cancelled, who signed it. */
export type Since = Pick<BillingDocumentPdf, 'status' | 'settlement' | 'tables' | 'signature' | 'transfer'>

/** The PDF of a paper, still to be drawn. `signature` is the storage key of a drawn one. */
export const drawingOf = (
  { printed, logo, xml }: Paper,
  since: Partial<BillingDocumentPdf> = {},
  { signature }: { signature?: string | null } = {},
): PdfSpec => ({ ...billingDocument({ ...printed, ...since }, { logo, signature }), ...(xml ? { xml } : {}) })

const CHIPS = ['draft', 'partial', 'paid', 'accepted', 'cancelled', 'voided', 'terminated'] as const

/** The chip on a document: the states that its recipient needs to know. That it was sent, they see. */
export function chipOf(say: Say, status: string): string | null {
  const known = CHIPS.find((chip) => chip === status)
  return known ? say(`state_${known}`) : null
}
