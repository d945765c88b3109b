/** Any sequence of payments, voids and credits, told through HTTP, against a model of a few lines. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import fc from 'fast-check'
import { type Person, startTest } from '#test/harness.ts'

const world = await startTest()
let owner: Person

before(async () => {
  owner = (await world.workspace({ modules: ['invoices', 'payments', 'credit-notes'] })).owner
})

/** What is known of an invoice, a payment or a credit note: cents. */
interface Bill {
  id: number
  total: number
  paid: number
  credited: number
}
interface Source {
  id: number
  left: number
  isVoided: boolean
  /** By the invoice's place. */
  given: Map<number, number>
}

const BILLS = 3
const cents = fc.integer({ min: 1, max: 400 })
const bill = fc.nat(BILLS - 1)
const nth = fc.nat(5)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ verb: fc.constant('pay'), amount: cents, shares: fc.array(fc.tuple(bill, cents), { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('allocate'), nth, bill, amount: cents }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('void payment'), nth }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('credit'), amount: cents }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('apply'), nth, bill, amount: cents }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('unapply'), nth, bill }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('void credit'), nth }) },
)
type Step = { verb: string; amount: number; shares: [number, number][]; nth: number; bill: number }

it('leaves what was paid, credited and is due of every invoice at its total, and never below nothing', async () => {
  const totals = fc.array(fc.integer({ min: 100, max: 500 }), { minLength: BILLS, maxLength: BILLS })
  const sequences = fc.asyncProperty(totals, fc.array(step, { minLength: 4, maxLength: 14 }), async (amounts, steps) => {
    const bills = await Promise.all(amounts.map(owed))
    const [payments, notes]: [Source[], Source[]] = [[], []]
    for (const one of steps) await take(one as Step, bills, payments, notes)
    for (const { id, total, paid, credited } of bills) {
      const shown = (await owner.get(`/invoices/${id}`)).body.data
      const due = total - paid - credited
      assert.ok(due >= 0)
      const told = [shown.amount_paid, shown.amount_credited, shown.balance_due, shown.total].map((money) =>
        Math.round(money * 100),
      )
      assert.deepEqual([...told, shown.status], [paid, credited, due, total, due ? 'unpaid' : 'paid'])
      const allocations = shown.payment_allocations.filter((one: any) => one.customer_payment.status === 'posted')
      assert.equal(inCents(allocations), paid, 'the sum of its allocations')
      const listed = (await owner.get('/invoices', { query: { search: shown.number } })).body.data[0]
      assert.deepEqual([listed.amount_paid, listed.balance_due], [shown.amount_paid, shown.balance_due], 'the list says the same')
    }
    for (const { id, left, given, isVoided } of payments) {
      const { allocations, unallocated_amount } = (await owner.get(`/payments/${id}`)).body.data
      assert.deepEqual([inCents(allocations), Math.round(unallocated_amount * 100)], [sum(given), isVoided ? 0 : left])
    }
    for (const { id, left, given, isVoided } of notes) {
      const { applications, amount_remaining } = (await owner.get(`/credit-notes/${id}`)).body.data
      assert.deepEqual([inCents(applications), Math.round(amount_remaining * 100)], [sum(given), isVoided ? 0 : left])
    }
  })
  await fc.assert(sequences, { numRuns: 12, endOnFailure: true })
})

const sum = (given: Map<number, number>) => [...given.values()].reduce((all, amount) => all + amount, 0)
const inCents = (rows: { amount: number }[]) => Math.round(rows.reduce((all, { amount }) => all + amount, 0) * 100)
const lines = (amount: number) => [{ name: 'Work', quantity: 1, unit_price: amount / 100 }]

async function owed(total: number): Promise<Bill> {
  const { id } = (await owner.post('/invoices', { title: 'Repairs', lines: lines(total) })).body.data
  await owner.post(`/invoices/${id}/send`)
  return { id, total, paid: 0, credited: 0 }
}

/** Asks for a step; that it is taken or refused is as the model says. */
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
    const isPossible = named.size === shares.length && all <= amount && shares.every(([place, share]) => share <= due(place))
    const allocations = shares.map((share) => allocation(...share))
    const id = await ask('/payments', { amount: amount / 100, method: 'cash', allocations }, isPossible)
    if (!id) return
    payments.push({ id, left: amount, isVoided: false, given: new Map() })
    for (const [place, share] of shares) give(payments.at(-1)!, place, share, 'paid')
    return
  }
  if (verb === 'credit') {
    const id = (await ask('/credit-notes', { title: 'Returned', lines: lines(amount) }, true))!
    await ask(`/credit-notes/${id}/issue`, undefined, true)
    return void notes.push({ id, left: amount, isVoided: false, given: new Map() })
  }
  const isPayment = verb === 'allocate' || verb === 'void payment'
  const source = (isPayment ? payments : notes)[nth]
  if (!source) return
  const path = `/${isPayment ? 'payments' : 'credit-notes'}/${source.id}`
  const isOpen = !source.isVoided && amount <= source.left && amount <= due(bill)
  if (verb === 'allocate') {
    if (await ask(`${path}/allocate`, { allocations: [allocation(bill, amount)] }, isOpen)) give(source, bill, amount, 'paid')
  } else if (verb === 'apply') {
    if (await ask(`${path}/apply`, allocation(bill, amount), isOpen)) give(source, bill, amount, 'credited')
  } else if (verb === 'unapply') {
    const applied = source.given.get(bill)
    if (!(await ask(`${path}/unapply`, { invoice_id: bills[bill]!.id }, applied !== undefined))) return
    give(source, bill, -applied!, 'credited')
    source.given.delete(bill)
  } else {
    if (!(await ask(`${path}/void`, undefined, !source.isVoided && (isPayment || source.given.size === 0)))) return
    source.isVoided = true
    if (isPayment) for (const [place, amount] of source.given) bills[place]!.paid -= amount
  }
}
