/** Issued documents stay unchanged when customers, products and settings change: for every kind of document. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, describe, it } from 'node:test'
import { formOf, type Person, startTest, type Workspace } from '#test/harness.ts'
import { invoicePdf } from '#workspace/invoices/pdf.ts'

const world = await startTest()
const kinds = ['invoices', 'credit-notes', 'payments', 'quotations', 'estimates', 'contracts', 'purchase-orders'] as const
type Kind = (typeof kinds)[number]
let firm: Workspace
let owner: Person
const ids = { contact: 0, company: 0, vendor: 0, product: 0 }

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const svg = (fill: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="${fill}"/></svg>`
const saveLogo = async (content: Buffer | string) => {
  const reply = await owner.put('/settings/logo', formOf({ file: new File([new Uint8Array(Buffer.from(content))], 'logo') }))
  assert.equal(reply.status, 200, reply.body.message)
  return reply.body.data.logo_url as string
}

before(async () => {
  firm = await world.workspace({ name: 'Acme', modules: [...kinds, 'contacts', 'companies', 'products', 'vendors'] })
  owner = firm.owner
  const make = async (path: string, body: object) => {
    const reply = await owner.post(path, body)
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
    return reply.body.data.id
  }
  ids.contact = await make('/contacts', { name: 'Grace Hopper', email: 'grace@hopper.test', address: 'Old Street 1' })
  ids.company = await make('/companies', { name: 'Old Name', address: 'Old Road 2', tax_id: 'OLD 1' })
  ids.vendor = await make('/vendors', { name: 'Old Vendor', address: 'Old Yard 3' })
  ids.product = await make('/products', { name: 'Desk', sku: 'OLD-SKU', price: 100 })
  await owner.put('/settings', {
    settings: { company_address: 'Old Place 4', tax_registration_id: 'OLD 5', document_footer: 'Old foot' },
  })
  await saveLogo(png)
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

const lines = () => [
  { name: 'Desk', quantity: 3, unit_price: 33.335, tax_rate: 19, product_id: ids.product, discount_value: 10 },
  { name: 'Lamp', quantity: 1, unit_price: 20, tax_rate: 7, discount_value: 0 },
]
const customer = () => ({ contact_id: ids.contact, company_id: ids.company })
const bodies: Record<Kind, () => object> = {
  invoices: () => ({ title: 'Desks', due_date: '2127-01-01', line_discount_type: 'percent', lines: lines(), ...customer() }),
  'credit-notes': () => ({ title: 'Desks', lines: lines(), ...customer() }),
  payments: () => ({ amount: 50, method: 'cash', ...customer() }),
  quotations: () => ({ title: 'Desks', lines: lines(), ...customer() }),
  estimates: () => ({ title: 'Desks', lines: lines(), ...customer() }),
  contracts: () => ({ title: 'Desks', body: '<p>We agree.</p>', value: 100, ...customer() }),
  'purchase-orders': () => ({
    title: 'Desks',
    vendor_id: ids.vendor,
    lines: [{ description: 'Desk', quantity: 1, unit_price: 5, product_id: ids.product }],
  }),
}
async function drafted(kind: Kind, more: object = {}): Promise<{ id: number; number: string }> {
  const { status, body } = await owner.post(`/${kind}`, { ...bodies[kind](), ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const moves: Record<Kind, string> = {
  ...{ invoices: 'send', quotations: 'send', estimates: 'send', contracts: 'send', 'purchase-orders': 'send' },
  ...{ 'credit-notes': 'issue', payments: '' },
}
async function issued(kind: Kind, more: object = {}) {
  const draft = await drafted(kind, more)
  if (moves[kind]) assert.equal((await owner.post(`/${kind}/${draft.id}/${moves[kind]}`)).status, 200)
  return draft
}
const show = async (kind: Kind, id: number) => (await owner.get(`/${kind}/${id}`)).body.data
const print = (kind: Kind, id: number) => owner.get(`/${kind}/${id}/pdf`)
const first = (kind: Kind, id: number, by = owner) => by.get(`/${kind}/${id}/issued-document`)
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let changes = 0
/** Changes everything that documents are made from. */
async function changeEverything() {
  const n = ++changes
  const saved = [
    await owner.put(`/contacts/${ids.contact}`, { name: `Contact ${n}`, address: `New Street ${n}`, tax_id: `${n}` }),
    await owner.put(`/companies/${ids.company}`, { name: `Company ${n}`, address: `New Road ${n}`, tax_id: `${n}` }),
    await owner.put(`/vendors/${ids.vendor}`, { name: `Vendor ${n}`, address: `New Yard ${n}` }),
    await owner.put(`/products/${ids.product}`, { sku: `SKU-${n}` }),
    await owner.put('/settings', {
      settings: {
        ...{
          company_address: `New Place ${n}`,
          company_phone: `${n}`,
          tax_registration_id: `T${n}`,
          document_footer: `Foot ${n}`,
        },
        ...{
          document_accent_color: `#00${10 + (n % 80)}00`,
          locale: n % 2 ? 'de' : 'ar',
          timezone: n % 2 ? 'Asia/Tokyo' : 'UTC',
        },
      },
    }),
  ]
  assert.deepEqual(
    saved.map(({ status }) => status),
    saved.map(() => 200),
  )
  await saveLogo(svg(`#${100 + n}`))
}

