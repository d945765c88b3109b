/**
 * What holds for every route, asked of every route that the modules have: a module is covered on the day its folder appears.
 * Requests are made from the schemas (test/promises/examples.ts). Routes that none can be made for stand as skipped tests.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { textParams } from '#kernel/http/route.ts'
import { type Client, type Person, type Reply, startTest, type Workspace } from './harness.ts'
import { operator } from './operator.ts'
import { type Collection, collectionsOf, type Found, routesOf } from './promises/collections.ts'
import { bare, queryOf, schemaOf, valid, wrong, wrongInQuery } from './promises/examples.ts'
import { overrides } from './promises/overrides.ts'

const world = await startTest({ roots: [join(import.meta.dirname, 'fixtures/modules')] })
const { modules } = world.services
const routes = await routesOf(modules)
const collections = collectionsOf(routes)
const closed = routes.filter(({ route }) => route.entrance.api !== 'public')
const permissions = (api: Found['api']) => modules.permissions(api).map(({ name }) => name)

let acme: Workspace
let other: Workspace
let bareFirm: Workspace
let powerless: Person

before(async () => {
  ;[acme, other] = [await world.workspace(), await world.workspace()]
  bareFirm = await world.workspace({ modules: [] })
  powerless = await bareFirm.user([])
})

type Body = Record<string, any>
type Options = Parameters<Client['get']>[1]

function call(by: Client, method: string, path: string, body?: unknown, options?: Options): Promise<Reply> {
  if (method === 'GET') return by.get(path, options)
  if (method === 'DELETE') return by.del(path, options)
  return by[method.toLowerCase() as 'post'](path, body, options)
}

/** The path of nothing, or of a record. */
const pathFor = (path: string, key: string | number = 999_999) =>
  path.replace(/:(\w+)/g, (_, name) =>
    key === 999_999 && (textParams as readonly string[]).includes(name) ? '00000000-0000-4000-8000-000000000000' : String(key),
  )

const clientOf = (api: Found['api'], token?: string) => (api === 'workspace' ? world.tenant(token) : world.central(token))
const ownerOf = (api: Found['api']): Client => (api === 'workspace' ? acme.owner : world.admin)
const forgetLimits = () => world.sql('DELETE FROM rate_limits')

/** Somebody with exactly these permissions, made once. */
const people = new Map<string, Promise<Client & { id: number }>>()
function somebody(api: Found['api'], allowed: string[]) {
  const key = `${api} ${allowed}`
  if (!people.has(key)) people.set(key, api === 'workspace' ? acme.user(allowed) : operator(world, allowed))
  return people.get(key)!
}

let counted = 0
const makerIn = (workspace: Workspace, fields: 'required' | 'all') => ({
  fields,
  next: () => ++counted,
  async reference(type: string): Promise<number> {
    if (type === 'user') return workspace.owner.id
    const collection = collections.find(({ resource }) => resource === type)
    assert.ok(collection, `nothing makes a ${type}`)
    return (await made(collection, workspace)).id
  },
})

async function exampleOf({ routes, resource }: Collection, workspace = acme, fields: 'required' | 'all' = 'required') {
  const body = (await valid(schemaOf(routes.get('POST /')!.spec.body), makerIn(workspace, fields))) as Body
  return { ...body, ...overrides[resource] }
}

/** A record of a collection. */
async function made(collection: Collection, workspace = acme, fields: 'required' | 'all' = 'required'): Promise<Body> {
  const reply = await workspace.owner.post(collection.path, await exampleOf(collection, workspace, fields))
  assert.equal(reply.status, 201, `POST ${collection.path}: ${reply.raw}`)
  return reply.body.data
}

const show = async (collection: Collection, id: number) => (await acme.owner.get(`${collection.path}/${id}`)).body.data

/** Every row of a list, page by page. */
async function everyRow(path: string, query: Record<string, string | number> = {}, per_page = 100, by: Client = acme.owner) {
  const rows: Body[] = []
  for (let page = 1; ; page++) {
    const { status, body } = await by.get(path, { query: { ...query, per_page, page } })
    assert.equal(status, 200, `${path} ${JSON.stringify(query)}`)
    rows.push(...body.data)
    if (page >= body.meta.last_page) {
      assert.equal(body.meta.total, rows.length, `${path}: the total is what the pages hold`)
      return rows
    }
  }
}

