/** The two ways in which a document leaves the house on paper: printed, and mailed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { limiter } from '#kernel/http/limits.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import type { Permission } from '#kernel/names.ts'
import { type PdfSpec, renderPdf } from '#kernel/pdf/pdf-spec.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import { billingDocumentEmail, EmailDocument, EmailedDocument } from './emailing.ts'

/** GET /:id/pdf: `<number>.pdf`, drawn after the transaction. Thirty a minute by user, counted under the given name. */
export function pdfRoute<T extends RecordTable>(
  of: Resource<T>,
  limit: string,
  drawing: (ctx: Ctx, document: Row<T>) => Promise<PdfSpec>,
): Route {
  const pdfs = limiter({ name: limit, points: 30, seconds: 60, by: 'user' })
  return workspace.get('/:id/pdf', { allow: of.may('view'), limit: pdfs, file: 'application/pdf' }, async (ctx, { id }) => {
    const document = await of.find(ctx, id)
    const drawn = await drawing(ctx, document)
    const { number } = document as unknown as { number: string }
    return { name: `${number}.pdf`, type: 'application/pdf', content: () => renderPdf(ctx.services, ctx.tenant.id, drawn) }
  })
}

/** POST /:id/email, ten a minute by user over all kinds of document. */
export const emailRoute = <T extends RecordTable>(
  of: Resource<T>,
  allow: Permission,
  email: (ctx: Ctx, document: Row<T>, body: z.output<typeof EmailDocument>) => Promise<z.input<typeof EmailedDocument>>,
): Route =>
  workspace.post(
    '/:id/email',
    {
      allow,
      limit: billingDocumentEmail,
      record: of.lock,
      body: EmailDocument,
      reply: EmailedDocument,
      message: 'The mail is on its way.',
    },
    (ctx, { record, body }) => email(ctx, record, body),
  )
