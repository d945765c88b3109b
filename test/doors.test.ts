/**
 * Kernel features beyond JSON in one transaction: auth strategies, other replies, steps, savepoints, entering a workspace,
 * events, installation seeds, lookup tables. The module doors in test/fixtures/modules uses each once.
 */
// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, beforeEach, describe, it } from 'node:test'
import type { Ctx } from '#kernel/context.ts'
import { signatureOf } from '#kernel/http/signature.ts'
import { findSubject, labelsOf } from '#kernel/modules/subjects.ts'
import { installAll, seedWhatIsNew } from '#platform/tenants/public.ts'
import { happened } from './fixtures/modules/workspace/doors/doors.ts'
import { startTest, type Workspace } from './harness.ts'

const world = await startTest({ roots: [join(import.meta.dirname, 'fixtures/modules')] })
let house: Workspace
let other: Workspace

const front = async (of: Workspace) =>
  (await of.owner.get('/doors')).body.data.find((door: { is_front: boolean }) => door.is_front)
const hang = async (name: string, of = house) => (await of.owner.post('/doors', { name })).body.data
const opened = async ({ uuid }: { uuid: string }, of = house) => (await of.owner.get(`/doors/${uuid}`)).body.data.opened

before(async () => {
  house = await world.workspace({ modules: ['doors', 'bells'] })
  other = await world.workspace({ modules: ['doors'] })
})

describe('a small table', () => {
  it('is found by uuid in its workspace, in order; a malformed one is unknown', async () => {
    const back = await hang('Back')
    const list = await house.owner.get('/doors')
    assert.deepEqual(
      list.body.data.map((door: { name: string }) => door.name),
      ['Back', 'Front'],
    )
    assert.equal((await other.owner.get(`/doors/${back.uuid}`)).status, 404)
    for (const odd of ['1', 'x', '00000000-0000-0000-0000-00000000000', `${back.uuid}0`])
      assert.equal((await house.owner.get(`/doors/${odd}`)).status, 404)
    const saved = await house.owner.put(`/doors/${back.uuid}`, { name: 'Garden' })
    assert.equal(saved.body.data.name, 'Garden')
    assert.match(String(saved.headers.etag), new RegExp(`^"${back.id}-2-`))
    const taken = await house.owner.put(`/doors/${back.uuid}`, { name: 'Front' })
    assert.deepEqual([taken.status, Object.keys(taken.body.errors!)], [422, ['name']])
    assert.equal((await house.owner.del(`/doors/${(await front(house)).uuid}`)).body.errors?.door?.length, 1)
    assert.equal((await house.owner.del(`/doors/${back.uuid}`)).status, 200)
    assert.equal((await house.owner.get(`/doors/${back.uuid}`)).status, 404)
  })
})

describe('an installation', () => {
  it('brings its seeds once, and everyday work in it to the role member', async () => {
    const bare = await world.workspace({ modules: [] })
    const member = async () => (await bare.owner.get('/roles', { query: { search: 'member' } })).body.data[0].permissions
    assert.equal((await member()).includes('doors.view'), false)
    await installAll(world.services, bare.id, ['doors'])
    assert.equal((await bare.owner.get('/doors')).body.meta.total, 1)
    for (const everyday of ['doors.view', 'doors.create', 'doors.update'])
      assert.ok((await member()).includes(everyday), everyday)
    assert.equal((await member()).includes('doors.delete'), false)
  })

  it('is made up for in workspaces that had the module before it brought anything', async () => {
    const early = await world.workspace({ modules: ['doors'] })
    await world.sql('DELETE FROM doors WHERE tenant_id = $1', [early.id])
    await world.sql('UPDATE module_subscriptions SET seeded_version = NULL WHERE tenant_id = $1', [early.id])
    await seedWhatIsNew(world.services)
    await world.drain()
    assert.equal((await early.owner.get('/doors')).body.meta.total, 1)
    await seedWhatIsNew(world.services)
    await world.drain()
    assert.equal((await early.owner.get('/doors')).body.meta.total, 1)
  })
})

