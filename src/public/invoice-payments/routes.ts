/** Routes of pay links. Opening one changes nothing, because mail scanners open links too. */
import { z } from 'zod'
import type { Ctx, PublicCtx, PublicSteps } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import { type Answer, redirect } from '#kernel/http/answer.ts'
import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { chargeableUnits, decimal, formatAmount } from '#kernel/values/money.ts'
import { invoiceToPay } from '#workspace/invoices/public.ts'
import {
  leftBeside,
  onlinePayment,
  openCheckout,
  receiveInvoiceEvent,
  throughPayLink,
  underwayOf,
} from '#workspace/payments/public.ts'
import { payPage, type Shown } from './page.ts'

const PayForm = z.object({
  amount: z
    .string()
    .max(30)
    .optional()
    .meta({
      description:
        'How much is to be paid, where less may be, as the page’s language writes it: `25.50`, `1.025,50`. Default: what is left.',
      examples: ['25.50'],
    }),
})
const Received = z
  .object({ received: z.literal(true).describe('Always true: the event was taken.') })
  .meta({ id: 'ReceivedInvoicePaymentEvent' })

const webhooks = limiter({ name: 'invoice-payment-webhooks', points: 600, seconds: 60, by: 'ip' })
const limit = limiter({ name: 'invoice-pay-pages', points: 60, seconds: 60, by: 'ip' })

/** Returns the data of a link's page. */
const shownBy = (ctx: PublicCtx, token: string): Promise<Shown> =>
  throughPayLink(ctx, token, async (ctx, invoiceId) => {
    const { invoice, paper, say, since, transferOf } = await invoiceToPay(ctx, invoiceId)
    const { printed, logo } = paper
    const { status, currency, balance_due } = invoice
    const underway = status === 'unpaid' ? await underwayOf(ctx, invoiceId) : '0'
    const left = leftBeside(balance_due, underway)
    const isPayable = status === 'unpaid' && decimal(left).gt(0)
    const online = isPayable ? await onlinePayment(ctx) : undefined
    // Cards can't be charged with a third decimal.
    const isChargeable = decimal(left).round(chargeableUnits(currency)).eq(left)
    return {
      say,
      printed,
      status: status as Shown['status'],
      settlement: since.settlement!,
      left: formatAmount(isPayable ? left : balance_due, currency, say.locale),
      isUnderway: decimal(underway).gt(0),
      transfer: (isPayable && transferOf(left)) || null,
      online: online && (isChargeable || online.allowPartial) ? online : undefined,
      pdf: `/pay/invoices/${token}/pdf`,
      logoUrl: logo && ctx.services.storage.url(logo),
    }
  })

async function describedIn(ctx: Ctx, invoiceId: number) {
  const { invoice, paper, say } = await invoiceToPay(ctx, invoiceId)
  return { description: `${say('kind_invoice')} ${invoice.number}`, language: paper.languages[0], locale: say.locale }
}

/** Redirects to the provider's page. Returns the link's page if nothing is left to pay or the amount is invalid. */
async function payByForm(steps: PublicSteps, token: string, amount: string | undefined): Promise<Answer> {
  try {
    const url = await openCheckout(steps, token, { asked: amount, describe: describedIn })
    if (url) return redirect(url, { status: 303 })
    return payPage(await steps.read((ctx) => shownBy(ctx, token)))
  } catch (error) {
    if (!(error instanceof HttpError && error.errors?.amount)) throw error
    return payPage(await steps.read((ctx) => shownBy(ctx, token)), { refused: { amount: amount ?? '' } })
  }
}

export default [
  open.get(
    '/pay/invoices/:token',
    {
      allow: 'anybody',
      limit,
      answer: 'text/html',
      query: z.object({ returned: z.literal('1', 'Must be 1.').optional().describe('1: back from the provider’s page.') }),
      operation: 'openInvoicePayPage',
      summary: 'The page of a pay link',
      description:
        'A page with the invoice in short, what is left to pay, and how to pay it. It says so of one that is paid or cancelled.',
    },
    async (ctx, { token, query }) => payPage(await shownBy(ctx, token), { returned: query.returned !== undefined }),
  ),
  open.multiTransaction.post(
    '/pay/invoices/:token',
    {
      allow: 'anybody',
      limit,
      answer: 'text/html',
      mayRedirect: 303,
      form: true,
      body: PayForm,
      notIdempotent: true,
      operation: 'payInvoiceByLink',
      summary: 'Go on to the provider’s page',
      description: 'What the page’s form sends: it leads on (303) to the page of the payment provider, over what is left to pay.',
    },
    (steps, { token, body }) => payByForm(steps, token, body.amount),
  ),
  open.post(
    '/webhooks/payments/:uuid',
    {
      allow: 'anybody',
      limit: webhooks,
      raw: true,
      notIdempotent: true,
      reply: Received,
      message: 'Event received.',
      operation: 'receiveInvoicePaymentEvent',
      summary: 'Tell of a payment of an invoice',
      description:
        'Takes the events of a workspace’s own payment provider, whose signature is checked over the body’s very bytes. Each counts once.',
    },
    async (ctx, { uuid, raw, headers }) => {
      await receiveInvoiceEvent(ctx, uuid, raw, headers)
      return { received: true } as const
    },
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
