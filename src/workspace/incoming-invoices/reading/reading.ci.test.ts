/**
 * The standard's own examples are read correctly, and deliberately broken ones are reported with the rules' official names.
 * Skipped if the official rules aren't available.
 */
// CI stage: einvoices
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { examples, schematron, withoutRules } from '#test/schematron.ts'
import { invoiceXml } from '../samples.ts'
import { readInvoice } from './read-invoice.ts'

const options = withoutRules ? { skip: withoutRules } : {}
const read = async (xml: string) => {
  const outcome = await readInvoice({ content: Buffer.from(xml), isPdf: false })
  if ('wrong' in outcome) throw new Error(outcome.wrong)
  return outcome
}
/** Returns the texts of the elements with a name, in order. */
const texts = (xml: string, name: string) =>
  [...xml.replace(/<!--[\s\S]*?-->/g, '').matchAll(new RegExp(`<(?:\\w+:)?${name}(?:\\s[^>]*)?>\\s*([^<]*?)\\s*</`, 'g'))].map(
    ([, text]) => text!,
  )

const opened = (xml: string, name: string) => (xml.match(new RegExp(`<(?:\\w+:)?${name}>`, 'g')) ?? []).length

describe('the examples of the standard', options, () => {
  it('are read as they stand, and nothing is wrong with them', async () => {
    const all = examples()
    assert.ok(all.length >= 40, `${all.length} examples`)
    for (const { path, xml } of all) {
      const { invoice, problems } = await read(xml)
      assert.deepEqual(problems, [], path)
      const isCii = invoice.syntax === 'cii'
      const last = (name: string) => Number(texts(xml, name).at(-1))
      assert.equal(invoice.totals.total, last(isCii ? 'GrandTotalAmount' : 'TaxInclusiveAmount'), path)
      assert.equal(invoice.totals.due, last(isCii ? 'DuePayableAmount' : 'PayableAmount'), path)
      assert.equal(invoice.totals.net, last(isCii ? 'TaxBasisTotalAmount' : 'TaxExclusiveAmount'), path)
      assert.equal(
        invoice.lines.length,
        opened(xml, isCii ? 'IncludedSupplyChainTradeLineItem' : '(?:Invoice|CreditNote)Line'),
        path,
      )
      assert.ok(
        invoice.lines.every(({ name, quantity, price, net }) => name && quantity !== null && price !== null && net !== null),
        path,
      )
      assert.ok(invoice.seller.name && invoice.buyer.name && invoice.seller.country, path)
      assert.equal(
        invoice.number,
        texts(xml, 'ID').find((id) => id === invoice.number),
        path,
      )
      assert.equal(
        invoice.payment.means.length,
        opened(xml, isCii ? 'SpecifiedTradeSettlementPaymentMeans' : 'PaymentMeans'),
        path,
      )
    }
  })
})

