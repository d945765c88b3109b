import { defineDemo, foundedAt, insertRecords } from '#kernel/modules/demo.ts'

export default defineDemo({
  async fill(ctx, plan) {
    const { faker, random } = plan
    const count = plan.share(1 / 25, { least: 10, most: 8000 })
    const rows = Array.from({ length: count }, (_, n) => {
      const at = foundedAt(plan, n, count)
      const name = faker.company.name()
      // .example is nobody's: whatever is mailed from a demo reaches no one.
      const domain = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.example`
      return {
        name,
        email: `office@${domain}`,
        phone: faker.phone.number({ style: 'international' }),
        website: random.happens(0.6) ? `https://www.${domain}` : null,
        industry: faker.commerce.department(),
        address: `${faker.location.streetAddress()}\n${faker.location.city()}`,
        tax_id: random.happens(0.7) ? `${random.whole(10, 99)}-${random.whole(1_000_000, 9_999_999)}` : null,
        assigned_to: random.pick(plan.people).id,
        created_by: random.pick(plan.people).id,
        created_at: at,
        updated_at: at,
      }
    })
    await insertRecords(ctx, 'companies', rows)
    return count
  },
})
