/** Assignment history of a lead: previous and new assignee, actor and reason, newest first (LEAD-32). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { actorRef, userRef } from '#kernel/records/embed.ts'
import { type Filter, filter, listing, workspaceTable } from '#kernel/records/listing.ts'
import { computed, view } from '#kernel/records/view.ts'
import { instant } from '#kernel/values/fields.ts'
import { embeddedRows } from './embedded-rows.ts'

export const LeadAssignment = view('lead_assignments', 'LeadAssignment', {
  id: z.int(),
  old_user: userRef('old_user_id'),
  new_user: userRef('new_user_id'),
  changed_by: actorRef('changed_by_id'),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why, as it was said; null: nobody said.', examples: ['Speaks Danish.'] }),
  batch_id: z
    .string()
    .nullable()
    .meta({
      description: 'The same for all leads that were given together; null: it was given alone.',
      examples: ['0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f'],
    }),
  created_at: instant(),
  updated_at: computed(instant(), ({ table }) => sql`app.iso(${sql.ref(`${table}.created_at`)})`), // entries are never updated
})

export const assignmentList = listing(workspaceTable('lead_assignments', LeadAssignment), {
  filters: { lead_id: filter.id('lead_id') },
  hardDeleted: true,
})

/** View field: the lead's newest assignments. */
export const assignmentHistories = () =>
  embeddedRows(LeadAssignment, 'lead_assignments', { by: 'lead_id', newest: 'created_at', shown: 'desc' })

/** Filter `?batch_id=…`: leads of one bulk assignment, or created by one import. */
export const batchFilter: Filter<z.ZodUUID, never> = {
  schema: z.uuid('Must be a uuid.'),
  where: (ctx: Ctx, batch, column) => sql`${column('id')} in (
    select h.lead_id from lead_assignments h where h.tenant_id = ${ctx.tenant.id} and h.batch_id = ${batch}
    union all select made.id from leads made where made.tenant_id = ${ctx.tenant.id} and made.batch_id = ${batch})`,
}
