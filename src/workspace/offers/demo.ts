/**
 * Demo quotations and estimates of the last 18 months in the order of their numbers, each as far in its workflow as its age
 * allows.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { type Entry, insertStories, takeNumbers, trashedAfter } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { customersOf, goodsOf } from '#workspace/billing-documents/demo/goods.ts'
import { computeTotals } from '#workspace/billing-documents/public.ts'
import { fillIssued } from '#workspace/issued-documents/demo.ts'
import type { Offer } from './offer.ts'

const occasions = {
  en: [
    'Opening order',
    'Summer menu',
    'Weekly delivery',
    'Catering for a wedding',
    'New breakfast range',
    'Canteen supply',
    'Market stall',
  ],
  de: [
    'Erstausstattung',
    'Monatslieferung',
    'Kaffeebar',
    'Kaffee für das Büro',
    'Hausmischung',
    'Weihnachtspräsente',
    'Maschine mit Mühle',
  ],
}
const notes = {
  en: '<p>We are glad to <strong>advise</strong> you on site.</p>',
  de: '<p>Gern <strong>beraten</strong> wir Sie vor Ort.</p>',
}
const terms = {
  en: '<p>Delivery within four weeks of the order, payable within 30 days.</p>',
  de: '<p>Lieferung innerhalb von vier Wochen nach Auftrag, zahlbar innerhalb von 30 Tagen.</p>',
}
const DAYS_VALID = 30
const WORKING_DAYS_VALID = 23
const BATCH = 1000

/** Fills the table of an offer kind and returns the number of rows. */
export async function fillOffers(
  ctx: Ctx,
  plan: Plan,
  { of, offered, lines: linesOf, lifecycle, refuseMove }: Offer,
): Promise<number> {
  const table = of.table as 'quotations'
  const count = plan.share(1 / 8, { least: 16, most: 10_000 })
  const endings = [
    { often: 60, status: 'accepted' },
    { often: 25, status: lifecycle.moves[refuseMove]!.to },
    { often: 15, status: 'expired' },
  ]
  const prefix = await ctx.setting(of.numberPrefix!)
  const drawOne = await drawer(ctx, plan, { table, prefix: prefix as string, count, endings })
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, (_, n) => drawOne(done + n))
    const ids = await insertStories(ctx, table, batch as never[])
    const lines = batch.flatMap(({ lines }, n) => lines.map((line) => ({ ...line, [linesOf.by]: ids[n]! })))
    await insertRows(ctx, linesOf.table as typeof table, lines as never[])
    plan.progress(done / count)
  }
  await fillIssued(ctx, offered, sql`status <> 'draft'`)
  return count
}

interface Drawn {
  table: 'quotations'
  prefix: string
  count: number
  /** Final states of sent offers, with their weights. */
  endings: { often: number; status: string }[]
}

async function drawer(ctx: Ctx, plan: Plan, { table, prefix, count, endings }: Drawn) {
  const { random, calendar, people } = plan
  const customerAt = await customersOf(ctx, plan)
  const goodsAt = await goodsOf(ctx, plan)
  const tax_rounding = await ctx.setting('tax_rounding')
  const { currency } = ctx.tenant
  const first = await takeNumbers(ctx, table, count)
  return (n: number) => {
    const day = Math.sqrt(n / count) * calendar.days // business grows
    const created_at = calendar.instant(day)!
    const creator = random.pick(people)
    const timeline: Entry[] = [{ type: 'created', at: created_at, by: creator.id }]
    let status = 'draft'
    /** Returns whether the move has happened by now. */
    const moved = (when: number, to: string) => {
      const at = calendar.instant(when)
      if (!at) return false
      timeline.push({ type: 'status_changed', properties: { from: status, to }, at, by: creator.id })
      status = to
      return true
    }
    const sentOn = day + random.between(0.1, 2)
    const isYoung = day > calendar.days - 14 // still awaits an answer
    const wasSent = (isYoung || random.happens(0.92)) && moved(sentOn, 'sent')
    const ending = random.often(endings).status
    if (wasSent && !isYoung) moved(ending === 'expired' ? day + WORKING_DAYS_VALID : sentOn + random.between(2, 18), ending)
    const line_discount_type = random.happens(0.25) ? 'percent' : 'none'
    const { lines, totals } = computeTotals(goodsAt(created_at, 8), { currency, tax_rounding, line_discount_type })
    const offer = {
      number: `${prefix}${String(first + n).padStart(5, '0')}`,
      title: random.pick(plan.say(occasions)),
      ...{ status, currency, line_discount_type, tax_rounding, ...totals },
      ...customerAt(created_at),
      issued_on: wasSent ? calendar.date(sentOn) : null,
      valid_until: calendar.date(day, DAYS_VALID),
      notes: random.happens(0.3) ? plan.say(notes) : null,
      terms_and_conditions: plan.say(terms),
      assigned_to: random.happens(0.85) ? random.pick(people).id : null,
    }
    if (status === 'draft' && n % 9 === 4) timeline.push(trashedAfter(plan, timeline.at(-1)!))
    return { row: offer, lines: lines.map((line, sort_order) => ({ ...line, sort_order })), timeline }
  }
}
