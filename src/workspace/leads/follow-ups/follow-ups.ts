/** Follow-ups: what is to be done about a lead, and when. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { userRef } from '#kernel/records/embed.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed, view } from '#kernel/records/view.ts'
import { choice, hardStamps, instant, optionalRef, optionalText, refId, text } from '#kernel/values/fields.ts'
import { localTime } from '#kernel/values/local-time.ts'
import { embeddedRows } from '../embedded-rows.ts'

export type FollowUp = Row<'lead_follow_ups'>

/** LEAD-30. */
export const CreateFollowUp = z.object({
  title: text(255),
  due_at: localTime(),
  notes: optionalText(),
  assigned_to: optionalRef('user'),
})

/** LEAD-28. `lead_tag_id` is the tag that asked for it. */
export const LeadFollowUp = view('lead_follow_ups', 'LeadFollowUp', {
  id: z.int(),
  lead_id: refId('lead'),
  title: z.string(),
  due_at: instant(),
  notes: z.string().nullable(),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  status: choice(['pending', 'completed']),
  completed_at: instant().nullable(),
  lead_tag_id: z.int().nullable(),
  creator: userRef('created_by'),
  ...hardStamps,
})

export const followUps = lookupTable({ table: 'lead_follow_ups', noun: 'follow-up', item: LeadFollowUp, title: 'title' })

/** In the order in which they are due (LEAD-15). */
export const followUpList = listing(followUps, {
  filters: { lead_id: filter.id('lead_id') },
  order: { by: ['due_at'] },
  hardDeleted: true,
})

/** A field of a view: the lead's follow-ups in the order in which they are due; of very many, those that are due last. */
export const leadFollowUps = () =>
  embeddedRows(LeadFollowUp, 'lead_follow_ups', { by: 'lead_id', newest: 'due_at', shown: 'asc' })

const NextFollowUp = z
  .object({ id: z.int(), title: z.string(), due_at: instant(), assigned_to: refId('user').nullable() })
  .meta({ id: 'NextFollowUp' })

/** A field of a view: the first of the lead's pending follow-ups (LEAD-13). */
export const nextFollowUp = () =>
  computed(NextFollowUp.nullable(), ({ ctx, table }) => {
    const of = (column: string) => sql.ref(`${table}.${column}`)
    return sql`case when ${of('next_follow_up_at')} is not null then (
      select json_build_object('id', f.id, 'title', f.title, 'due_at', app.iso(f.due_at), 'assigned_to', f.assigned_to)
      from lead_follow_ups f where f.tenant_id = ${ctx.tenant.id} and f.lead_id = ${of('id')} and f.status = 'pending'
      order by f.due_at, f.id limit 1) end`
  })

/** Brings the leads' `next_follow_up_at` up to date after a change of their follow-ups. */
export const refreshNext = (ctx: Ctx, leadIds: number[]) =>
  sql`
    update leads set next_follow_up_at = (
      select min(f.due_at) from lead_follow_ups f
      where f.tenant_id = ${ctx.tenant.id} and f.lead_id = leads.id and f.status = 'pending')
    where tenant_id = ${ctx.tenant.id} and id = any(${leadIds}::bigint[])`.execute(ctx.tx)
