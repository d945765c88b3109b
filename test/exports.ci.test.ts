/** Complete exports of lists: in batches, as CSV and XLSX, over HTTP, in constant memory. */
// CI stage: bounds
// Also in CI: debian
// Own process: memory is measured.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { z } from 'zod'
import { type Column, unguarded } from '#kernel/export/columns.ts'
import { csv } from '#kernel/export/csv.ts'
import { sheetName, xlsx } from '#kernel/export/xlsx.ts'
import { batches } from '#kernel/records/batches.ts'
import type { ListQuery } from '#kernel/records/listing.ts'
import { view } from '#kernel/records/view.ts'
import { orderList } from '#workspace/purchase-orders/orders.ts'
import { startChild } from './child.ts'
import { startTest, type Workspace } from './harness.ts'

const MEGABYTE = 1024 * 1024
const world = await startTest()
let firm: Workspace
let vendor: number

before(async () => {
  firm = await world.workspace({ modules: ['vendors', 'purchase-orders'], timezone: 'Asia/Tokyo', currency: 'EUR' })
  vendor = (await firm.owner.post('/vendors', { name: '=cmd|calc' })).body.data.id
})

/** Inserts orders by SQL; many have equal sort columns, and some have none. */
const fill = (workspace: Workspace, vendorId: number, count: number) =>
  world.sql(
    `INSERT INTO purchase_orders (tenant_id, number, title, status, vendor_id, currency, tax_rounding, order_date, subtotal, tax_total, total, created_at, updated_at)
     SELECT $1, 'B-' || lpad(n::text, 7, '0'), 'Order ' || n % 7, CASE WHEN n % 3 = 0 THEN 'sent' ELSE 'draft' END, $2, 'EUR', 'line',
       CASE WHEN n % 4 > 0 THEN date '2026-01-01' + n % 5 END, n, n * 0.19, n * 1.19,
       timestamptz '2026-02-01 10:00:00.123456+00' + (n / 3) * interval '1 microsecond', now() FROM generate_series(1, $3::int) n`,
    [workspace.id, vendorId, count],
  )

describe('batches', () => {
  let full: Workspace
  before(async () => {
    full = await world.workspace({ modules: ['vendors', 'purchase-orders'] })
    const id = (await full.owner.post('/vendors', { name: 'V' })).body.data.id
    await fill(full, id, 30)
  })

  const Numbers = view('purchase_orders', 'Numbers', { number: z.string() })
  async function read(query: Partial<ListQuery>, size: number) {
    const seen: string[] = []
    const sizes: number[] = []
    for await (const rows of batches(orderList, query as ListQuery, (work) => full.inside(work), Numbers, size)) {
      sizes.push(rows.length)
      seen.push(...rows.map(({ number }) => number))
    }
    return { seen, sizes }
  }

  it('bring each row once, in the order of the list, whatever the size: ties, nulls, microseconds, both directions', async () => {
    for (const sort of [undefined, 'created_at', 'order_date', 'title', 'total', 'status', 'number'])
      for (const direction of [undefined, 'asc', 'desc'] as const) {
        const query = { ...(sort && { sort }), ...(direction && { direction }) }
        const list = await full.owner.get('/purchase-orders', { query: { ...query, per_page: 100 } })
        const expected = list.body.data.map(({ number }: { number: string }) => number)
        assert.equal(expected.length, 30)
        for (const size of sort ? [7, 15] : [1, 7, 15, 100])
          assert.deepEqual((await read(query, size)).seen, expected, JSON.stringify({ query, size }))
      }
  })

  it('follow the filters, and end with the last full batch', async () => {
    const { seen, sizes } = await read({ status: 'sent' }, 5)
    assert.deepEqual([seen.length, sizes], [10, [5, 5]])
    assert.deepEqual((await read({ status: 'received' }, 10)).sizes, [])
  })

  it('hold fewer rows where these are long', async () => {
    const long = await world.workspace({ modules: ['vendors', 'purchase-orders'] })
    await fill(long, (await long.owner.post('/vendors', { name: 'V' })).body.data.id, 150)
    await world.sql(`UPDATE purchase_orders SET notes = repeat('x', 200000) WHERE tenant_id = $1`, [long.id])
    const Notes = view('purchase_orders', 'Notes', { number: z.string(), notes: z.string().nullable() })
    const sizes: number[] = []
    for await (const rows of batches(orderList, {} as ListQuery, (work) => long.inside(work), Notes)) sizes.push(rows.length)
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      150,
    )
    const [first, ...others] = sizes
    assert.ok(first! <= 25 && Math.max(...others) <= 20, sizes.join(' '))
  })

  it('read no further than they are asked', async () => {
    let reads = 0
    const counted: typeof full.inside = (work) => {
      reads++
      return full.inside(work)
    }
    const rows = batches(orderList, {} as ListQuery, counted, Numbers, 10)
    for await (const _ of rows) break
    assert.equal(reads, 1)
  })
})

