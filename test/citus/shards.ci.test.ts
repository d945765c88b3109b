/**
 * On a cluster, a workspace's requests query one machine only: every operation of the tenant API is called once, and Citus counts
 * queries to more than one shard. New operations are covered automatically. Run by test/citus/with-cluster.sh.
 */
// CI stage: citus-short
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import pg from 'pg'
import { fillDemo } from '#kernel/demo/parts.ts'
import { requestsIn, send } from '../contract/requests.ts'
import { startContract } from '../contract/world.ts'

const skip = process.env.CITUS_NODES ? false : 'needs a cluster: test/citus/with-cluster.sh'

/** Searches all workspaces for those with a page of the ad platform. */
const OVER_ALL_WORKSPACES = /\/webhooks\/leads\/social-ads$|\/social-ads\/disconnect$/

describe('an operation of a workspace asks one shard', { skip }, async () => {
  if (skip) return
  const world = await startContract()
  const firm = await world.workspace()
  await fillDemo(world.services, firm.id, { records: 5, seed: 1 })
  const requests = requestsIn(world, firm)
  const counter = new pg.Client({ connectionString: world.services.config.DATABASE_URL })
  before(() => counter.connect())
  const asked = async () => {
    const { rows } = await counter.query(
      'SELECT query_execution_multi_shard::int AS many, query_execution_single_shard::int AS one FROM citus_stat_counters WHERE name = current_database()',
    )
    return rows[0] as { many: number; one: number }
  }
  let single = 0

  for (const operation of world.operations.filter(({ api, path }) => api === 'workspace' && path.startsWith('/api/tenant/v1/')))
    it(operation.at, async () => {
      const request = await requests.requestOf(operation)
      await world.sql('DELETE FROM rate_limits')
      const was = await asked()
      const reply = await send(world, request)
      assert.ok(reply.status < 400, `${reply.status}: ${reply.raw.toString().slice(0, 300)}`)
      const now = await asked()
      single += now.one - was.one
      if (!OVER_ALL_WORKSPACES.test(operation.at)) assert.equal(now.many - was.many, 0, 'asked more than one shard')
    })

  it('and the counter counts', async () => {
    assert.ok(single > 1000, String(single))
    await counter.end()
  })
})
