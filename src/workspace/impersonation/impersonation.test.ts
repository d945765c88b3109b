import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let acme: Workspace
let admin: Person
let clerk: Person

before(async () => {
  acme = await world.workspace({ modules: ['vendors'] })
  admin = await acme.user(['users.impersonate', 'audit-logs.view'], 'Ada Admin')
  clerk = await acme.user(['vendors.view'], 'Cleo Clerk')
})

const reason = 'Ticket 4711'
const begin = (by: Person, user: number, body: unknown = { reason }) => by.post(`/users/${user}/impersonate`, body)

describe('impersonation', () => {
  it('is for signed-in users with the permission, within the workspace', async () => {
    assert.equal((await world.anonymous.post(`/users/${clerk.id}/impersonate`, { reason })).status, 401)
    assert.equal((await begin(clerk, admin.id)).status, 403)
    const other = await world.workspace({ modules: [] })
    assert.equal((await begin(other.owner, clerk.id)).status, 404)
  })

  it('asks for a reason of 5 to 1000 characters', async () => {
    for (const body of [{}, { reason: 'abcd' }, { reason: 'x'.repeat(1001) }, { reason: 12345 }]) {
      const { status, body: said } = await begin(admin, clerk.id, body)
      assert.deepEqual([status, Object.keys(said.errors ?? {})], [422, ['reason']])
    }
  })

  it('is refused for oneself, the owner and suspended users', async () => {
    const resting = await acme.user([])
    await acme.owner.post(`/users/${resting.id}/suspend`)
    for (const user of [admin.id, acme.owner.id, resting.id]) {
      const { status, body } = await begin(admin, user)
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['user']])
    }
  })

  it('lasts an hour, cannot be nested, and leaves a trace', async () => {
    const started = await begin(admin, clerk.id)
    assert.equal(started.status, 201)
    const { id, target_token, actor, target, ended_at, expires_at, created_at } = started.body.data
    assert.deepEqual([actor.id, target.id, ended_at], [admin.id, clerk.id, null])
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 3_600_000)
    const as = world.tenant(target_token)
    assert.equal((await as.get('/me')).body.data.user.id, clerk.id)
    assert.equal((await as.get('/vendors')).status, 200)
    const powerful = await acme.user(['users.impersonate'])
    const inside = await begin(admin, powerful.id)
    const nested = await world.tenant(inside.body.data.target_token).post(`/users/${clerk.id}/impersonate`, { reason })
    assert.deepEqual([nested.status, Object.keys(nested.body.errors ?? {})], [422, ['user']])

    const stranger = await acme.user(['users.impersonate'])
    assert.equal((await stranger.post(`/user-impersonation/${id}/end`)).status, 403)
    const ended = await as.post(`/user-impersonation/${id}/end`)
    assert.equal(ended.status, 200)
    assert.ok(ended.body.data.ended_at)
    assert.equal((await as.get('/me')).status, 401)
    const twice = await admin.post(`/user-impersonation/${id}/end`)
    assert.deepEqual([twice.status, Object.keys(twice.body.errors ?? {})], [422, ['impersonation']])
    assert.equal((await admin.post(`/user-impersonation/${inside.body.data.id}/end`)).status, 200)

    const log = (await admin.get('/audit-logs', { query: { event: 'user_impersonation_started' } })).body.data
    const entry = log.find(
      ({ properties }: { properties: { user_impersonation_id: number } }) => properties.user_impersonation_id === id,
    )
    assert.deepEqual([entry.actor.id, entry.properties.target_id, entry.properties.reason], [admin.id, clerk.id, reason])
    assert.equal((await clerk.get('/audit-logs')).status, 403)
    assert.ok(!JSON.stringify(log).includes(target_token.split('|')[1]))
  })
})
