/** Passkeys of both APIs, with a software authenticator that implements WebAuthn. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { member, officer, type Somebody } from '#test/accounts.ts'
import { appCode, type Deviations, passkeyDevice } from '#test/authenticator.ts'
import { type Client, PASSWORD, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { mailedToken, mailsTo } from '#test/operator.ts'

const ORIGIN = 'https://app.atrium.test'
const world = await startTest({ env: { BASE_URL: ORIGIN, PLATFORM_DOMAIN: 'atrium.test' } })
let acme: Workspace
let other: Workspace
const kinds = [
  { where: 'a workspace', make: () => member(world, acme) },
  { where: 'the platform', make: () => officer(world) },
] as const
type Device = ReturnType<typeof passkeyDevice>
type Headers = Record<string, string>

before(async () => {
  world.clock.set('2027-03-01T09:00:00.000Z')
  acme = await world.workspace({ modules: ['branded'], name: 'Acme' })
  other = await world.workspace({ modules: [], name: 'Other' })
})
const forgetLimits = () => world.sql('DELETE FROM rate_limits')
beforeEach(forgetLimits)
const later = (ms: number) => world.clock.set(new Date(Date.parse(world.clock.now()) + ms).toISOString())

function refused({ status, body }: Reply, field: string) {
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], body.message)
}
const shut = ({ status, body }: Reply, about = 'refused') =>
  assert.deepEqual([status, body.code], [401, 'INVALID_CREDENTIALS'], about)

const optionsToAdd = async (one: Client, headers: Headers = {}) => (await one.get('/me/passkeys/options', { headers })).body.data
const optionsToSignIn = async (nobody: Client, headers: Headers = {}) =>
  (await nobody.get('/auth/passkeys/login/options', { headers })).body.data

async function add(one: Client, device: Device, like: Deviations = {}, headers: Headers = {}) {
  await forgetLimits()
  const { options_token, options } = await optionsToAdd(one, headers)
  return one.post('/me/passkeys', { password: PASSWORD, name: 'Laptop', options_token, credential: device.create(options, like) })
}
async function signIn(nobody: Client, device: Device, like: Deviations = {}, headers: Headers = {}) {
  await forgetLimits()
  const { options_token, options } = await optionsToSignIn(nobody, headers)
  return nobody.post('/auth/passkeys/login', { options_token, credential: device.get(options, like) })
}

/** Creates an account with a device and its passkey. */
async function keyed(make: () => Promise<Somebody>, device = passkeyDevice(ORIGIN)) {
  const one = await make()
  const { status, body } = await add(one, device)
  assert.equal(status, 201, body.message)
  return { one, device, passkey: body.data }
}

