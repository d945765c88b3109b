import { on } from '#kernel/modules/events.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { linkTypes } from './links.ts'

/** A document outlives what it was linked to. */
const letGo = on('record.purged', async (ctx, { table, id }) => {
  const type = linkTypes.find((one) => subjectOf(ctx, one)?.table === table)
  if (!type) return
  await ctx.tx
    .deleteFrom('document_links')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('type', '=', type)
    .where('subject_id', '=', id)
    .execute()
})

export default [letGo]
