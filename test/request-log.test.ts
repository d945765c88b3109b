import assert from 'node:assert/strict'
import { it } from 'node:test'
import { officer } from './accounts.ts'
import { PASSWORD, startTest } from './harness.ts'

const lines: Record<string, any>[] = []
const world = await startTest({ env: { LOG_SQL: '1' }, log: (line) => lines.push(JSON.parse(line)) })

it('a request is one line in the log: who asked, what it cost, and nothing that was sent', async () => {
  const firm = await world.workspace({ modules: ['vendors'] })
  lines.splice(0)
  const { body, headers } = await firm.owner.get('/vendors', { query: { search: 'a word of theirs' } })
  assert.equal(body.status, 'success')
  const [line, ...more] = lines.filter(({ msg }) => msg === 'request')
  assert.deepEqual(more, [])
  assert.equal(line!.request_id, headers['x-request-id'])
  assert.partialDeepStrictEqual(line, { method: 'GET', route: '/api/tenant/v1/vendors', status: 200 })
  assert.equal(line!.workspace, firm.id)
  assert.ok(
    Number.isInteger(line!.user) && line!.statements >= 4 && line!.db_ms > 0 && line!.db_ms <= line!.ms,
    JSON.stringify(line),
  )
  assert.ok(!('ip' in line!))
  assert.doesNotMatch(JSON.stringify(lines), /a word of theirs/)
})

it('LOG_SQL logs each statement, without its values', async () => {
  const statements = lines.filter(({ msg }) => msg === 'statement')
  assert.ok(statements.some(({ sql, ms }) => /search_vendors/.test(sql) && ms >= 0))
})

it('a request without a session has no user', async () => {
  lines.splice(0)
  await world.root.get('/healthz')
  const [line] = lines.filter(({ msg }) => msg === 'request')
  assert.deepEqual(
    { route: line!.route, user: line!.user, workspace: line!.workspace, statements: line!.statements },
    { route: '/healthz', user: undefined, workspace: undefined, statements: undefined },
  )
})

it('tells whence somebody signed in, and whence others tried or were refused', async () => {
  const firm = await world.workspace({ modules: ['vendors'] })
  const operator = await officer(world)
  const nobody = await firm.user([])
  lines.splice(0)
  for (const password of [PASSWORD, 'wrong']) {
    await world.anonymous.post('/auth/login', { email: firm.owner.email, password })
    await operator.nobody.post('/auth/login', { email: operator.email, password })
  }
  await nobody.get('/vendors')
  const signedIn = lines.filter(({ msg }) => msg === 'signed in')
  assert.deepEqual(
    signedIn.map(({ api, workspace, user, ip }) => ({ api, workspace, user, ip })),
    [
      { api: 'workspace', workspace: firm.id, user: firm.owner.id, ip: '127.0.0.1' },
      { api: 'platform', workspace: undefined, user: operator.id, ip: '127.0.0.1' },
    ],
  )
  assert.ok(signedIn.every(({ session, request_id }) => session > 0 && request_id))
  const requests = lines.filter(({ msg }) => msg === 'request')
  assert.deepEqual(
    requests.map(({ status, ip }) => ({ status, ip })),
    [
      ...[200, 200].map((status) => ({ status, ip: undefined })),
      ...[401, 401, 403].map((status) => ({ status, ip: '127.0.0.1' })),
    ],
  )
  assert.ok(!JSON.stringify(lines).includes(firm.owner.email))
})

it('has what went wrong, also where the session can’t be asked for behind it', async (t) => {
  const firm = await world.workspace({ modules: ['vendors'] })
  await firm.owner.get('/vendors')
  const { database } = world.services
  t.mock.method(database, 'workspace', () => Promise.reject(new Error('the first failure')))
  t.mock.method(database, 'statement', () => Promise.reject(Object.assign(new Error('the second'), { code: '57P01' })))
  lines.splice(0)
  assert.equal((await firm.owner.get('/vendors')).status, 503)
  const told = lines.filter(({ err }) => err).map(({ msg, err }) => [msg, err.message])
  assert.deepEqual(told, [
    ['defect', 'the first failure'],
    ['not done', 'the second'],
  ])
})
