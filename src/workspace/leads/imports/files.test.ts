/** Accepted files, how they are parsed, and rejected files, which leave nothing in storage. */
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { ZipFile } from 'yazl'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { workbookOf } from '#test/workbook.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['leads'] })
})

const send = (name: string, content: string | Uint8Array, by: Person = firm.owner) =>
  by.post('/leads/imports', { file: new File([content as never], name) })
const read = async (content: string | Uint8Array, name = 'leads.csv') => {
  const reply = await send(name, content)
  assert.equal(reply.status, 201, String(reply.raw))
  return reply.body.data.context as { headers: string[]; sample_rows: string[][]; suggested_mapping: Record<string, string> }
}
const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]

describe('a CSV file', () => {
  const text = 'Name,E-mail\r\nZoë Müller,zoe@example.test\r\n'
  const latin = Buffer.from(text, 'latin1')
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')

  it('may be in UTF-8 with and without a mark, in 16 bits of both kinds, and Windows-1252', async () => {
    const files: Record<string, Uint8Array> = {
      'utf-8': Buffer.from(text),
      'utf-8 with a mark': Buffer.from(`\ufeff${text}`),
      'utf-16le': utf16,
      'utf-16be': Buffer.from(utf16).swap16(),
      'windows-1252': latin,
    }
    for (const [encoding, content] of Object.entries(files)) {
      const { headers, sample_rows, suggested_mapping } = await read(content)
      assert.deepEqual([headers, sample_rows], [['Name', 'E-mail'], [['Zoë Müller', 'zoe@example.test']]], encoding)
      assert.deepEqual(suggested_mapping, { name: 'Name', email: 'E-mail' }, encoding)
    }
    assert.deepEqual((await read(Buffer.concat([latin, Buffer.from([0x80])]))).sample_rows[1], ['€', ''])
  })

  it('may be separated by commas, semicolons or tabs, with line breaks and separators in quotes', async () => {
    for (const char of [',', ';', '\t']) {
      const { headers, sample_rows } = await read(`Name${char}"Note${char} long"\n"A ""B"" C"${char}"one\r\ntwo${char}"\n`)
      assert.deepEqual([headers, sample_rows], [['Name', `Note${char} long`], [['A "B" C', `one\r\ntwo${char}`]]])
    }
  })

  it('may have blank lines, short rows, no headers for some columns, and the same one twice', async () => {
    const { headers, sample_rows } = await read('\n\nName,,Name\n\nAnn\n  ,,\nBob,1,2\n')
    assert.deepEqual(headers, ['Name', 'Column 2', 'Name (2)'])
    assert.deepEqual(sample_rows, [
      ['Ann', '', ''],
      ['Bob', '1', '2'],
    ])
  })

  it('of 100 columns is read', async () => {
    const cells = Array.from({ length: 100 }, (_, n) => `C${n}`)
    assert.equal((await read(`${cells}\n${cells}`)).headers.length, 100)
  })
})

