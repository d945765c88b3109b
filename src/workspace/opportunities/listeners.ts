import { on } from '#kernel/modules/events.ts'

/** What an opportunity refers to, by the table. */
const references = { contacts: 'contact_id', companies: 'company_id' } as const

/** An opportunity outlives the contact and the company that it was linked to. */
const letGo = on('record.purged', async (ctx, { table, id }) => {
  const column = references[table as keyof typeof references]
  if (!column) return
  await ctx.tx
    .updateTable('opportunities')
    .set({ [column]: null })
    .where('tenant_id', '=', ctx.tenant.id)
    .where(column, '=', id)
    .execute()
})

export default [letGo]
