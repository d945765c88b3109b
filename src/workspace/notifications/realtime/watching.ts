/** Looks after the sockets of this process: that they still speak, and that the sessions behind them still hold. */
import type { Services } from '#kernel/context.ts'
import type { Connection, Connections } from './connections.ts'
import { ACTIVITY_TIMEOUT, IDLE_TIMEOUT, PONG_TIMEOUT, READ_TIMEOUT, said } from './protocol.ts'
import { liveSessions } from './sessions.ts'

/** Milliseconds between looks; of so many looks, each one at the sessions too. */
const A_SECOND = 1000
const SESSIONS_EVERY = 2

export interface Watch {
  /** Closes those of these connections whose session has ended (4009). */
  judge(some: Iterable<Connection>): Promise<void>
  end(): void
}

/** A session that has ended, however it did, has no socket two seconds after. */
export function watch(services: Services, connections: Connections): Watch {
  const { clock, log } = services

  async function judgeSessions(some: Iterable<Connection>) {
    const held = [...some].flatMap((connection) =>
      [...connection.subscriptions.values()].map((session) => ({ connection, session })),
    )
    const sessions = held.map(({ session }) => session)
    const live = await liveSessions(services, sessions)
    for (const { connection, session } of held) {
      const found = live.get(session.tokenId)
      if (found) session.version = found.version
      else connections.close(connection, 'unauthorized')
    }
  }
  const judge: Watch['judge'] = (some) =>
    judgeSessions(some).catch((error) => log.warn({ err: error }, 'sessions of sockets could not be judged'))

  function listen() {
    const now = Date.parse(clock.now())
    const isOver = (since: number | undefined, seconds: number) => since !== undefined && now - since >= seconds * 1000
    for (const connection of connections.all) {
      connection.messages = 0
      connection.behindSince = connection.socket.bufferedAmount ? (connection.behindSince ?? now) : undefined
      if (isOver(connection.behindSince, READ_TIMEOUT)) connection.socket.terminate()
      else if (isOver(connection.idleSince, IDLE_TIMEOUT)) connections.close(connection, 'idle')
      if (now - connection.heardAt < ACTIVITY_TIMEOUT * 1000) continue
      if (connection.pingedAt === undefined) {
        connection.pingedAt = now
        connections.send(connection, said('pusher:ping', {}))
      } else if (isOver(connection.pingedAt, PONG_TIMEOUT)) connections.close(connection, 'noPong')
    }
  }

  let looks = 0
  let judging = false
  const looking = setInterval(() => {
    listen()
    if (++looks % SESSIONS_EVERY || judging) return
    judging = true
    judge(connections.all).finally(() => (judging = false))
  }, A_SECOND)
  looking.unref()

  return { judge, end: () => clearInterval(looking) }
}
