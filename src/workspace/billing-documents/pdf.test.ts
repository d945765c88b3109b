import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pino from 'pino'
import { extractText, getDocumentProxy } from 'unpdf'
import { readConfig } from '#kernel/config.ts'
import { pdfRenderer } from '#kernel/pdf/renderer.ts'
import { type BillingDocumentPdf, type BillingDocumentPdfLine, billingDocument } from './pdf.ts'

const config = readConfig({ APP_KEY: Buffer.alloc(32).toString('base64') })
const printer = pdfRenderer(config, pino({ level: 'silent' }))
after(() => printer.stop())
const renderBillingDocument = (data: BillingDocumentPdf, logo?: Uint8Array) =>
  printer.render({ for: 1, ...billingDocument(data), files: logo && { logo } })

const line: BillingDocumentPdfLine = {
  description: 'Height-adjustable desk, oak',
  detail: 'SKU DESK-160',
  quantity: '12',
  unit_price: '489.00',
  tax_rate: '19 %',
  amount: '5,868.00',
}
const order: BillingDocumentPdf = {
  kind: 'Purchase order',
  number: 'PO-2026-00042',
  title: 'Office equipment',
  status: 'Received',
  issued_on: '2026-03-14',
  dates: [{ label: 'Order date', value: '14 March 2026' }],
  issuer: { name: 'Northwind Trading GmbH', lines: ['Hafenstraße 12, Hamburg', 'orders@northwind.example'] },
  recipient: { label: 'Vendor', name: 'Lindqvist Kontor AB', lines: ['Storgatan 5', 'Stockholm'] },
  currency: 'EUR',
  lines: [line],
  totals: [{ label: 'Total', value: '5,868.00', strong: true }],
  notes: 'Deliver to the goods entrance.\nCall ahead.',
  terms_html: '<p>30 days <strong>net</strong></p>',
  footer: 'Registered in Hamburg',
}
const onePixelPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The page tree is written uncompressed, so the number of pages can be read without a PDF library. */
function pages(pdf: Buffer): number {
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0
}

const isArchivable = (pdf: Buffer) => pdf.toString('latin1').includes('pdfaid')

/** The embedded fonts show which scripts were really rendered. */
const fonts = (pdf: Buffer) => [...pdf.toString('latin1').matchAll(/\/BaseFont\s*\/\w+\+([\w-]+)/g)].map((match) => match[1])

test('letters of an Arabic word are joined', async () => {
  const widthOf = async (description: string) => {
    const pdf = await getDocumentProxy(
      new Uint8Array(await renderBillingDocument({ ...order, language: 'ar', lines: [{ ...line, description }] })),
    )
    const { items } = await (await pdf.getPage(1)).getTextContent()
    const arabic = items.filter((item) => 'str' in item && /\p{Script=Arabic}/u.test(item.str)) as { width: number }[]
    return arabic.reduce((sum, { width }) => sum + width, 0)
  }
  const [joined, apart] = [await widthOf('بببببببب'), await widthOf('ب ب ب ب ب ب ب ب')]
  assert.ok(joined > 0 && joined < apart / 2, `${joined} and ${apart} points`)
})

test('Arabic words are copied as they were written, each letter once', async () => {
  const description = 'شركة النور للتجارة والكتب'
  for (const language of ['ar', 'de']) {
    const bytes = await renderBillingDocument({ ...order, language, lines: [{ ...line, description, detail: null }] })
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })
    const words = text.split(/[^\p{Script=Arabic}]+/u).filter(Boolean)
    assert.deepEqual(words.toSorted(), description.split(' ').toSorted(), language)
  }
})

test('a short document is one page of PDF/A with its title, and the same data gives the same bytes', async () => {
  const pdf = await renderBillingDocument(order)
  assert.equal(pages(pdf), 1)
  assert.ok(isArchivable(pdf))
  assert.match(pdf.toString('latin1'), /Purchase order PO-2026-00042/)
  assert.ok(pdf.equals(await renderBillingDocument(order)))
})

test('its structure has a heading for its number, its title and each part', async () => {
  const pdf = await renderBillingDocument({ ...order, notes_html: '<h2>Delivery</h2><p>Soon.</p>', notes: null })
  const count = (tag: string) => pdf.toString('latin1').match(new RegExp(`/S\\s*/${tag}\\b`, 'g'))?.length ?? 0
  assert.deepEqual([count('H1'), count('H2'), count('H3')], [1, 3, 1])
})

