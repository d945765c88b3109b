import { action, activityRoutes, recordRoutes } from '#kernel/http/record-routes.ts'
import { pdfRoute } from '#workspace/billing-documents/public.ts'
import { paymentList, paymentStats, payments, remove, update } from './payments.ts'
import { allocate, post } from './posting.ts'
import { receiptPdf } from './receipt.ts'
import { AllocatePayment, CreatePayment, UpdatePayment } from './schema.ts'
import { voidPayment } from './voiding.ts'

export default [
  ...recordRoutes(payments, {
    list: paymentList,
    stats: paymentStats,
    body: CreatePayment,
    changes: UpdatePayment,
    create: post,
    update,
    remove,
  }),
  ...activityRoutes(payments),
  action(payments, '/:id/allocate', { allow: 'payments.update', body: AllocatePayment, message: 'Payment allocated.' }, allocate),
  action(payments, '/:id/void', { allow: 'payments.void', message: 'Payment voided.' }, voidPayment),
  pdfRoute(payments, 'payments-pdf', receiptPdf),
]
