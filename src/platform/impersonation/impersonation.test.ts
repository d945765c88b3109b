// Also in CI: citus-short
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { plusSeconds } from '#kernel/values/time.ts'
import { PASSWORD, startTest, type Workspace } from '#test/harness.ts'
import { type Operator, operator } from '#test/operator.ts'
import { refusing } from '#test/refusing.ts'
import { closeEnded } from './impersonation.ts'

const world = await startTest()
const { admin } = world
const reason = 'Ticket 4711: the invoice'
let acme: Workspace
let helper: Operator
let stranger: Operator

before(async () => {
  acme = await world.workspace({ modules: ['vendors'] })
  helper = await operator(world, ['impersonation.start'])
  stranger = await operator(world, ['tenants.list'])
})

type Asks = Pick<Operator, 'post'>
const begin = (by: Asks = helper, tenant = acme.id, body: unknown = { reason }) => by.post(`/tenants/${tenant}/impersonate`, body)
const begun = async (by?: Asks) => {
  const { status, body } = await begin(by)
  assert.equal(status, 201)
  return { ...body.data, as: world.tenant(body.data.tenant_token) }
}
const refused = (reply: { status: number; body: { errors?: object } }, field: string) =>
  assert.deepEqual([reply.status, Object.keys(reply.body.errors ?? {})], [422, [field]])
const sessions = async (query: Record<string, string | number> = {}, id = acme.id) =>
  (await admin.get(`/tenants/${id}/impersonation-sessions`, { query: { per_page: 100, ...query } })).body
const sessionOf = async (id: number) => (await sessions()).data.find((one: { id: number }) => one.id === id)
const events = async (id: number) =>
  (await world.sql(`SELECT event FROM audit_logs WHERE (properties ->> 'impersonation_id')::int = $1 ORDER BY id`, [id])).map(
    ({ event }) => event,
  )

describe('working as the owner of a workspace', () => {
  it('takes a permission and a reason (CEN-32)', async () => {
    assert.equal((await begin(stranger)).status, 403)
    for (const body of [{}, { reason: 'abcd' }, { reason: 'x'.repeat(1001) }])
      refused(await begin(helper, acme.id, body), 'reason')
    assert.equal((await begin(helper, 999_999)).status, 404)
  })

  it('lasts an hour, under the owner’s name, and leaves a trace in the workspace (CEN-32, CEN-35)', async () => {
    const { as, tenant_token, tenant_user, admin: by, ...started } = await begun()
    assert.deepEqual([started.tenant_id, started.reason, started.ended_at], [acme.id, reason, null])
    assert.deepEqual([by.id, tenant_user.id], [helper.id, acme.owner.id])
    assert.equal(Date.parse(started.expires_at) - Date.parse(started.started_at), 3_600_000)
    assert.equal((await as.get('/me')).body.data.user.id, acme.owner.id)
    assert.equal((await as.post('/vendors', { name: 'Made for the owner' })).status, 201)
    assert.equal((await as.put('/me', { email: 'thief@x.test' })).body.code, 'IMPERSONATING')
    // Records that would outlast the impersonation can't be created by it: service accounts and their keys.
    const account = (await acme.owner.post('/service-accounts', { name: 'Shop', role: ['admin'] })).body.data
    for (const at of ['/service-accounts', `/service-accounts/${account.id}/keys`])
      assert.equal((await as.post(at, { name: 'x', role: ['admin'], scopes: ['*'] })).body.code, 'IMPERSONATING')
    assert.equal((await as.get('/service-accounts')).status, 200)
    const [name] = await world.sql('SELECT name FROM access_tokens WHERE id = $1', [tenant_token.split('|')[0]])
    assert.equal(name.name, 'impersonation')

    const log = (await acme.owner.get('/audit-logs', { query: { event: 'impersonation_started' } })).body.data
    assert.deepEqual(
      [log[0].actor.name, log[0].actor.type, log[0].properties.reason],
      ['Oscar Operator', 'platform_user', reason],
    )
    const listed = JSON.stringify([await sessions(), log, (await admin.get(`/tenants/${acme.id}/audit-logs`)).body])
    assert.ok(!listed.includes(tenant_token.split('|')[1]), 'tokens are never listed')
  })

  it('can’t be nested', async () => {
    const { as } = await begun()
    const clerk = await acme.user(['vendors.view'])
    refused(await as.post(`/users/${clerk.id}/impersonate`, { reason }), 'user')
    for (const device_name of ['impersonation', 'user-impersonation']) {
      const { body } = await world.central().post('/auth/login', { email: helper.email, password: PASSWORD, device_name })
      refused(await begin(world.central(body.data.token)), 'tenant')
    }
  })

  it('is refused for a workspace that is closed, and unknown for a deleted one', async () => {
    const closed = await world.workspace({ modules: [] })
    await admin.post(`/tenants/${closed.id}/archive`)
    refused(await begin(helper, closed.id), 'tenant')
    await admin.post(`/tenants/${closed.id}/unarchive`)
    await admin.patch(`/tenants/${closed.id}`, { status: 'suspended' })
    refused(await begin(helper, closed.id), 'tenant')
    await admin.del(`/tenants/${closed.id}`)
    assert.equal((await begin(helper, closed.id)).status, 404)
  })

  it('tells its token once, also under an Idempotency-Key', async () => {
    const ask = () => helper.post(`/tenants/${acme.id}/impersonate`, { reason }, { headers: { 'idempotency-key': 'once' } })
    const [first, again] = [await ask(), await ask()]
    assert.equal(again.body.data.id, first.body.data.id)
    assert.equal(again.body.data.tenant_token, null)
  })
})

