/** Who may be given leads (LEAD-43): users who are not suspended, not the owner and not excluded. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { mayBeGivenLeads } from '#workspace/users/public.ts'

/** To whom a lead is given, nobody among them, and the commission that they get by now (LEAD-11). */
export interface Assignee {
  id: number | null
  name: string | null
  commission_rate: string | null
}

const nobody: Assignee = { id: null, name: null, commission_rate: null }

/** What is read of them. */
export const ASSIGNEE = ['id', 'name', 'lead_commission_rate as commission_rate'] as const

/** Those of these users who may be given leads. */
export const eligibleAmong = (ctx: Ctx, userIds: number[]): Promise<(Assignee & { id: number })[]> =>
  mayBeGivenLeads(ctx).select(ASSIGNEE).where('id', 'in', userIds).orderBy('id').execute()

/** Somebody whom leads are given to by name, or nobody; 422 on `assigned_to` when they may not be given any (LEAD-44). */
export async function eligible(ctx: Ctx, userId: number | null): Promise<Assignee> {
  if (userId === null) return nobody
  const [user] = await eligibleAmong(ctx, [userId])
  if (!user)
    throw invalid({
      assigned_to:
        'Must be a user of this workspace who may be given leads: not suspended, not the owner, not excluded from them.',
    })
  return user
}

/**
 * Whose a new lead is: its creator's where nobody else was named, eligible or not, and where the actor may not assign (LEAD-08,
 * LEAD-38). The system makes leads that are nobody's.
 */
export async function assigneeOfNew(ctx: Ctx, sent: number | null | undefined): Promise<Assignee> {
  const { id } = ctx.actor
  const isOwn = sent === undefined || sent === id || !ctx.can('leads.assign')
  if (!isOwn) return eligible(ctx, sent)
  if (id === null) return nobody
  const own = ctx.tx.selectFrom('users').select(ASSIGNEE).where('tenant_id', '=', ctx.tenant.id).where('id', '=', id)
  return own.executeTakeFirstOrThrow()
}
