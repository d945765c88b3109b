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
  get(
    '/board',
    {
      allow: 'projects.view',
      description:
        'Answers the projects as columns of a board, one for each status, with how many there are in it and the first of these.',
      query: boardQuery,
      reply: z.array(ProjectColumn),
    },
    (ctx, { query }) => projectBoard(ctx, query),
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
    {
      allow: 'projects.assign',
      grants: false,
      body: AssignBody,
      message: 'Assignment saved.',
      description: 'Gives the project to a user, who then is no member any more, or with null to nobody.',
    },
    (ctx, project, body) => assignProject(ctx, project, body.assigned_to),
  ),
  put(
    '/:id/members',
    {
      allow: 'projects.assign',
      grants: false,
      record: projects.lock,
      body: Members,
      reply: ProjectDetail,
      message: 'Members saved.',
      description: 'Replaces the members by the users that are sent. The assignee is never stored as a member.',
    },
    async (ctx, { id, record, body }) => {
      await replaceMembers(ctx, record, body.member_ids)
      return projects.renderUnscoped(ctx, id)
    },
  ),
  statusRoute(projects, lifecycle),
]
