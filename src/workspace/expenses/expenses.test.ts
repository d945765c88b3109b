import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { HttpError } from '#kernel/errors.ts'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { createDraftExpense, expenseOfPurchaseOrder } from './public.ts'

const world = await startTest()
let acme: Workspace
let other: Workspace
let vendor: number

before(async () => {
  world.clock.set('2026-11-20T23:30:00.000Z') // in Paris it is tomorrow
  acme = await world.workspace({ modules: ['vendors', 'expenses'], currency: 'EUR', timezone: 'Europe/Paris' })
  other = await world.workspace({ modules: ['vendors', 'expenses'] })
  vendor = (await acme.owner.post('/vendors', { name: 'Lindqvist' })).body.data.id
})

const taxi = { title: 'Taxi', amount: 42.5 }
const expense = async (fields: object = {}, by: Person = acme.owner) => {
  const { status, body } = await by.post('/expenses', { ...taxi, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const categories = async (of = acme) => (await of.owner.get('/expenses/categories')).body.data
const category = async (name: string) => (await categories()).find((one: { name: string }) => one.name === name)
const titles = (body: { data: { title: string }[] }) => body.data.map(({ title }) => title).sort()

describe('expenses', () => {
  it('are approved and given away by nobody who may only look', async () => {
    const viewer = await acme.user(['expenses.view'])
    const { id } = await expense({ assigned_to: viewer.id })
    assert.equal((await viewer.post(`/expenses/${id}/status`, { status: 'approved' })).status, 403)
    assert.equal((await viewer.post(`/expenses/${id}/assign`, { assigned_to: null })).status, 403)
  })

  it('name each wrong field', async () => {
    const wrong = { amount: '7', tax_amount: -1, currency: 'EURO', expense_date: '2026-02-30', assigned_to: 'me', title: ' ' }
    const { status, body } = await acme.owner.post('/expenses', wrong)
    assert.equal(status, 422)
    assert.deepEqual(Object.keys(body.errors!).sort(), Object.keys(wrong).sort())
    const theirs = (await categories(other))[0].id
    for (const fields of [{ category_id: theirs }, { vendor_id: 999_999 }, { assigned_to: other.owner.id }]) {
      const refused = await acme.owner.post('/expenses', { ...taxi, ...fields })
      assert.equal(refused.status, 422)
      assert.deepEqual(Object.keys(refused.body.errors!), Object.keys(fields))
    }
  })

  it('have no more tax than they come to', async () => {
    const { owner } = await world.workspace({ modules: ['expenses'] })
    const refused = async (reply: ReturnType<typeof owner.post>) => {
      const { status, body } = await reply
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['tax_amount']])
    }
    await refused(owner.post('/expenses', { title: 'Desk', amount: 10, tax_amount: 10.01 }))
    const { body } = await owner.post('/expenses', { title: 'Desk', amount: 10, tax_amount: 10 })
    await refused(owner.put(`/expenses/${body.data.id}`, { amount: 9 }))
  })

  it('have as many decimals as their currency', async () => {
    const yen = await acme.owner.post('/expenses', { title: 'Sushi', amount: 1200.5, tax_amount: 0.1, currency: 'JPY' })
    assert.deepEqual(yen.body.errors, {
      amount: ['Must have at most 0 decimals in JPY.'],
      tax_amount: ['Must have at most 0 decimals in JPY.'],
    })
    assert.equal((await expense({ amount: 1.234, currency: 'KWD' })).amount, 1.234)
    const { id } = await expense({ amount: 1.23 })
    assert.ok((await acme.owner.put(`/expenses/${id}`, { currency: 'JPY' })).body.errors?.amount)
  })

  it('are drafts of today, in the workspace’s currency and category Other, unless told otherwise', async () => {
    const { id, ...plain } = await expense()
    const { status, currency, expense_date, tax_amount, vendor_id, assigned_to, purchase_order_id, note_entries } = plain
    assert.deepEqual(
      { status, currency, expense_date, tax_amount, vendor_id, assigned_to, purchase_order_id, note_entries },
      {
        status: 'draft',
        currency: 'EUR',
        expense_date: '2026-11-21',
        tax_amount: 0,
        vendor_id: null,
        assigned_to: null,
        purchase_order_id: null,
        note_entries: [],
      },
    )
    assert.equal(plain.category.name, 'Other')
    const travel = await category('Travel')
    const saved = await acme.owner.put(`/expenses/${id}`, {
      category_id: travel.id,
      vendor_id: vendor,
      tax_amount: 7.5,
      assigned_to: acme.owner.id,
      purchase_order_id: 7,
    })
    assert.equal(saved.status, 200)
    const { data } = saved.body
    assert.deepEqual(
      {
        category: data.category.name,
        vendor: data.vendor,
        tax_amount: data.tax_amount,
        assignee: data.assignee.id,
        purchase_order_id: data.purchase_order_id,
        title: data.title,
      },
      {
        category: 'Travel',
        vendor: { id: vendor, name: 'Lindqvist' },
        tax_amount: 7.5,
        assignee: acme.owner.id,
        purchase_order_id: null,
        title: 'Taxi',
      },
    )
    assert.deepEqual(
      data.activities.map(({ description }: { description: string }) => description),
      ['Assigned to Olive Owner', 'Changed category id, vendor id, tax amount', 'Created'],
    )
  })

  it('are approved and paid, and can be edited only as drafts', async () => {
    const { id } = await expense()
    const move = (status: string) => acme.owner.post(`/expenses/${id}/status`, { status })
    assert.ok((await move('lost')).body.errors?.status)
    assert.ok((await move('paid')).body.errors?.status)
    assert.equal((await move('approved')).body.data.status, 'approved')
    assert.ok((await move('approved')).body.errors?.status)
    assert.ok((await acme.owner.put(`/expenses/${id}`, { amount: 1 })).body.errors?.status)
    assert.equal((await move('draft')).body.data.status, 'draft')
    assert.equal((await acme.owner.put(`/expenses/${id}`, { amount: 1 })).status, 200)
    await move('approved')
    assert.equal((await move('paid')).body.data.status, 'paid')
    assert.ok((await move('draft')).body.errors?.status)
    const { body } = await acme.owner.get(`/expenses/${id}/timeline`)
    assert.equal(body.data[0].description, 'Status changed from approved to paid')
    assert.equal(body.data.filter(({ type }: { type: string }) => type === 'status_changed').length, 4)
  })

  it('of others are hidden from whoever may not assign, in lists, stats and by id', async () => {
    const firm = await world.workspace({ modules: ['expenses'] })
    const clerk = await firm.user(['expenses.view', 'expenses.create', 'expenses.update'])
    const hers = await expense({ title: 'Hers', assigned_to: firm.owner.id }, clerk)
    assert.equal(hers.assigned_to, clerk.id)
    const owners = await expense({ title: 'The owner’s', assigned_to: firm.owner.id }, firm.owner)
    const nobodys = await expense({ title: 'Nobody’s' }, firm.owner)
    assert.deepEqual(titles((await clerk.get('/expenses')).body), ['Hers'])
    for (const { id } of [owners, nobodys]) assert.equal((await clerk.get(`/expenses/${id}`)).status, 404)
    const stats = { draft: 1, approved: 0, paid: 0, my_expenses: 1 }
    assert.deepEqual((await clerk.get('/expenses/stats')).body.data, { ...stats, total_expenses: 1, scope: 'mine' })
    assert.deepEqual((await firm.owner.get('/expenses/stats')).body.data, { ...stats, draft: 3, total_expenses: 3, scope: 'org' })
    const kept = await clerk.put(`/expenses/${hers.id}`, { assigned_to: firm.owner.id, title: 'Still hers' })
    assert.equal(kept.body.data.assigned_to, clerk.id)

    const given = await firm.owner.post(`/expenses/${nobodys.id}/assign`, { assigned_to: clerk.id })
    assert.equal(given.body.data.assignee.id, clerk.id)
    assert.equal((await clerk.get(`/expenses/${nobodys.id}`)).status, 200)
  })

  it('are found by the text of their vendor too, once each, and by no vendor of another workspace', async () => {
    const firm = await world.workspace({ modules: ['vendors', 'expenses'] })
    const maker = async (of: Workspace, name: string, email: string) =>
      (await of.owner.post('/vendors', { name, email })).body.data.id as number
    const [oak, ash] = [await maker(firm, 'Oakwood Timber', 'sales@oak.test'), await maker(firm, 'Ash & Sons', 'hello@ash.test')]
    await expense({ title: 'Foreign oak', vendor_id: await maker(other, 'Oakwood Foreign', 'x@oak.test') }, other.owner)
    await expense({ title: 'Planks', vendor_id: oak }, firm.owner)
    await expense({ title: 'Oakwood desk', vendor_id: oak }, firm.owner)
    await expense({ title: 'Chairs', vendor_id: ash }, firm.owner)
    await expense({ title: 'Taxi' }, firm.owner)
    const clerk = await firm.user(['expenses.view'])
    for (const { search, found } of [
      { search: 'OAKWOOD', found: ['Oakwood desk', 'Planks'] },
      { search: 'sales@oak', found: ['Oakwood desk', 'Planks'] },
      { search: 'sh', found: ['Chairs'] },
      { search: 'chairs', found: ['Chairs'] },
      { search: 'foreign', found: [] },
      { search: '%', found: [] },
    ] as const) {
      const { body } = await firm.owner.get('/expenses', { query: { search } })
      assert.deepEqual([titles(body), body.meta.total], [found, found.length], search)
      assert.equal(
        (await firm.owner.get('/expenses/stats', { query: { search } })).body.data.total_expenses,
        found.length,
        search,
      )
      assert.equal((await clerk.get('/expenses', { query: { search } })).body.meta.total, 0, search)
    }
    await firm.owner.put(`/vendors/${ash}`, { name: 'Birch & Sons' })
    assert.deepEqual(titles((await firm.owner.get('/expenses', { query: { search: 'birch' } })).body), ['Chairs'])
  })

  it('are searched, filtered, sorted and counted alike', async () => {
    const firm = await world.workspace({ modules: ['vendors', 'expenses'] })
    const seller = (await firm.owner.post('/vendors', { name: 'Seller' })).body.data.id
    const paper = await expense({ title: 'Paper', amount: 5, vendor_id: seller }, firm.owner)
    await expense({ title: 'Printer', amount: 300, assigned_to: firm.owner.id, vendor_id: seller }, firm.owner)
    const train = (await categories(firm)).find((one: { name: string }) => one.name === 'Travel')
    await expense({ title: 'Train', amount: 80, category_id: train.id }, firm.owner)
    await firm.owner.post(`/expenses/${paper.id}/status`, { status: 'approved' })
    const asked: { query: Record<string, string | number | boolean>; expected: string[] }[] = [
      { query: { search: 'PR' }, expected: ['Printer'] },
      { query: { search: 'rain' }, expected: ['Train'] },
      { query: { status: 'approved' }, expected: ['Paper'] },
      { query: { vendor_id: seller }, expected: ['Paper', 'Printer'] },
      { query: { category_id: train.id }, expected: ['Train'] },
      { query: { assigned_to: 'unassigned' }, expected: ['Paper', 'Train'] },
      { query: { my_expenses: true }, expected: ['Printer'] },
      { query: { my_expenses: true, status: 'draft' }, expected: ['Printer'] },
    ]
    for (const { query, expected } of asked) {
      const { body } = await firm.owner.get('/expenses', { query })
      assert.deepEqual(titles(body), expected, JSON.stringify(query))
      assert.equal(body.meta.total, expected.length)
      assert.equal((await firm.owner.get('/expenses/stats', { query })).body.data.total_expenses, expected.length)
    }
    const dearest = await firm.owner.get('/expenses', { query: { sort: 'amount', direction: 'desc', per_page: 1 } })
    assert.deepEqual(titles(dearest.body), ['Printer'])
    assert.ok((await firm.owner.get('/expenses', { query: { sort: 'search_text' } })).body.errors?.sort)
  })

  it('carry notes and a timeline', async () => {
    const { id } = await expense({ notes: 'To the airport' })
    const note = await acme.owner.post(`/expenses/${id}/notes`, { body: 'Receipt is lost' })
    assert.equal(note.status, 201)
    const { data } = (await acme.owner.get(`/expenses/${id}`)).body
    assert.equal(data.notes, 'To the airport')
    assert.equal(data.latest_note.body, 'Receipt is lost')
    assert.deepEqual(
      data.note_entries.map(({ body }: { body: string }) => body),
      ['Receipt is lost'],
    )
    assert.equal((await acme.owner.get(`/expenses/${id}/timeline`)).body.data[0].type, 'note_added')
  })
})

describe('expense categories', () => {
  it('are there from the first look on, once, whoever looks at the same time', async () => {
    const firm = await world.workspace({ modules: ['expenses'] })
    const looks = await Promise.all([
      ...Array.from({ length: 5 }, () => firm.owner.get('/expenses/categories')),
      ...Array.from({ length: 5 }, () => firm.owner.post('/expenses', taxi)),
    ])
    assert.ok(looks.every(({ status }) => status < 300))
    const found = await categories(firm)
    assert.deepEqual(
      found.map(({ name }: { name: string }) => name),
      ['Travel', 'Office', 'Software', 'Utilities', 'Other'],
    )
    assert.deepEqual(
      found.filter(({ is_other }: { is_other: boolean }) => is_other).map(({ name }: { name: string }) => name),
      ['Other'],
    )
    const [travel] = found
    await firm.owner.del(`/expenses/categories/${travel.id}`)
    assert.equal((await categories(firm)).length, 4, 'what was deleted does not come back')
  })

  it('are added, changed and put out of use, each name once', async () => {
    const { status, body } = await acme.owner.post('/expenses/categories', { name: 'Training' })
    assert.equal(status, 201)
    const { id, ...training } = body.data
    assert.deepEqual(training, { name: 'Training', is_active: true, is_other: false, sort_order: 100 })
    assert.ok((await acme.owner.post('/expenses/categories', { name: 'Training' })).body.errors?.name)
    assert.ok((await acme.owner.put(`/expenses/categories/${id}`, { name: 'Office' })).body.errors?.name)
    const saved = await acme.owner.put(`/expenses/categories/${id}`, { is_active: false, is_other: true })
    assert.deepEqual(saved.body.data, { id, ...training, is_active: false })
    assert.ok((await acme.owner.post('/expenses', { ...taxi, category_id: id })).body.errors?.category_id)
    assert.equal((await acme.owner.del(`/expenses/categories/${id}`)).status, 200)
  })

  it('in use stay, and so does Other', async () => {
    const travel = await category('Travel')
    const { id } = await expense({ category_id: travel.id })
    await acme.owner.del(`/expenses/${id}`)
    assert.ok((await acme.owner.del(`/expenses/categories/${travel.id}`)).body.errors?.category)
    const rest = await category('Other')
    assert.ok((await acme.owner.del(`/expenses/categories/${rest.id}`)).body.errors?.category)
    assert.ok((await acme.owner.put(`/expenses/categories/${rest.id}`, { is_active: false })).body.errors?.is_active)
    assert.equal((await acme.owner.put(`/expenses/categories/${rest.id}`, { name: 'Miscellaneous' })).status, 200)
    assert.equal((await expense()).category.name, 'Miscellaneous')
    await acme.owner.put(`/expenses/categories/${rest.id}`, { name: 'Other' })
  })
})

describe('a purchase order', () => {
  const order = (purchase_order_id: number) => ({
    title: 'Desks',
    amount: '1190.00',
    tax_amount: '190.00',
    currency: 'USD',
    vendor_id: vendor,
    assigned_to: acme.owner.id,
    notes: null,
    purchase_order_id,
  })

  it('becomes a draft of today in Other', async () => {
    const id = await acme.inside((ctx) => createDraftExpense(ctx, order(1)))
    const draft = (await acme.owner.get(`/expenses/${id}`)).body.data
    const { status, amount, tax_amount, currency, category, expense_date, purchase_order_id } = draft
    assert.deepEqual(
      { status, amount, tax_amount, currency, category: category?.name, expense_date, purchase_order_id },
      {
        status: 'draft',
        amount: 1190,
        tax_amount: 190,
        currency: 'USD',
        category: 'Other',
        expense_date: '2026-11-21',
        purchase_order_id: 1,
      },
    )
  })

  it('becomes one expense, whatever races, and a deleted one counts', async () => {
    const convert = () => acme.inside((ctx) => createDraftExpense(ctx, order(2)))
    const calls = await Promise.allSettled([convert(), convert(), convert()])
    const refused = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []))
    assert.equal(refused.length, 2)
    for (const error of refused) {
      assert.ok(error instanceof HttpError)
      assert.ok(error.errors?.purchase_order)
    }
    const id = await acme.inside((ctx) => expenseOfPurchaseOrder(ctx, 2))
    await acme.owner.del(`/expenses/${id}`)
    assert.equal(await acme.inside((ctx) => expenseOfPurchaseOrder(ctx, 2)), id)
    await assert.rejects(convert(), { status: 422 })
    assert.equal(await acme.inside((ctx) => expenseOfPurchaseOrder(ctx, 3)), null)
    assert.equal(await other.inside((ctx) => expenseOfPurchaseOrder(ctx, 2)), null)
  })
})
