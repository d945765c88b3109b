/** Bank files: dialects and formats, returned payments, charges, and entries that occur in several files. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeEach, describe, it } from 'node:test'
import { ZipFile } from 'yazl'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { statementXml } from './samples.ts'

const world = await startTest()
const modules = ['invoices', 'payments', 'companies', 'contacts']
const fixtures = join(import.meta.dirname, '../../../../test/fixtures/bank-statements')
const fixture = (name: string) => readFileSync(join(fixtures, name), 'utf8')
let firm: Workspace
let owner: Person

/** Entries of earlier tests would be recognised, so each test has its own workspace. */
beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
  firm = await world.workspace({ modules })
  owner = firm.owner
})

/** Form values are texts. */
const formOf = (fields: object) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))

const upload = (content: string | Buffer, name = 'statement', fields: object = {}) =>
  owner.post('/bank-statements', { ...formOf(fields), file: new File([Buffer.from(content)], name) })

async function readIn(content: string | Buffer, fields: object = {}) {
  const { status, body } = await upload(content, 'statement', fields)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

async function transactions(): Promise<any[]> {
  const { data } = (await owner.get('/bank-transactions', { query: { per_page: 100, sort: 'created_at' } })).body
  return data.toSorted((a: any, b: any) => a.id - b.id)
}

async function readOnly(content: string | Buffer) {
  await readIn(content)
  const rows = await transactions()
  assert.equal(rows.length, 1, JSON.stringify(rows))
  return (await owner.get(`/bank-transactions/${rows[0].id}`)).body.data
}

async function invoice(total: number) {
  const { body } = await owner.post('/invoices', {
    ...{ title: 'Coffee', currency: 'EUR', lines: [{ name: 'Coffee', quantity: 1, unit_price: total }] },
  })
  const sent = await owner.post(`/invoices/${body.data.id}/send`)
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return sent.body.data
}

const amounts = (rows: any[]) => rows.map(({ amount }) => amount)
const payments = async () => Number((await world.sql('SELECT count(*) FROM payments WHERE tenant_id = $1', [firm.id]))[0].count)

const day = '2026-11-19'
const plain = (entry: object = {}) => statementXml({ id: 'S', day, version: '08', entries: [{ amount: '10.00', ...entry }] })

describe('a CAMT statement', () => {
  it('has amounts with leading zeros and with five decimals', async () => {
    const zeros = await readIn(fixture('camt053-leading-zeros.xml'))
    const decimals = await readIn(fixture('camt053-five-decimals.xml'))
    assert.partialDeepStrictEqual(zeros.statements[0], { opening_balance: 149.87, closing_balance: 159.87, new_entries: 1 })
    assert.partialDeepStrictEqual(decimals.statements[0], { opening_balance: 5442.09, closing_balance: 5452.09 })
    assert.deepEqual(amounts(await transactions()), [10, 10])
  })

  it('has amounts in every spelling of xs:decimal', async () => {
    for (const [text, amount] of [
      ['.50', 0.5],
      ['+5.00', 5],
      ['7.', 7],
      ['0012.3', 12.3],
    ] as const) {
      const { entries, statements } = await readIn(plain({ amount: '10.00' }).replaceAll('>10.00<', `>${text}<`))
      const [{ id }] = statements
      const { data } = (await owner.get('/bank-transactions', { query: { bank_statement_id: id } })).body
      assert.deepEqual([entries, amounts(data)], [1, [amount]], text)
    }
  })

  it('is refused whole where an amount can’t be booked exactly, with the entry named', async () => {
    for (const [text, message] of [
      ['10.00001', /over 10\.00001 EUR, which has at most 2 decimals/],
      ['10.123456', /amount that can’t be read/],
      ['123456789012345', /more than can be held/],
      ['1e3', /amount that can’t be read/],
      ['-10.00', /amount that can’t be read/],
    ] as const) {
      const { status, body } = await upload(plain().replaceAll('>10.00<', `>${text}<`))
      assert.equal(status, 422, text)
      assert.match(body.errors!.file![0]!, message)
    }
    assert.deepEqual(await transactions(), [])
  })

  it('never rounds a balance: one with a fifth decimal, or with too many digits, is left out', async () => {
    for (const balance of ['1000.00001', '123456789012345678']) {
      const { statements } = await readIn(plain().replace('>1000.00<', `>${balance}<`))
      assert.partialDeepStrictEqual(statements[0], { opening_balance: null, closing_balance: 1010 })
    }
  })

  it('gives its day to entries without one', async () => {
    const { booked_on, value_date, counterparty_name } = await readOnly(fixture('camt053-entry-without-dates.xml'))
    assert.deepEqual({ booked_on, value_date, counterparty_name }, { booked_on: day, value_date: null, counterparty_name: 'Ann' })
  })

  it('splits a batch less charges, and proposes the invoices that its parts name', async () => {
    const xml = fixture('camt053-batch-less-charges.xml')
    const [one, two] = [await invoice(100), await invoice(50)]
    const { statements } = await readIn(xml.replace('INV-00030', one.number).replace('INV-00031', two.number))
    const rows = await transactions()
    assert.deepEqual(
      rows.map(({ amount, bank_charges, counterparty_name }) => ({ amount, bank_charges, counterparty_name })),
      [
        { amount: 100, bank_charges: null, counterparty_name: 'Ann Ash' },
        { amount: 48, bank_charges: 2, counterparty_name: 'Bob' },
      ],
    )
    const { certain, suggested } = (await owner.get(`/bank-statements/${statements[0].id}/proposals`)).body.data
    assert.partialDeepStrictEqual(certain, [{ transaction_id: rows[0].id, invoices: [{ invoice_id: one.id, amount: 100 }] }])
    assert.partialDeepStrictEqual(suggested, [{ transaction_id: rows[1].id, invoices: [{ invoice_id: two.id, amount: 48 }] }])
  })

  it('splits a batch whose charges are named for the whole: they are a transaction of their own', async () => {
    const xml = fixture('camt053-batch-less-charges.xml')
    const charges = '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">2.00</TtlChrgsAndTaxAmt></Chrgs>'
    await readIn(xml.replace(charges, '').replace('<NtryDtls>', `${charges}<NtryDtls>`))
    const rows = await transactions()
    assert.deepEqual(amounts(rows), [100, 50, -2])
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['open', 'open', 'outgoing'],
    )
  })

  it('has further texts of a transaction read', async () => {
    const { number, id } = await invoice(10)
    const row = await readOnly(
      plain({ text: 'Thanks' }).replace('</TxDtls>', `<AddtlTxInf>Invoice ${number}</AddtlTxInf></TxDtls>`),
    )
    assert.equal(row.remittance, `Thanks\nInvoice ${number}`)
    assert.deepEqual(
      row.certain.map(({ invoice_id }: any) => invoice_id),
      [id],
    )
  })

  it('is read within an envelope, as elements, as text and in Base64', async () => {
    const xml = plain()
    const document = xml.replace(/<\?xml.*?\?>\s*/, '')
    const escaped = xml.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    for (const [index, envelope] of [
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><r xmlns="urn:bank">${document}</r></s:Body></s:Envelope>`,
      `<StandardBusinessDocument xmlns="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader">${document}</StandardBusinessDocument>`,
      `<answer><file>${escaped}</file></answer>`,
      `<answer><file><![CDATA[${xml}]]></file></answer>`,
      `<answer><file>${Buffer.from(xml).toString('base64')}</file></answer>`,
    ].entries()) {
      const { statements, new_entries } = await readIn(envelope)
      assert.equal(statements[0].account, 'DE89370400440532013000')
      assert.equal(new_entries, index === 0 ? 1 : 0)
    }
  })

  it('in Base64 is read in the encoding that it declares or marks itself', async () => {
    const xml = (encoding: string, name: string) => plain({ name, bank: `${encoding}-${name.length}` }).replace('UTF-8', encoding)
    const polish = xml('windows-1250', 'PLACE').split('PLACE')
    for (const [bytes, name] of [
      [Buffer.from(xml('ISO-8859-1', 'Jürgen'), 'latin1'), 'Jürgen'],
      [Buffer.concat([Buffer.from(polish[0]!), Buffer.from('a3f3649f', 'hex'), Buffer.from(polish[1]!)]), 'Łódź'],
      [Buffer.from(`\ufeff${xml('utf-16', 'Zoë')}`, 'utf16le'), 'Zoë'],
      [Buffer.from(`\ufeff${xml('utf-16', 'Chloé')}`, 'utf16le').swap16(), 'Chloé'],
      [Buffer.from(`\ufeff${xml('utf-8', 'Ünal')}`), 'Ünal'],
    ] as const) {
      await readIn(`<a><b>\n${bytes.toString('base64').replaceAll(/.{76}/g, '$&\n')}</b></a>`)
      assert.equal((await transactions()).at(-1).counterparty_name, name)
    }
  })

  it('is refused where a day can’t be read, in place of booking the entry on another day', async () => {
    const withoutDays = plain().replace(/<BookgDt>.*<\/ValDt>/, '')
    for (const xml of [
      plain().replace(`<BookgDt><Dt>${day}`, '<BookgDt><Dt>2026-02-30'),
      plain().replace(`<ValDt><Dt>${day}`, '<ValDt><Dt>2026-02-30'),
      withoutDays.replaceAll(`${day}</Dt></Dt></Bal>`, '2026-02-30</Dt></Dt></Bal>'),
    ]) {
      const { status, body } = await upload(xml)
      assert.equal(status, 422)
      assert.deepEqual(body.errors!.file, ['Has a day that can’t be read, “2026-02-30” (statement S, entry 1).'])
    }
    assert.deepEqual(await transactions(), [])
  })

  it('is refused with the amount and its place, and with the formats that are read', async () => {
    const two = statementXml({ id: 'S', day, version: '08', entries: [{ amount: '7.00' }, { amount: '10.00' }] })
    for (const [content, message] of [
      [two.replaceAll('>10.00<', '>1,0<'), 'Has an amount that can’t be read, “1,0” (statement S, entry 2).'],
      [two.replace('>1000.00<', '>1 000<'), 'Has an amount that can’t be read, “1 000” (statement S, balance PRCD).'],
      [
        plain().replace('camt.053.001.08', 'camt.053.001.99'),
        'Is CAMT.053 in version 99; what is read are statements in CAMT.052, CAMT.053, CAMT.054 (ISO 20022), MT940 and CSV.',
      ],
    ] as const) {
      const { status, body } = await upload(content)
      assert.equal(status, 422)
      assert.deepEqual(body.errors!.file, [message])
    }
  })

  it('is refused where its envelope is nested too deep, or holds no statement', async () => {
    for (const [content, message] of [
      [`${'<a>'.repeat(100)}${'</a>'.repeat(100)}`, /nested/],
      ['<e><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"/></e>', /Is <e>; what is read/],
      ['<e><![CDATA[<?xml version="1.0"?><Document xmlns="urn:x">]]></e>', /Is no XML that can be read/],
    ] as const) {
      const { status, body } = await upload(content)
      assert.equal(status, 422)
      assert.match(body.errors!.file![0]!, message)
    }
  })
})

describe('a reversal', () => {
  it('is one in each spelling of xs:boolean, and is never booked by itself', async () => {
    const { number } = await invoice(10)
    for (const [n, text] of ['1', 'true', ' 1 ', 'TRUE'].entries()) {
      await readIn(plain({ text: number, isReversal: true, bank: `R${n}` }).replace('>true</RvslInd>', `>${text}</RvslInd>`))
      const { id } = (await transactions()).at(-1)
      const row = (await owner.get(`/bank-transactions/${id}`)).body.data
      assert.partialDeepStrictEqual(row, { is_reversal: true, certain: [] })
      const reply = await owner.post(`/bank-transactions/${id}/match`)
      assert.partialDeepStrictEqual(reply, { status: 422 }, text)
    }
    assert.equal(await payments(), 0)
  })

  it('is none where the indicator is 0 or false', async () => {
    for (const [n, text] of ['0', 'false'].entries()) {
      await readIn(plain({ isReversal: true, bank: `N${n}` }).replace('>true</RvslInd>', `>${text}</RvslInd>`))
      assert.equal((await transactions()).at(-1).is_reversal, false, text)
    }
  })
})

describe('a returned debit', () => {
  const returned = (number: string) => fixture('camt053-returned-debit.xml').replace('INV-00033', number)
  const pay = async (invoiceId: number, amount: number) =>
    (
      await owner.post('/payments', {
        ...{ amount, currency: 'EUR', method: 'bank_transfer', paid_at: '2026-11-10' },
        allocations: [{ invoice_id: invoiceId, amount }],
      })
    ).body.data

  it('keeps reason and counterparty, and is linked to the payment that it takes back', async () => {
    const { id, number } = await invoice(50)
    const payment = await pay(id, 50)
    const row = await readOnly(returned(number))
    assert.partialDeepStrictEqual(row, {
      ...{ status: 'outgoing', amount: -50, is_reversal: true, return_reason: 'AM04', return_information: 'Not enough balance' },
      ...{ counterparty_name: 'Ann Ash', counterparty_iban: 'NL91ABNA0417164300', end_to_end_id: number },
      returned_payment_id: payment.id,
      returned_payment: { id: payment.id, number: payment.number, status: 'posted' },
    })
    assert.equal((await owner.get(`/payments/${payment.id}`)).body.data.status, 'posted', 'nothing is voided by itself')
  })

  it('is linked when its payment is posted later, by hand or from the bank', async () => {
    const { id, number } = await invoice(50)
    assert.equal((await readOnly(returned(number))).returned_payment_id, null)
    const payment = await pay(id, 50)
    const [row] = await transactions()
    assert.equal(row.returned_payment_id, payment.id)
    assert.equal((await owner.post(`/payments/${payment.id}/void`)).status, 200)
    assert.partialDeepStrictEqual((await transactions())[0], { returned_payment: { id: payment.id, status: 'voided' } })
  })

  it('is linked by the reference of the payer to a payment that was matched', async () => {
    const { id } = await invoice(50)
    const collected = statementXml({
      ...{ id: 'IN', day: '2026-11-12', version: '08' },
      entries: [{ amount: '50.00', endToEnd: 'MANDATE-7', name: 'Ann Ash' }],
    })
    await readIn(collected)
    await readIn(returned('MANDATE-7'))
    const [first] = await transactions()
    const matched = await owner.post(`/bank-transactions/${first.id}/match`, { allocations: [{ invoice_id: id, amount: 50 }] })
    assert.equal(matched.status, 200, JSON.stringify(matched.body))
    assert.equal((await transactions())[1].returned_payment_id, matched.body.data.payment_id)
  })

  it('with charges is linked to the payment over the original amount', async () => {
    const { id, number } = await invoice(50)
    const payment = await pay(id, 50)
    const more = returned(number)
      .replace('<Amt Ccy="EUR">50.00</Amt>', '<Amt Ccy="EUR">53.50</Amt>')
      .replace('<RltdPties>', '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">3.50</TtlChrgsAndTaxAmt></Chrgs><RltdPties>')
    assert.partialDeepStrictEqual(await readOnly(more), { amount: -53.5, bank_charges: 3.5, returned_payment_id: payment.id })
  })

  it('is linked to nothing where several payments fit, or one of another amount, or none', async () => {
    const { id, number } = await invoice(100)
    await pay(id, 50)
    await pay(id, 50)
    const other = await invoice(49)
    await pay(other.id, 49)
    for (const named of [number, other.number, 'INV-99999']) {
      await readIn(returned(named).replaceAll('RET1', `RET-${named}`))
      assert.equal((await transactions()).at(-1).returned_payment_id, null, named)
    }
  })

  it('is known by its transaction code alone, of ISO 20022 or of German banks', async () => {
    const plainReturn = fixture('camt053-returned-debit.xml').replace(/<RtrInf>.*<\/RtrInf>/, '')
    const codes: [string, boolean, string | null][] = [
      ['<Domn><Cd>PMNT</Cd><Fmly><Cd>IDDT</Cd><SubFmlyCd>UPDD</SubFmlyCd></Fmly></Domn>', true, null],
      ['<Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn>', true, null],
      ['<Prtry><Cd>NRTI+109+00931+906</Cd><Issr>DK</Issr></Prtry>', true, '906'],
      ['<Prtry><Cd>NRTI+159+00931</Cd><Issr>ZKA</Issr></Prtry>', true, null],
      ['<Prtry><Cd>109</Cd><Issr>DK</Issr></Prtry>', true, null],
      ['<Prtry><Cd>109</Cd></Prtry>', false, null],
      ['<Prtry><Cd>NTRF+166+00931+906</Cd><Issr>DK</Issr></Prtry>', false, null],
      ['<Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn>', false, null],
    ]
    for (const [n, [code, is_reversal, return_reason]] of codes.entries()) {
      await readIn(plainReturn.replaceAll(/<BkTxCd>.*?<\/BkTxCd>/g, `<BkTxCd>${code}</BkTxCd>`).replace('RET1', `RET${n}`))
      const row = (await transactions()).at(-1)
      assert.deepEqual({ is_reversal: row.is_reversal, return_reason: row.return_reason }, { is_reversal, return_reason }, code)
      assert.equal(row.counterparty_name, is_reversal ? 'Ann Ash' : 'Harbour Coffee', code)
    }
  })
})

describe('an entry that several files bring', () => {
  const message = {
    'camt.052': 'BkToCstmrAcctRpt Rpt',
    'camt.053': 'BkToCstmrStmt Stmt',
    'camt.054': 'BkToCstmrDbtCdtNtfctn Ntfctn',
  }
  /** Converts the statement to another message type. */
  function as(kind: keyof typeof message, xml: string) {
    const [outer, inner] = message[kind].split(' ') as [string, string]
    return xml
      .replace('camt.053', kind)
      .replaceAll(/(<\/?)BkToCstmrStmt>/g, `$1${outer}>`)
      .replaceAll(/(<\/?)Stmt>/g, `$1${inner}>`)
  }
  const entry = {
    amount: '70.00',
    text: 'Rent of tables',
    name: 'Ann Ash',
    iban: 'NL91ABNA0417164300',
    endToEnd: 'E-70',
    bank: 'REF70',
  }
  const file = (id: string, more: object = {}) => statementXml({ id, day, version: '08', entries: [{ ...entry, ...more }] })

  it('is taken once, in any order of report, notification and statement', async () => {
    for (const [n, order] of [
      ['camt.052', 'camt.053', 'camt.054'],
      ['camt.054', 'camt.052', 'camt.053'],
      ['camt.053', 'camt.054', 'camt.052'],
    ].entries()) {
      const counts = []
      for (const kind of order) {
        const { statements, new_entries } = await readIn(
          as(kind as keyof typeof message, file(`${kind}-${n}`, { bank: `REF-${n}`, endToEnd: `E-${n}`, text: `Text ${n}` })),
        )
        assert.equal(statements[0].format, kind)
        counts.push(new_entries)
      }
      assert.deepEqual(counts, [1, 0, 0], order.join())
    }
  })

  it('is known by any reference that it has in both, and completed by what the later file says', async () => {
    const bare = { text: undefined, name: undefined, iban: undefined }
    await readIn(as('camt.052', file('R', { ...bare, bank: '', endToEnd: 'E-70' })))
    await readIn(file('S'))
    const rows = await transactions()
    assert.equal(rows.length, 1)
    assert.partialDeepStrictEqual(rows[0], {
      ...{ status: 'open', remittance: 'Rent of tables', counterparty_name: 'Ann Ash', bank_reference: 'REF70' },
    })
  })

  it('stays matched to its payment when the statement comes', async () => {
    const { number } = await invoice(70)
    await readIn(as('camt.052', file('R', { text: number })))
    const [row] = await transactions()
    assert.equal((await owner.post(`/bank-transactions/${row.id}/match`)).status, 200)
    const { statements, new_entries } = await readIn(file('S', { text: number }))
    assert.equal(new_entries, 0)
    assert.equal((await owner.post(`/bank-statements/${statements[0].id}/match`)).body.data.matched, 0)
    assert.equal(await payments(), 1)
  })

  it('is another one where references, payers or texts differ', async () => {
    await readIn(as('camt.052', file('R')))
    const others = [{ bank: 'OTHER' }, { endToEnd: 'E-71' }, { iban: 'DE02120300000000202051' }]
    for (const [n, other] of others.entries())
      assert.equal((await readIn(file(`S${n}`, other))).new_entries, 1, JSON.stringify(other))
    const textOnly = { bank: '', endToEnd: 'NOTPROVIDED', amount: '71.00' }
    await readIn(as('camt.052', file('R2', { ...textOnly, text: 'First delivery' })))
    assert.equal((await readIn(file('S-text', { ...textOnly, text: 'Second delivery' }))).new_entries, 1)
  })

  it('is counted as often as it is in the fuller file', async () => {
    const twin = { ...entry, bank: '', endToEnd: 'NOTPROVIDED' }
    const twins = (id: string, count: number) =>
      statementXml({ id, day, version: '08', entries: Array.from({ length: count }, () => twin) })
    await readIn(as('camt.052', twins('R', 1)))
    assert.equal((await readIn(twins('S', 3))).new_entries, 2)
    assert.equal((await readIn(as('camt.054', twins('N', 3)))).new_entries, 0)
  })

  it('is split by a notification that names its parts, whichever comes first', async () => {
    const batch = [
      { amount: '30.00', text: 'a', name: 'A' },
      { amount: '40.00', text: 'b', name: 'B' },
    ]
    for (const [n, order] of [['whole', 'parts', 'whole'] as const, ['parts', 'whole', 'parts'] as const].entries()) {
      const files = {
        whole: file(`S${n}`, { bank: `BATCH${n}`, text: undefined, name: undefined, iban: undefined, endToEnd: undefined }),
        parts: as('camt.054', file(`N${n}`, { bank: `BATCH${n}`, batch })),
      }
      const earlier = (await transactions()).length
      for (const [at, kind] of order.entries()) await readIn(files[kind].replace('20:15', `20:1${at}`))
      assert.deepEqual(amounts((await transactions()).slice(earlier)), [30, 40], order.join())
    }
  })

  it('is taken once where both files come at the same time', async () => {
    const files = [as('camt.052', file('R')), file('S'), as('camt.054', file('N'))]
    const replies = await Promise.all(files.map((content) => upload(content)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 201, 201],
    )
    assert.equal((await transactions()).length, 1)
  })
})

describe('a CSV file of a bank', () => {
  const mapping = {
    ...{ name: 'Savings bank', account: 'DE89370400440532013000', currency: 'EUR' },
    ...{ booked_on_column: 'Buchungstag', value_date_column: 'Valutadatum', amount_column: 'Betrag' },
    ...{ counterparty_name_column: 'Beguenstigter/Zahlungspflichtiger', counterparty_iban_column: 'Kontonummer/IBAN' },
    ...{ remittance_column: 'Verwendungszweck', further_remittance_column: 'Buchungstext', currency_column: 'Waehrung' },
  }
  const header =
    '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";"Betrag";"Waehrung"'
  const rows = [
    '"DE89370400440532013000";"19.11.26";"20.11.26";"GUTSCHRIFT";"Rechnung 7; danke";"Käsehaus Müller";"NL91 ABNA 0417 1643 00";"1.234,56";"EUR"',
    '"DE89370400440532013000";"18.11.26";"18.11.26";"LASTSCHRIFT";"Strom";"Stadtwerke";"";"-50,00";"EUR"',
  ]
  const csv = [header, ...rows].join('\r\n')
  const create = async (more: object = {}) => {
    const { status, body } = await owner.post('/bank-csv-mappings', { ...mapping, ...more })
    assert.equal(status, 201, JSON.stringify(body))
    return body.data
  }
  const preview = (id: number, content: string | Buffer) =>
    owner.post(`/bank-csv-mappings/${id}/preview`, { file: new File([Buffer.from(content)], 'umsatz.csv') })

  it('is read by a saved mapping, after a preview that stores nothing', async () => {
    const { id } = await create()
    const latin = Buffer.from(csv, 'latin1')
    const { status, body } = await preview(id, latin)
    assert.equal(status, 200, JSON.stringify(body))
    assert.partialDeepStrictEqual(body.data, {
      ...{ entries: 2, problems: [], headers: header.replaceAll('"', '').split(';') },
      transactions: [
        { booked_on: day, value_date: '2026-11-20', amount: 1234.56, currency: 'EUR', counterparty_name: 'Käsehaus Müller' },
        { booked_on: '2026-11-18', amount: -50, counterparty_iban: null, remittance: 'Strom\nLASTSCHRIFT' },
      ],
    })
    assert.deepEqual(await transactions(), [])
    const { statements } = await readIn(latin, { mapping_id: id })
    assert.partialDeepStrictEqual(statements[0], {
      ...{ format: 'csv', account: 'DE89370400440532013000', from_date: '2026-11-18', to_date: day, entries: 2, new_entries: 2 },
    })
    assert.partialDeepStrictEqual(await transactions(), [
      { amount: 1234.56, counterparty_iban: 'NL91ABNA0417164300', remittance: 'Rechnung 7; danke\nGUTSCHRIFT', status: 'open' },
      { amount: -50, status: 'outgoing' },
    ])
    assert.equal((await readIn(`${csv}\r\n`, { mapping_id: id })).new_entries, 0)
  })

  it('is read in other dialects: no header, points, signs, debits and credits, days by month', async () => {
    const plainMapping = {
      ...{ header_row: 0, delimiter: 'comma', decimal_sign: 'point', currency_column: null, counterparty_iban_column: null },
      ...{ booked_on_column: '1', value_date_column: null, counterparty_name_column: '2', remittance_column: null },
      ...{ further_remittance_column: null },
    }
    const signed = await create({ ...plainMapping, name: 'Signs', date_order: 'ymd', amount_column: '3', sign_column: '4' })
    const sides = await create({
      ...{ ...plainMapping, name: 'Sides', date_order: 'mdy', amount_column: null, debit_column: '3', credit_column: '4' },
    })
    for (const [id, content, expected] of [
      [signed.id, '20261119,Ann,"1,000.50",Bij\n20261120,Bob,7,Af\n', [1000.5, -7]],
      [signed.id, '2026-11-19T10:00:00,Ann,5.00,C\n2026-11-20,Bob,"(8.00)",D\n', [5, -8]],
      [sides.id, '11/19/2026,Ann,,12.5\n11/20/26,Bob,3.25,0.00\nTotal,,,\n', [12.5, -3.25]],
    ] as const) {
      const { status, body } = await preview(id, content)
      assert.equal(status, 200, JSON.stringify(body))
      const [first, second] = body.data.transactions
      assert.deepEqual(amounts([first, second]), expected, JSON.stringify(body.data))
      assert.deepEqual([first.booked_on, second.booked_on], ['2026-11-19', '2026-11-20'])
    }
  })

  it('with rows that can’t be read is refused with the first of them, and the preview lists all', async () => {
    const { id } = await create()
    const bad = [
      rows[0]!.replace('1.234,56', '1234.56'),
      rows[0]!.replace('19.11.26', '31.02.26'),
      rows[0]!.replace('1.234,56', '1,234'),
      rows[0]!.replace('"EUR"', '"ZZZ"'),
    ]
    const content = [header, ...bad, ...rows].join('\n')
    const { problems, entries } = (await preview(id, content)).body.data
    assert.equal(entries, 2)
    assert.deepEqual(
      problems.map((text: string) => text.slice(0, 27)),
      [
        'Row 2: Has no amount that c',
        'Row 3: Has no day that can ',
        'Row 4: Has an entry over 1.',
        'Row 5: Has an entry in ZZZ,',
      ],
    )
    const { status, body } = await upload(content, 'umsatz.csv', { mapping_id: id })
    assert.equal(status, 422)
    assert.match(body.errors!.file![0]!, /^Row 2: Has no amount/)
    assert.deepEqual(await transactions(), [])
  })

  it('begins with its header or with a line that names the delimiter', async () => {
    const { id } = await create()
    const commas = csv.replaceAll('";"', '","')
    for (const content of [`sep=;\r\n${csv}`, `\ufeffsep=;\n${csv}`, `"sep=,"\r\n${commas}`]) {
      const { status, body } = await preview(id, content)
      assert.equal(status, 200, JSON.stringify(body))
      assert.partialDeepStrictEqual(body.data, { entries: 2, problems: [], headers: header.replaceAll('"', '').split(';') })
    }
    const second = await create({ name: 'Header below it', header_row: 2 })
    assert.equal((await preview(second.id, `sep=;\n${csv}`)).body.data.entries, 2)
    const { problems } = (await preview(id, `sep=;\n${csv.replace('19.11.26', '31.02.26')}`)).body.data
    assert.deepEqual(problems, ['Row 3: Has no day that can be read: “31.02.26”.'])
    assert.equal((await readIn(`sep=;\r\n${csv}`, { mapping_id: id })).new_entries, 2)
  })

  it('has rows without a day, such as totals, counted and passed over; a day that can’t be read is a problem', async () => {
    const { id } = await create()
    const totals = ['"";"";"";"";"Summe";"";"";"1.184,56";"EUR"', '"";"";"";"";"Ende";"";"";"";""']
    const content = [csv, ...totals].join('\r\n')
    assert.partialDeepStrictEqual((await preview(id, content)).body.data, { entries: 2, problems: [], skipped_rows: 1 })
    assert.partialDeepStrictEqual(await readIn(content, { mapping_id: id }), { entries: 2, new_entries: 2, skipped_rows: 1 })
    for (const [row, message] of [
      [rows[0]!.replace('19.11.26', 'gestern'), 'Row 4: Has no day that can be read: “gestern”.'],
      [rows[0]!.replace('20.11.26', '31.11.26'), 'Row 4: Has no value date that can be read: “31.11.26”.'],
    ] as const) {
      const { status, body } = await upload(`${csv}\r\n${row}`, 'umsatz.csv', { mapping_id: id })
      assert.equal(status, 422)
      assert.deepEqual(body.errors!.file, [message])
    }
    const zeros = `${csv}\r\n${rows[0]!.replace('20.11.26', '00.00.0000').replace('1.234,56', '9,00')}`
    assert.equal((await readIn(zeros, { mapping_id: id })).new_entries, 1)
  })

  it('has rows that the bank hasn’t booked counted as pending, by its own words and by no payer’s', async () => {
    const { id } = await create()
    const pending = [
      `${rows[0]!};"Umsatz vorgemerkt"`,
      rows[0]!.replace('GUTSCHRIFT', 'PENDING'),
      rows[0]!.replace('19.11.26', 'offen'),
    ]
    const payers = [rows[0]!.replace('Rechnung 7; danke', 'vorgemerkt'), rows[0]!.replace('Käsehaus Müller', 'Pending')]
    const content = [`${header};"Info"`, ...rows.map((row) => `${row};"Umsatz gebucht"`), ...pending, ...payers].join('\n')
    assert.partialDeepStrictEqual((await preview(id, content)).body.data, { entries: 4, problems: [], pending_entries: 3 })
    const { statements } = await readIn(content, { mapping_id: id })
    assert.partialDeepStrictEqual(statements[0], { entries: 4, new_entries: 4, pending_entries: 3 })
  })

  it('is bounded in rows and problems, and no row is dropped', async () => {
    const { id } = await create()
    const bad = `${rows[0]!.replace('19.11.26', 'x')}\n`
    const { problems, entries } = (await preview(id, `${header}\n${bad.repeat(30_000)}`)).body.data
    assert.deepEqual([problems.length, entries], [20, 0])
    const totals = '"";"";"";"";"Summe";"";"";"1,00";"EUR"\n'
    const { status, body } = await upload(`${header}\n${totals.repeat(21_000)}${rows[0]!}`, 'umsatz.csv', { mapping_id: id })
    assert.deepEqual([status, body.errors!.file], [422, ['Has more than 21000 rows; send it in parts.']])
  })

  it('is refused where a column isn’t there, bytes aren’t the encoding’s, or no mapping is named', async () => {
    const { id } = await create({ encoding: 'utf-8' })
    for (const [content, fields, message] of [
      [csv.replace('"Betrag"', '"Amount"'), { mapping_id: id }, /Has no column “Betrag”/],
      [Buffer.from(csv, 'latin1'), { mapping_id: id }, /bytes that are not UTF-8/],
      [header, { mapping_id: id }, /no entry below its header/],
      [csv, {}, /choose a mapping/],
    ] as const) {
      const { status, body } = await upload(content, 'umsatz.csv', fields)
      assert.equal(status, 422)
      assert.match(body.errors!.file![0]!, message)
    }
    assert.deepEqual(Object.keys((await upload(csv, 'umsatz.csv', { mapping_id: 999_999 })).body.errors!), ['mapping_id'])
  })

  it('has a mapping that is complete, and is nobody else’s', async () => {
    for (const [more, field] of [
      [{ amount_column: null }, 'amount_column'],
      [{ debit_column: 'Soll' }, 'amount_column'],
      [{ amount_column: null, debit_column: 'Soll', credit_column: 'Haben', sign_column: 'S/H' }, 'sign_column'],
      [{ account: null }, 'account'],
      [{ account: 'DE00' }, 'account'],
      [{ account: 'de88 3704 0044 0532 0130 00' }, 'account'],
      [{ delimiter: 'space' }, 'delimiter'],
      [{ currency: 'ZZZ' }, 'currency'],
    ] as const) {
      const { status, body } = await owner.post('/bank-csv-mappings', { ...mapping, ...more })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], JSON.stringify(body))
    }
    for (const [n, account] of ['0532013000', 'de89 3704 0044 0532 0130 00', '37040044/532013000'].entries())
      await create({ name: `Account ${n}`, account })
    const { id } = await create()
    for (const [field, value] of Object.entries({ amount_column: null, account: 'DE00' })) {
      const { status, body } = await owner.put(`/bank-csv-mappings/${id}`, { [field]: value })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]])
    }
    const stranger = (await world.workspace({ modules })).owner
    const blind = await firm.user(['payments.view', 'payments.create'])
    for (const by of [stranger, blind, world.anonymous]) {
      const { status } = await by.post(`/bank-csv-mappings/${id}/preview`, { file: new File([csv], 'umsatz.csv') })
      assert.equal(status, by === stranger ? 404 : by === blind ? 403 : 401)
    }
    const foreign = await stranger.post('/bank-statements', { mapping_id: String(id), file: new File([csv], 'umsatz.csv') })
    assert.deepEqual([foreign.status, Object.keys(foreign.body.errors ?? {})], [422, ['mapping_id']])
  })
})

describe('a statement in MT940', () => {
  const message = (lines: string[], { account = '37040044/0532013000', number = '7/1' } = {}) =>
    [
      ...[':20:STARTUMS', `:25:${account}`, `:28C:${number}`, ':60F:C261118EUR1000,00'],
      ...lines,
      ...[':62F:C261119EUR1234,56', '-', ''],
    ].join('\r\n')

  it('of a German bank has subfields, identifications of SEPA and the account as IBAN', async () => {
    const { statements } = await readIn(
      message([
        ':61:2611191119CR1234,56NTRFNONREF//2026111912345',
        ':86:166?00SEPA-GUTSCHRIFT?109249?20EREF+KD-1001-2026-11-19-0000',
        '01?21MREF+M7?22SVWZ+Rechnung INV-00042 vom?23 3. November?30GENODEF1',
        'TST?31NL91ABNA0417164300?32Handelshaus Mueller und Soe?33hne?34000',
        ':61:2611181119D50,25NDDTNONREF//D1',
        ':86:105?00LASTSCHRIFT?20Strom November?32Stadtwerke',
        ':61:2611191119CR0,50NINTNONREF',
        ':86:814?00ZINSEN',
      ]),
    )
    assert.partialDeepStrictEqual(statements[0], {
      ...{ format: 'mt940', account: 'DE89370400440532013000', reference: 'STARTUMS 7/1', sequence: '7/1', currency: 'EUR' },
      ...{ from_date: '2026-11-18', to_date: day, opening_balance: 1000, closing_balance: 1234.56, entries: 3 },
    })
    assert.partialDeepStrictEqual(await transactions(), [
      {
        ...{ amount: 1234.56, booked_on: day, value_date: day, remittance: 'Rechnung INV-00042 vom 3. November' },
        ...{ counterparty_name: 'Handelshaus Mueller und Soehne', counterparty_iban: 'NL91ABNA0417164300' },
        ...{ end_to_end_id: 'KD-1001-2026-11-19-000001', bank_reference: '2026111912345', is_reversal: false },
      },
      {
        amount: -50.25,
        status: 'outgoing',
        value_date: '2026-11-18',
        remittance: 'Strom November',
        counterparty_name: 'Stadtwerke',
      },
      { amount: 0.5, remittance: 'ZINSEN', bank_reference: null, end_to_end_id: null },
    ])
  })

  it('of Dutch banks has keys between slashes', async () => {
    await readIn(
      message(
        [
          ':61:2611191119C10,N944NONREF//A1',
          ':86:/TRTP/SEPA OVERBOEKING/IBAN/NL91ABNA0417164300/BIC/ABNANL2A/NAME/J. JANS',
          'EN/REMI/FACTUUR INV-00042/EREF/E-44',
          ':61:2611191119C20,00NTRFEREF//B1',
          ':86:/EREF/E-45//CNTP/DE89370400440532013000/COBADEFF/ACME GMBH/BERLIN//',
          'REMI/USTD//INV 43 dank//',
          ':61:2611191119D30,00NRTIEREF//C1',
          ':86:/RTRN/MS03//EREF/E-46//REMI/USTD//terug//',
        ],
        { account: 'NL91ABNA0417164300EUR' },
      ),
    )
    assert.partialDeepStrictEqual(await transactions(), [
      {
        amount: 10,
        counterparty_name: 'J. JANSEN',
        counterparty_iban: 'NL91ABNA0417164300',
        remittance: 'FACTUUR INV-00042',
        end_to_end_id: 'E-44',
      },
      {
        amount: 20,
        counterparty_name: 'ACME GMBH',
        counterparty_iban: 'DE89370400440532013000',
        remittance: 'INV 43 dank',
        end_to_end_id: 'E-45',
      },
      { amount: -30, is_reversal: true, return_reason: 'MS03', end_to_end_id: 'E-46', remittance: 'terug' },
    ])
    assert.equal((await owner.get('/bank-statements')).body.data[0].account, 'NL91ABNA0417164300')
  })

  it('has charges and the payer’s account on the lines below field 61', async () => {
    await readIn(
      message([
        ':61:2611191119CR95,00NTRFNONREF//C1',
        '/OCMT/EUR100,00//CHGS/EUR5,00/',
        ':86:/EREF/E1/ORDP//NAME/Joe/REMI/RE-9',
        ':61:261119C000000000009,00N544NONREF//XX',
        'NL91ABNA0417164300',
        ':86:/EREF/1/BENM//NAME/Jansen/REMI/Factuur',
        ':61:2611191119CR94,00NTRFNONREF//C2',
        '/OCMT/EUR100,00//CHGS/EUR5,00/',
        ':61:2611191119CR93,00NTRFNONREF//C3',
        '/OCMT/USD100,00//CHGS/USD5,00/',
      ]),
    )
    assert.partialDeepStrictEqual(await transactions(), [
      { amount: 95, bank_charges: 5, counterparty_name: 'Joe', counterparty_iban: null },
      { amount: 9, bank_charges: null, counterparty_name: 'Jansen', counterparty_iban: 'NL91ABNA0417164300' },
      { amount: 94, bank_charges: null },
      { amount: 93, bank_charges: null },
    ])
  })

  it('is booked on 30 February as on the last day of the month, and on no other day that isn’t one', async () => {
    assert.equal((await readOnly(message([':61:2602280230C1,00NTRFNONREF//G1']))).booked_on, '2026-02-28')
    const { status, body } = await upload(message([':61:2602281340C1,00NTRFNONREF//G2']))
    assert.equal(status, 422)
    assert.match(body.errors!.file![0]!, /field 61 that can’t be read/)
  })

  it('without structure has its lines as text, in UTF-8 or Windows-1252', async () => {
    const content = message([':61:2611191119C12,00NTRFREF-9//X', ':86:Käsehaus Müller', 'Invoice INV-00042'], {
      account: '1234567',
    })
    for (const [n, bytes] of [
      Buffer.from(content),
      Buffer.from(content.replace('REF-9', 'REF-8').replace('//X', '//Y'), 'latin1'),
    ].entries()) {
      await readIn(bytes)
      assert.partialDeepStrictEqual((await transactions())[n], {
        ...{ remittance: 'Käsehaus Müller\nInvoice INV-00042', end_to_end_id: n ? 'REF-8' : 'REF-9' },
      })
    }
  })

  it('takes a booking back by each code of a return that German banks use, and by no code beside them', async () => {
    // DFÜ-Abkommen, annex 3, version 3.4: debits and returns of debits, cards, cheques and transfers; a transfer out and in, a direct debit collected.
    const returns = ['009', '059', '108', '109', '110', '111', '159', '160', '181', '182', '183', '184']
    const others = [
      '104',
      '105',
      '106',
      '107',
      '116',
      '117',
      '118',
      '153',
      '166',
      '167',
      '168',
      '169',
      '171',
      '174',
      '191',
      '192',
      '194',
      '814',
    ]
    const codes = [...returns, ...others]
    const lines = codes.flatMap((code, n) => [
      `:61:2611191119C${n + 1},00NTRFNONREF//G${code}`,
      `:86:${code}?00BUCHUNG?32Ann Ash`,
    ])
    await readIn(message(lines))
    const found = await transactions()
    const reversals = found.filter(({ is_reversal }) => is_reversal).map(({ bank_reference }) => bank_reference)
    assert.deepEqual({ read: found.length, reversals }, { read: codes.length, reversals: returns.map((code) => `G${code}`) })
  })

  it('knows reversals and returned debits, and links these to their payment', async () => {
    const { id, number } = await invoice(50)
    const payment = (
      await owner.post('/payments', {
        ...{ amount: 50, currency: 'EUR', method: 'bank_transfer', paid_at: '2026-11-10' },
        allocations: [{ invoice_id: id, amount: 50 }],
      })
    ).body.data
    await readIn(
      message([
        ':61:2611191119RC8,00NTRFNONREF//R1',
        ':86:Storno',
        ':61:2611191119RD9,00NTRFNONREF//R2',
        ':86:Storno',
        ':61:2611191119D53,50NRTINONREF//R3',
        '/OCMT/EUR50,00/CHGS/EUR3,50/',
        `:86:109?00RUECKLASTSCHRIFT?20EREF+${number}?21SVWZ+RETURN/REFUND, AM04 DECKUNG?32Ann Ash`,
      ]),
    )
    assert.partialDeepStrictEqual(await transactions(), [
      { amount: -8, is_reversal: true, status: 'outgoing' },
      { amount: 9, is_reversal: true, status: 'open' },
      {
        amount: -53.5,
        is_reversal: true,
        bank_charges: 3.5,
        return_reason: 'AM04',
        counterparty_name: 'Ann Ash',
        returned_payment_id: payment.id,
      },
    ])
  })

  it('brings nothing that the CAMT statement of the day had, and has several days in one file', async () => {
    await readIn(
      statementXml({
        ...{ id: 'S', day, version: '08' },
        entries: [{ amount: '1234.56', text: 'Rechnung INV-00042', name: 'Müller', endToEnd: 'E-1', bank: 'CAMT-REF' }],
      }),
    )
    const one = [
      ':61:2611191119CR1234,56NTRFNONREF//MT-REF',
      ':86:166?00GUTSCHRIFT?20EREF+E-1?21SVWZ+Rechnung INV-00042?32MUELLER',
    ]
    const two = [':61:2611201120CR1,00NTRFNONREF', ':86:Zinsen']
    const { statements, new_entries } = await readIn(message(one) + message(two))
    assert.deepEqual([statements.length, new_entries, (await transactions()).length], [2, 1, 2])
    assert.deepEqual(statements.map(({ reference }: any) => reference).sort(), ['STARTUMS 7/1', 'STARTUMS 7/1 (2)'])
  })

  it('that is broken is refused with the field', async () => {
    for (const [content, expected] of [
      [message([':61:26111X1119C12,00NTRFX']), /field 61 that can’t be read: “26111X/],
      [message([':61:2613191119C12,00NTRFX']), /field 61 that can’t be read/],
      [message([':61:2611191119C12,005NTRFX']), /over 12.005 EUR, which has at most 2 decimals/],
      [message([]).replace(/:25:.*\r\n/, ''), /without an account/],
      [message([]).replace(/:6[02]F:.*\r\n/g, ''), /without a currency/],
    ] as const) {
      const { status, body } = await upload(content)
      assert.equal(status, 422, content)
      assert.match(body.errors!.file![0]!, expected)
    }
  })
})

