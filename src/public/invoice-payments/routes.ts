/** Pay links. Opening one changes nothing: mail scanners open links too. */
import type { PublicCtx } from '#kernel/context.ts'
import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { invoiceToPay } from '#workspace/invoices/public.ts'
import { throughPayLink } from '#workspace/payments/public.ts'
import { payPage, type Shown } from './page.ts'

const limit = limiter({ name: 'invoice-pay-pages', points: 60, seconds: 60, by: 'ip' })

/** What the link's page shows. */
const shownBy = (ctx: PublicCtx, token: string): Promise<Shown> =>
  throughPayLink(ctx, token, async (ctx, invoiceId) => {
    const { invoice, paper, say, since } = await invoiceToPay(ctx, invoiceId)
    const { printed, logo } = paper
    return {
      say,
      printed,
      status: invoice.status as Shown['status'],
      settlement: since.settlement!,
      transfer: since.transfer ?? null,
      pdf: `/pay/invoices/${token}/pdf`,
      logoUrl: logo && ctx.services.storage.url(logo),
    }
  })

export default [
  open.get(
    '/pay/invoices/:token',
    {
      allow: 'anybody',
      limit,
      answer: 'text/html',
      operation: 'openInvoicePayPage',
      summary: 'The page of a pay link',
      description:
        'A page with the invoice in short, what is left to pay, and how to pay it. It says so of one that is paid or cancelled.',
    },
    async (ctx, { token }) => payPage(await shownBy(ctx, token)),
  ),
  open.multiTransaction.get(
    '/pay/invoices/:token/pdf',
    {
      allow: 'anybody',
      limit,
      file: 'application/pdf',
      operation: 'downloadInvoiceToPay',
      summary: 'The invoice behind a pay link',
    },
    async ({ read, services }, { token }) => {
      const { workspace, number, drawing } = await read((ctx) =>
        throughPayLink(ctx, token, async (ctx, invoiceId) => {
          const { invoice, drawing } = await invoiceToPay(ctx, invoiceId)
          return { workspace: ctx.tenant.id, number: invoice.number, drawing }
        }),
      )
      return { name: `${number}.pdf`, type: 'application/pdf', content: () => renderPdf(services, workspace, drawing) }
    },
  ),
]
