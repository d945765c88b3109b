import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PASSWORD, startTest } from '#test/harness.ts'
import { operator } from '#test/operator.ts'
import { reviewedEvents } from './reviewed-properties.ts'

const world = await startTest()
const { admin } = world
const login = (email: string, workspace: string) => world.anonymous.post('/auth/login', { email, password: PASSWORD, workspace })
const listed = async (query: Record<string, string>) =>
  (await admin.get('/tenants', { query: { per_page: 100, ...query } })).body.data.map((one: { id: number }) => one.id)

describe('archiving', () => {
  it('closes a workspace and opens it again, whatever else it is (CEN-24)', async () => {
    const { id, owner, slug } = await world.workspace({ modules: [] })
    for (let n = 0; n < 2; n++) assert.ok((await admin.post(`/tenants/${id}/archive`)).body.data.archived_at)
    assert.equal((await owner.get('/me')).body.code, 'WORKSPACE_ARCHIVED')
    assert.equal((await login(owner.email, slug)).body.code, 'WORKSPACE_ARCHIVED')
    assert.ok((await listed({ archived: 'true' })).includes(id))
    assert.ok(!(await listed({ archived: 'false' })).includes(id))
    await admin.del(`/tenants/${id}`)
    assert.equal((await admin.post(`/tenants/${id}/unarchive`)).status, 404, 'deleted')
    assert.ok((await admin.post(`/tenants/${id}/restore`)).body.data.archived_at, 'still archived')
    for (let n = 0; n < 2; n++) assert.equal((await admin.post(`/tenants/${id}/unarchive`)).body.data.archived_at, null)
    assert.equal((await login(owner.email, slug)).status, 200)
  })
})

describe('deleting a workspace', () => {
  it('takes its live users with it, and restoring brings back exactly those (CEN-23)', async () => {
    const firm = await world.workspace({ modules: [] })
    const [stays, leaves] = [await firm.user([]), await firm.user([])]
    world.clock.set(world.clock.now()) // everything at the same instant
    await firm.owner.del(`/users/${leaves.id}`)
    assert.equal((await admin.post(`/tenants/${firm.id}/restore`)).status, 400)
    assert.equal((await admin.del(`/tenants/${firm.id}`)).status, 200)
    assert.equal((await firm.owner.get('/me')).status, 401)
    assert.equal((await world.sql('SELECT 1 FROM users WHERE tenant_id = $1 AND deleted_at IS NULL', [firm.id])).length, 0)
    assert.equal((await login(firm.owner.email, firm.slug)).status, 401)
    assert.deepEqual([(await listed({ trashed: 'only' })).includes(firm.id), (await listed({})).includes(firm.id)], [true, false])
    for (const rest of ['', '/entitlements', '/audit-logs'])
      assert.equal((await admin.get(`/tenants/${firm.id}${rest}`)).status, 404)
    assert.equal((await admin.del(`/tenants/${firm.id}`)).status, 404)

    const restored = await admin.post(`/tenants/${firm.id}/restore`)
    assert.deepEqual([restored.status, restored.body.data.deleted_at], [200, null])
    const live = await world.sql('SELECT id FROM users WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id', [firm.id])
    assert.deepEqual(
      live.map(({ id }) => Number(id)),
      [firm.owner.id, stays.id],
    )
    assert.equal((await firm.owner.get('/me')).status, 401, 'sessions stay ended')
    assert.equal((await login(firm.owner.email, firm.slug)).status, 200)
    await admin.del(`/tenants/${firm.id}`)
    assert.equal((await admin.post(`/tenants/${firm.id}/restore`)).status, 200, 'again')
    world.clock.set(undefined as never)
  })

  it('for good needs the deletion first; one of two who ask at once is too late', async () => {
    const { id, slug } = await world.workspace({ modules: [] })
    assert.equal((await admin.del(`/tenants/${id}/force`)).status, 400)
    await admin.del(`/tenants/${id}`)
    const replies = await Promise.all([
      admin.del(`/tenants/${id}/force`),
      admin.del(`/tenants/${id}/force`),
      admin.post(`/tenants/${id}/restore`),
    ])
    const [first, second, restored] = replies.map(({ status }) => status)
    if (restored === 200) assert.deepEqual([first, second].sort(), [400, 400])
    else assert.deepEqual([first, second].sort(), [200, 404])
    if (restored === 200) {
      await admin.del(`/tenants/${id}`)
      await admin.del(`/tenants/${id}/force`)
    }
    assert.ok(!(await listed({ trashed: 'with' })).includes(id), 'gone from every list before its data are erased')
    for (const reply of [await admin.post(`/tenants/${id}/restore`), await admin.del(`/tenants/${id}/force`)])
      assert.equal(reply.status, 404)
    const again = await admin.post('/tenants', { company_name: 'Second life', email: 'a@second.test', slug })
    assert.equal(again.status, 201, 'its slug is free')
    const [{ properties }] = await world.sql(
      `SELECT properties FROM audit_logs WHERE event = 'tenant_force_deleted' ORDER BY id DESC`,
    )
    assert.deepEqual([properties.tenant_id, properties.slug], [id, slug])
  })
})

