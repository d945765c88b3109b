import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PASSWORD, type Reply, startTest } from '#test/harness.ts'
import { mailedToken, mailsTo, operator } from '#test/operator.ts'

const world = await startTest()
const { admin } = world
let nth = 0
const somebody = (more: object = {}) => ({
  name: 'Paula Platform',
  email: `paula${++nth}@platform.test`,
  password: PASSWORD,
  ...more,
})
const made = async (more: object = {}) => (await admin.post('/users', somebody(more))).body.data
const refused = (reply: Reply, field: string, about = '') =>
  assert.deepEqual([reply.status, Object.keys(reply.body.errors ?? {})], [422, [field]], about)
const signIn = async (email: string, password = PASSWORD) => world.central().post('/auth/login', { email, password })
/** Creates another superadmin who can sign in. */
const superadmin = async () => {
  const { id, email } = await made({ role: ['superadmin'] })
  await admin.post(`/users/${id}/verify-email`)
  return { ...world.central((await signIn(email)).body.data.token), id: id as number }
}

describe('people of the platform', () => {
  it('are made with a password, and prove their address', async () => {
    const { status, body } = await admin.post(
      '/users',
      somebody({ email: 'Petra@Platform.test', phone: '+49 30 1', role: ['support'] }),
    )
    assert.equal(status, 201)
    const { id, uuid, created_at, updated_at, ...rest } = body.data
    assert.deepEqual(rest, {
      name: 'Paula Platform',
      email: 'petra@platform.test',
      pending_email: null,
      phone: '+49 30 1',
      avatar_path: null,
      avatar_url: null,
      role: ['support'],
      invite_token: null,
      invite_sent_at: null,
      email_verified_at: null,
      suspended_at: null,
      deleted_at: null,
    })
    assert.ok(id && uuid && created_at && updated_at)
    const { token } = (await signIn('petra@platform.test')).body.data
    assert.equal((await world.central(token).get('/tenants')).status, 200)
    assert.notEqual(await mailedToken(world, 'auth.verify_email', 'petra@platform.test'), '')
    assert.notEqual((await admin.post(`/users/${id}/verify-email`)).body.data.email_verified_at, null)
  })

  it('need what they need, and an address of their own', async () => {
    for (const [field, more] of [
      ['password', { password: undefined }],
      ['password', { password: 'short' }],
      ['name', { name: ' ' }],
      ['email', { email: 'nobody' }],
      ['email', { email: admin.email }],
      ['role', { role: ['no such role'] }],
    ] as const)
      refused(await admin.post('/users', somebody(more)), field, JSON.stringify(more))
    const email = 'wanted@platform.test'
    const both = await Promise.all([1, 2].map(() => admin.post('/users', somebody({ email }))))
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 422])
  })

  it('are invited, choose a password by the mailed link, and are verified by it (CEN-38)', async () => {
    const body = { name: 'Ines', email: 'ines@platform.test', role: ['support', 'billing'] }
    for (const role of [undefined, []]) refused(await admin.post('/users/invite', { ...body, role }), 'role')
    const invited = await admin.post('/users/invite', body)
    assert.equal(invited.status, 201)
    const { id, invite_token, invite_sent_at, role } = invited.body.data
    assert.deepEqual([invite_token, role], [null, ['billing', 'support']])
    assert.ok(invite_sent_at)
    const first = await mailedToken(world, 'auth.invitation', body.email)
    assert.match((await mailsTo(world, body.email))[0]!.body_text, /http:\/\/atrium\.test\/platform\/invite#\S+/)
    assert.equal((await admin.post(`/users/${id}/resend-invite`)).status, 200)
    const token = await mailedToken(world, 'auth.invitation', body.email)
    const accept = (token: string) =>
      world.central().post('/auth/accept-invite', { token, password: PASSWORD, password_confirmation: PASSWORD })
    refused(await accept(first), 'token', 'replaced')
    assert.equal((await accept(token)).status, 200)
    assert.equal((await world.central((await signIn(body.email)).body.data.token).get('/tenants')).status, 200)
    refused(await admin.post(`/users/${id}/resend-invite`), 'user', 'accepted already')
  })

  it('are listed, searched and filtered', async () => {
    const { id } = await made({ name: 'Zacharias Unique', phone: '0049-77', role: ['billing'] })
    await admin.post(`/users/${id}/suspend`)
    const found = async (query: Record<string, string>) =>
      (await admin.get('/users', { query })).body.data.map((one: { id: number }) => one.id)
    for (const search of ['ZACHARIAS', '0049-77']) assert.deepEqual(await found({ search }), [id])
    assert.deepEqual(await found({ search: 'zacharias', suspended: 'true', role: 'billing' }), [id])
    assert.deepEqual(await found({ search: 'zacharias', suspended: 'false' }), [])
    assert.deepEqual(await found({ search: 'zacharias', role: 'support' }), [])
  })

  it('see themselves and what they did, and others only with the permission (CEN-39)', async () => {
    const person = await operator(world, ['tenants.create'])
    const other = await operator(world, ['users.read'])
    await person.post('/tenants', { company_name: 'Seen', email: 'a@seen.test' })
    for (const rest of ['', '/activity']) {
      assert.equal((await person.get(`/users/${person.id}${rest}`)).status, 200)
      assert.equal((await other.get(`/users/${person.id}${rest}`)).status, 200)
      for (const id of [other.id, 999_999]) assert.equal((await person.get(`/users/${id}${rest}`)).status, 403)
    }
    const [entry] = (await other.get(`/users/${person.id}/activity`)).body.data
    assert.deepEqual([entry.event, entry.tenant.name, entry.properties], ['tenant_created', 'Seen', { company_name: 'Seen' }])
    await world.sql(
      `INSERT INTO audit_logs (tenant_id, event, actor_type, actor_id, properties, created_at)
       SELECT 0, 'unheard_of', 'platform_user', $1, '{"secret": 1}', now() + n * interval '1 second' FROM generate_series(1, 60) n`,
      [person.id],
    )
    const { data } = (await person.get(`/users/${person.id}/activity`)).body
    assert.deepEqual([data.length, data[0].properties], [50, {}])
    assert.ok(data[0].created_at > data[49].created_at)
  })

  it('are changed in part; another address must be proven anew', async () => {
    const user = await made({ phone: '1' })
    await admin.post(`/users/${user.id}/verify-email`)
    for (const call of [admin.put, admin.patch]) {
      const { body } = await call(`/users/${user.id}`, { name: 'Renamed' })
      assert.partialDeepStrictEqual(body.data, { name: 'Renamed', phone: '1', email: user.email })
    }
    const roles = await admin.put(`/users/${user.id}`, { role: ['support'] })
    assert.deepEqual(roles.body.data.role, ['support'])
    const stale = await admin.put(`/users/${user.id}`, {}, { headers: { 'if-match': '"1-1"' } })
    assert.equal(stale.status, 412)
    const moved = await admin.put(`/users/${user.id}`, { email: 'moved@platform.test' })
    assert.partialDeepStrictEqual(moved.body.data, { email: 'moved@platform.test', email_verified_at: null })
    refused(await admin.put(`/users/${user.id}`, { email: admin.email }), 'email')
    const person = await operator(world, ['users.update'])
    const own = await person.put(`/users/${person.id}`, { email: 'later@platform.test' })
    assert.partialDeepStrictEqual(own.body.data, { email: person.email, pending_email: 'later@platform.test' })
  })

  it('are suspended and let in again', async () => {
    const person = await operator(world, ['tenants.list'])
    assert.ok((await admin.post(`/users/${person.id}/suspend`)).body.data.suspended_at)
    assert.equal((await person.get('/tenants')).body.code, 'USER_SUSPENDED')
    assert.equal((await signIn(person.email)).status, 403)
    assert.equal((await admin.post(`/users/${person.id}/unsuspend`)).body.data.suspended_at, null)
    assert.equal((await person.get('/tenants')).status, 200)
  })

  it('are deleted, restored unless their address was taken, and deleted for good', async () => {
    const person = await operator(world, ['tenants.list'])
    const at = (rest = '') => `/users/${person.id}${rest}`
    assert.equal((await admin.post(at('/restore'))).status, 400)
    assert.equal((await admin.del(at('/force'))).status, 400)
    assert.equal((await admin.del(at())).status, 200)
    assert.equal((await person.get('/me')).status, 401)
    assert.equal((await admin.get(at())).status, 404)
    assert.equal((await admin.put(at(), {})).status, 404)
    const other = await made({ email: person.email })
    refused(await admin.post(at('/restore')), 'email')
    await admin.del(`/users/${other.id}`)
    assert.equal((await admin.post(at('/restore'))).status, 200)
    assert.equal((await person.get('/me')).status, 401, 'sessions stay ended')
    assert.equal((await signIn(person.email)).status, 200)
    await admin.del(at())
    assert.equal((await admin.del(at('/force'))).status, 200)
    for (const reply of [await admin.del(at('/force')), await admin.post(at('/restore'))]) assert.equal(reply.status, 404)
  })

  it('get another password, by which their sessions end', async () => {
    const person = await operator(world, [])
    const at = `/users/${person.id}/change-password`
    const password = 'another horse battery'
    refused(await admin.post(at, { password_confirmation: password }), 'password')
    refused(await admin.post(at, { password }), 'password_confirmation')
    refused(await admin.post(at, { password, password_confirmation: 'something else' }), 'password_confirmation')
    refused(await admin.post(at, { password: 'short', password_confirmation: 'short' }), 'password')
    refused(
      await admin.post(`/users/${admin.id}/change-password`, { password, password_confirmation: password }),
      'user',
      'one’s own',
    )
    assert.equal((await person.get('/me')).status, 200)
    assert.equal((await admin.post(at, { password, password_confirmation: password })).status, 200)
    assert.equal((await person.get('/me')).status, 401)
    assert.deepEqual([(await signIn(person.email)).status, (await signIn(person.email, password)).status], [401, 200])
  })
})

