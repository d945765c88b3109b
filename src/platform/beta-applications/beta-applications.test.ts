import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { mailedToken, mailsTo, operator } from '#test/operator.ts'

const world = await startTest()
const { admin } = world
const anybody = world.central()
const password = 'correct horse battery'
const DAY = 24 * 3600_000
let nth = 0

const setting = (key: string, value: unknown) =>
  world.sql(
    'INSERT INTO platform_settings (key, value, updated_at) VALUES ($1, $2, now()) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [key, JSON.stringify(value)],
  )
/** Submits an application with a new address. */
async function applied(more: object = {}) {
  const email = `ada${++nth}@lovelace.test`
  const sent = { name: 'Ada Lovelace', email, company: 'Engines', message: 'We compute.', ...more }
  const { status, body } = await anybody.post('/public/beta-applications', sent)
  assert.equal(status, 201)
  const [{ id }] = await world.sql('SELECT id FROM beta_applications WHERE uuid = $1', [body.data.uuid])
  return { id: Number(id), uuid: body.data.uuid as string, email }
}
/** Invites an applicant and returns the token. */
async function invited(id: number) {
  const { status, body } = await admin.post(`/beta-applications/${id}/invite`)
  assert.equal(status, 200, JSON.stringify(body))
  return /#(.+)$/.exec(body.data.invite_url)![1]!
}
const show = async (id: number) => (await admin.get(`/beta-applications/${id}`)).body.data
const preview = async (token: string) => (await anybody.get(`/public/beta-invites/${token}`)).body.data
const register = (more: object = {}) =>
  anybody.post('/public/register-workspace', {
    ...{ company_name: 'Engines', owner_name: 'Ada', email: `owner${++nth}@engines.test` },
    ...{ password, password_confirmation: password, ...more },
  })
const field = ({ status, body }: Awaited<ReturnType<typeof register>>) => [status, Object.keys(body.errors ?? {})]

beforeEach(async () => {
  await world.sql('TRUNCATE rate_limits, platform_settings')
  world.clock.set('2026-05-04T09:00:00.000Z')
})

describe('applying', () => {
  it('needs name, address and company, and answers the uuid (CEN-56)', async () => {
    const missing = await anybody.post('/public/beta-applications', {})
    assert.deepEqual(Object.keys(missing.body.errors!).sort(), ['company', 'email', 'name'])
    const reply = await anybody.post('/public/beta-applications', { name: 'A', email: 'A@B.test', company: 'C' })
    assert.deepEqual(Object.keys(reply.body.data), ['uuid'])
  })

  it('is done once by an address; a second time changes and tells nothing', async () => {
    const { uuid, email, id } = await applied()
    const again = { name: 'Mallory', email: email.toUpperCase(), company: 'Other', message: 'x' }
    const replies = await Promise.all([1, 2, 3].map(() => anybody.post('/public/beta-applications', again)))
    for (const { status, body } of replies) assert.deepEqual([status, body.data], [201, { uuid }])
    assert.deepEqual([(await show(id)).name, (await show(id)).message], ['Ada Lovelace', 'We compute.'])
    const twins = { name: 'T', email: 'twins@x.test', company: 'T' }
    const both = await Promise.all([1, 2].map(() => anybody.post('/public/beta-applications', twins)))
    assert.equal(new Set(both.map(({ body }) => body.data.uuid)).size, 1)
  })

  it('is closed with the beta', async () => {
    await setting('founding_beta_enabled', false)
    const { status, body } = await anybody.post('/public/beta-applications', { name: 'A', email: 'a@late.test', company: 'C' })
    assert.deepEqual([status, body.code], [403, 'FORBIDDEN'])
    assert.equal((await world.sql(`SELECT 1 FROM beta_applications WHERE email = 'a@late.test'`)).length, 0)
  })

  it('has its limits, each of its own (CEN-57)', async () => {
    const counts = async (ask: () => Promise<{ status: number }>, most: number) => {
      for (let n = 0; n < most; n++) assert.notEqual((await ask()).status, 429)
      assert.equal((await ask()).status, 429)
    }
    await counts(() => anybody.post('/public/beta-applications', {}), 10)
    await counts(() => anybody.post('/public/beta-invites/resend', { email: 'a@b.test' }), 5)
    await counts(() => anybody.get('/public/beta-invites/x'), 60)
  })
})

