/** Tests of the operations dashboards: access, session lifetime, content and actions. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it, mock } from 'node:test'
import { percentile } from '#platform/operations/charts.ts'
import { samplerOf } from '#platform/operations/sampler.ts'
import { startTest, type Workspace } from '#test/harness.ts'
import { type Operator, operator } from '#test/operator.ts'
import { signed } from '../../../test/fixtures/jobs/workspace/pages/jobs.ts'

const roots = [join(import.meta.dirname, '../../../test/fixtures/jobs')]
// The service samples itself every ten seconds, which would add to the test's samples.
mock.timers.enable({ apis: ['setInterval'] })
const world = await startTest({ roots, env: { BASE_URL: 'https://atrium.test' } })
mock.timers.reset()
let firm: Workspace

before(async () => {
  world.clock.set('2027-03-01T09:00:00.000Z')
  firm = await world.workspace({ modules: ['pages'] })
})
const later = (seconds: number) => world.clock.set(new Date(Date.parse(world.clock.now()) + seconds * 1000).toISOString())

/** Creates a platform user with every permission and, optionally, a role. */
async function someone(role?: string, options = {}): Promise<Operator> {
  await world.sql('DELETE FROM rate_limits')
  const all = world.services.modules.permissions('platform').map(({ name }) => name)
  const one = await operator(world, all, options)
  if (role) await give(one, role)
  return one
}
const give = ({ id }: Operator, role: string) =>
  world.sql('INSERT INTO platform_user_roles (user_id, role_id) SELECT $1, id FROM platform_roles WHERE name = $2', [id, role])

const linkOf = async (one: Pick<Operator, 'get'>, dashboard = 'metrics') => {
  const { status, body } = await one.get(`/${dashboard}-dashboard/enter`)
  assert.equal(status, 200, body.message)
  assert.ok(body.data.url.startsWith('https://atrium.test/operations/enter?'))
  return body.data.url.slice('https://atrium.test'.length) as string
}
const open = (path: string, cookie = '') => world.root.get(path, { headers: { cookie } })
/** Opens a dashboard session and returns its cookie. */
async function entered(one: Pick<Operator, 'get'>) {
  const { status, headers } = await open(await linkOf(one))
  assert.equal(status, 200)
  return String(headers['set-cookie']).split(';')[0]!
}

describe('the way in', () => {
  it('is for three roles with a verified address, whatever else somebody may do (AUTH-23, CEN-19)', async () => {
    for (const path of ['/metrics-dashboard/enter', '/queue-dashboard/enter']) {
      for (const one of [world.admin, await someone('superadmin'), await someone('developer'), await someone('tester')])
        assert.equal((await one.get(path)).status, 200)
      for (const { one, status, code } of [
        { one: world.central(), status: 401, code: 'UNAUTHENTICATED' },
        { one: firm.owner, status: 404, code: 'NOT_FOUND' },
        { one: await someone(), status: 403, code: 'FORBIDDEN' },
        { one: await someone('support'), status: 403, code: 'FORBIDDEN' },
        { one: await someone('developer', { verified: false }), status: 403, code: 'EMAIL_NOT_VERIFIED' },
      ] as const) {
        const reply = await one.get(path)
        assert.deepEqual([reply.status, reply.body.code], [status, code])
      }
    }
  })

  it('is a signed link that opens once, within a minute', async () => {
    const link = await linkOf(world.admin, 'queue')
    const another = (_: string, name: string, first: string) => `${name}=${first === '-' ? '_' : '-'}`
    const forged = [
      link.replace('to=queues', 'to=metrics'),
      link.replace(/(token)=(.)/, another),
      link.replace(/(signature)=(.)/, another),
      `${link}x`,
    ]
    for (const wrong of forged) assert.equal((await open(wrong)).status, 401, wrong)
    const { status, raw, headers } = await open(link)
    assert.equal(status, 200)
    assert.match(raw.toString(), /url=\/operations\/queues"/)
    const cookie = String(headers['set-cookie'])
    assert.match(cookie, /^__Secure-atrium_operations=\S+; Path=\/operations; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$/)
    assert.equal((await open(link)).status, 401, 'used')
    const late = await linkOf(world.admin)
    later(60)
    assert.equal((await open(late)).status, 401, 'late')
    const both = await linkOf(world.admin)
    const replies = await Promise.all([open(both), open(both)])
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 401])
    assert.equal((await open('/operations/enter?to=elsewhere')).status, 422)
  })
})