describe('somebody with the permissions on people, but not all of them', () => {
  const all = [
    'create',
    'update',
    'delete',
    'restore',
    'force.delete',
    'suspend',
    'unsuspend',
    'invite',
    'reset-password',
    'list',
  ]
  const people = all.map((action) => `users.${action}`)

  it('gives nobody more than they hold', async () => {
    const manager = await operator(world, [...people, 'tenants.list'])
    const { id } = await made()
    for (const role of ['superadmin', 'developer', 'support']) {
      refused(await manager.post('/users', somebody({ role: [role] })), 'role', role)
      refused(await manager.post('/users/invite', somebody({ role: [role] })), 'role', role)
      refused(await manager.put(`/users/${id}`, { role: [role] }), 'role', role)
      refused(await manager.put(`/users/${manager.id}`, { role: [role] }), 'role', `${role} to themselves`)
    }
    const [{ name }] = await world.sql(`SELECT name FROM platform_roles WHERE name = $1`, [`role of ${manager.email}`])
    assert.equal((await manager.put(`/users/${id}`, { role: [name] })).status, 200, 'what they hold themselves')
  })

  it('touches nobody who holds more than they do', async () => {
    const manager = await operator(world, people)
    const boss = await operator(world, ['tenants.force.delete'])
    const password = { password: 'a password of a thief', password_confirmation: 'a password of a thief' }
    for (const id of [boss.id, admin.id]) {
      refused(await manager.put(`/users/${id}`, { email: 'thief@x.test' }), 'user')
      refused(await manager.post(`/users/${id}/change-password`, password), 'user')
      refused(await manager.post(`/users/${id}/suspend`), 'user')
      refused(await manager.post(`/users/${id}/unsuspend`), 'user')
      refused(await manager.post(`/users/${id}/verify-email`), 'user')
      refused(await manager.post(`/users/${id}/resend-invite`), 'user')
      refused(await manager.del(`/users/${id}`), 'user')
    }
    await admin.del(`/users/${boss.id}`)
    refused(await manager.post(`/users/${boss.id}/restore`), 'user')
    refused(await manager.del(`/users/${boss.id}/force`), 'user')
  })
})

