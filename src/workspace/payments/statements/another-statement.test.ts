/** Statements of one account: equal entries in two of them are two, equal entries in two files of one are one. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { type Person, startTest } from '#test/harness.ts'
import { statementXml } from './samples.ts'

const world = await startTest()
const fixtures = join(import.meta.dirname, '../../../../test/fixtures/bank-statements')
const fixture = (name: string) => readFileSync(join(fixtures, name), 'utf8')
let owner: Person

/** Entries of earlier tests would be recognised: each test has a workspace of its own. */
beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
  owner = (await world.workspace({ modules: ['invoices', 'payments', 'companies', 'contacts'] })).owner
})

const upload = (content: string, fields: object = {}) =>
  owner.post('/bank-statements', { ...fields, file: new File([content], 'statement') })

async function readIn(content: string, fields: object = {}): Promise<number> {
  const { status, body } = await upload(content, fields)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.new_entries
}

async function amounts(): Promise<number[]> {
  const { data } = (await owner.get('/bank-transactions', { query: { per_page: 100 } })).body
  return data.map(({ amount }: any) => amount)
}

const day = '2026-11-19'
const bare = { amount: '71.11', text: 'same', name: 'Yan', bank: '', endToEnd: 'NOTPROVIDED' }

interface Setting {
  id: string
  sequence?: string | undefined
  opening?: string
  closing?: string
  count?: number
  entry?: object
  from?: string
}

/** A statement of one day, or from an earlier one. */
function statement({ id, sequence, opening = '100.00', closing = '171.11', count = 1, entry = {}, from }: Setting): string {
  const [begun = '', ended = '', rest = ''] = statementXml({
    ...{ id, day, version: '08' },
    entries: Array.from({ length: count }, () => ({ ...bare, ...entry })),
  })
    .replace('<ElctrncSeqNb>225</ElctrncSeqNb>', sequence === undefined ? '' : `<ElctrncSeqNb>${sequence}</ElctrncSeqNb>`)
    .split(/(?<=<Bal>.*?<Amt Ccy="EUR">)[\d.]+(?=<\/Amt><CdtDbtInd>CRDT<\/CdtDbtInd><Dt>)/)
  const xml = `${begun}${opening}${ended}${closing}${rest}`
  return from ? xml.replace(/(PRCD.*?<Dt><Dt>)[\d-]+/, `$1${from}`) : xml
}

const message = { 'camt.052': 'BkToCstmrAcctRpt Rpt', 'camt.054': 'BkToCstmrDbtCdtNtfctn Ntfctn' }
function as(kind: keyof typeof message, xml: string) {
  const [outer, inner] = message[kind].split(' ') as [string, string]
  return xml
    .replace('camt.053', kind)
    .replaceAll(/(<\/?)BkToCstmrStmt>/g, `$1${outer}>`)
    .replaceAll(/(<\/?)Stmt>/g, `$1${inner}>`)
}

const mt940 = (number: string, [opening, closing]: [string, string], count = 1) =>
  [
    ...[':20:STARTUMS', ':25:37040044/0532013000', `:28C:${number}`, `:60F:C261119EUR${opening}`],
    ...Array.from({ length: count }, () => [':61:2611191119CR71,11NTRFNONREF', ':86:166?00GUTSCHRIFT?20SVWZ+same?32Yan']).flat(),
    ...[`:62F:C261119EUR${closing}`, '-', ''],
  ].join('\r\n')

const morning = { id: 'A', sequence: '1', opening: '100.00', closing: '171.11' }
const afternoon = { id: 'B', sequence: '2', opening: '171.11', closing: '242.22' }

