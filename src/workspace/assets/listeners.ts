import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** An asset outlives the employee who has it. */
export default [nullifyOnPurge('assets', { employees: 'employee_id' })]
