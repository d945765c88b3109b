/** Server of the console: page, files, session, and attacks on a browser with a session. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { definitionOf } from '#kernel/values/schema-definition.ts'
import { PASSWORD, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { apiAddress } from './addresses.ts'
import { bundleOf } from './bundle.ts'

const world = await startTest()
let acme: Workspace
let other: Workspace

before(async () => {
  acme = await world.workspace({ name: 'Acme', modules: ['vendors', 'documents'] })
  other = await world.workspace({ name: 'Other', modules: ['vendors'] })
})

/** Sign-in is limited to five attempts a minute per address. */
beforeEach(() => world.sql('DELETE FROM rate_limits'))

const page = { 'sec-fetch-site': 'same-origin' }
const cookiesOf = ({ headers }: Reply) => [headers['set-cookie'] ?? []].flat().map(String)
/** Returns the cookie as a browser sends it back. */
const sent = (cookie: string) => cookie.split(';')[0]!
const attribute = (cookie: string, name: string) =>
  cookie
    .split('; ')
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1)

const credentials = (email: string, more: object = {}) => ({ email, password: PASSWORD, ...more })
async function signedIn(email = acme.owner.email, api = 'tenant') {
  const reply = await world.root.post(`/sign-in/api/${api}/v1/auth/login`, credentials(email), { headers: page })
  assert.equal(reply.status, 200)
  const cookie = sent(cookiesOf(reply)[0]!)
  world.secret(cookie.split('=')[1]!)
  return { reply, cookie, as: { ...page, cookie } }
}

