/**
 * Webhooks: delivered once, signed, retried, fair, and never to internal addresses. The receiver is a server of this test, the
 * verifier the standard's own package.
 */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { usageMeter } from '#kernel/fair-share.ts'
import { dispatchSlice, MAX_WAITING } from '#kernel/webhooks/dispatching.ts'
import { newSender, sendDue, startRunner } from '#kernel/webhooks/runner.ts'
import { claim } from '#kernel/webhooks/sending.ts'
import { systemTransactions } from '#kernel/webhooks/side.ts'
import { type Client, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { heldDuring } from '#test/held.ts'
import { mailsTo } from '#test/operator.ts'
import { refusing } from '#test/refusing.ts'
import { eventDispatcher } from './dispatching.ts'
import { feed } from './feed.ts'

// The standard's package compares signatures with the real time.
const world = await startTest({ machineClock: true })
const dispatchEvents = eventDispatcher()
const closed = await startTest({ env: { WEBHOOK_ALLOWED_NETWORKS: '' } })
const HOUR = 3_600_000
let acme: Workspace
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
  acme = await world.workspace({ modules: ['vendors', 'tasks'], name: 'Acme' })
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

/** Sets the services' clock this long after the day of the test run. */
function later(ms: number) {
  now = Date.now() + ms
  world.clock.set(new Date(now).toISOString())
}
async function make(path = '/', more: object = {}, by: Client = acme.owner) {
  const { status, body } = await by.post('/webhook-endpoints', { url: base + path, ...more })
  assert.equal(status, 201, body.message)
  world.secret(body.data.secret)
  return body.data as { id: number; secret: string }
}
/** Dispatches and sends everything that is due. */
async function work() {
  for (let more = true; more; ) {
    while (await dispatchEvents(world.services));
    const sent = await sendDue(world.services, 'workspace')
    await Promise.all(sent)
    more = sent.length > 0
  }
}
const deliveries = async (id: number) => (await acme.owner.get(`/webhook-endpoints/${id}/deliveries`)).body.data
const vendor = async (name = 'Bolts') => (await acme.owner.post('/vendors', { name })).body.data
const typesTold = () => told.map(({ body }) => JSON.parse(body).type)
const wrong = ({ status, body }: Reply, field: string) =>
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], body.message)

