/**
 * Sends the events of workspaces with subscribed users to each user, limited to records that the user may see. Reads the feed, so
 * that writers pay nothing, and events of jobs and other processes are included.
 */
import { inWorkspace, originOf, type Services } from '#kernel/context.ts'
import { sessionFor } from '#kernel/jobs/entering.ts'
import { systemSession } from '#kernel/tenancy/session.ts'
import { behind, placeEvents, readFeed } from '#workspace/events/public.ts'
import { eventsChannelOf, userOf } from './channels.ts'
import { type Connections, liveSessions } from './connections.ts'
import { said } from './protocol.ts'

/** Milliseconds between polls. Polling never takes more than a fifth of a process's time. */
const PAUSE = 1000
/** Maximum number of events in a message. After more events the client is notified to reload. */
const MAX_EVENTS = 200

export interface Following {
  /** Starts sending the events of a workspace to its subscribers. */
  begin(tenantId: number): Promise<void>
  end(): void
}

export function followEvents(services: Services, connections: Connections): Following {
  /** Last sent position in the feed, by workspace. */
  const told = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined
  let isEnded = false

  async function begin(tenantId: number) {
    if (told.has(tenantId)) return
    const last = await place(tenantId)
    if (!told.has(tenantId)) told.set(tenantId, last)
    if (!timer && !isEnded) lookAfter(PAUSE)
  }

  const place = async (tenantId: number) => {
    const session = await systemSession(services, tenantId)
    const { last } = await inWorkspace(originOf(services), session, 'write', placeEvents)
    return last
  }

  function lookAfter(ms: number) {
    timer = setTimeout(async () => {
      const began = performance.now()
      await look().catch((error) => services.log.warn({ err: error }, 'events could not be told to open screens'))
      timer = undefined
      if (told.size && !isEnded) lookAfter(Math.max(PAUSE, 4 * (performance.now() - began)))
    }, ms)
    timer.unref()
  }

  async function look() {
    const listeners = usersByWorkspace(connections.channels())
    for (const tenantId of told.keys()) if (!listeners.has(tenantId)) told.delete(tenantId)
    for (const tenantId of await behind(services, told))
      await tell(tenantId, listeners.get(tenantId)!).catch((error) =>
        services.log.warn({ err: error, tenant_id: tenantId }, 'events could not be told to open screens'),
      )
  }

  async function tell(tenantId: number, userIds: Set<number>) {
    const last = await place(tenantId)
    const after = told.get(tenantId)!
    for (const userId of userIds) {
      const session = await sessionFor(services, { tenant_id: tenantId, actor_id: userId }, undefined)
      if ('ended' in session) continue // its sockets are closed by the session check
      const { data, meta } = await inWorkspace(originOf(services), session, 'write', (ctx) =>
        readFeed(ctx, { after, limit: MAX_EVENTS, lost: 'skip' }),
      )
      const events = data
        .filter(({ id }) => id <= last)
        .map(({ id, type, subject }) => ({ id, type, subject: { type: subject.type, id: subject.id } }))
      const is_complete = meta.next_after >= last
      if (events.length || !is_complete) await send(eventsChannelOf(tenantId, userId), { events, is_complete })
    }
    told.set(tenantId, last)
  }

  async function send(channel: string, message: object) {
    const listening = connections.on(channel).map((connection) => ({ connection, held: connection.subscriptions.get(channel)! }))
    const live = await liveSessions(
      services,
      listening.map(({ held }) => held),
    )
    for (const { connection, held } of listening) {
      if (live.has(held.tokenId)) connections.send(connection, said('events.occurred', message, channel))
      else connections.close(connection, 'unauthorized')
    }
  }

  return {
    begin,
    end() {
      isEnded = true
      clearTimeout(timer)
    },
  }
}

function usersByWorkspace(channels: Iterable<string>): Map<number, Set<number>> {
  const all = new Map<number, Set<number>>()
  for (const channel of channels) {
    const { tenantId, userId, hears } = userOf(channel)!
    if (hears === 'events') all.set(tenantId, (all.get(tenantId) ?? new Set()).add(userId))
  }
  return all
}
