/** packages/client against the application: calls, retries, errors, lists, sessions. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { ApiError, pages, platformClient, rows, signIn, signOut, type WorkspaceClient, workspaceClient } from '#client'
import { PASSWORD, type Workspace } from '../harness.ts'
import { startClientWorld, watchedFetch } from './world.ts'

const { world, baseUrl } = await startClientWorld()
let firm: Workspace
let token: string
let client: WorkspaceClient

before(async () => {
  firm = await world.workspace({ modules: ['vendors'] })
  token = firm.owner.token
  client = workspaceClient({ baseUrl, token })
})

const vendors = async () => (await firm.owner.get('/vendors')).body.meta.total as number
const answered =
  (status: number, headers: Record<string, string> = {}) =>
  async () =>
    new Response('', { status, headers })
/** Returns the error that a call throws. */
const errorOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => assert.fail('It went well.'),
    (error) => error,
  )
/** Returns the error's properties. */
const read = ({ status, code, message, fields }: ApiError) => ({ status, code, message, fields })

describe('calls', () => {
  it('answer data, meta and the state of the record', async () => {
    const { data: vendor, etag, message } = await client.POST('/vendors', { body: { name: 'Ash' } })
    assert.partialDeepStrictEqual({ vendor, etag, message }, { vendor: { name: 'Ash' }, message: 'Vendor created.' })
    const shown = await client.GET('/vendors/{id}', { params: { path: { id: vendor.id } } })
    assert.deepEqual([shown.data, shown.etag], [vendor, etag])
    const list = await client.GET('/vendors', { params: { query: { search: 'ash', per_page: 5 } } })
    assert.partialDeepStrictEqual(list, { data: [{ name: 'Ash' }], meta: { total: 1, per_page: 5 } })
    await client.DELETE('/vendors/{id}', { params: { path: { id: vendor.id } } })
  })

  it('reach both APIs, the workspace’s also as an account of the platform', async () => {
    const platform = platformClient({ baseUrl: `${baseUrl}/`, token: world.admin.token })
    const { data } = await platform.GET('/tenants/{id}', { params: { path: { id: firm.id } } })
    assert.equal(data.slug, firm.slug)
    const made = await platform.POST('/api-keys', { body: { name: 'Operator', scopes: ['*'] } })
    const key = made.data.key!
    world.secret(key)
    const inside = workspaceClient({ baseUrl, token: key, workspace: firm.slug })
    assert.equal((await inside.GET('/me')).data.workspace?.slug, firm.slug)
    await inside.POST('/vendors', { body: { name: 'Acorn' } })
    assert.equal((await client.GET('/vendors', { params: { query: { search: 'acorn' } } })).meta.total, 1)
  })

  it('ask to be told of query parameters that there are not', async () => {
    const colour = { params: { query: { colour: 'red' } } }
    const error = await errorOf(client.request('get', '/vendors', colour))
    assert.deepEqual([error.status, Object.keys(error.fields)], [422, ['colour']])
    const lenient = workspaceClient({ baseUrl, token, strict: false })
    assert.equal((await lenient.request('get', '/vendors', colour)).response.status, 200)
  })

  it('lead nowhere else by what stands in for a name of the path', async () => {
    const { fetch, sent } = watchedFetch()
    const watched = workspaceClient({ baseUrl, token, fetch })
    for (const id of ['..', '.', '', undefined])
      await assert.rejects(watched.request('delete', '/vendors/{id}', { params: { path: { id } } }), TypeError)
    await errorOf(watched.request('get', '/vendors/{id}', { params: { path: { id: '../../central/v1?a' } } }))
    assert.deepEqual(
      sent.map(({ url }) => url),
      [`${baseUrl}/api/tenant/v1/vendors/..%2F..%2Fcentral%2Fv1%3Fa`],
    )
  })

  it('answer what is no JSON as it is', async () => {
    const { data } = await client.GET('/vendors', { parseAs: 'blob' })
    assert.equal(JSON.parse(await data.text()).status, 'success')
  })
})

