import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, describe, it } from 'node:test'
import { Big } from 'big.js'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const noPoppler = spawnSync('pdftotext', ['-v']).error !== undefined && 'there is no pdftotext (poppler)'
let firm: Workspace
let company: number
let other: number

const made = async (path: string, body: object): Promise<any> => {
  const reply = await firm.owner.post(path, body)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data
}
async function invoice(of: object, total: number, days: { issue_date: string; due_date?: string }, currency = 'USD') {
  const lines = [{ name: 'Oak desk', quantity: 1, unit_price: total }]
  const { id, number } = await made('/invoices', { title: 'Desks', currency, lines, ...of, ...days })
  assert.equal((await firm.owner.post(`/invoices/${id}/send`)).status, 200)
  return { id, number }
}
const pay = (of: object, amount: number, paid_at: string, allocations: object[] = [], currency = 'USD') =>
  made('/payments', { amount, currency, method: 'cash', paid_at, allocations, ...of })
const statement = async (query: object, id = company) => {
  const { status, body } = await firm.owner.get(`/companies/${id}/statement`, { query: query as Record<string, string> })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}
const refusedOn = (field: string, { status, body }: { status: number; body: { errors?: object } }) =>
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]])

before(async () => {
  world.clock.set('2026-12-01T12:00:00.000Z')
  firm = await world.workspace({ modules: ['payments', 'invoices', 'contacts', 'companies', 'credit-notes'] })
  company = (await made('/companies', { name: 'Nordwind', language: 'de' })).id
  other = (await made('/companies', { name: 'Südwind' })).id
})