/** Rule, and the change that breaks it. */
const BREAKS: [string, string | RegExp, string][] = [
  ['BR-01', /<cbc:CustomizationID>.*?<\/cbc:CustomizationID>/, ''],
  ['BR-CL-01', '>380<', '>999<'],
  ['BR-CL-04', /(?<=<cbc:DocumentCurrencyCode>)EUR/, 'ZZZ'],
  ['BR-07', /(?<=<cac:AccountingCustomerParty>.*)<cac:PartyLegalEntity>.*?<\/cac:PartyLegalEntity>/, ''],
  ['BR-09', /<cac:Country>.*?<\/cac:Country>/, ''],
  ['BR-CO-09', 'DE811111111', '811111111'],
  ['BR-49', /<cbc:PaymentMeansCode>58<\/cbc:PaymentMeansCode>/, ''],
  ['BR-61', /<cac:PayeeFinancialAccount>.*?<\/cac:PayeeFinancialAccount>/, ''],
  ['BR-16', /<cac:InvoiceLine>.*<\/cac:InvoiceLine>/, ''],
  ['BR-21', '<cbc:ID>1</cbc:ID>', ''],
  ['BR-22', /<cbc:InvoicedQuantity.*?<\/cbc:InvoicedQuantity>/, ''],
  ['BR-23', ' unitCode="C62"', ''],
  ['BR-24', /(?<=C62.*)<cbc:LineExtensionAmount.*?<\/cbc:LineExtensionAmount>/, ''],
  ['BR-25', /<cbc:Name>Paper, A4<\/cbc:Name>/, ''],
  ['BR-26', /<cac:Price>.*?<\/cac:Price>/, ''],
  ['BR-27', />5<\/cbc:PriceAmount>/, '>-5</cbc:PriceAmount>'],
  ['BR-CO-04', /<cac:ClassifiedTaxCategory>.*?<\/cac:ClassifiedTaxCategory>/, ''],
  ['BR-12', /(?<=<cac:LegalMonetaryTotal>)<cbc:LineExtensionAmount.*?<\/cbc:LineExtensionAmount>/, ''],
  ['BR-15', /<cbc:PayableAmount.*?<\/cbc:PayableAmount>/, ''],
  ['BR-CO-10', /(?<=<cac:LegalMonetaryTotal><cbc:LineExtensionAmount currencyID="EUR">)100\.00/, '90.00'],
  ['BR-CO-13', /(?<=<cbc:TaxExclusiveAmount currencyID="EUR">)100\.00/, '101.00'],
  ['BR-CO-14', /(?<=<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">)19\.00/, '18.00'],
  ['BR-CO-15', /(?<=<cbc:TaxInclusiveAmount currencyID="EUR">)119\.00/, '118.00'],
  ['BR-CO-16', /(?<=<cbc:PayableAmount currencyID="EUR">)119\.00/, '118.00'],
  ['BR-CO-17', /(?<=<cac:TaxSubtotal>.*<cbc:TaxAmount currencyID="EUR">)19\.00/, '17.00'],
  ['BR-S-08', /(?<=<cbc:TaxableAmount currencyID="EUR">)100\.00/, '99.00'],
  ['BR-45', /<cbc:TaxableAmount.*?<\/cbc:TaxableAmount>/, ''],
  ['BR-48', /(?<=<cac:TaxCategory><cbc:ID>S<\/cbc:ID>)<cbc:Percent>19<\/cbc:Percent>/, ''],
  ['BR-CL-17', /(?<=<cac:TaxCategory><cbc:ID>)S/, 'Q'],
  ['BR-CO-18', /<cac:TaxSubtotal>.*?<\/cac:TaxSubtotal>/, ''],
  ['BR-DEC-14', /(?<=<cbc:TaxInclusiveAmount currencyID="EUR">)119\.00/, '119.001'],
  ['BR-S-02', /<cac:PartyTaxScheme><cbc:CompanyID>DE811111111.*?<\/cac:PartyTaxScheme>/, ''],
  ['BR-CO-26', /<cac:PartyTaxScheme><cbc:CompanyID>DE811111111.*?<\/cac:PartyTaxScheme>/, ''],
]

describe('what is wrong with an invoice', options, () => {
  const official = schematron('en16931/EN16931-UBL-validation.xslt')
  it('is named as the official rules name it', async () => {
    const whole = invoiceXml({})
    assert.deepEqual([(await read(whole)).problems, official(whole)], [[], []])
    for (const [rule, found, instead] of BREAKS) {
      const xml = whole.replace(found, instead)
      assert.notEqual(xml, whole, rule)
      const named = (await read(xml)).problems.map((problem) => problem.rule)
      assert.ok(named.includes(rule), `${rule}: ${named}`)
      const theirs = official(xml).map(({ id }) => id)
      assert.ok(theirs.includes(rule), `${rule}, officially: ${theirs}`)
      const invented = named.filter((name) => name !== 'syntax' && !theirs.includes(name))
      assert.deepEqual(invented, [], `${rule}: the official rules name ${theirs}`)
    }
  })
})
