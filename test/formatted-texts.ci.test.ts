/**
 * All inputs of formatted text: long HTML is sanitised in a child without delaying other requests, and no schema sanitises it on
 * the event loop.
 */
// CI stage: bounds
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { z } from 'zod'
import { formattedNames } from '#kernel/http/formatted-texts.ts'
import { parse } from '#kernel/http/input.ts'
import { basePaths } from '#kernel/modules/module.ts'
import { isFormattedText, MAX_ON_LOOP, sanitizeLong } from '#kernel/values/html.ts'
import { definitionOf } from '#kernel/values/schema-definition.ts'
import { operationsOf } from '#workspace/mcp/operations.ts'
import { type Reply, startTest, type Workspace } from './harness.ts'
import { heldDuring } from './held.ts'

const world = await startTest()
const routes = (await world.services.modules.routes()).map(({ route, path }) => ({
  path,
  method: route.method,
  spec: route.spec,
}))
const withTexts = routes.filter(({ spec }) => spec.body && formattedNames(spec.body).size)

/** Returns the paths of formatted texts in a schema; items of a list have index 0. */
function placesIn(schema: z.core.$ZodType, path: (string | number)[] = [], found: (string | number)[][] = []) {
  if (isFormattedText(schema)) found.push(path)
  const def = definitionOf(schema)
  for (const [name, field] of Object.entries(def.shape ?? {})) placesIn(field as z.core.$ZodType, [...path, name], found)
  if (def.element) placesIn(def.element, [...path, 0], found)
  for (const one of [def.innerType, def.in, def.out, ...(def.options ?? [])]) if (one) placesIn(one, path, found)
  return found
}

const bodyWith = ([name, ...rest]: (string | number)[], text: string): unknown =>
  name === undefined ? text : name === 0 ? [bodyWith(rest, text)] : { [name]: bodyWith(rest, text) }

describe('a schema with formatted text', () => {
  it('is that of more than one kind of record', () => assert.ok(withTexts.length > 10, String(withTexts.length)))

  for (const { method, path, spec } of withTexts)
    it(`of ${method} ${path} throws on a long text that no child sanitised`, () => {
      for (const place of placesIn(spec.body!)) {
        const long = bodyWith(place, 'a'.repeat(MAX_ON_LOOP + 1))
        assert.throws(() => parse(spec.body!, long), /must be sanitised in a child process/, place.join('.'))
      }
    })

  it('throws on texts that are long together', () => {
    const lines = Array.from({ length: 4 }, () => ({ body: 'a'.repeat(MAX_ON_LOOP / 4 + 1) }))
    const { spec } = withTexts.find(({ method, path }) => method === 'POST' && path.endsWith('/invoices'))!
    assert.throws(() => parse(spec.body!, { lines }), /must be sanitised in a child process/)
  })

  it('is known to the bulk route of its records', () => {
    for (const { path, spec } of routes.filter(({ path }) => path.endsWith('/bulk') && path.startsWith(basePaths.workspace))) {
      const ofOne = routes.filter((one) => one.method !== 'GET' && one.path.startsWith(path.replace(/bulk$/, ':')))
      const changed = ofOne.find((one) => one.method === 'PUT' && !one.path.slice(path.length - 3).includes('/'))
      for (const name of changed?.spec.body ? formattedNames(changed.spec.body) : [])
        assert.ok(spec.bodyOfEach && formattedNames(spec.bodyOfEach).has(name), `${path}: ${name}`)
    }
  })
})

/** Collections whose records have formatted texts, each with its first path. */
const collections = withTexts
  .filter(({ method, path }) => method === 'POST' && routes.some((one) => one.method === 'POST' && one.path === `${path}/bulk`))
  .map(({ path, spec }) => ({ path: path.slice(basePaths.workspace.length), place: placesIn(spec.body!)[0]! }))

/** Maximum CPU milliseconds on the event loop: sanitising the texts below there would take a second. */
const MAX_HELD = 500
const RECORDS = 8
const text = (n: number) => `<p>${n}</p>${'<p>a</p>'.repeat(7500)}`
const line = { name: 'Desk', quantity: 1, unit_price: 10, tax_rate: 0 }