describe('each kind of document', () => {
  for (const kind of kinds)
    it(`stays as it was issued: ${kind}`, async () => {
      const draft = kind === 'payments' ? undefined : await drafted(kind)
      const { id, number } = await issued(kind)
      await world.drain()
      const { issued_document } = await show(kind, id)
      const [printed, kept] = [await print(kind, id), await first(kind, id)]
      assert.deepEqual([printed.status, kept.status, kept.headers['content-type']], [200, 200, 'application/pdf'])
      assert.match(String(kept.headers['content-disposition']), new RegExp(`^attachment; filename="${number}.pdf"`))
      assert.deepEqual(
        [issued_document.sha256, issued_document.bytes, typeof issued_document.issued_at],
        [sha256(kept.raw), kept.raw.length, 'string'],
      )
      const digest = Buffer.from(issued_document.sha256, 'hex').toString('base64')
      assert.deepEqual([kept.headers['repr-digest'], typeof kept.headers.etag], [`sha-256=:${digest}:`, 'string'])
      assert.ok(kept.raw.equals(printed.raw), 'nothing has become of it yet')
      const before = draft && kind !== 'purchase-orders' ? await print(kind, draft.id) : undefined

      await changeEverything()
      assert.ok((await print(kind, id)).raw.equals(printed.raw), 'it is drawn as it was issued')
      assert.ok((await first(kind, id)).raw.equals(kept.raw))
      assert.deepEqual((await show(kind, id)).issued_document, issued_document)
      if (before) assert.ok(!(await print(kind, draft!.id)).raw.equals(before.raw), 'a draft follows')
      if (draft) {
        assert.equal((await first(kind, draft.id)).status, 404)
        assert.equal((await show(kind, draft.id)).issued_document, null)
      }
    })

  for (const kind of kinds)
    it(`is nobody else’s, and goes with it: ${kind}`, async () => {
      const { id } = await issued(kind)
      const [one, two] = await Promise.all([first(kind, id), first(kind, id)])
      assert.ok(one.status === 200 && one.raw.equals(two.raw))
      const rows = `SELECT i.pdf_key, f.state FROM issued_documents i JOIN stored_files f ON f.tenant_id = i.tenant_id AND f.key = i.pdf_key
        WHERE i.tenant_id = $1 AND i.subject_type = $2 AND i.subject_id = $3`
      const at = [firm.id, kind.replace('-', '_'), id]
      const found = await world.sql(rows, at)
      assert.deepEqual([found.length, found[0].state], [1, 'kept'])
      const file = join(world.services.config.DATA_DIR, 'files', found[0].pdf_key)
      assert.ok(existsSync(file))

      const stranger = await world.workspace({ modules: [...kinds, 'vendors'] })
      const blind = await firm.user([])
      const path = `/${kind}/${id}/issued-document`
      const replies = [await stranger.owner.get(path), await blind.get(path), await world.anonymous.get(path)]
      assert.deepEqual(
        replies.map(({ status }) => status),
        [404, 403, 401],
      )
      if (kind === 'payments' || kind === 'credit-notes') await owner.post(`/${kind}/${id}/void`)
      assert.equal((await owner.del(`/${kind}/${id}`)).status, 200)
      assert.equal((await first(kind, id)).status, 404)
      assert.equal((await owner.del(`/${kind}/${id}/force`)).status, 200)
      assert.deepEqual(await world.sql(rows, at), [])
      assert.ok(!existsSync(file))
    })
})

