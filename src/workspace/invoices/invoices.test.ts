import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { textOfPdf } from '#workspace/mcp/pdf-text.ts'

const world = await startTest()
let firm: Workspace
let owner: Person

before(async () => {
  firm = await world.workspace({ modules: ['invoices', 'products', 'resellers'] })
  owner = firm.owner
})

const line = (more: object = {}) => ({ name: 'Work', quantity: 2, unit_price: 50, ...more })
const draft = async (more: object = {}, by = owner) => {
  const { status, body } = await by.post('/invoices', { title: 'Repairs', lines: [line()], ...more })
  assert.equal(status, 201, JSON.stringify(body.errors))
  return body.data
}
const unpaid = async (more: object = {}) => (await owner.post(`/invoices/${(await draft(more)).id}/send`)).body.data
const refused = async (asked: Promise<Reply>, ...fields: string[]) => {
  const { status, body } = await asked
  assert.deepEqual([status, Object.keys(body.errors ?? {}).sort()], [422, fields.sort()], body.message)
  return body
}
/** Sets the amounts as if payments and credits had been applied. */
const settleBySql = (id: number, paid: number, credited = 0) =>
  world.sql('UPDATE invoices SET amount_paid = $2, amount_credited = $3 WHERE id = $1', [id, paid, credited])
const types = async (id: number) =>
  (await owner.get(`/invoices/${id}/timeline`)).body.data.map(({ type }: { type: string }) => type)

