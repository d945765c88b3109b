/** Conformance of every record type: covers each collection whose records a POST creates. */
// Also in CI: debian
// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { bare, type Schema, valid } from '../contract/values.ts'
import type { Client } from '../harness.ts'
import { isSampled } from '../sampling.ts'
import { untoldSaves, watchSaves } from '../untold.ts'
import { type Body, call, content, namesField, refuses, startAsking } from './asking.ts'
import type { Collection } from './collections.ts'
import { beforeDeletion, sentWithChanges, unchanging } from './overrides.ts'
import { queryOf, schemaOf } from './schemas.ts'

const { world, collections, acme, other, somebody, makerIn, exampleOf, made, show, everyRow, count } = await startAsking()
await watchSaves(world)

interface RecordAction {
  key: string
  method: string
  path: string
  allowed: boolean
  reason: { code: string; message: string } | null
  choices: { value: string; allowed: boolean }[] | null
}

/** Returns the reference fields of a body, also those in items of a list, each with a partial body that sets it. */
function referencesIn(properties: Record<string, Schema>) {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { 'x-refers-to': type, items } = bare(schema)
    if (type) return [{ field: name, type, naming: async (id: number | string): Promise<Body> => ({ [name]: id }) }]
    return referencesOfEntries(name, items)
  })
}

const referencesOfEntries = (name: string, items: Schema | undefined) =>
  Object.entries(items?.properties ?? {}).flatMap(([inner, schema]) => {
    const type = bare(schema)['x-refers-to']
    const entry = () => valid(items!, makerIn(acme, 'required')) as Promise<Body>
    const naming = async (id: number | string): Promise<Body> => ({ [name]: [{ ...(await entry()), [inner]: id }] })
    return type ? [{ field: `${name}.0.${inner}`, type, naming }] : []
  })

/** Creates a record that can be deleted. */
async function disposable(collection: Collection): Promise<Body> {
  const record = await made(collection)
  const first = beforeDeletion[collection.resource]
  if (first) refuses(await acme.owner.post(`${collection.path}/${record[collection.key]}${first}`), 200, undefined, first)
  return record
}

