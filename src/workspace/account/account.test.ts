// Also in CI: citus-short, pgbouncer
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { PASSWORD, type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import * as mail from '#test/operator.ts'

const world = await startTest({ env: { BASE_URL: 'http://app.atrium.test', PLATFORM_DOMAIN: 'atrium.test' } })
const NEW_PASSWORD = 'a much better battery'
const HOUR = 3_600_000
const DAY = 24 * HOUR
let acme: Workspace
let other: Workspace

before(async () => {
  world.clock.set('2027-03-01T09:00:00.000Z')
  acme = await world.workspace({ modules: ['vendors'], name: 'Acme' })
  other = await world.workspace({ modules: [], name: 'Other' })
})

const forgetLimits = () => world.sql('DELETE FROM rate_limits')
beforeEach(forgetLimits)

const later = (milliseconds: number) => world.clock.set(new Date(Date.parse(world.clock.now()) + milliseconds).toISOString())

const tryLogin = (body: object, headers: Record<string, string> = {}) => world.anonymous.post('/auth/login', body, { headers })
/** Signs in without rate limits. */
const login = async (...given: Parameters<typeof tryLogin>) => {
  await forgetLimits()
  return tryLogin(...given)
}
const signIn = async (email: string, more: object = {}) =>
  (await login({ email, password: PASSWORD, ...more })).body.data.token as string

/** Returns a user with the harness's password. */
async function member(workspace: Workspace, permissions: string[] = []): Promise<Person> {
  const person = await workspace.user(permissions)
  const owners = 'SELECT password_hash FROM users WHERE tenant_id = $1 AND is_owner'
  await world.sql(`UPDATE users SET password_hash = (${owners}) WHERE tenant_id = $1 AND id = $2`, [workspace.id, person.id])
  return person
}

const mailsTo = (email: string) => mail.mailsTo(world, email)
/** Returns the token in the newest mail to an address. */
const mailedToken = (email: string, type?: string) => mail.mailedToken(world, type, email)

/** Returns a signed-in user whose address isn't verified. */
async function unverified() {
  const person = await member(acme)
  await world.sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [person.id])
  return person
}

/** 422 on exactly these fields. */
function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

function forbidden({ status, body }: Reply, code: string) {
  assert.equal(status, 403, body.message)
  assert.equal(body.code, code)
}

async function isSignedIn(token: string) {
  return (await world.tenant(token).get('/me')).status === 200
}

