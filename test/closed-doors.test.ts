/** HTTP hardening before any route: connections, proxies, request targets, and data in logs. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '#kernel/config.ts'
import { UNREAD } from '#kernel/http/wire.ts'
import { PASSWORD, startTest } from './harness.ts'
import { mailedToken, operator } from './operator.ts'

const lines: string[] = []
const world = await startTest({
  log: (line) => void lines.push(line),
  env: { REQUEST_TIMEOUT: '1500', HEADERS_TIMEOUT: '1000', TRUST_PROXY: '2' },
})
const listed = await startTest({ env: { TRUST_PROXY: '127.0.0.1,10.0.0.0/8' } })
await world.app.listen({ port: 0, host: '127.0.0.1' })
const { port } = world.app.server.address() as AddressInfo

/** Sends raw text to the server and returns its output until it closes. */
const talk = (text: string) =>
  new Promise<{ status: number; body: any }>((resolve, reject) => {
    let said = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => (said += chunk)).on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = said.split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1]), body: body.startsWith('{') ? JSON.parse(body) : body })
    })
  })

describe('a connection', () => {
  it('whose headers are too long gets a 431 in the envelope', async () => {
    for (const head of [
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x`,
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}`,
    ]) {
      const { status, body } = await talk(`${head}\r\n\r\n`)
      assert.deepEqual([status, body.status, body.code, body.data], [431, 'error', 'HEADERS_TOO_LARGE', null])
      assert.ok(body.request_id)
    }
    assert.deepEqual((await talk('NONSENSE\r\n\r\n')).body.code, 'BAD_REQUEST')
  })

  it('that trickles its headers or its body is given up', async () => {
    const slow = [
      'GET /healthz HTTP/1.1\r\nHost: x\r\n',
      'POST /api/tenant/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ]
    for (const reply of await Promise.all(slow.map(talk)))
      assert.deepEqual([reply.status, reply.body.code], [408, 'REQUEST_TIMEOUT'])
  })

  it('on which a reply lies unread is ended', async () => {
    const { owner, id } = await world.workspace({ modules: ['vendors'] })
    await owner.post('/vendors', { name: 'Bolts' })
    await world.sql(
      `INSERT INTO vendors (tenant_id, name, notes, created_at, updated_at)
       SELECT $1, n::text, repeat('漢', 65000), now(), now() FROM generate_series(1, 99) n`,
      [id],
    )
    UNREAD.patience = 1000
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}) // reset
    const head = `Host: x\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`
    socket.write(`GET /api/tenant/v1/vendors?per_page=100 HTTP/1.1\r\n${head}`)
    const open = () => new Promise<number>((resolve) => world.app.server.getConnections((_, count) => resolve(count)))
    while (!(await open())) await sleep(10)
    for (let tries = 0; await open(); tries++) {
      assert.ok(tries < 300, 'it is still open')
      await sleep(100)
    }
    UNREAD.patience = 120_000
    socket.destroy()
  })

  it('that contradicts itself about its body, or is no HTTP, gets a 400 in the envelope', async () => {
    const signIn = 'POST /api/tenant/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n'
    const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`
    for (const said of [
      `${signIn}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      `${signIn}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      `${signIn}Content-Length: -1\r\n\r\n{}`,
      `${signIn}Content-Length: 99999999999999999999999\r\n\r\n{}`,
      `${signIn}Content-Length: 1\r\n\r\n{}`,
      `${signIn}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
      `${signIn}Transfer-Encoding: chunked, gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      get('/healthz\0'),
      get('/ x'),
      get('/healthz', 'X y: 1\r\n'),
      get('/healthz', 'X: 1\r\n 2\r\n'),
      get('/healthz', 'X: a\0b\r\n'),
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]) {
      const { status, body } = await talk(said)
      assert.deepEqual([status, body.status, body.code, body.data], [400, 'error', 'BAD_REQUEST', null], said)
    }
    assert.equal((await talk(get('/healthz'))).status, 200)
  })

  it('whose address has a fragment gets a 400, of the console’s pages too', async () => {
    const ask = (target: string) => talk(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    for (const target of [
      '/#x',
      '/w/acme#/x',
      '/w/acme/api/tenant/v1/me#',
      '/operator#/../w/acme',
      '/sign-in/#?to=/x',
      '/healthz#',
      '/nothing#',
    ])
      assert.partialDeepStrictEqual(await ask(target), { status: 400, body: { code: 'BAD_REQUEST' } }, target)
    assert.partialDeepStrictEqual(await ask('/r/a#b'), { status: 400 }) // a page
  })

  it('may name the whole address', async () => {
    const ask = (target: string) => talk(`GET ${target} HTTP/1.1\r\nHost: elsewhere.test\r\nConnection: close\r\n\r\n`)
    for (const target of ['/healthz', 'http://elsewhere.test/healthz', 'HTTP://elsewhere.test/healthz?x=1'])
      assert.deepEqual((await ask(target)).body, { status: 'ok' }, target)
    assert.equal((await ask('http://elsewhere.test/api/tenant/v1/me')).body.code, 'UNAUTHENTICATED')
    assert.equal((await ask('http://elsewhere.test')).status, 302)
  })
})

describe('a proxy', () => {
  it('is a number of hops or networks, and nothing looser', () => {
    const trusted = (TRUST_PROXY: string) => readConfig({ TRUST_PROXY, APP_KEY: Buffer.alloc(32).toString('base64') }).TRUST_PROXY
    assert.deepEqual(['', 'false', '0', '2'].map(trusted), [false, false, false, 2])
    assert.deepEqual(trusted('loopback, 10.0.0.0/8,2001:db8::/32,192.0.2.1'), [
      'loopback',
      '10.0.0.0/8',
      '2001:db8::/32',
      '192.0.2.1',
    ])
    for (const wrong of ['true', '*', '11', '-1', '10.0.0.0/33', '10.0.0.0/', 'example.com', '1.2.3', ',', '::/129'])
      assert.throws(() => trusted(wrong), /TRUST_PROXY/, wrong)
  })

  it('tells the address that it saw, not what the client claims', async () => {
    const seen = async (of: typeof world, forwarded: string) => {
      const { owner } = await of.workspace({ modules: [] })
      const body = { email: owner.email, password: PASSWORD }
      const { token } = (await of.anonymous.post('/auth/login', body, { headers: { 'x-forwarded-for': forwarded } })).body.data
      const { data } = (await of.tenant(token).get('/me/sessions')).body
      return data.find((one: { is_current: boolean }) => one.is_current).ip
    }
    assert.equal(await seen(world, '198.51.100.9, 203.0.113.7, 10.0.0.1'), '203.0.113.7')
    assert.equal(await seen(listed, '198.51.100.9, 203.0.113.7, 10.0.0.1'), '203.0.113.7')
  })
})

describe('the log', () => {
  it('holds no password, token, link, key or text of a mail', async (t) => {
    const acme = await world.workspace({ modules: ['vendors'] })
    const planted = (n: number) => `Planted-Secret-${n}-${'x'.repeat(20)}`
    const secrets = new Set([PASSWORD, acme.owner.token.split('|')[1]!])
    const plant = (n: number) => {
      secrets.add(planted(n))
      return planted(n)
    }
    const person = await operator(world, ['email-logs.read'])
    secrets.add(person.token.split('|')[1]!)
    const nobody = world.anonymous
    const statuses: number[] = []
    const call = async (reply: Promise<{ status: number }>) => void statuses.push((await reply).status)

    await call(nobody.post('/auth/login', { email: acme.owner.email, password: plant(1) }))
    await call(nobody.post('/auth/login', { email: acme.owner.email, password: PASSWORD }))
    await call(
      acme.owner.post('/me/change-password', { old_password: plant(2), password: plant(3), password_confirmation: planted(3) }),
    )
    await call(
      nobody.post('/auth/reset-password', {
        email: 'a@x.test',
        token: plant(4),
        password: plant(5),
        password_confirmation: planted(5),
      }),
    )
    await call(nobody.post('/auth/accept-invite', { token: plant(6), password: plant(7), password_confirmation: planted(7) }))
    await call(nobody.post('/auth/verify-email', { token: plant(8) }))
    await call(acme.owner.post('/users', { name: 'Ida', email: 'ida@x.test' }))
    await call(acme.owner.post('/users', { name: 'Ida', email: 'ida@x.test', password: plant(9) }))
    await call(nobody.post('/auth/forgot-password', { email: acme.owner.email }))
    for (const to of ['ida@x.test', acme.owner.email]) secrets.add(await mailedToken(world, undefined, to))
    await call(world.root.get(`/app/verify-email/${plant(10)}`))
    await call(world.root.get(`/files/tenants/${plant(11)}?s=${plant(12)}`))
    await call(world.root.get(`/r/${plant(13)}?token=${plant(14)}`))
    await call(nobody.get('/vendors', { headers: { authorization: `Bearer 1|${plant(15)}` } }))
    await call(nobody.get(`/vendors/${plant(16)}`))
    await call(acme.owner.get('/vendors', { query: { search: plant(17), sort: plant(18) } }))
    await call(acme.owner.post('/vendors', { name: 'V' }, { headers: { 'idempotency-key': plant(19) } }))
    await call(nobody.post('/auth/login', `{"password": "${plant(20)}`, { headers: { 'content-type': 'application/json' } }))
    await call(world.root.get('/metrics', { headers: { authorization: `Bearer ${plant(21)}` } }))
    await call(world.admin.get('/email-logs'))
    t.mock.method(world.services.storage, 'size', () =>
      Promise.reject(
        Object.assign(new Error('defect'), { detail: plant(22), parameters: [plant(23)], config: { key: plant(24) } }),
      ),
    )
    await call(
      world.root.get(new URL(world.services.storage.url('x')).pathname + new URL(world.services.storage.url('x')).search),
    )
    assert.ok(new Set(statuses).size >= 7, statuses.join())
    secrets.delete('')
    assert.ok(secrets.size >= 29)
    const all = lines.join('')
    assert.ok(lines.filter((line) => line.includes('"msg":"request"')).length >= statuses.length)
    assert.match(all, /"route":"\/api\/tenant\/v1\/auth\/login"/)
    assert.match(all, /"msg":"defect"/)
    for (const secret of secrets) assert.ok(!all.includes(secret), secret)
  })
})
