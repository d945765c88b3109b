import { z } from 'zod'
import { UserRef } from '#kernel/records/embed.ts'
import { instant, optionalText, text } from '#kernel/values/fields.ts'

export const CreateWarehouse = z.object({
  name: text(255),
  code: text(50),
  address: optionalText(1000),
  is_default: z.boolean().default(false),
  is_active: z.boolean().default(true),
})

export const UpdateWarehouse = CreateWarehouse.extend({ is_default: z.boolean(), is_active: z.boolean() }).partial()

export const Warehouse = z
  .object({
    id: z.int(),
    name: z.string(),
    code: z.string(),
    address: z.string().nullable(),
    is_default: z.boolean(),
    is_active: z.boolean(),
    creator: UserRef.nullable(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().nullable(),
  })
  .meta({ id: 'Warehouse' })
