/** Demo purchase orders of the last 18 months in the order of their numbers, each as far in its workflow as its age allows. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { pickerOf } from '#kernel/demo/calendar.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { type Entry, insertNotes, insertTimeline, takeNumbers } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { computeTotals } from '#workspace/billing-documents/public.ts'
import { fillIssued } from '#workspace/issued-documents/demo.ts'
import type { lifecycle } from './lifecycle.ts'
import { issuableOrder } from './pdf.ts'

type Status = (typeof lifecycle.states)[number]

/** Histories of orders: weight, and working days between consecutive steps. */
const fates: { often: number; steps: [Status, number, number][] }[] = [
  {
    often: 62,
    steps: [
      ['sent', 0.1, 2],
      ['received', 3, 20],
    ],
  },
  {
    often: 14,
    steps: [
      ['sent', 0.1, 2],
      ['partially_received', 3, 15],
      ['received', 1, 10],
    ],
  },
  {
    often: 5,
    steps: [
      ['sent', 0.1, 2],
      ['partially_received', 3, 15],
    ],
  },
  { often: 5, steps: [['sent', 0.1, 2]] },
  {
    often: 5,
    steps: [
      ['sent', 0.1, 2],
      ['cancelled', 1, 10],
    ],
  },
  { often: 4, steps: [['cancelled', 0.2, 5]] },
  { often: 5, steps: [] },
]

const titles = {
  en: {
    occasions: [
      'Restock',
      'Weekly delivery',
      'Spring range',
      'Urgent refill',
      'Holiday range',
      'New in the shop',
      'Sample order',
    ],
    places: [
      ' for the main warehouse',
      ' for the harbour depot',
      ' for the cold store',
      ' for the farm shops',
      ' for the market stalls',
    ],
  },
  de: {
    occasions: ['Rohkaffee', 'Verpackung', 'Wochenlieferung', 'Nachbestellung', 'Ersatzteile', 'Weihnachtssortiment', 'Muster'],
    places: [' für die Rösterei', ' für das Lager im Hafen', ' für die Werkstatt', ' für den Laden', ''],
  },
}
const wishes = {
  en: ['Please deliver before noon.', 'Call the gate half an hour ahead.', 'Euro pallets only.', 'Partial deliveries are fine.'],
  de: [
    'Bitte vormittags liefern.',
    'Bitte eine halbe Stunde vorher anrufen.',
    'Nur Europaletten.',
    'Teillieferungen sind möglich.',
  ],
}
const remarks = {
  en: [
    'Vendor confirmed by telephone.',
    'Price agreed for the whole season.',
    'Asked for an earlier date.',
    'Two boxes were damaged, credit note requested.',
    'Delivery slot booked at the gate.',
    'Waiting for the new price list.',
  ],
  de: [
    'Telefonisch bestätigt.',
    'Preis gilt für die ganze Ernte.',
    'Um einen früheren Termin gebeten.',
    'Zwei Säcke beschädigt, Gutschrift angefordert.',
    'Zeitfenster an der Rampe gebucht.',
    'Neue Preisliste steht noch aus.',
  ],
}

const BATCH = 1000

export default defineDemo({
  async fill(ctx, plan) {
    const count = plan.records
    const drawOne = await drawer(ctx, plan)
    const writes: Promise<void>[] = []
    for (let done = 0; done < count; done += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - done) }, (_, n) => drawOne(done + n))
      await writes.at(-2) // up to two batches are being written while the next is generated
      plan.progress(done / count)
      writes.push(write(ctx, batch))
      writes.at(-1)!.catch(() => {}) // reported below
    }
    await Promise.all(writes)
    await fillIssued(ctx, issuableOrder, sql`sent_at is not null`)
    return count
  },
})

type Drawn = ReturnType<Awaited<ReturnType<typeof drawer>>>

