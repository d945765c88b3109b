import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Echo from 'laravel-echo'
import pusherJs from 'pusher-js'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { workersOf } from '#test/worker-process.ts'

/** The package's types describe the module, not its default export. */
const Pusher = pusherJs as unknown as typeof pusherJs.default

const world = await startTest({ env: { REALTIME_SOCKETS_PER_ADDRESS: '20', TRUST_PROXY: '1' } })
const workers = workersOf(world)
let port: number
let key: string
let firm: Workspace
let boss: Person
let ada: Person

before(async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  port = (world.app.server.address() as AddressInfo).port
  firm = await world.workspace({ modules: ['tasks', 'leads'] })
  boss = await firm.user(['tasks.view', 'tasks.create', 'tasks.assign', 'leads.view', 'leads.create', 'leads.import'], 'Boss')
  ada = await firm.user(['tasks.view'], 'Ada')
  key = (await ada.get('/broadcasting/config')).body.data.key
})
after(() => workers.endAll())

const channelOf = (who: Person, workspace = firm) => `private-tenant.${workspace.id}.user.${who.id}`
const giveTask = (to: Person, title = 'Call') => boss.post('/tasks', { title, assigned_to: to.id })

/** Client as in a browser, signed in as this user. */
function clientOf(who: Person) {
  const options = {
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws' as const],
    cluster: '',
    enableStats: false,
  }
  const channelAuthorization = {
    transport: 'ajax' as const,
    endpoint: `http://127.0.0.1:${port}/api/tenant/v1/broadcasting/auth`,
    headers: { authorization: `Bearer ${who.token}` },
  }
  return new Pusher(key, { ...options, channelAuthorization })
}

/** Opens a bare socket; returns its messages in order, and how it was closed. */
async function open(path = `/app/${key}?protocol=7`, ip = '203.0.113.1') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { 'x-forwarded-for': ip } } as never)
  const heard: { event: string; channel?: string; data: any }[] = []
  const waiting: (() => void)[] = []
  socket.onmessage = ({ data }) => {
    const { data: inner, ...message } = JSON.parse(data)
    heard.push({ ...message, data: typeof inner === 'string' ? JSON.parse(inner) : inner })
    waiting.shift()?.()
  }
  const closed = once(socket as never, 'close').then(([event]) => (event as CloseEvent).code)
  await once(socket as never, 'open')
  const next = async () => {
    if (!heard.length) await new Promise<void>((resolve) => waiting.push(resolve))
    return heard.shift()!
  }
  const say = (event: string, data: unknown) => socket.send(JSON.stringify({ event, data }))
  return { socket, next, say, closed }
}

/** Opens a greeted connection that is subscribed to a user's channel. */
async function listen(who: Person, workspace = firm, channel_name = channelOf(who, workspace)) {
  const one = await open()
  const { socket_id } = (await one.next()).data
  const { auth } = (await who.post('/broadcasting/auth', { socket_id, channel_name })).body as unknown as { auth: string }
  one.say('pusher:subscribe', { auth, channel: channel_name })
  assert.equal((await one.next()).event, 'pusher_internal:subscription_succeeded')
  return { ...one, socket_id, auth }
}

describe('pusher-js', () => {
  it('connects, subscribes and hears of a notification (NTF-22, NTF-24)', async () => {
    const pusher = clientOf(ada)
    const channel = pusher.subscribe(channelOf(ada))
    await new Promise((resolve) => channel.bind('pusher:subscription_succeeded', resolve))
    const heard = new Promise<any>((resolve) => channel.bind('notification.created', resolve))
    await giveTask(ada, 'Ring the bell')
    const payload = await heard
    pusher.disconnect()
    const [stored] = (await ada.get('/notifications')).body.data
    const { updated_at: _, ...told } = stored
    assert.deepEqual(payload, { ...told, unread_count: 1 })
  })

  it('is refused another user’s channel, another workspace’s and any other (NTF-23)', async () => {
    const other = await world.workspace()
    const pusher = clientOf(ada)
    for (const name of [channelOf(boss), channelOf(other.owner, other), 'private-everybody', `presence-tenant.${firm.id}`]) {
      const channel = pusher.subscribe(name)
      const { status } = await new Promise<any>((resolve) => channel.bind('pusher:subscription_error', resolve))
      assert.equal(status, 403)
    }
    pusher.disconnect()
  })
})

