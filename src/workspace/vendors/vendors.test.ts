import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let acme: Workspace
let other: Workspace

before(async () => {
  acme = await world.workspace({ modules: ['vendors'] })
  other = await world.workspace({ modules: ['vendors'] })
})

describe('vendors', () => {
  it('are closed to strangers, to users without permission and to workspaces without the module', async () => {
    assert.equal((await world.anonymous.get('/vendors')).status, 401)
    const clerk = await acme.user(['roles.view'])
    const refused = await clerk.get('/vendors')
    assert.equal(refused.status, 403)
    assert.equal(refused.body.code, 'FORBIDDEN')
    const bare = await world.workspace({ modules: [] })
    const missing = await bare.owner.get('/vendors')
    assert.equal(missing.status, 403)
    assert.equal(missing.body.code, 'MODULE_NOT_INSTALLED')
  })

  it('of another workspace do not exist', async () => {
    const { body } = await other.owner.post('/vendors', { name: 'Theirs' })
    for (const call of [
      acme.owner.get(`/vendors/${body.data.id}`),
      acme.owner.put(`/vendors/${body.data.id}`, { name: 'Mine' }),
      acme.owner.del(`/vendors/${body.data.id}`),
      acme.owner.post(`/vendors/${body.data.id}/restore`),
    ])
      assert.equal((await call).status, 404)
    const list = await acme.owner.get('/vendors', { query: { trashed: 'with' } })
    assert.ok(list.body.data.every((vendor: { name: string }) => vendor.name !== 'Theirs'))
  })

  it('name each wrong field', async () => {
    const { status, body } = await acme.owner.post('/vendors', { name: '', email: 'nobody', is_active: 'yes', phone: 7 })
    assert.equal(status, 422)
    assert.deepEqual(Object.keys(body.errors!).sort(), ['email', 'is_active', 'name', 'phone'])
  })

  it('are created, shown, changed and listed', async () => {
    const created = await acme.owner.post('/vendors', { name: 'Müller & Söhne', email: 'Buch@Mueller.test', unknown: true })
    assert.equal(created.status, 201)
    const { id } = created.body.data
    assert.equal(created.body.data.email, 'buch@mueller.test')
    assert.equal(created.body.data.is_active, true)
    assert.equal(created.body.meta, null)
    const saved = await acme.owner.put(`/vendors/${id}`, { phone: '+49 30 1' })
    assert.equal(saved.body.data.phone, '+49 30 1')
    assert.equal(saved.body.data.name, 'Müller & Söhne')
    for (const search of ['müLLER', 'mu', 'ü', 'buch@', '30 1']) {
      const found = await acme.owner.get('/vendors', { query: { search } })
      assert.equal(found.body.meta.total, search === 'mu' ? 1 : 1, search)
    }
    assert.equal((await acme.owner.get('/vendors', { query: { search: '%' } })).body.meta.total, 0)
  })

  it('live, are deleted, restored and removed for good', async () => {
    const { id } = (await acme.owner.post('/vendors', { name: 'Short-lived' })).body.data
    assert.equal((await acme.owner.post(`/vendors/${id}/restore`)).status, 400)
    assert.equal((await acme.owner.del(`/vendors/${id}/force`)).status, 400)
    assert.equal((await acme.owner.del(`/vendors/${id}`)).status, 200)
    assert.equal((await acme.owner.get(`/vendors/${id}`)).status, 404)
    assert.equal((await acme.owner.del(`/vendors/${id}`)).status, 404)
    const trash = await acme.owner.get('/vendors', { query: { trashed: 'only' } })
    assert.deepEqual(
      trash.body.data.map((vendor: { id: number }) => vendor.id),
      [id],
    )
    assert.equal((await acme.owner.post(`/vendors/${id}/restore`)).body.data.deleted_at, null)
    await acme.owner.del(`/vendors/${id}`)
    assert.equal((await acme.owner.del(`/vendors/${id}/force`)).status, 200)
    assert.equal((await acme.owner.get('/vendors', { query: { trashed: 'only' } })).body.meta.total, 0)
  })
})
