import { on } from '#kernel/modules/events.ts'

/** A contact outlives the firm that it was linked to; what they called it (`company`) stays. */
const letGo = on('record.purged', async (ctx, { table, id }) => {
  if (table !== 'companies') return
  await ctx.tx
    .updateTable('contacts')
    .set({ company_id: null })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('company_id', '=', id)
    .execute()
})

export default [letGo]