describe('a call that is refused', () => {
  it('says with a 422 what is wrong with each field', async () => {
    const error = await errorOf(client.request('post', '/vendors', { body: { email: 'nobody' } }))
    assert.ok(error instanceof ApiError)
    assert.partialDeepStrictEqual(read(error), {
      status: 422,
      code: 'VALIDATION_FAILED',
      fields: { name: ['Is required.'], email: ['Must be an e-mail address.'] },
    })
    assert.equal(error.requestId, error.response!.headers.get('x-request-id'))
    const missing = await errorOf(client.GET('/vendors/{id}', { params: { path: { id: 4711 } } }))
    assert.partialDeepStrictEqual(read(missing), { status: 404, code: 'NOT_FOUND', fields: {} })
  })

  it('is the same kind of error where a proxy answers, or nobody', async () => {
    const html = createServer(
      (_, reply) => void reply.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
    )
    await new Promise<void>((resolve) => html.listen(0, '127.0.0.1', resolve))
    const behind = workspaceClient({ baseUrl: `http://127.0.0.1:${(html.address() as AddressInfo).port}` })
    assert.partialDeepStrictEqual(read(await errorOf(behind.GET('/vendors'))), {
      status: 502,
      code: 'HTTP_502',
      message: 'Bad Gateway',
    })
    html.closeAllConnections()
    await new Promise((resolve) => html.close(resolve))
    for (const [type, body] of [
      ['text/html', '<h1>Sign in to the network</h1>'],
      ['application/json', '{"status":"success","data":[{"id":'],
    ] as const) {
      const headers = { 'content-type': type }
      const client = workspaceClient({ baseUrl: behind.baseUrl, fetch: async () => new Response(body, { headers }) })
      const error = await errorOf(client.GET('/vendors'))
      assert.ok(error instanceof ApiError, type)
      assert.partialDeepStrictEqual(read(error), { status: 502, code: 'HTTP_502' })
    }
    const nowhere = workspaceClient({ baseUrl: behind.baseUrl, retries: 0 })
    assert.partialDeepStrictEqual(read(await errorOf(nowhere.GET('/vendors'))), { status: 0, code: 'UNREACHABLE' })
  })

  it('throws the reason of a signal that ends it, while it waits too', async () => {
    const { fetch, sent } = watchedFetch(answered(429, { 'retry-after': '20' }))
    const waiting = workspaceClient({ baseUrl, token, fetch })
    const reason = new Error('Enough.')
    const ending = new AbortController()
    const call = waiting.GET('/vendors', { signal: ending.signal })
    while (!sent.length) await new Promise(setImmediate)
    setTimeout(() => ending.abort(reason), 20)
    assert.equal(await errorOf(call), reason)
    assert.equal(await errorOf(waiting.GET('/vendors', { signal: AbortSignal.abort(reason) })), reason)
  })
})

describe('calls are sent again', () => {
  it('when the service says so, with the same body and key, and done once', async () => {
    const before = await vendors()
    const busy = [answered(429, { 'retry-after': '0' }), answered(503, { 'retry-after': new Date(0).toUTCString() })]
    const { fetch, sent } = watchedFetch((n, send) => (busy[n] ?? send)())
    const { data } = await workspaceClient({ baseUrl, token, fetch }).POST('/vendors', { body: { name: 'Birch' } })
    assert.deepEqual([data.name, sent.map(({ body }) => body)], ['Birch', Array(3).fill('{"name":"Birch"}')])
    const keys = new Set(sent.map(({ headers }) => headers.get('idempotency-key')))
    assert.match([...keys].join(), /^[0-9a-f]{32}$/)
    assert.equal(await vendors(), before + 1)
  })

  it('when the reply is lost, to no second effect', async () => {
    const before = await vendors()
    const { fetch, sent } = watchedFetch(async (n, send) => {
      const reply = await send()
      if (n === 0) throw new TypeError('fetch failed')
      return reply
    })
    const { data, response } = await workspaceClient({ baseUrl, token, fetch }).POST('/vendors', { body: { name: 'Cedar' } })
    assert.deepEqual([data.name, response.headers.get('idempotency-replayed'), sent.length], ['Cedar', 'true', 2])
    assert.equal(await vendors(), before + 1)
  })

  it('when the first one still runs, until it is done', async () => {
    const { fetch, sent } = watchedFetch(async (n, send) => {
      if (n === 0) throw new TypeError('fetch failed')
      return n === 1 ? new Response('', { status: 409 }) : send()
    })
    await workspaceClient({ baseUrl, token, fetch }).POST('/vendors', { body: { name: 'Dogwood' } })
    assert.equal(sent.length, 3)
    const taken = watchedFetch(answered(409))
    await errorOf(workspaceClient({ baseUrl, token, fetch: taken.fetch }).POST('/vendors', { body: { name: 'Elm' } }))
    assert.equal(taken.sent.length, 1)
  })

  it('not for ever, not later than the caller would wait, and not where nobody says when', async () => {
    const cases = [
      { reply: answered(429, { 'retry-after': '0' }), tries: 3 },
      { reply: answered(503, { 'retry-after': '31' }), tries: 1 },
      { reply: answered(503), tries: 1 },
      { reply: answered(500, { 'retry-after': '0' }), tries: 1 },
    ]
    for (const { reply, tries } of cases) {
      const { fetch, sent } = watchedFetch(reply)
      const error = await errorOf(workspaceClient({ baseUrl, token, fetch, retries: 2 }).GET('/vendors'))
      const { status, headers } = await reply()
      const retryAfter = headers.has('retry-after') ? Number(headers.get('retry-after')) : undefined
      assert.deepEqual([sent.length, error.status, error.retryAfter], [tries, status, retryAfter])
    }
  })

  it('not where a change may have been made that would be made twice', async () => {
    const { fetch, sent } = watchedFetch(async () => {
      throw new TypeError('fetch failed')
    })
    const cut = workspaceClient({ baseUrl, token, fetch })
    const error = await errorOf(cut.DELETE('/vendors/{id}', { params: { path: { id: 1 } } }))
    assert.deepEqual([error.code, (error.cause as Error).message, sent.length], ['UNREACHABLE', 'fetch failed', 1])
  })
})

