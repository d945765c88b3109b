import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { ensureFirstAdmin } from '#platform/account/public.ts'
import { PASSWORD, startTest } from '#test/harness.ts'
import { mailedToken, type Operator, operator } from '#test/operator.ts'

const world = await startTest()
const keyless = await startTest({ env: { ADMIN_PASSWORD: '' } })
const nobody = world.central()
const DAY = 24 * 3600 * 1000
const start = Date.parse(world.clock.now())
const at = (ms: number) => new Date(start + ms).toISOString()
const login = (email: string, password = PASSWORD, more: object = {}) => nobody.post('/auth/login', { email, password, ...more })
const setting = (key: string, value: unknown) =>
  world.sql('INSERT INTO platform_settings (key, value, updated_at) VALUES ($1, $2, now())', [key, JSON.stringify(value)])

before(() => world.clock.set(at(0)))

describe('signing in to the platform', () => {
  it('gives a bearer token that opens the platform', async () => {
    const { status, body } = await login(' Admin@Platform.test ', PASSWORD, { device_name: 'laptop' })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body.data).sort(), ['expires_at', 'token', 'token_type', 'user'])
    assert.equal(body.data.token_type, 'Bearer')
    assert.equal(body.data.expires_at, at(7 * DAY))
    assert.equal(body.meta, null)
    const me = await world.central(body.data.token).get('/me')
    assert.deepEqual(me.body.data, body.data.user)
    assert.deepEqual(me.body.data.role, ['superadmin'])
    assert.ok(me.body.data.permissions.includes('tenants.list'))
    assert.ok(!('password_hash' in me.body.data))
  })

  it('says the same of a wrong password, an unknown address, and a deleted user', async () => {
    const gone = await operator(world, [])
    await world.sql('UPDATE platform_users SET deleted_at = now() WHERE id = $1', [gone.id])
    assert.equal((await gone.get('/me')).status, 401, 'the token of a deleted user')
    const replies = [
      await login('admin@platform.test', 'wrong password'),
      await login('nobody@platform.test', PASSWORD),
      await login(gone.email, PASSWORD),
    ]
    for (const { status, body } of replies) {
      assert.equal(status, 401)
      assert.deepEqual({ ...body, request_id: '' }, { ...replies[0]!.body, request_id: '' })
      assert.equal(body.code, 'INVALID_CREDENTIALS')
    }
  })

  it('names what is wrong with the body', async () => {
    const { status, body } = await nobody.post('/auth/login', { email: 'nobody', remember: 'yes', device_name: '' })
    assert.equal(status, 422)
    assert.deepEqual(Object.keys(body.errors!).sort(), ['device_name', 'email', 'password', 'remember'])
  })

  it('is refused to the suspended, whose tokens stop working too', async () => {
    const suspended = await operator(world, ['tenants.list'])
    await world.sql('UPDATE platform_users SET suspended_at = now() WHERE id = $1', [suspended.id])
    for (const reply of [await login(suspended.email), await suspended.get('/me'), await suspended.get('/tenants')]) {
      assert.equal(reply.status, 403)
      assert.equal(reply.body.code, 'USER_SUSPENDED')
    }
    assert.equal((await login(suspended.email, 'wrong password')).status, 401, 'only who has the password is told')
  })

  it('asks for no verified address, but to enter the dashboards of operations (CEN-19)', async () => {
    const unverified = await operator(world, ['tenants.list'], { verified: false })
    for (const path of ['/me', '/tenants']) assert.equal((await unverified.get(path)).status, 200)
    const { status, body } = await unverified.get('/metrics-dashboard/enter')
    assert.deepEqual([status, body.code], [403, 'EMAIL_NOT_VERIFIED'])
  })

  it('opens one of the two APIs, never the other', async () => {
    const workspace = await world.workspace({ modules: [] })
    // Both sides may use the same user id, so a token must not be accepted by the id alone.
    assert.equal((await world.central(workspace.owner.token).get('/me')).status, 401)
    assert.equal((await world.tenant(world.admin.token).get('/me')).status, 401)
    assert.equal((await login(workspace.owner.email)).status, 401)
    assert.equal((await world.anonymous.post('/auth/login', { email: 'admin@platform.test', password: PASSWORD })).status, 401)
  })

  it('needs a token as it was issued', async () => {
    const { token } = (await login((await operator(world, [])).email)).body.data
    const [id, secret] = token.split('|')
    const wrong = [
      `${id}|${secret.slice(0, -1)}`,
      `${Number(id) + 100_000}|${secret}`,
      `${id}|`,
      `|${secret}`,
      secret,
      '',
      `${id}|${id}`,
    ]
    for (const one of wrong) assert.equal((await world.central(one).get('/me')).status, 401, one)
    assert.equal((await nobody.get('/me', { headers: { authorization: `Basic ${token}` } })).status, 401)
    assert.equal((await nobody.get('/me', { headers: { authorization: `bearer ${token}` } })).status, 200)
    const [row] = await world.sql('SELECT row_to_json(access_tokens)::text AS stored FROM access_tokens WHERE id = $1', [id])
    assert.ok(!row.stored.includes(secret), 'only a hash is stored')
  })

  it('lasts seven days, thirty when remembered', async () => {
    const { email } = await operator(world, [])
    const short = world.central((await login(email)).body.data.token)
    const { token, expires_at } = (await login(email, PASSWORD, { remember: true })).body.data
    assert.equal(expires_at, at(30 * DAY))
    try {
      world.clock.set(at(7 * DAY - 1))
      assert.equal((await short.get('/me')).status, 200)
      world.clock.set(at(7 * DAY))
      assert.equal((await short.get('/me')).status, 401)
      world.clock.set(at(30 * DAY - 1))
      assert.equal((await world.central(token).get('/me')).status, 200)
      world.clock.set(at(30 * DAY))
      assert.equal((await world.central(token).get('/me')).status, 401)
    } finally {
      world.clock.set(at(0))
    }
  })
})

