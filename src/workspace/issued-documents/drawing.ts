/** The PDF of a document as it was first issued: rendered soon afterwards, or on first request, and stored byte for byte. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { discardUnused, keepUpload, receiveUpload } from '#kernel/storage/uploads.ts'
import { drawingOf } from '#workspace/billing-documents/public.ts'
import { issuedPaper } from './frozen.ts'

interface FirstPdf {
  key: string
  sha256: Buffer
}

const MAX_BYTES = 100 * 1024 * 1024

/** Job that renders issued documents. Skips rendered ones, so that a lost worker's job can simply be repeated. */
export const drawIssued = defineWorkspaceJob({
  name: 'issued-documents-draw',
  data: z.object({ table: z.string(), ids: z.array(z.int()) }),
  transactions: 'own',
  async run(steps, { table, ids }) {
    let failure: unknown
    for (const id of ids)
      try {
        await firstPdf(steps, table, id)
      } catch (error) {
        // A retry would fail in the same way: the document itself can't be printed. A request for the PDF returns the reason.
        if (error instanceof HttpError && error.status === 422)
          steps.log.warn({ err: error, tenant: steps.tenant.id, table, id }, 'an issued document can not be printed')
        else failure = error // other documents don't wait for a failing one
      }
    if (failure) throw failure
  },
})

/**
 * Returns the PDF as first issued; undefined if the document isn't issued. If two requests render it at once, the first to store
 * it wins. 422 and 503 are the renderer's.
 */
export async function firstPdf(steps: WorkspaceSteps, table: string, id: number): Promise<FirstPdf | undefined> {
  const issued = await steps.read((ctx) => issuedPaper(ctx, table, id))
  if (!issued || issued.pdf) return issued?.pdf
  const { services, tenant } = steps
  const bytes = await renderPdf(services, tenant.id, drawingOf(issued.paper))
  const given = { name: 'issued.pdf', content: Readable.from([bytes]) }
  const stored = await receiveUpload(services, tenant.id, given, { maxBytes: MAX_BYTES, kinds: ['pdf'] })
  if (typeof stored === 'string') throw new Error(`The PDF can't be kept: ${stored}`)
  try {
    return await steps.write(async (ctx) => {
      const kept = await ctx
        .update('issued_documents')
        .set({ pdf_key: stored.key, pdf_sha256: Buffer.from(stored.sha256, 'hex'), pdf_bytes: stored.bytes })
        .where('subject_type', '=', table)
        .where('subject_id', '=', id)
        .where('pdf_key', 'is', null)
        .executeTakeFirst()
      if (kept.numUpdatedRows) await keepUpload(ctx, stored)
      return (await issuedPaper(ctx, table, id))?.pdf
    })
  } finally {
    await discardUnused(services, [stored])
  }
}
