/** Previews of a document's printed form from the input of a form, before anything is stored. */
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { rolledBack } from '#kernel/http/dry-run.ts'
import { limiter } from '#kernel/http/limits.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import { renderPages } from '#kernel/pdf/pdf-spec.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import type { PendingInsert } from '#kernel/records/saving.ts'
import { capital, withArticle } from '#kernel/values/words.ts'
import { type Addressed, canViewRecipient, chipOf, drawingOf, withoutAddress } from '#workspace/billing-documents/public.ts'
import { wordsOf } from '#workspace/document-texts/public.ts'
import type { Issuable } from './issuing.ts'

const DocumentPreview = z
  .object({
    page_count: z.int().meta({ description: 'How many pages the document has.', examples: [1] }),
    pages: z
      .array(
        z.object({
          number: z.int().meta({ description: 'Which page it is, from 1.', examples: [1] }),
          svg: z.string().meta({ description: 'The page as an SVG that needs nothing beside it.', examples: ['<svg …'] }),
        }),
      )
      .meta({ description: 'Pages as pictures: of more than ten the first nine and the last.' }),
  })
  .meta({ id: 'DocumentPreview', description: 'What a document would look like on paper.' })

/** Options of the routes that store such documents: those of `recordRoutes`. */
interface Kept<T extends RecordTable, B extends z.ZodObject, U extends z.ZodObject> {
  body: B
  changes: U
  create(ctx: Ctx, body: z.output<B>): Promise<PendingInsert>
  update(ctx: Ctx, row: Row<T>, body: z.output<U>): Promise<unknown>
  guards: { update: (ctx: Ctx, row: Row<T>) => unknown }
}

/** A form requests about five a second while the user types. */
const previews = limiter({ name: 'document-previews', points: 400, seconds: 60, by: 'user' })

/**
 * POST /preview and POST /:id/preview: performs POST / or PUT /:id with all checks, rolls back, and returns images of the print,
 * rendered after the transaction.
 */
export function previewRoutes<T extends RecordTable, B extends z.ZodObject, U extends z.ZodObject>(
  of: Resource<T>,
  { papers }: Issuable,
  { body, changes, create, update, guards }: Kept<T, B, U>,
): Route[] {
  const shared = { limit: previews, reply: DocumentPreview, notIdempotent: true, message: 'Drawn; nothing was kept.' } as const
  const a = withArticle(of.noun)
  const told = (like: string) =>
    `Draws pictures of the pages that ${like} would make, and keeps nothing: no record, number, event or mail. Takes what that takes, and refuses what it refuses. Needs the permission to view ${a} besides.`

  async function preview(steps: WorkspaceSteps, make: (ctx: Ctx) => Promise<number>) {
    const drawing = await rolledBack({ run: (_, work) => steps.write(work as never) as never }, async (base) => {
      const ctx = base as Ctx
      ctx.require(of.may('view'))
      const id = await make(ctx)
      const paper = (await papers(ctx, [id])).get(id)!
      const whole = drawingOf(paper, { status: chipOf(await wordsOf(ctx, paper), 'draft') })
      return canViewRecipient(ctx, (await of.lockAny(ctx, id)) as Addressed) ? whole : withoutAddress(whole)
    })
    const { count, pages } = await renderPages(steps.services, steps.tenant.id, drawing)
    return { page_count: count, pages }
  }

  return [
    workspace.multiTransaction.post(
      '/preview',
      {
        ...shared,
        allow: of.may('create'),
        grants: false,
        body: body as z.core.$ZodType,
        operation: `previewNew${of.noun.split(' ').map(capital).join('')}`,
        summary: `Preview a new ${of.noun}`,
        description: told('creating it'),
      },
      (steps, { body: sent }) =>
        preview(steps, async (ctx) => {
          const { id, inserted } = await create(ctx, sent as z.output<B>)
          await inserted
          return id
        }),
    ),
    workspace.multiTransaction.post(
      '/:id/preview',
      {
        ...shared,
        allow: of.may('update'),
        grants: false,
        record: of.find,
        body: changes as z.core.$ZodType,
        summary: `Preview ${a}`,
        description: told('changing it'),
      },
      (steps, { id, body: sent }) =>
        preview(steps, async (ctx) => {
          const row = await of.lock(ctx, id)
          await guards.update(ctx, row)
          await update(ctx, row, sent as z.output<U>)
          return id
        }),
    ),
  ]
}