describe('its end', () => {
  it('comes from whoever began it, or from whoever may end everybody’s, once (CEN-33)', async () => {
    const mine = await begun()
    assert.equal((await stranger.post(`/impersonation/${mine.id}/end`)).status, 403)
    assert.equal((await stranger.post('/impersonation/999999/end')).status, 403, 'which ids there are is nobody’s business')
    const replies = await Promise.all([1, 2].map(() => helper.post(`/impersonation/${mine.id}/end`)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422])
    refused(replies.find(({ status }) => status === 422)!, 'impersonation')
    const { ended_at, duration_seconds } = replies.find(({ status }) => status === 200)!.body.data
    assert.ok(ended_at && Number.isInteger(duration_seconds))
    assert.equal((await mine.as.get('/me')).status, 401)
    assert.deepEqual(await events(mine.id), ['impersonation_started', 'impersonation_ended'])

    const theirs = await begun()
    const overseer = await operator(world, ['impersonation.end'])
    assert.equal((await overseer.post('/impersonation/999999/end')).status, 404)
    assert.equal((await overseer.post(`/impersonation/${theirs.id}/end`)).status, 200)
    assert.equal((await theirs.as.get('/me')).status, 401)
  })

  const stopped = async (session: Awaited<ReturnType<typeof begun>>, why: string) => {
    assert.equal((await session.as.get('/me')).status, 401, why)
    assert.ok((await sessionOf(session.id)).ended_at, why)
    assert.deepEqual(await events(session.id), ['impersonation_started', 'impersonation_ended'], why)
  }

  it('comes when its operator signs out, is suspended or deleted', async () => {
    for (const { why, stop } of [
      { why: 'signed out', stop: (who: Operator) => who.post('/me/logout') },
      { why: 'signed out everywhere', stop: (who: Operator) => who.post('/me/logout', { all: true }) },
      { why: 'suspended', stop: (who: Operator) => admin.post(`/users/${who.id}/suspend`) },
      { why: 'deleted', stop: (who: Operator) => admin.del(`/users/${who.id}`) },
    ] as const) {
      const who = await operator(world, ['impersonation.start'])
      const session = await begun(who)
      assert.equal((await session.as.get('/me')).status, 200)
      assert.equal((await stop(who)).status, 200, why)
      await stopped(session, why)
      assert.equal((await sessionOf(session.id)).admin.email, who.email)
    }
    const [first, other] = [helper, await operator(world, ['impersonation.start'])]
    const session = await begun(first)
    await other.post('/me/logout')
    assert.equal((await session.as.get('/me')).status, 200, 'another’s sign-out')
  })

  it('comes with the workspace’s own deletion', async () => {
    const firm = await world.workspace({ modules: [] })
    const { body } = await begin(helper, firm.id)
    await admin.del(`/tenants/${firm.id}`)
    assert.equal((await world.tenant(body.data.tenant_token).get('/me')).status, 401)
    assert.deepEqual(await events(body.data.id), ['impersonation_started', 'impersonation_ended'])
  })

  it('is noted when the hour is over, and when the token was ended by other means', async () => {
    const [expired, left, kept] = [await begun(), await begun(), await begun()]
    assert.equal((await left.as.post('/auth/logout')).status, 200)
    await world.sql('UPDATE platform_impersonations SET started_at = $2, expires_at = $3 WHERE id = $1', [
      expired.id,
      ...[expired.started_at, expired.expires_at].map((at: string) => plusSeconds(at, -7200)),
    ])
    await world.sql(`UPDATE access_tokens SET expires_at = now() WHERE id = $1`, [expired.tenant_token.split('|')[0]])
    refused(await helper.post(`/impersonation/${expired.id}/end`), 'impersonation')
    await closeEnded(world.services)
    await stopped(expired, 'expired')
    await stopped(left, 'signed out in the workspace')
    assert.equal((await sessionOf(expired.id)).duration_seconds, 3600)
    assert.equal((await sessionOf(kept.id)).ended_at, null)
    assert.equal((await kept.as.get('/me')).status, 200)
  })

  it('is noted of all others where that of one can’t be', async () => {
    const [refused, other] = [await begun(), await begun()]
    for (const { as } of [refused, other]) assert.equal((await as.post('/auth/logout')).status, 200)
    await refusing(world, { event: 'UPDATE', table: 'platform_impersonations', when: `NEW.id = ${refused.id}` }, () =>
      assert.rejects(async () => closeEnded(world.services), /an impersonation could not be ended \(1\)/),
    )
    const endOf = async ({ id }: { id: number }) => (await sessionOf(id)).ended_at
    assert.deepEqual([await endOf(refused), typeof (await endOf(other))], [null, 'string'])
    await closeEnded(world.services)
    assert.equal(typeof (await endOf(refused)), 'string')
  })
})

