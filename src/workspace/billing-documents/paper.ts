/** A printed document: its permanent content, and its current state. */
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import type { Say, Written } from '#workspace/document-texts/public.ts'
import type { CustomerDocument } from './customer-document.ts'
import { type BillingDocumentPdf, billingDocument } from './pdf.ts'

/** Content of a document. It is frozen when the document is issued; until then it is computed each time. */
export interface Paper extends Written {
  printed: BillingDocumentPdf
  /** Storage key. */
  logo: string | null
  /** Time zone of `printed`, also used for later additions, like its languages. */
  timezone: string
  /** E-invoice embedded in its PDF when it was issued. */
  xml?: string | null
}

/** A document that customers read and accept. */
export interface OfferPaper extends Paper {
  shown: CustomerDocument
}

/** Current state of a document: payments, cancellation, signature. */
export type Since = Pick<BillingDocumentPdf, 'status' | 'settlement' | 'tables' | 'signature' | 'transfer'>

/** Spec of the PDF, rendered later. `signature` is the storage key of a drawn one. */
export const drawingOf = (
  { printed, logo, xml }: Paper,
  since: Partial<BillingDocumentPdf> = {},
  { signature }: { signature?: string | null } = {},
): PdfSpec => ({ ...billingDocument({ ...printed, ...since }, { logo, signature }), ...(xml ? { xml } : {}) })

const CHIPS = ['draft', 'partial', 'paid', 'accepted', 'cancelled', 'voided', 'terminated'] as const

/** Returns the status badge of a document, for states that its recipient needs to know. "Sent" is obvious to them. */
export function chipOf(say: Say, status: string): string | null {
  const known = CHIPS.find((chip) => chip === status)
  return known ? say(`state_${known}`) : null
}
