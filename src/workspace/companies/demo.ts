/** Demo customers: restaurants, and businesses that sell to them. */
import { foundedAt } from '#kernel/demo/calendar.ts'
import { addressAt, domainOf } from '#kernel/demo/names.ts'
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertStories, trashedAfter } from '#kernel/demo/stories.ts'

const kinds = {
  en: [
    ['Bistro', 'Restaurants'],
    ['Grill', 'Restaurants'],
    ['Bakery', 'Bakeries'],
    ['Catering', 'Catering'],
    ['Market', 'Retail'],
    ['Deli', 'Retail'],
    ['Inn', 'Hotels'],
    ['Kitchen & Co.', 'Restaurants'],
    ['Farm Shop', 'Retail'],
    ['Brewery', 'Breweries'],
  ],
  de: [
    ['Café', 'Gastronomie'],
    ['Konditorei', 'Bäckereien'],
    ['Feinkost', 'Einzelhandel'],
    ['Hotelbetriebe GmbH', 'Hotels'],
    ['Büroservice GmbH', 'Büros und Agenturen'],
    ['Naturkost', 'Einzelhandel'],
    ['Gaststätten OHG', 'Gastronomie'],
    ['Bäckerei', 'Bäckereien'],
  ],
}

export default defineDemo({
  async fill(ctx, plan) {
    const { faker, names, random, people } = plan
    const count = plan.share(1 / 12, { least: 24, most: 8000 })
    const stories = Array.from({ length: count }, (_, n) => {
      const [kind, industry] = random.pick(plan.say(kinds)) as [string, string]
      const place = random.happens(0.25) ? names.city() : names.surname()
      const name = plan.say({ en: `${place} ${kind}`, de: random.happens(0.5) ? `${kind} ${place}` : `${place} ${kind}` })
      const domain = domainOf(name)
      const created = { type: 'created', at: foundedAt(plan, n, count), by: random.pick(people).id }
      const isDouble = n % 19 === 18
      const row = {
        name,
        email: addressAt(plan.say({ en: 'office', de: 'info' }), domain),
        phone: faker.phone.number({ style: 'international' }),
        website: random.happens(0.6) ? `https://www.${domain}` : null,
        industry,
        address: names.address(),
        tax_id: random.happens(0.7)
          ? plan.say({
              en: `${random.whole(10, 99)}-${random.whole(1_000_000, 9_999_999)}`,
              de: `DE${random.whole(100_000_000, 999_999_999)}`,
            })
          : null,
        language: n % 12 === 5 || n === 3 ? 'fr' : null, // customers abroad: documents in French
        assigned_to: random.pick(people).id,
      }
      return {
        row: { ...row, ...whereabouts(row.address, plan.say({ en: 'US', de: 'DE' })), ...(n === 3 ? plan.say(abroad) : {}) },
        timeline: isDouble ? [created, trashedAfter(plan, created)] : [created],
        notes: n % 6 === 2 ? [{ body: random.pick(plan.say(remarks)), at: created.at, by: created.by }] : [],
      }
    })
    await insertStories(ctx, 'companies', stories)
    return count
  },
})

/** Returns the parts of a two-line address for e-invoices; a German one is split into postcode and city. */
function whereabouts(address: string, country: string) {
  const [street = null, place = ''] = address.split('\n')
  const [, postcode = null, city = null] = /^(\d{5}) (.+)$/.exec(place) ?? []
  return { street, postcode, city, country, vat_id: null as string | null }
}

/** Customer of the German demo workspace in France, to which reverse charge applies. */
const abroad = {
  en: {},
  de: {
    name: 'Brûlerie du Port SARL',
    address: '12 quai des Chartrons\n33000 Bordeaux',
    ...{ street: '12 quai des Chartrons', postcode: '33000', city: 'Bordeaux', country: 'FR' },
    ...{ vat_id: 'FR40303265045', tax_id: 'FR40303265045' },
  },
}

const remarks = {
  en: [
    'Deliveries before 10 a.m., through the yard.',
    'Pays within a week, always.',
    'Opens a second place in spring.',
    'Asks for the organic range first.',
  ],
  de: [
    'Anlieferung nur vormittags, Klingel „Küche“.',
    'Zahlt immer innerhalb einer Woche.',
    'Eröffnet im Frühjahr eine zweite Filiale.',
    'Möchte nur Bio-Ware.',
  ],
}