describe('a draft invoice', () => {
  it('begins with the next number, in the currency of the workspace, and what follows from its lines (INV-02, INV-05, INV-06)', async () => {
    const { number: before } = await draft()
    const invoice = await draft({ lines: [line({ tax_rate: 7.5 }), line({ quantity: 0.333, unit_price: 9.99 })] })
    assert.equal(Number(invoice.number.slice(4)), Number(before.slice(4)) + 1)
    assert.match(invoice.number, /^INV-\d{5}$/)
    const { status, display_status, currency, subtotal, discount_total, tax_total, total, amount_paid, balance_due } = invoice
    assert.deepEqual(
      { status, display_status, currency, subtotal, discount_total, tax_total, total, amount_paid, balance_due },
      {
        ...{ status: 'draft', display_status: 'draft', currency: 'USD' },
        ...{ subtotal: 103.33, discount_total: 0, tax_total: 7.5, total: 110.83, amount_paid: 0, balance_due: 110.83 },
      },
    )
  })

  it('discounts its lines before tax, in the decimals of its currency (INV-13, INV-14, INV-26)', async () => {
    const lines = [line({ quantity: 3, unit_price: 33.333, discount_value: 12.5, tax_rate: 20 })]
    const sums = async (more: object) => {
      const { subtotal, discount_total, tax_total, total, lines: shown } = await draft({ lines, ...more })
      assert.equal(shown[0].line_total, Number((subtotal - discount_total).toFixed(3)))
      return [subtotal, discount_total, tax_total, total]
    }
    assert.deepEqual(await sums({ line_discount_type: 'percent' }), [100, 12.5, 17.5, 105])
    assert.deepEqual(await sums({ line_discount_type: 'fixed' }), [100, 12.5, 17.5, 105])
    assert.deepEqual(await sums({}), [100, 0, 20, 120])
    assert.deepEqual(await sums({ line_discount_type: 'percent', currency: 'JPY' }), [100, 13, 17, 104])
    assert.deepEqual(await sums({ line_discount_type: 'percent', currency: 'KWD' }), [99.999, 12.5, 17.5, 104.999])
  })

  it('names the discount that is missing or too large (INV-24)', async () => {
    const post = (line_discount_type: string, ...values: (number | undefined)[]) =>
      owner.post('/invoices', { title: 'x', line_discount_type, lines: values.map((discount_value) => line({ discount_value })) })
    await refused(post('percent', 0, undefined), 'lines.1.discount_value')
    await refused(post('percent', 100.5), 'lines.0.discount_value')
    await refused(post('fixed', 100, 100.01), 'lines.1.discount_value')
    assert.equal((await post('fixed', 100, 0)).body.data.total, 100)
    await refused(post('halves', 1), 'line_discount_type')
    const undiscounted = (await post('none', 5)).body.data
    assert.deepEqual([undiscounted.total, undiscounted.lines[0].discount_value], [100, 0])
  })

  it('keeps its texts as HTML that can do nothing (INV-08)', async () => {
    const dirty = '<p onclick="x()">Thanks</p><script>alert(1)</script><img src=x onerror=y>'
    const invoice = await draft({ notes: dirty, terms_and_conditions: '<script></script>', lines: [line({ body: dirty })] })
    assert.deepEqual(
      [invoice.notes, invoice.terms_and_conditions, invoice.lines[0].body],
      ['<p>Thanks</p>', null, '<p>Thanks</p>'],
    )
    const { body } = await owner.put(`/invoices/${invoice.id}`, { notes: '<a href="javascript:1">a</a>' })
    assert.equal(body.data.notes, '<a rel="noopener noreferrer nofollow">a</a>')
  })

  it('names products that the actor may use, and keeps its own words (INV-23, INV-25, INV-27)', async () => {
    const product = (await owner.post('/products', { name: 'Desk', sku: 'D-1', unit_price: 99 })).body.data
    const idle = (await owner.post('/products', { name: 'Old', sku: 'D-0', is_active: false })).body.data
    const [shown] = (await draft({ lines: [line({ product_id: product.id })] })).lines
    assert.deepEqual([shown.name, shown.unit_price, shown.product], ['Work', 50, { id: product.id, sku: 'D-1', name: 'Desk' }])
    await refused(owner.post('/invoices', { title: 'x', lines: [line(), line({ product_id: idle.id })] }), 'lines.1.product_id')
    const clerk = await firm.user(['invoices.create'])
    const sent = { title: 'x', lines: [line({ product_id: product.id })] }
    await refused(clerk.post('/invoices', sent), 'lines.0.product_id')
    const { owner: stranger } = await world.workspace({ modules: ['invoices'] })
    await refused(stranger.post('/invoices', sent), 'lines.0.product_id')
  })

  it('names a customer in sight, and a quotation and reseller that are there (INV-09, INV-10, INV-11)', async () => {
    const contact = (await owner.post('/contacts', { name: 'Ann' })).body.data.id
    const company = (await owner.post('/companies', { name: 'Ash' })).body.data.id
    const reseller = (await owner.post('/resellers', { name: 'R' })).body.data.id
    const invoice = await draft({ contact_id: contact, company_id: company, reseller_id: reseller })
    assert.deepEqual([invoice.contact.name, invoice.company.name, invoice.reseller.name], ['Ann', 'Ash', 'R'])
    const clerk = await firm.user(['invoices.create', 'contacts.view'])
    await refused(clerk.post('/invoices', { title: 'x', contact_id: contact }), 'contact_id')
    await refused(owner.post('/invoices', { title: 'x', quotation_id: 999 }), 'quotation_id')
    const bare = await world.workspace({ modules: ['invoices'] })
    await refused(bare.owner.post('/invoices', { title: 'x', reseller_id: reseller }), 'reseller_id')
    for (const path of [`/contacts/${contact}`, `/companies/${company}`, `/resellers/${reseller}`]) {
      await owner.del(path)
      assert.equal((await owner.del(`${path}/force`)).status, 200, path)
    }
    const { contact_id, company_id, reseller_id } = (await owner.get(`/invoices/${invoice.id}`)).body.data
    assert.deepEqual([contact_id, company_id, reseller_id], [null, null, null])
  })

  it('is changed in part, with its lines as a whole (INV-35)', async () => {
    const { id } = await draft({ lines: [line({ discount_value: 10 })] })
    const put = async (body: object) => (await owner.put(`/invoices/${id}`, body)).body.data
    assert.equal((await put({ title: 'B' })).lines.length, 1)
    assert.equal((await put({ line_discount_type: 'percent', lines: [line({ discount_value: 10 })] })).total, 90)
    assert.equal((await put({ line_discount_type: 'fixed' })).total, 90)
    assert.equal((await put({ line_discount_type: 'none' })).total, 100)
    assert.equal((await put({ currency: 'JPY', lines: [line({ unit_price: 0.3 }), line()] })).total, 101)
    assert.equal((await put({ lines: [] })).total, 0)
    await refused(owner.put(`/invoices/${id}`, { issue_date: '2026-05-02', due_date: '2026-05-01' }), 'due_date')
  })
})

