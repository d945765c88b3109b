/** Made-up quotations and estimates of the last 18 months, in the order of their numbers, each as far on its way as its age allows. */
import type { Ctx } from '#kernel/context.ts'
import { type Entry, insertRows, insertTimeline, type Plan, pickerOf, takeNumbers } from '#kernel/modules/demo.ts'
import type { LineTable } from './lines.ts'
import { computeTotals } from './totals.ts'

type Founded = { id: number; created_at: string }[]

interface Offers {
  table: Parameters<typeof insertTimeline>[1]
  lines: LineTable
  prefix: string
  count: number
  contacts: Founded
  companies: Founded
  /** What becomes of those that were sent, and how often. */
  endings: { often: number; status: string }[]
}

const works = ['Shelving', 'Cold store', 'Till system', 'Shop fittings', 'Lighting', 'Delivery van lease', 'Training', 'Cleaning']
const places = ['for the harbour shop', 'for the canteen', 'for the new branch', 'for the warehouse', 'for the market stalls']
const DAYS_VALID = 30
const WORKING_DAYS_VALID = 23
const BATCH = 1000

/** Fills the table and answers how many. */
export async function fillOffers(ctx: Ctx, plan: Plan, offers: Offers): Promise<number> {
  const { table, lines: linesOf, count } = offers
  const drawOne = await drawer(ctx, plan, offers)
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, (_, n) => drawOne(done + n))
    const ids = await insertRows(ctx, table, batch.map(({ offer }) => offer) as never[])
    const of = <R>(rows: (drawn: (typeof batch)[number]) => R[]) =>
      batch.flatMap((drawn, n) => rows(drawn).map((row) => ({ id: ids[n]!, ...row })))
    const lines = of(({ lines }) => lines).map(({ id, ...line }) => ({ ...line, [linesOf.by]: id }))
    await insertRows(ctx, linesOf.table as typeof table, lines as never[])
    await insertTimeline(
      ctx,
      table,
      of(({ timeline }) => timeline),
    )
    plan.progress(done / count)
  }
  return count
}

async function drawer(ctx: Ctx, plan: Plan, { table, prefix, count, contacts, companies, endings }: Offers) {
  const { random, calendar, people } = plan
  const contactAt = pickerOf(plan, contacts)
  const companyAt = pickerOf(plan, companies)
  const tax_rounding = await ctx.setting('tax_rounding')
  const { currency } = ctx.tenant
  const first = await takeNumbers(ctx, table, count)
  return (n: number) => {
    const day = (n / count) * calendar.days
    const created_at = calendar.instant(day)!
    const creator = random.pick(people)
    const timeline: Entry[] = [{ type: 'created', at: created_at, by: creator.id }]
    let status = 'draft'
    let updated_at = created_at
    /** Whether it has come to this by now. */
    const moved = (when: number, to: string) => {
      const at = calendar.instant(when)
      if (!at) return false
      timeline.push({ type: 'status_changed', properties: { from: status, to }, at, by: creator.id })
      status = to
      updated_at = at
      return true
    }
    const sentOn = day + random.between(0.1, 3)
    const wasSent = random.happens(0.92) && moved(sentOn, 'sent')
    const ending = random.often(endings).status
    if (wasSent) moved(ending === 'expired' ? day + WORKING_DAYS_VALID : sentOn + random.between(2, 18), ending)
    const line_discount_type = random.happens(0.25) ? 'percent' : 'none'
    const wanted = Array.from({ length: random.whole(1, 8) }, () => lineOf(plan))
    const { lines, totals } = computeTotals(wanted, { currency, tax_rounding, line_discount_type })
    const offer = {
      number: `${prefix}${String(first + n).padStart(5, '0')}`,
      title: `${random.pick(works)} ${random.pick(places)}`,
      ...{ status, currency, line_discount_type, tax_rounding, ...totals, created_at, updated_at },
      contact_id: contacts.length && random.happens(0.8) ? contactAt(created_at).id : null,
      company_id: companies.length && random.happens(0.7) ? companyAt(created_at).id : null,
      issued_on: wasSent ? calendar.date(sentOn) : null,
      valid_until: calendar.date(day, DAYS_VALID),
      notes: random.happens(0.3) ? '<p>We are glad to <strong>advise</strong> you on site.</p>' : null,
      terms_and_conditions: '<p>Delivery within four weeks of the order, payable within 30 days.</p>',
      assigned_to: random.happens(0.85) ? random.pick(people).id : null,
      created_by: creator.id,
    }
    return { offer, lines: lines.map((line, sort_order) => ({ ...line, sort_order })), timeline }
  }
}

const lineOf = ({ random }: Plan) => ({
  name: random.pick(works),
  body: random.happens(0.3) ? '<p>Including <em>mounting</em> and waste disposal.</p>' : null,
  quantity: String(random.whole(1, 12)),
  unit_price: (random.whole(900, 90_000) / 100).toFixed(2),
  tax_rate: random.pick(['0', '7', '19']),
  discount_value: String(random.whole(0, 15)),
})
