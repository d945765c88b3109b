/** Routes for the PDF of a document: with its current state, and as first issued. */
import type { Ctx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { limiter } from '#kernel/http/limits.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import { type PdfSpec, renderPdf } from '#kernel/pdf/pdf-spec.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import { type Addressed, assertRecipientViewable, canViewRecipient, withoutAddress } from '#workspace/billing-documents/public.ts'
import { firstPdf } from './drawing.ts'

/**
 * GET /:id/pdf: `<number>.pdf` with the document's current state, rendered after the transaction; readers who may not view the
 * recipient's record only get the name. GET /:id/issued-document: the exact bytes that were first issued, with their hash, unless
 * `refuse` throws, because they may contain data that the caller may not see. Together thirty a minute per user, counted under
 * the given name.
 */
export function paperRoutes<T extends RecordTable>(
  of: Resource<T>,
  limit: string,
  drawing: (ctx: Ctx, document: Row<T>) => Promise<PdfSpec>,
  refuse?: (ctx: Ctx, document: Row<T>) => Promise<void>,
): Route[] {
  const shared = {
    allow: of.may('view'),
    limit: limiter({ name: limit, points: 30, seconds: 60, by: 'user' }),
    file: 'application/pdf',
  } as const
  const find = async (ctx: Ctx, id: number) => {
    const document = await of.find(ctx, id)
    return { document, name: `${(document as unknown as { number: string }).number}.pdf`, type: 'application/pdf' }
  }
  return [
    workspace.get('/:id/pdf', shared, async (ctx, { id }) => {
      const { document, ...file } = await find(ctx, id)
      const whole = await drawing(ctx, document)
      const seen = canViewRecipient(ctx, document as Addressed) ? whole : withoutAddress(whole)
      const drawn = madeOn(document as unknown as { created_at: string }, seen)
      return { ...file, content: () => renderPdf(ctx.services, ctx.tenant.id, drawn) }
    }),
    workspace.multiTransaction.get(
      '/:id/issued-document',
      { ...shared, description: 'The bytes as they were first issued. `Repr-Digest` has their SHA-256.' },
      async (steps, { id }) => {
        const { document: _, ...file } = await steps.read(async (ctx) => {
          const found = await find(ctx, id)
          assertRecipientViewable(ctx, found.document as Addressed)
          await refuse?.(ctx, found.document)
          return found
        })
        const first = await firstPdf(steps, of.table, id)
        if (!first) throw notFound(`This ${of.noun} isn't issued yet.`)
        const digest = first.sha256.toString('base64')
        // RFC 9530, and RFC 3230 for clients that only know the older one.
        return { ...file, key: first.key, headers: { 'repr-digest': `sha-256=:${digest}:`, digest: `SHA-256=${digest}` } }
      },
    ),
  ]
}

/** A draft has no date yet: its file has the date of its creation, so that the same document always gives the same bytes. */
const madeOn = ({ created_at }: { created_at: string }, drawn: PdfSpec): PdfSpec => ({
  ...drawn,
  data: { ...(drawn.data as object), made_on: created_at.slice(0, 10) },
})
