/** Follow-ups: tasks with a due time that belong to a lead. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { actorRef, userRef } from '#kernel/records/embed.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import { checkReferences } from '#kernel/records/references.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed, type JsonText, view } from '#kernel/records/view.ts'
import { choice, hardStamps, instant, optionalRef, optionalText, refId, text } from '#kernel/values/fields.ts'
import { instantIn, localTime } from '#kernel/values/local-time.ts'
import { embeddedRows } from './embedded-rows.ts'

export type FollowUp = Row<'lead_follow_ups'>

/** LEAD-30. */
export const CreateFollowUp = z.object({
  title: text(255).meta({ description: 'What is to be done.', examples: ['Call back'] }),
  due_at: localTime().meta({
    description: 'When it is to be done. Sent without a zone it is meant by the workspace’s clock; replies have it in UTC.',
    examples: ['2026-11-27T09:30:00Z'],
  }),
  notes: optionalText(),
  assigned_to: optionalRef('user'),
})

/** LEAD-28. `lead_tag_id` is the tag that required it. */
export const LeadFollowUp = view('lead_follow_ups', 'LeadFollowUp', {
  id: z.int(),
  lead_id: refId('lead'),
  title: z.string(),
  due_at: instant(),
  notes: z.string().nullable(),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  status: choice(['pending', 'completed']).describe('Whether it is still to be done.'),
  completed_at: instant().nullable().describe('When it was done; null: it is still to be done.'),
  lead_tag_id: z
    .int()
    .nullable()
    .meta({ description: 'Id of the tag that planned it; null: a person did.', examples: [3] }),
  creator: actorRef('created_by'),
  ...hardStamps,
})

export const followUps = lookupTable({ table: 'lead_follow_ups', noun: 'follow-up', item: LeadFollowUp, title: 'title' })

/** Ordered by due time (LEAD-15). */
export const followUpList = listing(followUps, {
  filters: { lead_id: filter.id('lead_id') },
  order: { by: ['due_at'] },
  hardDeleted: true,
})

/** View field: the lead's follow-ups ordered by due time; limited to the latest due ones. */
export const leadFollowUps = () =>
  embeddedRows(LeadFollowUp, 'lead_follow_ups', { by: 'lead_id', newest: 'due_at', shown: 'asc' })

const NextFollowUp = z
  .object({ id: z.int(), title: z.string(), due_at: instant(), assigned_to: refId('user').nullable() })
  .meta({ id: 'NextFollowUp' })

/** View field: the lead's first pending follow-up (LEAD-13). */
export const nextFollowUp = () =>
  computed(NextFollowUp.nullable(), ({ ctx, table }) => {
    const of = (column: string) => sql.ref(`${table}.${column}`)
    return sql`case when ${of('next_follow_up_at')} is not null then (
      select json_build_object('id', f.id, 'title', f.title, 'due_at', app.iso(f.due_at), 'assigned_to', f.assigned_to)
      from lead_follow_ups f where f.tenant_id = ${ctx.tenant.id} and f.lead_id = ${of('id')} and f.status = 'pending'
      order by f.due_at, f.id limit 1) end`
  })

/**
 * Refreshes `next_follow_up_at` of leads after their follow-ups changed; the timeline records that change. `updated_since` lists
 * these leads. The revision stays, so that no concurrent change is rejected.
 */
export const refreshNext = (ctx: Ctx, leadIds: number[]) => {
  const next = sql`(
    select min(f.due_at) from lead_follow_ups f where f.tenant_id = ${ctx.tenant.id} and f.lead_id = leads.id and f.status = 'pending')`
  return sql`
    update leads set next_follow_up_at = ${next}, updated_at = ${ctx.now}
    where tenant_id = ${ctx.tenant.id} and id = any(${leadIds}::bigint[]) and next_follow_up_at is distinct from ${next}`.execute(
    ctx.tx,
  )
}

const DUE = ['overdue', 'today', 'due', 'upcoming', 'none'] as const
/** Filter `?follow_up=due`: by due time of the next open follow-up, in the workspace's time zone. */
export const followUpFilter = filterOf({
  schema: choice(DUE).meta({
    title: 'Follow-up',
    description:
      'When the next open follow-up is due: its time has passed (`overdue`), some time `today`, either of these (`due`), on a later day (`upcoming`), or there is `none`.',
  }),
  column: 'next_follow_up_at',
  where(ctx: Ctx, due, column) {
    const at = column('next_follow_up_at')
    const today = Temporal.PlainDate.from(ctx.today())
    const midnight = (day: Temporal.PlainDate) => day.toZonedDateTime(ctx.tenant.timezone).toInstant().toString()
    const [begin, end] = [midnight(today), midnight(today.add({ days: 1 }))]
    switch (due) {
      case 'overdue':
        return sql`${at} < ${ctx.now}`
      case 'today':
        return sql`(${at} >= ${begin} and ${at} < ${end})`
      case 'due':
        return sql`${at} < ${end}`
      case 'upcoming':
        return sql`${at} >= ${end}`
      case 'none':
        return sql`${at} is null`
    }
  },
})

// A follow-up to insert; each gets an entry in its lead's timeline.

export interface WantedFollowUp {
  title: string
  due_at: string
  notes: string | null
  assigned_to: number | null
  lead_tag_id: number | null
}

/** Converts input to a row with a UTC instant. Defaults to the lead's assignee. */
export const wantedOf = (ctx: Ctx, sent: z.output<typeof CreateFollowUp>, assignee: number | null): WantedFollowUp => ({
  title: sent.title,
  due_at: instantIn(ctx, sent.due_at),
  notes: sent.notes ?? null,
  assigned_to: sent.assigned_to ?? assignee,
  lead_tag_id: null,
})

/** 422 on `field` for a suspended user. The current assignee is accepted, and so is the lead's assignee by default. */
export async function refuseSuspended(ctx: Ctx, sent: number | null | undefined, field = 'assigned_to', before?: number | null) {
  if (sent == null || sent === before) return
  const found = ctx.from('users').select('id').where('id', '=', sent).where('suspended_at', 'is not', null)
  if (await found.executeTakeFirst()) throw invalid({ [field]: 'Must be a user who is not suspended.' })
}

/** POST /leads/:id/follow-ups (LEAD-30). */
export async function addFollowUp(ctx: Ctx, lead: Row<'leads'>, sent: z.output<typeof CreateFollowUp>): Promise<JsonText> {
  await allPipelined(checkReferences(ctx, CreateFollowUp, sent), refuseSuspended(ctx, sent.assigned_to))
  const [[id]] = await allPipelined(
    insertFollowUps(ctx, [{ ...wantedOf(ctx, sent, lead.assigned_to), lead_id: lead.id }]),
    refreshNext(ctx, [lead.id]),
  )
  return followUps.show(ctx, id!)
}

/** Inserts follow-ups with timeline entries. The caller must refresh `next_follow_up_at`. */
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
      insert into activities (tenant_id, subject_type, subject_id, type, properties, actor_id, impersonator_id, impersonator_type, client, created_at)
      select ${tenant.id}::bigint, 'leads', lead_id, 'follow_up_added', jsonb_build_object('follow_up_id', id, 'title', title, 'due_at', app.iso(due_at)),
        ${actor.id}::bigint, ${actor.impersonator?.id ?? null}::bigint, ${actor.impersonator?.type ?? null}, ${ctx.request.client}::text, ${now}::timestamptz
      from made returning 1
    ) select id from made`.execute(ctx.tx)
  return rows.map(({ id }) => id)
}
