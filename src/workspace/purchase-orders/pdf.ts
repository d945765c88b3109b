/** Print model of an order (PO-39), frozen when it is sent. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { readByIds } from '#kernel/records/view.ts'
import {
  addressLines,
  chipOf,
  drawingOf,
  type Paper,
  printed,
  printedDates,
  printedNumbers,
  stationeryOf,
} from '#workspace/billing-documents/public.ts'
import { wordsOf } from '#workspace/document-texts/public.ts'
import { type Issuable, paperOf } from '#workspace/issued-documents/public.ts'
import { vendorsEvenDeleted } from '#workspace/vendors/public.ts'
import { type Order, orders } from './orders.ts'
import { OrderDetail } from './schema.ts'

const Printed = OrderDetail.pick({
  ...{ id: true, number: true, title: true, currency: true, order_date: true, expected_date: true, vendor_id: true, notes: true },
  ...{ subtotal: true, tax_total: true, total: true, lines: true, tax_breakdown: true },
})

export const issuableOrder: Issuable = {
  of: orders,
  async papers(ctx, ids) {
    const read = await readByIds(ctx, Printed, 'purchase_orders', ids)
    const vendors = await vendorsEvenDeleted(
      ctx,
      read.map(({ vendor_id }) => vendor_id),
    )
    const { branding, written, say } = (await stationeryOf(ctx))([])
    return new Map(
      read.map((order): [number, Paper] => {
        const { number, title, currency, order_date, expected_date, lines, notes } = order
        const { name, address, email, phone, tax_id } = vendors.get(order.vendor_id)!
        const print = printed(say, currency)
        const says = {
          ...branding,
          kind: say('kind_purchase_order'),
          ...{ number, title, issued_on: order_date, currency, notes },
          dates: printedDates(say, { order_date, expected_date }),
          recipient: {
            label: say('vendor'),
            name,
            lines: addressLines([address, email, phone, ...printedNumbers(say, { tax_id })]),
          },
          lines: lines.map(print.line),
          ...print.totals(order),
        }
        return [order.id, { printed: says, ...written }]
      }),
    )
  },
}

/** Returns the specification of the order's PDF, which is rendered later. 422 on `status` before the order was sent. */
export async function orderPdf(ctx: Ctx, order: Order): Promise<PdfSpec> {
  if (!order.sent_at) throw invalid({ status: 'Send the purchase order first; a draft has no PDF.' })
  const paper = await paperOf(ctx, issuableOrder, order.id)
  return drawingOf(paper, { status: chipOf(await wordsOf(ctx, paper), order.status) })
}
