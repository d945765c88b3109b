import { on } from '#kernel/modules/events.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { LINK_TYPES } from './messages/schema.ts'

/** A message outlives what it was linked to. */
const letGo = on('record.purged', async (ctx, { table, id }) => {
  const type = LINK_TYPES.find((one) => subjectOf(ctx, one)?.table === table)
  if (!type) return
  await ctx.tx
    .deleteFrom('email_message_links')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('linkable_type', '=', type)
    .where('linkable_id', '=', id)
    .execute()
})

export default [letGo]
