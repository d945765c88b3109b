/** A kind of document that a customer can accept by a link. Its module provides the parts of its own; the rest is shared here. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'
import type { OfferPaper } from '#workspace/billing-documents/public.ts'
import { type Issuable, paperOf } from '#workspace/issued-documents/public.ts'

/** Columns of every such document. While it is `sent` it waits for an answer. */
export interface Offered {
  id: number
  number: string
  title: string
  status: string
  contact_id: number | null
  company_id: number | null
  assigned_to: number | null
  created_by: number | null
  valid_until?: string | null
  ends_on?: string | null
}

export interface Acceptable extends Issuable<OfferPaper> {
  /** Column of the last day on which it can be accepted; null for no limit. */
  lastDay: 'valid_until' | 'ends_on'
  /** Called when the customer has accepted it: changes its state and emits the event. */
  accepted(ctx: Ctx, document: any): Promise<unknown>
}

const MAX_LENGTH = 1_000_000

/**
 * Returns the text that a signature covers: the document as JSON with its keys in order (RFC 8785), so that the same document
 * always has the same hash. 422 on `lines` if it is too long to be stored.
 */
export async function canonicalText(ctx: Ctx, offered: Acceptable, id: number) {
  const paper = await paperOf(ctx, offered, id)
  const text = JSON.stringify(paper.shown, inOrder)
  if (text.length > MAX_LENGTH)
    throw invalid({ lines: `The document has ${text.length} characters; at most ${MAX_LENGTH} can be accepted by a link.` })
  return { paper, text, hash: sha256(text).toString('hex') }
}

const inOrder = (_: string, value: unknown) =>
  value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
