/** A call to an endpoint: a lead is made of it, or it is refused; either way it stands in the endpoint's log. */
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { forbidden, HttpError } from '#kernel/errors.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { refId } from '#kernel/values/fields.ts'
import { type Assignee, assigneeOfNew } from '../assignment/eligible.ts'
import { arrive } from './arriving.ts'
import type { Call } from './auth-strategy.ts'
import { logAccepted, logRefused } from './deliveries.ts'
import { ArrivingLead, type FieldMap, readLead } from './field-map.ts'
import { nextRecipient } from './recipients.ts'
import { useUp } from './signatures.ts'

export const ReceivedLead = z.object({ lead_id: refId('lead') }).meta({ id: 'ReceivedLead' })

type Sent = z.output<typeof ArrivingLead>

/** 409 for a signature that was used, 400 and 422 for a body of which no lead can be made. */
export async function receive(steps: WorkspaceSteps, call: Call, raw: Buffer): Promise<z.input<typeof ReceivedLead>> {
  const at = { tenant_id: steps.tenant.id, endpoint_id: call.endpoint.id }
  try {
    if (!steps.entitled('leads')) throw forbidden('The module Leads is not installed in this workspace.', 'MODULE_NOT_INSTALLED')
    return await steps.finish(async (ctx) => {
      if (call.signature) await useUp(ctx, call.endpoint.id, call.signature)
      const lead_id = await makeLead(ctx, call, readLead(raw, call.endpoint.field_map as FieldMap))
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

/** Who is named, if somebody is; else the next recipient where the endpoint says so. Nobody eligible: it is nobody's. */
async function assigneeOf(ctx: Ctx, endpoint: Call['endpoint'], { assigned_to }: Sent): Promise<Assignee> {
  const distributed = assigned_to === undefined && endpoint.assign_to_website_recipients
  return (distributed ? await nextRecipient(ctx) : undefined) ?? assigneeOfNew(ctx, assigned_to)
}
