/** Bank statements: parsing, proposed invoices, and that no entry is booked twice. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { creditorReference } from '../online/credit-transfer.ts'
import { type SampleEntry, statementXml } from './samples.ts'

const world = await startTest()
const modules = ['invoices', 'payments', 'companies', 'contacts']
let firm: Workspace
let owner: Person
let company: number

before(async () => {
  firm = await world.workspace({ modules })
  owner = firm.owner
  company = (await owner.post('/companies', { name: 'Käsehaus Müller GmbH & Co. KG' })).body.data.id
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

let statements = 0
const xmlOf = (entries: SampleEntry[], more: object = {}) =>
  statementXml({ id: `S-${++statements}`, day: '2026-11-20', entries, ...more })
const upload = (content: string | Buffer, by = owner) =>
  by.post('/bank-statements', { file: new File([Buffer.from(content)], 'camt053.xml') })
async function readIn(content: string) {
  const { status, body } = await upload(content)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
/** Reads a file of one statement and returns its transactions in the order of their texts. */
async function transactions(content: string) {
  const { statements: read } = await readIn(content)
  const { data } = (await owner.get('/bank-transactions', { query: { bank_statement_id: read[0].id, sort: 'created_at' } })).body
  return { statement: read[0], rows: data as any[] }
}
async function only(entry: SampleEntry, more: object = {}) {
  const { rows } = await transactions(xmlOf([entry], more))
  assert.equal(rows.length, 1)
  return (await owner.get(`/bank-transactions/${rows[0].id}`)).body.data
}
async function invoice(total: number, more: object = {}) {
  const { body } = await owner.post('/invoices', {
    ...{ title: 'Cheese', company_id: company, currency: 'EUR', lines: [{ name: 'Cheese', quantity: 1, unit_price: total }] },
    ...more,
  })
  const sent = await owner.post(`/invoices/${body.data.id}/send`)
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return sent.body.data
}
const balance = async (id: number) => (await owner.get(`/invoices/${id}`)).body.data
const payments = async () => Number((await world.sql('SELECT count(*) FROM payments WHERE tenant_id = $1', [firm.id]))[0].count)
const match = (id: number, body: object = {}, by = owner) => by.post(`/bank-transactions/${id}/match`, body)

