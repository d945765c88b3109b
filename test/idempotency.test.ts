/** `Idempotency-Key` on every POST: one effect, one reply, for 24 hours. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Client, PASSWORD, startTest, type Workspace } from './harness.ts'
import { operator } from './operator.ts'

const world = await startTest()
let acme: Workspace
let keys = 0
const newKey = () => `key-${++keys}`
const vendor = (who: Client, key: string, body: unknown, path = '/vendors') =>
  who.post(path, body, { headers: { 'idempotency-key': key } })
const count = async (name: string) => Number((await world.sql('SELECT count(*) FROM vendors WHERE name = $1', [name]))[0].count)

before(async () => {
  acme = await world.workspace({ modules: ['vendors'] })
})

describe('Idempotency-Key', () => {
  it('replays the reply of the same request, and makes one record', async () => {
    const key = newKey()
    const body = { name: 'Once', phone: '1' }
    const [first, second] = [await vendor(acme.owner, key, body), await vendor(acme.owner, key, body)]
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.deepEqual(second.body, first.body)
    assert.deepEqual([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']], [undefined, 'true'])
    assert.equal(second.headers['content-type'], first.headers['content-type'])
    assert.equal(await count('Once'), 1)
    await acme.owner.put(`/vendors/${first.body.data.id}`, { phone: '2' })
    assert.deepEqual((await vendor(acme.owner, key, body)).body, first.body, 'what was answered, not what is')
  })

  it('refuses another body under the same key', async () => {
    const key = newKey()
    await vendor(acme.owner, key, { name: 'Said first' })
    for (const body of [{ name: 'Said second' }, {}, undefined]) {
      const reply = await vendor(acme.owner, key, body)
      assert.deepEqual([reply.status, Object.keys(reply.body.errors!)], [422, ['Idempotency-Key']])
    }
    assert.equal(await count('Said second'), 0)
    assert.equal((await vendor(acme.owner, key, { name: 'Said first' })).headers['idempotency-replayed'], 'true')
  })

  it('takes a body whose fields come in another order for the same one', async () => {
    const key = newKey()
    const first = await vendor(acme.owner, key, { name: 'Sorted', more: [{ a: { b: 1, c: 2 }, d: 3 }] })
    const second = await vendor(acme.owner, key, { more: [{ d: 3, a: { c: 2, b: 1 } }], name: 'Sorted' })
    assert.deepEqual([second.status, second.headers['idempotency-replayed']], [201, 'true'])
    assert.deepEqual(second.body, first.body)
    assert.equal(await count('Sorted'), 1)
  })

  it('replays what a version before stored, by the body as it came', async () => {
    const key = newKey()
    const body = { phone: '1', name: 'Stored before' }
    const first = await vendor(acme.owner, key, body)
    const [asItCame] = world.services.secrets.signatures('idempotency', JSON.stringify([body, []]))
    await world.sql(
      'UPDATE idempotency_keys SET body_hash = $1 WHERE created_at = (SELECT max(created_at) FROM idempotency_keys)',
      [Buffer.from(asItCame!, 'base64url')],
    )
    assert.deepEqual((await vendor(acme.owner, key, body)).body, first.body)
  })

  it('lets one of many at once do the work', async () => {
    const key = newKey()
    const replies = await Promise.all(Array.from({ length: 8 }, () => vendor(acme.owner, key, { name: 'Rushed' })))
    for (const { status, body } of replies)
      assert.ok(status === 201 || (status === 409 && body.code === 'CONFLICT'), String(status))
    const done = replies.filter((reply) => reply.status === 201)
    assert.equal(done.filter((reply) => !reply.headers['idempotency-replayed']).length, 1)
    assert.equal(new Set(done.map((reply) => reply.body.data.id)).size, 1)
    assert.equal(await count('Rushed'), 1)
    assert.equal((await vendor(acme.owner, key, { name: 'Rushed' })).status, 201)
  })

  it('answers 409 while the first is still at work', async () => {
    const key = newKey()
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    // Requests that write a vendor wait for this transaction.
    const holding = acme.inside(async (ctx) => {
      await sql`LOCK TABLE vendors IN SHARE MODE`.execute(ctx.tx)
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const answered: unknown[] = []
    const slow = () => {
      const reply = vendor(acme.owner, key, { name: 'Slow' })
      reply.then((given) => answered.push(given))
      return reply
    }
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    const first = slow()
    while (!answered.length && (await world.sql(waiting)).length === 0);
    const second = slow()
    while (!answered.length && (await world.sql(waiting)).length < 2); // two waiting: the second was admitted as well
    release.resolve()
    await holding
    assert.deepEqual([(await second).status, (await second).body.code], [409, 'CONFLICT'])
    assert.equal((await first).status, 201)
    assert.deepEqual((await vendor(acme.owner, key, { name: 'Slow' })).body, (await first).body)
    assert.equal(await count('Slow'), 1)
  })

  it('belongs to an actor, a method and a path', async () => {
    const key = newKey()
    const body = { name: 'Scoped' }
    const colleague = await acme.user(['vendors.create', 'vendors.update', 'roles.create'])
    const other = await world.workspace({ modules: ['vendors'] })
    const ids = []
    for (const who of [acme.owner, colleague, other.owner]) {
      const reply = await vendor(who, key, body)
      assert.deepEqual([reply.status, reply.headers['idempotency-replayed']], [201, undefined])
      ids.push(reply.body.data.id)
    }
    assert.equal(await count('Scoped'), 3)
    const role = await vendor(acme.owner, key, { name: 'Scoped', permissions: [] }, '/roles')
    assert.deepEqual([role.status, role.headers['idempotency-replayed']], [201, undefined])
    for (const phone of ['1', '2']) {
      const saved = await acme.owner.put(`/vendors/${ids[0]}`, { phone }, { headers: { 'idempotency-key': key } })
      assert.deepEqual([saved.status, saved.body.data.phone], [200, phone], 'only POST looks at it')
    }
    const tenant = { company_name: 'Scoped', email: 'scoped@x.test' }
    const made = [await vendor(world.admin, key, tenant, '/tenants'), await vendor(world.admin, key, tenant, '/tenants')]
    assert.deepEqual(made[1]!.body, made[0]!.body, 'on the platform too')
  })

  it('keeps nothing of a request that failed', async () => {
    const key = newKey()
    const powerless = await acme.user(['vendors.view'])
    assert.equal((await vendor(powerless, key, { name: 'Tried' })).status, 403)
    assert.equal((await vendor(acme.owner, key, { name: '' })).status, 422)
    assert.equal((await vendor(acme.owner, key, { name: 'Tried' }, '/vendors/999999/restore')).status, 404)
    const done = await vendor(acme.owner, key, { name: 'Tried' })
    assert.deepEqual([done.status, done.headers['idempotency-replayed']], [201, undefined])
    const again = await vendor(acme.owner, key, { name: '' })
    assert.deepEqual(Object.keys(again.body.errors!), ['Idempotency-Key'], 'the key is judged before the body')
  })

  it('is looked at after who asks: a reply is not replayed to somebody who may no longer', async () => {
    const key = newKey()
    const person = await acme.user(['vendors.create'])
    assert.equal((await vendor(person, key, { name: 'Mine' })).status, 201)
    await world.sql(
      `UPDATE roles SET permissions = '{}' WHERE id IN (SELECT role_id FROM user_roles WHERE user_id = $1 AND tenant_id = $2)`,
      [person.id, acme.id],
    )
    assert.equal((await vendor(person, key, { name: 'Mine' })).status, 403)
  })

  it('has 1 to 255 characters', async () => {
    for (const key of ['', 'k'.repeat(256)]) assert.equal((await vendor(acme.owner, key, { name: 'Unkeyed' })).status, 400)
    assert.equal((await vendor(acme.owner, 'k'.repeat(255), { name: 'Longest' })).status, 201)
    assert.equal((await vendor(acme.owner, 'clé 🔑'.normalize(), { name: 'Odd' })).status < 500, true)
    assert.equal(await count('Unkeyed'), 0)
  })

  it('keeps replies sealed: a token that is shown once stays secret in the database', async () => {
    const clerk = await acme.user([])
    const begin = () =>
      acme.owner.post(`/users/${clerk.id}/impersonate`, { reason: 'Sealed replies' }, { headers: { 'idempotency-key': 'once' } })
    const token: string = (await begin()).body.data.target_token
    assert.equal((await begin()).body.data.target_token, null)
    const rows = await world.sql('SELECT reply FROM idempotency_keys')
    assert.ok(rows.length > 5)
    for (const { reply } of rows) assert.ok(!reply.includes(token.split('|')[1]) && !reply.includes('"status"'))
  })

  it('keeps what was sent as a keyed digest: a password in it can’t be guessed from the database', async () => {
    const body = { old_password: 'wrong', password: PASSWORD, password_confirmation: PASSWORD, revoke_other_sessions: false }
    const [person, key] = [await operator(world, []), newKey()]
    const change = { ...body, old_password: PASSWORD }
    assert.equal((await person.post('/me/change-password', change, { headers: { 'idempotency-key': key } })).status, 200)
    const plain = createHash('sha256')
      .update(JSON.stringify([change, []]))
      .digest()
    const rows = await world.sql('SELECT body_hash FROM idempotency_keys')
    assert.ok(rows.length && rows.every(({ body_hash }) => !plain.equals(body_hash)))
  })

  it('counts files as part of the body', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const form = (more: string) => {
      const data = new FormData()
      data.append('company_name', 'Pictured')
      data.append('email', 'p@x.test')
      data.append('logo', new Blob([Buffer.concat([Buffer.from(png, 'base64'), Buffer.from(more)])]), 'logo.png')
      return data
    }
    const key = newKey()
    assert.equal((await vendor(world.admin, key, form(''), '/tenants')).status, 201)
    assert.equal((await vendor(world.admin, key, form('other'), '/tenants')).status, 422)
  })

  it('is free again after 24 hours', async () => {
    const start = Date.parse(world.clock.now())
    const at = (ms: number) => world.clock.set(new Date(start + ms).toISOString())
    const key = newKey()
    at(0)
    const first = await vendor(acme.owner, key, { name: 'Daily' })
    at(24 * 3600 * 1000 - 1)
    assert.equal((await vendor(acme.owner, key, { name: 'Daily' })).body.data.id, first.body.data.id)
    at(24 * 3600 * 1000)
    const next = await vendor(acme.owner, key, { name: 'Daily', phone: '2' })
    assert.deepEqual([next.status, next.headers['idempotency-replayed']], [201, undefined])
    assert.notEqual(next.body.data.id, first.body.data.id)
    const replay = await vendor(acme.owner, key, { name: 'Daily', phone: '2' })
    assert.equal(replay.body.data.id, next.body.data.id, 'and is taken again from then')
  })
})