describe('what is issued', () => {
  it('has one row however many send it at once, and its files are drawn once', async () => {
    const { id } = await drafted('invoices')
    const replies = await Promise.all(Array.from({ length: 4 }, () => owner.post(`/invoices/${id}/send`)))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 422, 422, 422])
    await Promise.all([world.drain(), first('invoices', id), first('invoices', id)])
    const [{ files }] = await world.sql(
      `SELECT count(*)::int AS files FROM stored_files WHERE tenant_id = $1 AND mime = 'application/pdf'
       AND key NOT IN (SELECT pdf_key FROM issued_documents WHERE pdf_key IS NOT NULL)`,
      [firm.id],
    )
    assert.equal(files, 0)
  })

  it('shows the payments that came in since, in the language in which it was issued', async () => {
    await owner.put('/settings', { settings: { locale: 'en' } })
    const { id } = await issued('invoices')
    const kept = await first('invoices', id)
    await owner.put('/settings', { settings: { locale: 'de' } })
    await owner.post('/payments', { amount: 11.5, method: 'cash', allocations: [{ invoice_id: id, amount: 11.5 }] })
    const { status, totals, tables, language } = (await firm.inside((ctx) => invoicePdf(ctx, { id } as never))).data as any
    const { balance_due } = await show('invoices', id)
    assert.deepEqual(
      [language, status, totals.at(-2), totals.at(-1).value, tables[0].rows[0].at(-1)],
      ['en', 'Partial', { label: 'Paid', value: '−11.50' }, balance_due.toFixed(2), '11.50'],
    )
    assert.ok((await first('invoices', id)).raw.equals(kept.raw))
    await owner.put('/settings', { settings: { locale: 'en' } })
  })

  it('is what customers are shown by a link, sign and are mailed', async () => {
    const { id } = await issued('quotations')
    const { url } = (await owner.post(`/quotations/${id}/acceptance-link`)).body.data
    const token = url.split('/').at(-1)
    world.secret(token)
    const read = async () => (await world.anonymous.get(`/public/quotations/accept/${token}`)).body.data
    const page = async () => (await world.root.get(`/accept/quotations/${token}`)).raw.toString().replaceAll(/nonce[^ >]*/g, '')
    const [before, pageBefore] = [await read(), await page()]
    await changeEverything()
    assert.deepEqual(await read(), before)
    assert.equal(await page(), pageBefore)
    const mail = { subject: 'Offer', message: 'Here.', to: ['a@b.test'] }
    assert.equal((await owner.post(`/quotations/${id}/email`, mail)).status, 200)
    const [{ drawing }] = await world.sql('SELECT drawing FROM email_attachments ORDER BY id DESC LIMIT 1')
    assert.equal(drawing.data.recipient.name, before.recipient.name)
    const signer = { signer_name: 'Grace', signer_email: 'grace@hopper.test', accept_terms: true }
    const signed = await world.anonymous.post(`/public/quotations/accept/${token}`, signer)
    assert.equal(signed.body.data.document_sha256, before.document_sha256)
    const printed = await print('quotations', id)
    await changeEverything()
    assert.ok((await print('quotations', id)).raw.equals(printed.raw), 'also when it is signed')
  })

  it('are the invoices that a series makes by itself, and contracts that begin without a signature', async () => {
    const from = Temporal.PlainDate.from(world.clock.now().slice(0, 10))
    const series = { is_recurring: true, recurrence_frequency: 'monthly' }
    const days = {
      issue_date: from.subtract({ months: 2 }).toString(),
      recurrence_next_issue_on: from.subtract({ months: 1 }).toString(),
    }
    const { id } = await issued('invoices', { ...series, ...days, due_date: null })
    await world.drain()
    const { rows } = { rows: await world.sql('SELECT id FROM invoices WHERE recurring_source_invoice_id = $1', [id]) }
    assert.ok(rows.length >= 1)
    for (const one of rows) assert.equal((await show('invoices', one.id)).issued_document.sha256.length, 64)
    const contract = await drafted('contracts')
    assert.equal((await owner.post(`/contracts/${contract.id}/status`, { status: 'active' })).status, 200)
    assert.equal((await first('contracts', contract.id)).status, 200)
  })

  it('says what its customer must know of its state, and no more', async () => {
    const chip = async (id: number) => ((await firm.inside((ctx) => invoicePdf(ctx, { id } as never))).data as any).status
    const { id } = await drafted('invoices')
    const chips = [await chip(id)]
    await owner.post(`/invoices/${id}/send`)
    chips.push(await chip(id))
    const { total } = await show('invoices', id)
    for (const amount of [1, Number((total - 1).toFixed(2))]) {
      await owner.post('/payments', { amount, method: 'cash', allocations: [{ invoice_id: id, amount }] })
      chips.push(await chip(id))
    }
    const other = await issued('invoices')
    await owner.post(`/invoices/${other.id}/void`)
    assert.deepEqual([...chips, await chip(other.id)], ['Draft', null, 'Partial', 'Paid', 'Cancelled'])
  })

  it('takes each discount off once: the amounts on paper add up to its subtotal, and with the taxes to its total', async () => {
    await owner.put('/settings', { settings: { locale: 'en' } })
    const { id } = await issued('invoices')
    const { lines, totals, taxes } = (await firm.inside((ctx) => invoicePdf(ctx, { id } as never))).data as any
    const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100)
    const sum = (all: any[], key: string) => all.reduce((total, one) => total + cents(one[key]), 0)
    const [subtotal, tax, total] = totals.map(({ value }: { value: string }) => cents(value))
    assert.deepEqual([sum(lines, 'amount'), sum(taxes, 'net'), sum(taxes, 'tax')], [subtotal, subtotal, tax])
    assert.deepEqual([subtotal + tax, lines[0].discount, totals[0].note], [total, '−10.00', '120.01 less discounts of 10.00'])
  })

  it('is had thirty times a minute, counted together with what it is by now', async () => {
    const { id } = await issued('estimates')
    const eager = await firm.user(['estimates.view', 'estimates.assign', 'companies.view', 'contacts.view'])
    const statuses: number[] = []
    for (let n = 0; n < 31; n++) statuses.push((await eager.get(`/estimates/${id}/${n % 2 ? 'pdf' : 'issued-document'}`)).status)
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [30, 429])
  })

  it('is not what was cancelled as a draft', async () => {
    const { id } = await drafted('invoices')
    await owner.post(`/invoices/${id}/void`)
    assert.deepEqual([(await show('invoices', id)).issued_document, (await first('invoices', id)).status], [null, 404])
  })

  it('of a payment names another payer when the payment does, in the look in which it was issued', async () => {
    const { id } = await issued('payments')
    const [printed, kept] = [await print('payments', id), await first('payments', id)]
    assert.equal((await owner.put(`/payments/${id}`, { company_id: null })).status, 200)
    assert.ok(!(await print('payments', id)).raw.equals(printed.raw))
    await owner.put(`/payments/${id}`, { company_id: ids.company, reference: 'R-1' })
    assert.ok(!(await print('payments', id)).raw.equals(printed.raw), 'with its reference')
    assert.ok((await first('payments', id)).raw.equals(kept.raw))
  })

  it('keeps a former logo as long as it is printed with it', async () => {
    const path = (url: string) => url.slice('http://atrium.test'.length)
    const [unused, used] = [await saveLogo(svg('red')), await saveLogo(svg('green'))]
    assert.equal((await world.root.get(path(unused))).status, 404)
    const { id } = await issued('estimates')
    await saveLogo(svg('blue'))
    assert.equal((await world.root.get(path(used))).status, 200)
    await owner.del(`/estimates/${id}`)
    await owner.del(`/estimates/${id}/force`)
    assert.equal((await world.root.get(path(used))).status, 404)
  })
})

