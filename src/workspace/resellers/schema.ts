import { z } from 'zod'
import { actorRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import {
  exact,
  formatted,
  longText,
  optionalEmail,
  optionalText,
  optionalWebsite,
  percentage,
  stamps,
  text,
} from '#kernel/values/fields.ts'

export const CreateReseller = z.object({
  name: text(255),
  email: optionalEmail(),
  phone: optionalText(50, 'phone'),
  website: optionalWebsite(),
  commission_rate: percentage().nullish(),
  address: optionalText(1000),
  tax_id: optionalText(100),
  notes: optionalText(),
  is_active: z.boolean().default(true),
})

export const Reseller = view('resellers', 'Reseller', {
  id: z.int(),
  name: z.string(),
  email: formatted('email').nullable(),
  phone: formatted('phone').nullable(),
  website: formatted('website').nullable(),
  commission_rate: exact('percentage')
    .nullable()
    .meta({
      description: 'Share of a sale in percent that the reseller is promised; for information, nothing is computed of it.',
      examples: [10],
    }),
  address: longText().nullable(),
  tax_id: z.string().nullable(),
  notes: longText().nullable(),
  is_active: z.boolean(),
  creator: actorRef('created_by'),
  ...stamps,
})
