/** Files whose rows become records of any module: permissions, references, rejected rows, and undo. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { refusing } from '#test/refusing.ts'
import { workbookOf } from '#test/workbook.ts'

const world = await startTest()
const MODULES = [
  'vendors',
  'contacts',
  'companies',
  'projects',
  'expenses',
  'invoices',
  'tasks',
  'leads',
  'documents',
  'products',
  'payments',
  'warehouses',
]
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: MODULES, timezone: 'Asia/Tokyo' })
})

const made = async (user: Person, path: string, body: object) => {
  const { status, body: reply } = await user.post(path, body)
  assert.equal(status, 201, JSON.stringify(reply))
  return reply.data
}
const csv = (text: string, name = 'rows.csv') => new File([text], name)
const upload = (user: Person, module: string, file: File | undefined) =>
  user.post('/imports', { module, ...(file ? { file } : {}) })
const refused = ({ status, body }: { status: number; body: { errors?: object } }) => [status, Object.keys(body.errors ?? {})]

/** Runs an import with the given mapping or the suggested one. */
async function imported(user: Person, module: string, text: string | File, mapping?: Record<string, string>) {
  const sent = await upload(user, module, typeof text === 'string' ? csv(text) : text)
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  const { uuid } = sent.body.data.import
  const mapped = await user.put(`/imports/${uuid}`, { mapping: mapping ?? sent.body.data.context.suggested_mapping })
  assert.equal(mapped.status, 200, JSON.stringify(mapped.body))
  assert.equal((await user.post(`/imports/${uuid}/run`)).status, 200)
  await world.drain()
  return (await user.get(`/imports/${uuid}`)).body.data
}
const counts = (one: Record<string, unknown>) => [one.status, one.created_count, one.updated_count, one.failed_count]

/** Returns the failed rows by their number. */
async function failures(user: Person, uuid: string): Promise<Record<string, string>> {
  const { raw } = await user.get(`/imports/${uuid}/failed-records`)
  const rows = parse(raw.toString(), { bom: true, columns: true }) as { Row: string; Errors: string }[]
  return Object.fromEntries(rows.map(({ Row, Errors }) => [Row, Errors]))
}

async function undone(user: Person, uuid: string) {
  const { status, body } = await user.post(`/imports/${uuid}/undo`)
  assert.equal(status, 200, JSON.stringify(body))
  await world.drain()
  return (await user.get(`/imports/${uuid}`)).body.data
}

describe('what cannot be imported', () => {
  it('is refused by the field: modules, files, columns', async () => {
    const { owner } = firm
    for (const module of ['nothing', 'users', 'documents', 'leads', 'estimates', '../leads', ''])
      assert.deepEqual(refused(await upload(owner, module, csv('Name\nA\n'))), [422, ['module']], module)
    const said = await upload(owner, 'nothing', csv('Name\nA\n'))
    assert.match(said.body.errors!.module![0]!, /companies, contacts/)
    assert.deepEqual(refused(await upload(owner, 'vendors', undefined)), [422, ['file']])
    assert.deepEqual(refused(await owner.post('/imports', { file: csv('Name\nA\n') })), [422, ['module']])
    for (const file of [
      csv('Name\n'),
      csv('\n\n'),
      csv('Name\nA\n', 'rows.txt'),
      csv('Name\nA\n', 'rows.xlsx'),
      csv(`Name\n"${'x'.repeat(200_001)}"\n`),
    ])
      assert.deepEqual(refused(await upload(owner, 'vendors', file)), [422, ['file']], file.name)
    assert.equal((await world.sql('SELECT 1 FROM imports')).length, 0, 'what is refused leaves nothing')
    assert.equal((await world.sql('SELECT 1 FROM import_chunks')).length, 0)
    const { uuid } = (await upload(owner, 'vendors', csv('Name,Mail\nA,b\n'))).body.data.import
    const map = (mapping: object) => owner.put(`/imports/${uuid}`, { mapping })
    assert.deepEqual(refused(await owner.post(`/imports/${uuid}/run`)), [422, ['status']])
    assert.deepEqual(refused(await owner.post(`/imports/${uuid}/preview`)), [422, ['status']])
    assert.deepEqual(refused(await map({ name: 'Nobody', colour: 'Name' })), [422, ['mapping.name', 'mapping.colour']])
    assert.deepEqual(refused(await map({ email: 'Mail' })), [422, ['mapping.name']])
    assert.deepEqual(refused(await map({ id: 'Name' })), [422, ['mapping']])
    assert.deepEqual(refused(await map({ __proto__: null, constructor: 'Name', name: 'Name' })), [422, ['mapping.constructor']])
    assert.equal((await map({ name: 'Name', email: null })).status, 200)
    assert.equal((await owner.post(`/imports/${uuid}/run`)).status, 200)
    assert.deepEqual(refused(await owner.post(`/imports/${uuid}/run`)), [422, ['status']])
    assert.deepEqual(refused(await map({ name: 'Name' })), [422, ['status']])
    assert.deepEqual(refused(await owner.post(`/imports/${uuid}/undo`)), [422, ['status']])
    await world.drain()
  })

  it('row by row: each with what is wrong with it, the others stand', async () => {
    const rows = ['Ann,ann@x.test,', ',x@x.test,', 'Ben,nobody,', 'Cleo,,Nowhere', 'Dora,,Moorhen']
    await made(firm.owner, '/companies', { name: 'Moorhen' })
    const one = await imported(firm.owner, 'contacts', `Name,E-mail,Linked company\n${rows.join('\n')}\n`, {
      ...{ name: 'Name', email: 'E-mail', company_id: 'Linked company' },
    })
    assert.deepEqual(counts(one), ['completed', 2, 0, 3])
    assert.deepEqual(await failures(firm.owner, one.uuid), {
      3: 'name: Is required.',
      4: 'email: Must be an e-mail address.',
      5: 'company_id: There is no such company in this workspace that you may use: Nowhere.',
    })
    const [dora] = (await firm.owner.get('/contacts?search=Dora')).body.data
    assert.equal(dora.linked_company.name, 'Moorhen')
  })
})

