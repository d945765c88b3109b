import { z } from 'zod'
import { actorRef, rowRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import { changesOf, id, optionalText, stamps, text } from '#kernel/values/fields.ts'
import { linkFields, links } from './links.ts'

/** DOC-01, DOC-02. */
const texts = { title: text(255), description: optionalText(5000) }
/** DOC-03, DOC-08. */
const ids = { category_id: id().nullish().meta({ 'x-refers-to': 'document_category' }), ...linkFields }

/** A form sends a number as text, and none as an empty one. */
function fromForm(sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map(fromForm)
  if (sent === '') return null
  return typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent
}

/** A list of one may be sent as a single text, an empty list as an empty text. */
const listFromForm = (sent: unknown) => fromForm(typeof sent === 'string' ? (sent === '' ? [] : [sent]) : sent)

const idsOfForms = Object.fromEntries(
  Object.entries(ids).map(([field, schema]) => [
    field,
    z.preprocess(field in linkFields ? listFromForm : fromForm, schema).optional(),
  ]),
) as unknown as typeof ids

/** Fields sent with a file (DOC-14). */
export const CreateDocument = z.object({ ...texts, ...idsOfForms })
/** Changes sent as JSON (DOC-15). */
export const ChangeDocument = changesOf(z.object({ ...texts, ...ids }))
/** Changes sent as a form (DOC-16). */
export const ChangeByForm = changesOf(CreateDocument)

/** Ids of a bulk action (DOC-17). */
export const DocumentIds = z.object({
  ids: z
    .array(id())
    .min(1, 'Must name at least one document.')
    .max(100, 'Must be at most 100 ids.')
    .refine((all) => new Set(all).size === all.length, 'Must name each document once.'),
})
/** Result of a bulk action (DOC-18). */
export const BulkResult = z
  .object({ processed: z.int(), failed: z.array(z.object({ id: z.int(), message: z.string() })) })
  .meta({ id: 'BulkResult' })

/** DOC-04, DOC-09. The file's place in the storage is never exposed (DOC-10). */
export const Document = view('documents', 'Document', {
  id: z.int(),
  title: z.string(),
  description: z.string().nullable(),
  category_id: z.int().nullable(),
  category: rowRef('category_id', 'document_categories'),
  original_name: z
    .string()
    .meta({ description: 'Name of the file as it was uploaded: downloads have it.', examples: ['Contract.pdf'] }),
  mime: z.string(),
  size_bytes: z.int(),
  links,
  created_by: z.int().nullable(),
  creator: actorRef('created_by'),
  ...stamps,
})
