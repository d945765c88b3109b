import { defineDemo, foundedAt, insertRecords } from '#kernel/modules/demo.ts'

const kinds = [
  { name: 'Laptop', price: 120_000 },
  { name: 'Label printer', price: 38_000 },
  { name: 'Pallet truck', price: 45_000 },
  { name: 'Delivery van', price: 3_900_000 },
  { name: 'Cold counter', price: 620_000 },
  { name: 'Telephone', price: 60_000 },
]
const states = [
  { often: 70, status: 'in_use' as const },
  { often: 15, status: 'available' as const },
  { often: 5, status: 'in_repair' as const },
  { often: 2, status: 'lost' as const },
  { often: 8, status: 'retired' as const },
]

export default defineDemo({
  async fill(ctx, plan) {
    const { random, people } = plan
    const employees = await ctx.tx
      .selectFrom('employees')
      .select('id')
      .where('tenant_id', '=', ctx.tenant.id)
      .orderBy('id')
      .execute()
    const count = plan.share(1 / 100, { least: 12, most: 500 })
    const rows = Array.from({ length: count }, (_, n) => {
      const { name, price } = random.pick(kinds)
      const at = foundedAt(plan, n, count)
      const { status } = random.often(states)
      return {
        name,
        code: `A-${String(n + 1).padStart(4, '0')}`,
        status,
        employee_id: status === 'in_use' && employees.length ? random.pick(employees).id : null,
        serial_number: random.happens(0.8) ? plan.faker.string.alphanumeric({ length: 10, casing: 'upper' }) : null,
        location: random.pick(['Main warehouse', 'Office', 'Shop', 'On the road']),
        purchase_date: at.slice(0, 10),
        purchase_price: (Math.round(price * random.between(0.8, 1.2)) / 100).toFixed(2),
        currency: ctx.tenant.currency,
        created_by: random.pick(people).id,
        created_at: at,
        updated_at: at,
      }
    })
    await insertRecords(ctx, 'assets', rows)
    return count
  },
})
