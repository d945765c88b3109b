/**
 * Powers: whatever single permission somebody holds, and as each seeded role, nothing that they try on a more powerful account, or to
 * become one, succeeds.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let acme: Workspace
/** Holds everything but owns nothing. */
let admin: Person
let suspended: Person
let deleted: Person
let strongRole: number
let actors: [string, Person][]

/** Everything that could change, stop, bring back or become somebody. */
const attempts: [string, (by: Person, target: { id: number }) => Promise<Reply>][] = [
  ['rename', (by, { id }) => by.put(`/users/${id}`, { name: 'Taken' })],
  ['change the address', (by, { id }) => by.put(`/users/${id}`, { email: 'taken@x.test' })],
  ['take the roles', (by, { id }) => by.put(`/users/${id}`, { role: [] })],
  ['take the roles and the address', (by, { id }) => by.put(`/users/${id}`, { role: [], email: 'taken@x.test' })],
  ['make a member', (by, { id }) => by.put(`/users/${id}`, { role: ['member'] })],
  ['set a lead flag', (by, { id }) => by.put(`/users/${id}`, { receive_website_leads: true })],
  ['suspend', (by, { id }) => by.post(`/users/${id}/suspend`)],
  ['delete', (by, { id }) => by.del(`/users/${id}`)],
  ['vouch for the address', (by, { id }) => by.post(`/users/${id}/verify-email`)],
  ['invite anew', (by, { id }) => by.post(`/users/${id}/resend-invite`)],
  ['impersonate', (by, { id }) => by.post(`/users/${id}/impersonate`, { reason: 'just because' })],
]
/** Likewise for those who are out already, and for roles. */
const others: [string, (by: Person) => Promise<Reply>][] = [
  ['lift the suspension', (by) => by.post(`/users/${suspended.id}/unsuspend`)],
  ['restore', (by) => by.post(`/users/${deleted.id}/restore`)],
  ['become admin', (by) => by.put(`/users/${by.id}`, { role: ['admin'] })],
  ['become the owner', (by) => by.put(`/users/${by.id}`, { role: ['superadmin'] })],
  ['take the strong role', (by) => by.put(`/users/${by.id}`, { role: ['strong'] })],
  ['make an admin', (by) => by.post('/users', { name: 'Mine', email: `mine${by.id}@x.test`, role: ['admin'] })],
  ['make an owner', (by) => by.post('/users', { name: 'Mine', email: `mine${by.id}@x.test`, role: ['superadmin'] })],
  ['give the strong role', (by) => by.post('/users', { name: 'Mine', email: `mine${by.id}@x.test`, role: ['member', 'strong'] })],
  ['empty the strong role', (by) => by.put(`/roles/${strongRole}`, { permissions: [] })],
  ['rename the strong role', (by) => by.put(`/roles/${strongRole}`, { name: 'weak' })],
  ['delete the strong role', (by) => by.del(`/roles/${strongRole}`)],
  [
    'make a role of everything',
    (by) => by.post('/roles', { name: `all of ${by.id}`, permissions: ['users.delete', 'roles.delete', 'settings.update'] }),
  ],
]
const onRoles: [string, (by: Person, role: number) => Promise<Reply>][] = [
  ['empty', (by, id) => by.put(`/roles/${id}`, { permissions: [] })],
  ['rename', (by, id) => by.put(`/roles/${id}`, { name: 'mine' })],
  ['delete', (by, id) => by.del(`/roles/${id}`)],
]

const state = () =>
  world.sql(
    `SELECT u.id, u.name, u.email, u.pending_email, u.email_verified_at, u.suspended_at, u.deleted_at, u.receive_website_leads,
       (SELECT array_agg(r.name || r.permissions::text ORDER BY r.id) FROM user_roles ur JOIN roles r ON r.id = ur.role_id AND r.tenant_id = ur.tenant_id WHERE ur.user_id = u.id) AS roles
     FROM users u WHERE u.id = ANY ($1) ORDER BY u.id`,
    [[acme.owner.id, admin.id, suspended.id, deleted.id]],
  )

before(async () => {
  acme = await world.workspace({ modules: ['vendors'] })
  const give = async (person: Person, role: string) => {
    const reply = await acme.owner.put(`/users/${person.id}`, { role: [role] })
    assert.equal(reply.status, 200)
    return person
  }
  const every: string[] = (await acme.owner.get('/permissions')).body.data.map(({ name }: { name: string }) => name)
  strongRole = (await acme.owner.post('/roles', { name: 'strong', permissions: every })).body.data.id
  admin = await give(await acme.user([]), 'admin')
  suspended = await give(await acme.user([]), 'strong')
  deleted = await give(await acme.user([]), 'strong')
  await acme.owner.post(`/users/${suspended.id}/suspend`)
  await acme.owner.del(`/users/${deleted.id}`)
  actors = [['member', await give(await acme.user([]), 'member')]]
  for (const permission of every) actors.push([permission, await acme.user([permission])])
  const managing = every.filter((name) => /^(users|roles)\./.test(name))
  actors.push(['all of users and roles', await acme.user(managing)])
})

describe('nobody with less', () => {
  it('does anything to whoever holds more, or becomes as powerful', async () => {
    const before = await state()
    const roles = await world.sql(`SELECT id::int FROM roles WHERE tenant_id = $1 AND kind IN ('owner', 'admin')`, [acme.id])
    for (const [name, actor] of actors) {
      const tried = [
        ...attempts.flatMap(([what, attempt]) =>
          [admin, acme.owner].map((target) => [what, () => attempt(actor, target)] as const),
        ),
        ...onRoles.flatMap(([what, attempt]) => roles.map(({ id }) => [`${what} role`, () => attempt(actor, id)] as const)),
        ...others.map(([what, attempt]) => [what, () => attempt(actor)] as const),
      ]
      for (const [what, attempt] of tried) {
        const { status } = await attempt()
        assert.ok([403, 422].includes(status), `${name} could ${what}: ${status}`)
      }
    }
    assert.deepEqual(await state(), before)
  })

  it('and no admin touches the owner or the role admin', async () => {
    const before = await state()
    for (const [what, attempt] of attempts) {
      const { status } = await attempt(admin, acme.owner)
      assert.equal(status, 422, what)
    }
    for (const { id, kind } of await world.sql(
      `SELECT id::int, kind FROM roles WHERE tenant_id = $1 AND kind IN ('owner', 'admin')`,
      [acme.id],
    ))
      for (const by of [admin, acme.owner])
        for (const [what, attempt] of onRoles) {
          const { status, body } = await attempt(by, id)
          assert.deepEqual([status, Object.keys(body.errors!)], [422, ['role']], `${what} ${kind}`)
        }
    assert.deepEqual(await state(), before)
  })

  it('but managing one’s equals and less works', async () => {
    const manager = actors.find(([name]) => name === 'all of users and roles')![1]
    const clerk = await acme.user(['vendors.view'])
    for (const [what, attempt] of attempts.filter(([what]) => !/delete|suspend|invite/.test(what)))
      assert.ok([200, 201].includes((await attempt(manager, clerk)).status), what)
  })
})
