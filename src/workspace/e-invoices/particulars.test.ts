/**
 * Particulars that the law of the seller's country requires on invoices: printed if Atrium has the data, otherwise reported as a
 * notice.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, startTest } from '#test/harness.ts'
import { textOfPdf } from '#workspace/mcp/pdf-text.ts'
import { COUNTRIES } from './codes.ts'
import { rulesIn } from './particulars.ts'

const world = await startTest()
before(() => world.clock.set('2026-12-01T12:00:00.000Z'))

const SENTENCE = 'Leistungsdatum entspricht Rechnungsdatum'
const german = {
  ...{ country: 'DE', street: 'Kai 3', postcode: '20457', city: 'Hamburg', vat_id: 'DE123456789' },
  document_language: 'de',
}
async function firm(settings: object): Promise<Person> {
  const { owner } = await world.workspace({ modules: ['invoices', 'companies', 'contacts', 'credit-notes'] })
  const { status, body } = await owner.put('/settings', { settings })
  assert.equal(status, 200, JSON.stringify(body))
  return owner
}
const lines = [{ name: 'Oak desk', quantity: 1, unit_price: 1000, tax_rate: 19 }]
async function issued(by: Person, more: object = {}) {
  const { body, status } = await by.post('/invoices', { title: 'Desks', lines, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  const sent = await by.post(`/invoices/${body.data.id}/send`)
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return body.data.id
}
const pageOf = async (by: Person, id: number) => (await textOfPdf((await by.get(`/invoices/${id}/pdf`)).raw)).texts.join('\n')
const xmlOf = async (by: Person, id: number) => (await by.get(`/invoices/${id}/e-invoice`)).raw.toString()

describe('the day of supply', () => {
  it('is on each invoice of a German seller: as it is entered, else as the day of issue', async () => {
    const by = await firm(german)
    const company_id = (
      await by.post('/companies', { name: 'Kunde AG', street: 'Weg 1', postcode: '10115', city: 'Berlin', country: 'DE' })
    ).body.data.id
    const plain = await issued(by, { company_id })
    assert.match(await pageOf(by, plain), new RegExp(SENTENCE))
    assert.match(await xmlOf(by, plain), /<ram:OccurrenceDateTime><udt:DateTimeString format="102">20261201</)
    const dated = await issued(by, { company_id, delivery_date: '2026-11-20' })
    assert.doesNotMatch(await pageOf(by, dated), new RegExp(SENTENCE))
    assert.match(await xmlOf(by, dated), /<udt:DateTimeString format="102">20261120</)
    const period = { delivery_period_start: '2026-11-01', delivery_period_end: '2026-11-30' }
    const ofPeriod = await issued(by, { company_id, ...period })
    assert.doesNotMatch(await pageOf(by, ofPeriod), new RegExp(SENTENCE))
    assert.doesNotMatch(await xmlOf(by, ofPeriod), /OccurrenceDateTime/)
  })

  it('is said by a draft too, and by no invoice of a country that asks for other days alone', async () => {
    const by = await firm(german)
    const { id } = (await by.post('/invoices', { title: 'Desks', lines })).body.data
    assert.match(await pageOf(by, id), new RegExp(SENTENCE))
    const french = await firm({ ...german, country: 'FR', vat_id: 'FR12345678901' })
    assert.doesNotMatch(await pageOf(french, await issued(french)), new RegExp(SENTENCE))
    const nowhere = await firm({ document_language: 'de' })
    assert.doesNotMatch(await pageOf(nowhere, await issued(nowhere)), new RegExp(SENTENCE))
  })

  it('isn’t assumed for goods that leave for another member state', async () => {
    const by = await firm({ ...german, einvoice_on_send: 'off' })
    const company_id = (await by.post('/companies', { name: 'Client SA', country: 'FR', vat_id: 'FR12345678901' })).body.data.id
    const { body } = await by.post('/invoices', {
      ...{ title: 'Desks', company_id },
      lines: [{ ...lines[0], tax_rate: 0, tax_category: 'K' }],
    })
    const { problems } = (await by.get(`/invoices/${body.data.id}/e-invoice/check`)).body.data
    assert.ok(problems.some(({ rule }: { rule: string }) => rule === 'BR-IC-11'))
  })
})

describe('the particulars of a country', () => {
  const check = async (by: Person, more: object = {}) => {
    const { id } = (await by.post('/invoices', { title: 'Desks', lines, ...more })).body.data
    return { id, ...(await by.get(`/invoices/${id}/particulars`)).body.data }
  }
  const fields = ({ notices }: { notices: { field: string }[] }) => notices.map(({ field }) => field)

  it('are noticed before an invoice is issued, and refuse nothing', async () => {
    const by = await firm({ country: 'DE' })
    const found = await check(by)
    assert.deepEqual([found.country, found.sources[0], found.reviewed], ['DE', '§ 14 (4) UStG', false])
    assert.deepEqual(fields(found), ['settings.street', 'settings.vat_id', 'company_id'])
    assert.equal((await by.post(`/invoices/${found.id}/send`)).status, 200)
    const { activities } = (await by.get(`/invoices/${found.id}`)).body.data
    const sentence = activities.map(({ description }: { description: string }) => description).join('\n')
    assert.match(sentence, /Issued without what § 14 \(4\) UStG asks for: The address of the workspace is missing\./)
  })

  it('are fewer of a small amount, and none of what is whole', async () => {
    const by = await firm(german)
    assert.deepEqual(fields(await check(by)), ['company_id'])
    assert.deepEqual(fields(await check(by, { currency: 'EUR', lines: [{ ...lines[0], unit_price: 100 }] })), [])
    const bare = (await by.post('/companies', { name: 'Kunde AG' })).body.data.id
    assert.deepEqual(fields(await check(by, { company_id: bare })), ['company.street'])
    const whole = (await by.post('/companies', { name: 'Kunde AG', address: 'Weg 1\n10115 Berlin' })).body.data.id
    assert.deepEqual(fields(await check(by, { company_id: whole })), [])
  })

  it('are those of the country of the workspace, which is asked for where none is set', async () => {
    assert.deepEqual(fields(await check(await firm({}))), ['settings.country'])
    const polish = await firm({ ...german, country: 'PL', vat_id: 'PL1234567890' })
    const company_id = (await polish.post('/companies', { name: 'Klient', address: 'Ulica 1' })).body.data.id
    assert.deepEqual(fields(await check(polish, { company_id })), ['company.vat_id'])
    const french = await firm({ ...german, country: 'FR', vat_id: 'FR12345678901' })
    const client = (await french.post('/companies', { name: 'Client', address: 'Rue 1' })).body.data.id
    assert.deepEqual(fields(await check(french, { company_id: client })), ['due_date'])
    assert.deepEqual(fields(await check(await firm({ country: 'JP' }))), [])
  })

  it('have sources, and nobody has reviewed them', () => {
    for (const country of COUNTRIES) {
      const rules = rulesIn(country)
      if (rules) assert.ok(rules.sources.length > 0 && !rules.reviewed, country)
    }
    assert.deepEqual([rulesIn('US'), rulesIn('')], [undefined, undefined])
  })
})
