import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
/** Emitted events in order. */
const told: string[] = []
const { listeners } = world.services.modules
world.services.modules.listeners = async (event) => {
  told.push(event)
  return listeners(event)
}
let firm: Workspace
let owner: Person
let contact: number
let company: number

before(async () => {
  firm = await world.workspace({ name: 'Acme' })
  owner = firm.owner
  company = (await owner.post('/companies', { name: 'Lindqvist AB', email: 'ask@lindqvist.test' })).body.data.id
  contact = (await owner.post('/contacts', { name: 'Lars Lindqvist', company_id: company })).body.data.id
})

const line = { name: 'Oak desk', body: '<p>Solid</p>', quantity: 3, unit_price: 33.333, tax_rate: 20, discount_value: 12.5 }
async function draft(more: object = {}, by = owner) {
  const { status, body } = await by.post('/quotations', { title: 'Desks', company_id: company, lines: [line], ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const act = (id: number, verb: string, body?: object, by = owner) => by.post(`/quotations/${id}/${verb}`, body)
async function sent(more: object = {}) {
  const { status, body } = await act((await draft(more)).id, 'send')
  assert.equal(status, 200, body.message)
  return body.data
}
const refused = async (asked: Promise<Reply>, field: string) => {
  const { status, body } = await asked
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], body.message)
}
const show = async (id: number) => (await owner.get(`/quotations/${id}`)).body.data
const types = async (id: number) => (await show(id)).activities.map(({ type }: { type: string }) => type)

describe('a draft', () => {
  it('comes to what follows from its lines, with discounts before tax, and its texts are sanitised', async () => {
    const texts = { notes: '<p onclick="x()">Hello</p><script>x</script>', terms_and_conditions: '  ' }
    const quotation = await draft({ line_discount_type: 'percent', currency: 'EUR', contact_id: contact, ...texts })
    assert.match(quotation.number, /^QT-\d{5}$/)
    const { status, currency, subtotal, discount_total, tax_total, total, notes, terms_and_conditions, signature } = quotation
    assert.deepEqual(
      { status, currency, subtotal, discount_total, tax_total, total, notes, terms_and_conditions, signature },
      {
        ...{ status: 'draft', currency: 'EUR', subtotal: 100, discount_total: 12.5, tax_total: 17.5, total: 105 },
        ...{ notes: '<p>Hello</p>', terms_and_conditions: null, signature: null },
      },
    )
    assert.deepEqual([quotation.contact.name, quotation.company.name], ['Lars Lindqvist', 'Lindqvist AB'])
    const { name, body, discount_value, discount_amount, line_total } = quotation.lines[0]
    assert.deepEqual(
      { name, body, discount_value, discount_amount, line_total },
      { name: 'Oak desk', body: '<p>Solid</p>', discount_value: 12.5, discount_amount: 12.5, line_total: 87.5 },
    )
  })

  it('is all that can be changed; what was sent stays what it is', async () => {
    const { id } = await draft()
    const changed = await owner.put(`/quotations/${id}`, { lines: [line, line], line_discount_type: 'fixed', title: 'Two desks' })
    assert.partialDeepStrictEqual(changed.body.data, { total: 210, title: 'Two desks' })
    await act(id, 'send')
    await refused(owner.put(`/quotations/${id}`, { title: 'Three desks' }), 'status')
    await refused(act(id, 'send'), 'status')
  })

  it('is found by its customer, and lets go of a customer that is deleted for good', async () => {
    const gone = (await owner.post('/contacts', { name: 'Zaphod Quux' })).body.data.id
    const { id } = await draft({ contact_id: gone })
    const found = await owner.get('/quotations', { query: { search: 'quux' } })
    assert.deepEqual(
      found.body.data.map((one: { id: number }) => one.id),
      [id],
    )
    await owner.del(`/contacts/${gone}`)
    assert.equal((await owner.del(`/contacts/${gone}/force`)).status, 200)
    assert.equal((await show(id)).contact_id, null)
  })
})

describe('a quotation', () => {
  it('is sent, dated, and asks for a signature', async () => {
    world.clock.set('2026-11-20T23:30:00.000Z')
    told.length = 0
    const { id, status, issued_on } = await sent()
    assert.deepEqual([status, issued_on, told], ['sent', '2026-11-20', ['quotation.sent']])
    assert.deepEqual(await types(id), ['signature_requested', 'status_changed', 'created'])
    const late = await draft({ valid_until: '2026-11-19' })
    await refused(act(late.id, 'send'), 'valid_until')
    assert.equal((await show(late.id)).status, 'draft')
    assert.equal((await sent({ valid_until: '2026-11-20' })).status, 'sent')
  })

  it('is accepted, rejected with a reason, or expires, and each only once it was sent', async () => {
    const endings = { accept: 'accepted', reject: 'rejected', expire: 'expired' }
    for (const [verb, status] of Object.entries(endings)) {
      const { id } = await draft()
      await refused(act(id, verb), 'status')
      await act(id, 'send')
      told.length = 0
      const ended = await act(id, verb, { reason: 'Too dear' })
      assert.deepEqual([ended.status, ended.body.data.status, told], [200, status, [`quotation.${status}`]])
      assert.equal(ended.body.data.rejection_reason, verb === 'reject' ? 'Too dear' : null)
      for (const again of ['send', 'accept', 'reject', 'expire']) await refused(act(id, again), 'status')
    }
  })

  it('expires by itself on the day after its last one, in the workspace’s calendar', async () => {
    const tokyo = await world.workspace({ modules: ['quotations', 'invoices'], timezone: 'Asia/Tokyo' })
    world.clock.set('2027-03-01T12:00:00.000Z')
    const make = async (valid_until: string | null, isSent = true) => {
      const { id } = (await tokyo.owner.post('/quotations', { title: 'Desks', valid_until })).body.data
      if (isSent) await tokyo.owner.post(`/quotations/${id}/send`)
      return id as number
    }
    const [due, later, open, unsent] = [
      await make('2027-03-02'),
      await make('2027-03-03'),
      await make(null),
      await make('2027-03-02', false),
    ]
    const trashed = await make('2027-03-02')
    await tokyo.owner.del(`/quotations/${trashed}`)
    const converted = await make('2027-03-02')
    await tokyo.owner.post(`/quotations/${converted}/convert`)
    const copied =
      'title, status, currency, valid_until, tax_rounding, subtotal, discount_total, tax_total, total, created_at, updated_at'
    await world.sql(
      `INSERT INTO quotations (tenant_id, number, ${copied}) SELECT tenant_id, 'C' || n, ${copied} FROM quotations, generate_series(1, 101) n WHERE id = $1`,
      [due],
    )
    const states = async () =>
      Promise.all(
        [due, later, open, unsent, converted].map(async (id) => (await tokyo.owner.get(`/quotations/${id}`)).body.data.status),
      )
    world.clock.set('2027-03-02T14:59:00.000Z')
    await world.drain('due')
    assert.deepEqual(await states(), ['sent', 'sent', 'sent', 'draft', 'sent'])
    world.clock.set('2027-03-02T15:06:00.000Z')
    await world.drain('due')
    assert.deepEqual(await states(), ['expired', 'sent', 'sent', 'draft', 'sent'])
    const expired = await tokyo.owner.get('/quotations', { query: { status: 'expired', trashed: 'with' } })
    assert.equal(expired.body.meta.total, 102)
    const [entry] = (await tokyo.owner.get(`/quotations/${due}/timeline`)).body.data
    assert.partialDeepStrictEqual(entry, { type: 'status_changed', actor: null })
    world.clock.set(undefined)
  })

  it('is accepted until its last day is over, whether it has expired by then or not', async () => {
    const tokyo = await world.workspace({ modules: ['quotations', 'invoices'], timezone: 'Asia/Tokyo' })
    world.clock.set('2027-03-02T14:59:00.000Z')
    const make = async () => {
      const { id } = (await tokyo.owner.post('/quotations', { title: 'Desks', valid_until: '2027-03-02' })).body.data
      await tokyo.owner.post(`/quotations/${id}/send`)
      return id as number
    }
    const accept = (id: number) => tokyo.owner.post(`/quotations/${id}/accept`)
    const [one, two, converted] = [await make(), await make(), await make()]
    await tokyo.owner.post(`/quotations/${converted}/convert`)
    assert.equal((await accept(one)).status, 200)
    world.clock.set('2027-03-02T15:01:00.000Z')
    const reply = await accept(two)
    assert.deepEqual(reply.body.errors, { status: ['The last day of this quotation is over.'] }, reply.body.message)
    const { data } = (await tokyo.owner.get(`/quotations/${two}/actions`)).body
    const told = data.find(({ key }: { key: string }) => key === 'acceptQuotation')
    assert.equal(told.reason?.message, 'The last day of this quotation is over.')
    assert.equal((await accept(converted)).status, 200, 'what became an invoice is answered')
    world.clock.set(undefined)
  })

  it('is handled by whoever holds the permission, and seen by whom it is given to', async () => {
    const { id } = await draft()
    const needed: Record<string, string> = { accept: 'accept', reject: 'accept', expire: 'accept', send: 'send', email: 'send' }
    const clerk = await firm.user(['view', 'create', 'update'].map((action) => `quotations.${action}`))
    for (const [verb, permission] of Object.entries({
      ...needed,
      'acceptance-link': 'send',
      convert: 'convert',
      assign: 'assign',
    })) {
      const { status, body } = await act(id, verb, {}, clerk)
      assert.deepEqual([status, body.message], [403, `This needs the permission quotations.${permission}.`])
    }
    for (const path of ['', '/pdf', '/signed-document', '/notes'])
      assert.equal((await clerk.get(`/quotations/${id}${path}`)).status, 404)
    await act(id, 'assign', { assigned_to: clerk.id })
    assert.equal((await clerk.get(`/quotations/${id}`)).status, 200)
    assert.equal((await clerk.get(`/quotations/${id}/pdf`)).status, 200)
    assert.equal((await clerk.get(`/quotations/${id}/signed-document`)).status, 404)
  })
})

describe('on paper', () => {
  it('it is printed in each state, and mailed once it was sent, to the contact or the company', async () => {
    const { id, number } = await draft({ contact_id: contact })
    const pdf = await owner.get(`/quotations/${id}/pdf`)
    assert.deepEqual(
      [pdf.status, pdf.headers['content-type'], pdf.raw.subarray(0, 5).toString()],
      [200, 'application/pdf', '%PDF-'],
    )
    assert.match(String(pdf.headers['content-disposition']), new RegExp(`filename="${number}.pdf"`))
    const mail = { subject: 'Our offer', message: 'Please find it attached.' }
    await refused(act(id, 'email', mail), 'status')
    await act(id, 'send')
    const mailed = await act(id, 'email', mail)
    assert.deepEqual([mailed.status, mailed.body.data.to], [200, ['ask@lindqvist.test']])
    await owner.put(`/contacts/${contact}`, { email: 'lars@lindqvist.test' })
    assert.deepEqual((await act(id, 'email', mail)).body.data.to, ['lars@lindqvist.test'])
    await act(id, 'accept')
    assert.deepEqual((await act(id, 'email', { ...mail, to: ['boss@lindqvist.test'] })).body.data.to, ['boss@lindqvist.test'])
    await world.drain()
    const mails = await world.sql(
      `SELECT m.status, m.body_text LIKE '%/accept/quotations/••••••••%' AS linked, m.sealed IS NOT NULL AS sealed, m.body_text LIKE '%Total: USD 120.00%' AS figures, a.name, length(a.content) > 1000 AS drawn
       FROM email_logs m JOIN email_attachments a ON a.tenant_id = m.tenant_id AND a.email_log_id = m.id
       WHERE m.notification_type = 'quotation.emailed' ORDER BY m.id`,
    )
    const sent = { status: 'sent', figures: true, name: `${number}.pdf`, drawn: true }
    assert.deepEqual(mails, [
      { ...sent, linked: true, sealed: true },
      { ...sent, linked: true, sealed: true },
      { ...sent, linked: false, sealed: false },
    ])
    assert.deepEqual((await types(id)).slice(0, 3), ['emailed', 'status_changed', 'emailed'])
    await refused(act((await sent2()).id, 'email', mail), 'to')
  })
  const sent2 = () => sent({ company_id: null })
})

describe('converting', () => {
  it('makes one draft invoice of a sent or accepted quotation, as it stands', async () => {
    const quotation = await sent({ line_discount_type: 'percent', contact_id: contact, notes: '<p>Hello</p>', currency: 'EUR' })
    const { id, number, total } = quotation
    const { status, body } = await act(id, 'convert')
    assert.equal(status, 201, body.message)
    const invoice = body.data
    assert.partialDeepStrictEqual(invoice, {
      status: 'draft',
      quotation_id: id,
      title: 'Desks',
      total,
      currency: 'EUR',
      notes: '<p>Hello</p>',
      contact_id: contact,
    })
    assert.partialDeepStrictEqual(invoice.lines[0], { discount_value: 12.5, body: '<p>Solid</p>' })
    const after = await show(id)
    assert.partialDeepStrictEqual(after, { status: 'sent', converted_invoice_id: invoice.id })
    const card = (await owner.get('/dashboard')).body.data.widgets.find(({ key }: { key: string }) => key === 'sent_quotations')
    assert.ok(
      card.data.rows.every((row: { id: number }) => row.id !== id),
      'it has had its answer',
    )
    const listed = async (converted: boolean) =>
      (await owner.get('/quotations', { query: { converted, status: 'sent', per_page: 100 } })).body.data.map(
        (row: { id: number }) => row.id,
      )
    assert.deepEqual([(await listed(true)).includes(id), (await listed(false)).includes(id)], [true, false])
    const [entry] = after.activities
    assert.equal(entry.description, `Converted to invoice ${invoice.id}`)
    const again = await act(id, 'convert')
    assert.deepEqual(again.body.errors, { quotation: [`${number} was already converted to an invoice.`] })
    await owner.del(`/invoices/${invoice.id}`)
    await refused(act(id, 'convert'), 'quotation')
    await owner.del(`/invoices/${invoice.id}/force`)
    assert.equal((await show(id)).converted_invoice_id, null)
    assert.equal((await act(id, 'convert')).status, 201)
  })

  it('makes one of several at once', async () => {
    const { id } = await sent()
    const replies = await Promise.all([1, 2, 3, 4].map(() => act(id, 'convert')))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422, 422, 422])
    const [{ count }] = await world.sql('SELECT count(*)::int FROM invoices WHERE quotation_id = $1', [id])
    assert.equal(count, 1)
  })

  it('asks for the state, the module and both permissions', async () => {
    await refused(act((await draft()).id, 'convert'), 'status')
    const rejected = await sent()
    await act(rejected.id, 'reject')
    await refused(act(rejected.id, 'convert'), 'status')
    const { id } = await sent()
    const clerk = await firm.user(['quotations.view', 'quotations.convert', 'quotations.assign'])
    assert.equal((await act(id, 'convert', {}, clerk)).status, 403)
    const small = await world.workspace({ modules: ['quotations'] })
    const made = (await small.owner.post('/quotations', { title: 'Desks' })).body.data.id
    await small.owner.post(`/quotations/${made}/send`)
    await refused(small.owner.post(`/quotations/${made}/convert`), 'quotation')
  })
})
