import type { AnyClient, WorkspaceClient } from './client.ts'
import type { paths } from './generated/workspace.ts'
import { wait } from './retry.ts'
import type { DataOf, MetaOf, OperationOf } from './types.ts'

type Feed = OperationOf<paths, '/events', 'get'>
/** What happened to a record. */
export type Event = NonNullable<DataOf<Feed>>[number]

export interface EventOptions {
  /** The id of the last event that is known, or a page's `next_after`; from the oldest that is kept (30 days) where not given. */
  after?: number | undefined
  /** `['invoice.paid', 'vendor.*']`; all where not given. */
  types?: string[] | undefined
  /** How many a page has at most: up to 1000, which it has where not given. */
  limit?: number | undefined
  /** Goes on when all is told, asking every so many seconds. Otherwise it ends then. */
  follow?: number | undefined
  signal?: AbortSignal | undefined
}

/** Events that are worked on together. */
export interface EventPage {
  data: Event[]
  /** `next_after`: what to go on from, once all of `data` is done. */
  meta: MetaOf<Feed>
}

/**
 * The feed page by page, in order and without gaps. Store `meta.next_after` together with what was done with `data`, and give it as `after` next time:
 * then each event is worked on once. Throws an `ApiError` with the code `GONE` where events behind `after` are no longer kept.
 */
export async function* eventPages(
  client: WorkspaceClient,
  { after, types, limit = 1000, follow, signal }: EventOptions = {},
): AsyncGenerator<EventPage, void, undefined> {
  const any: AnyClient = client
  for (;;) {
    const query = { limit, ...(after === undefined ? {} : { after }), ...(types ? { types: types.join() } : {}) }
    const { data, meta } = await any.request('get', '/events', { params: { query }, signal })
    const isNew = data.length > 0 || meta.next_after !== after
    after = meta.next_after as number
    if (isNew) yield { data, meta }
    if (meta.has_more) continue
    if (follow === undefined) return
    await wait(follow, signal)
  }
}

/** The feed event by event: see `eventPages`. Its `id` is what to go on from as `after`. */
export async function* events(client: WorkspaceClient, options: EventOptions = {}): AsyncGenerator<Event, void, undefined> {
  for await (const { data } of eventPages(client, options)) yield* data
}

/** Beyond the id of any event. */
const AHEAD = 999_999_999_999_999

/** Where the feed ends at this moment, as `after`: ask before you read the lists for the first time, and go on from there. */
export async function feedEnd(client: WorkspaceClient): Promise<number> {
  const { meta } = await client.GET('/events', { params: { query: { after: AHEAD, limit: 1 } } })
  return meta.next_after
}
