import { on } from '#kernel/modules/events.ts'
import { releaseCode } from './codes.ts'
import { shortLinks, tellChanged } from './short-links.ts'

/** A link that is deleted for good frees its code; its clicks go with its row (SL-22). */
export default [
  on('record.purged', async (ctx, { table, id }) => {
    if (table !== shortLinks.table) return
    const link = await shortLinks.lockAny(ctx, id)
    await releaseCode(ctx, link.code)
    tellChanged(ctx, link)
  }),
]