describe('an endpoint', () => {
  it('is told of what it asked for, signed as the standard says', async () => {
    const { secret } = await make('/told', { types: ['vendor.*'] })
    const { id } = await vendor('Told of')
    await acme.owner.post('/tasks', { title: 'Not asked for' })
    await work()
    assert.deepEqual(typesTold(), ['vendor.created'])
    const { headers, body, path } = told[0]!
    assert.equal(path, '/told')
    const message = new Webhook(secret).verify(body, headers) as any
    assert.deepEqual([message.subject.id, message.subject.label, message.type], [id, 'Told of', 'vendor.created'])
    const feed = (await acme.owner.get('/events', { query: { after: message.id - 1, limit: 1 } })).body.data[0]
    const { timestamp, ...event } = message
    assert.deepEqual([event, timestamp], [feed, feed.occurred_at], 'what the feed says')
    assert.equal(headers['webhook-id'], `evt_${acme.id}_${feed.id}`)
    assert.throws(() => new Webhook(secret).verify(body.replace('Told', 'Lied'), headers))
  })

  it('is told which types there are: of what is installed, all of a kind before each', async () => {
    const { status, body } = await acme.owner.get('/webhook-endpoints/types')
    assert.equal(status, 200)
    const types: { name: string; description: string }[] = body.data
    const names = types.map(({ name }) => name)
    assert.ok(names.indexOf('vendor.*') >= 0 && names.indexOf('vendor.*') < names.indexOf('vendor.created'))
    assert.equal(types.find(({ name }) => name === 'vendor.created')?.description, 'Vendor: created')
    assert.ok(!names.includes('lead.*') && new Set(names).size === names.length)
    const some = names.filter((name) => name.endsWith('.*')).slice(0, 100)
    assert.equal((await acme.owner.post('/webhook-endpoints', { url: `${base}/all`, types: some })).status, 201)
    assert.equal((await (await acme.user([])).get('/webhook-endpoints/types')).status, 403)
  })

  it('is told no more than the key may see by which it was made, and nothing once that has ended', async () => {
    const { body } = await acme.owner.post('/api-keys', { name: 'Follows', scopes: ['webhooks.manage', 'tasks.view'] })
    world.secret(body.data.key)
    const { id } = await make('/key', {}, world.tenant(body.data.key))
    await vendor('Not the key’s')
    await acme.owner.post('/tasks', { title: 'The key’s', assigned_to: acme.owner.id })
    await work()
    assert.deepEqual(typesTold(), ['task.created'])
    assert.equal((await acme.owner.del(`/api-keys/${body.data.id}`)).status, 200)
    await acme.owner.post('/tasks', { title: 'Too late', assigned_to: acme.owner.id })
    await work()
    assert.equal(told.length, 1)
    assert.equal((await acme.owner.get(`/webhook-endpoints/${id}`)).body.data.is_active, false)
  })

  it('is one of a hundred at most, also when many are made at once', async () => {
    await world.sql(
      `INSERT INTO webhook_endpoints (tenant_id, url, types, secret, position, user_id, created_at, updated_at, is_active)
       SELECT $1, $2, '{}', '', 0, $3, now(), now(), false FROM generate_series(1, 99)`,
      [acme.id, base, acme.owner.id],
    )
    const making = Array.from({ length: 8 }, () => acme.owner.post('/webhook-endpoints', { url: base }))
    const replies = await Promise.all(making)
    for (const { body } of replies) if (body.data) world.secret(body.data.secret)
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(7).fill(422)])
  })

  it('is refused for events that nobody tells of', async () => {
    const at = '/webhook-endpoints'
    wrong(await acme.owner.post(at, { url: `${base}/x`, types: ['vendor.created', 'vendor.painted'] }), 'types.1')
    wrong(await acme.owner.post(at, { url: `${base}/x`, types: ['vendors.*'] }), 'types.0')
    const { id } = await make('/x', { types: ['invoice.paid', 'lead.*'] })
    wrong(await acme.owner.put(`${at}/${id}`, { types: ['lead.*', 'invoice.payed'] }), 'types.1')
  })

  it('is led elsewhere, and given another secret, by its maker and the owner alone', async () => {
    const [maker, other] = [await acme.user(['webhooks.manage', 'vendors.view']), await acme.user(['webhooks.manage'])]
    const { body } = await acme.owner.post('/api-keys', { name: 'Manages', scopes: ['webhooks.manage'] })
    world.secret(body.data.key)
    const { id } = await make('/mine', {}, maker)
    const at = `/webhook-endpoints/${id}`
    for (const by of [other, world.tenant(body.data.key)])
      for (const reply of [
        await by.put(at, { url: `${base}/stolen` }),
        await by.put(at, { types: [] }),
        await by.post(`${at}/rotate`),
      ])
        assert.equal(reply.status, 403, reply.body.message)
    assert.equal((await other.put(at, { is_active: false })).status, 200)
    assert.equal((await maker.put(at, { url: `${base}/moved`, is_active: true })).status, 200)
    const renewed = await acme.owner.post(`${at}/rotate`)
    assert.equal(renewed.status, 200)
    world.secret(renewed.body.data.secret)
  })

  it('is made, led elsewhere and given another secret by nobody who works as its maker: it would go on when that is over', async () => {
    const clerk = await acme.user(['webhooks.manage', 'vendors.view'])
    const boss = await acme.user(['users.impersonate', 'webhooks.manage', 'vendors.view'])
    const at = '/webhook-endpoints'
    const own = await make('/clerk', {}, clerk)
    for (const [by, as] of [
      [boss, clerk],
      [acme.owner, boss],
    ] as const) {
      const begun = await by.post(`/users/${as.id}/impersonate`, { reason: 'A complaint' })
      assert.equal(begun.status, 201, begun.body.message)
      const posing = world.tenant(begun.body.data.target_token)
      for (const reply of [
        await posing.post(at, { url: `${base}/boss` }),
        await posing.put(`${at}/${own.id}`, { url: `${base}/boss` }),
        await posing.post(`${at}/${own.id}/rotate`),
      ])
        assert.deepEqual([reply.status, reply.body.code], [403, 'IMPERSONATING'])
    }
    assert.equal((await clerk.put(`${at}/${own.id}`, { types: ['vendor.*'] })).status, 200)
  })

  it('is told only of what happens from now on, and only what its maker may see', async () => {
    await vendor('Before')
    const clerk = await acme.user(['webhooks.manage', 'tasks.view', 'tasks.create'])
    await make('/clerk', {}, clerk)
    await vendor('Not the clerk’s')
    await acme.owner.post('/tasks', { title: 'Mine', assigned_to: clerk.id })
    await acme.owner.post('/tasks', { title: 'Not mine' })
    await work()
    assert.deepEqual(typesTold(), ['task.created'])
    assert.match(told[0]!.body, /"label":"Mine"/)
  })

  it('signs with both secrets for a day when it is rotated', async () => {
    const { id, secret } = await make()
    const rotated = (await acme.owner.post(`/webhook-endpoints/${id}/rotate`)).body.data
    world.secret(rotated.secret)
    await vendor()
    await work()
    for (const one of [secret, rotated.secret]) new Webhook(one).verify(told[0]!.body, told[0]!.headers)
    later(25 * HOUR)
    await vendor()
    await work()
    const seconds = Number(told[1]!.headers['webhook-timestamp'])
    assert.equal(seconds, Math.floor(now / 1000))
    assert.equal(told[1]!.headers['webhook-signature']!.split(' ').length, 1)
  })

  it('signs with the secret of the first of two rotations in a row for its whole day', async () => {
    const { id, secret } = await make()
    const rotate = async () => (await acme.owner.post(`/webhook-endpoints/${id}/rotate`)).body.data.secret as string
    const second = await rotate()
    later(20 * HOUR)
    const third = await rotate()
    for (const one of [second, third]) world.secret(one)
    const signedWith = async () => {
      await vendor()
      await work()
      const { headers, body } = told.at(-1)!
      const at = new Date(Number(headers['webhook-timestamp']) * 1000)
      const signatures = headers['webhook-signature']!.split(' ')
      return [secret, second, third].map((one) => signatures.includes(new Webhook(one).sign(headers['webhook-id']!, at, body)))
    }
    assert.deepEqual(await signedWith(), [true, true, true])
    later(25 * HOUR)
    assert.deepEqual(await signedWith(), [false, true, true])
  })

  it('tells its secret once, and stores it encrypted', async () => {
    const { id, secret } = await make()
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const shown = await acme.owner.get(`/webhook-endpoints/${id}`)
    assert.doesNotMatch(shown.raw.toString(), /whsec_|secret/)
    const [row] = await world.sql('SELECT row_to_json(e)::text AS stored FROM webhook_endpoints e WHERE id = $1', [id])
    assert.ok(!row.stored.includes(secret.slice(6, 30)))
  })

  it('is a neighbour’s to nobody', async () => {
    const { id } = await make()
    const other = await world.workspace({ modules: [] })
    for (const reply of [
      await other.owner.get(`/webhook-endpoints/${id}`),
      await other.owner.get(`/webhook-endpoints/${id}/deliveries`),
      await other.owner.post(`/webhook-endpoints/${id}/test`),
      await other.owner.del(`/webhook-endpoints/${id}`),
    ])
      assert.equal(reply.status, 404)
    assert.equal((await (await acme.user(['vendors.view'])).get('/webhook-endpoints')).status, 403)
  })
})

