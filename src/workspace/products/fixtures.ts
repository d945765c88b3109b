import { defineDemo, foundedAt, insertRecords, type Plan } from '#kernel/modules/demo.ts'

const kinds = [
  {
    often: 4,
    code: 'GRO',
    of: 'ingredient',
    packs: ['12 × 500 g', '10 kg sack', '25 kg sack', '6 × 1 l', 'case of 24'],
    tax: '0',
  },
  { often: 2, code: 'PRO', of: 'vegetable', packs: ['5 kg box', '10 kg box', 'crate of 12'], tax: '0' },
  { often: 2, code: 'FRU', of: 'fruit', packs: ['4 kg tray', '12 kg box', 'dried, 20 × 250 g'], tax: '0' },
  { often: 1, code: 'SPI', of: 'spice', packs: ['1 kg bag', '12 × 80 g jar', '5 kg drum'], tax: '6.5' },
  { often: 1, code: 'MEA', of: 'meat', packs: ['chilled, 5 kg', 'frozen, 10 kg', 'smoked, 8 × 400 g'], tax: '10.1' },
] as const

/** What is ordered and charged, but never lies in a warehouse. */
const services = ['Freight', 'Pallet deposit', 'Cold chain surcharge', 'Customs handling']

export default defineDemo({
  async fill(ctx, plan) {
    const count = plan.share(1 / 20, { least: 120, most: 5000 })
    await insertRecords(
      ctx,
      'products',
      Array.from({ length: count }, (_, n) => product(plan, n, count)),
    )
    return count
  },
})

function product(plan: Plan, n: number, count: number) {
  const { faker, random } = plan
  const kind = random.often(kinds)
  const service = services[n]
  const at = foundedAt(plan, n, count)
  const goods = faker.food[kind.of]()
  return {
    name: service ?? `${goods[0]!.toUpperCase()}${goods.slice(1)}, ${random.pick(kind.packs)}`,
    sku: `${service ? 'SRV' : kind.code}-${1001 + n}`,
    description: random.happens(0.3) ? faker.food.description() : null,
    unit_price: (Math.round(Math.exp(random.between(5, 10))) / 100).toFixed(2),
    tax_rate: service ? '10.1' : kind.tax,
    track_stock: !service,
    reorder_level: service ? '0' : String(random.whole(0, 12) * 5),
    is_active: n < services.length || random.happens(0.97),
    created_by: random.pick(plan.people).id,
    created_at: at,
    updated_at: at,
  }
}
