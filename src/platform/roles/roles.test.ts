import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { operator } from '#test/operator.ts'
import numberPermissions from './start.ts'

const world = await startTest()
const { admin } = world
const refused = (reply: { status: number; body: { errors?: object } }, field: string, about = '') =>
  assert.deepEqual([reply.status, Object.keys(reply.body.errors ?? {})], [422, [field]], about)

interface Permission {
  id: number
  name: string
  group: string
  roles: string[]
}
let matrix: Permission[]
const idsOf = (...names: string[]) => names.map((name) => matrix.find((one) => one.name === name)!.id).sort((a, b) => a - b)
const roleId = async (name: string) => Number((await world.sql('SELECT id FROM platform_roles WHERE name = $1', [name]))[0].id)

before(async () => {
  matrix = (await admin.get('/roles/permissions-matrix')).body.data
})

describe('the matrix of permissions', () => {
  it('has every permission that the contract names, with its group and who holds it (CEN-41, CEN-48 … CEN-53)', () => {
    const named: Record<string, string> = {
      users: 'list create read update delete restore force.delete suspend unsuspend invite reset-password',
      tenants: 'list create read update delete restore force.delete archive verify',
      roles: 'list create read update delete clone',
      dashboard: 'view',
      billing: 'manage',
      modules: 'list create read update delete restore force.delete',
      'module-subscriptions': 'list create read update delete deactivate',
      invoices: 'list read update',
      payments: 'list read update',
      impersonation: 'start end list',
      'system-settings': 'list update',
      'beta-applications': 'list read update',
      feedback: 'list read update comment stats',
    }
    for (const [group, actions] of Object.entries(named))
      for (const action of actions.split(' ')) {
        const found = matrix.filter(({ name }) => name === `${group}.${action}`)
        assert.deepEqual(
          found.map((one) => one.group),
          [group],
          `${group}.${action}`,
        )
        assert.ok(found[0]!.roles.includes('superadmin'))
      }
    assert.deepEqual(Object.keys(matrix[0]!), ['id', 'name', 'group', 'roles'])
    assert.ok(matrix.find(({ name }) => name === 'tenants.list')!.roles.includes('support'))
  })

  it('keeps its numbers when the service starts again, also when a permission is new or its module gone', async () => {
    await world.sql(`DELETE FROM platform_permissions WHERE name = 'feedback.stats'`)
    await world.sql(`INSERT INTO platform_permissions (name) VALUES ('retired.list')`)
    await Promise.all([numberPermissions(world.services), numberPermissions(world.services)])
    const after: Permission[] = (await admin.get('/roles/permissions-matrix')).body.data
    const rest = (list: Permission[]) => list.filter(({ name }) => name !== 'feedback.stats' && name !== 'retired.list')
    assert.deepEqual(rest(after), rest(matrix))
    assert.equal(after.filter(({ name }) => name === 'feedback.stats').length, 1)
    await world.sql(`DELETE FROM platform_permissions WHERE name = 'retired.list'`)
    matrix = (await admin.get('/roles/permissions-matrix')).body.data
  })
})

