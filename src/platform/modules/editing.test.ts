// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loadModules } from '#kernel/process/load.ts'
import { sourceRoot } from '#kernel/process/start.ts'
import { startTest } from '#test/harness.ts'
import syncCatalogue from './start.ts'

const world = await startTest()
const { admin } = world

const entry = async (key: string) => {
  const { body } = await admin.get('/modules', { query: { search: key, trashed: 'with', per_page: 100 } })
  return body.data.find((module: { key: string }) => module.key === key)
}
const change = async (key: string, body: object) => admin.put(`/modules/${(await entry(key)).id}`, body)
const refused = async (reply: ReturnType<typeof admin.get>, field: string) => {
  const { status, body } = await reply
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], JSON.stringify(body))
}
const installed = async (tenant: number) =>
  (await admin.get(`/tenants/${tenant}`)).body.data.installed_modules.map((module: { key: string }) => module.key)
let made = 0
const newTenant = async () =>
  (await admin.post('/tenants', { company_name: `Company ${++made}`, email: `c${made}@x.test` })).body.data.id as number
/** Synchronises the catalogue, as the next start of a process does. */
const restart = () => syncCatalogue(world.services)

describe('adding a module to the catalogue', () => {
  it('makes an entry that is planned until there is code for it', async () => {
    const { status, body } = await admin.post('/modules', {
      ...{ key: 'fleet', name: 'Fleet', description: '', monthly_price: 12.5, yearly_price: 125, is_billable: true },
    })
    assert.equal(status, 201)
    const { id, uuid, created_at, updated_at, ...rest } = body.data
    assert.deepEqual(rest, {
      ...{ key: 'fleet', name: 'Fleet', description: null, version: '1.0.0', category_id: null, category: null },
      ...{ availability: 'planned', status: 'draft', requires: [], monthly_price: 12.5, yearly_price: 125, currency: 'USD' },
      ...{ is_default_included: false, is_billable: true, deleted_at: null },
    })
    await refused(admin.post('/modules', { key: 'boats', name: 'Boats', availability: 'available' }), 'availability')
    await refused(admin.post('/modules', { key: 'boats', name: 'Boats', availability: 'in-progress' }), 'availability')
    const { id: workspace } = await world.workspace({ modules: [] })
    await refused(admin.post(`/tenants/${workspace}/modules`, { module_id: id }), 'module_id')
  })

  it('refuses keys that are taken, and those of the core', async () => {
    for (const key of ['vendors', 'payroll', 'users']) await refused(admin.post('/modules', { key, name: 'Mine' }), 'key')
    const both = await Promise.all([1, 2].map(() => admin.post('/modules', { key: 'twins', name: 'Twins' })))
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 422])
  })

  it('keeps to the decimals of the currency that cards can be charged in, which is the platform’s where none is sent', async () => {
    await refused(admin.post('/modules', { key: 'yen', name: 'Y', currency: 'JPY', monthly_price: 0.5 }), 'monthly_price')
    await refused(admin.post('/modules', { key: 'yen', name: 'Y', category_id: 999 }), 'category_id')
    await world.sql(`INSERT INTO platform_settings (key, value, updated_at) VALUES ('currency', '"KWD"', now())`)
    await refused(admin.post('/modules', { key: 'dinars', name: 'Dinars', yearly_price: 1.125 }), 'yearly_price')
    const { body } = await admin.post('/modules', { key: 'dinars', name: 'Dinars', yearly_price: 1.25 })
    assert.partialDeepStrictEqual(body.data, { currency: 'KWD', yearly_price: 1.25 })
    await refused(admin.patch(`/modules/${body.data.id}`, { currency: 'JPY' }), 'yearly_price')
    await world.sql(`DELETE FROM platform_settings WHERE key = 'currency'`)
  })
})

describe('changing a catalogue entry', () => {
  it('changes price, status, category and default; what the code says stays', async () => {
    const { id, category_id, revision: _, ...before } = await entry('leads')
    const reply = await admin.patch(`/modules/${id}`, { monthly_price: 9.99, is_billable: true, availability: 'in-progress' })
    assert.equal(reply.status, 200)
    assert.deepEqual([reply.body.data.monthly_price, reply.body.data.name], [9.99, before.name])
    for (const [field, value] of [
      ['version', '9.9.9'],
      ['availability', 'planned'],
    ] as const)
      await refused(change('leads', { [field]: value }), field)
    await refused(change('payroll', { availability: 'available' }), 'availability')
    await refused(change('payroll', { version: '2.0.0' }), 'version')
    assert.equal((await change('leads', { key: 'other', version: before.version, category_id: null })).status, 200)
    const after = await entry('leads')
    assert.partialDeepStrictEqual(after, { key: 'leads', category_id: null })
    await restart()
    assert.deepEqual([(await entry('leads')).availability, (await entry('leads')).category_id], ['in-progress', null])
    assert.equal((await change('leads', { availability: 'available', category_id })).status, 200)
  })

  it('is refused when somebody else was quicker', async () => {
    const { id } = await entry('expenses')
    const { headers } = await admin.get(`/modules/${id}`)
    const stale = { headers: { 'if-match': String(headers.etag) } }
    assert.equal((await admin.put(`/modules/${id}`, { monthly_price: 1 }, stale)).status, 200)
    assert.equal((await admin.put(`/modules/${id}`, { monthly_price: 2 }, stale)).status, 412)
  })

  it('says from then on what new workspaces get', async () => {
    assert.deepEqual(await installed(await newTenant()), ['companies', 'contacts', 'storage'])
    assert.equal((await change('contacts', { is_default_included: false })).status, 200)
    assert.equal((await change('tasks', { is_default_included: true })).status, 200)
    await restart()
    assert.deepEqual(await installed(await newTenant()), ['companies', 'storage', 'tasks'])
    assert.equal((await change('contacts', { is_default_included: true })).status, 200)
    assert.equal((await change('tasks', { is_default_included: false })).status, 200)
  })

  it('gives new workspaces no module without what it requires, and none that is retired', async () => {
    await refused(change('purchase-orders', { is_default_included: true }), 'is_default_included')
    assert.equal((await change('storage', { status: 'retired' })).status, 200)
    assert.deepEqual(await installed(await newTenant()), ['companies', 'contacts'])
    assert.equal((await change('storage', { status: 'published' })).status, 200)
    assert.equal((await change('vendors', { is_default_included: true })).status, 200)
    const [orders, vendors] = [await entry('purchase-orders'), await entry('vendors')]
    const both = await Promise.all([
      admin.put(`/modules/${orders.id}`, { is_default_included: true }),
      admin.put(`/modules/${vendors.id}`, { is_default_included: false }),
    ])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422])
    await change('vendors', { is_default_included: true })
    await change('purchase-orders', { is_default_included: true })
    for (const body of [{ is_default_included: false }, { status: 'retired' }, { availability: 'in-progress' }])
      await refused(change('vendors', body), 'is_default_included')
    await change('purchase-orders', { is_default_included: false })
    await change('vendors', { is_default_included: false })
  })
})

