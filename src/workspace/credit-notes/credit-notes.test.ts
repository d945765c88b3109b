import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { creditNotePdf } from './pdf.ts'

const world = await startTest()
let firm: Workspace
let owner: Person

before(async () => {
  world.clock.set('2026-11-20T01:00:00.000Z')
  firm = await world.workspace({
    modules: ['invoices', 'credit-notes', 'contacts', 'companies', 'products'],
    timezone: 'America/New_York',
  })
  owner = firm.owner
})

/** Returns an unpaid invoice over this total. */
async function owed(total: number, more: object = {}) {
  const lines = [{ name: 'Work', quantity: 1, unit_price: total }]
  const { status, body } = await owner.post('/invoices', { title: 'Repairs', lines, ...more })
  assert.equal(status, 201, JSON.stringify(body.errors))
  return (await owner.post(`/invoices/${body.data.id}/send`)).body.data
}
async function draft(total: number, more: object = {}) {
  const lines = [{ name: 'Returned', quantity: 2, unit_price: total / 2 }]
  const { status, body } = await owner.post('/credit-notes', { title: 'Returned goods', lines, ...more })
  assert.equal(status, 201, JSON.stringify(body.errors))
  return body.data
}
const issued = async (...given: Parameters<typeof draft>) =>
  (await owner.post(`/credit-notes/${(await draft(...given)).id}/issue`)).body.data
const apply = (note: { id: number }, invoice: { id: number }, amount: number, by = owner) =>
  by.post(`/credit-notes/${note.id}/apply`, { invoice_id: invoice.id, amount })
const unapply = (note: { id: number }, invoice: { id: number }, by = owner) =>
  by.post(`/credit-notes/${note.id}/unapply`, { invoice_id: invoice.id })
const sums = async ({ id }: { id: number }) => {
  const { status, amount_paid, amount_credited, balance_due } = (await owner.get(`/invoices/${id}`)).body.data
  return [status, amount_paid, amount_credited, balance_due]
}
const refused = async (asked: Promise<Reply>, ...fields: string[]) => {
  const { status, body } = await asked
  assert.deepEqual([status, Object.keys(body.errors ?? {}).sort()], [422, fields.sort()], body.message)
}
const statuses = (replies: Reply[]) => replies.map(({ status }) => status).toSorted()