describe('Laravel Echo', () => {
  it('hears of a notification on its private channel', async () => {
    const echo = new Echo({ broadcaster: 'pusher', client: clientOf(ada) } as never)
    const channel: any = echo.private(channelOf(ada).replace('private-', ''))
    await new Promise<void>((resolve) => channel.subscribed(resolve))
    const heard = new Promise<any>((resolve) => channel.listen('.notification.created', resolve))
    await giveTask(ada, 'Echo')
    assert.equal((await heard).data.body, 'Boss assigned you the task Echo.')
    echo.disconnect()
  })
})

describe('the events of a workspace', () => {
  const listenToEvents = (who: Person) => listen(who, firm, `${channelOf(who)}.events`)

  it('are told by type and id to whoever may see their record, on a channel of their own', async () => {
    const [everything, own, neighbour] = [
      await listenToEvents(firm.owner),
      await listenToEvents(ada),
      await world.workspace({ modules: ['tasks'] }),
    ]
    assert.equal((await neighbour.owner.post('/tasks', { title: 'Next door' })).status, 201)
    const hidden = (await boss.post('/tasks', { title: 'Not for Ada' })).body.data
    const shown = (await giveTask(ada, 'For Ada')).body.data
    const told = async (to: Awaited<ReturnType<typeof listen>>) => {
      const { event, data } = await to.next()
      assert.deepEqual([event, data.is_complete], ['events.occurred', true])
      return data.events as { id: number; type: string; subject: object }[]
    }
    const toAda = await told(own)
    assert.deepEqual(toAda, [{ id: toAda[0]!.id, type: 'task.created', subject: { type: 'task', id: shown.id } }])
    const toOwner = await told(everything)
    if (toOwner.length < 2) toOwner.push(...(await told(everything)))
    assert.deepEqual(
      toOwner.map(({ subject }) => subject),
      [
        { type: 'task', id: hidden.id },
        { type: 'task', id: shown.id },
      ],
    )
    for (const one of [everything, own]) one.socket.close()
  })

  it('are too many at times: then a client is told to read anew', async () => {
    const one = await listenToEvents(firm.owner)
    await world.sql(
      `INSERT INTO activities (tenant_id, subject_type, subject_id, type, created_at) SELECT $1, 'tasks', 1, 'updated', $2 FROM generate_series(1, 300)`,
      [firm.id, world.clock.now()],
    )
    const { data } = await one.next()
    assert.deepEqual([data.events.length, data.is_complete], [200, false])
    one.socket.close()
  })

  it('are not told to a session that has ended, nor to somebody else', async () => {
    const eve = await firm.user(['tasks.view'], 'Eve')
    const one = await listenToEvents(eve)
    await world.sql('DELETE FROM access_tokens WHERE user_id = $1', [eve.id])
    await giveTask(eve, 'Not for thieves')
    assert.equal((await one.next()).event, 'pusher:error')
    const thief = await open()
    const { socket_id } = (await thief.next()).data
    const asked = { socket_id, channel_name: `${channelOf(boss)}.events` }
    assert.equal((await ada.post('/broadcasting/auth', asked)).status, 403)
    thief.socket.close()
  })
})

