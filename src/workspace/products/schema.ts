import { z } from 'zod'
import { userRef } from '#kernel/records/embed.ts'
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
  sku: z.string(),
  description: longText().nullable(),
  unit_price: money(),
  tax_rate: exact('percentage'),
  track_stock: z.boolean(),
  reorder_level: exact('quantity'),
  is_active: z.boolean(),
  creator: userRef('created_by'),
  ...stamps,
})