describe('lists', () => {
  it('are read to their end, page by page', async () => {
    const { owner } = await world.workspace({ modules: ['vendors'] })
    for (let n = 1; n <= 7; n++) await owner.post('/vendors', { name: `Vendor ${n}` })
    const { fetch, sent } = watchedFetch()
    const client = workspaceClient({ baseUrl, token: owner.token, fetch })
    const query = { sort: 'name', per_page: 3 } as const
    const names: string[] = []
    for await (const { name } of rows(client, '/vendors', { params: { query } })) names.push(name)
    assert.deepEqual(
      names,
      [1, 2, 3, 4, 5, 6, 7].map((n) => `Vendor ${n}`),
    )
    assert.deepEqual(
      sent.map(({ url }) => new URL(url).searchParams.get('page')),
      ['1', '2', '3'],
    )
    const sizes: number[] = []
    for await (const { data, meta } of pages(client, '/vendors', { params: { query: { ...query, page: 2 } } }))
      sizes.push(data.length, meta.total)
    assert.deepEqual(sizes, [3, 7, 1, 7])
    sent.length = 0
    for await (const _ of rows(client, '/vendors')) break
    assert.deepEqual(
      sent.map(({ url }) => new URL(url).search),
      ['?per_page=100&page=1'],
    )
  })
})

describe('signing in', () => {
  it('makes calls as that session, until it ends', async () => {
    const { owner, slug } = await world.workspace({ modules: ['vendors'] })
    const client = workspaceClient({ baseUrl })
    const wrong = await errorOf(signIn(client, { email: owner.email, password: 'wrong horse battery' }))
    assert.deepEqual([wrong.code, client.token], ['INVALID_CREDENTIALS', undefined])
    const session = await signIn(client, { email: owner.email, password: PASSWORD })
    assert.deepEqual([session.workspace.slug, session.token], [slug, client.token])
    world.secret(session.token)
    const me = await client.GET('/me')
    assert.ok('user' in me.data && me.data.user.email === owner.email)
    const asked = client.token
    await signOut(client)
    assert.equal(client.token, undefined)
    client.token = asked
    assert.equal((await errorOf(client.GET('/me'))).code, 'UNAUTHENTICATED')
  })

  it('asks for the second factor, again after a wrong code', async () => {
    const { owner } = await world.workspace({ modules: [] })
    const { body } = await owner.post('/me/two-factor', { password: PASSWORD })
    const totp = new TOTP({ secret: Secret.fromBase32(body.data.secret) })
    assert.equal(
      (await owner.post('/me/two-factor/confirm', { code: totp.generate({ timestamp: Date.parse(world.clock.now()) }) })).status,
      200,
    )
    const client = workspaceClient({ baseUrl })
    const credentials = { email: owner.email, password: PASSWORD }
    assert.equal((await errorOf(signIn(client, credentials))).code, 'SECOND_FACTOR_REQUIRED')
    const told: unknown[] = []
    const secondFactor = (error?: ApiError) => {
      told.push(error?.fields.code)
      return error ? totp.generate({ timestamp: Date.parse(world.clock.now()) + 30_000 }) : '000000'
    }
    const session = await signIn(client, { ...credentials, secondFactor })
    assert.deepEqual([told.length, told[0], client.token], [2, undefined, session.token])
    const givenUp = signIn(client, { ...credentials, secondFactor: () => Promise.reject(new Error('No phone.')) })
    assert.equal((await errorOf(givenUp)).message, 'No phone.')
  })

  it('works on the platform as well', async () => {
    const platform = platformClient({ baseUrl })
    const session = await signIn(platform, { email: 'admin@platform.test', password: PASSWORD })
    assert.equal(platform.token, session.token)
    await signOut(platform)
    assert.equal(platform.token, undefined)
  })
})
