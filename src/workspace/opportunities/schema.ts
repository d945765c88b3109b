import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, nameRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import {
  amount,
  changesOf,
  choice,
  currency,
  date,
  exact,
  formatted,
  id,
  money,
  optionalDate,
  optionalRef,
  optionalText,
  percentage,
  stamps,
  text,
} from '#kernel/values/fields.ts'

export const statuses = ['open', 'won', 'lost'] as const

export const CreateOpportunity = z.object({
  name: text(255),
  amount: amount().nullish(),
  currency: currency().optional(),
  probability: percentage()
    .nullish()
    .meta({ description: 'How likely it is won, in percent; null: nobody said.', examples: [60] }),
  expected_close_date: optionalDate().describe('Day on which a decision is expected.'),
  stage_id: id()
    .optional()
    .meta({ 'x-refers-to': 'opportunity_stage' })
    .meta({ description: 'Id of the stage of the pipeline. Unless sent: the first one.', examples: [2] }),
  contact_id: optionalRef('contact'),
  company_id: optionalRef('company'),
  notes: optionalText(),
  assigned_to: assignee(),
})
export const UpdateOpportunity = changesOf(CreateOpportunity)

/** Status (open, won or lost) by the flags of the stage `s`. */
export const statusOf = sql<(typeof statuses)[number]>`case when s.is_won then 'won' when s.is_lost then 'lost' else 'open' end`

const Stage = z.object({
  id: z.int(),
  name: z.string(),
  is_won: z.boolean().describe('Whether opportunities in it are won.'),
  is_lost: z.boolean().describe('Whether opportunities in it are lost.'),
})

const ofStage = <S extends z.core.$ZodType>(shown: S, value: RawBuilder<unknown>) =>
  computed(
    shown,
    ({ ctx, table }) => sql`(
      select ${value} from opportunity_stages s where s.tenant_id = ${ctx.tenant.id} and s.id = ${sql.ref(`${table}.stage_id`)})`,
  )

export const Opportunity = view('opportunities', 'Opportunity', {
  id: z.int(),
  name: z.string(),
  amount: money()
    .nullable()
    .meta({ description: 'What the deal would be worth, in `currency`; null: unknown.', examples: [12000] }),
  currency: formatted('currency'),
  probability: exact('percentage').nullable(),
  expected_close_date: date().nullable(),
  stage_id: z.int().meta({ 'x-refers-to': 'opportunity_stage' }),
  stage: ofStage(
    Stage.describe('The stage of the pipeline that it is in.'),
    sql`json_build_object('id', s.id, 'name', s.name, 'is_won', s.is_won, 'is_lost', s.is_lost)`,
  ),
  status: ofStage(choice(statuses), statusOf),
  contact_id: z.int().nullable(),
  contact: nameRef('contact_id', 'contact'),
  company_id: z.int().nullable(),
  company: nameRef('company_id', 'company'),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

/** `notes` is the opportunity's own text; its notes are `note_entries`. */
export const OpportunityDetail = extended(Opportunity, 'OpportunityDetail', {
  notes: z.string().nullable(),
  note_entries: newestNotes(),
  activities: activities(),
})
