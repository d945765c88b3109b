import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let acme: Workspace
let other: Workspace
let everything: string[]
let ofEveryone: string[]

before(async () => {
  acme = await world.workspace({ modules: [], name: 'Acme' })
  other = await world.workspace({ modules: [], name: 'Other' })
  const { workspace } = world.services.modules
  const every: { name: string; group: string }[] = (await acme.owner.get('/permissions')).body.data
  everything = every.map(({ name }) => name)
  const isEveryones = (key: string) => workspace.get(key)?.core || workspace.get(key)?.defaultIncluded
  ofEveryone = every.filter(({ group }) => isEveryones(group)).map(({ name }) => name)
})

let made = 0
async function add(permissions: string[] = [], more: object = {}) {
  const { status, body } = await acme.owner.post('/roles', { name: `Role ${++made}`, permissions, ...more })
  assert.equal(status, 201, body.message)
  return body.data
}

/** Asserts 422 on exactly these fields. */
function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

const routes = [
  { method: 'get', path: '/permissions', permission: 'roles.view' },
  { method: 'get', path: '/roles', permission: 'roles.view' },
  { method: 'get', path: '/roles/:id', permission: 'roles.view' },
  { method: 'post', path: '/roles', permission: 'roles.create' },
  { method: 'put', path: '/roles/:id', permission: 'roles.update' },
  { method: 'del', path: '/roles/:id', permission: 'roles.delete' },
] as const
/** Calls a route, with an invalid body where it takes one. */
const call = (by: Client, method: (typeof routes)[number]['method'], path: string) =>
  method === 'get' || method === 'del' ? by[method](path) : by[method](path, { name: 7 })

