/** Drawing the PDFs that a mail carries: a job of its own, so that a document that takes long holds up no other mail. */
import { z } from 'zod'
import { inPublic, originOf, type Services } from '../context.ts'
import { HttpError } from '../errors.ts'
import { defineJob, type PlatformJob } from '../jobs/job.ts'
import { type PdfSpec, renderPdf } from '../pdf/pdf-spec.ts'
import { type Delivery, deliveryOf } from './delivery.ts'
import { isUndelivered, markFailed, readMail } from './logged.ts'

/** Draws what is still to be drawn, keeps the bytes, so that each try and each copy sends the same, and has the mail delivered. */
export const drawMail: PlatformJob<Delivery> = defineJob<Delivery>({
  name: 'mail-draw',
  data: z.object({ tenant_id: z.int(), id: z.int(), by: z.string().optional() }),
  workspaceOf: ({ tenant_id }) => tenant_id,
  concurrency: 3,
  async run(services, delivery) {
    const mail = await readMail(services, delivery)
    if (!mail || !isUndelivered(mail)) return
    const toDraw = mail.attachments.filter(({ drawing }) => drawing !== null)
    for (const [n, { id, drawing }] of toDraw.entries())
      try {
        const content = await renderPdf(services, mail.tenant_id, drawing as unknown as PdfSpec)
        await keep(services, delivery, id, content, n === toDraw.length - 1 ? mail.notification_type : undefined)
      } catch (error) {
        // Another try would fail in the same way: the document itself can't be printed.
        if (!(error instanceof HttpError && error.status === 422)) throw error
        return markFailed(services, mail, error.message)
      }
  },
  async failed(services, delivery, error) {
    const mail = await readMail(services, delivery)
    if (mail) await markFailed(services, mail, error.message)
  },
})

/** Stores the bytes in place of the drawing; with those of the last one the mail goes on to its delivery. */
async function keep(services: Services, delivery: Delivery, attachment: number, content: Buffer, lastOfType?: string) {
  await inPublic(originOf(services), 'write', async (ctx) => {
    await ctx.tx
      .updateTable('email_attachments')
      .set({ content, drawing: null })
      .where('tenant_id', '=', delivery.tenant_id)
      .where('id', '=', attachment)
      .execute()
    if (lastOfType !== undefined) await services.queue.send(ctx, deliveryOf(lastOfType), delivery)
  })
}
