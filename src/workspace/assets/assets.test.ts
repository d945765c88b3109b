import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { referable } from '#kernel/modules/subjects.ts'
import { type Person, type Reply, startTest } from '#test/harness.ts'

const world = await startTest()
let owner: Person

before(async () => {
  ;({ owner } = await world.workspace({ modules: ['assets', 'employees'], currency: 'EUR' }))
})

const asset = async (fields: object = {}) => (await owner.post('/assets', { name: 'Laptop', ...fields })).body.data
const refused = ({ status, body }: Reply) => [status, ...Object.keys(body.errors ?? {})]

describe('assets', () => {
  it('are available and priced in the workspace’s currency, unless they say otherwise', async () => {
    const plain = await asset()
    assert.partialDeepStrictEqual(plain, { status: 'available', code: null, purchase_price: null, currency: 'EUR' })
    const bought = {
      code: 'IT-1',
      status: 'in_use',
      serial_number: 'SN 7',
      purchase_date: '2026-01-31',
      purchase_price: 1299.9,
      currency: 'USD',
    }
    const { id } = await asset(bought)
    const { code, status, serial_number, purchase_date, purchase_price, currency } = (await owner.get(`/assets/${id}`)).body.data
    assert.deepEqual({ code, status, serial_number, purchase_date, purchase_price, currency }, bought)
    for (const search of ['it-1', 'sn 7', 'LAPTOP'])
      assert.ok(
        (await owner.get('/assets', { query: { search } })).body.data.some((one: { id: number }) => one.id === id),
        search,
      )
  })

  it('name each wrong field', async () => {
    const wrong = { name: '', code: 7, status: 'sold', purchase_date: '2026-13-01', purchase_price: -1, currency: 'EURO' }
    assert.deepEqual(refused(await owner.post('/assets', wrong)).sort(), [422, ...Object.keys(wrong)].sort())
  })

  it('have a price in as many decimals as its currency', async () => {
    const { id } = await asset({ purchase_price: 12.34 })
    for (const reply of [
      await owner.post('/assets', { name: 'Van', purchase_price: 1.5, currency: 'JPY' }),
      await owner.put(`/assets/${id}`, { currency: 'JPY' }),
      await owner.put(`/assets/${id}`, { purchase_price: 1.234 }),
    ])
      assert.deepEqual(refused(reply), [422, 'purchase_price'])
    assert.equal((await owner.put(`/assets/${id}`, { currency: 'JPY', purchase_price: null })).status, 200)
  })

  it('are had by an employee, and outlive them', async () => {
    const employee = (await owner.post('/employees', { name: 'Ada Lovelace' })).body.data.id
    const made = await asset({ employee_id: employee })
    assert.deepEqual(made.employee, { id: employee, name: 'Ada Lovelace' })
    const had = await owner.get('/assets', { query: { employee_id: employee } })
    assert.deepEqual(
      had.body.data.map(({ id }: { id: number }) => id),
      [made.id],
    )
    assert.deepEqual(refused(await owner.post('/assets', { name: 'Van', employee_id: 999_999 })), [422, 'employee_id'])
    await owner.del(`/employees/${employee}`)
    assert.equal((await owner.del(`/employees/${employee}/force`)).status, 200)
    assert.equal((await owner.get(`/assets/${made.id}`)).body.data.employee_id, null)
  })

  it('share no code among those not deleted, also when two claim it at once', async () => {
    const claims = await Promise.all([1, 2, 3].map(() => owner.post('/assets', { name: 'Van', code: 'CAR-1' })))
    assert.deepEqual(claims.map(({ status }) => status).sort(), [201, 422, 422])
    const { id } = claims.find(({ status }) => status === 201)!.body.data
    await owner.del(`/assets/${id}`)
    assert.equal((await asset({ code: ' CAR-1 ' })).code, 'CAR-1')
    assert.deepEqual(refused(await owner.post(`/assets/${id}/restore`)), [422, 'code'])
  })

  it('have codes that differ by more than their case', async () => {
    const { owner } = await world.workspace({ modules: ['assets'] })
    assert.equal((await owner.post('/assets', { name: 'Laptop', code: 'ab-1' })).status, 201)
    const { status, body } = await owner.post('/assets', { name: 'Laptop', code: 'AB-1' })
    assert.deepEqual([status, Object.keys(body.errors!)], [422, ['code']])
  })

  it('come from any state into any other, told once', async () => {
    const { id } = await asset()
    for (const status of ['in_use', 'in_repair', 'lost', 'retired', 'available'])
      assert.equal((await owner.put(`/assets/${id}`, { status })).body.data.status, status)
    assert.equal((await owner.post(`/assets/${id}/status`, { status: 'lost' })).body.data.status, 'lost')
    assert.deepEqual(refused(await owner.post(`/assets/${id}/status`, { status: 'lost' })), [422, 'status'])
    const { activities } = (await owner.get(`/assets/${id}`)).body.data
    assert.deepEqual(
      activities.map(({ type }: { type: string }) => type),
      [...Array(6).fill('status_changed'), 'created'],
    )
  })

  it('are counted by status', async () => {
    const firm = await world.workspace({ modules: ['assets'] })
    for (const status of ['in_use', 'in_use', 'lost']) await firm.owner.post('/assets', { name: 'Tool', status })
    const counts = { available: 0, in_use: 2, in_repair: 0, lost: 1, retired: 0 }
    assert.deepEqual((await firm.owner.get('/assets/stats')).body.data, { total_assets: 3, ...counts })
  })

  it('can be referred to by other modules, with tasks and projects', async () => {
    const firm = await world.workspace({ modules: ['assets', 'tasks', 'projects'] })
    const made = async (path: string, body: object) => (await firm.owner.post(path, body)).body.data.id
    const ids = {
      asset: await made('/assets', { name: 'Drill' }),
      task: await made('/tasks', { title: 'Call' }),
      project: await made('/projects', { title: 'Move' }),
    }
    for (const [type, id] of Object.entries(ids)) {
      const found = await firm.inside((ctx) => referable(ctx, type as keyof typeof ids, [id, 999_999]))
      assert.deepEqual([...found.keys()], [id], type)
    }
  })
})
