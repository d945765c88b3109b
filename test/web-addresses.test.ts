/** Addresses that screens link to: every route's schema must validate them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { z } from 'zod'
import { operationsOf } from './contract/operations.ts'
import type { Schema } from './contract/values.ts'
import { startTest } from './harness.ts'
import { operator } from './operator.ts'

const world = await startTest()
const HOSTILE = [
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<b>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:x',
]
const routes = new Map(
  (await world.services.modules.routes()).map(({ route, path }) => [`${route.method} ${path.replace(/:(\w+)/g, '{$1}')}`, route]),
)

/** Returns the paths of web addresses in a schema; `*` is an item of a list. */
function addressesIn(
  schema: Schema & { properties?: Record<string, any>; items?: any; anyOf?: any[]; oneOf?: any[] },
  depth = 0,
): string[][] {
  if (depth > 6) return []
  if (schema.format === 'website' || schema.format === 'uri') return [[]]
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    addressesIn(field, depth + 1).map((rest) => [name, ...rest]),
  )
  const entries = schema.items ? addressesIn(schema.items, depth + 1).map((rest) => ['*', ...rest]) : []
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => addressesIn(one, depth + 1))
  return [...fields, ...entries, ...options]
}

const holding = (path: string[], value: unknown): unknown =>
  path.length ? (path[0] === '*' ? [holding(path.slice(1), value)] : { [path[0]!]: holding(path.slice(1), value) }) : value

const places: { at: string; path: string[] }[] = []
for (const [api, name] of [
  ['workspace', 'tenant'],
  ['platform', 'central'],
] as const) {
  const { body } = await world.root.get(`/api/${name}/v1/openapi.json`)
  for (const { at, bodies } of operationsOf(body, api))
    for (const schema of Object.values(bodies))
      for (const path of new Set(addressesIn(schema as never).map((one) => one.join('.'))))
        places.push({ at, path: path.split('.') })
}

describe('an address of the web', () => {
  it('is a field of the routes that are known to have one', () => {
    const at = places.map((place) => `${place.at} ${place.path.join('.')}`)
    for (const known of [
      'POST /api/tenant/v1/companies website',
      'PUT /api/tenant/v1/vendors/{id} website',
      'POST /api/tenant/v1/short-links destination_url',
    ])
      assert.ok(at.includes(known), `${known} is none of ${at}`)
  })

  it('has no scheme but http(s) in the settings of the platform, which are judged one by one', async () => {
    const admin = await operator(world, ['system-settings.update'])
    for (const address of HOSTILE) {
      const settings = { founding_beta_apply_url: address }
      const { status, body } = await admin.put('/system-settings', { settings })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['settings.founding_beta_apply_url']], address)
    }
  })

  for (const { at, path } of places.filter(({ path }) => path[0] !== 'settings'))
    it(`has no scheme but http(s): ${at} ${path.join('.')}`, async () => {
      const schema = routes.get(at)?.spec.body as z.ZodType
      for (const address of HOSTILE) {
        const { error } = await schema.safeParseAsync(holding(path, address))
        const told = error?.issues.some(
          (issue) => issue.path.map((part) => (typeof part === 'number' ? '*' : part)).join('.') === path.join('.'),
        )
        assert.ok(told, `${address}: ${JSON.stringify(error?.issues)}`)
      }
      const { error } = await schema.safeParseAsync(holding(path, 'https://nordwind.example:8080/about?x=1#y'))
      assert.deepEqual(error?.issues.filter((issue) => issue.path.join('.') === path.join('.').replaceAll('*', '0')) ?? [], [])
    })

  it('of a company may be written as people do, without a scheme and with a port', async () => {
    const { owner } = await world.workspace({ modules: ['companies'] })
    for (const website of [
      'nordwind.example',
      'nordwind.example:8080/about',
      'HTTP://nordwind.example',
      'www.müller.example/a:b',
    ])
      assert.equal((await owner.post('/companies', { name: 'Nordwind', website })).body.data?.website, website)
    const refused = await owner.post('/companies', { name: 'Nordwind', website: 'javascript:alert(1)' })
    assert.deepEqual(refused.body.errors, { website: ['Must be an address of the web, with https:// or without.'] })
  })
})
