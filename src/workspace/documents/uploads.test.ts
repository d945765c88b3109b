/** Accepted files of documents, and rejected ones, of which nothing stays. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { removeLooseFiles } from '#kernel/storage/orphans.ts'
import { startChild } from '#test/child.ts'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const folder = join(world.services.config.DATA_DIR, 'files')
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const OLE = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)])
const ZIP = Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)])
const bytes = (text: string) => Buffer.from(text, 'latin1')
/** Returns a ZIP whose first entry is uncompressed, like the type in OpenDocument. */
function zipWith(name: string, content: string) {
  const head = Buffer.alloc(30)
  head.write('PK\x03\x04', 'latin1')
  head.writeUInt16LE(20, 4)
  head.writeUInt32LE(content.length, 18)
  head.writeUInt32LE(content.length, 22)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, bytes(name), bytes(content), ZIP])
}
const MAX = 51_200 * 1024
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['storage', 'documents'] })
})

const send = (name: string, content: Buffer) =>
  firm.owner.post('/documents', { title: 'x', file: new File([new Uint8Array(content)], name) })
const onDisk = () => globSync('workspaces/*/*/*', { cwd: folder }).sort()
/** Returns everything that an upload leaves: files, their rows, documents, and used storage. */
async function left() {
  const { data } = (await firm.owner.get('/storage/usage')).body
  const [rows] = await world.sql(
    `SELECT (SELECT count(*) FROM stored_files) AS files, (SELECT count(*) FROM documents) AS documents`,
  )
  return { ...rows, ...data, onDisk: onDisk() }
}

