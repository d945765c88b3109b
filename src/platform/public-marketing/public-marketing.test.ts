import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { countMinute, countWhenReady } from './uptime.ts'

const world = await startTest({ env: { PORT: '0' } })
const { admin } = world
const anybody = world.central()
const stats = async () => (await anybody.get('/public/stats')).body.data
const listed = async () => (await anybody.get('/public/modules')).body.data
const shown = async (key: string) => (await listed()).modules.find((module: { key: string }) => module.key === key)
const entry = async (key: string) => {
  const { body } = await admin.get('/modules', { query: { search: key, trashed: 'with', per_page: 100 } })
  return body.data.find((module: { key: string }) => module.key === key)
}

beforeEach(() => world.sql('TRUNCATE rate_limits, uptime_days'))

describe('the figures', () => {
  it('count what is there, as it changes (CEN-54)', async () => {
    const before = await stats()
    assert.deepEqual(Object.keys(before).sort(), [
      ...['currency', 'module_installations', 'published_modules', 'uptime_percent', 'workspaces'],
    ])
    assert.equal(before.currency, 'USD')
    // in addition to the three that each workspace gets
    const firm = await world.workspace({ modules: ['vendors', 'purchase-orders'] })
    assert.deepEqual(await stats(), {
      ...before,
      workspaces: before.workspaces + 1,
      module_installations: before.module_installations + 5,
    })
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1 AND module_key = 'vendors'`, [
      firm.id,
    ])
    assert.equal((await stats()).module_installations, before.module_installations + 4)
    await world.sql('UPDATE tenants SET archived_at = now() WHERE id = $1', [firm.id])
    await admin.patch(`/modules/${(await entry('payroll')).id}`, { status: 'draft' })
    assert.deepEqual(await stats(), { ...before, published_modules: before.published_modules - 1 })
    await admin.patch(`/modules/${(await entry('payroll')).id}`, { status: 'published' })
    assert.equal((await stats()).published_modules, (await listed()).modules.length)
  })

  it('are counted once for many who ask at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, stats))
    assert.equal(new Set(all.map((one) => JSON.stringify(one))).size, 1)
  })

  it('are limited', async () => {
    for (let n = 0; n < 120; n++) assert.equal((await anybody.get('/public/stats')).status, 200)
    assert.equal((await anybody.get('/public/modules')).status, 429)
  })
})

describe('the uptime', () => {
  const at = (instant: string) => world.clock.set(instant)
  const count = (instant: string) => countMinute(world.services, instant)
  /** Records every minute of a day, from `first` on. */
  const wholeDay = (day: string, first = 0) =>
    world.sql('INSERT INTO uptime_days VALUES ($1, $2, 1439, $3)', [day, first, 1440 - first])
  const uptime = async () => (await stats()).uptime_percent

  it('is that of the present minute before it was measured', async () => {
    at('2026-03-10T12:00:30.000Z')
    assert.equal(await uptime(), 100)
    await count('2026-03-10T12:00:31.000Z')
    assert.equal(await uptime(), 100)
  })

  it('is the share of minutes since the first one, each counted once', async () => {
    for (const second of ['00', '20', '40']) await Promise.all([1, 2].map(() => count(`2026-03-10T12:00:${second}.000Z`)))
    await count('2026-03-10T12:02:00.000Z')
    await count('2026-03-10T12:01:59.000Z') // a process whose clock is slow
    at('2026-03-10T12:02:30.000Z')
    assert.equal(await uptime(), 66.66, '12:00 and 12:02 of three')
    at('2026-03-10T12:09:59.000Z')
    assert.equal(await uptime(), 30, 'and 12:09, in which it answers, of ten')
  })

  it('never says 100 when a minute is missing', async () => {
    for (let day = 1; day <= 29; day++) await wholeDay(`2026-03-${String(day).padStart(2, '0')}`)
    await world.sql(`UPDATE uptime_days SET minutes = 1439 WHERE day = '2026-03-07'`)
    at('2026-03-30T00:00:00.000Z')
    assert.equal(await uptime(), 99.99)
  })

  it('looks at the last 30 days, and counts days without a row as down', async () => {
    await wholeDay('2026-01-01', 720)
    await wholeDay('2026-03-28')
    at('2026-03-30T12:00:00.000Z')
    const minutes = 29 * 1440 + 720
    assert.equal(await uptime(), Math.floor((1441 / (minutes + 1)) * 10_000) / 100)
  })

  it('keeps the days of the window and the first of all', async () => {
    for (const day of ['2025-12-24', '2026-01-01', '2026-02-27', '2026-02-28', '2026-03-01']) await wholeDay(day)
    await count('2026-03-30T08:00:00.000Z')
    const kept = await world.sql('SELECT day::text FROM uptime_days ORDER BY day')
    assert.deepEqual(
      kept.map(({ day }) => day),
      ['2025-12-24', '2026-03-01', '2026-03-30'],
    )
  })

  it('is measured by asking the API over HTTP', async () => {
    at('2026-03-10T12:00:00.000Z')
    assert.equal(await countWhenReady(world.services), false, 'which port was opened is not known')
    await world.app.listen({ port: 0, host: 'localhost' })
    const { port } = world.app.server.address() as AddressInfo
    const services = { ...world.services, config: { ...world.services.config, PORT: port, HOST: 'localhost' } }
    assert.equal(await countWhenReady(services), true)
    assert.equal(await uptime(), 100)
  })
})

describe('the modules', () => {
  it('are those that are published, with what they cost (CEN-55)', async () => {
    const change = async (key: string, body: object) => admin.patch(`/modules/${(await entry(key)).id}`, body)
    await change('leads', { monthly_price: 19.5, is_billable: true })
    await change('tasks', { monthly_price: 5, is_billable: false })
    await change('invoices', { availability: 'in-progress' })
    const { currency, modules } = await listed()
    assert.equal(currency, 'USD')
    const names = modules.map((module: { name: string }) => module.name)
    assert.deepEqual(names, names.toSorted())
    assert.deepEqual(await shown('purchase-orders'), {
      ...{ key: 'purchase-orders', name: 'Purchase orders', version: '1.0.0', category: 'Purchasing and stock' },
      description: (await entry('purchase-orders')).description,
      ...{
        availability: 'available',
        pricing: 'free',
        monthly_price: 0,
        yearly_price: 0,
        currency: 'USD',
        requires: ['vendors'],
      },
    })
    const { pricing, monthly_price } = await shown('leads')
    assert.deepEqual([pricing, monthly_price], ['paid', 19.5])
    assert.equal((await shown('tasks')).pricing, 'free')
    assert.equal((await shown('storage')).pricing, 'included')
    assert.deepEqual([(await shown('invoices')).availability, (await shown('payroll')).availability], ['in-progress', 'planned'])
  })

  it('change with the catalogue at once, whoever remembers them', async () => {
    const { body } = await admin.post('/modules', { key: 'fleet', name: 'Fleet' })
    assert.equal(await shown('fleet'), undefined, 'a draft')
    await admin.put(`/modules/${body.data.id}`, { status: 'published' })
    assert.equal((await shown('fleet')).availability, 'planned')
    await admin.del(`/modules/${body.data.id}`)
    assert.equal(await shown('fleet'), undefined)
    await admin.post(`/modules/${body.data.id}/restore`)
    assert.ok(await shown('fleet'))
    await world.sql(`UPDATE modules SET name = 'Ships' WHERE key = 'fleet'`)
    assert.equal((await shown('fleet')).name, 'Fleet', 'remembered')
    world.clock.set(new Date(Date.parse(world.clock.now()) + 60_000).toISOString())
    assert.equal((await shown('fleet')).name, 'Ships', 'for a minute')
  })
})
