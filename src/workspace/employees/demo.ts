/** Demo departments with their managers; users of the workspace as employees, and colleagues without an account. */
import type { Ctx } from '#kernel/context.ts'
import { foundedAt } from '#kernel/demo/calendar.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { insertStories, takeNumbers, trashedAfter } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { namesOf } from './names.ts'
import { employmentTypes } from './schema.ts'

const departments = {
  en: ['Sales', 'Purchasing', 'Warehouse', 'Finance', 'Human resources'],
  de: ['Vertrieb', 'Einkauf', 'Rösterei', 'Werkstatt', 'Buchhaltung'],
}

export default defineDemo({
  async fill(ctx, plan) {
    const departmentIds = await found(ctx, plan)
    return departmentIds.length + (await employ(ctx, plan, departmentIds))
  },
})

async function found(ctx: Ctx, { random, calendar, people, say }: Plan) {
  const at = calendar.instant(0)!
  const rows = say(departments).map((name) => ({ name, created_at: at, updated_at: at }))
  const ids = await insertRows(ctx, 'departments', rows)
  const managers = ids.map((department_id) => ({ tenant_id: ctx.tenant.id, department_id, user_id: random.pick(people).id }))
  await ctx.tx.insertInto('department_managers').values(managers).execute()
  return ids
}

async function employ(ctx: Ctx, plan: Plan, departmentIds: number[]) {
  const { faker, names, random } = plan
  const users = await ctx.from('users').select(['id as user_id', 'name', 'email', 'suspended_at']).orderBy('id').execute()
  const others = Array.from({ length: plan.share(1 / 200, { least: 12, most: 500 }) }, () => ({
    ...{ user_id: null, name: names.person(), email: null, suspended_at: null },
  }))
  const everybody = [...users, ...others]
  const first = await takeNumbers(ctx, 'employees', everybody.length)
  const rows = everybody.map(({ name, suspended_at, ...person }, n) => {
    const at = foundedAt(plan, n, everybody.length)
    return {
      ...person,
      ...namesOf({ name }),
      number: `EMP-${String(first + n).padStart(4, '0')}`,
      phone: faker.phone.number({ style: 'international' }),
      department_id: random.pick(departmentIds),
      employment_type: random.happens(0.8) ? 'full_time' : random.pick(employmentTypes),
      status: suspended_at === null ? 'active' : 'inactive',
      hire_date: at.slice(0, 10),
    } as const
  })
  await insertStories(
    ctx,
    'employees',
    rows.map((row, n) => {
      const created = { type: 'created', at: foundedAt(plan, n, rows.length), by: plan.people[0]!.id }
      return { row, timeline: n === rows.length - 1 ? [created, trashedAfter(plan, created)] : [created] }
    }),
  )
  return rows.length
}
