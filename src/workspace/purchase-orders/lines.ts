/** The lines of an order: what is ordered, and what it comes to. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { computeTotals, type TaxRounding } from '#workspace/billing-documents/public.ts'
import { productsFor } from '#workspace/products/public.ts'
import type { LineInput } from './schema.ts'

type Priced = ReturnType<typeof computeTotals<LineInput>>

/** Checks the lines' products and computes every amount; nothing is written. */
export async function priceLines(ctx: Ctx, lines: LineInput[], currency: string, rounding: TaxRounding): Promise<Priced> {
  await checkProducts(ctx, lines)
  return computeTotals(lines, currency, rounding)
}

/** 422 on `lines.N.product_id` unless Products is installed and permitted and the product is live and active (PO-13). */
async function checkProducts(ctx: Ctx, lines: LineInput[]) {
  const ids = lines.flatMap((line) => line.product_id ?? [])
  if (!ids.length) return
  const found = ctx.can('products.view') ? await productsFor(ctx, ids) : new Map()
  const wrong = lines.flatMap((line, n) => (line.product_id != null && !found.has(line.product_id) ? [n] : []))
  if (wrong.length)
    throw invalid(
      Object.fromEntries(wrong.map((n) => [`lines.${n}.product_id`, 'There is no such active product that you may use.'])),
    )
}

/** Puts the lines in place of whatever the order had. */
export async function replaceLines(ctx: Ctx, orderId: number, lines: Priced['lines']) {
  await ctx.tx
    .deleteFrom('purchase_order_lines')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('purchase_order_id', '=', orderId)
    .execute()
  await addLines(ctx, orderId, lines)
}

export async function addLines(ctx: Ctx, orderId: number, lines: Priced['lines']) {
  if (!lines.length) return
  const rows = lines.map((line, n) => ({
    ...line,
    tenant_id: ctx.tenant.id,
    purchase_order_id: orderId,
    sort_order: line.sort_order ?? n,
  }))
  await ctx.tx.insertInto('purchase_order_lines').values(rows).execute()
}

/** The stored lines as they could be sent, to compute them anew in another currency. */
export async function storedLines(ctx: Ctx, orderId: number): Promise<LineInput[]> {
  return ctx.tx
    .selectFrom('purchase_order_lines')
    .select(['description', 'quantity', 'unit_price', 'tax_rate', 'sort_order', 'product_id'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('purchase_order_id', '=', orderId)
    .orderBy('sort_order')
    .orderBy('id')
    .execute()
}
