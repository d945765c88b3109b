import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { invoicePdf } from '#workspace/invoices/pdf.ts'
import { receiptPdf } from './receipt.ts'

const world = await startTest()
let firm: Workspace
let owner: Person

before(async () => {
  world.clock.set('2026-11-19T12:00:00.000Z')
  firm = await world.workspace({ modules: ['invoices', 'payments', 'contacts', 'companies'], timezone: 'America/New_York' })
  owner = firm.owner
})

/** Creates an unpaid invoice with this total. */
async function owed(total: number, more: object = {}) {
  const lines = [{ name: 'Work', quantity: 1, unit_price: total }]
  const { status, body } = await owner.post('/invoices', { title: 'Repairs', lines, ...more })
  assert.equal(status, 201, JSON.stringify(body.errors))
  return (await owner.post(`/invoices/${body.data.id}/send`)).body.data
}
const give = (amount: number, allocations: object[] = [], more: object = {}) =>
  owner.post('/payments', { amount, method: 'bank_transfer', allocations, ...more })
async function posted(...given: Parameters<typeof give>) {
  const { status, body } = await give(...given)
  assert.equal(status, 201, JSON.stringify(body.errors))
  return body.data
}
const to = (invoice_id: number, amount: number) => ({ invoice_id, amount })
const invoice = async (id: number) => (await owner.get(`/invoices/${id}`)).body.data
const sums = async (id: number) => {
  const { status, display_status, amount_paid, balance_due } = await invoice(id)
  return [status, display_status, amount_paid, balance_due]
}
const refused = async (asked: Promise<Reply>, ...fields: string[]) => {
  const { status, body } = await asked
  assert.deepEqual([status, Object.keys(body.errors ?? {}).sort()], [422, fields.sort()], body.message)
}
const types = (record: { activities: { type: string }[] }) => record.activities.map(({ type }) => type)

