/** Giving leads to somebody, or to nobody: one or many at once, each with its history, its timeline and the commission (LEAD-42). */

import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { type Events, emit } from '#kernel/modules/events.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { optionalText, userId } from '#kernel/values/fields.ts'
import type { Lead } from '../leads.ts'
import { logEach } from '../rows.ts'
import { type Assignee, eligible } from './eligible.ts'

export const AssignLead = z.object({ assigned_to: userId().nullable(), reason: optionalText(1000) })

/** What is said of an assignment. */
export interface Deed {
  reason: string | null
  source: Events['lead.assigned']['source']
  batch_id: string | null
}

/** The lead as it is then; the same assignee again is a no-op. 422 on `assigned_to` for somebody who may not be given leads. */
export async function assignLead(
  ctx: Ctx,
  lead: Lead,
  { assigned_to, reason = null }: z.output<typeof AssignLead>,
): Promise<Lead> {
  if (assigned_to === lead.assigned_to) return lead
  const to = await eligible(ctx, assigned_to)
  await give(ctx, [lead], to, { reason, source: 'assign', batch_id: null })
  return { ...lead, assigned_to, commission_rate: to.commission_rate }
}

/** Gives locked leads, none of which is the assignee's yet, and tells them. */
export async function give(ctx: Ctx, given: Pick<Lead, 'id' | 'assigned_to'>[], to: Assignee, deed: Deed) {
  const ids = given.map(({ id }) => id)
  await handOver(ctx, given, to, deed)
  if (to.id !== null) await emitAssigned(ctx, to.id, ids, deed)
}

/** Gives locked leads without telling: for a caller who tells the assignees of everything at once. */
export async function handOver(ctx: Ctx, given: Pick<Lead, 'id' | 'assigned_to'>[], to: Assignee, deed: Deed) {
  const ids = given.map(({ id }) => id)
  await allPipelined(
    sql`
      update leads set assigned_to = ${to.id}, commission_rate = ${to.commission_rate}, updated_at = ${ctx.now}, revision = revision + 1
      where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])`.execute(ctx.tx),
    rememberAssignments(
      ctx,
      given.map((lead) => ({ lead_id: lead.id, from: lead.assigned_to, to: to.id })),
      deed,
    ),
    logEach(
      ctx,
      'assigned',
      given.map((lead) => ({ lead_id: lead.id, properties: { from: lead.assigned_to, to: to.id, to_name: to.name } })),
    ),
  )
}

export const emitAssigned = (ctx: Ctx, user_id: number, lead_ids: number[], { source, batch_id }: Deed) =>
  emit(ctx, 'lead.assigned', { user_id, lead_ids, source, batch_id })

/** Rows of the histories of leads. */
export const rememberAssignments = (
  ctx: Ctx,
  assignments: { lead_id: number; from: number | null; to: number | null }[],
  { reason, batch_id }: Deed,
) =>
  insertAll(
    ctx,
    'lead_assignments',
    assignments.map(({ lead_id, from, to }) => ({
      ...{ lead_id, old_user_id: from, new_user_id: to, changed_by_id: ctx.actor.id, reason, batch_id, created_at: ctx.now },
    })),
  )