describe('an invoice', () => {
  it('is sent: owed from today unless it has a date, and no longer a draft (INV-36, INV-37)', async () => {
    const east = await world.workspace({ modules: ['invoices'], timezone: 'Pacific/Kiritimati' })
    world.clock.set('2026-03-31T12:00:00.000Z')
    const { id } = (await east.owner.post('/invoices', { title: 'x' })).body.data
    assert.equal((await east.owner.post(`/invoices/${id}/send`)).body.data.issue_date, '2026-04-01')
    world.clock.set(undefined)
    const invoice = await unpaid({ issue_date: '2026-01-05' })
    assert.partialDeepStrictEqual(invoice, { status: 'unpaid', issue_date: '2026-01-05' })
    const body = await refused(owner.put(`/invoices/${invoice.id}`, { title: 'no' }), 'status')
    assert.match(body.errors!.status![0]!, /only draft invoices can be edited/i)
    await refused(owner.post(`/invoices/${invoice.id}/send`), 'status')
    assert.deepEqual(await types(invoice.id), ['status_changed', 'created'])
  })

  it('that was sent is refused for its status, whatever else it would be refused for (INV-48)', async () => {
    const company_id = (await owner.post('/companies', { name: 'Ash', vat_id: 'ATU12345675' })).body.data.id
    const { id } = await unpaid({ company_id, lines: [line({ tax_rate: 0, tax_category: 'AE' })] })
    assert.equal((await owner.put(`/companies/${company_id}`, { vat_id: null })).status, 200)
    await refused(owner.post(`/invoices/${id}/send`), 'status')
    await refused(owner.post(`/invoices/${id}/status`, { status: 'unpaid' }), 'status')
  })

  it('is voided while nobody paid or credited it, which names it otherwise (INV-38, INV-49)', async () => {
    const invoice = await unpaid()
    const page = async () => (await textOfPdf((await owner.get(`/invoices/${invoice.id}/pdf`)).raw)).texts.join()
    assert.match(await page(), /Balance due/)
    const voided = (await owner.post(`/invoices/${invoice.id}/void`)).body.data
    assert.deepEqual([voided.status, voided.balance_due], ['cancelled', invoice.balance_due])
    assert.doesNotMatch(await page(), /Balance due/)
    assert.deepEqual(await types(invoice.id), ['voided', 'status_changed', 'status_changed', 'created'])
    await refused(owner.post(`/invoices/${invoice.id}/void`), 'status')
    for (const { paid, credited, status } of [
      { paid: 10, credited: 0, status: 'unpaid' },
      { paid: 0, credited: 10, status: 'unpaid' },
      { paid: 100, credited: 0, status: 'paid' },
    ] as const) {
      const { id, number } = await unpaid()
      await settleBySql(id, paid, credited)
      await world.sql('UPDATE invoices SET status = $2 WHERE id = $1', [id, status])
      for (const asked of [owner.post(`/invoices/${id}/void`), owner.post(`/invoices/${id}/status`, { status: 'cancelled' })])
        assert.match((await refused(asked, 'status')).errors!.status![0]!, new RegExp(number))
      const { data } = (await owner.get(`/invoices/${id}/actions`)).body
      const { choices } = data.find(({ key }: { key: string }) => key === 'changeInvoiceStatus')
      assert.equal(choices.find(({ value }: { value: string }) => value === 'cancelled').allowed, false)
    }
  })

  it('moves by POST /status, each move under its own permission (INV-48, INV-50, INV-51)', async () => {
    const clerk = await firm.user(['invoices.assign', 'invoices.update'])
    const move = (id: number, status: string, by = owner) => by.post(`/invoices/${id}/status`, { status })
    const { id } = await draft()
    assert.equal((await move(id, 'unpaid', clerk)).status, 403)
    assert.equal((await move(id, 'cancelled', clerk)).status, 403)
    assert.match(
      (await refused(move(id, 'paid', clerk), 'status')).errors!.status![0]!,
      /not possible to settle an invoice that is draft/,
    )
    await refused(move(id, 'draft', clerk), 'status')
    await refused(move(id, 'partial'), 'status')
    assert.equal((await move(id, 'unpaid')).body.data.status, 'unpaid')
    assert.deepEqual((await refused(move(id, 'paid', clerk), 'status')).errors, {
      status: ['100.00 USD is still due; an invoice becomes paid by its payments.'],
    })
    const paid = async (one: number) => {
      const { body } = await owner.get(`/invoices/${one}/actions`)
      const [{ choices }] = body.data.filter(({ path }: { path: string }) => path.endsWith('/status'))
      return choices.find(({ value }: { value: string }) => value === 'paid')
    }
    assert.deepEqual(
      [(await paid(id)).allowed, (await paid(id)).reason.message],
      [false, '100.00 USD is still due; an invoice becomes paid by its payments.'],
    )
    assert.equal((await move(id, 'cancelled')).body.data.status, 'cancelled')
    const free = await unpaid({ lines: [] })
    assert.equal((await paid(free.id)).allowed, true)
    assert.equal((await move(free.id, 'paid', clerk)).body.data.status, 'paid')
    assert.deepEqual((await refused(move(free.id, 'unpaid'), 'status')).errors, {
      status: ['It is not possible to send an invoice that is paid. Nothing can follow.'],
    })
  })

  it('shows in part paid ones as partial, and counts them as unpaid (INV-04)', async () => {
    const { id } = await unpaid()
    await settleBySql(id, 40)
    const { status, display_status, balance_due } = (await owner.get(`/invoices/${id}`)).body.data
    assert.deepEqual([status, display_status, balance_due], ['unpaid', 'partial', 60])
    await assert.rejects(settleBySql(id, 90, 20), /check constraint/)
  })

  it('is sent once by two at a time', async () => {
    const { id } = await draft()
    const replies = await Promise.all([1, 2, 3, 4].map(() => owner.post(`/invoices/${id}/send`)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422, 422, 422])
  })
})

