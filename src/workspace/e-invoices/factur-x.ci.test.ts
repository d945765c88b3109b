/** Factur-X: the issued PDF contains the e-invoice, as read by other programs (poppler, qpdf). */
// CI stage: einvoices
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Person, startTest } from '#test/harness.ts'

const world = await startTest()
const folder = mkdtempSync(join(tmpdir(), 'factur-x-'))
const without = (program: string) => (spawnSync(program, ['--version']).error ? { skip: `${program} is not installed` } : {})
let owner: Person
let company: number

before(async () => {
  owner = (await world.workspace({ modules: ['invoices', 'credit-notes', 'payments', 'companies'] })).owner
  await owner.put('/settings', { settings: { country: 'DE', vat_id: 'DE123456789', einvoice_on_send: 'warn' } })
  company = (await owner.post('/companies', { name: 'شركة النور', country: 'EG' })).body.data.id
})
after(() => rmSync(folder, { recursive: true, force: true }))

async function issued(more: object = {}) {
  const body = {
    title: 'Wine',
    company_id: company,
    lines: [{ name: 'Wine (خمر) <3', quantity: 3, unit_price: 9.99, tax_rate: 19 }],
    ...more,
  }
  const made = await owner.post('/invoices', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  assert.equal((await owner.post(`/invoices/${id}/send`)).status, 200)
  return id as number
}
const saved = (content: Buffer) => {
  const path = join(folder, `${createHash('sha1').update(content).digest('hex')}.pdf`)
  writeFileSync(path, content)
  return path
}

describe('the PDF of an issued invoice', () => {
  it('holds the e-invoice byte for byte, as it was issued and after a payment', without('pdfdetach'), async () => {
    const id = await issued()
    const xml = (await owner.get(`/invoices/${id}/e-invoice`)).raw
    const first = (await owner.get(`/invoices/${id}/issued-document`)).raw
    const { total } = (await owner.get(`/invoices/${id}`)).body.data
    const paid = await owner.post('/payments', {
      ...{ amount: total, method: 'cash', company_id: company },
      allocations: [{ invoice_id: id, amount: total }],
    })
    assert.equal(paid.status, 201, JSON.stringify(paid.body))
    const later = (await owner.get(`/invoices/${id}/pdf`)).raw
    assert.ok(!later.equals(first), 'it says that it was paid')
    for (const pdf of [first, later]) {
      const path = saved(pdf)
      assert.match(execFileSync('pdfdetach', ['-list', path], { encoding: 'utf8' }), /^1 embedded files\n1: factur-x\.xml/)
      execFileSync('pdfdetach', ['-save', '1', '-o', `${path}.xml`, path])
      assert.ok(readFileSync(`${path}.xml`).equals(xml))
    }
    const { issued_document } = (await owner.get(`/invoices/${id}`)).body.data
    assert.equal(issued_document.xml_sha256, createHash('sha256').update(xml).digest('hex'))
  })

  it('says the same sums as its e-invoice, the list and what pays it', without('pdftotext'), async () => {
    const odd = [
      { name: 'Wine', quantity: 3, unit_price: 33.335, tax_rate: 19, discount_value: 10 },
      { name: 'Bread', quantity: 7, unit_price: 0.333333, tax_rate: 7, discount_value: 0 },
      { name: 'Book', quantity: 1.25, unit_price: 19.99, tax_rate: 7, discount_value: 2.5 },
      { name: 'Gift', quantity: 1, unit_price: 0, tax_rate: 19, discount_value: 0 },
    ]
    const many = Array.from({ length: 60 }, (_, n) => ({
      name: `Part ${n}`,
      quantity: 1,
      unit_price: (10 * n + 5) / 1000,
      tax_rate: 19,
    }))
    for (const tax_rounding of ['line', 'document'])
      for (const more of [
        { currency: 'EUR', line_discount_type: 'percent', lines: odd },
        { currency: 'EUR', line_discount_type: 'fixed', lines: odd.slice(0, 3) },
        { currency: 'JPY', lines: [{ name: 'Tea', quantity: 3, unit_price: 333, tax_rate: 10 }] },
        { currency: 'EUR', lines: many },
      ]) {
        await owner.put('/settings', { settings: { tax_rounding } })
        const id = await issued(more)
        const shown = (await owner.get(`/invoices/${id}`)).body.data
        const digits = shown.currency === 'JPY' ? 0 : 2
        const exact = (amount: number) => amount.toFixed(digits)

        const xml = String((await owner.get(`/invoices/${id}/e-invoice`)).raw)
        const said = (name: string) => Number(xml.match(new RegExp(`<ram:${name}[^>]*>([^<]*)<`))?.[1]).toFixed(digits)
        assert.deepEqual(
          ['TaxTotalAmount', 'GrandTotalAmount', 'DuePayableAmount'].map(said),
          [shown.tax_total, shown.total, shown.total].map(exact),
        )
        const pdf = saved((await owner.get(`/invoices/${id}/issued-document`)).raw)
        const text = execFileSync('pdftotext', ['-layout', pdf, '-'], { encoding: 'utf8' }).replaceAll(',', '')
        assert.match(text, new RegExp(`Total\\s+${shown.currency} ${exact(shown.total)}\\b`))
        const [listed] = (await owner.get('/invoices', { query: { ids: id } })).body.data
        assert.deepEqual([listed.total, listed.tax_total, listed.balance_due], [shown.total, shown.tax_total, shown.total])

        const { total: amount, currency } = shown
        const pays = { amount, currency, method: 'cash', company_id: company }
        const payment = await owner.post('/payments', { ...pays, allocations: [{ invoice_id: id, amount }] })
        assert.equal(payment.status, 201, JSON.stringify(payment.body))
        const paid = (await owner.get(`/invoices/${id}`)).body.data
        assert.deepEqual([paid.status, paid.balance_due, payment.body.data.amount], ['paid', 0, amount])
      }
  })

  it('says that it is Factur-X and PDF/A-3, and nothing of it is broken', without('qpdf'), async () => {
    const path = saved((await owner.get(`/invoices/${await issued()}/issued-document`)).raw)
    execFileSync('qpdf', ['--check', path])
    const plain = execFileSync('qpdf', ['--qdf', '--object-streams=disable', path, '-'], { maxBuffer: 2 ** 26 }).toString()
    for (const said of [
      '<fx:ConformanceLevel>EN 16931<',
      '<fx:DocumentFileName>factur-x.xml<',
      '<pdfaid:part>3<',
      '/AFRelationship /Alternative',
    ])
      assert.ok(plain.includes(said), said)
  })

  it('is as ever where the data do not suffice', async () => {
    const pdf = (await owner.get(`/invoices/${await issued({ company_id: null })}/issued-document`)).raw.toString('latin1')
    assert.ok(!pdf.includes('factur-x.xml') && pdf.includes('<pdfaid:part>2<'))
  })
})
