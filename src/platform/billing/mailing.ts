/** Billing mails to workspaces' addresses. */
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { BaseCtx, Services } from '#kernel/context.ts'
import { batchByBatch } from '#kernel/jobs/one-by-one.ts'
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

/** Mails each new invoice once, batch by batch. */
export const mailInvoices = (services: Services, signal?: AbortSignal) =>
  batchByBatch<Invoice>(services, {
    size: BATCH,
    find: lockUnmailed,
    work: mailBatch,
    failing: 'an invoice could not be mailed',
    nameOf: ({ tenant_id, id }) => ({ tenant_id, invoice: id }),
    signal,
  })

/** Locks the next invoices that haven't been mailed, oldest first. */
const lockUnmailed = (ctx: BaseCtx, limit: number, behind: Invoice | undefined): Promise<Invoice[]> =>
  lockAcross(ctx, (within, lock) =>
    ctx.tx
      .selectFrom('ledger_invoices')
      .selectAll()
      .where('mailed_at', 'is', null)
      .where(within('ledger_invoices'))
      .$if(behind !== undefined, (query) =>
        query.where(sql<SqlBool>`(issued_at, tenant_id, id) > (${behind!.issued_at}, ${behind!.tenant_id}, ${behind!.id})`),
      )
      .orderBy('issued_at')
      .orderBy('tenant_id')
      .orderBy('id')
      .limit(limit)
      .$if(lock, (query) => query.forUpdate().skipLocked())
      .execute(),
  )

async function mailBatch(ctx: BaseCtx, invoices: Invoice[]) {
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
}

/** Mails that an invoice could not be charged. */
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
