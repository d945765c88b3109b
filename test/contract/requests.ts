/**
 * Creates valid requests from the API documents: values from the schemas, records from the service's own operations. rules/
 * contains what no document states.
 */
import assert from 'node:assert/strict'
import { member, officer } from '../accounts.ts'
import { formOf, type Person, type Reply, type Workspace } from '../harness.ts'
import { overrides } from '../promises/overrides.ts'
import { type Api, type Operation, replyOf } from './operations.ts'
import { type Rule, rules } from './rules/index.ts'
import { bare, type Maker, type Schema, valid } from './values.ts'
import type { ContractWorld } from './world.ts'

export interface Request {
  operation: Operation
  params: Params
  query: Record<string, string>
  headers: Record<string, string>
  /** Bearer token of the caller; undefined: unauthenticated. */
  token?: string
  /** Sent as JSON, or as a form if it contains a file. */
  body?: Body
  /** Raw body, sent instead. */
  raw?: string
}

export type Body = Record<string, any>
export type Params = Record<string, string | number>

/** Options for creating a request. */
export interface Making {
  /** Reuses earlier requests and records. Otherwise each operation that changes a record gets a new one. */
  reuse?: boolean
  /** Number of fields in the body; all by default. */
  fields?: Maker['fields']
  /** Fields of the body, instead of those of its rule. */
  body?: Body
  /** Caller: by default the workspace's owner or the platform's first admin; for operations on the own account a new user. */
  by?: Somebody
  /** The path's records, if known already. */
  at?: { params: Params; record: Body }
}

export type Somebody = Pick<Person, 'id' | 'email' | 'token'>

export interface Requests {
  /** Returns a valid request; creates the records that it refers to in the required state. */
  requestOf(operation: Operation, making?: Making): Promise<Request>
  /** Returns the record of a path like `/api/tenant/v1/vendors`. */
  recordAt(place: string, making?: Making): Promise<Body>
  /** Returns a record of a type (`vendor`) created earlier. */
  recordOf(kind: string): Promise<Body>
  /** Performs an operation by id with a valid request, asserts success, and returns the reply's data. */
  perform(id: string, making?: Making): Promise<any>
}

/** Context of rules. */
export interface Setting extends Requests {
  world: ContractWorld
  /** API of the operation. Operations performed by id are preferably of the same API. */
  api: Api
  firm: Workspace
  by: Somebody
  params: Params
  /** Last record of the path; for a new record, the parent of its collection. */
  record: Body
}

let counted = 0
/** Unique numbers: records of two workspaces may meet on the platform. */
const next = () => ++counted

