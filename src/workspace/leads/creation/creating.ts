/** New leads: one from POST /leads, or as many as somebody has drafts of. */

import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { checkReferences } from '#kernel/records/references.ts'
import type { PendingInsert } from '#kernel/records/saving.ts'
import { emitAssigned, rememberAssignments } from '../assignment/assigning.ts'
import { assigneeOfNew } from '../assignment/eligible.ts'
import { insertFollowUps } from '../follow-ups/adding.ts'
import { logEach, reserveIds } from '../rows.ts'
import { CreateLead } from '../schema.ts'
import { link } from '../tags/links.ts'
import { type Draft, draftOf, readImportContext } from './drafting.ts'

/** A lead of what was sent. Whoever is given it by somebody else is told, and it stands in its history. */
export async function createLead(ctx: Ctx, sent: z.output<typeof CreateLead>): Promise<PendingInsert> {
  const [to, ground, [id]] = await allPipelined(
    assigneeOfNew(ctx, sent.assigned_to),
    readImportContext(ctx),
    reserveIds(ctx, 1),
    checkReferences(ctx, CreateLead, sent),
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

/** Inserts leads with their tags, their follow-ups and the beginning of their timelines: a few statements, however many leads. */
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
