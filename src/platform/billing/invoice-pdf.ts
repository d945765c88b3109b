/** PDF of a ledger invoice. Prints stored values and computes nothing. */
import type { Selectable } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { readPlatformSettings } from '#kernel/modules/platform-settings.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { decimal, formatAmount } from '#kernel/values/money.ts'
import { capital } from '#kernel/values/words.ts'
import { dayOf, plusDays } from './periods.ts'
import type { LedgerInvoices } from './tables.ts'

const LABELS = { open: 'Open', paid: 'Paid', uncollectible: 'Uncollectible' }

/**
 * Returns the render specification of an invoice's PDF with its current data. It is rendered later, with the template of customer
 * invoices.
 */
export async function invoicePdf(ctx: BaseCtx, invoice: Selectable<LedgerInvoices>): Promise<PdfSpec> {
  const { tenant_id, id, currency } = invoice
  const [issuer, lines] = await Promise.all([
    readPlatformSettings(ctx, ['company_name', 'support_email', 'button_color']),
    ctx.tx
      .selectFrom('ledger_lines')
      .selectAll()
      .where('tenant_id', '=', tenant_id)
      .where('invoice_id', '=', id)
      .orderBy('id')
      .execute(),
  ])
  const amount = (value: string) => formatAmount(value, currency)
  const paid = decimal(invoice.amount_paid).eq(0) ? [] : [{ label: 'Paid', value: `−${amount(invoice.amount_paid)}` }]
  const data = {
    kind: 'Invoice',
    number: invoice.number,
    status: LABELS[invoice.status],
    issued_on: dayOf(invoice.issued_at),
    dates: [
      { label: 'Issue date', value: dayOf(invoice.issued_at) },
      { label: 'Due date', value: dayOf(invoice.due_at) },
    ],
    issuer: { name: issuer.company_name, lines: issuer.support_email ? [issuer.support_email] : [] },
    recipient: { label: 'Bill to', name: invoice.tenant_name, lines: [invoice.tenant_email] },
    accent: issuer.button_color,
    currency,
    lines: lines.map((line) => ({
      description: line.description,
      detail: `${capital(line.billing_cycle)}, ${line.period_start} to ${plusDays(line.period_end, -1)}`,
      quantity: '1',
      unit_price: amount(line.amount),
      tax_rate: '0%',
      amount: amount(line.amount),
    })),
    totals: [
      { label: 'Subtotal', value: amount(invoice.subtotal) },
      { label: 'Tax', value: amount(invoice.tax_total) },
      { label: 'Total', value: amount(invoice.total), strong: true },
      ...paid,
      { label: 'Balance due', value: amount(invoice.balance_due), strong: true },
    ],
  }
  return { template: 'billing-documents/document', data }
}
