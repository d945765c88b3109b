/**
 * Tables in spreadsheets: cells with number formats, titles above headers, several sheets, other notations, and templates for all
 * of these.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { workbookOf } from '#test/workbook.ts'

const world = await startTest()
let firm: Workspace
let owner: Person

before(async () => {
  firm = await world.workspace({ modules: ['contacts', 'products', 'expenses', 'vendors', 'leads'] })
  owner = firm.owner
})

const CASES = join(import.meta.dirname, '../../../test/fixtures/cases')
const caseFile = (name: string) => new File([readFileSync(join(CASES, name)) as never], name)
const csv = (text: string) => new File([text], 'rows.csv')
const book = async (...parts: Parameters<typeof workbookOf>) => new File([(await workbookOf(...parts)) as never], 'book.xlsx')

async function uploaded(module: string, file: File, more: object = {}) {
  const { status, body } = await owner.post('/imports', { module, file, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

/**
 * Runs an import with the suggested mapping. Returns its row, its records in the module's list, and the reasons of its failures.
 */
async function imported(
  module: string,
  file: File,
  { mapping, ...notation }: { mapping?: object } & Record<string, unknown> = {},
) {
  const { import: one, context } = await uploaded(module, file)
  const path = `/imports/${one.uuid}`
  const mapped = await owner.put(path, { mapping: mapping ?? context.suggested_mapping, ...notation })
  assert.equal(mapped.status, 200, JSON.stringify(mapped.body))
  assert.equal((await owner.post(`${path}/run`)).status, 200)
  await world.drain()
  const row = (await owner.get(path)).body.data
  const { raw } = await owner.get(`${path}/failed-records`)
  const failed = parse(raw.toString(), { bom: true, columns: true }) as { Row: string; Errors: string }[]
  return { row, context, failures: Object.fromEntries(failed.map(({ Row, Errors }) => [Row, Errors])) }
}

const found = async (path: string) => {
  const [one] = (await owner.get(path)).body.data
  return one
}