describe('a payment', () => {
  it('pays several invoices at once, some in part, and keeps the rest (INV-39)', async () => {
    const [one, two] = [await owed(100), await owed(50.5)]
    const payment = await posted(200, [to(one.id, 100), to(two.id, 20.25)], { reference: 'Transfer 7' })
    const { number, uuid, status, currency, amount, allocated_amount, unallocated_amount, method, reference, voided_at } = payment
    assert.match(number, /^PAY-\d{5}$/)
    assert.match(uuid, /^[0-9a-f-]{36}$/)
    assert.deepEqual(
      { status, currency, amount, allocated_amount, unallocated_amount, method, reference, voided_at },
      {
        status: 'posted',
        currency: 'USD',
        amount: 200,
        allocated_amount: 120.25,
        unallocated_amount: 79.75,
        method: 'bank_transfer',
        reference: 'Transfer 7',
        voided_at: null,
      },
    )
    assert.deepEqual(
      payment.allocations.map(({ id: _, ...rest }: { id: number }) => rest),
      [
        {
          ...to(one.id, 100),
          invoice: { id: one.id, number: one.number, title: 'Repairs', status: 'paid', total: 100, balance_due: 0 },
        },
        {
          ...to(two.id, 20.25),
          invoice: { id: two.id, number: two.number, title: 'Repairs', status: 'unpaid', total: 50.5, balance_due: 30.25 },
        },
      ],
    )
    assert.deepEqual(await sums(one.id), ['paid', 'paid', 100, 0])
    assert.deepEqual(await sums(two.id), ['unpaid', 'partial', 20.25, 30.25])
    const shown = await invoice(two.id)
    const { id, paid_at } = payment
    assert.deepEqual(shown.payment_allocations, [
      {
        id: payment.allocations[1].id,
        amount: 20.25,
        customer_payment: { id, uuid, number, status, method, reference, currency, paid_at },
      },
    ])
    assert.deepEqual(types(await invoice(one.id)), ['status_changed', 'status_changed', 'created'])
  })

  it('pays by what is left of it later; what an invoice gets twice adds up', async () => {
    const bill = await owed(90)
    const { id } = await posted(100)
    const allocate = (...allocations: object[]) => owner.post(`/payments/${id}/allocate`, { allocations })
    assert.equal((await allocate(to(bill.id, 30))).body.data.unallocated_amount, 70)
    const { body } = await allocate(to(bill.id, 60))
    assert.deepEqual([body.data.allocations.length, body.data.allocations[0].amount, body.data.unallocated_amount], [1, 90, 10])
    assert.equal(body.data.activities[0].description, `Allocated 60.00 USD to ${bill.number}`)
    assert.deepEqual(await sums(bill.id), ['paid', 'paid', 90, 0])
    const next = await owed(20)
    await refused(allocate(to(next.id, 10.01)), 'allocations.0.amount')
    await refused(allocate(), 'allocations')
    await owner.post(`/payments/${id}/void`)
    await refused(allocate(to(next.id, 1)), 'status')
    assert.deepEqual(await sums(bill.id), ['unpaid', 'unpaid', 0, 90])
  })

  it('names its invoices in its timeline to whoever may see them', async () => {
    const clerk = await firm.user(['payments.view', 'invoices.view'])
    const [theirs, mine] = [await owed(30), await owed(30, { assigned_to: clerk.id })]
    const { id } = await posted(60)
    await owner.post(`/payments/${id}/allocate`, { allocations: [to(theirs.id, 30), to(mine.id, 30)] })
    const seen = async (by: Person) => {
      const { data: events } = (await by.get('/events', { query: { types: 'payment.allocated' } })).body
      return {
        shown: (await by.get(`/payments/${id}`)).body.data.activities,
        timeline: (await by.get(`/payments/${id}/timeline`)).body.data,
        events: events.filter(({ subject }: any) => subject.id === id).toReversed(),
      }
    }
    for (const [by, number] of [
      [owner, theirs.number],
      [clerk, undefined],
    ] as const) {
      const { shown, timeline, events } = await seen(by)
      for (const entries of [shown, timeline]) {
        const [second, first] = entries
        assert.equal(first.description, `Allocated 30.00 USD to ${number ?? 'an invoice'}`)
        assert.equal(second.description, `Allocated 30.00 USD to ${mine.number}`)
      }
      for (const [second, first] of [shown, timeline, events.map(({ data }: any) => ({ properties: data }))]) {
        assert.deepEqual(first.properties.number, number)
        assert.partialDeepStrictEqual(first.properties, { invoice_id: theirs.id, amount: 30, currency: 'USD' })
        assert.equal(second.properties.number, mine.number)
      }
    }
  })

  it('is taken back from all its invoices when it is voided, and stays on record (INV-40)', async () => {
    const [one, two] = [await owed(40), await owed(60)]
    const other = await posted(10, [to(two.id, 10)])
    const { id } = await posted(80, [to(one.id, 40), to(two.id, 30)])
    world.clock.set('2026-11-20T12:00:00.000Z')
    const { status, body } = await owner.post(`/payments/${id}/void`)
    assert.equal(status, 200)
    const { allocated_amount, unallocated_amount, voided_at, voider, allocations } = body.data
    assert.deepEqual(
      [body.data.status, allocated_amount, unallocated_amount, voided_at, voider.id, allocations.length],
      ['voided', 70, 0, '2026-11-20T12:00:00.000Z', owner.id, 2],
    )
    assert.deepEqual(types(body.data), ['status_changed', 'created'])
    assert.deepEqual(await sums(one.id), ['unpaid', 'unpaid', 0, 40])
    assert.deepEqual(await sums(two.id), ['unpaid', 'partial', 10, 50])
    assert.deepEqual(
      (await invoice(two.id)).payment_allocations.map((shown: any) => [shown.amount, shown.customer_payment.status]),
      [
        [10, 'posted'],
        [30, 'voided'],
      ],
    )
    await refused(owner.post(`/payments/${id}/void`), 'status')
    await refused(owner.put(`/payments/${id}`, { reference: 'x' }), 'status')
    await refused(owner.post(`/invoices/${two.id}/void`), 'status')
    await owner.post(`/payments/${other.id}/void`)
    assert.equal((await owner.post(`/invoices/${two.id}/void`)).body.data.status, 'cancelled')
  })

  it('is not deleted while it counts', async () => {
    const bill = await owed(10)
    const { id, number } = await posted(10, [to(bill.id, 10)])
    await refused(owner.del(`/payments/${id}`), 'status')
    await owner.post(`/payments/${id}/void`)
    assert.equal((await owner.del(`/payments/${id}`)).status, 200)
    assert.deepEqual((await invoice(bill.id)).payment_allocations, [], 'nobody sees what is in the trash')
    await owner.del(`/invoices/${bill.id}`)
    await refused(owner.del(`/invoices/${bill.id}/force`), 'invoice')
    assert.equal((await owner.del(`/payments/${id}/force`)).status, 200)
    assert.equal((await owner.del(`/invoices/${bill.id}/force`)).status, 200)
    assert.ok((await posted(1)).number > number, 'its number is not used again')
  })

  it('says before it is asked what it refuses', async () => {
    const bill = await owed(10)
    const { id } = await posted(10)
    const told = async () => {
      const { data } = (await owner.get(`/payments/${id}/actions`)).body
      const asked = data.filter(({ key }: { key: string }) => ['updatePayment', 'allocatePayment'].includes(key))
      return Object.fromEntries(asked.map((one: any) => [one.key, one.reason?.message ?? null]))
    }
    assert.deepEqual(await told(), { updatePayment: null, allocatePayment: null })
    const allocate = () => owner.post(`/payments/${id}/allocate`, { allocations: [to(bill.id, 10)] })
    assert.equal((await allocate()).status, 200)
    const spent = 'Must leave all allocations together at most 0.00.'
    assert.deepEqual((await allocate()).body.errors, { 'allocations.0.amount': [spent] })
    assert.deepEqual(await told(), { updatePayment: null, allocatePayment: spent })
    await owner.post(`/payments/${id}/void`)
    assert.deepEqual(await told(), {
      updatePayment: 'A voided payment is not changed.',
      allocatePayment: 'A voided payment pays nothing.',
    })
    await refused(allocate(), 'status')
    await refused(owner.put(`/payments/${id}`, { reference: 'x' }), 'status')
    assert.equal((await owner.put(`/payments/${id}`, { external_id: 'bank-1' })).status, 200)
  })

  it('can be voided when its invoice lies in the trash', async () => {
    const bill = await owed(10)
    const { id } = await posted(10, [to(bill.id, 10)])
    await owner.del(`/invoices/${bill.id}`)
    assert.equal((await owner.post(`/payments/${id}/void`)).status, 200)
    await owner.post(`/invoices/${bill.id}/restore`)
    assert.deepEqual(await sums(bill.id), ['unpaid', 'unpaid', 0, 10])
  })

  it('is described better, but what it moved stays', async () => {
    const contact = (await owner.post('/contacts', { name: 'Ada' })).body.data
    const { id, paid_at } = await posted(10)
    const { data } = (await owner.put(`/payments/${id}`, { method: 'cash', contact_id: contact.id, amount: 10 })).body
    assert.deepEqual([data.method, data.contact, data.paid_at], ['cash', { id: contact.id, name: 'Ada' }, paid_at])
    await refused(owner.put(`/payments/${id}`, { amount: 11 }), 'amount')
    await refused(owner.put(`/payments/${id}`, { currency: 'EUR' }), 'currency')
    await owner.del(`/contacts/${contact.id}`)
    assert.equal((await owner.del(`/contacts/${contact.id}/force`)).status, 200)
    assert.equal((await owner.get(`/payments/${id}`)).body.data.contact_id, null)
  })

  it('came at an instant, by the clock of the workspace unless it has an offset', async () => {
    const instants: { given: string; meant: string }[] = [
      { given: '2026-11-20', meant: '2026-11-20T05:00:00.000Z' },
      { given: '2026-07-20T09:30', meant: '2026-07-20T13:30:00.000Z' },
      { given: '2026-07-20T09:30:00+02:00', meant: '2026-07-20T07:30:00.000Z' },
      { given: '2026-07-20T09:30:00.123456789Z', meant: '2026-07-20T09:30:00.123Z' },
    ]
    for (const { given, meant } of instants) assert.equal((await posted(1, [], { paid_at: given })).paid_at, meant, given)
    for (const given of ['0001-01-01', '9999-12-31T23:59:59-05:00', '2026-02-30', 'now', '2026-07-20T09:30:00.1234567890Z', null])
      await refused(give(1, [], { paid_at: given }), 'paid_at')
  })
})