describe('a bank statement', () => {
  it('is read in the dialects of banks: parts of batches, what went out, other currencies, what is not booked yet', async () => {
    for (const version of ['02', '04', '08'] as const) {
      const { statement, rows } = await transactions(
        xmlOf(
          [
            { amount: '119.00', text: 'Rechnung 1', name: 'Acme & Söhne', iban: 'GB33BUKB20201555555555', endToEnd: 'E-1' },
            { amount: '-50.25', text: 'Miete', name: 'Vermieter' },
            {
              amount: '30.00',
              batch: [
                { amount: '10.00', text: 'a', name: 'A' },
                { amount: '20.00', text: 'b', name: 'B' },
              ],
            },
            {
              amount: '33.00',
              batch: [
                { amount: '10.00', text: 'c' },
                { amount: '20.00', text: 'd' },
              ],
            },
            { amount: '92.40', text: 'dollars', instructed: ['100.00', 'USD'] },
            { amount: '1.00', isPending: true },
            { amount: '7.00', text: 'back', isReversal: true },
          ],
          { version },
        ),
      )
      assert.deepEqual(
        [statement.account, statement.account_holder, statement.sequence, statement.currency, statement.closing_balance],
        ['DE89370400440532013000', 'Nordwind GmbH', '225', 'EUR', 1231.15],
      )
      assert.deepEqual([statement.entries, statement.new_entries, statement.pending_entries], [7, 7, 1])
      const by = (text: string) => rows.find(({ remittance }) => remittance === text)
      const first = by('Rechnung 1')
      assert.deepEqual(
        [first.amount, first.counterparty_name, first.counterparty_iban, first.end_to_end_id, first.status, first.booked_on],
        [119, 'Acme & Söhne', 'GB33BUKB20201555555555', 'E-1', 'open', '2026-11-20'],
      )
      assert.deepEqual([by('Miete').amount, by('Miete').status, by('Miete').end_to_end_id], [-50.25, 'outgoing', null])
      assert.deepEqual([by('a').amount, by('b').amount, by('b').counterparty_name], [10, 20, 'B'])
      assert.equal(by('c\nd').amount, 33, 'parts that do not add up stay together')
      assert.deepEqual([by('dollars').instructed_amount, by('dollars').instructed_currency], [100, 'USD'])
      assert.equal(by('back').is_reversal, true)
    }
  })

  it('that comes again, or in another file, brings nothing new', async () => {
    const entries = [
      { amount: '10.00', text: 'twin', bank: '' },
      { amount: '10.00', text: 'twin', bank: '' },
      { amount: '11.00', text: 'other' },
    ]
    const xml = xmlOf(entries, { id: 'AGAIN' })
    const one = await readIn(xml)
    const two = await readIn(xml)
    assert.deepEqual([one.new_entries, two.new_entries, two.statements[0].id], [3, 0, one.statements[0].id])
    const three = await readIn(xml.replace('20:15:00', '20:16:00'))
    assert.deepEqual([three.entries, three.new_entries], [3, 0])
    const fresh = xmlOf(entries, { id: 'RACE', day: '2026-11-19' })
    const files = Array.from({ length: 6 }, (_, n) => fresh.replace('20:15:00', `20:15:0${n}`))
    const replies = await Promise.all(files.map((file) => upload(file)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      Array(6).fill(201),
    )
    assert.equal(
      replies.reduce((sum, { body }) => sum + body.data.new_entries, 0),
      3,
    )
  })

  it('that is none is refused in words', async () => {
    assert.equal((await owner.post('/bank-statements', {})).status, 422)
    const xml = xmlOf([{ amount: '1.00' }])
    for (const [content, says] of [
      ['<a/>', /Is <a>; what is read/],
      [xml.replace('camt.053', 'camt.054'), /CAMT\.054, a notification/],
      [xml.replace('<Document', '<!DOCTYPE Document [<!ENTITY a "b">]><Document'), /document type/],
      [xml.slice(0, 600), /Breaks off/],
      [xml.replace(/<Acct>.*<\/Acct>/, ''), /without an account/],
      [xml.replace('>1.00<', '>1,00<'), /amount that can’t be read/],
      [
        xml
          .replace(/<BookgDt>.*<\/ValDt>/, '')
          .replaceAll(/<CreDtTm>.*?<\/CreDtTm>/g, '')
          .replaceAll(/<Bal>.*<\/Bal>/g, ''),
        /without a day/,
      ],
      [xml.replace('Ccy="EUR">1.00<', 'Ccy="ZZZ">1.00<'), /in ZZZ, which is no currency/],
      [xml.replace('Ccy="EUR">1.00<', 'Ccy="JPY">1.50<'), /over 1.5 JPY, which has at most 0 decimals/],
      [xml.replace('camt.053.001.02', 'camt.053.001.99'), /what is read are statements/],
      ['<a>'.repeat(1000), /nested/],
    ] as const) {
      const { status, body } = await upload(content)
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['file']], JSON.stringify(body))
      assert.match(body.errors!.file![0]!, says)
    }
  })
})

