/** Second factor in both APIs, with codes of a real authenticator app's algorithm. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { member, officer, type Somebody } from '#test/accounts.ts'
import { appCode } from '#test/authenticator.ts'
import { PASSWORD, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { mailedToken, mailsTo } from '#test/operator.ts'

let log = ''
const world = await startTest({ log: (line) => void (log += line) })
let acme: Workspace
const kinds = [
  { where: 'a workspace', make: () => member(world, acme), otherApi: () => world.central() },
  { where: 'the platform', make: () => officer(world), otherApi: () => world.anonymous },
]

before(async () => {
  world.clock.set('2027-03-01T09:00:00.000Z')
  acme = await world.workspace({ modules: [], name: 'Acme' })
})
const forgetLimits = () => world.sql('DELETE FROM rate_limits')
beforeEach(forgetLimits)
const STEP = 30_000
const later = (ms: number) => world.clock.set(new Date(Date.parse(world.clock.now()) + ms).toISOString())
/** Returns the app's code, now or the given number of steps later. */
const code = (secret: string, steps = 0) => appCode(secret, new Date(Date.parse(world.clock.now()) + steps * STEP).toISOString())

function refused({ status, body }: Reply, field: string) {
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], body.message)
}

const begin = (one: Somebody) => one.post('/me/two-factor', { password: PASSWORD })

/** Creates an account with a confirmed second factor, at a time step whose code is unused. */
async function guarded(make: () => Promise<Somebody>) {
  const one = await make()
  const { secret } = (await begin(one)).body.data
  const { recovery_codes } = (await one.post('/me/two-factor/confirm', { code: code(secret) })).body.data
  later(STEP)
  return { one, secret: secret as string, recovery: recovery_codes as string[] }
}

async function challenged(one: Somebody, more: object = {}): Promise<string> {
  await forgetLimits()
  const { status, body } = await one.signIn(more)
  assert.deepEqual([status, Object.keys(body.data)], [200, ['two_factor_required', 'challenge_token']])
  assert.equal(body.data.two_factor_required, true)
  return body.data.challenge_token
}
const answer = async (one: Somebody, challenge_token: string, code: string, more: object = {}) => {
  await forgetLimits()
  return one.nobody.post('/auth/two-factor/challenge', { challenge_token, code, ...more })
}
const passed = (replies: Reply[]) => replies.filter(({ status }) => status === 200).length

it('the codes of these tests are those of RFC 6238', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  for (const { seconds, expected } of [
    { seconds: 59, expected: '94287082' },
    { seconds: 1111111109, expected: '07081804' },
    { seconds: 1234567890, expected: '89005924' },
    { seconds: 20000000000, expected: '65353130' },
  ] as const)
    assert.equal(appCode(secret, new Date(seconds * 1000).toISOString(), 8), expected)
})

