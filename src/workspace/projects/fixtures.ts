/** Projects of the last 18 months, each as far on its way as its age allows, with who works on it. */
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Entry, insertNotes, insertRows, insertTimeline, type Plan, pickerOf } from '#kernel/modules/demo.ts'
import type { lifecycle } from './lifecycle.ts'

type Status = (typeof lifecycle.states)[number]

/** What becomes of projects: how often, and how many working days lie at least and at most before each step. */
const start = ['active', 1, 15] as const
const fates: { often: number; steps: (readonly [Status, number, number])[] }[] = [
  { often: 55, steps: [start, ['completed', 15, 80]] },
  { often: 10, steps: [start, ['on_hold', 5, 30], ['active', 5, 30], ['completed', 10, 60]] },
  { often: 15, steps: [start] },
  { often: 8, steps: [['cancelled', 3, 30]] },
  { often: 7, steps: [start, ['cancelled', 5, 40]] },
  { often: 5, steps: [] },
]

const undertakings = [
  'Shop fitting',
  'Menu and price list',
  'New cold store',
  'Delivery route',
  'Staff training',
  'Website',
  'Audit',
]
const remarks = [
  'Waiting for the offer.',
  'The permit has come.',
  'Two weeks behind.',
  'Handed over, very content.',
  'Call again on Monday.',
]

export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar } = plan
    const count = plan.share(1 / 20, { least: 12, most: 10_000 })
    const companyAt = pickerOf(plan, await foundIn(ctx, 'companies'))
    const contactAt = pickerOf(plan, await foundIn(ctx, 'contacts'))
    const drawn = Array.from({ length: count }, (_, n) => {
      const day = ((n + random.next()) / count) * calendar.days
      const at = calendar.instant(day)!
      const company = companyAt(at) as ReturnType<typeof companyAt> | undefined
      const contact = contactAt(at) as ReturnType<typeof contactAt> | undefined
      const { timeline, status } = storyOf(plan, day)
      const assignee = random.happens(0.9) ? random.pick(plan.people).id : null
      const planned = calendar.date(day, random.whole(1, 20))
      const row = {
        title: `${random.pick(undertakings)} for ${company?.name ?? 'the main shop'}`,
        status,
        company_id: company?.id ?? null,
        contact_id: random.happens(0.5) ? (contact?.id ?? null) : null,
        starts_on: random.happens(0.9) ? planned : null,
        ends_on: random.happens(0.8) ? calendar.date(day, random.whole(30, 150)) : null,
        assigned_to: assignee,
        created_by: timeline[0]!.by,
        created_at: at,
        updated_at: timeline.at(-1)!.at,
        revision: timeline.length,
      }
      const team = new Set(Array.from({ length: random.whole(0, 4) }, () => random.pick(plan.people).id))
      if (assignee) team.delete(assignee)
      const last = timeline.at(-1)!
      return {
        row,
        timeline,
        members: [...team].map((user_id) => ({ user_id })),
        notes: random.happens(0.3) ? [{ body: random.pick(remarks), at: last.at, by: last.by! }] : [],
      }
    })
    const rows = drawn.map(({ row }) => row)
    const ids = await insertRows(ctx, 'projects', rows)
    const of = <R>(parts: (one: (typeof drawn)[number]) => R[]) =>
      drawn.flatMap((one, n) => parts(one).map((part) => ({ id: ids[n]!, ...part })))
    const members = of((one) => one.members).map(({ id, user_id }) => ({ project_id: id, user_id }))
    const timeline = of((one) => one.timeline)
    const notes = of((one) => one.notes)
    await insertRows(ctx, 'project_members', members)
    await insertTimeline(ctx, 'projects', timeline)
    await insertNotes(ctx, 'projects', notes)
    return count
  },
})

const foundIn = (ctx: Ctx, table: 'companies' | 'contacts') =>
  ctx.tx.selectFrom(table).select(['id', 'name', 'created_at']).where('tenant_id', '=', ctx.tenant.id).orderBy('id').execute()

/** How far a project has come since a day. What would lie ahead has not happened. */
function storyOf({ random, calendar, people }: Plan, day: number) {
  const timeline: Entry[] = [{ type: 'created', at: calendar.instant(day)!, by: random.pick(people).id }]
  let status: Status = 'planned'
  for (const [to, soonest, latest] of random.often(fates).steps) {
    day += random.between(soonest, latest)
    const at = calendar.instant(day)
    if (!at) break
    timeline.push({ type: 'status_changed', properties: { from: status, to }, at, by: random.pick(people).id })
    status = to
  }
  return { timeline, status }
}