describe('what is refused', () => {
  it('names the part that is wrong, and nothing is written', async () => {
    const [bill, euro, draft] = [await owed(100), await owed(100, { currency: 'EUR' }), await owed(0.01)]
    await owner.post(`/invoices/${draft.id}/void`)
    const paid = await owed(5)
    await posted(5, [to(paid.id, 5)])
    const before = (await owner.get('/payments')).body.meta.total
    const first = 'allocations.0.amount'
    const cases: { body: object; wrong: string[] }[] = [
      { body: {}, wrong: ['amount', 'method'] },
      { body: { amount: 0, method: 'cash' }, wrong: ['amount'] },
      { body: { amount: -5, method: 'cash' }, wrong: ['amount'] },
      { body: { amount: 1.001, method: 'cash' }, wrong: ['amount'] },
      { body: { amount: 1e15, method: 'cash' }, wrong: ['amount'] },
      { body: { amount: 1.5, method: 'cash', currency: 'JPY' }, wrong: ['amount'] },
      { body: { amount: 1, method: 'barter' }, wrong: ['method'] },
      { body: { amount: 1, method: 'cash', reference: 'x'.repeat(256) }, wrong: ['reference'] },
      { body: { amount: 1, method: 'cash', contact_id: 999_999 }, wrong: ['contact_id'] },
      {
        body: { amount: 1, method: 'cash', allocations: Array.from({ length: 101 }, () => to(bill.id, 1)) },
        wrong: ['allocations'],
      },
      { body: { amount: 500, method: 'cash', allocations: [to(bill.id, 0)] }, wrong: [first] },
      { body: { amount: 500, method: 'cash', allocations: [to(bill.id, 100.01)] }, wrong: [first] },
      { body: { amount: 500, method: 'cash', allocations: [to(bill.id, 1.001)] }, wrong: [first] },
      { body: { amount: 500, method: 'cash', allocations: [to(euro.id, 100)] }, wrong: [first] },
      { body: { amount: 99, method: 'cash', allocations: [to(bill.id, 100)] }, wrong: [first] },
      {
        body: { amount: 100, method: 'cash', allocations: [to(paid.id, 1), to(bill.id, 99.01)] },
        wrong: ['allocations.1.amount'],
      },
      {
        body: { amount: 500, method: 'cash', allocations: [to(bill.id, 1), to(bill.id, 1)] },
        wrong: ['allocations.1.invoice_id'],
      },
      { body: { amount: 500, method: 'cash', allocations: [to(paid.id, 1)] }, wrong: ['allocations.0.invoice_id'] },
      { body: { amount: 500, method: 'cash', allocations: [to(draft.id, 1)] }, wrong: ['allocations.0.invoice_id'] },
      {
        body: { amount: 500, method: 'cash', allocations: [to(bill.id, 1), to(999_999, 1)] },
        wrong: ['allocations.1.invoice_id'],
      },
      {
        body: { amount: 500, method: 'cash', allocations: [to(paid.id, 1), to(euro.id, 1)] },
        wrong: ['allocations.0.invoice_id', 'allocations.1.amount'],
      },
    ]
    for (const { body, wrong } of cases) await refused(owner.post('/payments', body), ...wrong)
    assert.equal((await owner.get('/payments')).body.meta.total, before)
    assert.deepEqual(await sums(bill.id), ['unpaid', 'unpaid', 0, 100])
  })

  it('is an invoice out of sight, whatever its state; voiding needs no sight', async () => {
    const clerk = await firm.user(['payments.view', 'payments.create', 'payments.void', 'invoices.view'])
    const [theirs, mine] = [await owed(10), await owed(10, { assigned_to: clerk.id })]
    const { id } = await posted(10, [to(theirs.id, 10)])
    const pay = (of: number) => clerk.post('/payments', { amount: 10, method: 'cash', allocations: [to(of, 10)] })
    await refused(pay(theirs.id), 'allocations.0.invoice_id')
    const unknown = await pay(999_999)
    assert.equal((await pay(theirs.id)).body.message, unknown.body.message, 'as if there were none')
    assert.equal((await pay(mine.id)).status, 201)
    const seen = (await clerk.get(`/payments/${id}`)).body.data.allocations
    assert.partialDeepStrictEqual(seen[0], { invoice_id: theirs.id, amount: 10, invoice: null })
    assert.equal((await clerk.post(`/payments/${id}/void`)).status, 200)
    assert.equal((await invoice(theirs.id)).status, 'unpaid')
  })

  it('is an allocation where there are no invoices; a payment by itself is taken', async () => {
    const small = await world.workspace({ modules: ['payments'] })
    const body = { amount: 10, method: 'cash' }
    const reply = await small.owner.post('/payments', { ...body, allocations: [to(1, 1)] })
    assert.match(reply.body.errors!['allocations.0.invoice_id']![0]!, /not installed/)
    assert.equal((await small.owner.post('/payments', body)).status, 201)
    const without = await world.workspace({ modules: ['invoices'] })
    const { id } = (await without.owner.post('/invoices', { title: 'x' })).body.data
    assert.deepEqual((await without.owner.get(`/invoices/${id}`)).body.data.payment_allocations, [])
  })
})