for (const { where, make } of kinds)
  describe(`the second factor of an account of ${where}`, () => {
    it('begins with the password and counts from its confirmation on (AUTH-22, CEN-13)', async () => {
      const one = await make()
      refused(await one.post('/me/two-factor', { password: 'wrong' }), 'password')
      refused(await one.post('/me/two-factor', {}), 'password')
      refused(await one.post('/me/two-factor/confirm', { code: '123456' }), 'two_factor')
      const first = (await begin(one)).body.data
      const { svg, secret, otpauth_url } = (await begin(one)).body.data
      assert.match(svg, /^<svg [^>]*viewBox="-4 -4 \d+ \d+"/)
      assert.match(otpauth_url, new RegExp(`^otpauth://totp/.*secret=${secret}`))
      assert.match(secret, /^[A-Z2-7]{32}$/)
      assert.deepEqual((await one.get('/me/two-factor')).body.data, { enabled: false, recovery_codes_remaining: 0 })
      assert.ok((await one.signIn()).body.data.token, 'a secret that waits changes nothing')

      await forgetLimits()
      for (const wrong of ['000000', 'abcdef', 'İıſKﬁß', code(first.secret), code(secret, 2)])
        refused(await one.post('/me/two-factor/confirm', { code: wrong }), 'code')
      const { status, body } = await one.post('/me/two-factor/confirm', { code: code(secret) })
      assert.deepEqual([status, new Set(body.data.recovery_codes).size], [200, 8])
      assert.deepEqual((await one.get('/me/two-factor')).body.data, { enabled: true, recovery_codes_remaining: 8 })
      await forgetLimits()
      refused(await begin(one), 'two_factor')
      refused(await one.post('/me/two-factor/confirm', { code: code(secret) }), 'two_factor')
      await challenged(one)
    })

    it('is asked for at sign-in, and the code opens a session once (AUTH-20, CEN-04)', async () => {
      const { one, secret } = await guarded(make)
      const token = await challenged(one, { device_name: 'Phone' })
      const { status, body } = await answer(one, token, code(secret))
      assert.equal(status, 200)
      assert.deepEqual([body.data.token_type, typeof body.data.token], ['Bearer', 'string'])
      assert.equal(body.data.user.id, one.id)
      const mine = await one.get('/me/sessions')
      assert.ok(mine.body.data.some(({ name }: { name: string }) => name === 'Phone'))
      refused(await answer(one, token, code(secret)), 'challenge_token')
      refused(await answer(one, await challenged(one), code(secret)), 'code')
    })

    it('takes the code before and after the present one, but none after a later one, and none from further away', async () => {
      const { one, secret } = await guarded(make)
      later(5 * STEP)
      const token = await challenged(one)
      for (const steps of [-3, -2, 2, 3]) refused(await answer(one, token, code(secret, steps)), 'code')
      assert.equal((await answer(one, token, code(secret, -1))).status, 200)
      assert.equal((await answer(one, await challenged(one), code(secret, 1))).status, 200)
      refused(await answer(one, await challenged(one), code(secret)), 'code')
    })

    it('is passed once, however many try it at once', async () => {
      const { one, secret, recovery } = await guarded(make)
      const token = await challenged(one)
      const same = await Promise.all([1, 2, 3, 4].map(() => answer(one, token, code(secret))))
      assert.equal(passed(same), 1, 'one challenge')
      later(STEP)
      for (const { what, used } of [
        { what: 'a code', used: code(secret) },
        { what: 'a recovery code', used: recovery[0]! },
      ] as const) {
        const tokens = [await challenged(one), await challenged(one), await challenged(one)]
        const replies = await Promise.all(tokens.map((challenge) => answer(one, challenge, used)))
        assert.equal(passed(replies), 1, what)
      }
    })

    it('gives five minutes, and as long a session as was asked for', async () => {
      const { one, secret } = await guarded(make)
      const late = await challenged(one)
      later(300_000)
      refused(await answer(one, late, code(secret)), 'challenge_token')
      const DAY = 24 * 3_600_000
      const lasts = async (asked: object, answered: object) => {
        later(2 * STEP)
        const { body } = await answer(one, await challenged(one, asked), code(secret), answered)
        return (Date.parse(body.data.expires_at) - Date.parse(world.clock.now())) / DAY
      }
      assert.deepEqual(
        [await lasts({}, {}), await lasts({}, { remember: true }), await lasts({ remember: true }, {})],
        [7, 30, 30],
      )
      assert.equal(await lasts({ remember: true }, { remember: false }), 7)
    })

    it('ends a challenge after five wrong codes, and is closed for an hour after twenty', async () => {
      const { one, secret } = await guarded(make)
      for (let n = 0; n < 4; n++) {
        const token = await challenged(one)
        for (let tries = 0; tries < 5; tries++) refused(await answer(one, token, n % 2 ? 'nonsense' : '000000'), 'code')
        refused(await answer(one, token, code(secret)), 'challenge_token')
      }
      const { status, body, headers } = await answer(one, await challenged(one), code(secret))
      assert.deepEqual([status, body.code, headers['retry-after']], [429, 'TOO_MANY_REQUESTS', '3600'])
      const off = await one.delete('/me/two-factor', { password: PASSWORD, code: code(secret) })
      assert.equal(off.status, 429)
      later(3_600_000)
      assert.equal((await answer(one, await challenged(one), code(secret))).status, 200)
    })

    it('counts the answers to a challenge', async () => {
      const { one } = await guarded(make)
      const challenge_token = await challenged(one)
      for (let n = 0; n < 5; n++) await one.nobody.post('/auth/two-factor/challenge', { challenge_token, code: 'x' })
      assert.equal((await one.nobody.post('/auth/two-factor/challenge', { challenge_token, code: 'x' })).status, 429)
    })

    it('has eight recovery codes, each good once, until others replace them', async () => {
      const { one, recovery } = await guarded(make)
      const typed = recovery[0]!.toUpperCase().replace('-', ' ')
      assert.equal((await answer(one, await challenged(one), typed)).status, 200)
      refused(await answer(one, await challenged(one), recovery[0]!), 'code')
      assert.equal((await one.get('/me/two-factor')).body.data.recovery_codes_remaining, 7)
      refused(await one.post('/me/two-factor/recovery-codes', { password: 'wrong' }), 'password')
      const { body } = await one.post('/me/two-factor/recovery-codes', { password: PASSWORD })
      assert.equal((await one.get('/me/two-factor')).body.data.recovery_codes_remaining, 8)
      refused(await answer(one, await challenged(one), recovery[1]!), 'code')
      assert.equal((await answer(one, await challenged(one), body.data.recovery_codes[7])).status, 200)
    })

    it('is turned off by the password and a code of either kind (CEN-14)', async () => {
      for (const by of ['app', 'paper']) {
        const { one, secret, recovery } = await guarded(make)
        const right = by === 'app' ? code(secret) : recovery[3]!
        const left = await challenged(one)
        refused(await one.delete('/me/two-factor', { password: 'wrong', code: right }), 'password')
        refused(await one.delete('/me/two-factor', { password: PASSWORD, code: '000000' }), 'code')
        assert.equal((await one.delete('/me/two-factor', { password: PASSWORD, code: right })).status, 200)
        refused(await answer(one, left, code(secret, 1)), 'challenge_token')
        assert.deepEqual((await one.get('/me/two-factor')).body.data, { enabled: false, recovery_codes_remaining: 0 })
        assert.ok((await one.signIn()).body.data.token)
        refused(await one.delete('/me/two-factor', { password: PASSWORD, code: right }), 'two_factor')
        refused(await one.post('/me/two-factor/recovery-codes', { password: PASSWORD }), 'two_factor')
      }
    })

    it('is judged six times a minute', async () => {
      const one = await make()
      for (let n = 0; n < 6; n++) refused(await one.post('/me/two-factor', { password: 'wrong' }), 'password')
      assert.equal((await begin(one)).status, 429)
    })

    it('doesn’t let the suspended in, before the code or after it', async () => {
      const { one, secret } = await guarded(make)
      const token = await challenged(one)
      const table = one.tenantId === null ? 'platform_users' : 'users'
      await world.sql(`UPDATE ${table} SET suspended_at = now() WHERE id = $1`, [one.id])
      for (const reply of [await one.signIn(), await answer(one, token, code(secret))])
        assert.deepEqual([reply.status, reply.body.code], [403, 'USER_SUSPENDED'])
      await world.sql(`UPDATE ${table} SET deleted_at = now() WHERE id = $1`, [one.id])
      refused(await answer(one, token, code(secret)), 'challenge_token')
    })

    it('stays when the password is changed, and the challenges that the former one began end', async () => {
      const { one, secret } = await guarded(make)
      const token = await challenged(one)
      await one.nobody.post('/auth/forgot-password', { email: one.email })
      const sent = { email: one.email, token: await mailedToken(world, 'auth.reset_password', one.email) }
      const password = 'a much better battery'
      const reset = await one.nobody.post('/auth/reset-password', { ...sent, password, password_confirmation: password })
      assert.equal(reset.status, 200)
      refused(await answer(one, token, code(secret)), 'challenge_token')
      await challenged(one, { password })
    })

    it('goes with what a thief made of the account, when its owner keeps the address', async () => {
      const thief = await make()
      await thief.save({ email: `thief.${thief.email}` })
      later(STEP)
      const { secret } = (await begin(thief)).body.data
      await thief.post('/me/two-factor/confirm', { code: code(secret) })
      const token = await mailedToken(world, 'auth.cancel_email_change', thief.email)
      assert.equal((await thief.nobody.post('/auth/cancel-email-change', { token })).status, 200)
      assert.ok((await thief.signIn()).body.data.token)
    })

    it('tells its owner by mail of each change', async () => {
      const { one, recovery } = await guarded(make)
      const { body } = await one.post('/me/two-factor/recovery-codes', { password: PASSWORD })
      refused(await one.delete('/me/two-factor', { password: PASSWORD, code: recovery[0]! }), 'code')
      const right = body.data.recovery_codes[0]
      assert.equal((await one.delete('/me/two-factor', { password: PASSWORD, code: right })).status, 200)
      const types = (await mailsTo(world, one.email)).map(({ notification_type }) => notification_type)
      assert.deepEqual(types, ['auth.two_factor_turned_off', 'auth.recovery_codes_renewed', 'auth.two_factor_turned_on'])
    })

    it('tells its secrets to nobody but its owner', async () => {
      const { one, secret, recovery } = await guarded(make)
      const token = await challenged(one)
      await answer(one, token, recovery[0]!)
      const again = { headers: { 'idempotency-key': 'again' } }
      const renewed = (await one.post('/me/two-factor/recovery-codes', { password: PASSWORD }, again)).body.data
      const stored = JSON.stringify([
        ...(await world.sql('SELECT row_to_json(f)::text AS row FROM two_factors f')),
        ...(await world.sql('SELECT row_to_json(t)::text AS row FROM one_time_tokens t')),
        ...(await world.sql('SELECT row_to_json(m)::text AS row FROM email_logs m')),
        ...(await world.sql('SELECT row_to_json(a)::text AS row FROM audit_logs a')),
      ])
      for (const text of [secret, token, ...recovery, ...renewed.recovery_codes, Buffer.from(secret).toString('hex')])
        assert.ok(!log.includes(text) && !stored.includes(text), text)
      assert.equal((await world.sql('SELECT FROM idempotency_keys')).length, 0)
    })
  })

