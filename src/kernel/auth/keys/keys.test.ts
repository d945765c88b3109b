/**
 * API keys and service accounts in both APIs: permissions of a key, actions closed to keys, expiry, and audit entries and mails.
 */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { sessionFor } from '#kernel/jobs/entering.ts'
import { member, officer } from '#test/accounts.ts'
import { type Client, type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { mailedToken, mailsTo, operator } from '#test/operator.ts'

const world = await startTest({ env: { TRUST_PROXY: '1' } })
const START = '2027-03-01T09:00:00.000Z'
const HOUR = 3_600_000
let acme: Workspace
let other: Workspace

before(async () => {
  acme = await world.workspace({ modules: ['vendors', 'leads', 'contacts', 'companies', 'opportunities'], name: 'Acme' })
  other = await world.workspace({ modules: ['vendors'], name: 'Other' })
})
beforeEach(async () => {
  world.clock.set(START)
  await world.sql('DELETE FROM rate_limits')
})

const later = (ms: number) => world.clock.set(new Date(Date.parse(START) + ms).toISOString())

async function make(by: Client, scopes: string[], more: object = {}, path = '/api-keys') {
  const { status, body } = await by.post(path, { name: 'Shop', scopes, ...more })
  assert.equal(status, 201, body.message)
  world.secret(body.data.key)
  return body.data as { id: number; key: string; prefix: string }
}
const clientWith = async (by: Person, scopes: string[], more: object = {}) => world.tenant((await make(by, scopes, more)).key)

function refused({ status, body }: Reply, expected: number, code: string) {
  assert.deepEqual([status, body.code], [expected, code], body.message)
}
function wrong({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}
const events = async (tenant: number) =>
  (await world.sql('SELECT event FROM audit_logs WHERE tenant_id = $1 ORDER BY id', [tenant])).map(({ event }) => event)

describe('the keys of an account', () => {
  /** Inserts further keys for an account by SQL. */
  const more = (of: Person, count: number, { revoked_at = null as string | null, expires_at = null as string | null }) =>
    world.sql(
      `INSERT INTO api_keys (tenant_id, user_id, name, scopes, prefix, secret_hash, created_by, created_at, revoked_at, expires_at)
       SELECT $1, $2, 'One of many', '{read}', '', '', $2, $3, $4, $5 FROM generate_series(1, $6)`,
      [acme.id, of.id, START, revoked_at, expires_at, count],
    )

  it('that are live are all listed, however many have ended since', async () => {
    const person = await acme.user(['vendors.view'])
    const { id } = await make(person, ['read'])
    await more(person, 1000, { revoked_at: START })
    const { data } = (await person.get('/api-keys')).body
    assert.deepEqual([data.length, data.at(-1).id], [1000, id])
    assert.ok(data[0].id > data[1].id, 'the newest first')
  })

  it('may be 500, not counted those that have expired', async () => {
    const person = await acme.user(['vendors.view'])
    await more(person, 500, { expires_at: START })
    await make(person, ['read'])
    await more(person, 499, {})
    wrong(await person.post('/api-keys', { name: 'x', scopes: ['read'] }), 'name')
  })

  it('are no more than 500 when many are made at once', async () => {
    const person = await acme.user(['vendors.view'])
    await more(person, 499, {})
    const making = Array.from({ length: 8 }, () => person.post('/api-keys', { name: 'x', scopes: ['read'] }))
    const statuses = (await Promise.all(making)).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [201, ...Array(7).fill(422)])
  })
})

describe('making a key', () => {
  it('is told what it can be given: what its maker holds, of what is installed', async () => {
    const clerk = await acme.user(['vendors.view', 'leads.view'])
    const { body } = await clerk.get('/api-keys/scopes')
    assert.deepEqual(body.data.map(({ name, group }: { name: string; group: string }) => [name, group]).sort(), [
      ['leads.view', 'Leads'],
      ['vendors.view', 'Vendors'],
    ])
    const stranger = await other.user(['vendors.view', 'leads.view'])
    const seen = (await stranger.get('/api-keys/scopes')).body.data
    assert.deepEqual(
      seen.map(({ name }: { name: string }) => name),
      ['vendors.view'],
    )
    const { body: central } = await world.admin.get('/api-keys/scopes')
    assert.ok(central.data.some(({ name }: { name: string }) => name === 'tenants.list'))
    refused(await (await clientWith(clerk, ['vendors.view'])).get('/api-keys/scopes'), 403, 'KEY_NOT_ALLOWED')
  })

  it('tells it once, in a form that scanners find, and stores a hash', async () => {
    const made = await make(acme.owner, ['vendors.view'], { expires_at: '2027-04-01T00:00:00Z' })
    assert.match(made.key, /^atr_\d+_[0-9A-Za-z]{38}$/)
    assert.ok(made.key.startsWith(made.prefix) && made.prefix.length < 20)
    const [row] = await world.sql('SELECT row_to_json(api_keys)::text AS stored FROM api_keys WHERE id = $1', [made.id])
    assert.ok(!row.stored.includes(made.key.slice(-38)))
    const [shown] = (await acme.owner.get('/api-keys')).body.data
    assert.deepEqual(Object.keys(shown).sort(), [
      'allowed_networks',
      'created_at',
      'expires_at',
      'id',
      'last_used_at',
      'last_used_ip',
      'name',
      'prefix',
      'revoked_at',
      'scopes',
    ])
    assert.deepEqual([shown.scopes, shown.expires_at, shown.last_used_at], [['vendors.view'], '2027-04-01T00:00:00.000Z', null])
  })

  it('is mailed to whose it is; of a service account there is nobody', async () => {
    const person = await acme.user(['vendors.view'])
    await make(person, ['read'])
    const { id: own } = (await person.get('/api-keys')).body.data[0]
    const { key } = (await person.post(`/api-keys/${own}/rotate`, { overlap_hours: 1 })).body.data
    world.secret(key)
    const [ofRotation, mail] = await mailsTo(world, person.email)
    assert.match(ofRotation!.body_text, /got another secret/)
    assert.partialDeepStrictEqual(mail, {
      notification_type: 'auth.api_key.created',
      subject: 'Security of your account – Acme',
    })
    assert.match(mail!.body_text, /An API key was made for your account/)
    const mails = () => world.sql('SELECT id FROM email_logs')
    const before = await mails()
    const { id } = (await acme.owner.post('/service-accounts', { name: 'Unmailed' })).body.data
    await make(acme.owner, ['read'], {}, `/service-accounts/${id}/keys`)
    assert.deepEqual(await mails(), before)
  })

  it('is not told again by a replay of the reply', async () => {
    const options = { headers: { 'idempotency-key': 'once' } }
    const body = { name: 'Replayed', scopes: ['read'] }
    const first = await acme.owner.post('/api-keys', body, options)
    world.secret(first.body.data.key)
    const again = await acme.owner.post('/api-keys', body, options)
    assert.deepEqual([again.body.data.id, again.body.data.key], [first.body.data.id, null])
  })

  it('names each wrong field', async () => {
    wrong(await acme.owner.post('/api-keys', {}), 'name', 'scopes')
    for (const scopes of [[], 'read', ['nonsense'], ['tenants.list'], [7]])
      assert.equal((await acme.owner.post('/api-keys', { name: 'x', scopes })).status, 422)
    for (const allowed_networks of [['here'], ['10.0.0.0/33'], ['::/129'], ['10.0.0.0/8/8'], '10.0.0.0/8'])
      assert.equal((await acme.owner.post('/api-keys', { name: 'x', scopes: ['read'], allowed_networks })).status, 422)
    for (const expires_at of ['tomorrow', '2020-01-01T00:00:00Z', 7])
      wrong(await acme.owner.post('/api-keys', { name: 'x', scopes: ['read'], expires_at }), 'expires_at')
    const { id } = await make(acme.owner, ['read'])
    for (const overlap_hours of [-1, 169, 1.5, 'x'])
      wrong(await acme.owner.post(`/api-keys/${id}/rotate`, { overlap_hours }), 'overlap_hours')
  })

  it('gives nobody a scope that they lack', async () => {
    const clerk = await acme.user(['vendors.view'])
    wrong(await clerk.post('/api-keys', { name: 'x', scopes: ['vendors.view', 'vendors.delete'] }), 'scopes')
    await make(clerk, ['vendors.view', 'read', '*'])
  })

  it('is everybody’s own: a neighbour’s key can’t be seen, changed or ended', async () => {
    const { id } = await make(acme.owner, ['read'])
    for (const stranger of [await acme.user([]), other.owner]) {
      assert.deepEqual((await stranger.get('/api-keys')).body.data, [])
      refused(await stranger.put(`/api-keys/${id}`, { name: 'mine' }), 404, 'NOT_FOUND')
      refused(await stranger.post(`/api-keys/${id}/rotate`, {}), 404, 'NOT_FOUND')
      refused(await stranger.del(`/api-keys/${id}`), 404, 'NOT_FOUND')
    }
  })
})

describe('a key may', () => {
  it('what its actor may and its scopes say, and nothing else', async () => {
    const clerk = await acme.user(['vendors.view', 'vendors.create', 'leads.view'])
    const { id } = (await acme.owner.post('/vendors', { name: 'Vendor' })).body.data
    const statuses = async (scopes: string[]) => {
      const by = await clientWith(clerk, scopes)
      const replies = [
        await by.get('/vendors'),
        await by.post('/vendors', { name: 'Made' }),
        await by.del(`/vendors/${id}`),
        await by.get('/leads'),
      ]
      return replies.map(({ status }) => status)
    }
    assert.deepEqual(await statuses(['vendors.view']), [200, 403, 403, 403])
    assert.deepEqual(await statuses(['vendors.create']), [403, 201, 403, 403])
    assert.deepEqual(await statuses(['read']), [200, 403, 403, 200])
    assert.deepEqual(await statuses(['*']), [200, 201, 403, 200])
  })

  it('with its owner no more than its scopes say, though the owner passes every gate', async () => {
    const by = await clientWith(acme.owner, ['vendors.view'])
    assert.equal((await by.get('/vendors')).status, 200)
    refused(await by.post('/vendors', { name: 'x' }), 403, 'FORBIDDEN')
    refused(await by.get('/users'), 403, 'FORBIDDEN')
    refused(await by.get('/settings'), 403, 'FORBIDDEN')
    const all = await clientWith(acme.owner, ['*'])
    assert.equal((await all.get('/settings')).status, 200)
    assert.equal((await all.post('/vendors', { name: 'By key' })).status, 201)
  })

  it('say who it is at /me', async () => {
    const by = await clientWith(acme.owner, ['vendors.view'])
    const me = await by.get('/me')
    assert.equal(me.status, 200, me.body.message)
    const { actor, workspace, scopes, modules } = me.body.data
    assert.deepEqual([actor.id, actor.type, workspace.slug, scopes], [acme.owner.id, 'user', 'acme', ['vendors.view']])
    assert.ok(modules.includes('vendors') && !modules.includes('email'))
  })

  it('read what needs no permission by the scope read, and write it by *', async () => {
    const narrow = await clientWith(acme.owner, ['vendors.view'])
    refused(await narrow.get('/notifications'), 403, 'FORBIDDEN')
    const reader = await clientWith(acme.owner, ['read'])
    assert.equal((await reader.get('/notifications')).status, 200)
    refused(await reader.post('/notifications/read-all'), 403, 'FORBIDDEN')
    assert.equal((await (await clientWith(acme.owner, ['*'])).post('/notifications/read-all')).status, 200)
  })

  it('never change accounts, factors and keys, nor work as somebody else', async () => {
    const by = await clientWith(acme.owner, ['*'])
    const { id } = await make(acme.owner, ['read'])
    const account = (await acme.owner.post('/service-accounts', { name: 'Robot' })).body.data
    const clerk = await acme.user([])
    const attempts = [
      by.put('/me', { name: 'Taken' }),
      by.post('/me/change-password', {}),
      by.get('/me/sessions'),
      by.post('/auth/logout', {}),
      by.get('/me/passkeys'),
      by.get('/me/two-factor'),
      by.get('/api-keys'),
      by.post('/api-keys', { name: 'x', scopes: ['read'] }),
      by.post(`/api-keys/${id}/rotate`, {}),
      by.del(`/api-keys/${id}`),
      by.post('/service-accounts', { name: 'Another' }),
      by.post(`/service-accounts/${account.id}/keys`, { name: 'x', scopes: ['read'] }),
      by.post(`/users/${clerk.id}/impersonate`, { reason: 'just because' }),
      by.post('/broadcasting/auth', { socket_id: '1.1', channel_name: `private-tenant.${acme.id}.user.${acme.owner.id}` }),
    ]
    for (const reply of await Promise.all(attempts)) if (reply.status !== 404) refused(reply, 403, 'KEY_NOT_ALLOWED')
    const own = await by.put(`/users/${acme.owner.id}`, { email: 'thief@acme.test' })
    assert.ok([403, 422].includes(own.status), own.body.message)
  })

  it('not undo what its owner did to many in person, where a key may do it to none', async () => {
    const { id } = (await acme.owner.post('/service-accounts', { name: 'Robot' })).body.data
    const { batch_id } = (await acme.owner.post('/service-accounts/bulk', { ids: [id], action: 'delete' })).body.data
    const by = await clientWith(acme.owner, ['*'])
    refused(await by.post(`/bulk/${batch_id}/undo`, {}), 403, 'KEY_NOT_ALLOWED')
    assert.equal((await acme.owner.get(`/service-accounts/${id}`)).status, 404)
    assert.equal((await acme.owner.post(`/bulk/${batch_id}/undo`, {})).body.data.processed, 1)
    const { data } = (await by.get(`/service-accounts/${id}/actions`)).body
    const { allowed, reason } = data.find(({ key }: { key: string }) => key === 'suspendServiceAccount')
    assert.deepEqual([allowed, reason.code], [false, 'KEY_NOT_ALLOWED'])
  })

  it('not give away what its scopes don’t hold, whoever made it', async () => {
    const by = await clientWith(acme.owner, ['users.create', 'users.update', 'users.view'])
    wrong(await by.post('/users', { name: 'Mine', email: 'mine@acme.test', role: ['admin'] }), 'role')
    const admin = await acme.user([])
    await acme.owner.put(`/users/${admin.id}`, { role: ['admin'] })
    wrong(await by.put(`/users/${admin.id}`, { email: 'mine@acme.test' }), 'user')
    wrong(await by.put(`/users/${acme.owner.id}`, { name: 'Mine' }), 'user')
    assert.equal((await by.post('/users', { name: 'Clerk', email: 'clerk@acme.test', role: ['member'] })).status, 201)
  })

  it('open its own API alone, as it was told', async () => {
    const { key } = await make(acme.owner, ['*'])
    refused(await world.central(key).get('/me'), 401, 'UNAUTHENTICATED')
    const platform = await make(world.admin, ['*'])
    refused(await world.tenant(platform.key).get('/me'), 401, 'UNAUTHENTICATED')
    for (const wrong of [
      key.slice(0, -1),
      `${key}x`,
      key.toUpperCase(),
      key.replace(/_(\d+)_/, '_9$1_'),
      key.replace('atr_', ''),
    ])
      refused(await world.tenant(wrong).get('/me'), 401, 'UNAUTHENTICATED')
  })
})

describe('a key ends', () => {
  it('when it is revoked, expired, or its actor is suspended or deleted', async () => {
    const person = await acme.user(['vendors.view'])
    const made = await make(person, ['read'], { expires_at: '2027-03-01T10:00:00Z' })
    const by = world.tenant(made.key)
    assert.equal((await by.get('/vendors')).status, 200)
    later(HOUR)
    refused(await by.get('/vendors'), 401, 'UNAUTHENTICATED')
    later(0)
    assert.equal((await by.get('/vendors')).status, 200)
    await acme.owner.post(`/users/${person.id}/suspend`)
    refused(await by.get('/vendors'), 403, 'USER_SUSPENDED')
    await acme.owner.post(`/users/${person.id}/unsuspend`)
    assert.equal((await by.get('/vendors')).status, 200)
    assert.equal((await person.del(`/api-keys/${made.id}`)).status, 200)
    const refusal = await by.get('/vendors')
    refused(refusal, 401, 'UNAUTHENTICATED')
    assert.match(refusal.body.message, /revoked/)
    assert.equal((await person.del(`/api-keys/${made.id}`)).status, 200, 'again: nothing')
    const second = await make(person, ['read'])
    await acme.owner.del(`/users/${person.id}`)
    refused(await world.tenant(second.key).get('/vendors'), 401, 'UNAUTHENTICATED')
  })

  it('narrower, by its scopes or its actor’s roles, with the reply to that change', async () => {
    const role = (await acme.owner.post('/roles', { name: 'buying', permissions: ['vendors.view', 'vendors.create'] })).body.data
    const person = await acme.user([])
    await acme.owner.put(`/users/${person.id}`, { role: ['buying'] })
    const { id, key } = await make(person, ['*'])
    const by = world.tenant(key)
    assert.equal((await by.post('/vendors', { name: 'One' })).status, 201)
    await acme.owner.put(`/roles/${role.id}`, { permissions: ['vendors.view'] })
    refused(await by.post('/vendors', { name: 'Two' }), 403, 'FORBIDDEN')
    assert.equal((await by.get('/vendors')).status, 200)
    assert.equal((await person.put(`/api-keys/${id}`, { scopes: ['vendors.create'] })).status, 422)
    assert.equal((await acme.owner.put(`/roles/${role.id}`, { permissions: ['vendors.view', 'leads.view'] })).status, 200)
    assert.equal((await person.put(`/api-keys/${id}`, { scopes: ['leads.view'] })).status, 200)
    refused(await by.get('/vendors'), 403, 'FORBIDDEN')
    assert.equal((await by.get('/leads')).status, 200)
  })

  it('after the overlap, with its former secret, when it is rotated', async () => {
    const first = await make(acme.owner, ['read'])
    const second = (await acme.owner.post(`/api-keys/${first.id}/rotate`, { overlap_hours: 2 })).body.data
    world.secret(second.key)
    assert.equal(second.id, first.id)
    for (const key of [first.key, second.key]) assert.equal((await world.tenant(key).get('/vendors')).status, 200)
    later(2 * HOUR)
    const refusal = await world.tenant(first.key).get('/vendors')
    refused(refusal, 401, 'UNAUTHENTICATED')
    assert.match(refusal.body.message, /rotated/)
    assert.equal((await world.tenant(second.key).get('/vendors')).status, 200)
    const third = (await acme.owner.post(`/api-keys/${first.id}/rotate`, { overlap_hours: 0 })).body.data
    world.secret(third.key)
    refused(await world.tenant(second.key).get('/vendors'), 401, 'UNAUTHENTICATED')
    await acme.owner.del(`/api-keys/${first.id}`)
    wrong(await acme.owner.post(`/api-keys/${first.id}/rotate`, {}), 'key')
  })

  it('after the overlap of each of two rotations in a row, and of none any more by one without an overlap', async () => {
    const first = await make(acme.owner, ['read'])
    const rotated = async (overlap_hours: number) => {
      const { key } = (await acme.owner.post(`/api-keys/${first.id}/rotate`, { overlap_hours })).body.data
      world.secret(key)
      return key as string
    }
    const statuses = (keys: string[]) => Promise.all(keys.map(async (key) => (await world.tenant(key).get('/vendors')).status))
    const [a, b, c] = [first.key, await rotated(3), await rotated(2)]
    assert.deepEqual(await statuses([a, b, c]), [200, 200, 200])
    later(2 * HOUR)
    assert.deepEqual(await statuses([a, b, c]), [200, 401, 200])
    later(3 * HOUR)
    const refusal = await world.tenant(a).get('/vendors')
    refused(refusal, 401, 'UNAUTHENTICATED')
    assert.match(refusal.body.message, /rotated/)
    const [d, e] = [await rotated(3), await rotated(3)]
    assert.deepEqual(await statuses([a, b, c, d, e]), [401, 401, 200, 200, 200])
    const f = await rotated(3)
    assert.deepEqual(await statuses([c, d, e, f]), [401, 200, 200, 200], 'two former ones at most')
    assert.deepEqual(await statuses([await rotated(0), d, e, f]), [200, 401, 401, 401])
  })

  it('when its owner takes the account back from whoever was changing its address', async () => {
    for (const { one, by } of [
      { one: await member(world, acme), by: (key: string) => world.tenant(key) },
      { one: await officer(world), by: (key: string) => world.central(key) },
    ]) {
      const [own, thiefs] = [await make(one, ['read']), await make(one, ['*'])]
      const rotated = await one.post(`/api-keys/${own.id}/rotate`, { overlap_hours: 24 })
      world.secret(rotated.body.data.key)
      const keys = [own.key, rotated.body.data.key, thiefs.key].map(by)
      for (const key of keys) assert.equal((await key.get('/me')).status, 200)
      await one.save({ email: `thief.${one.email}` })
      const token = await mailedToken(world, 'auth.cancel_email_change', one.email)
      assert.equal((await one.nobody.post('/auth/cancel-email-change', { token })).status, 200)
      for (const key of keys) assert.equal((await key.get('/me')).status, 401)
    }
  })

  it('with a job that it sent, which has no more rights than it', async () => {
    const { id } = await make(acme.owner, ['vendors.view'])
    const message = { tenant_id: acme.id, actor_id: acme.owner.id, key_id: id }
    const session = await sessionFor(world.services, message, undefined)
    assert.ok('permissions' in session)
    assert.deepEqual([...session.permissions], ['vendors.view'])
    await acme.owner.del(`/api-keys/${id}`)
    assert.deepEqual(await sessionFor(world.services, message, undefined), {
      ended: 'The API key by which it was sent has ended.',
    })
  })
})

describe('where a key is used', () => {
  const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })

  it('is its allowed networks, where it has any', async () => {
    const by = await clientWith(acme.owner, ['read'], { allowed_networks: ['192.0.2.0/24', '2001:db8::/32'] })
    for (const ip of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1'])
      assert.equal((await by.get('/vendors', from(ip))).status, 200, ip)
    for (const ip of ['192.0.3.7', '2001:db9::1', '::1']) refused(await by.get('/vendors', from(ip)), 403, 'KEY_NOT_ALLOWED')
  })

  it('is audited at the first use from a network, and shown', async () => {
    const { id, key } = await make(other.owner, ['read'])
    const by = world.tenant(key)
    for (const ip of ['198.51.100.1', '198.51.100.2', '203.0.113.1', '2001:db8:7::1', '2001:db8:7:8::2', '203.0.113.9'])
      assert.equal((await by.get('/vendors', from(ip))).status, 200)
    const noted = await world.sql(
      `SELECT properties FROM audit_logs WHERE tenant_id = $1 AND event = 'api_key.new_network' ORDER BY id`,
      [other.id],
    )
    assert.deepEqual(
      noted.map(({ properties }) => [properties.api_key_id, properties.network]),
      [
        [id, '198.51.100.0/24'],
        [id, '203.0.113.0/24'],
        [id, '2001:db8:7::/48'],
      ],
    )
    const [row] = (await other.owner.get('/api-keys')).body.data
    assert.equal(row.last_used_at, START)
    assert.match(row.last_used_ip, /^198\.51\.100\./)
    await other.owner.post(`/api-keys/${id}/rotate`, { overlap_hours: 0 }).then(({ body }) => world.secret(body.data.key))
    await other.owner.del(`/api-keys/${id}`)
    const all = await events(other.id)
    for (const event of ['api_key.created', 'api_key.rotated', 'api_key.revoked']) assert.ok(all.includes(event), event)
  })

  it('counts limits for itself and for its owner, whose keys share theirs', async () => {
    const keys = [await clientWith(acme.owner, ['*']), await clientWith(acme.owner, ['*'])]
    const left = async (by: Client) => Number((await by.post('/users/999999/resend-invite')).headers['ratelimit-remaining'])
    const first = await left(keys[0]!)
    assert.equal(await left(keys[1]!), first - 1)
  })
})

