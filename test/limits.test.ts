/** Named rate limits. Tests change the time in the table of counters instead of waiting. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { createApp } from '../src/app.ts'
import { PASSWORD, type Reply, startTest } from './harness.ts'
import { operator } from './operator.ts'

const world = await startTest()
const proxied = await startTest({ env: { TRUST_PROXY: '1' } })
type World = typeof world

const login = (email: unknown, { of = world, headers = {} }: { of?: World; headers?: Record<string, string> } = {}) =>
  of.central().post('/auth/login', { email, password: 'wrong password' }, { headers })
const statuses = async (times: number, call: () => Promise<Reply>) => {
  const seen: number[] = []
  for (let n = 0; n < times; n++) seen.push((await call()).status)
  return seen
}

beforeEach(async () => {
  for (const each of [world, proxied]) await each.sql('TRUNCATE rate_limits')
})

describe('limits', () => {
  it('say where one stands, on every reply of a limited route and on no other', async () => {
    const first = await login('headers@x.test')
    assert.equal(first.status, 401)
    const { 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': reset } = first.headers
    assert.deepEqual([limit, remaining], ['5', '4'])
    assert.ok(Number(reset) > 0 && Number(reset) <= 60)
    assert.equal((await login('headers@x.test')).headers['ratelimit-remaining'], '3')
    await statuses(3, () => login('headers@x.test'))
    const { status, body, headers } = await login('headers@x.test')
    assert.deepEqual(
      { status, code: body.code, data: body.data, 'ratelimit-remaining': headers['ratelimit-remaining'] },
      { status: 429, code: 'TOO_MANY_REQUESTS', data: null, 'ratelimit-remaining': '0' },
    )
    assert.ok(Number(headers['retry-after']) > 0 && Number(headers['retry-after']) <= 60)
    assert.equal((await world.admin.get('/me')).headers['ratelimit-limit'], undefined)
  })

  it('open again when their time is over', async () => {
    assert.deepEqual(await statuses(6, () => login('later@x.test')), [401, 401, 401, 401, 401, 429])
    await world.sql('UPDATE rate_limits SET expire = $1', [Date.now() - 1])
    assert.equal((await login('later@x.test')).status, 401)
  })

  it('of sign-in count by address as it is meant, each on its own, the right password too', async () => {
    const spelt = ['One@X.test', ' one@x.test', 'ONE@X.TEST ', 'one@x.test', 'oNe@x.test']
    for (const email of spelt) assert.equal((await login(email)).status, 401)
    assert.equal((await login('one@x.test')).status, 429)
    assert.equal((await login('two@x.test')).status, 401)
    const right = { email: 'admin@platform.test', password: PASSWORD }
    assert.deepEqual(await statuses(6, () => world.central().post('/auth/login', right)), [200, 200, 200, 200, 200, 429])
  })

  it('of sign-in count by IP where no address was sent', async () => {
    const bodies = [{}, { email: 7 }, { email: null }, { email: ['a@x.test'] }, { password: 'x' }]
    for (const body of bodies) assert.equal((await world.central().post('/auth/login', body)).status, 422)
    assert.equal((await world.central().post('/auth/login', {})).status, 429)
    assert.equal((await login('fine@x.test')).status, 401)
  })

  it('of sign-in have a wide net by IP behind them', async () => {
    await login('first@x.test')
    await world.sql(`UPDATE rate_limits SET points = 299 WHERE key LIKE 'auth-login-net:%'`)
    assert.deepEqual(await statuses(2, () => login(`${Math.random()}@x.test`)), [401, 429])
  })

  it('of mails and links are five a minute for each address', async () => {
    for (const { path, body, ok } of [
      { path: '/auth/forgot-password', body: {}, ok: 200 },
      { path: '/auth/reset-password', body: { token: 'x', password: PASSWORD, password_confirmation: PASSWORD }, ok: 422 },
    ] as const)
      for (const api of [world.central(), world.anonymous]) {
        await world.sql('TRUNCATE rate_limits')
        const call = (email: string) => () => api.post(path, { email, ...body })
        assert.deepEqual(await statuses(6, call('me@x.test')), [ok, ok, ok, ok, ok, 429], path)
        assert.equal((await call('you@x.test')()).status, ok)
      }
  })

  it('of what is delicate are six a minute for each user, whatever the session', async () => {
    const [a, b] = [await operator(world, []), await operator(world, [])]
    const wrong = { old_password: 'wrong password', password: PASSWORD, password_confirmation: PASSWORD }
    const change = (who: typeof a) => () => who.post('/me/change-password', wrong)
    assert.deepEqual(await statuses(6, change(a)), Array(6).fill(422))
    const { token } = (await world.central().post('/auth/login', { email: a.email, password: PASSWORD })).body.data
    assert.equal((await world.central(token).post('/me/change-password', wrong)).status, 429)
    assert.equal((await change(b)()).status, 422)
    const workspace = await world.workspace({ modules: [] })
    assert.deepEqual(await statuses(7, () => workspace.owner.post('/me/change-password', wrong)), [...Array(6).fill(422), 429])
    assert.equal((await (await workspace.user([])).post('/me/change-password', wrong)).status, 422)
  })

  it('hold over several processes, and under a rush', async () => {
    const second = await createApp(world.services)
    const call = (app: typeof second) =>
      app.inject({ method: 'POST', url: '/api/central/v1/auth/login', payload: { email: 'many@x.test', password: 'x' } })
    const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => call(n % 2 ? second : world.app)))
    await second.close()
    assert.equal(replies.filter((reply) => reply.statusCode === 401).length, 5)
    assert.equal(replies.filter((reply) => reply.statusCode === 429).length, 7)
  })

  it('believe X-Forwarded-For only where a proxy is trusted', async () => {
    const from = (of: World, ip: string) => of.central().post('/auth/login', {}, { headers: { 'x-forwarded-for': ip } })
    let n = 0
    assert.equal((await statuses(6, () => from(world, `10.0.0.${n++}`))).at(-1), 429)
    assert.deepEqual(await statuses(6, () => from(proxied, `10.0.0.${n++}`)), Array(6).fill(422))
    assert.equal((await statuses(6, () => from(proxied, '10.9.9.9'))).at(-1), 429)
  })

  it('count addresses of IPv6 by the network that a customer has', async () => {
    const from = (ip: string) => proxied.central().post('/auth/login', {}, { headers: { 'x-forwarded-for': ip } })
    let n = 0
    assert.deepEqual(await statuses(6, () => from(`2001:db8:1:2::${++n}`)), [...Array(5).fill(422), 429])
    assert.equal((await from('2001:db8:1:3::1')).status, 422)
  })

  it('are not upset by an address with NUL in it', async () => {
    const { status, body } = await login('a\u0000b@x.test')
    assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['email']])
  })

  it('by user are shared by all keys and sessions of a person, or of a service account', async () => {
    const { owner, user } = await world.workspace()
    const other = await user(['users.invite', 'users.update', 'users.view'])
    const account = await owner.post('/service-accounts', { name: 'Shop', role: ['admin'] })
    assert.equal(account.status, 201, account.body.message)
    const keyOf = async (path: string, name: string) => {
      const { status, body } = await owner.post(path, { name, scopes: ['*'] })
      assert.equal(status, 201, body.message)
      world.secret(body.data.key)
      return world.tenant(body.data.key)
    }
    const keys = [await keyOf('/api-keys', 'One'), await keyOf('/api-keys', 'Two')] as const
    const ofAccount = [
      await keyOf(`/service-accounts/${account.body.data.id}/keys`, 'One'),
      await keyOf(`/service-accounts/${account.body.data.id}/keys`, 'Two'),
    ] as const
    await world.sql('TRUNCATE rate_limits')
    const invite = (client: Pick<typeof owner, 'post'>) => client.post('/users/999999/resend-invite')
    const remaining = async (client: Pick<typeof owner, 'post'>) => (await invite(client)).headers['ratelimit-remaining']
    assert.deepEqual([await remaining(keys[0]), await remaining(keys[0])], ['19', '18'], 'a single key is told its own standing')
    assert.deepEqual(
      [await remaining(keys[1]), await remaining(owner)],
      ['17', '16'],
      'another key and a session go on from there',
    )
    assert.deepEqual(new Set(await statuses(16, () => invite(keys[1]))), new Set([404]))
    for (const client of [...keys, owner]) assert.equal((await invite(client)).status, 429)
    assert.equal(await remaining(other), '19', 'another user has a limit of their own')
    assert.deepEqual(await statuses(21, () => invite(ofAccount[0])), [...Array(20).fill(404), 429])
    assert.equal((await invite(ofAccount[1])).status, 429, 'keys of a service account share its limit')
  })
})
