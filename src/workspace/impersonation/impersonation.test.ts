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

  it('asks for a reason of 5 to 1000 characters (USR-18)', async () => {
    for (const body of [{}, { reason: 'abcd' }, { reason: 'x'.repeat(1001) }, { reason: 12345 }]) {
      const { status, body: said } = await begin(admin, clerk.id, body)
      assert.deepEqual([status, Object.keys(said.errors ?? {})], [422, ['reason']])
    }
  })

  it('is refused for oneself, the owner and suspended users (USR-21, USR-22, AUTH-14)', async () => {
    const resting = await acme.user([])
    await acme.owner.post(`/users/${resting.id}/suspend`)
    for (const user of [admin.id, acme.owner.id, resting.id]) {
      const { status, body } = await begin(admin, user)
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['user']])
    }
  })

  it('lasts an hour, cannot be nested, and leaves a trace (USR-17, USR-19, USR-20, USR-23, USR-24, AUTH-12, AUTH-13)', async () => {
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
    const ends = (await admin.get('/audit-logs', { query: { event: 'user_impersonation_ended', per_page: 100 } })).body.data
    const ending = ends.find(
      (one: { properties: { user_impersonation_id: number } }) => one.properties.user_impersonation_id === id,
    )
    assert.deepEqual([ending.actor.id, ending.impersonator], [clerk.id, { id: admin.id, name: 'Ada Admin', type: 'user' }])
    assert.equal((await clerk.get('/audit-logs')).status, 403)
    assert.ok(!JSON.stringify(log).includes(target_token.split('|')[1]))
  })

  it('is refused of whoever may do what the actor may not; everyday work does not count', async () => {
    const powerful = await acme.user(['users.delete'])
    const everyday = await acme.user(['users.view'])
    const { status, body } = await begin(admin, powerful.id)
    assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['user']])
    assert.equal((await begin(admin, everyday.id)).status, 201)
  })

  it('does not change the account itself', async () => {
    const other = await acme.user(['users.update', 'users.impersonate'])
    const keeper = await acme.user(['users.update', 'users.impersonate'])
    const as = world.tenant((await begin(keeper, other.id)).body.data.target_token)
    const password = 'a password of a thief'
    for (const reply of [
      await as.put('/me', { email: 'thief@x.test' }),
      await as.put('/me', { name: 'Thief' }),
      await as.post('/me/change-password', { old_password: 'x', password, password_confirmation: password }),
      await as.del(`/me/sessions/${other.token.split('|')[0]}`),
      await as.post('/me/sessions/revoke-others'),
      await as.post('/auth/logout', { all: true }),
      await as.put(`/users/${other.id}`, { email: 'thief@x.test' }),
    ])
      assert.deepEqual([reply.status, reply.body.code], [403, 'IMPERSONATING'])
    assert.equal((await other.get('/me')).body.data.user.pending_email, null)
    assert.equal((await as.get('/me/sessions')).status, 200)
  })

  it('is told by everything that is written', async () => {
    const buyer = await acme.user(['vendors.view', 'vendors.create', 'vendors.update'])
    const as = world.tenant((await begin(admin, buyer.id)).body.data.target_token)
    const { id } = (await as.post('/vendors', { name: 'Made by two' })).body.data
    await as.put(`/vendors/${id}`, { name: 'Changed by two' })
    const rows = await world.sql(
      `SELECT type, actor_id::int, impersonator_id::int, impersonator_type FROM activities WHERE subject_type = 'vendors' AND subject_id = $1 ORDER BY id`,
      [id],
    )
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      ['created', 'updated'].map((type) => [type, buyer.id, admin.id, 'user']),
    )
    const orders = await world.workspace({ modules: ['vendors', 'purchase-orders'] })
    const clerk = await orders.user(['purchase-orders.view', 'purchase-orders.create', 'purchase-orders.assign'], 'Cara')
    const chief = await orders.user(['users.impersonate', 'purchase-orders.assign'], 'Chief')
    const posing = world.tenant((await begin(chief, clerk.id)).body.data.target_token)
    const vendor = (await orders.owner.post('/vendors', { name: 'V' })).body.data.id
    const order = (await posing.post('/purchase-orders', { vendor_id: vendor, title: 'Posed' })).body.data
    const impersonator = { id: chief.id, name: 'Chief', type: 'user' }
    const [entry] = order.activities
    assert.deepEqual([entry.actor.id, entry.impersonator], [clerk.id, impersonator])
    const { body } = await posing.get(`/purchase-orders/${order.id}/timeline`)
    assert.deepEqual(body.data[0].impersonator, impersonator)
  })

  const others = async () => {
    const [actor, target] = [await acme.user(['users.impersonate']), await acme.user(['vendors.view'])]
    const { id, target_token } = (await begin(actor, target.id)).body.data
    const isOver = async () =>
      (await acme.owner.get('/user-impersonations', { query: { status: 'ended', per_page: 100 } })).body.data.some(
        (one: { id: number }) => one.id === id,
      )
    return { id, actor, target, as: world.tenant(target_token), isOver }
  }

  it('ends at once when its actor is suspended, deleted, or loses the permission', async () => {
    const takeRoles = (id: number) => acme.owner.put(`/users/${id}`, { role: ['member'] })
    for (const { what, stop } of [
      { what: 'suspended', stop: (id: number) => acme.owner.post(`/users/${id}/suspend`) },
      { what: 'deleted', stop: (id: number) => acme.owner.del(`/users/${id}`) },
      { what: 'without the role', stop: takeRoles },
    ] as const) {
      const { actor, as, isOver } = await others()
      assert.equal((await as.get('/vendors')).status, 200)
      assert.equal((await stop(actor.id)).status, 200)
      assert.equal((await as.get('/vendors')).status, 401, what)
      if (stop !== takeRoles) assert.equal(await isOver(), true, what)
    }
    const { actor, as } = await others()
    await world.sql(`UPDATE roles SET permissions = '{}' WHERE id = (SELECT role_id FROM user_roles WHERE user_id = $1)`, [
      actor.id,
    ])
    assert.equal((await as.get('/vendors')).status, 401, 'the role lost the permission')
  })

  it('ends with its sign-out, and is not revived by lifting a suspension', async () => {
    const { as, isOver } = await others()
    assert.equal((await as.post('/auth/logout')).status, 200)
    assert.equal(await isOver(), true)
    const held = await others()
    await acme.owner.post(`/users/${held.actor.id}/suspend`)
    await acme.owner.post(`/users/${held.actor.id}/unsuspend`)
    assert.equal((await held.as.get('/vendors')).status, 401)
  })

  it('ends with every other session of its actor: their new password stops who worked in their name', async () => {
    const { actor, as } = await others()
    const mine = await others()
    assert.equal((await actor.post('/me/sessions/revoke-others')).status, 200)
    assert.equal((await as.get('/vendors')).status, 401)
    assert.equal((await mine.as.get('/vendors')).status, 200)
  })

  it('is listed while it runs, for whoever may impersonate', async () => {
    const list = async (status?: string) => {
      const { body } = await admin.get('/user-impersonations', { query: { per_page: 100, ...(status ? { status } : {}) } })
      return body.data.map((one: { id: number }) => one.id)
    }
    const running = await others()
    const replaced = await others()
    await world.sql('DELETE FROM access_tokens WHERE user_id = $1', [replaced.target.id])
    assert.ok((await list()).includes(running.id))
    assert.ok(!(await list()).includes(replaced.id), 'its token was ended by other means')
    assert.ok((await list('ended')).includes(replaced.id))
    assert.ok((await list('all')).includes(running.id))
    assert.equal((await admin.get('/user-impersonations', { query: { status: 'x' } })).status, 422)
    assert.equal((await clerk.get('/user-impersonations')).status, 403)
    const { body } = await admin.get('/user-impersonations')
    assert.ok(!('target_token' in body.data[0]))
  })
})