describe('a challenge', () => {
  it('is nothing to the other API, nor to nobody’s guess', async () => {
    for (const { make, otherApi } of kinds) {
      const { one, secret } = await guarded(make)
      const sent = { challenge_token: await challenged(one), code: code(secret) }
      refused(await otherApi().post('/auth/two-factor/challenge', sent), 'challenge_token')
      refused(await one.nobody.post('/auth/two-factor/challenge', { ...sent, challenge_token: 'nonsense' }), 'challenge_token')
      await one.nobody.post('/auth/forgot-password', { email: one.email })
      const reset = await mailedToken(world, 'auth.reset_password', one.email)
      refused(await one.nobody.post('/auth/two-factor/challenge', { ...sent, challenge_token: reset }), 'challenge_token')
      const asReset = { email: one.email, token: sent.challenge_token, password: PASSWORD, password_confirmation: PASSWORD }
      refused(await one.nobody.post('/auth/reset-password', asReset), 'token')
      assert.equal((await answer(one, sent.challenge_token, sent.code)).status, 200, 'none of this used it up')
    }
  })

  it('opens no closed workspace', async () => {
    const firm = await world.workspace({ modules: [] })
    const { one, secret } = await guarded(() => member(world, firm))
    const token = await challenged(one)
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [firm.id])
    for (const reply of [await one.signIn(), await answer(one, token, code(secret))])
      assert.deepEqual([reply.status, reply.body.code], [403, 'WORKSPACE_SUSPENDED'])
  })

  it('is told to the audit log when it is passed, as any other way in', async () => {
    const { one, secret } = await guarded(() => member(world, acme))
    await answer(one, await challenged(one), code(secret))
    for (const event of ['user_signed_in', 'two_factor_turned_on']) {
      const [entry] = (await acme.owner.get('/audit-logs', { query: { event } })).body.data
      assert.deepEqual([entry.event, entry.actor.id], [event, one.id])
    }
  })
})

it('whoever works as somebody else can’t touch their second factor', async () => {
  const target = await member(world, acme)
  const { body } = await acme.owner.post(`/users/${target.id}/impersonate`, { reason: 'A question of support' })
  const as = world.tenant(body.data.target_token)
  for (const reply of [await as.post('/me/two-factor', { password: PASSWORD }), await as.get('/me/passkeys/options')])
    assert.deepEqual([reply.status, reply.body.code], [403, 'IMPERSONATING'])
})