describe('signing in', () => {
  it('keeps the token in a cookie of its workspace alone, and tells scripts nothing of it', async () => {
    const { reply } = await signedIn()
    const [session = '', recent = ''] = cookiesOf(reply)
    assert.match(session, /^atrium_session=\d+\|[\w-]{40,}\.[\w-]{43}; Path=\/w\/acme; HttpOnly; SameSite=Lax$/)
    assert.match(recent, /^atrium_recent=w\.acme; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    const [, token = ''] = /=(\d+\|[\w-]+)/.exec(session) ?? []
    assert.ok(!reply.raw.includes(token.split('|')[1]!))
    assert.deepEqual(
      [reply.body.data.to, 'token' in reply.body.data, reply.headers['cache-control']],
      ['/w/acme/', false, 'private, no-store'],
    )
    const remembered = await world.root.post(
      '/sign-in/api/tenant/v1/auth/login',
      credentials(acme.owner.email, { remember: true }),
      { headers: page },
    )
    assert.ok(Math.abs(Number(attribute(cookiesOf(remembered)[0]!, 'Max-Age')) - 30 * 24 * 3600) < 5)
    const operator = await world.root.post('/sign-in/api/central/v1/auth/login', credentials(world.admin.email), {
      headers: page,
    })
    assert.deepEqual([operator.body.data.to, attribute(cookiesOf(operator)[0]!, 'Path')], ['/operator/', '/operator'])
  })

  it('is Secure, by its name too, where the service is public by https', async () => {
    const secure = await startTest({ env: { BASE_URL: 'https://atrium.test' } })
    const { owner, slug } = await secure.workspace({ modules: [] })
    const reply = await secure.root.post('/sign-in/api/tenant/v1/auth/login', credentials(owner.email), { headers: page })
    for (const cookie of cookiesOf(reply)) assert.match(cookie, /^__Secure-atrium_\w+=.*; Secure$/)
    const cookie = sent(cookiesOf(reply)[0]!)
    secure.secret(cookie.split('=')[1]!)
    const me = (cookie: string) => secure.root.get(`/w/${slug}/api/tenant/v1/me`, { headers: { ...page, cookie } })
    assert.equal((await me(cookie)).status, 200)
    assert.equal((await me(cookie.replace('__Secure-', ''))).status, 401, 'by a name that others can plant')
  })

  it('hands on what the API says of a wrong password, and the challenge of a second factor', async () => {
    const wrong = await world.root.post(
      '/sign-in/api/tenant/v1/auth/login',
      { email: 'nobody@acme.test', password: 'wrong' },
      { headers: page },
    )
    assert.deepEqual([wrong.status, wrong.body.code, cookiesOf(wrong)], [401, 'INVALID_CREDENTIALS', []])
    assert.equal(wrong.headers['ratelimit-limit'], '5')
    const unreadable = await world.root.post('/sign-in/api/tenant/v1/auth/login', '{"email":', {
      headers: { ...page, 'content-type': 'application/json' },
    })
    assert.equal(unreadable.status, 400)
    const challenge = await world.root.post(
      '/sign-in/api/tenant/v1/auth/two-factor/challenge',
      { challenge_token: 'x', code: '1' },
      { headers: page },
    )
    assert.equal(challenge.status, 422)
    const options = await world.root.get('/sign-in/api/tenant/v1/auth/passkeys/login/options', { headers: page })
    assert.equal(options.status, 200)
  })

  it('stands before one’s own session while somebody works as a colleague, and gives it back', async () => {
    const { as, cookie } = await signedIn()
    const colleague = await acme.user(['vendors.view'], 'Cleo')
    const impersonate = `/w/acme/api/tenant/v1/users/${colleague.id}/impersonate`
    const begun = await world.root.post(impersonate, { reason: 'To see what they see' }, { headers: as })
    assert.equal(begun.status, 201)
    const [posing = '', ...more] = cookiesOf(begun)
    assert.match(posing, /^atrium_posing=\S+\.workspace; Path=\/w\/acme; HttpOnly; SameSite=Lax$/)
    assert.deepEqual(more, [], 'their own session stays')
    world.secret(sent(posing).split('=')[1]!)
    const both = { ...page, cookie: `${cookie}; ${sent(posing)}` }
    const me = async (headers: Record<string, string>) =>
      (await world.root.get('/w/acme/api/tenant/v1/me', { headers })).body.data.user.id
    assert.equal(await me(both), colleague.id)
    const ended = await world.root.post('/w/acme/sign-out', undefined, { headers: both })
    assert.deepEqual([ended.status, ended.body], [200, { to: '/w/acme/' }])
    assert.match(cookiesOf(ended).join(), /^atrium_posing=; Path=\/w\/acme; Max-Age=0/)
    assert.equal(await me(as), acme.owner.id)
    const over = await world.root.get('/w/acme/vendors', { headers: both })
    assert.deepEqual([over.status, over.headers.location], [302, '/w/acme/vendors'])
    assert.match(cookiesOf(over).join(), /^atrium_posing=; /)
    const again = await world.root.post('/sign-in/api/tenant/v1/auth/login', credentials(acme.owner.email), { headers: page })
    assert.ok(cookiesOf(again).some((one) => one.startsWith('atrium_posing=; Path=/w/acme; Max-Age=0')))
  })

  it('leads an operator back to theirs', async () => {
    const { as } = await signedIn(world.admin.email, 'central')
    const reason = 'To see what they see'
    const begun = await world.root.post(`/operator/api/central/v1/tenants/${acme.id}/impersonate`, { reason }, { headers: as })
    const cookie = sent(cookiesOf(begun)[0]!)
    world.secret(cookie.split('=')[1]!)
    const ended = await world.root.post('/w/acme/sign-out', undefined, { headers: { ...page, cookie } })
    assert.deepEqual(ended.body, { to: '/operator/tenants' })
  })

  it('ends at the API too', async () => {
    const { as } = await signedIn()
    assert.equal((await world.root.get('/w/acme/api/tenant/v1/me', { headers: as })).status, 200)
    const out = await world.root.post('/w/acme/sign-out', undefined, { headers: as })
    assert.deepEqual(
      [out.status, attribute(cookiesOf(out)[0]!, 'Max-Age'), attribute(cookiesOf(out)[0]!, 'Path')],
      [204, '0', '/w/acme'],
    )
    assert.equal((await world.root.get('/w/acme/api/tenant/v1/me', { headers: as })).status, 401)
  })
})

describe('requests of the page', () => {
  it('go to the API by the cookie: JSON, files and lists as the API has them', async () => {
    const { as } = await signedIn()
    const made = await world.root.post('/w/acme/api/tenant/v1/vendors', { name: 'Nordwind' }, { headers: as })
    assert.equal(made.status, 201)
    const list = await world.root.get('/w/acme/api/tenant/v1/vendors', { headers: as, query: { search: 'nordwind' } })
    assert.deepEqual([list.body.meta.total, list.headers['cache-control']], [1, 'private, no-store'])
    const file = new File(['Terms'], 'terms.txt', { type: 'text/plain' })
    const document = await world.root.post('/w/acme/api/tenant/v1/documents', { title: 'Terms', file }, { headers: as })
    assert.equal(document.status, 201)
    const content = await world.root.get(`/w/acme/api/tenant/v1/documents/${document.body.data.id}/download`, { headers: as })
    assert.deepEqual([content.status, content.raw.toString()], [200, 'Terms'])
    assert.match(String(content.headers['content-security-policy']), /; sandbox$/)
    const operator = await signedIn(world.admin.email, 'central')
    assert.equal((await world.root.get('/operator/api/central/v1/tenants', { headers: operator.as })).status, 200)
  })

  it('are refused from another site, whatever the cookie', async () => {
    const { cookie } = await signedIn()
    const tries: [Record<string, string>, number][] = [
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ 'sec-fetch-site': 'none' }, 403],
      [{ 'sec-fetch-site': 'same-origin, cross-site' }, 403],
      [{ origin: 'https://evil.test' }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: 'http://atrium.test.evil.test' }, 403],
      [{}, 403],
      [{ 'sec-fetch-site': 'cross-site', origin: 'http://atrium.test' }, 403],
      [{ origin: 'http://atrium.test' }, 201],
      [{ 'sec-fetch-site': 'same-origin' }, 201],
    ]
    for (const [headers, status] of tries) {
      const reply = await world.root.post(
        '/w/acme/api/tenant/v1/vendors',
        { name: 'Planted' },
        { headers: { ...headers, cookie } },
      )
      assert.equal(reply.status, status, JSON.stringify(headers))
      if (status === 201) continue
      assert.equal((await world.root.post('/w/acme/sign-out', undefined, { headers: { ...headers, cookie } })).status, 403)
      const login = await world.root.post('/sign-in/api/tenant/v1/auth/login', credentials(acme.owner.email), { headers })
      assert.deepEqual([login.status, cookiesOf(login)], [403, []])
    }
    for (const method of ['put', 'patch'] as const)
      assert.equal((await world.root[method]('/w/acme/api/tenant/v1/me', { name: 'Eve' }, { headers: { cookie } })).status, 403)
    const link = await world.root.get('/w/acme/api/tenant/v1/vendors', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })
    assert.equal(link.status, 403)
  })

  it('reach the realm of their cookie, and no other', async () => {
    const mine = await signedIn()
    const operator = await signedIn(world.admin.email, 'central')
    for (const [path, headers] of [
      ['/w/other/api/tenant/v1/me', mine.as],
      ['/operator/api/central/v1/me', mine.as],
      ['/w/acme/api/tenant/v1/me', operator.as],
      ['/w/acme2/api/tenant/v1/me', mine.as],
      ['/w/acme/api/tenant/v1/me', { ...page, cookie: `atrium_session=${acme.owner.token}` }],
      ['/w/acme/api/tenant/v1/me', { ...page, cookie: `atrium_session=${acme.owner.token}.${'x'.repeat(43)}` }],
    ] as const)
      assert.equal((await world.root.get(path, { headers })).status, 401, path)
    for (const path of [
      '/w/acme/api/central/v1/me',
      '/operator/api/tenant/v1/me',
      '/w/acme/api/tenant/v2/me',
      '/w/ACME/api/tenant/v1/me',
    ])
      assert.equal((await world.root.get(path, { headers: { ...mine.as, accept: 'application/json' } })).status, 404, path)
  })

  /** Requests the path exactly as written: other clients would normalise it. */
  const plainly = async (path: string, headers: Record<string, string>) => {
    if (!world.app.server.listening) await world.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = world.app.server.address() as AddressInfo
    const [reply] = (await once(get({ port, host: '127.0.0.1', path, headers }), 'response')) as [IncomingMessage]
    return { status: reply.statusCode!, text: (await reply.toArray()).join('') }
  }

  it('climb nowhere', async () => {
    assert.match((await plainly('/w/acme/api/tenant/v1/me', (await signedIn()).as)).text, /"status":"success"/)
    const { as } = await signedIn()
    for (const path of [
      '/w/acme/api/../../operator/api/central/v1/me',
      '/w/acme/api/tenant/v1/../../central/v1/me',
      '/w/acme/api/tenant/v1/%2e%2e/%2e%2e/central/v1/me',
      '/w/acme/api/tenant/v1/%252e%252e/me',
      '/w/acme/api/tenant/v1/..%2fcentral',
      '/w/acme/api/tenant/v1/.\\..\\me',
      '/w/acme/api/tenant/v1//me',
      '/w/acme/api/tenant/v1/%zz',
      '/w/acme/../../operator/api/central/v1/me',
      '/w/acme/api/tenant/v1/./me',
    ]) {
      const { status, text } = await plainly(path, as)
      assert.ok([200, 302, 400, 404].includes(status), `${path}: ${status}`)
      assert.doesNotMatch(text, /"status":"success"/, path) // at most the page
    }
  })

  it('say by no header who asks', async () => {
    const { as } = await signedIn()
    const bearer = { authorization: `Bearer ${other.owner.token}`, 'x-workspace': other.slug }
    const me = await world.root.get('/w/acme/api/tenant/v1/me', { headers: { ...as, ...bearer } })
    assert.equal(me.body.data.workspace.slug, 'acme')
    assert.equal((await world.root.get('/w/acme/api/tenant/v1/me', { headers: { ...page, ...bearer } })).status, 401)
    assert.equal((await world.root.get('/sign-in/api/tenant/v1/me', { headers: { ...as, ...bearer } })).status, 401)
    assert.equal((await world.root.get('/api/tenant/v1/me', { headers: as })).status, 401, 'the API itself knows no cookie')
  })

  it('take no token out of any reply', async () => {
    const { as } = await signedIn()
    const owner = await world.root.get('/w/acme/api/tenant/v1/me', { headers: as })
    const { id } = await acme.user(['vendors.view'])
    assert.equal(owner.status, 200)
    for (const path of [`/users/${id}/impersonate`, `/users/${id}/impersonat%65`, `/users/${id}/impersonate/`]) {
      const reply = await world.root.post(`/w/acme/api/tenant/v1${path}`, { reason: 'To see what they see' }, { headers: as })
      assert.doesNotMatch(reply.raw.toString(), /target_token/, path)
    }
    for (const path of ['/auth/login', '/auth/login/', '/auth/logi%6e', '/AUTH/login']) {
      const reply = await world.root.post(`/w/acme/api/tenant/v1${path}`, credentials(acme.owner.email), { headers: as })
      assert.doesNotMatch(reply.raw.toString(), /"token"/, path)
    }
  })

  it('begin to work in a workspace without a script being told its token', async () => {
    const { as } = await signedIn(world.admin.email, 'central')
    const reason = 'To see what they see'
    const reply = await world.root.post(`/operator/api/central/v1/tenants/${acme.id}/impersonate`, { reason }, { headers: as })
    assert.equal(reply.status, 201)
    assert.deepEqual([reply.body.data.to, /_token"/.test(reply.raw.toString())], ['/w/acme/', false])
    const cookie = sent(cookiesOf(reply)[0]!)
    world.secret(cookie.split('=')[1]!)
    const me = await world.root.get('/w/acme/api/tenant/v1/me', { headers: { ...page, cookie } })
    assert.equal(me.body.data.workspace.slug, 'acme')
  })

  it('are answered by the console wherever an operation answers a session’s token', async () => {
    /** Valid for one step of sign-in or one form only, not for requests. */
    const others = new Set(['challenge_token', 'options_token', 'invite_token', 'access_token'])
    const told = (await world.services.modules.routes()).filter(({ route: { spec } }) => {
      const schemas = spec.reply ? [spec.reply, ...(definitionOf(spec.reply).options ?? [])] : []
      const names = schemas.flatMap((schema) => Object.keys(definitionOf(schema).shape ?? {}))
      return names.some((name) => /(^|_)token$/.test(name) && !others.has(name))
    })
    const paths = told.map(({ path }) => path.replace(/:\w+/g, '1'))
    assert.ok(paths.length >= 8, String(paths))
    const isTaken = (path: string) =>
      apiAddress(`${path.startsWith('/api/tenant/') ? '/w/acme' : '/operator'}${path}`)?.answersToken
    assert.deepEqual(
      paths.filter((path) => path.startsWith('/api/') && !isTaken(path)),
      ['/api/tenant/v1/fcm-device-tokens'], // sent by the device itself
    )
  })

  it('are told when the workspace closes and when the session ends', async () => {
    const firm = await world.workspace({ name: 'Closing', modules: [] })
    const { as } = await signedIn(firm.owner.email)
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [firm.id])
    const refused = await world.root.get(`/w/${firm.slug}/api/tenant/v1/users`, { headers: as })
    assert.deepEqual([refused.status, refused.body.code], [403, 'WORKSPACE_SUSPENDED'])
    const shown = await world.root.get(`/w/${firm.slug}/`, { headers: as })
    assert.deepEqual([shown.status, bootOf(shown).refused.code, bootOf(shown).me], [200, 'WORKSPACE_SUSPENDED', undefined])
    await world.sql(`UPDATE tenants SET status = 'active' WHERE id = $1`, [firm.id])
    await world.sql(`UPDATE access_tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE tenant_id = $1`, [firm.id])
    const over = await world.root.get(`/w/${firm.slug}/users?page=2`, { headers: as })
    assert.deepEqual(
      [over.status, over.headers.location],
      [302, `/sign-in?next=${encodeURIComponent(`/w/${firm.slug}/users?page=2`)}`],
    )
    assert.equal(attribute(cookiesOf(over)[0]!, 'Max-Age'), '0')
    assert.equal((await world.root.get(`/w/${firm.slug}/api/tenant/v1/users`, { headers: as })).status, 401)
  })
})

