/** Totals of a document with lines when it is created and changed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { type Changes, type RecordTable, type Resource, type Row, replaceChildren } from '#kernel/records/resource.ts'
import { updateRecord } from '#kernel/records/saving.ts'
import { refuseContradictions } from './line-taxes.ts'
import { childrenOf, type LineInput, type LineTable, storedLines } from './lines.ts'
import { computeTotals, type DiscountType, type Pricing, type Totals } from './totals.ts'

interface Sent {
  currency?: string
  line_discount_type?: DiscountType
  lines?: LineInput[]
}

/** Computes lines and totals in the table's columns: one without discounts has no column for their sum. */
function priced(of: LineTable, lines: LineInput[], pricing: Pricing) {
  refuseContradictions(lines)
  const { totals, lines: computed } = computeTotals(lines, pricing)
  const { discount_total, ...undiscounted } = totals
  const stored: Omit<Totals, 'discount_total'> & { discount_total?: string } = of.columns.includes('discount')
    ? totals
    : undiscounted
  return { totals: stored, lines: computed }
}

/**
 * Returns columns and lines of a new document, for `createRecord`: by default in the workspace's currency, with its current tax
 * rounding.
 */
export async function priceNew(
  ctx: Ctx,
  of: LineTable,
  { currency = ctx.tenant.currency, line_discount_type, lines = [] }: Sent,
) {
  const tax_rounding = await ctx.setting('tax_rounding')
  const { totals, lines: computed } = priced(of, lines, { currency, tax_rounding, line_discount_type })
  return { currency, tax_rounding, ...totals, children: childrenOf(of, computed) }
}

/**
 * Returns new totals and a function that stores the lines if lines, currency or type of discount change; undefined if nothing
 * does.
 */
export async function priceChanged(ctx: Ctx, of: LineTable, document: Pricing & { id: number }, sent: Sent) {
  const { currency = document.currency, line_discount_type = document.line_discount_type } = sent
  const stays = currency === document.currency && line_discount_type === document.line_discount_type
  if (!sent.lines && stays) return undefined
  const lines = sent.lines ?? (await storedLines(ctx, of, document.id))
  const { totals, lines: computed } = priced(of, lines, { currency, tax_rounding: document.tax_rounding, line_discount_type })
  return { totals, store: () => replaceChildren(ctx, document.id, childrenOf(of, computed)) }
}

/**
 * Changes the sent fields of a document with lines. Drafts only, otherwise 422 on `status`: a document that was sent never
 * changes.
 */
export async function updateDraft<T extends RecordTable>(
  ctx: Ctx,
  documents: Resource<T>,
  { schema, lines }: { schema: z.ZodObject; lines: LineTable },
  document: Row<T> & Pricing & { id: number; status: string },
  body: Sent & Record<string, unknown>,
) {
  const changed = await priceChanged(ctx, lines, document, body)
  await updateRecord(ctx, documents, schema, document, body, changed?.totals as Changes<T> | undefined, {
    field: 'lines',
    store: () => changed?.store(),
  })
}
