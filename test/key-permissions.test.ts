/**
 * Access of API keys in both APIs: a key with one permission opens exactly the routes that require it. A key for each group of
 * permissions is tried over HTTP on all possibly related routes and some others. Sessions, which share the code, are tried with
 * every permission in promises.test.ts.
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
/** Every nth route unrelated to a permission. */
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
    const groups = Map.groupBy(modules.permissions(api), ({ group }) => group)
    for (const [index, ofGroup] of [...groups.values()].entries()) {
      const { name, group } = ofGroup[index % ofGroup.length]!
      it(`opens exactly what asks for ${name}`, async () => {
        await world.sql('DELETE FROM rate_limits')
        const { status, body } = await by.post('/api-keys', { name, scopes: [name] })
        assert.equal(status, 201, body.message)
        world.secret(body.data.key)
        const client = api === 'workspace' ? world.tenant(body.data.key) : world.central(body.data.key)
        const wrong: string[] = []
        for (const [n, found] of own.entries()) {
          const open = opens(found, name)
          if (!open && found.module.key !== group && (n + index) % SAMPLE) continue
          const reply = await call(client, found.route.method, pathFor(found.path), {})
          const came = reply.status !== 401 && reply.status !== 403
          if (came !== open || reply.status >= 500) wrong.push(`${found.at}: ${reply.status} ${reply.body?.message}`)
        }
        assert.deepEqual(wrong, [])
        await by.del(`/api-keys/${body.data.id}`)
      })
    }
  })
