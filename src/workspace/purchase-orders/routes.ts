import { action, activityRoutes, assignRoute, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { draftsOnly } from '#kernel/records/machine.ts'
import { emailRoute } from '#workspace/billing-documents/public.ts'
import { ExpenseDetail, showExpense } from '#workspace/expenses/public.ts'
import { paperRoutes, previewRoutes } from '#workspace/issued-documents/public.ts'
import { convert, refuseConversion } from './conversion.ts'
import { lifecycle } from './lifecycle.ts'
import { cancel, create, orderList, orderStats, orders, update } from './orders.ts'
import { issuableOrder, orderPdf } from './pdf.ts'
import { receive, receivePartly, receiveWholly } from './receiving.ts'
import { CreateOrder, ReceiveOrder, UpdateOrder } from './schema.ts'
import { email, refuseMailing, send } from './sending.ts'

const { post } = workspace

const kept = { body: CreateOrder, changes: UpdateOrder, create, update, guards: { update: draftsOnly(orders) } }

export default [
  ...recordRoutes(orders, { list: orderList, stats: orderStats, ...kept }),
  ...activityRoutes(orders),
  assignRoute(orders),
  action(
    orders,
    '/:id/send',
    {
      allow: 'purchase-orders.send',
      grants: false,
      message: 'Purchase order sent.',
      description:
        'Issues a draft to the vendor: its lines are fixed, and what it prints is frozen. It mails nothing. `order_date` is today unless set; `email` mails it.',
    },
    send,
  ),
  action(
    orders,
    '/:id/receive',
    {
      allow: 'purchase-orders.receive',
      grants: false,
      body: ReceiveOrder,
      message: 'Receipt recorded.',
      description:
        'Notes that the goods came, in part or all. In part nothing goes into stock; once all came, lines with a product that keeps stock are put into the warehouse where Inventory is installed.',
    },
    (ctx, order, body) => receive(ctx, order, body),
  ),
  action(
    orders,
    '/:id/cancel',
    {
      allow: 'purchase-orders.cancel',
      grants: false,
      message: 'Purchase order cancelled.',
      description: 'Ends an order of which nothing more will come.',
    },
    cancel,
  ),
  statusRoute(orders, lifecycle, { send, receive_partially: receivePartly, receive: receiveWholly, cancel }),
  post(
    '/:id/convert',
    {
      allow: 'purchase-orders.convert',
      grants: false,
      record: orders.lock,
      guard: refuseConversion,
      reply: ExpenseDetail,
      status: 201,
      message: 'Expense drafted.',
      description:
        'Makes a draft expense over the order’s total, for its vendor, and answers the expense. Once only: a second time is a 422.',
    },
    async (ctx, { record }) => showExpense(ctx, await convert(ctx, record)),
  ),
  ...paperRoutes(orders, 'purchase-orders-pdf', orderPdf),
  ...previewRoutes(orders, issuableOrder, kept),
  emailRoute(orders, { allow: 'purchase-orders.send', guard: refuseMailing }, email),
]