describe('a session of the dashboards', () => {
  const pages = ['/operations/metrics', '/operations/metrics/data', '/operations/queues', '/operations/queues/data']

  it('opens both, by its cookie alone, for an hour', async () => {
    const cookie = await entered(world.admin)
    for (const path of pages) assert.equal((await open(path, `other=1; ${cookie}`)).status, 200, path)
    const [name, value] = cookie.split('=') as [string, string]
    const [session, until] = value.split('.') as [string, string]
    const longer = `${session}.${Number(until) + 1}.${value.split('.')[2]}`
    for (const wrong of ['', `${name}=`, `${name}=${value}x`, `x${cookie}`, `${name}=${longer}`, `${name}=${world.admin.token}`])
      for (const path of pages) assert.equal((await open(path, wrong)).status, 401, wrong)
    const bearer = { headers: { authorization: `Bearer ${world.admin.token}` } }
    assert.equal((await world.root.get(pages[0]!, bearer)).status, 401)
    assert.equal((await world.admin.get('/me', { headers: { authorization: '', cookie } })).status, 401)
    const { headers, raw } = await open(pages[0]!)
    assert.match(String(headers['content-type']), /html/)
    assert.match(raw.toString(), /Enter from the platform again/)
    later(3600)
    assert.equal((await open(pages[0]!, cookie)).status, 401, 'an hour later')
  })

  it('ends when its owner signs out, is suspended or deleted, or loses the role', async () => {
    const shut = async (one: Operator, act: () => Promise<unknown>) => {
      const [link, cookie] = [await linkOf(one), await entered(one)]
      assert.equal((await open(pages[0]!, cookie)).status, 200)
      await act()
      for (const path of pages) assert.equal((await open(path, cookie)).status, 401, path)
      assert.equal((await open(link)).status, 401)
    }
    const tester = () => someone('tester')
    const out = await tester()
    await shut(out, () => out.post('/me/logout'))
    for (const change of ['suspended_at = now()', 'deleted_at = now()', 'email_verified_at = NULL']) {
      const one = await tester()
      await shut(one, () => world.sql(`UPDATE platform_users SET ${change} WHERE id = $1`, [one.id]))
    }
    const demoted = await tester()
    const roles = `DELETE FROM platform_user_roles WHERE user_id = $1 AND role_id = (SELECT id FROM platform_roles WHERE name = 'tester')`
    await shut(demoted, () => world.sql(roles, [demoted.id]))
  })
})

describe('the dashboard of metrics', () => {
  it('finds shares of requests within the buckets', () => {
    const counts = { 'le 0.01': 50, 'le 0.1': 90, 'le 1': 100, 'le +Inf': 100 }
    assert.deepEqual(
      [0.25, 0.5, 0.9, 0.95, 1].map((share) => percentile(counts, share)),
      [0.005, 0.01, 0.1, 0.55, 1],
    )
    assert.deepEqual([percentile({ 'le 1': 0, 'le +Inf': 4 }, 0.5), percentile({}, 0.5)], [1, 0])
  })

  it('adds up what the processes counted, by the second', async () => {
    await world.sql('DELETE FROM operations_samples')
    world.clock.set('2027-03-01T12:00:00.000Z')
    const processes = [samplerOf(world.services), samplerOf(world.services)] as const
    for (const take of processes) await take()
    later(10)
    for (let n = 0; n < 20; n++) await world.root.get('/healthz')
    for (let n = 0; n < 10; n++) await world.root.get('/nothing')
    for (const take of processes) await take()
    later(15)
    const cookie = await entered(world.admin)
    const { body } = await open('/operations/metrics/data?minutes=15', cookie)
    const { points, step, from, now, routes } = body as any
    assert.deepEqual([points.length, step, from], [90, 10, '2027-03-01T11:45:20.000Z'])
    assert.equal(points.filter(Boolean).length, 2, 'null where nobody took a sample')
    const last = points.findLast(Boolean)
    assert.partialDeepStrictEqual(last, { requests: 6, refused: 2, failed: 0 })
    assert.ok(last.p50 > 0 && last.p99 >= last.p95 && last.p95 >= last.p50)
    assert.ok(last.memory > 10 && last.open > 0 && last.lag > 0)
    assert.ok(now.connections > 0 && now.megabytes > 1 && now.processes === 2)
    assert.ok(routes.find(({ route }: { route: string }) => route === 'GET /healthz').requests >= 20)
    assert.equal((await open('/operations/metrics/data?minutes=7', cookie)).status, 422)
    for (const minutes of [60, 360]) assert.equal((await open(`/operations/metrics/data?minutes=${minutes}`, cookie)).status, 200)

    later(6 * 3600)
    await processes[0]()
    assert.equal((await world.sql('SELECT FROM operations_samples')).length, 1, 'six hours are kept')
  })
})