describe('a file', () => {
  it('may be of each kind that the contract names (DOC-07)', async () => {
    const odf = (name: string) => zipWith('mimetype', `application/vnd.oasis.opendocument.${name}`)
    const sound: Record<string, Buffer> = {
      ...{ pdf: bytes('%PDF-1.7\n'), doc: OLE, docx: ZIP, xls: OLE, xlsx: ZIP, ppt: OLE, pptx: ZIP },
      ...{ txt: bytes('BMI and weight'), csv: bytes('a,b\n1,2\n'), rtf: bytes('{\\rtf1 x}') },
      ...{ odt: odf('text'), ods: odf('spreadsheet'), odp: odf('presentation') },
      ...{ jpg: bytes('\xff\xd8\xff\xe0\0\x10JFIF\0'), jpeg: bytes('\xff\xd8\xff\xe0\0\x10JFIF\0'), png: PNG },
      ...{ gif: bytes('GIF89a\x01\0\x01\0'), webp: bytes('RIFF\x1a\0\0\0WEBPVP8 ') },
      ...{ zip: ZIP, rar: bytes('Rar!\x1a\x07\x01\0'), '7z': bytes('7z\xbc\xaf\x27\x1c\0\x04') },
    }
    assert.equal(Object.keys(sound).length, 21)
    for (const [extension, content] of Object.entries(sound)) {
      const { status, raw, body } = await send(`A.${extension.toUpperCase()}`, content)
      assert.equal(status, 201, `${extension}: ${raw}`)
      assert.ok(!body.data.mime.includes('octet'), extension)
    }
  })

  it('that is not what it says it is, is refused and leaves nothing', async () => {
    const before = await left()
    const odt = zipWith('mimetype', 'application/vnd.oasis.opendocument.text')
    const lies: { name: string; content: Buffer }[] = [
      { name: 'a.pdf', content: PNG },
      { name: 'a.pdf', content: bytes('plain text') },
      { name: 'a.txt', content: PNG },
      { name: 'a.csv', content: bytes('%PDF-1.7\n') },
      { name: 'a.png', content: bytes('\xff\xd8\xff\xe0\0\x10JFIF\0') },
      { name: 'a.jpg', content: bytes('<script>alert(1)</script>') },
      { name: 'a.docx', content: OLE.subarray(0, 4) },
      { name: 'a.docx', content: odt },
      { name: 'a.doc', content: ZIP },
      { name: 'a.zip', content: bytes('Rar!\x1a\x07\x01\0') },
      { name: 'a.txt', content: bytes('MZ\x90\0\x03\0\0\0') },
      { name: 'a.pdf', content: Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(60)]) },
      { name: 'a.exe', content: bytes('MZ\x90\0\x03\0\0\0') },
      { name: 'a.html', content: bytes('<!doctype html>') },
      { name: 'a.svg', content: bytes('<svg xmlns="http://www.w3.org/2000/svg"/>') },
      { name: 'a.pdf.exe', content: bytes('%PDF-1.7\n') },
      { name: 'a.txt.', content: bytes('text') },
      { name: 'txt', content: bytes('text') },
      { name: '..', content: bytes('text') },
      { name: 'a.constructor', content: bytes('text') },
      { name: 'a.txt', content: Buffer.alloc(0) },
    ]
    for (const { name, content } of lies) {
      const { status, body } = await send(name, content)
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['file']], `${name}: ${content.subarray(0, 20)}`)
    }
    assert.deepEqual(await left(), before)
  })

  it('is named without paths and control characters', async () => {
    const names = {
      '../../../etc/passwd.txt': 'passwd.txt',
      'C:\\Users\\me\\..\\plan.txt': 'plan.txt',
      '/abs/olute.txt': 'olute.txt',
      'a\u0000b\u0007\u202etxt.txt': 'abtxt.txt',
      'e\u0301t\u00e9.txt': 'été.txt',
      [`${'x'.repeat(400)}.txt`]: `${'x'.repeat(251)}.txt`,
    }
    for (const [sent, kept] of Object.entries(names)) {
      const { status, body, raw } = await send(sent, bytes('text'))
      assert.deepEqual([status, body.data?.original_name], [201, kept], `${JSON.stringify(sent)}: ${raw}`)
    }
    for (const path of onDisk()) assert.match(path, new RegExp(`^workspaces/${firm.id}/[0-9a-f]{2}/[0-9a-f]{32}`))
  })

  it('that is missing, torn or too much is refused and leaves nothing (DOC-05, DOC-06)', async () => {
    const before = await left()
    const post = (body: unknown, headers = {}) => firm.owner.post('/documents', body, { headers })
    const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
    const part = (of: string, content: string) => `--b\r\ncontent-disposition: form-data; ${of}\r\n\r\n${content}\r\n`
    const title = part('name="title"', 'x')
    const file = part('name="file"; filename="a.txt"', 'hello')
    const cases: { about: string; reply: ReturnType<typeof post>; status: number; field?: string }[] = [
      { about: 'by JSON', reply: post({ title: 'x' }), status: 422, field: 'file' },
      {
        about: 'none chosen',
        reply: post(`${title}${part('name="file"; filename=""', '')}--b--\r\n`, multipart),
        status: 422,
        field: 'file',
      },
      { about: 'a text', reply: post(`${title}${part('name="file"', 'hello')}--b--\r\n`, multipart), status: 422, field: 'file' },
      { about: 'without a title', reply: post(`${file}--b--\r\n`, multipart), status: 422, field: 'title' },
      { about: 'never ended', reply: post(title + file, multipart), status: 400 },
      { about: 'torn in its head', reply: post(`${title}--b\r\ncontent-dispo`, multipart), status: 400 },
      { about: 'twice', reply: post(`${title}${file}${file}--b--\r\n`, multipart), status: 400 },
      { about: 'elsewhere', reply: post(`${title}${file.replace('"file"', '"files"')}--b--\r\n`, multipart), status: 400 },
      { about: 'without boundary', reply: post(title, { 'content-type': 'multipart/form-data' }), status: 400 },
      { about: 'no multipart', reply: post('hello', { 'content-type': 'text/plain' }), status: 415 },
      { about: 'too large', reply: send('a.txt', Buffer.alloc(MAX + 1, 'a')), status: 413 },
      {
        about: 'beside a category that is not there',
        reply: post({ title: 'x', category_id: 99, file: new File(['x'], 'a.txt') }),
        status: 422,
        field: 'category_id',
      },
    ]
    for (const { about, reply, status, field } of cases) {
      const { status: is, body, raw } = await reply
      assert.deepEqual([is, Object.keys(body.errors ?? {})[0]], [status, field], `${about}: ${raw}`)
    }
    assert.deepEqual(await left(), before)
  })

  it('is taken once under an Idempotency-Key', async () => {
    const before = await left()
    const headers = { 'idempotency-key': 'paper' }
    const again = (content = 'text') =>
      firm.owner.post('/documents', { title: 'x', file: new File([content], 'a.txt') }, { headers })
    const [first, second, other] = [await again(), await again(), await again('other text')]
    assert.deepEqual([first.status, second.status, other.status], [201, 201, 422])
    assert.deepEqual(second.body.data, first.body.data)
    const after = await left()
    assert.equal(after.storage_used_bytes, before.storage_used_bytes + 4)
    assert.equal(after.onDisk.length, before.onDisk.length + 1)
  })
})

