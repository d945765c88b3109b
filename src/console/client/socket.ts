/** Client of the realtime channels (Pusher protocol, version 7): the user's notifications and events of records. */
import { ApiError, call, sessions } from './api.ts'
import { boot } from './boot.ts'
import { arrivals, type Notification, occur, unread } from './events.ts'

const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 60_000
/** The service pings every 30 s, and waits as long for a reply. */
const SILENCE_MS = 75_000

/** The service's own code for an ended session. */
const UNAUTHORISED = 4009

interface Message {
  event: string
  channel?: string
  data?: unknown
}

/** Returns whether a retry is useless, because the session has ended. */
const isRefusal = (status: number) => status === 401 || status === 403

/** Connects, and reconnects after a lost connection; after an ended session, once the user has signed in again. */
export function connect(onNotification: (notification: Notification) => void) {
  const own = `private-tenant.${boot.me!.workspace!.id}.user.${boot.me!.user.id}`
  const channels = [own, `${own}.events`]
  let pause = FIRST_PAUSE_MS
  let isFirst = true
  begin()

  function begin() {
    const session = sessions.value
    call('get', '/broadcasting/config').then(
      ({ data }) => open(data.key),
      (error) => (error instanceof ApiError && isRefusal(error.status) ? withNext(session) : later(begin)),
    )
  }

  /**
   * Reconnects with the next session, which may exist already or be created in another tab: retried when the window gets the
   * focus.
   */
  function withNext(session: number) {
    isFirst = false
    if (sessions.value !== session) return begin()
    const again = () => {
      end()
      removeEventListener('focus', again)
      begin()
    }
    const end = sessions.subscribe((now) => {
      if (now !== session) again()
    })
    addEventListener('focus', again)
  }

  function later(next: () => void) {
    isFirst = false
    setTimeout(next, pause * (0.5 + Math.random()))
    pause = Math.min(pause * 2, MAX_PAUSE_MS)
  }

  function open(key: string) {
    const session = sessions.value
    const socket = new WebSocket(
      `${location.origin.replace(/^http/, 'ws')}/app/${key}?protocol=7&client=atrium-console&version=1`,
    )
    let silence: ReturnType<typeof setTimeout>
    let subscribed = 0
    const send = (message: Message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)) // it may be closed meanwhile
    }
    const heard = () => {
      clearTimeout(silence)
      silence = setTimeout(() => socket.close(), SILENCE_MS)
    }
    const subscribe = async (channel: string, socket_id: string) => {
      const reply = await fetch(`${boot.realm!.path}/api/tenant/v1/broadcasting/auth`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ socket_id, channel_name: channel }),
      })
      if (reply.ok) send({ event: 'pusher:subscribe', data: { channel, ...(await reply.json()) } })
      else socket.close(isRefusal(reply.status) ? UNAUTHORISED : undefined)
    }
    socket.onmessage = ({ data: text }) => {
      heard()
      const message = JSON.parse(text) as Message
      const data = typeof message.data === 'string' ? JSON.parse(message.data) : message.data
      switch (message.event) {
        case 'pusher:ping':
          return send({ event: 'pusher:pong', data: {} })
        case 'pusher:connection_established':
          for (const channel of channels) void subscribe(channel, data.socket_id).catch(() => socket.close())
          return
        case 'pusher_internal:subscription_succeeded':
          if (++subscribed === channels.length) pause = FIRST_PAUSE_MS
          if (message.channel === own) caughtUp()
          return
        case 'notification.created':
          unread.value = data.unread_count
          arrivals.value++
          return onNotification(data)
        case 'events.occurred':
          return occur({
            resources: new Set(data.events.map(({ subject }: { subject: { type: string } }) => subject.type)),
            isComplete: data.is_complete,
          })
      }
    }
    socket.onclose = ({ code }) => {
      clearTimeout(silence)
      // Below 4100 reconnecting is useless: the session has ended, and the next request gets a 401.
      if (code >= 4000 && code < 4100) withNext(session)
      else later(() => open(key))
    }
    heard()
  }

  /** Makes up for events missed while disconnected. */
  function caughtUp() {
    if (isFirst) return void (isFirst = false)
    arrivals.value++
    occur({ resources: new Set(), isComplete: false })
    call('get', '/notifications/unread-count').then(
      ({ data }) => (unread.value = data.unread_count),
      () => {},
    )
  }
}
