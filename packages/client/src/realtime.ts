import type { WorkspaceClient } from './client.ts'
import { ApiError } from './error.ts'
import type { Event } from './events.ts'
import type { paths } from './generated/workspace.ts'
import type { DataOf, OperationOf } from './types.ts'

/** Used part of pusher-js, so that programs without it compile. */
export interface PusherLike {
  subscribe(channel: string): { bind(event: string, told: (data: any) => void): unknown }
  disconnect(): void
}
export type PusherClass<P extends PusherLike> = new (key: string, options: any) => P

export type Notification = DataOf<OperationOf<paths, '/notifications', 'get'>>[number] & { unread_count: number }

/** Events of about one second. */
export interface Occurred {
  events: (Pick<Event, 'id' | 'type'> & { subject: Omit<Event['subject'], 'label'> })[]
  /** False if there were more events, so that displayed data must be reloaded. */
  is_complete: boolean
}

export interface RealtimeHandlers {
  onNotification?: (notification: Notification) => void
  onEvents?: (occurred: Occurred) => void
  /** Aborts the connection, also while it waits for an unreachable service. */
  signal?: AbortSignal | undefined
}

export interface Realtime<P extends PusherLike> {
  /** Connection of pusher-js. `connection.bind('state_change', …)` reports its state. */
  pusher: P
  close(): void
}

/**
 * Connects to the service by the Pusher class of pusher-js (`pusher-js/worker` in a worker). Reports notifications of the
 * session's user, and events of records that the user may see. API keys may not subscribe (`KEY_NOT_ALLOWED`). Resolves once the
 * subscriptions are accepted.
 * A message may be lost with a connection or arrive twice: notifications and events are identified by their `id`, and
 * /notifications and /events have all of them.
 */
export async function realtime<P extends PusherLike>(
  client: WorkspaceClient,
  Pusher: PusherClass<P>,
  { onNotification, onEvents, signal }: RealtimeHandlers,
): Promise<Realtime<P>> {
  const [{ data: at }, { data: me }] = await Promise.all([
    client.GET('/broadcasting/config', { signal }),
    client.GET('/me', { signal }),
  ])
  const { id } = 'user' in me ? me.user : me.actor
  let refusal: unknown
  const pusher = new Pusher(at.key, {
    cluster: '', // required, but unused with a custom host
    wsHost: at.host,
    wsPort: at.port,
    wssPort: at.port,
    forceTLS: at.scheme === 'https',
    enabledTransports: ['ws', 'wss'],
    channelAuthorization: { customHandler: authorize },
  })
  signal?.addEventListener('abort', () => pusher.disconnect(), { once: true })
  const own = `private-tenant.${me.workspace!.id}.user.${id}`
  try {
    await Promise.all([
      onNotification && listen(own, 'notification.created', onNotification),
      onEvents && listen(`${own}.events`, 'events.occurred', onEvents),
    ])
  } catch (error) {
    pusher.disconnect()
    throw error
  }
  return { pusher, close: () => pusher.disconnect() }

  function listen(name: string, event: string, told: (data: any) => void): Promise<void> {
    const channel = pusher.subscribe(name)
    channel.bind(event, told)
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      channel.bind('pusher:subscription_succeeded', () => resolve())
      channel.bind('pusher:subscription_error', ({ status = 0, error = 'Refused.' }) =>
        reject(refusal ?? new ApiError({ status, code: 'NOT_SUBSCRIBED', message: String(error) })),
      )
    })
  }

  async function authorize(
    { socketId, channelName }: { socketId: string; channelName: string },
    answer: (error: Error | null, data: unknown) => void,
  ) {
    try {
      const body = { socket_id: socketId, channel_name: channelName }
      answer(null, (await client.request('post', '/broadcasting/auth', { body })).data)
    } catch (error) {
      refusal = error
      answer(error as Error, null)
    }
  }
}
