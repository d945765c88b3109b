import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
let clerk: Person // has all permissions, but may not delete documents of others
const everything = ['view', 'create', 'update', 'delete', 'restore', 'force.delete'].map((action) => `documents.${action}`)

before(async () => {
  firm = await world.workspace({ modules: ['storage', 'documents', 'contacts', 'companies'] })
  clerk = await firm.user(everything)
})

const paper = (name = 'terms.txt', content: string | Buffer = 'Terms of delivery') =>
  new File([new Uint8Array(Buffer.from(content))], name)
const send = (fields: object = {}, by: Person = firm.owner) => by.post('/documents', { title: 'Terms', file: paper(), ...fields })
async function made(fields: object = {}, by: Person = firm.owner) {
  const reply = await send(fields, by)
  assert.equal(reply.status, 201, String(reply.raw))
  return reply.body.data
}
const outcome = ({ status, body }: Reply) => [status, ...Object.keys(body.errors ?? {})]
const download = (id: number, headers: Record<string, string> = {}) => firm.owner.get(`/documents/${id}/download`, { headers })

/** Returns the files on the disk, and asserts that they are exactly those of the workspace's documents. */
async function files() {
  const cwd = join(world.services.config.DATA_DIR, 'files')
  const onDisk = globSync('workspaces/*/*/*', { cwd }).sort()
  const rows = await world.sql('SELECT file_key FROM documents ORDER BY file_key')
  assert.deepEqual(onDisk, rows.map(({ file_key }) => file_key).sort())
  assert.equal((await world.sql(`SELECT 1 FROM stored_files WHERE state <> 'kept'`)).length, 0)
  return onDisk
}

