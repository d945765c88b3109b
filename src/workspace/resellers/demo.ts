/** Demo resellers, who refer customers for a share of the revenue. */
import { foundedAt } from '#kernel/demo/calendar.ts'
import { addressAt, domainOf } from '#kernel/demo/names.ts'
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertStories, trashedAfter } from '#kernel/demo/stories.ts'

const kinds = {
  en: ['Brokers', 'Hospitality Partners', 'Food Agency', 'Restaurant Supply'],
  de: ['Handelsvertretung', 'Gastro-Beratung', 'Vermittlung', 'Partner GbR'],
}

export default defineDemo({
  async fill(ctx, plan) {
    const { faker, names, random, people } = plan
    const count = plan.share(1 / 75, { least: 4, most: 100 })
    const stories = Array.from({ length: count }, (_, n) => {
      const name = `${names.surname()} ${random.pick(plan.say(kinds))}`
      const created = { type: 'created', at: foundedAt(plan, n, count), by: random.pick(people).id }
      return {
        row: {
          name,
          email: addressAt(plan.say({ en: 'hello', de: 'kontakt' }), domainOf(name)),
          phone: faker.phone.number({ style: 'international' }),
          commission_rate: String(random.whole(2, 15)),
        },
        timeline: n === count - 1 ? [created, trashedAfter(plan, created)] : [created],
      }
    })
    await insertStories(ctx, 'resellers', stories)
    return count
  },
})
