/** What a workspace is told of its invoices, by mail to its own address. */
import type { Selectable } from 'kysely'
import { type BaseCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { letter } from '#kernel/mail/letter.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { readPlatformSettings } from '#kernel/modules/platform-settings.ts'
import { lockAcross } from '#kernel/tenancy/across.ts'
import { formatAmount } from '#kernel/values/money.ts'
import { usableGateways } from '#platform/payment-gateways/public.ts'
import { invoicePdf } from './invoice-pdf.ts'
import { payUrl } from './pay-links.ts'
import { dayOf } from './periods.ts'
import type { LedgerInvoices } from './tables.ts'

const BATCH = 50

type Invoice = Selectable<LedgerInvoices>

/** Mails the invoices that were issued, each once, batch by batch. */
export async function mailInvoices(services: Services, signal?: AbortSignal) {
  const batch = () => writeAsSystem(services, mailBatch)
  while (!signal?.aborted && (await batch()) > 0);
}

async function mailBatch(ctx: BaseCtx): Promise<number> {
  const invoices = await lockAcross(ctx, (within, lock) =>
    ctx.tx
      .selectFrom('ledger_invoices')
      .selectAll()
      .where('mailed_at', 'is', null)
      .where(within('ledger_invoices'))
      .orderBy('issued_at')
      .limit(BATCH)
      .$if(lock, (query) => query.forUpdate().skipLocked())
      .execute(),
  )
  for (const invoice of invoices) {
    await ctx.tx
      .updateTable('ledger_invoices')
      .set({ mailed_at: ctx.now })
      .where('tenant_id', '=', invoice.tenant_id)
      .where('id', '=', invoice.id)
      .execute()
    await mail(ctx, invoice, 'billing.invoice_issued', `Invoice ${invoice.number}`, [
      `Here is the invoice ${invoice.number} for the modules of your workspace.`,
    ])
  }
  return invoices.length
}

/** Tells that an invoice could not be charged. */
export async function mailFailure(ctx: BaseCtx, { tenant_id, id }: { tenant_id: number; id: number }) {
  const invoice = await ctx.tx
    .selectFrom('ledger_invoices')
    .selectAll()
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await mail(ctx, invoice, 'billing.payment_failed', `Payment of invoice ${invoice.number} failed`, [
    `The invoice ${invoice.number} could not be charged. We will try again; please look after your means of payment.`,
    'Modules whose invoice stays unpaid for three weeks are closed. What is in them is kept.',
  ])
}

async function mail(ctx: BaseCtx, invoice: Invoice, type: string, subject: string, paragraphs: string[]) {
  const { company_name, button_color } = await readPlatformSettings(ctx, ['company_name', 'button_color'])
  const canBePaid = invoice.status === 'open' && (await usableGateways(ctx)).has(invoice.gateway)
  const content = letter({
    title: subject,
    from: company_name,
    accent: button_color,
    paragraphs,
    facts: [
      { label: 'Total', value: `${formatAmount(invoice.total, invoice.currency)} ${invoice.currency}` },
      { label: 'Balance due', value: `${formatAmount(invoice.balance_due, invoice.currency)} ${invoice.currency}` },
      { label: 'Due', value: dayOf(invoice.due_at) },
    ],
    button: canBePaid
      ? { label: 'Pay now', url: payUrl(ctx.services, invoice), holds: 'The link is good until the invoice is paid.' }
      : undefined,
  })
  const pdf = { name: `${invoice.number}.pdf`, mime: 'application/pdf', drawing: await invoicePdf(ctx, invoice) }
  await sendMail(ctx, { type, to: [invoice.tenant_email], subject, ...content, attachments: [pdf] }, invoice.tenant_id)
}