describe('roles of the platform', () => {
  it('are made, listed, shown, changed and deleted (CEN-40, CEN-42)', async () => {
    const permissions = idsOf('tenants.list', 'feedback.stats')
    const made = await admin.post('/roles', { name: ' Analyst ', permissions: [...permissions, permissions[0]] })
    assert.equal(made.status, 201)
    const { id } = made.body.data
    assert.deepEqual(
      [made.body.data.name, made.body.data.permissions, made.body.data.is_protected],
      ['Analyst', permissions, false],
    )
    const shown = await admin.get(`/roles/${id}`)
    assert.equal(shown.body.data.permissions.length, matrix.length)
    const assigned = shown.body.data.permissions.filter((one: { is_assigned: boolean }) => one.is_assigned)
    assert.deepEqual(
      assigned.map((one: { id: number }) => one.id),
      permissions,
    )
    for (const call of [admin.put, admin.patch]) {
      const changed = await call(`/roles/${id}`, { permissions: idsOf('tenants.read') })
      assert.deepEqual(
        [changed.status, changed.body.data.name, changed.body.data.permissions],
        [200, 'Analyst', idsOf('tenants.read')],
      )
    }
    const stale = await admin.put(`/roles/${id}`, { name: 'x' }, { headers: { 'if-match': String(shown.headers.etag) } })
    assert.equal(stale.status, 412)
    const listed = await admin.get('/roles', { query: { search: 'ANALY' } })
    assert.deepEqual([listed.body.meta.total, listed.body.data[0].users_count], [1, 0])
    assert.equal((await admin.del(`/roles/${id}`)).status, 200)
    assert.equal((await admin.get(`/roles/${id}`)).status, 404)
  })

  it('have names of their own and permissions that exist', async () => {
    const names = await Promise.all([1, 2].map(() => admin.post('/roles', { name: 'Twice' })))
    assert.deepEqual(names.map(({ status }) => status).sort(), [201, 422])
    refused(names.find(({ status }) => status === 422)!, 'name')
    refused(await admin.post('/roles', { name: 'Unknown', permissions: [999_999] }), 'permissions')
    refused(await admin.post('/roles', { name: 'superadmin' }), 'name')
  })

  it('that are protected keep their names and are never deleted (CEN-44)', async () => {
    for (const name of ['superadmin', 'developer', 'tester']) {
      const id = await roleId(name)
      refused(await admin.del(`/roles/${id}`), 'role', name)
      refused(await admin.put(`/roles/${id}`, { name: 'other' }), 'role', name)
    }
    refused(await admin.put(`/roles/${await roleId('superadmin')}`, { permissions: [] }), 'role')
    const tester = await roleId('tester')
    assert.equal((await admin.put(`/roles/${tester}`, { name: 'tester', permissions: idsOf('tenants.list') })).status, 200)
    assert.equal((await admin.put(`/roles/${tester}`, { permissions: [] })).status, 200)
  })

  it('are not deleted while somebody has them', async () => {
    const person = await operator(world, ['tenants.list'])
    const id = await roleId(`role of ${person.email}`)
    refused(await admin.del(`/roles/${id}`), 'role')
    await admin.del(`/users/${person.id}`)
    assert.equal((await admin.del(`/roles/${id}`)).status, 200)
    const restored = await admin.post(`/users/${person.id}/restore`)
    assert.deepEqual([restored.status, restored.body.data.role], [200, []])
  })

  it('are copied under a name that is free (CEN-43)', async () => {
    const support = await roleId('support')
    const copies = await Promise.all([1, 2, 3].map(() => admin.post(`/roles/${support}/clone`)))
    assert.deepEqual(copies.map(({ body }) => body.data.name).sort(), ['support copy', 'support copy 2', 'support copy 3'])
    const named = await admin.post(`/roles/${support}/clone`, { name: 'Night shift' })
    assert.deepEqual([named.status, named.body.data.permissions], [201, copies[0]!.body.data.permissions])
    refused(await admin.post(`/roles/${support}/clone`, { name: 'Night shift' }), 'name')
    const all = await admin.post(`/roles/${await roleId('superadmin')}/clone`)
    assert.deepEqual([all.body.data.permissions.length, all.body.data.is_protected], [matrix.length, false])
  })
})

describe('powers', () => {
  it('are given on by whoever holds them, and by nobody else', async () => {
    const manager = await operator(world, ['roles.create', 'roles.update', 'roles.delete', 'roles.clone', 'tenants.list'])
    const own = idsOf('roles.create', 'tenants.list')
    refused(await manager.post('/roles', { name: 'More', permissions: idsOf('tenants.force.delete') }), 'permissions')
    const made = await manager.post('/roles', { name: 'Less', permissions: own })
    assert.equal(made.status, 201)
    refused(await manager.put(`/roles/${made.body.data.id}`, { permissions: idsOf('tenants.read') }), 'permissions')
    const mine = await roleId(`role of ${manager.email}`)
    refused(await manager.put(`/roles/${mine}`, { permissions: idsOf('users.delete') }), 'permissions', 'its own role')
    for (const name of ['superadmin', 'support', 'developer']) {
      const id = await roleId(name)
      refused(await manager.put(`/roles/${id}`, { name: 'Mine' }), 'role', name)
      refused(await manager.post(`/roles/${id}/clone`), 'role', name)
      refused(await manager.del(`/roles/${id}`), 'role', name)
    }
  })

  it('that a role loses are lost at once', async () => {
    const person = await operator(world, ['tenants.list'])
    assert.equal((await person.get('/tenants')).status, 200)
    await admin.put(`/roles/${await roleId(`role of ${person.email}`)}`, { permissions: [] })
    assert.equal((await person.get('/tenants')).status, 403)
  })
})
