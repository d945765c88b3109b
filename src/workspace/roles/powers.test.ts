/**
 * Privilege escalation: actors with a single user or role permission, with all others together, and with each seeded role. No
 * attempt on a more powerful account, or to become one, succeeds.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let acme: Workspace
/** Has every permission but isn't the owner. */
let admin: Person
let suspended: Person
let deleted: Person
let strongRole: number
let actors: { name: string; actor: Person }[]

/** Everything that could change, disable, restore or take over an account. */
const attempts: { what: string; attempt: (by: Person, target: { id: number }) => Promise<Reply> }[] = [
  { what: 'rename', attempt: (by, { id }) => by.put(`/users/${id}`, { name: 'Taken' }) },
  { what: 'change the address', attempt: (by, { id }) => by.put(`/users/${id}`, { email: 'taken@x.test' }) },
  { what: 'take the roles', attempt: (by, { id }) => by.put(`/users/${id}`, { role: [] }) },
  {
    what: 'take the roles and the address',
    attempt: (by, { id }) => by.put(`/users/${id}`, { role: [], email: 'taken@x.test' }),
  },
  { what: 'make a member', attempt: (by, { id }) => by.put(`/users/${id}`, { role: ['member'] }) },
  { what: 'set a lead flag', attempt: (by, { id }) => by.put(`/users/${id}`, { receive_website_leads: true }) },
  { what: 'suspend', attempt: (by, { id }) => by.post(`/users/${id}/suspend`) },
  { what: 'delete', attempt: (by, { id }) => by.del(`/users/${id}`) },
  { what: 'vouch for the address', attempt: (by, { id }) => by.post(`/users/${id}/verify-email`) },
  { what: 'invite anew', attempt: (by, { id }) => by.post(`/users/${id}/resend-invite`) },
  { what: 'impersonate', attempt: (by, { id }) => by.post(`/users/${id}/impersonate`, { reason: 'just because' }) },
]
/** The same for suspended and deleted accounts, and for roles. */
const others: { what: string; attempt: (by: Person) => Promise<Reply> }[] = [
  { what: 'lift the suspension', attempt: (by) => by.post(`/users/${suspended.id}/unsuspend`) },
  { what: 'restore', attempt: (by) => by.post(`/users/${deleted.id}/restore`) },
  { what: 'become admin', attempt: (by) => by.put(`/users/${by.id}`, { role: ['admin'] }) },
  { what: 'become the owner', attempt: (by) => by.put(`/users/${by.id}`, { role: ['superadmin'] }) },
  { what: 'take the strong role', attempt: (by) => by.put(`/users/${by.id}`, { role: ['strong'] }) },
  { what: 'make an admin', attempt: (by) => by.post('/users', { name: 'Mine', email: `mine${by.id}@x.test`, role: ['admin'] }) },
  {
    what: 'make an owner',
    attempt: (by) => by.post('/users', { name: 'Mine', email: `mine${by.id}@x.test`, role: ['superadmin'] }),
  },
  {
    what: 'give the strong role',
    attempt: (by) => by.post('/users', { name: 'Mine', email: `mine${by.id}@x.test`, role: ['member', 'strong'] }),
  },
  { what: 'empty the strong role', attempt: (by) => by.put(`/roles/${strongRole}`, { permissions: [] }) },
  { what: 'rename the strong role', attempt: (by) => by.put(`/roles/${strongRole}`, { name: 'weak' }) },
  { what: 'delete the strong role', attempt: (by) => by.del(`/roles/${strongRole}`) },
  {
    what: 'make a role of everything',
    attempt: (by) =>
      by.post('/roles', { name: `all of ${by.id}`, permissions: ['users.delete', 'roles.delete', 'settings.update'] }),
  },
]
const onRoles: { what: string; attempt: (by: Person, role: number) => Promise<Reply> }[] = [
  { what: 'empty', attempt: (by, id) => by.put(`/roles/${id}`, { permissions: [] }) },
  { what: 'rename', attempt: (by, id) => by.put(`/roles/${id}`, { name: 'mine' }) },
  { what: 'delete', attempt: (by, id) => by.del(`/roles/${id}`) },
]

const state = () =>
  world.sql(
    `SELECT u.id, u.name, u.email, u.pending_email, u.email_verified_at, u.suspended_at, u.deleted_at, u.receive_website_leads,
       (SELECT array_agg(r.name || r.permissions::text ORDER BY r.id) FROM user_roles ur JOIN roles r ON r.id = ur.role_id AND r.tenant_id = ur.tenant_id WHERE ur.tenant_id = u.tenant_id AND ur.user_id = u.id) AS roles
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
  actors = [{ name: 'member', actor: await give(await acme.user([]), 'member') }]
  // Permissions only add: an actor with all others is stronger than actors with one of them each.
  const managing = every.filter((name) => /^(users|roles)\./.test(name))
  for (const permission of managing) actors.push({ name: permission, actor: await acme.user([permission]) })
  actors.push({ name: 'all but users and roles', actor: await acme.user(every.filter((name) => !managing.includes(name))) })
  actors.push({ name: 'all of users and roles', actor: await acme.user(managing) })
})

describe('nobody with less', () => {
  it('does anything to whoever holds more, or becomes as powerful', async () => {
    const before = await state()
    const roles = await world.sql(`SELECT id::int FROM roles WHERE tenant_id = $1 AND kind IN ('owner', 'admin')`, [acme.id])
    for (const { name, actor } of actors) {
      const tried = [
        ...attempts.flatMap(({ what, attempt }) =>
          [admin, acme.owner].map((target) => ({ what, attempt: () => attempt(actor, target) })),
        ),
        ...onRoles.flatMap(({ what, attempt }) =>
          roles.map(({ id }) => ({ what: `${what} role`, attempt: () => attempt(actor, id) })),
        ),
        ...others.map(({ what, attempt }) => ({ what, attempt: () => attempt(actor) })),
      ]
      for (const { what, attempt } of tried) {
        const { status } = await attempt()
        assert.ok([403, 422].includes(status), `${name} could ${what}: ${status}`)
      }
    }
    assert.deepEqual(await state(), before)
  })

  it('and no admin touches the owner or the role admin', async () => {
    const before = await state()
    for (const { what, attempt } of attempts) {
      const { status } = await attempt(admin, acme.owner)
      assert.equal(status, 422, what)
    }
    for (const { id, kind } of await world.sql(
      `SELECT id::int, kind FROM roles WHERE tenant_id = $1 AND kind IN ('owner', 'admin')`,
      [acme.id],
    ))
      for (const by of [admin, acme.owner])
        for (const { what, attempt } of onRoles) {
          const { status, body } = await attempt(by, id)
          assert.deepEqual([status, Object.keys(body.errors!)], [422, ['role']], `${what} ${kind}`)
        }
    assert.deepEqual(await state(), before)
  })

  it('but managing one’s equals and less works', async () => {
    const manager = actors.find(({ name }) => name === 'all of users and roles')!.actor
    const clerk = await acme.user(['vendors.view'])
    for (const { what, attempt } of attempts.filter(({ what }) => !/delete|suspend|invite/.test(what)))
      assert.ok([200, 201].includes((await attempt(manager, clerk)).status), what)
  })
})
