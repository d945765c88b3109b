/**
 * Assignment of records. With the module's assign permission, `assigned_to` is stored as sent. Without it, another user's id is
 * ignored: a new record is assigned to its creator (who couldn't see it otherwise), an existing record keeps its assignee.
 */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { invalid } from '../errors.ts'
import { userId } from '../values/fields.ts'
import type { Changes, RecordTable, Resource, Row } from './resource.ts'
import { commonTimelineOf, logActivity } from './timeline.ts'

/** Schema of `assigned_to` in a request body. */
export const assignee = () => userId().nullish()
/** Body of a request that assigns a record. */
export const AssignBody = z.object({ assigned_to: userId().nullable() })

/** Returns the assignee of a new record: as sent, else none; the creator if the actor may not assign. */
export async function assigneeForNew(ctx: Ctx, of: Resource, sent: number | null | undefined) {
  if (!of.assignPermission || !ctx.can(of.assignPermission)) return ctx.actor.id
  return sent == null ? null : (await assignableUser(ctx, sent)).id
}

/**
 * Returns a live user of the workspace; throws 422 on `assigned_to` otherwise. A service account is accepted only if it is the
 * actor itself, or if an earlier state is restored.
 */
async function assignableUser(ctx: Ctx, userId: number) {
  const live = ctx.from('users').select(['id', 'name']).where('id', '=', userId).where('deleted_at', 'is', null)
  const open = ctx.putsBack ? live : live.where((eb) => eb.or([eb('is_service', '=', false), eb('id', '=', ctx.actor.id)]))
  const user = await open.executeTakeFirst()
  if (!user) throw invalid({ assigned_to: 'There is no such user in this workspace.' })
  return user
}

/**
 * Returns a ctx whose `now` is not earlier than the last change of these locked rows. A transaction that waited for the lock may
 * have started before that change; without this its timeline entries would be older.
 */
export function behind(ctx: Ctx, rows: { updated_at: string }[]): Ctx {
  const now = [ctx.now, ...rows.map(({ updated_at }) => updated_at)].sort().at(-1)!
  return now === ctx.now ? ctx : { ...ctx, now }
}

/**
 * Assigns the record to a user, or removes the assignee, and adds a timeline entry. Does nothing if the assignee stays the same.
 */
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

/** Assigns as part of an update. Does nothing if no assignee was sent, or if the actor may not assign. */
export async function assignAsSent<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  row: Row<T>,
  sent: number | null | undefined,
): Promise<Row<T>> {
  if (sent === undefined || !of.assignPermission || !ctx.can(of.assignPermission)) return row
  return assign(ctx, of, row, sent)
}