describe('an XLSX file', () => {
  const cell = (at: string, text: string) => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`

  it('is read by its first sheet, with shared, rich and plain texts, numbers and gaps', async () => {
    const strings = '<si><t>Name</t></si><si><r><t>Ann </t></r><r><t>&amp; Co</t></r><rPh><t>x</t></rPh></si>'
    const header = `<row r="1"><c r="A1" t="s"><v>0</v></c>${cell('B1', 'Phone')}${cell('D1', 'Ok')}</row>`
    const row = '<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"><v>4.912345678E10</v></c><c r="D3" t="b"><v>1</v></c></row>'
    const { headers, sample_rows } = await read(await workbookOf(header + row, strings), 'leads.xlsx')
    assert.deepEqual([headers, sample_rows], [['Name', 'Phone', 'Column 3', 'Ok'], [['Ann & Co', '49123456780', '', 'true']]])
  })

  it('has days and times as such, by the formats of their cells', async () => {
    const formats =
      '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="165" formatCode="0 &quot;days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts>'
    const styles = `${formats}<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs>`
    const values = [46053, 46053, 46054.5, 46053, 0.5, 1] as const
    const row = (styles: number[]) => values.map((value, n) => `<c s="${styles[n]}"><v>${value}</v></c>`).join('')
    const sheet = `<row>${cell('A1', 'Name')}</row><row>${row([0, 1, 2, 3, 4, 1])}</row>`
    const days = async (properties = '') =>
      (
        await read(
          await workbookOf(
            sheet.replace('Name</t></is></c>', `Name</t></is></c>${'<c t="inlineStr"><is><t>x</t></is></c>'.repeat(5)}`),
            '',
            styles,
            properties,
          ),
          'a.xlsx',
        )
      ).sample_rows[0]
    assert.deepEqual(await days(), ['46053', '2026-01-31', '2026-02-01T12:00:00', '46053', '0.5', '1'])
    assert.deepEqual((await days('<workbookPr date1904="1"/>'))!.slice(1, 3), ['2030-02-01', '2030-02-02T12:00:00'])
  })

  it('may be our own template', async () => {
    const { status, bytes } = (await fetchTemplate('xlsx')) as { status: number; bytes: Buffer }
    assert.equal(status, 200)
    const { headers, suggested_mapping } = await read(bytes, 'template.xlsx')
    assert.equal(Object.keys(suggested_mapping).length, headers.length)
  })

  it('that is none, is torn or too large inside is refused', async () => {
    const good = await workbookOf(`<row>${cell('A1', 'Name')}</row><row>${cell('A2', 'Ann')}</row>`)
    const wide = await workbookOf(`<row>${cell('A1', 'Name')}${cell('ZZZ1', 'x')}</row>`)
    const bomb = await workbookOf(`<row>${cell('A1', 'Name')}</row>`, ' '.repeat(61 * 1024 * 1024))
    const other = new ZipFile()
    other.addBuffer(Buffer.from('x'), 'a.txt')
    other.end()
    const zip = await buffer(other.outputStream as NodeJS.ReadableStream)
    for (const content of [wide, bomb, zip, good.subarray(0, good.length - 30), good.subarray(0, 200)])
      assert.deepEqual(refused(await send('a.xlsx', content)), [422, ['file']], `${content.length}`)
  })
})

const fetchTemplate = async (format: string) => {
  const reply = await world.app.inject({
    url: `/api/tenant/v1/leads/import/template?format=${format}`,
    headers: { authorization: `Bearer ${firm.owner.token}` },
  } as never)
  return { status: (reply as any).statusCode, bytes: (reply as any).rawPayload }
}

it('the template has a column for everything, and one row (LEAD-60)', async () => {
  const { body } = await firm.owner.post('/leads/imports', {
    file: new File([((await fetchTemplate('csv')) as any).bytes], 'template.csv'),
  })
  const { import: made, context } = body.data
  assert.deepEqual([made.total_rows, context.headers.length], [1, 21])
  await firm.owner.put(`/leads/imports/${made.uuid}`, { mapping: context.suggested_mapping })
  await firm.owner.post(`/leads/imports/${made.uuid}/run`)
  await world.drain()
  const [lead] = (await firm.owner.get('/leads?search=Lovelace')).body.data
  assert.equal(lead.phone, '+1 212 555 0100', 'without what keeps spreadsheets from reading a formula')
  assert.deepEqual(refused(await firm.owner.get('/leads/import/template?format=pdf')), [422, ['format']])
})

it('an assignee whose name another user has too is exported by the address', async () => {
  const { owner, user } = await world.workspace({ modules: ['leads'] })
  const seller = await user(['leads.view'], 'Bob Both')
  await user(['leads.view'], 'bob both')
  await owner.post('/leads', { name: 'Given', lead_type: 'direct', phone: '+49 30 998877', assigned_to: seller.id })
  const exported = (await owner.get('/leads/export')).raw
  assert.ok(exported.toString().includes(seller.email))
  const made = (await owner.post('/leads/imports', { file: new File([exported as never], 'leads.csv') })).body.data
  const { uuid } = made.import
  await owner.put(`/leads/imports/${uuid}`, { mapping: { ...made.context.suggested_mapping, status: 'Name' } })
  await owner.post(`/leads/imports/${uuid}/run`)
  await world.drain()
  const text = (await owner.get(`/leads/imports/${uuid}/failed-records`)).raw.toString()
  assert.match(text, /,'\+49 30 998877,/, 'guarded once')
})

for (const format of ['csv', 'xlsx'])
  it(`what was exported as ${format} is imported by the mapping that is suggested`, async () => {
    const from = await world.workspace({ modules: ['leads'] })
    const to = await world.workspace({ modules: ['leads'] })
    const seller = await from.user(['leads.view'], 'Una Unique')
    for (const workspace of [to]) await workspace.user(['leads.view'], 'Una Unique')
    const leads = [
      { name: 'Given', email: 'given@x.test', assigned_to: seller.id, lead_value: 1234.5, priority: 'high', company: '=Acme' },
      { name: 'Own', email: 'own@x.test', phone: '+1 212 555 0100', status: 'waiting', lead_type: 'company', company: 'Own Ltd' },
    ]
    for (const lead of leads) assert.equal((await from.owner.post('/leads', { lead_type: 'direct', ...lead })).status, 201)
    const exported = await from.owner.get(`/leads/export?format=${format}`)
    assert.equal(exported.status, 200)
    const made = await to.owner.post('/leads/imports', { file: new File([exported.raw as never], `leads.${format}`) })
    const { import: one, context } = made.body.data
    await to.owner.put(`/leads/imports/${one.uuid}`, { mapping: context.suggested_mapping })
    await to.owner.post(`/leads/imports/${one.uuid}/run`)
    await world.drain()
    const { body } = await to.owner.get('/leads', { query: { sort: 'name', direction: 'asc' } })
    const seen = body.data.map((lead: any) => [
      lead.name,
      lead.email,
      lead.phone,
      lead.company,
      lead.lead_value,
      lead.priority,
      lead.status,
    ])
    assert.deepEqual(seen, [
      ['Given', 'given@x.test', null, '=Acme', 1234.5, 'high', 'active'],
      ['Own', 'own@x.test', '+1 212 555 0100', 'Own Ltd', null, 'medium', 'waiting'],
    ])
    assert.deepEqual(
      body.data.map((lead: any) => lead.assignee.name),
      ['Una Unique', 'Olive Owner'],
    )
  })

it('what can’t be imported is refused and leaves nothing', async () => {
  const left = async () =>
    (
      await world.sql(
        `SELECT (SELECT count(*) FROM stored_files) AS files, (SELECT count(*) FROM lead_imports) AS imports, (SELECT count(*) FROM lead_import_chunks) AS chunks`,
      )
    )[0]
  const before = await left()
  const files: { name: string; content: string | Uint8Array }[] = [
    { name: 'a.csv', content: '' },
    { name: 'a.csv', content: '\n\n' },
    { name: 'a.csv', content: 'Name,E-mail\n' },
    { name: 'a.csv', content: 'Name\n"Ann' },
    { name: 'a.csv', content: 'Name\nA\0nn' },
    { name: 'a.csv', content: `Name\n${'x'.repeat(10_001)}` },
    { name: 'a.csv', content: `Name\n${'x'.repeat(300_000)}` },
    { name: 'a.csv', content: `${'x'.repeat(256)}\nAnn` },
    { name: 'a.csv', content: `${Array(101).fill('C')}\n1` },
    { name: 'a.csv', content: `Name\n${Array(101).fill('C')}` },
    { name: 'a.csv', content: `Name\n${'Ann\n'.repeat(100_001)}` },
    { name: 'a.csv', content: await workbookOf('<row/>') },
    { name: 'a.xlsx', content: 'Name\nAnn' },
    { name: 'a.txt', content: 'Name\nAnn' },
    { name: 'a.csv', content: Buffer.from('%PDF-1.7\n') },
    { name: 'a.csv', content: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
  ]
  for (const { name, content } of files)
    assert.deepEqual(refused(await send(name, content)), [422, ['file']], `${name}: ${content.slice(0, 20)}`)
  assert.deepEqual(refused(await firm.owner.post('/leads/imports', {})), [422, ['file']])
  assert.equal((await send('a.csv', Buffer.alloc(50 * 1024 * 1024 + 1, 'a'))).status, 413)
  assert.deepEqual(await left(), before)
})
