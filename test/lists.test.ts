/** What every list of records has by itself: going out as a file, coming in again, being changed by the hundred. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { type Person, startTest, type Workspace } from './harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({
    modules: ['vendors', 'contacts', 'companies', 'projects', 'expenses', 'invoices', 'documents', 'purchase-orders', 'leads'],
  })
})

const made = async (user: Person, path: string, body: object) => {
  const { status, body: reply } = await user.post(path, body)
  assert.equal(status, 201, JSON.stringify(reply))
  return reply.data
}

async function exportOf(user: Person, path: string, query: Record<string, string | number>) {
  const { status, raw, headers } = await user.get(`${path}/export`, { query })
  assert.equal(status, 200, raw.toString())
  return { text: raw.toString(), headers }
}

/** The rows of an export, by their titles; cells without anything in them left out. */
async function exported(user: Person, path: string, query: Record<string, string | number> = {}) {
  const { text } = await exportOf(user, path, query)
  const rows = parse(text, { bom: true, columns: true }) as Record<string, string>[]
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')))
}

describe('an export', () => {
  it('has a row for each record, with what it refers to by name, as an import reads it', async () => {
    const vendor = await made(firm.owner, '/vendors', { name: '=Nord', notes: 'Two\nlines', is_active: false })
    const company = await made(firm.owner, '/companies', { name: 'Moorhen' })
    const twins = [await made(firm.owner, '/contacts', { name: 'Ann' }), await made(firm.owner, '/contacts', { name: 'Ann' })]
    const member = await firm.user(['projects.view'])
    await made(firm.owner, '/expenses', { title: 'Rail', amount: 10.5, vendor_id: vendor.id, expense_date: '2026-11-20' })
    await made(firm.owner, '/projects', {
      ...{ title: 'Pier', company_id: company.id, contact_id: twins[1].id, assigned_to: firm.owner.id },
      member_ids: [member.id],
    })
    const lines = [{ name: 'Oak', quantity: 2, unit_price: 3.5, tax_rate: 19 }]
    await made(firm.owner, '/invoices', { title: 'Desks', currency: 'EUR', company_id: company.id, lines })
    const [only] = await exported(firm.owner, '/vendors')
    assert.deepEqual([only!.Name, only!.Notes, only!.Active, only!.Creator], ["'=Nord", 'Two\nlines', 'false', firm.owner.email])
    const [expense] = await exported(firm.owner, '/expenses')
    assert.deepEqual([expense!.Vendor, expense!.Category, expense!.Amount], ["'=Nord", 'Other', '10.5'])
    const [project] = await exported(firm.owner, '/projects')
    assert.deepEqual(
      [project!.Company, project!.Contact, project!['Assigned to'], project!.Members],
      ['Moorhen', String(twins[1].id), firm.owner.email, member.email], // two contacts have the name: it names neither
    )
    const [invoice] = await exported(firm.owner, '/invoices')
    assert.deepEqual([invoice!.Company, invoice!.Total], ['Moorhen', '8.33'])
    assert.deepEqual(JSON.parse(invoice!.Lines!), [{ ...lines[0], sort_order: 0, discount_value: 0 }])
  })

  it('follows the filters and the sort of the list, and what the caller sees', async () => {
    const seller = await firm.user(['contacts.view', 'contacts.export'])
    for (const name of ['Cleo', 'Bert']) await made(firm.owner, '/contacts', { name, assigned_to: seller.id })
    const names = async (user: Person, query = {}) => (await exported(user, '/contacts', query)).map(({ Name }) => Name)
    assert.deepEqual(await names(seller, { sort: 'name' }), ['Bert', 'Cleo'])
    assert.deepEqual(await names(firm.owner, { search: 'cle' }), ['Cleo'])
    const reader = await firm.user(['contacts.view'])
    assert.equal((await reader.get('/contacts/export')).status, 403)
    assert.equal((await firm.owner.get('/contacts/export', { query: { sort: 'colour' } })).status, 422)
    assert.equal((await firm.owner.get('/contacts/export', { query: { format: 'pdf' } })).body.errors!.format!.length, 1)
  })

  it('as NDJSON has the rows of the list', async () => {
    for (const path of ['/projects', '/expenses', '/invoices', '/users', '/contacts']) {
      const { text, headers } = await exportOf(firm.owner, path, { format: 'ndjson' })
      assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8')
      const rows = text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
      const { data } = (await firm.owner.get(path, { query: { per_page: 100 } })).body
      assert.ok(rows.length)
      assert.deepEqual(rows, data, path)
    }
  })

  it('is there for every list of records, as a workbook too', async () => {
    const routes = (await world.services.modules.routes()).filter(({ path }) => path.endsWith('/export'))
    assert.ok(routes.length > 20, `${routes.length}`)
    const everything = await world.workspace({ modules: routes.flatMap(({ module }) => (module.core ? [] : module.key)) })
    for (const { path } of routes)
      for (const format of ['csv', 'xlsx', 'ndjson']) {
        const { status, raw } = await everything.owner.get(path.replace('/api/tenant/v1', ''), { query: { format } })
        assert.equal(status, 200, `${path} ${raw}`)
      }
  })
})