it('a row with more cells than there are columns is an error, and not cut off', async () => {
  const one = await imported(firm.owner, 'vendors', 'Name,Notes\nFirst,Fine,,\nMeyer, Otto,Shifted\n')
  assert.deepEqual(counts(one), ['completed', 1, 0, 1])
  assert.match((await failures(firm.owner, one.uuid))[3]!, /3 cells.*2 columns/)
})

it('what names a person who has left stays as it is, and nobody is given anything to them', async () => {
  const left = await firm.user(['tasks.view'])
  const { id } = await made(firm.owner, '/tasks', { title: 'Hand over', assigned_to: left.id })
  assert.equal((await firm.owner.del(`/users/${left.id}`)).status, 200)
  assert.equal((await firm.owner.put(`/tasks/${id}`, { title: 'Hand over', assigned_to: left.id })).status, 200)
  const { raw } = await firm.owner.get('/tasks/export', { query: { format: 'csv' } })
  const mapping = { id: 'ID', title: 'Title', assigned_to: 'Assigned to' }
  const same = await imported(firm.owner, 'tasks', raw.toString(), mapping)
  assert.equal(same.failed_count, 0, JSON.stringify(await failures(firm.owner, same.uuid)))
  assert.equal((await firm.owner.get(`/tasks/${id}`)).body.data.assigned_to, left.id)
  const other = await imported(firm.owner, 'tasks', `Title,Assignee\nNew,${left.email}\n`, {
    title: 'Title',
    assigned_to: 'Assignee',
  })
  assert.deepEqual(counts(other), ['completed', 0, 0, 1])
})

it('a row is told all that is wrong with it: its cells, and what the other fields break', async () => {
  const rows = ['Cleo,nobody,Nowhere', ',nobody,Nowhere', ',,Nowhere']
  const one = await imported(firm.owner, 'contacts', `Name,E-mail,Company\n${rows.join('\n')}\n`, {
    ...{ name: 'Name', email: 'E-mail', company_id: 'Company' },
  })
  assert.deepEqual(counts(one), ['completed', 0, 0, 3])
  const [email, company] = ['email: Must be an e-mail address.', 'company_id: There is no such company']
  const told = await failures(firm.owner, one.uuid)
  for (const [row, parts] of Object.entries({
    2: [email, company],
    3: ['name: Is required.', email, company],
    4: ['name: Is required.', company],
  })) {
    for (const part of parts) assert.ok(told[row]!.includes(part), `${row}: ${told[row]}`)
    assert.equal(told[row]!.split('; ').length, parts.length, told[row]!)
  }
})

describe('rows that are imported together', () => {
  it('stand or fall alone, in the order of the file, whatever is wrong with the others', async () => {
    const { owner } = firm
    // Each 7th row has the SKU of an earlier one, which only the database detects; the rows before it are still imported.
    const rows = Array.from({ length: 130 }, (_, n) => `Together ${n},T-${n % 7 === 6 ? n - 5 : n}`)
    const one = await imported(owner, 'products', `Name,SKU\n${rows.join('\n')}\n`, { name: 'Name', sku: 'SKU' })
    assert.deepEqual(counts(one), ['completed', 112, 0, 18])
    const failed = await failures(owner, one.uuid)
    assert.deepEqual(
      Object.keys(failed).map(Number),
      Array.from({ length: 18 }, (_, n) => 2 + 6 + n * 7),
    )
    for (const told of Object.values(failed)) assert.match(told, /^sku: /)
    const made = await world.sql('SELECT name FROM products WHERE tenant_id = $1 AND name LIKE $2 ORDER BY id', [
      firm.id,
      'Together %',
    ])
    assert.deepEqual(
      made.map(({ name }) => name),
      rows.flatMap((row, n) => (n % 7 === 6 ? [] : [row.split(',')[0]])),
    )
    const [entries] = await world.sql(
      `SELECT count(*)::int AS n FROM activities a JOIN products p ON p.tenant_id = a.tenant_id AND p.id = a.subject_id
       WHERE a.tenant_id = $1 AND a.subject_type = 'products' AND a.type = 'created' AND p.name LIKE $2`,
      [firm.id, 'Together %'],
    )
    assert.equal(entries.n, 112)
    const back = await undone(owner, one.uuid)
    assert.deepEqual([back.status, back.undone_count, back.kept_count], ['undone', 112, 0])
    assert.equal((await owner.get('/products?search=Together')).body.meta.total, 0)
  })

  it('may be about one record: the later row changes what the earlier one made, and undoing takes it away', async () => {
    const { owner } = firm
    const text = 'Name,Key,Phone\nFirst,same,1\nOther,other,2\nSecond,same,3\nThird,same,4\n'
    const one = await imported(owner, 'vendors', text, { name: 'Name', external_id: 'Key', phone: 'Phone' })
    assert.deepEqual(counts(one), ['completed', 2, 2, 0])
    const [same] = (await owner.get('/vendors?external_id=same')).body.data
    assert.deepEqual([same.name, same.phone], ['Third', '4'])
    const again = await imported(owner, 'vendors', text.replaceAll('Third', 'Fourth'), {
      name: 'Name',
      external_id: 'Key',
      phone: 'Phone',
    })
    assert.deepEqual(counts(again), ['completed', 0, 4, 0])
    assert.equal((await undone(owner, again.uuid)).undone_count, 2)
    assert.equal((await owner.get(`/vendors/${same.id}`)).body.data.name, 'Third')
    assert.equal((await undone(owner, one.uuid)).undone_count, 2)
    assert.equal((await owner.get('/vendors?external_id=same')).body.meta.total, 0)
  })

  it('that are kept when the import is undone are counted, and the others are not', async () => {
    const { owner } = firm
    const rows = Array.from({ length: 60 }, (_, n) => `Kept ${n}`)
    const one = await imported(owner, 'vendors', `Name\n${rows.join('\n')}\n`)
    const found = (await owner.get('/vendors?search=Kept&per_page=100&sort=id&direction=asc')).body.data
    for (const n of [3, 30, 59]) assert.equal((await owner.put(`/vendors/${found[n].id}`, { phone: '1' })).status, 200)
    const back = await undone(owner, one.uuid)
    assert.deepEqual([back.undone_count, back.kept_count, back.kept.length], [57, 3, 3])
    const message = 'It was changed since.'
    assert.deepEqual(
      back.kept,
      [3, 30, 59].map((n) => ({ id: found[n].id, message })),
    )
  })
})

