/** Statistics of leads within the list's filters and scope (LEAD-33). Won and lost follow the stages' flags (LEAD-34). */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { ListQuery } from '#kernel/records/listing.ts'
import { seriesOf } from '#kernel/records/series.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { exact, money } from '#kernel/values/fields.ts'
import { decimal } from '#kernel/values/money.ts'
import { leadList } from './leads.ts'
import { STATUSES } from './schema.ts'
import { stagesOf } from './stages.ts'

const figures = {
  pipeline_value: money().meta({ description: 'Of the leads in stages that are neither won nor lost.' }),
  average_lead_value: money().meta({ description: 'Of the leads that have a value.' }),
  conversion_rate: exact('percentage').meta({ description: 'How many of the leads are won, in percent.' }),
  won_this_month: z
    .int()
    .meta({ description: 'How many were won since the first of the month, in the workspace’s calendar.', examples: [2] }),
  todays_follow_ups: z.int().meta({ description: 'How many open follow-ups are due today.', examples: [3] }),
  overdue_follow_ups: z.int().meta({ description: 'How many open follow-ups were due before now.', examples: [1] }),
}

export const leadStats = statsOf('LeadStats', leadList, {
  total: 'total_leads',
  mine: 'my_leads',
  states: STATUSES,
  more: {
    reply: figures,
    async read(ctx, query) {
      const [values, won_this_month, due] = await Promise.all([
        valuesByStage(ctx, query),
        wonThisMonth(ctx, query),
        dueFollowUps(ctx, query),
      ])
      return { ...values, won_this_month, ...due }
    },
  },
})

export const leadSeries = seriesOf('LeadSeries', leadList, {
  by: ['created_at'],
  of: ['count', 'lead_value'],
  unit: 'week',
  splits: ['lead_type', 'priority'],
})

/** Without further filters this is an index-only scan of leads_stage or leads_assigned. */
async function valuesByStage(ctx: Ctx, query: ListQuery) {
  const [stages, { rows }] = await Promise.all([
    stagesOf(ctx),
    sql<{ stage_id: number; count: number; valued: number; value: string }>`
      select stage_id, count(*)::int as count, count(lead_value)::int as valued, coalesce(sum(lead_value), 0)::text as value
      from leads where ${leadList.condition(ctx, query)} group by stage_id`.execute(ctx.tx),
  ])
  const stageOf = new Map(stages.map((stage) => [stage.id, stage]))
  const sum = (of: typeof rows, figure: 'count' | 'valued' | 'value') =>
    of.reduce((all, row) => all.plus(row[figure]), decimal(0))
  const won = rows.filter((row) => stageOf.get(row.stage_id)!.is_won)
  const open = rows.filter((row) => !won.includes(row) && !stageOf.get(row.stage_id)!.is_lost)
  const [count, valued] = [sum(rows, 'count'), sum(rows, 'valued')]
  return {
    pipeline_value: sum(open, 'value').toFixed(),
    average_lead_value: valued.eq(0) ? '0' : sum(rows, 'value').div(valued).toFixed(2),
    conversion_rate: count.eq(0) ? '0' : sum(won, 'count').times(100).div(count).toFixed(1),
  }
}

function wonThisMonth(ctx: Ctx, query: ListQuery) {
  const month = Temporal.PlainDate.from(ctx.today()).with({ day: 1 })
  const only = sql<SqlBool>`won_at >= ${midnight(ctx, month)} and won_at < ${midnight(ctx, month.add({ months: 1 }))}`
  return leadList.total(ctx, query, { only })
}

/** Returns the counts of pending follow-ups of these leads: today's, in the workspace's time zone, and overdue ones. */
async function dueFollowUps(ctx: Ctx, query: ListQuery) {
  const today = Temporal.PlainDate.from(ctx.today())
  const { rows } = await sql<{ todays_follow_ups: number; overdue_follow_ups: number }>`
    select count(*) filter (where f.due_at >= ${midnight(ctx, today)})::int as todays_follow_ups,
      count(*) filter (where f.due_at < ${ctx.now})::int as overdue_follow_ups
    from lead_follow_ups f
      join lateral (select from leads where leads.id = f.lead_id and ${leadList.condition(ctx, query)} limit 1) lead on true
    where f.tenant_id = ${ctx.tenant.id} and f.status = 'pending' and f.due_at < ${midnight(ctx, today.add({ days: 1 }))}`.execute(
    ctx.tx,
  )
  return rows[0]!
}

const midnight = (ctx: Ctx, date: Temporal.PlainDate) => date.toZonedDateTime(ctx.tenant.timezone).toInstant().toString()
