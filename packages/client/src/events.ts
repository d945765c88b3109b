import type { AnyClient, WorkspaceClient } from './client.ts'
import type { paths } from './generated/workspace.ts'
import { wait } from './retry.ts'
import type { DataOf, MetaOf, OperationOf } from './types.ts'

type Feed = OperationOf<paths, '/events', 'get'>
/** Event of a record. */
export type Event = NonNullable<DataOf<Feed>>[number]

export interface EventOptions {
  /** Id of the last known event, or a page's `next_after`. Default: starts at the oldest stored event (30 days). */
  after?: number | undefined
  /** Types such as `['invoice.paid', 'vendor.*']`. Default: all. */
  types?: string[] | undefined
  /** Maximum page size, up to 1000. Default: 1000. */
  limit?: number | undefined
  /** Interval in seconds for polling after the last event. Default: the iteration ends there. */
  follow?: number | undefined
  signal?: AbortSignal | undefined
}

/** Batch of events. */
export interface EventPage {
  data: Event[]
  /** `next_after` is the position to continue from, once all of `data` is processed. */
  meta: MetaOf<Feed>
}

/**
 * Iterates over the feed by pages, in order and without gaps. Store `meta.next_after` together with the results of `data`, and
 * pass it as `after` next time: then each event is processed once. Throws an `ApiError` with the code `GONE` if events after
 * `after` have expired.
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

/** Iterates over the feed by events: see `eventPages`. Pass an event's `id` as `after` to continue from it. */
export async function* events(client: WorkspaceClient, options: EventOptions = {}): AsyncGenerator<Event, void, undefined> {
  for await (const { data } of eventPages(client, options)) yield* data
}

/** Greater than the id of any event. */
const AHEAD = 999_999_999_999_999

/** Returns the current end of the feed, as `after`. Call it before reading lists for the first time, and continue from there. */
export async function feedEnd(client: WorkspaceClient): Promise<number> {
  const { meta } = await client.GET('/events', { params: { query: { after: AHEAD, limit: 1 } } })
  return meta.next_after
}
