import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startBilling } from '#test/billing-world.ts'
import { operator } from '#test/operator.ts'

const world = await startBilling('2027-03-01T10:00:00Z')
const { admin, stripe } = world
after(() => stripe.close())
let leads: number
let firm: Awaited<ReturnType<typeof world.workspace>>

const refusedOn = (field: string, { status, body }: { status: number; body: { errors?: object } }) =>
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]])
const subscriptionTo = async (key: string): Promise<any> => {
  const { body } = await admin.get('/module-subscriptions', { query: { tenant_id: firm.id } })
  return body.data.find((one: any) => one.module_key === key)
}

before(async () => {
  leads = await world.price('leads', 30, 300)
  firm = await world.workspace({ modules: ['purchase-orders'] })
  await world.install(firm.id, leads)
})

describe('subscriptions', () => {
  it('are listed by workspace, status and source (BIL-01), and shown with module, workspace and history (BIL-02)', async () => {
    const list = (query: object) => admin.get('/module-subscriptions', { query: { tenant_id: firm.id, ...query } })
    const included = await list({ source: 'included' })
    assert.deepEqual(included.body.data.map((one: any) => one.module_key).sort(), ['companies', 'contacts', 'storage'])
    assert.equal((await list({ status: 'expired' })).body.meta.total, 0)
    const { id } = await subscriptionTo('leads')
    const { body } = await admin.get(`/module-subscriptions/${id}`)
    const { module, tenant, history, price, currency, period_start, period_end } = body.data
    assert.deepEqual(
      { module: module.key, tenant: tenant.id, price, currency, period_start, period_end },
      { module: 'leads', tenant: firm.id, price: 30, currency: 'USD', period_start: '2027-03-01', period_end: '2027-04-01' },
    )
    assert.deepEqual(
      history.map(({ event, actor }: any) => [event, actor.id]),
      [['installed', admin.id]],
    )
    assert.equal((await admin.get('/module-subscriptions/999999')).status, 404)
  })

  it('are cancelled by the end of the period, or at once; purchased ones only (BIL-03)', async () => {
    const { id } = await subscriptionTo('leads')
    refusedOn('source', await admin.post(`/module-subscriptions/${(await subscriptionTo('contacts')).id}/cancel`))
    refusedOn('immediately', await admin.post(`/module-subscriptions/${id}/cancel`, { immediately: 'yes' }))
    refusedOn('status', await admin.post(`/module-subscriptions/${id}/resume`))
    const planned = await admin.post(`/module-subscriptions/${id}/cancel`)
    assert.partialDeepStrictEqual(planned.body.data, { status: 'active', cancel_at_period_end: true })
    refusedOn('status', await admin.post(`/module-subscriptions/${id}/cancel`))
    refusedOn('status', await admin.put(`/module-subscriptions/${id}`, { billing_cycle: 'yearly' }))
    await admin.post(`/module-subscriptions/${id}/resume`)
    await admin.post(`/module-subscriptions/${id}/cancel`)
    await world.runAt('2027-03-31T23:59:00Z')
    assert.equal((await firm.owner.get('/leads')).status, 200)
    await world.runAt('2027-04-01T00:00:00Z')
    assert.equal((await firm.owner.get('/leads')).body.code, 'MODULE_NOT_INSTALLED')
    const { body } = await admin.get(`/module-subscriptions/${id}`)
    assert.partialDeepStrictEqual(body.data, { status: 'cancelled', ended_at: '2027-04-01T00:00:00.000Z' })
    refusedOn('status', await admin.post(`/module-subscriptions/${id}/deactivate`))
    refusedOn('status', await admin.put(`/module-subscriptions/${id}`, { billing_cycle: 'yearly' }))
  })

  it('are deactivated at once, included ones too, but not while others need them (BIL-04); their data is kept', async () => {
    const contact = await firm.owner.post('/contacts', { name: 'Kept' })
    const { id } = await subscriptionTo('contacts')
    const clerk = await operator(world, ['module-subscriptions.deactivate'])
    assert.equal((await clerk.post(`/module-subscriptions/${id}/cancel`)).status, 403)
    refusedOn('module', await admin.post(`/module-subscriptions/${(await subscriptionTo('vendors')).id}/deactivate`))
    refusedOn(
      'module',
      await admin.post(`/module-subscriptions/${(await subscriptionTo('vendors')).id}/cancel`, { immediately: true }),
    )
    assert.equal((await clerk.post(`/module-subscriptions/${id}/deactivate`)).body.data.status, 'cancelled')
    assert.equal((await firm.owner.get('/contacts')).body.code, 'MODULE_NOT_INSTALLED')
    const [{ module_id }] = await world.sql(`SELECT id AS module_id FROM modules WHERE key = 'contacts'`)
    await world.install(firm.id, Number(module_id))
    assert.equal((await firm.owner.get(`/contacts/${contact.body.data.id}`)).body.data.name, 'Kept')
  })

  it('change their cycle only to one that the module is sold in', async () => {
    const onlyMonthly = await world.price('tasks', 10, 0)
    refusedOn(
      'billing_cycle',
      await admin.post(`/tenants/${firm.id}/modules`, { module_id: onlyMonthly, billing_cycle: 'yearly' }),
    )
    const { id } = await world.install(firm.id, onlyMonthly)
    refusedOn('billing_cycle', await admin.put(`/module-subscriptions/${id}`, { billing_cycle: 'yearly' }))
    refusedOn('billing_cycle', await admin.put(`/module-subscriptions/${id}`, { billing_cycle: 'weekly' }))
  })

  it('take one change at a time', async () => {
    const { id } = await world.install(firm.id, leads)
    const both = await Promise.all([
      admin.post(`/module-subscriptions/${id}/cancel`, { immediately: true }),
      admin.post(`/module-subscriptions/${id}/deactivate`),
      admin.put(`/module-subscriptions/${id}`, { billing_cycle: 'yearly' }),
    ])
    assert.equal(both.slice(0, 2).filter(({ status }) => status === 200).length, 1)
    const [{ credits, events }] = await world.sql(
      `SELECT (SELECT count(*)::int FROM ledger_credits WHERE subscription_id = $1) AS credits,
        (SELECT count(*)::int FROM subscription_events WHERE subscription_id = $1 AND event IN ('cancelled', 'deactivated')) AS events`,
      [id],
    )
    assert.deepEqual([credits, events], [both[2].status === 200 ? 2 : 1, 1])
  })
})

