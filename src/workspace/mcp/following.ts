/** Returns events of the feed to agents, as many as fit, and the position to continue from. */
import { bounded } from './bounded.ts'
import { answered, envelopeOf, operationCalled, request, type ToolReply, told } from './calling.ts'
import type { Caller } from './operations.ts'

/** Operation of the events module that returns the feed. */
const FEED = 'listEvents'
/** Position after every event. */
const NEWEST = 10 ** 15 - 1

interface Wanted {
  after?: number | 'now'
  types?: string[]
  limit: number
}

/** Returns events after a position that the agent knows. */
export async function changesSince(caller: Caller, { after, types, limit }: Wanted): Promise<ToolReply> {
  const query = {
    limit,
    ...(after === undefined ? {} : { after: after === 'now' ? NEWEST : after }),
    ...(types ? { types } : {}),
  }
  const reply = await request(caller, await operationCalled(caller, FEED), { query })
  if (reply.status >= 400) return answered(reply)
  const { data, meta } = envelopeOf(reply)
  const { value, cuts } = bounded(data)
  const events = value as { id: number }[]
  const isCut = events.length < data.length
  return told({
    events,
    next_after: isCut ? events.at(-1)!.id : meta.next_after,
    has_more: isCut || meta.has_more,
    ...(cuts.some(({ at }) => at) ? { cut: cuts.filter(({ at }) => at) } : {}),
  })
}
