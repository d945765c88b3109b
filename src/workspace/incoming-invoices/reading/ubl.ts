/** Reads OASIS UBL 2.1 invoices and credit notes, the syntax of Peppol and XRechnung. */
import { all, first, textAt, trimmed, type XmlElement } from '#kernel/values/xml-reading.ts'
import { filesIn } from './attachments.ts'
import { joined, named, together } from './cii.ts'
import { type Adjustment, type InvoiceData, isCredit, type Line, needed, type Party, type Values } from './invoice-data.ts'
import { profileOf } from './profiles.ts'

/** Throws an Unreadable if a required part is missing. */
export function fromUbl(root: XmlElement, values: Values): InvoiceData {
  const isCreditNote = root.name === 'CreditNote'
  const said = (path: string) => values.text(textAt(root, path))
  const day = (path: string, field: string) => values.date(textAt(root, path), field)
  const sum = (name: string, field: string) => values.amount(textAt(root, `LegalMonetaryTotal/${name}`), `totals.${field}`)
  const type_code = said(isCreditNote ? 'CreditNoteTypeCode' : 'InvoiceTypeCode')
  const currency = needed(said('DocumentCurrencyCode'), 'currency (BT-5)')
  const taxTotals = all(root, 'TaxTotal')
  const inCurrency = (total: XmlElement) => first(total, 'TaxAmount')?.attributes.currencyID === currency
  const taxTotal = taxTotals.find(inCurrency) ?? taxTotals[0]
  const specification = said('CustomizationID')
  const profile = profileOf(specification)
  return {
    ...{ syntax: 'ubl', kind: isCreditNote || isCredit(type_code) ? 'credit_note' : 'invoice', type_code, currency },
    ...{ specification, profile },
    number: needed(said('ID'), 'number (BT-1)'),
    issue_date: needed(day('IssueDate', 'issue_date'), 'day of issue (BT-2)'),
    due_date: day('DueDate', 'due_date') ?? day('PaymentMeans/PaymentDueDate', 'due_date'),
    delivery_date: day('Delivery/ActualDeliveryDate', 'delivery_date'),
    period_start: day('InvoicePeriod/StartDate', 'period_start'),
    period_end: day('InvoicePeriod/EndDate', 'period_end'),
    notes: all(root, 'Note').flatMap((note) => values.text(trimmed(note)) ?? []),
    buyer_reference: said('BuyerReference'),
    project_reference: said('ProjectReference/ID'),
    contract_reference: said('ContractDocumentReference/ID'),
    order_reference: said('OrderReference/ID'),
    sales_order_reference: said('OrderReference/SalesOrderID'),
    preceding_invoices: all(root, 'BillingReference/InvoiceDocumentReference').flatMap(
      (one) => values.text(textAt(one, 'ID')) ?? [],
    ),
    seller: party(first(root, 'AccountingSupplierParty/Party'), values),
    buyer: party(first(root, 'AccountingCustomerParty/Party'), values),
    payee: said('PayeeParty/PartyName/Name'),
    payment: {
      means: all(root, 'PaymentMeans').map((one) => ({
        code: values.text(textAt(one, 'PaymentMeansCode')),
        iban: values.text(textAt(one, 'PayeeFinancialAccount/ID')),
        account_name: values.text(textAt(one, 'PayeeFinancialAccount/Name')),
        bic: values.text(textAt(one, 'PayeeFinancialAccount/FinancialInstitutionBranch/ID')),
      })),
      reference: said('PaymentMeans/PaymentID'),
      terms: values.text(together(all(root, 'PaymentTerms/Note'))),
    },
    adjustments: all(root, 'AllowanceCharge').map((one, n) => adjustment(one, `adjustments.${n}`, values)),
    taxes: all(taxTotal, 'TaxSubtotal').map((one, n) => ({
      category: values.text(textAt(one, 'TaxCategory/ID')),
      rate: values.amount(textAt(one, 'TaxCategory/Percent'), `taxes.${n}.rate`),
      base: values.amount(textAt(one, 'TaxableAmount'), `taxes.${n}.base`),
      tax: values.amount(textAt(one, 'TaxAmount'), `taxes.${n}.tax`),
      reason: values.text(textAt(one, 'TaxCategory/TaxExemptionReason') ?? textAt(one, 'TaxCategory/TaxExemptionReasonCode')),
    })),
    totals: {
      lines: sum('LineExtensionAmount', 'lines'),
      allowances: sum('AllowanceTotalAmount', 'allowances'),
      charges: sum('ChargeTotalAmount', 'charges'),
      net: sum('TaxExclusiveAmount', 'net'),
      tax: values.amount(textAt(taxTotal, 'TaxAmount'), 'totals.tax'),
      total: values.total(textAt(root, 'LegalMonetaryTotal/TaxInclusiveAmount')),
      prepaid: sum('PrepaidAmount', 'prepaid'),
      rounding: sum('PayableRoundingAmount', 'rounding'),
      due: sum('PayableAmount', 'due'),
    },
    lines: withParts(all(root, isCreditNote ? 'CreditNoteLine' : 'InvoiceLine')).map(({ element, ...place }, n) =>
      line(element, place, isCreditNote ? 'CreditedQuantity' : 'InvoicedQuantity', `lines.${n}`, values),
    ),
    // In other profiles, a PrepaidPayment only details a part of BT-113.
    third_party_payments: (profile === 'xrechnung_extension' ? all(root, 'PrepaidPayment') : []).map((one, n) => ({
      type: values.text(textAt(one, 'ID')),
      amount: values.amount(textAt(one, 'PaidAmount'), `third_party_payments.${n}.amount`),
      description: values.text(textAt(one, 'InstructionID')),
    })),
    attachments: all(root, 'AdditionalDocumentReference')
      .filter((one) => first(one, 'Attachment'))
      .flatMap(
        (one) =>
          values.text(first(one, 'Attachment/EmbeddedDocumentBinaryObject')?.attributes.filename || textAt(one, 'ID')) ?? [],
      ),
    attached_files: filesIn(root).map(({ name, description, media_type }) => ({ name, description, media_type })),
  }
}

