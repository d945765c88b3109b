/** The particulars of a legal invoice (Directive 2006/112/EC, article 226), and where they are printed. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

const made = async (path: string, body: object): Promise<any> => {
  const reply = await firm.owner.post(path, body)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data
}
const line = (more: object = {}) => ({ name: 'Oak desk', quantity: 2.5, unit_price: 40, tax_rate: 19, ...more })
const printedOf = async (table: string, id: number) => {
  const [row] = await world.sql('SELECT printed FROM issued_documents WHERE subject_type = $1 AND subject_id = $2', [table, id])
  return row.printed
}
async function issued(body: object, path: 'invoices' | 'credit-notes' = 'invoices') {
  const { id } = await made(`/${path}`, { title: 'Desks', lines: [line()], ...body })
  const reply = await firm.owner.post(`/${path}/${id}/${path === 'invoices' ? 'send' : 'issue'}`)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return { id, printed: await printedOf(path.replace('-', '_'), id) }
}

before(async () => {
  world.clock.set('2026-12-01T12:00:00.000Z')
  firm = await world.workspace({ modules: ['invoices', 'payments', 'contacts', 'companies', 'credit-notes'] })
  const settings = {
    ...{ legal_name: 'Nordwind Möbel GmbH', street: 'Kai 3', postcode: '20457', city: 'Hamburg', country: 'DE' },
    ...{ vat_id: 'DE123456789', tax_number: '22/815/0815', tax_registration_id: 'DE123456789' },
  }
  assert.equal((await firm.owner.put('/settings', { settings })).status, 200)
})

describe('an issued invoice', () => {
  it('names the seller as registers and tax offices do, each number once', async () => {
    const { printed } = await issued({})
    assert.deepEqual(printed.issuer.lines, [
      'Nordwind Möbel GmbH',
      ...['Kai 3', '20457 Hamburg', 'Germany'],
      ...['VAT ID DE123456789', 'Tax number 22/815/0815'],
    ])
    await firm.owner.put('/settings', { settings: { company_address: 'Hafen 9\nHamburg' } })
    assert.deepEqual((await issued({})).printed.issuer.lines.slice(0, 3), ['Nordwind Möbel GmbH', 'Hafen 9', 'Hamburg'])
  })

  it('takes a number that is written in two ways for one, and a VAT id for no tax number', async () => {
    const numbers = async (settings: object, language = 'de') => {
      await firm.owner.put('/settings', { settings })
      const { id: company_id } = await made('/companies', {
        name: 'Amt',
        language,
        tax_id: 'de 811.222-333',
        vat_id: 'DE811222333',
      })
      const { printed } = await issued({ company_id })
      assert.deepEqual(printed.recipient.lines, ['USt-IdNr. DE811222333'])
      return printed.issuer.lines.slice(3)
    }
    assert.deepEqual(
      await numbers({ vat_id: 'DE811555214', tax_registration_id: 'DE 811 555 214', tax_number: 'DE-811555214' }),
      ['USt-IdNr. DE811555214'],
    )
    assert.deepEqual(await numbers({ vat_id: '', tax_registration_id: 'DE 811 555 214', tax_number: '22/815' }), [
      'USt-IdNr. DE 811 555 214',
      'Steuernummer 22/815',
    ])
    const before = { vat_id: 'DE123456789', tax_number: '22/815/0815', tax_registration_id: 'DE123456789' }
    await firm.owner.put('/settings', { settings: { ...before, company_address: '' } })
  })

  it('names countries in the language of the document', async () => {
    await firm.owner.put('/settings', { settings: { company_address: '' } })
    for (const [language, ours, theirs] of [
      ['de', 'Deutschland', 'Frankreich'],
      ['fr', 'Allemagne', 'France'],
      ['ar', 'ألمانيا', 'فرنسا'],
    ] as const) {
      const { id: company_id } = await made('/companies', {
        name: 'Vin',
        language,
        street: 'Quai 1',
        city: 'Bordeaux',
        country: 'FR',
      })
      const { printed } = await issued({ company_id })
      assert.deepEqual([printed.issuer.lines[3], printed.recipient.lines], [ours, ['Quai 1', 'Bordeaux', theirs]])
    }
  })

  it('names the buyer’s VAT id beside another number', async () => {
    const both = await made('/companies', { name: 'Both', tax_id: '99/1', vat_id: 'FR12345678901' })
    const same = await made('/companies', { name: 'Same', tax_id: 'FR12345678901', vat_id: 'FR12345678901' })
    const told = async (company_id: number) => (await issued({ company_id })).printed.recipient.lines
    assert.deepEqual(await told(both.id), ['Tax ID 99/1', 'VAT ID FR12345678901'])
    assert.deepEqual(await told(same.id), ['VAT ID FR12345678901'])
  })

  it('says when it was delivered, and by which words the buyer finds it', async () => {
    const { id: company_id } = await made('/companies', { name: 'Rathaus', language: 'de', buyer_reference: '04011000-12345-03' })
    const about = { company_id, issue_date: '2026-12-01', order_reference: 'PO-4711' }
    const period = { delivery_period_start: '2026-11-01', delivery_period_end: '2026-11-30' }
    for (const path of ['invoices', 'credit-notes'] as const) {
      const { issue_date: _, ...noDate } = about
      const { printed } = await issued({ ...(path === 'invoices' ? about : noDate), ...period }, path)
      const dates = printed.dates.map(({ label, value }: { label: string; value: string }) => [label, value])
      assert.deepEqual(dates.slice(1), [
        ['Leistungszeitraum', '01.11.2026 – 30.11.2026'],
        ['Ihre Bestellung', 'PO-4711'],
        ['Ihre Referenz', '04011000-12345-03'],
      ])
    }
    const own = await issued({ company_id, delivery_date: '2026-11-18', buyer_reference: 'Own' })
    assert.deepEqual(
      own.printed.dates.slice(1).map(({ value }: { value: string }) => value),
      ['18. November 2026', 'Own'],
    )
  })

  it('says the units of its lines, in the customer’s language', async () => {
    const { id: company_id } = await made('/companies', { name: 'Werft', language: 'de' })
    const lines = ['C62', 'HUR', 'MTK', 'XPK'].map((unit_code) => line({ unit_code }))
    const told = async (more: object) => (await issued({ lines, ...more })).printed.lines.map(({ quantity }: any) => quantity)
    assert.deepEqual(await told({ company_id }), ['2,5', '2,5 Std.', '2,5 m²', '2,5 XPK'])
    assert.deepEqual(await told({}), ['2.5', '2.5 hr', '2.5 m²', '2.5 XPK'])
  })
})

describe('the account of an invoice', () => {
  it('is one, on the page and in the XML, with one reference, also when it is another one later', async () => {
    const [ofSettings, ofPage] = ['DE02120300000000202051', 'DE89370400440532013000']
    await firm.owner.put('/settings', { settings: { iban: ofSettings, bic: 'BYLADEM1001' } })
    const { id: company_id } = await made('/companies', { name: 'Kunde', country: 'DE', email: 'kunde@firm.test' })
    const xmlOf = async (id: number, format: string) => {
      const { status, raw } = await firm.owner.get(`/invoices/${id}/e-invoice`, { query: { format } })
      assert.equal(status, 200, raw.toString())
      return raw.toString()
    }
    const body = { company_id, currency: 'EUR', due_date: '2127-01-01' }
    const before = await issued(body)
    const transfer = { account_holder: 'Nordwind Treuhand', iban: ofPage, bic: 'COBADEFFXXX', is_enabled: true }
    assert.equal((await firm.owner.put('/payment-methods/bank_transfer', transfer)).status, 200)
    const after = await issued(body)
    await firm.owner.put('/payment-methods/bank_transfer', { is_enabled: false })
    const { number } = (await firm.owner.get(`/invoices/${after.id}`)).body.data
    const reference = after.printed.transfer.lines.find(({ label }: any) => label === 'Reference').value.replaceAll(' ', '')
    assert.match(reference, /^RF\d\dINV\d+$/)
    for (const format of ['cii', 'ubl']) {
      const [then, now] = [await xmlOf(before.id, format), await xmlOf(after.id, format)]
      assert.ok(then.includes(ofSettings) && then.includes('Nordwind Möbel GmbH') && !then.includes(ofPage), format)
      for (const said of [ofPage, 'COBADEFFXXX', 'Nordwind Treuhand', `>${reference}<`])
        assert.ok(now.includes(said), `${format} ${said}`)
      assert.ok(!now.includes(ofSettings) && !now.includes('BYLADEM1001'), format)
      assert.ok(now.includes(`>${number}<`))
    }
  })
})

describe('the prefix of numbers', () => {
  it('is nothing that tears a line or a path apart', async () => {
    const put = (invoices_number_prefix: string) => firm.owner.put('/settings', { settings: { invoices_number_prefix } })
    for (const prefix of ['A\nB', 'A/B', 'A\\B', 'A\u0000', 'A\u202eB', 'A\u2028'])
      assert.deepEqual([prefix, (await put(prefix)).status], [prefix, 422])
    assert.equal((await put('RE 2026-№')).status, 200)
  })
})
