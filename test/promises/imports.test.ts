/** Round trip of every module's records: an import reads what an export has written, and undoing it removes the records. */
// Also in CI: debian
// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { bare } from '#kernel/export/record-columns.ts'
import { importables } from '#kernel/http/collections.ts'
import { targetOf } from '#workspace/imports/imports.ts'
import { refuses, startAsking } from './asking.ts'
import type { Collection } from './collections.ts'
import { beforeDeletion } from './overrides.ts'

const { world, collections, acme, made } = await startAsking()
const { owner } = acme

const paths = (await acme.inside((ctx) => importables(ctx))).map(({ path }) => path)
const importable = collections.filter(({ path }) => paths.includes(`/api/tenant/v1${path}`))

it('is there for nearly all kinds of record', () => {
  assert.equal(importable.length, paths.length)
  assert.ok(paths.length > 20, `${paths}`)
})

async function table(path: string, ids: number[]) {
  const query = { ids: ids.join(), format: 'csv', sort: 'created_at', direction: 'asc' }
  const { status, raw } = await owner.get(`${path}/export`, { query })
  assert.equal(status, 200, raw.toString())
  return parse(raw.toString(), { bom: true, columns: true }) as Record<string, string>[]
}

/** Returns the cells of imported columns, of rows in the order of creation. */
const sent = (rows: Record<string, string>[], mapping: Record<string, string>) =>
  rows.map((row) => Object.fromEntries(Object.entries(mapping).map(([field, header]) => [field, row[header]])))

interface Trip {
  /** The first record's detail. */
  shown: Record<string, any>
  /** By list field: the properties of its items that a client may send, for lists as JSON in a cell. */
  lines: Map<string, string[]>
  collection: Collection
  format: string
  before: Record<string, string>[]
  after: Record<string, string>[]
  ids: number[]
  uuid: string
  mapping: Record<string, string>
}

const linesOf = (path: string) =>
  acme.inside(async (ctx) => {
    const { fields } = await targetOf(ctx, path.slice(1))
    return new Map(
      fields.flatMap(({ field, schema }) => {
        const list = bare(schema)
        const entry = list instanceof z.ZodArray ? bare(list.element as z.core.$ZodType) : undefined
        return entry instanceof z.ZodObject ? [[field, Object.keys(entry.shape)] as const] : []
      }),
    )
  })

/** Creates records, exports them, deletes them, and imports the file. */
async function send(collection: Collection, format: string): Promise<Trip> {
  const { path, resource, routes } = collection
  const originals = [await made(collection, acme, 'all'), await made(collection, acme, 'required')].map(({ id }) => id as number)
  const query = { ids: originals.join(), format, sort: 'created_at', direction: 'asc' }
  const { raw } = await owner.get(`${path}/export`, { query })
  const before = await table(path, originals)
  const shown = (await owner.get(`${path}/${originals[0]}`)).body.data
  for (const id of originals) {
    const first = beforeDeletion[resource]
    if (first) refuses(await owner.post(`${path}/${id}${first}`), 200, undefined, first)
    refuses(await owner.del(`${path}/${id}`), 200, undefined, `DELETE ${path}`)
    // Unique values may be taken by a record in the trash.
    if (routes.has('DELETE /:id/force')) await owner.del(`${path}/${id}/force`)
  }
  const uploaded = await owner.post('/imports', { module: path.slice(1), file: new File([raw as never], `file.${format}`) })
  refuses(uploaded, 201, undefined, path)
  const { suggested_mapping: mapping, fields } = uploaded.body.data.context
  const { uuid } = uploaded.body.data.import
  refuses(await owner.put(`/imports/${uuid}`, { mapping }), 200, undefined, JSON.stringify({ path, mapping, fields }))
  refuses(await owner.post(`/imports/${uuid}/run`), 200, undefined, path)
  await world.drain() // before other records get the same names
  const rows = await world.sql(
    'SELECT record_id FROM import_records r JOIN imports i ON i.tenant_id = r.tenant_id AND i.id = r.import_id WHERE i.uuid = $1 ORDER BY row_number',
    [uuid],
  )
  const ids = rows.map(({ record_id }) => Number(record_id))
  return {
    shown,
    lines: await linesOf(path),
    collection,
    format,
    before,
    after: ids.length ? await table(path, ids) : [],
    ids,
    uuid,
    mapping,
  }
}

const trips: Trip[] = []
before(async () => {
  for (const [n, collection] of importable.entries()) trips.push(await send(collection, n % 2 ? 'xlsx' : 'csv'))
})

it('files have all that was sent of each line, allocation or other entry', () => {
  const seen = trips.flatMap(({ collection, before, shown, mapping, lines }) =>
    [...lines].flatMap(([field, sendable]) => {
      const entries: object[] = JSON.parse(before[0]![mapping[field]!] || '[]')
      const records: Record<string, unknown>[] = shown[field] ?? []
      assert.equal(entries.length, records.length, `${collection.path} ${field}`)
      if (!entries.length) return []
      // Null isn't written; values that no record shows can't be.
      const missing = sendable.filter((name) => !entries.every((entry, n) => name in entry || records[n]![name] === null))
      assert.deepEqual(missing, [], `${collection.path} ${field}`)
      return [collection.path]
    }),
  )
  assert.ok(seen.length >= 6, `documents and transfers: ${seen}`)
})

for (const { path } of importable)
  it(`${path}: what was exported is imported as it was, and undone`, async () => {
    const { before, after, ids, uuid, mapping, format } = trips.find(({ collection }) => collection.path === path)!
    const one = (await owner.get(`/imports/${uuid}`)).body.data
    const failed = (await owner.get(`/imports/${uuid}/failed-records`)).raw.toString()
    assert.deepEqual([one.status, one.created_count, one.failed_count], ['completed', before.length, 0], `${format} ${failed}`)
    assert.deepEqual(sent(after, mapping), sent(before, mapping), format)
    refuses(await owner.post(`/imports/${uuid}/undo`), 200, undefined, path)
    await world.drain()
    const undone = (await owner.get(`/imports/${uuid}`)).body.data
    assert.deepEqual([undone.status, undone.undone_count, undone.kept], ['undone', ids.length, []])
    assert.equal((await owner.get(path, { query: { ids: ids.join() } })).body.meta.total, 0)
  })
