import { pickerOf } from '#kernel/demo/calendar.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { type Entry, insertStories, recordsOf, trashedAfter } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import type { lifecycle } from './lifecycle.ts'

type Status = (typeof lifecycle.states)[number]

/** Histories of projects: weight, and minimum and maximum working days before each step. */
const start = ['active', 1, 15] as const
const fates: { often: number; steps: (readonly [Status, number, number])[] }[] = [
  { often: 55, steps: [start, ['completed', 15, 80]] },
  { often: 10, steps: [start, ['on_hold', 5, 30], ['active', 5, 30], ['completed', 10, 60]] },
  { often: 15, steps: [start] },
  { often: 8, steps: [['cancelled', 3, 30]] },
  { often: 7, steps: [start, ['cancelled', 5, 40]] },
  { often: 5, steps: [] },
]

const undertakings = {
  en: [
    'New cold store',
    'Menu and price list',
    'Opening of the second branch',
    'Delivery route',
    'Staff training',
    'Summer menu',
    'Stock audit',
  ],
  de: [
    'Neue Kaffeebar',
    'Umbau der Theke',
    'Maschinentausch',
    'Barista-Schulung',
    'Eigene Hausmischung',
    'Wasseraufbereitung',
    'Belieferung der Filialen',
  ],
}
const remarks = {
  en: [
    'Waiting for the offer.',
    'The permit has come.',
    'Two weeks behind.',
    'Handed over, very content.',
    'Call again on Monday.',
  ],
  de: [
    'Warten auf das Angebot.',
    'Der Elektriker kommt am Freitag.',
    'Zwei Wochen im Verzug.',
    'Übergeben, alle sehr zufrieden.',
    'Montag noch einmal anrufen.',
  ],
}

export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar } = plan
    const count = plan.share(1 / 20, { least: 12, most: 10_000 })
    const companyAt = pickerOf(plan, await recordsOf(ctx, 'companies', 'name'))
    const contactAt = pickerOf(plan, await recordsOf(ctx, 'contacts'))
    const drawn = Array.from({ length: count }, (_, n) => {
      const day = ((n + random.next()) / count) * calendar.days
      const at = calendar.instant(day)!
      const company = companyAt(at) as ReturnType<typeof companyAt> | undefined
      const contact = contactAt(at) as ReturnType<typeof contactAt> | undefined
      const { timeline, status } = storyOf(plan, day)
      const assignee = random.happens(0.9) ? random.pick(plan.people).id : null
      const planned = calendar.date(day, random.whole(1, 20))
      const row = {
        title: `${random.pick(plan.say(undertakings))}${company ? ` ${plan.say({ en: 'for', de: 'für' })} ${company.name}` : ''}`,
        status,
        company_id: company?.id ?? null,
        contact_id: random.happens(0.5) ? (contact?.id ?? null) : null,
        starts_on: random.happens(0.9) ? planned : null,
        ends_on: random.happens(0.8) ? calendar.date(day, random.whole(30, 150)) : null,
        assigned_to: assignee,
      }
      const team = new Set(Array.from({ length: random.whole(0, 4) }, () => random.pick(plan.people).id))
      if (assignee) team.delete(assignee)
      const last = timeline.at(-1)!
      if (n % 13 === 12) timeline.push(trashedAfter(plan, last))
      return {
        row,
        timeline,
        members: [...team].map((user_id) => ({ user_id })),
        notes: random.happens(0.3) ? [{ body: random.pick(plan.say(remarks)), at: last.at, by: last.by! }] : [],
      }
    })
    const ids = await insertStories(ctx, 'projects', drawn)
    const members = drawn.flatMap(({ members }, n) => members.map(({ user_id }) => ({ project_id: ids[n]!, user_id })))
    await insertRows(ctx, 'project_members', members)
    return count
  },
})

/** Generates a project's history since a day. Steps in the future are omitted. */
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
