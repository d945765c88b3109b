/** Devices that receive a user's push messages (NTF-20). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { choice, hardStamps, optionalText } from '#kernel/values/fields.ts'

const deviceToken = { description: 'What Firebase calls the device.', examples: ['dJ3rVtq0o8nWc5xYb1dKfA:APA91b'] }

/** Token issued by Firebase; never longer than some hundred characters. */
const token = () =>
  z
    .string('Must be a device token.')
    .regex(/^[\x21-\x7e]{1,1024}$/, 'Must be a device token.')
    .meta(deviceToken)

const PLATFORMS = ['android', 'ios', 'web'] as const

/** Native clients send their platform; the default is a browser. */
export const RegisterToken = z.object({
  token: token(),
  platform: choice(PLATFORMS).describe('What kind of client it is.').default('web'),
  device_name: optionalText(255).meta({ description: 'What people call the device; null: nothing.', examples: ['Ann’s phone'] }),
})
export const UnregisterToken = z.object({ token: token() })

export const DeviceToken = z
  .object({
    id: z.int(),
    token: z.string().meta(deviceToken),
    platform: choice(PLATFORMS),
    device_name: z.string().nullable(),
    ...hardStamps,
  })
  .meta({ id: 'FcmDeviceToken' })

/** Maximum number of devices per user; the ones registered longest ago are removed. */
const MAX_DEVICES = 20

/** Registers a device. A token of another user in the workspace moves to the actor, who uses the device now. */
export async function registerToken(ctx: Ctx, { token, platform, device_name = null }: z.output<typeof RegisterToken>) {
  const facts = { user_id: ctx.actor.id!, platform, device_name, updated_at: ctx.now }
  const registered = await ctx.tx
    .insertInto('fcm_device_tokens')
    .values({ tenant_id: ctx.tenant.id, token, created_at: ctx.now, ...facts })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'token']).doUpdateSet(facts))
    .returning(['id', 'token', 'platform', 'device_name', 'created_at', 'updated_at'])
    .executeTakeFirstOrThrow()
  await sql`
    delete from fcm_device_tokens where tenant_id = ${ctx.tenant.id} and id in (
      select id from fcm_device_tokens where tenant_id = ${ctx.tenant.id} and user_id = ${ctx.actor.id}
      order by updated_at desc, id desc offset ${MAX_DEVICES})`.execute(ctx.tx)
  return registered
}

/** Ignores unknown tokens and those of other users. */
export async function unregisterToken(ctx: Ctx, { token }: z.output<typeof UnregisterToken>) {
  await ctx.deleteFrom('fcm_device_tokens').where('token', '=', token).where('user_id', '=', ctx.actor.id).execute()
}
