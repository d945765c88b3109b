/** Formatted texts that are slow to parse, when they are saved and with each PDF. */
// CI stage: bounds
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sanitizeLong } from '#kernel/values/html.ts'
import { startTest } from '#test/harness.ts'
import { heldDuring } from '#test/held.ts'
import { worstHtml } from '#test/worst-html.ts'

const world = await startTest()
const { owner } = await world.workspace({ modules: ['invoices'] })

it('a formatted text holds nobody up, whatever is in it', async () => {
  const lines = [{ name: 'Desk', quantity: 1, unit_price: 10, tax_rate: 0 }]
  const texts: [string, string][] = [
    ['the reported one', `<pre>a${' '.repeat(65_500)}x</pre>`],
    ...worstHtml(65_000).filter((_, n) => n % 6 === 2),
  ]
  let id = 0
  for (const [about, terms_and_conditions] of texts) {
    const invoice = { title: 'Desk', due_date: '2027-03-31', lines, terms_and_conditions }
    const held = await heldDuring(async () => {
      const { status, body, raw } = await owner.post('/invoices', invoice)
      assert.equal(status, 201, `${about}: ${raw.subarray(0, 300)}`)
      id ||= body.data.id
    })
    assert.ok(held < 1000, `${about}: ${held} ms`)
  }
  const held = await heldDuring(async () => assert.equal((await owner.get(`/invoices/${id}/pdf`)).status, 200))
  assert.ok(held < 1000, `${held} ms`)
})

it('many formatted texts in one body hold nobody up, and are stored as ever', async () => {
  const body = '<td>x'.repeat(13_000)
  const line = { name: 'Desk', quantity: 1, unit_price: 10, tax_rate: 0 }
  const lines = Array.from({ length: 14 }, (_, n) => ({ ...line, body: `${n}${body}` }))
  let stored: { body: string }[] = []
  const held = await heldDuring(async () => {
    const reply = await owner.post('/invoices', { title: 'Desks', due_date: '2027-03-31', lines })
    assert.equal(reply.status, 201, String(reply.raw.subarray(0, 300)))
    stored = reply.body.data.lines
  })
  assert.ok(held < 400, `${held} ms`)
  assert.deepEqual(
    stored.map((one) => one.body),
    lines.map((one) => sanitizeLong(one.body)),
  )
})

it('one text in many lines holds nobody up, neither when it is written nor on paper', async () => {
  const line = { name: 'Desk', quantity: 1, unit_price: 1, body: '<td>x'.repeat(13_000) }
  const held = await heldDuring(async () => {
    const { status, body } = await owner.post('/invoices', {
      title: 'Desks',
      due_date: '2027-03-31',
      lines: new Array(14).fill(line),
    })
    assert.equal(status, 201)
    await owner.get(`/invoices/${body.data.id}/pdf`) // with any result
  })
  assert.ok(held < 400, `${held} ms`)
})
