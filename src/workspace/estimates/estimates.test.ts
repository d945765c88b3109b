import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
let owner: Person
let company: number

before(async () => {
  firm = await world.workspace({ modules: ['estimates', 'invoices', 'contacts', 'companies', 'products'] })
  owner = firm.owner
  company = (await owner.post('/companies', { name: 'Lindqvist AB', email: 'ask@lindqvist.test' })).body.data.id
})

const line = { name: 'Fitting', quantity: 8, unit_price: 45.5, tax_rate: 19, discount_value: 10 }
async function draft(more: object = {}) {
  const { status, body } = await owner.post('/estimates', { title: 'Shop', company_id: company, lines: [line], ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const act = (id: number, verb: string, body?: object, by = owner) => by.post(`/estimates/${id}/${verb}`, body)
const sent = async (more: object = {}) => (await act((await draft(more)).id, 'send')).body.data
const refused = async (asked: Promise<Reply>, field: string) => {
  const { status, body } = await asked
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], body.message)
}
const show = async (id: number) => (await owner.get(`/estimates/${id}`)).body.data

describe('an estimate', () => {
  it('is a draft with a number, and changed only as long as it is one', async () => {
    const { id, number, total, status } = await draft({ line_discount_type: 'fixed' })
    assert.match(number, /^EST-\d{5}$/)
    assert.deepEqual([status, total], ['draft', 421.26])
    assert.equal((await owner.put(`/estimates/${id}`, { line_discount_type: 'none' })).body.data.total, 433.16)
    await act(id, 'send')
    await refused(owner.put(`/estimates/${id}`, { title: 'New' }), 'status')
  })

  it('is accepted, declined with a reason, or expires, once it was sent', async () => {
    for (const [verb, status] of Object.entries({ accept: 'accepted', decline: 'declined', expire: 'expired' })) {
      const { id } = await draft()
      await refused(act(id, verb), 'status')
      assert.equal((await act(id, 'send')).body.data.status, 'sent')
      const ended = (await act(id, verb, { reason: 'Too late' })).body.data
      assert.deepEqual([ended.status, ended.decline_reason], [status, verb === 'decline' ? 'Too late' : null])
      for (const again of ['send', 'accept', 'decline', 'expire']) await refused(act(id, again), 'status')
    }
    await refused(act((await draft({ valid_until: '2026-01-01' })).id, 'send'), 'valid_until')
  })

  it('expires by itself when its last day is over', async () => {
    const today = Temporal.PlainDate.from(world.clock.now().slice(0, 10))
    const { id } = await sent({ valid_until: today.toString() })
    const { id: open } = await sent({ valid_until: today.add({ days: 1 }).toString() })
    world.clock.set(`${today.add({ days: 1 })}T00:01:00.000Z`)
    await refused(act(id, 'accept'), 'status')
    world.clock.set(`${today.add({ days: 1 })}T00:06:00.000Z`)
    await world.drain('due')
    assert.deepEqual([(await show(id)).status, (await show(open)).status], ['expired', 'sent'])
  })

  it('has no link by which it could be accepted', async () => {
    const { id } = await sent()
    assert.equal((await act(id, 'acceptance-link')).status, 404)
    const mail = { subject: 'Our estimate', message: 'Please see.' }
    assert.deepEqual((await act(id, 'email', mail)).body.data.to, ['ask@lindqvist.test'])
    const [{ body_text, sealed }] = await world.sql(
      `SELECT body_text, sealed FROM email_logs WHERE notification_type = 'estimate.emailed'`,
    )
    assert.deepEqual([body_text.includes('/accept/'), sealed], [false, null])
    await refused(act((await draft()).id, 'email', mail), 'status')
    const pdf = await owner.get(`/estimates/${id}/pdf`)
    assert.equal(pdf.raw.subarray(0, 5).toString(), '%PDF-')
  })

  it('becomes one draft invoice', async () => {
    await refused(act((await draft()).id, 'convert'), 'status')
    const { id, total } = await sent({ line_discount_type: 'percent' })
    await act(id, 'accept')
    const replies = await Promise.all([act(id, 'convert'), act(id, 'convert')])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422])
    const { data: invoice } = replies.find(({ status }) => status === 201)!.body
    assert.deepEqual([invoice.status, invoice.total, invoice.company_id], ['draft', total, company])
    const [{ estimate_id }] = await world.sql('SELECT estimate_id::int FROM invoices WHERE id = $1', [invoice.id])
    assert.deepEqual([estimate_id, (await show(id)).converted_invoice_id], [id, invoice.id])
    const { errors } = replies.find(({ status }) => status === 422)!.body
    assert.deepEqual(Object.keys(errors!), ['estimate'])
  })
})
