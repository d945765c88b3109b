/** Behaviour of every route: envelope, request ids, invalid bodies and queries, ETags, access to internal endpoints. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { PASSWORD, type Reply, startTest, type Workspace } from './harness.ts'

const world = await startTest()
const local = await startTest({ env: { BASE_URL: 'http://localhost:3000' } })
const guarded = await startTest({ env: { METRICS_TOKEN: 'a-token-for-metrics', BASE_URL: 'https://atrium.test' } })
let acme: Workspace
let vendor: number

const json = { 'content-type': 'application/json' }
/** Sends a body exactly as written. */
const raw = (text: string | Buffer, headers: Record<string, string> = json) => acme.owner.post('/vendors', text, { headers })
const isError = ({ status, body, headers }: Reply, expected: number, code: string, fields?: string[], about = 'the reply') => {
  assert.equal(status, expected, about)
  const { message, request_id, errors, ...rest } = body as typeof body & { request_id: string }
  assert.deepEqual(rest, { status: 'error', data: null, meta: null, code }, about)
  assert.ok(message.length > 3, about)
  assert.equal(request_id, headers['x-request-id'], about)
  assert.deepEqual(errors && Object.keys(errors).sort(), fields, about)
  for (const said of Object.values(errors ?? {})) assert.ok(Array.isArray(said) && said.length > 0, about)
}

before(async () => {
  acme = await world.workspace()
  vendor = (await acme.owner.post('/vendors', { name: 'Known' })).body.data.id
})

