/** Mail: written to the log in the transaction of its cause, together with the job that delivers it. */
import type { BaseCtx } from '../context.ts'
import { drawMail } from './attachments.ts'
import { deliveryOf } from './delivery.ts'
import { logMail, type Mail, paceKeyOf } from './mail-log.ts'

/** Logs a mail and queues it for delivery. Belongs to the ctx's workspace, or to the platform (0). Returns its uuid in the log. */
export async function sendMail(ctx: BaseCtx, mail: Mail, tenantId?: number): Promise<string> {
  const { tenant_id, id, uuid } = await logMail(ctx, mail, tenantId)
  const toDraw = mail.attachments?.some((one) => 'drawing' in one)
  await ctx.services.queue.send(ctx, toDraw ? drawMail : deliveryOf(mail.type), { tenant_id, id, by: paceKeyOf(ctx) })
  return uuid
}
