import { on } from '#kernel/modules/events.ts'
import { releaseCode } from './codes.ts'
import { deleteClicks } from './redirects/writing.ts'
import { publishChange, shortLinks } from './short-links.ts'

/** Purging a link releases its code and deletes its clicks (SL-22). */
export default [
  on('record.purged', async (ctx, { table, id }) => {
    if (table !== shortLinks.table) return
    const link = await shortLinks.lockAny(ctx, id)
    await releaseCode(ctx, link.code)
    await deleteClicks(ctx.tx, ctx.tenant.id, id)
    publishChange(ctx, link)
  }),
]