describe('who may not assign invoices', () => {
  it('sees, counts and handles only their own (INV-71, AUTH-09)', async () => {
    const office = await world.workspace({ modules: ['invoices'] })
    const all = ['view', 'create', 'update', 'send', 'void', 'delete'].map((action) => `invoices.${action}`)
    const seller = await office.user(all)
    const theirs = (await office.owner.post('/invoices', { title: 'Theirs', assigned_to: office.owner.id })).body.data
    const own = (await seller.post('/invoices', { title: 'Own', assigned_to: office.owner.id })).body.data
    assert.equal(own.assigned_to, seller.id)
    assert.deepEqual(
      (await seller.get('/invoices')).body.data.map(({ id }: { id: number }) => id),
      [own.id],
    )
    const { total_invoices, my_invoices, scope } = (await seller.get('/invoices/stats')).body.data
    assert.deepEqual([total_invoices, my_invoices, scope], [1, 1, 'mine'])
    const mail = { subject: 's', message: 'm', to: ['a@b.test'] }
    for (const asked of [
      seller.get(`/invoices/${theirs.id}`),
      seller.put(`/invoices/${theirs.id}`, { title: 'x' }),
      seller.post(`/invoices/${theirs.id}/send`),
      seller.post(`/invoices/${theirs.id}/void`),
      seller.post(`/invoices/${theirs.id}/email`, mail),
      seller.get(`/invoices/${theirs.id}/pdf`),
      seller.get(`/invoices/${theirs.id}/timeline`),
      seller.post(`/invoices/${theirs.id}/recurrence/stop`),
    ])
      assert.equal((await asked).status, 404)
    assert.equal((await seller.post(`/invoices/${own.id}/send`)).status, 200)
  })
})

