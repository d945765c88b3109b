/** A credit note outlives the people and firms that it names: when one is deleted for good, it lets go of it. */
import { on } from '#kernel/modules/events.ts'

const REFERENCES = { contacts: 'contact_id', companies: 'company_id' } as const

export default [
  on('record.purged', async (ctx, { table, id }) => {
    const column = REFERENCES[table as keyof typeof REFERENCES]
    if (!column) return
    await ctx.tx
      .updateTable('credit_notes')
      .set({ [column]: null })
      .where('tenant_id', '=', ctx.tenant.id)
      .where(column, '=', id)
      .execute()
  }),
]
