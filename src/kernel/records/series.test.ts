/** Lists over time: periods of the workspace's calendar, sums by currency, visibility, and rejected input. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, startTest, type Workspace } from '../../../test/harness.ts'

const world = await startTest()
let firm: Workspace
let other: Workspace

interface Line {
  value: string | null
  currency: string | null
  total: number
  values: number[]
}
interface Read {
  by: string
  unit: string
  of: string
  periods: string[]
  lines: Line[]
}

before(async () => {
  world.clock.set('2027-03-17T12:00:00Z')
  firm = await world.workspace({ modules: ['expenses', 'leads', 'invoices'] })
  other = await world.workspace({ modules: ['expenses'] })
  for (const [expense_date, amount, currency] of [
    ['2026-03-31', 1000, 'EUR'],
    ['2026-04-01', 10.1, 'EUR'],
    ['2026-04-30', 20.2, 'EUR'],
    ['2027-03-17', 5, 'USD'],
    ['2027-03-31', 7, 'EUR'],
  ])
    assert.equal((await firm.owner.post('/expenses', { title: 'Fuel', expense_date, amount, currency })).status, 201)
  await other.owner.post('/expenses', { title: 'Not theirs', expense_date: '2026-04-01', amount: 900, currency: 'EUR' })
})

async function read(path: string, query: Record<string, string> = {}, who: Client = firm.owner): Promise<Read> {
  const { status, body } = await who.get(path as '/expenses/series', { query })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}
const filled = ({ periods }: Read, values: number[]) =>
  Object.fromEntries(periods.map((day, n) => [day, values[n]!]).filter(([, value]) => value !== 0))

describe('a list over time', () => {
  it('adds up each of the last twelve months by currency, empty ones too', async () => {
    const told = await read('/expenses/series')
    assert.deepEqual([told.by, told.unit, told.of, told.periods.length], ['expense_date', 'month', 'amount', 12])
    assert.deepEqual([told.periods[0], told.periods.at(-1)], ['2026-04-01', '2027-03-01'])
    assert.deepEqual(
      told.lines.map(({ currency, total, values }) => [currency, total, filled(told, values)]),
      [
        ['EUR', 37.3, { '2026-04-01': 30.3, '2027-03-01': 7 }],
        ['USD', 5, { '2027-03-01': 5 }],
      ],
    )
  })

  it('counts by day and by week, which begins on Monday, in whole periods', async () => {
    const weeks = await read('/expenses/series', { unit: 'week', of: 'count', from: '2027-03-18', to: '2027-03-31' })
    assert.deepEqual(weeks.periods, ['2027-03-15', '2027-03-22', '2027-03-29'])
    assert.deepEqual(
      weeks.lines.map(({ currency, values }) => [currency, values]),
      [[null, [1, 0, 1]]],
    )
    const days = await read('/expenses/series', { unit: 'day', of: 'count', from: '2026-03-31', to: '2026-04-01' })
    assert.deepEqual(days.lines[0]?.values, [1, 1])
    assert.deepEqual((await read('/expenses/series', { from: '2031-01-01', to: '2031-02-01' })).lines, [])
  })

  it('puts an instant into the day that the workspace’s clock shows', async () => {
    world.clock.set('2027-03-31T23:30:00Z')
    const far = await world.workspace({ modules: ['leads'] })
    assert.equal((await far.owner.put('/settings', { settings: { timezone: 'Pacific/Auckland' } })).status, 200)
    assert.equal((await far.owner.post('/leads', { name: 'Ada', lead_type: 'direct', lead_value: 12.5 })).status, 201)
    const told = await read('/leads/series', { unit: 'month' }, far.owner)
    assert.deepEqual(filled(told, told.lines[0]!.values), { '2027-04-01': 1 })
    const split = await read('/leads/series', { of: 'lead_value', split: 'lead_type' }, far.owner)
    assert.deepEqual(
      split.lines.map(({ value, currency, total }) => [value, currency, total]),
      [['direct', null, 12.5]],
    )
    world.clock.set('2027-03-17T12:00:00Z')
  })

  it('adds up what was invoiced: no draft, nothing voided; and counts them all', async () => {
    const lines = [{ name: 'Desk', quantity: 1, unit_price: 100 }]
    const made = async () =>
      (await firm.owner.post('/invoices', { title: 'Desk', currency: 'EUR', issue_date: '2027-03-02', lines })).body.data.id
    const [, sent, voided] = [await made(), await made(), await made()]
    for (const id of [sent, voided]) assert.equal((await firm.owner.post(`/invoices/${id}/send`)).status, 200)
    assert.equal((await firm.owner.post(`/invoices/${voided}/void`)).status, 200)
    const sums = await read('/invoices/series')
    assert.deepEqual(
      sums.lines.map(({ currency, total }) => [currency, total]),
      [['EUR', 100]],
    )
    const counts = await read('/invoices/series', { of: 'count', split: 'status' })
    assert.deepEqual(Object.fromEntries(counts.lines.map(({ value, total }) => [value, total])), {
      draft: 1,
      unpaid: 1,
      cancelled: 1,
    })
  })

  it('keeps to the list’s filters, to its trash and to what somebody may see', async () => {
    assert.deepEqual((await read('/expenses/series', { of: 'count', status: 'paid' })).lines, [])
    assert.equal((await read('/expenses/series', { of: 'count', search: 'fuel' })).lines[0]?.total, 4)
    assert.deepEqual((await read('/expenses/series', { trashed: 'only' })).lines, [])
    const clerk = await firm.user(['expenses.view'])
    assert.deepEqual((await read('/expenses/series', {}, clerk)).lines, [])
    assert.equal((await (await firm.user([])).get('/expenses/series')).status, 403)
  })

  it('names what is wrong', async () => {
    for (const [query, field] of [
      [{ by: 'title' }, 'by'],
      [{ of: 'title' }, 'of'],
      [{ unit: 'year' }, 'unit'],
      [{ split: 'title' }, 'split'],
      [{ from: 'March' }, 'from'],
      [{ from: '2027-03-02', to: '2027-02-01' }, 'to'],
      [{ from: '1980-01-01' }, 'from'],
      [{ unit: 'day', from: '2026-01-01' }, 'from'],
      [{ from: '0001-01-01', to: '0002-01-01' }, 'from'],
      [{ from: '9999-01-01', to: '9999-12-31' }, 'to'],
    ] as const) {
      const { status, body } = await firm.owner.get('/expenses/series', { query })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], JSON.stringify(query))
    }
  })
})