interface Row {
  text: string | null
  amount: string | null
  day: string | null
  at: string | null
}
const columns: Column<Row>[] = [
  { key: 'text', title: 'Text', format: 'text' },
  { key: 'amount', title: 'Amount', format: 'money' },
  { key: 'day', title: 'Day', format: 'date' },
  { key: 'at', title: 'At', format: 'instant' },
]
const empty: Row = { text: null, amount: null, day: null, at: null }
async function* given(...rows: Row[]) {
  yield rows
}

describe('CSV', () => {
  const text = async (rows: AsyncIterable<Row[]>) => (await Array.fromAsync(csv(columns, rows, 1))).join('')

  it('has a byte order mark, a header and quoted cells', async () => {
    const rows = given({ text: 'a "b", c\r\nd', amount: '12.50', day: '2026-01-31', at: '2026-01-31T23:00:00.000Z' }, empty)
    assert.equal(
      await text(rows),
      '\ufeffText,Amount,Day,At\r\n"a ""b"", c\r\nd",12.50,2026-01-31,2026-01-31T23:00:00.000Z\r\n,,,\r\n',
    )
  })

  it('has no formulas in text, and real negative numbers', async () => {
    for (const start of ['=', '+', '-', '@', '\t', '\r']) {
      const [, line] = (await text(given({ ...empty, text: `${start}1`, amount: '-1' }))).split('\r\n')
      assert.ok(line!.replace('"', '').startsWith(`'${start}1`), start)
      assert.match(line!, /,-1,/)
    }
  })

  it('is read again as it was written, titles too, and holds no formula', async () => {
    const part = fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '"',
      '""',
      ',',
      ';',
      "'",
      '=',
      '+',
      '-',
      '@',
      '\t',
      ' ',
      '\ufeff',
      '＝',
      'a',
      'é',
      '😀',
    )
    const cell = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
    const table = fc.integer({ min: 1, max: 4 }).chain((width) => {
      const row = fc.array(cell, { minLength: width, maxLength: width })
      return fc.tuple(row, fc.array(row, { maxLength: 4 }))
    })
    await fc.assert(
      fc.asyncProperty(table, async ([titles, rows]) => {
        const columns = titles.map(
          (title, n): Column<string[]> => ({ key: `${n}`, title, format: 'text', value: (row) => row[n] }),
        )
        async function* some() {
          yield rows
        }
        const file = (await Array.fromAsync(csv(columns, some(), 1))).join('')
        const read: string[][] = parse(file, { bom: true, record_delimiter: '\r\n' })
        assert.ok(
          read.flat().every((text) => !/^[=+\-@\t\r\n＝＋－＠]/.test(text)),
          file,
        )
        assert.deepEqual(
          read.map((row) => row.map(unguarded)),
          [titles, ...rows],
        )
        // Parsers that accept any line break find equal cells: line breaks occur in quotes only.
        assert.deepEqual(parse(file, { bom: true, record_delimiter: ['\r\n', '\n', '\r'] }), read)
      }),
      { numRuns: 500 },
    )
  })
})

/** Returns the parts of a ZIP file, by its central directory. */
function unzip(bytes: Buffer) {
  const end = bytes.lastIndexOf('PK\x05\x06')
  const parts: Record<string, string> = {}
  for (let n = 0, at = bytes.readUInt32LE(end + 16); n < bytes.readUInt16LE(end + 10); n++) {
    const [size, name, extra, comment, start] = [
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
      bytes.readUInt32LE(at + 42),
    ]
    const data = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    parts[bytes.toString('utf8', at + 46, at + 46 + name)] = inflateRawSync(bytes.subarray(data, data + size)).toString()
    at += 46 + name + extra + comment
  }
  return parts
}
const cellsOf = (sheet: string) =>
  [...sheet.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row]) =>
    [...row!.matchAll(/<c(?: s="(\d)")?(?: t="(\w+)")?(?:\/>|>(.*?)<\/c>)/gs)].map(([, style, type, inner = '']) =>
      type === 'inlineStr' ? inner.replace(/<[^>]*>/g, '') : inner ? `${style}:${inner.replace(/<[^>]*>/g, '')}` : null,
    ),
  )