describe('the list of invoices', () => {
  it('finds by number, title, and what stands on the card of contact and company (INV-32, INV-70)', async () => {
    const contact = (await owner.post('/contacts', { name: 'Zora Quill', phone: '0171 55', company: 'Quillworks' })).body.data
    const company = (await owner.post('/companies', { name: 'Zinnober KG', phone: '030 77' })).body.data
    const { id, number } = await draft({ title: 'Zebra paint', contact_id: contact.id, company_id: company.id })
    for (const search of [number.toLowerCase(), 'zebra', 'quill', '171 5', 'quillworks', 'zinnober', '30 77']) {
      const { data } = (await owner.get('/invoices', { query: { search } })).body
      assert.ok(
        data.some((one: { id: number }) => one.id === id),
        search,
      )
    }
    await owner.put(`/contacts/${contact.id}`, { name: 'Zora Renamed' })
    assert.equal((await owner.get('/invoices', { query: { search: 'zora renamed' } })).body.meta.total, 1)
    const firmOfContact = (await owner.post('/companies', { name: 'Quendel AG', phone: '089 66' })).body.data.id
    await owner.put(`/contacts/${contact.id}`, { company_id: firmOfContact })
    for (const search of ['quendel', '89 6'])
      assert.equal((await owner.get('/invoices', { query: { search } })).body.meta.total, 1, search)
    for (const query of [`contact_id=${contact.id}`, `company_id=${company.id}`])
      assert.equal((await owner.get(`/invoices?${query}`)).body.meta.total, 1)
  })

  it('tells overdue by the calendar of the workspace, among unpaid ones that are not settled (INV-33, INV-34)', async () => {
    const west = await world.workspace({ modules: ['invoices'], timezone: 'Pacific/Honolulu' })
    const make = async (due_date: string | null, sent = true, currency = 'USD') => {
      const body = { title: 'x', issue_date: '2026-01-01', due_date, currency, lines: [line()] }
      const { id } = (await west.owner.post('/invoices', body)).body.data
      if (sent) await west.owner.post(`/invoices/${id}/send`)
      return id as number
    }
    const late = await make('2026-05-31')
    for (const { due, sent } of [
      { due: '2026-05-31', sent: false },
      { due: '2026-06-01', sent: true },
      { due: null, sent: true },
    ] as const)
      await make(due, sent)
    await make('2026-05-01', true, 'EUR')
    world.clock.set('2026-06-01T09:00:00.000Z') // still 31 May in Honolulu
    const overdue = async () => (await west.owner.get('/invoices', { query: { overdue: 'true' } })).body.meta.total
    assert.equal(await overdue(), 1)
    world.clock.set('2026-06-01T10:00:00.000Z')
    assert.equal(await overdue(), 2)
    await settleBySql(late, 30)
    const stats = (await west.owner.get('/invoices/stats')).body.data
    world.clock.set(undefined)
    assert.deepEqual(stats, {
      ...{ total_invoices: 5, my_invoices: 0, draft: 1, unpaid: 4, paid: 0, cancelled: 0, overdue: 2, outstanding_balance: 370 },
      outstanding_by_currency: [
        { currency: 'EUR', outstanding_balance: 100 },
        { currency: 'USD', outstanding_balance: 270 },
      ],
      scope: 'org',
    })
  })
})