describe('an auth strategy of a module', () => {
  const through = (uuid: string, body: string, headers: Record<string, string>) =>
    world.root.post(`/api/tenant/v1/doors/through/${uuid}`, body, { headers: { 'content-type': 'application/json', ...headers } })
  const now = () => Math.floor(Date.parse(world.clock.now()) / 1000)

  it('lets in by key or by signature of the very bytes, and nobody else', async () => {
    const { uuid } = await front(house)
    const body = '{ "who":  "Ann" }'
    const signed = { 'x-service-signature': signatureOf('the secret', now(), body) }
    for (const headers of [{ authorization: 'Bearer the secret' }, signed]) {
      const reply = await through(uuid, body, headers as {})
      assert.deepEqual([reply.status, reply.body.data.who], [200, 'Ann'], reply.body.message)
    }
    const refused: { sent: string; headers: Record<string, string> }[] = [
      { sent: body, headers: {} },
      { sent: body, headers: { authorization: 'Bearer the secre' } },
      { sent: body, headers: { authorization: `Bearer ${house.owner.token}` } },
      { sent: '{"who":"Ann"}', headers: signed },
      { sent: body, headers: { 'x-service-signature': signatureOf('another', now(), body) } },
      { sent: body, headers: { 'x-service-signature': signatureOf('the secret', now() - 301, body) } },
      { sent: body, headers: { 'x-service-signature': 'v1=00' } },
      { sent: 'not json', headers: {} },
    ]
    for (const { sent, headers } of refused)
      assert.equal((await through(uuid, sent, headers)).status, sent === 'not json' ? 400 : 401)
    assert.equal((await through(crypto.randomUUID(), body, signed)).status, 404)
    assert.equal((await through(uuid, '{}', { authorization: 'Bearer the secret' })).status, 422)
  })

  it('is closed with its workspace, and where its module is not installed', async () => {
    const guest = await world.workspace({ modules: ['doors'] })
    const { uuid } = await front(guest)
    const come = () => through(uuid, '{"who":"Ann"}', { authorization: 'Bearer the secret' })
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [guest.id])
    assert.equal((await come()).body.code, 'WORKSPACE_SUSPENDED')
    await world.sql(`UPDATE tenants SET status = 'active' WHERE id = $1`, [guest.id])
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1`, [guest.id])
    assert.equal((await come()).body.code, 'MODULE_NOT_INSTALLED')
  })
})

describe('replies of other kinds', () => {
  const at = (path: string) => `/api/tenant/v1/doors${path}`

  it('are pages, with a policy that lets no foreign script in, and errors that are pages too', async () => {
    const reply = await world.root.get(at('/page?name=%3Cb%3EAnn'))
    const text = reply.raw.toString()
    assert.equal(reply.status, 200)
    assert.match(String(reply.headers['content-type']), /^text\/html/)
    assert.match(String(reply.headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
    assert.ok(text.includes('&lt;b&gt;Ann') && !text.includes('<b>Ann'))
    const wrong = await world.root.get(at('/page?name=nobody'))
    assert.deepEqual([wrong.status, /text\/html/.test(String(wrong.headers['content-type']))], [422, true])
    assert.ok(wrong.raw.toString().includes('Nobody &lt;lives&gt; here.'))
    const head = await world.app.inject({ method: 'HEAD', url: at('/page?name=Ann') })
    assert.partialDeepStrictEqual(head, { statusCode: 200, payload: '' })
  })

  it('are redirects, bare bodies, forms, a meta of their own, and bodies on DELETE', async () => {
    const away = await world.root.get(at('/away'))
    assert.deepEqual(
      [away.status, away.headers.location, away.headers['cache-control']],
      [302, 'https://example.com/there', 'private, no-store'],
    )
    assert.equal((await world.root.get(at('/challenge?challenge=42'))).raw.toString(), '42')
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const auth = await world.root.post(at('/auth'), 'socket_id=1.2&x=y', form)
    assert.deepEqual(auth.body as unknown, { auth: '1.2' })
    assert.equal((await house.owner.post('/doors', 'name=Form', form)).status, 415)
    world.clock.set('2026-11-21T10:00:00.000Z')
    assert.deepEqual((await house.owner.get('/doors/today')).body, {
      status: 'success',
      message: 'OK',
      data: null,
      meta: { today: '2026-11-21' },
    })
    const deleted = await world.app.inject({
      method: 'DELETE',
      url: at('/locks'),
      headers: { authorization: `Bearer ${house.owner.token}` },
      payload: { why: 'rust' },
    })
    assert.deepEqual([deleted.statusCode, deleted.json().data], [200, { why: 'rust' }])
  })
})

describe('work in several transactions', () => {
  const slowly = (name: string, key?: string, who = house.owner) =>
    who.post('/doors/open-slowly', { name }, key ? { headers: { 'idempotency-key': key } } : {})

  it('answers by its last one', async () => {
    const side = await hang('Side')
    assert.deepEqual((await slowly('Side')).body.data, { told: ['doors', 'bells'] })
    assert.equal(await opened(side), 1)
  })

  it('is done once under an Idempotency-Key: a claim first, the reply with the last write', async () => {
    const attic = await hang('Attic')
    const replies = await Promise.all([1, 2, 3].map(() => slowly('Attic', 'attic')))
    const done = replies.filter(({ status }) => status === 200)
    assert.ok(done.length && replies.every(({ status }) => status === 200 || status === 409), JSON.stringify(replies))
    assert.equal(done.filter(({ headers }) => !headers['idempotency-replayed']).length, 1)
    const again = await slowly('Attic', 'attic')
    assert.deepEqual([again.status, again.headers['idempotency-replayed'], await opened(attic)], [200, 'true', 1])
    assert.deepEqual(Object.keys((await slowly('Side', 'attic')).body.errors!), ['Idempotency-Key'])
  })

  it('gives its claim back when it fails, and loses it to time when its process died', async () => {
    const stuck = await hang('Stuck')
    assert.equal((await slowly('Stuck', 'stuck')).status, 422)
    await world.sql(`UPDATE doors SET name = 'Loose' WHERE id = $1`, [stuck.id])
    assert.equal((await slowly('Loose', 'stuck')).status, 200, 'the key is free, for another body too')
    await world.sql(
      `UPDATE idempotency_keys SET status = NULL, reply = NULL, claim = gen_random_uuid(), claimed_until = $1 WHERE tenant_id = $2`,
      [new Date(Date.parse(world.clock.now()) + 60_000).toISOString(), house.id],
    )
    assert.equal((await slowly('Loose', 'stuck')).status, 409)
    await world.sql(`UPDATE idempotency_keys SET claimed_until = $1 WHERE tenant_id = $2`, [world.clock.now(), house.id])
    assert.equal((await slowly('Loose', 'stuck')).status, 200)
  })
})

describe('parts of a transaction', () => {
  beforeEach(() => void happened.splice(0))

  it('fail alone: what they wrote is undone, the others stand', async () => {
    const many = [await hang('One'), await hang('Two'), await hang('Three')]
    const ids = many.map(({ id }) => id)
    const failed = ids.filter((id) => id % 2)
    const reply = await house.owner.post('/doors/open-all', { ids })
    assert.deepEqual(reply.body.data, { failed })
    assert.deepEqual(
      await Promise.all(many.map((door) => opened(door))),
      ids.map((id) => (id % 2 ? 0 : 1)),
    )
    const told = [
      ...ids.filter((id) => id % 2).map((id) => `closed ${id}`),
      ...ids.filter((id) => id % 2 === 0).map((id) => `opened ${id}`),
    ]
    assert.deepEqual(happened.toSorted(), told.toSorted())
  })

  it('enter a workspace from the public side, and leave it', async () => {
    const door = await front(house)
    const reply = await world.root.post(`/api/tenant/v1/doors/knock/${door.uuid}`)
    const all = await world.sql('SELECT DISTINCT tenant_id FROM doors')
    assert.deepEqual(reply.body.data, { inside: 1, outside: all.length })
    assert.equal(await opened(door), door.opened + 1)
  })
})

describe('an event', () => {
  it('is told to installed modules alone, required ones first; one that throws undoes the request', async () => {
    const loud = await world.workspace({ modules: ['doors', 'bells', 'chimes'] })
    const hall = await hang('Hall', loud)
    const open = () => loud.owner.post('/doors/open-slowly', { name: 'Hall' })
    assert.deepEqual((await open()).body.data, { told: ['doors', 'bells', 'chimes'] })
    assert.equal((await open()).status, 500)
    assert.equal(await opened(hall, loud), 1)
    const quiet = await hang('Hall', other)
    for (let times = 0; times < 2; times++)
      assert.equal((await other.owner.post('/doors/open-slowly', { name: 'Hall' })).status, 200)
    assert.equal(await opened(quiet, other), 2)
  })
})

describe('a subject', () => {
  it('is found and labelled as far as the reader may see it', async () => {
    const firm = await world.workspace({ modules: ['vendors', 'trucks', 'repair-shops'] })
    const driver = await firm.user(['trucks.view'], 'Dora Driver')
    const vendor = (await firm.owner.post('/vendors', { name: 'Paper & Co' })).body.data
    const mine = (await firm.owner.post('/trucks', { plate: 'A 1', name: 'Van', assigned_to: driver.id })).body.data
    const theirs = (await firm.owner.post('/trucks', { plate: 'A 2', name: 'Lorry' })).body.data
    const named = [
      { type: 'vendor', id: vendor.id },
      { type: 'truck', id: mine.id },
      { type: 'truck', id: theirs.id },
      { type: 'truck', id: 999_999 },
    ] as const
    const labels = (ctx: Ctx) => labelsOf(ctx, [...named])
    const all = { [`vendor ${vendor.id}`]: 'Paper & Co', [`truck ${mine.id}`]: 'Van', [`truck ${theirs.id}`]: 'Lorry' }
    assert.deepEqual(Object.fromEntries(await firm.inside(labels)), all)
    const asDriver = (ctx: Ctx): Ctx => ({
      ...ctx,
      can: (name) => name === 'trucks.view',
      actor: { ...ctx.actor, id: driver.id },
    })
    assert.deepEqual([...(await firm.inside((ctx) => labels(asDriver(ctx)))).values()], ['Van'])
    const bare = (ctx: Ctx): Ctx => ({ ...ctx, entitled: (key) => key === 'vendors' })
    assert.deepEqual([...(await firm.inside((ctx) => labels(bare(ctx)))).values()], ['Paper & Co'])
    assert.equal((await firm.inside((ctx) => findSubject(ctx, 'truck', theirs.id))).title, 'Lorry')
    for (const id of [theirs.id, 999_999])
      await assert.rejects(
        firm.inside((ctx) => findSubject(asDriver(ctx), 'truck', id)),
        { status: 404 },
      )
    await assert.rejects(
      other.inside((ctx) => findSubject({ ...ctx, entitled: () => true }, 'vendor', vendor.id)),
      { status: 404 },
    )
  })
})

describe('a session that changed since it was remembered', () => {
  it('repeats the request and commits it once, or refuses it', async () => {
    const person = await house.user(['doors.view', 'doors.create', 'doors.update'])
    assert.equal((await person.get('/doors')).status, 200) // cached
    for (let round = 0; round < 3; round++) {
      await house.user([]) // another role: invalidates every cached session of the workspace
      const made = await person.post('/doors', { name: `Round ${round}` })
      assert.equal(made.status, 201, made.body.message)
    }
    const total = (await house.owner.get('/doors', { query: { per_page: 100 } })).body.data.filter((door: { name: string }) =>
      door.name.startsWith('Round'),
    )
    assert.equal(total.length, 3)
    await world.sql(
      `UPDATE roles SET permissions = '{doors.view}' WHERE id IN (SELECT role_id FROM user_roles WHERE tenant_id = $1 AND user_id = $2)`,
      [house.id, person.id],
    )
    assert.equal((await person.post('/doors', { name: 'Too late' })).status, 403)
    await world.sql('UPDATE users SET suspended_at = now() WHERE tenant_id = $1 AND id = $2', [house.id, person.id])
    assert.equal((await person.get('/doors')).body.code, 'USER_SUSPENDED')
    await world.sql('DELETE FROM access_tokens WHERE tenant_id = $1 AND user_id = $2', [house.id, person.id])
    for (const path of ['/doors', '/doors?page=x', '/doors/not-an-id']) assert.equal((await person.get(path)).status, 401)
  })
})
