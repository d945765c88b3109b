import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { drawPdf } from '#kernel/pdf/drawing.ts'
import { action, recordRoutes, storyRoutes } from '#kernel/records/routes.ts'
import { paymentList, paymentStats, payments, remove, update } from './payments.ts'
import { allocate, post } from './posting.ts'
import { receiptPdf } from './receipt.ts'
import { AllocatePayment, CreatePayment, UpdatePayment } from './schema.ts'
import { voidPayment } from './voiding.ts'

/** As `invoices-pdf` in the contract. */
const receiptPdfs = limiter({ name: 'payments-pdf', points: 30, seconds: 60, by: 'user' })

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
  ...storyRoutes(payments),
  action(payments, '/:id/allocate', { allow: 'payments.update', body: AllocatePayment, message: 'Payment allocated.' }, allocate),
  action(payments, '/:id/void', { allow: 'payments.void', message: 'Payment voided.' }, voidPayment),
  workspace.get('/:id/pdf', { allow: 'payments.view', limit: receiptPdfs, file: 'application/pdf' }, async (ctx, { id }) => {
    const payment = await payments.find(ctx, id)
    const drawing = await receiptPdf(ctx, payment)
    const content = () => drawPdf(ctx.services, ctx.tenant.id, drawing)
    return { name: `${payment.number}.pdf`, type: 'application/pdf', content }
  }),
]
