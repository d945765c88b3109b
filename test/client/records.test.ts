/** packages/client against the application: conditional updates, files, the event feed, realtime. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import pusherJs from 'pusher-js'
import {
  ApiError,
  change,
  type Event,
  eventPages,
  events,
  feedEnd,
  type Notification,
  type Occurred,
  progress,
  realtime,
  type WorkspaceClient,
  workspaceClient,
} from '#client'
import type { Workspace } from '../harness.ts'
import { startClientWorld, watchedFetch } from './world.ts'

/** The package's types describe the module, not its default export. */
const Pusher = pusherJs as unknown as typeof pusherJs.default

const { world, baseUrl } = await startClientWorld()
let firm: Workspace
let client: WorkspaceClient

before(async () => {
  firm = await world.workspace({ modules: ['vendors', 'documents', 'tasks'] })
  client = workspaceClient({ baseUrl, token: firm.owner.token })
})

const isStale = (error: unknown) => error instanceof ApiError && error.status === 412 && error.code === 'PRECONDITION_FAILED'

describe('a change of what was read', () => {
  it('is refused when somebody else was first, and made when it is asked for again', async () => {
    const { data: vendor, etag } = await client.POST('/vendors', { body: { name: 'Ash' } })
    const params = { path: { id: vendor.id } }
    const first = await client.PUT('/vendors/{id}', { params, body: { phone: '1' }, ifMatch: etag })
    await assert.rejects(client.PUT('/vendors/{id}', { params, body: { phone: '2' }, ifMatch: etag }), isStale)
    await assert.rejects(client.DELETE('/vendors/{id}', { params, ifMatch: etag }), isStale)
    const { data } = await client.PUT('/vendors/{id}', { params, body: { phone: '2' }, ifMatch: first.etag })
    assert.equal(data.phone, '2')
  })

  it('is worked out anew from what somebody else has written meanwhile', async () => {
    const { data: vendor } = await client.POST('/vendors', { body: { name: 'Birch', notes: 'a' } })
    const at = { params: { path: { id: vendor.id } } }
    const add = (text: string) => change(client, '/vendors/{id}', at, ({ notes }) => ({ notes: notes + text }))
    const read: (string | null)[] = []
    const { data } = await change(client, '/vendors/{id}', at, async ({ notes }) => {
      read.push(notes)
      if (read.length === 1) await add('b')
      return { notes: `${notes}c` }
    })
    assert.deepEqual([read, data.notes], [['a', 'ab'], 'abc'])
    await Promise.all(
      ['d', 'e', 'f'].map((text) =>
        change(client, '/vendors/{id}', { ...at, tries: 10 }, ({ notes }) => ({ notes: notes + text })),
      ),
    )
    const { data: after } = await client.GET('/vendors/{id}', at)
    assert.deepEqual([...after.notes!].sort().join(''), 'abcdef')
  })

  it('gives up after as many tries as it may, and changes nothing where nothing is to be changed', async () => {
    const { data: vendor, etag } = await client.POST('/vendors', { body: { name: 'Cedar' } })
    const at = { params: { path: { id: vendor.id } } }
    assert.equal((await change(client, '/vendors/{id}', at, () => undefined)).etag, etag)
    let tries = 0
    const always = change(client, '/vendors/{id}', { ...at, tries: 2 }, async () => {
      await firm.owner.put(`/vendors/${vendor.id}`, { phone: `${++tries}` })
      return { notes: 'lost' }
    })
    await assert.rejects(always, isStale)
    assert.equal(tries, 2)
  })
})

describe('files', () => {
  const text = 'Terms and conditions.\n'.repeat(20_000)
  const file = new File([text], 'terms.txt', { type: 'text/plain' })
  const stored = async (id: number) => {
    const { data } = await client.GET('/documents/{id}/download', { params: { path: { id } }, parseAs: 'text' })
    return data
  }

  it('are sent as a form, with the fields beside them', async () => {
    const { data: task } = await client.POST('/tasks', { body: { title: 'Read' } })
    const body = { title: 'Terms', file, task_ids: [task.id], category_id: null }
    const { data } = await client.POST('/documents', { body })
    assert.partialDeepStrictEqual(data, { title: 'Terms', size_bytes: text.length, links: [{ type: 'task', id: task.id }] })
    assert.equal(await stored(data.id), text)
  })

  it('tell how much is sent, and are sent again when they must', async () => {
    const told: [number, number][] = []
    const sending = progress((sent, total) => told.push([sent, total]))
    let tries = 0
    const { data } = await client.POST('/documents', {
      body: { title: 'Terms', file },
      fetch: async (request) => (tries++ ? sending(request) : new Response('', { status: 429, headers: { 'retry-after': '0' } })),
    })
    assert.ok(tries === 2 && told.length > 1)
    const total = told[0]![1]
    assert.ok(total > text.length && told.every(([sent, of], n) => of === total && sent > (told[n - 1]?.[0] ?? 0)))
    assert.deepEqual([told.at(-1), await stored(data.id)], [[total, total], text])
  })

  it('can be stopped on their way', async () => {
    const ending = new AbortController()
    const call = client.POST('/documents', {
      body: { title: 'Stopped', file },
      fetch: progress(() => ending.abort(new Error('Enough.'))),
      signal: ending.signal,
    })
    await assert.rejects(call, { message: 'Enough.' })
  })
})