describe('over a real socket', () => {
  let child: Awaited<ReturnType<typeof startChild>>
  before(async () => {
    child = await startChild(world)
  })
  after(() => child.stop())

  const headers = () => ({ authorization: `Bearer ${firm.owner.token}` })
  async function upload() {
    const body = new FormData()
    body.append('title', 'Large')
    body.append('file', new Blob([Buffer.alloc(MAX, 'a')]), 'large.txt')
    const reply = await fetch(`${child.url}/api/tenant/v1/documents`, { method: 'POST', headers: headers(), body })
    const { data } = (await reply.json()) as { data: { id: number; size_bytes: number } }
    assert.deepEqual([reply.status, data.size_bytes], [201, MAX])
    return data.id
  }
  /** Starts an upload and stalls once it is partly stored. */
  async function halfSent() {
    const half = request(`${child.url}/api/tenant/v1/documents`, { method: 'POST', headers: headers() })
    half.on('error', () => {})
    half.setHeader('content-type', 'multipart/form-data; boundary=b')
    half.write('--b\r\ncontent-disposition: form-data; name="title"\r\n\r\nx\r\n')
    half.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
    half.write(Buffer.alloc(1024 * 1024, 'a'))
    while (!onDisk().some((path) => path.endsWith('.part'))) await setTimeout(5)
    return half
  }

  it('50 MB in and out move the memory by less than 30 MB', async (t) => {
    for (let n = 0; n < 2; n++) await upload() // a new process keeps used buffers until V8 first collects them
    let id = 0
    const up = await child.riseDuring(async () => void (id = await upload()))
    const down = await child.riseDuring(async () => {
      const reply = await fetch(`${child.url}/api/tenant/v1/documents/${id}/download`, { headers: headers() })
      let received = 0
      for await (const chunk of reply.body!) received += chunk.length
      assert.equal(received, MAX)
    })
    t.diagnostic(`up ${Math.round(up / 1024 / 1024)} MB, down ${Math.round(down / 1024 / 1024)} MB`)
    assert.ok(up < 30 * 1024 * 1024 && down < 30 * 1024 * 1024)
  })

  it('an upload that is broken off leaves nothing', async () => {
    const before = await left()
    ;(await halfSent()).destroy()
    while ((await left()).files !== before.files) await setTimeout(5)
    assert.deepEqual(await left(), before)
  })

  it('an upload whose server is killed leaves nothing once it is swept', async () => {
    const before = await left()
    const half = await halfSent()
    child.kill()
    await new Promise((resolve) => half.once('close', resolve))
    const { storage_used_bytes, documents } = await left()
    assert.deepEqual([storage_used_bytes, documents], [before.storage_used_bytes, before.documents])
    world.clock.set(new Date(Date.now() + 7 * 3600_000).toISOString()) // ages of files are by the machine's clock
    await removeLooseFiles(world.services)
    assert.deepEqual(await left(), before)
  })
})
