/** Whom a record is given to. With the module's assign permission `assigned_to` is stored as sent; without it, the decisions page rules. */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { invalid } from '../errors.ts'
import type { Permission } from '../modules/module.ts'
import { id } from '../values/fields.ts'
import type { RecordTable, Resource, Row } from './resource.ts'
import { commonSentences, logActivity } from './timeline.ts'

export const AssignBody = z.object({ assigned_to: id().nullable() })

/** The assignee of a new record: as sent, or its creator when the actor may not assign (else the creator couldn't see it). */
export async function assigneeForNew(ctx: Ctx, permission: Permission, sent: number | null | undefined) {
  if (!ctx.can(permission)) return ctx.actor.id
  return sent == null ? null : (await assignableUser(ctx, sent)).id
}

/** The assignee to store on an update: undefined (unchanged) when the actor may not assign. */
export async function assigneeForUpdate(ctx: Ctx, permission: Permission, sent: number | null | undefined) {
  if (sent === undefined || !ctx.can(permission)) return undefined
  return sent === null ? null : (await assignableUser(ctx, sent)).id
}

/** A live user of the workspace; 422 on `assigned_to` otherwise. */
async function assignableUser(ctx: Ctx, userId: number) {
  const user = await ctx.tx
    .selectFrom('users')
    .select(['id', 'name'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!user) throw invalid({ assigned_to: 'There is no such user in this workspace.' })
  return user
}

/** Gives the record to somebody, or to nobody, and says so in its timeline. The same assignee again is a no-op. */
export async function assign<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T, {}>,
  row: Row<T>,
  to: number | null,
): Promise<Row<T>> {
  const before = (row as { assigned_to?: number | null }).assigned_to ?? null
  if (before === to) return row
  const user = to === null ? null : await assignableUser(ctx, to)
  const saved = await of.save(ctx, row, { assigned_to: to } as any)
  await logActivity(ctx, { table: of.table, sentences: commonSentences }, (row as { id: number }).id, 'assigned', {
    from: before,
    to,
    to_name: user?.name ?? null,
  })
  return saved
}
