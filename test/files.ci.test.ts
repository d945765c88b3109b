/** Uploads, downloads and deletion of files: each upload is stored completely or not at all, and no orphan is left. */
// CI stage: bounds
// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, globSync, readdirSync, readlinkSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeLooseFiles } from '#kernel/storage/orphans.ts'
import { keepUpload, receiveUpload } from '#kernel/storage/uploads.ts'
import { startChild } from './child.ts'
import { endless } from './fixtures/modules/workspace/attachments/routes.ts'
import { startTest, type Workspace } from './harness.ts'

const MEGABYTE = 1024 * 1024
const world = await startTest({ roots: [join(import.meta.dirname, 'fixtures/modules')] })
const folder = join(world.services.config.DATA_DIR, 'files')
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['attachments'] })
})

type Field = [name: string, value: string | Buffer, fileName?: string]
function form(...fields: Field[]) {
  const data = new FormData()
  for (const [name, value, fileName] of fields)
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, new Blob([new Uint8Array(value)]), fileName ?? 'file.bin')
  return data
}
const send = (...fields: Field[]) => firm.owner.post('/attachments', form(...fields))
const stored = async () => (await world.sql('SELECT key FROM stored_files')).map(({ key }) => key).sort()
const onDisk = () =>
  globSync('**', { cwd: folder, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
    .sort()
/** Returns the stored files; asserts that table and disk agree. */
async function files() {
  assert.deepEqual(onDisk(), await stored())
  assert.equal((await world.sql(`SELECT 1 FROM stored_files WHERE state <> 'kept'`)).length, 0)
  return stored()
}
async function until(isSo: () => boolean | Promise<boolean>) {
  for (let tries = 0; tries < 1000; tries++)
    if (await isSo()) return
    else await sleep(10)
  assert.fail('It never came to that.')
}

describe('an upload', () => {
  it('that is wrong leaves nothing and is told by its field', async () => {
    const before = await files()
    const cases: { about: string; fields: Field[]; status: number; wrong?: string[] }[] = [
      {
        about: 'empty',
        fields: [
          ['title', 'x'],
          ['file', Buffer.alloc(0)],
        ],
        status: 422,
        wrong: ['file'],
      },
      {
        about: 'of another kind',
        fields: [
          ['icon', Buffer.from('<svg/>'), 'icon.png'],
          ['title', 'x'],
        ],
        status: 422,
        wrong: ['icon'],
      },
      {
        about: 'somewhat too large',
        fields: [
          ['icon', Buffer.concat([PNG, Buffer.alloc(10_000)])],
          ['title', 'x'],
        ],
        status: 422,
        wrong: ['icon'],
      },
      {
        about: 'together with a wrong text behind it',
        fields: [
          ['icon', Buffer.from('<svg/>')],
          ['title', ''],
        ],
        status: 422,
        wrong: ['icon', 'title'],
      },
      {
        about: 'far too large',
        fields: [
          ['icon', Buffer.concat([PNG, Buffer.alloc(100_000)])],
          ['title', 'x'],
        ],
        status: 413,
      },
      {
        about: 'too large for a field that breaks off',
        fields: [
          ['small', Buffer.alloc(100_001)],
          ['title', 'x'],
        ],
        status: 413,
      },
      {
        about: 'in a field that takes none',
        fields: [
          ['title', 'x'],
          ['logo', PNG],
        ],
        status: 400,
      },
      {
        about: 'twice',
        fields: [
          ['title', 'x'],
          ['icon', PNG],
          ['icon', PNG],
        ],
        status: 400,
      },
      {
        about: 'beside a wrong text',
        fields: [
          ['title', ''],
          ['file', PNG],
        ],
        status: 422,
        wrong: ['title'],
      },
      {
        about: 'beside too much text',
        fields: [
          ['file', PNG],
          ['title', 'x'.repeat(MEGABYTE + 1)],
        ],
        status: 413,
      },
      {
        about: 'beside much text in many fields',
        fields: [['file', PNG], ...Array.from({ length: 20 }, (_, n): Field => [`t${n}`, 'x'.repeat(60_000)])],
        status: 413,
      },
      {
        about: 'beside too many fields',
        fields: [['file', PNG], ...Array.from({ length: 1001 }, (_, n): Field => [`t${n}`, ''])],
        status: 413,
      },
      {
        about: 'beside a forged prototype',
        fields: [
          ['file', PNG],
          ['title', 'x'],
          ['__proto__', 'y'],
        ],
        status: 400,
      },
      {
        about: 'of a refused request',
        fields: [
          ['title', 'refuse'],
          ['file', PNG],
        ],
        status: 422,
        wrong: ['title'],
      },
    ]
    for (const { about, fields, status, wrong } of cases) {
      const reply = await send(...fields)
      assert.deepEqual([reply.status, reply.body.errors && Object.keys(reply.body.errors).sort()], [status, wrong], about)
      if (status === 413) assert.equal(reply.body.code, 'PAYLOAD_TOO_LARGE', about)
      assert.deepEqual(await files(), before, about)
    }
  })

  it('is refused to strangers, without permission, and where it is torn', async () => {
    const before = await files()
    const body = form(['title', 'x'], ['file', PNG])
    assert.equal((await world.anonymous.post('/attachments', body)).status, 401)
    assert.equal((await (await firm.user(['attachments.view'])).post('/attachments', body)).status, 403)
    const torn = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhello'
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    assert.equal((await firm.owner.post('/attachments', torn, { headers })).status, 400)
    const unbound = { 'content-type': 'multipart/form-data' }
    assert.equal((await firm.owner.post('/attachments', torn, { headers: unbound })).status, 400)
    const long = { ...headers, 'content-length': String(10 ** 10) }
    assert.equal((await firm.owner.post('/attachments', torn, { headers: long })).status, 413)
    assert.deepEqual(await files(), before)
  })

  it('that is wrong is told after a record that is not there', async () => {
    const wrong = form(['logo', Buffer.from('no picture')])
    assert.equal((await world.admin.put('/tenants/999999', wrong)).status, 404)
    assert.equal((await world.admin.put(`/tenants/${firm.id}`, wrong)).status, 422)
  })

  it('is told by its content, not by its name, and texts are gathered beside it', async () => {
    const content = Buffer.concat([PNG, randomBytes(300_000)])
    const { status, body } = await send(
      ['roles[]', 'a'],
      ['roles[]', 'b'],
      ['_method', 'PUT'],
      ['file', content, 'C:\\secret/../Über\u0000\u202e plan.txt'],
      ['title', 'x'],
    )
    assert.equal(status, 201)
    const { key, sha256, ...facts } = body.data
    assert.deepEqual(facts, {
      title: 'x',
      roles: ['a', 'b'],
      name: 'Über plan.txt',
      kind: 'png',
      mime: 'image/png',
      bytes: content.length,
    })
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'))
    assert.match(key, new RegExp(`^workspaces/${firm.id}/([0-9a-f]{2})/\\1[0-9a-f]{30}\\.png$`))
    assert.ok((await files()).includes(key))
    assert.deepEqual(await world.services.storage.get(key), content)
    const [row] = await world.sql('SELECT * FROM stored_files WHERE key = $1', [key])
    assert.deepEqual([row.mime, Number(row.bytes), row.sha256.toString('hex')], ['image/png', content.length, sha256])

    const twice = await send(['title', 'first'], ['title', 'x'], ['file', PNG, 'a.png'])
    assert.deepEqual([twice.status, Object.keys(twice.body.errors ?? {})], [422, ['title']])
    const none = await send(['title', 'x'], ['roles[]', ''], ['file', Buffer.from('plain text'), 'a.txt'])
    assert.deepEqual([none.body.data.roles, none.body.data.kind, none.body.data.mime], [[], null, 'application/octet-stream'])
    assert.equal((await firm.owner.post('/attachments', { title: 'by JSON' })).status, 201)
    const long = await send(['title', 'x'], ['file', PNG, `${'😀'.repeat(200)}.txt`])
    assert.equal(long.body.data.name, `\ufffd${'😀'.repeat(125)}.txt`)
  })

  it('without a name and content, as browsers send where none was chosen, is none', async () => {
    const parts = ['name="title"\r\n\r\nx', 'name="icon"; filename=""\r\ncontent-type: application/octet-stream\r\n\r\n']
    const text = `${parts.map((part) => `--b\r\ncontent-disposition: form-data; ${part}\r\n`).join('')}--b--\r\n`
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    assert.equal((await firm.owner.post('/attachments', text, { headers })).status, 201)
  })

  it('that no transaction keeps is removed, a replayed one too', async () => {
    const before = await files()
    assert.equal((await send(['title', 'ignore'], ['file', PNG])).status, 201)
    await until(async () => (await stored()).length === before.length)
    const headers = { 'idempotency-key': 'upload' }
    const again = () => firm.owner.post('/attachments', form(['title', 'x'], ['file', PNG]), { headers })
    const [first, second] = [await again(), await again()]
    assert.deepEqual(second.body.data, first.body.data)
    await until(async () => (await stored()).length === before.length + 1)
    assert.deepEqual(
      (await files()).filter((key) => !before.includes(key)),
      [first.body.data.key],
    )
  })

  it('that takes longer than the sweep waits is refused and removed', async () => {
    const before = await files()
    const given = {
      name: 'slow',
      content: (async function* () {
        yield PNG
      })(),
    }
    const upload = await receiveUpload(world.services, firm.id, given, { maxBytes: 1000 })
    assert.ok(typeof upload === 'object')
    const start = Date.parse(world.clock.now())
    world.clock.set(new Date(start + 5 * 3600_000).toISOString())
    await removeLooseFiles(world.services)
    assert.equal((await stored()).length, before.length + 1)
    world.clock.set(new Date(start + 7 * 3600_000).toISOString())
    await Promise.all([removeLooseFiles(world.services), removeLooseFiles(world.services)])
    await assert.rejects(
      firm.inside((ctx) => keepUpload(ctx, upload)),
      { status: 409 },
    )
    world.clock.set(new Date(start).toISOString())
    assert.deepEqual(await files(), before)
  })
})

describe('a stored file', () => {
  const text = Buffer.from('0123456789')
  let key: string
  const content = (headers: Record<string, string> = {}, name = 'Preis "x" (für ☂).txt') =>
    firm.owner.get('/attachments/content', { query: { key, name }, headers })

  before(async () => {
    key = (await send(['title', 'x'], ['file', text, 'a.txt'])).body.data.key
  })

  it('is sent whole as an attachment under its name', async () => {
    const { status, headers, raw } = await content()
    assert.deepEqual([status, raw.toString()], [200, '0123456789'])
    assert.equal(headers['content-length'], '10')
    assert.equal(headers['accept-ranges'], 'bytes')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="Preis _x_ (f_r _).txt"; filename*=UTF-8''Preis%20%22x%22%20%28f%C3%BCr%20%E2%98%82%29.txt`,
    )
    assert.match(String(headers.etag), /^"[\w-]{43}"$/)
    assert.ok(!String(headers.etag).includes(key))
  })

  it('is sent in ranges', async () => {
    const etag = String((await content()).headers.etag)
    const cases: { headers: Record<string, string>; status: number; text: string; range?: string }[] = [
      { headers: { range: 'bytes=0-3' }, status: 206, text: '0123', range: 'bytes 0-3/10' },
      { headers: { range: 'bytes=4-' }, status: 206, text: '456789', range: 'bytes 4-9/10' },
      { headers: { range: 'bytes=-2' }, status: 206, text: '89', range: 'bytes 8-9/10' },
      { headers: { range: 'bytes=8-99' }, status: 206, text: '89', range: 'bytes 8-9/10' },
      { headers: { range: 'bytes=0-3', 'if-range': etag }, status: 206, text: '0123', range: 'bytes 0-3/10' },
      { headers: { range: 'bytes=0-3', 'if-range': '"other"' }, status: 200, text: '0123456789' },
      { headers: { range: 'bytes=0-1,4-5' }, status: 200, text: '0123456789' },
      { headers: { range: 'lines=0-1' }, status: 200, text: '0123456789' },
      { headers: { range: 'nonsense' }, status: 200, text: '0123456789' },
      { headers: { 'if-none-match': `"other", W/${etag}` }, status: 304, text: '' },
      { headers: { 'if-none-match': '"other"' }, status: 200, text: '0123456789' },
    ]
    for (const { headers, status, text, range } of cases) {
      const reply = await content(headers)
      assert.deepEqual(
        [reply.status, reply.raw.toString(), reply.headers['content-range']],
        [status, text, range],
        JSON.stringify(headers),
      )
      if (status !== 304) assert.equal(reply.headers['content-length'], String(text.length))
    }
    for (const range of ['bytes=10-', 'bytes=20-30']) {
      const reply = await content({ range })
      assert.deepEqual(
        [reply.status, reply.body.code, reply.headers['content-range']],
        [416, 'RANGE_NOT_SATISFIABLE', 'bytes */10'],
      )
      assert.equal(reply.headers['content-disposition'], undefined)
    }
  })

  it('is never compressed, which would make another file of its ranges', async () => {
    const text = 'text '.repeat(1000)
    const { key } = (await send(['title', 'long'], ['file', Buffer.from(text), 'long.txt'])).body.data
    const url = world.services.storage.url(key).slice(world.services.config.BASE_URL.length)
    for (const range of [undefined, 'bytes=0-2999']) {
      const headers = { 'accept-encoding': 'gzip, br', ...(range ? { range } : {}) } as Record<string, string>
      const reply = await world.app.inject({ url, headers })
      assert.deepEqual([reply.headers['content-encoding'], reply.payload], [undefined, range ? text.slice(0, 3000) : text])
    }
  })

  it('tells its size to HEAD, and is not there when it is not', async () => {
    const url = (of: string) => `/api/tenant/v1/attachments/content?name=a&key=${encodeURIComponent(of)}`
    const head = (of: string) =>
      world.app.inject({
        method: 'HEAD',
        url: url(of),
        headers: { authorization: `Bearer ${firm.owner.token}`, range: 'bytes=0-3' },
      })
    const { statusCode, headers, rawPayload } = await head(key)
    assert.deepEqual([statusCode, headers['content-length'], rawPayload.length], [200, '10', 0])
    assert.equal((await head('workspaces/1/none')).statusCode, 404)
    const none = await firm.owner.get('/attachments/content', { query: { key: 'workspaces/1/none', name: 'a' } })
    assert.deepEqual([none.status, none.body.code, none.headers['content-disposition']], [404, 'NOT_FOUND', undefined])
  })

  it('has links that open it for good, or until an instant', async () => {
    const { storage } = world.services
    const open = (link: string) => world.root.get(link.slice('http://atrium.test'.length))
    const lasting = await open(storage.url(key))
    assert.deepEqual([lasting.status, lasting.headers['cache-control']], [200, 'public, max-age=31536000, immutable'])
    assert.equal(lasting.headers['content-disposition'], 'attachment') // not an image: never displayed as a page
    const now = Date.parse(world.clock.now())
    world.clock.set(new Date(now).toISOString())
    const link = storage.url(key, new Date(now + 60_000).toISOString())
    const soon = await open(link)
    assert.deepEqual([soon.status, soon.headers['cache-control']], [200, 'private, no-store'])
    for (const forged of [link.replace(/e=\d+&/, ''), link.replace(/e=\d+/, 'e=99999999999'), `${link}&e=99999999999`])
      assert.equal((await open(forged)).status, 404, forged)
    world.clock.set(new Date(now + 61_000).toISOString())
    assert.equal((await open(link)).status, 404)
    assert.equal((await open(storage.url(key))).status, 200)
  })

  it('goes with the transaction that discards it, not before', async () => {
    const discard = (query: Record<string, string>) => firm.owner.del('/attachments', { query })
    assert.equal((await discard({ key, fail: 'after' })).status, 422)
    assert.equal((await content()).status, 200)
    assert.equal((await discard({ key })).status, 200)
    assert.equal((await content()).status, 404)
    assert.ok(!(await files()).includes(key))
  })

  it('that a crash left discarded is swept away, whatever else is in its way', async () => {
    const before = await files()
    const keys: string[] = []
    for (let n = 0; n < 3; n++) keys.push((await send(['title', 'x'], ['file', PNG])).body.data.key)
    await world.sql(`UPDATE stored_files SET state = 'discarded' WHERE key = ANY($1)`, [keys])
    await world.sql(`INSERT INTO stored_files (tenant_id, key, state, created_at) VALUES (0, '../outside', 'discarded', now())`)
    await assert.rejects(removeLooseFiles(world.services), /Not the key of a file/)
    await world.sql(`DELETE FROM stored_files WHERE key = '../outside'`)
    assert.deepEqual(await files(), before)
  })
})

describe('over a real socket', () => {
  let child: Awaited<ReturnType<typeof startChild>>
  let port: number
  before(async () => {
    await world.app.listen({ port: 0, host: '127.0.0.1' })
    port = (world.app.server.address() as AddressInfo).port
    child = await startChild(world)
  })
  after(() => child.stop())

  const authorization = () => `Bearer ${firm.owner.token}`
  const head = (field: string) => `--b\r\ncontent-disposition: form-data; name="title"\r\n\r\nbig\r\n\
--b\r\ncontent-disposition: form-data; name="${field}"; filename="big.bin"\r\n\r\n`
  async function* body(bytes: number, field = 'file') {
    yield Buffer.from(head(field))
    const chunk = randomBytes(256 * 1024)
    for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
    yield Buffer.from('\r\n--b--\r\n')
  }
  const upload = (base: string, bytes: number, field?: string) =>
    fetch(`${base}/api/tenant/v1/attachments`, {
      method: 'POST',
      headers: { authorization: authorization(), 'content-type': 'multipart/form-data; boundary=b' },
      body: body(bytes, field) as never,
      duplex: 'half',
    } as RequestInit)
  /** Starts an upload that stops after some megabytes. */
  async function halfSent(at: number) {
    const known = await stored()
    const half = request({ port: at, host: '127.0.0.1', method: 'POST', path: '/api/tenant/v1/attachments' })
    half.on('error', () => {})
    half.setHeader('authorization', authorization())
    half.setHeader('content-type', 'multipart/form-data; boundary=b')
    half.write(head('file'))
    half.write(randomBytes(3 * MEGABYTE))
    await until(() => onDisk().some((path) => path.endsWith('.part')))
    const [key] = (await stored()).filter((one) => !known.includes(one))
    return { half, key: key! }
  }

  it('100 MB in and out move the memory by less than 40 MB', async (t) => {
    // A new process uses up to 64 MB of garbage buffers before V8's first collection: that is the baseline.
    await (await upload(child.url, 100 * MEGABYTE)).json()
    let key = ''
    const up = () =>
      child.riseDuring(async () => {
        const reply = await upload(child.url, 100 * MEGABYTE)
        const { data } = (await reply.json()) as any
        assert.deepEqual([reply.status, data.bytes], [201, 100 * MEGABYTE])
        key = data.key
      })
    const down = () =>
      child.riseDuring(async () => {
        const query = new URLSearchParams({ key, name: 'big' })
        const reply = await fetch(`${child.url}/api/tenant/v1/attachments/content?${query}`, {
          headers: { authorization: authorization() },
        })
        let bytes = 0
        for await (const chunk of reply.body!) bytes += chunk.length
        assert.equal(bytes, 100 * MEGABYTE)
      })
    /** Takes the minimum of several attempts: buffering a file shows in each, garbage on a busy machine doesn't. */
    const least = async (rise: () => Promise<number>) => {
      let least = Number.POSITIVE_INFINITY
      for (let n = 0; n < 3 && least >= 40 * MEGABYTE; n++) least = Math.min(least, await rise())
      return least
    }
    const [into, out] = [await least(up), await least(down)]
    const inMegabytes = (bytes: number) => Math.round((bytes / MEGABYTE) * 10) / 10
    t.diagnostic(`memory rose by ${inMegabytes(into)} MB on the way in and by ${inMegabytes(out)} MB on the way out`)
    assert.ok(into < 40 * MEGABYTE && out < 40 * MEGABYTE, `${inMegabytes(into)} MB in, ${inMegabytes(out)} MB out`)
  })

  it('a client that sends too much gets to read so', async () => {
    const before = await files()
    const reply = await upload(`http://127.0.0.1:${port}`, 8 * MEGABYTE, 'small')
    assert.deepEqual([reply.status, ((await reply.json()) as any).code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.deepEqual(await files(), before)
  })

  it('a client that breaks off leaves nothing', async () => {
    const before = await files()
    const { half } = await halfSent(port)
    half.destroy()
    await until(async () => (await stored()).length === before.length)
    assert.deepEqual(await files(), before)
  })

  it('a download that is broken off is closed', { skip: !existsSync('/proc/self/fd') && 'needs /proc' }, async () => {
    const { data } = (await (await upload(`http://127.0.0.1:${port}`, 20 * MEGABYTE)).json()) as any
    const isOpen = () =>
      readdirSync('/proc/self/fd').some((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).endsWith(data.key)
        } catch {
          return false // closed since
        }
      })
    const broken = new AbortController()
    const query = new URLSearchParams({ key: data.key, name: 'big' })
    const reply = await fetch(`http://127.0.0.1:${port}/api/tenant/v1/attachments/content?${query}`, {
      headers: { authorization: authorization() },
      signal: broken.signal,
    })
    await reply.body!.getReader().read()
    assert.ok(isOpen())
    broken.abort()
    await until(() => !isOpen())
  })

  it('an export whose client has gone is read no further', async () => {
    for (const format of ['csv', 'xlsx']) {
      Object.assign(endless, { batches: 0, over: false })
      const headers = { authorization: authorization() }
      const reader = request({ port, host: '127.0.0.1', path: `/api/tenant/v1/attachments/endless?format=${format}`, headers })
      reader.on('error', () => {})
      reader.on('response', (response) => response.once('data', () => reader.destroy()))
      reader.end()
      await until(() => endless.over)
      const { batches } = endless
      await new Promise(setImmediate)
      assert.equal(endless.batches, batches)
    }
  })

  it('an export waits for a client that reads slowly', async () => {
    Object.assign(endless, { batches: 0, over: false })
    const headers = { authorization: authorization() }
    const reader = request({ port, host: '127.0.0.1', path: '/api/tenant/v1/attachments/endless?format=csv', headers })
    reader.on('error', () => {})
    reader.end()
    await new Promise((resolve) => reader.once('response', resolve)) // without reading any of the body
    let last = -1
    await until(async () => {
      const isStill = endless.batches === last
      last = endless.batches
      await sleep(50)
      return isStill
    })
    reader.destroy()
    await until(() => endless.over)
  })

  it('what a killed process was storing is swept away', async () => {
    const before = await files()
    const { half, key } = await halfSent(Number(new URL(child.url).port))
    child.kill()
    await new Promise((resolve) => half.once('close', resolve))
    assert.deepEqual(
      onDisk().filter((path) => !before.includes(path)),
      [`${key}.part`],
    )
    world.clock.set(new Date(Date.now() + 7 * 3600_000).toISOString()) // the age of files uses the machine's clock
    await removeLooseFiles(world.services)
    assert.deepEqual(await files(), before)
  })
})
