import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Client, PASSWORD, type Reply, startTest, type Workspace } from '#test/harness.ts'
import * as mail from '#test/operator.ts'

const world = await startTest()
let acme: Workspace
let other: Workspace
let everyPermission: string[]

before(async () => {
  acme = await world.workspace({ modules: ['vendors'], name: 'Acme' })
  other = await world.workspace({ modules: [], name: 'Other' })
  everyPermission = (await acme.owner.get('/permissions')).body.data.map((permission: { name: string }) => permission.name)
})

beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
})

let made = 0
const newEmail = () => `new.${++made}@acme.test`

/** Adds a user without a password as the owner. */
async function add(more: object = {}, by: Client = acme.owner) {
  const { status, body } = await by.post('/users', { name: 'Nadia New', email: newEmail(), ...more })
  assert.equal(status, 201, body.message)
  return body.data
}

/** Asserts 422 on exactly these fields. */
function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

const mailsTo = (email: string) => mail.mailsTo(world, email)
/** Returns the token in the newest mail to an address. */
const mailedToken = (email: string) => mail.mailedToken(world, undefined, email)

const accept = (token: string, password = PASSWORD) =>
  world.anonymous.post('/auth/accept-invite', { token, password, password_confirmation: password })

const routes = [
  { method: 'get', path: '/users', permission: 'users.view' },
  { method: 'get', path: '/users/lead-assignees', permission: 'users.view' },
  { method: 'get', path: '/users/:id', permission: 'users.view' },
  { method: 'post', path: '/users', permission: 'users.create' },
  { method: 'put', path: '/users/:id', permission: 'users.update' },
  { method: 'post', path: '/users/:id/verify-email', permission: 'users.update' },
  { method: 'del', path: '/users/:id', permission: 'users.delete' },
  { method: 'post', path: '/users/:id/restore', permission: 'users.restore' },
  { method: 'post', path: '/users/:id/suspend', permission: 'users.suspend' },
  { method: 'post', path: '/users/:id/unsuspend', permission: 'users.suspend' },
] as const
/** Calls a route, with an invalid body where it takes one. */
const call = (by: Client, method: (typeof routes)[number]['method'], path: string) =>
  method === 'get' || method === 'del' ? by[method](path) : by[method](path, { name: 7 })

