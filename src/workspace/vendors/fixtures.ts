import { defineDemo, foundedAt, insertRecords, type Plan } from '#kernel/modules/demo.ts'

const remarks = [
  'Delivers on Tuesdays only.',
  'Two percent discount within ten days.',
  'Pallets are exchanged.',
  'Ask for Mrs. Lund.',
]

export default defineDemo({
  async fill(ctx, plan) {
    const count = plan.share(1 / 50, { least: 40, most: 2000 })
    await insertRecords(
      ctx,
      'vendors',
      Array.from({ length: count }, (_, n) => vendor(plan, n, count)),
    )
    return count
  },
})

function vendor(plan: Plan, n: number, count: number) {
  const { faker, random } = plan
  const name = faker.company.name()
  // .example is nobody's: whatever is mailed from a demo reaches no one.
  const domain = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.example`
  const at = foundedAt(plan, n, count)
  return {
    name,
    email: random.happens(0.95) ? `orders@${domain}` : null,
    phone: faker.phone.number({ style: 'international' }),
    website: random.happens(0.6) ? `https://www.${domain}` : null,
    address: `${faker.location.streetAddress()}\n${faker.location.city()}, ${faker.location.state({ abbreviated: true })} ${faker.location.zipCode('#####')}`,
    tax_id: random.happens(0.8) ? `${random.whole(10, 99)}-${random.whole(1_000_000, 9_999_999)}` : null,
    notes: random.happens(0.2) ? random.pick(remarks) : null,
    is_active: random.happens(0.95),
    created_by: random.pick(plan.people).id,
    created_at: at,
    updated_at: at,
  }
}
