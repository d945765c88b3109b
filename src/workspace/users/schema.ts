import { z } from 'zod'
import { Password } from '#kernel/auth/accounts.ts'
import { email, instant, percentage, text } from '#kernel/values/fields.ts'

/** USR-02 … USR-06. */
const additions = {
  exclude_from_lead_auto_assign: z.boolean(),
  receive_website_leads: z.boolean(),
  receive_all_users_daily_summary: z.boolean(),
  lead_commission_rate: percentage().nullable(),
}

const RoleNames = z.array(z.string().max(100)).max(50)

export const CreateUser = z
  .object({
    name: text(255),
    email: email(),
    /** Without one the user gets an invitation by mail. */
    password: Password.optional(),
    role: RoleNames.default(['member']),
  })
  .extend(z.object(additions).partial().shape)

export const UpdateUser = z.object({ name: text(255), email: email(), role: RoleNames, ...additions }).partial()

export const User = z
  .object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    role: z.array(z.string()),
    is_owner: z.boolean(),
    employee_id: z.int().nullable(),
    exclude_from_lead_auto_assign: z.boolean(),
    receive_website_leads: z.boolean(),
    receive_all_users_daily_summary: z.boolean(),
    lead_commission_rate: z.number().nullable(),
    email_verified_at: instant().nullable(),
    suspended_at: instant().nullable(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().nullable(),
  })
  .meta({ id: 'User' })