for (const { where, make } of kinds)
  describe(`a passkey of ${where}`, () => {
    it('is added by the password and the answer to options, once (AUTH-22, CEN-15)', async () => {
      const one = await make()
      const device = passkeyDevice(ORIGIN)
      const { options_token, options } = await optionsToAdd(one)
      assert.deepEqual([options.rp.id, options.user.name], ['app.atrium.test', one.email])
      assert.deepEqual(
        [options.authenticatorSelection.residentKey, options.authenticatorSelection.userVerification, options.attestation],
        ['required', 'required', 'none'],
      )
      const credential = device.create(options)
      const sent = { name: 'Laptop', options_token, credential }
      refused(await one.post('/me/passkeys', { ...sent, password: 'wrong' }), 'password')
      const { status, body } = await one.post('/me/passkeys', { ...sent, password: PASSWORD })
      assert.equal(status, 201)
      const { id } = body.data
      assert.deepEqual(body.data, { id, name: 'Laptop', created_at: world.clock.now(), last_used_at: null, suspended_at: null })
      refused(await one.post('/me/passkeys', { ...sent, password: PASSWORD }), 'options_token')
      refused(await add(one, device), 'credential')
      assert.deepEqual((await one.get('/me/passkeys')).body.data, [body.data])
      const { options: next } = await optionsToAdd(one)
      assert.deepEqual(
        [next.excludeCredentials.map((known: { id: string }) => known.id), next.user.id],
        [[device.id], options.user.id],
      )
    })

    it('is not what was asked for when it was made elsewhere, for another host, without its owner, or with certificates', async () => {
      const one = await make()
      const certified = { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.alloc(70), x5c: [Buffer.alloc(300)] } }
      for (const like of [
        { origin: 'https://evil.test' },
        { origin: 'http://app.atrium.test' },
        { rpId: 'evil.test' },
        { challenge: Buffer.alloc(32).toString('base64url') },
        { type: 'webauthn.get' },
        { verified: false },
        { attestation: certified },
        { attestation: { fmt: 'android-safetynet', attStmt: {} } },
      ])
        refused(await add(one, passkeyDevice(ORIGIN), like), 'credential')
      const { options_token } = await optionsToAdd(one)
      const rubbish = { clientDataJSON: 'AAAA', attestationObject: 'oWF4' }
      const credential = {
        ...passkeyDevice(ORIGIN).create({ challenge: '', rp: { id: '' }, user: { id: '' } }),
        response: rubbish,
      }
      refused(await one.post('/me/passkeys', { password: PASSWORD, name: 'x', options_token, credential }), 'credential')
      assert.deepEqual((await one.get('/me/passkeys')).body.data, [])
    })

    it('is added by the answer to one’s own options, within five minutes', async () => {
      const [one, thief] = [await make(), await make()]
      const { options_token, options } = await optionsToAdd(one)
      const body = () => ({ password: PASSWORD, name: 'x', options_token, credential: passkeyDevice(ORIGIN).create(options) })
      refused(await thief.post('/me/passkeys', body()), 'options_token')
      const again = await optionsToAdd(one)
      later(300_000)
      refused(await one.post('/me/passkeys', { ...body(), ...again, options: undefined }), 'options_token')
    })

    it('signs its owner in, without a code, and shows its last use (AUTH-21, CEN-06)', async () => {
      const { one, device } = await keyed(make)
      const { secret } = (await one.post('/me/two-factor', { password: PASSWORD })).body.data
      await one.post('/me/two-factor/confirm', { code: appCode(secret, world.clock.now()) })
      later(60_000)
      const { options } = await optionsToSignIn(one.nobody)
      assert.deepEqual(
        [options.rpId, options.userVerification, options.allowCredentials ?? []],
        ['app.atrium.test', 'required', []],
      )
      const { status, body } = await signIn(one.nobody, device)
      assert.deepEqual([status, body.data.user.id], [200, one.id])
      const [api, passkeys] = [one.tenantId === null ? world.central : world.tenant, '/me/passkeys']
      const [shown] = (await api(body.data.token).get(passkeys)).body.data
      assert.equal(shown.last_used_at, world.clock.now())
    })

    it('signs in once for each challenge, however many try at once', async () => {
      const { one, device } = await keyed(make)
      const { options_token, options } = await optionsToSignIn(one.nobody)
      const credential = device.get(options)
      const login = (sent: object = {}) =>
        one.nobody.post(
          '/auth/passkeys/login',
          { options_token, credential, ...sent },
          { headers: { 'idempotency-key': 'same' } },
        )
      const replies = await Promise.all([login(), login(), login()])
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422, 422])
      refused(await login(), 'options_token')
      const fresh = await optionsToSignIn(one.nobody)
      shut(await login({ options_token: fresh.options_token }), 'an answer to another challenge')
      refused(await login({ options_token: fresh.options_token, credential: device.get(fresh.options) }), 'options_token')
      const late = await optionsToSignIn(one.nobody)
      later(300_000)
      refused(await login({ options_token: late.options_token, credential: device.get(late.options) }), 'options_token')
    })

    it('opens nothing from elsewhere, for another host, without its owner, or as somebody else', async () => {
      const { one, device } = await keyed(make)
      const { one: victim, device: victims } = await keyed(make)
      const { user } = (await optionsToAdd(victim)).options
      for (const like of [
        { origin: 'https://evil.test' },
        { origin: 'https://app.atrium.test:8443' },
        { rpId: 'evil.test' },
        { type: 'webauthn.create' },
        { verified: false },
        { userHandle: user.id },
      ])
        shut(await signIn(one.nobody, device, like), JSON.stringify(like))
      const { options_token, options } = await optionsToSignIn(one.nobody)
      const forged = { ...device.get(options, { userHandle: user.id }), id: victims.id, rawId: victims.id }
      shut(await one.nobody.post('/auth/passkeys/login', { options_token, credential: forged }), 'another’s id, one’s own key')
      shut(await signIn(one.nobody, passkeyDevice(ORIGIN), { userHandle: user.id }), 'unknown')
      assert.equal((await signIn(one.nobody, device)).status, 200)
    })

    it('counts its uses: one that goes back, or is met twice, is a copy', async () => {
      const { one, device } = await keyed(make)
      assert.equal((await signIn(one.nobody, device, { counter: 7 })).status, 200)
      for (const counter of [7, 6, 0]) shut(await signIn(one.nobody, device, { counter }))
      const both = await Promise.all([signIn(one.nobody, device, { counter: 8 }), signIn(one.nobody, device, { counter: 8 })])
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
      const plain = await keyed(make, passkeyDevice(ORIGIN, { counts: false }))
      for (let n = 0; n < 2; n++) assert.equal((await signIn(plain.one.nobody, plain.device)).status, 200)
    })

    it('is taken away by the password, and by its owner alone', async () => {
      const { one, device, passkey } = await keyed(make)
      const stranger = await make()
      const path = `/me/passkeys/${passkey.id}`
      assert.equal((await stranger.delete(path, { password: PASSWORD })).status, 404)
      refused(await one.delete(path, { password: 'wrong' }), 'password')
      refused(await one.delete(path, {}), 'password')
      assert.equal((await one.delete(path, { password: PASSWORD })).status, 200)
      assert.equal((await one.delete(path, { password: PASSWORD })).status, 404)
      shut(await signIn(one.nobody, device))
    })

    it('opens nothing to the suspended and the deleted', async () => {
      const { one, device } = await keyed(make)
      const table = one.tenantId === null ? 'platform_users' : 'users'
      await world.sql(`UPDATE ${table} SET suspended_at = now() WHERE id = $1`, [one.id])
      const { status, body } = await signIn(one.nobody, device)
      assert.deepEqual([status, body.code], [403, 'USER_SUSPENDED'])
      await world.sql(`UPDATE ${table} SET suspended_at = NULL, deleted_at = now() WHERE id = $1`, [one.id])
      shut(await signIn(one.nobody, device))
    })

    it('opens nothing after a password was set by link, until its owner confirms it by the new one', async () => {
      const { one, device, passkey } = await keyed(make)
      later(1000)
      const thiefs = passkeyDevice(ORIGIN)
      const added = (await add(one, thiefs)).body.data
      await one.nobody.post('/auth/forgot-password', { email: one.email })
      const token = await mailedToken(world, 'auth.reset_password', one.email)
      const password = 'a much better battery'
      const reset = { email: one.email, token, password, password_confirmation: password }
      const said = await one.nobody.post('/auth/reset-password', reset)
      const both = [passkey, added].map((shown) => ({ ...shown, suspended_at: world.clock.now() }))
      assert.deepEqual([said.status, said.body.data], [200, { suspended_passkeys: both }])
      for (const suspended of [device, thiefs]) shut(await signIn(one.nobody, suspended))
      const [mail] = await mailsTo(world, one.email)
      assert.equal(mail!.notification_type, 'auth.passkeys_suspended')
      assert.equal(mail!.body_text.match(/^Laptop: added 2027-/gm)?.length, 2)

      await forgetLimits()
      const signedIn = await one.nobody.post('/auth/login', { email: one.email, password })
      const again = (one.tenantId === null ? world.central : world.tenant)(signedIn.body.data.token)
      assert.deepEqual((await again.get('/me/passkeys')).body.data, both)
      const path = `/me/passkeys/${passkey.id}/confirm`
      refused(await again.post(path, { password: PASSWORD }), 'password')
      refused(await again.post(path, {}), 'password')
      assert.equal((await (await make()).post(path, { password: PASSWORD })).status, 404)
      for (let n = 0; n < 2; n++)
        assert.deepEqual((await again.post(path, { password })).body.data, { ...passkey, suspended_at: null })
      const told = (await mailsTo(world, one.email)).filter(({ notification_type: type }) => type === 'auth.passkey_confirmed')
      assert.equal(told.length, 1)
      assert.equal((await signIn(one.nobody, device)).status, 200)
      shut(await signIn(one.nobody, thiefs))
      const events = await world.sql(
        `SELECT event, actor_type FROM audit_logs WHERE event LIKE 'passkey%' AND (actor_id = $1 OR properties ->> 'user_id' = $1::text) ORDER BY id`,
        [one.id],
      )
      const actor = one.tenantId === null ? 'platform_user' : 'user'
      assert.deepEqual(
        events.slice(-2).map(({ event, actor_type }) => [event, actor_type]),
        [
          ['passkeys_suspended', 'system'],
          ['passkey_confirmed', actor],
        ],
      )
    })

    it('goes with what a thief made of the account, when its owner keeps the address', async () => {
      const { one, device } = await keyed(make)
      later(1000)
      await one.save({ email: `thief.${one.email}` })
      later(1000)
      const thiefs = passkeyDevice(ORIGIN)
      assert.equal((await add(one, thiefs)).status, 201)
      const token = await mailedToken(world, 'auth.cancel_email_change', one.email)
      assert.equal((await one.nobody.post('/auth/cancel-email-change', { token })).status, 200)
      shut(await signIn(one.nobody, thiefs))
      assert.equal((await signIn(one.nobody, device)).status, 200, 'the owner’s own stays')
    })
  })

