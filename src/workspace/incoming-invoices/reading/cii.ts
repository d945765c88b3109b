/** Reads UN/CEFACT Cross Industry Invoice (D16B), the syntax of Factur-X and ZUGFeRD. */
import { all, first, textAt, trimmed, type XmlElement } from '#kernel/values/xml-reading.ts'
import { filesIn } from './attachments.ts'
import { type Adjustment, type InvoiceData, isCredit, type Line, needed, type Party, type Values } from './invoice-data.ts'
import { profileOf } from './profiles.ts'

const TRADE = 'SupplyChainTradeTransaction'

/** Throws an Unreadable if a required part is missing. */
export function fromCii(root: XmlElement, values: Values): InvoiceData {
  const head = first(root, 'ExchangedDocument')
  const agreement = first(root, `${TRADE}/ApplicableHeaderTradeAgreement`)
  const delivery = first(root, `${TRADE}/ApplicableHeaderTradeDelivery`)
  const settlement = first(root, `${TRADE}/ApplicableHeaderTradeSettlement`)
  const sums = first(settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation')
  const said = (element: XmlElement | undefined, path: string) => values.text(textAt(element, path))
  const sum = (name: string, field: string) => values.amount(textAt(sums, name), `totals.${field}`)
  const type_code = said(head, 'TypeCode')
  const currency = needed(said(settlement, 'InvoiceCurrencyCode'), 'currency (BT-5)')
  const taxTotals = all(sums, 'TaxTotalAmount')
  const taxTotal = taxTotals.find(({ attributes }) => attributes.currencyID === currency) ?? taxTotals[0]
  const day = (element: XmlElement | undefined, path: string, field: string) =>
    values.compactDate(textAt(element, `${path}/DateTimeString`) ?? textAt(element, `${path}/DateTime`), field)
  const specification = said(root, 'ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID')
  const allowances = all(settlement, 'SpecifiedTradeAllowanceCharge').map((one, n) => adjustment(one, `adjustments.${n}`, values))
  const freight = all(settlement, 'SpecifiedLogisticsServiceCharge').map((one, n) =>
    logisticsCharge(one, `adjustments.${allowances.length + n}`, values),
  )
  return {
    ...{ syntax: 'cii', kind: isCredit(type_code) ? 'credit_note' : 'invoice', type_code, currency },
    ...{ specification, profile: profileOf(specification) },
    number: needed(said(head, 'ID'), 'number (BT-1)'),
    issue_date: needed(day(head, 'IssueDateTime', 'issue_date'), 'day of issue (BT-2)'),
    due_date: day(settlement, 'SpecifiedTradePaymentTerms/DueDateDateTime', 'due_date'),
    delivery_date: day(delivery, 'ActualDeliverySupplyChainEvent/OccurrenceDateTime', 'delivery_date'),
    period_start: day(settlement, 'BillingSpecifiedPeriod/StartDateTime', 'period_start'),
    period_end: day(settlement, 'BillingSpecifiedPeriod/EndDateTime', 'period_end'),
    notes: all(head, 'IncludedNote').flatMap((note) => said(note, 'Content') ?? []),
    buyer_reference: said(agreement, 'BuyerReference'),
    project_reference: said(agreement, 'SpecifiedProcuringProject/ID'),
    contract_reference: said(agreement, 'ContractReferencedDocument/IssuerAssignedID'),
    order_reference: said(agreement, 'BuyerOrderReferencedDocument/IssuerAssignedID'),
    sales_order_reference: said(agreement, 'SellerOrderReferencedDocument/IssuerAssignedID'),
    preceding_invoices: all(settlement, 'InvoiceReferencedDocument').flatMap((one) => said(one, 'IssuerAssignedID') ?? []),
    seller: party(first(agreement, 'SellerTradeParty'), values),
    buyer: party(first(agreement, 'BuyerTradeParty'), values),
    payee: said(settlement, 'PayeeTradeParty/Name'),
    payment: {
      means: all(settlement, 'SpecifiedTradeSettlementPaymentMeans').map((one) => ({
        code: said(one, 'TypeCode'),
        iban:
          said(one, 'PayeePartyCreditorFinancialAccount/IBANID') ?? said(one, 'PayeePartyCreditorFinancialAccount/ProprietaryID'),
        account_name: said(one, 'PayeePartyCreditorFinancialAccount/AccountName'),
        bic: said(one, 'PayeeSpecifiedCreditorFinancialInstitution/BICID'),
      })),
      reference: said(settlement, 'PaymentReference'),
      terms: values.text(together(all(settlement, 'SpecifiedTradePaymentTerms/Description'))),
    },
    adjustments: [...allowances, ...freight],
    taxes: all(settlement, 'ApplicableTradeTax').map((one, n) => ({
      category: said(one, 'CategoryCode'),
      rate: values.amount(textAt(one, 'RateApplicablePercent'), `taxes.${n}.rate`),
      base: values.amount(textAt(one, 'BasisAmount'), `taxes.${n}.base`),
      tax: values.amount(textAt(one, 'CalculatedAmount'), `taxes.${n}.tax`),
      reason: said(one, 'ExemptionReason') ?? said(one, 'ExemptionReasonCode'),
    })),
    totals: {
      lines: sum('LineTotalAmount', 'lines'),
      allowances: sum('AllowanceTotalAmount', 'allowances'),
      charges: sum('ChargeTotalAmount', 'charges'),
      net: sum('TaxBasisTotalAmount', 'net'),
      tax: values.amount(trimmed(taxTotal), 'totals.tax'),
      total: values.total(textAt(sums, 'GrandTotalAmount')),
      prepaid: sum('TotalPrepaidAmount', 'prepaid'),
      rounding: sum('RoundingAmount', 'rounding'),
      due: sum('DuePayableAmount', 'due'),
    },
    lines: all(root, `${TRADE}/IncludedSupplyChainTradeLineItem`).map((one, n) => line(one, `lines.${n}`, values)),
    third_party_payments: all(settlement, 'SpecifiedFinancialAdjustment').map((one, n) => ({
      type: said(one, 'ReasonCode'),
      amount: values.amount(textAt(one, 'ActualAmount'), `third_party_payments.${n}.amount`),
      description: said(one, 'Reason'),
    })),
    attachments: all(agreement, 'AdditionalReferencedDocument')
      .filter((one) => textAt(one, 'TypeCode') === '916')
      .flatMap(
        (one) => values.text(first(one, 'AttachmentBinaryObject')?.attributes.filename || textAt(one, 'IssuerAssignedID')) ?? [],
      ),
    attached_files: filesIn(root).map(({ name, description, media_type }) => ({ name, description, media_type })),
  }
}

function party(element: XmlElement | undefined, values: Values): Party {
  const said = (path: string) => values.text(textAt(element, path))
  const registered = (scheme: string) =>
    all(element, 'SpecifiedTaxRegistration/ID').find(({ attributes }) => attributes.schemeID === scheme)
  const address = 'PostalTradeAddress'
  return {
    name: said('Name'),
    trading_name: said('SpecifiedLegalOrganization/TradingBusinessName'),
    ids: [...all(element, 'ID'), ...all(element, 'GlobalID')].flatMap((id) => named(id) ?? []),
    registration: said('SpecifiedLegalOrganization/ID'),
    vat_id: values.text(trimmed(registered('VA'))),
    tax_number: values.text(trimmed(registered('FC'))),
    einvoice_address: named(first(element, 'URIUniversalCommunication/URIID')),
    street: said(`${address}/LineOne`),
    street_2: joined([said(`${address}/LineTwo`), said(`${address}/LineThree`)]),
    postcode: said(`${address}/PostcodeCode`),
    city: said(`${address}/CityName`),
    region: said(`${address}/CountrySubDivisionName`),
    country: said(`${address}/CountryID`),
    contact_name: said('DefinedTradeContact/PersonName') ?? said('DefinedTradeContact/DepartmentName'),
    phone: said('DefinedTradeContact/TelephoneUniversalCommunication/CompleteNumber'),
    email: said('DefinedTradeContact/EmailURIUniversalCommunication/URIID'),
  }
}

/** Returns an id with its scheme as prefix: `0088:4012345000009`. */
export function named(element: XmlElement | undefined): string | null {
  const id = trimmed(element)
  const scheme = element?.attributes.schemeID?.trim()
  return id ? `${scheme && scheme !== 'EM' ? `${scheme}:` : ''}${id}`.slice(0, 300).toWellFormed() : null
}

export const joined = (texts: (string | null)[]) => texts.filter(Boolean).join(', ') || null

/** Joins the distinct texts of several elements, one per line. */
export const together = (elements: XmlElement[]): string | undefined =>
  [...new Set(elements.flatMap((one) => trimmed(one) ?? []))].join('\n') || undefined

function adjustment(element: XmlElement, field: string, values: Values): Adjustment {
  return {
    is_charge: values.flag(textAt(element, 'ChargeIndicator/Indicator'), `${field}.is_charge`),
    amount: values.amount(textAt(element, 'ActualAmount'), `${field}.amount`),
    reason: values.text(textAt(element, 'Reason')),
    category: values.text(textAt(element, 'CategoryTradeTax/CategoryCode')),
    rate: values.amount(textAt(element, 'CategoryTradeTax/RateApplicablePercent'), `${field}.rate`),
  }
}

/** BG-X-42 of Factur-X EXTENDED: freight and the like, as a charge on the whole document. */
function logisticsCharge(element: XmlElement, field: string, values: Values): Adjustment {
  return {
    is_charge: true,
    amount: values.amount(textAt(element, 'AppliedAmount'), `${field}.amount`),
    reason: values.text(textAt(element, 'Description')),
    category: values.text(textAt(element, 'AppliedTradeTax/CategoryCode')),
    rate: values.amount(textAt(element, 'AppliedTradeTax/RateApplicablePercent'), `${field}.rate`),
  }
}

/** Codes of BT-X-8 in CII. */
const SUBTYPE_CODES = { DETAIL: 'detail', GROUP: 'group', INFORMATION: 'information' } as const
const subtypeOf = (code: string | undefined): Line['subtype'] =>
  SUBTYPE_CODES[code?.toUpperCase() as keyof typeof SUBTYPE_CODES] ?? 'detail'

function line(element: XmlElement, field: string, values: Values): Line {
  const said = (path: string) => values.text(textAt(element, path))
  const amount = (path: string, name: string) => values.amount(textAt(element, path), `${field}.${name}`)
  const settled = first(element, 'SpecifiedLineTradeSettlement')
  const price = 'SpecifiedLineTradeAgreement/NetPriceProductTradePrice'
  const quantity = 'SpecifiedLineTradeDelivery/BilledQuantity'
  return {
    id: said('AssociatedDocumentLineDocument/LineID'),
    parent_id: said('AssociatedDocumentLineDocument/ParentLineID'),
    subtype: subtypeOf(textAt(element, 'AssociatedDocumentLineDocument/LineStatusReasonCode')),
    name: said('SpecifiedTradeProduct/Name'),
    description: said('SpecifiedTradeProduct/Description'),
    note: said('AssociatedDocumentLineDocument/IncludedNote/Content'),
    sku: said('SpecifiedTradeProduct/SellerAssignedID'),
    buyer_sku: said('SpecifiedTradeProduct/BuyerAssignedID'),
    quantity: amount(quantity, 'quantity'),
    unit: values.text(first(element, quantity)?.attributes.unitCode),
    price: amount(`${price}/ChargeAmount`, 'price'),
    price_quantity: amount(`${price}/BasisQuantity`, 'price_quantity'),
    adjustments: all(settled, 'SpecifiedTradeAllowanceCharge').map((one, n) =>
      adjustment(one, `${field}.adjustments.${n}`, values),
    ),
    net: amount('SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount', 'net'),
    category: values.text(textAt(settled, 'ApplicableTradeTax/CategoryCode')),
    rate: values.amount(textAt(settled, 'ApplicableTradeTax/RateApplicablePercent'), `${field}.rate`),
  }
}