describe('sign-in', () => {
  it('says the same to a wrong password, an unknown address and an unknown workspace', async () => {
    const { email } = await member(acme)
    const invited = (await acme.owner.post('/users', { name: 'Ida', email: 'ida@acme.test' })).body.data
    const answers = []
    for (const body of [
      { email, password: 'wrong' },
      { email: 'nobody@acme.test', password: PASSWORD },
      { email, password: PASSWORD, workspace: other.slug },
      { email, password: PASSWORD, workspace: 'no-such-workspace' },
      { email, password: PASSWORD, workspace: '' },
      { email: invited.email, password: PASSWORD },
      { email: world.admin.email, password: PASSWORD },
    ]) {
      const reply = await login(body)
      answers.push({ ...reply.body, http: reply.status, request_id: undefined })
    }
    assert.equal(answers[0]!.http, 401)
    assert.equal(answers[0]!.code, 'INVALID_CREDENTIALS')
    for (const answer of answers) assert.deepEqual(answer, answers[0])
  })

  it('names each wrong field', async () => {
    refused(await login({}), 'email', 'password')
    refused(
      await login({ email: 'nobody', password: '', remember: 'yes', workspace: 7, device_name: ' ' }),
      'device_name',
      'email',
      'password',
      'remember',
      'workspace',
    )
    for (const body of [[], [{ email: 'a@b.test' }]]) refused(await login(body), 'body')
    const broken = await world.anonymous.post('/auth/login', '{"email": ', { headers: { 'content-type': 'application/json' } })
    assert.equal(broken.status, 400)
  })

  it('answers a token and what may be done with it', async () => {
    const person = await member(acme, ['vendors.view', 'roles.view'])
    const { status, body, raw } = await login({ email: ` ${person.email.toUpperCase()} `, password: PASSWORD })
    assert.equal(status, 200)
    const { token, token_type, expires_at, user, workspace, permissions, modules } = body.data
    assert.match(token, /^\d+\|\S{40,}$/)
    assert.equal(token_type, 'Bearer')
    assert.equal(expires_at, new Date(Date.parse(world.clock.now()) + 7 * DAY).toISOString())
    assert.partialDeepStrictEqual(user, { id: person.id, email: person.email, is_owner: false })
    assert.deepEqual(workspace, { id: acme.id, slug: 'acme', name: 'Acme', timezone: 'UTC', currency: 'USD', locale: 'en' })
    assert.deepEqual(permissions, ['roles.view', 'vendors.view'])
    const included = [...world.services.modules.workspace.values()]
      .filter((module) => module.defaultIncluded)
      .map(({ key }) => key)
    assert.deepEqual(modules, [...included, 'vendors'].toSorted())
    assert.doesNotMatch(raw.toString(), /argon2|password_hash/)
    const me = await world.tenant(token).get('/me')
    assert.deepEqual(me.body.data, { user, workspace, permissions, modules })
    const owner = await login({ email: acme.owner.email, password: PASSWORD })
    assert.deepEqual(owner.body.data.user.role, ['superadmin'])
    assert.ok(owner.body.data.permissions.includes('users.delete'))
  })

  it('finds the workspace by slug, by host, or by the address alone', async () => {
    const here = await member(acme)
    const there = await member(other)
    const email = 'both@example.test'
    for (const { id } of [here, there]) await world.sql('UPDATE users SET email = $1 WHERE id = $2', [email, id])
    const body = { email, password: PASSWORD }
    refused(await login(body), 'workspace')
    for (const host of [
      'app.atrium.test',
      'atrium.test',
      'atrium.test:443',
      'elsewhere.test',
      'acme.elsewhere.test',
      '[::1]:3000',
    ])
      refused(await login(body, { host }), 'workspace')
    assert.equal((await login({ email, password: 'wrong' })).status, 401)
    for (const { reply, found } of [
      { reply: await login({ ...body, workspace: 'acme' }), found: acme },
      { reply: await login({ ...body, workspace: ' OTHER ' }), found: other },
      { reply: await login(body, { host: 'acme.atrium.test' }), found: acme },
      { reply: await login(body, { host: 'Other.Atrium.test:8080' }), found: other },
      { reply: await login({ ...body, workspace: 'acme' }, { host: 'other.atrium.test' }), found: acme },
      { reply: await login({ email: acme.owner.email, password: PASSWORD }), found: acme },
    ] as const) {
      assert.equal(reply.status, 200)
      assert.equal(reply.body.data.workspace.id, found.id)
    }
    assert.equal((await login({ email: acme.owner.email, password: PASSWORD }, { host: 'other.atrium.test' })).status, 401)
    assert.equal((await login(body, { host: 'a.acme.atrium.test' })).status, 401)
  })

  it('is closed to suspended users, and so is what they hold already (AUTH-02)', async () => {
    const person = await member(acme)
    await acme.owner.post(`/users/${person.id}/suspend`)
    forbidden(await login({ email: person.email, password: PASSWORD }), 'USER_SUSPENDED')
    assert.equal((await login({ email: person.email, password: 'wrong' })).status, 401)
    forbidden(await person.get('/me'), 'USER_SUSPENDED')
    await acme.owner.post(`/users/${person.id}/unsuspend`)
    assert.equal((await person.get('/me')).status, 200)
    assert.equal((await login({ email: person.email, password: PASSWORD })).status, 200)
  })

  it('is closed with the workspace', async () => {
    const { id, owner } = await world.workspace({ modules: [] })
    for (const { state, code } of [
      { state: `status = 'suspended'`, code: 'WORKSPACE_SUSPENDED' },
      { state: `status = 'active', archived_at = now()`, code: 'WORKSPACE_ARCHIVED' },
    ] as const) {
      await world.sql(`UPDATE tenants SET ${state} WHERE id = $1`, [id])
      forbidden(await login({ email: owner.email, password: PASSWORD }), code)
      assert.equal((await login({ email: owner.email, password: 'wrong' })).status, 401)
      for (const path of ['/me', '/users', '/dashboard']) forbidden(await owner.get(path), code)
    }
    await world.sql('UPDATE tenants SET archived_at = NULL, deleted_at = now() WHERE id = $1', [id])
    assert.equal((await login({ email: owner.email, password: PASSWORD })).status, 401)
    assert.equal((await owner.get('/me')).status, 401)
    await world.sql('UPDATE tenants SET deleted_at = NULL WHERE id = $1', [id])
    assert.equal((await owner.get('/me')).status, 200)
  })

  it('lets unverified users in, as far as their own account (AUTH-03)', async () => {
    const person = await member(acme, ['users.view'])
    await world.sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [person.id])
    const me = world.tenant(await signIn(person.email, { workspace: acme.slug }))
    for (const path of ['/users', '/users/1', '/roles', '/settings', '/dashboard', '/permissions', '/vendors'])
      forbidden(await me.get(path), 'EMAIL_NOT_VERIFIED')
    assert.equal((await me.get('/me')).body.data.user.email_verified_at, null)
    assert.equal((await me.get('/me/sessions')).status, 200)
    assert.equal((await me.post('/auth/resend-verification')).status, 200)
    assert.equal((await me.post('/auth/verify-email', { token: await mailedToken(person.email) })).status, 200)
    assert.equal((await me.get('/users')).status, 200)
  })

  it('is tried five times a minute by address (AUTH-19)', async () => {
    const { email } = await member(acme)
    for (let left = 4; left >= 0; left--) {
      const { status, headers } = await tryLogin({ email, password: 'wrong' })
      assert.equal(status, 401)
      assert.deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining']], ['5', String(left)])
    }
    const { status, body, headers } = await tryLogin({ email: ` ${email.toUpperCase()}`, password: PASSWORD })
    assert.equal(status, 429)
    assert.equal(body.code, 'TOO_MANY_REQUESTS')
    assert.equal(body.data, null)
    assert.deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining']], ['5', '0'])
    for (const seconds of [headers['retry-after'], headers['ratelimit-reset']])
      assert.ok(Number(seconds) >= 1 && Number(seconds) <= 60, String(seconds))
    const someoneElse = await tryLogin({ email: acme.owner.email, password: PASSWORD })
    assert.equal(someoneElse.status, 200)
    assert.deepEqual([someoneElse.headers['ratelimit-limit'], someoneElse.headers['ratelimit-remaining']], ['5', '4'])
  })

  it('is tried five times a minute by IP where no address is sent (AUTH-19)', async () => {
    for (const body of [{}, { email: 7 }, [], { email: ['a@b.test'] }, { password: 'x' }])
      assert.equal((await tryLogin(body)).status, 422)
    assert.equal((await tryLogin({})).status, 429)
    assert.equal((await tryLogin({ email: acme.owner.email, password: PASSWORD })).status, 200)
  })
})

