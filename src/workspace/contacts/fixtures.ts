import { defineDemo, foundedAt, insertRecords, pickerOf } from '#kernel/modules/demo.ts'

export default defineDemo({
  async fill(ctx, plan) {
    const { faker, random } = plan
    const companies = await ctx.tx
      .selectFrom('companies')
      .select(['id', 'created_at'])
      .where('tenant_id', '=', ctx.tenant.id)
      .orderBy('id')
      .execute()
    const companyAt = pickerOf(plan, companies)
    const count = plan.share(1 / 10, { least: 10, most: 20_000 })
    const rows = Array.from({ length: count }, (_, n) => {
      const at = foundedAt(plan, n, count)
      return {
        name: faker.person.fullName(),
        email: faker.internet.exampleEmail().toLowerCase(),
        phone: faker.phone.number({ style: 'international' }),
        job_title: faker.person.jobTitle(),
        company_id: random.happens(0.6) ? companyAt(at).id : null,
        address: `${faker.location.streetAddress()}\n${faker.location.city()}`,
        assigned_to: random.pick(plan.people).id,
        created_by: random.pick(plan.people).id,
        created_at: at,
        updated_at: at,
      }
    })
    await insertRecords(ctx, 'contacts', rows)
    return count
  },
})
