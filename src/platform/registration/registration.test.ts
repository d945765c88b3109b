import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { inPublic, originOf } from '#kernel/context.ts'
import { startTest } from '#test/harness.ts'
import { mailedToken } from '#test/operator.ts'
import { endUnproven } from '../tenants/ending.ts'

const world = await startTest()
/** World with a proxy in front, so that requests have various addresses. */
const behind = await startTest({ env: { TRUST_PROXY: '1' } })
const password = 'correct horse battery'
let nth = 0
const register = (more: object = {}, headers = {}, at = world) =>
  at.central().post(
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
  it('makes one with an owner, who signs in and goes to work once the mailed link was followed (CEN-60)', async () => {
    const { status, body } = await register({ company_name: 'Café Zoë', email: 'Zoe@Cafe.test', invite_token: null })
    assert.equal(status, 201)
    const { id, uuid, created_at, owner, ...rest } = body.data
    assert.deepEqual(rest, {
      company_name: 'Café Zoë',
      workspace_name: 'Café Zoë',
      slug: 'cafe-zoe',
      domain: 'cafe-zoe.atrium.test',
    })
    assert.partialDeepStrictEqual(owner, { name: 'Nora New', email: 'zoe@cafe.test' })

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

  it('is refused while registration is off (CEN-61)', async () => {
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

describe('workspaces whose address is not proven', () => {
  const DAY = 24 * 3_600_000
  const START = '2027-08-01T10:00:00.000Z'
  const at = (days: number, ms = 0) => behind.clock.set(new Date(Date.parse(START) + days * DAY + ms).toISOString())
  const from = (ip: string, more: object = {}) => register(more, { 'x-forwarded-for': ip }, behind)
  const left = async (id: number) => (await behind.sql('SELECT 1 FROM tenants WHERE id = $1', [id])).length
  const endOverdue = async () => {
    await inPublic(originOf(behind.services), 'write', (ctx) => behind.services.queue.send(ctx, endUnproven, {}))
    await behind.drain()
  }
  beforeEach(async () => {
    await behind.sql('TRUNCATE rate_limits')
    await behind.sql('DELETE FROM unproven_workspaces')
    at(0)
  })

  it('are gone for good after a week; those that were proven in any way stay', async () => {
    const made = []
    for (let n = 0; n < 4; n++) made.push((await from('203.0.113.1')).body.data)
    const [byLink, byOperator, byNobody, trashed] = made
    const token = await mailedToken(behind, 'auth.verify_email', byLink.owner.email)
    assert.equal((await behind.anonymous.post('/auth/verify-email', { token })).status, 200)
    assert.equal((await behind.admin.post(`/tenants/${byOperator.id}/verify-owner`)).status, 200)
    assert.equal((await behind.admin.del(`/tenants/${trashed.id}`)).status, 200)
    const [mail] = await behind.sql(`SELECT body_text FROM email_logs WHERE tenant_id = $1`, [byNobody.id])
    assert.match(mail.body_text, /not confirmed within 7 days is removed/)

    at(7, -1000)
    await endOverdue()
    assert.equal(await left(byNobody.id), 1)
    at(7)
    await endOverdue()
    assert.deepEqual(
      await Promise.all(made.map(({ id }) => left(id))),
      [1, 1, 0, 1],
      'what an operator deleted is theirs to restore',
    )
    assert.equal((await behind.admin.get(`/tenants/${byNobody.id}`)).status, 404)
    const [entry] = await behind.sql(
      `SELECT actor_type, properties FROM audit_logs WHERE event = 'tenant_force_deleted' ORDER BY id DESC`,
    )
    assert.deepEqual([entry.actor_type, entry.properties.slug], ['system', byNobody.slug])
    const again = await from('203.0.113.1', { company_name: byNobody.company_name })
    assert.equal(again.body.data.slug, byNobody.slug, 'its name is free')
  })

  it('are thirty an hour from one network, and proven ones don’t count', async () => {
    const note = (n: number, network: string) =>
      behind.sql(
        `INSERT INTO unproven_workspaces SELECT id, 'x@x.test', $2, $3 FROM tenants WHERE id NOT IN (SELECT tenant_id FROM unproven_workspaces) LIMIT $1`,
        [n, network, START],
      )
    for (let n = 0; n < 30; n++) await behind.workspace({ modules: [] })
    await note(29, '2001:db8:0:ab00::/56')
    const last = await from('2001:db8::abcd:0:0:0:1')
    assert.equal(last.status, 201)
    const refused = await from('2001:db8:0:ab01::2')
    assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'TOO_MANY_REQUESTS', '3600'])
    assert.equal((await from('2001:db8:0:ac01::2')).status, 201)
    for (const odd of ['::ffff:203.0.113.1', 'unknown', '']) assert.equal((await from(odd)).status, 201, odd)
    const token = await mailedToken(behind, 'auth.verify_email', last.body.data.owner.email)
    await behind.anonymous.post('/auth/verify-email', { token })
    assert.equal((await from('2001:db8:0:ab01::2')).status, 201)
    at(0, 3_600_000)
    assert.equal((await from('2001:db8:0:ab01::2')).status, 201)
  })

  it('are a thousand at once from one block of addresses, whatever networks it has', async () => {
    await behind.sql(
      `WITH made AS (
         INSERT INTO tenants (company_name, workspace_name, slug, email, created_at, updated_at)
         SELECT 'x', 'x', 'block-' || n, 'x@x.test', now(), now() FROM generate_series(1, 1000) n RETURNING id, slug)
       INSERT INTO unproven_workspaces SELECT id, 'x@x.test', '2001:db8:7:' || to_hex(256 * (id % 256)) || '::/56', $1 FROM made`,
      [START],
    )
    assert.equal((await from('2001:db8:7:1::1')).status, 429)
    assert.equal((await from('2001:db8:8:1::1')).status, 201)
  })

  it('are ten thousand at once; whoever is invited comes in nevertheless', async () => {
    await behind.sql(
      `WITH made AS (
         INSERT INTO tenants (company_name, workspace_name, slug, email, created_at, updated_at)
         SELECT 'x', 'x', 'flood-' || n, 'x@x.test', now(), now() FROM generate_series(1, 10000) n RETURNING id)
       INSERT INTO unproven_workspaces SELECT id, 'x@x.test', NULL, $1 FROM made`,
      [START],
    )
    const { status, body, headers } = await from('198.51.100.1')
    assert.deepEqual([status, body.code, headers['retry-after']], [503, 'REGISTRATION_BUSY', '3600'])
    const applied = await behind.central().post('/public/beta-applications', {
      name: 'Ida',
      email: 'ida@invited.test',
      company: 'Invited',
      message: 'Please',
    })
    assert.equal(applied.status, 201, applied.body.message)
    const [{ id }] = await behind.sql('SELECT id FROM beta_applications')
    const { invite_url } = (await behind.admin.post(`/beta-applications/${id}/invite`)).body.data
    assert.equal((await from('198.51.100.1', { invite_token: invite_url.split('#')[1] })).status, 201)
  })
})