describe('long formatted text', () => {
  let owner: Workspace['owner']
  const operations = new Map<string, string>()

  before(async () => {
    const modules = collections.map(({ path }) => path.slice(1))
    ;({ owner } = await world.workspace({ modules, name: 'Acme' }))
    for (const { id, route, path } of (await operationsOf(world.services.modules)).values())
      operations.set(`${route.method} ${path}`, id)
  })

  const answered = ({ status, body, raw }: Reply, expected = 200) => {
    assert.equal(status, expected, String(raw?.subarray(0, 500)))
    return body.data
  }
  const write = async (operation: string, args: object) => {
    const params = { name: 'write', arguments: { operation, ...args } }
    const { body } = await owner.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    return JSON.parse((body as any).result.content[0].text)
  }
  /** Waits for all jobs. */
  const drained = async (path: string) => {
    await world.drain()
    return answered(await owner.get(path))
  }

  for (const { path, place } of collections) {
    const hasLines = place[0] === 'lines' || path !== '/contracts'
    /** Returns fields with this number of long texts at the first path. */
    const long = (seed: number, texts = RECORDS): Record<string, unknown> =>
      hasLines
        ? { lines: Array.from({ length: texts }, (_, n) => ({ ...line, body: text(seed + n) })) }
        : { [String(place[0])]: text(seed) }
    const made = (seed: number, texts?: number) => ({ title: `Desk ${seed}`, ...long(seed, texts) })
    const plain = async (n: number) => {
      const lines = hasLines ? { lines: [line] } : {}
      return answered(await owner.post(path, { title: `Plain ${n}`, ...lines }), 201).id as number
    }
    const stored = (record: any): string => (hasLines ? record.lines[0].body : record[place[0]!])

    it(`of ${path} holds nobody up when it is sent to a route`, async () => {
      let id = 0
      const held = await heldDuring(async () => {
        const record = answered(await owner.post(path, made(100)), 201)
        id = record.id
        assert.equal(stored(record), sanitizeLong(text(100)))
        answered(await owner.put(`${path}/${id}`, made(200)))
        answered(await owner.put(`${path}/external/a-${id}`, made(300)), 201)
        answered(await owner.put(`${path}/external/a-${id}`, made(301)))
        answered(await owner.post(`${path}/preview`, made(400, 1)))
      })
      assert.ok(held < MAX_HELD, `${held} ms`)
    })

    it(`of ${path} holds nobody up when an agent writes it`, async () => {
      const held = await heldDuring(async () => {
        const { http_status } = await write(operations.get(`POST ${path}`)!, { body: made(500) })
        assert.equal(http_status, 201)
      })
      assert.ok(held < MAX_HELD, `${held} ms`)
    })

    it(`of ${path} holds nobody up in a bulk request, and when that is undone`, async () => {
      const ids = await Promise.all([1, 2, 3].map(plain))
      const before = answered(await owner.post(`${path}/bulk`, { ids, action: 'update', changes: long(600) }))
      assert.partialDeepStrictEqual(before, { processed: ids.length, failed_count: 0 }, JSON.stringify(before))
      const held = await heldDuring(async () => {
        const batch = answered(await owner.post(`${path}/bulk`, { ids, action: 'update', changes: long(700) }))
        assert.partialDeepStrictEqual(batch, { processed: ids.length, failed_count: 0 })
        const undone = answered(await owner.post(`/bulk/${batch.batch_id}/undo`))
        assert.partialDeepStrictEqual(undone, { processed: ids.length, failed_count: 0 })
      })
      assert.ok(held < MAX_HELD, `${held} ms`)
      assert.equal(stored(answered(await owner.get(`${path}/${ids[0]}`))), sanitizeLong(text(600)))
    })

    it(`of ${path} holds nobody up in an import, and when that is undone`, async () => {
      const cells = hasLines ? (n: number) => JSON.stringify(long(n, 1).lines) : (n: number) => long(n)[place[0]!] as string
      const rows = Array.from({ length: RECORDS }, (_, n) => [`Imported ${n}`, cells(800 + n)])
      const quoted = (row: string[]) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
      const file = new File([[['title', hasLines ? 'lines' : String(place[0])], ...rows].map(quoted).join('\n')], 'rows.csv')
      const sent = await owner.post('/imports', { module: path.slice(1), file })
      if (sent.status === 422) return assert.match(sent.body.errors!.module![0]!, /contracts/, 'it can be imported in no way')
      const { import: one, context } = answered(sent, 201)
      answered(await owner.put(`/imports/${one.uuid}`, { mapping: context.suggested_mapping }))
      const held = await heldDuring(async () => {
        answered(await owner.post(`/imports/${one.uuid}/run`))
        assert.partialDeepStrictEqual(await drained(`/imports/${one.uuid}`), { created_count: RECORDS, failed_count: 0 })
        answered(await owner.post(`/imports/${one.uuid}/undo`))
        assert.partialDeepStrictEqual(await drained(`/imports/${one.uuid}`), { status: 'undone' })
      })
      assert.ok(held < MAX_HELD, `${held} ms`)
    })
  }

  it('holds nobody up in a bulk job, and when that is undone', async () => {
    for (let n = 0; n < 101; n++) answered(await owner.post('/contracts', { title: `Of a job ${n}` }), 201)
    const held = await heldDuring(async () => {
      const changes = { body: text(900) }
      const batch = answered(await owner.post('/contracts/bulk', { filter: { search: 'Of a job' }, action: 'update', changes }))
      assert.partialDeepStrictEqual(await drained(`/bulk/${batch.batch_id}`), { processed: 101, failed_count: 0 })
      answered(await owner.post(`/bulk/${batch.batch_id}/undo`))
      assert.partialDeepStrictEqual(await drained(`/bulk/${batch.batch_id}`), { processed: 101, failed_count: 0 })
    })
    assert.ok(held < MAX_HELD, `${held} ms`)
  })

  for (const format of ['csv', 'xlsx', 'ndjson'])
    it(`holds nobody up in exports as ${format}, however many there are at once`, async () => {
      const { owner: other, id } = await world.workspace({ modules: ['quotations'] })
      const lines = new Array(14).fill(line)
      for (const n of [1, 2, 3, 4]) answered(await other.post('/quotations', { title: `Long ${n}`, lines }), 201)
      await world.sql('UPDATE quotation_lines SET body = $1 WHERE tenant_id = $2', [text(1), id])
      const held = await heldDuring(async () => {
        const replies = await Promise.all([1, 2, 3].map(() => other.get('/quotations/export', { query: { format } })))
        for (const { status, raw } of replies) {
          assert.equal(status, 200)
          assert.ok(format !== 'csv' || raw.length > 2_000_000, String(raw.length))
        }
      })
      assert.ok(held < MAX_HELD, `${held} ms`)
    })

  it('of two requests at once is sanitised for both, whichever ends first', async () => {
    const sent = Array.from({ length: 6 }, (_, n) => owner.post('/contracts', { title: `Same ${n}`, body: text(1) }))
    for (const reply of await Promise.all(sent)) answered(reply, 201)
  })
})
