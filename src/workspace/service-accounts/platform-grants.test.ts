/** The owner in person may let the platform manage access and money for a day, by the setting platform_grants_until. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type Client, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { mailsTo } from '#test/operator.ts'

const world = await startTest()
const NOON = '2026-03-02T12:00:00.000Z'
const at = (hours: number) => new Date(Date.parse(NOON) + hours * 3_600_000).toISOString()

let acme: Workspace
/** An operator acting as the owner; a platform account uses X-Workspace. */
let operator: Client
const byWorkspace = () => ({ headers: { 'x-workspace': acme.slug } })

before(async () => {
  world.clock.set(NOON)
  acme = await world.workspace({ modules: ['vendors'], name: 'Acme' })
})

beforeEach(async () => {
  world.clock.set(NOON)
  await open(null)
  const { body } = await world.admin.post(`/tenants/${acme.id}/impersonate`, { reason: 'Ticket 4711' })
  operator = world.tenant(body.data.tenant_token)
})

const outcome = ({ status, body }: Reply) => ({ status, code: body.code })
const IMPERSONATING = { status: 403, code: 'IMPERSONATING' }
const REFUSED = { status: 403, code: 'PLATFORM_ACCESS_REFUSED' }

const open = (until: string | null, by: Client = acme.owner) =>
  by.put('/settings', { settings: { platform_grants_until: until } })
let users = 0
const newUser = () => ({ name: 'Uwe', email: `uwe${++users}@acme.test`, role: ['admin'], password: 'correct horse battery' })
const platform = () => world.tenant(world.admin.token)

describe('access and money', () => {
  it('are closed to the platform by default', async () => {
    const { body } = await acme.owner.get('/settings')
    assert.equal(body.data.settings.platform_grants_until, null)
    assert.deepEqual(outcome(await operator.post('/users', newUser())), IMPERSONATING)
    assert.deepEqual(outcome(await platform().post('/users', newUser(), byWorkspace())), REFUSED)
  })

  it('are open until the instant that the owner set, a day ahead at most', async () => {
    assert.partialDeepStrictEqual(await open(at(24.001)), {
      status: 422,
      body: { errors: { 'settings.platform_grants_until': ['Must be at most 24 hours ahead.'] } },
    })
    assert.equal((await open(at(24))).status, 200)
    assert.equal((await operator.post('/users', newUser())).status, 201)
    assert.equal((await platform().post('/users', newUser(), byWorkspace())).status, 201)
    assert.equal((await open(at(1))).status, 200)
    world.clock.set(at(1))
    assert.partialDeepStrictEqual(await platform().post('/users', newUser(), byWorkspace()), { status: 403 })
    world.clock.set(at(0.5))
    assert.equal((await platform().post('/users', newUser(), byWorkspace())).status, 201)
    for (const closed of [null, at(0.5), at(-3)]) {
      assert.equal((await open(closed)).status, 200)
      assert.deepEqual(outcome(await operator.post('/users', newUser())), IMPERSONATING)
      await open(at(3))
    }
    await open(null)
  })

  it('stay closed to a user who works as another, whatever the owner set', async () => {
    await open(at(1))
    const boss = await acme.user(world.services.modules.permissions('workspace').map(({ name }) => name))
    const { body } = await acme.owner.post(`/users/${boss.id}/impersonate`, { reason: 'Ticket 4711' })
    assert.deepEqual(outcome(await world.tenant(body.data.target_token).post('/users', newUser())), IMPERSONATING)
    await open(null)
  })

  it('are opened by the owner alone, in person', async () => {
    const manager = await acme.user(['settings.view', 'settings.update'])
    const { body } = await acme.owner.post('/api-keys', { name: 'all', scopes: ['*'] })
    world.secret(body.data.key)
    for (const by of [manager, operator, world.tenant(body.data.key)])
      assert.partialDeepStrictEqual(await open(at(1), by), { status: 422 })
    assert.partialDeepStrictEqual(
      await platform().put('/settings', { settings: { platform_grants_until: at(1) } }, byWorkspace()),
      { status: 422 },
    )
    for (const wrong of ['soon', 7, true, '2026-03-02']) assert.equal((await open(wrong as never)).status, 422)
  })

  it('are mailed to the owner and stand in the audit log when they are opened and closed', async () => {
    await open(null)
    const count = async (event: string) =>
      (await acme.owner.get('/audit-logs', { query: { event, per_page: 100 } })).body.data as { properties: object }[]
    const [opened, closed] = [(await count('platform_grants.opened')).length, (await count('platform_grants.closed')).length]
    await open(at(2))
    await open(at(2)) // unchanged
    const entries = await count('platform_grants.opened')
    assert.equal(entries.length, opened + 1)
    assert.ok(entries.some(({ properties }) => isDeepStrictEqual(properties, { until: at(2) })))
    await open(null)
    assert.equal((await count('platform_grants.closed')).length, closed + 1)
    await world.drain()
    const mails = await mailsTo(world, acme.owner.email)
    assert.ok(mails.some(({ notification_type }) => notification_type === 'auth.platform_grants.opened'))
    assert.ok(mails.some(({ notification_type }) => notification_type === 'auth.platform_grants.closed'))
  })
})

