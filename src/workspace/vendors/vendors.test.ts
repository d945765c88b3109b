import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let acme: Workspace

before(async () => {
  acme = await world.workspace({ modules: ['vendors'] })
})

describe('vendors', () => {
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
      assert.equal(found.body.meta.total, 1, search)
    }
    assert.equal((await acme.owner.get('/vendors', { query: { search: '%' } })).body.meta.total, 0)
  })
})
