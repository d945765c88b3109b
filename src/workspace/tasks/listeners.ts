import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Tasks remain when their project is purged. */
export default [nullifyOnPurge('tasks', { projects: 'project_id' })]
