/**
 * References require permission to see the record. For each operation in the API documents and each id in its body, a member with
 * the operation's permission but not the record's gets the reply for an unknown id. A field declared as picker accepts the id; no
 * reply, file or event then shows more than the record's declared columns.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import type { Permission, SubjectType } from '#kernel/names.ts'
import { textOfPdf } from '#workspace/mcp/pdf-text.ts'
import { isForAgents, sendAsAgent } from '../contract/agents.ts'
import type { Operation } from '../contract/operations.ts'
import { NOTHING, type Reference, referencesIn, withField } from '../contract/references.ts'
import { type Body, type Request, requestsIn, send } from '../contract/requests.ts'
import { startContract } from '../contract/world.ts'
import type { Person, Reply } from '../harness.ts'

const world = await startContract()
const firm = await world.workspace({ name: 'Naming' })
await fillDemo(world.services, firm.id, { records: 5, seed: 3 })
const requests = requestsIn(world, firm)
const { modules } = world.services
const everything = modules.permissions('workspace').map(({ name }) => name)
const PREFIX = '/api/tenant/v1/'

interface Case {
  operation: Operation
  reference: Reference
  module: string
  view: Permission
  assign: Permission | undefined
}

/** References without a check of scope, as in the contract. */
const UNSCOPED = new Set(['quotation_id'])
/** Fields of the operation's own module, whose records it changes: the operation's permission counts. */
const isOwn = ({ path }: Operation, module: string) => path.startsWith(`${PREFIX}${module}`)

/** Requests by external id update a record: a payment's allocations are read on creation only. */
const isIgnored = ({ path }: Operation, { field }: Reference) =>
  path.endsWith('/external/{external_id}') && field.startsWith('allocations.')

const cases: Case[] = world.operations
  .filter((one) => one.api === 'workspace' && one.path.startsWith(PREFIX) && world.isSampled(one))
  .flatMap((operation) =>
    referencesIn(operation).flatMap((reference) => {
      const subject = modules.subjects.get(reference.kind as SubjectType)
      if (!subject || isOwn(operation, subject.module.key) || isIgnored(operation, reference)) return []
      const { of } = subject
      const picker = reference.picker || of.picker === true
      return [
        {
          operation,
          reference: { ...reference, picker },
          module: subject.module.key,
          view: of.may('view'),
          assign: of.assignPermission,
        },
      ]
    }),
  )

const people = new Map<string, Promise<Person>>()
/** Returns a user with every permission but one. */
const without = (permission: Permission) =>
  people.getOrInsertComputed(permission, () => firm.user(everything.filter((name) => name !== permission)))

/** Columns of types and names, and columns restricted by a CHECK. */
const PLAIN =
  /^(name|title|number|sku|first_name|last_name|external_id)$|status|type|currency|timezone|language|country|uuid|hash|path|key|provider|format|color|unit|category|frequency|mode|code$/
/** Returns a text unique to records of one type. */
const markOf = (kind: string) => `zyzzyva-${kind}`