describe('a start', () => {
  it('takes a planned entry over when there is code for it, with price and words of the operator, and gives it back without', async () => {
    const sold = { monthly_price: 5, yearly_price: 50, is_billable: true, status: 'published' }
    const { status, body } = await admin.post('/modules', { key: 'repair-shops', name: 'Workshops', version: '0.1.0', ...sold })
    assert.equal(status, 201)
    const modules = await loadModules([sourceRoot, join(sourceRoot, '../test/fixtures/modules')])
    await syncCatalogue({ ...world.services, modules })
    const { id, availability, version, name, description, ...rest } = await entry('repair-shops')
    assert.deepEqual(
      { id, availability, version, name },
      { id: body.data.id, availability: 'available', version: '1.0.0', name: 'Workshops' },
    )
    assert.equal(description, 'Who repairs what the firm drives.')
    for (const [field, value] of Object.entries(sold)) assert.equal(rest[field], value, field)
    await restart()
    assert.deepEqual([(await entry('repair-shops')).availability, (await entry('trucks')).availability], ['planned', 'planned'])
  })

  it('changes nothing that is as it should be, and may happen twice at once', async () => {
    const all = () => world.sql('SELECT key, revision, updated_at FROM modules ORDER BY key')
    const before = await all()
    await Promise.all([restart(), restart()])
    assert.deepEqual(await all(), before)
  })
})

describe('deleting a catalogue entry', () => {
  it('is refused while new workspaces get it, and while one has it (CEN-46)', async () => {
    await refused(admin.del(`/modules/${(await entry('storage')).id}`), 'module')
    const { id: workspace } = await world.workspace({ modules: ['vendors'] })
    const { id } = await entry('vendors')
    await refused(admin.del(`/modules/${id}`), 'module')
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1`, [workspace])
    assert.equal((await admin.del(`/modules/${id}`)).status, 200)
    await refused(admin.post(`/tenants/${workspace}/modules`, { module_id: id }), 'module_id')
    await restart()
    assert.equal((await admin.get(`/modules/${id}`)).status, 404, 'a start leaves it deleted')
    await refused(admin.del(`/modules/${id}/force`), 'module')
    assert.equal((await admin.post(`/modules/${id}/restore`)).status, 200)
    assert.equal((await admin.post(`/tenants/${workspace}/modules`, { module_id: id })).status, 201)
  })

  it('is for good where there is no code', async () => {
    const { id } = (await admin.post('/modules', { key: 'moon', name: 'Moon' })).body.data
    assert.equal((await admin.del(`/modules/${id}/force`)).status, 400)
    assert.equal((await admin.post(`/modules/${id}/restore`)).status, 400)
    assert.equal((await admin.del(`/modules/${id}`)).status, 200)
    assert.equal((await admin.del(`/modules/${id}`)).status, 404)
    assert.equal((await admin.del(`/modules/${id}/force`)).status, 200)
    assert.equal((await admin.post('/modules', { key: 'moon', name: 'Moon again' })).status, 201)
    const events = await world.sql(`SELECT event FROM audit_logs WHERE properties->>'key' = 'moon' ORDER BY id`)
    const named = events.map(({ event }) => event)
    assert.deepEqual(named, ['module_created', 'module_deleted', 'module_deleted_for_good', 'module_created'])
  })

  it('or an installation comes first, never both', async () => {
    const { id } = await entry('assets')
    const tenants = (await Promise.all(Array.from({ length: 4 }, () => world.workspace({ modules: [] })))).map((one) => one.id)
    for (let round = 0; round < 3; round++) {
      const [deleted, ...installations] = await Promise.all([
        admin.del(`/modules/${id}`),
        ...tenants.map((tenant) => admin.post(`/tenants/${tenant}/modules`, { module_id: id })),
      ])
      const won = installations.filter(({ status }) => status === 201).length
      assert.deepEqual([deleted!.status, won > 0], won ? [422, true] : [200, false])
      await world.sql('DELETE FROM module_subscriptions WHERE module_id = $1', [id])
      await world.sql('UPDATE modules SET deleted_at = NULL WHERE id = $1', [id])
    }
  })
})
