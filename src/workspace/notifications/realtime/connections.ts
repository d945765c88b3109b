/** The sockets of this process: what each listens to, how many there may be, and whether the sessions behind them still hold. Everything that ends a request ends a subscription too. */
import type { WebSocket } from 'ws'
import type { Services } from '#kernel/context.ts'
import type { WorkspaceFacts } from '#kernel/http/bearer-token.ts'
import { CLOSED, type Reason, saidError } from './protocol.ts'

/** A session that was judged before; `version` stands for what it was then. */
interface Held {
  tokenId: number
  version?: string
}

interface Live {
  version: string
  /** Told where it was judged anew. */
  tenantId?: number
  userId?: number
}

/**
 * Those of these sessions that hold, by their token's id: not revoked or expired, its user verified and not suspended, its workspace
 * open. One statement for all of them; where nothing has changed it says little.
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

/** A session of a known version comes without its user and workspace: they are what they were. */
const isOpen = ({ user, tenant }: Partial<WorkspaceFacts>) =>
  (!user || (user.verified && !user.suspended)) && (!tenant || (tenant.status === 'active' && !tenant.archived))

export interface Connection {
  /** `<number>.<number>`: what a signature is made for. */
  id: string
  socket: WebSocket
  /** By channel: the session that subscribed. */
  subscriptions: Map<string, Held>
  /** When it was heard last, and when it was asked since whether it is there; in milliseconds of the services' clock. */
  heardAt: number
  pingedAt: number | undefined
  /** Since when what it was sent waits for the network, and since when it listens to nothing; like `heardAt`. */
  behindSince: number | undefined
  idleSince: number | undefined
  /** Messages of the second at hand. */
  messages: number
}

/** Bytes that may wait for a client to read. */
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

  /** Whoever doesn't read what is sent is cut: nothing that is said would arrive either. */
  function send({ socket }: Connection, text: string) {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount + text.length > MAX_BUFFERED) socket.terminate()
    else socket.send(text)
  }

  /** It hears nothing more, however long its end takes. */
  function close(connection: Connection, reason: Reason) {
    const { socket, subscriptions } = connection
    const [code, message] = CLOSED[reason]
    for (const channel of [...subscriptions.keys()]) leave(connection, channel)
    send(connection, saidError(code, message))
    socket.close(code, message)
  }

  return {
    all,
    /** Undefined where there are too many, altogether or from this address. */
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