describe('roles', () => {
  it('are closed to strangers and to those without the one permission', async () => {
    const { id } = await add()
    for (const { method, path, permission } of routes) {
      const at = path.replace(':id', String(id))
      assert.equal((await call(world.anonymous, method, at)).status, 401, path)
      const allBut = await acme.user(everything.filter((name) => name !== permission))
      for (const target of [at, path.replace(':id', '999999999')]) {
        const { status, body } = await call(allBut, method, target)
        assert.deepEqual([status, body.code], [403, 'FORBIDDEN'], `${method} ${target}`)
      }
    }
    assert.equal((await acme.owner.get(`/roles/${id}`)).status, 200)
  })

  it('name each wrong field', async () => {
    const { id } = await add()
    const wrong: Record<string, unknown[]> = {
      name: [null, '', ' ', 7, [], {}, 'a\0b', 'x'.repeat(101)],
      description: [7, [], {}, 'a\0b', 'x'.repeat(501)],
      permissions: [
        null,
        'roles.view',
        7,
        {},
        ['nonsense'],
        ['roles.view', 'roles.fly'],
        ['roles'],
        ['*'],
        ['__proto__'],
        ['tenants.list'],
        Array(1001).fill('roles.view'),
      ],
      'permissions.0': [[7], [null], [['roles.view']], ['a\0b'], ['x'.repeat(101)]],
    }
    for (const [field, values] of Object.entries(wrong))
      for (const value of values) {
        const sent = { [field.split('.')[0]!]: value }
        refused(await acme.owner.post('/roles', { name: `Role ${++made}`, ...sent }), field)
        refused(await acme.owner.put(`/roles/${id}`, sent), field)
      }
    refused(await acme.owner.post('/roles'), 'name')
    for (const call of ['post', 'put'] as const)
      refused(await acme.owner[call](call === 'put' ? `/roles/${id}` : '/roles', [{ name: 'x' }]), 'body')
    refused(await acme.owner.get('/roles', { query: { sort: 'permissions', per_page: 'all' } }), 'sort', 'per_page')
  })

  it('come with every workspace: superadmin, admin and member', async () => {
    const { body } = await other.owner.get('/roles', { query: { sort: 'name', direction: 'asc', search: 'm' } })
    const seeded = body.data.filter((role: { name: string }) => role.name !== 'Theirs')
    assert.deepEqual(
      seeded.map((role: any) => [role.name, role.is_protected, role.users_count]),
      [
        ['admin', false, 0],
        ['member', false, 0],
        ['superadmin', true, 1],
      ],
    )
    assert.deepEqual(Object.keys(seeded[0]).sort(), [
      'created_at',
      'description',
      'id',
      'is_protected',
      'name',
      'permissions',
      'updated_at',
      'users_count',
    ])
    assert.deepEqual(seeded[0].permissions.toSorted(), ofEveryone.toSorted())
    for (const name of ['users.view', 'roles.view', 'settings.view']) assert.ok(seeded[1].permissions.includes(name), name)
    for (const name of ['vendors.view', 'users.create', 'roles.update', 'settings.update', 'audit-logs.view'])
      assert.equal(seeded[1].permissions.includes(name), false, name)
    assert.equal(body.meta.per_page, 25)
  })

  it('are added, shown, listed and changed', async () => {
    const permissions = ['users.view', 'roles.view', 'users.view']
    const role = await add(permissions, { description: ' ', is_protected: true, id: 1, tenant_id: other.id, users_count: 9 })
    assert.deepEqual(
      {
        permissions: role.permissions,
        description: role.description,
        is_protected: role.is_protected,
        users_count: role.users_count,
      },
      { permissions: ['roles.view', 'users.view'], description: null, is_protected: false, users_count: 0 },
    )
    assert.deepEqual((await acme.owner.get(`/roles/${role.id}`)).body.data, role)
    assert.deepEqual((await acme.owner.get('/roles', { query: { search: role.name } })).body.data, [role])

    const saved = await acme.owner.put(`/roles/${role.id}`, { description: 'Looks around', is_protected: true })
    assert.deepEqual(saved.body.data, { ...role, description: 'Looks around', updated_at: saved.body.data.updated_at })
    assert.deepEqual((await acme.owner.put(`/roles/${role.id}`, { permissions: [] })).body.data.permissions, [])
    const renamed = await acme.owner.put(`/roles/${role.id}`, { name: `${role.name} renamed`, description: null })
    assert.partialDeepStrictEqual(renamed.body.data, { name: `${role.name} renamed`, description: null })
  })

  it('have one name each', async () => {
    const [first, second] = [await add(), await add()]
    refused(await acme.owner.post('/roles', { name: ` ${first.name} ` }), 'name')
    refused(await acme.owner.post('/roles', { name: 'superadmin' }), 'name')
    refused(await acme.owner.put(`/roles/${second.id}`, { name: first.name, description: 'Not saved' }), 'name')
    assert.equal((await acme.owner.get(`/roles/${second.id}`)).body.data.description, null)
    assert.equal((await acme.owner.put(`/roles/${first.id}`, { name: first.name })).status, 200)
    assert.equal((await other.owner.post('/roles', { name: first.name })).status, 201)

    const replies = await Promise.all([
      acme.owner.post('/roles', { name: 'At once' }),
      acme.owner.post('/roles', { name: 'At once' }),
      acme.owner.put(`/roles/${second.id}`, { name: 'At once' }),
    ])
    const lost = replies.filter(({ status }) => status >= 300)
    assert.equal(lost.length, 2)
    for (const reply of lost) refused(reply, 'name')
  })

  it('are given no more than whom they come from may do', async () => {
    const clerk = await acme.user(['roles.create', 'roles.update', 'users.view'])
    refused(await clerk.post('/roles', { name: 'Beyond', permissions: ['users.view', 'users.delete'] }), 'permissions')
    const own = await clerk.post('/roles', { name: 'Within', permissions: ['users.view'] })
    assert.equal(own.status, 201)
    const role = await add(['users.delete'])
    refused(await clerk.put(`/roles/${role.id}`, { permissions: ['users.view'] }), 'role')
    const path = `/roles/${own.body.data.id}`
    refused(await clerk.put(path, { permissions: ['users.view', 'users.delete'] }), 'permissions')
    const less = await clerk.put(path, { permissions: ['roles.create'] })
    assert.deepEqual(less.body.data.permissions, ['roles.create'])
  })

  it('decide what their users may do, from the next request on', async () => {
    const person = await acme.user(['roles.view'])
    const [role] = (await person.get('/roles', { query: { search: 'role ' } })).body.data.filter(
      (one: any) => one.users_count === 1 && one.permissions.join() === 'roles.view',
    )
    await acme.owner.put(`/roles/${role.id}`, { permissions: [] })
    assert.equal((await person.get('/roles')).status, 403)
  })

  it('stay while somebody has them, and go when nobody does', async () => {
    const role = await add()
    const user = (await acme.owner.post('/users', { name: 'Nadia', email: 'nadia@acme.test', role: [role.name] })).body.data
    assert.equal((await acme.owner.get(`/roles/${role.id}`)).body.data.users_count, 1)
    refused(await acme.owner.del(`/roles/${role.id}`), 'role')
    await acme.owner.del(`/users/${user.id}`)
    assert.equal((await acme.owner.get(`/roles/${role.id}`)).body.data.users_count, 0)
    assert.equal((await acme.owner.del(`/roles/${role.id}`)).status, 200)
    assert.equal((await acme.owner.del(`/roles/${role.id}`)).status, 404)
    assert.deepEqual((await acme.owner.post(`/users/${user.id}/restore`)).body.data.role, [])
  })

  it('the owner’s own is protected (GEN-12)', async () => {
    const [superadmin] = (await acme.owner.get('/roles', { query: { search: 'superadmin' } })).body.data
    refused(await acme.owner.put(`/roles/${superadmin.id}`, { description: 'Mine' }), 'role')
    refused(await acme.owner.del(`/roles/${superadmin.id}`), 'role')
    assert.equal((await acme.owner.get(`/roles/${superadmin.id}`)).body.data.description, superadmin.description)
  })
})

describe('permissions', () => {
  it('are listed with their group and what they allow', async () => {
    const { body } = await acme.owner.get('/permissions')
    for (const { name, group, description, ...more } of body.data) {
      assert.match(name, /^[a-z_-]+(\.[a-z_-]+)+$/)
      assert.equal(group, name.split('.')[0])
      assert.ok(description.length > 3, name)
      assert.deepEqual(more, {})
    }
    for (const name of ['users.suspend', 'roles.delete', 'settings.update', 'vendors.force.delete'])
      assert.ok(everything.includes(name), name)
    assert.equal(new Set(everything).size, everything.length)
    assert.equal(everything.includes('tenants.list'), false, 'the platform’s are not a workspace’s')
  })
})