/** A field without the ids of its entries: what is priced anew is stored anew. */
const content = (value: unknown) => (Array.isArray(value) ? value.map((one) => (one?.id ? { ...one, id: 0 } : one)) : value)

const ids = (rows: Body[]) => rows.map(({ id }) => id)
const refuses = ({ status, body }: Reply, expected: number, code: string | undefined, about: string) => {
  assert.equal(status, expected, `${about}: ${JSON.stringify(body)}`)
  if (code) assert.equal(body.code, code, about)
}

/** 422 that names the field. */
const namesField = (reply: Reply, field: string, about: string) => {
  refuses(reply, 422, undefined, about)
  const named = Object.keys(reply.body.errors ?? {})
  assert.ok(
    named.some((one) => one === field || one.startsWith(`${field}.`)),
    `${about}: names ${named} instead of ${field}`,
  )
}

describe('a route behind a session', async () => {
  const halted = {} as Record<Found['api'], { suspended: Client; unverified: Client }>
  before(async () => {
    for (const api of ['workspace', 'platform'] as const) {
      const table = api === 'workspace' ? 'users' : 'platform_users'
      const make = async (change: string) => {
        const person = api === 'workspace' ? await acme.user(permissions(api)) : await operator(world, permissions(api))
        await world.sql(`UPDATE ${table} SET ${change} WHERE id = $1`, [person.id])
        return person
      }
      halted[api] = { suspended: await make('suspended_at = now()'), unverified: await make('email_verified_at = NULL') }
    }
  })

  for (const { module, route, path, at, api } of closed) {
    const ask = (by: Client) => call(by, route.method, pathFor(path), {})
    const allow = [route.spec.allow].flat() as string[]

    it(`${at} lets in whom it should`, async () => {
      refuses(await ask(clientOf(api)), 401, 'UNAUTHENTICATED', 'nobody')
      const foreign: Person = api === 'workspace' ? world.admin : acme.owner
      refuses(await ask(clientOf(api, foreign.token)), 401, 'UNAUTHENTICATED', 'the token of the other API')
      refuses(await ask(halted[api].suspended), 403, 'USER_SUSPENDED', 'suspended')
      if (!route.spec.unverified) refuses(await ask(halted[api].unverified), 403, 'EMAIL_NOT_VERIFIED', 'unverified')
      if (!module.core && api === 'workspace')
        for (const person of [bareFirm.owner, powerless]) refuses(await ask(person), 403, 'MODULE_NOT_INSTALLED', 'not installed')
      if (allow[0] === 'signed-in') return
      const others = permissions(api).filter((name) => !allow.includes(name))
      refuses(await ask(await somebody(api, others)), 403, 'FORBIDDEN', 'every other permission')
      for (const one of allow) {
        const { status, body } = await ask(await somebody(api, [one]))
        assert.ok(status !== 401 && status !== 403 && status < 500, `${one}: ${status} ${JSON.stringify(body)}`)
      }
    })
  }
})

describe('what is sent', () => {
  for (const found of routes.filter(({ route }) => route.spec.query))
    it(`${found.at} names the parameter that makes no sense`, async () => {
      const { route, path, api } = found
      for (const [name, schema] of Object.entries(queryOf(route.spec.query).properties ?? {}))
        for (const value of [wrongInQuery(schema), 'a\0b']) {
          const reply = await call(ownerOf(api), route.method, pathFor(path, 1), {}, { query: { [name]: value } })
          namesField(reply, name, `?${name}=${value}`)
        }
    })

  for (const found of routes.filter(({ route }) => route.spec.body)) {
    const { route, path, at, api } = found
    const collection = collections.find(({ ofOne }) => ofOne.includes(found))
    const skip = /:/.test(path) && !collection && 'nothing makes what its path names'
    it(`${at} names the field that is wrong`, { skip }, async () => {
      const target = collection ? pathFor(path, keyOf(found, await made(collection))) : path
      const schema = schemaOf(route.spec.body)
      const sound = (await valid(schema, makerIn(acme, 'required'))) as Body
      const by = route.entrance.api === 'public' ? clientOf(api) : ownerOf(api)
      const refusesEach = async (of: typeof schema, at: string, around: (fields: Body) => Body, base: Body) => {
        for (const [name, field] of Object.entries(of.properties ?? {}))
          for (const value of wrong(field)) {
            if (route.spec.limit) await forgetLimits()
            const reply = await call(by, route.method, target, around({ ...base, [name]: value }))
            namesField(reply, `${at}${name}`, `${name}: ${JSON.stringify(value).slice(0, 50)}`)
          }
      }
      await refusesEach(schema, '', (fields) => fields, sound)
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        const { items } = bare(field)
        if (!items?.properties) continue
        const entry = (await valid(items, makerIn(acme, 'required'))) as Body
        await refusesEach(items, `${name}.0.`, (fields) => ({ ...sound, [name]: [fields] }), entry)
      }
      for (const name of schema.required ?? []) {
        if (route.spec.limit) await forgetLimits()
        namesField(await call(by, route.method, target, { ...sound, [name]: undefined }), name, `without ${name}`)
      }
    })
  }
})

