/** Collects messages of a user's realtime channel. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Person, Workspace, World } from '../harness.ts'

export interface Listening {
  /** Received events, except those about the connection itself. */
  events: unknown[]
  stop(): void
}

/** Subscribes to the channel of a user. The world must listen on a port. */
export async function listenAs(world: World, who: Person, firm: Workspace): Promise<Listening> {
  const { port } = world.app.server.address() as AddressInfo
  const { key } = (await who.get('/broadcasting/config')).body.data
  const socket = new WebSocket(`ws://127.0.0.1:${port}/app/${key}?protocol=7`)
  const events: { event: string }[] = []
  const next = async () => JSON.parse(((await once(socket as never, 'message')) as [MessageEvent])[0].data)
  const { socket_id } = JSON.parse((await next()).data)
  const channel = `private-tenant.${firm.id}.user.${who.id}`
  const { auth } = (await who.post('/broadcasting/auth', { socket_id, channel_name: channel })).body as unknown as {
    auth: string
  }
  const subscribed = next()
  socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { auth, channel } }))
  await subscribed
  socket.onmessage = ({ data }) => void events.push(JSON.parse(data))
  return {
    get events() {
      return events.filter(({ event }) => !event.startsWith('pusher:'))
    },
    stop: () => socket.close(),
  }
}