describe('the envelope', () => {
  it('holds every reply, good or bad (CEN-01)', async () => {
    const good = (await acme.owner.get(`/vendors/${vendor}`)).body
    assert.deepEqual(Object.keys(good).sort(), ['data', 'message', 'meta', 'status'])
    assert.partialDeepStrictEqual(good, { status: 'success', meta: null })
    const list = (await acme.owner.get('/vendors')).body
    assert.ok(Array.isArray(list.data))
    const meta = ['current_page', 'last_page', 'next_page_url', 'per_page', 'prev_page_url', 'total']
    assert.deepEqual(Object.keys(list.meta).sort(), meta)

    isError(await world.anonymous.get('/vendors'), 401, 'UNAUTHENTICATED')
    isError(await (await acme.user([])).get('/vendors'), 403, 'FORBIDDEN')
    isError(await acme.owner.get('/vendors/999999'), 404, 'NOT_FOUND')
    isError(await acme.owner.del(`/vendors/${vendor}/force`), 400, 'BAD_REQUEST')
    isError(await acme.owner.post('/vendors', {}), 422, 'VALIDATION_FAILED', ['name'])
    isError(await raw('{"name":'), 400, 'BAD_REQUEST')
    isError(await raw('<a/>', { 'content-type': 'application/xml' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
    for (const path of [
      '/nothing',
      '/api',
      '/api/tenant/v1/nothing',
      '/api/tenant/v2/vendors',
      '/api/central/v1/tenants/1/nothing',
    ])
      isError(await world.root.get(path), 404, 'NOT_FOUND', undefined, path)
  })

  it('tells nothing of a defect but that there was one', async (t) => {
    t.mock.method(world.services.storage, 'size', () => Promise.reject(new Error('secret detail')))
    const { storage } = world.services
    const reply = await world.root.get(storage.url('a/b.png').slice('http://atrium.test'.length))
    isError(reply, 500, 'INTERNAL_ERROR')
    assert.ok(!reply.raw.includes('secret'))
  })

  it('says so when the database is away', async (t) => {
    const away = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3'), { code: 'ECONNREFUSED' })
    t.mock.method(world.services.database.pool, 'connect', () => Promise.reject(away))
    const reply = await acme.owner.get('/vendors')
    isError(reply, 503, 'UNAVAILABLE')
    assert.ok(Number(reply.headers['retry-after']) > 0)
    assert.ok(!reply.raw.includes('10.1.2.3'))
  })

  it('says so also where a limit is counted first', async (t) => {
    const away = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3'), { code: 'ECONNREFUSED' })
    t.mock.method(world.services.database.pool, 'query', () => Promise.reject(away))
    isError(await world.central().post('/auth/login', { email: 'ida@x.test', password: 'wrong' }), 503, 'UNAVAILABLE')
  })

  it('is kept by nobody on the way, and taken for nothing else', async () => {
    for (const reply of [await acme.owner.get('/vendors'), await world.anonymous.get('/vendors')]) {
      assert.equal(reply.headers['cache-control'], 'private, no-store')
      assert.equal(reply.headers['x-content-type-options'], 'nosniff')
      assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    }
  })

  it('shares no window with pages of others, whatever it is', async () => {
    for (const url of ['/register', '/docs', '/healthz', '/nothing', '/api/tenant/v1/vendors', '/app/invite', '/r/unknown']) {
      const { headers } = await world.app.inject({ url, headers: { accept: 'text/html' } })
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin', url)
    }
  })

  it('keeps browsers to https where the service is public by it', async () => {
    const said = async (of: typeof world, path: string) => (await of.root.get(path)).headers['strict-transport-security']
    for (const path of ['/healthz', '/nothing', '/api/tenant/v1/me', '/r/nothing']) {
      assert.equal(await said(guarded, path), 'max-age=31536000', path)
      assert.deepEqual([await said(world, path), await said(local, path)], [undefined, undefined], path)
    }
  })

  it('carries the id of the request: the client’s, else a new one', async () => {
    for (const path of ['/healthz', '/nothing', '/api/tenant/v1/me']) {
      const sent = await world.root.get(path, { headers: { 'x-request-id': 'trace-7' } })
      assert.equal(sent.headers['x-request-id'], 'trace-7')
      const [a, b] = [await world.root.get(path), await world.root.get(path)]
      assert.match(String(a.headers['x-request-id']), /^[0-9a-f-]{36}$/)
      assert.notEqual(a.headers['x-request-id'], b.headers['x-request-id'])
    }
  })

  it('holds even what the router refuses', async () => {
    isError(await world.root.get('/api/tenant/v1/vendors/%ZZ'), 400, 'BAD_REQUEST')
  })
})

describe('bodies', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  it('that make no sense are the client’s fault', async () => {
    const cases: { about: string; text: string | Buffer; status: number; fields?: string[] }[] = [
      { about: 'cut off', text: '{"name":"x"', status: 400 },
      { about: 'trailing text', text: '{"name":"x"} x', status: 400 },
      { about: '50 levels', text: `{"name":"x","more":${nested(50)}}`, status: 400 },
      { about: '100,000 levels', text: `{"name":"x","more":${nested(100_000)}}`, status: 400 },
      { about: 'array', text: '[{"name":"x"}]', status: 422, fields: ['body'] },
      { about: 'string', text: '"name"', status: 422, fields: ['body'] },
      { about: 'number', text: '7', status: 422, fields: ['body'] },
      { about: 'true', text: 'true', status: 422, fields: ['body'] },
      { about: 'null', text: 'null', status: 422, fields: ['name'] },
      { about: 'empty', text: '', status: 422, fields: ['name'] },
      { about: 'NUL in a value', text: '{"name":"a\\u0000b"}', status: 422, fields: ['name'] },
      {
        about: 'NUL in an unknown field',
        text: '{"name":"x","more":{"deep":["a\\u0000"]}}',
        status: 422,
        fields: ['more.deep.0'],
      },
      { about: 'NUL in a key', text: '{"name":"x","a\\u0000b":1}', status: 400 },
      {
        about: 'wrong types',
        text: '{"name":{"a":1},"is_active":"true","phone":[]}',
        status: 422,
        fields: ['is_active', 'name', 'phone'],
      },
      { about: 'huge number', text: '{"name":1e400}', status: 422, fields: ['name'] },
    ]
    for (const { about, text, status, fields } of cases) {
      isError(await raw(text), status, status === 400 ? 'BAD_REQUEST' : 'VALIDATION_FAILED', fields, about)
    }
    assert.equal((await acme.owner.get('/vendors', { query: { search: 'x' } })).body.meta.total, 0, 'nothing was made')
  })

  it('may name what objects are made of, which is passed over as any unknown field', async () => {
    for (const [n, more] of ['"__proto__":{"is_active":false}', '"constructor":{"prototype":{"is_active":false}}'].entries()) {
      const { status, body } = await raw(`{"name":"Made of ${n}",${more},"more":{${more}}}`)
      assert.deepEqual([status, body.data?.is_active], [201, true], `${more}: ${body.message}`)
    }
    assert.equal(({} as any).is_active, undefined, 'nobody’s prototype was touched')
  })

  it('are refused where they are encoded: none is unpacked here', async () => {
    const text = '{"name":"Encoded"}'
    for (const [payload, encoding] of [
      [gzipSync(text), 'gzip'],
      [text, 'gzip'],
      [text, 'br, gzip'],
    ] as const)
      isError(await raw(payload, { ...json, 'content-encoding': encoding }), 415, 'UNSUPPORTED_MEDIA_TYPE', undefined, encoding)
    assert.equal((await raw(text, { ...json, 'content-encoding': 'identity' })).status, 201)
  })

  it('are refused above what the fields of their route can hold, and read below', async () => {
    const padded = (bytes: number) => ({ more: 'x'.repeat(bytes) })
    const order = (bytes: number) => acme.owner.post('/purchase-orders', { title: '', ...padded(bytes) })
    isError(await order(10_000_000), 413, 'PAYLOAD_TOO_LARGE')
    isError(await order(1_000_000), 422, 'VALIDATION_FAILED', ['title', 'vendor_id'])
    isError(await raw(JSON.stringify({ name: '', ...padded(1_000_000) })), 413, 'PAYLOAD_TOO_LARGE')
    isError(await raw(JSON.stringify({ name: '', ...padded(200_000) })), 422, 'VALIDATION_FAILED', ['name'])
    for (const path of ['/auth/login', '/auth/forgot-password', '/auth/reset-password']) {
      isError(await world.anonymous.post(path, padded(20_000)), 413, 'PAYLOAD_TOO_LARGE', undefined, path)
      assert.equal((await world.anonymous.post(path, padded(10_000))).status, 422, path)
    }
  })

  it('may hold every text of a route at its limit, escaped as clients do', async () => {
    const notes = 'ä'.repeat(65_535)
    const text = JSON.stringify({ name: 'Escaped', notes }).replaceAll('ä', '\\u00e4')
    const { status, body } = await raw(text)
    assert.equal(status, 201)
    assert.equal(body.data.notes, notes)
  })

  it('are refused by their lengths before anything reads them', async () => {
    const line = { description: 'x', quantity: 1, unit_price: 1 }
    const lines = await acme.owner.post('/purchase-orders', {
      title: 'x',
      vendor_id: vendor,
      lines: new Array(15_000).fill(line),
    })
    isError(lines, 422, 'VALIDATION_FAILED', ['lines'])
    const title = await acme.owner.post('/purchase-orders', { title: ' '.repeat(500_000), vendor_id: vendor })
    isError(title, 422, 'VALIDATION_FAILED', ['title'])
    assert.deepEqual(title.body.errors, { title: ['Must be at most 255 characters.'] })
  })

  it('of more than 50,000 values are refused', async () => {
    const many = await acme.owner.post('/purchase-orders', { more: new Array(60_000).fill(0) })
    isError(many, 400, 'BAD_REQUEST')
    const nested = JSON.stringify({ title: 'x', more: 0 }).replace('0', '['.repeat(100_000) + ']'.repeat(100_000))
    isError(await acme.owner.post('/purchase-orders', nested, { headers: json }), 400, 'BAD_REQUEST')
  })

  it('of more than 50,000 values are refused unparsed, whoever sends them', async () => {
    const anonymous = (body: string) => world.anonymous.post('/purchase-orders', body, { headers: json })
    for (const values of ['{},', '[],', '1,', '"a\\",",'])
      isError(await anonymous(`{"__proto__":{},"more":[${values.repeat(60_000)}0]}`), 400, 'BAD_REQUEST')
    isError(await anonymous(`{"more":${'['.repeat(60_000)}${']'.repeat(60_000)}}`), 400, 'BAD_REQUEST')
    isError(await anonymous(`{"more":"${',[{'.repeat(60_000)}"}`), 401, 'UNAUTHENTICATED') // a text is one value
  })

  it('are JSON, whatever its charset is called', async () => {
    assert.equal((await raw('{"name":"Plain"}', { 'content-type': 'application/json; charset=utf-8' })).status, 201)
    for (const type of ['application/xml', 'image/png', 'application/vnd.api+json', 'nonsense'])
      isError(await raw('{"name":"x"}', { 'content-type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE', undefined, type)
    isError(await raw(Buffer.from('{"name":"x"}'), {}), 415, 'UNSUPPORTED_MEDIA_TYPE', undefined, 'none')
  })

  it('are text in UTF-8: what isn’t is refused, and never stored as something else', async () => {
    const latin = (text: string) => Buffer.from(text, 'latin1')
    isError(await raw(latin('{"name":"M\u00fcller"}')), 400, 'BAD_REQUEST', undefined, 'JSON')
    for (const charset of ['iso-8859-1', '"windows-1252"', 'utf-16', 'nonsense']) {
      const reply = await raw(latin('{"name":"M\u00fcller"}'), { 'content-type': `application/json; charset=${charset}` })
      isError(reply, 415, 'UNSUPPORTED_MEDIA_TYPE', undefined, charset)
      assert.match(reply.body.message, /UTF-8/)
    }
    assert.equal((await raw('{"name":"M\u00fcller \ufffd"}', { 'content-type': 'application/json; charset="UTF8"' })).status, 201)

    const form = (type: string) => {
      const part = (head: string, content: string) => `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`
      const body = `${part('name="title"', 'M\u00fcller')}${part('name="file"; filename="a.txt"', 'text')}--x--\r\n`
      return acme.owner.post('/documents', latin(body), { headers: { 'content-type': type } })
    }
    const broken = await form('multipart/form-data; boundary=x')
    isError(broken, 400, 'BAD_REQUEST', undefined, 'multipart')
    assert.match(broken.body.message, /title/)
    isError(await form('multipart/form-data; boundary=x; charset=iso-8859-1'), 415, 'UNSUPPORTED_MEDIA_TYPE')
    for (const text of ['channel_name=M%FCller&socket_id=1.1', latin('channel_name=M\u00fcller&socket_id=1.1')]) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      isError(await acme.owner.post('/broadcasting/auth', text, { headers }), 400, 'BAD_REQUEST', undefined, 'a form')
    }
  })

  it('in plain text are refused as such', async () => {
    isError(await raw('{"name":"x"}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it('in multipart are refused where no file is taken (CONV-02)', async () => {
    const data = new FormData()
    data.append('phone', '7')
    isError(await acme.owner.put(`/vendors/${vendor}`, data), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it('of a form have null where a field was left empty that can’t hold an empty text', async () => {
    const left = { company_id: '', issue_date: '', language: '', external_id: '' }
    const reply = await acme.owner.post('/invoices', {
      ...left,
      title: 'Left empty',
      items: [{ description: 'x', quantity: 1, unit_price: 1 }],
    })
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
    const wrong = await acme.owner.post('/vendors', { name: 'x', country: '', email: 'x', vat_id: '' })
    isError(wrong, 422, 'VALIDATION_FAILED', ['email'])
    isError(await acme.owner.post('/vendors', { name: '' }), 422, 'VALIDATION_FAILED', ['name'])
  })

  it('lack what is not sent, of whatever type', async () => {
    const { errors } = (await acme.owner.post('/expenses', {})).body as { errors: Record<string, string[]> }
    assert.deepEqual(new Set(Object.values(errors).flat()), new Set(['Is required.']))
  })

  it('with half a surrogate pair are the client’s fault', async () => {
    const text = '{"settings":{"document_footer":"a\\ud800b"}}'
    const reply = await acme.owner.put('/settings', text, { headers: json })
    isError(reply, 422, 'VALIDATION_FAILED', ['settings.document_footer'])
  })

  it('may be left out where nothing needs saying', async () => {
    const { id } = (await acme.owner.post('/vendors', { name: 'Doomed' })).body.data
    assert.equal((await acme.owner.del(`/vendors/${id}`, { headers: json })).status, 200)
    assert.equal((await acme.owner.post(`/vendors/${id}/restore`, '', { headers: json })).status, 200)
  })
})

describe('paths', () => {
  it('with an id that can’t be one name nothing', async () => {
    const none = [
      '0',
      '01',
      '-1',
      'abc',
      '1.5',
      '1e3',
      '0x1',
      '%20',
      '%00',
      '9007199254740991',
      '9007199254740993',
      '9'.repeat(40),
      '1'.repeat(10_000),
      '１',
      'null',
    ]
    for (const id of none)
      for (const call of [
        acme.owner.get(`/vendors/${id}`),
        acme.owner.put(`/vendors/${id}`, {}),
        acme.owner.del(`/vendors/${id}`),
      ])
        isError(await call, 404, 'NOT_FOUND', undefined, id)
  })

  it('with a trailing slash are the same', async () => {
    assert.equal((await acme.owner.get(`/vendors/${vendor}/`)).body.data.id, vendor)
  })

  it('answer HEAD wherever they answer GET: lists, records and pages, without a body', async () => {
    const { data } = (await acme.owner.post('/api-keys', { name: 'Reads', scopes: ['read'] })).body
    world.secret(data.key)
    const urls = [
      '/api/tenant/v1/vendors',
      `/api/tenant/v1/vendors/${vendor}`,
      '/api/tenant/v1/notifications',
      '/docs',
      '/healthz',
    ]
    for (const url of urls)
      for (const token of [acme.owner.token, data.key]) {
        const ask = (method: 'GET' | 'HEAD') => world.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } })
        const [head, get] = [await ask('HEAD'), await ask('GET')]
        assert.partialDeepStrictEqual(head, { statusCode: get.statusCode, body: '' }, url)
        for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
          assert.equal(head.headers[name], get.headers[name], `${url}: ${name}`)
      }
    const { headers } = await world.app.inject({ method: 'DELETE', url: '/api/tenant/v1/vendors' })
    assert.equal(headers.allow, 'GET, HEAD, POST')
  })

  it('asked by other methods are not there, and break nothing', async () => {
    for (const method of ['HEAD', 'OPTIONS', 'PATCH', 'TRACE'] as const)
      for (const url of ['/api/tenant/v1/vendors', `/api/tenant/v1/vendors/${vendor}`, '/', '/docs', '/nothing']) {
        const headers = { authorization: `Bearer ${acme.owner.token}` }
        const { statusCode } = await world.app.inject({ method: method as 'HEAD', url, headers })
        assert.ok(statusCode < 500, `${method} ${url}: ${statusCode}`)
      }
  })
})

describe('queries', () => {
  let lists: Workspace
  before(async () => {
    lists = await world.workspace({ modules: ['vendors'] })
    for (const name of ['C', 'A', 'B']) await lists.owner.post('/vendors', { name })
  })

  it('bring the page into range (CONV-07)', async () => {
    const meta = async (query: Record<string, string | number>) => (await lists.owner.get('/vendors', { query })).body.meta
    for (const { sent, got } of [
      { sent: undefined, got: 25 },
      { sent: 1, got: 1 },
      { sent: 0, got: 1 },
      { sent: -5, got: 1 },
      { sent: 100, got: 100 },
      { sent: 101, got: 100 },
      { sent: 999_999_999, got: 100 },
      { sent: '', got: 25 },
    ] as const)
      assert.equal((await meta(sent === undefined ? {} : { per_page: sent })).per_page, got, String(sent))
    for (const page of [0, -1, 1]) assert.equal((await meta({ page })).current_page, 1)

    const far = await lists.owner.get('/vendors', { query: { page: 5000, per_page: 2 } })
    assert.deepEqual(far.body.data, [])
    const { prev_page_url, ...rest } = far.body.meta
    assert.deepEqual(rest, { current_page: 5000, last_page: 2, per_page: 2, total: 3, next_page_url: null })
    assert.equal(prev_page_url, 'http://atrium.test/api/tenant/v1/vendors?page=2&per_page=2', 'back to where there is something')
    assert.equal((await lists.owner.get('/vendors', { query: { page: 999_999_999_999_999 } })).status, 200)
  })

  it('sort one way and the other, ties by id (CONV-07)', async () => {
    const names = async (query: Record<string, string>) =>
      (await lists.owner.get('/vendors', { query })).body.data.map((row: { name: string }) => row.name).join('')
    assert.equal(await names({ sort: 'name' }), 'ABC')
    assert.equal(await names({ sort: 'name', direction: 'desc' }), 'CBA')
    assert.equal(await names({}), 'BAC', 'the newest first')
    assert.equal(await names({ direction: 'asc' }), 'CAB')
    assert.equal(await names({ sort: '', direction: '', search: '', trashed: '' }), 'BAC', 'blank is absent')
    assert.equal(await names({ sort: 'email' }), 'CAB', 'all alike')
    assert.equal(await names({ sort: 'email', direction: 'desc' }), 'BAC')
    await world.sql('UPDATE vendors SET created_at = now() WHERE tenant_id = $1', [lists.id])
    assert.equal(await names({ sort: 'created_at' }), 'CAB')
    assert.equal(await names({ sort: 'created_at', direction: 'desc' }), 'BAC')
  })

  it('that make no sense are named, unknown ones ignored', async () => {
    for (const { query, field } of [
      { query: 'per_page=x', field: 'per_page' },
      { query: 'per_page=1.5', field: 'per_page' },
      { query: `page=${'9'.repeat(30)}`, field: 'page' },
      { query: 'page=1&page=2', field: 'page' },
      { query: 'page=%00', field: 'page' },
      { query: 'sort=password', field: 'sort' },
      { query: 'sort=name;drop', field: 'sort' },
      { query: 'direction=sideways', field: 'direction' },
      { query: 'trashed=maybe', field: 'trashed' },
      { query: 'is_active=2', field: 'is_active' },
      { query: 'search=a%00b', field: 'search' },
      { query: `search=${'x'.repeat(201)}`, field: 'search' },
    ] as const)
      isError(await lists.owner.get(`/vendors?${query}`), 422, 'VALIDATION_FAILED', [field], query)
    for (const query of ['nothing=1', '__proto__=1', 'constructor[a]=1', '%ZZ=1', 'search=%ff', '?&&=&', 'sort[]=nope'])
      assert.equal((await lists.owner.get(`/vendors?${query}`)).status, 200, query)
  })
})

describe('validators', () => {
  it('let a change through only on the state that it was made for', async () => {
    const created = await acme.owner.post('/vendors', { name: 'Versioned' })
    const path = `/vendors/${created.body.data.id}`
    const etag = async () => String((await acme.owner.get(path)).headers.etag)
    const put = (phone: string, match: string) => acme.owner.put(path, { phone }, { headers: { 'if-match': match } })
    const first = await etag()
    assert.match(first, /^"[^"]+"$/)
    assert.equal(created.headers.etag, first)
    assert.equal(await etag(), first, 'reading changes nothing')

    const saved = await put('1', first)
    assert.equal(saved.status, 200)
    assert.equal(saved.headers.etag, await etag())
    assert.notEqual(saved.headers.etag, first)
    for (const stale of [first, `W/${first}`, '"nonsense"']) isError(await put('2', stale), 412, 'PRECONDITION_FAILED')
    for (const garbage of ['nonsense', '']) isError(await put('2', garbage), 400, 'BAD_REQUEST')
    isError(await acme.owner.del(path, { headers: { 'if-match': first } }), 412, 'PRECONDITION_FAILED')
    assert.equal((await acme.owner.get(path)).body.data.phone, '1')

    assert.equal((await put('2', await etag())).status, 200)
    assert.equal((await put('3', `"other", ${await etag()}`)).status, 200)
    assert.equal((await put('4', '*')).status, 200)
    assert.equal((await acme.owner.get(path)).body.data.phone, '4')
    assert.equal((await acme.owner.put(path, { phone: '5' })).status, 200, 'without the header as ever')
    isError(await acme.owner.put('/vendors/999999', {}, { headers: { 'if-match': first } }), 404, 'NOT_FOUND')
    isError(await acme.owner.put(path, { name: '' }, { headers: { 'if-match': first } }), 412, 'PRECONDITION_FAILED')
  })

  it('tell a reply that would be the same from one that says something else of the same state', async () => {
    const firm = await world.workspace({ modules: ['contacts', 'companies', 'invoices', 'leads'], name: 'Validators' })
    const made = async (path: string, body: object) => (await firm.owner.post(path, body)).body.data.id as number
    const read = (path: string, match?: string) => firm.owner.get(path, { headers: match ? { 'if-none-match': match } : {} })
    const company = await made('/companies', { name: 'Before' })
    const lines = [{ name: 'Work', quantity: 1, unit_price: 5 }]
    const changes: [path: string, by: () => Promise<unknown>][] = [
      [
        `/contacts/${await made('/contacts', { name: 'Ann', company_id: company })}`,
        () => firm.owner.put(`/companies/${company}`, { name: 'After' }),
      ],
    ]
    const invoice = `/invoices/${await made('/invoices', { title: 'Notes', lines })}`
    changes.push([invoice, () => firm.owner.post(`${invoice}/notes`, { body: 'Read this.' })])
    const lead = `/leads/${await made('/leads', { name: 'Bo', email: 'bo@leads.test', lead_type: 'direct' })}`
    changes.push([lead, () => firm.owner.post(`${lead}/follow-ups`, { title: 'Call', due_at: '2027-03-02T09:00:00Z' })])
    for (const [path, by] of changes) {
      const first = await read(path)
      assert.equal(first.status, 200, path)
      const etag = String(first.headers.etag)
      for (const same of [etag, `W/${etag}`, `"a, b", ${etag}`, `"a",W/${etag}`, '*'])
        assert.equal((await read(path, same)).status, 304, `${path} ${same}`)
      for (const other of ['"a"', `${etag.slice(0, -1)}x"`, etag.slice(1, -1), etag.replace(/-[^-]*-.*"$/, '"')])
        assert.equal((await read(path, other)).status, 200, `${path} ${other}`)
      await by()
      const { status, headers } = await read(path, etag)
      assert.equal(status, 200, `${path} says something else`)
      assert.notEqual(headers.etag, etag)
    }
  })

  it('match by their revision, whatever else they say', async () => {
    const created = await acme.owner.post('/vendors', { name: 'By revision' })
    const { id } = created.body.data
    const put = (phone: string, match: string) => acme.owner.put(`/vendors/${id}`, { phone }, { headers: { 'if-match': match } })
    const etag = String(created.headers.etag)
    assert.match(etag, new RegExp(`^"${id}-1-[\\w-]{16}"$`))
    assert.equal((await put('1', `"${id}-1"`)).status, 200, 'the revision alone')
    assert.equal((await put('2', `"a,b", "${id}-2-of-another-reply"`)).status, 200, 'what was read of this revision')
    assert.equal((await put('3', `W/"${id}-3-weakened"`)).status, 200, 'a tag that a proxy weakened')
    isError(await put('4', `"${id}-3", W/"${id}-3", "${id}-44", "${id}"`), 412, 'PRECONDITION_FAILED')
  })

  it('let one of two changes through that were made for the same state', async () => {
    const path = `/vendors/${(await acme.owner.post('/vendors', { name: 'Raced' })).body.data.id}`
    const headers = { 'if-match': String((await acme.owner.get(path)).headers.etag) }
    const replies = await Promise.all(['1', '2', '3'].map((phone) => acme.owner.put(path, { phone }, { headers })))
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 412, 412])
  })
})

describe('the service’s own pages', () => {
  it('say that it lives and is ready', async (t) => {
    assert.deepEqual([(await world.root.get('/healthz')).status, (await world.root.get('/readyz')).status], [200, 200])
    t.mock.method(world.services.database, 'statement', () => Promise.reject(new Error('gone')))
    assert.deepEqual([(await world.root.get('/healthz')).status, (await world.root.get('/readyz')).status], [200, 503])
  })

  it('give metrics to this machine where no proxy is in front, else to the token alone', async () => {
    const metrics = ({ app }: typeof world, headers = {}, remoteAddress = '127.0.0.1') =>
      app.inject({ url: '/metrics', headers, remoteAddress })
    await local.root.get('/healthz')
    const near = await metrics(local)
    assert.equal(near.statusCode, 200)
    assert.match(near.payload, /http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} \d/)
    assert.match(near.payload, /database_connections\{state="open"\} \d/)
    assert.equal((await metrics(local, { host: '[::1]:3000' }, '::1')).statusCode, 200)
    assert.equal((await metrics(local, {}, '10.0.0.7')).statusCode, 403)
    for (const headers of [
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
      { via: '1.1 proxy' },
      { host: 'rebound.example' },
      { host: 'localhost.rebound.example' },
    ])
      assert.equal((await metrics(local, headers)).statusCode, 403, JSON.stringify(headers))
    // Its address differs from this machine's, as behind a proxy that adds no header.
    for (const host of ['atrium.test', 'localhost', '127.0.0.1:3000'])
      assert.equal((await metrics(world, { host })).statusCode, 403, host)
    const token = { authorization: 'Bearer a-token-for-metrics' }
    assert.equal((await metrics(guarded, token, '10.0.0.7')).statusCode, 200)
    for (const headers of [{}, { authorization: 'Bearer a-token-for-metricz' }, { authorization: 'a-token-for-metrics' }])
      assert.equal((await metrics(guarded, headers)).statusCode, 403)
  })

  it('keep paths and tokens of clients out of the metrics', async () => {
    await local.root.get('/no-such-path-zebra')
    await local.anonymous.post('/auth/login', { email: 'metrics@x.test', password: PASSWORD })
    const { payload } = await local.app.inject({ url: '/metrics' })
    assert.ok(payload.includes('route="/api/tenant/v1/auth/login"'))
    assert.ok(!payload.includes('zebra') && !payload.includes('metrics@x.test'))
  })

  it('serve signed files and nothing else', async () => {
    const key = 'tenants/1/hello.txt'
    await world.services.storage.write(key, [Buffer.from('hello')])
    const link = world.services.storage.url(key).slice('http://atrium.test'.length)
    const file = await world.root.get(link)
    assert.deepEqual([file.status, file.raw.toString(), file.headers['x-content-type-options']], [200, 'hello', 'nosniff'])
    const unsigned = [link.split('?')[0]!, `/files/${key}?s=x`, `/files/${key}?s=x&s=y`, '/files/%00?s=x']
    const elsewhere = ['/files/../../app.key?s=x', '/files/%2e%2e/%2e%2e/app.key?s=x', link.replace('hello', 'other')]
    for (const path of [...unsigned, ...elsewhere]) assert.equal((await world.root.get(path)).status, 404, path)
  })
})