/** Creates valid requests about the records of one workspace and about the platform. */
export function requestsIn(world: ContractWorld, firm: Workspace): Requests {
  const { operations } = world
  const byAt = new Map(operations.map((one) => [one.at, one]))
  const placeOf = placesOf(operations)
  refuseIdleRules(operations)
  const made = new Map<string, Promise<Body>>()
  const requestsMade = new Map<string, Promise<Request>>()
  const requests: Requests = { requestOf, recordAt, recordOf, perform: (id, making) => performOne(named(id), making) }

  /** Returns the operation with this id, preferably of this API. */
  function named(id: string, api: Api = 'workspace') {
    const all = operations.filter((one) => one.id === id)
    const one = all.find((some) => some.api === api) ?? all[0]
    assert.ok(one, `no operation is called ${id}`)
    return one
  }
  const requestsOf = (api: Api): Requests => ({ ...requests, perform: (id, making) => performOne(named(id, api), making) })

  async function requestOf(operation: Operation, making: Making = {}): Promise<Request> {
    if (!making.reuse) return newRequest(operation, making)
    return remembered(requestsMade, operation.at, () => newRequest(operation, making))
  }

  async function newRequest(operation: Operation, making: Making): Promise<Request> {
    const rule = ruleOf(operation)
    const by = making.by ?? (await whoAsks(operation))
    const { params, record } = making.at ?? (await namedBy(operation, { ...making, by }))
    const { api } = operation
    const setting: Setting = { ...requestsOf(api), world, firm, api, by, params, record }
    const body = await bodyOf(operation, rule, setting, making)
    return {
      operation,
      params,
      query: await queryOf(operation, rule),
      headers: {},
      ...(operation.security.length ? { token: by.token } : {}),
      ...(body ? { body } : {}),
      ...(await rule.request?.(setting)),
      // Explicit parameters take precedence.
      ...(making.at ? { params } : {}),
    }
  }

  async function whoAsks({ api, path }: Operation): Promise<Somebody> {
    const own = /^\/api\/\w+\/v1\/(me|auth)(\/|$)/.test(path)
    if (api === 'platform') return own ? officer(world) : world.admin
    return own ? member(world, firm) : firm.owner
  }

  /** Returns the path's records from left to right, the last one in the state that the operation requires. */
  async function namedBy(operation: Operation, making: Making) {
    const params: Params = {}
    let record: Body = {}
    const steps = stepsOf(operation)
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)]
    for (const [n, { 1: name = '', index }] of names.entries()) {
      const place = operation.path.slice(0, index - 1)
      const last = n === names.length - 1
      if (name === 'external_id') {
        record = await externallyNamed(place.replace(/\/external$/, ''), making)
        params[name] = record.external_id
        continue
      }
      const make = async (reuse: boolean) => {
        const one = await recordAt(place, { reuse, by: making.by, at: { params: { ...params }, record } })
        assert.ok(one, `${operation.at}: nothing stands at ${place}`)
        const at = { params: { ...params, [name]: keyOf(name, one) }, record: one }
        if (last)
          for (const step of steps) await performOne(named(step, operation.api), { by: making.by, at, fields: 'required' })
        return one
      }
      const old = making.reuse || !last || operation.method === 'GET'
      record =
        old && steps.length && last ? await remembered(made, [place, ...steps].join(' '), () => make(false)) : await make(old)
      params[name] = keyOf(name, record)
      assert.ok(params[name] !== undefined, `${operation.at}: nothing is the ${name} of ${JSON.stringify(record)}`)
    }
    return { params, record }
  }

  /** Returns a record with an external id. */
  async function externallyNamed(collection: string, { by }: Making): Promise<Body> {
    const record = await recordAt(collection, { by })
    const change = operations.find(({ at }) => new RegExp(`^PUT ${collection}/\\{(id|uuid|key)\\}$`).test(at))!
    const [, name = 'id'] = /\{(\w+)\}$/.exec(change.path) ?? []
    const key = keyOf(name, record)
    const external_id = `external ${key}`
    const at = { params: { [name]: key }, record }
    return performOne(change, { by, at, fields: 'required', body: { external_id } })
  }

  /** Returns the body of operations that every collection shares. */
  function commonBody(operation: Operation, setting: Setting): Body | Promise<Body> | undefined {
    const [, collection] = /^POST (.+)\/bulk$/.exec(operation.at) ?? []
    if (!collection || !byAt.has(`GET ${collection}/export`)) return undefined
    const one = async () => ({ ids: [(await setting.recordAt(collection)).id], action: 'delete', changes: {} })
    return one()
  }

  /** Returns the ids of operations that must be performed on a record first. */
  function stepsOf(operation: Operation): string[] {
    const { after } = ruleOf(operation)
    if (after) return after
    const deleted = /^(POST (.*)\/restore|DELETE (.*)\/force)$/.exec(operation.at)
    const deletion = deleted && byAt.get(`DELETE ${deleted[2] ?? deleted[3]}`)
    return deletion ? [...stepsOf(deletion), deletion.id] : []
  }

  async function recordAt(place: string, { reuse, by, at }: Making = {}): Promise<Body> {
    if (reuse) return remembered(made, [place, ...Object.values(at?.params ?? {})].join(' '), () => recordAt(place, { by, at }))
    const own = rules[place]?.record
    const api = place.startsWith('/api/central/') ? 'platform' : 'workspace'
    if (own) return own({ ...requestsOf(api), world, firm, api, by: by ?? firm.owner, params: {}, record: {}, ...at })
    const create = byAt.get(`POST ${place}`)
    if (create && replyOf(create).status === 201) return performOne(create, { by, at, fields: 'required' })
    const list = byAt.get(`GET ${place}`)
    assert.ok(list, `nothing makes or lists what stands at ${place}`)
    const [first] = await performOne(list, { by, at })
    assert.ok(first, `there is nothing at ${place}`)
    return first
  }

  async function recordOf(kind: string) {
    const place = placeOf(kind)
    assert.ok(place, `no path has records of the kind ${kind}`)
    return recordAt(place, { reuse: true })
  }

  async function performOne(operation: Operation, making?: Making) {
    const request = await requestOf(operation, making)
    const reply = await send(world, request)
    const about = `${operation.at} ${JSON.stringify(request.body)}: ${reply.raw.toString().slice(0, 500)}`
    assert.equal(reply.status, replyOf(operation).status, about)
    return reply.body?.data
  }

  async function bodyOf(operation: Operation, rule: Rule, setting: Setting, making: Making): Promise<Body | undefined> {
    const schema = operation.bodies['multipart/form-data'] ?? operation.bodies['application/json']
    if (!schema) return undefined
    const common = await commonBody(operation, setting)
    if (common) return { ...common, ...making.body }
    const fields = making.fields ?? (operation.path.endsWith('/external/{external_id}') ? 'required' : 'all')
    const made = (await valid(schema, { fields, next, reference })) as Body
    const known = Object.entries(overrides[recordSchemaOf(operation)?.['x-resource'] ?? ''] ?? {})
    const taken = known.filter(([field]) => field in (schema.properties ?? {}))
    return { ...made, ...Object.fromEntries(taken), ...(making.body ?? (await rule.body?.(setting))) }
  }

  const reference: Maker['reference'] = async (kind, { type }) => {
    const one: Body = kind === 'user' ? firm.owner : await recordOf(kind)
    return type === 'string' ? one.uuid : one.id
  }

  async function queryOf({ parameters }: Operation, rule: Rule) {
    const query: Record<string, string> = {}
    for (const { name, required, schema, in: where } of parameters)
      if (where === 'query' && required) query[name] = String(await valid(schema, { fields: 'required', next, reference }, name))
    return { ...query, ...rule.query }
  }

  return requests
}

