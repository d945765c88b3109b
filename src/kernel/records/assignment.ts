/**
 * Whom a record is given to. With the module's assign permission `assigned_to` is stored as sent. Without it another user's id is
 * dropped: a new record is its creator's (who couldn't see it otherwise), an existing one stays whose it is.
 */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { invalid } from '../errors.ts'
import { userId } from '../values/fields.ts'
import type { Changes, RecordTable, Resource, Row } from './resource.ts'
import { commonTimelineOf, logActivity } from './timeline.ts'

/** Of a record that somebody may be given: `assigned_to`. */
export const assignee = () => userId().nullish()
export const AssignBody = z.object({ assigned_to: userId().nullable() })

/** The assignee to store with a new record: as sent, else nobody; the creator where the actor may not assign. */
export async function assigneeForNew(ctx: Ctx, of: Resource, sent: number | null | undefined) {
  if (!of.assignPermission || !ctx.can(of.assignPermission)) return ctx.actor.id
  return sent == null ? null : (await assignableUser(ctx, sent)).id
}

/** A live user of the workspace; 422 on `assigned_to` otherwise. A program may keep what it makes, and gets back what it had. */
async function assignableUser(ctx: Ctx, userId: number) {
  const live = ctx.from('users').select(['id', 'name']).where('id', '=', userId).where('deleted_at', 'is', null)
  const open = ctx.putsBack ? live : live.where((eb) => eb.or([eb('is_service', '=', false), eb('id', '=', ctx.actor.id)]))
  const user = await open.executeTakeFirst()
  if (!user) throw invalid({ assigned_to: 'There is no such user in this workspace.' })
  return user
}

/**
 * At a moment that isn't before the last change of these locked rows: whoever waited for the lock may have begun first, and what happens
 * now would be told before what has happened.
 */
export function behind(ctx: Ctx, rows: { updated_at: string }[]): Ctx {
  const now = [ctx.now, ...rows.map(({ updated_at }) => updated_at)].sort().at(-1)!
  return now === ctx.now ? ctx : { ...ctx, now }
}

/** Gives the record to somebody, or to nobody, and says so in its timeline. The same assignee again is a no-op. */
export async function assign<T extends RecordTable>(
  begun: Ctx,
  of: Resource<T>,
  row: Row<T>,
  to: number | null,
): Promise<Row<T>> {
  const ctx = behind(begun, [row as unknown as { updated_at: string }])
  const { id, assigned_to: from = null } = row as unknown as { id: number; assigned_to?: number | null }
  if (from === to) return row
  const user = to === null ? null : await assignableUser(ctx, to)
  const [saved] = await allPipelined(
    of.save(ctx, row, { assigned_to: to } as unknown as Changes<T>),
    logActivity(ctx, commonTimelineOf(of), id, 'assigned', { from, to, to_name: user?.name ?? null }),
  )
  return saved
}

/** Assigns as part of an update: nothing where nothing was sent, or where the actor may not assign. */
export async function assignAsSent<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  row: Row<T>,
  sent: number | null | undefined,
): Promise<Row<T>> {
  if (sent === undefined || !of.assignPermission || !ctx.can(of.assignPermission)) return row
  return assign(ctx, of, row, sent)
}
