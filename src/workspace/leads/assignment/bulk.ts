/** Giving many leads to somebody in one request: those that can't be given are named, the others stand. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { id } from '#kernel/values/fields.ts'
import { type Lead, leads } from '../leads.ts'
import { AssignLead, give } from './assigning.ts'
import { eligible } from './eligible.ts'

export const BulkAssign = z.object({
  ids: z
    .array(id().meta({ 'x-refers-to': 'lead' }))
    .min(1, 'Must name at least one lead.')
    .max(100, 'Must be at most 100 leads.'),
  ...AssignLead.shape,
})

export const BulkAssigned = z
  .object({
    processed: z.int(),
    failed: z.array(z.object({ id: z.int(), message: z.string() })),
    batch_id: z.uuid().meta({ description: 'What the history of each lead names; the list takes it as a filter.' }),
  })
  .meta({ id: 'BulkAssigned' })

/** A lead that is the assignee's already counts as processed. 422 on `ids` when there is none of them. */
export async function bulkAssign(ctx: Ctx, { ids, assigned_to, reason = null }: z.output<typeof BulkAssign>) {
  const to = await eligible(ctx, assigned_to)
  const found = await lockAll(ctx, ids)
  const known = new Set(found.map((lead) => lead.id))
  const failed = [...new Set(ids)].filter((one) => !known.has(one)).map((one) => ({ id: one, message: 'There is no such lead.' }))
  if (!found.length) throw invalid({ ids: 'There is none of these leads.' }, { data: { processed: 0, failed } })
  const batch_id = randomUUID()
  const given = found.filter((lead) => lead.assigned_to !== to.id)
  if (given.length) await give(ctx, given, to, { reason, source: 'bulk_assign', batch_id })
  return { processed: found.length, failed, batch_id }
}

/** Those of these leads that are live and in the actor's sight, locked in the order of their ids, so that two requests don't block each other. */
async function lockAll(ctx: Ctx, ids: number[]): Promise<Pick<Lead, 'id' | 'assigned_to'>[]> {
  const { rows } = await sql<Pick<Lead, 'id' | 'assigned_to'>>`
    select id, assigned_to from leads
    where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[]) and deleted_at is null and ${leads.scope(ctx) ?? sql`true`}
    order by id for update`.execute(ctx.tx)
  return rows
}