/** Writes a canary to every column of a record that no picker declares. Returns the number of columns. */
async function plant(kind: SubjectType, id: number): Promise<number> {
  const { table, title } = modules.subjects.get(kind)!.of
  const columns = await world.sql(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND data_type = 'text' AND is_generated = 'NEVER'`,
    [table],
  )
  let planted = 0
  for (const { name } of columns) {
    if (name === title || PLAIN.test(name) || (kind === 'user' && name === 'email')) continue
    const text = name === 'email' ? `${markOf(kind)}@hidden.test` : `${markOf(kind)} ${name}`
    await world.sql(`UPDATE ${table} SET ${name} = $1 WHERE tenant_id = $2 AND id = $3`, [text, firm.id, id]).then(
      () => planted++,
      () => {},
    ) // restricted by a CHECK
  }
  return planted
}

const ask = async (request: Request, by: Person, headers: Record<string, string> = {}) => {
  await world.sql('DELETE FROM rate_limits')
  return send(world, { ...request, token: by.token, headers: { ...request.headers, ...headers } })
}

/** Returns a reply without its request id. */
function sameIn({ status, body }: Reply) {
  const { request_id: _, ...rest } = body as unknown as Body
  return { ...rest, status } as Body & { status: number }
}

/** Returns the whole content of a reply as text. */
async function textOf({ raw, headers }: Reply) {
  const type = String(headers['content-type'])
  if (type.startsWith('application/pdf')) return (await textOfPdf(raw)).texts.join('\n')
  return raw.toString() + JSON.stringify(headers)
}

async function assertSilent(reply: Reply, kind: string, about: string) {
  const text = await textOf(reply)
  const at = text.toLowerCase().indexOf(markOf(kind))
  assert.equal(at, -1, `${about} shows: ${text.slice(Math.max(0, at - 100), at + 100)}`)
}

/** Returns the request without other references to the record type, which would be rejected as well. */
function alone({ body, ...request }: Request, { field, kind }: Reference, references: Reference[]): Request {
  const bare: Body = structuredClone(body ?? {})
  for (const other of references.filter((one) => one.kind === kind && one.field !== field)) {
    const steps = other.field.split('.')
    const last = steps.pop()!
    const holder = steps.reduce<any>((at, step) => at?.[step], bare)
    if (Array.isArray(holder)) holder.length = 0
    else if (holder) delete holder[last]
  }
  return { ...request, body: bare }
}

/** Returns a valid request with the field and its required siblings. */
async function requestFor(operation: Operation, { field }: Reference): Promise<Request> {
  const request = await requests.requestOf(operation)
  const [outer = '', ...inner] = field.split('.')
  const around = inner.length ? AROUND[`${operation.path.replace(PREFIX, '').split('/')[0]}.${outer}`] : undefined
  const more = { ...OF_ITS_OWN[operation.id], ...(around ? { [outer]: around } : {}) }
  if (field === 'to_warehouse_id') return withField(request, 'from_warehouse_id', (await otherWarehouse()).id)
  return { ...request, body: { ...request.body, ...more } }
}

/** Required fields next to ids within optional lists and objects. */
const line = { quantity: 1, unit_price: 1, tax_rate: 0 }
const AROUND: Record<string, unknown> = {
  ...Object.fromEntries(
    ['invoices', 'quotations', 'estimates', 'credit-notes'].map((key) => [`${key}.lines`, [{ ...line, name: 'A line' }]]),
  ),
  'purchase-orders.lines': [{ ...line, description: 'A line' }],
  'inventory.lines': [{ quantity: 1 }],
  'payments.allocations': [{ amount: 0.01 }],
  'bank-transactions.allocations': [{ amount: 0.01 }],
  'leads.follow_up': { title: 'Call', due_at: '2127-01-01T09:00:00Z' },
}
/** Values that are valid together with all other fields. */
const OF_ITS_OWN: Record<string, Body> = {
  previewNewContract: { starts_on: '2026-01-01', ends_on: '2127-01-01' },
  createLead: { assigned_to: null },
}

let other: Promise<Body> | undefined
const otherWarehouse = () => (other ??= requests.recordAt(`${PREFIX}warehouses`))

const ids = new Map<SubjectType, number>()

before(async () => {
  const kinds = new Set(cases.map(({ reference }) => reference.kind as SubjectType))
  const silent = []
  for (const kind of kinds) {
    const { id } = await requests.recordOf(kind)
    ids.set(kind, id)
    if (!(await plant(kind, id))) silent.push(kind)
  }
  assert.deepEqual(silent, [], 'nothing more of these could be shown')
})

describe('an id in a body', () => {
  it('names records of many kinds, some as pickers', () => {
    const named = (picker: boolean) =>
      new Set(cases.flatMap(({ reference }) => (reference.picker === picker ? reference.kind : [])))
    assert.ok(named(false).size > 8, [...named(false)].join())
    assert.deepEqual([...named(true)].toSorted(), [
      ...['company', 'contact', 'employee', 'opportunity', 'product', 'quotation', 'reseller', 'user', 'vendor', 'warehouse'],
    ])
  })

  for (const { operation, reference, view } of cases.filter(({ reference }) => !reference.picker))
    it(`${operation.at} takes no ${reference.kind} in ${reference.field} without ${view}`, () =>
      assertUnknown(operation, reference, view))

  for (const { operation, reference, assign } of cases)
    if (assign && !UNSCOPED.has(reference.field))
      it(`${operation.at} takes no ${reference.kind} in ${reference.field} that is out of scope`, () =>
        assertUnknown(operation, reference, assign))
})

/** Asserts the same 422 as for an unknown id, dry and real. */
async function assertUnknown(operation: Operation, reference: Reference, lacking: Permission) {
  const { field, kind } = reference
  const by = await without(lacking)
  const request = alone(await requestFor(operation, reference), reference, referencesIn(operation))
  const id = ids.get(kind as SubjectType)!
  for (const headers of [{}, { 'dry-run': 'true' }]) {
    const unknown = sameIn(await ask(withField(request, field, NOTHING.id), by, headers as {}))
    const hidden = sameIn(await ask(withField(request, field, id), by, headers as {}))
    assert.deepEqual(hidden, unknown)
    if (hidden.code === 'DRY_RUN_UNSUPPORTED') continue
    assert.partialDeepStrictEqual(hidden, { status: 422, code: 'VALIDATION_FAILED' }, JSON.stringify(hidden))
    assert.ok(Object.keys(hidden.errors).includes(field), JSON.stringify(hidden.errors))
  }
}

describe('a picker', () => {
  for (const { operation, reference, view } of cases.filter(({ reference }) => reference.picker))
    it(`${operation.at} shows no more of a ${reference.kind} in ${reference.field} than it declares`, async () => {
      const { field, kind } = reference
      const by = await without(view)
      const request = await requestFor(operation, reference)
      const id = kind === 'user' ? (await firm.user([])).id : ids.get(kind as SubjectType)!
      if (kind === 'user') await plant('user', id)
      if (kind === 'employee')
        await world.sql('UPDATE employees SET user_id = NULL WHERE tenant_id = $1 AND id = $2', [firm.id, id])
      const named = withField(request, field, id)
      const unknown = await ask(withField(request, field, NOTHING.id), by)
      assert.deepEqual([unknown.status, Object.keys(unknown.body.errors ?? {})], [422, [field]], unknown.raw.toString())
      const tried = await ask(named, by, { 'dry-run': 'true' })
      await assertSilent(tried, kind, 'a dry run')
      const done = await ask(named, by)
      assert.ok(done.status < 300, done.raw.toString().slice(0, 500))
      await assertSilent(done, kind, 'the reply')
      // Updates return a record in the same way as creation does.
      if (kind !== 'user' && done.status === 201) await assertSilentAfter(named, kind, done, by)
    })
})

/** Checks everything readable about the created or changed record, as a user who can't view the referenced one. */
async function assertSilentAfter({ operation, params }: Request, kind: string, done: Reply, by: Person) {
  const [collection = ''] = operation.path.split('/{')
  const id = (params.id ?? done.body?.data?.id) as number | undefined
  if (id === undefined) return
  const of = world.operations.filter(
    ({ api, path }) => api === 'workspace' && (path === collection || path.startsWith(`${collection}/`)),
  )
  const at = (path: string) => of.find((one) => one.at === `POST ${collection}${path}`)
  const requestOf = (one: Operation, more: Partial<Request> = {}): Request => ({
    ...{ operation: one, params: { id }, query: {}, headers: {} },
    ...more,
  })
  const preview = at('/{id}/preview')
  if (preview) await assertSilent(await ask(requestOf(preview, { body: {} }), by), kind, preview.at)
  const sent = at('/{id}/send')
  if (sent) await ask(requestOf(sent, { body: {} }), by)
  await world.drain()
  for (const one of of.filter(
    ({ method, path }) => method === 'GET' && [...path.matchAll(/\{/g)].length <= 1 && !/\{(?!id)/.test(path),
  )) {
    if (/imports?(\/|$)/.test(one.path)) continue
    const formats = one.path.endsWith('/export') ? ['csv', 'ndjson'] : [undefined]
    for (const format of formats) {
      const needed = one.parameters.filter(({ in: where, required }) => where === 'query' && required)
      const query = Object.fromEntries(needed.map(({ name }) => [name, String(name.endsWith('_id') ? 1 : '')]))
      const reply = await ask(requestOf(one, { query: { ...query, ...(format ? { format } : {}) } }), by)
      await assertSilent(reply, kind, `${one.at} ${format ?? ''}`)
    }
  }
  const shown = of.find(({ at }) => at === `GET ${collection}/{id}`)
  if (shown && isForAgents(shown)) {
    const told = await sendAsAgent(world, { ...requestOf(shown), token: by.token })
    if (told) await assertSilent(told, kind, 'an agent')
  }
  await assertSilent(await by.get('/events', { query: { limit: 100 } }), kind, 'the feed of events')
}
