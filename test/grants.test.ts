/**
 * Acting for somebody is bounded by a property: each writing route of the workspace API says whether it grants a lasting way in or decides where
 * money goes. Whoever works as another user, by `X-Workspace` or through an agent is refused what does, and all else leaves the rows of access and
 * money as they are. A new route is covered on the day it appears.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { z } from 'zod'
import { fillDemo } from '#kernel/demo/parts.ts'
import { workspaceUser } from '#kernel/http/auth-strategies.ts'
import { isWriting } from '#kernel/http/grants.ts'
import type { Route } from '#kernel/http/route.ts'
import { kindOf } from '#kernel/values/fields.ts'
import { accessRows, accessTables, differing } from './contract/access-rows.ts'
import { isForAgents, sendAsAgent } from './contract/agents.ts'
import type { Operation } from './contract/operations.ts'
import { type Request, requestsIn, send } from './contract/requests.ts'
import { startContract } from './contract/world.ts'
import type { Reply } from './harness.ts'
import { isOneIn } from './sampling.ts'

const world = await startContract()
const { modules } = world.services
const firm = await world.workspace({ name: 'Nordwind' })
await fillDemo(world.services, firm.id, { records: 5, seed: 1 })
const requests = requestsIn(world, firm)
const forgetLimits = () => world.sql('DELETE FROM rate_limits')

const ofWorkspace = (await modules.routes()).filter(({ route }) => route.auth === workspaceUser)
const writing = ofWorkspace.filter(({ route }) => isWriting(route))
const routeOf = new Map(ofWorkspace.map(({ route, path }) => [`${route.method} ${path.replace(/:(\w+)/g, '{$1}')}`, route]))
const operations = world.operations.filter(({ at }) => routeOf.has(at) && isWriting(routeOf.get(at)!))

const marked = ({ spec }: Route) => spec.inPerson === true || spec.grants !== undefined
const fieldsOf = (schema: any): string[] => Object.keys(schema?.shape ?? schema?.def?.out?.shape ?? {})

const tables = await accessTables(world)
const rowsNow = () => accessRows(world, tables)
const grantingSettings = [...modules.settings].filter(([, { grants }]) => grants)

/** Ends the very session that is tried. */
const endsItself = ({ path }: Operation) => /\/auth\/logout$|\/user-impersonation\/\{\w+\}\/end$/.test(path)
/** The way into /mcp is no work of its own: what is called by it is judged. */
const isDoor = ({ path }: Operation) => path.endsWith('/mcp')

interface StandIn {
  who: string
  code: string
  /** What is sent for them. */
  as(request: Request): Request
}

let standIns: StandIn[]
before(async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const everything = modules.permissions('workspace').map(({ name }) => name)
  const user = await firm.user(everything, 'Uma User')
  const asUser = await requests.perform('impersonateUser', { at: { params: { user: user.id }, record: {} } })
  const asOwner = await requests.perform('impersonateTenant', { at: { params: { id: firm.id }, record: {} } })
  const atFirst = { operation: operations.find(({ id }) => id === 'createVendor')!, params: {}, query: {}, headers: {}, body: {} }
  standIns = [
    { who: 'a user as another user', code: 'IMPERSONATING', as: (request) => ({ ...request, token: asUser.target_token }) },
    { who: 'an operator as the owner', code: 'IMPERSONATING', as: (request) => ({ ...request, token: asOwner.tenant_token }) },
    {
      who: 'the platform by X-Workspace',
      code: 'PLATFORM_ACCESS_REFUSED',
      as: (request) => ({ ...request, token: world.admin.token, headers: { ...request.headers, 'x-workspace': firm.slug } }),
    },
  ]
  for (const { as } of standIns) await send(world, as(atFirst)) // the platform's account is let in
})

/** A valid request, and one without the fields that grant. */
async function requestsOf(operation: Operation): Promise<{ whole: Request; harmless?: Request }> {
  await forgetLimits()
  const whole = await requests.requestOf(operation)
  const grants = routeOf.get(operation.at)!.spec.grants
  if (!Array.isArray(grants)) return { whole }
  const body = Object.fromEntries(Object.entries(whole.body ?? {}).filter(([field]) => !grants.includes(field)))
  return { whole, harmless: { ...whole, body } }
}

const told = ({ raw }: Reply) => raw.toString().slice(0, 300)
const isRefused = (reply: Reply, codes: string[]) => reply.status === 403 && codes.includes(reply.body?.code ?? '')
/** Refusals of what isn't for whoever comes so, whatever it grants. */
const IN_PERSON = ['IMPERSONATING', 'KEY_NOT_ALLOWED']