describe('a delivery', () => {
  it('is tried ten times within 75 hours, with its id and body unchanged, and can be tried again', async () => {
    const { id } = await make('/down')
    answers.set('/down', (_, response) => response.writeHead(500).end('<b>no</b>'))
    await vendor()
    await work()
    let [delivery] = await deliveries(id)
    assert.deepEqual([delivery.status, delivery.attempts, delivery.response_status], ['waiting', 1, 500])
    assert.equal(delivery.response_excerpt, '<b>no</b>')
    const began = now
    for (let tries = 2; tries <= 10; tries++) {
      later(Date.parse((await deliveries(id))[0].next_attempt_at) - Date.now())
      await work()
    }
    ;[delivery] = await deliveries(id)
    assert.deepEqual([delivery.status, delivery.attempts, delivery.next_attempt_at], ['failed', 10, null])
    const hours = (now - began) / HOUR
    assert.ok(hours > 75 && hours < 84, `${hours} hours`)
    assert.equal(new Set(told.map(({ headers, body }) => headers['webhook-id'] + body)).size, 1)
    answers.clear()
    assert.equal((await acme.owner.post(`/webhook-endpoints/${id}/deliveries/${delivery.id}/retry`)).status, 200)
    await work()
    assert.equal((await deliveries(id))[0].status, 'delivered')
  })

  it('waits as long as it is asked to', async () => {
    const { id } = await make('/busy')
    answers.set('/busy', (_, response) => response.writeHead(429, { 'retry-after': '7200' }).end())
    await vendor()
    await work()
    const wait = Date.parse((await deliveries(id))[0].next_attempt_at) - now
    assert.ok(wait >= 2 * HOUR - 1000 && wait < 2.2 * HOUR, String(wait))
  })

  it('follows no redirect', async () => {
    const { id } = await make('/moved')
    answers.set('/moved', (_, response) => response.writeHead(307, { location: `${base}/elsewhere` }).end())
    await vendor()
    await work()
    assert.deepEqual(
      told.map(({ path }) => path),
      ['/moved'],
    )
    assert.match((await deliveries(id))[0].error, /redirects are not followed/)
  })

  it('reads no more than it needs of an endless reply', async () => {
    const { id } = await make('/endless')
    answers.set('/endless', (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more).on('error', () => {})
      more()
    })
    await vendor()
    await work()
    const [delivery] = await deliveries(id)
    assert.deepEqual([delivery.status, delivery.response_excerpt.length], ['delivered', 500])
  })

  it('is told again by a replay, with the body that it had', async () => {
    const { id } = await make('/replayed', { types: ['vendor.created'] })
    const from = new Date(now - 1000).toISOString()
    const { id: vendorId } = await vendor('First name')
    await work()
    await acme.owner.put(`/vendors/${vendorId}`, { name: 'Second name' })
    const { body } = await acme.owner.post(`/webhook-endpoints/${id}/replay`, { from, to: new Date(now + 1000).toISOString() })
    assert.ok(body.data.queued >= 1)
    await work()
    const same = told.filter(({ body }) => body === told[0]!.body)
    assert.equal(same.length, 2)
    assert.equal(same[0]!.headers['webhook-id'], same[1]!.headers['webhook-id'])
    wrong(await acme.owner.post(`/webhook-endpoints/${id}/replay`, { from: 'x', to: from }), 'from')
  })

  it('is replayed as far as its endpoint is told of it anyway, whoever asks and for whatever', async () => {
    const maker = await acme.user(['webhooks.manage', 'vendors.view'])
    const { id } = await make('/hers', { types: ['vendor.created', 'task.*'] }, maker)
    const { id: vendorId } = await vendor('Seen by her')
    await acme.owner.post('/tasks', { title: 'Not hers to see' })
    await acme.owner.put(`/vendors/${vendorId}`, { name: 'No type of hers' })
    await work()
    const at = new Date(now).toISOString()
    const replay = (types?: string[]) => acme.owner.post(`/webhook-endpoints/${id}/replay`, { from: at, to: at, types })
    for (const { types, queued } of [
      { types: [], queued: 1 },
      { types: undefined, queued: 1 },
      { types: ['vendor.*', 'task.created'], queued: 1 },
      { types: ['vendor.updated', 'task.created'], queued: 0 },
    ]) {
      const { status, body } = await replay(types)
      assert.deepEqual([status, body.data], [200, { queued }], `${types} ${body.message}`)
    }
    await work()
    assert.deepEqual(typesTold(), ['vendor.created', 'vendor.created'])
    assert.equal((await acme.owner.post(`/users/${maker.id}/suspend`)).status, 200)
    wrong(await replay([]), 'is_active')
  })

  it('of a test is sent at once, once', async () => {
    const { id, secret } = await make('/tested')
    const { body } = await acme.owner.post(`/webhook-endpoints/${id}/test`)
    assert.deepEqual([body.data.status, body.data.type, body.data.response_status], ['delivered', 'webhook.test', 200])
    new Webhook(secret).verify(told[0]!.body, told[0]!.headers)
    answers.set('/tested', (_, response) => response.writeHead(500).end())
    const failed = await acme.owner.post(`/webhook-endpoints/${id}/test`)
    assert.deepEqual([failed.body.data.status, failed.body.data.next_attempt_at], ['failed', null])
  })

  it('that can’t be signed counts as tried, and is given up in the end', async () => {
    const { id } = await make('/unsigned')
    await world.sql(`UPDATE webhook_endpoints SET secret = '\\x00' WHERE id = $1`, [id])
    await vendor()
    await work()
    const [delivery] = await deliveries(id)
    assert.deepEqual(
      [delivery.status, delivery.attempts, delivery.error],
      ['waiting', 1, 'Something went wrong on our side. It has been logged.'],
    )
    later(5 * 24 * HOUR + HOUR)
    await work()
    assert.equal((await acme.owner.get(`/webhook-endpoints/${id}`)).body.data.is_active, false)
  })

  it('that a process took with it is sent by another', async () => {
    const { id } = await make('/lost')
    await vendor()
    await dispatchEvents(world.services)
    await world.sql(`UPDATE webhook_deliveries SET leased_until = statement_timestamp() + interval '30 seconds'`)
    await work()
    assert.equal(told.length, 0)
    await world.sql(`UPDATE webhook_deliveries SET leased_until = statement_timestamp() - interval '1 second'`)
    await work()
    assert.deepEqual([told.length, (await deliveries(id))[0].status], [1, 'delivered'])
  })
})