function remembered<T>(all: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  if (!all.has(key)) all.set(key, make())
  return all.get(key)!
}

/** Fails on rules for unknown operations, which would have no effect. */
function refuseIdleRules(operations: Operation[]) {
  const known = new Set(operations.flatMap(({ id, api, path }) => [id, `${api} ${id}`, ...placesIn(path)]))
  assert.deepEqual(
    Object.keys(rules).filter((key) => !known.has(key)),
    [],
    'rules for nothing',
  )
}

/** Returns the collections in a path. */
const placesIn = (path: string) => [...path.matchAll(/\/\{/g)].map(({ index }) => path.slice(0, index))

/** Returns an operation's rule, by id, or by API and id where both APIs have one. */
const ruleOf = ({ id, api }: Operation): Rule => rules[`${api} ${id}`] ?? rules[id] ?? {}

/** Returns the record schema of an operation's reply; undefined where there is none. */
function recordSchemaOf(operation: Operation): Schema | undefined {
  const { data } = replyOf(operation)
  const one = data && bare(data)
  const record = one?.type === 'array' ? one.items && bare(one.items) : one
  return record?.['x-resource'] ? record : undefined
}

/** Returns a record's key in a path: by the parameter's name, or its id. */
const keyOf = (name: string, record: Body): string | number => record[name] ?? record.id ?? record.uuid

/** Returns the collections by record type: where records are created, or else listed. */
function placesOf(operations: Operation[]) {
  const places = new Map<string, string>()
  const whole = operations.filter((one) => !one.path.includes('{'))
  const add = (some: Operation[]) => {
    for (const one of some) {
      const kind = recordSchemaOf(one)?.['x-resource']
      if (kind && !places.has(kind)) places.set(kind, one.path)
    }
  }
  add(whole.filter((one) => one.method === 'POST' && replyOf(one).status === 201))
  add(whole.filter((one) => one.method === 'GET' && replyOf(one).data?.type === 'array'))
  return (kind: string) => places.get(kind)
}

/** Returns a request's address. */
export const addressOf = ({ operation, params }: Request) =>
  operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name])))

/** Sends a request to the service. */
export async function send(world: ContractWorld, request: Request): Promise<Reply> {
  const { operation, query, headers, token, body, raw } = request
  const reply = await world.app.inject({
    method: operation.method,
    url: addressOf(request),
    query,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    ...(raw ? { payload: raw } : {}),
    ...(body === undefined ? {} : { payload: formOf(body) ?? body }),
  })
  const json = /^application\/([\w.-]+\+)?json\b/.test(String(reply.headers['content-type']))
  return {
    status: reply.statusCode,
    body: json ? reply.json() : (undefined as never),
    headers: reply.headers,
    raw: reply.rawPayload,
  }
}
