import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, nameRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import {
  amount,
  changesOf,
  choice,
  exact,
  formatted,
  id,
  instant,
  money,
  optionalEmail,
  optionalText,
  refId,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { refuseFractions } from '#kernel/values/money.ts'
import { assignmentHistories } from './assignment-history.ts'
import { CreateFollowUp, leadFollowUps, nextFollowUp } from './follow-ups.ts'
import { stageRef } from './stages.ts'
import { leadTags } from './tag-links.ts'

/** LEAD-02. */
export const TYPES = ['direct', 'company'] as const
/** LEAD-06. */
export const STATUSES = ['active', 'waiting', 'on_hold', 'closed', 'archived'] as const
export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const

/** LEAD-01 … LEAD-10, LEAD-37. */
export const CreateLead = z.object({
  name: text(255),
  lead_type: choice(TYPES).describe('A person, or a company with a person to talk to. It decides which system tag the lead has.'),
  email: optionalEmail(),
  phone: optionalText(50, 'phone'),
  company: optionalText(255).meta({
    description: 'What their firm is called; a company is made of it when the lead is converted.',
    examples: ['Nordwind GmbH'],
  }),
  job_title: optionalText(255),
  source: optionalText(255).meta({ description: 'Where the lead came from, in a word.', examples: ['Trade fair'] }),
  lead_value: amount()
    .nullish()
    .meta({ description: 'What the deal might be worth, in the workspace’s currency; null: unknown.', examples: [2500] }),
  estimated_value: amount()
    .nullish()
    .meta({ deprecated: true, description: 'The older name of lead_value, which counts where both are sent.' }),
  priority: choice(PRIORITIES).describe('How soon somebody should look after it.').default('medium'),
  status: choice(STATUSES).describe('What is being done about it, apart from the stage of the pipeline.').default('active'),
  stage_id: id()
    .optional()
    .meta({ 'x-refers-to': 'lead_stage', description: 'A stage of the pipeline. The first one where none is named.' }),
  assigned_to: assignee(),
  tag_ids: z
    .array(id().meta({ 'x-refers-to': 'lead_tag' }))
    .max(100, 'Must be at most 100 tags.')
    .nullish()
    .describe('Ids of its tags. Unless sent: the default ones. System tags are kept up by the service.'),
  follow_up: CreateFollowUp.nullish().describe('A first follow-up to plan with it.'),
})
/** Omitted fields stay unchanged. `tag_ids` and `follow_up` as in PUT /leads/:id/tags. */
export const ChangeLead = changesOf(CreateLead)

const ConversionMeta = z.object({
  stub: z.boolean().describe('true: Contacts was not installed, so that no contact was made. Converting again makes up for it.'),
  company_id: refId('company').nullable(),
  opportunity_id: refId('opportunity').nullable(),
})

/** Fields of a lead in every reply; lists and boards add the next follow-up and the latest note (LEAD-13). */
const fields = {
  id: z.int(),
  name: z.string(),
  lead_type: choice(TYPES),
  email: formatted('email').nullable(),
  phone: formatted('phone').nullable(),
  company: z.string().nullable(),
  job_title: z.string().nullable(),
  source: z.string().nullable(),
  lead_value: money().nullable(),
  priority: choice(PRIORITIES),
  status: choice(STATUSES),
  stage_id: z.int().meta({ 'x-refers-to': 'lead_stage' }),
  stage: stageRef().describe('The stage of the pipeline that it is in.'),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  commission_rate: exact('percentage')
    .nullable()
    .meta({
      description: 'Share in percent that the assignee is promised: copied from the user when the lead is given to them.',
      examples: [5],
    }),
  contact_id: refId('contact').nullable(),
  converted_at: instant().nullable().describe('When it was made a customer; null: not yet.'),
  is_converted: computed(z.boolean(), ({ table }) => sql`${sql.ref(`${table}.converted_at`)} is not null`).describe(
    'Whether it was made a customer.',
  ),
  conversion_meta: computed(ConversionMeta.nullable(), ({ table }) => {
    const of = (column: string) => sql.ref(`${table}.${column}`)
    return sql`case when ${of('is_stub')} is not null then
      json_build_object('stub', ${of('is_stub')}, 'company_id', ${of('company_id')}, 'opportunity_id', ${of('opportunity_id')}) end`
  }).describe('What the conversion made; null: it was not converted.'),
  tags: leadTags().describe('The tags that it has.'),
  next_follow_up_at: instant().nullable().describe('When the next open follow-up is due; null: there is none.'),
  creator: actorRef('created_by'),
  ...stamps,
}

/** A lead's row in an export. */
export const ExportedLead = view('leads', 'ExportedLead', fields)

export const Lead = view('leads', 'Lead', { ...fields, next_follow_up: nextFollowUp(), latest_note: latestNote() })

/** LEAD-14. */
export const LeadDetail = extended(Lead, 'LeadDetail', {
  contact: nameRef('contact_id', 'contact'),
  follow_ups: leadFollowUps().describe('What is to be done about it, and what was.'),
  notes: newestNotes(),
  assignment_histories: assignmentHistories().describe('Who had it when, the newest first, at most 100.'),
  activities: activities(),
})

interface Valued {
  lead_value?: string | null
  estimated_value?: string | null
}

/** Returns the value sent, under its current or older name (LEAD-04). 422 on either with more decimals than the currency has. */
export function leadValue(ctx: Ctx, { lead_value, estimated_value }: Valued) {
  refuseFractions(ctx.tenant.currency, { lead_value, estimated_value })
  return lead_value === undefined ? estimated_value : lead_value
}
