import type { Ctx } from '#kernel/context.ts'

/** Who may be given a lead: not suspended, not the owner, not excluded. */
export async function leadAssignees(ctx: Ctx) {
  return ctx.tx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('deleted_at', 'is', null)
    .where('suspended_at', 'is', null)
    .where('is_owner', '=', false)
    .where('exclude_from_lead_auto_assign', '=', false)
    .orderBy('name')
    .orderBy('id')
    .execute()
}
