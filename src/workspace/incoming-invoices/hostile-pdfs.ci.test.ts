/** PDFs with false data about their attachments: each is rejected with a readable message, without affecting other requests. */
// CI stage: einvoices
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import { startTest, type Workspace } from '#test/harness.ts'
import { invoiceXml } from './samples.ts'

const world = await startTest()
let firm: Workspace
before(async () => {
  firm = await world.workspace({ modules: ['expenses', 'incoming-invoices'] })
})

interface Attached {
  name?: string
  content: Buffer
  /** Entries after the length in the stream's dictionary. */
  stream?: string
}
/** Returns a PDF with an empty page and attachments; `names` replaces its name tree. */
function pdfWith(attached: Attached[], names?: string): Buffer {
  const entries = attached.map((_, n) => `(file ${n}) ${4 + 2 * n} 0 R`)
  const objects: (string | Buffer)[] = [
    `<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles ${names ?? `<< /Names [${entries.join(' ')}] >>`} >> >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    ...attached.flatMap(({ name = 'factur-x.xml', content, stream = '' }, n) => [
      `<< /Type /Filespec /F (${name}) /UF (${name}) /EF << /F ${5 + 2 * n} 0 R >> >>`,
      Buffer.concat([
        Buffer.from(`<< /Type /EmbeddedFile /Length ${content.length} ${stream} >>\nstream\n`),
        content,
        Buffer.from('\nendstream'),
      ]),
    ]),
  ]
  const parts = [Buffer.from('%PDF-1.7\n')]
  const offsets = objects.map((object, n) => {
    const at = parts.reduce((sum, { length }) => sum + length, 0)
    parts.push(Buffer.from(`${n + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n'))
    return at
  })
  const xref = parts.reduce((sum, { length }) => sum + length, 0)
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF`,
    ),
  )
  return Buffer.concat(parts)
}
const upload = (pdf: Buffer) => firm.owner.post('/incoming-invoices', { file: new File([Buffer.from(pdf)], 'invoice.pdf') })

it('are read where they tell the truth, whatever they say of sizes', async () => {
  const content = Buffer.from(invoiceXml({ number: 'P-1' }))
  const { status, body } = await upload(pdfWith([{ content, stream: '/Params << /Size 4000000000 >>' }]))
  assert.deepEqual([status, body.data?.number, body.data?.format], [201, 'P-1', 'pdf'], JSON.stringify(body))
})

it('have their other attachments listed and opened, by whoever may view the invoice', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const embedded = `<cac:AdditionalDocumentReference><cbc:ID>H-1</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="application/pdf" filename="hours.pdf">${Buffer.from('%PDF-1.7 hours').toString('base64')}</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`
  const content = Buffer.from(invoiceXml({ number: 'P-4' }).replace('<cac:AccountingSupplierParty>', `${embedded}$&`))
  const { body } = await upload(
    pdfWith([{ content }, { name: 'photo.png', content: png }, { name: 'page.html', content: Buffer.from('<html></html>') }]),
  )
  const path = `/incoming-invoices/${body.data.id}/attachments`
  const listed = (await firm.owner.get(path)).body.data
  assert.deepEqual(
    listed.map(({ id, name, media_type }: any) => [id, name, media_type]),
    [
      [1, 'hours.pdf', 'application/pdf'],
      [2, 'photo.png', null],
      [3, 'page.html', null],
    ],
  )
  const files = await Promise.all([1, 2, 3].map((id) => firm.owner.get(`${path}/${id}`)))
  assert.deepEqual(
    files.map(({ status, headers }) => [status, headers['content-type'], headers['x-content-type-options']]),
    [
      [200, 'application/pdf', 'nosniff'],
      [200, 'image/png', 'nosniff'],
      [200, 'application/octet-stream', 'nosniff'],
    ],
  )
  assert.deepEqual(files[1]!.raw, png)
  assert.match(String(files[0]!.headers['content-disposition']), /^attachment; filename="hours\.pdf"/)
  const viewer = await firm.user(['incoming-invoices.view'])
  const [blind, stranger] = [await firm.user([]), await world.workspace({ modules: ['expenses', 'incoming-invoices'] })]
  const statuses = async (id: string) =>
    (await Promise.all([viewer, blind, stranger.owner, world.anonymous].map((by) => by.get(`${path}/${id}`)))).map(
      ({ status }) => status,
    )
  assert.deepEqual(await statuses('1'), [200, 403, 404, 401])
  assert.deepEqual(await statuses('4'), [404, 403, 404, 401])
  for (const key of ['0', '-1', '1e0', '1.pdf', '99999']) assert.equal((await firm.owner.get(`${path}/${key}`)).status, 404, key)
})

const xml = Buffer.from(invoiceXml({ number: 'P-2' }))
const zeros = (megabytes: number) => deflateSync(Buffer.alloc(megabytes << 20, ' '))
const FLATE = '/Filter /FlateDecode'
const lies: Record<string, () => [Buffer, RegExp]> = {
  'hold two invoices': () => [
    pdfWith([{ content: xml }, { content: Buffer.from(invoiceXml({ number: 'P-3' })) }]),
    /more than one/,
  ],
  'hold none': () => [pdfWith([{ name: 'letter.txt', content: xml }]), /nothing that is attached to it is XML/],
  'hold something else by that name': () => [
    pdfWith([{ content: Buffer.from('<html><script>alert(1)</script></html>') }]),
    /Is <html>/,
  ],
  'hold entities': () => [
    pdfWith([{ content: Buffer.from(`<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>`) }]),
    /no XML that can be read/,
  ],
  'say a filter that it isn’t': () => [pdfWith([{ content: xml, stream: FLATE }]), /./],
  'are a bomb': () => [pdfWith([{ content: zeros(400), stream: FLATE }]), /more/i],
  'are a bomb in a bomb': () => [
    pdfWith([{ content: deflateSync(zeros(1000)), stream: '/Filter [/FlateDecode /FlateDecode]' }]),
    /more/i,
  ],
  'lead round in a circle': () => [pdfWith([{ content: xml }], '1 0 R'), /./],
  'nest for ever': () => [pdfWith([{ content: xml }], `${'<< /Kids ['.repeat(5000)} ${'] >>'.repeat(5000)}`), /./],
}
for (const [what, made] of Object.entries(lies)) {
  // The time limit of the child process ends a decompression bomb.
  it(`are refused where they ${what}`, async () => {
    const [pdf, says] = made()
    const [{ status, body }, other] = await Promise.all([upload(pdf), firm.owner.get('/incoming-invoices')])
    assert.deepEqual([status, Object.keys(body.errors ?? {}), other.status], [422, ['file'], 200], JSON.stringify(body))
    assert.match(body.errors!.file![0]!, says)
  })
}
