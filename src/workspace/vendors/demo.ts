/** Demo vendors. */
import { foundedAt } from '#kernel/demo/calendar.ts'
import { addressAt, domainOf } from '#kernel/demo/names.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { insertStories, trashedAfter } from '#kernel/demo/stories.ts'

const kinds = {
  en: ['Growers', 'Produce', 'Foods', 'Mills', 'Dairy', 'Fisheries', 'Packaging', 'Imports', 'Orchards', 'Spice Company'],
  de: [
    'Rohkaffee Import GmbH',
    'Verpackungen',
    'Maschinenbau GmbH',
    'Molkerei',
    'Logistik GmbH',
    'Porzellan',
    'Kaffeehandel',
    'Druckerei',
  ],
}
const remarks = {
  en: ['Delivers on Tuesdays only.', 'Two percent discount within ten days.', 'Pallets are exchanged.', 'Ask for Mrs. Lund.'],
  de: [
    'Liefert nur dienstags.',
    'Zwei Prozent Skonto innerhalb von zehn Tagen.',
    'Europaletten werden getauscht.',
    'Ansprechpartnerin ist Frau Lüders.',
  ],
}

export default defineDemo({
  async fill(ctx, plan) {
    const count = plan.share(1 / 50, { least: 40, most: 2000 })
    await insertStories(
      ctx,
      'vendors',
      Array.from({ length: count }, (_, n) => vendor(plan, n, count)),
    )
    return count
  },
})

function vendor(plan: Plan, n: number, count: number) {
  const { faker, names, random } = plan
  const name = `${names.surname()} ${random.pick(plan.say(kinds))}`
  const domain = domainOf(name)
  const at = foundedAt(plan, n, count)
  const created = { type: 'created', at, by: random.pick(plan.people).id }
  const isDouble = n === count - 1 // a duplicate, moved to the trash
  const number = random.whole(100_000_000, 999_999_999)
  return {
    row: {
      name,
      email: random.happens(0.95) ? addressAt(plan.say({ en: 'orders', de: 'bestellung' }), domain) : null,
      phone: faker.phone.number({ style: 'international' }),
      website: random.happens(0.6) ? `https://www.${domain}` : null,
      address: names.address(),
      tax_id: random.happens(0.8) ? plan.say({ en: `${number}`.replace(/^../, '$&-'), de: `DE${number}` }) : null,
      notes: random.happens(0.2) ? random.pick(plan.say(remarks)) : null,
      is_active: isDouble || random.happens(0.95),
    },
    timeline: isDouble ? [created, trashedAfter(plan, created)] : [created],
  }
}
