/**
 * Sends announced notifications to the sockets of their users (NTF-24). Announcements during a query wait for the next one, so
 * that a burst costs few queries.
 */
import { sql } from 'kysely'
import type { Services } from '#kernel/context.ts'
import type { Topics } from '#kernel/database/channel.ts'
import type { Envelope } from '../envelope.ts'
import { channelOf } from './channels.ts'
import { type Connections, liveSessions } from './connections.ts'
import { said } from './protocol.ts'

/** Maximum number of concurrent workspaces, and of notifications per query. */
const AT_ONCE = 4
const BATCH = 500

interface Payload {
  id: string
  user_id: number
  type: string
  data: Envelope
  unread_count: number
  created_at: string
  read_at: string | null
}

export function deliveryTo(services: Services, connections: Connections) {
  /** Notification ids with their users, by workspace. */
  let waiting = new Map<number, Map<string, number>>()
  let delivering = false

  function add({ tenant_id, user_id, id }: Topics['notification.created']) {
    if (!connections.on(channelOf(tenant_id, user_id)).length) return
    waiting.set(tenant_id, (waiting.get(tenant_id) ?? new Map<string, number>()).set(id, user_id))
    if (delivering) return
    delivering = true
    setImmediate(deliverAll)
  }

  async function deliverAll() {
    while (waiting.size) {
      const taken = [...waiting].flatMap(([tenantId, ids]) => inBatches([...ids]).map((some) => ({ tenantId, some })))
      waiting = new Map()
      for (const few of inBatches(taken, AT_ONCE))
        await Promise.all(
          few.map(({ tenantId, some }) =>
            deliver(tenantId, some).catch((error) => services.log.error({ err: error }, 'notifications were not broadcast')),
          ),
        )
    }
    delivering = false
  }

  /** Checks sessions in parallel to the query: nothing is sent to an ended one. */
  async function deliver(tenantId: number, some: [id: string, userId: number][]) {
    const userIds = [...new Set(some.map(([, userId]) => userId))]
    const listening = userIds.flatMap((userId) => {
      const channel = channelOf(tenantId, userId)
      return connections
        .on(channel)
        .map((connection) => ({ userId, channel, connection, held: connection.subscriptions.get(channel)! }))
    })
    const ids = some.map(([id]) => id)
    const sessions = listening.map(({ held }) => held)
    const [live, payloads] = await Promise.all([liveSessions(services, sessions), read(services, tenantId, userIds, ids)])
    const byUser = Map.groupBy(payloads, ({ user_id }) => user_id)
    for (const { userId, channel, connection, held } of listening) {
      if (!live.has(held.tokenId)) connections.close(connection, 'unauthorized')
      else
        for (const { user_id: _, ...payload } of byUser.get(userId) ?? [])
          connections.send(connection, said('notification.created', payload, channel))
    }
  }

  return add
}

function inBatches<T>(all: T[], size = BATCH): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}

const read = (services: Services, tenantId: number, userIds: number[], ids: string[]): Promise<Payload[]> =>
  services.database.workspace(tenantId, 'read', async (tx, { commitWith }) => {
    const { rows } = await commitWith(
      sql<Payload>`
        with unread as (
          select user_id, count(*)::int as n from notifications
          where tenant_id = ${tenantId} and user_id = any(${userIds}::bigint[]) and read_at is null group by user_id)
        select n.id, n.user_id, n.type, n.data, coalesce(unread.n, 0) as unread_count, n.created_at, n.read_at
        from notifications n left join unread on unread.user_id = n.user_id
        where n.tenant_id = ${tenantId} and n.id = any(${ids}::uuid[]) order by n.created_at, n.id`.execute(tx),
    )
    return rows
  })
