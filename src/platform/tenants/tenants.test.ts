import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { mailedToken, type Operator, operator } from '#test/operator.ts'

const world = await startTest()
const { admin } = world
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
let nth = 0
const some = (more: object = {}) => ({ company_name: `Company ${++nth}`, email: `office@company${nth}.test`, ...more })
const create = async (more: object = {}) => (await admin.post('/tenants', some(more))).body.data
const wrongFields = (reply: { status: number; body: { errors?: object } }) => [
  reply.status,
  Object.keys(reply.body.errors ?? {}).sort(),
]

/** Builds a multipart body: texts as fields, buffers as files. */
function form(fields: Record<string, string | Buffer>, fileName = 'logo.png') {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), fileName)
  return data
}

describe('workspaces on the platform: the list', () => {
  it('pages with links that work', async () => {
    for (let n = 0; n < 5; n++) await create({ company_name: `Paged ${n}` })
    const query = { search: 'paged', sort: 'company_name', per_page: 2 }
    const seen: string[] = []
    let reply = await admin.get('/tenants', { query })
    const { next_page_url, ...meta } = reply.body.meta
    assert.deepEqual(meta, { current_page: 1, last_page: 3, per_page: 2, total: 5, prev_page_url: null })
    for (let url: string | null = next_page_url; ; url = reply.body.meta.next_page_url) {
      seen.push(...reply.body.data.map((tenant: { company_name: string }) => tenant.company_name))
      if (!url) break
      assert.ok(url.startsWith('http://atrium.test/api/central/v1/tenants?'), url)
      reply = await admin.get(url.slice('http://atrium.test/api/central/v1'.length))
    }
    assert.deepEqual(seen, ['Paged 0', 'Paged 1', 'Paged 2', 'Paged 3', 'Paged 4'])
    assert.equal(new URL(reply.body.meta.prev_page_url).searchParams.get('page'), '2')
    assert.equal(new URL(reply.body.meta.prev_page_url).searchParams.get('search'), 'paged')
  })

  it('searches, sorts, filters by status and shows the trash', async () => {
    const names = async (query: Record<string, string>) =>
      (await admin.get('/tenants', { query })).body.data.map((tenant: { company_name: string }) => tenant.company_name)
    await create({ company_name: 'Zebra listed', slug: 'striped', email: 'z@animals.test' })
    await create({ company_name: 'Ant listed', workspace_name: 'Anthill', status: 'suspended' })
    const gone = await create({ company_name: 'Mammoth listed' })
    await world.sql('UPDATE tenants SET deleted_at = now() WHERE id = $1', [gone.id])

    assert.deepEqual(await names({ search: 'LISTED' }), ['Ant listed', 'Zebra listed'], 'the newest first')
    assert.deepEqual(await names({ search: 'listed', sort: 'created_at' }), ['Zebra listed', 'Ant listed'])
    assert.deepEqual(await names({ search: 'listed', sort: 'company_name', direction: 'desc' }), ['Zebra listed', 'Ant listed'])
    for (const term of ['striped', 'z@animals']) assert.deepEqual(await names({ search: term }), ['Zebra listed'], term)
    assert.deepEqual(await names({ search: 'anthill' }), ['Ant listed'])
    assert.deepEqual(await names({ search: 'li%ed' }), [])
    assert.deepEqual(await names({ search: 'listed', status: 'suspended' }), ['Ant listed'])
    for (const trashed of ['only', 'true']) assert.deepEqual(await names({ search: 'listed', trashed }), ['Mammoth listed'])
    assert.equal((await names({ search: 'listed', trashed: 'with' })).length, 3)
    assert.equal((await admin.get(`/tenants/${gone.id}`)).status, 404)
    assert.equal((await admin.patch(`/tenants/${gone.id}`, { notes: 'x' })).status, 404)

    for (const [name, value] of [
      ['sort', 'owner'],
      ['sort', 'password_hash'],
      ['direction', 'up'],
      ['status', 'archived'],
      ['trashed', 'no'],
    ] as const)
      assert.deepEqual(wrongFields(await admin.get('/tenants', { query: { [name]: value } })), [422, [name]], value)
  })
})

