/** Assignment of leads, one or in bulk, with history, timeline entries and commission (LEAD-42). */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { type Events, emit } from '#kernel/modules/events.ts'
import { behind } from '#kernel/records/assignment.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { id, optionalText, userId } from '#kernel/values/fields.ts'
import { mayBeGivenLeads } from '#workspace/users/public.ts'
import { type Lead, leads, logEach } from './leads.ts'

// Users eligible as assignees (LEAD-43): not suspended, not the owner and not excluded.

/** Assignee of a lead (`id` null: unassigned) with their current commission (LEAD-11). */
export interface Assignee {
  id: number | null
  name: string | null
  commission_rate: string | null
}

const nobody: Assignee = { id: null, name: null, commission_rate: null }

/** Columns of an assignee. */
export const ASSIGNEE = ['id', 'name', 'lead_commission_rate as commission_rate'] as const

/** Returns the eligible users among these ids. */
export const eligibleAmong = (ctx: Ctx, userIds: number[]): Promise<(Assignee & { id: number })[]> =>
  mayBeGivenLeads(ctx).select(ASSIGNEE).where('id', 'in', userIds).orderBy('id').execute()

/**
 * Returns the requested assignee, or `nobody` for null; 422 on `assigned_to` for an ineligible user (LEAD-44). While a former
 * state is restored, any user who still exists is accepted, with the commission they had. An owner gets back the leads they
 * created.
 */
export async function eligible(ctx: Ctx, userId: number | null): Promise<Assignee> {
  if (ctx.putsBack) return formerAssignee(ctx, userId, ctx.putsBack)
  if (userId === null) return nobody
  const [user] = await eligibleAmong(ctx, [userId])
  if (!user)
    throw invalid({
      assigned_to:
        'Must be a user of this workspace who may be given leads: not suspended, not the owner, not excluded from them.',
    })
  return user
}

async function formerAssignee(ctx: Ctx, userId: number | null, before: Partial<Assignee>): Promise<Assignee> {
  const live = ctx.from('users').select(ASSIGNEE).where('id', '=', userId).where('deleted_at', 'is', null)
  const user = userId === null ? nobody : await live.executeTakeFirst()
  if (!user) throw invalid({ assigned_to: 'There is no such user in this workspace.' })
  return { ...user, commission_rate: before.commission_rate === undefined ? user.commission_rate : before.commission_rate }
}

/**
 * Returns the assignee of a new lead. Defaults to its creator, eligible or not; also where the actor may not assign leads
 * (LEAD-08, LEAD-38). Leads created by the system or a service account are unassigned.
 */
export async function assigneeOfNew(ctx: Ctx, sent: number | null | undefined): Promise<Assignee> {
  const { id } = ctx.actor
  const isOwn = sent === undefined || sent === id || !ctx.can('leads.assign')
  if (!isOwn) return eligible(ctx, sent)
  if (id === null) return nobody
  const own = ctx.from('users').select(ASSIGNEE).where('id', '=', id).where('is_service', '=', false)
  return (await own.executeTakeFirst()) ?? nobody
}

export const AssignLead = z.object({ assigned_to: userId().nullable(), reason: optionalText(1000) })

/** Metadata of an assignment. */
interface Deed {
  reason: string | null
  source: Events['lead.assigned']['source']
  batch_id: string | null
}

/** Assigns a lead and returns its new state; a no-op for the current assignee. 422 on `assigned_to` for an ineligible user. */
export async function assignLead(
  ctx: Ctx,
  lead: Lead,
  { assigned_to, reason = null }: z.output<typeof AssignLead>,
): Promise<Lead> {
  if (assigned_to === lead.assigned_to) return lead
  const to = await eligible(ctx, assigned_to)
  const batch_id = ctx.batch ?? null
  await give(ctx, [lead], to, { reason, source: batch_id === null ? 'assign' : 'bulk_assign', batch_id })
  return { ...lead, assigned_to, commission_rate: to.commission_rate }
}

/** Columns of a lead that an assignment needs. */
type Given = Pick<Lead, 'id' | 'assigned_to' | 'updated_at'>

/** Reassigns locked leads, none of which has this assignee yet, and emits `lead.assigned`. */
async function give(ctx: Ctx, given: Given[], to: Assignee, deed: Deed) {
  const ids = given.map(({ id }) => id)
  await handOver(ctx, given, to, deed)
  if (to.id !== null) await emitAssigned(ctx, to.id, ids, deed)
}

/** Reassigns locked leads without an event, for callers that emit one event for all leads. */
export async function handOver(begun: Ctx, given: Given[], to: Assignee, deed: Deed) {
  const ctx = behind(begun, given)
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

/** Inserts assignment history rows. */
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

// Bulk assignment in one request: failures are reported by id, the other leads are assigned.

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

/** Counts leads that already have the assignee as processed. 422 on `ids` when none of them is found. */
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

/** Locks the live leads among these ids that the actor may see. Locks are taken in the order of ids to avoid deadlocks. */
async function lockAll(ctx: Ctx, ids: number[]): Promise<Given[]> {
  const { rows } = await sql<Given>`
    select id, assigned_to, updated_at from leads
    where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[]) and deleted_at is null and ${leads.scope(ctx) ?? sql`true`}
    order by id for update`.execute(ctx.tx)
  return rows
}
