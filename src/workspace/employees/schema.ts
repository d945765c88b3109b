import { z } from 'zod'
import { actorRef, rowRef, userRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  date,
  formatted,
  id,
  optionalDate,
  optionalEmail,
  optionalRef,
  optionalText,
  stamps,
  text,
} from '#kernel/values/fields.ts'

export const statuses = ['active', 'inactive'] as const
export const employmentTypes = ['full_time', 'part_time', 'contract', 'intern'] as const

/** By `name`, or by its parts. */
export const CreateEmployee = z.object({
  name: text(255)
    .optional()
    .meta({ description: 'Whole name. Sent without its parts it is split at the first space.', examples: ['Ann Ash'] }),
  first_name: text(255).optional(),
  last_name: optionalText(255),
  email: optionalEmail(),
  phone: optionalText(50, 'phone'),
  user_id: optionalRef('user').meta({
    description: 'Id of the user who the employee is; null: they don’t sign in.',
    examples: [7],
  }),
  department_id: id().nullish().meta({ 'x-refers-to': 'department' }),
  employment_type: choice(employmentTypes).describe('How they are employed.').default('full_time'),
  status: choice(statuses).describe('An inactive employee can’t check in and is not offered for new records.').default('active'),
  hire_date: optionalDate(),
})
export const UpdateEmployee = changesOf(CreateEmployee)

export const Employee = view('employees', 'Employee', {
  id: z.int(),
  number: z.string().meta({ description: 'Given by the service: `EMP-` and a counter of four digits.', examples: ['EMP-0007'] }),
  name: z.string(),
  first_name: z.string(),
  last_name: z.string().nullable(),
  email: formatted('email').nullable(),
  phone: formatted('phone').nullable(),
  user_id: z.int().nullable(),
  user: userRef('user_id'),
  department_id: z.int().nullable(),
  department: rowRef('department_id', 'departments'),
  employment_type: choice(employmentTypes),
  status: choice(statuses),
  hire_date: date().nullable().describe('First day of work.'),
  creator: actorRef('created_by'),
  ...stamps,
})
