/** Deletes the stored content of a purged document. */
import { on } from '#kernel/modules/events.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { letGoOfLogo } from './logo.ts'

export default [
  on('record.purged', async (ctx, { table, id }) => {
    const gone = await ctx
      .deleteFrom('issued_documents')
      .where('subject_type', '=', table)
      .where('subject_id', '=', id)
      .returning(['pdf_key', 'logo_key'])
      .executeTakeFirst()
    if (gone?.pdf_key) await discardFile(ctx, gone.pdf_key)
    if (gone?.logo_key) await letGoOfLogo(ctx, gone.logo_key)
  }),
]