describe('workspaces on the platform: making one', () => {
  it('needs a company and an address, and derives the rest', async () => {
    assert.deepEqual(wrongFields(await admin.post('/tenants', {})), [422, ['company_name', 'email']])
    const { status, body } = await admin.post('/tenants', { company_name: 'Müller & Söhne GmbH', email: 'Chef@Mueller.test' })
    assert.equal(status, 201)
    const { id, uuid, owner, created_at, updated_at, ...rest } = body.data
    assert.deepEqual(
      { ...rest, installed_modules: 0 },
      {
        company_name: 'Müller & Söhne GmbH',
        workspace_name: 'Müller & Söhne GmbH',
        slug: 'muller-sohne-gmbh',
        domain: 'muller-sohne-gmbh.atrium.test',
        email: 'chef@mueller.test',
        phone: null,
        logo_path: null,
        logo_url: null,
        notes: null,
        status: 'active',
        timezone: 'UTC',
        currency: 'USD',
        country: null,
        locale: 'en',
        storage_allowance_bytes: 10 * 1024 ** 3,
        storage_used_bytes: 0,
        archived_at: null,
        deleted_at: null,
        installed_modules: 0,
      },
    )
    assert.ok(id && uuid && created_at && updated_at)
    assert.partialDeepStrictEqual(owner, { name: 'Müller & Söhne GmbH', email: 'chef@mueller.test', email_verified_at: null })
  })

  it('names each wrong field', async () => {
    const wrong = {
      company_name: '',
      email: 'nobody',
      slug: '-Bad_Slug',
      phone: 7,
      status: 'archived',
      timezone: 'Mars/Olympus',
      currency: 'XXZ',
      country: 'germany',
      locale: 'en-US-US',
      storage_allowance_bytes: -1,
      owner_name: '',
      owner_email: 'nobody',
      owner_password: 'short',
    }
    assert.deepEqual(wrongFields(await admin.post('/tenants', wrong)), [422, Object.keys(wrong).sort()])
  })

  it('counts a derived slug up, and refuses a chosen one that is taken or reserved', async () => {
    const slugs = []
    for (let n = 0; n < 3; n++) slugs.push((await create({ company_name: 'Twin City' })).slug)
    assert.deepEqual(slugs, ['twin-city', 'twin-city-2', 'twin-city-3'])
    assert.equal((await create({ company_name: 'Twin' })).slug, 'twin', 'a slug that begins like others')
    for (const slug of ['twin-city-hall', 'twin-city-5', 'twin-city-04']) await create({ slug })
    for (const slug of ['twin-city-4', 'twin-city-6']) assert.equal((await create({ company_name: 'Twin City' })).slug, slug)
    assert.equal((await create({ company_name: 'API' })).slug, 'api-2', 'reserved')
    assert.match((await create({ company_name: '株式会社' })).slug, /^workspace(-\d+)?$/)
    assert.equal((await create({ company_name: 'a'.repeat(200) })).slug.length, 50)
    for (const slug of ['twin-city', 'api', 'www'])
      assert.deepEqual(wrongFields(await admin.post('/tenants', some({ slug }))), [422, ['slug']], slug)
  })

  it('gives many of one name at once a slug each', async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, () => admin.post('/tenants', some({ company_name: 'Crowd' }))))
    assert.deepEqual(
      replies.map((reply) => reply.status),
      Array(6).fill(201),
    )
    assert.equal(new Set(replies.map((reply) => reply.body.data.slug)).size, 6)
    const chosen = await Promise.all([1, 2].map(() => admin.post('/tenants', some({ slug: 'wanted-by-two' }))))
    assert.deepEqual(chosen.map((reply) => reply.status).sort(), [201, 422])
  })

  it('invites an owner without a password, who then signs in', async () => {
    const { slug, owner } = await create({ owner_name: 'Ida', owner_email: 'Ida@Invited.test' })
    assert.partialDeepStrictEqual(owner, { name: 'Ida', email: 'ida@invited.test' })
    const token = await mailedToken(world, 'auth.invitation', owner.email)
    const password = 'chosen by Ida herself'
    const accept = () => world.anonymous.post('/auth/accept-invite', { token, password, password_confirmation: password })
    assert.equal((await world.anonymous.post('/auth/login', { email: owner.email, password })).status, 401)
    assert.equal((await accept()).status, 200)
    assert.equal((await accept()).status, 422, 'used')
    const { status, body } = await world.anonymous.post('/auth/login', { email: owner.email, password })
    assert.equal(status, 200)
    assert.deepEqual([body.data.workspace.slug, body.data.user.is_owner, body.data.user.role], [slug, true, ['superadmin']])
    assert.equal((await world.tenant(body.data.token).get('/users')).status, 200, 'the invitation proves the address')
  })

  it('mails an owner with a password a link to verify the address; the platform can vouch for it instead (CEN-26)', async () => {
    const { id, slug, owner } = await create({ owner_email: 'vera@owner.test', owner_password: 'a password for Vera' })
    assert.equal(await mailedToken(world, 'auth.invitation', owner.email), '')
    assert.notEqual(await mailedToken(world, 'auth.verify_email', owner.email), '')
    const credentials = { email: owner.email, password: 'a password for Vera', workspace: slug }
    const { token } = (await world.anonymous.post('/auth/login', credentials)).body.data
    const vera = world.tenant(token)
    assert.equal((await vera.get('/users')).body.code, 'EMAIL_NOT_VERIFIED')
    const verified = await admin.post(`/tenants/${id}/verify-owner`)
    assert.equal(verified.status, 200)
    const since = verified.body.data.owner.email_verified_at
    assert.match(since, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal((await vera.get('/users')).status, 200)
    assert.equal((await admin.post(`/tenants/${id}/verify-owner`)).body.data.owner.email_verified_at, since, 'verified once')
    assert.equal((await admin.post('/tenants/999999/verify-owner')).status, 404)
  })

  it('names owner_password when it breaks the platform’s rules, and makes nothing', async () => {
    await world.sql(`INSERT INTO platform_settings (key, value, updated_at) VALUES ('password_min_length', '20', now())`)
    try {
      const reply = await admin.post('/tenants', some({ company_name: 'Never made', owner_password: 'eighteen letters..' }))
      assert.deepEqual(wrongFields(reply), [422, ['owner_password']])
      assert.equal((await admin.get('/tenants', { query: { search: 'never made' } })).body.meta.total, 0)
    } finally {
      await world.sql('DELETE FROM platform_settings')
    }
  })

  it('provisions the default modules (CEN-22)', async () => {
    await world.sql(`UPDATE modules SET is_default_included = true WHERE key = 'vendors'`)
    try {
      const { id, installed_modules } = await create()
      const vendors = installed_modules.find((one: { key: string }) => one.key === 'vendors')
      assert.deepEqual(Object.keys(vendors).sort(), [
        'id',
        'installed_at',
        'key',
        'module_id',
        'name',
        'source',
        'status',
        'version',
      ])
      assert.partialDeepStrictEqual(vendors, { source: 'included', status: 'active' })
      const read = await admin.get(`/tenants/${id}`)
      assert.deepEqual(read.body.data.installed_modules, installed_modules)
      assert.equal(read.body.meta, null)
    } finally {
      await world.sql(`UPDATE modules SET is_default_included = false WHERE key = 'vendors'`)
    }
    assert.ok((await create()).installed_modules.every((one: { key: string }) => one.key !== 'vendors'))
  })

  it('takes multipart with a logo, whose link serves it; a client’s domain is ignored (CEN-21)', async () => {
    const fields = {
      ...some({ company_name: 'Pictured' }),
      domain: 'evil.example',
      country: '',
      storage_allowance_bytes: '1048576',
    }
    const { status, body } = await admin.post('/tenants', form({ ...fields, logo: PNG }))
    assert.equal(status, 201)
    const { id, domain, slug, country, storage_allowance_bytes, logo_path, logo_url } = body.data
    assert.deepEqual([domain, country, storage_allowance_bytes], [`${slug}.atrium.test`, null, 1048576])
    assert.ok(logo_path.endsWith('.png'))
    const link = logo_url.slice('http://atrium.test'.length)
    const file = await world.root.get(link)
    assert.deepEqual([file.status, file.headers['content-type'], file.raw.equals(PNG)], [200, 'image/png', true])
    for (const forged of [link.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')), link.split('?')[0], `${link}&s=x`])
      assert.equal((await world.root.get(forged)).status, 404, forged)

    const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(64)])
    const changed = await admin.put(`/tenants/${id}`, form({ logo: jpeg }))
    assert.equal(changed.status, 200)
    assert.ok(changed.body.data.logo_path.endsWith('.jpg'), 'what it is, not what it is called')
    assert.equal(changed.body.data.company_name, 'Pictured')
    assert.equal((await world.root.get(link)).status, 404, 'the former logo is gone')
  })

  it('refuses a logo that is no picture or too large, and makes nothing', async () => {
    const large = Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)])
    for (const logo of [
      Buffer.from('not a picture'),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      Buffer.alloc(0),
      large,
    ])
      assert.deepEqual(wrongFields(await admin.post('/tenants', form({ ...some({ company_name: 'Unpictured' }), logo }))), [
        422,
        ['logo'],
      ])
    assert.equal((await admin.get('/tenants', { query: { search: 'unpictured' } })).body.meta.total, 0)
    assert.equal((await world.sql(`SELECT 1 FROM email_logs WHERE subject LIKE '%Unpictured%'`)).length, 0)
  })
})