describe('a mailed invoice', () => {
  const mail = { subject: 'Your invoice', message: 'Please see attached.' }

  it('goes to the contact, else to the company, with the PDF, and says so (INV-55, INV-56)', async () => {
    const contact = (await owner.post('/contacts', { name: 'Ann', email: 'ann@ash.test' })).body.data.id
    const silent = (await owner.post('/contacts', { name: 'Bob' })).body.data.id
    const company = (await owner.post('/companies', { name: 'Ash', email: 'office@ash.test' })).body.data.id
    for (const { who, to } of [
      { who: { contact_id: contact, company_id: company }, to: 'ann@ash.test' },
      { who: { contact_id: silent, company_id: company }, to: 'office@ash.test' },
    ] as const) {
      const { id, number } = await unpaid(who)
      const { status, body } = await owner.post(`/invoices/${id}/email`, mail)
      assert.deepEqual([status, body.data.to], [200, [to]])
      const logged = `select notification_type, body_text ~ 'Balance due: USD 100.00' as told, "to", (select array_agg(name) from email_attachments a where a.tenant_id = l.tenant_id and a.email_log_id = l.id) as files
        from email_logs l where uuid = $1`
      const [row] = await world.sql(logged, [body.data.email_log_uuid])
      assert.deepEqual(row, { notification_type: 'customer_invoice.emailed', told: true, to: [to], files: [`${number}.pdf`] })
      assert.equal((await types(id))[0], 'emailed')
    }
  })

  it('must have been sent, and have somebody to go to (INV-57, INV-58)', async () => {
    await refused(owner.post(`/invoices/${(await draft()).id}/email`, { ...mail, to: ['a@b.test'] }), 'status')
    const { id } = await unpaid()
    await refused(owner.post(`/invoices/${id}/email`, mail), 'to')
    await refused(owner.post(`/invoices/${id}/email`, { ...mail, to: ['nobody'] }), 'to.0')
    await owner.post(`/invoices/${id}/void`)
    await refused(owner.post(`/invoices/${id}/email`, { ...mail, to: ['a@b.test'] }), 'status')
  })

  it('goes out ten times a minute for each user (INV-59)', async () => {
    const { id } = await unpaid({ assigned_to: null })
    const clerk = await firm.user(['invoices.send', 'invoices.assign'])
    const replies: Reply[] = []
    for (let n = 0; n < 11; n++)
      replies.push(await clerk.post(`/invoices/${id}/email`, { ...mail, to: ['a@b.test'], attach_pdf: false }))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [...Array(10).fill(200), 429],
    )
  })
})

describe('the PDF of an invoice', () => {
  it('prints in any state, named by its number, and anew once something changed (INV-60)', async () => {
    const invoice = await draft({
      notes: '<p>Thank <b>you</b></p>',
      lines: [line({ discount_value: 5 })],
      line_discount_type: 'fixed',
    })
    const print = () => owner.get(`/invoices/${invoice.id}/pdf`)
    const first = await print()
    assert.equal(first.headers['content-type'], 'application/pdf')
    assert.match(String(first.headers['content-disposition']), new RegExp(`^attachment; filename="${invoice.number}.pdf"`))
    assert.ok(first.raw.equals((await print()).raw))
    await owner.put(`/invoices/${invoice.id}`, { title: 'Other' })
    assert.equal(first.raw.equals((await print()).raw), false)
    for (const verb of ['send', 'void']) {
      await owner.post(`/invoices/${invoice.id}/${verb}`)
      assert.equal((await print()).raw.subarray(0, 5).toString(), '%PDF-', verb)
    }
  })

  it('is drawn thirty times a minute for each user (INV-65)', async () => {
    const { id } = await draft()
    const eager = await firm.user(['invoices.view', 'invoices.assign'])
    const statuses: number[] = []
    for (let n = 0; n < 31; n++) statuses.push((await eager.get(`/invoices/${id}/pdf`)).status)
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [30, 429])
  })
})

