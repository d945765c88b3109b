import { sql } from 'kysely'
import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, nameRef, UserRef, userJson, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  date,
  longText,
  optionalDate,
  optionalRef,
  optionalText,
  ref,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { lifecycle } from './lifecycle.ts'

const memberIds = z.array(ref('user')).max(100, 'Must be at most 100 users.')

/** PRJ-15. */
export const CreateProject = z.object({
  title: text(255),
  description: optionalText(),
  contact_id: optionalRef('contact', { picker: true }),
  company_id: optionalRef('company', { picker: true }),
  opportunity_id: optionalRef('opportunity', { picker: true }),
  starts_on: optionalDate(),
  ends_on: optionalDate(),
  assigned_to: assignee(),
  member_ids: memberIds
    .meta({
      description: 'Ids of the users who work on it beside the assignee. Sent with a change, they replace all.',
      examples: [[7, 8]],
    })
    .default([]),
})
/** PRJ-16. */
export const UpdateProject = changesOf(CreateProject)
export const Members = z.object({ member_ids: memberIds })

const members = computed(
  z.array(UserRef),
  ({ ctx, table }) => sql`(
    select coalesce(json_agg(${userJson('u')} order by u.name, u.id), '[]')
    from project_members m join users u on u.tenant_id = ${ctx.tenant.id} and u.id = m.user_id
    where m.tenant_id = ${ctx.tenant.id} and m.project_id = ${sql.ref(`${table}.id`)})`,
)

/** PRJ-29. */
export const Project = view('projects', 'Project', {
  id: z.int(),
  uuid: z.uuid(),
  title: z.string(),
  description: longText().nullable(),
  status: choice(lifecycle.states),
  contact_id: z.int().nullable(),
  contact: nameRef('contact_id', 'contact', { picker: true }),
  company_id: z.int().nullable(),
  company: nameRef('company_id', 'company', { picker: true }),
  opportunity_id: z.int().nullable(),
  opportunity: nameRef('opportunity_id', 'opportunity', { picker: true }),
  starts_on: date().nullable().describe('First day of the project; null: open.'),
  ends_on: date()
    .nullable()
    .describe('Last day, on or after `starts_on`; null: open. Past it an open project counts as overdue.'),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  members,
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

/** PRJ-12. */
export const ProjectDetail = extended(Project, 'ProjectDetail', { notes: newestNotes(), activities: activities() })

/** PRJ-26. */
export const ProjectColumn = z
  .object({
    status: choice(lifecycle.states),
    project_count: z.int().meta({ description: 'How many projects are in this state.', examples: [3] }),
    projects: z.array(Project).describe('The first of them.'),
  })
  .meta({ id: 'ProjectColumn' })
