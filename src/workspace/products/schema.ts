import { z } from 'zod'
import { UserRef } from '#kernel/records/embed.ts'
import { decimal, instant, optionalText, percentage, text, unitPrice } from '#kernel/values/fields.ts'
import { toNumber } from '#kernel/values/money.ts'

const reorderLevel = () => decimal({ places: 6, min: 0, max: 999_999_999 })

export const CreateProduct = z.object({
  name: text(255),
  sku: text(100),
  description: optionalText(),
  unit_price: unitPrice().default('0'),
  tax_rate: percentage().default('0'),
  track_stock: z.boolean().default(true),
  reorder_level: reorderLevel().default('0'),
  is_active: z.boolean().default(true),
})

export const UpdateProduct = CreateProduct.extend({
  unit_price: unitPrice(),
  tax_rate: percentage(),
  track_stock: z.boolean(),
  reorder_level: reorderLevel(),
  is_active: z.boolean(),
}).partial()

export const Product = z
  .object({
    id: z.int(),
    name: z.string(),
    sku: z.string(),
    description: z.string().nullable(),
    unit_price: z.number(),
    tax_rate: z.number().meta({ description: 'Percent.' }),
    track_stock: z.boolean(),
    reorder_level: z.number(),
    is_active: z.boolean(),
    creator: UserRef.nullable(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().nullable(),
  })
  .meta({ id: 'Product' })

/** Exact decimals leave as JSON numbers. */
export const present = <P extends { unit_price: string; tax_rate: string; reorder_level: string }>(product: P) => ({
  ...product,
  unit_price: toNumber(product.unit_price),
  tax_rate: toNumber(product.tax_rate),
  reorder_level: toNumber(product.reorder_level),
})
