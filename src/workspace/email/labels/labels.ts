/** Labels of a mailbox: the user's own, not known to the server (EML-13). */
import { z } from 'zod'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import { view } from '#kernel/records/view.ts'
import { hardStamps, text } from '#kernel/values/fields.ts'
import { ofMyAccounts } from '../accounts/mine.ts'

export const CreateLabel = z.object({
  name: text(100),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'Must be a colour such as #1A2B3C.')
    .nullish(),
  sort_order: z.int('Must be a whole number.').min(0).max(1_000_000).default(0),
})

export const Label = view('email_labels', 'EmailLabel', {
  uuid: z.string(),
  name: z.string(),
  color: z.string().nullable(),
  sort_order: z.int(),
  ...hardStamps,
})

export const labels = lookupTable({
  table: 'email_labels',
  noun: 'label',
  item: Label,
  key: 'uuid',
  scope: ofMyAccounts('email_labels'),
  unique: { email_labels_name: { name: 'Another label of this mailbox has this name.' } },
})

export const labelList = listing(labels, {
  order: { by: ['sort_order', 'name'] },
  hardDeleted: true,
})