describe('the ledger', () => {
  it('is read only, and read with its own permissions (BIL-05, BIL-06)', async () => {
    const clerk = await operator(world, ['invoices.list', 'payments.list'])
    const { body } = await clerk.get(`/tenants/${firm.id}/invoices`)
    assert.ok(body.meta.total >= 1)
    const [{ id }] = body.data
    assert.equal((await clerk.get(`/invoices/${id}`)).status, 403)
    assert.equal((await clerk.get(`/tenants/${firm.id}/payments`)).status, 200)
    assert.equal((await clerk.get('/tenants/999999/invoices')).status, 404)
    for (const method of ['post', 'put', 'patch'] as const) assert.equal((await admin[method](`/invoices/${id}`)).status, 405)
    const found = await admin.get('/invoices', {
      query: { search: body.data[0].number, tenant_id: firm.id, status: body.data[0].status },
    })
    assert.deepEqual(
      found.body.data.map((one: any) => one.id),
      [id],
    )
  })
})

describe('the dashboard', () => {
  it('counts workspaces, subscriptions and revenue, months without any too (CEN-17, CEN-18)', async () => {
    const { body } = await admin.get('/dashboard')
    const { workspaces, module_subscriptions, revenue, growth, revenue_series, recent_subscriptions, recent_tenants } = body.data
    assert.equal(workspaces.total, 1)
    const states = await admin.get('/module-subscriptions')
    assert.equal(module_subscriptions.total, states.body.meta.total)
    assert.deepEqual(revenue, { currency: 'USD', mrr: 10, by_currency: [{ currency: 'USD', mrr: 10 }] })
    assert.deepEqual([growth.length, growth[11].month, revenue_series.length], [12, '2027-04', 12])
    const [{ april }] = await world.sql(
      `SELECT (sum(total) - (SELECT sum(amount) FROM ledger_credits))::float AS april FROM ledger_invoices WHERE issued_at >= '2027-04-01'`,
    )
    assert.deepEqual(revenue_series.slice(-3), [
      { month: '2027-02', amount: 0 },
      { month: '2027-03', amount: 30 },
      { month: '2027-04', amount: april },
    ])
    assert.deepEqual([recent_tenants[0].id, recent_subscriptions[0].module.key], [firm.id, 'leads'])
    assert.equal((await (await operator(world, [])).get('/dashboard')).status, 403)
  })
})