it('lists as JSON are read as deep as the fields go, and no deeper', async () => {
  const line = { name: 'Oak', quantity: 2, unit_price: 3.5, tax_rate: 19 }
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const lines = [
    JSON.stringify([{ ...line, constructor: { prototype: 1 } }]),
    `[{"__proto__": {"quantity": 1}, "name": "X", "quantity": 1, "unit_price": 1}]`,
    '[{]',
    'Oak',
    '{"name": "Oak"}',
    deep,
    JSON.stringify([{ ...line, product_id: 'Nothing' }]),
  ]
  const cells = lines.map((text, n) => `Invoice ${n},EUR,"${text.replaceAll('"', '""')}"`)
  const one = await imported(firm.owner, 'invoices', `Title,Currency,Lines\n${cells.join('\n')}\n`)
  assert.deepEqual(counts(one), ['completed', 2, 0, 5])
  const failed = await failures(firm.owner, one.uuid)
  assert.deepEqual(Object.keys(failed), ['4', '5', '6', '7', '8'])
  assert.match(failed['4']!, /^lines: Is no sound JSON/)
  assert.match(failed['5']!, /^lines: Must be a list as JSON/)
  assert.match(failed['8']!, /^lines: There is no such product/)
})

it('what keeps spreadsheets from reading formulas is taken off once, on the documented way back too', async () => {
  const { owner } = firm
  const mend = async (uuid: string) =>
    (await owner.get(`/imports/${uuid}/failed-records`)).raw.toString().replaceAll('nobody', 'mended@x.test')
  // One cell as exported, one as typed by people, one with a phone number that itself begins with an apostrophe.
  const cells = ["'+49 30 5550100", '+49 30 5550101', "''+49 30 5550102", '-1', '＋49']
  const rows = cells.flatMap((phone, n) => [`G${n} right,a@x.test,${phone}`, `G${n} wrong,nobody,${phone}`])
  const first = await imported(owner, 'contacts', `'=Name,E-mail,Phone\n${rows.join('\n')}\n`, {
    ...{ name: "'=Name", email: 'E-mail', phone: 'Phone' },
  })
  assert.deepEqual(counts(first), ['completed', 5, 0, 5])
  const file = await mend(first.uuid)
  assert.match(file, /^\ufeff?Row,'=Name,E-mail,Phone,Errors\r\n/)
  const second = await imported(owner, 'contacts', file, { name: "'=Name", email: 'E-mail', phone: 'Phone' })
  assert.deepEqual(counts(second), ['completed', 5, 0, 0])
  const phones = async (word: string) =>
    (await owner.get(`/contacts?search=${word}&sort=name&direction=asc&per_page=100`)).body.data
      .filter(({ name }: { name: string }) => /^G\d/.test(name))
      .map(({ phone }: { phone: string }) => phone)
  const meant = ['+49 30 5550100', '+49 30 5550101', "'+49 30 5550102", '-1', '＋49']
  assert.deepEqual([await phones('right'), await phones('wrong')], [meant, meant])
  // An export with invalid addresses, corrected through the failed records twice.
  const exported = (await owner.get('/contacts/export?format=csv&search=right')).raw.toString()
  const suggestion = async (text: string) => (await upload(owner, 'contacts', csv(text))).body.data.context.suggested_mapping
  const broken = exported.replaceAll('a@x.test', 'nobody').replaceAll('right', 'back')
  const { name, email, phone } = await suggestion(broken)
  const mapping = { name, email, phone }
  const once = await imported(owner, 'contacts', broken, mapping)
  const twice = await imported(owner, 'contacts', (await mend(once.uuid)).replaceAll('mended@x.test', 'nobody'), mapping)
  assert.deepEqual(counts(twice), ['completed', 0, 0, 5])
  const mended = await imported(owner, 'contacts', await mend(twice.uuid), mapping)
  assert.deepEqual([counts(mended), await phones('back')], [['completed', 5, 0, 0], meant])
})

describe('what a row may do', () => {
  it('is what its sender may: 403 for the whole, or by row', async () => {
    const viewer = await firm.user(['contacts.view'])
    assert.equal((await upload(viewer, 'contacts', csv('Name\nA\n'))).status, 403)
    await made(firm.owner, '/contacts', { name: 'Known', external_id: 'known' })
    const text = 'Name,Key\nNew,new\nChanged,known\n'
    const mapping = { name: 'Name', external_id: 'Key' }
    const maker = await firm.user(['contacts.create', 'contacts.view', 'contacts.assign'])
    const byMaker = await imported(maker, 'contacts', text, mapping)
    assert.deepEqual(counts(byMaker), ['completed', 1, 0, 1])
    assert.deepEqual(await failures(maker, byMaker.uuid), { 3: 'This needs the permission contacts.update.' })
    const changer = await firm.user(['contacts.update', 'contacts.view', 'contacts.assign'])
    const byChanger = await imported(changer, 'contacts', 'Name,Key\nOther,other\nChanged,known\n', mapping)
    assert.deepEqual(counts(byChanger), ['completed', 0, 1, 1])
    assert.deepEqual(await failures(changer, byChanger.uuid), { 2: 'This needs the permission contacts.create.' })
    const hidden = await firm.user(['contacts.create', 'contacts.update', 'contacts.view'])
    const unseen = await imported(hidden, 'contacts', 'Name,Key\nX,known\n', mapping)
    assert.match((await failures(hidden, unseen.uuid))['2']!, /^external_id: Another contact/)
    const { id } = (await firm.owner.get('/contacts?external_id=known')).body.data[0]
    const byId = await imported(hidden, 'contacts', `Name,Id\nX,${id}\nY,0\nZ,\n`, { name: 'Name', id: 'Id' })
    assert.deepEqual(counts(byId), ['completed', 1, 0, 2])
    assert.deepEqual(Object.values(await failures(hidden, byId.uuid)), [
      'id: There is no such contact.',
      'id: Must be an id (a whole number above 0).',
    ])
    assert.equal((await maker.post(`/imports/${byMaker.uuid}/undo`)).status, 403, 'without contacts.delete')
  })

  it('ends with the rights that its sender has lost meanwhile', async () => {
    const maker = await firm.user(['contacts.create'])
    const { uuid } = (await upload(maker, 'contacts', csv('Name\nLate\n'))).body.data.import
    await maker.put(`/imports/${uuid}`, { mapping: { name: 'Name' } })
    await maker.post(`/imports/${uuid}/run`)
    await world.sql('DELETE FROM user_roles WHERE user_id = $1', [maker.id])
    await world.sql('UPDATE access_revisions SET revision = revision + 1 WHERE tenant_id = $1', [firm.id])
    await world.drain()
    assert.equal((await firm.owner.get('/contacts?search=Late')).body.meta.total, 0)
    const { status, error } = (await maker.get(`/imports/${uuid}`)).body.data
    assert.deepEqual([status, error], ['failed', 'This needs the permission contacts.create.'])
  })

  it('says nothing of a defect but that it was one, when it gives up', async () => {
    await world.sql(
      `CREATE FUNCTION public.crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'inner workings'; END $$`,
    )
    await world.sql('CREATE TRIGGER crash BEFORE INSERT ON vendors FOR EACH ROW EXECUTE FUNCTION public.crash()')
    const { uuid } = await imported(firm.owner, 'vendors', 'Name\nBolts\n')
    await world.drain('all')
    await world.sql('DROP TRIGGER crash ON vendors')
    const { status, error } = (await firm.owner.get(`/imports/${uuid}`)).body.data
    assert.deepEqual([status, error], ['failed', 'Something went wrong on our side. It has been logged.'])
  })

  it('is no matter of a key that may not make such records', async () => {
    const { uuid } = await imported(firm.owner, 'vendors', 'Name,Email\nGiven away?,wrong\n')
    const deed = await firm.owner.post('/vendors/bulk', {
      action: 'delete',
      ids: [(await made(firm.owner, '/vendors', { name: 'Gone' })).id],
    })
    const seen = async (...scopes: string[]) => {
      const { body } = await firm.owner.post('/api-keys', { name: 'Narrow', scopes })
      world.secret(body.data.key)
      const client = world.tenant(body.data.key)
      const paths = [
        ...['', '/file', '/failed-records'].map((path) => `/imports/${uuid}${path}`),
        `/bulk/${deed.body.data.batch_id}`,
      ]
      const replies = await Promise.all(paths.map((path) => client.get(path)))
      const listed = await client.get('/imports', { query: { per_page: 100 } })
      assert.equal(listed.status, 200, JSON.stringify(listed.body))
      return [
        ...replies.map(({ status }) => status),
        listed.body.data.some(({ module }: { module: string }) => module === 'vendors'),
      ]
    }
    assert.deepEqual(await seen('contacts.view', 'contacts.create'), [404, 404, 404, 403, false])
    assert.deepEqual(await seen('vendors.view'), [404, 404, 404, 403, false])
    assert.deepEqual(await seen('vendors.view', 'vendors.create'), [200, 200, 200, 403, true])
    assert.deepEqual(await seen('*'), [200, 200, 200, 200, true])
  })

  it('is a matter of its sender’s alone', async () => {
    const one = await imported(firm.owner, 'vendors', 'Name\nMine\n')
    const neighbour = await world.workspace({ modules: ['vendors', 'contacts', 'companies'] })
    const admin = await firm.user(['vendors.create', 'vendors.update', 'vendors.delete', 'vendors.view'])
    for (const other of [neighbour.owner, admin]) {
      for (const path of ['', '/file', '/failed-records'])
        assert.equal((await other.get(`/imports/${one.uuid}${path}`)).status, 404, path)
      for (const path of ['/run', '/undo', '/preview'])
        assert.equal((await other.post(`/imports/${one.uuid}${path}`)).status, 404, path)
      assert.equal((await other.get('/imports')).body.meta.total, 0)
    }
    // Names, external ids and ids of another workspace's records are not found.
    const company = await made(firm.owner, '/companies', { name: 'Only here', external_id: 'only-here' })
    const text = `Name,Company\nA,Only here\nB,only-here\nC,#${company.id}\n`
    const theirs = await imported(neighbour.owner, 'contacts', text, { name: 'Name', company_id: 'Company' })
    assert.deepEqual(counts(theirs), ['completed', 0, 0, 3])
    const own = await imported(firm.owner, 'contacts', `Name,Company\nA,Only here\nB,only-here\nC,#${company.id}\n`, {
      name: 'Name',
      company_id: 'Company',
    })
    assert.deepEqual(counts(own), ['completed', 3, 0, 0])
    const changed = await imported(neighbour.owner, 'companies', `Name,Id\nStolen,${company.id}\n`, { name: 'Name', id: 'Id' })
    assert.deepEqual(counts(changed), ['completed', 0, 0, 1])
    assert.equal((await firm.owner.get(`/companies/${company.id}`)).body.data.name, 'Only here')
  })
})

describe('an id in a cell', () => {
  it('of another workspace’s export is never taken for one of this workspace’s', async () => {
    const [theirs, ours] = [firm, await world.workspace({ modules: ['contacts', 'companies'] })]
    const twins = [
      await made(theirs.owner, '/companies', { name: 'Alike' }),
      await made(theirs.owner, '/companies', { name: 'Alike' }),
    ]
    const numbered = await made(theirs.owner, '/companies', { name: '4711' })
    const hidden = await theirs.user(['contacts.view', 'contacts.create', 'contacts.assign', 'contacts.export'])
    const contacts: { id: number }[] = []
    for (const [n, { id }] of [...twins, numbered].entries())
      contacts.push(await made(theirs.owner, '/contacts', { name: `Of ${n}`, company_id: id }))
    // As on another server: the same ids, and the number that is also a name, belong to other records.
    for (const id of [...[...twins, numbered].map((one) => one.id), 4711]) {
      const { id: made_id } = await made(ours.owner, '/companies', { name: `Innocent ${id}` })
      await world.sql('UPDATE companies SET id = $1 WHERE tenant_id = $2 AND id = $3', [id, ours.id, made_id])
    }
    for (const by of [theirs.owner, hidden]) {
      const { raw } = await by.get('/contacts/export', { query: { ids: contacts.map(({ id }) => id).join(), format: 'csv' } })
      const there = await imported(ours.owner, 'contacts', raw.toString())
      assert.deepEqual(counts(there), ['completed', 0, 0, 3], raw.toString())
      // In its own workspace the file refers to the original records.
      const back = await imported(theirs.owner, 'contacts', raw.toString())
      assert.deepEqual(counts(back), ['completed', 3, 0, 0])
    }
    const linked = await world.sql('SELECT company_id::int FROM contacts WHERE tenant_id = $1 ORDER BY id DESC LIMIT 6', [
      theirs.id,
    ])
    assert.deepEqual(
      [...new Set(linked.map(({ company_id }) => company_id))].sort((a, b) => a - b),
      [...twins, numbered].map(({ id }) => id),
    )
  })

  it('is told by # or by its workspace: a number alone may be another system’s', async () => {
    const { owner } = firm
    const { id } = await made(owner, '/companies', { name: 'By its id' })
    const one = await imported(owner, 'contacts', `Name,Company\nA,${id}\nB,#${id}\nC,${id}@00000000\n`, {
      ...{ name: 'Name', company_id: 'Company' },
    })
    assert.deepEqual(counts(one), ['completed', 1, 0, 2])
    assert.match((await failures(owner, one.uuid))[2]!, new RegExp(`write #${id}\\.`))
    const line = { product_id: 1, quantity: 2, unit_price: 3.5 }
    const cell = JSON.stringify([line]).replaceAll('"', '""')
    const lines = await imported(owner, 'invoices', `Title,Currency,Lines\nNumbers,EUR,"${cell}"\n`)
    assert.match((await failures(owner, lines.uuid))[2]!, /^lines: No product is called 1/)
  })
})

describe('a name in a cell', () => {
  it('is that of one record, before an external id, before an id; one of two is none', async () => {
    const { owner } = firm
    const twin = { name: 'Twin' }
    const [first] = [await made(owner, '/companies', twin), await made(owner, '/companies', { ...twin, external_id: 'twin-2' })]
    const named = await made(owner, '/companies', { name: String(first.id) })
    const rows = ['a,Twin', 'b,twin-2', `c,${first.id}`, 'd,tWIN']
    const one = await imported(owner, 'contacts', `Name,Company\n${rows.join('\n')}\n`, { name: 'Name', company_id: 'Company' })
    assert.deepEqual(counts(one), ['completed', 2, 0, 2])
    const failed = await failures(owner, one.uuid)
    assert.match(failed['2']!, /^company_id: Names several: more than one company is called Twin/)
    assert.match(failed['5']!, /^company_id: There is no such company/)
    assert.equal(
      (await owner.get('/contacts?search=c&sort=name')).body.data.find(({ name }: { name: string }) => name === 'c').company_id,
      named.id,
    )
    await made(owner, '/contacts', { name: 'of the first twin', company_id: first.id })
    const rowsOut = parse((await owner.get('/contacts/export?search=twin')).raw.toString(), { bom: true, columns: true })
    const companies = (rowsOut as { Name: string; company_id: string }[]).map((row) => [row.Name, row.company_id])
    // Another workspace can find the second one.
    assert.deepEqual(Object.fromEntries(companies).b, 'twin-2')
    assert.match(Object.fromEntries(companies)['of the first twin'], new RegExp(`^${first.id}@`))
  })

  it('may be that of an earlier row, and a user’s address', async () => {
    const member = await firm.user(['expenses.view'])
    const lone = await imported(
      firm.owner,
      'expenses',
      `Title,Amount,Expense date,Assigned to\nRail,10.5,2026-03-01,${member.email}\n`,
    )
    assert.deepEqual(counts(lone), ['completed', 1, 0, 0])
    const [rail] = (await firm.owner.get('/expenses?search=Rail')).body.data
    assert.deepEqual([rail.amount, rail.expense_date, rail.assigned_to], [10.5, '2026-03-01', member.id])
  })
})

describe('a row that names a record', () => {
  it('changes it: what is mapped, and an empty cell empties', async () => {
    const vendor = await made(firm.owner, '/vendors', { name: 'Ost', phone: '1', notes: 'Old', external_id: 'v1' })
    const text = `Name,Phone,Key\nWest,,v1\nNord,2,v2\nSouth,3,v2\n`
    const one = await imported(firm.owner, 'vendors', text, { name: 'Name', phone: 'Phone', external_id: 'Key' })
    assert.deepEqual(counts(one), ['completed', 1, 2, 0])
    const now = (await firm.owner.get(`/vendors/${vendor.id}`)).body.data
    assert.deepEqual([now.name, now.phone, now.notes, now.external_id], ['West', null, 'Old', 'v1'])
    const back = await undone(firm.owner, one.uuid)
    assert.deepEqual([back.status, back.undone_count, back.kept], ['undone', 2, []])
    const again = (await firm.owner.get(`/vendors/${vendor.id}`)).body.data
    assert.deepEqual([again.name, again.phone, again.external_id], ['Ost', '1', 'v1'])
    assert.equal((await firm.owner.get('/vendors?external_id=v2')).body.meta.total, 0)
    assert.deepEqual(refused(await firm.owner.post(`/imports/${one.uuid}/undo`)), [422, ['status']])
  })
})

describe('undoing', () => {
  it('leaves alone what somebody has changed or deleted since, and says so', async () => {
    const one = await imported(firm.owner, 'vendors', 'Name\nU1\nU2\nU3\n')
    const [u1, u2, u3] = (await firm.owner.get('/vendors?search=U&sort=name')).body.data
    await firm.owner.put(`/vendors/${u1.id}`, { phone: '1' })
    await firm.owner.del(`/vendors/${u2.id}`)
    const back = await undone(firm.owner, one.uuid)
    assert.deepEqual(
      [back.undone_count, back.kept_count, back.kept],
      [
        1,
        2,
        [
          { id: u1.id, message: 'It was changed since.' },
          { id: u2.id, message: 'There is no such vendor any more.' },
        ],
      ],
    )
    assert.equal((await firm.owner.get(`/vendors/${u3.id}`)).status, 404)
    assert.equal((await firm.owner.get(`/vendors/${u1.id}`)).status, 200)
  })

  it('takes away what only the import itself has moved on: of three warehouses each was the default', async () => {
    const { owner } = await world.workspace({ modules: ['warehouses'] })
    const defaults = async () =>
      (await owner.get('/warehouses?sort=name&direction=asc')).body.data.map((one: any) => [one.name, one.is_default])
    const text = 'Name,Code,Default\nW1,A,no\nW2,B,yes\nW3,C,yes\nW4,D,no\n'
    const mapping = { name: 'Name', code: 'Code', is_default: 'Default' }
    const one = await imported(owner, 'warehouses', text, mapping)
    assert.deepEqual(counts(one), ['completed', 4, 0, 0])
    assert.deepEqual((await defaults())[2], ['W3', true])
    const back = await undone(owner, one.uuid)
    assert.deepEqual([back.undone_count, back.kept, await defaults()], [4, [], []])
    // Changes made by others, before and after the import's own, stay.
    const again = await imported(owner, 'warehouses', text.replaceAll(/,([A-D]),/g, ',$1$1,'), mapping)
    const [w1, w2] = (await owner.get('/warehouses?sort=name&direction=asc')).body.data
    await owner.put(`/warehouses/${w2.id}`, { is_default: true })
    const half = await undone(owner, again.uuid)
    assert.deepEqual([half.undone_count, half.kept_count, (await defaults()).length], [2, 2, 2])
    assert.equal((await owner.get(`/warehouses/${w1.id}`)).status, 404)
  })

  it('leaves a record that it puts back to be undone by the import before', async () => {
    const { owner } = firm
    const mapping = { name: 'Name', external_id: 'Key', phone: 'Phone' }
    const rows = (phone: string) => `Name,Key,Phone\n${['E1', 'E2', 'E3'].map((name) => `${name},${name},${phone}`).join('\n')}\n`
    const first = await imported(owner, 'vendors', rows('1'), mapping)
    const second = await imported(owner, 'vendors', `${rows('2')}E1,E1,3\n`, mapping)
    const third = await imported(owner, 'vendors', rows('4'), mapping)
    assert.deepEqual([first, second, third].map(counts), [
      ['completed', 3, 0, 0],
      ['completed', 0, 4, 0],
      ['completed', 0, 3, 0],
    ])
    for (const one of [third, second]) assert.deepEqual((await undone(owner, one.uuid)).undone_count, 3)
    const found = async () =>
      (await owner.get('/vendors?search=E&sort=name')).body.data.filter((one: any) => /^E\d$/.test(one.name))
    assert.deepEqual(
      (await found()).map(({ phone }: { phone: string }) => phone),
      ['1', '1', '1'],
    )
    const [e1] = (await owner.get('/vendors?external_id=E1')).body.data
    await owner.put(`/vendors/${e1.id}`, { notes: 'Mine.' })
    const back = await undone(owner, first.uuid)
    assert.deepEqual([back.undone_count, back.kept], [2, [{ id: e1.id, message: 'It was changed since.' }]])
  })

  it('gives records back to whoever had them, also to a program, to whom nobody could give them now', async () => {
    const { owner } = firm
    await made(owner, '/roles', { name: 'shop', permissions: ['companies.view', 'companies.create'] })
    const account = await made(owner, '/service-accounts', { name: 'Web shop', role: ['shop'] })
    const { key } = await made(owner, `/service-accounts/${account.id}/keys`, { name: 'Orders', scopes: ['*'] })
    world.secret(key)
    const { body } = await world.tenant(key).post('/companies', { name: 'Pochard', external_id: 'c-9' })
    const { id, assigned_to } = body.data
    assert.equal(assigned_to, account.id)
    const member = await firm.user(['companies.view'])
    const text = `Name,Key,Assigned to\nPochard,c-9,${member.email}\n`
    const one = await imported(owner, 'companies', text, { name: 'Name', external_id: 'Key', assigned_to: 'Assigned to' })
    assert.deepEqual(counts(one), ['completed', 0, 1, 0])
    const whose = async () => (await owner.get(`/companies/${id}`)).body.data.assigned_to
    assert.equal(await whose(), member.id)
    const back = await undone(owner, one.uuid)
    assert.deepEqual([back.undone_count, back.kept], [1, []])
    assert.equal(await whose(), account.id)
  })

  it('voids payments before it deletes them, by who may do both', async () => {
    const { owner } = firm
    const text = 'Amount,Currency,Method\n10,EUR,cash\n20,EUR,card\n30,EUR,card\n'
    const rights = ['payments.create', 'payments.view', 'payments.delete'] as const
    const unable = await firm.user([...rights])
    const theirs = await imported(unable, 'payments', text)
    const refusal = await unable.post(`/imports/${theirs.uuid}/undo`)
    assert.deepEqual([refusal.status, refusal.body.message], [403, 'This needs the permission payments.void.'])
    const able = await firm.user([...rights, 'payments.void'])
    const one = await imported(able, 'payments', text)
    assert.deepEqual(counts(one), ['completed', 3, 0, 0])
    const [last, middle, first] = (await owner.get('/payments?per_page=3')).body.data
    assert.deepEqual([first.amount, last.amount], [10, 30])
    await owner.put(`/payments/${middle.id}`, { reference: 'Seen' })
    const back = await undone(able, one.uuid)
    assert.deepEqual([back.undone_count, back.kept], [2, [{ id: middle.id, message: 'It was changed since.' }]])
    assert.equal((await owner.get(`/payments/${middle.id}`)).body.data.status, 'posted', 'what is kept is not voided')
    for (const { id } of [first, last]) {
      assert.equal((await owner.get(`/payments/${id}`)).status, 404)
      assert.equal((await owner.post(`/payments/${id}/restore`)).body.data.status, 'voided')
    }
  })

  it('is possible for 30 days, then all of it is forgotten', async () => {
    const old = await world.workspace({ modules: ['vendors'] })
    const one = await imported(old.owner, 'vendors', 'Name\nOld\n')
    await upload(old.owner, 'vendors', csv('Name\nNever run\n'))
    const rows = async () => (await world.sql('SELECT 1 FROM imports WHERE tenant_id = $1', [old.id])).length
    const now = world.services.clock.now()
    const noon = Temporal.Instant.from(now).toZonedDateTimeISO('UTC').with({ hour: 12 }) // after the daily sweep
    world.clock.set(noon.add({ days: 2 }).toInstant().toString())
    await world.drain('due')
    assert.equal(await rows(), 1)
    world.clock.set(noon.add({ days: 31 }).toInstant().toString())
    await world.drain('due')
    assert.equal(await rows(), 0)
    world.clock.set(now)
    assert.equal((await old.owner.get(`/imports/${one.uuid}`)).status, 404)
    assert.equal((await old.owner.get('/vendors')).body.meta.total, 1)
  })
})

describe('a preview', () => {
  it('says what would come of the rows, and leaves nothing', async () => {
    const { owner } = firm
    await made(owner, '/vendors', { name: 'Before', external_id: 'p1' })
    const { uuid } = (await upload(owner, 'vendors', csv('Name,Key\nAfter,p1\nNew,p2\n,p3\n'))).body.data.import
    await owner.put(`/imports/${uuid}`, { mapping: { name: 'Name', external_id: 'Key' } })
    const total = async () => (await owner.get('/vendors')).body.meta.total
    const before = await total()
    const { status, body } = await owner.post(`/imports/${uuid}/preview`)
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      ...{ total_rows: 3, tried_rows: 3, created_count: 1, updated_count: 1, failed_count: 1 },
      sample_errors: [{ row: 4, errors: { name: ['Is required.'] } }],
      sample_records: [
        { row: 2, action: 'updated', values: { name: 'After', external_id: 'p1' } },
        { row: 3, action: 'created', values: { name: 'New', external_id: 'p2' } },
        { row: 4, action: 'skipped', values: {} },
      ],
    })
    assert.equal(await total(), before)
    assert.equal((await owner.get('/vendors?external_id=p1')).body.data[0].name, 'Before')
    assert.equal((await owner.get(`/imports/${uuid}`)).body.data.status, 'mapped')
  })
})

