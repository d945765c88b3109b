import { nullifyOnPurge } from '#kernel/records/letting-go.ts'

/** A task outlives its project. */
export default [nullifyOnPurge('tasks', { projects: 'project_id' })]
