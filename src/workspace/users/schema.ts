import { z } from 'zod'
import { Password } from '#kernel/auth/passwords.ts'
import { view } from '#kernel/records/view.ts'
import { email, exact, instant, optionalRef, percentage, stamps, text } from '#kernel/values/fields.ts'
import { MEMBER, RoleNames, roleNames } from '#workspace/roles/public.ts'
import { employeeId } from './employment.ts'

/** USR-01 … USR-06. */
const additions = {
  employee_id: optionalRef('employee', { picker: true }),
  exclude_from_lead_auto_assign: z.boolean().optional(),
  receive_website_leads: z.boolean().optional(),
  receive_all_users_daily_summary: z.boolean().optional(),
  lead_commission_rate: percentage().nullish(),
}

export const CreateUser = z.object({
  name: text(255),
  email: email(),
  /** Without a password the user gets an invitation by mail. */
  password: Password.optional(),
  role: RoleNames.default([MEMBER]),
  /** USR-07. */
  create_employee: z.boolean().optional().meta({
    description: 'Unless false, where Employees is installed (and `employee_id` names nobody).',
    'x-makes': 'employee',
  }),
  ...additions,
})

export const UpdateUser = z
  .object({ name: text(255), email: email(), role: RoleNames })
  .partial()
  .extend(additions)

export const User = view('users', 'User', {
  id: z.int(),
  name: z.string(),
  email: z.string(),
  role: roleNames('users'),
  is_owner: z
    .boolean()
    .describe('Whether the user owns the workspace: passes every permission, and can be neither suspended nor deleted.'),
  employee_id: employeeId(),
  exclude_from_lead_auto_assign: z.boolean().describe('true: leads are neither shared out to the user nor can be given to them.'),
  receive_website_leads: z
    .boolean()
    .describe('true: the user gets leads from webhook endpoints that share out to website recipients.'),
  receive_all_users_daily_summary: z
    .boolean()
    .describe('true: the daily mail is the summary of the whole team instead of a personal one.'),
  lead_commission_rate: exact('percentage')
    .nullable()
    .meta({
      description: 'In percent. It is copied to each lead that the user is given, for reports; null: none.',
      examples: [5],
    }),
  email_verified_at: instant().nullable(),
  suspended_at: instant().nullable(),
  ...stamps,
})
