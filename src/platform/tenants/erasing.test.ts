// Also in CI: citus-short
import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import { startTest, type Workspace } from '#test/harness.ts'
import { deletionOf, readDeletion } from './deletion-order.ts'

const world = await startTest()
const { admin } = world
let gone: Workspace
let other: Workspace

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const picture = () => new File([PNG], 'logo.png', { type: 'image/png' })
const filesOf = (id: number) =>
  globSync(`files/workspaces/${id}/**/*`, { cwd: world.services.config.DATA_DIR, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )

/** Returns the number of rows of a workspace by table; empty tables are left out. */
async function rowsOf(id: number) {
  const tables = await world.sql(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`,
  )
  const counted = tables.map(async ({ name }) => [
    name,
    Number((await world.sql(`SELECT count(*) AS n FROM ${name} WHERE tenant_id = $1`, [id]))[0].n),
  ])
  return Object.fromEntries((await Promise.all(counted)).filter(([, n]) => n)) as Record<string, number>
}

before(async () => {
  gone = await world.workspace()
  other = await world.workspace()
  for (const { id, owner } of [gone, other]) {
    if (id === gone.id) await fillDemo(world.services, id, { records: 5, seed: 1 })
    else await owner.post('/vendors', { name: 'Nordwind' })
    const { status } = await owner.post('/documents', { title: 'Terms', file: picture() })
    assert.equal(status, 201)
    await admin.post(`/tenants/${id}/impersonate`, { reason: 'To leave a trace' })
    await admin.put(`/tenants/${id}`, await formOf({ logo: picture() }))
    assert.equal((await admin.put(`/tenants/${id}`, { workspace_name: `Renamed ${id}` })).status, 200)
  }
  await world.drain()
})

async function formOf(fields: Record<string, Blob>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value, 'logo.png')
  return form
}

describe('a workspace that is deleted for good', () => {
  it('leaves no row and no file, and takes nothing of another one', async () => {
    const [before, theirs] = [await rowsOf(gone.id), await rowsOf(other.id)]
    assert.ok(Object.keys(before).length > 40, Object.keys(before).join())
    assert.ok(filesOf(gone.id).length && filesOf(other.id).length)
    const [{ logo_path }] = await world.sql('SELECT logo_path FROM tenants WHERE id = $1', [gone.id])
    const logo = join(world.services.config.DATA_DIR, 'files', logo_path)
    assert.ok(existsSync(logo))

    const subscriptions = async () =>
      (await admin.get('/module-subscriptions', { query: { tenant_id: `${gone.id}`, per_page: '1' } })).body
    const [{ id: subscription }] = (await subscriptions()).data
    await admin.del(`/tenants/${gone.id}`)
    const { status, body } = await admin.del(`/tenants/${gone.id}/force`)
    assert.deepEqual([status, body.data], [200, null])
    assert.equal((await subscriptions()).meta.total, 0, 'gone before its rows are')
    assert.equal((await admin.get(`/module-subscriptions/${subscription}`)).status, 404)
    assert.equal((await admin.post(`/module-subscriptions/${subscription}/deactivate`)).status, 404)
    await world.drain()
    assert.deepEqual(await rowsOf(gone.id), {})
    assert.deepEqual(await world.sql('SELECT id FROM tenants WHERE id = $1', [gone.id]), [])
    assert.deepEqual([filesOf(gone.id).length, existsSync(logo)], [0, false])
    const folder = (id: number) => join(world.services.config.DATA_DIR, 'files/workspaces', String(id))
    assert.deepEqual([existsSync(folder(gone.id)), existsSync(folder(other.id))], [false, true], 'no empty folder is left')
    assert.deepEqual(await rowsOf(other.id), theirs)
    const changes = 'SELECT count(*) FILTER (WHERE changed IS NOT NULL)::int AS n FROM platform_events WHERE subject_id = $1'
    const told = async ({ id }: Workspace) => (await world.sql(`${changes} AND kind = 'tenant'`, [id]))[0].n
    assert.deepEqual([await told(gone), (await told(other)) > 0], [0, true], 'nor what its values were')
    assert.equal(filesOf(other.id).length > 0, true)
    assert.equal((await other.owner.get('/vendors')).body.meta.total, 1)
  })

  it('is gone on with where a worker was stopped, and tried again where something resists', async (t) => {
    const firm = await world.workspace({ modules: ['vendors', 'storage', 'documents'] })
    await firm.owner.post('/documents', { title: 'Terms', file: picture() })
    await admin.del(`/tenants/${firm.id}`)
    await admin.del(`/tenants/${firm.id}/force`)
    const { eraseTenants } = await import('./erasing.ts')
    const attempt = (signal: AbortSignal) => eraseTenants.handle(world.services, { data: {} }, { signal, module: undefined })
    await attempt(AbortSignal.abort())
    assert.equal(filesOf(firm.id).length, 1, 'stopped before it began')
    const remove = t.mock.method(world.services.storage, 'delete', () => Promise.reject(new Error('the disk resists')))
    await assert.rejects(attempt(new AbortController().signal))
    assert.equal((await world.sql('SELECT 1 FROM users WHERE tenant_id = $1', [firm.id])).length, 1)
    remove.mock.restore()
    await Promise.all(
      [attempt(new AbortController().signal), attempt(new AbortController().signal)].map((one) => one.catch(() => {})),
    )
    await world.drain('all')
    assert.deepEqual([await rowsOf(firm.id), filesOf(firm.id).length], [{}, 0])
  })
})

describe('the order of deletion', () => {
  it('ends with users, domains and subscriptions, and puts what refers before what it refers to (CEN-25)', async () => {
    const order = await world.services.database.platform('read', readDeletion)
    const tables = order.tables.map(({ name }) => name)
    assert.deepEqual(
      order.tables.filter(({ key }) => !key.length),
      [],
      'rows without a key of their own',
    )
    assert.deepEqual(tables.slice(-4), ['users', 'branded_domains', 'branded_hosts', 'module_subscriptions'])
    for (const { first, second } of [
      { first: 'invoice_lines', second: 'invoices' },
      { first: 'invoices', second: 'contacts' },
      { first: 'platform_impersonations', second: 'users' },
      { first: 'user_roles', second: 'roles' },
    ])
      assert.ok(tables.indexOf(first!) < tables.indexOf(second!), `${first} before ${second}`)
  })

  it('follows references and breaks circles by columns that may be empty', () => {
    const to = (from: string, to: string, ...nullable: string[]) => ({ from, to, nullable })
    const order = deletionOf(
      ['users', 'a', 'b', 'c', 'branded_domains'],
      [to('b', 'a'), to('c', 'c', 'root'), to('a', 'c', 'x'), to('c', 'a', 'y'), to('a', 'users')],
    )
    assert.deepEqual(order.tables, ['b', 'a', 'c', 'users', 'branded_domains'])
    assert.deepEqual(
      order.loosened.map(({ table, columns }) => `${table}.${columns}`),
      ['c.root', 'a.x', 'c.y'],
    )
    assert.throws(() => deletionOf(['a', 'b'], [to('a', 'b'), to('b', 'a')]), /in a circle: a, b/)
  })
})