describe('a process that works the queue', () => {
  it('reaches sockets of another one', async () => {
    const one = await listen(boss)
    const file = new File(['Name,Email\nNora,nora@example.com\n'], 'leads.csv', { type: 'text/csv' })
    const { uuid } = (await boss.post('/leads/imports', { file })).body.data.import
    await boss.put(`/leads/imports/${uuid}`, { mapping: { name: 'Name', email: 'Email' } })
    assert.equal((await boss.post(`/leads/imports/${uuid}/run`)).status, 200)
    const worker = await workers.start()
    const { event, data } = await one.next()
    assert.deepEqual([event, data.type, data.data.route.action], ['notification.created', 'lead.imported', 'show'])
    one.socket.close()
    await workers.end(worker, 'SIGTERM')
  })
})

describe('a process that heard nothing for a while', () => {
  it('sends again what its clients may have missed', async () => {
    const one = await listen(ada)
    await giveTask(ada, 'Perhaps missed')
    const { data } = await one.next()
    await world.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atrium-channel' AND datname = current_database()`,
    )
    for (let again = await one.next(); again.data.id !== data.id; ) again = await one.next()
    one.socket.close()
  })
})

describe('a session that ends', () => {
  const endings: { how: string; end: (who: Person, workspace: Workspace) => Promise<unknown> }[] = [
    { how: 'by signing out', end: (who) => who.post('/auth/logout') },
    { how: 'by suspension', end: (who, { owner }) => owner.post(`/users/${who.id}/suspend`) },
    { how: 'with its user', end: (who, { owner }) => owner.del(`/users/${who.id}`) },
    { how: 'by revocation', end: (who) => world.sql('DELETE FROM access_tokens WHERE user_id = $1', [who.id]) },
    { how: 'with its workspace', end: (_, { id }) => world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [id]) },
  ]
  it('closes its sockets', async () => {
    await Promise.all(
      endings.map(async ({ how, end }) => {
        const workspace = await world.workspace()
        const who = await workspace.user([])
        const one = await listen(who, workspace)
        await end(who, workspace)
        assert.equal((await one.next()).data.code, 4009, how)
        assert.equal(await one.closed, 4009, how)
      }),
    )
  })

  it('hears nothing more, before it is found out too', async () => {
    const eve = await firm.user(['tasks.view'], 'Eve')
    const one = await listen(eve)
    await world.sql('DELETE FROM access_tokens WHERE user_id = $1', [eve.id])
    await giveTask(eve, 'Not for thieves')
    assert.equal((await one.next()).event, 'pusher:error')
    assert.equal(await one.closed, 4009)
  })
})