describe('the applications', () => {
  it('are listed, filtered and sorted (CEN-63)', async () => {
    const first = await applied({ name: 'Zuse', company: 'Rechenmaschinen 100%' })
    const second = await applied({ name: 'Babbage' })
    await admin.patch(`/beta-applications/${first.id}`, { status: 'reviewing' })
    const ids = async (query: Record<string, string>) =>
      (await admin.get('/beta-applications', { query })).body.data.map((one: { id: number }) => one.id)
    assert.deepEqual(await ids({ status: 'reviewing' }), [first.id])
    assert.deepEqual(await ids({ search: 'maschinen 100%' }), [first.id])
    assert.deepEqual(await ids({ search: second.email }), [second.id])
    const byName = await ids({ sort: 'name', direction: 'asc' })
    assert.ok(byName.indexOf(second.id) < byName.indexOf(first.id))
    for (const query of [{ sort: 'email' }, { status: 'lost' }] as Record<string, string>[]) {
      const { status, body } = await admin.get('/beta-applications', { query })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, Object.keys(query)])
    }
  })

  it('are judged, with notes; inviting and activating have their own ways (CEN-64, CEN-65)', async () => {
    const { id, uuid, email } = await applied()
    const { status, body } = await admin.patch(`/beta-applications/${id}`, { status: 'approved', internal_notes: 'Nice.' })
    const { created_at, updated_at, ...rest } = body.data
    assert.equal(status, 200)
    assert.deepEqual(rest, {
      ...{ id, uuid, name: 'Ada Lovelace', email, company: 'Engines', message: 'We compute.', status: 'approved' },
      ...{ internal_notes: 'Nice.', invited_at: null, invite_expires_at: null, activated_at: null },
      ...{ has_active_invite: false, invite_expired: false, activated: false },
    })
    for (const to of ['invited', 'activated', 'lost'])
      assert.deepEqual(field(await admin.patch(`/beta-applications/${id}`, { status: to })), [422, ['status']])
    assert.equal((await admin.patch(`/beta-applications/${id}`, { internal_notes: null })).body.data.internal_notes, null)
    assert.equal((await show(id)).status, 'approved')
    assert.equal((await admin.get('/beta-applications/999999')).status, 404)
  })

  it('ask for the permission', async () => {
    const { id } = await applied()
    const [lister, reader] = [
      await operator(world, ['beta-applications.list']),
      await operator(world, ['beta-applications.read']),
    ]
    assert.equal((await lister.get(`/beta-applications/${id}`)).status, 403)
    assert.equal((await reader.get('/beta-applications')).status, 403)
    assert.equal((await reader.post(`/beta-applications/${id}/invite`)).status, 403)
  })
})