describe('users', () => {
  it('are closed to strangers and to those without the one permission', async () => {
    const { id } = await add()
    for (const { method, path, permission } of routes) {
      const at = path.replace(':id', String(id))
      assert.equal((await call(world.anonymous, method, at)).status, 401, path)
      const allBut = await acme.user(everyPermission.filter((name) => name !== permission))
      for (const target of [at, path.replace(':id', '999999999')]) {
        const { status, body } = await call(allBut, method, target)
        assert.deepEqual([status, body.code], [403, 'FORBIDDEN'], `${method} ${target}`)
      }
    }
  })

  it('name each wrong field (USR-06)', async () => {
    const { id } = await add()
    const wrong: Record<string, unknown[]> = {
      name: [null, '', '  ', 7, true, [], {}, 'a\0b', 'x'.repeat(256)],
      email: [null, '', 'nobody', 7, ['a@b.test'], {}, 'a\0b@acme.test', `${'x'.repeat(250)}@a.test`, 'a b@acme.test'],
      role: [null, 'member', 7, {}, Array(51).fill('member')],
      exclude_from_lead_auto_assign: [null, 'true', 1, []],
      receive_website_leads: [null, 'false', 0, {}],
      receive_all_users_daily_summary: [null, 'yes'],
      lead_commission_rate: ['5', -0.1, 100.0001, 12.34567, 1e308, true, [], {}],
    }
    for (const [field, values] of Object.entries(wrong))
      for (const value of values) {
        refused(await acme.owner.post('/users', { name: 'Nadia', email: newEmail(), [field]: value }), field)
        refused(await acme.owner.put(`/users/${id}`, { [field]: value }), field)
      }
    for (const password of [null, '', 'short', 7, [], 'a\0bcdefgh', 'x'.repeat(201)])
      refused(await acme.owner.post('/users', { name: 'Nadia', email: newEmail(), password }), 'password')
    for (const { role, field } of [
      { role: [7], field: 'role.0' },
      { role: ['member', null], field: 'role.1' },
      { role: ['a\0b'], field: 'role.0' },
      { role: [['member']], field: 'role.0' },
    ] as const)
      refused(await acme.owner.post('/users', { name: 'Nadia', email: newEmail(), role }), field)
    refused(await acme.owner.post('/users'), 'name', 'email')
    for (const body of [[], [{ name: 'Nadia' }]]) {
      refused(await acme.owner.post('/users', body), 'body')
      refused(await acme.owner.put(`/users/${id}`, body), 'body')
    }
    for (const [name, value] of [
      ['sort', 'password_hash'],
      ['direction', 'up'],
      ['trashed', 'maybe'],
      ['suspended', 'maybe'],
      ['page', 'x'],
      ['search', '\0'],
    ] as const)
      refused(await acme.owner.get('/users', { query: { [name]: value } }), name)
  })

  it('begin with the defaults of their additions (USR-08)', async () => {
    const person = await add({
      email: ' Mixed.Case@Acme.test ',
      name: ' Nadia ',
      is_owner: true,
      suspended_at: 'now',
      tenant_id: other.id,
      id: 1,
    })
    assert.ok(person.id > 1)
    const { id, created_at, updated_at, ...rest } = person
    assert.equal(created_at, updated_at)
    assert.deepEqual(rest, {
      name: 'Nadia',
      email: 'mixed.case@acme.test',
      role: ['member'],
      is_owner: false,
      employee_id: null,
      exclude_from_lead_auto_assign: false,
      receive_website_leads: false,
      receive_all_users_daily_summary: false,
      lead_commission_rate: null,
      email_verified_at: null,
      suspended_at: null,
      external_id: null,
      deleted_at: null,
    })
    assert.deepEqual((await acme.owner.get(`/users/${id}`)).body.data, person)
    const list = await acme.owner.get('/users', { query: { search: 'mixed.case' } })
    assert.deepEqual(list.body.data, [person])
  })

  it('get the everyday role where none is sent, also once it was renamed', async () => {
    const { owner } = await world.workspace()
    const { data } = (await owner.get('/roles')).body
    const { id } = data.find(({ name }: { name: string }) => name === 'member')
    assert.equal((await owner.put(`/roles/${id}`, { name: 'Staff' })).status, 200)
    const added = async (more: object = {}) =>
      (await owner.post('/users', { name: 'Nadia', email: newEmail(), ...more })).body.data
    assert.deepEqual((await added()).role, ['Staff'])
    assert.deepEqual((await added({ role: [] })).role, [])
    assert.equal((await owner.post('/roles', { name: 'member' })).status, 201)
    assert.deepEqual((await added()).role, ['member'])
  })

  it('take their additions on create and on update (USR-08)', async () => {
    const additions = {
      exclude_from_lead_auto_assign: true,
      receive_website_leads: true,
      receive_all_users_daily_summary: true,
      lead_commission_rate: 12.5,
    }
    const { id, ...created } = await add(additions)
    for (const [field, value] of Object.entries(additions)) assert.equal(created[field], value, field)
    for (const [field, value] of [
      ['lead_commission_rate', 0],
      ['lead_commission_rate', 100],
      ['lead_commission_rate', 0.0001],
      ['lead_commission_rate', null],
      ['exclude_from_lead_auto_assign', false],
      ['receive_website_leads', false],
      ['receive_all_users_daily_summary', false],
      ['name', 'Renamed'],
    ] as const) {
      const before = (await acme.owner.get(`/users/${id}`)).body.data
      const { status, body } = await acme.owner.put(`/users/${id}`, { [field]: value })
      assert.equal(status, 200)
      assert.deepEqual({ ...body.data, updated_at: '' }, { ...before, [field]: value, updated_at: '' }, field)
    }
  })

  it('are listed by page, name, state and search', async () => {
    const { owner } = await world.workspace({ modules: [], name: 'Listing' })
    for (const name of ['Ärla', 'Bo 100%', 'Cy']) await add({ name }, owner)
    const names = async (query: Record<string, string | number>) =>
      (await owner.get('/users', { query })).body.data.map((user: { name: string }) => user.name)
    assert.deepEqual(await names({}), ['Cy', 'Bo 100%', 'Ärla', 'Olive Owner'])
    assert.deepEqual(await names({ sort: 'name', direction: 'desc', per_page: 2, page: 1 }), ['Ärla', 'Olive Owner'])
    assert.deepEqual(await names({ search: 'ÄR' }), ['Ärla'])
    assert.deepEqual(await names({ search: '%' }), ['Bo 100%'])
    const [cy] = (await owner.get('/users', { query: { search: 'cy' } })).body.data
    await owner.post(`/users/${cy.id}/suspend`)
    assert.deepEqual(await names({ suspended: 'true' }), ['Cy'])
    assert.equal((await names({ suspended: '0' })).length, 3)
    await owner.del(`/users/${cy.id}`)
    assert.deepEqual(await names({ trashed: 'only' }), ['Cy'])
    const { meta } = (await owner.get('/users', { query: { per_page: 2 } })).body
    assert.partialDeepStrictEqual(meta, { total: 3, last_page: 2, current_page: 1, prev_page_url: null })
  })

  it('are saved only over the revision that was read', async () => {
    const { id } = await add()
    const { headers } = await acme.owner.get(`/users/${id}`)
    const stale = { headers: { 'if-match': String(headers.etag) } }
    assert.equal((await acme.owner.put(`/users/${id}`, { role: ['admin'] }, stale)).status, 200)
    assert.equal((await acme.owner.put(`/users/${id}`, { name: 'Late' }, stale)).status, 412, 'the roles were changed meanwhile')
  })
})

