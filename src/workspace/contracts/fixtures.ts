import type { Ctx } from '#kernel/context.ts'
import { defineDemo, insertRecords, pickerOf, takeNumbers } from '#kernel/modules/demo.ts'

const subjects = ['Maintenance', 'Cleaning', 'Supply', 'Lease', 'Support', 'Security', 'Consulting']
const objects = ['of the cold store', 'of the shops', 'of the till system', 'for the canteen', 'of the vans']
const body = `<h2>Subject</h2><p>The contractor does the work named above, on working days between 8 and 18 o’clock.</p>
<h2>Remuneration</h2><p>The value is due in equal parts at the <strong>end of each month</strong>.</p>
<h2>Termination</h2><p>Either party may terminate with three months’ notice.</p>`

/** Contracts of a year each, in the order of their numbers; the youngest await their signature, a few were terminated. */
export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar, people } = plan
    const contactAt = pickerOf(plan, await founded(ctx, 'contacts'))
    const companyAt = pickerOf(plan, await founded(ctx, 'companies'))
    const count = plan.share(1 / 25, { least: 8, most: 4000 })
    const prefix = await ctx.setting('contracts_number_prefix')
    const first = await takeNumbers(ctx, 'contracts', count)
    const today = ctx.today()
    const rows = Array.from({ length: count }, (_, n) => {
      const day = (n / count) * calendar.days
      const at = calendar.instant(day)!
      const ends_on = calendar.date(day, 365)
      const young = day > calendar.days - 20
      const status = random.happens(0.08)
        ? ('terminated' as const)
        : young
          ? random.pick(['draft', 'sent'] as const)
          : ends_on < today
            ? ('expired' as const)
            : ('active' as const)
      return {
        number: `${prefix}${String(first + n).padStart(5, '0')}`,
        title: `${random.pick(subjects)} ${random.pick(objects)}`,
        status,
        contact_id: contactAt(at)?.id ?? null,
        company_id: random.happens(0.8) ? (companyAt(at)?.id ?? null) : null,
        body,
        starts_on: calendar.date(day),
        ends_on,
        value: `${random.whole(4, 240) * 300}`,
        currency: ctx.tenant.currency,
        issued_on: status === 'draft' ? null : calendar.date(day),
        assigned_to: random.happens(0.85) ? random.pick(people).id : null,
        created_by: random.pick(people).id,
        created_at: at,
        updated_at: at,
      }
    })
    await insertRecords(ctx, 'contracts', rows)
    return count
  },
})

const founded = (ctx: Ctx, table: 'contacts' | 'companies') =>
  ctx.tx.selectFrom(table).select(['id', 'created_at']).where('tenant_id', '=', ctx.tenant.id).orderBy('id').execute()
