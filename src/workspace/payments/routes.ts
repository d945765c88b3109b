import { action, activityRoutes, recordRoutes } from '#kernel/http/record-routes.ts'
import { under } from '#kernel/http/route.ts'
import { paperRoutes } from '#workspace/issued-documents/public.ts'
import { refuseCorrection, update } from './correcting.ts'
import methodRoutes from './online/routes.ts'
import { paymentList, paymentSeries, paymentStats, payments, refuseDeletion } from './payments.ts'
import { allocate, post, refuseAllocation } from './posting.ts'
import { receiptPdf, refuseUnseen } from './receipt.ts'
import { AllocatePayment, CreatePayment, UpdatePayment } from './schema.ts'
import statementRoutes from './statements/routes.ts'
import { voidPayment } from './voiding.ts'

const records = [
  ...recordRoutes(payments, {
    list: paymentList,
    stats: paymentStats,
    series: paymentSeries,
    body: CreatePayment,
    changes: UpdatePayment,
    create: post,
    update,
    guards: { update: refuseCorrection, remove: refuseDeletion },
    withdraw: '/void',
  }),
  ...activityRoutes(payments),
  action(
    payments,
    '/:id/allocate',
    {
      allow: 'payments.update',
      grants: false,
      body: AllocatePayment,
      guard: refuseAllocation,
      message: 'Payment allocated.',
      description: 'Uses what is left of a posted payment on invoices of the same currency, all of the allocations or none.',
    },
    allocate,
  ),
  action(
    payments,
    '/:id/void',
    {
      allow: 'payments.void',
      grants: false,
      message: 'Payment voided.',
      description: 'Makes the payment count for nothing: its invoices are owed again by what it had paid.',
    },
    voidPayment,
  ),
  ...paperRoutes(payments, 'payments-pdf', receiptPdf, refuseUnseen),
]

export default [...under('/payments', records), ...methodRoutes, ...statementRoutes]
