import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['storage', 'documents'] })
})

const create = (body: object) => firm.owner.post('/document-categories', body)
const put = (id: number, body: object) => firm.owner.put(`/document-categories/${id}`, body)
const remove = (id: number) => firm.owner.del(`/document-categories/${id}`)
const send = (category_id: number) =>
  firm.owner.post('/documents', { title: 'x', category_id, file: new File(['text'], 'a.txt') })
const outcome = ({ status, body }: Reply) => [status, ...Object.keys(body.errors ?? {})]
async function made(name: string) {
  const reply = await create({ name })
  assert.equal(reply.status, 201, String(reply.raw))
  return reply.body.data.id as number
}

describe('a category', () => {
  it('has a slug from its name, unless one is sent (DOC-31, DOC-32, DOC-33)', async () => {
    const slugs: Record<string, string> = {
      'Verträge & Anlagen (2026)': 'vertrage-anlagen-2026',
      '  --Notes--  ': 'notes',
      契約書データ: '契約書データ',
      'Приказы по Кадрам': 'приказы-по-кадрам',
      '!!!': 'category',
      [`${'ﷺ'.repeat(255)}`]: '',
    }
    for (const [name, slug] of Object.entries(slugs)) {
      const { status, body } = await create({ name })
      assert.equal(status, 201, name)
      if (slug) assert.equal(body.data.slug, slug)
      assert.ok(body.data.slug.length <= 255)
      // Its own slug can be sent back.
      assert.equal((await put(body.data.id, { slug: body.data.slug })).status, 200, body.data.slug)
    }
    const { slug, sort_order, is_active } = (await create({ name: 'Anything', slug: 'own-slug' })).body.data
    assert.deepEqual([slug, sort_order, is_active], ['own-slug', 0, true])
    for (const slug of ['Own', 'a b', '-a', 'a-', 'a--b', 'a/b', '../x', 'x'.repeat(256)])
      assert.deepEqual(outcome(await create({ name: 'x', slug })), [422, 'slug'], slug)
  })

  it('that is renamed gets the slug of its new name, unless one is sent (DOC-35)', async () => {
    const id = await made('Letters')
    const slugAfter = async (body: object) => (await put(id, body)).body.data.slug
    assert.equal(await slugAfter({ name: 'Old letters' }), 'old-letters')
    assert.equal(await slugAfter({ slug: 'post' }), 'post')
    assert.equal(await slugAfter({ sort_order: 5 }), 'post')
    assert.equal(await slugAfter({ name: 'Old letters' }), 'post', 'the same name is no renaming')
    assert.equal(await slugAfter({ name: 'Parcels', slug: 'post' }), 'post')
    assert.equal(await slugAfter({ slug: null }), 'parcels')
  })

  it('has a slug of its own, also among those who come at once (DOC-31)', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'Same' })))
    assert.deepEqual(replies.map(outcome).sort(), [[201], ...Array(4).fill([422, 'slug'])])
    const { id } = replies.find(({ status }) => status === 201)!.body.data
    const other = await made('Different')
    assert.deepEqual(outcome(await put(other, { name: 'Same' })), [422, 'slug'])
    await remove(id)
    assert.equal((await put(other, { name: 'Same' })).status, 200)
    assert.deepEqual(outcome(await firm.owner.post(`/document-categories/${id}/restore`)), [422, 'slug'])
    const elsewhere = await world.workspace({ modules: ['storage', 'documents'] })
    assert.equal((await elsewhere.owner.post('/document-categories', { name: 'Same' })).status, 201)
  })

  it('keeps documents apart from those without any', async () => {
    const firm = await world.workspace({ modules: ['storage', 'documents'] })
    const { id } = (await firm.owner.post('/document-categories', { name: 'Letters' })).body.data
    for (const more of [{ category_id: id }, {}])
      await firm.owner.post('/documents', { title: 'x', ...more, file: new File(['text'], 'a.txt') })
    const found = async (status: string) =>
      (await firm.owner.get('/documents', { query: { status } })).body.data.map(
        (one: { category_id: unknown }) => one.category_id,
      )
    assert.deepEqual([await found('categorized'), await found('uncategorized')], [[id], [null]])
    assert.deepEqual(outcome(await firm.owner.get('/documents', { query: { status: 'lost' } })), [422, 'status'])
  })

  it('stands in the order of sort_order and name (DOC-34)', async () => {
    const ordered = await world.workspace({ modules: ['storage', 'documents'] })
    for (const { name, sort_order } of [
      { name: 'b', sort_order: 1 },
      { name: 'c', sort_order: -1 },
      { name: 'a', sort_order: 1 },
    ] as const)
      await ordered.owner.post('/document-categories', { name, sort_order })
    const { body } = await ordered.owner.get('/document-categories', { query: { per_page: 2 } })
    assert.deepEqual([body.data.map(({ name }: { name: string }) => name), body.meta.last_page], [['c', 'a'], 2])
  })

  it('is not deleted while it has documents, nor for good while deleted ones refer to it (DOC-37, DOC-38)', async () => {
    const id = await made('Kept')
    const document = (await send(id)).body.data.id
    assert.deepEqual(outcome(await remove(id)), [422, 'document_category'])
    await firm.owner.del(`/documents/${document}`)
    assert.equal((await remove(id)).status, 200)
    const force = () => firm.owner.del(`/document-categories/${id}/force`)
    assert.deepEqual(outcome(await force()), [422, 'document_category'])
    assert.deepEqual(outcome(await send(id)), [422, 'category_id'])
    // A restored document is unchanged, and can be changed without sending its category.
    await firm.owner.post(`/documents/${document}/restore`)
    const changed = await firm.owner.put(`/documents/${document}`, { title: 'y', category_id: id })
    assert.deepEqual([changed.status, changed.body.data.category], [200, { id, name: 'Kept' }])
    await firm.owner.put(`/documents/${document}`, { category_id: null })
    assert.equal((await force()).status, 200)
  })

  it('is not deleted and filled at once', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await made(`Raced ${round}`)
      const [removed, ...sent] = await Promise.all([remove(id), send(id), send(id), remove(id)])
      const [{ live }] = await world.sql(
        `SELECT count(*)::int AS live FROM documents d JOIN document_categories c ON c.tenant_id = d.tenant_id AND c.id = d.category_id
         WHERE c.id = $1 AND c.deleted_at IS NOT NULL`,
        [id],
      )
      assert.equal(live, 0, `${removed.status} ${sent.map(({ status }) => status)}`)
    }
  })

  it('goes by the permissions of documents (DOC-36)', async () => {
    const viewer = await firm.user(['documents.view'])
    const id = await made('Seen')
    assert.equal((await viewer.get(`/document-categories/${id}`)).status, 200)
    assert.equal((await viewer.put(`/document-categories/${id}`, { name: 'x' })).status, 403)
    assert.equal((await (await firm.user(['documents.delete'])).del(`/document-categories/${id}`)).status, 200)
  })
})
