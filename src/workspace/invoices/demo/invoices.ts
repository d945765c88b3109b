/** Demo invoices of the last 18 months, in the order of their numbers: for goods, for offers and contracts, and two series. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { type Entry, insertStories, takeNumbers, trashedAfter } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { customersOf, goodsOf } from '#workspace/billing-documents/demo/goods.ts'
import { computeTotals } from '#workspace/billing-documents/public.ts'
import { fillIssued } from '#workspace/issued-documents/demo.ts'
import type { Invoice } from '../invoices.ts'
import { issuableInvoice } from '../pdf.ts'
import { noteOrigins, type Origin, originsOf } from './origins.ts'
import { joinSeries, type Occurrence, seriesOf } from './series.ts'

const occasions = {
  en: ['Weekly delivery', 'Spring range', 'Urgent refill', 'Holiday range', 'Tasting evening', 'Canteen supply', 'Market stall'],
  de: ['Monatslieferung', 'Kaffeelieferung', 'Eilauftrag', 'Ersatzteile und Wartung', 'Barista-Schulung', 'Weihnachtspräsente'],
}
const notes = {
  en: '<p>Thank you for your <strong>trust</strong>.</p>',
  de: '<p>Vielen Dank für Ihr <strong>Vertrauen</strong>.</p>',
}
const terms = { en: '<p>Payable within 30 days.</p>', de: '<p>Zahlbar innerhalb von 30 Tagen ohne Abzug.</p>' }
const BATCH = 1000

/** A day of the demo, and the origin of its invoice. */
type Due = { day: number; isMistake?: boolean; origin?: Origin; occurrence?: Occurrence }

export default defineDemo({
  settings: { en: {}, de: { invoices_number_prefix: 'RE-' } },
  after: ['contacts', 'companies', 'products', 'resellers', 'quotations', 'estimates', 'contracts'],
  async fill(ctx, plan) {
    const count = plan.share(1 / 5, { least: 24, most: 20_000 })
    const plain = Array.from(
      { length: count },
      (_, n): Due => ({ day: (n / count) * plan.calendar.days, isMistake: n % 40 === 20 }),
    )
    const due = [...plain, ...(await originsOf(ctx, plan)), ...seriesOf(ctx, plan)].toSorted((a, b) => a.day - b.day)
    const drawOne = await drawer(ctx, plan, due.length)
    const made: { id: number; due: Due }[] = []
    for (let done = 0; done < due.length; done += BATCH) {
      const batch = due.slice(done, done + BATCH)
      const ids = await write(
        ctx,
        batch.map((one, n) => drawOne(one, done + n)),
      )
      made.push(...batch.map((one, n) => ({ id: ids[n]!, due: one })))
      plan.progress(done / due.length)
    }
    await noteOrigins(
      ctx,
      made.flatMap(({ id, due: { origin } }) => (origin ? [{ id, origin }] : [])),
    )
    await joinSeries(
      ctx,
      made.flatMap(({ id, due: { occurrence } }) => (occurrence ? [{ id, occurrence }] : [])),
    )
    await fillIssued(ctx, issuableInvoice, sql`status <> 'draft'`)
    await planReminders(ctx, plan)
    return due.length
  },
})

/** Switched off: mails of a demo have no real recipients. */
async function planReminders(ctx: Ctx, { calendar, say }: Plan) {
  const at = calendar.instant(0)!
  const steps = [-3, 7, 21].map((days) => ({ days, subject: null, message: null, fee: days > 7 ? 5 : null }))
  const name = say({ en: ['In three steps'], de: ['In drei Schritten'] })[0]!
  await ctx.tx
    .insertInto('reminder_plans')
    .values({ tenant_id: ctx.tenant.id, name, steps: JSON.stringify(steps), created_at: at, updated_at: at })
    .execute()
}

type Drawn = ReturnType<Awaited<ReturnType<typeof drawer>>>