describe('a writing route of the workspace API', () => {
  it('says whether it grants a way in or decides where money goes', () => {
    const unmarked = writing.filter(({ route }) => !marked(route)).map(({ route, path }) => `${route.method} ${path}`)
    assert.deepEqual(unmarked, [], 'Say `grants: true`, `false`, or which fields of the body do: see docs/adding-a-module.md.')
  })

  it('names fields that its body has', () => {
    for (const { route, path } of writing)
      if (Array.isArray(route.spec.grants))
        assert.deepEqual(
          route.spec.grants.filter((field: string) => !fieldsOf(route.spec.body).includes(field)),
          [],
          path,
        )
  })

  it('tells secrets at the top of its reply alone, where they are found to be removed', () => {
    for (const { route, path } of ofWorkspace) {
      const { reply, page, meta } = route.spec
      const inner = [page, meta, ...Object.values<z.core.$ZodType>((reply as any)?.shape ?? { reply })]
      for (const schema of inner.filter((one) => one !== undefined))
        assert.equal(kindOf(schema).shownOnce && schema !== reply ? undefined : secretWithin(schema), undefined, path)
    }
  })

  it('is in the OpenAPI document, by which it is tried here', () => {
    const documented = new Set(operations.map(({ at }) => at))
    const missing = writing.map(({ route, path }) => `${route.method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    assert.deepEqual(
      missing.filter((at) => !documented.has(at)),
      [],
    )
  })
})

/** Where a schema holds a secret that is told once; itself apart. */
function secretWithin(schema: z.core.$ZodType, seen = new Set<unknown>(), isTop = true): string | undefined {
  if (seen.has(schema)) return undefined
  seen.add(schema)
  if (!isTop && kindOf(schema).shownOnce) return 'a secret'
  const { shape = {}, element, innerType, options = [], valueType, in: from, out } = (schema as any)._zod.def
  const inner = [...Object.values(shape), element, innerType, ...options, valueType, from, out].filter((one) => one?._zod)
  return inner.map((one) => secretWithin(one, seen, false)).find((found) => found)
}

describe('whoever works for another', () => {
  it('is watched in the tables of access and money', () => {
    for (const table of [
      'users',
      'roles',
      'user_roles',
      'api_keys',
      'passkeys',
      'two_factors',
      'one_time_tokens',
      'access_tokens',
    ])
      assert.ok(tables.has(table), table)
    for (const table of ['payment_methods', 'branded_domains', 'email_accounts', 'webhook_endpoints', 'lead_webhook_endpoints'])
      assert.ok(tables.has(table), table)
  })

  const tried = operations.filter((one) => world.isSampled(one) && !endsItself(one) && !isDoor(one))
  for (const [n, operation] of tried.entries()) {
    const { inPerson, noKeys, grants } = routeOf.get(operation.at)!.spec
    const isAlwaysRefused = inPerson || grants === true

    it(`${isAlwaysRefused ? 'is refused' : 'leaves access and money as they are by'} ${operation.at}`, async () => {
      let made: Awaited<ReturnType<typeof requestsOf>> | undefined
      let isDone = false
      // What grants nothing is judged without a look at who works for whom: it is done by one of them.
      const isOpen = grants === false && !inPerson && !noKeys
      const inTurn = standIns.map((_, index) => standIns[(n + index) % standIns.length]!)
      for (const { who, code, as } of inTurn) {
        if (isOpen && isDone) break
        made ??= await requestsOf(operation)
        const { whole, harmless } = made
        const rows = await rowsNow()
        const attempt = async (request: Request) => {
          await forgetLimits()
          const reply = await send(world, as(request))
          assert.ok(reply.status < 500, told(reply))
          return { reply, about: `${operation.at} by ${who}: ${reply.status} ${told(reply)} ${JSON.stringify(request.body)}` }
        }
        const { reply, about } = await attempt(whole)
        if (inPerson || (noKeys && code === 'PLATFORM_ACCESS_REFUSED')) assert.ok(isRefused(reply, IN_PERSON), about)
        else if (isAlwaysRefused || harmless) assert.ok(isRefused(reply, [code]), about)
        const { reply: second } = harmless ? await attempt(harmless) : { reply }
        assert.deepEqual(differing(rows, await rowsNow()), [], about)
        isDone ||= second.status < 400
        if (second.status !== 403) made = undefined // a request that was refused is valid still
      }
      assert.ok(isAlwaysRefused || isDone || isForNobodyElse(operation), 'No valid request was made.')
    })
  }
})

/** Nested work as somebody else is a 422, and what is done to many is refused by what is done to each. */
const isForNobodyElse = ({ path }: Operation) => /\/users\/(\{user\}\/impersonate|bulk)$/.test(path)

describe('an agent', () => {
  const secretsOf = ({ spec }: Route) =>
    Object.entries<z.core.$ZodType>((spec.reply as any)?.shape ?? {}).filter(([, schema]) => kindOf(schema).shownOnce)
  /** Of what grants nothing one in so many is tried, others each day. */
  const HARMLESS_SHARE = 8

  for (const operation of operations.filter(
    (one) => world.isSampled(one) && isForAgents(one) && !endsItself(one) && !isDoor(one),
  )) {
    const route = routeOf.get(operation.at)!
    const { inPerson, noKeys, grants } = route.spec
    const secrets = secretsOf(route)
    if (!secrets.length && grants === false && !isOneIn(HARMLESS_SHARE, operation.at)) continue
    it(`${(grants && grants !== 'settings') || inPerson || noKeys ? 'is refused' : 'leaves access and money as they are by'} ${operation.at}`, async () => {
      await forgetLimits()
      const { whole, harmless } = await requestsOf(operation)
      const rows = await rowsNow()
      const reply = await sendAsAgent(world, { ...whole, token: firm.owner.token })
      const about = `${operation.at}: ${JSON.stringify(reply?.body)}`
      if (inPerson || noKeys || route.spec.answer) assert.equal(reply, undefined, about)
      else if (grants === true || harmless)
        assert.partialDeepStrictEqual(reply, { status: 403, body: { code: 'AGENT_NOT_ALLOWED' } }, about)
      else {
        assert.ok(reply, about)
        for (const [name] of secrets) assert.equal((reply.body as any).data[name], null, about)
      }
      if (harmless) assert.ok((await sendAsAgent(world, { ...harmless, token: firm.owner.token }))!.status < 300, about)
      assert.deepEqual(differing(rows, await rowsNow()), [], about)
    })
  }

  it('finds and describes no operation that is refused to it, and no such field', async () => {
    const agent = async (name: string, args: object) => {
      await forgetLimits()
      const params = { name, arguments: args }
      const { body } = await world.tenant(firm.owner.token).post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      return JSON.parse((body as any).result.content[0].text)
    }
    const found: string[] = []
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: any = await agent('find_operations', { offset })
      found.push(...page.operations.map((one: { operation: string }) => one.operation))
      offset = page.next_offset
    }
    for (const operation of operations) {
      const { grants, inPerson, noKeys } = routeOf.get(operation.at)!.spec
      if (grants === true || inPerson || noKeys) {
        assert.ok(!found.includes(operation.id), operation.id)
        assert.ok((await agent('describe_operation', { operation: operation.id })).nearest, operation.id)
      } else if (Array.isArray(grants) || grants === 'settings') {
        const { properties } = (await agent('describe_operation', { operation: operation.id })).body
        const named = Object.keys(grants === 'settings' ? properties.settings.properties : properties)
        const granting = grants === 'settings' ? grantingSettings.map(([key]) => key) : grants
        assert.deepEqual([named.length > 0, granting.filter((name) => named.includes(name))], [true, []], operation.id)
      }
    }
  })
})

describe('a setting that grants', () => {
  const valid: Record<string, unknown> = {
    platform_access: true,
    platform_grants_until: null,
    document_footer: 'Bank: Nordbank',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
  }
  for (const [key, { ownerOnly }] of grantingSettings)
    it(`is refused to whoever works for another: ${key}`, async () => {
      assert.ok(key in valid, `say a valid value of ${key} here`)
      const operation = operations.find(({ id }) => id === 'updateSettings')!
      const request = { operation, params: {}, query: {}, headers: {}, body: { settings: { [key]: valid[key] } } }
      const rows = await rowsNow()
      for (const { who, code, as } of standIns) {
        const reply = await send(world, as(request))
        const expected = ownerOnly ? { status: 422, body: { code: 'VALIDATION_FAILED' } } : { status: 403, body: { code } }
        assert.partialDeepStrictEqual(reply, expected, `${key} by ${who}`)
      }
      const byAgent = await sendAsAgent(world, { ...request, token: firm.owner.token })
      assert.partialDeepStrictEqual(byAgent, { status: 403, body: { code: 'AGENT_NOT_ALLOWED' } })
      assert.deepEqual(differing(rows, await rowsNow()), [])
    })
})
