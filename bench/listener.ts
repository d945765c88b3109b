/** Client of the realtime channel. */
import { once } from 'node:events'
import WebSocket from 'ws'

export interface Listener {
  userId: number
  socket: WebSocket
}

/** Connects like a user's open screen: subscribed to the user's own channel. */
export async function connect(workspace: number, token: string, base: string, hear: (body: string) => void): Promise<Listener> {
  const api = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(
      `${base}/api/tenant/v1${path}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    )
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}`)
    return (await reply.json()) as any
  }
  const [{ data: me }, { data: config }] = [await api('/me'), await api('/broadcasting/config')]
  const socket = new WebSocket(`${base.replace('http', 'ws')}/app/${config.key}?protocol=7`)
  const greeting = JSON.parse(String((await once(socket, 'message'))[0]))
  const channel = `private-tenant.${workspace}.user.${me.user.id}`
  const { auth } = await api('/broadcasting/auth', { socket_id: JSON.parse(greeting.data).socket_id, channel_name: channel })
  socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth } }))
  const reply = JSON.parse(String((await once(socket, 'message'))[0]))
  if (reply.event !== 'pusher_internal:subscription_succeeded') throw new Error(`Not subscribed: ${reply.event}`)
  socket.on('message', (text) => {
    const { event, data } = JSON.parse(String(text))
    if (event === 'notification.created') hear(JSON.parse(data).data.body)
  })
  return { userId: me.user.id, socket }
}