describe('a transaction', () => {
  it('that names an invoice and pays what is left of it is certain, and becomes its payment', async () => {
    for (const say of [
      (number: string) => ({ text: `Rechnung ${number} vom 3.11.` }),
      (number: string) => ({ text: `Re ${number.replace('-', ' ')}` }),
      (number: string) => ({ text: `RF: ${number.slice(0, 6)}\n${number.slice(6)}` }),
      (number: string) => ({ reference: creditorReference(number)! }),
      (number: string) => ({ text: creditorReference(number)!.replace(/(.{4})/g, '$1 ') }),
    ]) {
      const { id, number } = await invoice(119.5)
      const transaction = await only({ amount: '119.50', ...say(number) })
      assert.deepEqual([transaction.certain.map(({ invoice_id }: any) => invoice_id), transaction.suggested], [[id], []], number)
      const { status, body } = await match(transaction.id)
      assert.deepEqual([status, body.data.status, body.data.payment.status], [200, 'matched', 'posted'], JSON.stringify(body))
      const paid = await balance(id)
      assert.deepEqual([paid.status, paid.balance_due], ['paid', 0])
      const payment = (await owner.get(`/payments/${body.data.payment_id}`)).body.data
      assert.deepEqual(
        [payment.amount, payment.method, payment.company_id, payment.allocations.map(({ invoice_id }: any) => invoice_id)],
        [119.5, 'bank_transfer', company, [id]],
      )
      assert.equal(payment.paid_at.slice(0, 10), '2026-11-20')
    }
  })

  it('that pays several invoices pays all of them, or leaves them to somebody', async () => {
    const [one, two] = [await invoice(40), await invoice(60)]
    const both = await only({ amount: '100.00', text: `${one.number}, ${two.number}` })
    assert.deepEqual(
      both.certain.map(({ amount }: any) => amount),
      [40, 60],
    )
    const less = await only({ amount: '90.00', text: `${one.number}, ${two.number}` })
    assert.deepEqual([less.certain, less.suggested.map(({ amount }: any) => amount)], [[], [40, 50]])
    assert.deepEqual(Object.keys((await match(less.id)).body.errors!), ['allocations'])
    const over = [{ invoice_id: one.id, amount: 41 }]
    assert.deepEqual(Object.keys((await match(less.id, { allocations: over })).body.errors!), ['allocations.0.amount'])
    const chosen = await match(less.id, { allocations: [{ invoice_id: two.id, amount: 60 }] })
    assert.deepEqual([chosen.status, (await balance(two.id)).status, (await balance(one.id)).balance_due], [200, 'paid', 40])
    const payment = (await owner.get(`/payments/${chosen.body.data.payment_id}`)).body.data
    assert.equal(payment.unallocated_amount, 30)
  })

  it('is suggested by amount, name and account, never by these alone certain', async () => {
    const { id } = await invoice(777.77)
    const named = await only({
      amount: '777.77',
      text: 'Danke',
      name: 'KASEHAUS MULLER GMBH & CO KG',
      iban: 'NL91ABNA0417164300',
    })
    assert.deepEqual(
      [named.certain, named.suggested.map(({ invoice_id, reasons }: any) => [invoice_id, reasons])],
      [[], [[id, ['amount', 'name']]]],
    )
    assert.equal((await match(named.id, { allocations: [{ invoice_id: id, amount: 777.77 }] })).status, 200)
    const next = await invoice(778.88)
    const known = await only({ amount: '5.00', name: 'Somebody', iban: 'NL91ABNA0417164300' })
    assert.deepEqual(known.certain, [])
    const again = await only({ amount: '778.88', name: 'Somebody', iban: 'NL91ABNA0417164300' })
    assert.deepEqual(
      again.suggested.map(({ invoice_id, reasons }: any) => [invoice_id, reasons]),
      [[next.id, ['amount', 'account']]],
    )
  })

  it('is paid by the customer of its invoice, whoever matches it and whatever became of them', async () => {
    const contact_id = (await owner.post('/contacts', { name: 'Ann' })).body.data.id
    const [one, two] = [await invoice(31, { contact_id }), await invoice(32, { contact_id })]
    const clerk = await firm.user(['payments.reconcile', 'invoices.view', 'invoices.assign'])
    const [first, second] = [
      await transactions(xmlOf([{ amount: '31.00', text: one.number }])),
      await transactions(xmlOf([{ amount: '32.00', text: two.number }])),
    ]
    const { status, body } = await match(first.rows[0].id, {}, clerk)
    assert.equal(status, 200, JSON.stringify(body.errors))
    assert.equal((await owner.del(`/contacts/${contact_id}`)).status, 200)
    assert.equal((await owner.post(`/bank-statements/${second.statement.id}/match`)).body.data.matched, 1)
    const { payment_id } = (await owner.get(`/bank-transactions/${second.rows[0].id}`)).body.data
    for (const id of [body.data.payment_id, payment_id])
      assert.partialDeepStrictEqual((await owner.get(`/payments/${id}`)).body.data, { contact_id, company_id: company })
  })

  it('in another currency, taken back, or going out, pays nothing by itself', async () => {
    const { number } = await invoice(21)
    const dollars = await only({ amount: '21.00', text: number }, { currency: 'USD', iban: 'DE02120300000000202051' })
    assert.deepEqual([dollars.certain, dollars.suggested], [[], []])
    const back = await only({ amount: '21.00', text: number, isReversal: true })
    assert.deepEqual(back.certain, [])
    const out = await only({ amount: '-21.00', text: number, isReversal: true })
    assert.deepEqual([out.status, out.suggested], ['outgoing', []])
    assert.deepEqual(Object.keys((await match(out.id, { allocations: [] })).body.errors!), ['status'])
  })

  it('becomes one payment, whoever matches it at once, and by whichever way', async () => {
    const { id, number } = await invoice(55)
    const { statement, rows } = await transactions(
      xmlOf([
        { amount: '55.00', text: number },
        { amount: '55.00', text: `${number} again` },
      ]),
    )
    const before = await payments()
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, () => match(rows[0].id)),
      ...Array.from({ length: 4 }, () => match(rows[1].id)),
      owner.post(`/bank-statements/${statement.id}/match`),
      owner.post(`/bank-statements/${statement.id}/match`),
    ])
    assert.ok(
      replies.every(({ status }) => status === 200 || status === 422),
      JSON.stringify(replies.map(({ body }) => body)),
    )
    assert.deepEqual([(await payments()) - before, (await balance(id)).balance_due, (await balance(id)).amount_paid], [1, 0, 55])
  })

  it('waits again once its payment is voided, from here or there', async () => {
    const { id, number } = await invoice(66)
    const transaction = await only({ amount: '66.00', text: number })
    await match(transaction.id)
    const clerk = await firm.user(['payments.reconcile', 'invoices.view'])
    assert.equal((await clerk.post(`/bank-transactions/${transaction.id}/unmatch`)).status, 403)
    const undone = await owner.post(`/bank-transactions/${transaction.id}/unmatch`)
    assert.deepEqual([undone.body.data.status, undone.body.data.payment_id, (await balance(id)).status], ['open', null, 'unpaid'])
    const { payment_id } = (await match(transaction.id)).body.data
    assert.equal((await owner.post(`/payments/${payment_id}/void`)).status, 200)
    assert.equal((await owner.get(`/bank-transactions/${transaction.id}`)).body.data.status, 'open')
    const again = await owner.post(`/bank-transactions/${transaction.id}/unmatch`)
    assert.deepEqual(Object.keys(again.body.errors!), ['status'])
  })

  it('takes a payment that was posted by hand, once', async () => {
    const { id } = await invoice(88)
    const posted = await owner.post('/payments', {
      ...{ amount: 88, currency: 'EUR', method: 'bank_transfer', company_id: company },
      allocations: [{ invoice_id: id, amount: 88 }],
    })
    const payment_id = posted.body.data.id
    const [one, two, less] = [await only({ amount: '88.00' }), await only({ amount: '88.00' }), await only({ amount: '80.00' })]
    const before = await payments()
    const replies = await Promise.all([match(one.id, { payment_id }), match(two.id, { payment_id })])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422])
    assert.deepEqual(Object.keys((await match(less.id, { payment_id })).body.errors!), ['payment_id'])
    assert.equal(await payments(), before)
  })

  it('is left alone, and no longer', async () => {
    const { id } = await only({ amount: '3.00', text: 'Interest' })
    assert.equal((await owner.post(`/bank-transactions/${id}/ignore`)).body.data.status, 'ignored')
    assert.deepEqual(Object.keys((await match(id, { allocations: [] })).body.errors!), ['status'])
    assert.equal((await owner.post(`/bank-transactions/${id}/reopen`)).body.data.status, 'open')
  })
})

