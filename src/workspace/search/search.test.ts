import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
let other: Workspace

interface Group {
  module: string
  resource: string
  path: string
  hits: { key: number; title: string; number: string | null; status: string | null; about: string | null }[]
  has_more: boolean
}
const search = async (who: Client, q: string): Promise<Group[]> => {
  const { status, body } = await who.get('/search', { query: { q } })
  assert.equal(status, 200, body.message)
  return body.data
}
const of = (groups: Group[], resource: string) => groups.find((one) => one.resource === resource)

before(async () => {
  firm = await world.workspace({ modules: ['vendors', 'purchase-orders', 'contacts', 'companies', 'leads'] })
  other = await world.workspace({ modules: ['vendors'] })
  for (const name of ['Nordwind Erste', 'Nordwind Zweite', 'Anders'])
    assert.equal((await firm.owner.post('/vendors', { name })).status, 201)
  await other.owner.post('/vendors', { name: 'Nordwind Fremd' })
  await firm.owner.post('/companies', { name: 'Hafen Nordwind' })
})

describe('GET /search', () => {
  it('refuses what is too short, too long or missing, and who is not signed in', async () => {
    for (const query of [{}, { q: '' }, { q: 'ab ' }, { q: 'x'.repeat(201) }]) {
      const { status, body } = await firm.owner.get('/search', { query: query as { q: string } })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['q']])
    }
    assert.equal((await world.anonymous.get('/search', { query: { q: 'nord' } })).status, 401)
  })

  it('finds parts of words in every module, whatever their case, the newest first', async () => {
    const found = await search(firm.owner, 'NORDWIND')
    const vendors = of(found, 'vendor')!
    assert.deepEqual([vendors.module, vendors.path, vendors.has_more], ['vendors', '/vendors', false])
    assert.deepEqual(
      vendors.hits.map(({ title }) => title),
      ['Nordwind Zweite', 'Nordwind Erste'],
    )
    assert.deepEqual(of(found, 'company')?.hits[0]?.title, 'Hafen Nordwind')
    assert.deepEqual(await search(firm.owner, 'nothing of that kind'), [])
    assert.deepEqual(await search(firm.owner, "100%_'\\"), [])
  })

  it('asks every kind of record that is searched by its text', async () => {
    const all = await world.workspace()
    await all.owner.post('/contacts', { name: 'Überall Ann' })
    await all.owner.post('/products', { name: 'Überallkleber', sku: 'U-1' })
    const found = await search(all.owner, 'überall')
    assert.deepEqual(found.map(({ resource }) => resource).toSorted(), ['contact', 'product'])
  })

  it('shows number and status, and finds by its own text alone', async () => {
    const [vendor] = of(await search(firm.owner, 'Nordwind Erste'), 'vendor')!.hits
    const { body } = await firm.owner.post('/purchase-orders', { title: 'Schrauben', vendor_id: vendor!.key, currency: 'EUR' })
    assert.equal(body.status, 'success', body.message)
    const [group] = await search(firm.owner, 'schraub')
    const { id: key, number } = body.data
    assert.deepEqual(group?.hits, [{ key, title: number, number, status: 'draft', about: 'Schrauben' }])
    assert.equal(of(await search(firm.owner, 'Nordwind Erste'), 'purchase_order'), undefined)
    assert.equal((await search(firm.owner, body.data.number))[0]?.hits[0]?.key, body.data.id)
  })

  it('answers five of a kind, and says that there are more', async () => {
    for (let n = 1; n <= 6; n++) await firm.owner.post('/vendors', { name: `Reihe ${n}` })
    const { hits, has_more } = of(await search(firm.owner, 'reihe'), 'vendor')!
    assert.deepEqual([hits.map(({ title }) => title), has_more], [['Reihe 6', 'Reihe 5', 'Reihe 4', 'Reihe 3', 'Reihe 2'], true])
  })

  it('shows nobody what they may not see: other workspaces, modules, permissions, records of others, the trash', async () => {
    assert.deepEqual(
      (await search(other.owner, 'nordwind')).flatMap(({ hits }) => hits.map(({ title }) => title)),
      ['Nordwind Fremd'],
    )
    const buyer = await firm.user(['vendors.view'])
    assert.deepEqual(
      (await search(buyer, 'nordwind')).map(({ resource }) => resource),
      ['vendor'],
    )
    assert.deepEqual(await search(await firm.user([]), 'nordwind'), [])
    const seller = await firm.user(['leads.view'])
    await firm.owner.post('/leads', { name: 'Geheim Eins', lead_type: 'direct' })
    const mine = await firm.owner.post('/leads', { name: 'Geheim Zwei', lead_type: 'direct', assigned_to: seller.id })
    assert.equal(of(await search(firm.owner, 'geheim'), 'lead')?.hits.length, 2)
    assert.deepEqual(
      of(await search(seller, 'geheim'), 'lead')?.hits.map(({ key }) => key),
      [mine.body.data.id],
    )
    await firm.owner.del(`/leads/${mine.body.data.id}`)
    assert.deepEqual(await search(seller, 'geheim'), [])
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1 AND module_key = 'companies'`, [
      firm.id,
    ])
    const later = await firm.user(['companies.view'])
    assert.deepEqual(await search(later, 'nordwind'), [])
  })

  it('lets a key see what its scopes let it see', async () => {
    const { body } = await firm.owner.post('/api-keys', { name: 'Shop', scopes: ['vendors.view'] })
    world.secret(body.data.key)
    assert.deepEqual(
      (await search(world.tenant(body.data.key), 'nordwind')).map(({ resource }) => resource),
      ['vendor'],
    )
  })
})