describe('a credit note that corrects an invoice', () => {
  const of = (invoice: { id: number }, more: object = {}, by = owner) =>
    by.post('/credit-notes', { title: 'Storno', corrects_invoice_id: invoice.id, ...more })
  const company = async (name: string) => (await owner.post('/companies', { name })).body.data.id as number

  it('takes over what it is not sent with, and names the invoice wherever it is shown', async () => {
    const company_id = await company('Werft')
    const lines = [{ name: 'Desk', quantity: 3, unit_price: 40, discount_value: 10, tax_rate: 20, unit_code: 'XPK' }]
    const about = { order_reference: 'PO-1', delivery_date: '2026-11-10', line_discount_type: 'percent', lines }
    const invoice = await owed(0, { company_id, currency: 'EUR', ...about })
    const { status, body } = await of(invoice)
    assert.equal(status, 201, JSON.stringify(body))
    const shown = { company_id, contact_id: null, currency: 'EUR', order_reference: 'PO-1', delivery_date: '2026-11-10' }
    assert.partialDeepStrictEqual(body.data, { ...shown, corrects_invoice_id: invoice.id, total: invoice.total })
    assert.deepEqual(body.data.corrects_invoice, { id: invoice.id, number: invoice.number, title: 'Repairs' })
    assert.partialDeepStrictEqual(body.data.lines, [{ name: 'Desk', unit_code: 'XPK', discount_amount: 12 }])
    const part = (await of(invoice, { lines: [{ name: 'One', quantity: 1, unit_price: 5 }], order_reference: null })).body.data
    assert.partialDeepStrictEqual(part, { company_id, total: 5, order_reference: null, line_discount_type: 'none' })
    const listed = (await owner.get('/credit-notes', { query: { corrects_invoice_id: String(invoice.id) } })).body.data
    assert.deepEqual(listed.map(({ id }: { id: number }) => id).sort(), [body.data.id, part.id])
    assert.equal((await owner.post(`/credit-notes/${part.id}/issue`)).status, 200)
    const [row] = await world.sql('SELECT printed FROM issued_documents WHERE subject_type = $1 AND subject_id = $2', [
      'credit_notes',
      part.id,
    ])
    assert.deepEqual(row.printed.dates[1], { label: 'Corrects invoice', value: `${invoice.number}, November 19, 2026` })
  })

  it('is refused where the invoice is a draft, of another customer or currency, or not to be seen', async () => {
    const [company_id, other] = [await company('Ours'), await company('Other')]
    const person = (await owner.post('/contacts', { name: 'Ann' })).body.data.id as number
    const invoice = await owed(50, { company_id })
    const unsent = (await owner.post('/invoices', { title: 'Draft' })).body.data
    await refused(of(unsent), 'corrects_invoice_id')
    await refused(of(invoice, { company_id: other }), 'corrects_invoice_id')
    await refused(of(invoice, { contact_id: person }), 'corrects_invoice_id')
    await refused(of(invoice, { currency: 'EUR' }), 'corrects_invoice_id')
    await refused(of({ id: 999_999_999 }), 'corrects_invoice_id')
    const foreign = await world.workspace({ modules: ['invoices', 'credit-notes'] })
    await refused(of(invoice, {}, foreign.owner), 'corrects_invoice_id')
    // A user who sees only their own invoices gets no data about others.
    const { status, body } = await of(unsent, {}, await firm.user(['credit-notes.view', 'credit-notes.create', 'invoices.view']))
    assert.deepEqual(
      [status, body.errors?.corrects_invoice_id],
      [422, ['There is no such invoice in this workspace that you may use.']],
    )
    assert.equal((await of(invoice, { company_id, contact_id: person })).status, 201)
    const note = await draft(10, { company_id: other })
    await refused(owner.put(`/credit-notes/${note.id}`, { corrects_invoice_id: invoice.id }), 'corrects_invoice_id')
    const set = await owner.put(`/credit-notes/${note.id}`, { corrects_invoice_id: invoice.id, company_id })
    assert.equal(set.body.data.corrects_invoice.number, invoice.number)
    await refused(owner.put(`/credit-notes/${note.id}`, { company_id: other }), 'corrects_invoice_id')
    await refused(owner.put(`/credit-notes/${note.id}`, { currency: 'EUR' }), 'corrects_invoice_id')
  })

  it('takes over what the invoice names, whatever became of it since, and judges what is sent', async () => {
    const company_id = await company('Gone')
    const product = (await owner.post('/products', { name: 'Desk', sku: 'D-1', unit_price: 40 })).body.data.id
    const lines = [{ name: 'Desk', quantity: 1, unit_price: 40, product_id: product }]
    const invoice = await owed(0, { company_id, lines })
    assert.equal((await owner.put(`/products/${product}`, { is_active: false })).status, 200)
    assert.equal((await owner.del(`/companies/${company_id}`)).status, 200)
    const clerk = await firm.user(['credit-notes.view', 'credit-notes.create', 'invoices.view', 'invoices.assign'])
    for (const by of [owner, clerk]) {
      const { status, body } = await of(invoice, {}, by)
      assert.equal(status, 201, JSON.stringify(body.errors))
      assert.partialDeepStrictEqual(body.data, { company_id, total: 40, lines: [{ product_id: product }] })
    }
    await refused(of(invoice, { company_id }), 'company_id')
    await refused(of(invoice, { lines }), 'lines.0.product_id')
  })

  it('is issued after the invoice was cancelled, not after it was deleted, and keeps it from being removed for good', async () => {
    const [invoice, gone] = [await owed(50), await owed(50)]
    const [note, waiting, orphan] = [(await of(invoice)).body.data, (await of(invoice)).body.data, (await of(gone)).body.data]
    await owner.post(`/invoices/${invoice.id}/void`)
    assert.equal((await owner.post(`/credit-notes/${note.id}/issue`)).status, 200)
    for (const { id } of [invoice, gone]) assert.equal((await owner.del(`/invoices/${id}`)).status, 200)
    await refused(owner.post(`/credit-notes/${orphan.id}/issue`), 'corrects_invoice_id')
    assert.equal((await owner.put(`/credit-notes/${orphan.id}`, { title: 'Other' })).status, 200)
    await refused(owner.del(`/invoices/${invoice.id}/force`), 'status')
    assert.equal((await owner.del(`/invoices/${gone.id}/force`)).status, 200)
    assert.equal((await owner.get(`/credit-notes/${orphan.id}`)).body.data.corrects_invoice_id, null)
    assert.equal((await owner.get(`/credit-notes/${waiting.id}`)).body.data.corrects_invoice_id, invoice.id)
  })
})