describe('the list of payments', () => {
  it('is filtered, searched and counted', async () => {
    const shop = await world.workspace({ modules: ['payments', 'invoices', 'contacts', 'companies'] })
    const { post, get } = shop.owner
    const contact_id = (await post('/contacts', { name: 'Grace Hopper' })).body.data.id
    const company_id = (await post('/companies', { name: 'Nordwind' })).body.data.id
    const lines = [{ name: 'Work', quantity: 1, unit_price: 9 }]
    const bill = (await post('/invoices', { title: 'Repairs', lines })).body.data.id
    await post(`/invoices/${bill}/send`)
    const bodies = [
      { amount: 10, method: 'cash', contact_id },
      { amount: 20.5, method: 'card', company_id, reference: 'Transfer 77' },
      { amount: 30, method: 'card', currency: 'JPY' },
      { amount: 40, method: 'cheque', allocations: [to(bill, 9)] },
    ]
    const ids: number[] = []
    for (const body of bodies) ids.push((await post('/payments', body)).body.data.id)
    await post(`/payments/${ids[1]}/void`)
    for (const { query, expected } of [
      { query: {}, expected: [3, 2, 1, 0] },
      { query: { status: 'posted' }, expected: [3, 2, 0] },
      { query: { method: 'card' }, expected: [2, 1] },
      { query: { contact_id }, expected: [0] },
      { query: { company_id, status: 'voided' }, expected: [1] },
      { query: { invoice_id: bill }, expected: [3] },
      { query: { search: 'fer 77' }, expected: [1] },
      { query: { search: 'hopper' }, expected: [0] },
      { query: { search: 'nordw' }, expected: [1] },
      { query: { search: 'PAY-00003' }, expected: [2] },
      { query: { sort: 'amount' }, expected: [0, 1, 2, 3] },
    ] as { query: Record<string, string | number>; expected: number[] }[]) {
      const { data, meta } = (await get('/payments', { query })).body
      const found = data.map(({ id }: { id: number }) => ids.indexOf(id))
      assert.deepEqual([found, meta.total], [expected, expected.length], JSON.stringify(query))
    }
    assert.deepEqual((await get('/payments/stats')).body.data, {
      ...{ total_payments: 4, posted: 3, voided: 1 },
      received_by_currency: [
        { currency: 'JPY', amount: 30, unallocated_amount: 30 },
        { currency: 'USD', amount: 50, unallocated_amount: 41 },
      ],
    })
    assert.deepEqual((await get('/payments/stats', { query: { method: 'cash' } })).body.data.received_by_currency, [
      { currency: 'USD', amount: 10, unallocated_amount: 10 },
    ])
  })
})