describe('the sessions of a workspace', () => {
  it('are found by reason and by who it was (CEN-30)', async () => {
    const firm = await world.workspace({ modules: [] })
    const other = await operator(world, ['impersonation.start'])
    await begin(helper, firm.id, { reason: 'An odd total' })
    await begin(other, firm.id, { reason: 'A lost password' })
    const found = async (search: string) =>
      (await sessions({ search }, firm.id)).data.map((one: { reason: string }) => one.reason)
    assert.deepEqual(await found('ODD'), ['An odd total'])
    assert.deepEqual(await found(other.email), ['A lost password'])
    assert.deepEqual(await found('oscar'), ['A lost password', 'An odd total'])
    assert.equal((await sessions({}, firm.id)).meta.total, 2)
    assert.equal((await stranger.get(`/tenants/${firm.id}/impersonation-sessions`)).status, 403)
    assert.equal((await admin.get('/tenants/999999/impersonation-sessions')).status, 404)
  })

  it('stay when their operator is deleted for good', async () => {
    const who = await operator(world, ['impersonation.start'])
    const { id } = await begun(who)
    await admin.del(`/users/${who.id}`)
    await admin.del(`/users/${who.id}/force`)
    assert.equal((await sessionOf(id)).admin.email, who.email)
  })
})