describe('a credit note', () => {
  it('begins as a draft whose sums follow from its lines, and is dated when it is issued', async () => {
    const lines = [{ name: 'Desk', quantity: 3, unit_price: 33.333, discount_value: 10, tax_rate: 20 }]
    const note = await draft(0, { lines, line_discount_type: 'percent' })
    const { number, status, currency, issue_date, subtotal, discount_total, tax_total, total, amount_remaining } = note
    assert.match(number, /^CN-\d{5}$/)
    assert.deepEqual(
      { status, currency, issue_date, subtotal, discount_total, tax_total, total, amount_remaining },
      {
        status: 'draft',
        currency: 'USD',
        issue_date: null,
        subtotal: 100,
        discount_total: 10,
        tax_total: 18,
        total: 108,
        amount_remaining: 108,
      },
    )
    assert.partialDeepStrictEqual(note.lines[0], { line_total: 90, tax_amount: 18 })
    const changed = (await owner.put(`/credit-notes/${note.id}`, { line_discount_type: 'none' })).body.data
    assert.partialDeepStrictEqual(changed, { total: 120, amount_remaining: 120 })
    const done = (await owner.post(`/credit-notes/${note.id}/issue`)).body.data
    assert.partialDeepStrictEqual(done, { status: 'issued', issue_date: '2026-11-19' })
    await refused(owner.put(`/credit-notes/${note.id}`, { title: 'x' }), 'status')
    await refused(owner.post(`/credit-notes/${note.id}/issue`), 'status')
  })

  it('that was issued is refused for its status, whatever else it would be refused for', async () => {
    const company_id = (await owner.post('/companies', { name: 'Ash', vat_id: 'ATU12345675' })).body.data.id
    const note = await issued(0, { company_id, lines: [{ name: 'Desk', quantity: 1, unit_price: 40, tax_category: 'AE' }] })
    assert.equal(note.status, 'issued')
    assert.equal((await owner.put(`/companies/${company_id}`, { vat_id: null })).status, 200)
    await refused(owner.post(`/credit-notes/${note.id}/issue`), 'status')
  })

  it('is applied to invoices, adds up on one, and is taken back whole (INV-41)', async () => {
    const [one, two] = [await owed(50), await owed(40)]
    const note = await issued(100)
    await apply(note, one, 20)
    await apply(note, one, 10.5)
    const { status, body } = await apply(note, two, 40)
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body.data, { amount_applied: 70.5, amount_remaining: 29.5 })
    assert.deepEqual(
      body.data.applications.map((one: any) => [one.invoice_id, one.amount, one.invoice.number, one.invoice.balance_due]),
      [
        [one.id, 30.5, one.number, 19.5],
        [two.id, 40, two.number, 0],
      ],
    )
    assert.equal(body.data.activities[0].description, `Applied 40.00 USD to ${two.number}`)
    assert.deepEqual(await sums(one), ['unpaid', 0, 30.5, 19.5])
    assert.deepEqual(await sums(two), ['paid', 0, 40, 0])
    const back = (await unapply(note, two)).body.data
    assert.deepEqual([back.amount_applied, back.amount_remaining, back.applications.length], [30.5, 69.5, 1])
    assert.equal(back.activities[0].description, `Took 40.00 USD back from ${two.number}`)
    assert.deepEqual(await sums(two), ['unpaid', 0, 0, 40])
    await refused(unapply(note, two), 'invoice_id')
    const clerk = await firm.user(['credit-notes.view'])
    const { activities } = (await clerk.get(`/credit-notes/${note.id}`)).body.data
    assert.deepEqual(
      activities.slice(0, 2).map(({ description }: { description: string }) => description),
      ['Took 40.00 USD back from an invoice', 'Applied 40.00 USD to an invoice'],
      'to whom the invoice is somebody else’s',
    )
  })

  it('is refused by the part that is wrong', async () => {
    const [bill, euro, paid] = [await owed(50), await owed(50, { currency: 'EUR' }), await owed(10)]
    const note = await issued(60)
    await apply(note, paid, 10)
    await refused(apply(note, bill, 0), 'amount')
    await refused(apply(note, bill, 50.01), 'amount')
    await refused(apply(note, bill, 1.001), 'amount')
    await refused(apply(note, euro, 1), 'amount')
    await refused(apply(note, paid, 1), 'invoice_id')
    await refused(apply(note, { id: 999_999 }, 1), 'invoice_id')
    const another = await owed(50)
    assert.equal((await apply(note, another, 49)).status, 200)
    await refused(apply(note, bill, 1.01), 'amount')
    await refused(apply(await draft(10), bill, 1), 'status')
    await refused(owner.post(`/credit-notes/${note.id}/apply`, {}), 'invoice_id', 'amount')
    const clerk = await firm.user(['credit-notes.view', 'credit-notes.apply'])
    await refused(apply(note, bill, 1, clerk), 'invoice_id')
    assert.deepEqual(await sums(bill), ['unpaid', 0, 0, 50])
  })

  it('says before it is asked whether it can be applied, and taken back', async () => {
    const bill = await owed(50)
    const note = await draft(20)
    const told = async () => {
      const { data } = (await owner.get(`/credit-notes/${note.id}/actions`)).body
      return ['applyCreditNote', 'unapplyCreditNote'].map(
        (key) => data.find((one: any) => one.key === key).reason?.message ?? null,
      )
    }
    const nothing = `${note.number} is not applied to such an invoice.`
    assert.deepEqual(await told(), [`${note.number} is draft; only issued credit notes can be applied.`, nothing])
    await owner.post(`/credit-notes/${note.id}/issue`)
    assert.deepEqual(await told(), [null, nothing])
    await apply(note, bill, 20)
    assert.deepEqual(await told(), [`Must be at most what is left of ${note.number}, 0.00.`, null])
    await refused(apply(note, { id: 999_999 }, 1), 'invoice_id')
    await unapply(note, bill)
    await owner.post(`/credit-notes/${note.id}/void`)
    assert.deepEqual(await told(), [`${note.number} is voided; only issued credit notes can be applied.`, nothing])
  })

  it('is applied to invoices of its own customer, where both name one', async () => {
    const make = async (path: string, body: object) => (await owner.post(path, body)).body.data.id as number
    const [ours, other] = [await make('/companies', { name: 'Ours' }), await make('/companies', { name: 'Other' })]
    const contact_id = await make('/contacts', { name: 'Ann' })
    const note = await issued(10, { company_id: ours })
    for (const whose of [{ company_id: other }, { contact_id }]) await refused(apply(note, await owed(5, whose), 1), 'invoice_id')
    const open = await issued(10)
    for (const whose of [{ company_id: ours, contact_id }, {}])
      assert.equal((await apply(note, await owed(5, whose), 1)).status, 200)
    assert.equal((await apply(open, await owed(5, { company_id: other }), 1)).status, 200)
  })

  it('is voided only with nothing applied, and deleted only when it does not count', async () => {
    const bill = await owed(50)
    const note = await issued(20)
    await apply(note, bill, 5)
    await refused(owner.post(`/credit-notes/${note.id}/void`), 'status')
    await refused(owner.post(`/invoices/${bill.id}/void`), 'status')
    await refused(owner.del(`/credit-notes/${note.id}`), 'status')
    await unapply(note, bill)
    await refused(owner.del(`/credit-notes/${note.id}`), 'status')
    const voided = (await owner.post(`/credit-notes/${note.id}/void`)).body.data
    assert.partialDeepStrictEqual(voided, { status: 'voided', amount_remaining: 0 })
    await refused(apply(note, bill, 5), 'status')
    await refused(owner.post(`/credit-notes/${note.id}/void`), 'status')
    assert.equal((await owner.del(`/credit-notes/${note.id}`)).status, 200)
    assert.equal((await owner.del(`/credit-notes/${note.id}/force`)).status, 200)
    const never = await draft(1)
    assert.equal((await owner.post(`/credit-notes/${never.id}/void`)).body.data.status, 'voided')
  })

  it('keeps its invoice from the trash until it is taken back', async () => {
    const bill = await owed(50)
    const note = await issued(50)
    await apply(note, bill, 50)
    await refused(owner.del(`/invoices/${bill.id}`), 'status')
    assert.equal((await unapply(note, bill)).status, 200)
    assert.equal((await owner.del(`/invoices/${bill.id}`)).status, 200)
  })

  it('is taken back by whoever may see the invoice', async () => {
    const clerk = await firm.user(['credit-notes.view', 'credit-notes.apply', 'invoices.view'])
    const [ours, other] = [await owed(50, { assigned_to: clerk.id }), await owed(50)]
    const note = await issued(100)
    for (const bill of [ours, other]) assert.equal((await apply(note, bill, 50)).status, 200)
    const { status, body } = await unapply(note, other, clerk)
    assert.deepEqual(
      [status, body.errors],
      [422, { invoice_id: ['There is no such invoice in this workspace that you may use.'] }],
    )
    assert.deepEqual(await sums(other), ['paid', 0, 50, 0])
    assert.equal((await unapply(note, ours, clerk)).status, 200)
    assert.deepEqual(await sums(ours), ['unpaid', 0, 0, 50])
  })

  it('is found by its customer and by what it was applied to, and counted', async () => {
    const shop = await world.workspace({ modules: ['credit-notes', 'invoices', 'contacts', 'companies'] })
    const { post, get } = shop.owner
    const contact_id = (await post('/contacts', { name: 'Grace Hopper' })).body.data.id
    const lines = [{ name: 'Work', quantity: 1, unit_price: 9 }]
    const bill = (await post('/invoices', { title: 'Repairs', lines })).body.data.id
    await post(`/invoices/${bill}/send`)
    const ids: number[] = []
    for (const body of [{ contact_id }, { currency: 'JPY' }, {}])
      ids.push((await post('/credit-notes', { title: 'Returned', lines, ...body })).body.data.id)
    for (const id of ids.slice(0, 2)) await post(`/credit-notes/${id}/issue`)
    await post(`/credit-notes/${ids[0]}/apply`, { invoice_id: bill, amount: 4 })
    const listed = async (query: Record<string, string | number>) =>
      (await get('/credit-notes', { query })).body.data.map(({ id }: { id: number }) => ids.indexOf(id))
    assert.deepEqual(await listed({ search: 'hopper' }), [0])
    assert.deepEqual(await listed({ invoice_id: bill }), [0])
    assert.deepEqual(await listed({ status: 'draft' }), [2])
    assert.deepEqual((await get('/credit-notes/stats')).body.data, {
      ...{ total_credit_notes: 3, draft: 1, issued: 2, voided: 0 },
      credited_by_currency: [
        { currency: 'JPY', total: 9, amount_remaining: 9 },
        { currency: 'USD', total: 9, amount_remaining: 5 },
      ],
    })
  })

  it('is printed as it is stored', async () => {
    const company_id = (await owner.post('/companies', { name: 'Nordwind GmbH', tax_id: 'DE 7' })).body.data.id
    const note = await issued(10.5, { company_id })
    const { kind, status, recipient, totals, lines } = (await firm.inside((ctx) => creditNotePdf(ctx, note))).data as any
    assert.deepEqual(
      { kind, status, name: recipient.name, lines: recipient.lines },
      { kind: 'Credit note', status: null, name: 'Nordwind GmbH', lines: ['Tax ID DE 7'] },
    )
    assert.deepEqual([totals.at(-1).value, lines[0].amount], ['10.50', '10.50'])
    const pdf = await owner.get(`/credit-notes/${note.id}/pdf`)
    assert.match(String(pdf.headers['content-disposition']), new RegExp(`filename="${note.number}.pdf"`))
    assert.equal(pdf.raw.subarray(0, 5).toString(), '%PDF-')
  })
})

describe('at the same time', () => {
  it('credit notes never credit more of an invoice than is due, nor more than they are over', async () => {
    const bill = await owed(100)
    const notes = await Promise.all(Array.from({ length: 6 }, () => issued(40)))
    const replies = await Promise.all(notes.map((note) => apply(note, bill, 40)))
    assert.deepEqual(statuses(replies), [200, 200, 422, 422, 422, 422])
    assert.deepEqual(await sums(bill), ['unpaid', 0, 80, 20])
    const bills = await Promise.all(Array.from({ length: 5 }, () => owed(30)))
    const note = await issued(70)
    assert.deepEqual(statuses(await Promise.all(bills.map((bill) => apply(note, bill, 30)))), [200, 200, 422, 422, 422])
    assert.equal((await owner.get(`/credit-notes/${note.id}`)).body.data.amount_remaining, 10)
  })

  it('one application is taken back once', async () => {
    const bill = await owed(100)
    const note = await issued(40)
    await apply(note, bill, 40)
    assert.deepEqual(statuses(await Promise.all([1, 2, 3].map(() => unapply(note, bill)))), [200, 422, 422])
    assert.deepEqual(await sums(bill), ['unpaid', 0, 0, 100])
  })
})
