/**
 * Accounts of both APIs: information that strangers can learn, the effect of mailed links, and access that a session thief loses.
 */
import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { before, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Somebody, member as someMember, officer as someOfficer } from '#test/accounts.ts'
import { type Client, PASSWORD, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { mailedToken, mailsTo } from '#test/operator.ts'
import { semaphore } from '../semaphore.ts'
import { hashPassword, verifyAmong } from './passwords.ts'

const world = await startTest()
const HOUR = 3_600_000
const NEW = 'a much better battery'
let acme: Workspace
let other: Workspace
const hash = await hashPassword(PASSWORD)

before(async () => {
  world.clock.set('2027-03-01T09:00:00.000Z')
  acme = await world.workspace({ modules: [], name: 'Acme' })
  other = await world.workspace({ modules: [], name: 'Other' })
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))
const later = (ms: number) => world.clock.set(new Date(Date.parse(world.clock.now()) + ms).toISOString())

const member = (of = acme) => someMember(world, of)
const officer = () => someOfficer(world)
const kinds = [
  { where: 'a workspace', make: member },
  { where: 'the platform', make: officer },
] as const

const login = (nobody: Client, email: string, more: object = {}, headers = {}) =>
  nobody.post('/auth/login', { email, password: PASSWORD, ...more }, { headers })
const confirm = (password = NEW) => ({ password, password_confirmation: password })
const reset = (nobody: Client, email: string, token: string) =>
  nobody.post('/auth/reset-password', { email, token, ...confirm() })
/** A hash as an earlier version with a lower cost would have stored it. */
function cheapHash(password: string) {
  const nonce = randomBytes(16)
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }
  const tag = argon2Sync('argon2id', { message: password, nonce, ...cost })
  const [salt, key] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${key}`
}
const open = async (one: Client) => (await one.get('/me')).status === 200

describe('turns', () => {
  it('are so many at once, in order, and refused with a 503 after waiting too long', async () => {
    const inTurn = semaphore({ atOnce: 2, patience: 20 })
    const begun: number[] = []
    const ends: (() => void)[] = []
    const work = (n: number) =>
      inTurn(() => {
        begun.push(n)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
    const all = [1, 2, 3].map(work)
    assert.deepEqual(begun, [1, 2])
    ends[0]!()
    await all[0]
    assert.deepEqual(begun, [1, 2, 3])
    const late = await work(4).catch((error) => error)
    assert.deepEqual([late.status, late.headers['retry-after'], begun.length], [503, '5', 3])
    for (const end of ends) end()
    await Promise.all(all)
    assert.equal(await inTurn(async () => 'free again'), 'free again')
  })

  it('are given back by work that failed', async () => {
    const inTurn = semaphore({ atOnce: 1, patience: 20 })
    await assert.rejects(inTurn(() => Promise.reject(new Error('no'))))
    assert.equal(await inTurn(async () => 1), 1)
  })
})

describe('signing in', () => {
  it('does as much work for no candidate as for several', async () => {
    const counted = async (hashes: (string | null)[]) => (await verifyAmong('wrong', hashes, 5)).length
    assert.deepEqual([await counted([]), await counted([hash, null])], [0, 2])
    assert.deepEqual(await verifyAmong(PASSWORD, [null, hash], 5), [false, true])
  })

  it('holds no connection while a password is hashed', async () => {
    const { pool } = world.services.database
    let waiting = 40
    let unused = 0
    const attempts = Array.from({ length: waiting }, (_, n) => login(world.central(), `n${n}@x.test`).finally(() => waiting--))
    // Checked on every turn of the event loop: while it is busy, a timer would rarely fire.
    for (; waiting > 12; await nextTurn()) if (pool.totalCount === pool.idleCount) unused++
    assert.ok((await Promise.all(attempts)).every(({ status }) => status === 401))
    assert.ok(unused > 0, 'more sign-ins are under way than there are connections, and every connection is free')
  })

  it('without a workspace counts only proven accounts', async () => {
    const [real, made] = [await member(acme), await member(other)]
    await world.sql('UPDATE users SET email = $1, email_verified_at = NULL WHERE id = $2', [real.email, made.id])
    const found = await login(world.anonymous, real.email)
    assert.deepEqual([found.status, found.body.data.workspace.id], [200, acme.id])
    await world.sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [real.id])
    assert.equal((await login(world.anonymous, real.email)).status, 401)
    assert.equal((await login(world.anonymous, real.email, { workspace: other.slug })).body.data.workspace.id, other.id)
    assert.equal((await login(world.anonymous, real.email, {}, { host: 'acme.atrium.test' })).body.data.workspace.id, acme.id)
  })

  it('asks for the workspace only when several have the password', async () => {
    const [here, there] = [await member(acme), await member(other)]
    await world.sql('UPDATE users SET email = $1 WHERE id = $2', [here.email, there.id])
    const both = await login(world.anonymous, here.email)
    assert.deepEqual([both.status, Object.keys(both.body.errors!)], [422, ['workspace']])
    assert.equal((await login(world.anonymous, here.email, { password: 'wrong' })).status, 401)
    await world.sql('UPDATE users SET password_hash = $1 WHERE id = $2', [await hashPassword(NEW), there.id])
    assert.equal((await login(world.anonymous, here.email)).body.data.workspace.id, acme.id)
  })

  it('is not replayed under an Idempotency-Key', async () => {
    const { email, nobody } = await member()
    const headers = { 'idempotency-key': 'again' }
    const [first, second] = [await login(nobody, email, {}, headers), await login(nobody, email, {}, headers)]
    assert.notEqual(first.body.data.token, second.body.data.token)
    await world.sql('UPDATE users SET password_hash = $1 WHERE email = $2', [await hashPassword(NEW), email])
    assert.equal((await login(nobody, email, {}, headers)).status, 401)
  })

  it('is counted for each API apart', async () => {
    const email = 'shared@x.test'
    for (let n = 0; n < 5; n++) await login(world.anonymous, email)
    assert.equal((await login(world.anonymous, email)).status, 429)
    assert.equal((await login(world.central(), email)).status, 401)
  })

  it('stands in the audit log', async () => {
    const { id, email } = await member()
    await login(world.anonymous, email)
    const [entry] = (await acme.owner.get('/audit-logs', { query: { event: 'user_signed_in' } })).body.data
    assert.deepEqual([entry.actor.id, entry.impersonator, entry.ip], [id, null, '127.0.0.1'])
  })
})

for (const { where, make } of kinds)
  describe(`an account of ${where}`, () => {
    it('has its hash renewed by signing in, where that is cheaper than today’s, also by several at once', async () => {
      const { id, email, nobody } = await make()
      const table = where === 'the platform' ? 'platform_users' : 'users'
      const stored = async () => (await world.sql(`SELECT password_hash, revision FROM ${table} WHERE id = $1`, [id]))[0]
      const cheap = cheapHash(PASSWORD)
      await world.sql(`UPDATE ${table} SET password_hash = $1 WHERE id = $2`, [cheap, id])
      const { revision } = await stored()
      assert.equal((await login(nobody, email, { password: 'wrong' })).status, 401)
      assert.deepEqual(await stored(), { password_hash: cheap, revision })
      const replies = await Promise.all(Array.from({ length: 4 }, () => login(nobody, email)))
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
      const renewed = await stored()
      assert.match(renewed.password_hash, /^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
      assert.equal(renewed.revision, revision, 'nobody sees a change')
      await world.sql('DELETE FROM rate_limits')
      assert.equal((await login(nobody, email)).status, 200)
      assert.deepEqual(await stored(), renewed, 'once is enough')
    })

    it('has the links of its owner whatever strangers ask for, five at most', async () => {
      const { email, nobody } = await make()
      await nobody.post('/auth/forgot-password', { email })
      const mine = await mailedToken(world, 'auth.reset_password', email)
      for (let n = 0; n < 8; n++) {
        await world.sql('DELETE FROM rate_limits')
        await nobody.post('/auth/forgot-password', { email })
      }
      assert.equal((await mailsTo(world, email)).length, 5)
      assert.equal((await reset(nobody, email, mine)).status, 200)
    })

    it('is looked up by a job when its password is forgotten', async () => {
      const { email, nobody } = await make()
      await nobody.post('/auth/forgot-password', { email })
      assert.equal((await world.sql('SELECT 1 FROM one_time_tokens WHERE payload @> $1', [{ email }])).length, 0)
      assert.equal((await mailsTo(world, email)).length, 1)
    })

    it('loses every link that could set a password, and the other sessions, when one is set', async () => {
      const person = await make()
      const { email, nobody } = person
      await nobody.post('/auth/forgot-password', { email })
      const token = await mailedToken(world, undefined, email)
      const change = { old_password: PASSWORD, ...confirm(), revoke_other_sessions: false }
      assert.equal((await person.post('/me/change-password', change)).status, 200)
      assert.equal((await reset(nobody, email, token)).status, 422)
      assert.equal(await open(person), true)
    })

    it('keeps a proven address until the new one is proven, and tells the old one', async () => {
      const person = await make()
      const email = `new.${person.email}`
      const saved = await person.save({ email })
      const shown = saved.body.data.user ?? saved.body.data
      assert.deepEqual([saved.status, shown.email, shown.pending_email], [200, person.email, email])
      const subjects = (await mailsTo(world, person.email)).map(({ notification_type }) => notification_type)
      assert.deepEqual(subjects, ['auth.cancel_email_change'])
      assert.equal((await login(person.nobody, email)).status, 401)
      const token = await mailedToken(world, 'auth.verify_email', email)
      assert.equal((await person.nobody.post('/auth/verify-email', { token })).status, 200)
      assert.equal((await login(person.nobody, email)).status, 200)
      assert.equal((await login(person.nobody, person.email)).status, 401)
    })

    it('forgets a change that was taken back, or asked for by who lost the account', async () => {
      for (const undo of [
        (person: Somebody) => person.save({ email: person.email }),
        async ({ nobody, email }: Somebody) => {
          await nobody.post('/auth/forgot-password', { email })
          return reset(nobody, email, await mailedToken(world, 'auth.reset_password', email))
        },
        async ({ nobody, email }: Somebody) =>
          nobody.post('/auth/cancel-email-change', { token: await mailedToken(world, 'auth.cancel_email_change', email) }),
      ]) {
        const person = await make()
        await person.save({ email: `thief.${person.email}` })
        const token = await mailedToken(world, 'auth.verify_email', `thief.${person.email}`)
        assert.equal((await undo(person)).status, 200)
        assert.equal((await person.nobody.post('/auth/verify-email', { token })).status, 422)
      }
    })

    it('comes back to its owner within a day, and the thief’s own links are worth nothing against it', async () => {
      const person = await make()
      const { nobody } = person
      const move = async (by: Client, from: string, to: string) => {
        await (nobody === world.anonymous ? by.put('/me', { email: to }) : by.post('/me', { email: to }))
        const cancel = await mailedToken(world, 'auth.cancel_email_change', from)
        const token = await mailedToken(world, 'auth.verify_email', to)
        assert.equal((await nobody.post('/auth/verify-email', { token })).status, 200)
        later(1000)
        return cancel
      }
      const [first, second] = [`one.${person.email}`, `two.${person.email}`]
      const owners = await move(person, person.email, first)
      const thiefs = await move(person, first, second)
      await nobody.post('/auth/forgot-password', { email: second })
      const stolen = await mailedToken(world, 'auth.reset_password', second)
      assert.equal((await nobody.post('/auth/cancel-email-change', { token: thiefs })).status, 200)
      assert.equal((await nobody.post('/auth/cancel-email-change', { token: owners })).status, 200)
      assert.equal((await nobody.post('/auth/cancel-email-change', { token: owners })).status, 422, 'used')
      assert.equal((await reset(nobody, second, stolen)).status, 422)
      assert.equal(await open(person), false)
      assert.equal((await login(nobody, person.email)).status, 200)
      assert.equal((await login(nobody, first)).status, 401)

      const late = await make()
      await late.save({ email: `late.${late.email}` })
      const token = await mailedToken(world, 'auth.cancel_email_change', late.email)
      later(24 * HOUR)
      assert.equal((await nobody.post('/auth/cancel-email-change', { token })).status, 422)
    })

    it('changes its address five times in a day at most', async () => {
      const person = await make()
      for (let n = 0; n < 5; n++) assert.equal((await person.save({ email: `n${n}.${person.email}` })).status, 200)
      const { status, body } = await person.save({ email: `n6.${person.email}` })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['email']])
    })
  })

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const JPEG = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(100)])
const file = (content: Buffer, name = 'me.png') => ({ file: new File([new Uint8Array(content)], name) })
const shown = ({ body }: Reply) => body.data.user ?? body.data
const opened = async (url: string) => (await world.root.get(url.slice('http://atrium.test'.length))).status

for (const { where, make } of kinds)
  describe(`the picture of an account of ${where}`, () => {
    it('is kept, replaced and removed, and its file with it', async () => {
      const one = await make()
      const first = await one.post('/me/avatar', file(PNG))
      assert.equal(first.status, 200)
      const { avatar_path, avatar_url } = shown(first)
      assert.ok(avatar_path.endsWith('.png'))
      assert.deepEqual(shown(await one.get('/me')).avatar_path, avatar_path)
      assert.equal(await opened(avatar_url), 200)
      const second = shown(await one.post('/me/avatar', file(JPEG, 'me.png')))
      assert.ok(second.avatar_path.endsWith('.jpg'), 'what it is, not what it is called')
      assert.equal(await opened(avatar_url), 404)
      for (let n = 0; n < 2; n++) assert.equal(shown(await one.del('/me/avatar')).avatar_path, null)
      assert.equal(await opened(second.avatar_url), 404)
    })

    it('is a PNG, JPEG or WebP of 2 MB at most (CEN-09)', async () => {
      const one = await make()
      const large = Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)])
      for (const body of [
        file(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
        file(large),
        file(Buffer.alloc(0)),
        {},
      ]) {
        const { status, body: said } = await one.post('/me/avatar', body)
        assert.deepEqual([status, Object.keys(said.errors!)], [422, ['file']])
      }
      assert.equal(shown(await one.get('/me')).avatar_path, null)
      const stored = await world.sql(`SELECT FROM stored_files WHERE state = 'kept'`)
      assert.equal(stored.length, 0)
    })
  })

describe('an address that somebody else changes', () => {
  it('is another at once, unproven, and nothing that was mailed before counts', async () => {
    const person = await member()
    await person.put('/me', { email: `asked.${person.email}` })
    const token = await mailedToken(world, 'auth.cancel_email_change', person.email)
    const { body } = await acme.owner.put(`/users/${person.id}`, { email: `given.${person.email}` })
    assert.partialDeepStrictEqual(body.data, { email: `given.${person.email}`, email_verified_at: null })
    assert.equal((await world.anonymous.post('/auth/cancel-email-change', { token })).status, 422)
  })

  it('is one’s own by the route of users too', async () => {
    const manager = await acme.user(['users.update'])
    const { status, body } = await manager.put(`/users/${manager.id}`, { email: `me.${manager.email}` })
    assert.deepEqual([status, body.data.email], [200, manager.email])
    assert.equal((await manager.get('/me')).body.data.user.pending_email, `me.${manager.email}`)
  })
})

describe('an invitation', () => {
  it('is mailed anew, the earlier one ends, and nobody with a password gets one', async () => {
    const email = 'late@acme.test'
    const { id } = (await acme.owner.post('/users', { name: 'Lena Late', email })).body.data
    const first = await mailedToken(world, undefined, email)
    assert.equal((await acme.owner.post(`/users/${id}/resend-invite`)).status, 200)
    const token = await mailedToken(world, undefined, email)
    const accept = (sent: string) => world.anonymous.post('/auth/accept-invite', { token: sent, ...confirm() })
    assert.deepEqual([(await accept(first)).status, (await accept(token)).status], [422, 200])
    const again = await acme.owner.post(`/users/${id}/resend-invite`)
    assert.deepEqual([again.status, Object.keys(again.body.errors!)], [422, ['user']])
  })
})