describe('superadmins', () => {
  it('are made by superadmins, and never remove themselves', async () => {
    const other = await superadmin()
    assert.equal((await other.get('/tenants')).status, 200)
    refused(await other.del(`/users/${other.id}`), 'user')
    refused(await other.post(`/users/${other.id}/suspend`), 'user')
    assert.equal((await other.put(`/users/${other.id}`, { role: ['support'] })).status, 200, 'but may step down')
    assert.equal((await other.get('/roles')).status, 403)
  })

  it('never all go: the last one stays, whatever role change is asked for', async () => {
    refused(await admin.put(`/users/${admin.id}`, { role: ['support'] }), 'role')
    const { id } = (await admin.post('/users/invite', somebody({ role: ['superadmin'] }))).body.data
    refused(await admin.put(`/users/${admin.id}`, { role: [] }), 'role', 'one who was only invited can’t sign in')
    await admin.del(`/users/${id}`)
  })

  it('never all go: of two who remove each other at once, one stays', async () => {
    for (const remove of [
      (by: { del: typeof admin.del }, id: number) => by.del(`/users/${id}`),
      (by: { post: typeof admin.post }, id: number) => by.post(`/users/${id}/suspend`),
      (by: { put: typeof admin.put }, id: number) => by.put(`/users/${id}`, { role: [] }),
    ] as ((by: typeof admin | Awaited<ReturnType<typeof superadmin>>, id: number) => Promise<Reply>)[]) {
      const other = await superadmin()
      const replies = await Promise.all([remove(admin, other.id), remove(other, admin.id)])
      const statuses = replies.map(({ status }) => status).sort()
      assert.ok(statuses[0] === 200 && [401, 403, 422].includes(statuses[1]!), String(statuses))
      await world.sql(`UPDATE platform_users SET deleted_at = NULL, suspended_at = NULL WHERE id = $1`, [admin.id])
      await world.sql(
        `INSERT INTO platform_user_roles SELECT $1, id FROM platform_roles WHERE name = 'superadmin' ON CONFLICT DO NOTHING`,
        [admin.id],
      )
      await world.sql(`UPDATE platform_users SET suspended_at = now() WHERE id = $1`, [other.id])
      if (replies[1]!.status === 200) {
        const { token } = (await signIn(admin.email)).body.data
        Object.assign(admin, world.central(token))
      }
    }
  })
})
