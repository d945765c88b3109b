import { z } from 'zod'
import { actorRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import { exact, level, longText, money, optionalText, percentage, stamps, text, unitPrice } from '#kernel/values/fields.ts'

export const CreateProduct = z.object({
  name: text(255),
  sku: text(100),
  description: optionalText(),
  unit_price: unitPrice().default('0'),
  tax_rate: percentage().default('0'),
  track_stock: z.boolean().default(true),
  reorder_level: level().default('0'),
  is_active: z.boolean().default(true),
})

export const Product = view('products', 'Product', {
  id: z.int(),
  name: z.string(),
  sku: z.string().meta({
    description: 'Stock keeping unit: the number by which the product is ordered and counted, unique in the workspace.',
    examples: ['DESK-OAK'],
  }),
  description: longText().nullable(),
  unit_price: money(),
  tax_rate: exact('percentage'),
  track_stock: z.boolean().describe('Whether stock of it is kept. Of a product without, orders and adjustments move nothing.'),
  reorder_level: exact('quantity').meta({
    description: 'At this quantity or less it counts as low, in each warehouse by itself; 0: never.',
    examples: [5],
  }),
  is_active: z.boolean(),
  creator: actorRef('created_by'),
  ...stamps,
})
