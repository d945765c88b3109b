import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { operator } from '#test/operator.ts'

const world = await startTest()
const { admin } = world
const keys = async (query: Record<string, string | number>) =>
  (await admin.get('/modules', { query: { per_page: 100, ...query } })).body.data.map((module: { key: string }) => module.key)

describe('the module catalogue', () => {
  it('lists what there is code for as available, the rest as planned, and no core', async () => {
    const coded = [...world.services.modules.workspace.values()].filter((module) => !module.core).map((module) => module.key)
    assert.deepEqual((await keys({ availability: 'available' })).sort(), coded.sort())
    const planned = await keys({ availability: 'planned' })
    assert.ok(planned.includes('accounting'))
    assert.ok(planned.every((key: string) => !coded.includes(key)))
    const all = await keys({})
    assert.deepEqual([...all].sort(), [...coded, ...planned].sort())
    assert.ok(!all.includes('users'))
  })

  it('has the versions that the contract records', async () => {
    const recorded: Record<string, string> = {
      ...{ attendance: '1.4.0', contracts: '1.5.0', quotations: '1.9.0', invoices: '1.9.3', documents: '1.3.0', leads: '1.3.1' },
      ...{ storage: '1.1.0', tasks: '1.4.0', contacts: '1.5.0', companies: '1.2.0', vendors: '1.2.0', 'short-links': '1.2.0' },
      ...{ automation: '1.3.0', 'help-desk': '1.10.0', accounting: '1.7.2', ai: '1.16.0' }, // VER-03
    }
    const { body } = await admin.get('/modules', { query: { per_page: 100 } })
    const versions = new Map(body.data.map(({ key, version }: { key: string; version: string }) => [key, version]))
    for (const [key, version] of Object.entries(recorded)) if (versions.has(key)) assert.equal(versions.get(key), version, key)
    for (const version of versions.values()) assert.match(String(version), /^\d+\.\d+\.\d+$/) // VER-02
  })

  it('searches, sorts and filters', async () => {
    for (const term of ['Help desk', 'HELP-D']) assert.deepEqual(await keys({ search: term }), ['help-desk'], term)
    assert.ok((await keys({ search: 'whom the FIRM buys' })).includes('vendors'), 'by what it says of itself')
    assert.deepEqual(await keys({ sort: 'key', direction: 'desc' }), (await keys({})).reverse())
    await world.sql(`UPDATE modules SET status = 'retired' WHERE key = 'payroll'`)
    await world.sql(`UPDATE modules SET deleted_at = now() WHERE key = 'leave'`)
    assert.deepEqual(await keys({ status: 'retired' }), ['payroll'])
    assert.deepEqual(await keys({ trashed: 'only' }), ['leave'])
    for (const [name, value] of [
      ['sort', 'requires'],
      ['availability', 'gone'],
      ['status', 'live'],
    ] as const) {
      const { status, body } = await admin.get('/modules', { query: { [name]: value } })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, [name]])
    }
  })

  it('shows an entry by its id', async () => {
    await world.sql(`UPDATE modules SET monthly_price = 12.50, is_billable = true, requires = '{users}' WHERE key = 'vendors'`)
    const all = (await admin.get('/modules', { query: { per_page: 100 } })).body.data
    const listed = all.find((module: { key: string }) => module.key === 'vendors')
    const { status, body } = await admin.get(`/modules/${listed.id}`)
    assert.equal(status, 200)
    assert.deepEqual(body.data, listed)
    const { id, uuid, created_at, updated_at, name, description, version, category_id, category, ...rest } = body.data
    assert.match(uuid, /^[0-9a-f-]{36}$/)
    assert.match(version, /^\d+\.\d+\.\d+$/)
    assert.deepEqual(category, { id: category_id, name: 'Purchasing and stock' })
    assert.deepEqual((await keys({ category_id, availability: 'available' })).includes('vendors'), true)
    assert.deepEqual(rest, {
      key: 'vendors',
      availability: 'available',
      status: 'published',
      requires: ['users'],
      monthly_price: 12.5,
      yearly_price: 0,
      currency: 'USD',
      is_default_included: false,
      is_billable: true,
      deleted_at: null,
    })
    const [{ id: gone }] = await world.sql(`SELECT id FROM modules WHERE key = 'leave'`)
    for (const none of [gone, 999_999, 'vendors', 0])
      assert.equal((await admin.get(`/modules/${none}`)).status, 404, String(none))
  })

  it('needs modules.list and modules.read', async () => {
    const [{ id }] = await world.sql(`SELECT id FROM modules WHERE key = 'vendors'`)
    const [lister, reader] = [await operator(world, ['modules.list']), await operator(world, ['modules.read'])]
    const statuses = async (path: string) =>
      Promise.all([world.central(), lister, reader].map(async (who) => (await who.get(path)).status))
    assert.deepEqual(await statuses('/modules'), [401, 200, 403])
    assert.deepEqual(await statuses(`/modules/${id}`), [401, 403, 200])
  })
})