describe('a service account', () => {
  const create = async (more: object = {}, by: Client = acme.owner) => {
    const { status, body } = await by.post('/service-accounts', { name: 'Web shop', ...more })
    assert.equal(status, 201, body.message)
    return body.data
  }

  it('is exported under its own name, though people are in the same table', async () => {
    for (const kind of ['service-accounts', 'users', 'vendors']) {
      const { status, headers } = await acme.owner.get(`/${kind}/export?format=csv`)
      assert.equal(status, 200)
      assert.match(headers['content-disposition'] as string, new RegExp(`filename="?${kind}-\\d`))
    }
  })

  it('gets a key in the state that If-Match names', async () => {
    const account = await create()
    const give = (match: string) =>
      acme.owner.post(`/service-accounts/${account.id}/keys`, { name: 'x', scopes: ['read'] }, { headers: { 'if-match': match } })
    refused(await give('"9-9"'), 412, 'PRECONDITION_FAILED')
    const { headers } = await acme.owner.get(`/service-accounts/${account.id}`)
    assert.equal((await give(String(headers.etag))).status, 201)
  })

  it('holds roles, comes by its keys, and stands by its name in timelines', async () => {
    await acme.owner.post('/roles', {
      name: 'shop',
      permissions: ['vendors.view', 'vendors.create', 'companies.view', 'companies.create', 'companies.update'],
    })
    const account = await create({ role: ['shop'], description: 'Orders come in here' })
    assert.deepEqual([account.role, account.description, account.suspended_at], [['shop'], 'Orders come in here', null])
    const { key } = await make(acme.owner, ['*'], {}, `/service-accounts/${account.id}/keys`)
    const by = world.tenant(key)
    const me = (await by.get('/me')).body.data.actor
    assert.deepEqual(me, { id: account.id, name: 'Web shop', email: null, type: 'service_account' })
    const vendor = (await by.post('/vendors', { name: 'By a program' })).body.data
    const [actor] = await world.sql(
      `SELECT u.name FROM activities a JOIN users u ON u.tenant_id = a.tenant_id AND u.id = a.actor_id
       WHERE a.tenant_id = $1 AND a.subject_type = 'vendors' AND a.subject_id = $2`,
      [acme.id, vendor.id],
    )
    assert.equal(actor.name, 'Web shop')
    const told = { id: account.id, name: 'Web shop', email: null }
    assert.deepEqual((await acme.owner.get(`/vendors/${vendor.id}/timeline`)).body.data[0].actor, told)
    const events = (await acme.owner.get('/events', { query: { types: 'vendor.created' } })).body.data
    assert.deepEqual(events.find(({ subject }: any) => subject.id === vendor.id).actor, told)
    const company = (await by.post('/companies', { name: 'By a program' })).body.data
    const note = (await by.post(`/companies/${company.id}/notes`, { body: 'Came by itself.' })).body.data
    const shown = (await acme.owner.get(`/companies/${company.id}`)).body.data
    const [listed] = (await acme.owner.get(`/companies/${company.id}/notes`)).body.data
    assert.deepEqual([company.creator, shown.creator, note.creator, listed.creator], [told, told, told, told])
    refused(await by.get('/leads'), 403, 'FORBIDDEN')
    await acme.owner.post(`/service-accounts/${account.id}/suspend`)
    refused(await by.get('/vendors'), 403, 'USER_SUSPENDED')
    await acme.owner.post(`/service-accounts/${account.id}/unsuspend`)
    assert.equal((await by.get('/vendors')).status, 200)
    await acme.owner.del(`/service-accounts/${account.id}`)
    refused(await by.get('/vendors'), 401, 'UNAUTHENTICATED')
    assert.equal((await acme.owner.post(`/service-accounts/${account.id}/restore`)).status, 200)
    refused(await by.get('/vendors'), 401, 'UNAUTHENTICATED')
  })

  it('is no user: neither listed, assigned, mentioned nor given leads', async () => {
    await acme.owner.post('/roles', { name: 'leading', permissions: ['leads.view', 'leads.create'] })
    const account = await create({ role: ['leading'] })
    const listed = (await acme.owner.get('/users', { query: { per_page: 100 } })).body.data.map(({ id }: { id: number }) => id)
    assert.ok(!listed.includes(account.id))
    refused(await acme.owner.get(`/users/${account.id}`), 404, 'NOT_FOUND')
    refused(await acme.owner.post(`/users/${account.id}/suspend`), 404, 'NOT_FOUND')
    refused(await acme.owner.post(`/users/${account.id}/impersonate`, { reason: 'just because' }), 404, 'NOT_FOUND')
    const assignees = (await acme.owner.get('/users/lead-assignees')).body.data.map(({ id }: { id: number }) => id)
    assert.ok(!assignees.includes(account.id))
    const lead = (await acme.owner.post('/leads', { name: 'Lead', lead_type: 'b2b' })).body.data
    if (lead) wrong(await acme.owner.post(`/leads/${lead.id}/assign`, { assigned_to: account.id }), 'assigned_to')
    refused(await acme.owner.get(`/service-accounts/${acme.owner.id}`), 404, 'NOT_FOUND')
    const { key } = await make(acme.owner, ['*'], {}, `/service-accounts/${account.id}/keys`)
    const made = await world.tenant(key).post('/leads', { name: 'By a program', lead_type: 'company' })
    if (made.status === 201) assert.equal(made.body.data.assigned_to ?? null, null)
  })

  it('two of one name can be, and none signs in by an address', async () => {
    const [one, two] = [await create(), await create()]
    assert.notEqual(one.id, two.id)
    const reply = await world.anonymous.post('/auth/login', { email: '', password: 'x', workspace: acme.slug })
    assert.equal(reply.status, 422)
  })

  it('is given nothing that its manager lacks', async () => {
    const manager = await acme.user(['service-accounts.manage', 'vendors.view'])
    await acme.owner.post('/roles', { name: 'strong', permissions: ['settings.update'] })
    wrong(await manager.post('/service-accounts', { name: 'x', role: ['strong'] }), 'role')
    const strong = await create({ role: ['strong'] })
    for (const scopes of [['*'], ['settings.update']])
      wrong(await manager.post(`/service-accounts/${strong.id}/keys`, { name: 'x', scopes }), 'scopes')
    const { id } = await make(acme.owner, ['*'], { allowed_networks: ['10.0.0.0/8'] }, `/service-accounts/${strong.id}/keys`)
    const at = `/service-accounts/${strong.id}/keys/${id}`
    wrong(await manager.post(`${at}/rotate`, {}), 'key')
    wrong(await manager.put(at, { allowed_networks: [] }), 'key')
    wrong(await manager.del(at), 'key')
    const weak = await make(acme.owner, ['vendors.view'], {}, `/service-accounts/${strong.id}/keys`)
    const renewed = await manager.post(`/service-accounts/${strong.id}/keys/${weak.id}/rotate`, {})
    assert.equal(renewed.status, 200, renewed.body.message)
    world.secret(renewed.body.data.key)
    wrong(await manager.put(`/service-accounts/${strong.id}`, { role: [] }), 'user')
    wrong(await manager.del(`/service-accounts/${strong.id}`), 'user')
    refused(await (await acme.user(['users.view'])).get('/service-accounts'), 403, 'FORBIDDEN')
  })
})

