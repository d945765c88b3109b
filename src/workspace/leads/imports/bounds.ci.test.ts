/** Limits of an uploaded file: memory, time, and how much storage it takes for how long. */
// CI stage: bounds
// Own process: memory is measured.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'
import { heldDuring } from '#test/held.ts'
import { workbookOf } from '#test/workbook.ts'
import { sweepImports } from './run.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['leads', 'storage'] })
})

const send = (name: string, content: string | Uint8Array, by = firm.owner) =>
  by.post('/leads/imports', { file: new File([content as never], name) })
const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]
const used = async () => (await firm.owner.get('/storage/usage')).body.data.storage_used_bytes as number
const allow = async (storage_allowance_bytes: number) =>
  assert.equal((await world.admin.put(`/tenants/${firm.id}`, { storage_allowance_bytes })).status, 200)
const left = async () =>
  (
    await world.sql(
      `SELECT (SELECT count(*)::int FROM stored_files) AS files, (SELECT count(*)::int FROM lead_imports) AS imports,
        (SELECT count(*)::int FROM lead_import_chunks) AS chunks, (SELECT count(*)::int FROM lead_import_uploads) AS uploads`,
    )
  )[0]

describe('a file that is more than it seems', () => {
  const rows = (count: number, row: string) => Array.from({ length: count }, () => row).join('')
  const shared = '<c t="s"><v>0</v></c>'

  it('is refused as a whole, and holds nobody up', async () => {
    const before = await left()
    const files: Record<string, string | Uint8Array> = {
      'a few texts in many cells.xlsx': await workbookOf(
        rows(6000, `<row>${shared.repeat(20)}</row>`),
        `<si><t>${'x'.repeat(9990)}</t></si>`,
      ),
      'nested.xlsx': await workbookOf('<a>'.repeat(3_000_000)),
      'one text.xlsx': await workbookOf(`<row><c t="str"><v>${'x'.repeat(10_000_000)}</v></c></row>`),
      'one attribute.xlsx': await workbookOf(`<row><c r="${'A'.repeat(10_000_000)}"><v>1</v></c></row>`),
      'columns.csv': ','.repeat(3_000_000),
      'lines.csv': '\n'.repeat(1_500_000),
      'quotes.csv': '"'.repeat(3_000_000),
      'a quote that never ends.csv': `Name\n"${'x\n'.repeat(1_500_000)}`,
      'one line.csv': 'x'.repeat(3_000_000),
    }
    const memory = process.memoryUsage.rss()
    for (const [name, content] of Object.entries(files)) {
      let reply: Reply
      const held = await heldDuring(async () => (reply = await send(name, content)))
      assert.deepEqual(refused(reply!), [422, ['file']], name)
      assert.ok(held < 1000, `${name}: ${held} ms`)
    }
    assert.ok(process.memoryUsage.rss() - memory < 300 * 1024 * 1024)
    assert.deepEqual(await left(), before)
    assert.equal(await used(), 0)
  })
})

describe('the rows of an import', () => {
  const file = `Name,Note\n${`Ann,${'x'.repeat(990)}\n`.repeat(1500)}`

  it('count as storage until it has been run', async () => {
    const { uuid } = (await send('a.csv', file)).body.data.import
    assert.ok((await used()) > file.length)
    await firm.owner.put(`/leads/imports/${uuid}`, { mapping: { name: 'Name' } })
    assert.equal((await firm.owner.post(`/leads/imports/${uuid}/run`)).status, 200)
    await world.drain()
    assert.equal((await firm.owner.get(`/leads/imports/${uuid}`)).body.data.status, 'completed')
    assert.equal(await used(), 0)
  })

  it('are refused where the workspace may not store as much', async () => {
    const before = await left()
    await allow(1_100_000)
    const reply = await send('a.csv', file)
    assert.deepEqual([...refused(reply), reply.body.code], [422, ['file'], 'STORAGE_QUOTA_EXCEEDED'])
    assert.deepEqual(await left(), before)
    assert.equal(await used(), 0)
    await allow(100_000_000)
  })

  it('go after a day with their file, where nobody runs it', async () => {
    const before = await left()
    world.clock.set('2027-03-01T10:00:00.000Z')
    const { uuid } = (await send('a.csv', file)).body.data.import
    await firm.owner.put(`/leads/imports/${uuid}`, { mapping: { name: 'Name' } })
    world.clock.set('2027-03-02T09:59:00.000Z')
    await firm.inside(sweepImports)
    assert.equal((await firm.owner.get(`/leads/imports/${uuid}`)).status, 200)
    world.clock.set('2027-03-02T10:01:00.000Z')
    await firm.inside(sweepImports)
    assert.equal((await firm.owner.get(`/leads/imports/${uuid}`)).status, 404)
    assert.deepEqual(await left(), before)
    assert.equal(await used(), 0)
  })
})

it('a user has one file read at a time', async () => {
  const file = `Name\n${'Ann\n'.repeat(20_000)}`
  const colleague = await firm.user(['leads.import'])
  const [first, second, other] = await Promise.all([send('a.csv', file), send('b.csv', file), send('c.csv', file, colleague)])
  assert.deepEqual([first.status, second.status].sort(), [201, 409])
  assert.equal([first, second].find(({ status }) => status === 409)!.body.code, 'IMPORT_UNDER_WAY')
  assert.equal(other.status, 201)
  assert.equal((await send('a.csv', file)).status, 201)
  await world.sql(`INSERT INTO lead_import_uploads VALUES ($1, $2, $3)`, [firm.id, firm.owner.id, '2027-03-02T10:11:00.000Z'])
  assert.equal((await send('a.csv', file)).status, 409, 'one whose process has died')
  world.clock.set('2027-03-02T10:11:01.000Z')
  assert.equal((await send('a.csv', file)).status, 201)
})
