import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** A task outlives its project. */
export default [nullifyOnPurge('tasks', { projects: 'project_id' })]
