import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { referable } from '#kernel/modules/subjects.ts'
import { startTest, type Workspace } from '#test/harness.ts'
import { defaultWarehouse } from './public.ts'

const world = await startTest()
let acme: Workspace
let other: Workspace

before(async () => {
  acme = await world.workspace({ modules: ['warehouses'] })
  other = await world.workspace({ modules: ['warehouses'] })
})

const warehouse = async (fields: object, of = acme) => (await of.owner.post('/warehouses', fields)).body.data

/** Returns the codes of a workspace's default warehouses. */
const defaults = async (of: Workspace) =>
  (await of.owner.get('/warehouses', { query: { is_default: true } })).body.data.map((found: { code: string }) => found.code)

describe('warehouses', () => {
  it('name each wrong field', async () => {
    const { status, body } = await acme.owner.post('/warehouses', { code: '', is_default: 1, address: 7 })
    assert.equal(status, 422)
    assert.deepEqual(Object.keys(body.errors!).sort(), ['address', 'code', 'is_default', 'name'])
  })

  it('share no code among those not deleted', async () => {
    const north = await warehouse({ name: 'North', code: 'N' })
    assert.ok((await acme.owner.post('/warehouses', { name: 'Nord', code: 'N' })).body.errors?.code)
    await acme.owner.del(`/warehouses/${north.id}`)
    const nord = await warehouse({ name: 'Nord', code: 'N' })
    assert.ok((await acme.owner.post(`/warehouses/${north.id}/restore`)).body.errors?.code)
    await acme.owner.put(`/warehouses/${nord.id}`, { code: 'N2' })
    assert.equal((await acme.owner.post(`/warehouses/${north.id}/restore`)).status, 200)
  })
})

describe('the default warehouse', () => {
  it('is the first one, until another takes its place', async () => {
    const firm = await world.workspace({ modules: ['warehouses'] })
    const closed = await warehouse({ name: 'Closed', code: 'C', is_active: false }, firm)
    assert.equal(closed.is_default, false)
    const main = await warehouse({ name: 'Main', code: 'A' }, firm)
    assert.equal(main.is_default, true)
    const second = await warehouse({ name: 'Second', code: 'B' }, firm)
    assert.equal(second.is_default, false)
    await firm.owner.put(`/warehouses/${second.id}`, { is_default: true })
    assert.deepEqual(await defaults(firm), ['B'])
    assert.equal((await firm.owner.get(`/warehouses/${main.id}`)).body.data.is_default, false)
    await warehouse({ name: 'Third', code: 'D', is_default: true }, firm)
    assert.deepEqual(await defaults(firm), ['D'])
  })

  it('must be active', async () => {
    const firm = await world.workspace({ modules: ['warehouses'] })
    const main = await warehouse({ name: 'Main', code: 'A' }, firm)
    assert.ok((await firm.owner.put(`/warehouses/${main.id}`, { is_active: false })).body.errors?.is_active)
    const both = { name: 'Odd', code: 'O', is_default: true, is_active: false }
    assert.ok((await firm.owner.post('/warehouses', both)).body.errors?.is_active)
    assert.equal((await firm.owner.put(`/warehouses/${main.id}`, { is_active: false, is_default: false })).status, 200)
  })

  it('that was deleted is the default again, unless another took its place', async () => {
    const firm = await world.workspace({ modules: ['warehouses'] })
    const main = await warehouse({ name: 'Main', code: 'A' }, firm)
    await firm.owner.del(`/warehouses/${main.id}`)
    assert.equal((await firm.owner.post(`/warehouses/${main.id}/restore`)).body.data.is_default, true)
    await firm.owner.del(`/warehouses/${main.id}`)
    assert.equal((await warehouse({ name: 'Next', code: 'B' }, firm)).is_default, true)
    assert.equal((await firm.owner.post(`/warehouses/${main.id}/restore`)).body.data.is_default, false)
  })

  it('stays one when everybody claims it at once', async () => {
    const firm = await world.workspace({ modules: ['warehouses'] })
    const made = await Promise.all('ABCDEFGH'.split('').map((code) => firm.owner.post('/warehouses', { name: code, code })))
    assert.deepEqual([...new Set(made.map(({ status }) => status))], [201])
    assert.equal((await defaults(firm)).length, 1)
    const claims = made.map(({ body }) => firm.owner.put(`/warehouses/${body.data.id}`, { is_default: true }))
    assert.deepEqual([...new Set((await Promise.all(claims)).map(({ status }) => status))], [200])
    assert.equal((await defaults(firm)).length, 1)
  })

  it('stands in for a warehouse that is not named', async () => {
    const firm = await world.workspace({ modules: ['warehouses'] })
    const asked = () => firm.inside((ctx) => defaultWarehouse(ctx))
    const named = async (id: number, where = firm) => (await where.inside((ctx) => referable(ctx, 'warehouse', [id]))).has(id)
    await assert.rejects(asked(), /no default warehouse/)
    const main = await warehouse({ name: 'Main', code: 'A' }, firm)
    const second = await warehouse({ name: 'Second', code: 'B' }, firm)
    assert.equal((await asked()).id, main.id)
    assert.equal(await named(second.id), true)
    await firm.owner.put(`/warehouses/${second.id}`, { is_active: false })
    assert.equal(await named(second.id), false)
    assert.equal(await named(main.id, other), false)
    await firm.owner.del(`/warehouses/${main.id}`)
    await assert.rejects(asked(), /no default warehouse/)
    await assert.rejects(
      firm.inside((ctx) => defaultWarehouse({ ...ctx, entitled: () => false })),
      /not installed/,
    )
  })
})
