/** What a new lead will be: decided from what was sent, for one lead or for thousands, without asking the database again. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import type { New } from '#kernel/records/resource.ts'
import type { Assignee } from '../assignment/eligible.ts'
import { type WantedFollowUp, wantedOf } from '../follow-ups/adding.ts'
import type { CreateLead } from '../schema.ts'
import { stageAmong, standingIn } from '../stages/moving.ts'
import { type Stage, stagesOf } from '../stages/stages.ts'
import { followUpsFor, tagsFor } from '../tags/choosing.ts'
import { type Tag, tagsOf } from '../tags/tags.ts'
import { leadValue } from '../value.ts'

/** What leads are made from, read once for all of them. */
export interface ImportContext {
  stages: Stage[]
  tags: Tag[]
}

export async function readImportContext(ctx: Ctx): Promise<ImportContext> {
  const [stages, tags] = await allPipelined(stagesOf(ctx), tagsOf(ctx))
  return { stages, tags }
}

/** What a lead gets only when it is converted. */
type Later = 'converted_at' | 'is_stub' | 'contact_id' | 'company_id' | 'opportunity_id'

/** What only imports give a lead. */
type Imported = 'external_id' | 'batch_id'

/** A lead that is ready to be inserted. */
export interface Draft {
  values: Required<Omit<New<'leads'>, 'search_text' | 'phone_key' | 'number' | Imported | Later>> & Pick<New<'leads'>, Imported>
  tag_ids: number[]
  follow_ups: WantedFollowUp[]
}

/** 422 as the route says it, on `stage_id`, `tag_ids.N`, `follow_up` or the value. Every draft has the same columns. */
export function draftOf(ctx: Ctx, ground: ImportContext, sent: z.output<typeof CreateLead>, to: Assignee): Draft {
  const { name, lead_type, email = null, phone = null, company = null, job_title = null, source = null, priority, status } = sent
  const tags = tagsFor(ground.tags, lead_type, sent.tag_ids)
  const wanted = sent.follow_up ? wantedOf(ctx, sent.follow_up, to.id) : undefined
  const follow_ups = followUpsFor(ctx, tags, wanted, to.id)
  return {
    values: {
      ...{ name, lead_type, email, phone, company, job_title, source, priority, status },
      ...standingIn(stageAmong(ground.stages, sent.stage_id), ctx.now),
      lead_value: leadValue(ctx, sent) ?? null,
      assigned_to: to.id,
      commission_rate: to.commission_rate,
      next_follow_up_at: follow_ups.map(({ due_at }) => due_at).sort()[0] ?? null,
    },
    tag_ids: tags.map(({ id }) => id),
    follow_ups,
  }
}
