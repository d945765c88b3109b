/** Sends notifications as push messages (NTF-27, NTF-28): one job per device, so that a failing device is retried alone. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import type { News } from '../audience.ts'
import type { Envelope } from '../envelope.ts'
import { wantedOn } from '../preferences.ts'
import { sendPush } from './fcm.ts'

/** Queued in the event's transaction, sent after its commit. Skipped without a service account. */
export async function pushNews(ctx: Ctx, news: News[]) {
  const { config, queue } = ctx.services
  if (!config.FCM_SERVICE_ACCOUNT) return
  const wanted = await wantedOn('push', ctx, news)
  const devices = await devicesOf(
    ctx,
    wanted.map(({ viewer }) => viewer.id),
  )
  const messages = wanted.flatMap(({ id, viewer }) =>
    (devices.get(viewer.id) ?? []).map((device) => ({ notification_id: id, device_id: device.id })),
  )
  await queue.sendAll(
    ctx,
    pushJob,
    messages.map((data) => ({ tenantId: ctx.tenant.id, data })),
  )
}

async function devicesOf(ctx: Ctx, userIds: number[]) {
  if (!userIds.length) return new Map<number, { id: number; user_id: number }[]>()
  const found = await ctx
    .from('fcm_device_tokens')
    .select(['id', 'user_id'])
    .where('user_id', 'in', userIds)
    .orderBy('id')
    .execute()
  return Map.groupBy(found, ({ user_id }) => user_id)
}

interface Push {
  notification_id: string
  device_id: number
}

/** Returns nothing for a read notification, a device that has moved to another user, and a user who is deleted or suspended. */
const find = async (ctx: Ctx, { notification_id, device_id }: Push) => {
  const { rows } = await sql<{ token: string; data: Envelope }>`
    select d.token, n.data from notifications n
    join users u on u.tenant_id = ${ctx.tenant.id} and u.id = n.user_id and u.deleted_at is null and u.suspended_at is null
    join fcm_device_tokens d on d.tenant_id = ${ctx.tenant.id} and d.id = ${device_id} and d.user_id = n.user_id
    where n.tenant_id = ${ctx.tenant.id} and n.id = ${notification_id} and n.read_at is null`.execute(ctx.tx)
  return rows[0]
}

export const pushJob = defineWorkspaceJob<Push>({
  name: 'notifications-push',
  data: z.object({ notification_id: z.uuid(), device_id: z.int() }),
  retries: 3,
  concurrency: 4,
  expireSeconds: 60,
  retentionDays: 1,
  transactions: 'own',
  async run(steps, push) {
    const found = await steps.read((ctx) => find(ctx, push))
    if (!found) return
    const { token, data } = found
    const outcome = await sendPush(steps.services, {
      token,
      notification: { title: data.title, body: data.body },
      data: {
        notification_id: push.notification_id,
        tenant_id: String(steps.tenant.id),
        type: data.type,
        route: JSON.stringify(data.route),
      },
    })
    // Matches the token too: the device may have been registered again meanwhile.
    if (outcome === 'gone')
      await steps.write((ctx) =>
        ctx.deleteFrom('fcm_device_tokens').where('id', '=', push.device_id).where('token', '=', token).execute(),
      )
  },
})
