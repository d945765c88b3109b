/** Invoices of the last 18 months, in the order of their numbers: most were sent, and payments come with their own module. */
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Entry, insertRows, insertTimeline, type Plan, pickerOf, takeNumbers } from '#kernel/modules/demo.ts'
import { computeTotals } from '#workspace/billing-documents/public.ts'

const works = ['Installation', 'Maintenance', 'Training', 'Delivery', 'Consulting', 'Repair', 'Inspection', 'Licence']
const objects = ['of the cold store', 'of the till system', 'for the new shop', 'of the vans', 'for the canteen']
const BATCH = 1000

export default defineDemo({
  after: ['contacts', 'companies', 'products'],
  async fill(ctx, plan) {
    const count = plan.share(1 / 5, { least: 20, most: 20_000 })
    const drawOne = await drawer(ctx, plan, count)
    for (let done = 0; done < count; done += BATCH) {
      await write(
        ctx,
        Array.from({ length: Math.min(BATCH, count - done) }, (_, n) => drawOne(done + n)),
      )
      plan.progress(done / count)
    }
    return count
  },
})

type Drawn = ReturnType<Awaited<ReturnType<typeof drawer>>>

async function drawer(ctx: Ctx, plan: Plan, count: number) {
  const { random, calendar, people } = plan
  const contacts = await founded(ctx, 'contacts')
  const companies = await founded(ctx, 'companies')
  const contactAt = pickerOf(plan, contacts)
  const companyAt = pickerOf(plan, companies)
  const prefix = await ctx.setting('invoices_number_prefix')
  const tax_rounding = await ctx.setting('tax_rounding')
  const first = await takeNumbers(ctx, 'invoices', count)
  return (n: number) => {
    const day = (n / count) * calendar.days
    const at = calendar.instant(day)!
    const creator = random.pick(people)
    const line_discount_type = random.happens(0.2) ? ('percent' as const) : ('none' as const)
    const { lines, totals } = computeTotals(
      Array.from({ length: random.whole(1, 6) }, () => lineOf(plan)),
      { currency: ctx.tenant.currency, tax_rounding, line_discount_type },
    )
    const status = random.happens(0.06) ? ('draft' as const) : random.happens(0.03) ? ('cancelled' as const) : ('unpaid' as const)
    const timeline: Entry[] = [{ type: 'created', at, by: creator.id }]
    const invoice = {
      number: `${prefix}${String(first + n).padStart(5, '0')}`,
      title: `${random.pick(works)} ${random.pick(objects)}`,
      status,
      currency: ctx.tenant.currency,
      issue_date: status === 'draft' ? null : calendar.date(day),
      due_date: status === 'draft' ? null : calendar.date(day, 30),
      notes: random.happens(0.3) ? '<p>Thank you for your <strong>trust</strong>.</p>' : null,
      terms_and_conditions: '<p>Payable within 30 days.</p>',
      contact_id: contacts.length && random.happens(0.8) ? contactAt(at).id : null,
      company_id: companies.length && random.happens(0.7) ? companyAt(at).id : null,
      assigned_to: random.happens(0.85) ? random.pick(people).id : null,
      line_discount_type,
      tax_rounding,
      ...totals,
      created_by: creator.id,
      created_at: at,
      updated_at: at,
    }
    return { invoice, lines: lines.map((line, sort_order) => ({ ...line, sort_order })), timeline }
  }
}

const founded = (ctx: Ctx, table: 'contacts' | 'companies') =>
  ctx.tx.selectFrom(table).select(['id', 'created_at']).where('tenant_id', '=', ctx.tenant.id).orderBy('id').execute()

const lineOf = ({ random }: Plan) => ({
  name: random.pick(works),
  body: random.happens(0.2) ? '<p>As agreed by telephone.</p>' : null,
  quantity: String(random.whole(1, 20)),
  unit_price: (random.whole(500, 30_000) / 100).toFixed(2),
  tax_rate: random.pick(['0', '7', '19']),
  discount_value: String(random.whole(0, 15)),
})

async function write(ctx: Ctx, batch: Drawn[]) {
  const ids = await insertRows(
    ctx,
    'invoices',
    batch.map(({ invoice }) => invoice),
  )
  await insertRows(
    ctx,
    'invoice_lines',
    batch.flatMap(({ lines }, n) => lines.map((line) => ({ ...line, invoice_id: ids[n]! }))),
  )
  await insertTimeline(
    ctx,
    'invoices',
    batch.flatMap(({ timeline }, n) => timeline.map((entry) => ({ ...entry, id: ids[n]! }))),
  )
}
