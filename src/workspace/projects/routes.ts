import { z } from 'zod'
import { action, activityRoutes, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { AssignBody } from '#kernel/records/assignment.ts'
import { create, update } from './changes.ts'
import { lifecycle } from './lifecycle.ts'
import { assignProject, replaceMembers } from './members.ts'
import { boardQuery, projectBoard, projectList, projectStats, projects } from './projects.ts'
import { CreateProject, Members, ProjectColumn, ProjectDetail, UpdateProject } from './schema.ts'

const { get, put } = workspace

export default [
  get('/board', { allow: 'projects.view', query: boardQuery, reply: z.array(ProjectColumn) }, (ctx, { query }) =>
    projectBoard(ctx, query),
  ),
  ...recordRoutes(projects, {
    list: projectList,
    stats: projectStats,
    body: CreateProject,
    changes: UpdateProject,
    create,
    update,
  }),
  ...activityRoutes(projects),
  action(
    projects,
    '/:id/assign',
    { allow: 'projects.assign', body: AssignBody, message: 'Assignment saved.' },
    (ctx, project, body) => assignProject(ctx, project, body.assigned_to),
  ),
  put(
    '/:id/members',
    { allow: 'projects.assign', record: projects.lock, body: Members, reply: ProjectDetail, message: 'Members saved.' },
    async (ctx, { id, record, body }) => {
      await replaceMembers(ctx, record, body.member_ids)
      return projects.renderUnscoped(ctx, id)
    },
  ),
  statusRoute(projects, lifecycle),
]
