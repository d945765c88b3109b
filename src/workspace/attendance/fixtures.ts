/** Attendance of the last weeks: on most working days everybody came, some late, some from home. */
import { defineDemo, insertRecords } from '#kernel/modules/demo.ts'

const DAYS = 30

export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar } = plan
    const employees = await ctx.tx
      .selectFrom('employees')
      .select(['id', 'user_id'])
      .where('tenant_id', '=', ctx.tenant.id)
      .where('status', '=', 'active')
      .orderBy('id')
      .limit(100)
      .execute()
    const late = await ctx.tx
      .selectFrom('attendance_reasons')
      .select('id')
      .where('tenant_id', '=', ctx.tenant.id)
      .where('kind', '=', 'check_in_late')
      .where('is_other', '=', false)
      .execute()
    const rows = Array.from({ length: DAYS }, (_, n) => calendar.days - 1 - DAYS + n).flatMap((day) => {
      const date = calendar.date(day)
      return employees.flatMap(({ id: employee_id, user_id }) => {
        if (random.happens(0.07)) return []
        const remote = random.happens(0.3)
        const minute = random.whole(-35, 30)
        const isLate = minute > 15
        const at = `${date}T12:00:00.000Z`
        return {
          employee_id,
          date,
          check_in: clock(9 * 60 + minute),
          check_out: clock(17 * 60 + random.whole(-20, 90)),
          work_mode: remote ? ('remote' as const) : ('on_site' as const),
          status: isLate ? ('late' as const) : remote ? ('remote' as const) : ('present' as const),
          reason_id: isLate && random.happens(0.6) ? random.pick(late).id : null,
          created_by: user_id,
          created_at: at,
          updated_at: at,
        }
      })
    })
    await insertRecords(ctx, 'attendance_records', rows)
    return rows.length
  },
})

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`
