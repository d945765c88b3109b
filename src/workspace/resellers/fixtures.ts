import { defineDemo, foundedAt, insertRecords } from '#kernel/modules/demo.ts'

export default defineDemo({
  async fill(ctx, plan) {
    const { faker, random } = plan
    const count = plan.share(1 / 500, { least: 3, most: 100 })
    const rows = Array.from({ length: count }, (_, n) => {
      const at = foundedAt(plan, n, count)
      return {
        name: `${faker.person.lastName()} Partners`,
        email: faker.internet.exampleEmail().toLowerCase(),
        phone: faker.phone.number({ style: 'international' }),
        commission_rate: String(random.whole(2, 15)),
        created_by: random.pick(plan.people).id,
        created_at: at,
        updated_at: at,
      }
    })
    await insertRecords(ctx, 'resellers', rows)
    return count
  },
})