test('60 lines flow over pages', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => ({ ...line, description: `Desk ${index}` }))
  const count = pages(await renderBillingDocument({ ...order, lines }))
  assert.ok(count >= 3 && count <= 5, `${count} pages`)
})

test('a description longer than a page continues on the next ones', async () => {
  const description = 'Lorem ipsum dolor sit amet, consetetur sadipscing elitr. '.repeat(250)
  const byDescription = pages(await renderBillingDocument({ ...order, lines: [{ ...line, description }] }))
  assert.ok(byDescription >= 4, `${byDescription} pages`)
  const byDetail = pages(await renderBillingDocument({ ...order, lines: [{ ...line, detail: description }] }))
  assert.ok(byDetail >= 3, `${byDetail} pages`)
})

test('Arabic and Chinese are drawn with their fonts', async () => {
  const pdf = await renderBillingDocument({
    ...order,
    title: 'Desk مكتب 办公桌',
    recipient: { label: 'Vendor', name: 'شركة النور للتجارة', lines: ['上海市浦东新区世纪大道100号'] },
  })
  assert.ok(isArchivable(pdf))
  for (const family of ['NotoSans-', 'Vazirmatn-', 'NotoSansSC-']) {
    assert.ok(
      fonts(pdf).some((font) => font?.startsWith(family)),
      family,
    )
  }
})

test('an Arabic document is laid out from the right', async () => {
  assert.equal(pages(await renderBillingDocument({ ...order, language: 'ar', kind: 'أمر شراء' })), 1)
})

test('markup characters, control characters and emoji are only text', async () => {
  const strange =
    '#panic("x") *b* $x$ \\ @ref <label> `raw` _e_ = // /* ]} \u0000\u0001\u001b[31m \ud800 😀 👩‍👩‍👧 한국어\r\nnext\tline'
  const everywhere: BillingDocumentPdf = {
    ...order,
    kind: strange,
    number: strange,
    title: strange,
    status: strange,
    issuer: { name: strange, lines: [strange] },
    recipient: { label: strange, name: strange, lines: [strange] },
    dates: [{ label: strange, value: strange }],
    lines: [
      { description: strange, detail: strange, quantity: strange, unit_price: strange, tax_rate: strange, amount: strange },
    ],
    totals: [{ label: strange, value: strange }],
    tables: [{ title: strange, headers: [strange], rows: [[strange]] }],
    notes: strange,
    footer: strange,
  }
  assert.ok(pages(await renderBillingDocument(everywhere)) >= 1)
})

test('words without spaces stay in their columns', async () => {
  const word = 'W'.repeat(300)
  const pdf = await renderBillingDocument({
    ...order,
    title: word,
    recipient: { label: 'Vendor', name: word, lines: [word] },
    lines: [{ ...line, description: word, detail: word, amount: '1'.repeat(80) }],
    notes: word,
  })
  assert.ok(isArchivable(pdf))
  assert.ok(pages(pdf) >= 2 && pages(pdf) <= 4, `${pages(pdf)} pages`)
})

test('everything optional may be missing', async () => {
  const bare: BillingDocumentPdf = {
    kind: 'Invoice',
    number: '1',
    dates: [],
    issuer: { name: 'N', lines: [] },
    recipient: { label: 'Customer', name: 'C', lines: [] },
    currency: 'JPY',
    lines: [],
    totals: [],
    title: null,
    notes: null,
  }
  assert.equal(pages(await renderBillingDocument(bare)), 1)
})

test('a logo belongs to its own document only', async () => {
  const hasImage = (pdf: Buffer) =>
    pdf.toString('latin1').includes('/Subtype/Image') || /\/Subtype\s*\/Image/.test(pdf.toString('latin1'))
  const [withLogo, without] = await Promise.all([renderBillingDocument(order, onePixelPng), renderBillingDocument(order)])
  assert.ok(hasImage(withLogo))
  assert.ok(!hasImage(without))
})

test('what the template refuses is told, and the next document is drawn', async () => {
  await assert.rejects(renderBillingDocument(order, Buffer.from('no image')), /PDF rendering failed: .*image/)
  assert.equal(pages(await renderBillingDocument(order)), 1)
})