describe('a cell of an XLSX file', () => {
  it('with a percentage is imported as the percentage that Excel shows', async () => {
    const { row } = await imported('products', caseFile('products-percent-cell.xlsx'))
    assert.partialDeepStrictEqual(row, { status: 'completed', created_count: 1 })
    assert.partialDeepStrictEqual(await found('/products?search=PCT1'), { tax_rate: 19, unit_price: 10 })
  })

  it('is refused where a percentage stands in a field that isn’t one', async () => {
    const styles = '<cellXfs><xf/><xf numFmtId="9"/></cellXfs>'
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
    const sheet = `<row>${text('Name')}${text('SKU')}${text('Unit price')}</row><row>${text('Half')}${text('HALF')}<c s="1"><v>0.5</v></c></row>`
    const { failures } = await imported('products', await book(sheet, '', styles))
    assert.deepEqual(failures, { 2: 'unit_price: Must be a number.' })
  })

  it('is refused where it is a formula whose value the file doesn’t hold', async () => {
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
    const row = (sku: string, price: string) => `<row>${text('Half')}${text(sku)}${price}</row>`
    const sheet = `<row>${text('Name')}${text('SKU')}${text('Unit price')}</row>${row('F1', '<c><f>1+1</f></c>')}${row('F2', '<c><f>1+1</f><v></v></c>')}${row('F3', '<c><f>1+1</f><v>2</v></c>')}${row('F4', '<c t="str"><f>""</f><v></v></c>')}`
    const { row: one, failures } = await imported('products', await book(sheet))
    assert.equal(one.created_count, 2)
    const told = (cell: string) =>
      `unit_price: Cell ${cell} has a formula without its value. Open the file in a spreadsheet program, and save it there.`
    assert.deepEqual(failures, { 2: told('C2'), 3: told('C3') })
  })

  it('is read as its number format shows it, with 15 significant digits', async () => {
    const formats = [
      'General',
      '0.00%',
      '0.0\\%',
      '"100%" 0',
      '00000',
      '[$-407]d\\. mmmm yyyy;@',
      '0.00;[Red]-0.00',
      '#,##0.00\\ "Tage"',
    ]
    const numFmts = formats.map((code, n) => `<numFmt numFmtId="${164 + n}" formatCode="${code.replaceAll('"', '&quot;')}"/>`)
    const xfs = formats.map((_, n) => `<xf numFmtId="${164 + n}"/>`)
    const cells: [style: number, value: string, shown: string][] = [
      [0, '0.30000000000000004', '0.3'],
      [0, '19.989999999999998', '19.99'],
      [0, '0.33333333333333331', '0.333333333333333'],
      [0, '123456789012345678.1234', '123456789012345678.1234'],
      [0, '1.50', '1.50'],
      [0, '1.5E-7', '0.00000015'],
      [0, '4.9301234567E11', '493012345670'],
      [1, '7.0000000000000007E-2', '7%'],
      [1, '0.072', '7.2%'],
      [2, '7', '7'],
      [3, '7', '7'],
      [4, '1067', '01067'],
      [5, '46053', '2026-01-31'],
      [6, '-1.5', '-1.5'],
      [7, '2', '2'],
    ]
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
    const head = cells.map((_, n) => text(`Column ${n}`)).join('')
    const row = cells.map(([style, value]) => `<c s="${style}"><v>${value}</v></c>`).join('')
    const styles = `<numFmts>${numFmts.join('')}</numFmts><cellXfs>${xfs.join('')}</cellXfs>`
    const { context } = await uploaded('contacts', await book(`<row>${head}</row><row>${row}</row>`, '', styles))
    assert.deepEqual(
      context.sample_rows[0],
      cells.map(([, , shown]) => shown),
    )
  })

  it('has its escapes undone, in texts of every kind', async () => {
    const escaped = 'a_x000D_\n_x005F_x0041_ _xD83D__xDE00_ _x00e4_ _x41_'
    const sheet = `<row><c t="inlineStr"><is><t>A</t></is></c><c t="inlineStr"><is><t>B</t></is></c><c t="inlineStr"><is><t>C</t></is></c></row>
      <row><c t="inlineStr"><is><t>${escaped}</t></is></c><c t="s"><v>0</v></c><c t="str"><f>1</f><v>${escaped}</v></c></row>`
    const { context } = await uploaded('contacts', await book(sheet, `<si><t>${escaped}</t></si>`))
    assert.deepEqual(context.sample_rows, [Array(3).fill('a\n_x0041_ 😀 ä _x41_')])
  })

  it('with a line break of Windows comes in with a line break', async () => {
    const { row } = await imported('contacts', caseFile('contacts-x000D.xlsx'), { mapping: { name: 'Name', address: 'Address' } })
    assert.equal(row.created_count, 1)
    const { id } = await found('/contacts?search=Ann')
    assert.equal((await owner.get(`/contacts/${id}`)).body.data.address, 'Weg 1\n10115 Berlin')
  })
})

it('what is exported as XLSX comes in as it was, whatever a spreadsheet would take for an escape', async () => {
  const notes = 'one _x000D_ two _x0041_\nthree _x005F_x000D_ _X0041_'
  const created = await owner.post('/vendors', { name: 'Round _x0041_ trip', notes, external_id: 'round-1' })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { raw } = await owner.get('/vendors/export?format=xlsx&external_id=round-1')
  assert.equal((await owner.put(`/vendors/${created.body.data.id}`, { name: 'Other', notes: 'other' })).status, 200)
  const { row, failures } = await imported('vendors', new File([raw as never], 'vendors.xlsx'))
  assert.partialDeepStrictEqual(row, { updated_count: 1 }, JSON.stringify(failures))
  const { data } = (await owner.get(`/vendors/${created.body.data.id}`)).body
  assert.partialDeepStrictEqual(data, { name: 'Round _x0041_ trip', notes })
})

