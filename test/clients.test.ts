/** HTTP features for all clients: origins, methods, preferences, rejected tokens, compression. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { createApp } from '../src/app.ts'
import { startTest, type Workspace } from './harness.ts'

const world = await startTest()
const API = '/api/tenant/v1'
let firm: Workspace
let token: string
let vendor: number

before(async () => {
  firm = await world.workspace({ modules: ['vendors'] })
  token = firm.owner.token
  vendor = (await firm.owner.post('/vendors', { name: 'Lindqvist' })).body.data.id
})

const ask = (options: InjectOptions & { url: string }) =>
  world.app.inject({ ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } })

describe('a browser app of another origin', () => {
  const preflight = (origin: string, app = world.app) =>
    app.inject({
      method: 'OPTIONS',
      url: `${API}/vendors`,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })
  const allowed = (reply: { headers: Record<string, unknown> }) => reply.headers['access-control-allow-origin']
  const withOrigins = async (CORS_ORIGINS: string[]) =>
    createApp({ ...world.services, config: { ...world.services.config, BASE_URL: 'https://atrium.example', CORS_ORIGINS } })

  it('is not let in unless it is named', async () => {
    const reply = await preflight('https://app.example')
    assert.equal(allowed(reply), undefined)
    assert.equal(allowed(await ask({ url: `${API}/vendors`, headers: { origin: 'https://app.example' } })), undefined)
  })

  it('that is named may send what it needs, and read our headers, without cookies', async () => {
    const app = await withOrigins(['https://app.example', 'http://localhost:5173'])
    const reply = await preflight('https://app.example', app)
    assert.deepEqual([reply.statusCode, allowed(reply)], [204, 'https://app.example'])
    assert.match(String(reply.headers['access-control-allow-methods']), /PATCH/)
    assert.equal(reply.headers['access-control-allow-headers'], 'authorization,content-type')
    assert.equal(reply.headers['access-control-max-age'], '7200')
    assert.equal(reply.headers['access-control-allow-credentials'], undefined)
    const headers = { origin: 'https://app.example', authorization: `Bearer ${token}` }
    const read = await app.inject({ url: `${API}/vendors/${vendor}`, headers })
    assert.deepEqual([read.statusCode, allowed(read)], [200, 'https://app.example'])
    assert.match(String(read.headers['access-control-expose-headers']), /ETag/)
    assert.match(String(read.headers.vary), /Origin/)
    for (const other of ['https://app.example.evil', 'http://app.example', 'http://localhost:5174', 'null'])
      assert.equal(allowed(await preflight(other, app)), undefined, other)
    const refused = await app.inject({ url: `${API}/vendors`, headers: { origin: 'https://app.example' } })
    assert.deepEqual([refused.statusCode, allowed(refused)], [401, 'https://app.example'], 'errors can be read too')
    await app.close()
  })

  it('of any kind is let in by *', async () => {
    const app = await withOrigins(['*'])
    assert.equal(allowed(await preflight('https://anybody.example', app)), '*')
    await app.close()
  })

  it('on this machine is let in where nobody else comes', async () => {
    const config = { ...world.services.config, BASE_URL: 'http://localhost:3000' }
    const app = await createApp({ ...world.services, config })
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1:8080', 'http://[::1]:3000'])
      assert.equal(allowed(await preflight(origin, app)), origin)
    for (const origin of ['http://localhost.evil', 'http://10.0.0.7', 'null'])
      assert.equal(allowed(await preflight(origin, app)), undefined)
    await app.close()
  })
})

describe('a method', () => {
  it('that a path lacks is a 405 that names those it has', async () => {
    const reply = await ask({ method: 'DELETE', url: `${API}/vendors?x=1` })
    assert.deepEqual([reply.statusCode, reply.headers.allow, reply.json().code], [405, 'GET, HEAD, POST', 'METHOD_NOT_ALLOWED'])
    assert.equal((await ask({ method: 'POST', url: `${API}/vendors/${vendor}` })).headers.allow, 'DELETE, GET, HEAD, PATCH, PUT')
    assert.equal((await ask({ method: 'POST', url: `${API}/nowhere` })).statusCode, 404)
  })

  it('PATCH is what PUT is', async () => {
    const reply = await ask({ method: 'PATCH', url: `${API}/vendors/${vendor}`, payload: { city: undefined, phone: '1' } })
    assert.deepEqual([reply.statusCode, reply.json().data.phone, reply.json().data.name], [200, '1', 'Lindqvist'])
  })
})

describe('a parameter that a route doesn’t know', () => {
  const list = (query: string, prefer?: string) =>
    ask({ url: `${API}/vendors?${query}`, headers: prefer === undefined ? {} : { prefer } })

  it('is ignored by default', async () => {
    const reply = await list('serch=x')
    assert.deepEqual([reply.statusCode, reply.headers['preference-applied']], [200, undefined])
    assert.equal((await list('serch=x', 'handling=lenient, wait=10')).statusCode, 200)
  })

  it('is a 422 with the nearest one for who prefers strict handling', async () => {
    const reply = await list('serch=x&page=1', 'return=minimal, handling=strict')
    assert.deepEqual([reply.statusCode, reply.json().errors], [422, { serch: ['Is no such parameter; the nearest is search.'] }])
    const fine = await list('search=x&page=1&sort=name', 'handling=strict')
    assert.deepEqual([fine.statusCode, fine.headers['preference-applied']], [200, 'handling=strict'])
    const none = await ask({ url: `${API}/vendors/${vendor}?x=1`, headers: { prefer: 'handling=strict' } })
    assert.deepEqual(none.json().errors, { x: ['Is no such parameter: this takes none.'] })
  })
})

describe('a refused request', () => {
  const withToken = (authorization?: string, url = `${API}/vendors`) =>
    world.app.inject({ url, headers: authorization === undefined ? {} : { authorization } })

  it('without a session is told why, and how to have one', async () => {
    const [id, secret] = token.split('|')
    const told = async (...given: Parameters<typeof withToken>) => {
      const reply = await withToken(...given)
      assert.deepEqual([reply.statusCode, reply.json().code], [401, 'UNAUTHENTICATED'])
      return [reply.json().message, reply.headers['www-authenticate']]
    }
    assert.deepEqual(await told(), ['Sign in first: no bearer token was sent.', 'Bearer realm="workspace"'])
    assert.match((await told(`Basic ${token}`))[0], /must be Bearer/)
    assert.match(
      (await told('Bearer nonsense'))[1],
      /realm="workspace", error="invalid_token", error_description="The Authorization/,
    )
    assert.match((await told(`Bearer ${id}|wrong`))[0], /is unknown/)
    assert.match((await told(`Bearer 999999|${secret}`))[0], /is unknown/)
    assert.match((await told(`Bearer ${world.admin.token}`))[0], /is of the platform API, not of the workspace API/)
    assert.match(
      (await told(`Bearer ${token}`, '/api/central/v1/tenants'))[0],
      /is of the workspace API, not of the platform API/,
    )
    await world.sql(`UPDATE access_tokens SET expires_at = '2026-01-01T00:00:00Z' WHERE id = $1`, [Number(id)])
    assert.deepEqual((await told(`Bearer ${token}`))[0], 'This token expired at 2026-01-01T00:00:00.000Z.')
    await world.sql(`UPDATE access_tokens SET expires_at = '2099-01-01T00:00:00Z' WHERE id = $1`, [Number(id)])
  })

  it('names the field in its message', async () => {
    const reply = await ask({ method: 'POST', url: `${API}/vendors`, payload: { name: 5 } })
    assert.deepEqual([reply.statusCode, reply.json().message], [422, 'name: Must be text.'])
  })

  it('whose If-Match is no entity tag is a 400', async () => {
    const put = async (match: string) =>
      (await ask({ method: 'PUT', url: `${API}/vendors/${vendor}`, payload: { phone: '2' }, headers: { 'if-match': match } }))
        .statusCode
    assert.deepEqual(await Promise.all(['garbage', '1-1', '"1-1', '*, "x"'].map(put)), [400, 400, 400, 400])
    assert.deepEqual([await put('"nothing"'), await put('W/"a", "b"'), await put('*')], [412, 412, 200])
  })
})

describe('a long JSON reply', () => {
  it('has no counterpart: a compressed body isn’t expanded', async () => {
    const payload = gzipSync(JSON.stringify({ name: 'x'.repeat(1_000_000) }))
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
    assert.equal((await ask({ method: 'POST', url: `${API}/vendors`, payload, headers })).statusCode, 415)
    assert.equal((await ask({ url: `${API}/vendors`, headers: { 'content-encoding': 'x' } })).statusCode, 200)
  })

  it('is compressed for who takes that, and the same in each encoding', async () => {
    const read = (encoding?: string) =>
      ask({ url: `${API}/openapi.json`, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })
    const plain = await read()
    assert.equal(plain.headers['content-encoding'], undefined)
    for (const { encoding, expand } of [
      { encoding: 'br', expand: brotliDecompressSync },
      { encoding: 'gzip', expand: gunzipSync },
    ] as const) {
      const reply = await read(`deflate, ${encoding}`)
      assert.equal(reply.headers['content-encoding'], encoding)
      assert.match(String(reply.headers.vary), /accept-encoding/i)
      assert.ok(reply.rawPayload.length < plain.rawPayload.length / 4)
      assert.ok(expand(reply.rawPayload).equals(plain.rawPayload))
    }
    const short = await ask({ url: `${API}/vendors/${vendor}`, headers: { 'accept-encoding': 'br' } })
    assert.equal(short.headers['content-encoding'], undefined)
    assert.ok(short.headers.etag)
  })
})