describe('the audit log of a workspace', () => {
  it('tells what operators did, each once', async () => {
    const clerk = await operator(world, ['tenants.create', 'tenants.update', 'tenants.archive', 'module-subscriptions.create'])
    const { id } = (await clerk.post('/tenants', { company_name: 'Audited', email: 'a@audited.test' })).body.data
    await clerk.patch(`/tenants/${id}`, { notes: 'private words', status: 'suspended' })
    await clerk.patch(`/tenants/${id}`, { notes: 'private words' })
    await clerk.post(`/tenants/${id}/archive`)
    await clerk.post(`/tenants/${id}/archive`)
    const [{ id: module_id }] = await world.sql(`SELECT id FROM modules WHERE key = 'vendors'`)
    await clerk.post(`/tenants/${id}/unarchive`)
    await clerk.post(`/tenants/${id}/modules`, { module_id: Number(module_id) })
    const { body } = await admin.get(`/tenants/${id}/audit-logs`, { query: { sort: 'created_at' } })
    assert.deepEqual(
      body.data.map(({ event, properties, actor }: { event: string; properties: object; actor: { id: number } }) => [
        event,
        properties,
        actor.id,
      ]),
      [
        ['tenant_created', { company_name: 'Audited' }, clerk.id],
        ['tenant_updated', { fields: ['notes', 'status'], status: 'suspended' }, clerk.id],
        ['tenant_archived', {}, clerk.id],
        ['tenant_unarchived', {}, clerk.id],
        ['module_installed', { ...body.data[4].properties, module_key: 'vendors', billing_cycle: 'monthly' }, clerk.id],
      ],
    )
    assert.ok(!JSON.stringify(body).includes('private words'))
    const query = { event: 'tenant_archived' }
    assert.equal((await admin.get(`/tenants/${id}/audit-logs`, { query })).body.meta.total, 1)
  })

  it('shows of each entry what was reviewed, and of an unknown one nothing (CEN-36)', async () => {
    const { id, owner } = await world.workspace({ modules: [] })
    const log = (event: string, properties: object, more = `'user', ${owner.id}, NULL, NULL`) =>
      world.sql(
        `INSERT INTO audit_logs (tenant_id, event, actor_type, actor_id, impersonator_type, impersonator_id, properties, ip, created_at)
         SELECT $1, $2, ${more}, $3, '10.0.0.1', now()`,
        [id, event, JSON.stringify(properties)],
      )
    await log('user_impersonation_started', { user_impersonation_id: 7, target_id: 8, reason: 'a private matter' })
    await log('brand_new_event', { password: 'hunter2' }, `'user', ${owner.id}, 'platform_user', ${admin.id}`)
    const { data } = (await admin.get(`/tenants/${id}/audit-logs`)).body
    assert.deepEqual(
      data.map((one: { properties: object }) => one.properties),
      [{}, { user_impersonation_id: 7, target_id: 8 }],
    )
    assert.deepEqual(data[0].actor, { id: owner.id, name: 'Olive Owner', type: 'user' })
    assert.deepEqual(data[0].impersonator, { id: admin.id, name: 'Administrator', type: 'platform_user' })
    for (const secret of ['hunter2', 'a private matter', '10.0.0.1']) assert.ok(!JSON.stringify(data).includes(secret))
    assert.ok(reviewedEvents.has('impersonation_started'))
  })
})
