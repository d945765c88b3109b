/** What customers get is in their language: every kind of document on paper, mails and pages. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { LANGUAGES, type Language } from './languages.ts'
import { placeholdersOf, shipped } from './shipped.ts'
import type { TextKey } from './texts/en.ts'

const world = await startTest()
const keys = Object.keys(shipped.en) as TextKey[]
const foreign = LANGUAGES.filter((language) => language !== 'en')
const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined
const skip = !hasPoppler && 'there is no pdftotext (poppler)'
let firm: Workspace
let owner: Person

before(async () => {
  const modules = ['invoices', 'credit-notes', 'payments', 'quotations', 'estimates', 'contracts', 'purchase-orders']
  firm = await world.workspace({ name: 'Xyzw', modules: [...modules, 'contacts', 'companies', 'vendors', 'products'] })
  owner = firm.owner
  await owner.put('/settings', { settings: { tax_registration_id: 'X-1', document_footer: 'Xyzw' } })
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

async function made(path: string, body: object = {}, status = 201) {
  const reply = await owner.post(path, body)
  assert.equal(reply.status, status, JSON.stringify(reply.body))
  return reply.body.data
}

/** As poppler reads it, on one line. */
function textOf(pdf: Buffer) {
  const { stdout, status } = spawnSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' })
  assert.equal(status, 0)
  return oneLine(stdout)
}
const oneLine = (text: string) => text.normalize('NFKC').replace(/[\s\u200b]+/g, ' ')
const escaped = (text: string) => RegExp.escape(text)
const hasWords = (text: string, words: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${escaped(words)}(?![\\p{L}\\p{N}])`, 'u').test(text)

/** English texts without placeholders that no text of the language holds as well. */
function englishAlone(language: Language) {
  const own = oneLine(Object.values(shipped[language]).join(' | '))
  return keys.map((key) => shipped.en[key]).filter((text) => !placeholdersOf(text).length && !hasWords(own, text))
}

/** A document of every kind, issued to a customer, with all that can stand on it. */
async function everyKind(customer: object) {
  const lines = [
    { name: 'Qq', quantity: 1234.5, unit_price: 33.335, tax_rate: 19, discount_value: 10 },
    { name: 'Ww', quantity: 1, unit_price: 20, tax_rate: 7.5, discount_value: 0 },
  ]
  const terms = { notes: '<p>Qq</p>', terms_and_conditions: '<p>Ww</p>' }
  const bill = { title: 'Qq', currency: 'EUR', line_discount_type: 'fixed', lines, ...terms, ...customer }
  const documents: Record<string, number> = {}
  const invoice = await made('/invoices', { ...bill, due_date: '2127-01-09' })
  await made(`/invoices/${invoice.id}/send`, {}, 200)
  const allocations = [{ invoice_id: invoice.id, amount: 10 }]
  const payment = await made('/payments', {
    amount: 10,
    currency: 'EUR',
    method: 'cash',
    reference: 'R1',
    allocations,
    ...customer,
  })
  documents.invoices = invoice.id
  documents.payments = payment.id
  const { notes: _, terms_and_conditions: __, ...note } = bill
  documents['credit-notes'] = (await made('/credit-notes', note)).id
  await made(`/credit-notes/${documents['credit-notes']}/issue`, {}, 200)
  for (const kind of ['quotations', 'estimates']) {
    documents[kind] = (await made(`/${kind}`, { ...bill, valid_until: '2127-01-09' })).id
    await made(`/${kind}/${documents[kind]}/send`, {}, 200)
  }
  const body = { title: 'Qq', body: '<p>Qq</p>', value: 12, starts_on: '2026-01-09', ends_on: '2127-01-09', ...customer }
  documents.contracts = (await made('/contracts', body)).id
  await made(`/contracts/${documents.contracts}/send`, {}, 200)
  return documents
}

const KINDS: Record<string, TextKey> = {
  invoices: 'kind_invoice',
  payments: 'kind_receipt',
  'credit-notes': 'kind_credit_note',
  quotations: 'kind_quotation',
  estimates: 'kind_estimate',
  contracts: 'kind_contract',
  'purchase-orders': 'kind_purchase_order',
}
const printed = async (kind: string, id: number) => {
  const { status, raw } = await owner.get(`/${kind}/${id}/pdf`)
  assert.equal(status, 200, raw.toString())
  assert.ok(raw.toString('latin1').includes('pdfaid'), `${kind} is no PDF/A`)
  return textOf(raw)
}
const setLanguage = async (document_language: Language) => {
  const { status } = await owner.put('/settings', { settings: { document_language } })
  assert.equal(status, 200)
}

describe('the texts', () => {
  it('have the same placeholders in every language, and none is empty or long', () => {
    for (const language of LANGUAGES)
      for (const key of keys) {
        const text = shipped[language][key]
        assert.deepEqual(placeholdersOf(text), placeholdersOf(shipped.en[key]), `${language}.${key}`)
        assert.ok(text.trim() === text && text.length > 0 && text.length <= 200, `${language}.${key}`)
      }
  })
})

describe('the languages of a customer', () => {
  for (const path of ['/contacts', '/companies'])
    it(`are kept, changed and refused: ${path}`, async () => {
      const none = await made(path, { name: 'Qq' })
      assert.deepEqual([none.language, none.languages], [null, []])
      const both = await made(path, { name: 'Qq', language: 'de', languages: ['de', 'en'] })
      assert.deepEqual([both.language, both.languages], ['de', ['de', 'en']])
      const changed = await owner.put(`${path}/${both.id}`, { language: null, languages: [] })
      assert.deepEqual([changed.body.data.language, changed.body.data.languages], [null, []])
      for (const [wrong, field] of [
        [{ language: 'xx' }, 'language'],
        [{ language: 'DE' }, 'language'],
        [{ languages: ['en', 'xx'] }, 'languages.1'],
        [{ languages: ['en', 'en'] }, 'languages'],
        [{ languages: ['en', 'de', 'en'] }, 'languages'],
      ] as const) {
        const { status, body } = await owner.put(`${path}/${both.id}`, wrong)
        assert.deepEqual([status, Object.keys(body.errors!)], [422, [field]], JSON.stringify(wrong))
      }
    })

  it('come from the company before the contact, and from the workspace where neither has one', { skip }, async () => {
    const company = await made('/companies', { name: 'Qq' })
    const contact = await made('/contacts', { name: 'Ww', language: 'de' })
    const kindOf = async (customer: object) => {
      const { id } = await made('/estimates', { title: 'Qq', lines: [], ...customer })
      return (await printed('estimates', id)).match(/Kostenvoranschlag|Estimate/)?.[0]
    }
    assert.equal(await kindOf({ company_id: company.id, contact_id: contact.id }), 'Kostenvoranschlag')
    await owner.put(`/companies/${company.id}`, { language: 'en' })
    assert.equal(await kindOf({ company_id: company.id, contact_id: contact.id }), 'Estimate')
    await setLanguage('de')
    assert.equal(await kindOf({ company_id: company.id }), 'Estimate')
    assert.equal(await kindOf({}), 'Kostenvoranschlag')
    await setLanguage('en')
    assert.equal(await kindOf({}), 'Estimate')
  })
})

describe('every kind of document', { skip }, () => {
  for (const language of foreign)
    it(`is in its customer’s language: ${language}`, async () => {
      const company = await made('/companies', { name: 'Xyz', tax_id: 'X-2', language })
      const documents = await everyKind({ company_id: company.id })
      await setLanguage(language)
      const vendor = await made('/vendors', { name: 'Xyz', tax_id: 'X-3' })
      const line = { description: 'Qq', quantity: 1, unit_price: 5 }
      const order = await made('/purchase-orders', {
        title: 'Qq',
        vendor_id: vendor.id,
        expected_date: '2127-01-09',
        lines: [line],
      })
      await made(`/purchase-orders/${order.id}/send`, {}, 200)
      documents['purchase-orders'] = order.id
      await setLanguage('en')
      assert.deepEqual(Object.keys(documents).sort(), Object.keys(KINDS).sort())
      const english = englishAlone(language)
      assert.ok(english.length > keys.length / 2)
      const before = new Map<string, string>()
      for (const [kind, id] of Object.entries(documents)) {
        const text = await printed(kind, id)
        before.set(kind, text)
        assert.deepEqual(
          english.filter((words) => hasWords(text, words)),
          [],
          `${kind}: ${text}`,
        )
        assert.ok(hasWords(text, oneLine(shipped[language][KINDS[kind]!])), `${kind}: ${text}`)
      }
      // What was issued stays; what is a draft is in the language of now.
      const draft = (await made('/invoices', { title: 'Qq', lines: [], company_id: company.id })).id
      assert.ok(hasWords(await printed('invoices', draft), oneLine(shipped[language].state_draft)))
      await owner.put(`/companies/${company.id}`, { language: 'en' })
      for (const [kind, id] of Object.entries(documents)) assert.equal(await printed(kind, id), before.get(kind))
      assert.ok(hasWords(await printed('invoices', draft), 'Draft'))
    })
})
