/** Rendering of PDF attachments in a job of its own, so that a slow document delays few other mails. */
import { z } from 'zod'
import { inPublic, originOf, type Services } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { toldOf } from '../database/failures.ts'
import { HttpError } from '../errors.ts'
import { defineJob, type PlatformJob } from '../jobs/job.ts'
import { type PdfSpec, renderPdf } from '../pdf/pdf-spec.ts'
import { type Delivery, deliveryOf } from './delivery.ts'
import { isUndelivered, type Logged, markFailed, readMails } from './logged.ts'

/** Maximum number of mails per job. They share a fetch, a read and a transaction. */
const DRAWN_AT_ONCE = 10
/** Size of rendered documents, in bytes, above which they are stored. */
const HELD_BYTES = 2 ** 20

interface Drawing {
  tenant_id: number
  id: number
  /** Further mails of the workspace: mails that are sent at once share a job. */
  more?: number[]
  by?: string
}

/**
 * Renders pending attachments, stores their bytes (so that each retry and each copy sends the same) and queues the mails for
 * delivery.
 */
export const drawMail: PlatformJob<Drawing> = defineJob<Drawing>({
  name: 'mail-draw',
  data: z.object({ tenant_id: z.int(), id: z.int(), more: z.array(z.int()).optional(), by: z.string().optional() }),
  workspaceOf: ({ tenant_id }) => tenant_id,
  concurrency: 3,
  async run(services, job) {
    let failure: unknown
    let drawn: Drawn[] = []
    for (const mail of await undrawn(services, job)) {
      try {
        drawn.push({ mail, contents: await draw(services, mail) })
      } catch (error) {
        // A retry would fail in the same way: the document itself can't be rendered.
        if (error instanceof HttpError && error.status === 422) await fail(services, mail, error.message)
        else failure = error // the other mails go on
      }
      if (bytesOf(drawn) < HELD_BYTES) continue
      await keep(services, job, drawn)
      drawn = []
    }
    await keep(services, job, drawn)
    if (failure) throw failure
  },
  async failed(services, job, error) {
    for (const mail of await undrawn(services, job)) await fail(services, mail, toldOf(error))
  },
})

const fail = (services: Services, mail: Logged, reason: string) =>
  inPublic(originOf(services), 'write', (ctx) => markFailed(ctx, mail, reason))

/** Returns the jobs for mails of a workspace that were sent at once. */
export const drawnTogether = (deliveries: Delivery[]): Drawing[] =>
  deliveries.flatMap((first, n) =>
    n % DRAWN_AT_ONCE ? [] : [{ ...first, more: deliveries.slice(n + 1, n + DRAWN_AT_ONCE).map(({ id }) => id) }],
  )

interface Drawn {
  mail: Logged
  /** Rendered contents, by attachment ids. */
  contents: [id: number, content: Buffer][]
}

/** Returns mails with pending attachments. Those rendered by an earlier try are already queued for delivery. */
const undrawn = async (services: Services, { tenant_id, id, more = [] }: Drawing) =>
  (await readMails(services, tenant_id, [id, ...more])).filter(
    (mail) => isUndelivered(mail) && mail.attachments.some(({ drawing }) => drawing !== null),
  )

async function draw(services: Services, { tenant_id, attachments }: Logged): Promise<Drawn['contents']> {
  const contents: Drawn['contents'] = []
  for (const { id, drawing } of attachments)
    if (drawing !== null) contents.push([id, await renderPdf(services, tenant_id, drawing as unknown as PdfSpec)])
  return contents
}

const bytesOf = (drawn: Drawn[]) => drawn.flatMap(({ contents }) => contents).reduce((sum, [, { length }]) => sum + length, 0)

/** Replaces render specifications by the rendered bytes and queues the mails for delivery. */
async function keep(services: Services, { tenant_id, by }: Drawing, drawn: Drawn[]) {
  if (!drawn.length) return
  const byJob = Map.groupBy(drawn, ({ mail }) => deliveryOf(mail.notification_type))
  await inPublic(originOf(services), 'write', async (ctx) => {
    const kept = drawn
      .flatMap(({ contents }) => contents)
      .map(([id, content]) =>
        ctx.tx
          .updateTable('email_attachments')
          .set({ content, drawing: null })
          .where('tenant_id', '=', tenant_id)
          .where('id', '=', id)
          .execute(),
      )
    await allPipelined(...kept)
    for (const [job, some] of byJob) {
      const deliveries = some.map(({ mail: { id } }): { data: Delivery } => ({ data: { tenant_id, id, by } }))
      await services.queue.sendAll(ctx, job, deliveries)
    }
  })
}
