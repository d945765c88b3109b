import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { mailedToken } from '#test/operator.ts'

const world = await startTest()
const password = 'correct horse battery'
let nth = 0
const register = (more: object = {}, headers = {}) =>
  world.central().post(
    '/public/register-workspace',
    {
      company_name: `Newcomer ${++nth}`,
      owner_name: 'Nora New',
      email: `nora${nth}@newcomer.test`,
      password,
      password_confirmation: password,
      ...more,
    },
    { headers },
  )
const setting = (key: string, value: unknown) =>
  world.sql('INSERT INTO platform_settings (key, value, updated_at) VALUES ($1, $2, now())', [key, JSON.stringify(value)])

beforeEach(() => world.sql('TRUNCATE rate_limits, platform_settings'))

describe('registering a workspace', () => {
  it('makes one with an owner, who signs in and goes to work once the mailed link was followed', async () => {
    const { status, body } = await register({ company_name: 'Café Zoë', email: 'Zoe@Cafe.test', invite_token: null })
    assert.equal(status, 201)
    const { id, uuid, created_at, owner, ...rest } = body.data
    assert.deepEqual(rest, {
      company_name: 'Café Zoë',
      workspace_name: 'Café Zoë',
      slug: 'cafe-zoe',
      domain: 'cafe-zoe.atrium.test',
    })
    assert.deepEqual([owner.name, owner.email], ['Nora New', 'zoe@cafe.test'])

    assert.equal((await world.anonymous.post('/auth/login', { email: 'zoe@cafe.test', password })).status, 401, 'not proven')
    const login = await world.anonymous.post('/auth/login', { email: 'zoe@cafe.test', password, workspace: 'cafe-zoe' })
    assert.deepEqual([login.status, login.body.data.workspace.id, login.body.data.user.is_owner], [200, id, true])
    const zoe = world.tenant(login.body.data.token)
    const early = await zoe.get('/users')
    assert.deepEqual([early.status, early.body.code], [403, 'EMAIL_NOT_VERIFIED'])
    const token = await mailedToken(world, 'auth.verify_email', 'zoe@cafe.test')
    assert.equal((await world.anonymous.post('/auth/verify-email', { token })).status, 200)
    const users = await zoe.get('/users')
    assert.deepEqual(
      users.body.data.map((user: { id: number }) => user.id),
      [owner.id],
    )
    assert.deepEqual((await zoe.get('/roles')).body.data.map((role: { name: string }) => role.name).sort(), [
      'admin',
      'member',
      'superadmin',
    ])
  })

  it('names each wrong field', async () => {
    const { status, body } = await world.central().post('/public/register-workspace', {})
    assert.equal(status, 422)
    const required = ['company_name', 'email', 'owner_name', 'password', 'password_confirmation']
    assert.deepEqual(Object.keys(body.errors!).sort(), required)
    for (const [field, value] of [
      ['company_name', ' '],
      ['owner_name', 'x'.repeat(256)],
      ['email', 'nobody'],
      ['password', 'short'],
      ['password_confirmation', 'something else'],
      ['invite_token', 7],
    ] as const) {
      await world.sql('TRUNCATE rate_limits')
      const { status, body } = await register({
        [field]: value,
        ...(field === 'password' ? { password_confirmation: value } : {}),
      })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, [field]])
    }
  })

  it('keeps to the platform’s rules for passwords', async () => {
    await setting('password_require_special', true)
    const { status, body } = await register({ password: 'onlyletters', password_confirmation: 'onlyletters' })
    assert.deepEqual([status, Object.keys(body.errors!)], [422, ['password']])
  })

  it('is refused while registration is off', async () => {
    await setting('registration_enabled', false)
    for (const more of [{}, { invite_token: 'made up' }]) {
      const { status, body } = await register(more)
      assert.deepEqual([status, body.code, body.data], [403, 'FORBIDDEN', null])
    }
    const made = await world.sql(`SELECT 1 FROM tenants WHERE company_name = $1`, [`Newcomer ${nth}`])
    assert.equal(made.length, 0)
  })

  it('gives two of one name at once a workspace each; one address may own several', async () => {
    const twins = await Promise.all([1, 2].map(() => register({ company_name: 'Twins', email: 'both@twins.test' })))
    assert.deepEqual(
      twins.map((reply) => reply.status),
      [201, 201],
    )
    assert.deepEqual(twins.map((reply) => reply.body.data.slug).sort(), ['twins', 'twins-2'])
    await world.sql(`UPDATE users SET email_verified_at = now() WHERE email = 'both@twins.test'`)
    const which = await world.anonymous.post('/auth/login', { email: 'both@twins.test', password })
    assert.deepEqual([which.status, Object.keys(which.body.errors!)], [422, ['workspace']])
    const said = await world.anonymous.post('/auth/login', { email: 'both@twins.test', password, workspace: 'twins-2' })
    assert.equal(said.body.data.workspace.slug, 'twins-2')
  })

  it('is done once under an Idempotency-Key', async () => {
    const same = { company_name: 'Once', email: 'once@x.test' }
    const [first, second] = [await register(same, { 'idempotency-key': 'r1' }), await register(same, { 'idempotency-key': 'r1' })]
    assert.deepEqual([second.status, second.body], [201, first.body])
    assert.equal((await world.sql(`SELECT 1 FROM tenants WHERE company_name = 'Once'`)).length, 1)
  })

  it('is limited to sixty a minute from one address', async () => {
    const statuses = []
    for (let n = 0; n < 61; n++) statuses.push((await register({ email: 'nobody' })).status)
    assert.deepEqual(statuses, [...Array(60).fill(422), 429])
  })
})