describe('one’s own profile on the platform', () => {
  let olga: Operator
  before(async () => {
    olga = await operator(world, ['tenants.list', 'email-logs.read'])
  })

  it('is closed to strangers', async () => {
    for (const path of ['/me', '/me/sessions']) assert.equal((await nobody.get(path)).status, 401)
    for (const path of ['/me', '/me/change-password', '/me/logout', '/me/sessions/revoke-others'])
      assert.equal((await nobody.post(path, {})).status, 401)
  })

  it('shows what one may do, and takes a new name', async () => {
    const { body } = await olga.get('/me')
    assert.deepEqual(body.data.permissions.sort(), ['email-logs.read', 'tenants.list'])
    const saved = await olga.post('/me', { name: ' Olga ', permissions: ['tenants.delete'], role: ['superadmin'] })
    assert.equal(saved.body.data.name, 'Olga')
    assert.equal(saved.body.data.email, olga.email)
    assert.deepEqual(saved.body.data.permissions.sort(), ['email-logs.read', 'tenants.list'])
    for (const [field, value] of [
      ['name', ''],
      ['name', 'x'.repeat(256)],
      ['email', 'nobody'],
      ['email', null],
    ] as const) {
      const { status, body } = await olga.post('/me', { [field]: value })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, [field]])
    }
  })

  it('takes a new address, which must be verified by the mailed link', async () => {
    const person = await operator(world, ['tenants.list'])
    const taken = await person.post('/me', { email: olga.email.toUpperCase() })
    assert.deepEqual([taken.status, Object.keys(taken.body.errors!)], [422, ['email']])

    const email = `new.${person.email}`
    const saved = await person.post('/me', { email })
    assert.partialDeepStrictEqual(saved.body.data, { email: person.email, pending_email: email })
    assert.equal((await person.get('/tenants')).status, 200)
    const token = await mailedToken(world, 'auth.verify_email', email)
    const verify = (sent: string) => nobody.post('/auth/verify-email', { token: sent })
    assert.equal((await world.anonymous.post('/auth/verify-email', { token })).status, 422, 'a link of the platform')
    assert.deepEqual(Object.keys((await verify('wrong')).body.errors!), ['token'])
    assert.equal((await verify(token)).status, 200)
    assert.equal((await verify(token)).status, 422, 'used')
    const { body } = await person.get('/me')
    assert.partialDeepStrictEqual(body.data, { email, pending_email: null })
    assert.equal((await login(person.email)).status, 401)
    assert.equal((await person.get('/tenants')).status, 200)

    const kept = await mailedToken(world, 'auth.cancel_email_change', person.email)
    assert.equal((await world.anonymous.post('/auth/cancel-email-change', { token: kept })).status, 422, 'of the platform')
    assert.equal((await nobody.post('/auth/cancel-email-change', { token: kept })).status, 200)
    assert.equal((await person.get('/me')).status, 401)
    assert.equal((await login(person.email)).body.data.user.email, person.email)
  })

  it('takes no link to the old address as proof of the new one', async () => {
    const person = await operator(world, [], { verified: false })
    await nobody.post('/auth/forgot-password', { email: person.email })
    const token = await mailedToken(world, 'auth.reset_password', person.email)
    const email = `unproven.${person.email}`
    await person.post('/me', { email })
    const reset = { email, token, password: PASSWORD, password_confirmation: PASSWORD }
    assert.equal((await nobody.post('/auth/reset-password', reset)).status, 422)
    assert.equal((await person.get('/me')).body.data.email_verified_at, null)
  })

  it('gives an address to one of two who take it at once', async () => {
    const both = [await operator(world, [], { verified: false }), await operator(world, [], { verified: false })]
    const email = 'contested@platform.test'
    const replies = await Promise.all(both.map((one) => one.post('/me', { email })))
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 422])
    assert.deepEqual(Object.keys(replies.find((reply) => reply.status === 422)!.body.errors!), ['email'])
  })

  it('takes a new password from whoever knows the old one', async () => {
    const person = await operator(world, [])
    const change = (body: object) => person.post('/me/change-password', body)
    const password = 'another horse battery'
    const wrong: { body: object; field: string }[] = [
      { body: { old_password: 'wrong password', password, password_confirmation: password }, field: 'old_password' },
      { body: { old_password: PASSWORD, password, password_confirmation: 'something else' }, field: 'password_confirmation' },
      { body: { old_password: PASSWORD, password: 'short', password_confirmation: 'short' }, field: 'password' },
    ]
    for (const { body, field } of wrong) {
      const reply = await change(body)
      assert.deepEqual([reply.status, Object.keys(reply.body.errors!)], [422, [field]])
    }
    const other = world.central((await login(person.email)).body.data.token)
    const kept = { old_password: PASSWORD, password, password_confirmation: password, revoke_other_sessions: false }
    assert.equal((await change(kept)).status, 200)
    assert.equal((await other.get('/me')).status, 200)
    assert.equal((await login(person.email)).status, 401, 'the old password')
    assert.equal((await change({ old_password: password, password: PASSWORD, password_confirmation: PASSWORD })).status, 200)
    assert.equal((await other.get('/me')).status, 401, 'other sessions end unless told not to')
    assert.equal((await person.get('/me')).status, 200)
  })

  it('keeps to the platform’s rules for passwords', async () => {
    await setting('password_min_length', 12)
    await setting('password_require_special', true)
    try {
      const person = await operator(world, [])
      const change = (password: string) =>
        person.post('/me/change-password', { old_password: PASSWORD, password, password_confirmation: password })
      for (const weak of ['tooshort1', 'longbutletters1'])
        assert.deepEqual(Object.keys((await change(weak)).body.errors!), ['password'], weak)
      assert.equal((await change('long and special')).status, 200)
    } finally {
      await world.sql('DELETE FROM platform_settings')
    }
  })

  it('lists sessions, ends one, ends the others (CEN-11)', async () => {
    const person = await operator(world, [])
    const [second, third] = [await login(person.email, PASSWORD, { device_name: 'phone' }), await login(person.email)]
    const list = await person.get('/me/sessions')
    assert.equal(list.body.data.length, 3)
    assert.deepEqual(list.body.data.map((one: { is_current: boolean }) => one.is_current).filter(Boolean), [true])
    const phone = list.body.data.find((one: { name: string }) => one.name === 'phone')
    const fields = ['created_at', 'expires_at', 'id', 'ip', 'is_current', 'last_used_at', 'name', 'user_agent']
    assert.deepEqual(Object.keys(phone).sort(), fields)

    assert.equal((await olga.del(`/me/sessions/${phone.id}`)).status, 404, 'somebody else’s')
    assert.equal((await world.central(second.body.data.token).get('/me')).status, 200)
    assert.equal((await person.del(`/me/sessions/${phone.id}`)).status, 200)
    assert.equal((await person.del(`/me/sessions/${phone.id}`)).status, 404)
    assert.equal((await world.central(second.body.data.token).get('/me')).status, 401)

    assert.equal((await person.post('/me/sessions/revoke-others')).status, 200)
    assert.equal((await world.central(third.body.data.token).get('/me')).status, 401)
    assert.equal((await person.get('/me/sessions')).body.data.length, 1)
    assert.equal((await olga.get('/me')).status, 200)
  })

  it('signs out: the token presented, or all of them (CEN-16)', async () => {
    const { email } = await operator(world, [])
    const [a, b, c] = await Promise.all([1, 2, 3].map(async () => world.central((await login(email)).body.data.token)))
    assert.equal((await a!.post('/me/logout')).status, 200)
    assert.deepEqual(await Promise.all([a, b].map(async (one) => (await one!.get('/me')).status)), [401, 200])
    assert.equal((await b!.post('/me/logout', { all: true })).status, 200)
    assert.equal((await c!.get('/me')).status, 401)
    assert.equal((await olga.get('/me')).status, 200)
  })
})

