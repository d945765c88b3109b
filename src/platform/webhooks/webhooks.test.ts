/** Tests of the platform's webhooks: events of workspaces, catalogue and subscriptions, limited to the creator's permissions. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { sendDue } from '#kernel/webhooks/runner.ts'
import { type Client, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { mailsTo, operator } from '#test/operator.ts'
import { eventDispatcher } from '#workspace/webhooks/dispatching.ts'
import { forgetPlatformEvents } from '../events/forgetting.ts'
import { dispatchPlatformEvents } from './dispatching.ts'

// The standard's package compares signatures with the real time.
const world = await startTest({ machineClock: true })
const dispatchEvents = eventDispatcher()
const closed = await startTest({ env: { WEBHOOK_ALLOWED_NETWORKS: '' } })
const { admin } = world
const HOUR = 3_600_000
const at = '/webhook-endpoints'
let firm: Workspace
let now: number

interface Told {
  path: string
  headers: Record<string, string>
  body: string
}
const told: Told[] = []
/** Replies of the receiver, by path. */
const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    told.push({ path: request.url!, headers: request.headers as Record<string, string>, body })
    const answer = answers.get(request.url!)
    if (answer) answer(request, response)
    else response.end('ok')
  })
})
let base: string

before(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  firm = await world.workspace({ modules: ['vendors'], name: 'Firm' })
})
after(() => {
  receiver.closeAllConnections()
  receiver.close()
})
beforeEach(async () => {
  told.length = 0
  answers.clear()
  later(0)
  await world.sql('DELETE FROM rate_limits')
  await world.sql('DELETE FROM webhook_endpoints')
})

function later(ms: number) {
  now = Date.now() + ms
  world.clock.set(new Date(now).toISOString())
}
async function make(path = '/', more: object = {}, by: Client = admin) {
  const { status, body } = await by.post(at, { url: base + path, ...more })
  assert.equal(status, 201, body.message)
  world.secret(body.data.secret)
  return body.data as { id: number; secret: string }
}
/** Delivers everything due, in both scopes. */
async function work() {
  for (let more = true; more; ) {
    while ((await dispatchPlatformEvents(world.services)) || (await dispatchEvents(world.services)));
    const sent = [...(await sendDue(world.services, 'platform')), ...(await sendDue(world.services, 'workspace'))]
    await Promise.all(sent)
    more = sent.length > 0
  }
}
const archive = async (verb = 'archive') => assert.equal((await admin.post(`/tenants/${firm.id}/${verb}`)).status, 200)
/** Causes two events of the workspace. */
async function twice() {
  await archive()
  await archive('unarchive')
}
const typesTold = () => told.map(({ body }) => JSON.parse(body).type)
const wrong = ({ status, body }: Reply, field: string) =>
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], body.message)

