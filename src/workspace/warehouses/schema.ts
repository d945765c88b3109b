import { z } from 'zod'
import { actorRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import { optionalText, stamps, text } from '#kernel/values/fields.ts'

export const CreateWarehouse = z.object({
  name: text(255),
  code: text(50),
  address: optionalText(1000),
  is_default: z.boolean().default(false),
  is_active: z.boolean().default(true),
})

export const Warehouse = view('warehouses', 'Warehouse', {
  id: z.int(),
  name: z.string(),
  code: z.string().meta({ description: 'Short name, unique among the warehouses.', examples: ['MAIN'] }),
  address: z.string().nullable(),
  is_default: z.boolean(),
  is_active: z.boolean(),
  creator: actorRef('created_by'),
  ...stamps,
})
