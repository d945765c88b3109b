import { z } from 'zod'
import { actorRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import { formatted, longText, optionalEmail, optionalText, optionalWebsite, stamps, text } from '#kernel/values/fields.ts'

export const CreateVendor = z.object({
  name: text(255),
  email: optionalEmail(),
  phone: optionalText(50, 'phone'),
  website: optionalWebsite(),
  address: optionalText(1000),
  tax_id: optionalText(100),
  notes: optionalText(),
  is_active: z.boolean().default(true),
})

export const Vendor = view('vendors', 'Vendor', {
  id: z.int(),
  name: z.string(),
  email: formatted('email').nullable(),
  phone: formatted('phone').nullable(),
  website: formatted('website').nullable(),
  address: longText().nullable(),
  tax_id: z.string().nullable(),
  notes: longText().nullable(),
  is_active: z.boolean(),
  creator: actorRef('created_by'),
  ...stamps,
})
