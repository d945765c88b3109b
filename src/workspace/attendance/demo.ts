/** Demo attendance of the last three months: on most working days everybody came, some late, some from home. */
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { insertStories, rename } from '#kernel/demo/stories.ts'

const DAYS = 63
/** A minute of the calendar's working day, which begins at 8 and has ten hours. */
const MINUTE = 1 / 600

const german = {
  Traffic: 'Stau',
  'Public transport': 'Bahn und Bus',
  'Medical appointment': 'Arzttermin',
  Family: 'Familie',
  'End of the working day': 'Feierabend',
  'Work elsewhere': 'Auswärtstermin',
  Other: 'Anderes',
}

export default defineDemo({
  async fill(ctx, plan) {
    await rename(ctx, 'attendance_reasons', plan.say<Record<string, string>>({ en: {}, de: german }))
    const employees = await ctx
      .from('employees')
      .select(['id', 'user_id'])
      .where('status', '=', 'active')
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(100)
      .execute()
    const draw = drawer(plan, await lateReasons(ctx))
    const today = Math.floor(plan.calendar.days)
    const stories = Array.from({ length: DAYS }, (_, n) => today - DAYS + 1 + n).flatMap((day) =>
      employees.flatMap((employee) => draw(day, employee) ?? []),
    )
    await insertStories(ctx, 'attendance_records', stories)
    return stories.length
  },
})

const lateReasons = async (ctx: Ctx) =>
  ctx.from('attendance_reasons').select('id').where('kind', '=', 'check_in_late').where('is_other', '=', false).execute()

/** Returns somebody's day; undefined if they were absent, or have not arrived yet. */
function drawer({ random, calendar, people }: Plan, reasons: { id: number }[]) {
  return (day: number, { id: employee_id, user_id }: { id: number; user_id: number | null }) => {
    const [arrival, departure] = [60 + random.whole(-35, 18), 540 + random.whole(-20, 55)]
    const isRemote = random.happens(0.3)
    const cameAt = calendar.instant(day + arrival * MINUTE)
    if (random.happens(0.07) || !cameAt) return undefined
    const leftAt = calendar.instant(day + departure * MINUTE)
    const isLate = arrival > 75
    const work_mode = isRemote ? ('remote' as const) : ('on_site' as const)
    const after = { work_mode, check_in: clock(arrival) }
    // The owner enters the records of people without an account.
    const by = user_id ?? people[0]!.id
    const came = { type: user_id ? 'checked_in' : 'created', properties: { before: {}, after }, at: cameAt, by }
    const left = leftAt && {
      type: user_id ? 'checked_out' : 'updated',
      properties: { before: { check_out: null }, after: { check_out: clock(departure) } },
      at: leftAt,
      by,
    }
    const break_minutes = leftAt ? 30 : 0
    return {
      row: {
        employee_id,
        date: calendar.date(day),
        ...after,
        check_out: leftAt ? clock(departure) : null,
        break_minutes,
        attended_minutes: leftAt ? departure - arrival - break_minutes : null,
        status: isLate ? ('late' as const) : isRemote ? ('remote' as const) : ('present' as const),
        check_in_reason_id: isLate && random.happens(0.6) && reasons.length ? random.pick(reasons).id : null,
      },
      timeline: left ? [came, left] : [came],
    }
  }
}

/** Returns the time that many minutes after 8. */
const clock = (minutes: number) =>
  `${String(8 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`
