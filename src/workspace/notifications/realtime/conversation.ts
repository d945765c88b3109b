/** One socket's conversation: greeting, pings, subscriptions. */
import type { Services } from '#kernel/context.ts'
import { tokenOf, userOf } from './application.ts'
import type { Connection, Connections } from './connections.ts'
import { ACTIVITY_TIMEOUT, heard, said, saidError, saidRefusal } from './protocol.ts'
import { liveSessions } from './sessions.ts'

/** Messages in a second and messages that wait for an answer, and channels at once. */
const MAX_MESSAGES = 50
const MAX_CHANNELS = 10

export function converse(services: Services, connections: Connections, connection: Connection) {
  const { socket, id } = connection
  const send = (text: string) => connections.send(connection, text)
  /** One message after the other: whoever unsubscribes behind a subscription means it. */
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

  /** The signature is judged first: without it nothing is asked of the database. */
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
    send(said('pusher_internal:subscription_succeeded', {}, channel))
  }
}
