import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Client, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { activeEmployeeOf } from './public.ts'

const world = await startTest()
let firm: Workspace
let bare: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['employees'], timezone: 'Pacific/Auckland' })
  bare = await world.workspace({ modules: [] })
})

beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
})

let made = 0
/** Creates a user, by default without an employee record. */
async function addUser(more: object = {}, by: Client = firm.owner) {
  const reply = await by.post('/users', { name: 'Nadia New', email: `new${++made}@firm.test`, create_employee: false, ...more })
  assert.equal(reply.status, 201, reply.body.message)
  return reply.body.data
}
const employ = async (body: object) => (await firm.owner.post('/employees', body)).body.data
const employUser = (id: number, by: Client = firm.owner) => by.post(`/users/${id}/create-employee`)
const employeeIdOf = async (id: number) => (await firm.owner.get(`/users/${id}`)).body.data.employee_id

/** 422 on exactly these fields. */
function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

describe('employees', () => {
  it('are numbered and named, by one name or by its parts', async () => {
    const firm = await world.workspace({ modules: ['employees'] })
    const named = async (body: object) => {
      const { data } = (await firm.owner.post('/employees', body)).body
      return [data.number, data.name, data.first_name, data.last_name]
    }
    assert.deepEqual(await named({ name: ' Ann  van Ash ' }), ['EMP-0001', 'Ann van Ash', 'Ann', 'van Ash'])
    assert.deepEqual(await named({ first_name: 'Mary Ann', last_name: ' Oak ' }), ['EMP-0002', 'Mary Ann Oak', 'Mary Ann', 'Oak'])
    assert.deepEqual(await named({ name: 'Pelé' }), ['EMP-0003', 'Pelé', 'Pelé', null])
    assert.deepEqual(await named({ name: 'Bo Birch', first_name: 'Bob', last_name: '' }), ['EMP-0004', 'Bob', 'Bob', null])
    for (const body of [{}, { last_name: 'Ash' }]) refused(await firm.owner.post('/employees', body), 'name')
    refused(await firm.owner.post('/employees', { first_name: 'x'.repeat(200), last_name: 'y'.repeat(100) }), 'name')
    assert.deepEqual(await named({ name: 'Cy' }), ['EMP-0005', 'Cy', 'Cy', null], 'what was refused took no number')
  })

  it('keep their name and its parts in step', async () => {
    const { id } = await employ({ name: 'Ann Ash' })
    const change = async (body: object) => {
      const { name, first_name, last_name } = (await firm.owner.put(`/employees/${id}`, body)).body.data
      return [name, first_name, last_name]
    }
    assert.deepEqual(await change({ last_name: 'Oak' }), ['Ann Oak', 'Ann', 'Oak'])
    assert.deepEqual(await change({ name: 'Anna Elm' }), ['Anna Elm', 'Anna', 'Elm'])
    assert.deepEqual(await change({ last_name: null }), ['Anna', 'Anna', null])
    assert.deepEqual(await change({ phone: '1' }), ['Anna', 'Anna', null])
    refused(await firm.owner.put(`/employees/${id}`, { last_name: 'y'.repeat(251) }), 'name')
  })

  it('have numbers without gaps when many come at once', async () => {
    const firm = await world.workspace({ modules: ['employees'] })
    const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => firm.owner.post('/employees', { name: `E ${n}` })))
    const numbers = replies.map(({ body }) => body.data.number).sort()
    assert.deepEqual(
      numbers,
      Array.from({ length: 12 }, (_, n) => `EMP-${String(n + 1).padStart(4, '0')}`),
    )
  })

  it('are found by name, number, address and telephone, and filtered', async () => {
    const firm = await world.workspace({ modules: ['employees'] })
    const department = (await firm.owner.post('/departments', { name: 'Sales' })).body.data
    const body = {
      name: 'Bea Birch',
      email: 'BEA@wood.test',
      phone: '0171-99',
      department_id: department.id,
      user_id: firm.owner.id,
    }
    await firm.owner.post('/employees', body)
    await firm.owner.post('/employees', { name: 'Cy', employment_type: 'intern', status: 'inactive' })
    const names = async (query: string) =>
      (await firm.owner.get(`/employees?${query}`)).body.data.map(({ name }: { name: string }) => name)
    for (const word of ['a birch', 'emp-0001', 'bea@', '171-9'])
      assert.deepEqual(await names(`search=${word}`), ['Bea Birch'], word)
    for (const query of [
      `department_id=${department.id}`,
      `user_id=${firm.owner.id}`,
      'employment_type=full_time',
      'status=active',
    ])
      assert.deepEqual(await names(query), ['Bea Birch'], query)
    const stats = (await firm.owner.get('/employees/stats')).body.data
    assert.deepEqual(stats, { total_employees: 2, active: 1, inactive: 1 })
    const [{ department: shown, user }] = (await firm.owner.get('/employees?search=birch')).body.data
    assert.deepEqual([shown, user.id], [{ id: department.id, name: 'Sales' }, firm.owner.id])
  })
})