describe('a ZIP of statements', () => {
  const zipOf = (files: Record<string, string | Buffer>): Promise<Buffer> => {
    const zip = new ZipFile()
    for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name)
    zip.end()
    return buffer(zip.outputStream as NodeJS.ReadableStream)
  }
  const other = statementXml({ id: 'T', day, version: '02', entries: [{ amount: '20.00', text: 'Other' }] })
  const mt940 = [':20:X', ':25:NL91ABNA0417164300', ':28C:1/1', ':60F:C261118EUR0,00', ':61:2611191119C5,00NTRFNONREF', ''].join(
    '\r\n',
  )

  it('is read file by file, each known again outside of it, and without what archives add', async () => {
    const zip = await zipOf({
      ...{ 'a/one.xml': plain(), 'a/two.xml': other, 'a/three.sta': mt940 },
      ...{ 'a/notes.pdf': '%PDF-1.7', '__MACOSX/a/._one.xml': 'x', 'a/.DS_Store': 'x' },
    })
    const { statements, entries, new_entries } = await readIn(zip)
    assert.deepEqual([statements.length, entries, new_entries], [3, 3, 3])
    assert.deepEqual(statements.map(({ file_name, format }: any) => `${file_name} ${format}`).sort(), [
      'a/one.xml camt.053',
      'a/three.sta mt940',
      'a/two.xml camt.053',
    ])
    const again = await readIn(plain())
    assert.deepEqual([again.new_entries, statements.some(({ id }: any) => id === again.statements[0].id)], [0, true])
  })

  it('is refused whole, with the file that can’t be read', async () => {
    const { status, body } = await upload(await zipOf({ 'one.xml': plain(), 'two.xml': plain().replaceAll('>10.00<', '>1,0<') }))
    assert.deepEqual(
      [status, body.errors!.file],
      [422, ['Has a file that can’t be read, two.xml: Has an amount that can’t be read, “1,0” (statement S, entry 1).']],
    )
    assert.deepEqual(await transactions(), [])
  })

  it('with a password is refused as such', async () => {
    for (const flag of [0x01, 0x41]) {
      const zip = await zipOf({ 'a.xml': plain() })
      for (const [signature, at] of [
        ['PK\x03\x04', 6],
        ['PK\x01\x02', 8],
      ] as const)
        zip[zip.lastIndexOf(Buffer.from(signature)) + at]! |= flag
      const { status, body } = await upload(zip)
      assert.deepEqual([status, body.errors!.file], [422, ['Is a ZIP with a password; send one without.']])
    }
  })

  it('is bounded in files, sizes and ratio before anything is unpacked, and in depth', async () => {
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`${n}.xml`, '<a/>']))
    const forged = await zipOf({ 'a.xml': plain() })
    forged.writeUInt32LE(3_000_000_000, forged.lastIndexOf(Buffer.from('PK\x01\x02')) + 24)
    for (const [content, expected] of [
      [await zipOf(many), /more than 500 files/],
      [await zipOf({ 'bomb.xml': Buffer.alloc(10 * 1024 * 1024) }), /Unpacks to more than is read/],
      [await zipOf({ 'large.xml': Buffer.alloc(21 * 1024 * 1024, plain()) }), /Unpacks to more than is read/],
      [forged, /Unpacks to more than is read|no ZIP that can be read/],
      [await zipOf({ 'inner.zip': await zipOf({ 'a.xml': plain() }) }), /a ZIP within the ZIP/],
      [await zipOf({ 'a.pdf': '%PDF' }), /Holds no statement/],
      [(await zipOf({ 'a.xml': plain() })).subarray(0, 200), /no ZIP that can be read/],
    ] as const) {
      const { status, body } = await upload(content)
      assert.equal(status, 422, String(expected))
      assert.match(body.errors!.file![0]!, expected)
    }
  })
})