describe('an invitation', () => {
  it('is told once and mailed, with its secret in neither table nor log', async () => {
    const { id, email } = await applied()
    await setting('founding_beta_invite_ttl_days', 3)
    const keyed = { headers: { 'idempotency-key': 'invite-1' } }
    const { body } = await admin.post(`/beta-applications/${id}/invite`, undefined, keyed)
    const { invite_url, ...application } = body.data
    const token = /^http:\/\/atrium\.test\/register#(.{43})$/.exec(invite_url)![1]!
    const { status, has_active_invite, invite_expires_at } = application
    assert.deepEqual([status, has_active_invite, invite_expires_at], ['invited', true, '2026-05-07T09:00:00.000Z'])
    assert.deepEqual(await show(id), application)
    const replay = await admin.post(`/beta-applications/${id}/invite`, undefined, keyed)
    assert.deepEqual(replay.body.data, { ...application, invite_url: null })
    assert.equal(await mailedToken(world, 'beta_application.invited', email), token)
    const [log] = await world.sql('SELECT body_html || body_text AS text FROM email_logs WHERE $1 = ANY ("to")', [email])
    const stored = await world.sql('SELECT token_hash FROM beta_invites WHERE application_id = $1', [id])
    assert.ok(!log.text.includes(token) && stored.length === 1 && !stored[0].token_hash.toString('latin1').includes(token))
  })

  it('shows to its bearer whom it invites (CEN-58)', async () => {
    const { id, email } = await applied()
    const token = await invited(id)
    const applicant = { email, name: 'Ada Lovelace', company: 'Engines', message: 'We compute.' }
    assert.deepEqual(await preview(token), { valid: true, expired: false, activated: false, ...applicant })
    world.clock.set(new Date(Date.parse('2026-05-04T09:00:00Z') + 14 * DAY).toISOString())
    assert.deepEqual(await preview(token), { valid: false, expired: true, activated: false, ...applicant })
    assert.deepEqual([(await show(id)).has_active_invite, (await show(id)).invite_expired], [false, true])
    const nothing = { email: null, name: null, company: null, message: null }
    const unknown = { valid: false, expired: false, activated: false, ...nothing }
    for (const none of ['made-up', `${token}x`, 'x'.repeat(500)]) assert.deepEqual(await preview(none), unknown)
  })

  it('ends when another one is made, or when it is withdrawn', async () => {
    const { id } = await applied()
    const [first, second] = [await invited(id), await invited(id)]
    assert.deepEqual([(await preview(first)).valid, (await preview(second)).valid], [false, true])
    await admin.patch(`/beta-applications/${id}`, { status: 'rejected' })
    assert.equal((await preview(second)).valid, false)
    assert.deepEqual(field(await register({ invite_token: second })), [422, ['invite_token']])
    assert.equal((await show(id)).has_active_invite, false)
  })

  it('is sent again to whoever asks for it, a few times, and nobody is told whether (CEN-59)', async () => {
    const { id, email } = await applied()
    const quiet = await applied()
    const token = await invited(id)
    const ask = (of: string) => anybody.post('/public/beta-invites/resend', { email: of })
    const replies = [await ask(email), await ask(quiet.email), await ask('nobody@x.test')]
    for (const { status, body } of replies) assert.deepEqual([status, body], [200, replies[0]!.body])
    const again = await mailedToken(world, 'beta_application.invited', email)
    assert.notEqual(again, token)
    for (const link of [token, again]) assert.equal((await preview(link)).valid, true, 'the earlier link goes on working')
    for (let n = 0; n < 10; n++) {
      await world.sql('TRUNCATE rate_limits')
      await ask(email)
    }
    assert.equal((await mailsTo(world, email)).length, 5)
    assert.equal((await mailsTo(world, quiet.email)).length, 0)
    world.clock.set('2026-06-04T09:00:00.000Z')
    await ask(email)
    assert.equal((await preview(await mailedToken(world, undefined, email))).valid, true, 'an expired one is made anew')
  })
})

describe('registering with an invitation', () => {
  it('works while registration is off, for any address, once', async () => {
    await setting('registration_enabled', false)
    const { id } = await applied()
    const token = await invited(id)
    assert.equal((await register({ invite_token: token })).status, 201)
    const { status, activated, activated_at, has_active_invite } = await show(id)
    assert.deepEqual(
      { status, activated, activated_at, has_active_invite },
      { status: 'activated', activated: true, activated_at: world.clock.now(), has_active_invite: false },
    )
    const { valid, activated: used } = await preview(token)
    assert.deepEqual([valid, used], [false, true])
    for (const invite_token of [token, 'made up', '', null]) assert.equal((await register({ invite_token })).status, 403)
    assert.deepEqual(field(await admin.post(`/beta-applications/${id}/invite`)), [422, ['beta_application']])
    assert.deepEqual(field(await admin.patch(`/beta-applications/${id}`, { status: 'new' })), [422, ['status']])
  })

  it('is refused with a bad one while registration is open; an empty one counts as none', async () => {
    const { id } = await applied()
    const token = await invited(id)
    assert.deepEqual(field(await register({ invite_token: 'made up' })), [422, ['invite_token']])
    world.clock.set('2026-06-04T09:00:00.000Z')
    assert.deepEqual(field(await register({ invite_token: token })), [422, ['invite_token']])
    assert.equal((await show(id)).status, 'invited')
    assert.equal((await register({ invite_token: '' })).status, 201)
  })

  it('is left unused by a registration that fails', async () => {
    const { id } = await applied()
    const token = await invited(id)
    await setting('password_require_special', true)
    const weak = { password: 'onlyletters', password_confirmation: 'onlyletters' }
    assert.deepEqual(field(await register({ invite_token: token, ...weak })), [422, ['password']])
    assert.equal((await preview(token)).valid, true)
  })

  it('makes one workspace of several at once', async () => {
    await setting('registration_enabled', false)
    const { id, email } = await applied()
    const token = await invited(id)
    await anybody.post('/public/beta-invites/resend', { email })
    const other = await mailedToken(world, 'beta_application.invited', email)
    const before = await world.sql('SELECT count(*)::int AS n FROM tenants')
    const replies = await Promise.all([token, other, token, other].map((invite_token) => register({ invite_token })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 403, 403, 403])
    assert.equal((await world.sql('SELECT count(*)::int AS n FROM tenants'))[0].n, before[0].n + 1)
  })
})
