/** Creates and changes projects. Assignee and members are ignored from users who may not assign (PRJ-16). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { childrenOf, dismissAssignee, type ProjectRow, replaceMembers } from './members.ts'
import { projects } from './projects.ts'
import { CreateProject, UpdateProject } from './schema.ts'

export function create(ctx: Ctx, body: z.output<typeof CreateProject>) {
  refuseEndBeforeStart(body)
  const member_ids = ctx.can('projects.assign') ? body.member_ids : []
  const children = childrenOf(member_ids, body.assigned_to)
  return createRecord(ctx, projects, CreateProject, { ...body, member_ids }, { children })
}

export async function update(ctx: Ctx, project: ProjectRow, { member_ids, ...body }: z.output<typeof UpdateProject>) {
  refuseEndBeforeStart({ ...project, ...body })
  const saved = await updateRecord(ctx, projects, UpdateProject, project, body)
  if (member_ids && ctx.can('projects.assign')) await replaceMembers(ctx, saved, member_ids)
  else if (saved.assigned_to !== project.assigned_to) await dismissAssignee(ctx, saved.id, saved.assigned_to)
}

/** PRJ-07. */
function refuseEndBeforeStart({ starts_on, ends_on }: { starts_on?: string | null; ends_on?: string | null }) {
  if (starts_on && ends_on && ends_on < starts_on)
    throw invalid({ ends_on: `Must be ${starts_on} or later, when the project starts.` })
}