describe('on the platform', () => {
  it('a key narrows an operator, and a superadmin too', async () => {
    const oscar = await operator(world, ['tenants.list', 'users.list'])
    const narrow = world.central((await make(oscar, ['tenants.list'])).key)
    assert.equal((await narrow.get('/tenants')).status, 200)
    refused(await narrow.get('/users'), 403, 'FORBIDDEN')
    const key = world.central((await make(world.admin, ['users.invite', 'users.list'])).key)
    refused(await key.get('/tenants'), 403, 'FORBIDDEN')
    wrong(await key.post('/users/invite', { name: 'Mine', email: 'mine@platform.test', role: ['superadmin'] }), 'role')
    assert.equal((await key.get('/me')).body.data.workspace, null)
    refused(await key.post('/api-keys', { name: 'x', scopes: ['*'] }), 403, 'KEY_NOT_ALLOWED')
  })

  it('service accounts run it by their keys, and are no people', async () => {
    await world.sql(
      `INSERT INTO platform_roles (name, permissions, created_at, updated_at) VALUES ('seller', '{tenants.list,tenants.create}', now(), now())`,
    )
    const { status, body } = await world.admin.post('/service-accounts', { name: 'Checkout', role: ['seller'] })
    assert.equal(status, 201, body.message)
    const { key } = await make(world.admin, ['*'], {}, `/service-accounts/${body.data.id}/keys`)
    const by = world.central(key)
    assert.equal((await by.get('/tenants')).status, 200)
    refused(await by.get('/users'), 403, 'FORBIDDEN')
    assert.equal((await by.get('/me')).body.data.actor.type, 'service_account')
    refused(await world.admin.get(`/users/${body.data.id}`), 404, 'NOT_FOUND')
    const people = (await world.admin.get('/users', { query: { per_page: 100 } })).body.data
    assert.ok(!people.some(({ id }: { id: number }) => id === body.data.id))
    await world.admin.post(`/service-accounts/${body.data.id}/suspend`)
    refused(await by.get('/tenants'), 403, 'USER_SUSPENDED')
    await world.admin.del(`/service-accounts/${body.data.id}`)
    refused(await by.get('/tenants'), 401, 'UNAUTHENTICATED')
  })
})

