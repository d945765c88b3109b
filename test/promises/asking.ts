/** Client of the conformance suites: workspaces, users, records generated from schemas, and assertions about replies. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { HttpError } from '#kernel/errors.ts'
import { parse } from '#kernel/http/input.ts'
import { type Route, textParams } from '#kernel/http/route.ts'
import { valid } from '../contract/values.ts'
import { type Client, type Reply, startTest, type Workspace } from '../harness.ts'
import { operator } from '../operator.ts'
import { type Collection, collectionsOf, type Found, routesOf } from './collections.ts'
import { overrides } from './overrides.ts'
import { schemaOf } from './schemas.ts'

export type Body = Record<string, any>
type Options = Parameters<Client['get']>[1]

export function call(by: Client, method: string, path: string, body?: unknown, options?: Options): Promise<Reply> {
  if (method === 'GET') return by.get(path, options)
  if (method === 'DELETE') return by.del(path, options)
  return by[method.toLowerCase() as 'post'](path, body, options)
}

/** Returns a path with the key of a record, or of none. */
export const pathFor = (path: string, key: string | number = 999_999) =>
  path.replace(/:(\w+)/g, (_, name) =>
    key === 999_999 && (textParams as readonly string[]).includes(name) ? '00000000-0000-4000-8000-000000000000' : String(key),
  )

/** Returns a record's key in the route's path: its id or uuid. */
export const keyOf = ({ path }: Found, record: Body) => (/:uuid\b/.test(path) ? record.uuid : record.id)

/** Returns a field without the ids of its items: repriced lines are stored again. */
export const content = (value: unknown) =>
  Array.isArray(value) ? value.map((one) => (one?.id ? { ...one, id: 0 } : one)) : value

export const refuses = ({ status, body }: Reply, expected: number, code: string | undefined, about: string) => {
  assert.equal(status, expected, `${about}: ${JSON.stringify(body)}`)
  if (code) assert.equal(body.code, code, about)
}

/** Asserts a 422 with this field. */
export const namesField = (reply: Reply, field: string, about: string) => {
  refuses(reply, 422, undefined, about)
  const named = Object.keys(reply.body.errors ?? {})
  assert.ok(isNamed(named, field), `${about}: names ${named} instead of ${field}`)
}

/** Returns whether a field, or a part of it, is among the reported ones. */
export const isNamed = (named: string[], field: string) => named.some((one) => one === field || one.startsWith(`${field}.`))

/** Returns the fields that the body parser reports. Empty where it accepts the body or fails otherwise. */
export function namedByParser({ spec }: Route, body: Body): string[] {
  try {
    parse(spec.body!, JSON.parse(JSON.stringify(body)), {}, { anyText: spec.accepts })
    return []
  } catch (error) {
    return error instanceof HttpError ? Object.keys(error.errors ?? {}) : []
  }
}

export async function startAsking() {
  const world = await startTest({ roots: [join(import.meta.dirname, '../fixtures/modules')] })
  const { modules } = world.services
  const routes = await routesOf(modules)
  const collections = collectionsOf(routes)
  /** Every permission of an API. */
  const permissions = (api: Found['api']) => modules.permissions(api).map(({ name }) => name)
  const [acme, other, bareFirm] = [await world.workspace(), await world.workspace(), await world.workspace({ modules: [] })]
  await world.sql('DELETE FROM module_subscriptions WHERE tenant_id = $1', [bareFirm.id]) // those that every workspace has initially

  const clientOf = (api: Found['api'], token?: string) => (api === 'workspace' ? world.tenant(token) : world.central(token))
  const ownerOf = (api: Found['api']): Client => (api === 'workspace' ? acme.owner : world.admin)
  const forgetLimits = () => world.sql('DELETE FROM rate_limits')

  /** Returns a user with exactly these permissions, created once. */
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
    async reference(type: string): Promise<number | string> {
      if (type === 'user') return workspace.owner.id
      const collection = collections.find(({ resource }) => resource === type)
      if (collection) return (await made(collection, workspace))[collection.key]
      const list = routes.find(({ route, path }) => path === `/${type.replaceAll('_', '-')}s` && route.method === 'GET')
      assert.ok(list, `nothing makes or lists a ${type}`)
      return (await workspace.owner.get(list.path)).body.data[0].id
    },
  })

  async function exampleOf({ routes, resource }: Collection, workspace = acme, fields: 'required' | 'all' = 'required') {
    const body = (await valid(schemaOf(routes.get('POST /')!.spec.body), makerIn(workspace, fields))) as Body
    return { ...body, ...overrides[resource] }
  }

  /** Creates a record of a collection. */
  async function made(collection: Collection, workspace = acme, fields: 'required' | 'all' = 'required'): Promise<Body> {
    const reply = await workspace.owner.post(collection.path, await exampleOf(collection, workspace, fields))
    assert.equal(reply.status, 201, `POST ${collection.path}: ${reply.raw}`)
    return reply.body.data
  }

  const show = async (collection: Collection, id: number | string) => (await acme.owner.get(`${collection.path}/${id}`)).body.data

  /** Returns every row of a list, page by page. */
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

  return {
    ...{ world, modules, routes, collections, permissions, acme, other, bareFirm },
    ...{ clientOf, ownerOf, forgetLimits, somebody, makerIn, exampleOf, made, show, everyRow, count: () => ++counted },
  }
}
