/** Event feeds of both APIs: their query, their `meta` and their errors. */
import { z } from 'zod'
import type { Services } from '../context.ts'
import { HttpError, invalid } from '../errors.ts'

/** Retention of events in feeds, in seconds. */
export const eventsKept = ({ config }: Pick<Services, 'config'>) => config.KEEP_EVENTS_DAYS * 86_400

const MAX_PAGE = 1000

/** Query of an event feed. */
export const FeedQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'Must be the id of an event.')
    .meta({
      override: { type: 'integer', minimum: 0, pattern: undefined },
      description: 'The id of the last event that you have.',
    })
    .transform(Number)
    .optional(),
  types: z
    .string()
    .max(2000)
    .meta({ description: 'Types, separated by commas: `invoice.paid,vendor.*`.' })
    .transform((text) => [...new Set(text.split(',').map((type) => type.trim()))].filter((type) => type))
    .optional(),
  limit: z
    .string()
    .regex(/^\d{1,6}$/, 'Must be a whole number.')
    .meta({
      override: { type: 'integer', minimum: 1, maximum: MAX_PAGE, pattern: undefined },
      description: `How many events are answered at most, up to ${MAX_PAGE}.`,
    })
    .transform((n) => Math.min(Math.max(Number(n), 1), MAX_PAGE))
    .default(100),
})

/** `meta` of an event feed's reply. */
export const FeedMeta = z
  .object({
    next_after: z.int().meta({
      description: 'What to send as `after` next time: events up to here are told, or not the reader’s to see.',
      examples: [4711],
    }),
    has_more: z.boolean().describe('Whether there are more to be had at once.'),
  })
  .meta({ id: 'FeedMeta' })

/** Splits requested types at the dot; `*` matches every event of a kind. Throws 422 on `types` for malformed ones. */
export const typesOf = (types: string[]) =>
  types.map((type) => {
    const [, name, deed] = /^([a-z_]+)\.([a-z_]+|\*)$/.exec(type) ?? []
    if (!name || !deed) throw invalid({ types: `Must be types such as invoice.paid or vendor.*, not ${type}.` })
    return { name, deed }
  })

/**
 * Returns whether an event type exists, in installed modules or not, so that a client doesn't wait for a misspelt one. `kind.*`
 * means all events of a kind, and `kind.status_changed` all changes of its status.
 */
export function knownTypes(told: { name: string }[]): (type: string) => boolean {
  const known = new Set(
    told.flatMap(({ name }) => [name, ...['*', 'status_changed'].map((all) => name.replace(/\.\w+$/, `.${all}`))]),
  )
  return (type) => known.has(type)
}

/** Throws 422 on `types` for unknown event types. */
export function refuseStrange(types: string[] = [], told: { name: string }[]) {
  const isKnown = knownTypes(told)
  const strange = types.filter((type) => !isKnown(type))
  if (strange.length) throw invalid({ types: `There is no such event: ${strange.join(', ')}. See webhooks in the API document.` })
}

/** 410: the events after the reader's position have been deleted. */
export const gone = () =>
  new HttpError(410, 'GONE', 'Events of that time are no longer kept: read the lists, and go on from the newest event.')