/** What a route's path calls a record: its id or uuid. */
const keyOf = ({ path }: Found, record: Body) => (/:uuid\b/.test(path) ? record.uuid : record.id)

describe('the path of a record', () => {
  for (const found of closed.filter(({ path }) => /:/.test(path))) {
    const { route, path, at, api } = found
    it(`${at} of nothing is a 404`, async () => {
      const ofNothing = [pathFor(path), ...(/:uuid|:token|:key/.test(path) ? [] : [pathFor(path, 0), pathFor(path, 'x')])]
      for (const target of ofNothing) refuses(await call(ownerOf(api), route.method, target, {}), 404, 'NOT_FOUND', target)
    })
    if (api === 'platform') continue
    const collection = collections.find(({ ofOne }) => ofOne.includes(found))
    it(`${at} of another workspace is a 404`, { skip: !collection && 'nothing makes what its path names' }, async () => {
      const live = await made(collection!, other)
      const gone = await made(collection!, other)
      if (collection!.routes.has('DELETE /:id')) await other.owner.del(`${collection!.path}/${gone.id}`)
      for (const record of [live, gone])
        refuses(await call(acme.owner, route.method, pathFor(path, keyOf(found, record)), {}), 404, 'NOT_FOUND', 'theirs')
    })
  }
})

