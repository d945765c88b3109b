/** Writes an e-invoice in UN/CEFACT Cross Industry Invoice (D16B), the syntax of Factur-X and ZUGFeRD. */
import { type Profile, processOf, SPECIFICATION } from './profiles.ts'
import type { EInvoice, Party } from './semantics.ts'
import { group, leaf, type Xml, xmlDocument } from './xml.ts'

const QDT = { qdt: 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100' }
const NAMESPACES = {
  rsm: 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  ram: 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  udt: 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
}

export const cii = (invoice: EInvoice, profile: Profile): string =>
  xmlDocument(
    'rsm:CrossIndustryInvoice',
    invoice.corrects ? { ...NAMESPACES, ...QDT } : NAMESPACES,
    group(
      'rsm:ExchangedDocumentContext',
      group('ram:BusinessProcessSpecifiedDocumentContextParameter', leaf('ram:ID', processOf(profile))),
      group('ram:GuidelineSpecifiedDocumentContextParameter', leaf('ram:ID', SPECIFICATION[profile])),
    ),
    group(
      'rsm:ExchangedDocument',
      leaf('ram:ID', invoice.number),
      leaf('ram:TypeCode', invoice.type),
      day('ram:IssueDateTime', invoice.issued_on),
      group('ram:IncludedNote', leaf('ram:Content', invoice.note)),
    ),
    group(
      'rsm:SupplyChainTradeTransaction',
      invoice.lines.map(line(invoice)),
      agreement(invoice),
      delivery(invoice),
      settlement(invoice),
    ),
  )

const day = (name: string, date: string | null | undefined, types: 'udt' | 'qdt' = 'udt'): Xml =>
  group(name, leaf(`${types}:DateTimeString`, date?.replaceAll('-', ''), { format: '102' }))

/** Outside the scope of tax, BT-119 is 0 and BT-152 is omitted (BR-O-05). */
const taxedAs = (category: string, rate: string): Xml[] => [
  leaf('ram:CategoryCode', category),
  category === 'O' ? undefined : leaf('ram:RateApplicablePercent', rate),
]

const line =
  ({ discounted }: EInvoice) =>
  (one: EInvoice['lines'][number], n: number): Xml =>
    group(
      'ram:IncludedSupplyChainTradeLineItem',
      group('ram:AssociatedDocumentLineDocument', leaf('ram:LineID', String(n + 1))),
      group(
        'ram:SpecifiedTradeProduct',
        leaf('ram:SellerAssignedID', one.sku),
        leaf('ram:Name', one.name),
        leaf('ram:Description', one.description),
      ),
      group(
        'ram:SpecifiedLineTradeAgreement',
        group(
          'ram:NetPriceProductTradePrice',
          leaf('ram:ChargeAmount', one.price),
          leaf('ram:BasisQuantity', one.per, { unitCode: one.unit }),
        ),
      ),
      group('ram:SpecifiedLineTradeDelivery', leaf('ram:BilledQuantity', one.quantity, { unitCode: one.unit })),
      group(
        'ram:SpecifiedLineTradeSettlement',
        group('ram:ApplicableTradeTax', leaf('ram:TypeCode', 'VAT'), taxedAs(one.category, one.rate)),
        one.discount &&
          group(
            'ram:SpecifiedTradeAllowanceCharge',
            group('ram:ChargeIndicator', leaf('udt:Indicator', 'false')),
            leaf('ram:ActualAmount', one.discount),
            leaf('ram:ReasonCode', '95'),
            leaf('ram:Reason', discounted),
          ),
        group('ram:SpecifiedTradeSettlementLineMonetarySummation', leaf('ram:LineTotalAmount', one.net)),
      ),
    )

const agreement = ({ seller, buyer, buyer_reference, order_reference }: EInvoice): Xml =>
  group(
    'ram:ApplicableHeaderTradeAgreement',
    leaf('ram:BuyerReference', buyer_reference),
    party('ram:SellerTradeParty', seller),
    party('ram:BuyerTradeParty', buyer),
    group('ram:BuyerOrderReferencedDocument', leaf('ram:IssuerAssignedID', order_reference)),
  )

const party = (name: string, { id, name: called, contact, address: where, endpoint, vat_id, tax_number }: Party): Xml =>
  group(
    name,
    leaf('ram:ID', id),
    leaf('ram:Name', called),
    group(
      'ram:DefinedTradeContact',
      leaf('ram:PersonName', contact.name),
      group('ram:TelephoneUniversalCommunication', leaf('ram:CompleteNumber', contact.phone)),
      group('ram:EmailURIUniversalCommunication', leaf('ram:URIID', contact.email)),
    ),
    address(where),
    group('ram:URIUniversalCommunication', endpoint && leaf('ram:URIID', endpoint.id, { schemeID: endpoint.scheme })),
    group('ram:SpecifiedTaxRegistration', leaf('ram:ID', vat_id, { schemeID: 'VA' })),
    group('ram:SpecifiedTaxRegistration', leaf('ram:ID', tax_number, { schemeID: 'FC' })),
  )

const address = ({ lines: [one, two], postcode, city, country }: Party['address']): Xml =>
  group(
    'ram:PostalTradeAddress',
    leaf('ram:PostcodeCode', postcode),
    leaf('ram:LineOne', one),
    leaf('ram:LineTwo', two),
    leaf('ram:CityName', city),
    leaf('ram:CountryID', country),
  )

const delivery = ({ delivered_on, delivered_to }: EInvoice): Xml =>
  group(
    'ram:ApplicableHeaderTradeDelivery',
    delivered_to && group('ram:ShipToTradeParty', address(delivered_to)),
    group('ram:ActualDeliverySupplyChainEvent', day('ram:OccurrenceDateTime', delivered_on)),
  ) || '<ram:ApplicableHeaderTradeDelivery/>' // required by the schema, even if empty

const settlement = ({ currency, reference, payment, taxes, period, terms, due_on, net, tax, total, corrects }: EInvoice): Xml =>
  group(
    'ram:ApplicableHeaderTradeSettlement',
    leaf('ram:PaymentReference', reference),
    leaf('ram:InvoiceCurrencyCode', currency),
    payment &&
      group(
        'ram:SpecifiedTradeSettlementPaymentMeans',
        leaf('ram:TypeCode', payment.code),
        group('ram:PayeePartyCreditorFinancialAccount', leaf('ram:IBANID', payment.iban), leaf('ram:AccountName', payment.name)),
        group('ram:PayeeSpecifiedCreditorFinancialInstitution', leaf('ram:BICID', payment.bic)),
      ),
    taxes.map(({ category, rate, base, tax: charged, reason }) =>
      group(
        'ram:ApplicableTradeTax',
        leaf('ram:CalculatedAmount', charged),
        leaf('ram:TypeCode', 'VAT'),
        leaf('ram:ExemptionReason', reason?.text),
        leaf('ram:BasisAmount', base),
        leaf('ram:CategoryCode', category),
        leaf('ram:ExemptionReasonCode', reason?.code),
        leaf('ram:RateApplicablePercent', rate),
      ),
    ),
    group('ram:BillingSpecifiedPeriod', day('ram:StartDateTime', period?.start), day('ram:EndDateTime', period?.end)),
    group('ram:SpecifiedTradePaymentTerms', leaf('ram:Description', terms), day('ram:DueDateDateTime', due_on)),
    group(
      'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
      leaf('ram:LineTotalAmount', net),
      leaf('ram:TaxBasisTotalAmount', net),
      leaf('ram:TaxTotalAmount', tax, { currencyID: currency }),
      leaf('ram:GrandTotalAmount', total),
      leaf('ram:DuePayableAmount', total),
    ),
    corrects &&
      group(
        'ram:InvoiceReferencedDocument',
        leaf('ram:IssuerAssignedID', corrects.number),
        day('ram:FormattedIssueDateTime', corrects.issued_on, 'qdt'),
      ),
  )
