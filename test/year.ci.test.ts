/**
 * A year of a company, over the API and with a controlled clock. Covers leads, quotations, invoices and their series, payments,
 * credits, orders, stock, attendance, mails, reminders and paid modules, over a leap day and both clock changes. The test
 * maintains a separate ledger in whole cents and pieces. At the end, documents, statements, payments, stock, events and mails
 * must match it.
 */
// CI stage: year
// Own process: its clock is set for a year.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { extractText, getDocumentProxy } from 'unpdf'
import { findDue } from '#workspace/invoices/issuing.ts'
import { startBilling } from './billing-world.ts'
import type { Client, Person, Workspace } from './harness.ts'
import { tallies } from './killed/reckoning.ts'

const FIRST = Temporal.PlainDate.from('2027-07-01')
const LAST = FIRST.add({ years: 1 })
const ZONE = 'Europe/Berlin'
const MODULES = [
  ...['leads', 'contacts', 'companies', 'opportunities', 'quotations', 'invoices', 'payments', 'credit-notes'],
  ...['vendors', 'products', 'warehouses', 'purchase-orders', 'inventory', 'expenses', 'employees', 'attendance'],
]
const SUBSCRIBED = 'leads'
const STEPS = [3, 14, 30]

const world = await startBilling(`${FIRST}T04:00:00Z`)
const { stripe } = world
after(() => stripe.close())
let firm: Workspace
let owner: Person