describe('a statement', () => {
  it('of a customer of whom nothing is known says nothing', async () => {
    const { from, to, currencies } = await statement({})
    assert.deepEqual([from, to, currencies], ['2025-12-02', '2026-12-01', []])
  })

  it('begins with what was owed, tells each booking with what is owed behind it, and ends with what is open by age', async () => {
    const of = { company_id: company }
    const first = await invoice(of, 100, { issue_date: '2026-01-10', due_date: '2026-02-10' })
    const second = await invoice(of, 200.1, { issue_date: '2026-09-10', due_date: '2026-10-20' })
    const third = await invoice(of, 50, { issue_date: '2026-11-10', due_date: '2026-12-24' })
    const euros = await invoice(of, 77.77, { issue_date: '2026-11-11', due_date: '2026-11-11' }, 'EUR')
    const cancelled = await invoice(of, 1000, { issue_date: '2026-10-01' })
    await firm.owner.post(`/invoices/${cancelled.id}/void`)
    await made('/invoices', { title: 'Draft', lines: [{ name: 'Desk', quantity: 1, unit_price: 9 }], ...of })
    await pay(of, 40, '2026-03-01', [{ invoice_id: first.id, amount: 40 }])
    // Another customer's payment for this one's invoice, this customer's payment for another's invoice, and unallocated credit.
    await pay({ company_id: other }, 70, '2026-10-01', [{ invoice_id: second.id, amount: 0.1 }])
    const others = await invoice({ company_id: other }, 500, { issue_date: '2026-10-01' })
    await pay(of, 30, '2026-11-15', [{ invoice_id: others.id, amount: 25 }])
    const voided = await pay(of, 500, '2026-11-16')
    await firm.owner.post(`/payments/${voided.id}/void`)
    const note = await made('/credit-notes', { title: 'Back', lines: [{ name: 'Desk', quantity: 1, unit_price: 20 }], ...of })
    await firm.owner.post(`/credit-notes/${note.id}/issue`)
    await firm.owner.post(`/credit-notes/${note.id}/apply`, { invoice_id: second.id, amount: 15 })

    const { currencies } = await statement({ from: '2026-09-01' })
    const [eur, usd] = currencies
    const told = usd.entries.map(({ type, number, date, amount, balance }: any) => [type, number, date, amount, balance])
    assert.deepEqual([usd.currency, usd.opening_balance, usd.closing_balance, usd.unused], ['USD', 60, 285, 10])
    assert.deepEqual(told, [
      ['invoice', second.number, '2026-09-10', 200.1, 260.1],
      ['payment', 'PAY-00002', '2026-10-01', -0.1, 260],
      ['invoice', third.number, '2026-11-10', 50, 310],
      ['payment', 'PAY-00003', '2026-11-15', -5, 305],
      ['credit_note', note.number, '2026-12-01', -20, 285],
    ])
    assert.deepEqual(usd.ageing, { not_due: 50, days_1_30: 0, days_31_60: 185, days_61_90: 0, days_over_90: 60 })
    assert.deepEqual([eur.currency, eur.opening_balance, eur.closing_balance, eur.ageing.days_1_30], ['EUR', 0, 77.77, 77.77])
    const then = (await statement({ from: '2026-01-01', to: '2026-02-28' })).currencies
    assert.deepEqual(
      [then.length, then[0].opening_balance, then[0].closing_balance, then[0].ageing.days_1_30, then[0].unused],
      [1, 0, 100, 100, 0],
    )
    assert.equal((await statement({ from: '2026-02-20', to: '2026-02-21' })).currencies[0].opening_balance, 100)
    assert.equal(euros.number.length > 0, true)
  })

  it('adds up to what invoices, payments and credit notes say, to the cent', async () => {
    const { id: contact_id } = await made('/contacts', { name: 'Ann', email: 'ann@firm.test' })
    const of = { contact_id }
    for (let n = 1; n <= 12; n++) {
      const total = Number(new Big(n).times('33.37').toFixed(2))
      const { id } = await invoice(of, total, { issue_date: `2026-0${1 + (n % 9)}-15`, due_date: `2026-0${1 + (n % 9)}-25` })
      const part = Number(new Big(total).div(3).toFixed(2))
      if (n % 2) await pay(of, part + 1, `2026-0${1 + (n % 9)}-20`, [{ invoice_id: id, amount: part }])
    }
    const [{ owed }] = await world.sql(
      `SELECT (SELECT sum(balance_due) FROM invoices WHERE contact_id = $1) - (SELECT sum(unallocated_amount) FROM payments WHERE contact_id = $1) AS owed`,
      [contact_id],
    )
    const { body } = await firm.owner.get(`/contacts/${contact_id}/statement`)
    const [{ entries, closing_balance, opening_balance, unused, ageing }] = body.data.currencies
    const added = entries.reduce((sum: Big, { amount }: { amount: number }) => sum.plus(amount), new Big(opening_balance))
    const aged = (Object.values(ageing) as number[]).reduce((sum, one) => sum.plus(one), new Big(0))
    for (const sum of [new Big(owed), added, aged.minus(unused)]) assert.equal(sum.toNumber(), closing_balance)
    assert.equal(entries.at(-1).balance, closing_balance)
    assert.equal(unused, 6)
  })

  it('is for who sees everybody’s invoices and the payments, of customers whom they see, of a period that makes sense', async () => {
    const path = `/companies/${company}/statement`
    const own = ['companies.view', 'companies.assign', 'payments.view', 'invoices.view']
    assert.equal((await (await firm.user(own)).get(path)).status, 403)
    assert.equal((await (await firm.user([...own, 'invoices.assign'])).get(path)).status, 403)
    const clerk = await firm.user([...own, 'invoices.assign', 'credit-notes.view'])
    assert.equal((await clerk.get(path)).status, 200)
    const agent = await firm.user(['companies.view', 'payments.view', 'invoices.assign', 'credit-notes.view'])
    assert.equal((await agent.get(path)).status, 404)
    assert.equal((await firm.owner.get('/companies/999999/statement')).status, 404)
    const stranger = await world.workspace({ modules: ['payments', 'companies', 'invoices'] })
    for (const kind of ['', '/pdf']) assert.equal((await stranger.owner.get(`${path}${kind}`)).status, 404)
    refusedOn('from', await clerk.get(path, { query: { from: '2026-12-01', to: '2026-11-01' } }))
    refusedOn('to', await clerk.get(path, { query: { to: '2026-13-01' } }))
  })

  it('is printed in the customer’s language', { skip: noPoppler }, async () => {
    const { status, raw, headers } = await firm.owner.get(`/companies/${company}/statement/pdf`, {
      query: { from: '2026-09-01' },
    })
    assert.deepEqual([status, headers['content-type']], [200, 'application/pdf'])
    const { stdout: text } = spawnSync('pdftotext', ['-layout', '-', '-'], { input: raw, encoding: 'utf8' })
    for (const said of ['Kontoauszug', 'Anfangssaldo', 'Endsaldo', 'Nordwind', '200,10', '285,00', '77,77', 'Noch nicht fällig'])
      assert.ok(text.includes(said), said)
    assert.doesNotMatch(text, /Balance|Invoice|Payment|Amount|Date/)
  })
})
