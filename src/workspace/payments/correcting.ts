import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { updateRecord } from '#kernel/records/saving.ts'
import { instantIn } from '#kernel/values/local-time.ts'
import { decimal } from '#kernel/values/money.ts'
import { type Payment, payments } from './payments.ts'
import { correctPayer } from './receipt.ts'
import { UpdatePayment } from './schema.ts'

/** 422 on `status` of a voided payment. */
export function refuseCorrection(_: Ctx, payment: Payment) {
  if (payment.status === 'voided') throw invalid({ status: 'A voided payment is not changed.' })
}

/** Updates the description of a payment. Its money can't change: 422 on `amount` or `currency` when they differ. */
export async function update(ctx: Ctx, payment: Payment, body: z.output<typeof UpdatePayment>) {
  const kept = 'Stays as it was posted; void the payment and post another one.'
  if (body.amount !== undefined && !decimal(body.amount).eq(payment.amount)) throw invalid({ amount: kept })
  if (body.currency !== undefined && body.currency !== payment.currency) throw invalid({ currency: kept })
  const paid_at = body.paid_at && instantIn(ctx, body.paid_at)
  const { contact_id, company_id } = await updateRecord(ctx, payments, UpdatePayment, payment, { ...body, paid_at })
  if (contact_id === payment.contact_id && company_id === payment.company_id) return
  await correctPayer(ctx, payment.id, { contact_id, company_id })
}