describe('the protocol', () => {
  it('greets with the socket’s id, answers pings, and refuses what it doesn’t take', async () => {
    const one = await open()
    const { event, data } = await one.next()
    assert.equal(event, 'pusher:connection_established')
    assert.match(data.socket_id, /^\d+\.\d+$/)
    assert.equal(data.activity_timeout, 30)
    one.say('pusher:ping', {})
    assert.equal((await one.next()).event, 'pusher:pong')
    one.say('client-typing', {})
    assert.deepEqual((await one.next()).data, { code: 4301, message: 'Client events are not taken' })
    one.socket.send('{"event":')
    assert.equal((await one.next()).data.code, 4200)
    one.say('pusher:subscribe', { channel: 'news' })
    assert.equal((await one.next()).event, 'pusher:subscription_error')
    one.socket.send('x'.repeat(20_000))
    assert.equal(await one.closed, 1009)
  })

  it('knows one application and the versions of the protocol', async () => {
    for (const { path, code } of [
      { path: '/app/unknown?protocol=7', code: 4001 },
      { path: `/app/${key}`, code: 4008 },
      { path: `/app/${key}?protocol=seven`, code: 4006 },
      { path: `/app/${key}?protocol=99`, code: 4007 },
    ] as const) {
      const one = await open(path)
      assert.equal((await one.next()).data.code, code)
      assert.equal(await one.closed, code)
    }
  })

  it('takes a signature for its socket and channel alone', async () => {
    const { auth, socket } = await listen(ada)
    const thief = await open()
    await thief.next()
    for (const forged of [auth, auth.replace(/.$/, (last) => (last === '0' ? '1' : '0')), `${key}:${'0'.repeat(64)}`, key, '']) {
      thief.say('pusher:subscribe', { auth: forged, channel: channelOf(ada) })
      assert.equal((await thief.next()).event, 'pusher:subscription_error')
    }
    for (const one of [socket, thief.socket]) one.close()
  })

  it('ends with who unsubscribes', async () => {
    const one = await listen(ada)
    one.say('pusher:unsubscribe', { channel: channelOf(ada) })
    one.say('pusher:ping', {})
    assert.equal((await one.next()).event, 'pusher:pong')
    await giveTask(ada)
    one.say('pusher:ping', {})
    assert.equal((await one.next()).event, 'pusher:pong')
    one.socket.close()
  })

  it('lets go of whoever says too much', async () => {
    const one = await open()
    for (let n = 0; n < 200; n++) one.say('pusher:ping', {})
    assert.equal(await one.closed, 4100)
  })

  it('takes so many sockets of an address, as the proxy in front tells it', async () => {
    const crowd = '203.0.113.7'
    const some = await Promise.all(Array.from({ length: 21 }, () => open(undefined, crowd)))
    const first = await Promise.all(some.map((one) => one.next()))
    assert.equal(first.filter(({ event }) => event === 'pusher:connection_established').length, 20)
    assert.equal(first.find(({ event }) => event === 'pusher:error')?.data.code, 4100)
    const other = await open()
    assert.equal((await other.next()).event, 'pusher:connection_established')
    other.socket.close()
    for (const one of some) one.socket.close()
    await Promise.all(some.map((one) => one.closed))
  })

  it('leaves requests alone that would upgrade to something else', async () => {
    const { request } = await import('node:http')
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' }
    const [reply] = await once(request({ port, path: '/healthz', headers }).end(), 'response')
    assert.equal(reply.statusCode, 200)
    reply.resume()
  })
})

describe('authorization', () => {
  it('takes forms and JSON, and answers without an envelope', async () => {
    const channel_name = channelOf(ada)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = new URLSearchParams({ socket_id: '1.2', channel_name }).toString()
    const [one, other] = [
      await ada.post('/broadcasting/auth', sent, { headers: form }),
      await ada.post('/broadcasting/auth', { socket_id: '1.2', channel_name }),
    ]
    assert.deepEqual(Object.keys(one.body), ['auth'])
    assert.match((one.body as any).auth, new RegExp(`^${key}:[0-9a-f]{64}$`))
    assert.deepEqual(one.body, other.body)
    assert.equal((await boss.post('/broadcasting/auth', { socket_id: '1.2', channel_name })).status, 403)
    assert.equal((await world.anonymous.post('/broadcasting/auth', { socket_id: '1.2', channel_name })).status, 401)
    const wrong = await ada.post('/broadcasting/auth', { socket_id: 'abc', channel_name: '' })
    assert.deepEqual(Object.keys(wrong.body.errors!), ['socket_id', 'channel_name'])
  })
})

describe('silence', () => {
  it('is asked about after half a minute, and ends the socket after another', async () => {
    const one = await open()
    await one.next()
    const after = (seconds: number) => world.clock.set(new Date(began + seconds * 1000).toISOString())
    const began = Date.parse(world.clock.now())
    after(32)
    assert.equal((await one.next()).event, 'pusher:ping')
    after(65)
    assert.equal((await one.next()).data.code, 4201)
    assert.equal(await one.closed, 4201)
  })
})