describe('passkeys', () => {
  it('are twenty at most', async () => {
    const one = await member(world, acme)
    await world.sql(
      `INSERT INTO passkeys (tenant_id, user_id, name, rp_id, credential_id, public_key, counter, created_at)
       SELECT $1, $2, 'old', 'app.atrium.test', 'old' || n, '', 0, now() FROM generate_series(1, 20) n`,
      [acme.id, one.id],
    )
    refused(await add(one, passkeyDevice(ORIGIN)), 'credential')
  })

  it('of one API are nothing to the other, and neither are its options', async () => {
    const { one: user, device } = await keyed(() => member(world, acme))
    shut(await signIn(world.central(), device))
    const { options_token, options } = await optionsToSignIn(world.central())
    refused(await user.nobody.post('/auth/passkeys/login', { options_token, credential: device.get(options) }), 'options_token')
    assert.equal((await signIn(user.nobody, device)).body.data.workspace.id, acme.id, 'it says which workspace')
  })

  it('open no closed workspace', async () => {
    const firm = await world.workspace({ modules: [] })
    const { one, device } = await keyed(() => member(world, firm))
    await world.sql('UPDATE tenants SET archived_at = now() WHERE id = $1', [firm.id])
    const { status, body } = await signIn(one.nobody, device)
    assert.deepEqual([status, body.code], [403, 'WORKSPACE_ARCHIVED'])
  })

  it('belong to the host by which the workspace was reached, and to no other', async () => {
    const one = await member(world, acme)
    const at = { host: 'acme.atrium.test' }
    const device = passkeyDevice('https://acme.atrium.test')
    const { status, body } = await add(one, device, {}, at)
    assert.equal(status, 201, body.message)
    assert.deepEqual(await world.sql('SELECT rp_id FROM passkeys WHERE id = $1', [body.data.id]), [{ rp_id: 'acme.atrium.test' }])
    assert.equal((await signIn(one.nobody, device, {}, at)).status, 200)
    shut(await signIn(one.nobody, device), 'at the service’s own host')
    shut(await signIn(one.nobody, device, { origin: ORIGIN }, at), 'the service’s own origin')
    shut(await signIn(one.nobody, device, {}, { host: 'other.atrium.test' }), 'at another workspace’s host')

    const branded = { host: 'crm.acme.test' }
    assert.equal((await optionsToSignIn(one.nobody, branded)).options.rpId, 'app.atrium.test', 'not verified')
    await world.sql(`INSERT INTO branded_hosts (host, tenant_id) VALUES ('crm.acme.test', $1)`, [acme.id])
    const own = passkeyDevice('https://crm.acme.test')
    assert.equal((await add(one, own, {}, branded)).status, 201)
    assert.equal((await signIn(one.nobody, own, {}, branded)).body.data.workspace.id, acme.id)
    shut(await signIn(one.nobody, own, {}, at), 'another host of the same workspace')

    const stranger = await member(world, other)
    assert.equal((await optionsToAdd(stranger, at)).options.rp.id, 'app.atrium.test', 'another’s host is none of theirs')
    for (const host of ['evil.test', 'nobody.atrium.test', 'acme.atrium.test.evil.test'])
      assert.equal((await optionsToSignIn(one.nobody, { host })).options.rpId, 'app.atrium.test', host)
    assert.equal((await optionsToSignIn(world.central(), at)).options.rpId, 'app.atrium.test', 'the platform has one host')
  })

  it('are tried sixty times a minute by address', async () => {
    for (let n = 0; n < 60; n++) await world.anonymous.get('/auth/passkeys/login/options')
    assert.equal((await world.anonymous.get('/auth/passkeys/login/options')).status, 429)
  })
})
