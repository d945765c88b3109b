import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { departmentsManagedBy, usersEmployedIn } from './public.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['employees'] })
})

const create = async (body: object) => (await firm.owner.post('/departments', body)).body.data
const names = async (query = '') =>
  (await firm.owner.get(`/departments${query}`)).body.data.map(({ name }: { name: string }) => name)

describe('departments', () => {
  it('are ordered by name, searched and filtered', async () => {
    await create({ name: 'Sales' })
    await create({ name: 'Accounts', is_active: false })
    assert.deepEqual(await names(), ['Accounts', 'Sales'])
    assert.deepEqual(await names('?is_active=0'), ['Accounts'])
    assert.deepEqual(await names('?search=ALE'), ['Sales'])
  })

  it('have names of their own, which deletion gives back', async () => {
    const { id } = await create({ name: 'Law' })
    const second = await firm.owner.post('/departments', { name: 'Law' })
    assert.deepEqual([second.status, Object.keys(second.body.errors!)], [422, ['name']])
    assert.equal((await firm.owner.del(`/departments/${id}`)).status, 200)
    assert.equal((await firm.owner.post('/departments', { name: 'Law' })).status, 201)
  })

  it('show their managers by name, hide those deleted since, and replace them as a whole', async () => {
    const [user, { owner }] = [await firm.user([]), firm]
    const made = await create({ name: 'Purchasing', manager_ids: [user.id, owner.id, user.id] })
    const path = `/departments/${made.id}`
    assert.deepEqual(made.manager_ids, [owner.id, user.id])
    assert.deepEqual(made.managers[1], { id: user.id, name: 'User 1', email: user.email })
    assert.equal((await owner.put(path, { is_active: false })).body.data.managers.length, 2)
    assert.equal((await owner.del(`/users/${user.id}`)).status, 200)
    const { manager_ids, managers } = (await owner.get(path)).body.data
    assert.deepEqual([manager_ids, managers.length], [[owner.id], 1])
    assert.deepEqual((await owner.put(path, { manager_ids: [] })).body.data.managers, [])
  })

  it('are another revision with other managers, and the same with the same', async () => {
    const path = `/departments/${(await create({ name: 'Research', manager_ids: [firm.owner.id] })).id}`
    const { etag } = (await firm.owner.get(path)).headers
    assert.equal((await firm.owner.put(path, { manager_ids: [firm.owner.id] })).headers.etag, etag)
    assert.notEqual((await firm.owner.put(path, { manager_ids: [] })).headers.etag, etag)
  })

  it('take at most 50 managers, each a live user of the workspace', async () => {
    const gone = await firm.user([])
    await firm.owner.del(`/users/${gone.id}`)
    const { owner: stranger } = await world.workspace({ modules: [] })
    const refused = await firm.owner.post('/departments', { name: 'IT', manager_ids: [firm.owner.id, gone.id, stranger.id] })
    assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['manager_ids.1', 'manager_ids.2']])
    const many = await firm.owner.post('/departments', { name: 'IT', manager_ids: Array(51).fill(firm.owner.id) })
    assert.deepEqual([many.status, Object.keys(many.body.errors!)], [422, ['manager_ids']])
  })

  it('stay while somebody belongs to them, and are left only for an active one', async () => {
    const [open, closed] = [await create({ name: 'Open' }), await create({ name: 'Closed', is_active: false })]
    const { id } = (await firm.owner.post('/employees', { name: 'Ann', department_id: open.id })).body.data
    const refused = await firm.owner.del(`/departments/${open.id}`)
    assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['department']])
    const moved = await firm.owner.put(`/employees/${id}`, { department_id: closed.id })
    assert.deepEqual([moved.status, Object.keys(moved.body.errors!)], [422, ['department_id']])
    await firm.owner.put(`/departments/${open.id}`, { is_active: false })
    assert.equal((await firm.owner.put(`/employees/${id}`, { phone: '1', department_id: open.id })).status, 200, 'it may stay')
  })

  it('are not deleted while somebody joins them', async () => {
    for (let round = 1; round <= 5; round++) {
      const { id } = await create({ name: `Racing ${round}` })
      const [joined, deleted] = await Promise.all([
        firm.owner.post('/employees', { name: 'Joining', department_id: id }),
        firm.owner.del(`/departments/${id}`),
      ])
      const fields = [joined, deleted].map(({ status, body }) => (status < 300 ? [] : Object.keys(body.errors!)))
      assert.deepEqual(fields, joined.status === 201 ? [[], ['department']] : [['department_id'], []])
    }
  })
})

describe('managers', () => {
  it('manage the active ones, whose active employees can be given work', async () => {
    const [manager, seller, suspended, gone] = [
      await firm.user([]),
      await firm.user([]),
      await firm.user([]),
      await firm.user([]),
    ]
    const north = await create({ name: 'North', manager_ids: [manager.id] })
    await create({ name: 'South', manager_ids: [manager.id], is_active: false })
    await create({ name: 'West', manager_ids: [seller.id] })
    assert.deepEqual(await firm.inside((ctx) => departmentsManagedBy(ctx, manager.id)), [north.id])
    assert.deepEqual(await firm.inside((ctx) => departmentsManagedBy(ctx, firm.owner.id)), [])

    const join = (user_id: number | null, more: object = {}) =>
      firm.owner.post('/employees', { name: 'Somebody', department_id: north.id, user_id, ...more })
    await join(seller.id)
    await join(null)
    await join(suspended.id, { status: 'inactive' })
    const left = (await join(gone.id)).body.data
    const members = (ids: number[]) => firm.inside((ctx) => usersEmployedIn(ctx, ids))
    assert.deepEqual(await members([north.id]), [seller.id, gone.id], 'a manager only as an employee')
    await firm.owner.del(`/employees/${left.id}`)
    assert.deepEqual(await members([north.id, north.id]), [seller.id])
    assert.deepEqual(await members([]), [])
  })
})