describe('XLSX', () => {
  const parts = async (rows: AsyncIterable<Row[]>, options = {}) =>
    unzip(
      Buffer.concat(
        await Array.fromAsync(xlsx(columns, rows, { name: 'Orders', timezone: 'Asia/Tokyo', workspace: 1, ...options })),
      ),
    )

  it('has real numbers and dates, and instants in the workspace’s time', async () => {
    const old = { text: '=1', amount: '-0.5', day: '1900-02-28', at: '2026-07-01T00:00:00.000Z' }
    const sheet = (
      await parts(given({ text: 'a', amount: '1234567890.12', day: '2026-01-31', at: '2026-01-31T15:00:00.000Z' }, old, empty))
    )['xl/worksheets/sheet1.xml']!
    assert.deepEqual(cellsOf(sheet), [
      ['Text', 'Amount', 'Day', 'At (Asia/Tokyo)'],
      ['a', '2:1234567890.12', '3:46053', '4:46054'],
      ["'=1", '2:-0.5', '1900-02-28', '4:46204.375'],
      [null, null, null, null],
    ])
    assert.match(sheet, /<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"\/>/)
    assert.match(sheet, /<col min="4" max="4" width="20" customWidth="1"\/>/)
  })

  it('writes any text so that XML and Excel take it', async () => {
    const text = 'a<b>&"c"\u0000\u0008\ud800 _x0041_\r\nß'
    const sheet = (await parts(given({ ...empty, text }, { ...empty, text: 'x'.repeat(40_000) })))['xl/worksheets/sheet1.xml']!
    const [, [first], [second]] = cellsOf(sheet) as string[][] as [string[], string[], string[]]
    assert.equal(first, 'a&lt;b&gt;&amp;"c"\ufffd _x005F_x0041_\nß')
    assert.equal(second!.length, 32_767)
  })

  it('goes on in another sheet where one is full, and has one where there are no rows', async () => {
    const rows = Array.from({ length: 5 }, (_, n) => ({ ...empty, text: `r${n}` }))
    const split = await parts(given(...rows), { rowsPerSheet: 3, name: 'A & B' })
    const texts = [1, 2, 3].map((n) => cellsOf(split[`xl/worksheets/sheet${n}.xml`]!).map(([text]) => text))
    assert.deepEqual(texts, [
      ['Text', 'r0', 'r1'],
      ['Text', 'r2', 'r3'],
      ['Text', 'r4'],
    ])
    assert.match(split['xl/workbook.xml']!, /name="A &amp; B".*name="A &amp; B 2".*name="A &amp; B 3"/)
    assert.deepEqual(cellsOf((await parts(given()))['xl/worksheets/sheet1.xml']!).length, 1)
  })

  it('has a sheet name that Excel takes', () => {
    for (const { given, name } of [
      { given: 'a/b:c', name: 'a b c' },
      { given: "'x'", name: 'x' },
      { given: 'History', name: 'Sheet' },
      { given: '', name: 'Sheet' },
      { given: 'x'.repeat(99), name: 'x'.repeat(28) },
    ] as const)
      assert.equal(sheetName(given), name)
  })

  it('fails when its rows do', async () => {
    async function* failing() {
      yield [empty]
      throw new Error('lost')
    }
    await assert.rejects(parts(failing()), /lost/)
  })
})

describe('purchase orders', () => {
  const file = (query: Record<string, string> = {}, who = firm.owner) => who.get('/purchase-orders/export', { query })
  const linesOf = (raw: Buffer) => raw.toString().replace('\ufeff', '').trim().split('\r\n')

  before(async () => {
    world.clock.set('2026-03-01T20:00:00.000Z')
    const line = { description: 'x', quantity: 2, unit_price: 10.5, tax_rate: 10 }
    const own = { vendor_id: vendor, title: '+1, "quoted"', lines: [line], order_date: '2026-03-05' }
    await firm.owner.post('/purchase-orders', own)
    await firm.owner.post('/purchase-orders', {
      vendor_id: vendor,
      title: 'Yen',
      currency: 'JPY',
      lines: [{ ...line, unit_price: 1000 }],
    })
  })

  it('are exported by those who may, with the filters of the list', async () => {
    assert.equal((await world.anonymous.get('/purchase-orders/export')).status, 401)
    const viewer = await firm.user(['purchase-orders.view'])
    assert.equal((await file({}, viewer)).status, 403)
    const wrong = await file({ format: 'pdf', status: 'lost', sort: 'notes' })
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors!).sort()], [422, ['format', 'sort', 'status']])
    assert.equal(linesOf((await file({ search: 'yen' })).raw).length, 2)
    assert.equal(linesOf((await file({ status: 'sent' })).raw).length, 1)
    const own = await firm.user(['purchase-orders.export'])
    assert.equal(linesOf((await file({}, own)).raw).length, 1, 'nothing is assigned to them')
  })

  it('are a CSV file of the workspace’s day', async () => {
    const { status, headers, raw } = await file({ sort: 'number' })
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    assert.ok(String(headers['content-disposition']).startsWith('attachment; filename="purchase-orders-2026-03-02.csv"'))
    const [titles, first, second] = parse(raw, { bom: true }) as string[][]
    const columns =
      'ID,Number,Title,Status,Vendor,Currency,Order date,Expected date,Assigned to,Subtotal,Tax total,Total,Converted expense,Creator,External,Created at,Updated at,Deleted at,Notes,Lines'
    assert.equal(titles!.join(), columns)
    const at = (row: string[] | undefined, ...names: string[]) => names.map((name) => row![titles!.indexOf(name)])
    const told = ['Number', 'Title', 'Vendor', 'Currency', 'Subtotal', 'Tax total', 'Total', 'Order date', 'Created at']
    assert.deepEqual(at(first, ...told), [
      ...['PO-00001', `'+1, "quoted"`, "'=cmd|calc", 'EUR', '21', '2.1', '23.1', '2026-03-05', '2026-03-01T20:00:00.000Z'],
    ])
    assert.deepEqual(at(second, ...told).slice(3, 8), ['JPY', '2000', '200', '2200', ''])
    const line = { description: 'x', quantity: 2, unit_price: 10.5, tax_rate: 10, sort_order: 0 }
    assert.deepEqual(JSON.parse(at(first, 'Lines')[0]!), [line])
  })

  it('are an XLSX file', async () => {
    const { headers, raw } = await file({ sort: 'number', format: 'xlsx' })
    assert.equal(headers['content-type'], 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    assert.ok(String(headers['content-disposition']).startsWith('attachment; filename="purchase-orders-2026-03-02.xlsx"'))
    const parts = unzip(raw)
    const [header, first] = cellsOf(parts['xl/worksheets/sheet1.xml']!)
    assert.deepEqual([header!.length, header![15]], [20, 'Created at (Asia/Tokyo)'])
    assert.deepEqual([first![6], ...first!.slice(9, 12)], ['3:46086', '2:21', '2:2.1', '2:23.1'])
    assert.match(parts['xl/workbook.xml']!, /<sheet name="purchase-orders"/)
  })

  describe('by the thousand', () => {
    const ROWS = Number(process.env.EXPORT_ROWS ?? 10_000)
    let big: Workspace
    let child: Awaited<ReturnType<typeof startChild>>
    before(async () => {
      big = await world.workspace({ modules: ['vendors', 'purchase-orders'] })
      await fill(big, (await big.owner.post('/vendors', { name: 'V' })).body.data.id, ROWS)
      await world.sql('ANALYZE purchase_orders')
      // A small heap, because V8 delays garbage collection as long as it may; live data takes 50 MB.
      child = await startChild(world, ['--max-old-space-size=112'])
    })
    after(() => child.stop())
    const get = (query: string) =>
      fetch(`${child.url}/api/tenant/v1/purchase-orders/export?${query}`, {
        headers: { authorization: `Bearer ${big.owner.token}` },
      })

    it('are read by a user six at a time: who leaves files unread begins no more of them', async () => {
      const unread = await Promise.all(
        ['csv', 'xlsx', 'ndjson', 'csv', 'xlsx', 'ndjson'].map((format) => get(`format=${format}`)),
      )
      assert.ok(unread.every(({ status }) => status === 200))
      const refused = await get('format=csv')
      assert.deepEqual([refused.status, ((await refused.json()) as any).code], [503, 'EXPORTS_BUSY'])
      assert.match(refused.headers.get('retry-after')!, /^\d+$/)
      for (const { body } of unread) await body!.cancel()
      for (let tries = 0; ; tries++) {
        const again = await get('format=csv&status=received')
        await again.arrayBuffer()
        if (again.status === 200) break
        assert.ok(tries < 100)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })

    it('move the memory by less than 40 MB', async (t) => {
      for (const format of ['csv', 'xlsx']) {
        await (await get(`format=${format}`)).arrayBuffer() // warm-up of the process
        let bytes = 0
        let lines = 0
        const began = performance.now()
        const rise = await child.riseDuring(async () => {
          for await (const chunk of (await get(`format=${format}`)).body!) {
            bytes += chunk.length
            if (format === 'csv') for (const byte of chunk) if (byte === 10) lines++
          }
        })
        const seconds = ((performance.now() - began) / 1000).toFixed(1)
        t.diagnostic(
          `${ROWS} rows as ${format}: ${bytes} bytes in ${seconds} s, memory rose by ${(rise / MEGABYTE).toFixed(1)} MB`,
        )
        assert.ok(rise < 40 * MEGABYTE)
        if (format === 'csv') assert.equal(lines, ROWS + 1)
      }
    })
  })
})