describe('tax by rate', () => {
  for (const tax_rounding of ['line', 'document'])
    it(`adds up to what is stored, rounded by ${tax_rounding}`, async () => {
      await owner.put('/settings', { settings: { tax_rounding } })
      const many = Array.from({ length: 37 }, (_, n) => ({
        name: `Line ${n}`,
        quantity: 1 + (n % 3),
        unit_price: Number((0.335 + n * 1.117).toFixed(3)),
        tax_rate: [19, 7, 8.875, 0][n % 4],
        discount_value: (n * 7) % 30,
      }))
      for (const kind of ['invoices', 'credit-notes', 'quotations', 'estimates'] as const) {
        const { id } = await drafted(kind, { lines: many, line_discount_type: 'percent' })
        const { tax_breakdown, subtotal, discount_total, tax_total, lines: stored } = await show(kind, id)
        const cents = (key: 'net' | 'tax') =>
          tax_breakdown.reduce((sum: number, one: { net: number; tax: number }) => sum + Math.round(one[key] * 100), 0)
        assert.deepEqual(
          tax_breakdown.map(({ tax_rate }: { tax_rate: number }) => tax_rate),
          [0, 7, 8.875, 19],
        )
        assert.deepEqual(
          [cents('net'), cents('tax')],
          [Math.round((subtotal - discount_total) * 100), Math.round(tax_total * 100)],
        )
        assert.equal(
          cents('net'),
          stored.reduce((sum: number, { line_total }: { line_total: number }) => sum + Math.round(line_total * 100), 0),
          'what the amounts on paper add up to',
        )
      }
      const order = await show('purchase-orders', (await drafted('purchase-orders')).id)
      assert.deepEqual(order.tax_breakdown, [{ tax_rate: 0, net: 5, tax: 0 }])
    })
})
