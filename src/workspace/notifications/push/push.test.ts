import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { PROJECT, startFcm } from '#test/stand-ins/fcm.ts'

const fcm = await startFcm()
after(fcm.close)
let logged = ''
const world = await startTest({
  log: (line) => void (logged += line),
  env: {
    FCM_API_URL: fcm.url,
    FCM_TOKEN_URL: `${fcm.url}/token`,
    FCM_SERVICE_ACCOUNT: JSON.stringify(fcm.account),
    FCM_WEB_CONFIG: '{"vapidKey":"public"}',
  },
})
for (const secret of ['PRIVATE KEY', 'access-1']) world.secret(secret)
let firm: Workspace
let boss: Person
let ada: Person

before(async () => {
  firm = await world.workspace({ modules: ['tasks'] })
  boss = await firm.user(['tasks.view', 'tasks.create', 'tasks.assign'], 'Boss')
  ada = await firm.user(['tasks.view'], 'Ada')
})
beforeEach(async () => {
  fcm.sent.length = 0
  await world.sql('DELETE FROM fcm_device_tokens')
})

const register = (who: Person, token: string, platform = 'android') => who.post('/fcm-device-tokens', { token, platform })
const tokens = async () => (await world.sql('SELECT token, user_id::int FROM fcm_device_tokens ORDER BY id')).map(Object.values)
const giveTask = async (to: Person, title = 'Call') => {
  assert.equal((await boss.post('/tasks', { title, assigned_to: to.id })).status, 201)
  await world.drain('all')
}

describe('device tokens', () => {
  it('are registered again and again, and go to whoever holds the device (NTF-20)', async () => {
    const browser = await ada.post('/fcm-device-tokens', { token: 'phone' })
    assert.deepEqual([browser.status, browser.body.data.platform], [201, 'web'])
    const again = await ada.post('/fcm-device-tokens', { token: 'phone', platform: 'ios', device_name: 'Ada’s' })
    assert.deepEqual([again.status, again.body.data.platform, again.body.data.device_name], [201, 'ios', 'Ada’s'])
    assert.deepEqual(await tokens(), [['phone', ada.id]])
    await Promise.all([register(boss, 'phone'), register(boss, 'phone')])
    assert.deepEqual(await tokens(), [['phone', boss.id]])
  })

  it('are unregistered by their user alone', async () => {
    const drop = (who: Person, token: string) =>
      world.app.inject({
        ...{ method: 'DELETE', url: '/api/tenant/v1/fcm-device-tokens', payload: { token } },
        headers: { authorization: `Bearer ${who.token}` },
      })
    await register(ada, 'phone')
    assert.equal((await drop(boss, 'phone')).statusCode, 200)
    assert.deepEqual(await tokens(), [['phone', ada.id]])
    assert.equal((await drop(ada, 'phone')).statusCode, 200)
    assert.equal((await drop(ada, 'never there')).statusCode, 422)
    assert.equal((await drop(ada, 'never-there')).statusCode, 200)
    assert.deepEqual(await tokens(), [])
  })

  it('are bounded: the platforms, the text, the number', async () => {
    assert.deepEqual(Object.keys((await register(ada, 'x'.repeat(1025), 'fridge')).body.errors!), ['token', 'platform'])
    for (let n = 0; n < 22; n++) await register(ada, `phone-${n}`)
    assert.equal((await tokens()).length, 20)
    assert.equal((await tokens())[0]![0], 'phone-2')
  })

  it('are not registered by somebody who works as another', async () => {
    const keeper = await firm.user(['users.impersonate', 'tasks.view'])
    const begun = await keeper.post(`/users/${ada.id}/impersonate`, { reason: 'To see what Ada sees' })
    const as = world.tenant(begun.body.data.target_token)
    const reply = await as.post('/fcm-device-tokens', { token: 'mine' })
    assert.deepEqual([reply.status, reply.body.code], [403, 'IMPERSONATING'])
  })

  it('are asked for where push messages are configured', async () => {
    const { data } = (await ada.get('/fcm-device-tokens/config')).body
    assert.deepEqual(data, { enabled: true, project_id: PROJECT, web: { vapidKey: 'public' } })
  })
})

