/**
 * Series: a recurring invoice is sent, and from then on it is the root from which others are issued (INV-15 … INV-20, INV-42 … INV-47).
 * Occurrence n falls on the anchor date plus n periods, clamped to the end of the month: a series of the 31st comes on
 * 28 February and again on 31 March.
 */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Frequency } from './schema.ts'

const PERIODS: Record<Frequency, Temporal.DurationLike> = {
  weekly: { weeks: 1 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  semi_annually: { months: 6 },
  yearly: { years: 1 },
}

/** The date of occurrence n, YYYY-MM-DD. */
export function occurrenceOn(anchor: string, frequency: Frequency, n: number): string {
  const [[unit, count] = []] = Object.entries(PERIODS[frequency])
  return Temporal.PlainDate.from(anchor)
    .add({ [unit!]: n * count! })
    .toString()
}

interface Planned {
  is_recurring?: boolean
  issue_date?: string | null
  recurrence_frequency?: Frequency | string | null
  recurrence_next_issue_on?: string | null
  recurrence_ends_on?: string | null
}

/** The columns of a draft's series; all empty where it has none. 422 on what is missing or out of order (INV-16 … INV-18). */
export function plannedRecurrence(ctx: Ctx, planned: Planned) {
  const { is_recurring, issue_date, recurrence_frequency, recurrence_next_issue_on: next, recurrence_ends_on: ends } = planned
  if (!is_recurring)
    return {
      recurrence_frequency: null,
      recurrence_next_issue_on: null,
      recurrence_ends_on: null,
      recurrence_status: null,
    } as const
  const wrong: Record<string, string> = {}
  if (!recurrence_frequency) wrong.recurrence_frequency = 'Is required for a recurring invoice.'
  if (!next) wrong.recurrence_next_issue_on = 'Is required for a recurring invoice.'
  else if (next <= (issue_date ?? ctx.today()))
    wrong.recurrence_next_issue_on = issue_date ? 'Must be after issue_date.' : 'Must be after today.'
  if (next && ends && ends < next) wrong.recurrence_ends_on = 'Must not be before recurrence_next_issue_on.'
  if (Object.keys(wrong).length) throw invalid(wrong)
  return { recurrence_status: 'pending' } as const
}

/**
 * Where a series begins that is sent with an issue date. The chosen next date stays when it is after that; otherwise, and when it
 * is just one period later, the day of issue is the anchor (INV-43).
 */
export function beginning(issued: string, frequency: Frequency, chosen: string | null) {
  const oneLater = occurrenceOn(issued, frequency, 1)
  if (chosen === null || chosen <= issued || chosen === oneLater)
    return { recurrence_anchor_on: issued, recurrence_occurrence: 1, recurrence_next_issue_on: oneLater }
  return { recurrence_anchor_on: chosen, recurrence_occurrence: 0, recurrence_next_issue_on: chosen }
}