describe('many users at once', () => {
  const clerk = async () => (await acme.user([])).id
  const bulk = (by: Client, body: object, options = {}) => by.post('/users/bulk', body, options)

  it('get no role and are not removed by whoever works for another', async () => {
    const id = await clerk()
    for (const body of [
      { ids: [id], action: 'update', changes: { role: ['admin'] } },
      { ids: [id], action: 'delete' },
      { filter: { search: 'a' }, action: 'update', changes: { email: 'thief@acme.test' } },
    ]) {
      assert.deepEqual(outcome(await bulk(operator, body)), IMPERSONATING)
      assert.deepEqual(outcome(await bulk(platform(), body, byWorkspace())), REFUSED)
    }
    assert.partialDeepStrictEqual(await bulk(operator, { ids: [id], action: 'update', changes: { name: 'Renamed' } }), {
      status: 200,
      body: { data: { processed: 1 } },
    })
  })

  it('don’t get a role back by undoing what the owner did to them', async () => {
    const id = await clerk()
    const { body } = await bulk(acme.owner, { ids: [id], action: 'update', changes: { role: ['admin'] } })
    const undo = await operator.post(`/bulk/${body.data.batch_id}/undo`)
    assert.deepEqual(outcome(undo), IMPERSONATING)
    assert.deepEqual((await acme.owner.get(`/users/${id}`)).body.data.role, ['admin'])
  })

  it('are left alone by a job that was sent while access was open and runs after it was closed', async () => {
    await world.sql(
      `INSERT INTO users (tenant_id, name, email, created_at, updated_at)
       SELECT $1, 'Crowd ' || n, 'crowd' || n || '@acme.test', now(), now() FROM generate_series(1, 101) n`,
      [acme.id],
    )
    await open(at(1))
    const sent = await bulk(operator, { filter: { search: 'Crowd' }, action: 'update', changes: { role: ['admin'] } })
    assert.partialDeepStrictEqual(sent, { status: 200, body: { data: { state: 'waiting' } } })
    await open(null)
    await world.drain()
    const { body } = await operator.get(`/bulk/${sent.body.data.batch_id}`)
    assert.partialDeepStrictEqual(body.data, { processed: 0, failed_count: 101 })
    const [{ given }] = await world.sql(
      `SELECT count(*)::int AS given FROM user_roles r JOIN users u ON u.tenant_id = r.tenant_id AND u.id = r.user_id
       WHERE u.tenant_id = $1 AND u.name LIKE 'Crowd %'`,
      [acme.id],
    )
    assert.equal(given, 0)
  })
})

describe('what can be done with a user', () => {
  it('says that access is closed to whoever works for another', async () => {
    const id = (await acme.user([])).id
    const reasons = async (by: Client) =>
      new Map(
        (await by.get(`/users/${id}/actions`)).body.data.map((one: { key: string; reason: { code: string } | null }) => [
          one.key,
          one.reason?.code,
        ]),
      )
    assert.equal((await reasons(operator)).get('verifyUserEmail'), 'IMPERSONATING')
    assert.equal((await reasons(operator)).get('updateUser'), undefined)
    assert.equal((await reasons(acme.owner)).get('verifyUserEmail'), undefined)
  })
})