describe('an endpoint of the platform', () => {
  it('is told of what it asked for, signed as the standard says, as the feed tells it', async () => {
    const { secret } = await make('/told', { types: ['tenant.archived', 'subscription.*'] })
    await twice()
    const { id: module_id } = (await admin.get('/modules', { query: { search: 'tasks' } })).body.data.find(
      ({ key }: { key: string }) => key === 'tasks',
    )
    assert.equal((await admin.post(`/tenants/${firm.id}/modules`, { module_id })).status, 201)
    await work()
    assert.deepEqual(typesTold(), ['tenant.archived', 'subscription.installed'])
    const { headers, body } = told[0]!
    const message = new Webhook(secret).verify(body, headers) as any
    assert.deepEqual(
      [message.subject.type, message.subject.id, message.subject.label, message.actor.email],
      ['tenant', firm.id, 'Firm', 'admin@platform.test'],
    )
    const feed = (await admin.get('/events', { query: { after: message.id - 1, limit: 1 } })).body.data[0]
    const { timestamp, ...event } = message
    assert.deepEqual([event, timestamp], [feed, feed.occurred_at], 'what the feed says')
    assert.equal(headers['webhook-id'], `evt_0_${feed.id}`)
    const { subject, data } = JSON.parse(told[1]!.body)
    assert.deepEqual([subject.label, data.module_key, data.tenant_id], ['tasks', 'tasks', firm.id])
  })

  it('is told what an update changed, of workspaces and of the catalogue', async () => {
    await make('/changed', { types: ['tenant.updated', 'module.*'] })
    assert.equal((await admin.put(`/tenants/${firm.id}`, { company_name: 'Firm & Daughters' })).status, 200)
    const added = await admin.post('/modules', { key: 'told-of', name: 'Told of', availability: 'planned' })
    assert.equal(added.status, 201, added.body.message)
    assert.equal((await admin.put(`/modules/${added.body.data.id}`, { name: 'Called anew' })).status, 200)
    await work()
    const changed = Object.fromEntries(told.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).changed]))
    assert.deepEqual(changed, {
      'tenant.updated': { company_name: ['Firm', 'Firm & Daughters'] },
      'module.created': null,
      'module.updated': { name: ['Told of', 'Called anew'] },
    })
  })

  it('is refused for events that the platform doesn’t tell of, those of workspaces among them', async () => {
    wrong(await admin.post(at, { url: `${base}/x`, types: ['tenant.*', 'vendor.created'] }), 'types.1')
    wrong(await admin.post(at, { url: `${base}/x`, types: ['tenant.painted'] }), 'types.0')
    wrong(await firm.owner.post(at, { url: `${base}/x`, types: ['tenant.archived'] }), 'types.0')
  })

  it('is for those who may manage them, and tells its maker only what they may see at that moment', async () => {
    const without = await operator(world, ['tenants.read', 'modules.read', 'service-accounts.manage'])
    const { id: theirs } = await make('/theirs')
    for (const reply of [
      await without.get(at),
      await without.post(at, { url: `${base}/x` }),
      await without.get(`${at}/${theirs}`),
      await without.put(`${at}/${theirs}`, { is_active: false }),
      await without.del(`${at}/${theirs}`),
      await without.post(`${at}/${theirs}/rotate`),
      await without.post(`${at}/${theirs}/test`),
      await without.get(`${at}/${theirs}/deliveries`),
      await without.post(`${at}/${theirs}/replay`, { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }),
    ])
      assert.equal(reply.status, 403, reply.body.message)
    const sees = await operator(world, ['webhooks.manage', 'module-subscriptions.read'])
    await make('/sees', {}, sees)
    for (const reply of [await sees.put(`${at}/${theirs}`, { url: `${base}/stolen` }), await sees.post(`${at}/${theirs}/rotate`)])
      assert.equal(reply.status, 403, 'what leads to what a superadmin sees')
    await twice()
    await work()
    assert.deepEqual([...new Set(told.map(({ path }) => path))], ['/theirs'])
    await world.sql(`UPDATE platform_roles SET permissions = '{tenants.read}' WHERE name = $1`, [`role of ${sees.email}`])
    await twice()
    await work()
    assert.equal(told.filter(({ path }) => path === '/sees').length, 2)
  })

  it('made by a key is told what the key may see, and nothing once that has ended', async () => {
    const { body } = await admin.post('/api-keys', { name: 'Follows', scopes: ['webhooks.manage', 'tenants.read'] })
    world.secret(body.data.key)
    const { id } = await make('/key', {}, world.central(body.data.key))
    await admin.post('/modules', { key: 'not-the-keys', name: 'Not the key’s', availability: 'planned' })
    await archive()
    await work()
    assert.deepEqual(typesTold(), ['tenant.archived'])
    await admin.del(`/api-keys/${body.data.id}`)
    await archive('unarchive')
    await work()
    assert.equal(told.length, 1)
    assert.equal((await admin.get(`${at}/${id}`)).body.data.is_active, false)
  })

  it('is no workspace’s to see, nor is theirs the platform’s', async () => {
    const ours = await make('/ours')
    const theirs = await firm.owner.post(at, { url: `${base}/firm`, types: ['vendor.*'] })
    world.secret(theirs.body.data.secret)
    const { id } = theirs.body.data
    assert.deepEqual(
      [await admin.get(at), await firm.owner.get(at)].map(({ body }) => body.data.map((one: { url: string }) => one.url)),
      [[`${base}/ours`], [`${base}/firm`]],
    )
    for (const reply of [
      await firm.owner.get(`${at}/${ours.id}`),
      await firm.owner.get(`${at}/${ours.id}/deliveries`),
      await firm.owner.post(`${at}/${ours.id}/rotate`),
      await firm.owner.del(`${at}/${ours.id}`),
      await admin.get(`${at}/${id}`),
      await admin.post(`${at}/${id}/test`),
    ])
      assert.equal(reply.status, 404)
    await firm.owner.post('/vendors', { name: 'Bolts' })
    await admin.put(`/tenants/${firm.id}`, { phone: '+49 30 1' })
    await work()
    assert.deepEqual(told.map(({ path, body }) => [path, JSON.parse(body).type]).sort(), [
      ['/firm', 'vendor.created'],
      ['/ours', 'tenant.updated'],
    ])
    const audited = await world.sql(
      `SELECT actor_type, actor_id FROM audit_logs WHERE tenant_id = 0 AND event = 'webhook_endpoint.created' ORDER BY id DESC LIMIT 1`,
    )
    assert.equal(audited[0].actor_type, 'platform_user')
    assert.doesNotMatch(JSON.stringify((await firm.owner.get('/events')).body), /tenant\./)
  })

  it('signs with both secrets for a day when it is rotated', async () => {
    const { id, secret } = await make('/rotated', { types: ['tenant.*'] })
    const next = (await admin.post(`${at}/${id}/rotate`)).body.data.secret
    world.secret(next)
    await archive()
    await work()
    for (const one of [secret, next]) new Webhook(one).verify(told[0]!.body, told[0]!.headers)
    later(25 * HOUR)
    await archive('unarchive')
    await work()
    assert.throws(() => new Webhook(secret).verify(told[1]!.body, told[1]!.headers))
  })
})

