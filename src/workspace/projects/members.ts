/** Assignee and members of a project. The assignee is never a member (PRJ-10). Every change locks the project's row. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { assign } from '#kernel/records/assignment.ts'
import { checkReferences } from '#kernel/records/references.ts'
import type { Row } from '#kernel/records/resource.ts'
import { writeActivity } from '#kernel/records/timeline.ts'
import { projects } from './projects.ts'
import { Members } from './schema.ts'

export type ProjectRow = Row<'projects'>

/** Returns the member rows of a new project. */
export const childrenOf = (ids: number[], assignee: number | null | undefined) => ({
  field: 'member_ids',
  table: 'project_members' as const,
  by: 'project_id',
  rows: [...new Set(ids)].filter((id) => id !== assignee).map((user_id) => ({ user_id })),
})

/** Replaces the members (PRJ-31); a no-op for the same ones. 422 on `member_ids.N` for an unknown user. */
export async function replaceMembers(ctx: Ctx, project: ProjectRow, sent: number[]) {
  const before = await membersOf(ctx, project.id)
  const were = new Set(before.map(({ id }) => id))
  // Present members are accepted, even if deleted since.
  await checkReferences(ctx, Members, { member_ids: sent.map((id) => (were.has(id) ? null : id)) })
  const ids = sent.filter((id) => id !== project.assigned_to)
  const [, , after] = await allPipelined(
    sql`
      delete from project_members
      where tenant_id = ${ctx.tenant.id} and project_id = ${project.id} and user_id <> all(${ids}::bigint[])`.execute(ctx.tx),
    sql`
      insert into project_members (tenant_id, project_id, user_id)
      select ${ctx.tenant.id}::bigint, ${project.id}::bigint, id from unnest(${ids}::bigint[]) id
      on conflict do nothing returning id`.execute(ctx.tx),
    membersOf(ctx, project.id),
  )
  const are = new Set(after.map(({ id }) => id))
  const added = after.filter(({ id }) => !were.has(id))
  const removed = before.filter(({ id }) => !are.has(id))
  if (added.length || removed.length)
    await allPipelined(
      projects.save(ctx, project, {}), // increments the revision: `If-Match` guards the members too
      writeActivity(ctx, {
        ...{ table: projects.table, id: project.id, type: 'members_synced', properties: { added, removed } },
        changed: { member_ids: [[...were], [...are]] },
      }),
    )
}

/** Assigns the project to a user, who ceases to be a member, or to nobody (PRJ-30). */
export async function assignProject(ctx: Ctx, project: ProjectRow, to: number | null) {
  await assign(ctx, projects, project, to)
  await dismissAssignee(ctx, project.id, to)
}

export const dismissAssignee = (ctx: Ctx, projectId: number, assignee: number | null) =>
  ctx.deleteFrom('project_members').where('project_id', '=', projectId).where('user_id', '=', assignee).execute()

const membersOf = (ctx: Ctx, projectId: number) =>
  ctx
    .from('project_members as m')
    .innerJoin('users as u', (join) => join.onRef('u.tenant_id', '=', 'm.tenant_id').onRef('u.id', '=', 'm.user_id'))
    .select(['u.id', 'u.name'])
    .where('u.tenant_id', '=', ctx.tenant.id)
    .where('m.project_id', '=', projectId)
    .orderBy('u.name')
    .orderBy('u.id')
    .execute()