describe('free subscriptions', () => {
  it('end with a period also where they cost nothing', async () => {
    const free = await world.workspace({ modules: ['vendors'] })
    const list = await admin.get('/module-subscriptions', { query: { tenant_id: free.id, source: 'purchased' } })
    const [{ id, price, period_end }] = list.body.data
    assert.deepEqual([price, period_end], [0, null])
    const planned = (await admin.post(`/module-subscriptions/${id}/cancel`)).body.data
    assert.partialDeepStrictEqual(planned, { status: 'active', cancel_at_period_end: true })
    assert.match(planned.period_end, /^2027-/)
    const resumed = (await admin.post(`/module-subscriptions/${id}/resume`)).body.data
    assert.partialDeepStrictEqual(resumed, { cancel_at_period_end: false, period_end: null })
    await admin.post(`/module-subscriptions/${id}/cancel`)
    await world.runAt(`${planned.period_end}T00:00:00Z`)
    assert.equal((await admin.get(`/module-subscriptions/${id}`)).body.data.status, 'cancelled')
    assert.equal((await free.owner.get('/vendors')).status, 403)
  })
})

describe('a module that others require', () => {
  let inventory: number
  let orders: number
  const idOf = async (key: string) => Number((await world.sql('SELECT id FROM modules WHERE key = $1', [key]))[0].id)
  const installedIn = async (id: number): Promise<string[]> => {
    const { body } = await admin.get('/module-subscriptions', { query: { tenant_id: id, status: 'active' } })
    return body.data.map((one: any) => one.module_key)
  }
  const idIn = async (tenant_id: number, key: string): Promise<number> => {
    const { body } = await admin.get('/module-subscriptions', { query: { tenant_id, status: 'active' } })
    return body.data.find((one: any) => one.module_key === key).id
  }

  before(async () => {
    inventory = await idOf('inventory')
    orders = await idOf('purchase-orders')
  })

  it('carries no other while it is set to end (GEN-07, GEN-08)', async () => {
    const { id, owner } = await world.workspace({ modules: ['products'] })
    const needed = await idIn(id, 'products')
    const { period_end } = (await admin.post(`/module-subscriptions/${needed}/cancel`)).body.data
    const refused = await admin.post(`/tenants/${id}/modules`, { module_id: inventory })
    refusedOn('module_id', refused)
    assert.match(refused.body.message, new RegExp(`requires products, which ends on ${period_end}\\. Withdraw`))
    await admin.post(`/module-subscriptions/${needed}/resume`)
    await world.install(id, inventory)
    refusedOn('module', await admin.post(`/module-subscriptions/${needed}/cancel`))
    await world.runAt(`${period_end}T00:00:00Z`)
    assert.equal((await owner.get('/products')).status, 200)
  })

  it('doesn’t end while another that needs it is installed, nor the other way round', async () => {
    const ends = [
      ['deactivate', {}],
      ['cancel', { immediately: true }],
      ['cancel', {}],
    ] as const
    for (const [n, [verb, body]] of [...ends, ...ends, ...ends].entries()) {
      const { id } = await world.workspace({ modules: ['vendors'] })
      const needed = await idIn(id, 'vendors')
      const end = () => admin.post(`/module-subscriptions/${needed}/${verb}`, body)
      const install = () => admin.post(`/tenants/${id}/modules`, { module_id: orders })
      const [first, second] = await Promise.all(n % 2 ? [end(), install()] : [install(), end()])
      assert.deepEqual([first.status, second.status].filter((status) => status === 422).length, 1, `${verb} ${n}`)
      const left = await installedIn(id)
      assert.ok(!left.includes('purchase-orders') || left.includes('vendors'), `${verb}: ${left}`)
    }
  })
})
