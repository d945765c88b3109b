/** Any sequence of payments, voids and credits, sent through HTTP, against a model of a few lines. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import fc from 'fast-check'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { invoicePdf } from '#workspace/invoices/pdf.ts'

const world = await startTest()
let firm: Workspace
let owner: Person

before(async () => {
  firm = await world.workspace({ modules: ['invoices', 'payments', 'credit-notes'] })
  owner = firm.owner
})

/** Model of an invoice, a payment or a credit note, in cents. */
interface Bill {
  id: number
  total: number
  paid: number
  credited: number
}
interface Source {
  path: string
  left: number
  isVoided: boolean
  /** By the invoice's index. */
  given: Map<number, number>
}

const BILLS = 3
const money = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 300 }))
/** Amount of a payment in addition to its allocations: sometimes negative, so that it is too small. */
const rest = fc.integer({ min: -20, max: 150 })
const bill = fc.nat(BILLS - 1)
const nth = fc.nat(7)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ verb: fc.constant('pay'), amount: rest, shares: fc.array(fc.tuple(bill, money), { maxLength: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('allocate'), nth, bill, amount: money }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('void payment'), nth }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('credit'), amount: money }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('apply'), nth, bill, amount: money }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('unapply'), nth, bill }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('void credit'), nth }) },
)
type Step = { verb: string; amount: number; shares: [number, number][]; nth: number; bill: number }

it('leaves what was paid, credited and is due of every invoice at its total, and never below nothing', async () => {
  const totals = fc.array(fc.integer({ min: 100, max: 500 }), { minLength: BILLS, maxLength: BILLS })
  const sequences = fc.asyncProperty(
    totals,
    fc.array(step, { minLength: 8, maxLength: 20, size: 'max' }),
    async (amounts, steps) => {
      const bills = await Promise.all(amounts.map(owed))
      const [payments, notes]: [Source[], Source[]] = [[], []]
      for (const one of steps) await take(one as Step, bills, payments, notes)
      await Promise.all([...bills.map(isTold), ...payments.map(isSpent), ...notes.map(isSpent)])
    },
  )
  await fc.assert(sequences, { numRuns: 10, endOnFailure: true })
})

/** Asserts that detail, list, PDF, and the sums of lines and allocations agree with the model. */
async function isTold({ id, total, paid, credited }: Bill) {
  const due = total - paid - credited
  assert.ok(due >= 0)
  const shown = (await owner.get(`/invoices/${id}`)).body.data
  const told = [shown.amount_paid, shown.amount_credited, shown.balance_due, shown.total].map(cents)
  assert.deepEqual([...told, shown.status], [paid, credited, due, total, due ? 'unpaid' : 'paid'])
  assert.equal(inCents(shown.lines.map((line: any) => ({ amount: line.line_total + line.tax_amount }))), total)
  assert.equal(inCents(shown.payment_allocations.filter((one: any) => one.customer_payment.status === 'posted')), paid)
  const [listed] = (await owner.get('/invoices', { query: { search: shown.number } })).body.data
  assert.deepEqual([listed.amount_paid, listed.amount_credited, listed.balance_due].map(cents), [paid, credited, due])
  const { totals } = (await firm.inside((ctx) => invoicePdf(ctx, { id } as never))).data as any
  assert.equal(totals.at(-1).value, (due / 100).toFixed(2))
}

/** Asserts that the given and the remaining amount of a payment or credit note agree with the model. */
async function isSpent({ path, left, given, isVoided }: Source) {
  const { allocations, applications, unallocated_amount, amount_remaining } = (await owner.get(path)).body.data
  const told = [inCents(allocations ?? applications), cents(unallocated_amount ?? amount_remaining)]
  assert.deepEqual(told, [sum(given), isVoided ? 0 : left])
}

const cents = (money: number) => Math.round(money * 100)
const sum = (given: Map<number, number>) => [...given.values()].reduce((all, amount) => all + amount, 0)
const inCents = (rows: { amount: number }[]) => cents(rows.reduce((all, { amount }) => all + amount, 0))
const lines = (amount: number) => [{ name: 'Work', quantity: 1, unit_price: amount / 100 }]

async function owed(total: number): Promise<Bill> {
  const { id } = (await owner.post('/invoices', { title: 'Repairs', lines: lines(total) })).body.data
  await owner.post(`/invoices/${id}/send`)
  return { id, total, paid: 0, credited: 0 }
}

/** Performs a step; the model determines whether it must be accepted or rejected. */
async function take({ verb, amount, shares = [], nth, bill }: Step, bills: Bill[], payments: Source[], notes: Source[]) {
  const due = (place: number) => bills[place]!.total - bills[place]!.paid - bills[place]!.credited
  const give = (source: Source, place: number, amount: number, as: 'paid' | 'credited') => {
    source.left -= amount
    source.given.set(place, (source.given.get(place) ?? 0) + amount)
    bills[place]![as] += amount
  }
  const allocation = (place: number, amount: number) => ({ invoice_id: bills[place]!.id, amount: amount / 100 })
  const ask = async (path: string, body: object | undefined, isPossible: boolean) => {
    const reply = await owner.post(path, body)
    assert.equal(reply.status < 300, isPossible, `${verb}: ${reply.status} ${JSON.stringify(reply.body.errors)}`)
    assert.ok(isPossible || reply.status === 422, `${verb}: ${reply.status}`)
    return isPossible ? (reply.body.data.id as number) : undefined
  }
  if (verb === 'pay') {
    const named = new Set(shares.map(([place]) => place))
    const all = shares.reduce((sum, [, share]) => sum + share, 0)
    const paid = Math.max(all + amount, 1)
    const isPossible = named.size === shares.length && all <= paid && shares.every(([place, share]) => share <= due(place))
    const allocations = shares.map((share) => allocation(...share))
    const id = await ask('/payments', { amount: paid / 100, method: 'cash', allocations }, isPossible)
    if (!id) return
    payments.push({ path: `/payments/${id}`, left: paid, isVoided: false, given: new Map() })
    for (const [place, share] of shares) give(payments.at(-1)!, place, share, 'paid')
    return
  }
  if (verb === 'credit') {
    const id = (await ask('/credit-notes', { title: 'Returned', lines: lines(amount) }, true))!
    await ask(`/credit-notes/${id}/issue`, undefined, true)
    return void notes.push({ path: `/credit-notes/${id}`, left: amount, isVoided: false, given: new Map() })
  }
  const isPayment = verb === 'allocate' || verb === 'void payment'
  const sources = isPayment ? payments : notes
  const source = sources[nth % sources.length]
  if (!source) return
  const { path } = source
  const isOpen = !source.isVoided && amount <= source.left && amount <= due(bill)
  if (verb === 'allocate') {
    if (await ask(`${path}/allocate`, { allocations: [allocation(bill, amount)] }, isOpen)) give(source, bill, amount, 'paid')
  } else if (verb === 'apply') {
    if (await ask(`${path}/apply`, allocation(bill, amount), isOpen)) give(source, bill, amount, 'credited')
  } else if (verb === 'unapply') {
    const places = [...source.given.keys()]
    const place = places[bill % places.length] ?? bill
    const applied = source.given.get(place)
    if (!(await ask(`${path}/unapply`, { invoice_id: bills[place]!.id }, applied !== undefined))) return
    give(source, place, -applied!, 'credited')
    source.given.delete(place)
  } else {
    if (!(await ask(`${path}/void`, undefined, !source.isVoided && (isPayment || source.given.size === 0)))) return
    source.isVoided = true
    if (isPayment) for (const [place, amount] of source.given) bills[place]!.paid -= amount
  }
}
