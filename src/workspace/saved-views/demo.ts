/** Shared views of a demo workspace. */
import { defineDemo } from '#kernel/demo/parts.ts'

const SHARED = [
  { screen: 'invoices', name: 'Overdue', filters: { overdue: 'true' }, sort: 'due_date', direction: 'asc' },
  { screen: 'tasks', name: 'My open tasks', filters: { my_tasks: 'true', status: 'todo' }, sort: 'due_on', direction: 'asc' },
  { screen: 'purchase-orders', name: 'On their way', filters: { status: 'sent' }, sort: 'expected_date', direction: 'asc' },
] as const

export default defineDemo({
  async fill(ctx, plan) {
    const rows = SHARED.map(({ filters, ...view }) => ({
      ...view,
      filters: JSON.stringify(filters),
      is_shared: true,
      user_id: plan.people[0]!.id,
      tenant_id: ctx.tenant.id,
      created_at: ctx.now,
      updated_at: ctx.now,
    }))
    await ctx.tx.insertInto('saved_views').values(rows).execute()
    return rows.length
  },
})
