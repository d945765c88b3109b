/** Customers get everything in their language: every kind of printed document, mails and pages. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { invoiceXml } from '#workspace/incoming-invoices/samples.ts'
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
  const modules = ['invoices', 'credit-notes', 'payments', 'quotations', 'estimates', 'contracts', 'purchase-orders', 'expenses']
  firm = await world.workspace({
    name: 'Xyzw',
    modules: [...modules, 'incoming-invoices', 'contacts', 'companies', 'vendors', 'products'],
  })
  owner = firm.owner
  const seller = { legal_name: 'Xyzw Qq', city: 'Qq', country: 'DE', vat_id: 'DE123456789', tax_number: '1/2' }
  const settings = { ...seller, tax_registration_id: 'X-1', document_footer: 'Xyzw', einvoice_on_send: 'warn' }
  assert.equal((await owner.put('/settings', { settings })).status, 200)
  const account = { account_holder: 'Xyzw', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', is_enabled: true }
  assert.equal((await owner.put('/payment-methods/bank_transfer', account)).status, 200)
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

async function made(path: string, body: object = {}, status = 201) {
  const reply = await owner.post(path, body)
  assert.equal(reply.status, status, JSON.stringify(reply.body))
  return reply.body.data
}

/** Returns the text as poppler extracts it, on one line. */
function textOf(pdf: Buffer) {
  const { stdout, status } = spawnSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' })
  assert.equal(status, 0)
  return oneLine(stdout)
}
const oneLine = (text: string) => text.normalize('NFKC').replace(/[\s\u200b]+/g, ' ')
/** Removes artefacts of extracting fonts whose letters are several glyphs: in Arabic, letters are doubled and separated. */
const lettersOf = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/[^\p{L}]/gu, '')
    .replace(/(.)\1+/gu, '$1')
