/** Demo assets that the workspace owns and lends to employees. */
import { foundedAt } from '#kernel/demo/calendar.ts'
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertStories, recordsOf, trashedAfter } from '#kernel/demo/stories.ts'

const kinds = {
  en: [
    ['Laptop', 120_000, 'Office'],
    ['Label printer', 38_000, 'Main warehouse'],
    ['Pallet truck', 45_000, 'Main warehouse'],
    ['Delivery van', 3_900_000, 'On the road'],
    ['Cold counter', 620_000, 'Shop'],
    ['Telephone', 60_000, 'Office'],
  ],
  de: [
    ['Notebook', 110_000, 'Büro'],
    ['Etikettendrucker', 34_000, 'Rösterei'],
    ['Trommelröster 15 kg', 4_800_000, 'Rösterei'],
    ['Lieferwagen', 3_400_000, 'Unterwegs'],
    ['Vorführmaschine', 690_000, 'Laden'],
    ['Lastenrad', 540_000, 'Unterwegs'],
  ],
} satisfies Record<string, [string, number, string][]>
const fates = [
  { often: 70, status: 'in_use' as const },
  { often: 15, status: 'available' as const },
  { often: 5, status: 'in_repair' as const },
  { often: 2, status: 'lost' as const },
  { often: 8, status: 'retired' as const },
]

export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar, people } = plan
    const employees = await recordsOf(ctx, 'employees')
    const count = plan.share(1 / 25, { least: 12, most: 500 })
    const stories = Array.from({ length: count }, (_, n) => {
      const [name, price, location] = random.pick(plan.say(kinds)) as [string, number, string]
      const at = foundedAt(plan, n, count)
      const by = random.pick(people).id
      const created = { type: 'created', at, by }
      const changed = calendar.instant(calendar.dayOf(at) + random.between(1, 60))
      const fate = random.often(fates).status
      const isTrash = n === count - 1
      const status = changed && !isTrash ? fate : 'available'
      const moved = { type: 'status_changed', properties: { from: 'available', to: status }, at: changed ?? at, by }
      return {
        row: {
          name,
          code: `A-${String(n + 1).padStart(4, '0')}`,
          status,
          employee_id: status === 'in_use' && employees.length ? random.pick(employees).id : null,
          serial_number: random.happens(0.8) ? plan.faker.string.alphanumeric({ length: 10, casing: 'upper' }) : null,
          location,
          purchase_date: at.slice(0, 10),
          purchase_price: (Math.round(price * random.between(0.8, 1.2)) / 100).toFixed(2),
          currency: ctx.tenant.currency,
        },
        timeline: isTrash ? [created, trashedAfter(plan, created)] : status === 'available' ? [created] : [created, moved],
      }
    })
    await insertStories(ctx, 'assets', stories)
    return count
  },
})