describe('an endpoint is switched off', () => {
  it('at once by 410, and goes on where it stopped when it is switched on', async () => {
    const { id } = await make('/gone')
    answers.set('/gone', (_, response) => response.writeHead(410).end())
    await vendor('First')
    await work()
    const off = (await acme.owner.get(`/webhook-endpoints/${id}`)).body.data
    assert.deepEqual([off.is_active, off.disabled_reason], [false, 'It answered 410 Gone.'])
    await vendor('Meanwhile')
    answers.clear()
    await work()
    assert.equal(told.length, 1)
    const on = await acme.owner.put(`/webhook-endpoints/${id}`, { is_active: true })
    assert.deepEqual([on.body.data.is_active, on.body.data.disabled_reason], [true, null])
    await work()
    assert.match(told.at(-1)!.body, /Meanwhile/)
  })

  it('after five failing days, with a mail', async () => {
    const { id } = await make('/dead')
    answers.set('/dead', (_, response) => response.writeHead(503).end())
    await vendor()
    await work()
    later(5 * 24 * HOUR + HOUR)
    await vendor()
    await work()
    assert.equal((await acme.owner.get(`/webhook-endpoints/${id}`)).body.data.is_active, false)
    const mails = await mailsTo(world, acme.owner.email)
    assert.ok(mails.some(({ subject, body_text }) => subject.includes('switched off') && body_text.includes(`${base}/dead`)))
  })

  it('when whoever made it is suspended', async () => {
    const person = await acme.user(['webhooks.manage', 'vendors.view'])
    const { id } = await make('/left', {}, person)
    await acme.owner.post(`/users/${person.id}/suspend`)
    await vendor()
    await work()
    assert.equal(told.length, 0)
    assert.match((await acme.owner.get(`/webhook-endpoints/${id}`)).body.data.disabled_reason, /suspended/)
  })
})