describe('whoever is given records', () => {
  it('is told once of all of them, and of one by its name', async () => {
    const [many, one] = [await firm.user(['tasks.view']), await firm.user(['tasks.view'])]
    assert.equal((await firm.owner.put('/settings', { settings: { email_notifications: true } })).status, 200)
    const rows = Array.from({ length: 150 }, (_, n) => `Task ${n},${many.email}`)
    const done = await imported(firm.owner, 'tasks', `Title,Assigned to\n${rows.join('\n')}\nLone,${one.email}\n`)
    assert.deepEqual(counts(done), ['completed', 151, 0, 0])
    const told = async (user: Person) =>
      (await user.get('/notifications')).body.data.map(({ data }: { data: Record<string, unknown> }) => data)
    const [digest, ...more] = await told(many)
    assert.deepEqual([digest.type, digest.count, digest.source, more.length], ['task.assigned.digest', 150, 'import', 0])
    assert.match(digest.body, /^150 records came with an import by Olive Owner\.$/)
    const [news, ...others] = await told(one)
    assert.deepEqual([news.type, others.length], ['task.assigned', 0])
    assert.match(news.body, /Lone/)
    assert.equal((await world.sql('SELECT 1 FROM gathered_news')).length, 0)
    const mails = await world.sql("SELECT subject FROM email_logs WHERE notification_type LIKE 'notification.task%'")
    assert.equal(mails.length, 2, 'one of all, and one of the one')
  })

  it('is told in the name of whose import it is, also where that fails before its end', async () => {
    const member = await firm.user(['tasks.view'])
    const rows = Array.from({ length: 1500 }, (_, n) => `Half ${n},${member.email}`)
    await refusing(world, { event: 'UPDATE', table: 'imports', when: 'NEW.processed_rows = NEW.total_rows' }, async () => {
      await imported(firm.owner, 'tasks', `Title,Assigned to\n${rows.join('\n')}\n`)
      await world.drain('all')
    })
    const [{ data }] = (await member.get('/notifications')).body.data
    assert.match(data.body, /records came with an import by Olive Owner\.$/)
  })
})

