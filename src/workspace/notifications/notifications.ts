/** Notifications of the signed-in user: list, unread count, marking as read (NTF-17, NTF-19). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filterOf, type Listed, listing, workspaceTable } from '#kernel/records/listing.ts'
import { readOne, view } from '#kernel/records/view.ts'
import { choice, coded, date, hardStamps, instant } from '#kernel/values/fields.ts'
import { instantIn } from '#kernel/values/local-time.ts'
import { typeWords } from './catalogue.ts'
import { Envelope } from './envelope.ts'

export const Notification = view('notifications', 'Notification', {
  id: z.uuid(),
  type: coded(
    z.string().meta({ description: 'What happened: `lead.assigned`, `task.mentioned`.', examples: ['lead.assigned'] }),
    typeWords,
  ),
  data: Envelope.describe('What a client shows of it, and where it leads.'),
  read_at: instant().nullable().describe('When it was read; null: it was not.'),
  created_at: hardStamps.created_at,
  updated_at: hardStamps.updated_at,
})

const own: Listed<typeof Notification, Ctx> = {
  ...workspaceTable('notifications', Notification),
  scope: (ctx) => sql`notifications.user_id = ${ctx.actor.id}`,
}

/** A day in the workspace's time zone. */
const day = () => date().refine((given) => given >= '1900' && given < '2200', 'Must be a date between 1900 and 2199.')
const dayAfter = (given: string) => Temporal.PlainDate.from(given).add({ days: 1 }).toString()

export const notificationList = listing(own, {
  sorts: ['created_at'],
  hardDeleted: true,
  filters: {
    status: filterOf({
      schema: choice(['unread', 'read']),
      where: (_, status, column) =>
        status === 'unread' ? sql`${column('read_at')} is null` : sql`${column('read_at')} is not null`,
    }),
    date_from: filterOf({
      schema: day(),
      where: (ctx: Ctx, from, column) => sql`${column('created_at')} >= ${instantIn(ctx, from)}`,
    }),
    date_to: filterOf({
      schema: day(),
      where: (ctx: Ctx, to, column) => sql`${column('created_at')} < ${instantIn(ctx, dayAfter(to))}`,
    }),
  },
})

export const UnreadCount = z
  .object({ unread_count: z.int().meta({ description: 'How many notifications of the caller are not read.', examples: [3] }) })
  .meta({ id: 'UnreadCount' })

export async function unreadCount(ctx: Ctx) {
  const { rows } = await sql<{ unread_count: number }>`
    select count(*)::int as unread_count from notifications
    where tenant_id = ${ctx.tenant.id} and user_id = ${ctx.actor.id} and read_at is null`.execute(ctx.tx)
  return rows[0]!
}

/** Keeps the time of the first reading; 404 for another user's. */
export async function markRead(ctx: Ctx, id: string) {
  await ctx
    .update('notifications')
    .set({ read_at: ctx.now, updated_at: ctx.now })
    .where('id', '=', id)
    .where('user_id', '=', ctx.actor.id)
    .where('read_at', 'is', null)
    .execute()
  const conditions = sql`
    notifications.tenant_id = ${ctx.tenant.id} and notifications.id = ${id} and notifications.user_id = ${ctx.actor.id}`
  return readOne(ctx, Notification, 'notifications', conditions, { noun: 'notification' })
}

export const AllRead = z
  .object({ marked: z.int().meta({ description: 'How many were marked as read.', examples: [3] }), unread_count: z.int() })
  .meta({ id: 'AllRead' })

/** Marks the notifications stored so far; one that arrives meanwhile stays unread. */
export async function markAllRead(ctx: Ctx) {
  const { numUpdatedRows } = await ctx
    .update('notifications')
    .set({ read_at: ctx.now, updated_at: ctx.now })
    .where('user_id', '=', ctx.actor.id)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { marked: Number(numUpdatedRows), ...(await unreadCount(ctx)) }
}