describe('a document', () => {
  it('is made of a file and what is said of it, and gives the file back (DOC-04, DOC-10, DOC-14, DOC-23)', async () => {
    const content = 'name,price\nÄpfel,1.20\n'
    const reply = await send({ title: ' Prices ', description: '', file: paper('Preise (für ☂).CSV', content) })
    const { id, creator, created_by, created_at, updated_at, ...facts } = reply.body.data
    assert.deepEqual(facts, {
      title: 'Prices',
      description: null,
      category_id: null,
      category: null,
      original_name: 'Preise (für ☂).CSV',
      mime: 'text/csv',
      size_bytes: Buffer.byteLength(content),
      links: [],
      external_id: null,
      deleted_at: null,
    })
    assert.deepEqual([creator.id, created_by], [firm.owner.id, firm.owner.id])
    for (const { raw } of [reply, await firm.owner.get(`/documents/${id}`), await firm.owner.get('/documents')])
      assert.ok(!/workspaces|file_key|"key"|disk/.test(raw.toString()))

    const file = await download(id)
    assert.deepEqual([file.status, file.raw.toString(), file.headers['content-type']], [200, content, 'text/csv'])
    assert.equal(
      file.headers['content-disposition'],
      `attachment; filename="Preise (f_r _).CSV"; filename*=UTF-8''Preise%20%28f%C3%BCr%20%E2%98%82%29.CSV`,
    )
    const part = await download(id, { range: 'bytes=5-9' })
    assert.deepEqual([part.status, part.raw.toString()], [206, 'price'])
  })

  it('whose file is missing from the storage has no download (DOC-24)', async () => {
    const { id } = await made()
    const [{ file_key }] = await world.sql('SELECT file_key FROM documents WHERE id = $1', [id])
    await world.services.storage.delete(file_key)
    assert.equal((await download(id)).status, 404)
    await firm.owner.del(`/documents/${id}`)
    await firm.owner.del(`/documents/${id}/force`)
  })

  it('takes the ids of a form, which are texts, and nothing of an empty text', async () => {
    const contact = (await firm.owner.post('/contacts', { name: 'Carla' })).body.data
    const category = (await firm.owner.post('/document-categories', { name: 'Forms' })).body.data
    const document = await made({ category_id: category.id, contact_ids: [contact.id, contact.id], company_ids: [] })
    assert.deepEqual(document.category, { id: category.id, name: 'Forms' })
    assert.deepEqual(document.links, [{ type: 'contact', id: contact.id, label: 'Carla' }])
    assert.deepEqual(outcome(await send({ category_id: 'x' })), [422, 'category_id'])
    assert.deepEqual(outcome(await send({ contact_ids: ['1.5'] })), [422, 'contact_ids.0'])
    assert.equal((await made({ category_id: '' })).category_id, null)
  })

  it('takes the lists of a form in each way that clients write them', async () => {
    const contact = async (name: string): Promise<number> => (await firm.owner.post('/contacts', { name })).body.data.id
    const [ann, ben] = [await contact('Ann'), await contact('Ben')] // links are sorted by id
    const linked = async (...fields: [name: string, value: string][]) => {
      const body = new FormData()
      for (const [name, value] of [['title', 'Lists'] as const, ...fields]) body.append(name, value)
      body.append('file', paper())
      const form = new Response(body)
      const headers = { 'content-type': form.headers.get('content-type')!, authorization: `Bearer ${firm.owner.token}` }
      const reply = await world.app.inject({
        method: 'POST',
        url: '/api/tenant/v1/documents',
        headers,
        payload: Buffer.from(await form.arrayBuffer()),
      })
      const { data, errors } = reply.json()
      return data ? data.links.map(({ id }: { id: number }) => id) : Object.keys(errors)
    }
    const [a, b] = [String(ann), String(ben)]
    assert.deepEqual(await linked(['contact_ids[]', a], ['contact_ids[]', b]), [ann, ben])
    assert.deepEqual(await linked(['contact_ids[0]', a], ['contact_ids[1]', b]), [ann, ben])
    assert.deepEqual(await linked(['contact_ids', a], ['contact_ids', b]), [ann, ben])
    assert.deepEqual(await linked(['contact_ids', b]), [ben])
    assert.deepEqual(await linked(['contact_ids', '']), [])
    assert.deepEqual(await linked(['contact_ids', 'x']), ['contact_ids.0'])
    assert.deepEqual(await linked(['title', 'Twice']), ['title'])
  })

  it('is counted by its category (DOC-12)', async () => {
    const { id } = (await firm.owner.post('/document-categories', { name: 'Counted' })).body.data
    const stats = async (query = {}) => (await firm.owner.get('/documents/stats', { query })).body.data
    const before = await stats()
    await made({ category_id: id, title: 'Counted one' })
    await made({ title: 'Counted two' })
    const after = await stats()
    for (const { figure, more } of [
      { figure: 'total', more: 2 },
      { figure: 'categorized', more: 1 },
      { figure: 'uncategorized', more: 1 },
    ] as const)
      assert.equal(after[figure], before[figure] + more, figure)
    assert.deepEqual(await stats({ category_id: id }), { total: 1, categorized: 1, uncategorized: 0 })
    assert.deepEqual(await stats({ search: 'counted' }), { total: 2, categorized: 1, uncategorized: 1 })
  })

  it('is found by the name of its file, and sorted by what the contract names alone (DOC-13)', async () => {
    await made({ file: paper('quarterly figures.txt') })
    assert.equal((await firm.owner.get('/documents', { query: { search: 'LY FIG' } })).body.data.length, 1)
    for (const sort of ['title', 'original_name', 'size_bytes', 'created_at', 'updated_at'])
      assert.equal((await firm.owner.get('/documents', { query: { sort } })).status, 200, sort)
    assert.deepEqual(outcome(await firm.owner.get('/documents', { query: { sort: 'mime' } })), [422, 'sort'])
  })
})