describe('a forgotten platform password', () => {
  const forgot = (email: string) => nobody.post('/auth/forgot-password', { email })
  const reset = (email: string, token: string, password = 'a password made new', confirmation = password) =>
    nobody.post('/auth/reset-password', { email, token, password, password_confirmation: confirmation })

  it('is asked for in the same words by known and unknown addresses', async () => {
    const { email } = await operator(world, [])
    const [known, unknown] = [await forgot(email), await forgot('nobody@platform.test')]
    assert.equal(known.status, 200)
    assert.deepEqual(known.body, unknown.body)
    assert.notEqual(await mailedToken(world, 'auth.reset_password', email), '')
    assert.equal(await mailedToken(world, 'auth.reset_password', 'nobody@platform.test'), '')
  })

  it('is replaced once, by the link, for the address it was sent to, within the hour (CEN-07)', async () => {
    const person = await operator(world, [], { verified: false })
    await forgot(person.email)
    const first = await mailedToken(world, 'auth.reset_password', person.email)
    await forgot(person.email)
    const token = await mailedToken(world, 'auth.reset_password', person.email)

    for (const { reply, field } of [
      { reply: await reset(person.email, 'wrong'), field: 'token' },
      { reply: await reset('admin@platform.test', token), field: 'token' },
      { reply: await reset(person.email, token, 'short'), field: 'password' },
    ] as const)
      assert.deepEqual([reply.status, Object.keys(reply.body.errors!)], [422, [field]])
    const own = { token, password: PASSWORD, password_confirmation: PASSWORD }
    assert.equal((await nobody.post('/auth/accept-invite', own)).status, 422, 'a link of another purpose')
    assert.equal((await world.anonymous.post('/auth/reset-password', { email: person.email, ...own })).status, 422)

    assert.equal((await reset(person.email, token)).status, 200)
    assert.equal((await person.get('/me')).status, 401, 'every session ends')
    assert.equal((await reset(person.email, first)).status, 422, 'and every other link')
    assert.equal((await login(person.email)).status, 401)
    const again = await login(person.email, 'a password made new')
    assert.equal(again.status, 200)
    assert.equal(again.body.data.user.email_verified_at, at(0), 'the link proves the address too')
  })

  it('link works once, and for an hour', async () => {
    const { email } = await operator(world, [])
    await forgot(email)
    const token = await mailedToken(world, 'auth.reset_password', email)
    world.clock.set(at(3600 * 1000))
    assert.equal((await reset(email, token)).status, 422)
    world.clock.set(at(3600 * 1000 - 1))
    const replies = await Promise.all([reset(email, token), reset(email, token)])
    world.clock.set(at(0))
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 422])
  })

  it('mismatch of the confirmation is named', async () => {
    const reply = await reset('admin@platform.test', 'any', PASSWORD, 'something else')
    assert.deepEqual([reply.status, Object.keys(reply.body.errors!)], [422, ['password_confirmation']])
  })
})

