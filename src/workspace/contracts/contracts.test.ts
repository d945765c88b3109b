import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
/** Every emitted event, in order. */
const told: string[] = []
const { listeners } = world.services.modules
world.services.modules.listeners = async (event) => {
  told.push(event)
  return listeners(event)
}
let firm: Workspace
let owner: Person
let company: number

before(async () => {
  firm = await world.workspace({ modules: ['contracts', 'invoices', 'contacts', 'companies'] })
  owner = firm.owner
  company = (await owner.post('/companies', { name: 'Lindqvist AB', email: 'ask@lindqvist.test' })).body.data.id
})

async function draft(more: object = {}) {
  const { status, body } = await owner.post('/contracts', { title: 'Maintenance', company_id: company, value: 1200, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const act = (id: number, verb: string, body?: object, by = owner) => by.post(`/contracts/${id}/${verb}`, body)
const move = (id: number, status: string, by = owner) => act(id, 'status', { status }, by)
const show = async (id: number) => (await owner.get(`/contracts/${id}`)).body.data
const refused = async (asked: Promise<Reply>, field: string) => {
  const { status, body } = await asked
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], body.message)
}
/** Creates a contract in a state. */
async function inState(status: string) {
  const { id } = await draft()
  if (status === 'sent' || status === 'expired') await act(id, 'send')
  if (status !== 'draft' && status !== 'sent') assert.equal((await move(id, status)).status, 200)
  return id as number
}

describe('a contract', () => {
  it('is a draft with a number, whose dates and value fit', async () => {
    const { id, number, status, value, body } = await draft({
      body: '<h2>Subject</h2><script>x</script>',
      currency: 'KWD',
      value: 1.125,
    })
    assert.match(number, /^CT-\d{5}$/)
    assert.deepEqual([status, value, body], ['draft', 1.125, '<h2>Subject</h2>'])
    await refused(owner.post('/contracts', { title: 'x', starts_on: '2027-01-02', ends_on: '2027-01-01' }), 'ends_on')
    await refused(owner.post('/contracts', { title: 'x', value: 1.125, currency: 'EUR' }), 'value')
    await refused(owner.put(`/contracts/${id}`, { currency: 'JPY' }), 'value')
    assert.equal((await owner.put(`/contracts/${id}`, { starts_on: '2027-01-02' })).status, 200)
    await refused(owner.put(`/contracts/${id}`, { ends_on: '2027-01-01' }), 'ends_on')
    await act(id, 'send')
    await refused(owner.put(`/contracts/${id}`, { title: 'New' }), 'status')
  })

  const states = ['draft', 'sent', 'active', 'expired', 'terminated']
  const possible: Record<string, string[]> = {
    draft: ['sent', 'active', 'terminated'],
    sent: ['active', 'expired', 'terminated'],
    active: ['expired', 'terminated'],
    expired: [],
    terminated: [],
  }
  for (const from of states)
    it(`moves from ${from} to ${possible[from]!.join(', ') || 'nowhere'} (ACC-01 … ACC-03)`, async () => {
      for (const to of states) {
        const id = await inState(from)
        if (!possible[from]!.includes(to)) await refused(move(id, to), 'status')
        else assert.equal((await move(id, to)).body.data.status, to)
        const moves = (await show(id)).activities.filter(({ type }: { type: string }) => type === 'status_changed')
        assert.ok(
          moves.every(({ properties }: { properties: { from: string; to: string } }) => properties.from !== properties.to),
        )
      }
    })

  it('is sent with a link, and tells what happens to it (ACC-04, ACC-06, ACC-07)', async () => {
    const story = async (work: () => Promise<unknown>) => {
      told.length = 0
      await work()
      return told.filter((event) => event.startsWith('contract.'))
    }
    const { id } = await draft()
    assert.deepEqual(await story(() => move(id, 'sent')), ['contract.sent'])
    const { issued_on, activities } = await show(id)
    assert.equal(issued_on, world.clock.now().slice(0, 10))
    assert.deepEqual(
      activities.map(({ type }: { type: string }) => type),
      ['signature_requested', 'status_changed', 'created'],
    )
    const { url } = (await act(id, 'acceptance-link')).body.data
    const token = url.split('/').at(-1)
    const signer = { signer_name: 'Grace', signer_email: 'g@x.test', accept_terms: true }
    const signed = () => world.anonymous.post(`/public/contracts/accept/${token}`, signer)
    assert.deepEqual(await story(signed), ['contract.activated', 'contract.signed'])
    assert.deepEqual(await story(() => move(id, 'terminated')), ['contract.terminated'])
    const unsigned = await draft()
    assert.deepEqual(await story(() => move(unsigned.id, 'active')), ['contract.activated'])
    await refused(act((await draft()).id, 'accept'), 'status')
    assert.deepEqual(await story(async () => act(await inState('sent'), 'accept')), ['contract.sent', 'contract.activated'])
    await refused(act((await draft({ ends_on: '2026-01-01' })).id, 'send'), 'ends_on')
  })

  it('is moved by those who may (ACC-06, ACC-12)', async () => {
    const allowed = async (permission: string, from: string, to: string) =>
      (await move(await inState(from), to, await firm.user([permission, 'contracts.assign']))).status
    assert.equal(await allowed('contracts.update', 'draft', 'sent'), 403)
    assert.equal(await allowed('contracts.send', 'draft', 'sent'), 200)
    assert.equal(await allowed('contracts.update', 'draft', 'active'), 200)
    assert.equal(await allowed('contracts.update', 'sent', 'active'), 403)
    assert.equal(await allowed('contracts.accept', 'sent', 'active'), 200)
    assert.equal(await allowed('contracts.update', 'active', 'terminated'), 200)
    for (const [verb, permission] of Object.entries({
      send: 'send',
      'acceptance-link': 'send',
      email: 'send',
      accept: 'accept',
      invoice: 'convert',
    })) {
      const { status, body } = await act(
        await inState('draft'),
        verb,
        {},
        await firm.user(['contracts.view', 'contracts.assign']),
      )
      assert.deepEqual([status, body.message], [403, `This needs the permission contracts.${permission}.`])
    }
  })

  it('expires by itself when its last day is over, signed or not', async () => {
    const today = Temporal.PlainDate.from(world.clock.now().slice(0, 10))
    const ends_on = today.toString()
    const make = async (to: string, more: object = { ends_on }) => {
      const { id } = await draft(more)
      if (to !== 'draft') assert.equal((await move(id, to)).status, 200)
      return id as number
    }
    const ids = [
      await make('active'),
      await make('sent'),
      await make('draft'),
      await make('active', {}),
      await make('terminated'),
    ]
    const waiting = await make('sent')
    await world.drain() // today's mails count towards today's rate limit
    world.clock.set(`${today.add({ days: 1 })}T00:01:00.000Z`)
    await refused(act(waiting, 'accept'), 'status')
    await refused(move(waiting, 'active'), 'status')
    const { data } = (await owner.get(`/contracts/${waiting}/actions`)).body
    const { choices } = data.find(({ key }: { key: string }) => key === 'changeContractStatus')
    assert.equal(
      choices.find(({ value }: { value: string }) => value === 'active').reason?.message,
      'The last day of this contract is over.',
    )
    world.clock.set(`${today.add({ days: 1 })}T00:06:00.000Z`)
    await world.drain('due')
    const after = await Promise.all(ids.map(async (id) => (await show(id)).status))
    assert.deepEqual(after, ['expired', 'expired', 'draft', 'active', 'terminated'])
    world.clock.set(undefined)
  })

  it('gives the same bytes as often as it is printed, also before it has a date', async () => {
    const { id, created_at } = await draft({ body: '<p>We agree.</p>' })
    const { raw } = await firm.owner.get(`/contracts/${id}/pdf`)
    const [, made] = /CreationDate \(D:(\w+)\)/.exec(raw.toString('latin1')) ?? []
    assert.equal(made, `${created_at.slice(0, 10).replaceAll('-', '')}000000Z`)
  })

  it('is printed thirty times a minute (ACC-11), and mailed while it is sent or active', async () => {
    const { id, number } = await draft({ body: '<p>We agree.</p>' })
    const printer = await firm.user(['contracts.view', 'contracts.assign'])
    const statuses = []
    for (let n = 0; n < 31; n++) statuses.push((await printer.get(`/contracts/${id}/pdf`)).status)
    assert.deepEqual(statuses, [...Array(30).fill(200), 429])
    const mail = { subject: 'Our contract', message: 'Please sign.' }
    await refused(act(id, 'email', mail), 'status')
    await act(id, 'send')
    assert.deepEqual((await act(id, 'email', mail)).body.data.to, ['ask@lindqvist.test'])
    await act(id, 'accept')
    assert.equal((await act(id, 'email', mail)).status, 200)
    await move(id, 'terminated')
    await refused(act(id, 'email', mail), 'status')
    await world.drain()
    const mails = await world.sql(
      `SELECT m.status, m.sealed IS NOT NULL AS sealed, a.name FROM email_logs m JOIN email_attachments a ON a.tenant_id = m.tenant_id AND a.email_log_id = m.id
       WHERE m.notification_type = 'contract.emailed' ORDER BY m.id`,
    )
    const name = `${number}.pdf`
    assert.deepEqual(mails, [
      { status: 'sent', sealed: true, name },
      { status: 'sent', sealed: false, name },
    ])
  })

  it('makes one invoice of its title and value while it is active', async () => {
    await refused(act(await inState('sent'), 'invoice'), 'status')
    const { id } = await draft({ currency: 'EUR', value: 999.5 })
    await move(id, 'active')
    const replies = await Promise.all([act(id, 'invoice'), act(id, 'invoice')])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422])
    const { data: invoice } = replies.find(({ status }) => status === 201)!.body
    const { status, title, total, currency, company_id, lines } = invoice
    assert.deepEqual(
      { status, title, total, currency, company_id },
      { status: 'draft', title: 'Maintenance', total: 999.5, currency: 'EUR', company_id: company },
    )
    assert.deepEqual([lines.length, lines[0].name, lines[0].quantity, lines[0].tax_rate], [1, 'Maintenance', 1, 0])
    const [{ contract_id }] = await world.sql('SELECT contract_id::int FROM invoices WHERE id = $1', [invoice.id])
    assert.deepEqual([contract_id, (await show(id)).converted_invoice_id], [id, invoice.id])
    const worthless = await draft({ value: null })
    await move(worthless.id, 'active')
    await refused(act(worthless.id, 'invoice'), 'value')
  })
})