describe('addresses', () => {
  it('inside are refused, when they are named and when they are connected to', async () => {
    const { owner } = await closed.workspace({ modules: ['vendors'] })
    for (const url of [
      'http://127.0.0.1:1/',
      'https://127.0.0.1/',
      'https://localhost/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://[::7f00:1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://[2002:7f00:1::1]/',
      'https://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/',
      'https://0.0.0.0/',
      'https://0x7f000001/',
      'https://2130706433/',
      'http://93.184.215.14/plain-text',
      'ftp://example.com/',
      'https://user:password@example.com/',
      'nonsense',
    ])
      wrong(await owner.post('/webhook-endpoints', { url }), 'url')
    await closed.sql('DELETE FROM rate_limits')
  })

  it('that lead inwards later are not connected to', async () => {
    const { id } = await make('/rebound')
    await world.sql(`UPDATE webhook_endpoints SET url = 'https://169.254.169.254/' WHERE id = $1`, [id])
    const { body } = await acme.owner.post(`/webhook-endpoints/${id}/test`)
    assert.deepEqual([body.data.status, body.data.error], ['failed', 'Servers in internal networks are not connected to.'])
  })
})

describe('what can’t be sent now', () => {
  /** Inserts many endpoints, each with a long overdue delivery. */
  const crowd = (workspace: Workspace, more: string) =>
    world.sql(
      `WITH made AS (
         INSERT INTO webhook_endpoints (tenant_id, url, types, secret, position, user_id, created_at, updated_at, failing_since)
         SELECT $1, $2, '{}', '', 0, $3, now(), now(), ${more} FROM generate_series(1, 1100) RETURNING id
       ) INSERT INTO webhook_deliveries (tenant_id, endpoint_id, type, body, next_attempt_at, created_at, updated_at)
         SELECT $1, id, 'vendor.created', '{}', now() - interval '1 day', now(), now() FROM made`,
      [workspace.id, `${base}/crowd`, workspace.owner.id],
    )

  it('of workspaces that are closed, waits, and holds up none', async () => {
    const archived = await world.workspace({ modules: [] })
    await crowd(archived, 'null')
    await world.sql('UPDATE tenants SET archived_at = now() WHERE id = $1', [archived.id])
    await make('/open')
    await vendor()
    await work()
    assert.deepEqual(typesTold(), ['vendor.created'])
    const [left] = await world.sql(
      `SELECT count(*)::int AS n FROM webhook_deliveries WHERE tenant_id = $1 AND status = 'waiting'`,
      [archived.id],
    )
    assert.equal(left.n, 1100)
  })

  it('because it keeps failing, comes behind what may go well', async () => {
    const failing = await world.workspace({ modules: [] })
    await crowd(failing, `now() - interval '1 hour'`)
    await make('/healthy')
    await vendor()
    while (await dispatchEvents(world.services));
    const claimed = await claim(world.services, 'workspace', newSender())
    assert.ok(claimed.some(({ endpoint }) => endpoint.url === `${base}/healthy`))
  })
})

