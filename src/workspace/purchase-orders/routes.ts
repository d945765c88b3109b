import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { drawPdf } from '#kernel/pdf/drawing.ts'
import { assignRoute, lifeRoutes, storyRoutes } from '#kernel/records/routes.ts'
import { billingDocumentEmail, EmailDocument, EmailedDocument } from '#workspace/billing-documents/public.ts'
import { Expense } from '#workspace/expenses/public.ts'
import { convert } from './conversion.ts'
import { email } from './emailing.ts'
import { cancel, create, send, update } from './orders.ts'
import { orderPdf } from './pdf.ts'
import { listOrders, orderList, orderStats, orders, showOrder } from './queries.ts'
import { receive } from './receiving.ts'
import { CreateOrder, MoveOrder, OrderDetail, OrderItem, OrderStats, ReceiveOrder, UpdateOrder } from './schema.ts'
import { moveTo } from './status.ts'

const { get, post, put } = workspace
const shared = { of: orders, permissions: 'purchase-orders', show: showOrder, reply: OrderDetail }
const found = { record: orders.lock, reply: OrderDetail }

/** As `invoices-pdf` in the contract. */
const orderPdfs = limiter({ name: 'purchase-orders-pdf', points: 30, seconds: 60, by: 'user' })

export default [
  get('/stats', { allow: 'purchase-orders.view', query: orderList.statsQuery, reply: OrderStats }, (ctx, { query }) =>
    orderStats(ctx, query),
  ),
  get('/', { allow: 'purchase-orders.view', query: orderList.query, page: OrderItem }, (ctx, { query }) =>
    listOrders(ctx, query),
  ),
  post(
    '/',
    { allow: 'purchase-orders.create', body: CreateOrder, reply: OrderDetail, status: 201, message: 'Purchase order created.' },
    (ctx, { body }) => create(ctx, body),
  ),
  get('/:id', { allow: 'purchase-orders.view', reply: OrderDetail }, async (ctx, { id }) => {
    await orders.find(ctx, id)
    return showOrder(ctx, id)
  }),
  put(
    '/:id',
    { ...found, allow: 'purchase-orders.update', body: UpdateOrder, message: 'Purchase order saved.' },
    (ctx, { record, body }) => update(ctx, record, body),
  ),
  ...lifeRoutes(shared),
  ...storyRoutes(shared),
  assignRoute(shared),

  post('/:id/send', { ...found, allow: 'purchase-orders.send', message: 'Purchase order sent.' }, (ctx, { record }) =>
    send(ctx, record),
  ),
  post(
    '/:id/receive',
    { ...found, allow: 'purchase-orders.receive', body: ReceiveOrder, message: 'Receipt recorded.' },
    (ctx, { record, body }) => receive(ctx, record, body),
  ),
  post('/:id/cancel', { ...found, allow: 'purchase-orders.cancel', message: 'Purchase order cancelled.' }, (ctx, { record }) =>
    cancel(ctx, record),
  ),
  post(
    '/:id/status',
    {
      ...found,
      allow: ['purchase-orders.send', 'purchase-orders.receive', 'purchase-orders.cancel', 'purchase-orders.update'],
      body: MoveOrder,
      message: 'Status changed.',
    },
    (ctx, { record, body }) => moveTo(ctx, record, body.status),
  ),
  post(
    '/:id/convert',
    { allow: 'purchase-orders.convert', record: orders.lock, reply: Expense, status: 201, message: 'Expense drafted.' },
    (ctx, { record }) => convert(ctx, record),
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
