import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden } from '#kernel/errors.ts'
import { bareJson } from '#kernel/http/answer.ts'
import { workspace } from '#kernel/http/route.ts'
import { AllRead, markAllRead, markRead, Notification, notificationList, UnreadCount, unreadCount } from './notifications.ts'
import { ChangePreferences, changePreferences, Preferences, showPreferences } from './preferences.ts'
import { DeviceToken, RegisterToken, registerToken, UnregisterToken, unregisterToken } from './push/devices.ts'
import { appKeyOf, authOf, userOf } from './realtime/channels.ts'

const PushConfig = z
  .object({
    enabled: z.boolean().describe('Whether the service sends push messages.'),
    project_id: z
      .string()
      .nullable()
      .meta({ description: 'Project of the push service; null: there is none.', examples: ['atrium-prod'] }),
    web: z.record(z.string(), z.string()).nullable().meta({ description: 'What a browser needs besides.' }),
  })
  .meta({ id: 'FcmConfig' })

const pushRoutes = [
  workspace.get(
    '/fcm-device-tokens/config',
    {
      allow: 'signed-in',
      description: 'Answers what a client needs to ask for push messages, and whether there are any.',
      reply: PushConfig,
    },
    ({ services: { config } }) => {
      const account = config.FCM_SERVICE_ACCOUNT
      return {
        enabled: account !== undefined,
        project_id: account?.project_id ?? null,
        web: account ? (config.FCM_WEB_CONFIG ?? null) : null,
      }
    },
  ),
  workspace.post(
    '/fcm-device-tokens',
    {
      allow: 'signed-in',
      inPerson: true, // the device would receive messages after the impersonation
      body: RegisterToken,
      reply: DeviceToken,
      status: 201,
      message: 'Device registered.',
      operation: 'registerFcmDeviceToken',
      description:
        'Registers a device of the caller for push messages. A token that another user had registered becomes the caller’s.',
      summary: 'Register a device for push messages',
    },
    (ctx, { body }) => registerToken(ctx, body),
  ),
  workspace.del(
    '/fcm-device-tokens',
    {
      allow: 'signed-in',
      inPerson: true,
      body: UnregisterToken,
      message: 'Device unregistered.',
      operation: 'unregisterFcmDeviceToken',
      description: 'Ends push messages to a device of the caller.',
      summary: 'Unregister a device',
    },
    (ctx, { body }) => unregisterToken(ctx, body),
  ),
]

const AuthorizeChannel = z.object({
  socket_id: z
    .string('Is required.')
    .regex(/^\d{1,20}\.\d{1,20}$/, 'Must be the id of a socket.')
    .meta({ description: 'What Pusher’s protocol calls the connection.', examples: ['123456.7890123'] }),
  channel_name: z
    .string('Is required.')
    .min(1, 'Must not be empty.')
    .max(200, 'Must be at most 200 characters.')
    .meta({
      description: 'The channel to listen to: `private-tenant.<workspace id>.user.<user id>`.',
      examples: ['private-tenant.1.user.7'],
    }),
})

const RealtimeConfig = z
  .object({
    key: z.string().meta({ description: 'What Pusher clients call the app key.', examples: ['atrium'] }),
    host: z.string(),
    port: z.int(),
    scheme: z.enum(['http', 'https']).describe('Whether the connection is encrypted.'),
  })
  .meta({ id: 'RealtimeConfig' })

function realtimeConfig({ services }: Ctx): z.input<typeof RealtimeConfig> {
  const { hostname, port, protocol } = new URL(services.config.BASE_URL)
  const [scheme, usual] = protocol === 'https:' ? (['https', 443] as const) : (['http', 80] as const)
  return { key: appKeyOf(services), host: hostname, port: Number(port) || usual, scheme }
}

const realtimeRoutes = [
  workspace.get(
    '/broadcasting/config',
    {
      allow: 'signed-in',
      description: 'Answers where a Pusher client connects to watch the caller’s notifications.',
      reply: RealtimeConfig,
    },
    realtimeConfig,
  ),
  workspace.post(
    '/broadcasting/auth',
    {
      allow: 'signed-in',
      grants: false,
      noKeys: true,
      body: AuthorizeChannel,
      form: true,
      answer: 'application/json',
      notIdempotent: true,
      operation: 'authorizeBroadcasting',
      summary: 'Authorize a realtime subscription',
      description: 'Asked by Pusher clients before they subscribe. Everybody may listen to their own channel alone.',
    },
    ({ services, tenant, actor }, { body: { socket_id: socketId, channel_name: channel } }) => {
      const named = userOf(channel)
      if (named?.tenantId !== tenant.id || named.userId !== actor.id || !actor.token)
        throw forbidden('This channel is not yours to listen to.')
      return bareJson({ auth: authOf(services, { socketId, channel, tokenId: actor.token.id }) })
    },
  ),
]

/** All routes serve the user's own data and need no permission. */
export default [
  workspace.get('/notifications', { allow: 'signed-in', query: notificationList.query, page: Notification }, (ctx, { query }) =>
    notificationList.page(ctx, query),
  ),
  workspace.get(
    '/notifications/unread-count',
    { allow: 'signed-in', description: 'Counts the caller’s notifications that are not read.', reply: UnreadCount },
    unreadCount,
  ),
  workspace.get(
    '/notifications/preferences',
    { allow: 'signed-in', description: 'Answers which notifications the caller also gets by mail and push.', reply: Preferences },
    showPreferences,
  ),
  workspace.put(
    '/notifications/preferences',
    {
      allow: 'signed-in',
      inPerson: true,
      body: ChangePreferences,
      reply: Preferences,
      message: 'Preferences changed.',
      description: 'Changes which notifications the caller also gets by mail and push. What is not sent stays.',
    },
    (ctx, { body }) => changePreferences(ctx, body),
  ),
  workspace.post(
    '/notifications/read-all',
    {
      allow: 'signed-in',
      grants: false,
      reply: AllRead,
      message: 'All notifications read.',
      description: 'Marks all of the caller’s notifications as read.',
    },
    markAllRead,
  ),
  workspace.post(
    '/notifications/:uuid/read',
    {
      allow: 'signed-in',
      grants: false,
      reply: Notification,
      message: 'Notification read.',
      description: 'Marks one of the caller’s notifications as read. One that is read stays as it is.',
    },
    (ctx, { uuid }) => markRead(ctx, uuid),
  ),
  ...pushRoutes,
  ...realtimeRoutes,
]
