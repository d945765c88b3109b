/**
 * HEAD at every address with GET (RFC 9110, 9.3.2), for every operation of both documents in a world where each succeeds. Status
 * and headers equal those of GET, there is no body, and no row of the database changes.
 */
// CI stage: bounds
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import type { Operation } from './contract/operations.ts'
import { addressOf, type Request, requestsIn } from './contract/requests.ts'
import { startContract } from './contract/world.ts'

const world = await startContract()
const firm = await world.workspace()
/** Beginning a grant invalidates the one that another operation finishes, so it comes last. */
const isLast = ({ id }: Operation) => Number(id === 'beginSocialAdsGrant')
const operations = world.operations
  .filter((operation) => operation.method === 'GET' && world.isSampled(operation))
  .sort((a, b) => isLast(a) - isLast(b))

/** Headers that differ between replies. */
const OWN_HEADERS = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset', 'connection', 'keep-alive']
/** Headers that HEAD may omit, because they need the body or would create something. */
const OPTIONAL = ['content-length', 'transfer-encoding', 'set-cookie']

/** Operations whose reply's length varies with measurements. */
const MEASURING = ['showOperationMetricsData']
/** GET redirects to a page that it creates; HEAD returns the same status without its address. */
const WITHOUT_LOCATION = ['payInvoice']

interface Answer {
  status: number
  headers: Record<string, unknown>
  raw: Buffer
}

async function ask(method: 'GET' | 'HEAD', request: Request, headers: Record<string, string> = {}): Promise<Answer> {
  const { token, query } = request
  const reply = await world.app.inject({
    method,
    url: addressOf(request),
    query,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...request.headers, ...headers },
  })
  if (reply.headers['ratelimit-limit']) await world.sql('DELETE FROM rate_limits')
  return { status: reply.statusCode, headers: reply.headers, raw: reply.rawPayload }
}

const withoutNonce = (value: unknown) => (typeof value === 'string' ? value.replace(/'nonce-[^']+'/g, "'nonce'") : value)

/** Returns the headers that both methods must share. */
const comparable = ({ headers }: Answer) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => ![...OWN_HEADERS, ...OPTIONAL].includes(name))
      .map(([name, value]) => [name, withoutNonce(value)]),
  )

function assertHead(head: Answer, get: Answer, { id, at }: Operation) {
  assert.equal(head.raw.length, 0, `${at}: HEAD has a body`)
  if (WITHOUT_LOCATION.includes(id)) return assert.equal(head.headers.location, undefined)
  assert.equal(head.status, get.status, `${at}: ${get.raw.toString().slice(0, 300)}`)
  assert.deepEqual(comparable(head), comparable(get), at)
  const length = head.headers['content-length']
  if (length !== undefined && !MEASURING.includes(id))
    assert.equal(String(length), String(get.headers['content-length']), `${at}: Content-Length`)
}

/** Returns row count and content of every table. Excludes the last use of sessions, rate limits and process samples. */
async function rowsOfAll() {
  const tables = await world.sql(
    `SELECT quote_ident(relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT IN ('rate_limits', 'operations_samples') ORDER BY 1`,
  )
  const parts = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' rows, ' || coalesce(sum(hashtextextended((to_jsonb(t) - '{last_used_at,last_used_ip}'::text[])::text, 0)), 0) AS rows FROM ${name} t`,
  )
  return new Map((await world.sql(parts.join(' UNION ALL '))).map(({ name, rows }) => [name as string, rows as string]))
}

describe('HEAD', () => {
  const requests = new Map<Operation, Request>()
  const heads = new Map<Operation, Answer>()
  let rowsBefore: Map<string, string>
  let rowsAfter: Map<string, string>

  before(async () => {
    await fillDemo(world.services, firm.id, { records: 2, seed: 1 })
    const made = requestsIn(world, firm)
    for (const operation of operations) {
      requests.set(operation, await made.requestOf(operation, { reuse: true }))
    }
    await world.drain()
    rowsBefore = await rowsOfAll()
    for (const operation of operations) {
      heads.set(operation, await ask('HEAD', requests.get(operation)!))
    }
    rowsAfter = await rowsOfAll()
  })

  it('changes no row of the database, and adds no job', () => {
    assert.deepEqual(
      [...rowsAfter].filter(([name, rows]) => rowsBefore.get(name) !== rows),
      [],
    )
  })

  for (const operation of operations)
    it(`${operation.at} answers HEAD as it answers and refuses GET, without a body`, async () => {
      const request = requests.get(operation)!
      const get = await ask('GET', request)
      assertHead(heads.get(operation)!, get, operation)
      assert.ok(get.status < 400, `GET goes well after HEAD: ${get.status} ${get.raw.toString().slice(0, 300)}`)

      const unknown = Object.fromEntries(Object.keys(request.params).map((name) => [name, '987654321']))
      for (const refused of [
        { ...request, token: undefined, headers: {} },
        { ...request, params: unknown },
      ]) {
        const head = await ask('HEAD', refused)
        if (head.status >= 400) assertHead(head, await ask('GET', refused), operation)
      }
    })

  it('leaves out the length of a list that GET would compress', async () => {
    const [list] = operations.filter(({ id }) => id === 'listVendors')
    if (!list) return
    const packed = { 'accept-encoding': 'gzip' }
    for (let n = 0; n < 20; n++) await firm.owner.post('/vendors', { name: `Bolts ${n}` })
    const [head, get] = [await ask('HEAD', requests.get(list)!, packed), await ask('GET', requests.get(list)!, packed)]
    assert.equal(get.headers['content-encoding'], 'gzip')
    assertHead(head, get, list)
    assert.equal(head.headers['content-length'], undefined)
  })
})
