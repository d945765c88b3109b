import { exportTypes } from '#kernel/export/file.ts'
import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { drawPdf } from '#kernel/pdf/drawing.ts'
import { action, assignRoute, recordRoutes, statusRoute, storyRoutes } from '#kernel/records/routes.ts'
import { billingDocumentEmail, EmailDocument, EmailedDocument } from '#workspace/billing-documents/public.ts'
import { ExpenseDetail, showExpense } from '#workspace/expenses/public.ts'
import { convert } from './conversion.ts'
import { email } from './emailing.ts'
import { exportOrders } from './export.ts'
import { lifecycle } from './lifecycle.ts'
import { cancel, create, orderList, orderStats, orders, send, update } from './orders.ts'
import { orderPdf } from './pdf.ts'
import { receive, receivePartly, receiveWholly } from './receiving.ts'
import { CreateOrder, ReceiveOrder, UpdateOrder } from './schema.ts'

const { get, post, inSteps } = workspace

/** As `invoices-pdf` in the contract. */
const orderPdfs = limiter({ name: 'purchase-orders-pdf', points: 30, seconds: 60, by: 'user' })

export default [
  inSteps.get(
    '/export',
    { allow: 'purchase-orders.export', query: orderList.exportQuery, file: exportTypes },
    (steps, { query }) => exportOrders(steps, query),
  ),
  ...recordRoutes(orders, { list: orderList, stats: orderStats, body: CreateOrder, changes: UpdateOrder, create, update }),
  ...storyRoutes(orders),
  assignRoute(orders),
  action(orders, '/:id/send', { allow: 'purchase-orders.send', message: 'Purchase order sent.' }, send),
  action(
    orders,
    '/:id/receive',
    { allow: 'purchase-orders.receive', body: ReceiveOrder, message: 'Receipt recorded.' },
    (ctx, order, body) => receive(ctx, order, body),
  ),
  action(orders, '/:id/cancel', { allow: 'purchase-orders.cancel', message: 'Purchase order cancelled.' }, cancel),
  statusRoute(orders, lifecycle, { send, receive_partially: receivePartly, receive: receiveWholly, cancel }),
  post(
    '/:id/convert',
    { allow: 'purchase-orders.convert', record: orders.lock, reply: ExpenseDetail, status: 201, message: 'Expense drafted.' },
    async (ctx, { record }) => showExpense(ctx, await convert(ctx, record)),
  ),
  get('/:id/pdf', { allow: 'purchase-orders.view', limit: orderPdfs, file: 'application/pdf' }, async (ctx, { id }) => {
    const order = await orders.find(ctx, id)
    const drawing = await orderPdf(ctx, order)
    const content = () => drawPdf(ctx.services, ctx.tenant.id, drawing)
    return { name: `${order.number}.pdf`, type: 'application/pdf', content }
  }),
  post(
    '/:id/email',
    {
      allow: 'purchase-orders.send',
      limit: billingDocumentEmail,
      record: orders.find,
      body: EmailDocument,
      reply: EmailedDocument,
      message: 'The mail is on its way.',
    },
    (ctx, { record, body }) => email(ctx, record, body),
  ),
]