type Place = Pick<Line, 'parent_id' | 'subtype'>

/**
 * Returns lines, each followed by its parts (`SubInvoiceLine` of the XRechnung extension). The top-level lines add up to the
 * total; parts only detail their parent.
 */
function withParts(
  elements: XmlElement[],
  place: Place = { parent_id: null, subtype: 'detail' },
): (Place & { element: XmlElement })[] {
  return elements.flatMap((element) => [
    { element, ...place },
    ...withParts(all(element, 'SubInvoiceLine'), {
      parent_id: textAt(element, 'ID')?.slice(0, MAX_ID).toWellFormed() ?? null,
      subtype: 'information',
    }),
  ])
}
const MAX_ID = 200

function party(element: XmlElement | undefined, values: Values): Party {
  const said = (path: string) => values.text(textAt(element, path))
  const schemes = all(element, 'PartyTaxScheme')
  const registered = (isVat: boolean) => schemes.find((one) => (textAt(one, 'TaxScheme/ID') === 'VAT') === isVat)
  const address = 'PostalAddress'
  return {
    name: said('PartyLegalEntity/RegistrationName') ?? said('PartyName/Name'),
    trading_name: said('PartyName/Name'),
    ids: all(element, 'PartyIdentification/ID').flatMap((id) => named(id) ?? []),
    registration: said('PartyLegalEntity/CompanyID'),
    vat_id: values.text(textAt(registered(true), 'CompanyID')),
    tax_number: values.text(textAt(registered(false), 'CompanyID')),
    einvoice_address: named(first(element, 'EndpointID')),
    street: said(`${address}/StreetName`),
    street_2: joined([said(`${address}/AdditionalStreetName`), said(`${address}/AddressLine/Line`)]),
    postcode: said(`${address}/PostalZone`),
    city: said(`${address}/CityName`),
    region: said(`${address}/CountrySubentity`),
    country: said(`${address}/Country/IdentificationCode`),
    contact_name: said('Contact/Name'),
    phone: said('Contact/Telephone'),
    email: said('Contact/ElectronicMail'),
  }
}

function adjustment(element: XmlElement, field: string, values: Values): Adjustment {
  return {
    is_charge: values.flag(textAt(element, 'ChargeIndicator'), `${field}.is_charge`),
    amount: values.amount(textAt(element, 'Amount'), `${field}.amount`),
    reason: values.text(textAt(element, 'AllowanceChargeReason')),
    category: values.text(textAt(element, 'TaxCategory/ID')),
    rate: values.amount(textAt(element, 'TaxCategory/Percent'), `${field}.rate`),
  }
}

function line(element: XmlElement, place: Place, quantity: string, field: string, values: Values): Line {
  const said = (path: string) => values.text(textAt(element, path))
  const amount = (path: string, name: string) => values.amount(textAt(element, path), `${field}.${name}`)
  return {
    id: said('ID'),
    ...place,
    name: said('Item/Name'),
    description: said('Item/Description'),
    note: said('Note'),
    sku: said('Item/SellersItemIdentification/ID'),
    buyer_sku: said('Item/BuyersItemIdentification/ID'),
    quantity: amount(quantity, 'quantity'),
    unit: values.text(first(element, quantity)?.attributes.unitCode),
    price: amount('Price/PriceAmount', 'price'),
    price_quantity: amount('Price/BaseQuantity', 'price_quantity'),
    adjustments: all(element, 'AllowanceCharge').map((one, n) => adjustment(one, `${field}.adjustments.${n}`, values)),
    net: amount('LineExtensionAmount', 'net'),
    category: said('Item/ClassifiedTaxCategory/ID'),
    rate: amount('Item/ClassifiedTaxCategory/Percent', 'rate'),
  }
}