describe('a delivery of the platform', () => {
  it('is tried again with its id and body, listed, retried and replayed', async () => {
    answers.set('/down', (_, response) => response.writeHead(500).end('no'))
    const { id } = await make('/down', { types: ['tenant.*'] })
    const from = new Date(now).toISOString()
    await archive()
    await work()
    later(10_000)
    await work()
    const [delivery] = (await admin.get(`${at}/${id}/deliveries`)).body.data
    assert.deepEqual([delivery.status, delivery.attempts, delivery.response_status], ['waiting', 2, 500])
    answers.delete('/down')
    assert.equal((await admin.post(`${at}/${id}/deliveries/${delivery.id}/retry`)).status, 200)
    await work()
    const replayed = await admin.post(`${at}/${id}/replay`, { from, to: new Date(now + 1000).toISOString() })
    assert.deepEqual([replayed.status, replayed.body.data], [200, { queued: 1 }], replayed.body.message)
    await work()
    assert.equal(told.length, 4)
    assert.equal(new Set(told.map(({ headers, body }) => headers['webhook-id'] + body)).size, 1)
    await archive('unarchive')
  })

  it('is replayed as far as its endpoint is told of it anyway, whoever asks and for whatever', async () => {
    const maker = await operator(world, ['webhooks.manage', 'tenants.read'])
    const { id } = await make('/theirs', { types: ['tenant.archived', 'module.*'] }, maker)
    await twice()
    await admin.post('/modules', { key: 'not-theirs', name: 'Not theirs to see', availability: 'planned' })
    await work()
    const from = new Date(now).toISOString()
    for (const { types, queued } of [
      { types: [], queued: 1 },
      { types: ['tenant.*', 'module.created'], queued: 1 },
      { types: ['tenant.unarchived', 'module.created'], queued: 0 },
    ]) {
      const { status, body } = await admin.post(`${at}/${id}/replay`, { from, to: from, types })
      assert.deepEqual([status, body.data], [200, { queued }], `${types} ${body.message}`)
    }
    await work()
    assert.deepEqual(typesTold(), ['tenant.archived', 'tenant.archived'])
  })

  it('of a test is sent at once', async () => {
    const { id, secret } = await make('/test')
    const { body } = await admin.post(`${at}/${id}/test`)
    assert.deepEqual([body.data.status, body.data.type, body.data.attempts], ['delivered', 'webhook.test', 1])
    new Webhook(secret).verify(told[0]!.body, told[0]!.headers)
  })

  it('follows no redirect, and reads no more than it needs of an endless reply', async () => {
    answers.set('/away', (_, response) => response.writeHead(302, { location: `${base}/inside` }).end())
    answers.set('/endless', (_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1)
      response.on('close', () => clearInterval(timer))
    })
    const [away, endless] = [await make('/away'), await make('/endless')]
    await twice()
    await work()
    assert.ok(!told.some(({ path }) => path === '/inside'))
    const last = async ({ id }: { id: number }) => (await admin.get(`${at}/${id}/deliveries`)).body.data[0]
    assert.match((await last(away)).error, /redirects are not followed/)
    assert.equal((await last(endless)).response_excerpt.length, 500)
  })

  it('that nobody takes for five days switches its endpoint off, with a mail', async () => {
    const who = await operator(world, ['webhooks.manage', 'tenants.read'])
    answers.set('/dead', (_, response) => response.writeHead(500).end())
    const { id } = await make('/dead', {}, who)
    await archive()
    await work()
    later(121 * HOUR)
    await archive('unarchive')
    await work()
    const { is_active, disabled_reason } = (await admin.get(`${at}/${id}`)).body.data
    assert.deepEqual([is_active, disabled_reason], [false, 'Nothing could be delivered for five days.'])
    assert.equal((await mailsTo(world, who.email))[0]?.notification_type, 'webhook.disabled')
  })

  it('goes to no address inside', async () => {
    for (const url of [
      'http://127.0.0.1:1/',
      'https://localhost/',
      'https://169.254.169.254/',
      'https://[::1]/',
      'https://10.0.0.1/',
    ])
      wrong(await closed.admin.post(at, { url }), 'url')
  })
})