const hasWords = (text: string, words: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(words)}(?![\\p{L}\\p{N}])`, 'u').test(text)

/**
 * English texts that don't occur in the language's texts: whole texts, and parts that are long enough to be recognised next to
 * placeholders.
 */
function englishAlone(language: Language) {
  const own = oneLine(Object.values(shipped[language]).join(' | '))
  const parts = keys.flatMap((key) => {
    const around = shipped.en[key].split(/\{\w+\}/).map((part) => oneLine(part).replace(/^\P{L}+|\P{L}+$/gu, ''))
    return around.length > 1 ? around.filter(({ length }) => length > 5) : around
  })
  return parts.filter((part) => !hasWords(own, part))
}

const lines = [
  { name: 'Qq', quantity: 1234.5, unit_price: 33.335, tax_rate: 19, discount_value: 10 },
  { name: 'Ww', quantity: 1, unit_price: 20, tax_rate: 7.5, discount_value: 0 },
]
const terms = { notes: '<p>Qq</p>', terms_and_conditions: '<p>Ww</p>' }
const bill = { title: 'Qq', currency: 'EUR', line_discount_type: 'fixed', lines, ...terms }
const contract = { title: 'Qq', body: '<p>Qq</p>', value: 12, starts_on: '2026-01-09', ends_on: '2127-01-09' }

/** Creates drafts of the kinds that can print one. */
async function drafts(customer: object) {
  const { notes: _, terms_and_conditions: __, ...note } = bill
  const bodies = {
    invoices: { ...bill, due_date: '2127-01-09' },
    'credit-notes': note,
    quotations: { ...bill, valid_until: '2127-01-09' },
    estimates: { ...bill, valid_until: '2127-01-09' },
    contracts: contract,
  }
  const documents: Record<string, number> = {}
  for (const [kind, body] of Object.entries(bodies)) documents[kind] = (await made(`/${kind}`, { ...body, ...customer })).id
  return documents
}

/** Lines without tax, in units of every kind, with all data about the delivery. */
const untaxed = {
  lines: ['AE', 'K', 'G'].map((tax_category, n) => {
    return { name: 'Qq', quantity: 1, unit_price: 5, tax_category, unit_code: ['HUR', 'DAY', 'MON'][n], discount_value: 1 }
  }),
  ...{ delivery_date: '2026-11-09', delivery_period_start: '2026-11-01', delivery_period_end: '2026-11-30' },
  ...{ order_reference: 'O1', buyer_reference: 'B1' },
}

/** Creates an invoice with all optional data, and the credit note that corrects it. */
async function corrected(customer: object) {
  const invoice = await made('/invoices', { ...bill, ...untaxed, due_date: '2127-01-09', ...customer })
  await made(`/invoices/${invoice.id}/send`, {}, 200)
  const note = await made('/credit-notes', { title: 'Qq', corrects_invoice_id: invoice.id })
  await made(`/credit-notes/${note.id}/issue`, {}, 200)
  return { invoice: invoice.id as number, note: note.id as number }
}

let came = 0
/** Receives an e-invoice as XML. */
async function cameIn() {
  const xml = invoiceXml({ number: `R${++came}`, seller: 'Xyz', buyer: 'Xyzw', item: 'Qq' }).replace('Thank you.', 'Qq')
  return (await made('/incoming-invoices', { file: new File([xml], 'q.xml') })).id as number
}

/** Creates a partly paid invoice, and its receipt. */
async function paidInPart(customer: object) {
  const invoice = await made('/invoices', { ...bill, due_date: '2127-01-09', ...customer })
  await made(`/invoices/${invoice.id}/send`, {}, 200)
  const allocations = [{ invoice_id: invoice.id, amount: 10 }]
  const paid = { amount: 10, currency: 'EUR', method: 'cash', reference: 'R1', allocations, ...customer }
  return { invoices: invoice.id as number, payments: (await made('/payments', paid)).id as number }
}

async function sentOrder() {
  const vendor = await made('/vendors', { name: 'Xyz', tax_id: 'X-3' })
  const line = { description: 'Qq', quantity: 1, unit_price: 5 }
  const order = await made('/purchase-orders', { title: 'Qq', vendor_id: vendor.id, expected_date: '2127-01-09', lines: [line] })
  await made(`/purchase-orders/${order.id}/send`, {}, 200)
  return order.id as number
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
async function pdfOf(kind: string, id: number, path = 'pdf') {
  const { status, raw } = await owner.get(`/${kind}/${id}/${path}`)
  assert.equal(status, 200, raw.toString())
  assert.ok(raw.toString('latin1').includes('pdfaid'), `${kind} is no PDF/A`)
  return raw
}
const printed = async (...of: Parameters<typeof pdfOf>) => textOf(await pdfOf(...of))
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
  let company: number
  let drafted: Record<string, number>
  before(async () => {
    company = (await made('/companies', { name: 'Xyz', tax_id: 'X-2', vat_id: 'FR12345678901', country: 'FR' })).id
    drafted = await drafts({ company_id: company })
  })
  const speak = async (language: Language) => {
    await owner.put(`/companies/${company}`, { language })
    await setLanguage(language)
  }

  for (const language of foreign)
    it(`is in its customer’s language: ${language}`, async () => {
      await speak(language)
      const paid = await paidInPart({ company_id: company })
      const documents = [
        ...Object.entries({ ...drafted, ...paid, 'purchase-orders': await sentOrder() }),
        ['invoices', drafted.invoices!] as const,
      ]
      assert.deepEqual(new Set(documents.map(([kind]) => kind)), new Set(Object.keys(KINDS)))
      const { invoice, note } = await corrected({ company_id: company })
      const all: [TextKey, Parameters<typeof pdfOf>][] = [
        ...documents.map(([kind, id]): [TextKey, [string, number]] => [KINDS[kind]!, [kind, id]]),
        ['kind_invoice', ['invoices', invoice]],
        ['kind_credit_note', ['credit-notes', note]],
        ['for', ['companies', company, 'statement/pdf']],
        ['kind_invoice', ['incoming-invoices', await cameIn()]],
      ]
      const english = englishAlone(language)
      assert.ok(english.length > keys.length / 2)
      for (const [key, of] of all) {
        const text = await printed(...of)
        assert.deepEqual(
          english.filter((words) => hasWords(text, words)),
          [],
          `${of}: ${text}`,
        )
        assert.ok(lettersOf(text).includes(lettersOf(shipped[language][key])), `${of}: ${text}`)
      }
      const xml = (await owner.get(`/invoices/${invoice}/e-invoice`)).raw.toString()
      const { discount, reverse_charge, intra_community } = shipped[language]
      for (const words of [discount, reverse_charge, intra_community]) assert.ok(xml.includes(`>${words}<`), `${words}: ${xml}`)
      const [{ xml: kept }] = await world.sql(
        "SELECT xml FROM issued_documents WHERE subject_type = 'invoices' AND subject_id = $1",
        [invoice],
      )
      assert.equal(kept, xml)
    })

  it('stays in the language in which it was issued', async () => {
    await speak('de')
    const customer = { company_id: company }
    const issued: Record<string, number> = { ...(await drafts(customer)), 'purchase-orders': await sentOrder() }
    for (const kind of ['invoices', 'credit-notes', 'quotations', 'estimates', 'contracts'])
      await made(`/${kind}/${issued[kind]}/${kind === 'credit-notes' ? 'issue' : 'send'}`, {}, 200)
    issued.payments = (await made('/payments', { amount: 10, method: 'card', ...customer })).id
    const all = Object.entries(issued)
    const before = new Map(await Promise.all(all.map(async ([kind, id]) => [kind, await pdfOf(kind, id)] as const)))
    await speak('en')
    for (const [kind, id] of all) assert.ok(before.get(kind)!.equals(await pdfOf(kind, id)), kind)
    // Later changes are printed in its language.
    await owner.post(`/invoices/${issued.invoices}/void`)
    const voided = await printed('invoices', issued.invoices!)
    assert.ok(hasWords(voided, shipped.de.state_cancelled) && !hasWords(voided, 'Cancelled'), voided)
    // A draft is printed in the current language.
    assert.ok(hasWords(await printed('invoices', drafted.invoices!), 'Draft'))
  })
})

describe('mails and pages', () => {
  const form = (path: string, fields: Record<string, string>) =>
    world.root.post(path, new URLSearchParams(fields).toString(), {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const mails = async () =>
    (await world.sql('SELECT subject, body_html, body_text FROM email_logs WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1', [
      firm.id,
    ])) as [{ subject: string; body_html: string; body_text: string }]
  /** Returns the text of a page, including the labels of its images and fields. */
  const readOf = (html: string) =>
    oneLine(
      html
        .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
        .replace(/<[^>]*?aria-label="([^"]*)"[^>]*>/g, ' $1 ')
        .replace(/<[^>]*>/g, ' '),
    )

  async function offered(customer: object) {
    const quotation = await made('/quotations', { ...bill, ...customer, valid_until: '2127-01-09' })
    await made(`/quotations/${quotation.id}/send`, {}, 200)
    const { url } = await made(`/quotations/${quotation.id}/acceptance-link`, {}, 200)
    world.secret(url.split('/').at(-1))
    return { ...quotation, path: new URL(url).pathname as string }
  }

  for (const language of foreign)
    it(`are in the customer’s language: ${language}`, async () => {
      const english = englishAlone(language)
      const texts = shipped[language]
      const isForeign = (html: string, ...expected: string[]) => {
        assert.ok(html.includes(`<html lang="${language}"${['ar', 'he'].includes(language) ? ' dir="rtl"' : ''}>`))
        const text = readOf(html)
        assert.deepEqual(
          english.filter((words) => hasWords(text, words)),
          [],
          text,
        )
        for (const words of expected) assert.ok(text.includes(oneLine(words)), `${words}: ${text}`)
      }
      const company = (await made('/companies', { name: 'Xyz', language, tax_id: 'X-2' })).id
      const { id, path } = await offered({ company_id: company })
      const page = async () => (await world.root.get(path)).raw.toString()
      isForeign(await page(), texts.kind_quotation, texts.unit_price, texts.accept_terms, texts.what_is_kept)
      const wrong = await form(path, { signer_name: '', signer_email: 'x', drawn: 'data:,' })
      assert.equal(wrong.status, 422)
      isForeign(wrong.raw.toString(), texts.name_wrong, texts.email_wrong, texts.accept_terms_missing)
      await made(`/quotations/${id}/email`, { to: ['a@xyzw.test'], subject: 'Qq', message: 'Ww' }, 200)
      const [sent] = await mails()
      isForeign(sent.body_html, texts.read_and_accept, texts.open_address, texts.valid_until, texts.total)
      const signed = await form(path, { signer_name: 'Qq', signer_email: 'a@xyzw.test', accept_terms: 'true' })
      isForeign(signed.raw.toString(), texts.thank_you, texts.signed_by, texts.download_signed)
      isForeign(await page(), texts.signed_hash)
      const [thanks] = await mails()
      isForeign(thanks.body_html, texts.signed_on)
      const invoice = await made('/invoices', { ...bill, company_id: company, issue_date: '2026-01-01', due_date: '2026-01-09' })
      await made(`/invoices/${invoice.id}/send`, {}, 200)
      const link = await made(`/invoices/${invoice.id}/pay-link`, {}, 200)
      world.secret(link.url.split('/').at(-1))
      const pay = await world.root.get(new URL(link.url).pathname)
      isForeign(pay.raw.toString(), texts.to_pay, texts.scan_or_transfer, texts.download_invoice)
      for (const reminder of ['first', 'again']) {
        await world.sql('DELETE FROM rate_limits')
        await made(`/invoices/${invoice.id}/remind`, { to: [`${reminder}@xyzw.test`] }, 200)
        const [reminded] = await mails()
        isForeign(reminded.body_html, texts.balance_due, texts.view_and_pay, texts.reminder_paid_already)
        const asked = texts[`reminder_${reminder}_subject` as TextKey].replace('{number}', invoice.number)
        assert.equal(reminded.subject, asked)
      }
      assert.ok(
        english.every((words) => !hasWords(thanks.subject, words) && !hasWords(thanks.body_text, words)),
        thanks.subject,
      )
    })
})

describe('two languages at once', { skip }, () => {
  it('stand on a document, once where they are equal, and follow each other in mails', async () => {
    const company = (await made('/companies', { name: 'Xyz', language: 'pl', languages: ['de', 'fr'] })).id
    const { invoices } = await paidInPart({ company_id: company })
    const text = await printed('invoices', invoices)
    for (const words of [
      'Rechnung / Facture',
      'Menge Quantité',
      'Teilweise bezahlt / Partiellement payée',
      '1.234,5',
      'Gesamtbetrag / Total',
    ])
      assert.ok(text.includes(words), `${words}: ${text}`)
    assert.ok(!/Faktura|Invoice|Netto \/ Netto/.test(text), text)
    await made(`/invoices/${invoices}/email`, { to: ['a@xyzw.test'], subject: 'Qq', message: 'Ww' }, 200)
    const [{ body_text }] = (await world.sql('SELECT body_text FROM email_logs ORDER BY id DESC LIMIT 1')) as [
      { body_text: string },
    ]
    assert.match(body_text, /Fällig am \/ Date d’échéance: 9\. Januar 2127/)
  })
})

describe('own words', () => {
  const put = (language: string, words: unknown, by = owner) => by.put(`/document-texts/${language}`, words)
  const textsIn = async (language: Language) =>
    (await owner.get('/document-texts')).body.data.find((one: { language: string }) => one.language === language)

  it('stand in place of the shipped ones, of that workspace and language, until they are taken back', async () => {
    const { body } = await owner.get('/document-texts')
    assert.deepEqual(
      body.data.map((one: { language: string }) => one.language),
      LANGUAGES,
    )
    assert.deepEqual(await textsIn('ar'), { language: 'ar', direction: 'rtl', texts: shipped.ar, own: [] })
    const saved = await put('de', { kind_estimate: '  Honorarvorschlag <b> ', tax_id: 'UID {id}' })
    assert.deepEqual([saved.status, saved.body.data.own], [200, ['kind_estimate', 'tax_id']])
    assert.deepEqual(saved.body.data, await textsIn('de'))
    assert.equal(saved.body.data.texts.kind_estimate, 'Honorarvorschlag <b>')
    const again = await put('de', { kind_estimate: 'Honorarvorschlag', notes: null })
    assert.deepEqual(
      [again.body.data.texts.kind_estimate, again.body.data.own],
      ['Honorarvorschlag', ['kind_estimate', 'tax_id']],
    )
    assert.deepEqual((await textsIn('en')).own, [])
    const other = await world.workspace({ modules: [] })
    assert.deepEqual((await other.owner.get('/document-texts')).body.data[1].own, [])
    const back = await put('de', { kind_estimate: null, tax_id: '' })
    assert.deepEqual([back.body.data.own, back.body.data.texts], [[], shipped.de])
  })

  it('are refused whole, by their keys, where one is wrong', async () => {
    for (const [language, words, fields] of [
      ['xx', { notes: 'N' }, ['language']],
      ['DE', { notes: 'N' }, ['language']],
      ['de', { notes: 'N', nothing: 'x', __proto__x: 'x' }, ['nothing', '__proto__x']],
      ['de', { constructor: 'x' }, ['constructor']],
      ['de', { notes: 'N', tax_id: 'UID' }, ['tax_id']],
      ['de', { tax_id: 'UID {id} {number}' }, ['tax_id']],
      ['de', { tax_id: 'UID {Id}' }, ['tax_id']],
      ['de', { notes: 'N {id}' }, ['notes']],
      ['de', { notes: 'a\nb' }, ['notes']],
      ['de', { notes: 'x'.repeat(501) }, ['notes']],
      ['de', { notes: 7 }, ['notes']],
      ['de', [], ['body']],
    ] as const) {
      const { status, body } = await put(language, words)
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [...fields]], JSON.stringify(words))
    }
    assert.deepEqual((await textsIn('de')).own, [])
  })

  it('are seen with settings.view, changed with settings.update', async () => {
    const [sees, changes] = [await firm.user(['settings.view']), await firm.user(['settings.update'])]
    assert.equal((await sees.get('/document-texts')).status, 200)
    assert.equal((await put('de', { notes: null }, sees)).status, 403)
    assert.equal((await put('de', { notes: null }, changes)).status, 200)
    assert.equal((await changes.get('/document-texts')).status, 403)
    assert.equal((await world.anonymous.get('/document-texts')).status, 401)
  })

  it('are changed by several at once', async () => {
    const words = Object.fromEntries(keys.filter((key) => !placeholdersOf(shipped.en[key]).length).map((key) => [key, 'X']))
    const turned = Object.fromEntries(Object.entries(words).reverse())
    const replies = await Promise.all([words, turned, words, turned].map((body) => put('it', body)))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    assert.equal((await textsIn('it')).own.length, Object.keys(words).length)
    await put('it', Object.fromEntries(Object.keys(words).map((key) => [key, null])))
  })

  it('are printed as text, kept by what was issued, and shown on pages as text', { skip }, async () => {
    const company = (await made('/companies', { name: 'Xyz', language: 'de' })).id
    await put('de', { kind_quotation: 'Vorschlag #panic() <i>', your_name: 'Wer <script>' })
    const { id } = await made('/quotations', { ...bill, company_id: company })
    await made(`/quotations/${id}/send`, {}, 200)
    const { url } = await made(`/quotations/${id}/acceptance-link`, {}, 200)
    world.secret(url.split('/').at(-1))
    const page = (await world.root.get(new URL(url).pathname)).raw.toString()
    assert.ok(page.includes('Wer &lt;script&gt;') && page.includes('Vorschlag #panic() &lt;i&gt;'))
    await put('de', { kind_quotation: null, your_name: null })
    assert.ok((await printed('quotations', id)).includes('Vorschlag #panic() <i>'))
    assert.ok(!(await printed('quotations', (await made('/quotations', { ...bill, company_id: company })).id)).includes('panic'))
  })
})
