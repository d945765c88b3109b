import type { Ctx } from '#kernel/context.ts'

/** Query of users eligible for leads (LEAD-43): not suspended, not the owner, no service account, not excluded. */
export const mayBeGivenLeads = (ctx: Ctx) =>
  ctx
    .from('users')
    .where('deleted_at', 'is', null)
    .where('suspended_at', 'is', null)
    .where('is_owner', '=', false)
    .where('is_service', '=', false)
    .where('exclude_from_lead_auto_assign', '=', false)

/** Returns all of them by name. */
export const leadAssignees = (ctx: Ctx) =>
  mayBeGivenLeads(ctx).select(['id', 'name', 'email']).orderBy('name').orderBy('id').execute()
