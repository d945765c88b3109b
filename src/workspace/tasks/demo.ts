/** Demo tasks of the last 18 months: most of the old ones are done. */
import { pickerOf } from '#kernel/demo/calendar.ts'
import { defineDemo } from '#kernel/demo/parts.ts'
import { type Entry, insertStories, recordsOf, trashedAfter } from '#kernel/demo/stories.ts'
import type { lifecycle } from './lifecycle.ts'

const errands = {
  en: [
    'Call back about the delivery',
    'Send the offer',
    'Check the invoice',
    'Order labels',
    'Book the van',
    'Take photographs',
    'Ask for the permit',
    'Prepare the tasting',
    'Update the price list',
  ],
  de: [
    'Wegen der Lieferung zurückrufen',
    'Angebot nachfassen',
    'Rechnung prüfen',
    'Etiketten nachbestellen',
    'Lieferwagen reservieren',
    'Röstprofil abstimmen',
    'Wasserhärte messen lassen',
    'Verkostung vorbereiten',
    'Preisliste aktualisieren',
  ],
}

type Odds = { often: number; status: (typeof lifecycle.states)[number] }[]
const past: Odds = [
  { often: 85, status: 'done' },
  { often: 10, status: 'cancelled' },
  { often: 5, status: 'todo' },
]
const present: Odds = [
  { often: 70, status: 'todo' },
  { often: 30, status: 'in_progress' },
]

export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar, people } = plan
    const count = plan.share(1 / 8, { least: 20, most: 25_000 })
    const projects = await recordsOf(ctx, 'projects')
    const projectAt = pickerOf(plan, projects)
    const drawn = Array.from({ length: count }, (_, n) => {
      const day = ((n + random.next()) / count) * calendar.days
      const at = calendar.instant(day)!
      const by = random.pick(people).id
      const project = projectAt(at) as { id: number } | undefined
      const timeline: Entry[] = [{ type: 'created', at, by }]
      const ended = calendar.instant(day + random.between(0.5, 20))
      const { status } = random.often(ended ? past : present)
      if (status !== 'todo')
        timeline.push({ type: 'status_changed', properties: { from: 'todo', to: status }, at: ended ?? at, by })
      const row = {
        title: random.pick(plan.say(errands)),
        status,
        due_on: random.happens(0.8) ? calendar.date(day, random.whole(1, 40)) : null,
        project_id: random.happens(0.6) ? (project?.id ?? null) : null,
        assigned_to: random.happens(0.9) ? random.pick(people).id : null,
      }
      if (n % 17 === 16) timeline.push(trashedAfter(plan, timeline.at(-1)!))
      return { row, timeline }
    })
    await insertStories(ctx, 'tasks', drawn)
    return count
  },
})
