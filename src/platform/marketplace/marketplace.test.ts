import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { operator } from '#test/operator.ts'

const world = await startTest()
const { admin } = world
const firm: Workspace = await world.workspace({ modules: ['vendors', 'purchase-orders', 'storage'] })
const empty = await world.workspace({ modules: [] })
const ids = new Map<string, number>(
  (await world.sql('SELECT key, id FROM modules')).map((module) => [module.key, Number(module.id)]),
)
const keys = async (query: Record<string, string | number> = {}) =>
  (await admin.get('/marketplace/modules', { query: { per_page: 100, ...query } })).body.data.map(
    (module: { key: string }) => module.key,
  )
const hints = async (key: string, tenant_id?: number) => {
  const { status, body } = await admin.get(`/marketplace/modules/${ids.get(key)}`, { query: tenant_id ? { tenant_id } : {} })
  assert.equal(status, 200)
  const { already_installed, can_cancel, blocking_dependents, dependencies } = body.data
  return { already_installed, can_cancel, blocking_dependents, dependencies }
}

describe('the marketplace', () => {
  it('lists what an operator may sell', async () => {
    const before = await keys()
    assert.ok(before.includes('vendors') && !before.includes('payroll'))
    await world.sql(`UPDATE modules SET status = 'retired' WHERE key = 'assets'`)
    await world.sql(`UPDATE modules SET status = 'draft' WHERE key = 'tasks'`)
    await world.sql(`UPDATE modules SET availability = 'in-progress' WHERE key = 'projects'`)
    await world.sql(`UPDATE modules SET deleted_at = now() WHERE key = 'leads'`)
    const hidden = ['assets', 'tasks', 'projects', 'leads']
    assert.deepEqual(
      await keys(),
      before.filter((key: string) => !hidden.includes(key)),
    )
    for (const key of hidden) assert.equal((await admin.get(`/marketplace/modules/${ids.get(key)}`)).status, 404, key)
  })

  it('searches, and filters by category', async () => {
    assert.deepEqual(await keys({ search: 'whom the FIRM buys' }), ['vendors'])
    const { category_id, category } = (await admin.get(`/marketplace/modules/${ids.get('vendors')}`)).body.data
    assert.equal(category.name, 'Purchasing and stock')
    assert.deepEqual((await keys({ category_id })).sort(), ['inventory', 'products', 'purchase-orders', 'vendors', 'warehouses'])
    assert.deepEqual(await keys({ category_id: 99_999 }), [])
  })

  it('tells what stands in the way of selling and cancelling (CEN-47)', async () => {
    const orders = { key: 'purchase-orders', name: 'Purchase orders' }
    const vendors = { key: 'vendors', name: 'Vendors' }
    assert.deepEqual(await hints('vendors', firm.id), {
      ...{ already_installed: true, can_cancel: false, blocking_dependents: [orders], dependencies: [] },
    })
    assert.deepEqual(await hints('purchase-orders', firm.id), {
      ...{ already_installed: true, can_cancel: true, blocking_dependents: [], dependencies: [{ ...vendors, installed: true }] },
    })
    const nothing = { already_installed: false, can_cancel: false, blocking_dependents: [] }
    for (const tenant of [empty.id, undefined])
      assert.deepEqual(await hints('purchase-orders', tenant), { ...nothing, dependencies: [{ ...vendors, installed: false }] })
    assert.deepEqual((await hints('storage', firm.id)).can_cancel, false, 'included ones are not cancelled')
    await world.sql(`UPDATE modules SET requires = '{users}' WHERE key = 'expenses'`)
    assert.deepEqual((await hints('expenses', empty.id)).dependencies, [{ key: 'users', name: 'Users', installed: true }])
  })

  it('forgets what was cancelled', async () => {
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1 AND module_key = $2`, [
      firm.id,
      'purchase-orders',
    ])
    assert.deepEqual(await hints('vendors', firm.id), {
      ...{ already_installed: true, can_cancel: true, blocking_dependents: [], dependencies: [] },
    })
  })

  it('knows its workspaces', async () => {
    for (const tenant_id of [999_999, 'x']) {
      const { status, body } = await admin.get(`/marketplace/modules/${ids.get('vendors')}`, { query: { tenant_id } })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['tenant_id']])
    }
    const unsent = await admin.get(`/marketplace/modules/${ids.get('vendors')}`, { query: { tenant_id: '' } })
    assert.equal(unsent.status, 200)
  })

  it('needs modules.list and modules.read', async () => {
    const [lister, reader] = [await operator(world, ['modules.list']), await operator(world, ['modules.read'])]
    const statuses = (path: string) => Promise.all([lister, reader].map(async (who) => (await who.get(path)).status))
    assert.deepEqual(await statuses('/marketplace/modules'), [200, 403])
    assert.deepEqual(await statuses(`/marketplace/modules/${ids.get('vendors')}`), [403, 200])
  })
})
