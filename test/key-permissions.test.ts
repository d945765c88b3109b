/**
 * What an API key opens, over both APIs: a key of one permission opens exactly the routes that ask for it. Each key tries all routes that
 * could have to do with its permission and some others; with KEY_ROUTES=all it tries every one.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTest } from './harness.ts'
import { call, pathFor } from './promises/asking.ts'
import { type Found, routesOf } from './promises/collections.ts'

const world = await startTest()
const { modules } = world.services
const acme = await world.workspace()
const routes = (await routesOf(modules)).filter(({ route }) => route.auth.scheme === 'bearer')
const everyRoute = process.env.KEY_ROUTES === 'all'
/** One in so many of the routes that have nothing to do with a permission. */
const SAMPLE = 200

const opens = ({ route }: Found, permission: string) => {
  const { allow, anyKey, inPerson, noKeys } = route.spec
  if (inPerson || noKeys) return false
  return allow === 'signed-in' ? anyKey === true : [allow].flat().includes(permission)
}

for (const api of ['workspace', 'platform'] as const)
  describe(`a key of the ${api} with one permission`, () => {
    const own = routes.filter((route) => route.api === api)
    const by = api === 'workspace' ? acme.owner : world.admin
    for (const [index, { name, group }] of modules.permissions(api).entries())
      it(`opens exactly what asks for ${name}`, async () => {
        await world.sql('DELETE FROM rate_limits')
        const { status, body } = await by.post('/api-keys', { name, scopes: [name] })
        assert.equal(status, 201, body.message)
        world.secret(body.data.key)
        const client = api === 'workspace' ? world.tenant(body.data.key) : world.central(body.data.key)
        const wrong: string[] = []
        for (const [n, found] of own.entries()) {
          const open = opens(found, name)
          if (!everyRoute && !open && found.module.key !== group && (n + index) % SAMPLE) continue
          const reply = await call(client, found.route.method, pathFor(found.path), {})
          const came = reply.status !== 401 && reply.status !== 403
          if (came !== open || reply.status >= 500) wrong.push(`${found.at}: ${reply.status} ${reply.body?.message}`)
        }
        assert.deepEqual(wrong, [])
        await by.del(`/api-keys/${body.data.id}`)
      })
  })
