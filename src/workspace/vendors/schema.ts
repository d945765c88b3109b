import { z } from 'zod'
import { UserRef } from '#kernel/records/embed.ts'
import { email, instant, optionalText, text } from '#kernel/values/fields.ts'

export const CreateVendor = z.object({
  name: text(255),
  email: email().nullish(),
  phone: optionalText(50),
  website: optionalText(255),
  address: optionalText(1000),
  tax_id: optionalText(100),
  notes: optionalText(),
  is_active: z.boolean().default(true),
})

export const UpdateVendor = CreateVendor.extend({ is_active: z.boolean() }).partial()

export const Vendor = z
  .object({
    id: z.int(),
    name: z.string(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    website: z.string().nullable(),
    address: z.string().nullable(),
    tax_id: z.string().nullable(),
    notes: z.string().nullable(),
    is_active: z.boolean(),
    creator: UserRef.nullable(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().nullable(),
  })
  .meta({ id: 'Vendor' })