describe('sessions', () => {
  it('need a token that is whole, alive, and of this workspace API (AUTH-01)', async () => {
    const { email, token } = await member(acme)
    const [id, secret] = token.split('|') as [string, string]
    const [otherId] = acme.owner.token.split('|')
    await acme.user([])
    await world.anonymous.post('/auth/forgot-password', { email })
    for (const header of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer ${secret}`,
      `Bearer ${id}`,
      `Bearer ${id}|`,
      `Bearer ${id}|${secret}x`,
      `Bearer ${id}|${secret.slice(0, -1)}`,
      `Bearer ${id}|${secret.toUpperCase()}`,
      `Bearer ${otherId}|${secret}`,
      `Bearer 999999999999999|${secret}`,
      `Bearer 99999999999999999999|${secret}`,
      `Bearer -1|${secret}`,
      `Bearer ${world.admin.token}`,
      `Bearer ${id}|${await mailedToken(email)}`,
      `Bearer ${'x'.repeat(5000)}`,
    ]) {
      const { status, body } = await world.anonymous.get('/me', {
        headers: header === undefined ? {} : { authorization: header },
      })
      assert.equal(status, 401, String(header))
      assert.equal(body.code, 'UNAUTHENTICATED')
    }
    assert.equal((await world.central(token).get('/me')).status, 401)
    assert.equal((await world.anonymous.get('/me', { headers: { authorization: `bearer ${token}` } })).status, 200)
  })

  it('last a week, thirty days when remembered, or what the platform says', async () => {
    const { email } = await member(acme)
    for (const { more, lasts } of [
      { more: {}, lasts: 7 * DAY },
      { more: { remember: false }, lasts: 7 * DAY },
      { more: { remember: true }, lasts: 30 * DAY },
    ] as const) {
      const token = await signIn(email, more)
      later(lasts - 1000)
      assert.equal(await isSignedIn(token), true)
      later(1000)
      assert.equal(await isSignedIn(token), false)
    }
    await world.sql(`INSERT INTO platform_settings (key, value, updated_at) VALUES ('session_lifetime_minutes', '60', now())`)
    const { expires_at } = (await login({ email, password: PASSWORD })).body.data
    await world.sql('DELETE FROM platform_settings')
    assert.equal(Date.parse(expires_at) - Date.parse(world.clock.now()), HOUR)
  })

  it('end at sign-out: this one, or all', async () => {
    const { email } = await member(acme)
    const tokens = [await signIn(email), await signIn(email), await signIn(email)] as const
    assert.equal((await world.anonymous.post('/auth/logout')).status, 401)
    refused(await world.tenant(tokens[0]).post('/auth/logout', { all: 'yes' }), 'all')
    assert.equal((await world.tenant(tokens[0]).post('/auth/logout')).status, 200)
    assert.deepEqual(await Promise.all(tokens.map(isSignedIn)), [false, true, true])
    assert.equal((await world.tenant(tokens[1]).post('/auth/logout', { all: true })).status, 200)
    assert.deepEqual(await Promise.all(tokens.map(isSignedIn)), [false, false, false])
    assert.equal(await isSignedIn(acme.owner.token), true)
  })

  it('are listed, and ended one by one or all but the present one', async () => {
    const { email } = await member(acme)
    const agent = { 'user-agent': 'Mobile/1.0' }
    const phone = (await login({ email, password: PASSWORD, device_name: ' Phone ' }, agent)).body.data.token
    later(1000)
    const [desk, third] = [await signIn(email), await signIn(email)]
    const { body } = await world.tenant(desk).get('/me/sessions')
    const mine = body.data.find((session: { is_current: boolean }) => session.is_current)
    assert.equal(body.data.filter((session: { is_current: boolean }) => session.is_current).length, 1)
    assert.equal(mine.id, Number(desk.split('|')[0]))
    const onPhone = body.data.find((session: { name: string }) => session.name === 'Phone')
    assert.deepEqual(Object.keys(onPhone).sort(), [
      'created_at',
      'expires_at',
      'id',
      'ip',
      'is_current',
      'last_used_at',
      'name',
      'user_agent',
    ])
    assert.partialDeepStrictEqual(onPhone, { user_agent: 'Mobile/1.0', ip: '127.0.0.1', is_current: false })

    for (const notMine of [
      acme.owner.token.split('|')[0],
      other.owner.token.split('|')[0],
      '0',
      '-1',
      'phone',
      '999999999999',
      '99999999999999999999',
    ])
      assert.equal((await world.tenant(desk).del(`/me/sessions/${notMine}`)).status, 404, String(notMine))
    assert.equal(await isSignedIn(acme.owner.token), true)
    assert.equal((await world.anonymous.del(`/me/sessions/${onPhone.id}`)).status, 401)

    assert.equal((await world.tenant(desk).del(`/me/sessions/${onPhone.id}`)).status, 200)
    assert.deepEqual(await Promise.all([phone, desk, third].map(isSignedIn)), [false, true, true])
    assert.equal((await world.tenant(desk).del(`/me/sessions/${onPhone.id}`)).status, 404)
    assert.equal((await world.tenant(desk).post('/me/sessions/revoke-others')).status, 200)
    assert.deepEqual(await Promise.all([desk, third].map(isSignedIn)), [true, false])
  })
})

describe('mailed links', () => {
  const verify = (token: unknown) => world.anonymous.post('/auth/verify-email', { token })
  const isVerified = async (person: Person) => (await person.get('/me')).body.data.user.email_verified_at !== null

  it('verify an address once, for three days', async () => {
    const person = await unverified()
    assert.equal((await world.anonymous.post('/auth/resend-verification')).status, 401)
    await person.post('/auth/resend-verification')
    const first = await mailedToken(person.email)
    await person.post('/auth/resend-verification')
    const second = await mailedToken(person.email)
    await world.anonymous.post('/auth/forgot-password', { email: person.email })
    const reset = await mailedToken(person.email)
    for (const wrong of ['nonsense', first, reset, person.token, '', 7, null, undefined, ['x'], 'a\0b'])
      refused(await verify(wrong), 'token')
    assert.equal(await isVerified(person), false)
    assert.equal((await verify(second)).status, 200)
    assert.equal(await isVerified(person), true)
    refused(await verify(second), 'token')

    const mails = (await mailsTo(person.email)).length
    assert.equal((await person.post('/auth/resend-verification')).status, 200)
    assert.equal((await mailsTo(person.email)).length, mails, 'nothing is mailed to whom is verified')

    const late = await unverified()
    await late.post('/auth/resend-verification')
    const third = await mailedToken(late.email)
    later(3 * DAY)
    refused(await verify(third), 'token')
    assert.equal(await isVerified(late), false)
  })

  it('are mailed six times a minute', async () => {
    const person = await unverified()
    for (let n = 0; n < 6; n++) assert.equal((await person.post('/auth/resend-verification')).status, 200)
    assert.equal((await person.post('/auth/resend-verification')).status, 429)
    assert.equal((await mailsTo(person.email)).length, 6)
  })

  const forgot = (email: unknown, more: object = {}, headers = {}) =>
    world.anonymous.post('/auth/forgot-password', { email, ...more }, { headers })
  const reset = (email: unknown, token: unknown, more: object = {}) =>
    world.anonymous.post('/auth/reset-password', {
      email,
      token,
      password: NEW_PASSWORD,
      password_confirmation: NEW_PASSWORD,
      ...more,
    })

  it('to a new password are sent to known addresses; the answer tells nothing', async () => {
    const { email } = await member(acme)
    refused(await forgot('nobody'), 'email')
    refused(await forgot(undefined, { workspace: 1 }), 'email', 'workspace')
    const [known, unknown] = [await forgot(email.toUpperCase()), await forgot('nobody@acme.test')]
    assert.equal(known.status, 200)
    assert.deepEqual(known.body, unknown.body)
    assert.equal((await mailsTo(email)).length, 1)
    assert.equal((await mailsTo('nobody@acme.test')).length, 0)
    assert.equal((await forgot(email, { workspace: other.slug })).status, 200)
    assert.equal((await forgot(email, {}, { host: 'other.atrium.test' })).status, 200)
    assert.equal((await mailsTo(email)).length, 1, 'another workspace was meant')
    await forgot(email, {}, { host: 'acme.atrium.test' })
    assert.equal((await mailsTo(email)).length, 2)
    assert.equal((await forgot(email)).status, 200)
    assert.equal((await forgot(email)).status, 429)
  })

  it('set a new password once, for an hour, and end every session', async () => {
    const person = await unverified()
    const { email } = person
    await forgot(email)
    const earlier = await mailedToken(email)
    await forgot(email)
    const token = await mailedToken(email)
    refused(
      await reset(undefined, undefined, { password: 'short', password_confirmation: 7 }),
      'email',
      'password',
      'password_confirmation',
      'token',
    )
    refused(await reset(email, token, { password_confirmation: 'something else' }), 'password_confirmation')
    refused(await reset(email, token, { password: 'x'.repeat(201), password_confirmation: 'x'.repeat(201) }), 'password')
    for (const { address, wrong } of [
      { address: email, wrong: 'nonsense' },
      { address: acme.owner.email, wrong: token },
    ])
      refused(await reset(address, wrong), 'token')
    await forgetLimits()

    assert.equal(await isSignedIn(person.token), true)
    assert.equal((await reset(email.toUpperCase(), token)).status, 200)
    assert.equal(await isSignedIn(person.token), false)
    for (const used of [token, earlier]) refused(await reset(email, used), 'token')
    assert.equal((await login({ email, password: PASSWORD })).status, 401)
    const again = await login({ email, password: NEW_PASSWORD })
    assert.equal(again.status, 200)
    assert.notEqual(again.body.data.user.email_verified_at, null, 'the link proved the address')

    await forgot(email)
    const late = await mailedToken(email)
    later(HOUR)
    refused(await reset(email, late), 'token')
  })

  it('of the platform open nothing here', async () => {
    await world.central().post('/auth/forgot-password', { email: world.admin.email })
    const token = await mailedToken(world.admin.email)
    refused(await reset(world.admin.email, token), 'token')
    const answer = await world.anonymous.post('/auth/accept-invite', {
      token,
      password: NEW_PASSWORD,
      password_confirmation: NEW_PASSWORD,
    })
    refused(answer, 'token')
  })

  it('to an address that was given up prove nothing of the new one', async () => {
    const person = await unverified()
    await forgot(person.email)
    const token = await mailedToken(person.email)
    await person.put('/me', { email: 'not-mine@example.test' })
    refused(await reset('not-mine@example.test', token), 'token')
    refused(await reset(person.email, token), 'token')
    assert.equal(await isVerified(person), false)
  })

  it('keep to the platform’s rules of passwords', async () => {
    const { email } = await member(acme)
    await world.sql(
      `INSERT INTO platform_settings (key, value, updated_at) VALUES ('password_min_length', '12', now()), ('password_require_special', 'true', now())`,
    )
    await forgot(email)
    const token = await mailedToken(email)
    for (const password of ['elevenchars', 'twelveletters'])
      refused(await reset(email, token, { password, password_confirmation: password }), 'password')
    const good = await reset(email, token, { password: 'twelve-letters', password_confirmation: 'twelve-letters' })
    await world.sql('DELETE FROM platform_settings')
    assert.equal(good.status, 200)
  })
})

describe('one’s own profile', () => {
  it('is nobody else’s', async () => {
    for (const { method, path } of [
      { method: 'get', path: '/me' },
      { method: 'put', path: '/me' },
      { method: 'post', path: '/me/change-password' },
      { method: 'get', path: '/me/sessions' },
      { method: 'del', path: '/me/sessions/1' },
      { method: 'post', path: '/me/sessions/revoke-others' },
      { method: 'post', path: '/auth/logout' },
      { method: 'post', path: '/auth/resend-verification' },
    ] as const)
      assert.equal((await world.anonymous[method](path)).status, 401, path)
  })

  it('takes a name and an address, and nothing else', async () => {
    const person = await member(acme, ['roles.view'])
    for (const { body, field } of [
      { body: { name: '' }, field: 'name' },
      { body: { name: ' \t ' }, field: 'name' },
      { body: { name: null }, field: 'name' },
      { body: { name: 'x'.repeat(256) }, field: 'name' },
      { body: { name: 'a\0b' }, field: 'name' },
      { body: { name: ['x'] }, field: 'name' },
      { body: { email: 'nobody' }, field: 'email' },
      { body: { email: `${'x'.repeat(250)}@a.test` }, field: 'email' },
      { body: { email: 'a\0b@acme.test' }, field: 'email' },
      { body: { email: { $ne: '' } }, field: 'email' },
      { body: [], field: 'body' },
    ] as const)
      refused(await person.put('/me', body), field)
    const sent = {
      name: ' Renamed ',
      is_owner: true,
      role: ['admin'],
      permissions: ['users.delete'],
      id: 1,
      suspended_at: '2020-01-01',
      password: NEW_PASSWORD,
    }
    const { status, body } = await person.put('/me', sent)
    assert.equal(status, 200)
    assert.equal(body.data.user.name, 'Renamed')
    assert.deepEqual([body.data.user.id, body.data.user.is_owner, body.data.permissions], [person.id, false, ['roles.view']])
    assert.equal((await login({ email: person.email, password: PASSWORD })).status, 200)
    assert.equal((await person.put('/me', null)).body.data.user.name, 'Renamed')
  })

  it('keeps its address unless another is free, and proves the new one', async () => {
    const person = await member(acme, ['users.view'])
    const elsewhere = await member(other)
    refused(await person.put('/me', { email: acme.owner.email.toUpperCase(), name: 'Not saved' }), 'email')
    assert.notEqual((await person.get('/me')).body.data.user.name, 'Not saved')
    assert.notEqual((await person.put('/me', { email: ` ${person.email.toUpperCase()}` })).body.data.user.email_verified_at, null)
    assert.equal((await mailsTo(person.email)).length, 0)

    const { body } = await person.put('/me', { email: elsewhere.email })
    assert.partialDeepStrictEqual(body.data.user, { email: person.email, pending_email: elsewhere.email })
    assert.equal((await person.get('/users')).status, 200)
    assert.equal((await login({ email: elsewhere.email, password: PASSWORD, workspace: acme.slug })).status, 401)
    assert.equal((await world.anonymous.post('/auth/verify-email', { token: await mailedToken(elsewhere.email) })).status, 200)
    const { user } = (await person.get('/me')).body.data
    assert.partialDeepStrictEqual(user, { email: elsewhere.email, pending_email: null })
    assert.equal((await login({ email: person.email, password: PASSWORD })).status, 401)
    assert.equal((await login({ email: elsewhere.email, password: PASSWORD, workspace: acme.slug })).body.data.user.id, person.id)
    assert.equal((await elsewhere.get('/me')).status, 200)
  })

  it('goes to one of two who take the same address at once', async () => {
    const people = await Promise.all([unverified(), unverified(), unverified()])
    const replies = await Promise.all(people.map((person) => person.put('/me', { email: 'wanted@acme.test' })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422, 422])
    for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 'email')

    const tokens = []
    for (const person of [await member(acme), await member(acme)]) {
      assert.equal((await person.put('/me', { email: 'proven@acme.test' })).status, 200)
      tokens.push(await mailedToken('proven@acme.test'))
    }
    const proofs = await Promise.all(tokens.map((token) => world.anonymous.post('/auth/verify-email', { token })))
    assert.deepEqual(proofs.map(({ status }) => status).sort(), [200, 422])
  })

  const change = (token: string, more: object = {}) =>
    world.tenant(token).post('/me/change-password', {
      old_password: PASSWORD,
      password: NEW_PASSWORD,
      password_confirmation: NEW_PASSWORD,
      ...more,
    })

  it('takes a new password from whom knows the old one', async () => {
    const { email, token } = await member(acme)
    refused(await change(token, { old_password: 'wrong' }), 'old_password')
    refused(
      await change(token, { old_password: null, password: 7, password_confirmation: [] }),
      'old_password',
      'password',
      'password_confirmation',
    )
    refused(await change(token, { password: 'short', password_confirmation: 'short' }), 'password')
    refused(await change(token, { password_confirmation: `${NEW_PASSWORD}!` }), 'password_confirmation')
    refused(await change(token, { password: 'a\0bcdefgh', password_confirmation: 'a\0bcdefgh' }), 'password')
    refused(await change(token, { revoke_other_sessions: 'no' }), 'revoke_other_sessions')
    const limited = await change(token)
    assert.equal(limited.status, 429, 'the seventh within a minute')
    assert.deepEqual([limited.headers['ratelimit-limit'], limited.headers['ratelimit-remaining']], ['6', '0'])
    assert.ok(Number(limited.headers['retry-after']) >= 1)
    assert.equal((await login({ email, password: PASSWORD })).status, 200)
    refused(await change((await member(acme)).token, { old_password: 'wrong' }), 'old_password')
  })

  it('ends the other sessions with the old password, unless told not to', async () => {
    for (const { more, others } of [
      { more: {}, others: false },
      { more: { revoke_other_sessions: true }, others: false },
      { more: { revoke_other_sessions: false }, others: true },
    ] as const) {
      const { email, token } = await member(acme)
      const second = await signIn(email)
      assert.equal((await change(second, more)).status, 200)
      assert.deepEqual(await Promise.all([token, second].map(isSignedIn)), [others, true])
      assert.equal((await login({ email, password: PASSWORD })).status, 401)
      assert.equal((await login({ email, password: NEW_PASSWORD })).status, 200)
    }
  })
})

describe('input that nobody means', () => {
  it('is refused at sign-in before anything else looks at it', async () => {
    for (const email of ['a\0b@acme.test', '\0', '\ud800@acme.test', 'x'.repeat(10_000)])
      refused(await login({ email, password: PASSWORD }), 'email')
    refused(await login({ email: acme.owner.email, password: 'a\0b' }), 'password')
    refused(await login({ email: acme.owner.email, password: 'x'.repeat(201) }), 'password')
    refused(await login({ email: acme.owner.email, password: PASSWORD, workspace: '\0' }), 'workspace')
    refused(await login({ email: acme.owner.email, password: PASSWORD, device_name: 'a\0b' }), 'device_name')
  })

  it('does no harm as a device name, a name or a header', async () => {
    const { email } = await member(acme)
    const device_name = '<b>\ud83d\ude00 "Möbel" %_\\</b>'
    const { token } = (await login({ email, password: PASSWORD, device_name }, { 'user-agent': 'x'.repeat(2000) })).body.data
    const [session] = (await world.tenant(token).get('/me/sessions')).body.data.filter(
      (one: { is_current: boolean }) => one.is_current,
    )
    assert.equal(session.name, device_name)
    assert.equal(session.user_agent, 'x'.repeat(500))
    assert.equal((await world.tenant(token).put('/me', { name: 'Bobby\r\nBcc: all@acme.test' })).status, 200)
    assert.equal((await world.tenant(token).put('/me', { email: 'bobby@acme.test' })).status, 200)
    const [sent] = await mailsTo('bobby@acme.test')
    assert.doesNotMatch(sent!.subject, /[\r\n]/)
  })
})
