/**
 * WebSocket endpoint of Pusher clients, `/app/<key>`, in each serving process. Notifications reach it from any process by the
 * channel, events by the feed.
 */
import type { Upgrade, Upgraded } from '#kernel/http/upgrade.ts'
import { appKeysOf, channelOf, eventsChannelOf, recentOf } from './channels.ts'
import { connectionsOf } from './connections.ts'
import { converse, watch } from './conversation.ts'
import { deliveryTo } from './delivery.ts'
import { followEvents } from './following.ts'
import { CLOSED, MAX_BYTES, type Reason, saidError } from './protocol.ts'

/** Protocol versions; they are equal for private channels. */
const SUPPORTED = [5, 6, 7]

export default {
  under: '/app/',
  mostBytes: MAX_BYTES,
  open(services) {
    const keys = appKeysOf(services)
    const connections = connectionsOf(services)
    const { judge, end } = watch(services, connections)
    const deliver = deliveryTo(services, connections)
    const following = followEvents(services, connections)
    const deliverMissed = async () => (await recentOf(services, connections.channels())).forEach(deliver)
    const stops = [
      services.channel.on('notification.created', deliver, deliverMissed),
      services.channel.on('realtime.judge', ({ tenant_id, user_id }) =>
        judge([channelOf, eventsChannelOf].flatMap((channel) => connections.on(channel(tenant_id, user_id)))),
      ),
    ]
    return {
      connect(one) {
        const { socket, ip } = one
        const refused = refusal(one, keys)
        if (refused) return refuse(socket, refused)
        const connection = connections.add(socket, ip)
        if (!connection) return refuse(socket, 'overCapacity')
        converse(services, connections, following, connection)
      },
      close() {
        end()
        following.end()
        for (const stop of stops) stop()
        for (const connection of connections.all) connections.close(connection, 'stopping')
      },
    }
  },
} satisfies Upgrade

function refusal({ query, key }: Upgraded, keys: string[]): Reason | undefined {
  const version = query.get('protocol')
  if (!keys.includes(key)) return 'noSuchApplication'
  if (!version) return 'noVersion'
  if (!/^\d{1,9}$/.test(version)) return 'badVersion'
  return SUPPORTED.includes(Number(version)) ? undefined : 'unsupportedVersion'
}

function refuse(socket: Upgraded['socket'], reason: Reason) {
  const [code, message] = CLOSED[reason]
  socket.send(saidError(code, message))
  socket.close(code, message)
}