describe('changing a document', () => {
  it('replaces its file by POST alone, and lets go of the former one (DOC-16)', async () => {
    const { id } = await made({ description: 'First' })
    const url = `/documents/${id}`
    const keys = await files()
    const replaced = await firm.owner.post(url, { _method: 'PUT', file: paper('new.pdf', '%PDF-1.7 new') })
    const { title, description, original_name, mime, size_bytes } = replaced.body.data
    assert.deepEqual([replaced.status, title, description], [200, 'Terms', 'First'])
    assert.deepEqual([original_name, mime, size_bytes], ['new.pdf', 'application/pdf', 12])
    assert.equal((await download(id)).raw.toString(), '%PDF-1.7 new')
    assert.equal((await files()).length, keys.length)

    assert.equal((await firm.owner.put(url, { title: 'Other', file: 'x', original_name: 'evil.exe' })).status, 200)
    assert.equal((await firm.owner.post(url, { description: '' })).body.data.description, null)
    const form = new FormData()
    form.append('file', paper())
    assert.equal((await firm.owner.put(url, form)).status, 415)
    assert.deepEqual(outcome(await firm.owner.post(url, { file: paper('liar.pdf') })), [422, 'file'])
    assert.deepEqual(outcome(await firm.owner.post(url, { title: '', file: paper() })), [422, 'title'])
    assert.equal((await firm.owner.post(url, { file: paper() }, { headers: { 'if-match': '"1-1"' } })).status, 412)
    assert.equal((await download(id)).raw.toString(), '%PDF-1.7 new')
    await files()
  })

  it('by many at once leaves one file', async () => {
    const { id } = await made()
    const contents = Array.from({ length: 6 }, (_, n) => `version ${n}`)
    const replies = await Promise.all(contents.map((one) => firm.owner.post(`/documents/${id}`, { file: paper('a.txt', one) })))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200])
    assert.ok(contents.includes((await download(id)).raw.toString()))
    await files()
  })

  it('keeps what is not named in the sight of who may not see it', async () => {
    const { id } = await made()
    assert.equal((await clerk.put(`/documents/${id}`, {})).status, 200)
    const viewer = await firm.user(['documents.view'])
    assert.equal((await viewer.get(`/documents/${id}/download`)).status, 200)
    assert.equal((await viewer.post(`/documents/${id}`, { file: paper() })).status, 403)
    await files()
  })
})