describe('an address', () => {
  it('names one live user of a workspace, whatever its case', async () => {
    const first = await add()
    const second = await add()
    for (const email of [first.email, first.email.toUpperCase(), ` ${first.email}`, acme.owner.email]) {
      refused(await acme.owner.post('/users', { name: 'Twin', email }), 'email')
      refused(await acme.owner.put(`/users/${second.id}`, { name: 'Twin', email }), 'email')
    }
    assert.equal((await acme.owner.get(`/users/${second.id}`)).body.data.name, 'Nadia New', 'nothing was saved')
    assert.equal((await acme.owner.put(`/users/${first.id}`, { email: first.email.toUpperCase() })).status, 200)
    await add({ email: first.email }, other.owner)
  })

  it('is free once its user is deleted, and keeps them from coming back once it is taken', async () => {
    const gone = await add()
    assert.equal((await acme.owner.post(`/users/${gone.id}/restore`)).status, 400)
    assert.equal((await acme.owner.del(`/users/${gone.id}`)).status, 200)
    const next = await add({ email: gone.email })
    refused(await acme.owner.post(`/users/${gone.id}/restore`), 'email')
    await acme.owner.del(`/users/${next.id}`)
    const { status, body } = await acme.owner.post(`/users/${gone.id}/restore`)
    assert.equal(status, 200)
    assert.deepEqual([body.data.id, body.data.deleted_at, body.data.role], [gone.id, null, ['member']])
    refused(await acme.owner.post(`/users/${next.id}/restore`), 'email')
  })

  it('goes to one of several who take it at once', async () => {
    const [email, coming, changing] = [newEmail(), await add(), await add()]
    const gone = await add({ email })
    await acme.owner.del(`/users/${gone.id}`)
    const replies = await Promise.all([
      acme.owner.post('/users', { name: 'Left', email }),
      acme.owner.post('/users', { name: 'Right', email: email.toUpperCase() }),
      acme.owner.put(`/users/${coming.id}`, { email }),
      acme.owner.put(`/users/${changing.id}`, { email }),
      acme.owner.post(`/users/${gone.id}/restore`),
    ])
    const won = replies.filter(({ status }) => status < 300)
    assert.equal(won.length, 1, replies.map(({ status }) => status).join())
    for (const reply of replies) if (!won.includes(reply)) refused(reply, 'email')
    assert.equal((await acme.owner.get('/users', { query: { search: email } })).body.meta.total, 1)
  })

  it('is proven anew when it is changed', async () => {
    const user = await add({ password: PASSWORD })
    await acme.owner.post(`/users/${user.id}/verify-email`)
    const oldLink = await mailedToken(user.email)
    const same = await acme.owner.put(`/users/${user.id}`, { email: user.email, name: 'Same' })
    assert.notEqual(same.body.data.email_verified_at, null)
    const email = newEmail()
    assert.equal((await acme.owner.put(`/users/${user.id}`, { email })).body.data.email_verified_at, null)
    refused(await world.anonymous.post('/auth/verify-email', { token: oldLink }), 'token')
    assert.equal((await world.anonymous.post('/auth/verify-email', { token: await mailedToken(email) })).status, 200)
    assert.notEqual((await acme.owner.get(`/users/${user.id}`)).body.data.email_verified_at, null)
  })

  it('is vouched for by whom may change users', async () => {
    const { id } = await add()
    const { status, body } = await acme.owner.post(`/users/${id}/verify-email`)
    assert.equal(status, 200)
    assert.notEqual(body.data.email_verified_at, null)
    assert.equal((await acme.owner.post(`/users/${id}/verify-email`)).body.data.email_verified_at, body.data.email_verified_at)
  })
})

