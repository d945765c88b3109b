/** Who of the recipients of website leads gets the next one (LEAD-80, USR-03): whoever got one longest ago. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { mayBeGivenLeads } from '#workspace/users/public.ts'
import { ASSIGNEE, type Assignee } from '../assignment/eligible.ts'

/**
 * The recipient whose turn it is, ties by id; undefined where nobody may be given leads. Calls at the same time wait here for each
 * other, each until the one before has committed: ask for it as late as possible.
 */
export async function nextRecipient(ctx: Ctx): Promise<Assignee | undefined> {
  const tenant = ctx.tenant.id
  const recipients = recipientsOf(ctx)
  await sql`
    insert into lead_recipient_turns (tenant_id, user_id)
    select ${tenant}::bigint, recipient.id from (${recipients}) recipient order by recipient.id
    on conflict (tenant_id, user_id) do nothing`.execute(ctx.tx)
  await sql`select user_id from lead_recipient_turns where tenant_id = ${tenant} order by user_id for update`.execute(ctx.tx)
  const { rows } = await sql<Assignee>`
    select recipient.* from (${recipients}) recipient
    join lead_recipient_turns t on t.tenant_id = ${tenant} and t.user_id = recipient.id
    order by t.turn, recipient.id limit 1`.execute(ctx.tx)
  const [next] = rows
  if (next)
    await sql`
      update lead_recipient_turns set turn = 1 + (select max(turn) from lead_recipient_turns where tenant_id = ${tenant})
      where tenant_id = ${tenant} and user_id = ${next.id}`.execute(ctx.tx)
  return next
}

/** Those who want website leads, and may be given leads at all (LEAD-43). */
const recipientsOf = (ctx: Ctx) => mayBeGivenLeads(ctx).select(ASSIGNEE).where('receive_website_leads', '=', true)