describe('the certain matches of a statement', () => {
  it('are booked at once, and what is left is told', async () => {
    const [one, two, three] = [await invoice(201), await invoice(202), await invoice(203)]
    const { statement } = await transactions(
      xmlOf([
        { amount: '201.00', text: one.number },
        { amount: '202.00', reference: creditorReference(two.number)! },
        { amount: '150.00', text: three.number },
        { amount: '9999.99', text: 'who knows' },
      ]),
    )
    const proposals = (await owner.get(`/bank-statements/${statement.id}/proposals`)).body.data
    assert.deepEqual([proposals.certain.length, proposals.suggested.length, proposals.has_more], [2, 1, false])
    const { matched, proposals: left } = (await owner.post(`/bank-statements/${statement.id}/match`)).body.data
    assert.deepEqual([matched, left.certain, left.suggested.length], [2, [], 1])
    assert.deepEqual(
      [(await balance(one.id)).status, (await balance(two.id)).status, (await balance(three.id)).status],
      ['paid', 'paid', 'unpaid'],
    )
  })

  it('are nobody else’s', async () => {
    const { statement, rows } = await transactions(xmlOf([{ amount: '1.00', text: 'x' }]))
    const stranger = await world.workspace({ modules })
    const blind = await firm.user(['payments.view', 'payments.create'])
    for (const path of [
      `/bank-statements/${statement.id}`,
      `/bank-statements/${statement.id}/proposals`,
      `/bank-transactions/${rows[0].id}`,
    ]) {
      const replies = await Promise.all([stranger.owner, blind, world.anonymous].map((by) => by.get(path)))
      assert.deepEqual(
        replies.map(({ status }) => status),
        [404, 403, 401],
        path,
      )
    }
    assert.equal((await match(rows[0].id, {}, stranger.owner)).status, 404)
    assert.equal((await upload(xmlOf([]), blind)).status, 403)
    // A user who sees only their own invoices gets no proposals of others.
    const { number } = await invoice(404.04)
    const clerk = await firm.user(['payments.reconcile', 'invoices.view'])
    const { id } = await only({ amount: '404.04', text: number })
    const seen = (await clerk.get(`/bank-transactions/${id}`)).body.data
    assert.deepEqual([seen.certain, seen.suggested], [[], []])
  })
})