describe('the first admin', () => {
  it('is made once, beside the seeded roles', async () => {
    assert.equal(await ensureFirstAdmin(world.services), undefined)
    const admins = await world.sql(`SELECT u.email FROM platform_users u JOIN platform_user_roles ur ON ur.user_id = u.id
      JOIN platform_roles r ON r.id = ur.role_id WHERE r.name = 'superadmin'`)
    assert.deepEqual(admins, [{ email: 'admin@platform.test' }])
    const roles = await world.sql(`SELECT name, is_protected FROM platform_roles WHERE name NOT LIKE 'role of%' ORDER BY id`)
    assert.deepEqual(
      roles.map(({ name, is_protected }) => `${name} ${is_protected}`),
      ['superadmin true', 'developer true', 'tester true', 'support false', 'billing false'],
    )
  })

  it('gets a link when no password was configured, anew at each start until it was used', async () => {
    const accept = (token = '', password = PASSWORD) =>
      keyless.central().post('/auth/accept-invite', { token, password, password_confirmation: password })
    const before = await ensureFirstAdmin(keyless.services)
    const token = await ensureFirstAdmin(keyless.services)
    assert.equal((await keyless.central().post('/auth/login', { email: 'admin@platform.test', password: PASSWORD })).status, 401)
    assert.equal((await accept(before)).status, 422, 'an earlier link')
    assert.equal((await accept(token)).status, 200)
    assert.equal((await accept(token)).status, 422, 'used')
    const { status, body } = await keyless.central().post('/auth/login', { email: 'admin@platform.test', password: PASSWORD })
    assert.equal(status, 200)
    assert.equal((await keyless.central(body.data.token).get('/tenants')).status, 200)
    assert.equal(await ensureFirstAdmin(keyless.services), undefined)
  })
})
