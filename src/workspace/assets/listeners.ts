import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Clears the reference to a purged employee; the asset stays. */
export default [nullifyOnPurge('assets', { employees: 'employee_id' })]