for (const collection of collections.filter(({ path, module }) => isSampled(path, module.key))) {
  const { path, resource, routes: has, titleField, key } = collection
  const idOf = (row: Body) => row[key]
  const ids = (rows: Body[]) => rows.map(idOf)
  const create = has.get('POST /')!
  const properties = schemaOf(create.spec.body).properties ?? {}
  const of = (id: number | string, rest = '') => `${path}/${id}${rest}`
  const deletable = has.has('DELETE /:id')

  describe(`${path}: each ${resource}`, () => {
    if (has.has('GET /:id/actions'))
      it('tells what can be done with it as the routes judge it', async () => {
        const record = await made(collection)
        const actionsFor = async (by: Client) => {
          const reply = await by.get(of(idOf(record), '/actions'))
          refuses(reply, 200, undefined, 'actions')
          return reply.body.data as RecordAction[]
        }
        const at = (action: RecordAction) => action.path.replace(/\{\w+\}/, String(idOf(record)))
        const wrong: string[] = []
        const viewer = await somebody('workspace', [has.get('GET /:id')!.spec.allow].flat() as string[])
        for (const by of [acme.owner, viewer] as Client[]) {
          if (by === viewer && (await viewer.get(of(idOf(record)))).status === 404) {
            refuses(await viewer.get(of(idOf(record), '/actions')), 404, 'NOT_FOUND', 'out of sight')
            continue
          }
          for (const action of await actionsFor(by)) {
            const options = { headers: { 'dry-run': 'true' } }
            const { status, body } = await call(by, action.method, at(action), {}, options)
            const isRefused = [403, 422].includes(status)
            if (!action.allowed && !(isRefused && body.code === action.reason?.code))
              wrong.push(`${action.key} is told as ${action.reason?.code}, and is a ${status} ${body.code}`)
            if (action.allowed && (status === 403 || body.errors?.status?.[0]?.startsWith('It is not possible')))
              wrong.push(`${action.key} is told as possible, and is a ${status} ${body.message}`)
            for (const { value, allowed } of action.choices ?? []) {
              const tried = await call(by, action.method, at(action), { status: value }, options)
              if (allowed === (tried.status === 403 || tried.body.errors?.status !== undefined))
                wrong.push(`${action.key} to ${value}: ${allowed}, and is a ${tried.status} ${tried.body.message}`)
            }
          }
        }
        assert.deepEqual(wrong, [])
        refuses(await other.owner.get(of(idOf(record), '/actions')), 404, 'NOT_FOUND', 'of a neighbour')
      })

    for (const { field, type, naming } of referencesIn(properties)) {
      const target = collections.find((one) => one.resource === type)
      it(`refers by ${field} to nothing of another workspace, and to nothing deleted`, async () => {
        const body = await exampleOf(collection)
        const refused = [await makerIn(other, 'required').reference(type), 999_999]
        if (target?.routes.has('DELETE /:id')) {
          const gone = await disposable(target)
          refuses(await acme.owner.del(`${target.path}/${gone[target.key]}`), 200, undefined, 'deleted')
          refused.push(gone[target.key])
        }
        for (const id of refused)
          namesField(await acme.owner.post(path, { ...body, ...(await naming(id)) }), field, `${type} ${id}`)
      })
    }

    if (has.has('PUT /:id'))
      it('keeps what a change does not name', async () => {
        const id = idOf(await made(collection, acme, 'all'))
        const another = (await exampleOf(collection, acme, 'all')) as Body
        const always = sentWithChanges[resource] ?? {}
        const fields = Object.keys(properties).filter((field) => !(field in always) && !unchanging[resource]?.includes(field))
        const before = await acme.owner.get(of(id))
        const nothing = await acme.owner.put(of(id), always)
        refuses(nothing, 200, undefined, 'no field at all')
        assert.equal(nothing.headers.etag, before.headers.etag, 'no field at all: nothing is written')
        for (const field of fields) {
          const was = await show(collection, id)
          const value = another[field]
          const saved = await acme.owner.put(of(id), { ...always, [field]: value })
          refuses(saved, 200, undefined, `${field}: ${JSON.stringify(value)}`)
          const is = await show(collection, id)
          assert.deepEqual(is, saved.body.data, `${field}: the reply is what is shown`)
          for (const same of fields.filter((one) => one !== field && one in was))
            assert.deepEqual(content(is[same]), content(was[same]), `${field} changed ${same}`)
          if (field in is && (value === null || typeof value !== 'object')) assert.deepEqual(is[field], value, field)
        }
      })

    if (has.has('PUT /:id'))
      it('is changed only in the state that If-Match names', async () => {
        const created = await acme.owner.post(path, await exampleOf(collection))
        const id = idOf(created.body.data)
        const etag = String((await acme.owner.get(of(id))).headers.etag)
        assert.match(etag, /^"[^"]+"$/)
        assert.equal(created.headers.etag, etag)
        const change = { ...(await exampleOf(collection)), external_id: `State ${count()}` }
        const put = (match: string) => acme.owner.put(of(id), change, { headers: { 'if-match': match } })
        refuses(await put('"0-0"'), 412, 'PRECONDITION_FAILED', 'another state')
        const saved = await put(etag)
        refuses(saved, 200, undefined, 'this state')
        assert.notEqual(saved.headers.etag, etag)
        refuses(await put(etag), 412, 'PRECONDITION_FAILED', 'the state before')
        if (deletable)
          refuses(await acme.owner.del(of(id), { headers: { 'if-match': etag } }), 412, 'PRECONDITION_FAILED', 'deletion')
      })

    it('is shown as its schema says, and no more', async () => {
      const told = (schema: z.ZodObject | undefined, row: Body, about: string) => {
        const { success, error } = z.strictObject(schema!.shape).safeParse(row)
        assert.ok(success, `${about}: ${error && z.prettifyError(error)}`)
      }
      for (const fields of ['required', 'all'] as const) {
        const record = await made(collection, acme, fields)
        told(create.spec.reply, record, 'made')
        if (has.has('GET /:id')) told(has.get('GET /:id')!.spec.reply, await show(collection, idOf(record)), 'shown')
      }
      if (has.has('GET /')) for (const row of await everyRow(path)) told(has.get('GET /')!.spec.page, row, 'listed')
    })

    it('is made once under an Idempotency-Key', async () => {
      const body = await exampleOf(collection)
      const headers = { 'idempotency-key': `${resource}-${count()}` }
      const first = await acme.owner.post(path, body, { headers })
      const again = await acme.owner.post(path, body, { headers })
      assert.deepEqual([first.status, again.status, again.headers['idempotency-replayed']], [201, 201, 'true'])
      assert.deepEqual(again.body.data, first.body.data)
      assert.equal(first.headers.etag, (await acme.owner.get(of(idOf(first.body.data)))).headers.etag)
      refuses(await acme.owner.post(path, { ...body, another: 1 }, { headers }), 422, undefined, 'another body')
    })

    if (has.has('POST /:id/restore'))
      it('is deleted, restored and deleted for good (CONV-04, CONV-05, CONV-06)', async () => {
        const id = idOf(await disposable(collection))
        const force = () => acme.owner.del(of(id, '/force'))
        const trash = async () => ids(await everyRow(path, { trashed: 'only' }))
        const forced = has.has('DELETE /:id/force')
        refuses(await acme.owner.post(of(id, '/restore')), 400, 'BAD_REQUEST', 'restore of a live one')
        if (forced) refuses(await force(), 400, 'BAD_REQUEST', 'force of a live one')
        refuses(await acme.owner.del(of(id)), 200, undefined, 'delete')
        for (const [method, rest] of [...has.keys()].map((one) => one.split(' ') as [string, string])) {
          if (!rest.startsWith('/:id') || /restore|force/.test(rest)) continue
          refuses(
            await call(acme.owner, method, of(id, rest.slice(4)), {}),
            404,
            'NOT_FOUND',
            `${method} ${rest} of a deleted one`,
          )
        }
        assert.ok((await trash()).includes(id), 'stands in the trash')
        assert.ok(!ids(await everyRow(path)).includes(id), 'and not in the list')
        assert.ok(ids(await everyRow(path, { trashed: 'with' })).includes(id), 'but in both together')
        const restored = await acme.owner.post(of(id, '/restore'))
        assert.deepEqual([restored.status, restored.body.data.deleted_at], [200, null])
        assert.ok(ids(await everyRow(path)).includes(id))
        if (!forced) return
        await acme.owner.del(of(id))
        refuses(await force(), 200, undefined, 'force')
        refuses(await force(), 404, 'NOT_FOUND', 'force again')
        refuses(await acme.owner.post(of(id, '/restore')), 404, 'NOT_FOUND', 'restore of what is gone')
        assert.ok(!(await trash()).includes(id))
      })
    else if (deletable)
      it('is deleted for good at once', async () => {
        const id = idOf(await made(collection))
        refuses(await acme.owner.del(of(id)), 200, undefined, 'delete')
        refuses(await acme.owner.del(of(id)), 404, 'NOT_FOUND', 'again')
        assert.ok(!ids(await everyRow(path)).includes(id))
      })

    const list = has.get('GET /')
    if (list) {
      const asked = queryOf(list.spec.query).properties ?? {}
      it('stands in the list, whatever the order and the page (CONV-07)', async () => {
        for (let n = 0; n < 3; n++) await made(collection, acme, n ? 'all' : 'required')
        const all = ids(await everyRow(path))
        assert.equal(new Set(all).size, all.length)
        assert.deepEqual(ids(await everyRow(path, {}, 2)), all, 'page by page')
        for (const sort of (asked.sort?.enum ?? []) as string[]) {
          const up = ids(await everyRow(path, { sort, direction: 'asc' }))
          assert.deepEqual(ids(await everyRow(path, { sort, direction: 'desc' })), up.toReversed(), sort)
          assert.deepEqual(up.toSorted(), all.toSorted(), sort)
        }
      })
      if (asked.search && bare(schemaOf(list!.spec.page).properties![titleField]!).format !== 'date')
        it('is found by what people know it by', async () => {
          const record = await made(collection)
          const found = await everyRow(path, { search: String(record[titleField]) })
          assert.ok(ids(found).includes(idOf(record)), String(record[titleField]))
          assert.deepEqual(await everyRow(path, { search: 'zzz no such thing zzz' }), [])
        })
    }

    const stats = has.get('GET /stats')
    if (stats)
      it('is counted as it is listed', async () => {
        const gone = await made(collection)
        await made(collection, acme, 'all')
        await acme.owner.del(of(idOf(gone)))
        const states = (queryOf(list!.spec.query).properties!.status?.enum ?? []) as string[]
        const total = Object.keys(schemaOf(stats.spec.reply).properties!).find((name) => /^total(_|$)/.test(name))!
        const read = async (query: Record<string, string>) => (await acme.owner.get(`${path}/stats`, { query })).body.data
        const queries = [{}, { trashed: 'only' }, { trashed: 'with' }, { search: '1' }, { assigned_to: 'unassigned' }]
        for (const query of [...queries, ...states.map((status) => ({ status }))] as Record<string, string>[]) {
          const figures = await read(query)
          assert.equal(figures[total], (await everyRow(path, query)).length, JSON.stringify(query))
          for (const status of states)
            if (!query.status || query.status === status)
              assert.equal(
                figures[status] ?? figures[total.replace('total', status)],
                (await everyRow(path, { ...query, status })).length,
                `${JSON.stringify(query)} ${status}`,
              )
        }
      })

    if (has.has('POST /:id/notes'))
      it('has notes and a timeline (CONV-08, CONV-10)', async () => {
        const id = idOf(await made(collection))
        const added = await acme.owner.post(of(id, '/notes'), { body: ' A note ' })
        assert.deepEqual([added.status, added.body.data.body, added.body.data.creator.id], [201, 'A note', acme.owner.id])
        assert.deepEqual(await everyRow(of(id, '/notes')), [added.body.data])
        const types = (await everyRow(of(id, '/timeline'))).map(({ type }) => type)
        assert.deepEqual(types, ['note_added', 'created'])
      })

    if (has.has('POST /:id/assign'))
      it('is seen by whom it is given to, and by those who may assign (AUTH-07)', async () => {
        const id = idOf(await made(collection))
        const [view] = [has.get('GET /')!.spec.allow].flat() as string[]
        const clerk = await somebody('workspace', [view!])
        const assign = (assigned_to: unknown) => acme.owner.post(of(id, '/assign'), { assigned_to })
        const seen = async () => {
          const listed = ids(await everyRow(path, {}, 100, clerk)).includes(id)
          assert.equal((await clerk.get(of(id))).status, listed ? 200 : 404)
          if (stats) assert.equal((await clerk.get(`${path}/stats`)).body.data.scope, 'mine')
          return listed
        }
        assert.equal(await seen(), false)
        const given = await assign(clerk.id)
        assert.deepEqual([given.status, given.body.data.assigned_to, given.body.data.assignee.id], [200, clerk.id, clerk.id])
        assert.equal(await seen(), true)
        namesField(await assign(other.owner.id), 'assigned_to', 'a user of another workspace')
        const freed = await assign(null)
        assert.partialDeepStrictEqual(freed.body.data, { assigned_to: null, assignee: null })
        assert.equal(await seen(), false)
      })
  })
}

it('is told of in the feed, whatever changes it', async () => {
  assert.deepEqual(await untoldSaves(world), [])
})