describe('a service account of the platform', () => {
  it('that is saved as it is leaves no trace; with other roles it is another revision', async () => {
    const account = (await world.admin.post('/service-accounts', { name: 'Mill', role: ['support'] })).body.data
    const at = `/service-accounts/${account.id}`
    const updates = async () =>
      (await world.sql(`SELECT properties FROM audit_logs WHERE event = 'service_account_updated' ORDER BY id`))
        .filter(({ properties }) => properties.user_id === account.id)
        .map(({ properties }) => properties.roles)
    assert.equal((await world.admin.put(at, { name: 'Mill', role: ['support'] })).status, 200)
    assert.deepEqual(await updates(), [])
    const { headers } = await world.admin.get(at)
    assert.equal((await world.admin.put(at, { role: [] })).status, 200)
    assert.deepEqual(await updates(), [[]])
    const late = await world.admin.put(at, { name: 'Late' }, { headers: { 'if-match': String(headers.etag) } })
    assert.equal(late.status, 412)
  })
})

describe('an account of the platform in a workspace', () => {
  let firm: Workspace
  let seller: { id: number }
  before(async () => {
    firm = await world.workspace({ modules: ['vendors', 'leads'], name: 'Firm' })
    await world.sql(
      `INSERT INTO platform_roles (name, permissions, created_at, updated_at) VALUES ('acting', '{tenants.act}', now(), now()), ('watching', '{tenants.list}', now(), now())`,
    )
    seller = (await world.admin.post('/service-accounts', { name: 'Marketplace sync', role: ['acting'] })).body.data
  })
  const at = (slug: string) => ({ headers: { 'x-workspace': slug } })
  const keyOf = async (id: number, scopes: string[], more: object = {}) =>
    world.tenant((await make(world.admin, scopes, more, `/service-accounts/${id}/keys`)).key)

  it('works there by its key and X-Workspace, and stands by its name in the timeline and the audit log', async () => {
    const by = await keyOf(seller.id, ['tenants.act'])
    const made = await by.post('/vendors', { name: 'From the marketplace' }, at('firm'))
    assert.equal(made.status, 201, made.body.message)
    const [event] = (await firm.owner.get('/events', { query: { types: 'vendor.created' } })).body.data
    assert.deepEqual([event.subject.label, event.actor.name], ['From the marketplace', 'Marketplace sync'])
    const me = (await by.get('/me', at('firm'))).body.data
    assert.deepEqual([me.actor.type, me.actor.name, me.workspace.slug], ['service_account', 'Marketplace sync', 'firm'])
    const [entry] = await world.sql(
      `SELECT properties FROM audit_logs WHERE tenant_id = $1 AND event = 'platform_account.entered'`,
      [firm.id],
    )
    assert.equal(entry.properties.name, 'Marketplace sync')
    const listed = (await firm.owner.get('/service-accounts')).body.data
    assert.deepEqual(
      listed.map(({ name }: { name: string }) => name),
      ['Marketplace sync'],
    )
  })

  it('is told who it is there, in person too, and not by the address that it has on the platform', async () => {
    const scopes = ['tenants.act', 'vendors.view']
    const byKey = world.tenant((await make(world.admin, scopes)).key)
    const inPerson = world.tenant(world.admin.token)
    for (const [by, may] of [
      [byKey, ['vendors.view']],
      [inPerson, ['*']],
    ] as const) {
      const { status, body } = await by.get('/me', at('firm'))
      assert.equal(status, 200, body.message)
      const { actor, workspace, scopes, modules } = body.data
      assert.deepEqual([actor.type, actor.email, workspace.slug, scopes], ['service_account', null, 'firm', may])
      assert.ok(modules.includes('vendors'), modules.join())
    }
  })

  it('is one there, when two of its requests are the first at once', async () => {
    const twin = (await world.admin.post('/service-accounts', { name: 'Twin', role: ['acting'] })).body.data
    const by = await keyOf(twin.id, ['*'])
    const replies = await Promise.all(Array.from({ length: 6 }, () => by.get('/vendors', at('firm'))))
    assert.deepEqual(
      replies.map(({ status }) => status),
      Array(6).fill(200),
    )
    const names = (await firm.owner.get('/service-accounts')).body.data.map(({ name }: { name: string }) => name)
    assert.equal(names.filter((name: string) => name === 'Twin').length, 1)
  })

  it('needs the permission tenants.act, in its roles and in its key', async () => {
    const watcher = (await world.admin.post('/service-accounts', { name: 'Watcher', role: ['watching'] })).body.data
    refused(await (await keyOf(watcher.id, ['*'])).get('/vendors', at('firm')), 403, 'FORBIDDEN')
    refused(await (await keyOf(seller.id, ['read'])).get('/vendors', at('firm')), 403, 'FORBIDDEN')
    refused(await world.tenant(world.admin.token).get('/vendors'), 401, 'UNAUTHENTICATED')
    assert.equal((await world.tenant(world.admin.token).get('/vendors', at('firm'))).status, 200)
    refused(await (await keyOf(seller.id, ['*'])).get('/vendors', at('nowhere')), 404, 'NOT_FOUND')
    refused(await firm.owner.get('/vendors', at('acme')), 401, 'UNAUTHENTICATED')
    refused(await firm.owner.get('/vendors', at('firm')), 401, 'UNAUTHENTICATED')
  })

  it('does there what its scopes say of the workspace', async () => {
    const reader = await keyOf(seller.id, ['tenants.act', 'read'])
    assert.equal((await reader.get('/vendors', at('firm'))).status, 200)
    refused(await reader.post('/vendors', { name: 'x' }, at('firm')), 403, 'FORBIDDEN')
    const narrow = await keyOf(seller.id, ['tenants.act', 'vendors.create'])
    assert.equal((await narrow.post('/vendors', { name: 'Narrow' }, at('firm'))).status, 201)
    for (const path of ['/vendors', '/leads', '/users']) refused(await narrow.get(path, at('firm')), 403, 'FORBIDDEN')
    refused(await narrow.get('/invoices', at('firm')), 403, 'MODULE_NOT_INSTALLED')
    const clerk = await operator(world, ['tenants.list'])
    wrong(await clerk.post('/api-keys', { name: 'x', scopes: ['vendors.view'] }), 'scopes')
  })

  it('touches nothing that belongs to a person', async () => {
    const by = await keyOf(seller.id, ['*'])
    for (const path of ['/notifications', '/api-keys', '/me/sessions', '/dashboard', '/me/passkeys'])
      refused(await by.get(path, at('firm')), 403, 'KEY_NOT_ALLOWED')
    refused(await by.post('/service-accounts', { name: 'Mine' }, at('firm')), 403, 'KEY_NOT_ALLOWED')
    wrong(await by.put('/settings', { settings: { platform_access: true } }, at('firm')), 'settings.platform_access')
  })

  it('is refused by the owner, for all accounts or for one', async () => {
    const by = await keyOf(seller.id, ['*'])
    const manager = await firm.user(['settings.view', 'settings.update'])
    wrong(await manager.put('/settings', { settings: { platform_access: false } }), 'settings.platform_access')
    assert.equal((await firm.owner.put('/settings', { settings: { platform_access: false } })).status, 200)
    refused(await by.get('/vendors', at('firm')), 403, 'PLATFORM_ACCESS_REFUSED')
    const own = (await firm.owner.get('/service-accounts')).body.data.find(
      ({ name }: { name: string }) => name === 'Marketplace sync',
    )
    const inBackground = () => sessionFor(world.services, { tenant_id: firm.id, actor_id: own.id }, undefined)
    assert.ok('ended' in (await inBackground()), 'what it began in the background ends too')
    await firm.owner.put('/settings', { settings: { platform_access: true } })
    assert.ok('permissions' in (await inBackground()))
    wrong(await firm.owner.post(`/service-accounts/${own.id}/keys`, { name: 'x', scopes: ['read'] }), 'user')
    wrong(await firm.owner.put(`/service-accounts/${own.id}`, { name: 'Renamed', role: ['admin'] }), 'user')
    await firm.owner.post(`/service-accounts/${own.id}/suspend`)
    refused(await by.get('/vendors', at('firm')), 403, 'PLATFORM_ACCESS_REFUSED')
    await firm.owner.post(`/service-accounts/${own.id}/unsuspend`)
    await firm.owner.del(`/service-accounts/${own.id}`)
    refused(await by.get('/vendors', at('firm')), 403, 'PLATFORM_ACCESS_REFUSED')
    await firm.owner.post(`/service-accounts/${own.id}/restore`)
    assert.equal((await by.get('/vendors', at('firm'))).status, 200)
  })

  it('has jobs that end with its right to work there', async () => {
    const own = (await firm.owner.get('/service-accounts')).body.data.find(
      ({ name }: { name: string }) => name === 'Marketplace sync',
    )
    const { id } = await make(world.admin, ['tenants.act', 'vendors.view'], {}, `/service-accounts/${seller.id}/keys`)
    const message = { tenant_id: firm.id, actor_id: own.id, key_id: id }
    const session = await sessionFor(world.services, message, undefined)
    assert.ok('permissions' in session)
    assert.deepEqual([...session.permissions], ['vendors.view'])
    await world.admin.put(`/service-accounts/${seller.id}`, { role: ['watching'] })
    assert.ok('ended' in (await sessionFor(world.services, message, undefined)))
    refused(await (await keyOf(seller.id, ['*'])).get('/vendors', at('firm')), 403, 'FORBIDDEN')
  })
})
