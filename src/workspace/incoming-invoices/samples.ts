/** Sample e-invoices, as sent by a paper mill, for demo data and tests: UBL 2.1 that conforms to EN 16931. */
import { decimal } from '#kernel/values/money.ts'

export interface Invoice {
  number?: string
  seller?: string
  vatId?: string
  /** Country of the seller; '' omits it. */
  country?: string
  buyer?: string
  issuedOn?: string
  dueOn?: string
  order?: string
  item?: string
  quantity?: number
  price?: number
  /** Replaces the computed total. */
  total?: string
  iban?: string
  credit?: boolean
  /** An embedded text file (BG-24). */
  attached?: { name: string; text: string }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const attachment = ({ name, text }: { name: string; text: string }) =>
  `<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="${escaped(name)}">${Buffer.from(text).toString('base64')}</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`

/** Returns an invoice with one line at 19 %, from Germany to Germany. */
export function invoiceXml({
  number = 'R-1',
  seller = 'Papierwerk Nord GmbH',
  vatId = 'DE811111111',
  country = 'DE',
  buyer = 'Nordwind GmbH',
  issuedOn = '2026-11-20',
  dueOn = '2026-12-20',
  order,
  item = 'Paper, A4',
  quantity = 20,
  price = 5,
  total,
  iban = 'DE89370400440532013000',
  credit = false,
  attached,
}: Invoice): string {
  const net = decimal(quantity).times(price).round(2)
  const tax = net.times('0.19').round(2)
  const whole = total ?? net.plus(tax).toFixed(2)
  const root = credit ? 'CreditNote' : 'Invoice'
  const [line, counted] = credit ? ['CreditNoteLine', 'CreditedQuantity'] : ['InvoiceLine', 'InvoicedQuantity']
  const money = (name: string, amount: string) => `<cbc:${name} currencyID="EUR">${amount}</cbc:${name}>`
  const vat = '<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>'
  const category = (name: string) => `<cac:${name}><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent>${vat}</cac:${name}>`
  const place = (city: string, code: string) =>
    `<cac:PostalAddress><cbc:CityName>${city}</cbc:CityName>${code && `<cac:Country><cbc:IdentificationCode>${code}</cbc:IdentificationCode></cac:Country>`}</cac:PostalAddress>`
  const named = (name: string) =>
    `<cac:PartyLegalEntity><cbc:RegistrationName>${escaped(name)}</cbc:RegistrationName></cac:PartyLegalEntity>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>
<cbc:ID>${escaped(number)}</cbc:ID><cbc:IssueDate>${issuedOn}</cbc:IssueDate>${credit ? '' : `<cbc:DueDate>${dueOn}</cbc:DueDate>`}
<cbc:${root}TypeCode>${credit ? 381 : 380}</cbc:${root}TypeCode><cbc:Note>Thank you.</cbc:Note>
<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>${order ? `<cac:OrderReference><cbc:ID>${escaped(order)}</cbc:ID></cac:OrderReference>` : ''}${attached ? attachment(attached) : ''}
<cac:AccountingSupplierParty><cac:Party>${place('Kiel', country)}<cac:PartyTaxScheme><cbc:CompanyID>${vatId}</cbc:CompanyID>${vat}</cac:PartyTaxScheme>${named(seller)}</cac:Party></cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party>${place('Hamburg', 'DE')}<cac:PartyTaxScheme><cbc:CompanyID>DE822222222</cbc:CompanyID>${vat}</cac:PartyTaxScheme>${named(buyer)}</cac:Party></cac:AccountingCustomerParty>
<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode><cbc:PaymentID>${escaped(number)}</cbc:PaymentID><cac:PayeeFinancialAccount><cbc:ID>${iban}</cbc:ID><cbc:Name>Papierwerk</cbc:Name></cac:PayeeFinancialAccount></cac:PaymentMeans>
<cac:TaxTotal>${money('TaxAmount', tax.toFixed(2))}<cac:TaxSubtotal>${money('TaxableAmount', net.toFixed(2))}${money('TaxAmount', tax.toFixed(2))}${category('TaxCategory')}</cac:TaxSubtotal></cac:TaxTotal>
<cac:LegalMonetaryTotal>${money('LineExtensionAmount', net.toFixed(2))}${money('TaxExclusiveAmount', net.toFixed(2))}${money('TaxInclusiveAmount', whole)}${money('PayableAmount', net.plus(tax).toFixed(2))}</cac:LegalMonetaryTotal>
<cac:${line}><cbc:ID>1</cbc:ID><cbc:${counted} unitCode="C62">${quantity}</cbc:${counted}>${money('LineExtensionAmount', net.toFixed(2))}<cac:Item><cbc:Name>${escaped(item)}</cbc:Name>${category('ClassifiedTaxCategory')}</cac:Item><cac:Price>${money('PriceAmount', String(price))}</cac:Price></cac:${line}>
</${root}>
`
}
