/**
 * Leads resource. A user without permission to assign leads sees only their own, in every list, count and reference (LEAD-79).
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { batchFilter } from './assignment-history.ts'
import { followUpFilter } from './follow-ups.ts'
import { LeadDetail, Lead as LeadItem, PRIORITIES, STATUSES, TYPES } from './schema.ts'
import { tagFilter, tagsFilter } from './tag-links.ts'

export type Lead = Row<'leads'>

export const leads = resource({
  table: 'leads',
  module: 'leads',
  noun: 'lead',
  item: LeadItem,
  detail: LeadDetail,
  assign: 'leads.assign',
  assignedWith: ['commission_rate'],
  tallied: ['status', 'assigned_to'],
  states: STATUSES,
  activityTemplates: {
    stage_changed: ({ from, to, reason }: { from: string; to: string; from_id: number; to_id: number; reason?: string }) =>
      `Stage changed from ${from} to ${to}${reason ? `: ${reason}` : ''}`,
    tags_changed: ({ added, removed }: { added: string[]; removed: string[] }) =>
      [
        ...(added.length ? [`Tagged ${added.join(', ')}`] : []),
        ...(removed.length ? [`No longer tagged ${removed.join(', ')}`] : []),
      ].join('; '),
    follow_up_added: ({ title }: FollowUpEntry) => `Follow-up planned: ${title}`,
    follow_up_updated: ({ title }: FollowUpEntry) => `Follow-up changed: ${title}`,
    follow_up_rescheduled: ({ title }: FollowUpEntry & { from: string; to: string }) => `Follow-up rescheduled: ${title}`,
    follow_up_completed: ({ title }: FollowUpEntry) => `Follow-up completed: ${title}`,
    converted: (into: Converted) => became('Converted', into),
    conversion_completed: (into: Converted) => became('Conversion completed', into),
  },
})

interface FollowUpEntry {
  follow_up_id: number
  title: string
}

/** Ids of the records that a conversion created. */
export interface Converted {
  contact_id: number | null
  company_id: number | null
  opportunity_id: number | null
}

function became(told: string, { contact_id, company_id, opportunity_id }: Converted) {
  const all = Object.entries({ contact: contact_id, company: company_id, opportunity: opportunity_id })
  const named = all.flatMap(([what, id]) => (id === null ? [] : [`${what} ${id}`]))
  return named.length ? `${told}: ${named.join(', ')}` : told
}

const figure = z
  .string()
  .regex(/^\d{1,16}(\.\d{1,4})?$/, 'Must be a number, with at most 4 decimals.')
  .meta({ examples: ['1000'] })

/** LEAD-36. */
export const leadList = listing(leads, {
  search: true,
  filters: {
    status: filter.oneOf('status', STATUSES),
    lead_type: filter.oneOf('lead_type', TYPES),
    source: filterOf({
      schema: z
        .string()
        .trim()
        .max(255)
        .meta({ description: 'Only those that came from there.', examples: ['Trade fair'] }),
      column: 'source',
      where: (_, source, column) => sql`${column('source')} = ${source}`,
    }),
    follow_up: followUpFilter,
    stage_id: filter.id('stage_id'),
    tag_id: tagFilter,
    tag_ids: tagsFilter,
    priority: filter.oneOf('priority', PRIORITIES),
    assigned_to: filter.assignee(),
    my_leads: filter.mine(),
    batch_id: batchFilter,
    lead_value_min: filterOf({ schema: figure, where: (_, least, column) => sql`${column('lead_value')} >= ${least}` }),
    lead_value_max: filterOf({ schema: figure, where: (_, most, column) => sql`${column('lead_value')} <= ${most}` }),
  },
})

/** Reserves ids, so that leads and their dependent rows can be inserted in one round trip. */
export async function reserveIds(ctx: Ctx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('leads', 'id')) as id from generate_series(1, ${count})`.execute(ctx.tx)
  return rows.map(({ id }) => id)
}

type Templates = (typeof leads)['activityTemplates']
type Entry<T extends keyof Templates> = { lead_id: number; properties?: Parameters<Templates[T]>[0] }

/** Inserts timeline entries of one type for many leads. */
export const logEach = <T extends keyof Templates & string>(ctx: Ctx, type: T, entries: Entry<T>[]) =>
  insertAll(
    ctx,
    'activities',
    entries.map(({ lead_id, properties = {} }) => ({
      subject_type: 'leads',
      subject_id: lead_id,
      type,
      properties: properties as {},
      actor_id: ctx.actor.id,
      impersonator_id: ctx.actor.impersonator?.id ?? null,
      impersonator_type: ctx.actor.impersonator?.type ?? null,
      client: ctx.request.client,
      created_at: ctx.now,
    })),
  )
