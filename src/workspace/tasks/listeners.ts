import { letGoOf } from '#kernel/records/letting-go.ts'

/** A task outlives its project. */
export default [letGoOf('tasks', { projects: 'project_id' })]
