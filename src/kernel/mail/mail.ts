/** Sends mail: writes it to the log in the transaction of its cause, together with the job that delivers it. */
import type { BaseCtx, Ctx } from '../context.ts'
import { drawMail, drawnTogether } from './attachments.ts'
import { type Delivery, deliveryOf } from './delivery.ts'
import { type DrawnMail, type LoggedMail, logMail, logMails, type Mail, paceKeyOf } from './mail-log.ts'

/**
 * Logs a mail and queues it for delivery. It belongs to the context's workspace, or to the platform (0). Returns its uuid in the
 * log.
 */
export async function sendMail(ctx: BaseCtx, mail: Mail, tenantId?: number): Promise<string> {
  const logged = await logMail(ctx, mail, tenantId)
  const isDrawn = mail.attachments?.some((one) => 'drawing' in one)
  await ctx.services.queue.send(ctx, isDrawn ? drawMail : deliveryOf(mail.type), deliveryIn(ctx, logged))
  return logged.uuid
}

/** Logs and queues any number of a workspace's mails in a few statements. Returns their uuids in order. */
export async function sendMails(ctx: Ctx, mails: DrawnMail[]): Promise<string[]> {
  const logged = await logMails(ctx, mails)
  const jobOf = ({ type, attachments }: DrawnMail) => (attachments?.length ? drawMail : deliveryOf(type))
  for (const [job, some] of Map.groupBy(logged, (_, n) => jobOf(mails[n]!))) {
    const deliveries = some.map((one) => deliveryIn(ctx, one))
    const items = job === drawMail ? drawnTogether(deliveries) : deliveries
    await ctx.services.queue.sendAll(
      ctx,
      job,
      items.map((data) => ({ data })),
    )
  }
  return logged.map(({ uuid }) => uuid)
}

const deliveryIn = (ctx: BaseCtx, { tenant_id, id }: LoggedMail): Delivery => ({ tenant_id, id, by: paceKeyOf(ctx) })
