/** Documents count towards the workspace's storage, and never exceed its quota, however many are uploaded at once. */
import assert from 'node:assert/strict'
import { afterEach, before, describe, it } from 'node:test'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['storage', 'documents'] })
})

const ofSize = (bytes: number) => new File(['a'.repeat(bytes)], 'a.txt')
const send = (bytes: number, fields: object = {}) => firm.owner.post('/documents', { title: 'x', file: ofSize(bytes), ...fields })
const replace = (id: number, bytes: number) => firm.owner.post(`/documents/${id}`, { file: ofSize(bytes) })
const remove = (id: number) => firm.owner.del(`/documents/${id}`)
const restore = (id: number) => firm.owner.post(`/documents/${id}/restore`)
const allow = async (storage_allowance_bytes: number) =>
  assert.equal((await world.admin.put(`/tenants/${firm.id}`, { storage_allowance_bytes })).status, 200)
const used = async () => (await firm.owner.get('/storage/usage')).body.data.storage_used_bytes as number
/** Sets the quota to this many bytes above the used storage. */
const leave = async (bytes: number) => allow((await used()) + bytes)
const refused = ({ status, body }: Reply, field: string) =>
  assert.deepEqual([status, body.code, Object.keys(body.errors ?? {})], [422, 'STORAGE_QUOTA_EXCEEDED', [field]])
const passed = (replies: Reply[]) => replies.filter(({ status }) => status < 300).length

afterEach(async () => {
  const [{ live }] = await world.sql('SELECT coalesce(sum(size_bytes), 0)::int AS live FROM documents WHERE deleted_at IS NULL')
  assert.equal(await used(), live, 'what is counted is what there is')
  const count = async (table: string) => (await world.sql(`SELECT count(*)::int AS rows FROM ${table}`))[0].rows
  assert.equal(await count('stored_files'), await count('documents'), 'no file without a document')
  const shown = (await world.admin.get(`/tenants/${firm.id}`)).body.data
  assert.equal(shown.storage_used_bytes, live, 'and what the platform sees')
})

describe('the allowance', () => {
  it('holds for an upload, to the byte (DOC-27)', async () => {
    await leave(100)
    refused(await send(101), 'file')
    assert.equal((await send(100)).status, 201)
    refused(await send(1), 'file')
  })

  it('holds for uploads at once', async () => {
    await leave(10 * 1000 + 999)
    const replies = await Promise.all(Array.from({ length: 16 }, () => send(1000)))
    assert.equal(passed(replies), 10)
    for (const reply of replies.filter(({ status }) => status !== 201)) refused(reply, 'file')
  })

  it('holds for the very first uploads at once', async () => {
    const fresh = await world.workspace({ modules: ['storage', 'documents'] })
    await world.admin.put(`/tenants/${fresh.id}`, { storage_allowance_bytes: 2500 })
    const file = ofSize(1000)
    const replies = await Promise.all(Array.from({ length: 8 }, () => fresh.owner.post('/documents', { title: 'x', file })))
    assert.equal(passed(replies), 2)
    const usage = (await fresh.owner.get('/storage/usage')).body.data
    assert.deepEqual(usage, { storage_allowance_bytes: 2500, storage_used_bytes: 2000 })
    for (const { body } of replies.filter(({ status }) => status === 201)) {
      await fresh.owner.del(`/documents/${body.data.id}`)
      await fresh.owner.del(`/documents/${body.data.id}/force`)
    }
  })

  it('is given back by deleting, and asked for again by restoring (DOC-26, DOC-28)', async () => {
    await leave(500)
    const { id } = (await send(500)).body.data
    const full = await used()
    await remove(id)
    assert.equal(await used(), full - 500)
    const other = (await send(300)).body.data.id
    refused(await restore(id), 'document')
    assert.equal((await firm.owner.get('/documents', { query: { trashed: 'only' } })).body.data[0].id, id)
    await remove(other)
    assert.equal((await restore(id)).status, 200)
    assert.equal((await restore(id)).status, 400)
    assert.equal(await used(), full)
    await remove(id)
    assert.equal((await firm.owner.del(`/documents/${id}/force`)).status, 200)
    assert.equal(await used(), full - 500, 'what is in the trash is not counted, so it gives nothing back')
  })

  it('holds for what is restored and uploaded at once', async () => {
    await leave(8 * 100)
    const made = await Promise.all(Array.from({ length: 8 }, () => send(100)))
    const ids = made.map(({ body }) => body.data.id as number)
    await firm.owner.post('/documents/bulk-delete', { ids })
    await leave(3 * 100 + 50)
    const replies = await Promise.all(ids.flatMap((id, n) => (n % 2 ? [restore(id)] : [restore(id), send(100)])))
    assert.equal(passed(replies), 3)
  })

  it('is asked only for what a replacement is larger by (DOC-29)', async () => {
    await leave(400)
    const { id } = (await send(400)).body.data
    assert.equal((await replace(id, 400)).status, 200, 'as large as before, in a full workspace')
    refused(await replace(id, 401), 'file')
    assert.equal((await firm.owner.get(`/documents/${id}/download`)).raw.length, 400)
    assert.equal((await replace(id, 100)).status, 200)
    assert.equal((await send(300)).status, 201)
    refused(await replace(id, 101), 'file')
    const at = await used()
    const replies = await Promise.all([60, 70, 80].map((bytes) => replace(id, bytes)))
    assert.equal(passed(replies), 3)
    assert.equal(await used(), at - 100 + (await firm.owner.get(`/documents/${id}`)).body.data.size_bytes)
  })

  it('that was lowered refuses what is more, and takes what is less', async () => {
    await leave(200)
    const { id } = (await send(200)).body.data
    await allow(0)
    refused(await send(1), 'file')
    refused(await replace(id, 201), 'file')
    assert.equal((await replace(id, 150)).status, 200)
    assert.equal((await firm.owner.put(`/documents/${id}`, { title: 'y' })).status, 200)
    assert.equal((await remove(id)).status, 200)
    refused(await restore(id), 'document')
  })

  it('is not touched by what is refused for another reason', async () => {
    await leave(1000)
    const before = await used()
    for (const fields of [{ category_id: 999_999 }, { title: '' }, { contact_ids: [1] }])
      assert.equal((await send(10, fields)).status, 422)
    assert.equal(await used(), before)
  })

  it('is not shown to who may not see it', async () => {
    const clerk = await firm.user(['documents.view'])
    assert.equal((await clerk.get('/storage/usage')).status, 403)
    assert.equal((await (await firm.user(['storage.view'])).get('/storage/usage')).status, 200)
  })
})
