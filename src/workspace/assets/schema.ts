import { z } from 'zod'
import { actorRef, nameRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
import {
  amount,
  changesOf,
  choice,
  currency,
  date,
  formatted,
  longText,
  money,
  optionalDate,
  optionalRef,
  optionalText,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { lifecycle } from './lifecycle.ts'

/** `code` is printed on its label; `employee_id` is its holder; `purchase_price` is in `currency`, by default the workspace's. */
export const CreateAsset = z.object({
  name: text(255),
  code: optionalText(50).transform((code) => code?.trim() ?? code),
  status: choice(lifecycle.states).default(lifecycle.initial),
  serial_number: optionalText(100),
  location: optionalText(255),
  employee_id: optionalRef('employee').meta({ description: 'Id of the employee who has it; null: nobody.', examples: [4] }),
  purchase_date: optionalDate(),
  purchase_price: amount().nullish(),
  currency: currency().optional(),
  description: optionalText(),
})
export const UpdateAsset = changesOf(CreateAsset)

export const Asset = view('assets', 'Asset', {
  id: z.int(),
  name: z.string(),
  code: z
    .string()
    .nullable()
    .meta({ description: 'What stands on its label, unique whatever its case; null: it has none.', examples: ['NB-017'] }),
  status: choice(lifecycle.states),
  serial_number: z
    .string()
    .nullable()
    .meta({ description: 'Given by the manufacturer.', examples: ['C02XK1'] }),
  location: z
    .string()
    .nullable()
    .meta({ description: 'Where it is, in words.', examples: ['Office Hamburg, room 4'] }),
  employee_id: z.int().nullable(),
  employee: nameRef('employee_id', 'employee'),
  purchase_date: date().nullable().describe('Day on which it was bought.'),
  purchase_price: money()
    .nullable()
    .meta({ description: 'What was paid for it, in `currency`.', examples: [1299] }),
  currency: formatted('currency'),
  description: longText().nullable(),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

export const AssetDetail = extended(Asset, 'AssetDetail', { notes: newestNotes(), activities: activities() })