describe('workspaces on the platform: changing one', () => {
  it('changes what was sent, by PUT and by PATCH', async () => {
    const before = await create({ notes: 'first', phone: '1', timezone: 'Europe/Paris' })
    const { updated_at: _, ...same } = before
    for (const { call, change } of [
      { call: admin.put, change: { notes: null } },
      { call: admin.patch, change: { company_name: 'Renamed', currency: 'EUR', country: 'FR', locale: 'fr' } },
      { call: admin.put, change: { slug: 'renamed-slug', domain: 'evil.example', id: 1, archived_at: '2020-01-01T00:00:00Z' } },
    ] as const) {
      const { status, body } = await call(`/tenants/${before.id}`, change)
      assert.equal(status, 200)
      const { domain, id, archived_at, ...own } = change as Record<string, unknown>
      Object.assign(same, own, own.slug ? { domain: `${own.slug}.atrium.test` } : {})
      const { updated_at: __, ...after } = body.data
      assert.deepEqual(after, same)
    }
    for (const [field, value] of [
      ['slug', 'api'],
      ['slug', 'Upper'],
      ['email', null],
      ['company_name', null],
      ['timezone', 'Nowhere'],
      ['status', 'archived'],
    ] as const)
      assert.deepEqual(
        wrongFields(await admin.patch(`/tenants/${before.id}`, { [field]: value })),
        [422, [field]],
        `${field} ${value}`,
      )
    const { slug } = await create()
    assert.deepEqual(wrongFields(await admin.patch(`/tenants/${before.id}`, { slug })), [422, ['slug']])
    assert.equal((await admin.patch(`/tenants/${before.id}`, { slug: 'renamed-slug' })).status, 200, 'its own')
    assert.equal((await admin.patch('/tenants/999999', {})).status, 404)
  })

  it('gives a slug to one of two who take it at once', async () => {
    const both = [await create(), await create()]
    const replies = await Promise.all(both.map(({ id }) => admin.patch(`/tenants/${id}`, { slug: 'contested' })))
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 422])
  })

  it('refuses a change of a state that is no longer there', async () => {
    const { id } = await create()
    const etag = String((await admin.get(`/tenants/${id}`)).headers.etag)
    const change = (notes: string) => admin.patch(`/tenants/${id}`, { notes }, { headers: { 'if-match': etag } })
    assert.equal((await change('mine')).status, 200)
    const stale = await change('yours')
    assert.deepEqual([stale.status, stale.body.code], [412, 'PRECONDITION_FAILED'])
    assert.equal((await admin.get(`/tenants/${id}`)).body.data.notes, 'mine')
  })

  it('closes a suspended workspace, and opens it again', async () => {
    const workspace = await world.workspace({ modules: [] })
    const status = (value: string) => admin.patch(`/tenants/${workspace.id}`, { status: value })
    assert.equal((await status('suspended')).body.data.status, 'suspended')
    assert.equal((await workspace.owner.get('/users')).body.code, 'WORKSPACE_SUSPENDED')
    assert.equal((await workspace.owner.get('/me')).status, 403)
    await status('active')
    assert.equal((await workspace.owner.get('/users')).status, 200)
  })
})