describe('a socket that reads nothing', () => {
  /** Blocks writes from here, as if the network were congested. */
  const clog = (stream: Socket) => Object.assign(stream, { _write() {}, _writev() {} })
  async function clogged() {
    const [[stream], one] = await Promise.all([once(world.app.server, 'connection') as Promise<[Socket]>, open()])
    await one.next()
    clog(stream)
    return { ...one, stream }
  }
  const endOf = (stream: Socket) => once(stream, 'close', { signal: AbortSignal.timeout(5000) })

  it('is cut once an answer would wait behind 256 KB', async () => {
    for (const say of [
      (one: Awaited<ReturnType<typeof open>>) => one.say('pusher:ping', {}),
      (one: Awaited<ReturnType<typeof open>>) => one.say('client-typing', {}),
      (one: Awaited<ReturnType<typeof open>>) => one.socket.send('{"event":'),
      (one: Awaited<ReturnType<typeof open>>) => one.say('pusher:subscribe', { channel: 'news' }),
    ]) {
      const one = await clogged()
      one.stream.write(Buffer.alloc(256 * 1024))
      const ended = endOf(one.stream)
      say(one)
      await ended
    }
  })

  it('is cut when what it was sent waits for half a minute, however much it says', async () => {
    const one = await clogged()
    const ended = endOf(one.stream)
    const saying = setInterval(() => one.say('pusher:ping', {}), 100)
    const began = Date.parse(world.clock.now())
    for (const seconds of [0, 20, 40]) {
      world.clock.set(new Date(began + seconds * 1000).toISOString())
      await sleep(1200)
    }
    await ended.finally(() => clearInterval(saying))
  })

  it('gets no pong of the wire behind what waits', async () => {
    const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0])
    const wire = await rawSocket()
    wire.client.write(ping)
    assert.equal((await once(wire.client, 'data'))[0][0], 0x8a, 'a pong')
    clog(wire.server)
    wire.server.write('x')
    const before = wire.server.writableLength
    wire.client.write(Buffer.concat(Array(1000).fill(ping)))
    await once(wire.server, 'data')
    await sleep(200)
    assert.equal(wire.server.writableLength, before)
    wire.client.destroy()
  })

  /** Returns both ends of a socket that was upgraded by hand. */
  async function rawSocket() {
    const server = once(world.app.server, 'connection') as Promise<[Socket]>
    const client = connect(port, '127.0.0.1')
    const upgrade = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
    ]
    client.write([`GET /app/${key}?protocol=7 HTTP/1.1`, 'Host: atrium.test', ...upgrade, '', ''].join('\r\n'))
    for (let heard = ''; !heard.includes('connection_established'); ) heard += String((await once(client, 'data'))[0])
    return { client, server: (await server)[0] }
  }
})

describe('a socket that listens to nothing', () => {
  it('is closed after two minutes, whatever it says; one that listens stays', async () => {
    const began = Date.parse(world.clock.now())
    world.clock.set(new Date(began).toISOString())
    const [idle, subscribed, left] = [await open(), await listen(ada), await listen(ada)]
    await idle.next()
    const after = async (seconds: number) => {
      world.clock.set(new Date(began + seconds * 1000).toISOString())
      for (const { socket } of [idle, subscribed, left])
        if (socket.readyState === WebSocket.OPEN) socket.send('{"event":"pusher:pong"}')
      await sleep(1300)
    }
    const stateOf = () => [idle, subscribed, left].map(({ socket }) => socket.readyState === WebSocket.OPEN)
    await after(115)
    left.say('pusher:unsubscribe', { channel: channelOf(ada) })
    assert.deepEqual(stateOf(), [true, true, true])
    await after(121)
    assert.equal(await idle.closed, 4202)
    assert.deepEqual(stateOf(), [false, true, true])
    await after(230)
    assert.deepEqual(stateOf(), [false, true, true])
    await after(242)
    assert.deepEqual(stateOf(), [false, true, false])
    assert.equal(await left.closed, 4202)
    subscribed.socket.close()
  })
})

describe('a process that stops', () => {
  it('tells clients to come back at once', async () => {
    const one = await open()
    await one.next()
    await world.app.close()
    assert.equal(await one.closed, 4200)
  })
})