describe('what keeps events from being told', () => {
  /** Runs `during` while the database rejects some deliveries. */
  const withoutDeliveries = (event: 'INSERT' | 'UPDATE', when: string, during: () => Promise<unknown>) =>
    refusing(world, { event, table: 'webhook_deliveries', when }, during)
  const pathsTold = () => told.map(({ path }) => path)

  it('of one endpoint is no other’s trouble', async () => {
    const refused = await make('/refused')
    await make('/other')
    await vendor()
    await withoutDeliveries('INSERT', `NEW.endpoint_id = ${refused.id}`, work)
    assert.deepEqual(pathsTold(), ['/other'])
    later(10_000)
    await work()
    assert.deepEqual(pathsTold(), ['/other', '/refused'])
  })

  it('of an endpoint is looked for ever more seldom while it lasts', async () => {
    const { id } = await make('/refused')
    await vendor()
    await withoutDeliveries('INSERT', `NEW.endpoint_id = ${id}`, async () => {
      await work()
      later(6_000)
      await work()
    })
    later(12_000)
    await work()
    assert.deepEqual(pathsTold(), [])
    later(20_000)
    await work()
    assert.deepEqual(pathsTold(), ['/refused'])
  })

  it('of one workspace is no other’s trouble', async () => {
    const refused = await world.workspace({ modules: ['vendors'] })
    await make('/refused', {}, refused.owner)
    await refused.owner.post('/vendors', { name: 'Bolts' })
    await make('/other')
    await vendor()
    while (await dispatchEvents(world.services));
    const send = async () => Promise.all(await sendDue(world.services, 'workspace'))
    await withoutDeliveries('UPDATE', `NEW.tenant_id = ${refused.id}`, send)
    assert.deepEqual(pathsTold(), ['/other'])
    await work()
    assert.deepEqual(pathsTold(), ['/other', '/refused'])
  })

  it('keeps nothing from being sent that waits', async () => {
    await make('/waits')
    await vendor()
    await dispatchEvents(world.services)
    const stop = startRunner(world.services, 'workspace', async () => {
      throw new Error('not now')
    })
    try {
      for (let n = 0; n < 100 && !told.length; n++) await new Promise((resolve) => setTimeout(resolve, 50))
      assert.deepEqual(typesTold(), ['vendor.created'])
    } finally {
      await stop()
    }
  })
})

