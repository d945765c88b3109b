/** Demo products: food in cases and sacks, or coffee and related goods. */
import { foundedAt } from '#kernel/demo/calendar.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { insertStories, trashedAfter } from '#kernel/demo/stories.ts'

/** Appended to a repeated name, as a quality grade. */
const GRADES = ['B', 'C', 'D', 'E', 'F']

interface Kind {
  often: number
  code: string
  /** Name and price per kilogram, litre or piece. */
  goods: readonly (readonly [string, number])[]
  /** Packaging and its number of units. */
  packs: readonly (readonly [string, number])[]
  tax: string
}

const kinds: { en: Kind[]; de: Kind[] } = {
  en: [
    {
      often: 4,
      code: 'GRO',
      goods: [
        ...([
          ['Bread flour', 1.1],
          ['Brown rice', 2.2],
          ['Red lentils', 2.6],
          ['Chickpeas', 2.4],
          ['Rolled oats', 1.9],
        ] as const),
        ...([
          ['Cane sugar', 1.6],
          ['Sea salt', 1.2],
          ['Almonds', 9.8],
          ['Walnuts', 11.2],
          ['Olive oil', 9.4],
          ['Maple syrup', 14],
        ] as const),
      ],
      packs: [
        ['12 × 500 g', 6],
        ['10 kg sack', 10],
        ['25 kg sack', 25],
        ['case of 24', 24],
      ],
      tax: '0',
    },
    {
      often: 2,
      code: 'PRO',
      goods: [
        ...([
          ['Carrots', 1.4],
          ['Potatoes', 1.1],
          ['Onions', 1],
          ['Tomatoes', 2.9],
          ['Kale', 3.2],
          ['Mushrooms', 5.4],
          ['Leeks', 2.8],
        ] as const),
        ...([
          ['Spinach', 4.6],
          ['Beetroot', 1.7],
          ['Fennel', 3.4],
          ['Celery', 2.2],
        ] as const),
      ],
      packs: [
        ['5 kg box', 5],
        ['10 kg box', 10],
        ['crate of 12', 12],
      ],
      tax: '0',
    },
    {
      often: 2,
      code: 'FRU',
      goods: [
        ['Apples', 2.3],
        ['Pears', 2.7],
        ['Cherries', 7.9],
        ['Apricots', 5.2],
        ['Blueberries', 9.5],
        ['Plums', 3.1],
        ['Lemons', 2.6],
      ],
      packs: [
        ['4 kg tray', 4],
        ['12 kg box', 12],
        ['dried, 20 × 250 g', 16],
      ],
      tax: '0',
    },
    {
      often: 1,
      code: 'SPI',
      goods: [
        ['Black pepper', 14],
        ['Paprika', 11],
        ['Cinnamon', 13],
        ['Cumin', 10],
        ['Thyme', 18],
        ['Bay leaves', 21],
      ],
      packs: [
        ['1 kg bag', 1],
        ['12 × 80 g jar', 1.6],
        ['5 kg drum', 4.6],
      ],
      tax: '6.5',
    },
    {
      often: 1,
      code: 'MEA',
      goods: [
        ['Salmon', 19],
        ['Trout', 13],
        ['Chicken breast', 8.5],
        ['Beef shoulder', 12],
        ['Pork belly', 7.4],
        ['Lamb shank', 14],
      ],
      packs: [
        ['chilled, 5 kg', 5],
        ['frozen, 10 kg', 9],
        ['smoked, 8 × 400 g', 5],
      ],
      tax: '10.1',
    },
  ],
  de: [
    {
      often: 4,
      code: 'KAF',
      goods: [
        ...([
          ['Äthiopien Sidamo', 24.5],
          ['Brasilien Cerrado', 19.8],
          ['Kolumbien Huila', 23.2],
          ['Guatemala Antigua', 24],
        ] as const),
        ...([
          ['Espresso „Süden“', 21.5],
          ['Hausmischung „Veedel“', 18.9],
          ['Entkoffeiniert', 22.4],
          ['Espresso „Nachtschicht“', 20.5],
        ] as const),
      ],
      packs: [
        ['250 g', 0.3],
        ['500 g', 0.55],
        ['1 kg, ganze Bohne', 1],
        ['1 kg, gemahlen', 1],
        ['6 × 500 g', 2.8],
        ['10-kg-Sack', 9],
      ],
      tax: '7',
    },
    {
      often: 2,
      code: 'ROH',
      goods: [
        ['Rohkaffee Äthiopien', 8.9],
        ['Rohkaffee Brasilien', 5.9],
        ['Rohkaffee Guatemala', 8.2],
        ['Rohkaffee Indien', 5.4],
        ['Rohkaffee Peru', 7.1],
      ],
      packs: [
        ['30-kg-Sack', 30],
        ['60-kg-Sack', 60],
        ['70-kg-Sack', 70],
      ],
      tax: '7',
    },
    {
      often: 2,
      code: 'ZUB',
      goods: [
        ...([
          ['Filterpapier Größe 4', 0.06],
          ['Milchkännchen', 14],
          ['Tamper 58 mm', 29],
          ['Mahlscheiben', 48],
          ['Entkalker', 7.5],
        ] as const),
        ...([
          ['Siebträgerdichtung', 4.2],
          ['Espressotasse', 6.4],
          ['Gruppenbürste', 9.8],
          ['Pappbecher 200 ml', 0.11],
        ] as const),
      ],
      packs: [
        ['10er-Pack', 9.5],
        ['50er-Pack', 45],
        ['100er-Pack', 88],
      ],
      tax: '19',
    },
    {
      often: 1,
      code: 'GER',
      goods: [
        ['Siebträgermaschine, eingruppig', 1890],
        ['Siebträgermaschine, zweigruppig', 4650],
        ['Espressomühle', 690],
        ['Filterkaffeemaschine', 420],
        ['Wasserfilter', 165],
      ],
      packs: [
        ['neu', 1],
        ['generalüberholt', 0.6],
        ['Vorführgerät', 0.8],
      ],
      tax: '19',
    },
  ],
}

