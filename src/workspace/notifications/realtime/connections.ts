/**
 * Sockets of this process: their subscriptions, limits, and whether their sessions are still valid. Everything that ends requests
 * of a session also ends its subscriptions.
 */
import type { WebSocket } from 'ws'
import type { Services } from '#kernel/context.ts'
import type { WorkspaceFacts } from '#kernel/http/bearer-token.ts'
import { CLOSED, type Reason, saidError } from './protocol.ts'

/** A session checked earlier; `version` identifies its state at that time. */
interface Held {
  tokenId: number
  version?: string
}

interface Live {
  version: string
  /** Returned where it was checked again. */
  tenantId?: number
  userId?: number
}

/**
 * Returns the valid sessions by token id: not revoked or expired, user verified and not suspended, workspace open. One statement
 * for all; it returns little where nothing has changed.
 */
export async function liveSessions({ database, clock }: Services, held: Held[]): Promise<Map<number, Live>> {
  if (!held.length) return new Map()
  const rows = await database.statement<{ id: number; session: WorkspaceFacts | null }>(
    'SELECT k.id, app.workspace_session(k.id, k.version) AS session FROM unnest($1::bigint[], $2::text[]) AS k(id, version)',
    [held.map(({ tokenId }) => tokenId), held.map(({ version }) => version ?? null)],
  )
  const now = clock.now()
  const live = rows.flatMap(({ id, session }): [number, Live][] => {
    if (!session || session.token.expires_at! <= now || !isOpen(session)) return []
    return [[id, { version: session.version, tenantId: session.tenant?.id, userId: session.user?.id }]]
  })
  return new Map(live)
}

/** For an unchanged version, user and workspace are omitted, and so still valid. */
const isOpen = ({ user, tenant }: Partial<WorkspaceFacts>) =>
  (!user || (user.verified && !user.suspended)) && (!tenant || (tenant.status === 'active' && !tenant.archived))

export interface Connection {
  /** `<number>.<number>`: the socket id that signatures are made for. */
  id: string
  socket: WebSocket
  /** Session that subscribed, by channel. */
  subscriptions: Map<string, Held>
  /** Time of its last message, and of an unanswered ping; in milliseconds of the services' clock. */
  heardAt: number
  pingedAt: number | undefined
  /** Time since when data waits for the network, and since when it has no subscription; same unit as `heardAt`. */
  behindSince: number | undefined
  idleSince: number | undefined
  /** Number of messages in the current second. */
  messages: number
}

/** Maximum number of bytes buffered for a client. */
const MAX_BUFFERED = 256 * 1024

export type Connections = ReturnType<typeof connectionsOf>

export function connectionsOf({ config, clock }: Services) {
  const all = new Set<Connection>()
  const byChannel = new Map<string, Set<Connection>>()
  const byAddress = new Map<string, number>()
  const now = () => Date.parse(clock.now())

  function leave(connection: Connection, channel: string) {
    const { subscriptions } = connection
    if (subscriptions.delete(channel) && !subscriptions.size) connection.idleSince = now()
    const others = byChannel.get(channel)
    others?.delete(connection)
    if (others?.size === 0) byChannel.delete(channel)
  }

  /** Terminates a client that doesn't read: a close message would not arrive either. */
  function send({ socket }: Connection, text: string) {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount + text.length > MAX_BUFFERED) socket.terminate()
    else socket.send(text)
  }

  /** Unsubscribes first, so that no more is sent while the socket closes. */
  function close(connection: Connection, reason: Reason) {
    const { socket, subscriptions } = connection
    const [code, message] = CLOSED[reason]
    for (const channel of [...subscriptions.keys()]) leave(connection, channel)
    send(connection, saidError(code, message))
    socket.close(code, message)
  }

  return {
    all,
    /** Returns undefined when the limit is reached, in total or for this address. */
    add(socket: WebSocket, ip: string): Connection | undefined {
      const same = byAddress.get(ip) ?? 0
      if (all.size >= config.REALTIME_SOCKETS || same >= config.REALTIME_SOCKETS_PER_ADDRESS) return undefined
      const opened = now()
      const connection: Connection = {
        id: socketId(),
        socket,
        subscriptions: new Map(),
        heardAt: opened,
        pingedAt: undefined,
        behindSince: undefined,
        idleSince: opened,
        messages: 0,
      }
      all.add(connection)
      byAddress.set(ip, same + 1)
      socket.on('close', () => {
        for (const channel of [...connection.subscriptions.keys()]) leave(connection, channel)
        all.delete(connection)
        const left = byAddress.get(ip)! - 1
        if (left) byAddress.set(ip, left)
        else byAddress.delete(ip)
      })
      return connection
    },
    join(connection: Connection, channel: string, held: Held) {
      connection.subscriptions.set(channel, held)
      connection.idleSince = undefined
      byChannel.set(channel, (byChannel.get(channel) ?? new Set()).add(connection))
    },
    leave,
    on: (channel: string): Connection[] => [...(byChannel.get(channel) ?? [])],
    channels: () => byChannel.keys(),
    close,
    send,
  }
}

const socketId = () => {
  const [a, b] = crypto.getRandomValues(new Uint32Array(2))
  return `${a}.${b}`
}