describe('on paper', () => {
  const drawn = async (pdf: typeof receiptPdf | typeof invoicePdf, id: number) =>
    (await firm.inside((ctx) => pdf(ctx, { id } as never))).data as any

  it('an invoice lists the posted payments, by the days of the workspace (INV-62)', async () => {
    const bill = await owed(1000)
    const one = await posted(400, [to(bill.id, 400)], { paid_at: '2026-03-02T02:00:00Z', reference: 'R-1' })
    const two = await posted(1000, [to(bill.id, 100.5)], { paid_at: '2026-03-01', method: 'cash' })
    await owner.post(`/payments/${(await posted(5, [to(bill.id, 5)])).id}/void`)
    const { tables, totals, status } = await drawn(invoicePdf, bill.id)
    assert.equal(status, 'Partial')
    assert.deepEqual(tables, [
      {
        title: 'Payments received',
        headers: ['Date', 'Number', 'Method', 'Reference', 'Amount'],
        rows: [
          ['Mar 1, 2026', two.number, 'Cash', '', '100.50'],
          ['Mar 1, 2026', one.number, 'Bank transfer', 'R-1', '400.00'],
        ],
      },
    ])
    assert.deepEqual(totals.slice(-2), [
      { label: 'Paid', value: '−500.50' },
      { label: 'Balance due', value: '499.50', strong: true },
    ])
    assert.deepEqual((await drawn(invoicePdf, (await owed(5)).id)).tables, [])
    assert.equal((await owner.get(`/invoices/${bill.id}/pdf`)).raw.subarray(0, 5).toString(), '%PDF-')
  })

  it('a payment is a receipt', async () => {
    const bill = await owed(30)
    const company = (await owner.post('/companies', { name: 'Nordwind GmbH', address: 'Kai 5\nHamburg' })).body.data
    const { id, number } = await posted(50, [to(bill.id, 30)], { company_id: company.id, paid_at: '2026-03-01' })
    const { kind, recipient, dates, totals, tables } = await drawn(receiptPdf, id)
    assert.deepEqual([kind, recipient.name, recipient.lines], ['Receipt', 'Nordwind GmbH', ['Kai 5', 'Hamburg']])
    assert.deepEqual(dates[0], { label: 'Paid on', value: 'March 1, 2026' })
    assert.deepEqual([totals[0].value, tables[0].rows], ['50.00', [[bill.number, 'Repairs', '30.00']]])
    const pdf = await owner.get(`/payments/${id}/pdf`)
    assert.match(String(pdf.headers['content-disposition']), new RegExp(`filename="${number}.pdf"`))
    assert.equal(pdf.raw.subarray(0, 5).toString(), '%PDF-')
  })
})

