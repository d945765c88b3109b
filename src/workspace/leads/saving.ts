/** Creates leads (one from POST /leads, or thousands at once) and changes them. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { behind } from '#kernel/records/assignment.ts'
import { revise } from '#kernel/records/changes.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { checkReferences } from '#kernel/records/references.ts'
import type { New } from '#kernel/records/resource.ts'
import type { PendingInsert } from '#kernel/records/saving.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { type Assignee, assigneeOfNew, assignLead, emitAssigned, rememberAssignments } from './assignment.ts'
import { insertFollowUps, refuseSuspended, type WantedFollowUp, wantedOf } from './follow-ups.ts'
import { type Lead, leads, logEach, reserveIds } from './leads.ts'
import { moveToStage, stageAmong, standingIn } from './pipeline.ts'
import { type ChangeLead, CreateLead, leadValue } from './schema.ts'
import { type Stage, stagesOf } from './stages.ts'
import { link } from './tag-links.ts'
import { followUpsFor, retag, tagsFor } from './tagging.ts'
import { type Tag, tagsOf } from './tags.ts'

// Drafts of new leads: computed from the input without further queries, for one lead or thousands.

/** Stages and tags, read once for all drafts. */
export interface ImportContext {
  stages: Stage[]
  tags: Tag[]
}

export async function readImportContext(ctx: Ctx): Promise<ImportContext> {
  const [stages, tags] = await allPipelined(stagesOf(ctx), tagsOf(ctx))
  return { stages, tags }
}

/** Columns set only by a conversion. */
type Later = 'converted_at' | 'is_stub' | 'contact_id' | 'company_id' | 'opportunity_id'

/** Columns set only by imports. */
type Imported = 'external_id' | 'batch_id'

/** A lead that is ready to be inserted. */
export interface Draft {
  values: Required<Omit<New<'leads'>, 'search_text' | 'phone_key' | 'number' | Imported | Later>> & Pick<New<'leads'>, Imported>
  tag_ids: number[]
  follow_ups: WantedFollowUp[]
}

/** 422 as the route documents it: on `stage_id`, `tag_ids.N`, `follow_up` or the value. Every draft has the same columns. */
export function draftOf(ctx: Ctx, ground: ImportContext, sent: z.output<typeof CreateLead>, to: Assignee): Draft {
  const { name, lead_type, email = null, phone = null, company = null, job_title = null, source = null, priority, status } = sent
  const tags = tagsFor(ground.tags, lead_type, sent.tag_ids)
  const wanted = sent.follow_up ? wantedOf(ctx, sent.follow_up, to.id) : undefined
  const follow_ups = followUpsFor(ctx, tags, wanted, to.id)
  return {
    values: {
      ...{ name, lead_type, email, phone, company, job_title, source, priority, status },
      ...standingIn(stageAmong(ground.stages, sent.stage_id), ctx.now),
      lead_value: leadValue(ctx, sent) ?? null,
      assigned_to: to.id,
      commission_rate: to.commission_rate,
      next_follow_up_at: follow_ups.map(({ due_at }) => due_at).sort()[0] ?? null,
    },
    tag_ids: tags.map(({ id }) => id),
    follow_ups,
  }
}

/** Creates a lead. An assignee other than the actor is notified, and the assignment is recorded in the lead's history. */
export async function createLead(ctx: Ctx, sent: z.output<typeof CreateLead>): Promise<PendingInsert> {
  const [to, ground, [id]] = await allPipelined(
    assigneeOfNew(ctx, sent.assigned_to),
    readImportContext(ctx),
    reserveIds(ctx, 1),
    checkReferences(ctx, CreateLead, sent),
    refuseSuspended(ctx, sent.follow_up?.assigned_to, 'follow_up.assigned_to'),
  )
  const lead = { ...draftOf(ctx, ground, sent, to), id: id! }
  const inserted = insertLeads(ctx, [lead])
  if (to.id === null || to.id === ctx.actor.id) return { id: lead.id, inserted }
  await inserted
  const deed = { reason: null, source: 'assign', batch_id: null } as const
  await rememberAssignments(ctx, [{ lead_id: lead.id, from: null, to: to.id }], deed)
  await emitAssigned(ctx, to.id, [lead.id], deed)
  return { id: lead.id, inserted }
}

/** Inserts leads with their tags, follow-ups and first timeline entries in a constant number of statements. */
export const insertLeads = (ctx: Ctx, drafts: (Draft & { id: number })[]) =>
  allPipelined(
    insertAll(
      ctx,
      'leads',
      drafts.map(({ id, values }) => ({ id, ...values, created_by: ctx.actor.id, created_at: ctx.now, updated_at: ctx.now })),
    ),
    logEach(
      ctx,
      'created',
      drafts.map(({ id }) => ({ lead_id: id })),
    ),
    link(
      ctx,
      drafts.flatMap(({ id, tag_ids }) => tag_ids.map((tag_id) => ({ lead_id: id, tag_id }))),
    ),
    insertFollowUps(
      ctx,
      drafts.flatMap(({ id, follow_ups }) => follow_ups.map((one) => ({ ...one, lead_id: id }))),
    ),
  )

// Leads created by no user: deliveries of websites and ads.

/** Creates a lead and returns its id. Its assignee is notified, and the assignment is recorded in its history. */
export async function arrive(ctx: Ctx, sent: z.output<typeof CreateLead>, to: Assignee): Promise<number> {
  const [ground, [id]] = await allPipelined(readImportContext(ctx), reserveIds(ctx, 1))
  const lead_id = id!
  await insertLeads(ctx, [{ ...draftOf(ctx, { ...ground, tags: ground.tags.map(undemanding) }, sent, to), id: lead_id }])
  if (to.id !== null) {
    const deed = { reason: null, source: 'webhook', batch_id: null } as const
    await rememberAssignments(ctx, [{ lead_id, from: null, to: to.id }], deed)
    await emitAssigned(ctx, to.id, [lead_id], deed)
  }
  return lead_id
}

/** Drops a default tag that requires a follow-up: no user is present to plan one, and the lead would be lost. */
const undemanding = (tag: Tag): Tag => (tag.behavior === 'force_follow_up' ? { ...tag, is_default: false } : tag)

/**
 * PUT /leads/:id (LEAD-39). Every status change is allowed; a new type removes the tag of the former one. Ignores `assigned_to`
 * where the actor may not assign.
 */
export async function changeLead(begun: Ctx, lead: Lead, sent: z.output<typeof ChangeLead>) {
  const ctx = behind(begun, [lead])
  const { status, stage_id, assigned_to, tag_ids, follow_up, estimated_value: _, ...fields } = sent
  let changed = await revise(ctx, leads, lead, { ...fields, lead_value: leadValue(ctx, sent) })
  if (assigned_to !== undefined && ctx.can('leads.assign')) changed = await assignLead(ctx, changed, { assigned_to })
  if (status && status !== lead.status) await changeStatus(ctx, changed, status)
  if (stage_id) await moveToStage(ctx, changed, stage_id)
  if (tag_ids || follow_up || changed.lead_type !== lead.lead_type)
    await retag(ctx, changed, { tag_ids: tag_ids ?? undefined, follow_up })
}

export const changeStatus = (ctx: Ctx, lead: Lead, status: Lead['status']) =>
  allPipelined(
    leads.save(ctx, lead, { status }),
    logActivity(ctx, leads, lead.id, 'status_changed', { from: lead.status, to: status }),
  )