describe('an error of a formula', () => {
  it('is an error of its row that names the cell, in CSV and XLSX', async () => {
    const errors = ['#N/A', '#DIV/0!', '#NV', '#BEZUG!', 'Err:502']
    const rows = errors.map((error, n) => `C${n},${error}`).join('\n')
    const { row, failures } = await imported('contacts', csv(`Name,Phone\n${rows}\nFine,#12\n`))
    assert.partialDeepStrictEqual(row, { created_count: 1, failed_count: errors.length })
    for (const [n, error] of errors.entries())
      assert.equal(
        failures[n + 2],
        `phone: Cell B${n + 2} has the error ${error} of a formula instead of a value. Correct it in the file, or empty the cell.`,
      )
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
    const sheet = `<row r="1">${text('Name')}${text('Phone')}</row><row r="5">${text('X')}<c r="B5" t="e"><v>#N/A</v></c></row>`
    const { failures: inBook } = await imported('contacts', await book(sheet))
    assert.match(inBook[5]!, /^phone: Cell B5 has the error #N\/A /)
  })

  it('is one in an import of leads too, and none in a column that isn’t mapped', async () => {
    const { body } = await owner.post('/leads/imports', { file: csv('Name,Phone,Note\nAnn,#N/A,\nBen,1,#REF!\n') })
    const path = `/leads/imports/${body.data.import.uuid}`
    assert.equal((await owner.put(path, { mapping: { name: 'Name', phone: 'Phone' } })).status, 200)
    const { data } = (await owner.post(`${path}/preview`)).body
    assert.partialDeepStrictEqual(data, { valid_rows: 1, invalid_rows: 1 })
    assert.match(data.sample_errors[0].errors.phone[0], /^Cell B2 has the error #N\/A/)
    assert.partialDeepStrictEqual(data.sample_records, [
      { row: 2, action: 'skipped', values: {} },
      { row: 3, action: 'created', values: { name: 'Ben', phone: '1' } },
    ])
  })
})

describe('a first line that names the delimiter of a CSV file', () => {
  it('is no row of the table', async () => {
    const { row } = await imported('contacts', caseFile('contacts-sep-line.csv'))
    assert.equal(row.created_count, 1)
    assert.partialDeepStrictEqual(await found('/contacts?search=Jürgen'), { name: 'Jürgen', email: 'j3@x.example' })
    for (const text of [
      '\ufeffsep=;\nName;Phone\nA,B;1\n',
      'SEP=|\rName|Phone\rA,B|1\r',
      '"sep=\t"\r\nName\tPhone\r\nA,B\t1\r\n',
    ]) {
      const { context } = await uploaded('contacts', csv(text))
      assert.partialDeepStrictEqual(context, { headers: ['Name', 'Phone'], sample_rows: [['A,B', '1']], header_row: 1 }, text)
    }
  })

  it('is a header where it names none', async () => {
    const { context } = await uploaded('contacts', csv('sep=x,Name\n1,2\n'))
    assert.deepEqual(context.headers, ['sep=x', 'Name'])
  })
})

describe('the table of a file', () => {
  it('is found below a title, and its rows are counted as a spreadsheet counts them', async () => {
    const { context } = await uploaded('contacts', caseFile('contacts-title-above-header.xlsx'))
    assert.partialDeepStrictEqual(context, {
      ...{ headers: ['Name', 'E-mail'], sample_rows: [['Ann', 'xe@x.example']], header_row: 2, sheet: 'S', sheets: ['S'] },
      suggested_mapping: { name: 'Name', email: 'E-mail' },
    })
    const foreign = 'Kunden 2026;;\n\nFirma;Ort;Umsatz\nNord;Kiel;7\n'
    const second = (await uploaded('contacts', csv(foreign))).context
    assert.partialDeepStrictEqual(second, { headers: ['Firma', 'Ort', 'Umsatz'], header_row: 3, sheet: null, sheets: [] })
  })

  it('is found on another sheet where the first one has none', async () => {
    const { context } = await uploaded('contacts', caseFile('contacts-data-on-second-sheet.xlsx'))
    assert.partialDeepStrictEqual(context, { headers: ['Name'], sheet: 'Data', sheets: ['S', 'Data'], header_row: 1 })
  })

  it('begins with its first row where nothing speaks for another one', async () => {
    for (const text of ['Firma;;\nNord;Kiel;7\n', 'Firma;Ort\nNord;Kiel\n', 'Firma\nName\n']) {
      const { context } = await uploaded('contacts', csv(text))
      assert.equal(context.header_row, 1, text)
    }
  })

  it('can be chosen, which takes the mapping away and leaves the file', async () => {
    const { import: one } = await uploaded('contacts', caseFile('contacts-title-above-header.xlsx'))
    const path = `/imports/${one.uuid}`
    assert.equal((await owner.put(path, { mapping: { name: 'Name' } })).status, 200)
    const last = await owner.put(`${path}/table`, { sheet: 'S', header_row: 1 })
    assert.partialDeepStrictEqual(last.body.data, {
      import: { status: 'uploaded', mapping: null, total_rows: 2, header_row: 1, headers: ['Customers 2026'], uuid: one.uuid },
      context: { headers: ['Customers 2026'], header_row: 1 },
    })
    assert.equal((await owner.put(`${path}/table`, { header_row: 2 })).status, 200)
    assert.equal((await owner.put(path, { mapping: { name: 'Name', email: 'E-mail' } })).status, 200)
    assert.equal((await owner.post(`${path}/run`)).status, 200)
    await world.drain()
    assert.partialDeepStrictEqual((await owner.get(path)).body.data, { status: 'completed', created_count: 1, total_rows: 1 })
    const again = await owner.put(`${path}/table`, { header_row: 2 })
    assert.partialDeepStrictEqual(again, {
      status: 422,
      body: { errors: { status: ['An import that is completed cannot be changed.'] } },
    })
  })

  it('is refused by the field where the file has no such one, and the import stays as it is', async () => {
    const { import: one } = await uploaded('contacts', caseFile('contacts-data-on-second-sheet.xlsx'))
    const path = `/imports/${one.uuid}`
    for (const [body, field] of [
      [{ sheet: 'None' }, 'sheet'],
      [{ sheet: 'S' }, 'file'],
      [{ header_row: 9 }, 'header_row'],
      [{ header_row: 2 }, 'file'],
      [{ header_row: 0 }, 'header_row'],
      [{}, 'sheet'],
    ] as const) {
      const { status, body: reply } = await owner.put(`${path}/table`, body)
      assert.deepEqual(
        { status, fields: Object.keys(reply.errors ?? {}) },
        { status: 422, fields: [field] },
        JSON.stringify(body),
      )
    }
    const text = await uploaded('contacts', csv('Name\nAnn\n'))
    assert.equal((await owner.put(`/imports/${text.import.uuid}/table`, { sheet: 'S' })).status, 422)
    assert.partialDeepStrictEqual((await owner.get(path)).body.data, { sheet: 'Data', total_rows: 1, headers: ['Name'] })
    assert.equal((await owner.put(path, { mapping: { name: 'Name' } })).status, 200)
    const member = await firm.user(['contacts.create'])
    assert.equal((await member.put(`${path}/table`, { header_row: 1 })).status, 404)
  })

  it('of leads is found and can be chosen in the same way', async () => {
    const { body } = await owner.post('/leads/imports', { file: caseFile('contacts-title-above-header.xlsx') })
    assert.partialDeepStrictEqual(body.data, {
      import: { header_row: 2, sheet: 'S' },
      context: { headers: ['Name', 'E-mail'], sheets: ['S'] },
    })
    const path = `/leads/imports/${body.data.import.uuid}`
    const chosen = await owner.put(`${path}/table`, { header_row: 1 })
    assert.partialDeepStrictEqual(chosen.body.data, { import: { total_rows: 2, mapping: null }, context: { header_row: 1 } })
    assert.equal((await owner.put(`${path}/table`, { header_row: 9 })).status, 422)
    const mapped = await owner.put(path, { mapping: { name: 'Customers 2026' } })
    assert.equal(mapped.status, 200, JSON.stringify(mapped.body))
    assert.partialDeepStrictEqual((await owner.post(`${path}/preview`)).body.data, { total_rows: 2, invalid_rows: 2 })
  })
})

describe('the notation of a file', () => {
  it('is recognised, and numbers and days are read by it', async () => {
    const rows = ['Desk;1.249,50;13/02/2026', 'Lamp;1.234;02/03/2026', 'Pen;2,5;03.03.2026', 'Wrong;n/a;3/3/2026']
    const { row, context, failures } = await imported('expenses', csv(`Title;Amount;Expense date\n${rows.join('\n')}\n`))
    assert.partialDeepStrictEqual(context, { decimal_sign: ',', group_sign: '.', day_order: 'dmy' })
    assert.partialDeepStrictEqual(row, { created_count: 3, failed_count: 1, decimal_sign: ',' })
    assert.deepEqual(failures, { 5: 'amount: Must be a number.' })
    assert.partialDeepStrictEqual(await found('/expenses?search=Desk'), { amount: 1249.5, expense_date: '2026-02-13' })
    assert.partialDeepStrictEqual(await found('/expenses?search=Lamp'), { amount: 1234, expense_date: '2026-03-02' })
  })

  it('can be chosen, and is never guessed for days that have two readings', async () => {
    const text = 'Title;Amount;Expense date\nChosen;1,234;02/03/2026\n'
    const first = await imported('expenses', csv(text))
    assert.deepEqual(first.row.created_count, 0)
    assert.match(first.failures[2]!, /expense_date/)
    const { row } = await imported('expenses', csv(text), { decimal_sign: '.', group_sign: ',', day_order: 'mdy' })
    assert.partialDeepStrictEqual(row, { created_count: 1, group_sign: ',', day_order: 'mdy' })
    assert.partialDeepStrictEqual(await found('/expenses?search=Chosen'), { amount: 1234, expense_date: '2026-02-03' })
    const { import: one, context } = await uploaded('expenses', csv(text))
    const same = await owner.put(`/imports/${one.uuid}`, {
      mapping: context.suggested_mapping,
      decimal_sign: ',',
      group_sign: ',',
    })
    assert.partialDeepStrictEqual(same, { status: 422, body: { errors: { group_sign: ['Must differ from decimal_sign.'] } } })
  })

  it('concerns texts alone: cells that are numbers and days stay what they are', async () => {
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
    const head = ['Title', 'Amount', 'Expense date'].map(text).join('')
    const rows = [
      `${text('Typed')}<c><v>1234.5</v></c><c s="1"><v>46053</v></c>`,
      `${text('Texts')}${text('1.234,5')}${text('01/02/2026')}`,
    ]
    const sheet = `<row>${head}</row>${rows.map((row) => `<row>${row}</row>`).join('')}`
    const file = await book(sheet, '', '<cellXfs><xf/><xf numFmtId="14"/></cellXfs>')
    const { row, failures } = await imported('expenses', file, { decimal_sign: ',', group_sign: '.', day_order: 'dmy' })
    assert.equal(row.created_count, 2, JSON.stringify(failures))
    assert.partialDeepStrictEqual(await found('/expenses?search=Typed'), { amount: 1234.5, expense_date: '2026-01-31' })
    assert.partialDeepStrictEqual(await found('/expenses?search=Texts'), { amount: 1234.5, expense_date: '2026-02-01' })
  })

  it('of leads is recognised too, and shown in the preview as it would be stored', async () => {
    const text = 'Name;Wert;Provision;Anruf\nJörg;12.500,50;7,5 %;13/12/2026\n'
    const { body } = await owner.post('/leads/imports', { file: csv(text) })
    assert.partialDeepStrictEqual(body.data.context, { decimal_sign: ',', group_sign: '.', day_order: 'dmy' })
    const path = `/leads/imports/${body.data.import.uuid}`
    const mapping = { name: 'Name', lead_value: 'Wert', commission_rate: 'Provision', follow_up_due_at: 'Anruf' }
    assert.equal((await owner.put(path, { mapping })).status, 200)
    const { data } = (await owner.post(`${path}/preview`)).body
    assert.partialDeepStrictEqual(data, {
      ...{ valid_rows: 1, sample_errors: [] },
      sample_records: [{ row: 2, action: 'created', values: { name: 'Jörg', lead_value: 12_500.5 } }],
    })
  })
})

describe('a preview', () => {
  it('shows the first records with the values that would be stored', async () => {
    const { import: one, context } = await uploaded('products', caseFile('products-percent-cell.xlsx'))
    await owner.put(`/imports/${one.uuid}`, { mapping: { ...context.suggested_mapping, sku: 'Name', name: 'SKU' } })
    const { data } = (await owner.post(`/imports/${one.uuid}/preview`)).body
    const [{ values, ...sample }] = data.sample_records
    assert.deepEqual(sample, { row: 2, action: 'created' })
    assert.deepEqual(
      { name: values.name, rate: Number(values.tax_rate), price: Number(values.unit_price) },
      { name: 'PCT1', rate: 19, price: 10 },
    )
  })
})

describe('a template', () => {
  const template = {
    ...{ module: 'expenses', name: 'Bank list', mapping: { title: 'Text', amount: 'Betrag', expense_date: 'Tag', notes: null } },
    ...{ header_row: 2, decimal_sign: ',', group_sign: '.', day_order: 'mdy' },
  }
  const file = () => csv('Liste;;\nText;Betrag;Tag\nFrom a template;1.234,50;02/03/2026\n')

  it('says how a file is read that is uploaded with it, or has its columns', async () => {
    const created = await owner.post('/imports/templates', template)
    assert.equal(created.status, 201, JSON.stringify(created.body))
    const { id } = created.body.data
    const { notes: _, ...mapping } = template.mapping
    assert.partialDeepStrictEqual(created.body.data, { ...template, mapping, sheet: null })
    const { import: one, context } = await uploaded('expenses', file(), { template_id: String(id) })
    assert.partialDeepStrictEqual(one, { decimal_sign: ',', group_sign: '.', day_order: 'mdy', header_row: 2 })
    assert.partialDeepStrictEqual(context, { suggested_mapping: mapping, day_order: 'mdy', template: { id, name: 'Bank list' } })
    assert.equal((await owner.put(`/imports/${one.uuid}`, { mapping: context.suggested_mapping })).status, 200)
    const { data } = (await owner.post(`/imports/${one.uuid}/preview`)).body
    assert.partialDeepStrictEqual(data.sample_records[0].values, { title: 'From a template', expense_date: '2026-02-03' })
    const recognised = (await uploaded('expenses', file())).context
    assert.partialDeepStrictEqual(recognised, { suggested_mapping: mapping, template: { id } })
    assert.equal((await uploaded('vendors', csv('Name\nX\n'))).context.template, null)
    const other = await owner.post('/imports', { module: 'vendors', file: file(), template_id: id })
    assert.partialDeepStrictEqual(other, {
      status: 422,
      body: { errors: { template_id: ['There is no such template of these records.'] } },
    })
  })

  it('is changed, listed and deleted by those who may import such records, and by nobody else', async () => {
    const { id } = (await owner.post('/imports/templates', { ...template, name: 'Shared' })).body.data
    const [may, mayNot] = [await firm.user(['expenses.create', 'expenses.view']), await firm.user(['vendors.view'])]
    const names = async (by: Person) =>
      (await by.get('/imports/templates?module=expenses')).body.data.map(({ name }: any) => name)
    assert.deepEqual(await names(may), ['Bank list', 'Shared'])
    assert.deepEqual(await names(mayNot), [])
    for (const { status } of [
      await mayNot.get(`/imports/templates/${id}`),
      await mayNot.put(`/imports/templates/${id}`, { name: 'Mine' }),
      await mayNot.del(`/imports/templates/${id}`),
      await mayNot.post('/imports/templates', template),
    ])
      assert.equal(status, 403)
    assert.partialDeepStrictEqual((await may.put(`/imports/templates/${id}`, { name: 'Ours', group_sign: null })).body.data, {
      name: 'Ours',
      group_sign: null,
    })
    const twice = await may.put(`/imports/templates/${id}`, { name: 'Bank list' })
    assert.partialDeepStrictEqual(twice, {
      status: 422,
      body: { errors: { name: ['Another template of these records has this name.'] } },
    })
    const signs = await may.put(`/imports/templates/${id}`, { group_sign: ',' })
    assert.deepEqual(Object.keys(signs.body.errors ?? {}), ['group_sign'])
    assert.equal((await may.del(`/imports/templates/${id}`)).status, 200)
    assert.equal((await may.get(`/imports/templates/${id}`)).status, 404)
    const none = await owner.post('/imports/templates', { ...template, module: 'invoices' })
    assert.deepEqual({ status: none.status, fields: Object.keys(none.body.errors ?? {}) }, { status: 422, fields: ['module'] })
    const stranger = (await world.workspace({ modules: ['expenses'] })).owner
    assert.deepEqual((await stranger.get('/imports/templates')).body.data, [])
  })

  it('may be one of leads, which have imports of their own', async () => {
    const created = await owner.post('/imports/templates', { module: 'leads', name: 'Fair', mapping: { name: 'Name' } })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    const mayNot = await firm.user(['leads.view'])
    assert.equal((await mayNot.get(`/imports/templates/${created.body.data.id}`)).status, 403)
  })
})

describe('numbers that are one in either notation', () => {
  const rows = 'Kettle;K;1.234\nPot;P;2.500'
  it('are read as the workspace writes numbers, where cells aren’t separated by commas', async () => {
    const german = await world.workspace({ modules: ['products', 'imports'] })
    assert.equal((await german.owner.put('/settings', { settings: { locale: 'de' } })).status, 200)
    const signs = async (text: string) => {
      const { status, body } = await german.owner.post('/imports', { module: 'products', file: csv(text) })
      assert.equal(status, 201, body.message)
      const { decimal_sign, group_sign } = body.data.context
      return { decimal_sign, group_sign }
    }
    assert.deepEqual(await signs(`Name;SKU;Unit price\n${rows}`), { decimal_sign: ',', group_sign: '.' })
    assert.deepEqual(await signs(`Name;SKU;Unit price\n${rows}\nPan;Q;1.5`), { decimal_sign: '.', group_sign: null })
    assert.deepEqual(await signs(`Name,SKU,Unit price\n${rows.replaceAll(';', ',')}`), { decimal_sign: '.', group_sign: null })
    assert.deepEqual(await signs('Name;SKU;Unit price\nKettle;K;1234'), { decimal_sign: '.', group_sign: null })
    const { context } = await uploaded('products', csv(`Name;SKU;Unit price\n${rows}`))
    assert.partialDeepStrictEqual(context, { decimal_sign: '.' })
  })
})

describe('a title above a table of a CSV file', () => {
  it('doesn’t decide what separates its cells', async () => {
    for (const title of ['Customers', 'Customers, all of them, as of today', '"Customers, and others"']) {
      const { context } = await uploaded(
        'contacts',
        csv(`${title}\n\nName;E-mail;Phone\nAnn;a@x.example;1,5\nBen;b@x.example;2,5`),
      )
      assert.deepEqual(context.headers, ['Name', 'E-mail', 'Phone'], title)
    }
  })
})