describe('an entry without a reference', () => {
  it('is another one in the next statement of the day', async () => {
    assert.equal(await readIn(statement(morning)), 1)
    assert.equal(await readIn(statement(afternoon)), 1)
    assert.deepEqual(await amounts(), [71.11, 71.11])
  })

  it('is another one by contiguous balances alone, by the sequence alone, or by other balances at both ends', async () => {
    for (const [amount, first, second] of [
      ['1.00', { id: 'A' }, { id: 'B', opening: '171.11', closing: '172.11' }],
      ['2.00', { id: 'A', sequence: '1' }, { id: 'B', sequence: '2' }],
      ['3.00', { id: 'A', sequence: '1' }, { id: 'B', sequence: '1', opening: '5000.00', closing: '5003.00' }],
    ] as const) {
      const entry = { amount }
      assert.equal(await readIn(statement({ ...first, entry })), 1, amount)
      assert.equal(await readIn(statement({ ...second, entry })), 1, amount)
    }
    assert.equal((await amounts()).length, 6)
  })

  it('is another one where it has neither text nor day', async () => {
    assert.equal(await readIn(fixture('camt053-entry-without-dates.xml')), 1)
    assert.equal(await readIn(fixture('camt053-five-decimals.xml')), 1)
    assert.deepEqual(await amounts(), [10, 10])
  })

  it('is the same one where the statement comes again, in any of its files and in any order', async () => {
    const [one, two] = [statement(morning), statement(afternoon)]
    const later = (xml: string) => xml.replaceAll('20:15:00', '20:16:00')
    const counts = []
    for (const xml of [two, one, one, later(two), later(one), later(later(two)).replace('<Id>B<', '<Id>C<')])
      counts.push(await readIn(xml))
    assert.deepEqual(counts, [1, 1, 0, 0, 0, 0])
    assert.equal((await amounts()).length, 2)
  })

  it('is the same one in exports of overlapping periods, and in those of one period that has grown', async () => {
    assert.equal(await readIn(statement({ id: 'A', sequence: '1', from: '2026-11-10' })), 1)
    assert.equal(await readIn(statement({ id: 'B', sequence: '2', from: '2026-11-15', opening: '60.00' })), 0)
    assert.equal(await readIn(statement({ id: 'C', from: '2026-11-10', closing: '242.22', count: 2 })), 1)
    assert.equal((await amounts()).length, 2)
  })

  it('stays one through report, notification, MT940 and CSV of each statement', async () => {
    const { id } = (
      await owner.post('/bank-csv-mappings', {
        ...{ name: 'Bank', account: 'DE89370400440532013000', currency: 'EUR', booked_on_column: 'Tag' },
        ...{ amount_column: 'Betrag', counterparty_name_column: 'Name', remittance_column: 'Text' },
      })
    ).body.data
    const row = '19.11.2026;71,11;Yan;same\n'
    const csv = `Tag;Betrag;Name;Text\n${row}`
    const steps: [name: string, content: string, expected: number, fields?: object][] = [
      ['report of the morning', as('camt.052', statement({ ...morning, id: 'R1' })), 1],
      ['statement of the morning', statement(morning), 0],
      ['MT940 of the morning', mt940('1/1', ['100,00', '171,11']), 0],
      ['CSV at noon', csv, 0, { mapping_id: String(id) }],
      ['notification', as('camt.054', statement({ id: 'N1' })), 0],
      ['MT940 of the afternoon', mt940('2/1', ['171,11', '242,22']), 1],
      ['statement of the afternoon', statement(afternoon), 0],
      ['report of the day', as('camt.052', statement({ id: 'R2', count: 2, closing: '242.22' })), 0],
      ['CSV in the evening', `${csv}${row}`, 0, { mapping_id: String(id) }],
      ['notifications', as('camt.054', statement({ id: 'N2', count: 2 })), 0],
    ]
    for (const [name, content, expected, fields] of steps) assert.equal(await readIn(content, fields), expected, name)
    assert.deepEqual(await amounts(), [71.11, 71.11])
  })

  it('is counted within its statement, beside equal ones of another', async () => {
    assert.equal(await readIn(statement({ ...morning, count: 2, closing: '242.22' })), 2)
    const next = statement({ ...afternoon, count: 3, opening: '242.22', closing: '455.55' })
    assert.equal(await readIn(next), 3)
    assert.equal(await readIn(next.replaceAll('20:15:00', '20:16:00')), 0)
    assert.equal((await amounts()).length, 5)
  })

  it('is one where both files of its statement come at the same time, beside the next statement', async () => {
    const files = [statement(morning), statement(morning).replaceAll('20:15:00', '20:16:00'), statement(afternoon)]
    const replies = await Promise.all(files.map((content) => upload(content)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 201, 201],
    )
    assert.equal((await amounts()).length, 2)
  })
})

describe('an entry with the bank’s reference', () => {
  it('is the same one, whatever statement brings it', async () => {
    assert.equal(await readIn(statement({ ...morning, entry: { bank: 'REF-1' } })), 1)
    assert.equal(await readIn(statement({ ...afternoon, entry: { bank: 'REF-1' } })), 0)
  })
})
