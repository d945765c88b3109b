import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startServices } from '#kernel/process/start.ts'
import { PASSWORD, startTest } from '#test/harness.ts'
import { createApp } from '../../app.ts'

const world = await startTest()
const { admin } = world
const other = await startServices(world.services.config, { worker: false, migrate: false, log: world.services.log })
const otherApp = await createApp(other)
after(async () => {
  await otherApp.close()
  await other.stop()
})
const put = (settings: object) => admin.put('/system-settings', { settings })
const firm = await world.workspace({ modules: [] })

describe('maintenance', () => {
  it('closes the workspace API to everybody, with its message, its end and when to come again (SET-11)', async () => {
    world.clock.set('2026-11-21T10:00:00.000Z')
    const eta = '2026-11-21T10:30:00.000Z'
    const saved = await put({ maintenance_mode: true, maintenance_message: 'Back soon <3', maintenance_eta: eta })
    assert.equal(saved.status, 200)
    const closed = await Promise.all([
      firm.owner.get('/me'),
      firm.owner.post('/users', {}),
      world.anonymous.get('/me'),
      world.anonymous.post('/auth/login', { email: firm.owner.email, password: PASSWORD }),
      world.anonymous.post('/auth/forgot-password', {}),
      world.anonymous.get('/public/contracts/accept/nothing'),
      world.anonymous.post('/public/quotations/accept/nothing', {}),
    ])
    for (const { status, body, headers } of closed) {
      assert.deepEqual(
        { status, code: body.code, message: body.message, data: body.data },
        { status: 503, code: 'MAINTENANCE', message: 'Back soon <3', data: { eta } },
      )
      assert.equal(headers['retry-after'], '1800')
    }
    const page = await world.root.get('/accept/contracts/nothing')
    assert.deepEqual([page.status, page.headers['content-type']], [503, 'text/html; charset=utf-8'])
    assert.ok(page.raw.includes('Back soon &lt;3'))
  })

  it('leaves everything else open (SET-11)', async () => {
    assert.equal((await admin.get('/me')).status, 200)
    assert.equal((await world.central().get('/public/settings')).body.data.maintenance_message, 'Back soon <3')
    for (const path of [
      '/healthz',
      '/readyz',
      '/api/tenant/v1/openapi.json',
      '/api/central/v1/openapi.json',
      '/sign-in/invitation',
    ])
      assert.equal((await world.root.get(path)).status, 200, path)
    const uuid = '00000000-0000-4000-8000-000000000000'
    for (const base of ['', '/api/tenant/v1'])
      assert.equal((await world.root.post(`${base}/webhooks/leads/custom/${uuid}`, {})).status, 404, 'ingress goes on')
    assert.equal((await world.root.post('/webhooks/email/generic', {})).status, 401)
  })

  it('asks to come again in five minutes where no end is known, or it is over', async () => {
    for (const maintenance_eta of [null, '2026-11-21T09:00:00Z']) {
      await put({ maintenance_eta, maintenance_message: null })
      const { status, body, headers } = await firm.owner.get('/me')
      assert.deepEqual([status, headers['retry-after']], [503, '300'])
      assert.match(body.message, /try again later/)
    }
  })

  it('begins and ends in every process at once', async () => {
    const elsewhere = async () =>
      (await otherApp.inject({ url: '/api/tenant/v1/me', headers: { authorization: `Bearer ${firm.owner.token}` } })).statusCode
    assert.equal(await elsewhere(), 503)
    for (const maintenance_mode of [false, true, false]) {
      const { promise: heard, resolve } = Promise.withResolvers<void>()
      const end = other.channel.on('platform-settings', () => resolve())
      await put({ maintenance_mode })
      await heard
      end()
      const expected = maintenance_mode ? 503 : 200
      assert.deepEqual([(await firm.owner.get('/me')).status, await elsewhere()], [expected, expected])
    }
  })

  it('costs a request no query: what was written past the settings’ route is not noticed', async () => {
    assert.equal((await firm.owner.get('/me')).status, 200)
    await world.sql(`UPDATE platform_settings SET value = 'true' WHERE key = 'maintenance_mode'`)
    assert.equal((await firm.owner.get('/me')).status, 200)
  })
})