describe('links', () => {
  const linksOf = async (id: number, by: Person = firm.owner) => (await by.get(`/documents/${id}`)).body.data.links
  const contactOf = async (name: string, assigned_to: number | null = null) =>
    (await firm.owner.post('/contacts', { name, assigned_to })).body.data.id as number

  it('are replaced by type, kept where they are not sent, cleared by an empty array (DOC-15)', async () => {
    const [ann, ben] = [await contactOf('Ann'), await contactOf('Ben')]
    const acme = (await firm.owner.post('/companies', { name: 'Acme' })).body.data.id
    const { id } = await made({ contact_ids: [ann], company_ids: [acme] })
    const put = (body: object) => firm.owner.put(`/documents/${id}`, body)
    const before = await firm.owner.get(`/documents/${id}`)
    assert.equal((await put({ contact_ids: [ann] })).headers.etag, before.headers.etag, 'the same again: nothing is written')
    const changed = await put({ contact_ids: [ben] })
    assert.notEqual(changed.headers.etag, before.headers.etag)
    assert.deepEqual(changed.body.data.links, [
      { type: 'company', id: acme, label: 'Acme' },
      { type: 'contact', id: ben, label: 'Ben' },
    ])
    assert.deepEqual((await put({ company_ids: [] })).body.data.links, [{ type: 'contact', id: ben, label: 'Ben' }])
    assert.deepEqual((await firm.owner.post(`/documents/${id}`, { contact_ids: [], file: paper() })).body.data.links, [])
  })

  it('go to nothing that is not there, is deleted, or belongs to a module that is not installed (DOC-08)', async () => {
    const { id } = await made()
    const gone = await contactOf('Gone')
    await firm.owner.del(`/contacts/${gone}`)
    const put = async (body: object) => outcome(await firm.owner.put(`/documents/${id}`, body))
    assert.deepEqual(await put({ contact_ids: [999_999] }), [422, 'contact_ids.0'])
    assert.deepEqual(await put({ contact_ids: [gone] }), [422, 'contact_ids.0'])
    assert.deepEqual(await put({ contact_ids: [2 ** 53 - 1] }), [422, 'contact_ids.0'])
    assert.deepEqual(await put({ contact_ids: Array.from({ length: 101 }, (_, n) => n + 1) }), [422, 'contact_ids'])
    assert.deepEqual(await put({ contact_ids: null }), [422, 'contact_ids'])
    for (const type of ['lead', 'project', 'employee', 'asset', 'task']) {
      assert.deepEqual(await put({ [`${type}_ids`]: [1] }), [422, `${type}_ids.0`], type)
      assert.deepEqual(await put({ [`${type}_ids`]: [] }), [200], type)
    }
    assert.deepEqual(await linksOf(id), [])
  })

  it('go to records of every kind, each with what people know it by (DOC-09, DOC-39)', async () => {
    const modules = ['contacts', 'companies', 'projects', 'employees', 'assets', 'tasks']
    const { owner } = await world.workspace({ modules: ['storage', 'documents', ...modules] })
    const known = {
      contact: 'contacts',
      company: 'companies',
      project: 'projects',
      employee: 'employees',
      asset: 'assets',
      task: 'tasks',
    }
    const sent: Record<string, number[]> = {}
    const links: object[] = []
    for (const [type, path] of Object.entries(known)) {
      const { status, body, raw } = await owner.post(`/${path}`, { name: `A ${type}`, title: `A ${type}` })
      assert.equal(status, 201, `${type}: ${raw}`)
      sent[`${type}_ids`] = [body.data.id]
      links.push({ type, id: body.data.id, label: `A ${type}` })
    }
    const made = await owner.post('/documents', { title: 'All', file: paper(), ...sent })
    const byType = (all: any[]) => all.toSorted((a, b) => (a.type < b.type ? -1 : 1))
    assert.deepEqual(made.body.data.links, byType(links))
    assert.deepEqual((await owner.get('/documents')).body.data[0].links, byType(links))
    const cleared = Object.fromEntries(Object.keys(sent).map((field) => [field, []]))
    assert.deepEqual((await owner.put(`/documents/${made.body.data.id}`, cleared)).body.data.links, [])
  })

  it('are seen, made and taken away by those who see what they go to (DOC-08)', async () => {
    const writer = await firm.user([...everything, 'contacts.view']) // sees only their own contacts
    const [theirs, hidden] = [await contactOf('Theirs', writer.id), await contactOf('Hidden')]
    const { id } = await made({ contact_ids: [theirs, hidden] })
    assert.deepEqual(await linksOf(id, writer), [{ type: 'contact', id: theirs, label: 'Theirs' }])
    const listed = (await writer.get('/documents', { query: { per_page: 100 } })).body.data.find((one: any) => one.id === id)
    assert.deepEqual(listed.links, [{ type: 'contact', id: theirs, label: 'Theirs' }])
    assert.deepEqual(outcome(await writer.put(`/documents/${id}`, { contact_ids: [hidden] })), [422, 'contact_ids.0'])
    assert.deepEqual((await writer.put(`/documents/${id}`, { contact_ids: [] })).body.data.links, [])
    assert.deepEqual(await linksOf(id), [{ type: 'contact', id: hidden, label: 'Hidden' }])
  })

  it('go only to records of the modules that the writer may view', async () => {
    const { owner, user } = await world.workspace({ modules: ['storage', 'documents', 'contacts', 'employees', 'assets'] })
    const [blind, sighted] = [await user(everything), await user([...everything, 'employees.view'])]
    const employee = (await owner.post('/employees', { name: 'Eve Engineer' })).body.data.id
    const asset = (await owner.post('/assets', { name: 'Van' })).body.data.id
    const contact = (await owner.post('/contacts', { name: 'Ann', assigned_to: blind.id })).body.data.id
    for (const sent of [{ employee_ids: [employee] }, { asset_ids: [asset] }, { contact_ids: [contact] }])
      assert.deepEqual(outcome(await send(sent, blind)), [422, `${Object.keys(sent)[0]}.0`])
    const { id, links } = await made({ employee_ids: [employee] }, sighted)
    assert.deepEqual(links, [{ type: 'employee', id: employee, label: 'Eve Engineer' }])
    assert.deepEqual(await linksOf(id, blind), [])
    assert.equal((await blind.put(`/documents/${id}`, { employee_ids: [] })).status, 200)
    assert.equal((await linksOf(id, owner)).length, 1)
  })

  it('follow what they go to: hidden while it is deleted, gone when it is purged', async () => {
    const dora = await contactOf('Dora')
    const { id } = await made({ contact_ids: [dora] })
    await firm.owner.del(`/contacts/${dora}`)
    assert.deepEqual(await linksOf(id), [])
    await firm.owner.post(`/contacts/${dora}/restore`)
    assert.deepEqual(await linksOf(id), [{ type: 'contact', id: dora, label: 'Dora' }])
    await firm.owner.del(`/contacts/${dora}`)
    assert.equal((await firm.owner.del(`/contacts/${dora}/force`)).status, 200)
    assert.equal((await world.sql('SELECT 1 FROM document_links WHERE document_id = $1', [id])).length, 0)
  })
})