for (const collection of collections) {
  const { path, resource, routes: has, titleField } = collection
  const create = has.get('POST /')!
  const properties = schemaOf(create.spec.body).properties ?? {}
  const of = (id: number, rest = '') => `${path}/${id}${rest}`
  const deletable = has.has('DELETE /:id')

  describe(`${path}: each ${resource}`, () => {
    for (const [field, schema] of Object.entries(properties)) {
      const type = bare(schema)['x-refers-to']
      const target = collections.find((one) => one.resource === type)
      if (type)
        it(`refers by ${field} to nothing of another workspace, and to nothing deleted`, async () => {
          const body = await exampleOf(collection)
          const refused = [await makerIn(other, 'required').reference(type), 999_999]
          if (target?.routes.has('DELETE /:id')) {
            const gone = await made(target)
            refuses(await acme.owner.del(`${target.path}/${gone.id}`), 200, undefined, 'deleted')
            refused.push(gone.id)
          }
          for (const id of refused) namesField(await acme.owner.post(path, { ...body, [field]: id }), field, String(id))
        })
    }

    if (has.has('PUT /:id'))
      it('keeps what a change does not name', async () => {
        const { id } = await made(collection, acme, 'all')
        const another = (await exampleOf(collection, acme, 'all')) as Body
        const fields = Object.keys(properties)
        const before = await acme.owner.get(of(id))
        const nothing = await acme.owner.put(of(id), {})
        refuses(nothing, 200, undefined, 'no field at all')
        assert.equal(nothing.headers.etag, before.headers.etag, 'no field at all: nothing is written')
        for (const field of fields) {
          const was = await show(collection, id)
          const value = another[field]
          const saved = await acme.owner.put(of(id), { [field]: value })
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
        const { id } = created.body.data
        const etag = String((await acme.owner.get(of(id))).headers.etag)
        assert.match(etag, /^"[^"]+"$/)
        assert.equal(created.headers.etag, etag)
        const change = await exampleOf(collection)
        const put = (match: string) => acme.owner.put(of(id), change, { headers: { 'if-match': match } })
        refuses(await put('"0-0"'), 412, 'PRECONDITION_FAILED', 'another state')
        const saved = await put(etag)
        refuses(saved, 200, undefined, 'this state')
        assert.notEqual(saved.headers.etag, etag)
        refuses(await put(etag), 412, 'PRECONDITION_FAILED', 'the state before')
        if (deletable)
          refuses(await acme.owner.del(of(id), { headers: { 'if-match': etag } }), 412, 'PRECONDITION_FAILED', 'deletion')
      })

    it('is made once under an Idempotency-Key', async () => {
      const body = await exampleOf(collection)
      const headers = { 'idempotency-key': `${resource}-${++counted}` }
      const first = await acme.owner.post(path, body, { headers })
      const again = await acme.owner.post(path, body, { headers })
      assert.deepEqual([first.status, again.status, again.headers['idempotency-replayed']], [201, 201, 'true'])
      assert.deepEqual(again.body.data, first.body.data)
      refuses(await acme.owner.post(path, { ...body, another: 1 }, { headers }), 422, undefined, 'another body')
    })

    if (has.has('POST /:id/restore'))
      it('is deleted, restored and deleted for good', async () => {
        const { id } = await made(collection)
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
        const { id } = await made(collection)
        refuses(await acme.owner.del(of(id)), 200, undefined, 'delete')
        refuses(await acme.owner.del(of(id)), 404, 'NOT_FOUND', 'again')
        assert.ok(!ids(await everyRow(path)).includes(id))
      })

    const list = has.get('GET /')
    if (list) {
      const asked = queryOf(list.spec.query).properties ?? {}
      it('stands in the list, whatever the order and the page', async () => {
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
      if (asked.search)
        it('is found by what people know it by', async () => {
          const record = await made(collection)
          const found = await everyRow(path, { search: String(record[titleField]) })
          assert.ok(ids(found).includes(record.id), String(record[titleField]))
          assert.deepEqual(await everyRow(path, { search: 'zzz no such thing zzz' }), [])
        })
    }

    const stats = has.get('GET /stats')
    if (stats)
      it('is counted as it is listed', async () => {
        const gone = await made(collection)
        await made(collection, acme, 'all')
        await acme.owner.del(of(gone.id))
        const states = (queryOf(list!.spec.query).properties!.status?.enum ?? []) as string[]
        const total = Object.keys(schemaOf(stats.spec.reply).properties!).find((name) => name.startsWith('total_'))!
        const read = async (query: Record<string, string>) => (await acme.owner.get(`${path}/stats`, { query })).body.data
        const queries = [{}, { trashed: 'only' }, { trashed: 'with' }, { search: '1' }, { assigned_to: 'unassigned' }]
        for (const query of [...queries, ...states.map((status) => ({ status }))] as Record<string, string>[]) {
          const figures = await read(query)
          assert.equal(figures[total], (await everyRow(path, query)).length, JSON.stringify(query))
          for (const status of states)
            if (!query.status || query.status === status)
              assert.equal(
                figures[status],
                (await everyRow(path, { ...query, status })).length,
                `${JSON.stringify(query)} ${status}`,
              )
        }
      })

    if (has.has('POST /:id/notes'))
      it('has notes and a timeline', async () => {
        const { id } = await made(collection)
        const added = await acme.owner.post(of(id, '/notes'), { body: ' A note ' })
        assert.deepEqual([added.status, added.body.data.body, added.body.data.creator.id], [201, 'A note', acme.owner.id])
        assert.deepEqual(await everyRow(of(id, '/notes')), [added.body.data])
        const types = (await everyRow(of(id, '/timeline'))).map(({ type }) => type)
        assert.deepEqual(types, ['note_added', 'created'])
      })

    if (has.has('POST /:id/assign'))
      it('is seen by whom it is given to, and by those who may assign', async () => {
        const { id } = await made(collection)
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
        assert.deepEqual([freed.body.data.assigned_to, freed.body.data.assignee], [null, null])
        assert.equal(await seen(), false)
      })
  })
}
