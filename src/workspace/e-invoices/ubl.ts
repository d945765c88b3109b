/** Writes an e-invoice in OASIS UBL 2.1, the syntax of Peppol. */
import { type Profile, processOf, SPECIFICATION } from './profiles.ts'
import type { EInvoice, Party } from './semantics.ts'
import { group, leaf, type Xml, xmlDocument } from './xml.ts'

/** A credit note has a root, a type and lines of its own. */
const KINDS = {
  380: { root: 'Invoice', type: 'cbc:InvoiceTypeCode', line: 'cac:InvoiceLine', quantity: 'cbc:InvoicedQuantity' },
  381: { root: 'CreditNote', type: 'cbc:CreditNoteTypeCode', line: 'cac:CreditNoteLine', quantity: 'cbc:CreditedQuantity' },
}

export function ubl(invoice: EInvoice, profile: Profile): string {
  const { type, currency, period, payment, delivered_on, delivered_to, order_reference, corrects } = invoice
  const kind = KINDS[type]
  const amount = (name: string, value: string | undefined) => leaf(name, value, { currencyID: currency })
  return xmlDocument(
    kind.root,
    {
      '': `urn:oasis:names:specification:ubl:schema:xsd:${kind.root}-2`,
      cac: 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
      cbc: 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
    },
    leaf('cbc:CustomizationID', SPECIFICATION[profile]),
    leaf('cbc:ProfileID', processOf(profile)),
    leaf('cbc:ID', invoice.number),
    leaf('cbc:IssueDate', invoice.issued_on),
    type === '380' ? leaf('cbc:DueDate', invoice.due_on) : undefined,
    leaf(kind.type, type),
    leaf('cbc:Note', invoice.note),
    leaf('cbc:DocumentCurrencyCode', currency),
    leaf('cbc:BuyerReference', invoice.buyer_reference),
    group('cac:InvoicePeriod', leaf('cbc:StartDate', period?.start), leaf('cbc:EndDate', period?.end)),
    group('cac:OrderReference', leaf('cbc:ID', order_reference)),
    group(
      'cac:BillingReference',
      group('cac:InvoiceDocumentReference', leaf('cbc:ID', corrects?.number), leaf('cbc:IssueDate', corrects?.issued_on)),
    ),
    group('cac:AccountingSupplierParty', party(invoice.seller)),
    group('cac:AccountingCustomerParty', party(invoice.buyer)),
    group(
      'cac:Delivery',
      leaf('cbc:ActualDeliveryDate', delivered_on),
      delivered_to && group('cac:DeliveryLocation', address('cac:Address', delivered_to)),
    ),
    payment &&
      group(
        'cac:PaymentMeans',
        leaf('cbc:PaymentMeansCode', payment.code),
        leaf('cbc:PaymentID', invoice.reference),
        group(
          'cac:PayeeFinancialAccount',
          leaf('cbc:ID', payment.iban),
          leaf('cbc:Name', payment.name),
          group('cac:FinancialInstitutionBranch', leaf('cbc:ID', payment.bic)),
        ),
      ),
    group('cac:PaymentTerms', leaf('cbc:Note', invoice.terms)),
    group(
      'cac:TaxTotal',
      amount('cbc:TaxAmount', invoice.tax),
      invoice.taxes.map(({ category, rate, base, tax, reason }) =>
        group(
          'cac:TaxSubtotal',
          amount('cbc:TaxableAmount', base),
          amount('cbc:TaxAmount', tax),
          group(
            'cac:TaxCategory',
            leaf('cbc:ID', category),
            leaf('cbc:Percent', rate),
            leaf('cbc:TaxExemptionReasonCode', reason?.code),
            leaf('cbc:TaxExemptionReason', reason?.text),
            VAT,
          ),
        ),
      ),
    ),
    group(
      'cac:LegalMonetaryTotal',
      amount('cbc:LineExtensionAmount', invoice.net),
      amount('cbc:TaxExclusiveAmount', invoice.net),
      amount('cbc:TaxInclusiveAmount', invoice.total),
      amount('cbc:PayableAmount', invoice.total),
    ),
    invoice.lines.map((line, n) =>
      group(
        kind.line,
        leaf('cbc:ID', String(n + 1)),
        leaf(kind.quantity, line.quantity, { unitCode: line.unit }),
        amount('cbc:LineExtensionAmount', line.net),
        line.discount &&
          group(
            'cac:AllowanceCharge',
            leaf('cbc:ChargeIndicator', 'false'),
            leaf('cbc:AllowanceChargeReasonCode', '95'),
            leaf('cbc:AllowanceChargeReason', invoice.discounted),
            amount('cbc:Amount', line.discount),
          ),
        group(
          'cac:Item',
          leaf('cbc:Description', line.description),
          leaf('cbc:Name', line.name),
          group('cac:SellersItemIdentification', leaf('cbc:ID', line.sku)),
          group(
            'cac:ClassifiedTaxCategory',
            leaf('cbc:ID', line.category),
            line.category === 'O' ? undefined : leaf('cbc:Percent', line.rate),
            VAT,
          ),
        ),
        group('cac:Price', amount('cbc:PriceAmount', line.price), leaf('cbc:BaseQuantity', line.per, { unitCode: line.unit })),
      ),
    ),
  )
}

const scheme = (id: string) => group('cac:TaxScheme', leaf('cbc:ID', id))
const VAT = scheme('VAT')

const party = ({ id, name, contact, address: where, endpoint, vat_id, tax_number }: Party): Xml =>
  group(
    'cac:Party',
    endpoint && leaf('cbc:EndpointID', endpoint.id, { schemeID: endpoint.scheme }),
    group('cac:PartyIdentification', leaf('cbc:ID', id)),
    address('cac:PostalAddress', where),
    vat_id ? group('cac:PartyTaxScheme', leaf('cbc:CompanyID', vat_id), VAT) : undefined,
    tax_number ? group('cac:PartyTaxScheme', leaf('cbc:CompanyID', tax_number), scheme('FC')) : undefined,
    group('cac:PartyLegalEntity', leaf('cbc:RegistrationName', name)),
    group(
      'cac:Contact',
      leaf('cbc:Name', contact.name),
      leaf('cbc:Telephone', contact.phone),
      leaf('cbc:ElectronicMail', contact.email),
    ),
  )

const address = (name: string, { lines: [one, two], postcode, city, country }: Party['address']): Xml =>
  group(
    name,
    leaf('cbc:StreetName', one),
    leaf('cbc:AdditionalStreetName', two),
    leaf('cbc:CityName', city),
    leaf('cbc:PostalZone', postcode),
    group('cac:Country', leaf('cbc:IdentificationCode', country)),
  )
