/** Demo expenses: everyday ones, and those converted from purchase orders. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { type Entry, insertStories, insertTimeline, rename, trashedAfter } from '#kernel/demo/stories.ts'
import { categoryFor } from './categories.ts'
import type { lifecycle } from './lifecycle.ts'

type Status = (typeof lifecycle.states)[number]

const titles: { en: Record<string, string[]>; de: Record<string, string[]> } = {
  en: {
    Travel: ['Train to the trade fair', 'Visit to a grower', 'Taxi from the harbour', 'Hotel, two nights', 'Mileage of the van'],
    Office: ['Printer paper and toner', 'Coffee and fruit', 'Desk lamps', 'Cleaning', 'Postage'],
    Software: ['Label printing, monthly', 'Route planner, yearly', 'Accounting package', 'Backup storage'],
    Utilities: ['Electricity of the cold store', 'Water', 'Telephone and internet', 'Waste collection'],
    Other: ['Forklift inspection', 'Staff party', 'Fire extinguishers', 'Membership of the chamber of trade'],
  },
  de: {
    Reisen: ['Bahnfahrt zur Messe', 'Besuch bei der Kooperative', 'Taxi vom Hafen', 'Hotel, zwei Nächte', 'Kilometergeld'],
    Büro: ['Druckerpapier und Toner', 'Schreibtischlampen', 'Reinigung', 'Porto'],
    Software: ['Kassensystem, monatlich', 'Röstprofil-Software', 'Buchhaltungsprogramm', 'Datensicherung'],
    Energie: ['Strom der Rösterei', 'Gas für den Trommelröster', 'Wasser', 'Telefon und Internet'],
    Sonstiges: ['Schornsteinfeger', 'Betriebsausflug', 'Feuerlöscher', 'Beitrag der Handelskammer'],
  },
}
const german = { Travel: 'Reisen', Office: 'Büro', Utilities: 'Energie', Other: 'Sonstiges' }
const remarks = {
  en: ['Receipt is in the folder.', 'Asked for an itemised bill.', 'Approved by telephone.', 'Split with the depot.'],
  de: ['Beleg liegt im Ordner.', 'Einzelaufstellung angefordert.', 'Telefonisch freigegeben.', 'Zur Hälfte Werkstatt.'],
}

/** Data of an expense when it is created. */
interface Beginning {
  day: number
  title: string
  category_id: number
  vendor_id: number | null
  amount: string
  tax_amount: string
  currency: string
  assigned_to: number | null
  notes: string | null
  purchase_order_id: number | null
}

export default defineDemo({
  after: ['purchase-orders'],
  async fill(ctx, plan) {
    await rename(ctx, 'expense_categories', plan.say<Record<string, string>>({ en: {}, de: german }))
    const other = await categoryFor(ctx, null)
    const made = await everyday(ctx, plan)
    return made + (await converted(ctx, plan, other))
  },
})

async function everyday(ctx: Ctx, plan: Plan) {
  const { random, calendar } = plan
  const categories = await ctx.from('expense_categories').select(['id', 'name']).orderBy('sort_order').execute()
  const count = plan.share(1 / 4, { least: 80, most: 50_000 })
  const beginnings = Array.from({ length: count }, (_, n): Beginning => {
    const category = random.pick(categories)
    const cents = Math.round(Math.exp(random.between(6.5, 11.5)))
    return {
      day: ((n + random.next()) / count) * calendar.days,
      title: random.pick(plan.say(titles)[category.name] ?? Object.values(plan.say(titles)).at(-1)!),
      category_id: category.id,
      vendor_id: null,
      amount: (cents / 100).toFixed(2),
      tax_amount: (Math.round(cents * 0.0918) / 100).toFixed(2),
      currency: ctx.tenant.currency,
      assigned_to: random.happens(0.8) ? random.pick(plan.people).id : null,
      notes: null,
      purchase_order_id: null,
    }
  })
  await book(ctx, plan, beginnings)
  return count
}

/** Converts every tenth sent order, a few days after its last step. The order and its timeline record it. */
async function converted(ctx: Ctx, plan: Plan, category_id: number) {
  const orders = await ctx
    .from('purchase_orders')
    .select(['id', 'title', 'total', 'tax_total', 'currency', 'vendor_id', 'assigned_to', 'notes', 'updated_at'])
    .where('status', 'in', ['sent', 'partially_received', 'received'])
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`right(number, 1) = '7'`)
    .orderBy('id')
    .execute()
  const beginnings = orders.flatMap(({ id, total, tax_total, updated_at, ...order }): Beginning[] => {
    const day = plan.calendar.dayOf(updated_at) + plan.random.between(0.1, 8)
    if (day >= plan.calendar.days) return []
    return [{ ...order, day, category_id, amount: total, tax_amount: tax_total, purchase_order_id: id }]
  })
  const booked = await book(ctx, plan, beginnings)
  const pairs = booked.map(({ id, at }, n) => ({ id: beginnings[n]!.purchase_order_id, expense_id: id, at }))
  await sql`
    update purchase_orders set converted_expense_id = pair.expense_id, updated_at = pair.at, revision = revision + 1
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as pair (id bigint, expense_id bigint, at timestamptz)
    where purchase_orders.tenant_id = ${ctx.tenant.id} and purchase_orders.id = pair.id`.execute(ctx.tx)
  const told = booked.map(({ id, at, by }, n) => ({
    ...{ id: beginnings[n]!.purchase_order_id!, type: 'converted', properties: { expense_id: id }, at, by },
  }))
  await insertTimeline(ctx, 'purchase_orders', told)
  return booked.length
}

/** Inserts expenses with their later history. */
async function book(ctx: Ctx, plan: Plan, beginnings: Beginning[]) {
  const { random, calendar } = plan
  const drawn = beginnings.map(({ day, ...beginning }, n) => {
    const by = random.pick(plan.people).id
    const at = calendar.instant(day)!
    const timeline: Entry[] = [{ type: 'created', at, by }]
    let status: Status = 'draft'
    for (const to of ['approved', 'paid'] as const) {
      day += random.between(0.5, 12)
      const moved = calendar.instant(day)
      if (!moved || random.happens(0.05)) break // in the future, or forgotten
      timeline.push({ type: 'status_changed', properties: { from: status, to }, at: moved, by: random.pick(plan.people).id })
      status = to
    }
    const expense_date = at.slice(0, 10)
    const isTrash = status === 'draft' && beginning.purchase_order_id === null && n % 4 === 1
    if (isTrash) timeline.push(trashedAfter(plan, timeline.at(-1)!))
    const notes = n % 8 === 0 ? [{ body: plan.say(remarks)[(n / 8) % 4]!, at, by }] : []
    return { row: { ...beginning, status, expense_date }, timeline, notes, at, by }
  })
  const ids = await insertStories(ctx, 'expenses', drawn)
  return drawn.map(({ at, by }, n) => ({ id: ids[n]!, at, by }))
}
