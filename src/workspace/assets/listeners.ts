import { letGoOf } from '#kernel/records/letting-go.ts'

/** An asset outlives the employee who has it. */
export default [letGoOf('assets', { employees: 'employee_id' })]
