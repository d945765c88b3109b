import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden } from '#kernel/errors.ts'
import { bareJson } from '#kernel/http/answer.ts'
import { workspace } from '#kernel/http/route.ts'
import { appKeyOf, authOf, userOf } from './application.ts'

const AuthorizeChannel = z.object({
  socket_id: z.string('Is required.').regex(/^\d{1,20}\.\d{1,20}$/, 'Must be the id of a socket.'),
  channel_name: z.string('Is required.').min(1, 'Must not be empty.').max(200, 'Must be at most 200 characters.'),
})

const RealtimeConfig = z
  .object({ key: z.string(), host: z.string(), port: z.int(), scheme: z.enum(['http', 'https']) })
  .meta({ id: 'RealtimeConfig' })

function realtimeConfig({ services }: Ctx): z.input<typeof RealtimeConfig> {
  const { hostname, port, protocol } = new URL(services.config.BASE_URL)
  const [scheme, usual] = protocol === 'https:' ? (['https', 443] as const) : (['http', 80] as const)
  return { key: appKeyOf(services), host: hostname, port: Number(port) || usual, scheme }
}

export const realtimeRoutes = [
  workspace.get('/broadcasting/config', { allow: 'signed-in', reply: RealtimeConfig }, realtimeConfig),
  workspace.post(
    '/broadcasting/auth',
    {
      allow: 'signed-in',
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
