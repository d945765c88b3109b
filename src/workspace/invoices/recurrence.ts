/**
 * Series: once a recurring invoice is sent, it is the root from which others are issued (INV-15 … INV-20, INV-42 … INV-47).
 * Occurrence n falls on the anchor date plus n periods, clamped to the end of the month: a series of the 31st has occurrences on
 * 28 February and again on 31 March.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Frequency } from './schema.ts'

/** Maximum occurrences that may already be due when a series begins; weekly, that is more than a year. */
const MAX_BACKLOG = 60
/** Maximum active series of one workspace. */
const MAX_ACTIVE_SERIES = 10_000
/** Maximum term of payment of a recurring invoice. */
const MAX_TERM_YEARS = 10
/** Last allowed date (`date()` of the kernel's fields). */
const LAST_DATE = Temporal.PlainDate.from('9999-12-31')

const PERIODS: Record<Frequency, Temporal.DurationLike> = {
  weekly: { weeks: 1 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  semi_annually: { months: 6 },
  yearly: { years: 1 },
}

/** Returns the date of occurrence n, YYYY-MM-DD, at most the calendar's last date. */
export function occurrenceOn(anchor: string, frequency: Frequency, n: number): string {
  const [[unit, count] = []] = Object.entries(PERIODS[frequency])
  return later(anchor, { [unit!]: n * count! })
}

/** Returns a date plus a duration, YYYY-MM-DD, at most the calendar's last date. */
export function later(date: string, duration: Temporal.DurationLike): string {
  const sum = Temporal.PlainDate.from(date).add(duration)
  return (Temporal.PlainDate.compare(sum, LAST_DATE) > 0 ? LAST_DATE : sum).toString()
}

/** Whether a series has ended before its next date. */
export const isOver = (next: string, ends: string | null) => (ends !== null && next > ends) || next === LAST_DATE.toString()

interface Planned {
  is_recurring?: boolean
  issue_date?: string | null
  due_date?: string | null
  recurrence_frequency?: Frequency | string | null
  recurrence_next_issue_on?: string | null
  recurrence_ends_on?: string | null
}

/** Columns of a draft's series; all empty without one. 422 on missing or inconsistent values (INV-16 … INV-18). */
export function plannedRecurrence(ctx: Ctx, planned: Planned) {
  const { is_recurring, issue_date, due_date, recurrence_frequency, recurrence_next_issue_on: next } = planned
  const { recurrence_ends_on: ends } = planned
  if (!is_recurring)
    return {
      recurrence_frequency: null,
      recurrence_next_issue_on: null,
      recurrence_ends_on: null,
      recurrence_status: null,
    } as const
  const wrong = outOfBounds(ctx, { issue_date: issue_date ?? ctx.today(), due_date, next, frequency: recurrence_frequency })
  if (!recurrence_frequency) wrong.recurrence_frequency = 'Is required for a recurring invoice.'
  if (!next) wrong.recurrence_next_issue_on = 'Is required for a recurring invoice.'
  else if (next <= (issue_date ?? ctx.today()))
    wrong.recurrence_next_issue_on = issue_date ? 'Must be after issue_date.' : 'Must be after today.'
  if (next && ends && ends < next) wrong.recurrence_ends_on = 'Must not be before recurrence_next_issue_on.'
  if (Object.keys(wrong).length) throw invalid(wrong)
  return { recurrence_status: 'pending' } as const
}

interface Beginning {
  issue_date: string
  due_date?: string | null
  next?: string | null
  frequency?: string | null
}

/** Messages by field if a series would begin too far in the past, or its invoices would be due too late. */
function outOfBounds(ctx: Ctx, { issue_date, due_date, next, frequency }: Beginning) {
  const wrong: Record<string, string> = {}
  if (next && frequency) {
    const earliest = occurrenceOn(ctx.today(), frequency as Frequency, 1 - MAX_BACKLOG)
    if (next < earliest)
      wrong.recurrence_next_issue_on = `Must be ${earliest} or later: a series begins with at most ${MAX_BACKLOG} invoices that are due already.`
  }
  if (due_date && due_date > later(issue_date, { years: MAX_TERM_YEARS }))
    wrong.due_date = `Must be within ${MAX_TERM_YEARS} years of the day of issue, because each invoice of the series is due after as many days.`
  return wrong
}

/**
 * Checks the plan again when a series begins, which may be long after it was planned. 422 as for the plan, and on `is_recurring`
 * above the maximum of active series.
 */
export async function checkBeginning(ctx: Ctx, beginning: Beginning) {
  const wrong = outOfBounds(ctx, beginning)
  if (Object.keys(wrong).length) throw invalid(wrong)
  await sql`select pg_advisory_xact_lock(hashtextextended('active series', ${ctx.tenant.id}))`.execute(ctx.tx)
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from invoices
    where tenant_id = ${ctx.tenant.id} and recurrence_status = 'active' and deleted_at is null`.execute(ctx.tx)
  if (rows[0]!.n >= MAX_ACTIVE_SERIES)
    throw invalid({ is_recurring: `There are ${MAX_ACTIVE_SERIES} active series, the most a workspace has. Stop one first.` })
}

/**
 * Columns of a series that begins when its root is sent with an issue date. The chosen next date is the anchor if it is later;
 * otherwise, or if it is exactly one period later, the day of issue is the anchor (INV-43).
 */
export function beginning(issued: string, frequency: Frequency, chosen: string | null) {
  const oneLater = occurrenceOn(issued, frequency, 1)
  if (chosen === null || chosen <= issued || chosen === oneLater)
    return { recurrence_anchor_on: issued, recurrence_occurrence: 1, recurrence_next_issue_on: oneLater }
  return { recurrence_anchor_on: chosen, recurrence_occurrence: 0, recurrence_next_issue_on: chosen }
}