describe('at the same time', () => {
  const statuses = (replies: Reply[]) => replies.map(({ status }) => status).toSorted()

  it('payments never pay more of an invoice than is due', async () => {
    const bill = await owed(100)
    const replies = await Promise.all(Array.from({ length: 8 }, () => give(40, [to(bill.id, 40)])))
    assert.deepEqual(statuses(replies), [201, 201, 422, 422, 422, 422, 422, 422])
    assert.deepEqual(await sums(bill.id), ['unpaid', 'partial', 80, 20])
  })

  it('payments of the same invoices in any order all come through', async () => {
    const [a, b, c] = [await owed(100), await owed(100), await owed(100)]
    const orders = [
      [a, b, c],
      [c, b, a],
      [b, a, c],
      [c, a, b],
    ]
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        give(
          9,
          orders[n % 4]!.map(({ id }) => to(id, 3)),
        ),
      ),
    )
    assert.deepEqual(statuses(replies), Array(8).fill(201))
    for (const { id } of [a, b, c]) assert.deepEqual(await sums(id), ['unpaid', 'partial', 24, 76])
    await Promise.all(replies.map(({ body }) => owner.post(`/payments/${body.data.id}/void`)))
    for (const { id } of [a, b, c]) assert.deepEqual(await sums(id), ['unpaid', 'unpaid', 0, 100])
  })

  it('a payment is spent once and voided once', async () => {
    const [a, b] = [await owed(100), await owed(100)]
    const { id } = await posted(100)
    const allocate = (bill: { id: number }) => owner.post(`/payments/${id}/allocate`, { allocations: [to(bill.id, 60)] })
    assert.deepEqual(statuses(await Promise.all([allocate(a), allocate(b), allocate(a), allocate(b)])), [200, 422, 422, 422])
    const voids = await Promise.all([1, 2, 3].map(() => owner.post(`/payments/${id}/void`)))
    assert.deepEqual(statuses(voids), [200, 422, 422])
    assert.deepEqual([(await sums(a.id))[2], (await sums(b.id))[2]], [0, 0])
  })

  it('an invoice is not deleted while it is paid in part', async () => {
    const bill = await owed(100)
    const { id } = await posted(40, [to(bill.id, 40)])
    const refused = await owner.del(`/invoices/${bill.id}`)
    assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['status']])
    await owner.post(`/payments/${id}/void`)
    assert.equal((await owner.del(`/invoices/${bill.id}`)).status, 200)
  })

  it('an invoice is either paid or voided', async () => {
    for (let n = 0; n < 4; n++) {
      const bill = await owed(10)
      const [paid, voided] = await Promise.all([give(10, [to(bill.id, 10)]), owner.post(`/invoices/${bill.id}/void`)])
      assert.deepEqual(statuses([paid, voided]).at(-1), 422)
      assert.equal((await invoice(bill.id)).status, paid.status === 201 ? 'paid' : 'cancelled')
    }
  })
})

describe('the receipt as it was issued', () => {
  it('is kept from whom the record hides an invoice that it names', async () => {
    const clerk = await firm.user(['payments.view', 'invoices.view'])
    const [theirs, hidden] = [await owed(10, { assigned_to: clerk.id }), await owed(10)]
    const seen = await posted(10, [to(theirs.id, 10)])
    const unseen = await posted(20, [to(hidden.id, 10)])
    const asked = async (id: number) => (await clerk.get(`/payments/${id}/issued-document`)).status
    assert.deepEqual([await asked(seen.id), await asked(unseen.id)], [200, 403])
    assert.equal((await clerk.get(`/payments/${unseen.id}/pdf`)).status, 200)
    assert.equal((await owner.get(`/payments/${unseen.id}/issued-document`)).status, 200)
  })
})
