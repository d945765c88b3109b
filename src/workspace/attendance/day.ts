/** A day of the whole workspace: each employee, and whether they are in. */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { blankIsAbsent, Paging } from '#kernel/records/listing.ts'
import { choice, date } from '#kernel/values/fields.ts'
import { statuses, workModes } from './schema.ts'

const states = ['not_in', 'in', 'out', 'present', 'absent'] as const
/** Groups of a day that are counted and can be filtered by. */
const groups = [...states, 'late', ...workModes] as const
type Group = (typeof groups)[number]

export const DayQuery = z.preprocess(
  blankIsAbsent,
  z.object({
    date: date()
      .meta({ description: 'The day; without it the one that it is in the workspace.', examples: ['2026-11-20'] })
      .optional(),
    only: choice(groups)
      .meta({ description: 'Keeps those who are in that state, late, or at work there. The counts are of all.' })
      .optional(),
    page: Paging.shape.page,
  }),
)

/** Descriptions of the counts. */
const COUNTED: Record<Group, string> = {
  not_in: 'How many nobody has seen yet.',
  in: 'How many have come and not left.',
  out: 'How many have left.',
  present: 'How many were there at times that nobody noted.',
  absent: 'How many are absent.',
  late: 'How many came late.',
  on_site: 'How many work on site.',
  remote: 'How many work remotely.',
}

const clock = () => z.string().nullable()
const EmployeeDay = z
  .object({
    employee: z.object({ id: z.int(), number: z.string(), name: z.string() }).describe('Whose day it is.'),
    state: choice(states).describe(
      'Nobody has seen them yet, they are in, have left, were there at times that nobody noted, or are absent.',
    ),
    record: z
      .object({
        id: z.int(),
        check_in: clock().meta({ description: 'When work began, by the workspace’s clock.', examples: ['09:00:00'] }),
        check_out: clock().meta({ description: 'When work ended, by the workspace’s clock.', examples: ['17:30:00'] }),
        ends_next_day: z.boolean().describe('Whether it ended on the next day: a shift over midnight.'),
        break_minutes: z.int().describe('Minutes of all breaks together.'),
        attended_minutes: z
          .int()
          .nullable()
          .describe('Whole minutes from check-in to check-out, less the breaks; null: it has not ended.'),
        status: choice(statuses),
        work_mode: choice(workModes).nullable(),
      })
      .nullable()
      .describe('The record of that day; null: there is none.'),
  })
  .meta({ id: 'AttendanceOfEmployee' })

export const AttendanceDay = z
  .object({
    date: date(),
    today: date().describe('The day that it is in the workspace.'),
    now: z.string().meta({ description: 'The time by the workspace’s clock.', examples: ['10:42:07'] }),
    total: z.int().describe('How many employees the day is about: active ones, and whoever has a record of it.'),
    counts: z
      .object(
        Object.fromEntries(
          groups.map((group) => [group, z.int().meta({ description: COUNTED[group], examples: [3] })]),
        ) as Record<Group, z.ZodInt>,
      )
      .describe('How many are in each state, late, and at work where.'),
    attended_minutes: z.int().describe('What the shifts of that day come to that have ended, without breaks, in minutes.'),
    break_minutes: z.int().describe('What all breaks of that day come to, in minutes.'),
    page: z.int().describe('Which page of them this is.'),
    last_page: z.int(),
    employees: z.array(EmployeeDay).describe('By their names: a page of those that were asked for.'),
  })
  .meta({ id: 'AttendanceDay' })

const PER_PAGE = 200

const condition: Record<Group, RawBuilder<boolean>> = {
  ...(Object.fromEntries(states.map((state) => [state, sql`state = ${state}`])) as Record<
    (typeof states)[number],
    RawBuilder<boolean>
  >),
  late: sql`status = 'late'`,
  on_site: sql`work_mode = 'on_site' and state <> 'absent'`,
  remote: sql`work_mode = 'remote' and state <> 'absent'`,
}

/** Employees of a day with their states. Employees are not missing before their hire date. */
const employeesOn = (ctx: Ctx, day: string) => sql`(
  select e.id as employee_id, e.number, e.name, r.id, r.check_in, r.check_out, r.ends_next_day, r.break_minutes, r.attended_minutes, r.status, r.work_mode,
    case when r.id is null then 'not_in' when r.status = 'absent' then 'absent' when r.check_in is null then 'present'
      when r.check_out is null then 'in' else 'out' end as state
  from employees e left join attendance_records r on r.tenant_id = ${ctx.tenant.id} and r.employee_id = e.id
    and r.date = ${day}::date and r.deleted_at is null
  where e.tenant_id = ${ctx.tenant.id} and e.deleted_at is null
    and (r.id is not null or e.status = 'active' and (e.hire_date is null or e.hire_date <= ${day}::date))) as days`

type Found = z.input<typeof EmployeeDay>

/** Returns no employees if the module isn't installed. */
export async function attendanceOn(
  ctx: Ctx,
  { date: day = ctx.today(), only, page }: z.output<typeof DayQuery>,
): Promise<Omit<z.input<typeof AttendanceDay>, 'today' | 'now'>> {
  const none = Object.fromEntries(groups.map((group) => [group, 0])) as Record<Group, number>
  if (!ctx.entitled('employees'))
    return { date: day, total: 0, counts: none, attended_minutes: 0, break_minutes: 0, page: 1, last_page: 1, employees: [] }
  const figures = groups.map((group) => sql`(count(*) filter (where ${condition[group]}))::int as ${sql.ref(group)}`)
  const counted = await sql<{ total: number; attended_minutes: number; break_minutes: number } & Record<Group, number>>`
    select count(*)::int as total, coalesce(sum(attended_minutes), 0)::int as attended_minutes,
      coalesce(sum(break_minutes), 0)::int as break_minutes, ${sql.join(figures)} from ${employeesOn(ctx, day)}`.execute(ctx.tx)
  const { total, attended_minutes, break_minutes, ...counts } = counted.rows[0]!
  const last_page = Math.max(1, Math.ceil((only ? counts[only] : total) / PER_PAGE))
  const shown = Math.min(page, last_page)
  const { rows } = await sql<Found>`
    select json_build_object('id', employee_id, 'number', number, 'name', name) as employee, state,
      case when id is not null then json_build_object('id', id, 'check_in', check_in, 'check_out', check_out,
        'ends_next_day', ends_next_day, 'break_minutes', break_minutes, 'attended_minutes', attended_minutes, 'status', status,
        'work_mode', work_mode) end as record
    from ${employeesOn(ctx, day)} where ${only ? condition[only] : sql`true`}
    order by name, employee_id limit ${PER_PAGE} offset ${(shown - 1) * PER_PAGE}`.execute(ctx.tx)
  return { date: day, total, counts, attended_minutes, break_minutes, page: shown, last_page, employees: rows }
}