describe('an invoice of a customer whom its reader may not view', () => {
  const HIDDEN = /hidden|Secret|DE 4711/i
  let invoice: { id: number; number: string }
  let clerk: Person
  let keeper: Person

  before(async () => {
    const shop = await world.workspace({ modules: ['invoices', 'payments'] })
    keeper = shop.owner
    clerk = await shop.user(['view', 'create', 'send', 'assign'].map((action) => `invoices.${action}`))
    const details = { email: 'ann@hidden.test', phone: '+49 30 4711', address: 'Secret street 1', tax_id: 'DE 4711' }
    const buyer_reference = 'Secret reference'
    const contact = { name: 'Visible Ann', ...details, buyer_reference, assigned_to: clerk.id }
    const contact_id = (await keeper.post('/contacts', contact)).body.data.id
    invoice = await draft({ contact_id, due_date: '2127-01-01' }, clerk)
    assert.equal((await clerk.post(`/invoices/${invoice.id}/send`)).status, 200)
  })

  it('shows the name alone, in replies and on the PDF', async () => {
    const { body, raw } = await clerk.get(`/invoices/${invoice.id}`)
    assert.equal(body.data.contact.name, 'Visible Ann')
    assert.doesNotMatch(raw.toString(), HIDDEN)
    const printed = async (by: Person) => (await textOfPdf((await by.get(`/invoices/${invoice.id}/pdf`)).raw)).texts.join(' ')
    const [seen, whole] = [await printed(clerk), await printed(keeper)]
    assert.match(seen, /Visible Ann/)
    assert.doesNotMatch(seen, HIDDEN)
    assert.match(whole, /Secret street 1/)
    assert.match(whole, /Secret reference/)
  })

  it('is not given as issued, as an e-invoice, or by a pay link', async () => {
    for (const path of ['issued-document', 'e-invoice'])
      assert.equal((await clerk.get(`/invoices/${invoice.id}/${path}`)).status, 403, path)
    const iban = { account_holder: 'Firm', iban: 'DE89370400440532013000', is_enabled: true }
    assert.equal((await keeper.put('/payment-methods/bank_transfer', iban)).status, 200)
    assert.equal((await clerk.post(`/invoices/${invoice.id}/pay-link`)).status, 403)
    assert.equal((await keeper.post(`/invoices/${invoice.id}/pay-link`)).status, 200)
  })

  it('tells no address that it was mailed to', async () => {
    const letter = { subject: 'Invoice', message: 'Here it is.' }
    const mailed = await clerk.post(`/invoices/${invoice.id}/email`, letter)
    assert.partialDeepStrictEqual(mailed, { status: 200, body: { data: { to: [] } } })
    assert.equal((await keeper.post(`/invoices/${invoice.id}/remind`, {})).status, 200)
    await world.drain()
    const [log] = await world.sql('SELECT "to", body_text FROM email_logs WHERE uuid = $1', [mailed.body.data.email_log_uuid])
    assert.deepEqual(log.to, ['ann@hidden.test'])
    assert.match(log.body_text, /\/pay\//)
    for (const path of [`/invoices/${invoice.id}`, `/invoices/${invoice.id}/timeline`, '/events'])
      assert.doesNotMatch((await clerk.get(path)).raw.toString(), HIDDEN, path)
    const told = async (by: Person) =>
      (await by.get(`/invoices/${invoice.id}/timeline`)).body.data.map((one: any) => one.description)
    assert.ok((await told(clerk)).includes('Mailed'))
    assert.ok((await told(keeper)).includes('Mailed to ann@hidden.test'))
    const toSelf = await clerk.post(`/invoices/${invoice.id}/email`, { ...letter, to: [clerk.email] })
    await world.drain()
    const [own] = await world.sql('SELECT body_text FROM email_logs WHERE uuid = $1', [toSelf.body.data.email_log_uuid])
    assert.doesNotMatch(own.body_text, /\/pay\//)
  })
})
