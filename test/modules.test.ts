/**
 * Adding a module means adding its folder. The module trucks in test/fixtures/modules follows docs/adding-a-module.md; mounted
 * here, it must have everything that the guide promises.
 */
// Also in CI: debian
// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import { startTest, type Workspace } from './harness.ts'

const root = join(import.meta.dirname, 'fixtures/modules')
const world = await startTest({ roots: [root] })
let firm: Workspace
let other: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['trucks', 'repair-shops', 'communication-templates'] })
  other = await world.workspace({ modules: ['trucks'] })
})

describe('the guide', () => {
  const guide = readFileSync(join(import.meta.dirname, '../docs/adding-a-module.md'), 'utf8')
  const files = [...guide.matchAll(/^`src\/(workspace\/(?:trucks|repair-shops)\/[^`]+)`(?:[^\n]+\n)+\n```\w+\n(.*?)^```$/gms)]

  it('shows the files as they are here, and all of them but the test', () => {
    const shown = files.map(([, file]) => file!).filter((file) => !file.endsWith('.test.ts'))
    const there = globSync('workspace/{trucks,repair-shops}/**/*.{ts,sql}', { cwd: root }).filter(
      (file) => !file.endsWith('/tables.ts'),
    )
    assert.deepEqual(shown.toSorted(), there.toSorted())
    for (const [, file = '', text] of files)
      if (!file.endsWith('.test.ts')) assert.equal(text, readFileSync(join(root, file), 'utf8'), file)
  })
})

describe('a module that is only a folder', () => {
  it('has its migration applied and its entry in the catalogue', async () => {
    assert.equal((await world.sql(`SELECT 1 FROM schema_migrations WHERE name = '20990101090000-trucks'`)).length, 1)
    const { body } = await world.admin.get('/modules', { query: { search: 'trucks' } })
    const [{ key, name, version, availability }] = body.data
    assert.deepEqual(
      { key, name, version, availability },
      { key: 'trucks', name: 'Trucks', version: '1.0.0', availability: 'available' },
    )
  })

  it('is closed to strangers, without entitlement and without permission', async () => {
    assert.equal((await world.anonymous.get('/trucks')).status, 401)
    const bare = await world.workspace({ modules: [] })
    assert.equal((await bare.owner.get('/trucks')).body.code, 'MODULE_NOT_INSTALLED')
    const reader = await firm.user(['trucks.view'])
    assert.equal((await reader.get('/trucks')).status, 200)
    assert.equal((await reader.post('/trucks', { plate: 'X', name: 'Y' })).body.code, 'FORBIDDEN')
  })

  it('names its permissions to those who make roles, and its setting', async () => {
    const permissions = (await firm.owner.get('/permissions')).body.data.filter(
      (one: { group: string }) => one.group === 'trucks',
    )
    assert.equal(permissions.length, 8)
    assert.equal((await firm.owner.get('/settings')).body.data.settings.trucks_inspection_notice_days, 30)
    const wrong = await firm.owner.put('/settings', { settings: { trucks_inspection_notice_days: -1 } })
    assert.deepEqual(Object.keys(wrong.body.errors!), ['settings.trucks_inspection_notice_days'])
  })

  it('stands in the OpenAPI document', async () => {
    const { paths } = (await world.root.get('/api/tenant/v1/openapi.json')).body as any
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((m) => `${m} ${path}`),
    )
    assert.deepEqual(described.filter((route) => route.includes('/trucks')).sort(), [
      'delete /trucks/{id}',
      'delete /trucks/{id}/force',
      'get /trucks',
      'get /trucks/board',
      'get /trucks/export',
      'get /trucks/series',
      'get /trucks/{id}',
      'get /trucks/{id}/actions',
      'get /trucks/{id}/notes',
      'get /trucks/{id}/notes/{note_id}',
      'get /trucks/{id}/timeline',
      'get /trucks/{id}/timeline/{activity_id}',
      'post /trucks',
      'post /trucks/bulk',
      'post /trucks/{id}/assign',
      'post /trucks/{id}/notes',
      'post /trucks/{id}/restore',
      'post /trucks/{id}/status',
      'put /trucks/external/{external_id}',
      'put /trucks/{id}',
    ])
  })
})

describe('its records', () => {
  it('are made, found, changed and told of', async () => {
    const repairShop = (await firm.owner.post('/repair-shops', { name: 'Repair Shop Lima' })).body.data
    const made = await firm.owner.post('/trucks', {
      plate: 'LX 10-20',
      name: 'Van',
      odometer_km: 10.5,
      repair_shop_id: repairShop.id,
    })
    assert.equal(made.status, 201)
    const { id } = made.body.data
    assert.deepEqual(made.body.data.repair_shop, { id: repairShop.id, name: 'Repair Shop Lima' })
    assert.equal('reminded_for' in made.body.data, false) // the reply schema doesn't contain it

    const taken = await firm.owner.post('/trucks', { plate: 'LX 10-20', name: 'Another' })
    assert.deepEqual(Object.keys(taken.body.errors!), ['plate'])
    const same = await firm.owner.put(`/trucks/${id}`, { odometer_km: 10.5 })
    assert.equal(same.body.data.activities.length, 1) // '10.5' is '10.5': nothing changed
    const stale = await firm.owner.put(`/trucks/${id}`, { name: 'Bus' }, { headers: { 'if-match': `"${id}-7"` } })
    assert.equal(stale.status, 412)
    await firm.owner.put(`/trucks/${id}`, { name: 'Delivery van' })
    await firm.owner.post(`/trucks/${id}/status`, { status: 'in_workshop' })
    await firm.owner.post(`/trucks/${id}/notes`, { body: 'Brakes' })
    const refused = await firm.owner.post(`/trucks/${id}/status`, { status: 'in_workshop' })
    assert.deepEqual(Object.keys(refused.body.errors!), ['status'])

    const found = await firm.owner.get('/trucks', { query: { search: 'DELIVERY', status: 'in_workshop' } })
    assert.deepEqual(
      found.body.data.map((truck: { id: number }) => truck.id),
      [id],
    )
    const board = (await firm.owner.get('/trucks/board', { query: { per_column: 1 } })).body.data
    assert.deepEqual(
      board.map(({ trucks, ...column }: { trucks: { id: number }[] }) => ({
        ...column,
        trucks: trucks.map((truck) => truck.id),
      })),
      [
        { status: 'available', count: 0, odometer_km: 0, trucks: [] },
        { status: 'in_workshop', count: 1, odometer_km: 10.5, trucks: [id] },
        { status: 'retired', count: 0, odometer_km: 0, trucks: [] },
      ],
    )
    const timeline = (await firm.owner.get(`/trucks/${id}/timeline`)).body.data
    assert.deepEqual(
      timeline.map((entry: { description: string }) => entry.description),
      ['Note added', 'Status changed from available to in workshop', 'Changed name', 'Created'],
    )
    assert.equal((await other.owner.get(`/trucks/${id}`)).status, 404)
    assert.equal((await other.owner.get('/trucks')).body.meta.total, 0)

    const { widgets } = (await firm.owner.get('/dashboard')).body.data
    const widget = widgets.find((one: { key: string }) => one.key === 'trucks_in_workshop')
    assert.deepEqual(widget.data, { total_count: 1, rows: [{ id, plate: 'LX 10-20', name: 'Delivery van' }] })

    await firm.owner.del(`/trucks/${id}`)
    assert.equal((await firm.owner.get(`/trucks/${id}`)).status, 404)
    assert.equal((await firm.owner.post(`/trucks/${id}/restore`)).body.data.deleted_at, null)
    await firm.owner.del(`/trucks/${id}`)
    assert.equal((await firm.owner.del(`/trucks/${id}/force`)).status, 200)
  })

  it('are seen by their driver, and by whoever assigns', async () => {
    const driver = await firm.user(['trucks.view', 'trucks.create'], 'Dora Driver')
    const mine = (await driver.post('/trucks', { plate: 'DD 1', name: 'Mine', assigned_to: firm.owner.id })).body.data
    assert.equal(mine.assigned_to, driver.id) // without trucks.assign it is the creator's
    const theirs = (await firm.owner.post('/trucks', { plate: 'OO 1', name: 'Theirs' })).body.data
    assert.equal((await driver.get(`/trucks/${theirs.id}`)).status, 404)
    assert.equal((await driver.get('/trucks')).body.meta.total, 1)
    await firm.owner.post(`/trucks/${theirs.id}/assign`, { assigned_to: driver.id })
    assert.equal((await driver.get('/trucks')).body.meta.total, 2)
  })
})

describe('what it says of its records', () => {
  it('tells whom a note mentions', async () => {
    const driver = await firm.user(['trucks.view'], 'Noor')
    const { id } = (await firm.owner.post('/trucks', { plate: 'MM 1', name: 'Van', assigned_to: driver.id })).body.data
    await firm.owner.post(`/trucks/${id}/notes`, { body: `@[Noor](${driver.id}) look` })
    const [{ type, data }] = (await driver.get('/notifications')).body.data
    assert.deepEqual(
      { type, category: data.category, entity_type: data.entity_type, entity_id: data.entity_id },
      { type: 'truck.mentioned', category: 'tasks', entity_type: 'truck', entity_id: id },
    )
  })

  it('stands in lists that the API had before behind what was there', async () => {
    const types = (await firm.owner.get('/notifications/preferences')).body.data.preferences.map(
      (one: { type: string }) => one.type,
    )
    const at = types.indexOf('project.mentioned')
    assert.deepEqual(types.slice(at + 1, at + 3), ['truck.inspection_due', 'truck.mentioned'])
    const contexts = (await firm.owner.get('/communication-templates/meta/contexts')).body.data
    assert.deepEqual(contexts.at(-1), { context: 'truck', label: 'Truck' })
  })

  it('fills in templates', async () => {
    const { id } = (await firm.owner.post('/trucks', { plate: 'PP 1', name: 'Van' })).body.data
    const template = { name: 'Ready', context: 'truck', channel: 'chat_app', body: '{{truck.plate}} is ready.' }
    const { uuid } = (await firm.owner.post('/communication-templates', template)).body.data
    const { body } = await firm.owner.post(`/communication-templates/${uuid}/preview`, { entity_id: id })
    assert.equal(body.data.body, 'PP 1 is ready.')
  })
})

describe('its jobs and its demo', () => {
  it('remind each driver once, in their own workspace', async () => {
    const today = Temporal.PlainDate.from(world.clock.now().slice(0, 10))
    const soon = today.add({ days: 20 }).toString()
    const driver = await firm.user(['trucks.view'], 'Ida')
    const due = { name: 'Lorry', inspection_due_on: soon, assigned_to: driver.id }
    const { id } = (await firm.owner.post('/trucks', { plate: 'TT 1', ...due })).body.data
    await firm.owner.post('/trucks', { plate: 'TT 2', ...due })
    for (let day = 1; day <= 2; day++) {
      world.clock.set(`${today.add({ days: day })}T06:30:00.000Z`)
      await world.drain('due')
    }
    const mails = await world.sql(
      `SELECT tenant_id::int, "to", subject, status FROM email_logs WHERE notification_type = 'truck.inspection_due' ORDER BY subject`,
    )
    const mail = { tenant_id: firm.id, to: [driver.email], status: 'sent' }
    assert.deepEqual(mails, [
      { ...mail, subject: 'Inspection of TT 1' },
      { ...mail, subject: 'Inspection of TT 2' },
    ])
    const [entry] = (await firm.owner.get(`/trucks/${id}/timeline`)).body.data
    assert.equal(entry.description, `Inspection due on ${soon}`)
    assert.equal(entry.actor, null)
    const told = (await driver.get('/notifications')).body.data
    const each = ['truck.inspection_due', `Lorry must be inspected by ${soon}.`]
    assert.deepEqual(
      told.map(({ type, data }: { type: string; data: { body: string } }) => [type, data.body]),
      [each, each],
    )
  })

  it('fill a demo workspace', async () => {
    await fillDemo(world.services, other.id, { records: 10, seed: 1 })
    assert.equal((await other.owner.get('/trucks')).body.meta.total, 5)
  })
})
