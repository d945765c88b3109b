/** Protocol of a socket (greeting, pings, subscriptions), and the periodic check of all sockets and their sessions. */
import type { Services } from '#kernel/context.ts'
import { tokenOf, userOf } from './channels.ts'
import { type Connection, type Connections, liveSessions } from './connections.ts'
import type { Following } from './following.ts'
import { ACTIVITY_TIMEOUT, heard, IDLE_TIMEOUT, PONG_TIMEOUT, READ_TIMEOUT, said, saidError, saidRefusal } from './protocol.ts'

/** Maximum number of messages per second, of unprocessed messages, and of channels per connection. */
const MAX_MESSAGES = 50
const MAX_CHANNELS = 10

export function converse(services: Services, connections: Connections, following: Following, connection: Connection) {
  const { socket, id } = connection
  const send = (text: string) => connections.send(connection, text)
  /** Messages are processed in order, so that an unsubscription follows its subscription. */
  let turn = Promise.resolve()
  let waiting = 0
  socket.on('message', (bytes, isBinary) => {
    if (socket.readyState !== socket.OPEN) return // it is being closed
    connection.heardAt = Date.parse(services.clock.now())
    connection.pingedAt = undefined
    if (++connection.messages > MAX_MESSAGES || waiting >= MAX_MESSAGES) return connections.close(connection, 'tooManyMessages')
    const text = isBinary ? '' : String(bytes)
    waiting++
    turn = turn
      .then(() => answer(text))
      .catch((error) => {
        services.log.warn({ err: error }, 'a realtime message failed')
        send(saidError(4200, 'Something went wrong on our side'))
      })
      .finally(() => waiting--)
  })
  send(said('pusher:connection_established', { socket_id: id, activity_timeout: ACTIVITY_TIMEOUT }))

  async function answer(text: string) {
    const message = heard(text)
    switch (message.event) {
      case 'ping':
        return send(said('pusher:pong', {}))
      case 'subscribe':
        return subscribe(message.channel, message.auth)
      case 'unsubscribe':
        return connections.leave(connection, message.channel)
      case 'client':
        return send(saidError(4301, 'Client events are not taken'))
      case 'unreadable':
        return send(saidError(4200, 'The message could not be read'))
    }
  }

  /** Verifies the signature first: no database query without a valid one. */
  async function subscribe(channel: string, auth: string) {
    const refuse = (why: string) => send(saidRefusal(channel, why))
    const tokenId = tokenOf(services, auth, { socketId: id, channel })
    const named = userOf(channel)
    if (tokenId === undefined || !named) return refuse('This channel is not yours to listen to.')
    if (connection.subscriptions.size >= MAX_CHANNELS) return refuse('This connection listens to enough channels.')
    const live = (await liveSessions(services, [{ tokenId }])).get(tokenId)
    if (live?.tenantId !== named.tenantId || live.userId !== named.userId) return connections.close(connection, 'unauthorized')
    if (socket.readyState !== socket.OPEN) return
    connections.join(connection, channel, { tokenId, version: live.version })
    if (named.hears === 'events') await following.begin(named.tenantId)
    send(said('pusher_internal:subscription_succeeded', {}, channel))
  }
}

/** Milliseconds between checks; every nth check includes the sessions. */
const A_SECOND = 1000
const SESSIONS_EVERY = 2

interface Watch {
  /** Closes connections whose session has ended (4009). */
  judge(some: Iterable<Connection>): Promise<void>
  end(): void
}

/** Closes the sockets of ended sessions within two seconds, however they ended. */
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
