/** New follow-ups, one or many, each told in its lead's timeline. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { checkReferences } from '#kernel/records/references.ts'
import type { JsonText } from '#kernel/records/view.ts'
import { instantIn } from '#kernel/values/local-time.ts'
import type { Lead } from '../leads.ts'
import { CreateFollowUp, followUps, refreshNext } from './follow-ups.ts'

export interface WantedFollowUp {
  title: string
  due_at: string
  notes: string | null
  assigned_to: number | null
  lead_tag_id: number | null
}

/** What was sent, with its instant in UTC. It is the lead's assignee's unless it says whose. */
export const wantedOf = (ctx: Ctx, sent: z.output<typeof CreateFollowUp>, assignee: number | null): WantedFollowUp => ({
  title: sent.title,
  due_at: instantIn(ctx, sent.due_at),
  notes: sent.notes ?? null,
  assigned_to: sent.assigned_to ?? assignee,
  lead_tag_id: null,
})

/** POST /leads/:id/follow-ups (LEAD-30). */
export async function addFollowUp(ctx: Ctx, lead: Lead, sent: z.output<typeof CreateFollowUp>): Promise<JsonText> {
  await checkReferences(ctx, CreateFollowUp, sent)
  const [[id]] = await allPipelined(
    insertFollowUps(ctx, [{ ...wantedOf(ctx, sent, lead.assigned_to), lead_id: lead.id }]),
    refreshNext(ctx, [lead.id]),
  )
  return followUps.show(ctx, id!)
}

/** Inserts follow-ups and tells of each. The leads' `next_follow_up_at` is the caller's to refresh. */
export async function insertFollowUps(ctx: Ctx, wanted: (WantedFollowUp & { lead_id: number })[]): Promise<number[]> {
  if (!wanted.length) return []
  const { tenant, actor, now } = ctx
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into lead_follow_ups (tenant_id, lead_id, title, due_at, notes, assigned_to, lead_tag_id, created_by, created_at, updated_at)
      select ${tenant.id}::bigint, lead_id, title, due_at, notes, assigned_to, lead_tag_id, ${actor.id}::bigint, ${now}::timestamptz, ${now}::timestamptz
      from json_populate_recordset(null::lead_follow_ups, ${JSON.stringify(wanted)}::json)
      returning id, lead_id, title, due_at
    ), told as (
      insert into activities (tenant_id, subject_type, subject_id, type, properties, actor_id, impersonator_id, impersonator_type, created_at)
      select ${tenant.id}::bigint, 'leads', lead_id, 'follow_up_added', jsonb_build_object('follow_up_id', id, 'title', title, 'due_at', app.iso(due_at)),
        ${actor.id}::bigint, ${actor.impersonator?.id ?? null}::bigint, ${actor.impersonator?.type ?? null}, ${now}::timestamptz
      from made returning 1
    ) select id from made`.execute(ctx.tx)
  return rows.map(({ id }) => id)
}