/** Mulberry32, so that a failure is reproducible. */
let seed = 20_270_701
function random() {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
const whole = (most: number) => Math.floor(random() * most)
const pick = <T>(from: T[]) => from[whole(from.length)]!

/** Converts euros of the API to cents. */
const cents = (amount: number) => Math.round(amount * 100)
const euros = (amount: number) => amount / 100

interface Line {
  name: string
  quantity: number
  unit_price: number
  tax_rate: number
}
/** Returns net plus tax of a line, tax rounded to the cent, half up. */
function lineCents({ quantity, unit_price, tax_rate }: Line) {
  const net = quantity * cents(unit_price)
  return net + Math.floor((net * tax_rate + 50) / 100)
}
const totalOf = (lines: Line[]) => lines.reduce((sum, line) => sum + lineCents(line), 0)

/** Ledger entry of an invoice. */
interface Entry {
  id: number
  company: number
  due: string
  total: number
  paid: number
  credited: number
  isVoid: boolean
  /** Day of the last payment, credit or voiding that closed it: no reminder follows. */
  closed?: string
}
const invoices = new Map<number, Entry>()
const payments = new Map<number, { amount: number; allocated: number; isVoid: boolean }>()
const creditNotes = new Map<number, { company: number; total: number; applied: number }>()
const deeds = new Map<string, number>()
const stock = new Map<string, number>()
let mailed = 0
let workdays = 0

const did = (type: string, times = 1) => void deeds.set(type, (deeds.get(type) ?? 0) + times)
const left = ({ total, paid, credited, isVoid }: Entry) => (isVoid ? 0 : total - paid - credited)

async function done(asked: ReturnType<Client['post']>): Promise<any> {
  const { status, body } = await asked
  assert.ok(status < 300, `${status} ${body.message} ${JSON.stringify(body.errors)}`)
  return body.data
}
const post = (path: string, body?: unknown, by: Client = owner) => done(by.post(path, body))
const read = (path: string, query: Record<string, string> = {}) => done(owner.get(path, { query }))
async function all(path: string, query: Record<string, string> = {}): Promise<any[]> {
  const rows: any[] = []
  for (let page = 1; ; page++) {
    const { body } = await owner.get(path, { query: { ...query, per_page: '100', page: String(page) } })
    rows.push(...body.data)
    if (rows.length >= body.meta.total) return rows
  }
}

/** Sets the clock to a time of day in the company's time zone. */
const at = (day: Temporal.PlainDate, time: string) =>
  world.clock.set(day.toZonedDateTime({ timeZone: ZONE, plainTime: time }).toInstant().toString())
const attempt = () => ({ signal: new AbortController().signal, module: undefined })
/** Runs the workers' polling once. */
async function workers() {
  await findDue.handle(world.services, { data: { after: 0 } }, attempt())
  await world.drain('due')
}

const companies: number[] = []
const employees: Person[] = []
let products: number[]
let vendor: number
let [store, shop] = [0, 0]
/** Actions planned by day. */
const plans = new Map<string, (() => Promise<void>)[]>()
const plan = (day: Temporal.PlainDate, work: () => Promise<void>) =>
  void plans.set(String(day), [...(plans.get(String(day)) ?? []), work])

const linesOf = (): Line[] =>
  Array.from({ length: 1 + whole(4) }, (_, n) => ({
    name: `Work ${n + 1}`,
    quantity: 1 + whole(9),
    unit_price: euros(95 + whole(90_000)),
    tax_rate: pick([19, 19, 7, 0]),
  }))

/** Records an issued invoice in the ledger. */
function entered(invoice: any, lines?: Line[]): Entry {
  if (lines) assert.equal(cents(invoice.total), totalOf(lines), invoice.number)
  const entry: Entry = {
    ...{ id: invoice.id, company: invoice.company_id, due: invoice.due_date, total: cents(invoice.total) },
    ...{ paid: 0, credited: 0, isVoid: false },
  }
  invoices.set(invoice.id, entry)
  return entry
}

async function sell(day: Temporal.PlainDate, company_id: number) {
  const lines = linesOf()
  const draft = await post('/invoices', { title: 'Work', company_id, due_date: String(day.add({ days: 14 })), lines })
  did('invoice.created')
  const entry = entered(await post(`/invoices/${draft.id}/send`), lines)
  did('invoice.unpaid')
  if (random() < 0.4) {
    await post(`/invoices/${entry.id}/email`, { to: ['books@customer.test'], subject: 'Your invoice', message: 'Thank you.' })
    mailed++
  }
  await becomePaid(day, entry)
}

/** Plans payments of an invoice: in full, in two parts, or never. */
async function becomePaid(day: Temporal.PlainDate, entry: Entry) {
  const fate = random()
  const soon = day.add({ days: 2 + whole(50) })
  if (fate < 0.06) return
  if (fate < 0.1) {
    plan(soon, async () => {
      if (entry.paid || entry.credited) return
      await post(`/invoices/${entry.id}/void`)
      did('invoice.voided')
      Object.assign(entry, { isVoid: true, closed: world.clock.now() })
    })
  } else if (fate < 0.3) {
    plan(soon, () => pay([[entry, Math.floor(left(entry) / 2)]]))
    plan(soon.add({ days: 9 }), () => pay([[entry, left(entry)]]))
  } else plan(soon, () => pay([[entry, left(entry)]]))
}

async function pay(parts: [Entry, number][], more = 0) {
  const open = parts.filter(([entry, amount]) => amount > 0 && amount <= left(entry))
  if (!open.length) return
  const allocated = open.reduce((sum, [, amount]) => sum + amount, 0)
  const allocations = open.map(([{ id }, amount]) => ({ invoice_id: id, amount: euros(amount) }))
  const { id } = await post('/payments', {
    ...{ amount: euros(allocated + more), currency: 'EUR', method: pick(['bank_transfer', 'card', 'cash']), allocations },
  })
  did('payment.created')
  payments.set(id, { amount: allocated + more, allocated, isVoid: false })
  for (const [entry, amount] of open) {
    entry.paid += amount
    if (left(entry) === 0) entry.closed = world.clock.now()
  }
  // A few payments are returned and made again.
  if (more || random() >= 0.03) return
  const back = Temporal.PlainDate.from(world.clock.now().slice(0, 10)).add({ days: 4 })
  plan(back, async () => {
    await post(`/payments/${id}/void`)
    did('payment.voided')
    payments.get(id)!.isVoid = true
    for (const [entry, amount] of open) {
      if (left(entry) === 0) did('invoice.unpaid')
      entry.paid -= amount
      delete entry.closed
    }
    plan(back.add({ days: 6 }), () => pay(open))
  })
}

async function credit(company: number) {
  const lines: Line[] = [{ name: 'Returned', quantity: 1, unit_price: euros(200 + whole(9000)), tax_rate: 19 }]
  const draft = await post('/credit-notes', { title: 'Returned goods', company_id: company, lines })
  const note = await post(`/credit-notes/${draft.id}/issue`)
  const total = totalOf(lines)
  assert.equal(cents(note.total), total)
  const entry = { company, total, applied: 0 }
  creditNotes.set(note.id, entry)
  const invoice = [...invoices.values()].find((one) => one.company === company && left(one) > 0)
  if (!invoice) return
  const amount = Math.min(total, left(invoice))
  await post(`/credit-notes/${note.id}/apply`, { invoice_id: invoice.id, amount: euros(amount) })
  entry.applied += amount
  invoice.credited += amount
  if (left(invoice) === 0) invoice.closed = world.clock.now()
}

async function winCustomer(day: Temporal.PlainDate) {
  const name = `Customer ${companies.length + 1} GmbH`
  const lead = await post('/leads', { name: `Person ${companies.length + 1}`, lead_type: 'company', company: name })
  did('lead.created')
  await post(`/leads/${lead.id}/notes`, { body: 'Rang, wants an offer.' })
  const { company_id } = (await post(`/leads/${lead.id}/convert`)).conversion_meta
  did('lead.converted')
  await done(owner.put(`/companies/${company_id}`, { email: `office@customer-${companies.length + 1}.test` }))
  companies.push(company_id)
  const lines = linesOf()
  const quotation = await post('/quotations', { title: 'Offer', company_id, lines })
  await post(`/quotations/${quotation.id}/send`)
  if (random() < 0.25) return void (await post(`/quotations/${quotation.id}/reject`, { reason: 'Too dear' }))
  await post(`/quotations/${quotation.id}/accept`)
  const draft = await post(`/quotations/${quotation.id}/convert`)
  did('invoice.created')
  await done(owner.put(`/invoices/${draft.id}`, { due_date: String(day.add({ days: 14 })) }))
  const entry = entered(await post(`/invoices/${draft.id}/send`), lines)
  did('invoice.unpaid')
  await becomePaid(day, entry)
}

const moved = (product: number, warehouse: number, change: number) => {
  const key = `${product} ${warehouse}`
  stock.set(key, (stock.get(key) ?? 0) + change)
}
async function buy() {
  const product_id = pick(products)
  const quantity = 6 + whole(30)
  const lines = [{ description: 'Desks', quantity, unit_price: 120.5, tax_rate: 19, product_id }]
  const { id } = await post('/purchase-orders', { vendor_id: vendor, title: 'Desks', currency: 'EUR', lines })
  did('purchase_order.created')
  await post(`/purchase-orders/${id}/send`)
  await post(`/purchase-orders/${id}/receive`, { status: 'received', warehouse_id: store })
  moved(product_id, store, quantity)
  if (random() < 0.5) await post(`/purchase-orders/${id}/convert`)
}
async function takeOut() {
  const product_id = pick(products)
  const there = stock.get(`${product_id} ${store}`) ?? 0
  if (there < 4) return
  const quantity = 1 + whole(3)
  await post('/inventory/stock/adjust', { product_id, warehouse_id: store, type: 'out', quantity, notes: 'Sold' })
  moved(product_id, store, -quantity)
}
async function transfer() {
  const product_id = pick(products)
  if ((stock.get(`${product_id} ${store}`) ?? 0) < 2) return
  const lines = [{ product_id, quantity: 2 }]
  const { id } = await post('/inventory/transfers', { from_warehouse_id: store, to_warehouse_id: shop, lines })
  await post(`/inventory/transfers/${id}/dispatch`)
  await post(`/inventory/transfers/${id}/complete`)
  moved(product_id, store, -2)
  moved(product_id, shop, 2)
}

/** A daily reader of the feed. */
const follower = { after: '0', seen: new Map<string, number>(), ids: new Set<string>(), types: [] as string[] }
async function follow() {
  for (let more = true; more; ) {
    const { status, body } = await owner.get('/events', { query: { after: follower.after, limit: '200' } })
    assert.equal(status, 200, body.message)
    for (const { id, type } of body.data) {
      assert.ok(!follower.ids.has(id), `${id} came twice`)
      follower.ids.add(id)
      follower.seen.set(type, (follower.seen.get(type) ?? 0) + 1)
    }
    more = body.data.length > 0
    follower.after = String(body.meta.next_after)
  }
}

async function found() {
  firm = await world.workspace({ name: 'Nordwind', modules: MODULES, timezone: ZONE, currency: 'EUR' })
  owner = firm.owner
  const moduleId = await world.price(SUBSCRIBED, 29.9, 299)
  await world.sql('DELETE FROM module_subscriptions WHERE tenant_id = $1 AND module_id = $2', [firm.id, moduleId])
  await world.saveCard(firm.id, 'pm_nordwind')
  await world.install(firm.id, moduleId)
  await post('/reminder-plans', { name: 'Mild', steps: STEPS.map((days) => ({ days })), is_active: true })
  for (const name of ['Oak desk', 'Ash chair'])
    await post('/products', { name, sku: name.slice(0, 3).toUpperCase(), unit_price: 480.5, tax_rate: 19, track_stock: true })
  products = (await read('/products')).map(({ id }: { id: number }) => id)
  store = (await post('/warehouses', { name: 'Harbour', code: 'H', is_default: true })).id
  shop = (await post('/warehouses', { name: 'Shop', code: 'S' })).id
  vendor = (await post('/vendors', { name: 'Lindqvist Kontor' })).id
  for (let n = 1; n <= 3; n++) {
    const person = await firm.user([], `Worker ${n}`)
    await post(`/users/${person.id}/create-employee`)
    employees.push(person)
  }
  for (let n = 0; n < 3; n++) await winCustomer(FIRST)
  // Monthly rent at the end of each month, a quarterly and a weekly subscription.
  for (const [recurrence_frequency, first] of [
    ['monthly', '2027-07-31'],
    ['quarterly', '2027-08-31'],
    ['weekly', '2027-07-09'],
  ] as const) {
    const lines = [{ name: 'Rent', quantity: 1, unit_price: 333.33, tax_rate: 7 }]
    const recurrence = { is_recurring: true, recurrence_frequency, recurrence_next_issue_on: first }
    const body = {
      title: `Rent, ${recurrence_frequency}`,
      company_id: companies[0],
      due_date: '2027-07-15',
      lines,
      ...recurrence,
    }
    const draft = await post('/invoices', body)
    did('invoice.created')
    const entry = entered(await post(`/invoices/${draft.id}/send`), lines)
    did('invoice.unpaid')
    await becomePaid(FIRST, entry)
  }
}

/** Records invoices created by series; customers pay them like others. */
async function takeSeries(day: Temporal.PlainDate) {
  const rows = await all('/invoices', { issue_date_from: String(day), issue_date_to: String(day) })
  for (const one of rows) {
    if (invoices.has(one.id) || one.status !== 'unpaid') continue
    did('invoice.created')
    await becomePaid(day, entered(one, [{ name: 'Rent', quantity: 1, unit_price: 333.33, tax_rate: 7 }]))
  }
}

async function live(day: Temporal.PlainDate) {
  await world.sql('DELETE FROM rate_limits')
  // During clock changes workers poll more often.
  if (/-(10-31|03-26)$/.test(String(day)))
    for (let minutes = 0; minutes < 180; minutes += 30) {
      world.clock.set(day.toZonedDateTime({ timeZone: ZONE }).add({ minutes }).toInstant().toString())
      await workers()
    }
  if (day.dayOfWeek < 6) {
    for (const [n, person] of employees.entries()) {
      at(day, `08:0${n}`)
      await post('/attendance-records/check-in', { work_mode: n ? 'remote' : 'on_site' }, person)
      workdays++
    }
  }
  at(day, '09:30')
  await workers()
  await world.runDue()
  await world.deliver(stripe.events.splice(0))
  await takeSeries(day)
  for (const work of plans.get(String(day)) ?? []) await work()
  if (day.dayOfWeek < 6) {
    at(day, '11:00')
    for (let n = whole(3); n > 0; n--) await sell(day, pick(companies))
    if (day.dayOfWeek === 1) await winCustomer(day)
    if (day.dayOfWeek === 2) await buy()
    if (day.dayOfWeek === 3) await takeOut()
    if (day.dayOfWeek === 4 && random() < 0.4) await transfer()
    if (random() < 0.07) await credit(pick(companies))
    if (random() < 0.03) {
      const some = [...invoices.values()].filter((one) => left(one) > 0).slice(0, 2)
      if (some.length === 2)
        await pay(
          [
            [some[0]!, left(some[0]!)],
            [some[1]!, left(some[1]!)],
          ],
          100,
        )
    }
    at(day, '17:15')
    for (const person of employees) await post('/attendance-records/check-out', {}, person)
  }
  // The operator changes the price at New Year, and the company its plan on the leap day.
  if (String(day) === '2028-01-01') await world.price(SUBSCRIBED, 34.9, 349)
  if (String(day) === '2028-02-29') {
    const [subscription] = await world.sql('SELECT id FROM module_subscriptions WHERE tenant_id = $1 AND module_key = $2', [
      firm.id,
      SUBSCRIBED,
    ])
    await done(world.admin.put(`/module-subscriptions/${subscription.id}`, { billing_cycle: 'yearly' }))
  }
  await follow()
}

describe('after all that', () => {
  before(async () => {
    await found()
    for (let day = FIRST; Temporal.PlainDate.compare(day, LAST) < 0; day = day.add({ days: 1 })) await live(day)
    at(LAST, '12:00')
    await workers()
    await world.runDue()
    await world.deliver(stripe.events.splice(0))
    await takeSeries(LAST)
    await follow()
  })

  it('each invoice says what was billed, paid and credited', async () => {
    const rows = await all('/invoices')
    assert.equal(rows.length, invoices.size)
    for (const row of rows) {
      const entry = invoices.get(row.id)!
      assert.deepEqual(
        [cents(row.total), cents(row.amount_paid), cents(row.amount_credited), cents(row.balance_due)],
        [entry.total, entry.paid, entry.credited, entry.total - entry.paid - entry.credited],
        row.number,
      )
      const state = entry.isVoid ? 'cancelled' : left(entry) ? 'unpaid' : 'paid'
      assert.equal(row.status, state, row.number)
    }
    const { outstanding_balance } = await read('/invoices/stats')
    const open = [...invoices.values()].reduce((sum, entry) => sum + left(entry), 0)
    assert.equal(cents(outstanding_balance), open)
  })

  it('payments and credits are used as they were, to the cent', async () => {
    for (const row of await all('/payments')) {
      const { amount, allocated, isVoid } = payments.get(row.id)!
      assert.equal(row.status === 'voided', isVoid, row.number)
      assert.deepEqual([cents(row.amount), cents(row.allocated_amount)], [amount, allocated], row.number)
    }
    for (const row of await all('/credit-notes')) {
      const { total, applied } = creditNotes.get(row.id)!
      assert.deepEqual([cents(row.total), cents(row.amount_remaining)], [total, total - applied], row.number)
    }
  })

  it('a statement of each customer ends with what they owe', async () => {
    for (const company of companies) {
      const { currencies } = await read(`/companies/${company}/statement`, { from: String(FIRST), to: String(LAST) })
      const owed = [...invoices.values()].filter((one) => one.company === company).reduce((sum, one) => sum + left(one), 0)
      const credits = [...creditNotes.values()].filter((one) => one.company === company)
      const unused = credits.reduce((sum, { total, applied }) => sum + total - applied, 0)
      const [euro] = currencies
      assert.equal(cents(euro?.closing_balance ?? 0), owed - unused, `company ${company}`)
    }
  })

  it('documents print the totals that were issued', async () => {
    const rows = [...invoices.values()]
    for (let n = 0; n < rows.length; n += Math.ceil(rows.length / 12)) {
      await world.sql('DELETE FROM rate_limits')
      const { id, total } = rows[n]!
      const { raw, status } = await owner.get(`/invoices/${id}/issued-document`)
      assert.equal(status, 200)
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(raw)), { mergePages: true })
      const printed = euros(total).toLocaleString('en', { minimumFractionDigits: 2 })
      assert.ok(text.includes(printed), `${printed} in ${text.slice(0, 2000)}`)
    }
  })

  it('numbers have no gaps', async () => {
    for (const table of ['invoices', 'payments', 'credit_notes', 'quotations', 'purchase_orders', 'stock_transfers']) {
      const [row] = await world.sql(
        `SELECT count(*)::int AS n, count(DISTINCT number)::int AS different, coalesce(max(substring(number FROM '\\d+$')::int), 0) AS last
         FROM ${table} WHERE tenant_id = $1 AND number IS NOT NULL`,
        [firm.id],
      )
      assert.deepEqual(row, { n: row.n, different: row.n, last: row.n }, table)
    }
  })

  it('series came on each of their days', async () => {
    const rows = await world.sql(
      `SELECT r.recurrence_frequency AS frequency, array_agg(i.occurrence_on::text ORDER BY i.occurrence_on) AS days FROM invoices i
       JOIN invoices r ON r.tenant_id = i.tenant_id AND r.id = i.recurring_source_invoice_id WHERE i.tenant_id = $1 GROUP BY r.id, 1`,
      [firm.id],
    )
    const expected = { monthly: { months: 1 }, quarterly: { months: 3 }, weekly: { weeks: 1 } } as const
    for (const { frequency, days } of rows) {
      const first = Temporal.PlainDate.from(days[0])
      const step = expected[frequency as keyof typeof expected]
      const due: string[] = []
      for (let n = 0; ; n++) {
        const day = first.add(
          Temporal.Duration.from(step).with({
            months: ('months' in step ? step.months : 0) * n,
            weeks: ('weeks' in step ? step.weeks : 0) * n,
          }),
        )
        if (Temporal.PlainDate.compare(day, LAST) > 0) break
        due.push(String(day))
      }
      assert.deepEqual(days, due, frequency)
    }
  })

  it('stock is what came, went and was moved, by its movements too', async () => {
    const rows = await world.sql(
      `SELECT l.product_id::int AS product, l.warehouse_id::int AS place, l.on_hand::int AS on_hand,
         (SELECT sum(change) FROM stock_movements m WHERE (m.tenant_id, m.product_id, m.warehouse_id) = (l.tenant_id, l.product_id, l.warehouse_id))::int AS moved
       FROM stock_levels l WHERE l.tenant_id = $1`,
      [firm.id],
    )
    assert.ok(rows.length > 0)
    for (const { product, place, on_hand, moved } of rows)
      assert.deepEqual([on_hand, moved], [stock.get(`${product} ${place}`) ?? 0, on_hand], `${product} in ${place}`)
  })

  it('each day of work is one record, with its hours by the firm’s clock', async () => {
    const rows = await all('/attendance-records')
    assert.equal(rows.length, workdays)
    assert.equal(new Set(rows.map(({ date, employee_id }) => `${date} ${employee_id}`)).size, workdays)
    for (const { date, check_in, check_out } of rows)
      assert.deepEqual([check_in.slice(0, 4), check_out.slice(0, 5)], ['08:0', '17:15'], date)
  })

  it('reminders went once for each step, while something was owed', async () => {
    const rows = await world.sql(
      `SELECT r.invoice_id::int AS id, r.days, r.status, r.created_at, count(*) OVER (PARTITION BY r.invoice_id, r.days)::int AS n
       FROM invoice_reminders r WHERE r.tenant_id = $1`,
      [firm.id],
    )
    assert.ok(rows.length > 0)
    for (const { id, days, n, status, created_at } of rows) {
      const { due, closed } = invoices.get(id)!
      assert.equal(n, 1, `${id}, ${days}`)
      if (status !== 'sent') continue
      const day = Temporal.PlainDate.from(due).add({ days })
      assert.ok(new Date(created_at).toISOString() >= String(day), `${id}: before its day`)
      if (closed) assert.ok(new Date(created_at).toISOString() <= closed, `${id}: after it was settled`)
    }
    const late = [...invoices.values()].filter((one) => left(one) > 0 && one.due < String(LAST.subtract({ days: 4 })))
    const reminded = new Set(rows.map(({ id }) => id))
    assert.deepEqual(
      late.filter(({ id }) => !reminded.has(id)).map(({ id, due }) => [id, due]),
      [],
    )
  })

  it('mails are those that were sent', async () => {
    const [{ n }] = await world.sql(
      `SELECT count(*)::int AS n FROM email_logs WHERE tenant_id = $1 AND subject = 'Your invoice'`,
      [firm.id],
    )
    assert.equal(n, mailed)
  })

  it('the feed told each deed once', () => {
    for (const [type, times] of deeds) assert.equal(follower.seen.get(type), times, `${type} of ${[...follower.seen.keys()]}`)
  })

  it('the operator billed each period once, and the provider took what the ledger says', async () => {
    const lines = await world.sql(
      `SELECT l.amount::float AS amount, l.billing_cycle AS cycle, l.period_start::text AS "from", l.period_end::text AS "to", i.total::float AS total, i.balance_due::float AS due
       FROM ledger_lines l JOIN ledger_invoices i ON i.tenant_id = l.tenant_id AND i.id = l.invoice_id WHERE l.tenant_id = $1 ORDER BY l.period_start, l.id`,
      [firm.id],
    )
    // The price stays until the cycle changes; then the rest until the anniversary is charged as a part of the new one.
    const monthly = lines.filter(({ cycle }) => cycle === 'monthly')
    assert.deepEqual([...new Set(monthly.map(({ amount }) => amount))], [29.9])
    for (const [n, { from }] of monthly.entries()) assert.equal(from, String(FIRST.add({ months: n })))
    const part = Math.round((34_900 * 123) / 366)
    const yearly = lines.filter(({ cycle }) => cycle === 'yearly').map(({ amount, from, to }) => [cents(amount), from, to])
    assert.deepEqual(yearly, [
      [part, '2028-02-29', String(LAST)],
      [34_900, String(LAST), String(LAST.add({ years: 1 }))],
    ])
    assert.deepEqual([monthly.length, ...new Set(lines.map(({ due }) => due))], [8, 0])
    const taken = [...stripe.intents.values()].filter(({ status }) => status === 'succeeded')
    const [{ money }] = await world.sql(
      `SELECT coalesce(sum(amount), 0)::float AS money FROM ledger_payments WHERE tenant_id = $1 AND status = 'succeeded' AND kind <> 'credit'`,
      [firm.id],
    )
    assert.equal(
      taken.reduce((sum, { amount }) => sum + Number(amount), 0),
      cents(money),
    )
  })

  it('whatever is counted aside is what is there', async () => {
    await tallies((text, values) => world.sql(text, values))
  })
})
