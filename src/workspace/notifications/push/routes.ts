import { z } from 'zod'
import { workspace } from '#kernel/http/route.ts'
import { DeviceToken, RegisterToken, registerToken, UnregisterToken, unregisterToken } from './tokens.ts'

const PushConfig = z
  .object({
    enabled: z.boolean(),
    project_id: z.string().nullable(),
    web: z.record(z.string(), z.string()).nullable().meta({ description: 'What a browser needs besides.' }),
  })
  .meta({ id: 'FcmConfig' })

export const pushRoutes = [
  workspace.get('/fcm-device-tokens/config', { allow: 'signed-in', reply: PushConfig }, ({ services: { config } }) => {
    const account = config.FCM_SERVICE_ACCOUNT
    return {
      enabled: account !== undefined,
      project_id: account?.project_id ?? null,
      web: account ? (config.FCM_WEB_CONFIG ?? null) : null,
    }
  }),
  workspace.post(
    '/fcm-device-tokens',
    {
      allow: 'signed-in',
      notImpersonating: true, // the device would go on hearing when that is over
      body: RegisterToken,
      reply: DeviceToken,
      status: 201,
      message: 'Device registered.',
      operation: 'registerFcmDeviceToken',
      summary: 'Register a device for push messages',
    },
    (ctx, { body }) => registerToken(ctx, body),
  ),
  workspace.del(
    '/fcm-device-tokens',
    {
      allow: 'signed-in',
      notImpersonating: true,
      body: UnregisterToken,
      message: 'Device unregistered.',
      operation: 'unregisterFcmDeviceToken',
      summary: 'Unregister a device',
    },
    (ctx, { body }) => unregisterToken(ctx, body),
  ),
]