describe('servers that hang', () => {
  it('hold up none that answer', async () => {
    for (let n = 0; n < 10; n++) await make(`/hangs/${n}`)
    const hanging: ServerResponse[] = []
    for (let n = 0; n < 10; n++) answers.set(`/hangs/${n}`, (_, response) => void hanging.push(response))
    await make('/answers')
    for (let n = 0; n < 5; n++) await vendor(`Bolt ${n}`)
    while (await dispatchEvents(world.services));
    const sender = newSender()
    const sent: Promise<void>[] = []
    for (let n = 0; n < 20 && told.filter(({ path }) => path === '/answers').length < 5; n++) {
      sent.push(...(await sendDue(world.services, 'workspace', sender)))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.equal(told.filter(({ path }) => path === '/answers').length, 5)
    assert.ok(hanging.length >= 10)
    for (const response of hanging) response.end()
    for (let n = 0; n < 50 && sender.underWay.size; n++) {
      for (const response of hanging.splice(0)) response.end()
      sent.push(...(await sendDue(world.services, 'workspace', sender)))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await Promise.all(sent)
  })
})

describe('workspaces that share the webhooks of a process', () => {
  const KINDS = [1, 2, 8] as const
  /** Creates a workspace with many endpoints of different types, and very many undelivered events. */
  async function busyWorkspace(endpoints = 30, events = 3000) {
    const workspace = await world.workspace({ modules: ['vendors'] })
    const { body } = await workspace.owner.post('/vendors', { name: 'Busy' })
    await world.sql(
      `INSERT INTO webhook_endpoints (tenant_id, url, types, secret, position, user_id, created_at, updated_at)
       SELECT $1, $2, ARRAY['vendor.*', 'vendor.' || repeat('x', n)], '', 0, $3, now(), now() FROM generate_series(1, $4) n`,
      [workspace.id, `${base}/busy`, workspace.owner.id, endpoints],
    )
    await world.sql(
      `INSERT INTO activities (tenant_id, subject_type, subject_id, type, properties, created_at)
       SELECT $1, 'vendors', $2, 'updated', '{"fields": ["name"]}', now() FROM generate_series(1, $3)`,
      [workspace.id, body.data.id, events],
    )
    return workspace
  }
  /** Returns a dispatcher, and the workspaces whose slices it processed. */
  function watchedDispatcher() {
    const meter = usageMeter()
    const turns: number[] = []
    const dispatch = eventDispatcher({
      meter: {
        ...meter,
        charge(workspace, ms) {
          turns.push(workspace)
          meter.charge(workspace, ms)
        },
      },
      lookShare: 0,
    })
    return { dispatch: () => dispatch(world.services), turns }
  }
  const madeIn = async ({ id }: Workspace) =>
    (await world.sql('SELECT count(*)::int AS n FROM webhook_deliveries WHERE tenant_id = $1', [id]))[0].n

  for (const k of KINDS)
    it(`makes a neighbour's delivery before the third turn of anybody else (${k} busy)`, async () => {
      const busy = await Promise.all(Array.from({ length: k }, () => busyWorkspace()))
      const { dispatch, turns } = watchedDispatcher()
      for (let n = 0; n < 2 * k; n++) assert.ok(await dispatch(), 'the busy have much to do')
      await make('/neighbour')
      await vendor()
      turns.length = 0
      while (!(await madeIn(acme))) await dispatch()
      for (const { id } of busy)
        assert.ok(turns.filter((turn) => turn === id).length <= 2, `the order of turns was ${turns}; the neighbour is ${acme.id}`)
      await world.sql('DELETE FROM webhook_endpoints')
    })

  it('ends a slice of making with the batch at hand, and goes on where it stopped', async () => {
    const busy = await busyWorkspace(20, 1000)
    const { dispatch, turns } = watchedDispatcher()
    const held = await heldDuring(async () => {
      while (await dispatch());
    })
    assert.equal(await madeIn(busy), 20_000, 'each of 20 has a twentieth of what may wait')
    assert.ok(turns.length > 3, `${turns.length} slices`)
    assert.ok(held < 250, `the loop was held for ${held} ms of CPU`)
  })

  for (const k of KINDS)
    it(`sends a neighbour's first delivery though ${k} fill their part of the process with servers that hang`, async () => {
      for (let n = 0; n < k; n++) {
        const { id, owner } = await world.workspace({ modules: [] })
        await world.sql(
          `WITH made AS (
             INSERT INTO webhook_endpoints (tenant_id, url, types, secret, position, user_id, created_at, updated_at)
             SELECT $1, $2, '{}', '', 0, $3, now(), now() FROM generate_series(1, 100) RETURNING id
           ) INSERT INTO webhook_deliveries (tenant_id, endpoint_id, type, body, next_attempt_at, created_at, updated_at)
             SELECT $1, made.id, 'vendor.created', '{}', now() - interval '1 day', now(), now() FROM made, generate_series(1, 5)`,
          [id, `${base}/hangs`, owner.id],
        )
      }
      const sender = newSender()
      for (let n = 0; n < 4; n++) for (const one of await claim(world.services, 'workspace', sender)) sender.underWay.add(one)
      assert.equal(sender.underWay.size, Math.min(256, 32 * k), 'each has its part')
      await make('/neighbour')
      await vendor()
      while (await dispatchEvents(world.services));
      const urls = (await claim(world.services, 'workspace', sender)).map(({ endpoint }) => endpoint.url)
      assert.deepEqual(urls, [`${base}/neighbour`])
    })

  it('claims a newcomer before whoever used time lately', async () => {
    const other = await world.workspace({ modules: ['vendors'] })
    await make('/other', {}, other.owner)
    await other.owner.post('/vendors', { name: 'First' })
    await make('/newcomer')
    await vendor()
    while (await dispatchEvents(world.services));
    const sender = newSender()
    sender.meter.charge(other.id, 1000)
    const claimed = await claim(world.services, 'workspace', sender)
    assert.deepEqual(
      claimed.map(({ delivery }) => delivery.tenant_id),
      [acme.id, other.id],
    )
  })

  it('reads events and makes bodies once for all endpoints of a creator that are told the same', async () => {
    const ids: number[] = []
    for (let n = 0; n < 10; n++) ids.push((await make(`/same/${n}`)).id)
    for (let n = 0; n < 3; n++) await vendor(`Same ${n}`)
    let reads = 0
    const counted: typeof feed = {
      ...feed,
      read(...given) {
        reads++
        return feed.read(...given)
      },
    }
    const transact = (await systemTransactions(world.services, acme.id))!
    while (await dispatchSlice(world.services, counted, transact));
    assert.equal(reads, 1)
    const made = await world.sql(
      'SELECT count(*)::int AS deliveries, count(DISTINCT body)::int AS bodies FROM webhook_deliveries WHERE endpoint_id = ANY ($1)',
      [ids],
    )
    assert.deepEqual(made, [{ deliveries: 30, bodies: 3 }])
    await work()
    assert.equal(told.length, 30)
  })

  it('bounds the deliveries of a workspace that wait; later events stay events, and none is lost', async () => {
    const { id } = await make('/slow')
    await world.sql(
      `INSERT INTO webhook_deliveries (tenant_id, endpoint_id, type, body, next_attempt_at, created_at, updated_at)
       SELECT $1, $2, 'vendor.created', '{}', now() + interval '1 day', now(), now() FROM generate_series(1, $3)`,
      [acme.id, id, MAX_WAITING],
    )
    await vendor('Waits as an event')
    assert.equal(await dispatchEvents(world.services), false, 'nothing can be done at once')
    await work()
    assert.deepEqual(typesTold(), [])
    await world.sql('DELETE FROM webhook_deliveries WHERE endpoint_id = $1', [id])
    await work()
    assert.match(told[0]!.body, /Waits as an event/)
    assert.equal(told.length, 1)
  })
})