const bootOf = ({ raw }: Reply) => JSON.parse(/id="boot">(.*)<\/script>/.exec(raw.toString())![1]!)

describe('the page', () => {
  it('lets nothing in but its own files, and begins with who one is', async () => {
    const { as } = await signedIn()
    const shown = await world.root.get('/w/acme/vendors', { headers: { ...as, 'accept-language': 'de-AT,de;q=0.9' } })
    assert.equal(shown.status, 200)
    const policy = String(shown.headers['content-security-policy'])
    for (const part of [
      `default-src 'none'`,
      `script-src 'self'`,
      `style-src 'self'`,
      `frame-src 'self'`,
      `frame-ancestors 'none'`,
      `require-trusted-types-for 'script'`,
      `trusted-types 'none'`,
    ])
      assert.ok(policy.split('; ').includes(part), part)
    assert.deepEqual([shown.headers['cache-control'], shown.headers['x-frame-options']], ['private, no-store', 'DENY'])
    const boot = bootOf(shown)
    assert.deepEqual(
      [boot.me.user.email, boot.me.workspace.slug, boot.look],
      [acme.owner.email, 'acme', { language: 'de', theme: 'system' }],
    )
    // The shared script waits for the German texts, so these must import nothing.
    assert.doesNotMatch((await world.root.get(boot.german)).raw.toString(), /^import|from"\.\//)
    assert.deepEqual(
      [boot.screen.key, boot.console.screens.some(({ key }: { key: string }) => key === 'vendors')],
      ['vendors', true],
    )
    const { data } = (await acme.owner.get('/vendors', { query: { search: 'x', per_page: '50' } })).body
    const filtered = bootOf(await world.root.get('/w/acme/vendors?utm=1&search=x', { headers: as }))
    assert.deepEqual([filtered.first[0].asked, filtered.first[0].data], ['/vendors?per_page=50&search=x', data])
    const home = bootOf(await world.root.get('/w/acme/', { headers: as }))
    const told = (await acme.owner.get('/console/home')).body.data
    const figures = (await acme.owner.get('/dashboard')).body.data
    assert.deepEqual([home.screen, home.home, home.first[0].asked, home.first[0].data], [undefined, told, '/dashboard?', figures])
    for (const none of ['vendors/new', 'vendors/7/edit', 'vendors/999999999', 'nothing'])
      assert.equal(bootOf(await world.root.get(`/w/acme/${none}`, { headers: as })).first.length, 0, none)
    // Replies too long for the page are requested by the page itself.
    for (let n = 0; n < 5; n++) await acme.owner.post('/vendors', { name: `Long ${n}`, notes: 'x'.repeat(60_000) })
    const long = bootOf(await world.root.get('/w/acme/vendors?search=Long', { headers: as }))
    assert.deepEqual([long.first, long.screen.key], [[], 'vendors'])
    const look = await world.root.get('/w/acme/', { headers: { ...as, cookie: `${as.cookie}; atrium_look=en.dark` } })
    assert.match(look.raw.toString(), /<html lang="en" data-theme="dark">/)
  })

  it('holds what people typed as data', async () => {
    const firm = await world.workspace({ modules: [] })
    await world.sql(`UPDATE tenants SET workspace_name = '</script><script>alert(1)</script>' WHERE id = $1`, [firm.id])
    const { as } = await signedIn(firm.owner.email)
    const shown = await world.root.get(`/w/${firm.slug}/`, { headers: as })
    assert.ok(!shown.raw.includes('<script>alert'))
    assert.equal(bootOf(shown).me.workspace.name, '</script><script>alert(1)</script>')
  })

  it('sends whoever has no session to sign in, and back to where they were', async () => {
    for (const [path, to] of [
      ['/w/acme/vendors/3?tab=notes', '/sign-in?next=%2Fw%2Facme%2Fvendors%2F3%3Ftab%3Dnotes'],
      ['/operator/tenants', '/sign-in/operator?next=%2Foperator%2Ftenants'],
    ] as const) {
      const reply = await world.root.get(path)
      assert.deepEqual([reply.status, reply.headers.location], [302, to])
    }
    assert.equal((await world.root.get('/sign-in')).status, 200)
  })

  it('is where browsers are led from /, and programs are not', async () => {
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    for (const [headers, to] of [
      [{}, '/docs'],
      [{ accept: '*/*' }, '/docs'],
      [html, '/sign-in'],
      [{ ...html, cookie: 'atrium_recent=w.acme:operator' }, '/w/acme/'],
      [{ ...html, cookie: 'atrium_recent=operator' }, '/operator/'],
      [{ ...html, cookie: 'atrium_recent=.evil.test' }, '/sign-in'],
      [{ ...html, cookie: 'atrium_recent=//evil.test' }, '/sign-in'],
    ] as const) {
      const reply = await world.root.get('/', { headers })
      assert.deepEqual([reply.status, reply.headers.location], [302, to], JSON.stringify(headers))
    }
  })

  it('serves a workspace at its own host, and no other', async () => {
    const own = { host: 'acme.atrium.test' }
    const at = (path: string) => world.root.get(path, { headers: own })
    assert.equal((await at('/')).headers.location, '/w/acme/')
    assert.deepEqual(bootOf(await at('/sign-in')).own, { api: '/api/tenant/v1', path: '/w/acme' })
    assert.equal((await at('/w/acme/vendors')).headers.location, '/sign-in?next=%2Fw%2Facme%2Fvendors')
    for (const path of ['/w/other/', '/operator/']) assert.equal((await at(path)).status, 404)
  })

  it('has the look of the platform, and of the workspace where it chose a colour', async () => {
    await world.admin.put('/system-settings', { settings: { button_color: '#f2c200' } })
    const { accent } = bootOf(await world.root.get('/sign-in'))
    assert.deepEqual([accent.hue, accent['on-fill']], ['#f2c200', '#000000'])
    assert.notEqual(accent['hue-light'], '#f2c200', 'yellow can not be read on white')
    await acme.owner.put('/settings', { settings: { document_accent_color: '#1f4f82' } })
    const { as } = await signedIn()
    assert.equal(bootOf(await world.root.get('/w/acme/', { headers: as })).accent.hue, '#1f4f82')
  })

  it('has files that stay as they are, compressed', async () => {
    const shown = (await world.root.get('/sign-in')).raw.toString()
    const files = [...shown.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, file]) => file!)
    assert.ok(files.length >= 2)
    for (const file of files) {
      const reply = await world.root.get(file, { headers: { 'accept-encoding': 'gzip, br' } })
      assert.deepEqual(
        [reply.status, reply.headers['content-encoding'], reply.headers['cache-control']],
        [200, 'br', 'public, max-age=31536000, immutable'],
      )
      assert.ok(reply.raw.length < 60_000)
    }
    assert.equal((await world.root.get('/console/assets/names.json')).status, 404)
    assert.equal((await world.root.get('/console/assets/..%2f..%2fapp.key')).status, 404)
  })

  it('is compressed, unless another site leads to it', async () => {
    const { as } = await signedIn()
    const encoding = async (headers: Record<string, string>) =>
      (await world.root.get('/w/acme/?search=guess', { headers: { ...as, 'accept-encoding': 'gzip', ...headers } })).headers[
        'content-encoding'
      ]
    for (const site of ['none', 'same-origin']) assert.equal(await encoding({ 'sec-fetch-site': site }), 'gzip')
    for (const site of ['cross-site', 'same-site']) assert.equal(await encoding({ 'sec-fetch-site': site }), undefined)
  })

  it('begins with less than 60 KB of scripts, and 20 KB of data where every module is installed', async () => {
    const keys = [...world.services.modules.workspace.values()].filter(({ core }) => !core).map(({ key }) => key)
    const firm = await world.workspace({ name: 'Everything', modules: keys as never })
    const { as } = await signedIn(firm.owner.email)
    const shown = (await world.root.get(`/w/${firm.slug}/invoices`, { headers: as })).raw.toString()
    const [, boot = ''] = /id="boot">(.*)<\/script>/.exec(shown)!
    assert.ok(gzipSync(boot).length < 20_000, `${gzipSync(boot).length} bytes of data`)
    const scripts = new Set([...shown.matchAll(/"(\/console\/assets\/[^"]+\.js)"/g)].map(([, file]) => file!))
    const files = await Promise.all([...scripts].map((file) => world.root.get(file)))
    const bytes = files.reduce((sum, { raw }) => sum + gzipSync(raw).length, 0)
    assert.ok(bytes < 60_000, `${bytes} bytes of scripts`)
    assert.ok(files.length <= 3, `${files.length} scripts: a phone waits for each six of them once more`)
  })

  it('has no part above 40 KB that is fetched when it is first opened', async () => {
    const { as } = await signedIn()
    const page = (await world.root.get('/w/acme/vendors', { headers: as })).raw.toString()
    const first = [...page.matchAll(/"\/console\/assets\/([^"]+\.js)"/g)].map(([, file]) => file!)
    const waiting = [...first]
    const sizes = new Map<string, number>()
    for (let file = waiting.pop(); file; file = waiting.pop()) {
      if (sizes.has(file)) continue
      const { raw } = await world.root.get(`/console/assets/${file}`)
      sizes.set(file, gzipSync(raw).length)
      waiting.push(...[...raw.toString().matchAll(/"\.\/([\w-]+\.js)"/g)].map(([, other]) => other!))
    }
    assert.ok(sizes.size > 30, `only ${sizes.size} files are known`)
    assert.deepEqual(
      [...sizes].filter(([file, bytes]) => bytes >= 40_000 && !first.includes(file)),
      [],
    )
  })

  it('is a 503 where it can not be bundled, and the API answers all the same; it is tried again later', async () => {
    const broken = await startTest()
    const { owner } = await broken.workspace({ modules: ['vendors'] })
    const { config } = broken.services
    const shown = async () => (await broken.root.get('/sign-in')).status
    config.DATA_DIR = import.meta.filename // not a folder
    assert.equal(await shown(), 503)
    assert.equal((await owner.get('/vendors')).status, 200)
    config.DATA_DIR = world.services.config.DATA_DIR
    broken.clock.set(new Date(Date.parse(broken.clock.now()) + 60_000).toISOString())
    assert.equal(await shown(), 200)
  })

  it('is bundled by several processes at once, which may share a folder; what a dead one left is removed', async () => {
    const all = mkdtempSync(join(tmpdir(), 'atrium-bundles-'))
    const { signal } = new AbortController()
    mkdirSync(join(all, 'console/0123456789abcdef.half'), { recursive: true })
    const made = await Promise.all([1, 2].map(() => bundleOf(all, signal)))
    assert.deepEqual(new Set(made.map(({ script, files }) => `${script} ${files.has(script)}`)).size, 1)
    const [folder = '', ...others] = readdirSync(join(all, 'console'))
    assert.deepEqual(others, [])
    // A partly deleted bundle, as after a killed sweep.
    rmSync(join(all, 'console', folder, 'names.json'))
    assert.ok((await bundleOf(all, signal)).files.size > 0)
    rmSync(all, { recursive: true })
  })
})
