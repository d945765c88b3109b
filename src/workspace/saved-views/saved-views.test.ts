import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, startTest, type Workspace } from '#test/harness.ts'

type Person = Awaited<ReturnType<Workspace['user']>>

const world = await startTest()
let firm: Workspace
let ann: Person
let ben: Person

before(async () => {
  firm = await world.workspace({ modules: ['vendors'] })
  ann = await firm.user([])
  ben = await firm.user([])
})

const view = { screen: 'vendors', name: 'Active', columns: ['name', 'email'], filters: { is_active: 'true' }, sort: 'name' }
const save = async (by: Client, fields: object = {}) => {
  const { status, body } = await by.post('/saved-views', { ...view, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const namesFor = async (by: Client, query: object = {}) =>
  (await by.get('/saved-views', { query: query as never })).body.data.map(({ name }: { name: string }) => name)

describe('a saved view', () => {
  it('is one’s own until it is shared, and is changed by whoever made it', async () => {
    const { id, ...made } = await save(ann)
    assert.deepEqual(
      [made.columns, made.filters, made.layout, made.can_edit],
      [['name', 'email'], { is_active: 'true' }, 'list', true],
    )
    assert.deepEqual(await namesFor(ben), [])
    assert.deepEqual(await namesFor(firm.owner), [])
    for (const by of [ben, firm.owner]) {
      assert.equal((await by.get(`/saved-views/${id}`)).status, 404)
      assert.equal((await by.put(`/saved-views/${id}`, { name: 'Stolen' })).status, 404)
      assert.equal((await by.del(`/saved-views/${id}`)).status, 404)
    }
    assert.equal((await ann.put(`/saved-views/${id}`, { is_shared: true, filters: {} })).body.data.filters.is_active, undefined)
    const { body } = await ben.get(`/saved-views/${id}`)
    assert.deepEqual([body.data.name, body.data.can_edit, body.data.user.id], ['Active', false, ann.id])
    assert.equal((await ben.put(`/saved-views/${id}`, { name: 'Stolen' })).status, 403)
    assert.equal((await ben.del(`/saved-views/${id}`)).status, 403)
    assert.equal((await firm.owner.put(`/saved-views/${id}`, { name: 'All that work' })).body.data.name, 'All that work')
    assert.equal((await firm.owner.del(`/saved-views/${id}`)).status, 200)
    assert.deepEqual(await namesFor(ann), [])
  })

  it('has a name of its own among those of its list, also when two are saved at once', async () => {
    const both = await Promise.all([1, 2].map(() => ben.post('/saved-views', { ...view, name: 'Twice' })))
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 422])
    assert.match(both.find(({ status }) => status === 422)!.body.errors!.name![0]!, /Another of your views/)
    await save(ann, { name: 'Twice' })
    await save(ben, { name: 'Twice', screen: 'contacts' })
    await save(ben, { name: 'Beta' })
    assert.deepEqual(await namesFor(ben, { screen: 'vendors' }), ['Beta', 'Twice'])
  })

  it('says what is wrong with it', async () => {
    const wrong: [object, string][] = [
      [{ screen: '../vendors' }, 'screen'],
      [{ name: '' }, 'name'],
      [{ columns: ['name; drop table'] }, 'columns.0'],
      [{ columns: Array.from({ length: 101 }, (_, n) => `c${n}`) }, 'columns'],
      [{ filters: { 'a b': '1' } }, 'filters.a b'],
      [{ filters: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, '1'])) }, 'filters'],
      [{ filters: { search: 'x'.repeat(1001) } }, 'filters.search'],
      [{ direction: 'up' }, 'direction'],
      [{ layout: 'cards' }, 'layout'],
    ]
    for (const [fields, at] of wrong) {
      const { status, body } = await ann.post('/saved-views', { ...view, name: 'Wrong', ...fields })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [at]])
    }
  })

  it('is one of at most 200 of one’s own', async () => {
    const cara = await firm.user([])
    await world.sql(
      `INSERT INTO saved_views (tenant_id, user_id, screen, name, created_at, updated_at)
       SELECT $1, $2, 'vendors', 'View ' || n, now(), now() FROM generate_series(1, 200) n`,
      [firm.id, cara.id],
    )
    const { status, body } = await cara.post('/saved-views', view)
    assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['name']])
    assert.equal((await namesFor(cara, { screen: 'vendors', per_page: 100 })).length, 100)
  })

  it('is of its workspace alone', async () => {
    const { id } = await save(ann, { name: 'Ours', is_shared: true })
    const other = await world.workspace({ modules: [] })
    assert.equal((await other.owner.get(`/saved-views/${id}`)).status, 404)
    assert.deepEqual(await namesFor(other.owner), [])
  })
})