describe('the feed', () => {
  let shop: Workspace
  let client: WorkspaceClient
  before(async () => {
    shop = await world.workspace({ modules: ['vendors', 'tasks'] })
    client = workspaceClient({ baseUrl, token: shop.owner.token })
    for (const name of ['Ash', 'Birch', 'Cedar']) await client.POST('/vendors', { body: { name } })
    await client.POST('/tasks', { body: { title: 'Call' } })
  })
  const labels = async (options: Parameters<typeof events>[1]) => {
    const told: (string | null)[] = []
    for await (const { type, subject } of events(client, { types: ['vendor.*'], ...options }))
      told.push(`${type} ${subject.label}`)
    return told
  }

  it('is told in order and goes on where one has been', async () => {
    let last: Event | undefined
    for await (const event of events(client, { types: ['vendor.created'] })) {
      last = event
      if (event.subject.label === 'Birch') break
    }
    assert.deepEqual(await labels({ after: last!.id }), ['vendor.created Cedar'])
    const pages = await Array.fromAsync(eventPages(client))
    const { next_after } = pages.at(-1)!.meta
    assert.deepEqual([await Array.fromAsync(eventPages(client, { after: next_after })), pages[0]!.data.length], [[], 4])
    await client.POST('/vendors', { body: { name: 'Dogwood' } })
    assert.deepEqual(await labels({ after: next_after }), ['vendor.created Dogwood'])
  })

  it('has an end to begin from', async () => {
    const end = await feedEnd(client)
    assert.deepEqual(await labels({ after: end }), [])
    await client.POST('/vendors', { body: { name: 'Oak' } })
    assert.deepEqual(await labels({ after: end, limit: 1 }), ['vendor.created Oak'])
    assert.equal(await feedEnd(client), end + 1)
  })

  it('moves on past what one did not ask for', async () => {
    const pages = await Array.fromAsync(eventPages(client, { types: ['task.deleted'] }))
    assert.deepEqual(
      pages.map(({ data }) => data),
      [[]],
    )
    assert.ok(pages[0]!.meta.next_after >= 5)
  })

  it('is followed until one has had enough, over a break of the connection too', async () => {
    const ending = new AbortController()
    const cut = { next: false }
    const { fetch } = watchedFetch((_, send) => (cut.next ? Promise.reject(new TypeError('fetch failed')) : send()))
    const following = workspaceClient({ baseUrl, token: shop.owner.token, fetch })
    const told: (string | null)[] = []
    const reader = (async () => {
      for await (const { subject } of events(following, { types: ['vendor.created'], follow: 0.05, signal: ending.signal })) {
        told.push(subject.label)
        if (subject.label === 'Fir') ending.abort(new Error('Enough.'))
      }
    })()
    while (told.at(-1) !== 'Oak') await Promise.race([reader, new Promise((resolve) => setTimeout(resolve, 10))])
    cut.next = true
    await client.POST('/vendors', { body: { name: 'Elm' } })
    setTimeout(() => (cut.next = false), 200)
    await client.POST('/vendors', { body: { name: 'Fir' } })
    await assert.rejects(reader, { message: 'Enough.' })
    assert.deepEqual(told, ['Ash', 'Birch', 'Cedar', 'Dogwood', 'Oak', 'Elm', 'Fir'])
  })

  it('says when events are no longer kept', async () => {
    await world.sql('UPDATE event_feeds SET floor = 3 WHERE tenant_id = $1', [shop.id])
    await assert.rejects(labels({ after: 1 }), (error: ApiError) => error.status === 410 && error.code === 'GONE')
  })
})

describe('realtime', () => {
  const heard: Notification[] = []
  let ada: Awaited<ReturnType<Workspace['user']>>

  before(async () => (ada = await firm.user(['tasks.view'], 'Ada')))

  it('tells notifications over pusher-js, until it is closed', async () => {
    const { pusher, close } = await realtime(workspaceClient({ baseUrl, token: ada.token }), Pusher, {
      onNotification: (notification) => heard.push(notification),
    })
    for (const [n, title] of ['Call', 'Write'].entries()) {
      await firm.owner.post('/tasks', { title, assigned_to: ada.id })
      await world.drain()
      while (heard.length === n) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    assert.deepEqual(
      heard.map(({ type, unread_count }) => [type, unread_count]),
      [
        ['task.assigned', 1],
        ['task.assigned', 2],
      ],
    )
    close()
    assert.equal(pusher.connection.state, 'disconnected')
  })

  it('tells what happens to the records that one may see', async () => {
    const occurred: Occurred[] = []
    const { close } = await realtime(client, Pusher, { onEvents: (some) => occurred.push(some) })
    const { data } = await client.POST('/vendors', { body: { name: 'Fir' } })
    const seen = () => occurred.flatMap(({ events }) => events).find(({ type }) => type === 'vendor.created')
    while (!seen()) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.partialDeepStrictEqual(seen(), { subject: { type: 'vendor', id: data.id } })
    close()
  })

  it('waits no longer than one wants for a service that can’t be reached', async () => {
    const { fetch } = watchedFetch(async (_, send) => {
      const reply = await send()
      if (!reply.url.endsWith('/config')) return reply
      return new Response(
        JSON.stringify({ ...((await reply.json()) as object), data: { key: 'a', host: '127.0.0.1', port: 1, scheme: 'http' } }),
      )
    })
    const lost = workspaceClient({ baseUrl, token: ada.token, fetch })
    const signal = AbortSignal.timeout(300)
    await assert.rejects(realtime(lost, Pusher, { onEvents() {}, signal }), { name: 'TimeoutError' })
  })

  it('refuses whoever is nobody, and API keys', async () => {
    const { key } = (await ada.post('/api-keys', { name: 'Watch', scopes: ['*'] })).body.data
    world.secret(key)
    await assert.rejects(realtime(workspaceClient({ baseUrl }), Pusher, { onNotification() {} }), { code: 'UNAUTHENTICATED' })
    await assert.rejects(realtime(workspaceClient({ baseUrl, token: key }), Pusher, { onNotification() {} }), {
      status: 403,
      code: 'KEY_NOT_ALLOWED',
    })
  })
})
