/**
 * Conformance of every route of every module: new modules are covered automatically. Invalid sessions and other workspaces'
 * records are in isolation.test.ts. Requests are generated from schemas (test/contract/values.ts). Records that no POST to a
 * collection creates are covered by test/isolation.test.ts and test/fuzz.ci.test.ts.
 */
// Also in CI: debian
// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { bare, valid, wrong, wrongInQuery } from './contract/values.ts'
import type { Client, Person } from './harness.ts'
import { operator } from './operator.ts'
import { type Body, call, isNamed, keyOf, namedByParser, namesField, pathFor, refuses, startAsking } from './promises/asking.ts'
import type { Found } from './promises/collections.ts'
import { forAdmins } from './promises/overrides.ts'
import { queryOf, schemaOf } from './promises/schemas.ts'
import { isSampled } from './sampling.ts'

const { world, collections, permissions, acme, bareFirm, ...asking } = await startAsking()
const { clientOf, ownerOf, forgetLimits, somebody, makerIn, made } = asking
const routes = asking.routes.filter(({ at, module }) => isSampled(at, module.key))
const closed = routes.filter(({ route }) => route.auth.api !== 'public')
let powerless: Person

before(async () => {
  powerless = await bareFirm.user([])
})

describe('a route behind a session (AUTH-01, AUTH-04, AUTH-05)', async () => {
  const unverified = {} as Record<Found['api'], Client>
  before(async () => {
    for (const api of ['workspace', 'platform'] as const) {
      const person = api === 'workspace' ? await acme.user(permissions(api)) : await operator(world, permissions(api))
      const table = api === 'workspace' ? 'users' : 'platform_users'
      await world.sql(`UPDATE ${table} SET email_verified_at = NULL WHERE id = $1`, [person.id])
      unverified[api] = person
    }
  })

  for (const { module, route, path, at, api } of closed) {
    const ask = (by: Client) => call(by, route.method, pathFor(path), {})
    const allow = [route.spec.allow].flat() as string[]

    it(`${at} lets in whom it should`, async () => {
      if (api === 'platform' ? route.spec.verified : !route.spec.unverified)
        refuses(await ask(unverified[api]), 403, 'EMAIL_NOT_VERIFIED', 'unverified')
      if (!module.core && api === 'workspace')
        for (const person of [bareFirm.owner, powerless]) refuses(await ask(person), 403, 'MODULE_NOT_INSTALLED', 'not installed')
      if (allow[0] === 'signed-in') return
      const others = permissions(api).filter((name) => !allow.includes(name))
      refuses(await ask(await somebody(api, others)), 403, 'FORBIDDEN', 'every other permission')
      for (const one of allow) {
        if (forAdmins.has(at)) continue
        const { status, body } = await ask(await somebody(api, [one]))
        assert.ok(status !== 401 && status !== 403 && status < 500, `${one}: ${status} ${JSON.stringify(body)}`)
      }
    })
  }
})

describe('what is sent (CONV-12)', () => {
  for (const found of routes.filter(({ route: { spec } }) => spec.query && !spec.answer))
    it(`${found.at} names the parameter that makes no sense`, async () => {
      const { route, path, api } = found
      for (const [name, schema] of Object.entries(queryOf(route.spec.query).properties ?? {}))
        for (const value of [wrongInQuery(schema), 'a\0b']) {
          const reply = await call(
            ownerOf(api),
            route.method,
            pathFor(path, /:uuid\b/.test(path) ? undefined : 1),
            {},
            { query: { [name]: value } },
          )
          namesField(reply, name, `?${name}=${value}`)
        }
    })

  for (const found of routes.filter(({ route }) => route.spec.body)) {
    const { route, path, at, api } = found
    const collection = collections.find(({ ofOne }) => ofOne.includes(found))
    if (/:/.test(path) && !collection) continue
    it(`${at} names the field that is wrong`, async () => {
      const target = collection ? pathFor(path, keyOf(found, await made(collection))) : path
      const schema = schemaOf(route.spec.body)
      const sound = (await valid(schema, makerIn(acme, 'required'))) as Body
      const by = route.auth.api === 'public' ? clientOf(api) : ownerOf(api)
      /** Bodies with one invalid field. */
      const broken: { body: Body; field: string; about: string }[] = []
      const breakEach = (of: typeof schema, at: string, around: (fields: Body) => Body, base: Body) => {
        for (const [name, field] of Object.entries(of.properties ?? {}))
          for (const value of wrong(field)) {
            const about = `${name}: ${JSON.stringify(value).slice(0, 50)}`
            broken.push({ body: around({ ...base, [name]: value }), field: `${at}${name}`, about })
          }
      }
      breakEach(schema, '', (fields) => fields, sound)
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        const { items } = bare(field)
        if (!items?.properties) continue
        const entry = (await valid(items, makerIn(acme, 'required'))) as Body
        breakEach(items, `${name}.0.`, (fields) => ({ ...sound, [name]: [fields] }), entry)
      }
      for (const field of schema.required ?? [])
        broken.push({ body: { ...sound, [field]: undefined }, field, about: `without ${field}` })
      // The first one of each field is sent over HTTP; the others only if the body parser doesn't report the field.
      const sent = new Set<string>()
      for (const { body, field, about } of broken) {
        if (sent.has(field) && isNamed(namedByParser(route, body), field)) continue
        sent.add(field)
        if (route.spec.limit) await forgetLimits()
        namesField(await call(by, route.method, target, body), field, about)
      }
    })
  }
})

describe('the path of a record', () => {
  for (const { route, path, at, api } of closed.filter(
    ({ path, route }) => /:/.test(path) && !route.spec.mayCreate && !path.endsWith('/:language'),
  ))
    it(`${at} of nothing is a 404`, async () => {
      if (route.spec.limit) await forgetLimits()
      const ofNothing = [pathFor(path), ...(/:uuid|:token|:key/.test(path) ? [] : [pathFor(path, 0), pathFor(path, 'x')])]
      for (const target of ofNothing) refuses(await call(ownerOf(api), route.method, target, {}), 404, 'NOT_FOUND', target)
    })
})