it('days are read as a German file has them; numbers with a decimal comma are left to whoever knows what its points mean', async () => {
  const rows = [
    'Desk;1249.50;3.12.2026',
    'Lamp;12.5;2026-12-04',
    'Doubt;1,234;4.12.2026',
    'Comma;1.249,50;5.12.2026',
    'Wrong;1;5.13.2026',
  ]
  const done = await imported(firm.owner, 'expenses', `Title;Amount;Expense date\n${rows.join('\n')}\n`)
  assert.deepEqual(counts(done), ['completed', 2, 0, 3])
  for (const [title, amount, day] of [
    ['Desk', 1249.5, '2026-12-03'],
    ['Lamp', 12.5, '2026-12-04'],
  ] as const) {
    const [one] = (await firm.owner.get(`/expenses?search=${title}`)).body.data
    assert.deepEqual([one.amount, one.expense_date], [amount, day])
  }
})

it('days, instants, flags and choices are read as spreadsheets write them', async () => {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  const styles = '<cellXfs><xf/><xf numFmtId="14"/></cellXfs>'
  const head = ['Title', 'Amount', 'Expense date'].map(cell).join('')
  const row = `${cell('Sheet')}<c><v>19.989999999999998</v></c><c s="1"><v>46053</v></c>`
  const book = await workbookOf(`<row>${head}</row><row>${row}</row>`, '', styles)
  const one = await imported(firm.owner, 'expenses', new File([book as never], 'a.xlsx'))
  assert.deepEqual(counts(one), ['completed', 1, 0, 0], JSON.stringify(await failures(firm.owner, one.uuid)))
  const [expense] = (await firm.owner.get('/expenses?search=Sheet')).body.data
  assert.deepEqual([expense.amount, expense.expense_date], [19.99, '2026-01-31'])
  const flags = await imported(firm.owner, 'vendors', "Name,Active\nF1,No\nF2,TRUE\nF3,0\nF4,maybe\n'=F5,\n")
  assert.deepEqual(counts(flags), ['completed', 4, 0, 1])
  const { data } = (await firm.owner.get('/vendors?search=F&sort=name')).body
  const seen = data.map(({ name, is_active }: { name: string; is_active: boolean }) => [name, is_active])
  for (const pair of [
    ['F1', false],
    ['F2', true],
    ['F3', false],
    ['=F5', true],
  ] as const)
    assert.ok(
      seen.some((one: unknown[]) => one[0] === pair[0] && one[1] === pair[1]),
      JSON.stringify(pair),
    )
})