describe('a new user', () => {
  it('with a password gets a mail that verifies the address', async () => {
    const { email } = await add({ password: PASSWORD })
    const [mail, ...more] = await mailsTo(email)
    assert.deepEqual([mail!.notification_type, Number(mail!.tenant_id), more.length], ['auth.verify_email', acme.id, 0])
    const { status, body } = await world.anonymous.post('/auth/login', { email, password: PASSWORD, workspace: acme.slug })
    assert.equal(status, 200)
    const me = world.tenant(body.data.token)
    assert.equal((await me.get('/dashboard')).body.code, 'EMAIL_NOT_VERIFIED')
    assert.equal((await world.anonymous.post('/auth/verify-email', { token: await mailedToken(email) })).status, 200)
    assert.equal((await me.get('/dashboard')).status, 200)
  })

  it('without one gets an invitation, which signs them in once', async () => {
    const { id, email } = await add()
    const [mail, ...more] = await mailsTo(email)
    assert.deepEqual([mail!.notification_type, more.length], ['auth.invitation', 0])
    const token = await mailedToken(email)
    assert.equal((await world.anonymous.post('/auth/login', { email, password: PASSWORD })).status, 401)
    refused(await world.anonymous.post('/auth/accept-invite', {}), 'token', 'password', 'password_confirmation')
    refused(await accept('nonsense'), 'token')
    refused(await accept(token, 'short'), 'password')
    refused(await world.anonymous.post('/auth/verify-email', { token }), 'token')

    const { status, body } = await accept(token)
    assert.equal(status, 200)
    assert.equal(body.data.token_type, 'Bearer')
    assert.deepEqual([body.data.user.id, body.data.workspace.id, body.data.user.role], [id, acme.id, ['member']])
    assert.equal((await world.tenant(body.data.token).get('/dashboard')).status, 200, 'the link proved the address')
    refused(await accept(token), 'token')
    assert.equal((await world.anonymous.post('/auth/login', { email, password: PASSWORD })).status, 200)
  })

  it('may accept for a week, unless suspended, deleted or invited elsewhere meanwhile', async () => {
    const suspended = await add()
    await acme.owner.post(`/users/${suspended.id}/suspend`)
    const answer = await accept(await mailedToken(suspended.email))
    assert.deepEqual([answer.status, answer.body.code], [403, 'USER_SUSPENDED'])
    await acme.owner.post(`/users/${suspended.id}/unsuspend`)
    assert.equal((await accept(await mailedToken(suspended.email))).status, 200)

    const deleted = await add()
    await acme.owner.del(`/users/${deleted.id}`)
    refused(await accept(await mailedToken(deleted.email)), 'token')

    const misspelt = await add()
    const email = newEmail()
    await acme.owner.put(`/users/${misspelt.id}`, { email })
    refused(await accept(await mailedToken(misspelt.email)), 'token')
    assert.equal((await accept(await mailedToken(email))).body.data.user.id, misspelt.id)

    const late = await add()
    const token = await mailedToken(late.email)
    await world.sql(`UPDATE one_time_tokens SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [late.id])
    refused(await accept(token), 'token')
  })

  it('keeps to the platform’s rules of passwords', async () => {
    await world.sql(`INSERT INTO platform_settings (key, value, updated_at) VALUES ('password_min_length', '12', now())`)
    const short = await acme.owner.post('/users', { name: 'Nadia', email: newEmail(), password: 'elevenchars' })
    const long = await acme.owner.post('/users', { name: 'Nadia', email: newEmail(), password: 'twelve chars' })
    await world.sql('DELETE FROM platform_settings')
    refused(short, 'password')
    assert.equal(long.status, 201)
  })
})

describe('a user’s roles', () => {
  it('must exist, and superadmin is the owner’s alone', async () => {
    const { id } = await add()
    for (const role of [['nonsense'], ['member', 'Admin'], [''], ['superadmin'], ['member', 'superadmin']]) {
      refused(await acme.owner.post('/users', { name: 'Nadia', email: newEmail(), role }), 'role')
      refused(await acme.owner.put(`/users/${id}`, { role }), 'role')
    }
    const theirs = await other.owner.post('/roles', { name: 'theirs only' })
    refused(await acme.owner.put(`/users/${id}`, { role: [theirs.body.data.name] }), 'role')
    assert.deepEqual((await acme.owner.get(`/users/${id}`)).body.data.role, ['member'])
  })

  it('are replaced as a whole, and decide at once', async () => {
    const role = (await acme.owner.post('/roles', { name: 'viewer of roles', permissions: ['roles.view'] })).body.data.name
    const user = await add({ role: ['member', role, 'member'] })
    assert.deepEqual(user.role, ['member', role])
    const me = world.tenant((await accept(await mailedToken(user.email))).body.data.token)
    assert.equal((await me.get('/roles')).status, 200)
    assert.deepEqual((await acme.owner.put(`/users/${user.id}`, { role: [] })).body.data.role, [])
    assert.equal((await me.get('/roles')).status, 403)
    assert.deepEqual((await acme.owner.put(`/users/${user.id}`, { role: [role] })).body.data.role, [role])
    assert.deepEqual((await me.get('/me')).body.data.permissions, ['roles.view'])
    assert.deepEqual((await add({ role: [] })).role, [])
  })

  it('are given by nobody who may do less', async () => {
    const clerk = await acme.user(['users.create', 'users.update', 'roles.view'])
    await acme.owner.post('/roles', { name: 'as much', permissions: ['roles.view', 'users.update'] })
    await acme.owner.post('/roles', { name: 'more', permissions: ['roles.view', 'users.delete'] })
    refused(await clerk.post('/users', { name: 'Nadia', email: newEmail(), role: ['as much', 'more'] }), 'role')
    const { id } = await add({ role: ['as much'] }, clerk)
    refused(await clerk.put(`/users/${id}`, { role: ['more'] }), 'role')
    refused(await clerk.put(`/users/${clerk.id}`, { role: ['admin'] }), 'role')
    assert.deepEqual((await acme.owner.get(`/users/${id}`)).body.data.role, ['as much'])

    const admin = await add({ role: ['admin'] })
    for (const body of [{ name: 'Renamed' }, { role: [] }, { role: ['as much'] }, { email: newEmail() }])
      refused(await clerk.put(`/users/${admin.id}`, body), 'user')
    assert.deepEqual((await acme.owner.get(`/users/${admin.id}`)).body.data.role, ['admin'])
  })

  it('are not deleted while they are given', async () => {
    for (let round = 1; round <= 5; round++) {
      const role = (await acme.owner.post('/roles', { name: `racing ${round}` })).body.data
      const [given, deleted] = await Promise.all([
        acme.owner.post('/users', { name: 'Nadia', email: newEmail(), role: [role.name] }),
        acme.owner.del(`/roles/${role.id}`),
      ])
      if (given.status === 201) refused(deleted, 'role')
      else {
        refused(given, 'role')
        assert.equal(deleted.status, 200)
      }
    }
  })
})

describe('the owner', () => {
  it('is not suspended, deleted, given other roles, or changed by others', async () => {
    const { id } = acme.owner
    const admin = await acme.user(everyPermission)
    for (const by of [acme.owner, admin]) {
      refused(await by.post(`/users/${id}/suspend`), 'user')
      refused(await by.del(`/users/${id}`), 'user')
    }
    refused(await admin.put(`/users/${id}`, { email: newEmail() }), 'user')
    for (const role of [['admin'], [], ['superadmin', 'admin']]) {
      refused(await acme.owner.put(`/users/${id}`, { role }), 'role')
      refused(await admin.put(`/users/${id}`, { role }), 'user')
    }
    const own = (await acme.owner.get(`/users/${id}`)).body.data
    assert.deepEqual(
      { is_owner: own.is_owner, role: own.role, suspended_at: own.suspended_at, deleted_at: own.deleted_at },
      { is_owner: true, role: ['superadmin'], suspended_at: null, deleted_at: null },
    )
    const sentBack = await acme.owner.put(`/users/${id}`, { ...own, name: 'Olivia Owner', employee_id: undefined })
    assert.deepEqual([sentBack.status, sentBack.body.data.name], [200, 'Olivia Owner'])
  })
})

describe('suspending and deleting', () => {
  it('are not done to oneself', async () => {
    const admin = await acme.user(['users.suspend', 'users.delete'])
    refused(await admin.post(`/users/${admin.id}/suspend`), 'user')
    refused(await admin.del(`/users/${admin.id}`), 'user')
    assert.equal((await admin.get('/me')).status, 200)
  })

  it('a suspension holds until it is lifted', async () => {
    const person = await acme.user([])
    const first = await acme.owner.post(`/users/${person.id}/suspend`)
    assert.notEqual(first.body.data.suspended_at, null)
    const again = await acme.owner.post(`/users/${person.id}/suspend`)
    assert.deepEqual([again.status, again.body.data.suspended_at], [200, first.body.data.suspended_at])
    assert.equal((await person.get('/me')).body.code, 'USER_SUSPENDED')
    assert.equal((await acme.owner.post(`/users/${person.id}/unsuspend`)).body.data.suspended_at, null)
    assert.equal((await acme.owner.post(`/users/${person.id}/unsuspend`)).status, 200)
    assert.equal((await person.get('/me')).status, 200)
  })

  it('a deletion ends every session, and coming back opens none', async () => {
    const person = await acme.user([])
    await acme.owner.del(`/users/${person.id}`)
    assert.equal((await person.get('/me')).status, 401)
    await acme.owner.post(`/users/${person.id}/restore`)
    assert.equal((await person.get('/me')).status, 401)
  })
})

describe('lead assignees', () => {
  it('leave out the owner and whoever is suspended, deleted or excluded (USR-02)', async () => {
    const { owner, ...leads } = await world.workspace({ modules: [], name: 'Leads' })
    const [eligible, excluded, suspended, deleted] = [
      await add({ name: 'B eligible' }, owner),
      await add({ exclude_from_lead_auto_assign: true }, owner),
      await add({}, owner),
      await add({}, owner),
    ]
    const viewer = await leads.user(['users.view'], 'A viewer')
    await owner.post(`/users/${suspended.id}/suspend`)
    await owner.del(`/users/${deleted.id}`)
    const list = async () => (await viewer.get('/users/lead-assignees')).body.data
    assert.deepEqual(await list(), [
      { id: viewer.id, name: 'A viewer', email: viewer.email },
      { id: eligible.id, name: 'B eligible', email: eligible.email },
    ])
    await owner.put(`/users/${excluded.id}`, { exclude_from_lead_auto_assign: false })
    await owner.post(`/users/${suspended.id}/unsuspend`)
    assert.deepEqual(
      (await list()).map(({ id }: { id: number }) => id).sort(),
      [viewer.id, eligible.id, excluded.id, suspended.id].sort(),
    )
  })
})