describe('a user who is an employee', () => {
  it('is one live employee at most; a deleted one remembers whose it was (USR-13)', async () => {
    const { id } = await addUser()
    const first = await employ({ name: 'First', user_id: id })
    assert.equal(await employeeIdOf(id), first.id)
    refused(await firm.owner.post('/employees', { name: 'Second', user_id: id }), 'user_id')
    await firm.owner.del(`/employees/${first.id}`)
    assert.equal(await employeeIdOf(id), null)
    const [trashed] = (await firm.owner.get(`/employees?trashed=only&user_id=${id}`)).body.data
    assert.equal(trashed.user_id, id)
    const second = await employ({ name: 'Second', user_id: id })
    assert.equal(await employeeIdOf(id), second.id)
    refused(await firm.owner.post(`/employees/${first.id}/restore`), 'user_id')
    await firm.owner.put(`/employees/${second.id}`, { user_id: null })
    assert.equal((await firm.owner.post(`/employees/${first.id}/restore`)).status, 200)
    assert.equal(await employeeIdOf(id), first.id)
    refused(await firm.owner.put(`/employees/${second.id}`, { user_id: id }), 'user_id')
  })

  it('is told to those who ask for the active one', async () => {
    const { id } = await addUser()
    const active = () => firm.inside((ctx) => activeEmployeeOf(ctx, id))
    assert.equal(await active(), undefined)
    const employee = await employ({ name: 'Ann Ash', user_id: id })
    assert.deepEqual(await active(), { id: employee.id, number: employee.number, name: 'Ann Ash', department_id: null })
    await firm.owner.put(`/employees/${employee.id}`, { status: 'inactive' })
    assert.equal(await active(), undefined)
  })

  it('stays one without the module, unseen until it is there again', async () => {
    const { id } = await addUser({ create_employee: true })
    const { owner } = firm
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1 AND module_key = 'employees'`, [
      firm.id,
    ])
    const without = (await owner.get(`/users/${id}`)).body.data
    await world.sql(`UPDATE module_subscriptions SET status = 'active' WHERE tenant_id = $1 AND module_key = 'employees'`, [
      firm.id,
    ])
    assert.equal(without.employee_id, null)
    assert.notEqual(await employeeIdOf(id), null)
  })
})

describe('adding a user', () => {
  it('makes an employee in the same go, unless one doesn’t want it (USR-07, USR-10)', async () => {
    world.clock.set('2027-01-01T12:30:00.000Z')
    const user = await addUser({ name: 'Nadia van New', create_employee: undefined })
    const { data } = (await firm.owner.get(`/employees/${user.employee_id}`)).body
    assert.match(data.number, /^EMP-\d{4}$/)
    const { name, first_name, last_name, email, user_id, employment_type, status, hire_date } = data
    assert.deepEqual(
      { name, first_name, last_name, email, user_id, employment_type, status, hire_date },
      {
        ...{ name: 'Nadia van New', first_name: 'Nadia', last_name: 'van New', email: user.email, user_id: user.id },
        ...{ employment_type: 'full_time', status: 'active', hire_date: '2027-01-02' },
      },
    )
    assert.notEqual((await addUser({ create_employee: true })).employee_id, null)
    assert.equal((await addUser({ create_employee: false })).employee_id, null)
    refused(await firm.owner.post('/users', { name: 'Nadia', email: user.email }), 'email')
    assert.equal((await firm.owner.get(`/employees?search=${user.email}`)).body.meta.total, 1, 'no user, no employee')
  })

  it('makes none where there are no employees', async () => {
    assert.equal((await addUser({ create_employee: undefined }, bare.owner)).employee_id, null)
    assert.equal((await addUser({ create_employee: false, employee_id: null }, bare.owner)).employee_id, null)
    const asked = { name: 'Nadia', email: 'asked@firm.test' }
    refused(await bare.owner.post('/users', { ...asked, create_employee: true }), 'create_employee')
    refused(await bare.owner.post('/users', { ...asked, employee_id: 1 }), 'employee_id')
    assert.equal((await employUser(bare.owner.id, bare.owner)).body.code, 'MODULE_NOT_INSTALLED')
  })

  it('takes an employee who is there already instead', async () => {
    const employee = await employ({ name: 'Ann Ash' })
    const user = await addUser({ create_employee: true, employee_id: employee.id })
    assert.equal(user.employee_id, employee.id)
    assert.equal((await firm.owner.get(`/employees?user_id=${user.id}&trashed=with`)).body.meta.total, 1)
  })
})

describe('choosing the employee of a user (USR-01)', () => {
  it('lets go of the one before, and takes none who is somebody else', async () => {
    const [user, other] = [await addUser(), await addUser()]
    const [first, second] = [await employ({ name: 'First' }), await employ({ name: 'Second' })]
    const put = (employee_id: unknown, id = user.id) => firm.owner.put(`/users/${id}`, { employee_id })
    assert.equal((await put(first.id)).body.data.employee_id, first.id)
    assert.equal((await put(second.id)).body.data.employee_id, second.id)
    assert.equal((await firm.owner.get(`/employees/${first.id}`)).body.data.user_id, null)
    refused(await put(second.id, other.id), 'employee_id')
    refused(await put(999_999), 'employee_id')
    await firm.owner.del(`/employees/${first.id}`)
    refused(await put(first.id), 'employee_id')
    assert.equal(await employeeIdOf(user.id), second.id, 'nothing was changed')
    assert.equal((await put(null)).body.data.employee_id, null)
  })

  it('gives one of two who choose the same at once', async () => {
    const [{ id }, left, right] = [await employ({ name: 'Wanted' }), await addUser(), await addUser()]
    const put = (user: { id: number }) => firm.owner.put(`/users/${user.id}`, { employee_id: id })
    const replies = await Promise.all([put(left), put(right)])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422])
    refused(replies.find(({ status }) => status === 422)!, 'employee_id')
  })

  it('is another state of the user, and nothing when it was so before', async () => {
    const user = await addUser({ create_employee: true })
    const path = `/users/${user.id}`
    const { etag } = (await firm.owner.get(path)).headers
    const same = await firm.owner.put(path, { employee_id: user.employee_id })
    assert.deepEqual([same.status, same.headers.etag], [200, etag])
    assert.notEqual((await firm.owner.put(path, { employee_id: null })).headers.etag, etag)
  })

  it('needs employees.update as well, unless nothing changes', async () => {
    const user = await addUser({ create_employee: true })
    const { id } = await employ({ name: 'Ann Ash' })
    const clerk = await firm.user(['users.update', 'users.create', 'employees.view', 'employees.create'])
    for (const employee_id of [id, null, 999_999]) {
      const { status, body } = await clerk.put(`/users/${user.id}`, { name: 'Renamed', employee_id })
      assert.deepEqual([status, body.code], [403, 'FORBIDDEN'], String(employee_id))
    }
    assert.equal((await clerk.post('/users', { name: 'N', email: 'n@firm.test', employee_id: id })).status, 403)
    assert.equal((await clerk.put(`/users/${user.id}`, { name: 'Renamed', employee_id: user.employee_id })).status, 200)
    const both = await firm.user(['users.update', 'employees.update'])
    assert.equal((await both.put(`/users/${user.id}`, { employee_id: id })).body.data.employee_id, id)
  })
})

describe('create-employee', () => {
  it('makes an employee of a user, once (USR-10, USR-11, USR-16)', async () => {
    const user = await addUser({ name: 'Bo' })
    const { status, body } = await employUser(user.id)
    assert.deepEqual([status, body.data.name, body.data.status, body.data.user.id], [201, 'Bo', 'active', user.id])
    assert.equal(await employeeIdOf(user.id), body.data.id)
    refused(await employUser(user.id), 'user')
    await firm.owner.del(`/employees/${body.data.id}`)
    const again = await employUser(user.id)
    assert.equal(again.status, 201)
    assert.notEqual(again.body.data.id, body.data.id)
  })

  it('makes an inactive one of somebody suspended, and stays out of suspensions from then on', async () => {
    const user = await addUser()
    await firm.owner.post(`/users/${user.id}/suspend`)
    const { id, status } = (await employUser(user.id)).body.data
    assert.equal(status, 'inactive')
    await firm.owner.post(`/users/${user.id}/unsuspend`)
    assert.equal((await firm.owner.get(`/employees/${id}`)).body.data.status, 'inactive')
  })

  it('finds no deleted user (USR-14), and none for who may not see users', async () => {
    const [gone, there] = [await addUser(), await addUser()]
    await firm.owner.del(`/users/${gone.id}`)
    assert.equal((await employUser(gone.id)).status, 404)
    const blind = await firm.user(['employees.create'])
    assert.equal((await employUser(there.id, blind)).status, 404)
    const seeing = await firm.user(['employees.view', 'users.view', 'users.update'])
    assert.equal((await employUser(there.id, seeing)).status, 403, 'USR-15')
    assert.equal((await employUser(there.id, await firm.user(['employees.create', 'users.view']))).status, 201)
  })

  it('happens once for each user, whatever comes at once (USR-12)', async () => {
    for (let round = 1; round <= 3; round++) {
      const { id } = await addUser()
      const { id: spare } = await employ({ name: 'Spare' })
      const replies = await Promise.all([
        employUser(id),
        employUser(id),
        firm.owner.post('/employees', { name: 'Directly', user_id: id }),
        firm.owner.put(`/employees/${spare}`, { user_id: id }),
        employUser(id),
      ])
      const won = replies.filter(({ status }) => status < 300)
      assert.equal(won.length, 1, replies.map(({ status }) => status).join())
      for (const [n, reply] of replies.entries())
        if (!won.includes(reply)) refused(reply, [0, 1, 4].includes(n) ? 'user' : 'user_id')
    }
  })

  it('and choosing another at the same time leave one', async () => {
    for (let round = 1; round <= 3; round++) {
      const { id } = await addUser()
      const spare = await employ({ name: 'Spare' })
      await Promise.all([employUser(id), firm.owner.put(`/users/${id}`, { employee_id: spare.id })])
      const { meta } = (await firm.owner.get(`/employees?user_id=${id}`)).body
      assert.equal(meta.total, 1)
    }
  })
})
