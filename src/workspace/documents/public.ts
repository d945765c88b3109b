/** Lets other modules read a document's file. */
import type { Ctx } from '#kernel/context.ts'
import { documents } from './documents.ts'

/** Returns a live document that the actor may see, if the module is installed; otherwise undefined. */
export async function readableDocument(ctx: Ctx, id: number) {
  if (!ctx.entitled('documents') || !ctx.can(documents.may('view'))) return undefined
  const scope = documents.scope(ctx)
  const found = ctx
    .from('documents')
    .select(['original_name', 'mime', 'size_bytes', 'file_key'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
  return (scope ? found.where(scope) : found).executeTakeFirst()
}
