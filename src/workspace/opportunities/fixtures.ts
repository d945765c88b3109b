/** Opportunities of the last 18 months, with most of the old ones over. */
import { defineDemo, insertRecords, pickerOf } from '#kernel/modules/demo.ts'

const occasions = ['Yearly supply', 'First order', 'Larger range', 'Second branch', 'Framework contract', 'Seasonal goods']

export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar, people } = plan
    const stages = await ctx.tx
      .selectFrom('opportunity_stages')
      .select(['id', 'is_won', 'is_lost'])
      .where('tenant_id', '=', ctx.tenant.id)
      .orderBy('sort_order')
      .execute()
    const [over, open] = [
      stages.filter((stage) => stage.is_won || stage.is_lost),
      stages.filter((stage) => !stage.is_won && !stage.is_lost),
    ]
    const companies = await ctx.tx
      .selectFrom('companies')
      .select(['id', 'name', 'created_at'])
      .where('tenant_id', '=', ctx.tenant.id)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    const companyAt = pickerOf(plan, companies)
    const count = plan.share(1 / 20, { least: 20, most: 10_000 })
    const rows = Array.from({ length: count }, (_, n) => {
      const day = ((n + random.next()) / count) * calendar.days
      const at = calendar.instant(day)!
      const stage = random.pick(day < calendar.days - 90 ? over : open)
      const company = companyAt(at)
      return {
        name: `${random.pick(occasions)} for ${company.name}`,
        amount: (Math.round(Math.exp(random.between(11, 16))) / 100).toFixed(2),
        currency: ctx.tenant.currency,
        probability: stage.is_won ? '100' : stage.is_lost ? '0' : String(10 * random.whole(1, 9)),
        expected_close_date: calendar.date(day, random.whole(30, 180)),
        stage_id: stage.id,
        company_id: company.id,
        assigned_to: random.pick(people).id,
        created_by: random.pick(people).id,
        created_at: at,
        updated_at: at,
      }
    })
    await insertRecords(ctx, 'opportunities', rows)
    return count
  },
})
