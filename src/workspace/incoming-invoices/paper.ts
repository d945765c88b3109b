/**
 * Renders an incoming XML invoice as a readable page in the workspace's language. An invoice received as a PDF is shown as it is.
 */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { countryName } from '#kernel/values/formatters.ts'
import { decimal, formatAmount, formatPercentage, formatQuantity, formatUnitPrice } from '#kernel/values/money.ts'
import { addressLines, drawingOf, printedDates, stationeryOf } from '#workspace/billing-documents/public.ts'
import type { Incoming } from './incoming-invoices.ts'
import type { Adjustment, InvoiceData } from './reading/invoice-data.ts'

/** Code of pieces (UN/ECE Recommendation 20: one), which is printed without a unit. */
const PIECES = 'C62'

/** Returns the PDF's spec; it is rendered later. */
export async function readablePdf(ctx: Ctx, row: Incoming): Promise<PdfSpec> {
  const { branding, written, say } = (await stationeryOf(ctx))([])
  const data = row.data as unknown as InvoiceData
  const { kind, number, issue_date, due_date, currency, seller, buyer, totals, payment, notes } = data
  const { locale } = say
  const amount = (value: number | null) => (value === null ? '' : formatAmount(value, currency, locale))
  const percent = (rate: number | null) => (rate === null ? '' : formatPercentage(rate, locale))
  const price = (each: number, of: number | null) =>
    `${formatUnitPrice(each, currency, locale)}${of === null || of === 1 ? '' : ` / ${formatQuantity(of, locale)}`}`
  const party = ({ street, street_2, postcode, city, country, vat_id, tax_number, email, phone }: InvoiceData['seller']) =>
    addressLines([
      ...[street, street_2, [postcode, city].filter(Boolean).join(' '), country && countryName(country, locale)],
      vat_id && say('vat_id', { id: vat_id }),
      tax_number && say('tax_number', { id: tax_number }),
      ...[phone, email],
    ])
  const lines = data.lines.map((line) => ({
    description: line.name ?? '',
    detail: [line.sku, line.description, line.note].filter(Boolean).join(' · ') || null,
    quantity:
      line.quantity === null
        ? ''
        : [formatQuantity(line.quantity, locale), line.unit === PIECES ? null : line.unit].filter(Boolean).join(' '),
    unit_price: line.price === null ? '' : price(line.price, line.price_quantity),
    discount: offOf(line.adjustments) ? amount(offOf(line.adjustments)) : null,
    tax_rate: percent(line.rate),
    // A column of amounts that doesn't add up would mislead: subtotals and information lines have none.
    amount: (line.subtype ?? 'detail') === 'detail' ? amount(line.net) : '',
  }))
  const due = totals.due ?? totals.total
  return drawingOf(
    {
      ...written,
      logo: null, // it is the seller's page
      printed: {
        ...{ ...branding, issuer: { name: seller.name ?? '', lines: party(seller) }, footer: null },
        ...{
          kind: say(kind === 'invoice' ? 'kind_invoice' : 'kind_credit_note'),
          number,
          issued_on: issue_date,
          currency,
          lines,
        },
        dates: [
          ...printedDates(say, { issue_date, due_date }),
          ...(data.order_reference ? [{ label: say('order_reference'), value: data.order_reference }] : []),
          ...(payment.reference ? [{ label: say('reference'), value: payment.reference }] : []),
        ],
        recipient: { label: say('bill_to'), name: buyer.name ?? '', lines: party(buyer) },
        totals: [
          ...data.adjustments.map(({ is_charge, amount: by, reason }) => ({
            label: reason ?? say(is_charge ? 'amount' : 'discount'),
            value: amount(by === null ? null : is_charge ? by : -by),
          })),
          { label: say('subtotal'), value: amount(totals.net) },
          { label: say('tax_total'), value: amount(totals.tax) },
          { label: say('total'), value: amount(totals.total), strong: true },
          ...(data.third_party_payments ?? []).map(({ type, description, amount: by }) => ({
            label: description ?? type ?? say('amount'),
            value: amount(by),
          })),
          ...(totals.prepaid ? [{ label: say('paid'), value: amount(totals.prepaid) }] : []),
          ...(due === totals.total ? [] : [{ label: say('balance_due'), value: amount(due), strong: true }]),
        ],
        taxes: data.taxes.map(({ rate, base, tax }) => ({ rate: percent(rate), net: amount(base), tax: amount(tax) })),
        tax_notices: data.taxes.flatMap(({ reason }) => reason ?? []),
        tables: accountsOf(data).length
          ? [{ title: say('pay_by_transfer'), headers: [say('account_holder'), say('iban')], rows: accountsOf(data) }]
          : [],
        notes: [...notes, payment.terms].filter(Boolean).join('\n') || null,
      },
    },
    {},
  )
}

/** Charges minus allowances. */
const offOf = (adjustments: Adjustment[]) =>
  Number(
    adjustments.reduce((sum, { is_charge, amount }) => (is_charge ? sum.plus(amount ?? 0) : sum.minus(amount ?? 0)), decimal(0)),
  )

const accountsOf = ({ payment }: InvoiceData) =>
  payment.means.flatMap(({ iban, account_name, bic }) =>
    iban ? [[account_name ?? '', [iban, bic].filter(Boolean).join(' · ')]] : [],
  )
