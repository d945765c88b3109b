/** Handles a delivery to an endpoint: creates a lead or rejects it, and logs either in the endpoint's log. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { forbidden, HttpError } from '#kernel/errors.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { refId } from '#kernel/values/fields.ts'
import { mayBeGivenLeads } from '#workspace/users/public.ts'
import { ASSIGNEE, type Assignee, assigneeOfNew } from '../assignment.ts'
import { arrive } from '../saving.ts'
import { type Call, useUp } from './auth-strategy.ts'
import { logAccepted, logRefused } from './deliveries.ts'
import { ArrivingLead, type FieldMap, readLead } from './field-map.ts'

// Selects the next recipient of website leads (LEAD-80, USR-03): the one who has waited longest.

/**
 * Returns the next recipient, ties by id; undefined where no user is eligible. Concurrent calls wait here until the previous one
 * has committed, so call this as late as possible.
 */
async function nextRecipient(ctx: Ctx): Promise<Assignee | undefined> {
  const tenant = ctx.tenant.id
  const recipients = recipientsOf(ctx)
  await sql`
    insert into lead_recipient_turns (tenant_id, user_id)
    select ${tenant}::bigint, recipient.id from (${recipients}) recipient order by recipient.id
    on conflict (tenant_id, user_id) do nothing returning 1`.execute(ctx.tx)
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

/** Eligible users who want to receive website leads (LEAD-43). */
const recipientsOf = (ctx: Ctx) => mayBeGivenLeads(ctx).select(ASSIGNEE).where('receive_website_leads', '=', true)

export const ReceivedLead = z.object({ lead_id: refId('lead') }).meta({ id: 'ReceivedLead' })

type Sent = z.output<typeof ArrivingLead>

/** 409 for a used signature, 400 and 422 for a body that is not a valid lead. */
export async function receive(
  steps: WorkspaceSteps,
  call: Call,
  raw: Buffer,
  contentType?: string,
): Promise<z.input<typeof ReceivedLead>> {
  const at = { tenant_id: steps.tenant.id, endpoint_id: call.endpoint.id }
  try {
    if (!steps.entitled('leads')) throw forbidden('The module Leads is not installed in this workspace.', 'MODULE_NOT_INSTALLED')
    return await steps.finish(async (ctx) => {
      if (call.signature) await useUp(ctx, call.endpoint.id, call.signature)
      const lead_id = await makeLead(ctx, call, await readLead(raw, call.endpoint.field_map as FieldMap, contentType))
      await logAccepted(ctx, at, lead_id)
      return { lead_id }
    })
  } catch (error) {
    if (error instanceof HttpError) await steps.write((ctx) => logRefused(ctx, at, error))
    throw error
  }
}

async function makeLead(ctx: Ctx, { endpoint }: Call, sent: Sent) {
  await checkReferences(ctx, ArrivingLead, sent)
  const lead = {
    ...sent,
    stage_id: sent.stage_id ?? endpoint.default_stage_id ?? undefined,
    source: sent.source ?? endpoint.default_source,
  }
  return arrive(ctx, lead, await assigneeOf(ctx, endpoint, sent))
}

/**
 * Returns the assignee sent, or else the next recipient if the endpoint distributes its leads. Unassigned where no user is
 * eligible.
 */
async function assigneeOf(ctx: Ctx, endpoint: Call['endpoint'], { assigned_to }: Sent): Promise<Assignee> {
  const distributed = assigned_to === undefined && endpoint.assign_to_website_recipients
  return (distributed ? await nextRecipient(ctx) : undefined) ?? assigneeOfNew(ctx, assigned_to)
}