/** Items that are ordered and charged, but never stocked. */
const services = {
  en: [
    ['Freight', 45],
    ['Pallet deposit', 12],
    ['Cold chain surcharge', 28],
    ['Customs handling', 60],
  ],
  de: [
    ['Fracht', 39],
    ['Palettenpfand', 15],
    ['Barista-Schulung', 145],
    ['Wartung vor Ort', 95],
  ],
} satisfies Record<string, [string, number][]>
const SERVICE_TAX = { en: '10.1', de: '19' }

const remarks = {
  en: ['From growers whom we visit every year.', 'Keep cool and dry.', 'Best sold within four weeks.', 'Certified organic.'],
  de: [
    'Von Kooperativen, die wir jedes Jahr besuchen.',
    'Kühl und trocken lagern.',
    'Innerhalb von acht Wochen verbrauchen.',
    'Aus kontrolliert biologischem Anbau.',
  ],
}

export default defineDemo({
  async fill(ctx, plan) {
    const count = plan.share(1 / 20, { least: 120, most: 5000 })
    const draw = drawer(plan, count)
    await insertStories(
      ctx,
      'products',
      Array.from({ length: count }, (_, n) => draw(n)),
    )
    return count
  },
})

function drawer(plan: Plan, count: number) {
  const { random } = plan
  const all = plan.say(kinds)
  const known = new Map<string, number>()
  /** Returns a unique name: a repeated one gets another quality grade. */
  const goodsOf = ({ goods, packs }: Kind) => {
    const [[what, each], [pack, much]] = [random.pick(goods), random.pick(packs)]
    const before = known.get(`${what}, ${pack}`) ?? 0
    known.set(`${what}, ${pack}`, before + 1)
    return { name: before ? `${what} ${GRADES[(before - 1) % GRADES.length]}, ${pack}` : `${what}, ${pack}`, price: each * much }
  }
  return (n: number) => {
    const kind = random.often(all)
    const [service, fee] = plan.say<[string, number][]>(services)[n] ?? []
    const goods = goodsOf(kind)
    const created = { type: 'created', at: foundedAt(plan, n, count), by: random.pick(plan.people).id }
    return {
      row: {
        name: service ?? goods.name,
        sku: `${service ? 'SRV' : kind.code}-${1001 + n}`,
        description: random.happens(0.3) && !service ? random.pick(plan.say(remarks)) : null,
        unit_price: fee ? fee.toFixed(2) : (goods.price * random.between(0.95, 1.15)).toFixed(2),
        tax_rate: service ? plan.say(SERVICE_TAX) : kind.tax,
        track_stock: !service,
        reorder_level: service || random.happens(0.6) ? '0' : String(random.whole(1, 5) * 5),
        is_active: n < 4 || random.happens(0.97),
      },
      timeline: n === count - 1 ? [created, trashedAfter(plan, created)] : [created],
    }
  }
}
