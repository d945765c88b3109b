/** Previews of documents from a form's input, without storing anything. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { readXml } from '#kernel/values/xml-reading.ts'
import { changedIn, fingerprintOf } from '#test/contract/marks.ts'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const modules = [
  'invoices',
  'quotations',
  'estimates',
  'purchase-orders',
  'credit-notes',
  'contracts',
  'vendors',
  'companies',
  'products',
]
let firm: Workspace
let other: Workspace
let vendor_id: number
let company_id: number

before(async () => {
  firm = await world.workspace({ modules })
  other = await world.workspace({ modules })
  vendor_id = (await firm.owner.post('/vendors', { name: 'Lindqvist' })).body.data.id
  company_id = (await firm.owner.post('/companies', { name: 'Harbour Ltd' })).body.data.id
})

const line = { name: 'Oak desk', quantity: 2, unit_price: 480.5, tax_rate: 19 }
interface Kind {
  path: string
  permission: string
  body(): object
  wrong: { sent: object; field: string }
}
const forCustomer = {
  body: () => ({ title: 'Desks', company_id, lines: [line] }),
  wrong: { sent: { lines: [{ ...line, quantity: 'x' }] }, field: 'lines.0.quantity' },
}
const kinds: Record<string, Kind> = {
  invoice: { path: '/invoices', permission: 'invoices', ...forCustomer },
  quotation: { path: '/quotations', permission: 'quotations', ...forCustomer },
  estimate: { path: '/estimates', permission: 'estimates', ...forCustomer },
  'credit note': { path: '/credit-notes', permission: 'credit-notes', ...forCustomer },
  contract: {
    path: '/contracts',
    permission: 'contracts',
    body: () => ({ title: 'Desks', company_id, value: 961 }),
    wrong: { sent: { value: -1 }, field: 'value' },
  },
  'purchase order': {
    path: '/purchase-orders',
    permission: 'purchase-orders',
    body: () => ({
      title: 'Desks',
      vendor_id,
      lines: [{ description: 'Oak desk', quantity: 2, unit_price: 480.5, tax_rate: 19 }],
    }),
    wrong: { sent: { lines: [{ description: 'x', quantity: -1, unit_price: 1 }] }, field: 'lines.0.quantity' },
  },
}

describe('the preview of', () => {
  for (const [noun, { path, permission, body, wrong }] of Object.entries(kinds)) {
    it(`a new ${noun} is drawn, and nothing of it is kept`, async () => {
      const last = (await firm.owner.post(path, body())).body.data.number
      await world.drain()
      const was = await fingerprintOf(world, firm.id)
      const reply = await firm.owner.post(`${path}/preview`, body())
      assert.equal(reply.status, 200, JSON.stringify(reply.body).slice(0, 300))
      const { page_count, pages } = reply.body.data
      assert.deepEqual([page_count, pages.length, pages[0].number], [1, 1, 1])
      assert.match(pages[0].svg, /^<svg [^>]*viewBox="0 0 595\.2756 841\.8898"[\s\S]*<\/svg>$/)
      assert.equal(readXml(Buffer.from(pages[0].svg)).name, 'svg')
      assert.doesNotMatch(pages[0].svg, /<script|<foreignObject| on\w+=/)
      await world.drain()
      assert.deepEqual(changedIn(was, await fingerprintOf(world, firm.id)), [])
      const next = (await firm.owner.post(path, body())).body.data.number
      assert.equal(Number(/\d+$/.exec(next)![0]), Number(/\d+$/.exec(last)![0]) + 1)
    })

    it(`changes of a draft ${noun} shows them, and of one that is no draft is refused as the change is`, async () => {
      const { id, revision } = (await firm.owner.post(path, body())).body.data
      const before = (await firm.owner.post(`${path}/${id}/preview`, {})).body.data.pages[0].svg
      const after = (await firm.owner.post(`${path}/${id}/preview`, { title: 'Chairs, not desks' })).body.data.pages[0].svg
      assert.notEqual(before, after)
      const now = (await firm.owner.get(`${path}/${id}`)).body.data
      assert.deepEqual([now.title, now.revision], ['Desks', revision])
      const stale = await firm.owner.post(`${path}/${id}/preview`, {}, { headers: { 'if-match': '"another"' } })
      assert.equal(stale.status, 412)
      await firm.owner.post(`${path}/${id}/${noun === 'credit note' ? 'issue' : 'send'}`)
      const refused = await firm.owner.post(`${path}/${id}/preview`, { title: 'x' })
      assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['status']])
    })

    it(`of the kind ${noun} is for whoever may make and see such, in their own workspace`, async () => {
      const { id } = (await firm.owner.post(path, body())).body.data
      assert.equal((await world.anonymous.post(`${path}/preview`, body())).status, 401)
      assert.equal((await other.owner.post(`${path}/${id}/preview`, {})).status, 404)
      for (const held of [[`${permission}.view`], [`${permission}.create`, `${permission}.update`]]) {
        const somebody = await firm.user([...held, `${permission}.assign`])
        assert.equal((await somebody.post(`${path}/preview`, body())).status, 403, held.join())
        assert.equal((await somebody.post(`${path}/${id}/preview`, {})).status, 403, held.join())
      }
      const foreign = (await other.owner.post('/companies', { name: 'Theirs' })).body.data.id
      const named = await firm.owner.post(`${path}/preview`, { ...body(), vendor_id: 999_999, company_id: foreign + 999_999 })
      assert.equal(named.status, 422)
    })

    it(`of the kind ${noun} names the field that is wrong`, async () => {
      const reply = await firm.owner.post(`${path}/preview`, { ...body(), ...wrong.sent })
      assert.deepEqual([reply.status, Object.keys(reply.body.errors!)], [422, [wrong.field]])
    })
  }

  it('many pages has the first nine and the last', async () => {
    const lines = Array.from({ length: 600 }, (_, n) => ({ ...line, name: `Desk ${n}` }))
    const { page_count, pages } = (await firm.owner.post('/invoices/preview', { title: 'Many', company_id, lines })).body.data
    assert.ok(page_count > 10)
    assert.deepEqual(
      pages.map(({ number }: { number: number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, page_count],
    )
  })

  it('too many lines is refused, and hostile texts are drawn as text', async () => {
    const tooMany = await firm.owner.post('/invoices/preview', { title: 'x', lines: new Array(1001).fill(line) })
    assert.deepEqual([tooMany.status, Object.keys(tooMany.body.errors!)], [422, ['lines']])
    const hostile = '</g><script>alert(1)</script><image href="https://example.org/x.png"/>\u202e'
    const { pages } = (
      await firm.owner.post('/invoices/preview', {
        title: hostile,
        company_id,
        notes: `<p>${hostile}</p><script>alert(1)</script>`,
        lines: [{ ...line, name: hostile }],
      })
    ).body.data
    assert.doesNotMatch(pages[0].svg, /<script|<image|https:|example/)
  })
})