describe('the feed of the platform', () => {
  it('forgets what nobody has read, and says so to those who read on', async () => {
    await world.sql('DELETE FROM platform_events')
    await archive()
    const { next_after } = (await admin.get('/events')).body.meta
    await archive('unarchive')
    await twice()
    later(40 * 24 * HOUR)
    await forgetPlatformEvents(world.services, new AbortController().signal)
    const kept = await world.sql('SELECT deed FROM platform_events')
    assert.deepEqual(kept, [{ deed: 'unarchived' }], 'the newest')
    assert.equal((await admin.get('/events', { query: { after: next_after } })).status, 410)
  })

  it('tells everybody what they may see, in order, and a 410 behind thirty days', async () => {
    const start = (await admin.get('/events', { query: { limit: 1000 } })).body.meta.next_after
    await twice()
    const nobody = await operator(world, ['dashboard.view'])
    const after = { query: { after: start } }
    assert.deepEqual((await nobody.get('/events', after)).body.data, [])
    const { data, meta } = (await admin.get('/events', after)).body
    assert.deepEqual(
      data.map(({ id, type }: { id: number; type: string }) => [id, type]),
      [
        [start + 1, 'tenant.archived'],
        [start + 2, 'tenant.unarchived'],
      ],
    )
    assert.deepEqual(meta, { next_after: start + 2, has_more: false })
    const asked = await admin.get('/events', { query: { after: start, types: 'tenant.unarchived,module.*' } })
    assert.equal(asked.body.data.length, 1)
    wrong(await admin.get('/events', { query: { types: 'tenants' } }), 'types')
    later(40 * 24 * HOUR)
    await archive()
    await admin.get('/events', after)
    await forgetPlatformEvents(world.services, new AbortController().signal)
    assert.equal((await admin.get('/events', after)).status, 410)
    const { data: left } = (await admin.get('/events')).body
    assert.deepEqual([left.length, left[0].id, left[0].type], [1, start + 3, 'tenant.archived'])
    await archive('unarchive')
    assert.equal((await admin.get('/events')).body.meta.next_after, start + 4)
  })

  it('has types that the API document tells to those who receive them', async () => {
    const { body } = await world.central().get('/openapi.json')
    const known = Object.keys((body as any).webhooks)
    for (const type of ['tenant.created', 'tenant.force_deleted', 'module.updated', 'subscription.renewed'])
      assert.ok(known.includes(type), type)
    assert.ok(!known.includes('vendor.created'))
    assert.ok(known.includes('webhook.test'), 'which tries an endpoint')
  })

  it('refuses types that there are none of', async () => {
    for (const types of ['tenant.nope', 'tenant.created,vendor.created', 'nobody.*']) {
      const { status, body } = await admin.get('/events', { query: { types } })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['types']], types)
    }
    for (const types of ['tenant.*', 'subscription.renewed'])
      assert.equal((await admin.get('/events', { query: { types } })).status, 200, types)
  })
})