async function drawer(ctx: Ctx, plan: Plan, count: number) {
  const { random, calendar, people, say } = plan
  const customerAt = await customersOf(ctx, plan)
  const goodsAt = await goodsOf(ctx, plan)
  const resellers = await resellersOf(ctx)
  const abroad = await abroadOf(ctx)
  const prefix = await ctx.setting('invoices_number_prefix')
  const tax_rounding = await ctx.setting('tax_rounding')
  const first = await takeNumbers(ctx, 'invoices', count)
  const customers: ReturnType<typeof customerAt>[] = []
  return ({ day, isMistake, origin, occurrence }: Due, n: number) => {
    const at = occurrence?.at ?? calendar.instant(day)!
    const creator = random.pick(people)
    const line_discount_type = random.happens(0.2) ? ('percent' as const) : ('none' as const)
    const wanted = occurrence ? [{ ...occurrence.line, product_id: null, body: null, discount_value: '0' }] : goodsAt(at, 6)
    const customer = origin ?? (occurrence ? (customers[occurrence.series] ??= customerAt(at)) : customerAt(at))
    const charged = abroad.has(customer.company_id) ? wanted.map(reverseCharged) : wanted
    const { lines, totals } =
      origin ?? computeTotals(charged, { currency: ctx.tenant.currency, tax_rounding, line_discount_type })
    const { timeline, status } = occurrence
      ? issued(occurrence, creator)
      : storyOf(plan, day, { creator, isFirm: origin !== undefined, isMistake })
    const isDraft = status === 'draft'
    const row = {
      number: `${prefix}${String(first + n).padStart(5, '0')}`,
      title: origin?.title ?? (occurrence ? occurrence.line.name : random.pick(say(occasions))),
      status,
      currency: ctx.tenant.currency,
      issue_date: isDraft ? null : (occurrence?.on ?? calendar.date(day)),
      due_date: isDraft ? null : occurrence ? inThirtyDays(occurrence.on) : calendar.date(day, 30),
      notes: random.happens(0.3) ? say(notes) : null,
      terms_and_conditions: say(terms),
      contact_id: customer.contact_id,
      company_id: customer.company_id,
      quotation_id: origin?.from === 'quotations' ? origin.id : null,
      estimate_id: origin?.from === 'estimates' ? origin.id : null,
      contract_id: origin?.from === 'contracts' ? origin.id : null,
      reseller_id: resellers.length && random.happens(0.15) ? random.pick(resellers).id : null,
      assigned_to: random.happens(0.85) ? random.pick(people).id : null,
      line_discount_type: origin?.line_discount_type ?? (occurrence ? ('none' as const) : line_discount_type),
      tax_rounding: origin?.tax_rounding ?? tax_rounding,
      ...totals,
    }
    return { row, timeline, lines: lines.map((line, sort_order) => ({ ...line, sort_order })) }
  }
}

/** Ids of companies to which reverse charge applies. */
async function abroadOf(ctx: Ctx): Promise<Set<number | null>> {
  const companies = await ctx.from('companies').select('id').where('vat_id', 'is not', null).execute()
  return new Set(companies.map(({ id }) => id))
}

const reverseCharged = <L extends object>(line: L) => ({ ...line, tax_rate: '0', tax_category: 'AE' })

const inThirtyDays = (date: string) => Temporal.PlainDate.from(date).add({ days: 30 }).toString()

const resellersOf = (ctx: Ctx) => ctx.from('resellers').select('id').where('deleted_at', 'is', null).orderBy('id').execute()

/** A user sends the root of a series; the other occurrences are issued automatically. */
function issued({ at, isRoot }: Occurrence, { id }: { id: number }): { timeline: Entry[]; status: Invoice['status'] } {
  const sent = { type: 'status_changed', properties: { from: 'draft', to: 'unpaid' }, at, by: id }
  return { timeline: [{ type: 'created', at, by: isRoot ? id : null }, ...(isRoot ? [sent] : [])], status: 'unpaid' }
}

/** Timeline and status: the newest invoices are still drafts; a few of the others were cancelled. A firm one was always sent. */
function storyOf(
  plan: Plan,
  day: number,
  { creator, isFirm, isMistake }: { creator: { id: number }; isFirm: boolean; isMistake: boolean | undefined },
) {
  const { random, calendar } = plan
  const timeline: Entry[] = [{ type: 'created', at: calendar.instant(day)!, by: creator.id }]
  let status: Invoice['status'] = 'draft'
  const moved = (when: number, to: Invoice['status']) => {
    const at = calendar.instant(when)
    if (!at) return false
    timeline.push({ type: 'status_changed', properties: { from: status, to }, at, by: creator.id })
    status = to
    return true
  }
  const isSoon = isFirm || random.happens(day > calendar.days - 25 ? 0.5 : 0.99)
  const isSent = !isMistake && isSoon && moved(day + (isFirm ? 0 : 0.05), 'unpaid')
  if (isSent && !isFirm && random.happens(0.03) && moved(day + random.between(0.5, 5), 'cancelled'))
    timeline.push({ ...timeline.at(-1)!, type: 'voided', properties: {} })
  if (isMistake) timeline.push(trashedAfter(plan, timeline[0]!))
  return { timeline, status }
}

async function write(ctx: Ctx, batch: Drawn[]) {
  const ids = await insertStories(ctx, 'invoices', batch)
  const lines = batch.flatMap(({ lines }, n) => lines.map((line) => ({ tax_category: null, ...line, invoice_id: ids[n]! })))
  await insertRows(ctx, 'invoice_lines', lines)
  return ids
}