describe('deleting documents', () => {
  it('is for who uploaded them and for the owner (DOC-20, DOC-21)', async () => {
    const { id } = await made({}, firm.owner)
    const mine = await made({}, clerk)
    for (const path of [`/documents/${id}`, `/documents/${id}/force`]) assert.equal((await clerk.del(path)).status, 403, path)
    const deletion = async (one: number) => {
      const { data } = (await clerk.get(`/documents/${one}/actions`)).body
      return data.find(({ key }: { key: string }) => key === 'deleteDocument').reason?.code ?? null
    }
    assert.deepEqual([await deletion(id), await deletion(mine.id)], ['FORBIDDEN', null])
    assert.equal((await clerk.del(`/documents/${mine.id}`)).status, 200)
    assert.equal((await clerk.del(`/documents/${mine.id}`)).status, 404)
    assert.equal((await download(mine.id)).status, 404)
    const other = await firm.user(everything)
    assert.equal((await other.del(`/documents/${mine.id}/force`)).status, 403)
    assert.equal((await other.post(`/documents/${mine.id}/restore`)).status, 200)
    assert.equal((await firm.owner.del(`/documents/${mine.id}`)).status, 200)
    assert.equal((await clerk.del(`/documents/${mine.id}/force`)).status, 200)
    assert.equal((await firm.owner.del(`/documents/${id}/force`)).status, 400)
    await files()
  })

  it('in bulk judges each by itself (DOC-17, DOC-18, DOC-19)', async () => {
    const bulk = (ids: unknown, by = clerk, path = 'bulk-delete') => by.post(`/documents/${path}`, { ids })
    const [mine, another, theirs] = [await made({}, clerk), await made({}, clerk), await made()]
    for (const ids of [[], [1, 1], [0], [-1], ['1'], Array.from({ length: 101 }, (_, n) => n + 1), 'all', null])
      assert.equal((await bulk(ids)).status, 422, JSON.stringify(ids))
    const mixed = await bulk([999_999, theirs.id, mine.id, another.id])
    assert.equal(mixed.status, 200)
    assert.equal(mixed.body.data.processed, 2)
    assert.deepEqual(
      mixed.body.data.failed.map(({ id }: { id: number }) => id),
      [999_999, theirs.id],
    )
    const none = await bulk([mine.id, theirs.id])
    assert.deepEqual([...outcome(none), none.body.data.processed, none.body.data.failed.length], [422, 'ids', 0, 2])

    const forced = await bulk([mine.id, theirs.id, another.id], firm.owner, 'bulk-force-delete')
    assert.deepEqual([forced.body.data.processed, forced.body.data.failed[0].id], [2, theirs.id])
    assert.match(forced.body.data.failed[0].message, /Delete the document first/)
    assert.deepEqual(outcome(await bulk([mine.id], firm.owner, 'bulk-force-delete')), [422, 'ids'])
    await files()
  })

  it('of the same ones by several at once counts each once', async () => {
    const ids = (await Promise.all(Array.from({ length: 8 }, () => made()))).map(({ id }) => id)
    const replies = await Promise.all(
      [ids, ids.toReversed(), ids].map((all) => firm.owner.post('/documents/bulk-delete', { ids: all })),
    )
    const processed = replies.reduce((sum, { body }) => sum + body.data.processed, 0)
    assert.equal(processed, ids.length)
    assert.ok(replies.every(({ status }) => status === 200 || status === 422))
    const purged = await Promise.all(
      [ids, ids.toReversed()].map((all) => firm.owner.post('/documents/bulk-force-delete', { ids: all })),
    )
    assert.equal(
      purged.reduce((sum, { body }) => sum + body.data.processed, 0),
      ids.length,
    )
    await files()
  })
})