describe('a notification', () => {
  it('is pushed to every device of its user, with one access token for all (NTF-27)', async () => {
    await register(ada, 'phone')
    await register(ada, 'tablet', 'ios')
    await register(boss, 'other')
    await giveTask(ada, 'Ring')
    const [row] = (await ada.get('/notifications')).body.data
    assert.deepEqual(fcm.sent.map(({ token }) => token).sort(), ['phone', 'tablet'])
    assert.deepEqual(fcm.sent[0]!.notification, { title: 'Task assigned to you', body: 'Boss assigned you the task Ring.' })
    assert.deepEqual(fcm.sent[0]!.data, {
      ...{ notification_id: row.id, tenant_id: String(firm.id), type: 'task.assigned' },
      route: JSON.stringify(row.data.route),
    })
    await giveTask(ada)
    assert.deepEqual([fcm.sent.length, fcm.granted], [4, 1])
  })

  it('ends the registration of a device that is no more (NTF-28)', async () => {
    const gone = {
      old: { status: 404, errorCode: 'UNREGISTERED' },
      wrong: { status: 400, field: 'message.token' },
      vague: { status: 400 },
    }
    for (const [token, refusal] of Object.entries(gone)) {
      await register(ada, token)
      fcm.refusals.set(token, [refusal])
    }
    await register(ada, 'phone')
    fcm.refusals.set('phone', [{ status: 400, field: 'message.data' }])
    await giveTask(ada)
    assert.deepEqual(await tokens(), [['phone', ada.id]])
  })

  it('is tried again when Firebase is down, or wants another access token', async () => {
    await register(ada, 'phone')
    fcm.refusals.set('phone', [{ status: 503, errorCode: 'UNAVAILABLE' }])
    await giveTask(ada)
    assert.equal(fcm.sent.length, 1)
    fcm.revoke()
    await giveTask(ada)
    assert.deepEqual([fcm.sent.length, fcm.granted], [2, 2])
  })

  it('isn’t tried again on a device of another Firebase project, nor where Firebase is configured no more', async () => {
    const failed = () =>
      world.sql(`SELECT count(*)::int FROM pgboss.job WHERE name = 'notifications-push' AND state IN ('failed', 'retry')`)
    const before = await failed()
    await register(ada, 'foreign')
    fcm.refusals.set('foreign', [{ status: 403, errorCode: 'SENDER_ID_MISMATCH' }])
    await giveTask(ada)
    assert.deepEqual([await tokens(), fcm.sent], [[['foreign', ada.id]], []])
    const { config } = world.services
    assert.equal((await boss.post('/tasks', { title: 'Later', assigned_to: ada.id })).status, 201)
    const account = config.FCM_SERVICE_ACCOUNT
    Object.assign(config, { FCM_SERVICE_ACCOUNT: undefined })
    await world.drain('all').finally(() => Object.assign(config, { FCM_SERVICE_ACCOUNT: account }))
    assert.deepEqual([await failed(), fcm.sent], [before, []])
  })

  it('isn’t pushed to who switched that off, is suspended, or has the device no more', async () => {
    await register(ada, 'phone')
    await ada.put('/notifications/preferences', { preferences: [{ type: 'task.assigned', push: false }] })
    await giveTask(ada)
    await ada.put('/notifications/preferences', { preferences: [{ type: 'task.assigned', push: true }] })
    await boss.post('/tasks', { title: 'Late', assigned_to: ada.id })
    await register(boss, 'phone')
    await world.drain('all')
    assert.deepEqual(fcm.sent, [])
  })

  it('is pushed only when what it tells of was committed (NTF-25)', async () => {
    await register(ada, 'phone')
    const { notify } = await import('../notify.ts')
    const undone = firm.inside(async (ctx) => {
      await notify(ctx, [ada.id], async () => ({
        ...{ type: 'announcement', title: 'No', body: 'No', entity_type: null, source: 'system', dedupe_key: 'undone' },
        route: { resource: 'task', action: 'list', entity_id: null },
      }))
      throw new Error('undone')
    })
    await assert.rejects(undone)
    await world.drain('all')
    assert.deepEqual(fcm.sent, [])
  })
})

describe('the log', () => {
  it('holds neither keys nor tokens', () => {
    assert.ok(logged.includes('Firebase refused'))
    for (const secret of ['PRIVATE KEY', 'access-1', 'phone', 'assertion', boss.token, ada.token])
      assert.ok(!logged.includes(secret), secret)
  })
})
