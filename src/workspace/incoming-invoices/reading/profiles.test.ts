/** Profiles that allow more or less than EN 16931, envelopes, encodings, and the types of XML Schema. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { invoiceXml } from '../samples.ts'
import { profileOf } from './profiles.ts'
import { readAttachment, readInvoice } from './read-invoice.ts'

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../../test/fixtures/e-invoices', `${name}.xml`), 'utf8')
const outcomeOf = (xml: string | Buffer) => readInvoice({ content: Buffer.from(xml), isPdf: false })
async function read(xml: string | Buffer) {
  const outcome = await outcomeOf(xml)
  if ('wrong' in outcome) throw new Error(outcome.wrong)
  return outcome
}
const rulesOf = async (xml: string) => (await read(xml)).problems.map(({ rule }) => rule)

describe('a value in an e-invoice', () => {
  it('is read by the types of XML Schema: a ChargeIndicator of 1 is a charge, in both syntaxes', async () => {
    const { invoice, problems } = await read(fixture('charge-indicator-1'))
    assert.deepEqual([invoice.adjustments.map(({ is_charge, amount }) => [is_charge, amount]), problems], [[[true, 10]], []])
    const cii = fixture('extended-freight').replace(
      /<ram:SpecifiedLogisticsServiceCharge>.*<\/ram:SpecifiedLogisticsServiceCharge>/s,
      (charge) =>
        charge
          .replaceAll('SpecifiedLogisticsServiceCharge', 'SpecifiedTradeAllowanceCharge')
          .replace(
            '<ram:Description>Freight</ram:Description><ram:AppliedAmount>15.00</ram:AppliedAmount>',
            `<ram:ChargeIndicator><udt:Indicator> 1 </udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>15.00</ram:ActualAmount><ram:Reason>Freight</ram:Reason>`,
          )
          .replaceAll('AppliedTradeTax', 'CategoryTradeTax'),
    )
    const other = await read(cii)
    assert.deepEqual([other.invoice.adjustments[0]?.is_charge, other.problems], [true, []])
  })

  it('may have signs, leading zeros and zones, and is named where it is none', async () => {
    const xml = invoiceXml({})
      .replace('>119.00</cbc:TaxInclusiveAmount>', '>+000119.0000</cbc:TaxInclusiveAmount>')
      .replace('<cbc:IssueDate>2026-11-20<', '<cbc:IssueDate>2026-11-20+01:00<')
    const { invoice, problems } = await read(xml)
    assert.deepEqual([invoice.totals.total, invoice.issue_date, problems], [119, '2026-11-20', []])
    assert.deepEqual((await read(fixture('charge-indicator-1').replace('Indicator>1<', 'Indicator>yes<'))).problems[0], {
      rule: 'syntax',
      field: 'adjustments.0.is_charge',
      message: 'Is neither true nor false: “yes”.',
    })
  })
})

describe('an invoice of Factur-X EXTENDED', () => {
  it('has its logistics charges, which count', async () => {
    const { invoice, problems } = await read(fixture('extended-freight'))
    assert.deepEqual(problems, [])
    assert.deepEqual(invoice.adjustments, [{ is_charge: true, amount: 15, reason: 'Freight', category: 'S', rate: 19 }])
    assert.equal(invoice.profile, 'factur_x_extended')
    assert.deepEqual(await rulesOf(fixture('extended-freight').replace('>15.00</ram:Charge', '>25.00</ram:Charge')), [
      'BR-FXEXT-CO-12',
    ])
  })

  it('has its subtotals and information lines, which don’t', async () => {
    const { invoice, problems } = await read(fixture('extended-group-lines'))
    assert.deepEqual(problems, [])
    assert.deepEqual(
      invoice.lines.map(({ id, parent_id, subtype, net }) => [id, parent_id, subtype, net]),
      [
        ['1', null, 'group', 100],
        ['1.1', '1', 'detail', 60],
        ['1.2', '1', 'detail', 40],
        ['1.2.1', '1.2', 'information', 20],
      ],
    )
    const xml = fixture('extended-group-lines')
    assert.deepEqual(await rulesOf(xml.replace('>100.00</ram:LineTotalAmount>', '>99.00</ram:LineTotalAmount>')), ['BR-FXEXT-08'])
    assert.deepEqual(await rulesOf(xml.replace('<ram:ParentLineID>1.2<', '<ram:ParentLineID>7<')), ['BR-FXEXT-11'])
    const bare = xml.replace(
      /<ram:SpecifiedLineTradeDelivery>.*?<\/ram:SpecifiedLineTradeDelivery>/s,
      '<ram:SpecifiedLineTradeDelivery/>',
    )
    assert.deepEqual(await rulesOf(bare), [], 'a subtotal needs no quantity')
    const lessOf = (n: number) => {
      let at = 0
      return xml.replace(/<ram:BilledQuantity.*?<\/ram:BilledQuantity>/gs, (quantity) => (at++ === n ? '' : quantity))
    }
    assert.deepEqual(await rulesOf(lessOf(1)), ['BR-FXEXT-BR-22', 'BR-FXEXT-BR-23'])
  })

  it('has what the seller collects for others, which is due beside the total', async () => {
    const xml = fixture('extended-freight').replace(
      '<ram:SpecifiedTradeSettlementHeaderMonetarySummation>',
      '<ram:SpecifiedFinancialAdjustment><ram:ReasonCode>1</ram:ReasonCode><ram:Reason>Ticket</ram:Reason><ram:ActualAmount>10.00</ram:ActualAmount></ram:SpecifiedFinancialAdjustment>$&',
    )
    assert.deepEqual(await rulesOf(xml), ['BR-FXEXT-CO-16'])
    const { invoice, problems } = await read(xml.replace('136.85</ram:Due', '146.85</ram:Due'))
    assert.deepEqual([problems, invoice.third_party_payments], [[], [{ type: '1', amount: 10, description: 'Ticket' }]])
  })

  it('may be off by a cent for each amount, which EN 16931 doesn’t allow', async () => {
    const xml = fixture('extended-freight').replace(
      '<ram:LineTotalAmount>100.00</ram:LineTotalAmount><ram:ChargeTotalAmount>',
      '<ram:LineTotalAmount>100.01</ram:LineTotalAmount><ram:ChargeTotalAmount>',
    )
    assert.deepEqual(await rulesOf(xml), [])
    const plain = xml.replace('urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended', 'urn:cen.eu:en16931:2017')
    assert.ok((await rulesOf(plain)).includes('BR-CO-10'))
  })
})

describe('an invoice of the XRechnung extension', () => {
  const xml = invoiceXml({})
    .replace(
      'urn:cen.eu:en16931:2017',
      'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0',
    )
    .replace(
      '</cac:PaymentMeans>',
      '$&<cac:PrepaidPayment><cbc:ID>Ticket</cbc:ID><cbc:PaidAmount currencyID="EUR">10.00</cbc:PaidAmount><cbc:InstructionID>Parking</cbc:InstructionID></cac:PrepaidPayment>',
    )
    .replace('119.00</cbc:PayableAmount>', '129.00</cbc:PayableAmount>')
    .replace(/<cac:InvoiceLine>(.*)<\/cac:InvoiceLine>/s, (whole, inner: string) => {
      const part = inner.replace('<cbc:ID>1</cbc:ID>', '<cbc:ID>1.1</cbc:ID>').replaceAll('100.00', '60.00')
      return whole.replace(
        '</cac:InvoiceLine>',
        `<cac:SubInvoiceLine>${part}</cac:SubInvoiceLine><cac:SubInvoiceLine>${part.replace('1.1', '1.2').replaceAll('60.00', '40.00')}</cac:SubInvoiceLine></cac:InvoiceLine>`,
      )
    })

  it('has its sub lines behind their line, and what is paid to others', async () => {
    const { invoice, problems } = await read(xml)
    assert.deepEqual([problems, invoice.profile], [[], 'xrechnung_extension'])
    assert.deepEqual(
      invoice.lines.map(({ id, parent_id, subtype, net }) => [id, parent_id, subtype, net]),
      [
        ['1', null, 'detail', 100],
        ['1.1', '1', 'information', 60],
        ['1.2', '1', 'information', 40],
      ],
    )
    assert.deepEqual(invoice.third_party_payments, [{ type: 'Ticket', amount: 10, description: 'Parking' }])
    assert.deepEqual(await rulesOf(xml.replace('129.00</cbc:PayableAmount>', '119.00</cbc:PayableAmount>')), ['BR-DEX-09'])
  })
})

describe('an invoice of MINIMUM or BASIC WL', () => {
  const withoutLines = (profile: string) =>
    fixture('extended-freight')
      .replace('urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended', `urn:factur-x.eu:1p0:${profile}`)
      .replace(/<ram:IncludedSupplyChainTradeLineItem>.*<\/ram:IncludedSupplyChainTradeLineItem>/s, '')

  it('is judged by the rules that these have', async () => {
    const minimum = withoutLines('minimum')
      .replace(/<ram:ApplicableTradeTax>.*<\/ram:SpecifiedLogisticsServiceCharge>/s, '')
      .replace('<ram:LineTotalAmount>100.00</ram:LineTotalAmount><ram:ChargeTotalAmount>15.00</ram:ChargeTotalAmount>', '')
    assert.deepEqual(await rulesOf(minimum), [])
    assert.deepEqual(await rulesOf(minimum.replace(/<ram:CountryID>DE<\/ram:CountryID>/, '')), ['BR-09'])
    assert.deepEqual(await rulesOf(minimum.replace(/<ram:DuePayableAmount>.*<\/ram:DuePayableAmount>/, '')), ['BR-15'])
    assert.deepEqual(
      await rulesOf(minimum.replace('136.85</ram:DuePay', '36.85</ram:DuePay')),
      [],
      'it says nothing of what was paid',
    )
    const basic = withoutLines('basicwl')
      .replaceAll('SpecifiedLogisticsServiceCharge', 'SpecifiedTradeAllowanceCharge')
      .replace(
        '<ram:Description>Freight</ram:Description><ram:AppliedAmount>15.00</ram:AppliedAmount>',
        `<ram:ChargeIndicator><udt:Indicator>true</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>15.00</ram:ActualAmount><ram:Reason>Freight</ram:Reason>`,
      )
      .replaceAll('AppliedTradeTax', 'CategoryTradeTax')
    assert.deepEqual(await rulesOf(basic), [])
    assert.deepEqual(await rulesOf(basic.replace('>115.00</ram:TaxBasis', '>116.00</ram:TaxBasis')), ['BR-CO-13', 'BR-CO-15'])
  })
})

describe('the profile', () => {
  it('is the one that the specification names', () => {
    const named = {
      'urn:factur-x.eu:1p0:minimum': 'minimum',
      'urn:zugferd.de:2p0:minimum': 'minimum',
      'urn:factur-x.eu:1p0:basicwl': 'basic_wl',
      'urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic': 'basic',
      'urn:cen.eu:en16931:2017#conformant#urn:zugferd.de:2p0:extended': 'factur_x_extended',
      'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0': 'xrechnung',
      'urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_2.0': 'xrechnung',
      'urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_2.2#conformant#urn:xoev-de:kosit:extension:xrechnung_2.2':
        'xrechnung_extension',
      'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0': 'peppol',
      'urn:cen.eu:en16931:2017': 'en16931',
      anything: 'en16931',
    }
    assert.deepEqual(Object.fromEntries(Object.keys(named).map((one) => [one, profileOf(one)])), named)
    assert.equal(profileOf(null), 'en16931')
  })
})

describe('an envelope', () => {
  const namespace = 'http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader'
  const header = '<sh:StandardBusinessDocumentHeader><sh:HeaderVersion>1.0</sh:HeaderVersion></sh:StandardBusinessDocumentHeader>'
  const enveloped = (...documents: string[]) =>
    `<?xml version="1.0" encoding="UTF-8"?><sh:StandardBusinessDocument xmlns:sh="${namespace}">${header}${documents.map((one) => one.replace(/<\?.*?\?>/, '')).join('')}</sh:StandardBusinessDocument>`

  it('is opened where one invoice is in it', async () => {
    assert.equal((await read(enveloped(invoiceXml({ number: 'E-1' })))).invoice.number, 'E-1')
    assert.deepEqual((await read(enveloped(fixture('extended-freight')))).problems, [])
  })

  it('is refused with none or two in it', async () => {
    assert.match(JSON.stringify(await outcomeOf(enveloped())), /with no documents in it/)
    assert.match(JSON.stringify(await outcomeOf(enveloped(invoiceXml({}), invoiceXml({})))), /with 2 documents in it/)
    assert.match(JSON.stringify(await outcomeOf(enveloped(enveloped(invoiceXml({}))))), /Is <StandardBusinessDocument>/)
  })
})

describe('a charset of central Europe', () => {
  // Łódź, Żółć, Győr in ISO 8859-2 and windows-1250.
  const bytes = {
    'ISO-8859-2': [0xa3, 0xf3, 0x64, 0xbc, 0x20, 0xaf, 0xf3, 0xb3, 0xe6, 0x20, 0x47, 0x79, 0xf5, 0x72, 0x20, 0xa9],
    'windows-1250': [0xa3, 0xf3, 0x64, 0x9f, 0x20, 0xaf, 0xf3, 0xb3, 0xe6, 0x20, 0x47, 0x79, 0xf5, 0x72, 0x20, 0x8a],
  }
  for (const [charset, seller] of Object.entries(bytes))
    it(`is read where the document declares it: ${charset}`, async () => {
      const [before, after] = invoiceXml({ seller: 'SELLER' }).replace('UTF-8', charset).split('SELLER')
      const { invoice } = await read(Buffer.concat([Buffer.from(before!), Buffer.from(seller), Buffer.from(after!)]))
      assert.equal(invoice.seller.name, 'Łódź Żółć Győr Š')
    })
})

describe('a file inside an e-invoice', () => {
  const pdf = Buffer.from('%PDF-1.7\n%%EOF')
  const embedded = (name: string, content: Buffer, type: string) =>
    `<cac:AdditionalDocumentReference><cbc:ID>D-1</cbc:ID><cbc:DocumentDescription>Hours</cbc:DocumentDescription><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="${type}" filename="${name}">\n${content.toString('base64').replace(/.{8}/g, '$&\n')}\n</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`
  const xml = invoiceXml({}).replace(
    '<cac:AccountingSupplierParty>',
    `${embedded('hours.pdf', pdf, 'application/pdf')}${embedded('../../evil.html', Buffer.from('<html><script>alert(1)</script></html>'), 'text/html')}${embedded('list.csv', Buffer.from('a;b\n1;2\n'), 'text/csv')}$&`,
  )
  const opened = (place: number) => readAttachment({ content: Buffer.from(xml), isPdf: false, place })

  it('is listed and opened, its type by its bytes', async () => {
    const { invoice } = await read(xml)
    assert.deepEqual(invoice.attached_files, [
      { name: 'hours.pdf', description: 'Hours', media_type: 'application/pdf' },
      { name: '../../evil.html', description: 'Hours', media_type: 'text/html' },
      { name: 'list.csv', description: 'Hours', media_type: 'text/csv' },
    ])
    const first = await opened(0)
    assert.ok('content' in first)
    assert.deepEqual([first.name, first.type, Buffer.from(first.content)], ['hours.pdf', 'application/pdf', pdf])
    const types = await Promise.all([1, 2].map(opened))
    assert.deepEqual(
      types.map((one) => 'type' in one && one.type),
      ['application/octet-stream', 'text/csv'],
    )
    assert.deepEqual(await opened(3), { wrong: 'There is no such attachment.' })
  })
})