/** Returns a generator of the n-th order. Later orders are closer together, because business grows. */
async function drawer(ctx: Ctx, plan: Plan) {
  const { random, calendar, people, records } = plan
  const { occasions, places } = plan.say(titles)
  const vendors = await ctx
    .from('vendors')
    .select(['id', 'created_at'])
    .where('is_active', '=', true)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  const products = await ctx
    .from('products')
    .select(['id', 'name', 'unit_price', 'tax_rate', 'created_at'])
    .where('is_active', '=', true)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  const vendorAt = pickerOf(plan, vendors)
  const productAt = pickerOf(plan, products)
  const prefix = await ctx.setting('purchase_orders_number_prefix')
  const tax_rounding = await ctx.setting('tax_rounding')
  const first = await takeNumbers(ctx, 'purchase_orders', records)

  return (n: number) => {
    const day = 1 + ((n + random.next()) / records) ** 0.8 * (calendar.days - 1.001)
    const at = calendar.instant(day)!
    const creator = random.pick(people)
    const story = storyOf(plan, day, creator)
    const currency = random.happens(0.95) ? ctx.tenant.currency : plan.say({ en: 'EUR', de: 'USD' })
    const wanted = Array.from({ length: products.length ? 1 + Math.floor(12 * random.next() ** 1.2) : 0 }, () =>
      lineOf(plan, productAt(at)),
    )
    const { lines, totals } = computeTotals(wanted, { currency, tax_rounding })
    const { discount_total: _, ...sums } = totals
    const order = {
      number: `${prefix}${String(first + n).padStart(5, '0')}`,
      title: random.pick(occasions) + random.pick(places),
      vendor_id: vendorAt(at).id,
      currency,
      expected_date: random.happens(0.9) ? calendar.date(day, random.whole(5, 30)) : null,
      notes: random.happens(0.2) ? random.pick(plan.say(wishes)) : null,
      tax_rounding,
      ...sums,
      ...story.state,
      created_by: creator.id,
      created_at: at,
    }
    return { order, lines: lines.map(({ discount: _, ...line }, sort_order) => ({ ...line, sort_order })), ...story }
  }
}

function lineOf({ random }: Plan, product: { id: number; name: string; unit_price: string; tax_rate: string }) {
  const cents = Math.max(1, Math.round(Number(product.unit_price) * random.between(55, 80)))
  return {
    product_id: random.happens(0.9) ? product.id : null,
    description: product.name,
    quantity: random.happens(0.9) ? String(random.whole(1, 60)) : (random.whole(5, 400) / 10).toFixed(1),
    unit_price: (cents / 100).toFixed(2),
    tax_rate: product.tax_rate,
  }
}

/** Generates an order's history since a day, with timeline and notes. Steps in the future are omitted. */
function storyOf({ random, calendar, people, say }: Plan, day: number, creator: Plan['people'][number]) {
  const began = day
  const timeline: Entry[] = [{ type: 'created', at: calendar.instant(day)!, by: creator.id }]
  const state = {
    status: 'draft' as Status,
    assigned_to: random.happens(0.85) ? (random.happens(0.6) ? creator.id : random.pick(people).id) : null,
    order_date: null as string | null,
    sent_at: null as string | null,
    updated_at: timeline[0]!.at,
    deleted_at: null as string | null,
    revision: 1,
  }
  /** Returns whether it has happened by now. */
  const happened = (when: number, type: string, properties?: object) => {
    const at = calendar.instant(when)
    if (!at) return false
    timeline.push({ type, properties, at, by: random.pick(people).id })
    state.updated_at = at
    state.revision++
    day = when
    return true
  }

  if (state.assigned_to !== null && random.happens(0.08)) {
    const to = random.pick(people)
    const properties = { from: state.assigned_to, to: to.id, to_name: to.name }
    if (to.id !== state.assigned_to && happened(day + 0.05, 'assigned', properties)) state.assigned_to = to.id
  }
  for (const [to, soonest, latest] of random.often(fates).steps) {
    if (!happened(day + random.between(soonest, latest), 'status_changed', { from: state.status, to })) break
    state.status = to
    if (to === 'sent') Object.assign(state, { order_date: calendar.date(day), sent_at: state.updated_at })
  }
  const over = state.status === 'draft' || state.status === 'cancelled'
  if (over && random.happens(0.1) && happened(day + random.between(5, 40), 'deleted')) state.deleted_at = state.updated_at

  const notes = Array.from({ length: random.happens(0.3) ? random.whole(1, 3) : 0 }, () => ({
    body: random.pick(say(remarks)),
    at: calendar.instant(random.between(began, day))!,
    by: random.pick(people).id,
  }))
  return { state, timeline, notes }
}

/**
 * Timeline and notes refer to orders by id without a foreign key: a second connection writes them while the first one writes the
 * lines.
 */
async function write(ctx: Ctx, batch: Drawn[]) {
  const ids = await insertRows(
    ctx,
    'purchase_orders',
    batch.map(({ order }) => order),
  )
  const of = <R>(rows: (drawn: Drawn) => R[]) => batch.flatMap((drawn, n) => rows(drawn).map((row) => ({ id: ids[n]!, ...row })))
  const lines = of((drawn) => drawn.lines).map(({ id, ...line }) => ({ purchase_order_id: id, ...line }))
  await Promise.all([
    insertRows(ctx, 'purchase_order_lines', lines),
    ctx.services.database.workspace(ctx.tenant.id, 'write', async (tx) => {
      const beside = { ...ctx, tx }
      const timeline = of((drawn) => drawn.timeline)
      const notes = of((drawn) => drawn.notes)
      await insertTimeline(beside, 'purchase_orders', timeline)
      await insertNotes(beside, 'purchase_orders', notes)
    }),
  ])
}