describe('the dashboard of the queue', () => {
  const post = (path: string, cookie: string, body: unknown, headers = {}) =>
    world.root.post(`/operations/queues/${path}`, body, { headers: { cookie, ...headers } })
  const shown = async (cookie: string) => (await open('/operations/queues/data', cookie)).body as any

  /** Runs a job that fails for good, because its sender lacks the permission. */
  async function failed(n: number) {
    const user = await firm.user([])
    await firm.inside((ctx) => world.services.queue.send(ctx, signed, { n }, { tenantId: firm.id, actorId: user.id }))
    await world.drain()
    return user
  }

  it('shows what waits, and the jobs that failed for good without what they were given', async () => {
    const cookie = await entered(world.admin)
    await failed(4711)
    await firm.inside((ctx) => world.services.queue.send(ctx, signed, { n: 2 }))
    await firm.inside((ctx) => world.services.queue.send(ctx, signed, { n: 3 }, { delaySeconds: 600 }))
    const { queues, letters, total } = await shown(cookie)
    const {
      waiting,
      delayed,
      active,
      failed: given,
      oldest,
    } = queues.find(({ name }: { name: string }) => name === 'pages-signed')
    assert.deepEqual({ waiting, delayed, active, given }, { waiting: 1, delayed: 1, active: 0, given: 1 })
    assert.ok(oldest >= 0)
    const [letter] = letters
    assert.deepEqual(
      { queue: letter.queue, tenant_id: letter.tenant_id, tries: letter.tries, total },
      { queue: 'pages-signed', tenant_id: firm.id, tries: 1, total: 1 },
    )
    assert.match(letter.error, /needs the permission pages\.write/)
    assert.ok(!JSON.stringify(letters).includes('4711'))
    await world.drain('all')
  })

  it('gives a dead letter back to its queue, once, or forgets it; the audit log knows who did', async () => {
    await world.sql(`DELETE FROM pgboss.job WHERE name = 'dead-letters'`)
    const cookie = await entered(world.admin)
    const user = await failed(7)
    await failed(8)
    const [second, first] = (await shown(cookie)).letters
    await world.sql(
      `UPDATE roles SET permissions = '{pages.write}' WHERE tenant_id = $1 AND id IN (SELECT role_id FROM user_roles WHERE user_id = $2)`,
      [firm.id, user.id],
    )
    const both = await Promise.all([post('retry', cookie, { ids: [first.id] }), post('retry', cookie, { ids: [first.id] })])
    assert.deepEqual(both.map(({ body }) => body.data.retried).sort(), [0, 1])
    await world.drain()
    assert.equal((await world.sql('SELECT FROM pages WHERE tenant_id = $1 AND n = 7', [firm.id])).length, 1)
    assert.equal((await post('discard', cookie, { ids: [second.id] })).status, 200)
    assert.deepEqual((await shown(cookie)).letters, [])
    assert.equal((await post('discard', cookie, { ids: [second.id] })).status, 200, 'gone already')
    const logged = await world.sql(
      `SELECT DISTINCT event, actor_type, actor_id FROM audit_logs WHERE event LIKE 'jobs\\_%' AND tenant_id = 0 ORDER BY event`,
    )
    assert.deepEqual(
      logged.map((row) => [row.event, row.actor_type, Number(row.actor_id)]),
      [
        ['jobs_discarded', 'platform_user', world.admin.id],
        ['jobs_retried', 'platform_user', world.admin.id],
      ],
    )
  })

  it('does nothing for other sites, for nobody, or for nonsense', async () => {
    const cookie = await entered(world.admin)
    await failed(9)
    const [{ id }] = (await shown(cookie)).letters
    for (const path of ['retry', 'discard']) {
      assert.equal((await post(path, '', { ids: [id] })).status, 401)
      for (const site of ['cross-site', 'same-site', 'none'])
        assert.equal((await post(path, cookie, { ids: [id] }, { 'sec-fetch-site': site })).status, 403, site)
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      assert.equal((await post(path, cookie, `ids=${id}`, form)).status, 415)
      for (const ids of [[], ['x'], 'x', Array.from({ length: 101 }, () => id), undefined])
        assert.equal((await post(path, cookie, { ids })).status, 422)
    }
    assert.equal((await shown(cookie)).total, 1)
  })
})