describe('modules of a workspace', () => {
  let workspace: Workspace
  const moduleId = async (key: string) => Number((await world.sql('SELECT id FROM modules WHERE key = $1', [key]))[0].id)
  /** Adds a catalogue entry without code, which suffices for an installation. */
  const catalogue = async (key: string, more: { requires?: string[]; availability?: string; status?: string } = {}) => {
    await world.sql(
      `INSERT INTO modules (key, name, version, availability, status, requires, created_at, updated_at)
       VALUES ($1, $1, '1.0.0', $2, $3, $4, now(), now())`,
      [key, more.availability ?? 'available', more.status ?? 'published', more.requires ?? []],
    )
    return moduleId(key)
  }
  const install = (module_id: unknown, more: object = {}) =>
    admin.post(`/tenants/${workspace.id}/modules`, { module_id, ...more })
  before(async () => {
    workspace = await world.workspace({ modules: [] })
  })

  it('are installed one by one, what they require first (CEN-29, GEN-06)', async () => {
    const gadgets = await catalogue('gadgets', { requires: ['vendors'] })
    const blocked = await install(gadgets)
    assert.deepEqual(wrongFields(blocked), [422, ['module_id']])
    assert.match(blocked.body.message, /vendors/)
    assert.equal((await workspace.owner.get('/vendors')).body.code, 'MODULE_NOT_INSTALLED')

    const { status, body } = await install(await moduleId('vendors'), { billing_cycle: 'yearly' })
    assert.equal(status, 201)
    const { id, module_id, created_at, updated_at, ...rest } = body.data
    const expected = {
      tenant_id: workspace.id,
      module_key: 'vendors',
      source: 'purchased',
      status: 'active',
      billing_cycle: 'yearly',
    }
    assert.deepEqual(rest, expected)
    assert.equal((await workspace.owner.get('/vendors')).status, 200)
    const second = await install(gadgets)
    assert.deepEqual([second.status, second.body.data.billing_cycle], [201, 'monthly'])
  })

  it('are refused when unknown, planned, retired, unpublished, or there already', async () => {
    for (const { id, why } of [
      { id: await moduleId('vendors'), why: 'there already' },
      { id: await moduleId('accounting'), why: 'planned' },
      { id: await catalogue('retired-one', { status: 'retired' }), why: 'retired' },
      { id: await catalogue('draft-one', { status: 'draft' }), why: 'draft' },
      { id: await catalogue('half-done', { availability: 'in-progress' }), why: 'in progress' },
      { id: 999_999, why: 'unknown' },
      { id: 'vendors', why: 'no id' },
      { id: undefined, why: 'missing' },
      { id: 1.5, why: 'no whole number' },
    ] as const)
      assert.deepEqual(wrongFields(await install(id)), [422, ['module_id']], why)
    assert.deepEqual(wrongFields(await install(await catalogue('fine'), { billing_cycle: 'weekly' })), [422, ['billing_cycle']])
    assert.equal((await admin.post('/tenants/999999/modules', { module_id: 1 })).status, 404)
  })

  it('are installed once, however many ask at once', async () => {
    const id = await catalogue('popular')
    const replies = await Promise.all([install(id), install(id), install(id)])
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 422, 422])
    for (const refused of replies.filter((reply) => reply.status === 422))
      assert.deepEqual(Object.keys(refused.body.errors!), ['module_id'])
  })

  it('can be installed again once a subscription has ended', async () => {
    const id = await catalogue('returning')
    await install(id)
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE module_key = 'returning'`)
    const { modules } = (await admin.get(`/tenants/${workspace.id}/entitlements`)).body.data
    assert.ok(modules.every((one: { key: string }) => one.key !== 'returning'))
    assert.equal((await install(id)).status, 201)
  })

  it('are told apart from the core in the entitlements (CEN-28)', async () => {
    const { data } = (await admin.get(`/tenants/${workspace.id}/entitlements`)).body
    assert.deepEqual(Object.keys(data).sort(), ['core', 'modules'])
    const keys = (list: { key: string }[]) => list.map((one) => one.key)
    for (const key of ['users', 'roles', 'settings', 'dashboard']) assert.ok(keys(data.core).includes(key), key)
    assert.ok(keys(data.modules).includes('vendors'))
    assert.deepEqual(data.modules, (await admin.get(`/tenants/${workspace.id}`)).body.data.installed_modules)
    assert.ok(keys(data.core).every((key) => !keys(data.modules).includes(key)))
    assert.equal((await admin.get('/tenants/999999/entitlements')).status, 404)
  })
})

describe('every route over workspaces', () => {
  it('needs its own permission', async () => {
    const { id } = await create()
    const routes: { permission: string; call: (who: Operator) => Promise<{ status: number; body: { code?: string } }> }[] = [
      { permission: 'tenants.list', call: (who) => who.get('/tenants') },
      { permission: 'tenants.create', call: (who) => who.post('/tenants', {}) },
      { permission: 'tenants.read', call: (who) => who.get(`/tenants/${id}`) },
      { permission: 'tenants.read', call: (who) => who.get(`/tenants/${id}/entitlements`) },
      { permission: 'tenants.update', call: (who) => who.put(`/tenants/${id}`, {}) },
      { permission: 'tenants.update', call: (who) => who.patch(`/tenants/${id}`, {}) },
      { permission: 'tenants.verify', call: (who) => who.post(`/tenants/${id}/verify-owner`) },
      { permission: 'module-subscriptions.create', call: (who) => who.post(`/tenants/${id}/modules`, {}) },
    ]
    const all = world.services.modules.permissions('platform').map(({ name }) => name)
    for (const { permission, call } of routes) {
      const without = await call(
        await operator(
          world,
          all.filter((name) => name !== permission),
        ),
      )
      assert.deepEqual([without.status, without.body.code], [403, 'FORBIDDEN'], permission)
      assert.ok([200, 422].includes((await call(await operator(world, [permission]))).status), permission)
      assert.equal((await call(world.central() as Operator)).status, 401, permission)
    }
  })
})
