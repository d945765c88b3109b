/** Deletes links and signatures of a purged document. */
import { on } from '#kernel/modules/events.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { forgetLinks } from './links.ts'
import { signatureOf } from './signatures.ts'

export default [
  on('record.purged', async (ctx, { table, id }) => {
    await forgetLinks(ctx, table, id)
    const signature = await signatureOf(ctx, table, id)
    if (!signature) return
    await ctx.deleteFrom('customer_signatures').where('id', '=', signature.id).execute()
    if (signature.image_key) await discardFile(ctx, signature.image_key)
  }),
]
