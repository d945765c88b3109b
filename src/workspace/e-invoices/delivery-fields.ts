/** Fields of invoices and credit notes about the delivery and the buyer's references (BT-72, BG-14, BT-10, BT-13). */
import { z } from 'zod'
import { invalid } from '#kernel/errors.ts'
import { date, optionalDate, optionalText } from '#kernel/values/fields.ts'

const said = {
  delivery_date: {
    description: 'Day of the delivery; null: the period says it, or it is the day of issue.',
    examples: ['2026-11-18'],
  },
  delivery_period_start: { description: 'First day of what is charged for; null: none.', examples: ['2026-11-01'] },
  delivery_period_end: { description: 'Last day of what is charged for; null: none.', examples: ['2026-11-30'] },
  buyer_reference: {
    description: 'What the buyer wants to read on it, such as a Leitweg-ID; null: what is set for the customer.',
    examples: ['04011000-12345-03'],
  },
  order_reference: { description: 'Number of the buyer’s order; null: none.', examples: ['PO-4711'] },
}

/** Fields in input. */
export const deliveryInput = {
  delivery_date: optionalDate().meta(said.delivery_date),
  delivery_period_start: optionalDate().meta(said.delivery_period_start),
  delivery_period_end: optionalDate().meta(said.delivery_period_end),
  buyer_reference: optionalText(100).meta(said.buyer_reference),
  order_reference: optionalText(100).meta(said.order_reference),
}

/** Fields in detail views. */
export const deliveryShown = {
  delivery_date: date().nullable().meta(said.delivery_date),
  delivery_period_start: date().nullable().meta(said.delivery_period_start),
  delivery_period_end: date().nullable().meta(said.delivery_period_end),
  buyer_reference: z.string().nullable().meta(said.buyer_reference),
  order_reference: z.string().nullable().meta(said.order_reference),
}

interface Delivered {
  delivery_period_start?: string | null
  delivery_period_end?: string | null
}

/** 422 on `delivery_period_end` before its start (BR-29). `before` has the stored values. */
export function refuseDelivery(sent: Delivered, before: Delivered = {}) {
  const { delivery_period_start: start, delivery_period_end: end } = { ...before, ...sent }
  if (start && end && end < start) throw invalid({ delivery_period_end: 'Must not be before delivery_period_start.' })
}
