import { z } from 'zod'
import { email, instant, text } from '#kernel/values/fields.ts'

export const Login = z.object({
  email: email(),
  password: z.string().min(1, 'Must not be empty.').max(200),
  workspace: z.string().max(100).optional(),
  remember: z.boolean().default(false),
  device_name: z.string().trim().min(1).max(100).optional(),
})

const Workspace = z
  .object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    timezone: z.string(),
    currency: z.string(),
    locale: z.string(),
  })
  .meta({ id: 'Workspace' })

const Profile = z
  .object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    role: z.array(z.string()),
    is_owner: z.boolean(),
    email_verified_at: instant().nullable(),
    created_at: instant(),
  })
  .meta({ id: 'Profile' })

export const Me = z.object({
  user: Profile,
  workspace: Workspace,
  permissions: z.array(z.string()),
  modules: z.array(z.string()),
})

/** A sign-in; with a confirmed second factor `two_factor_required` and `challenge_token` stand alone. */
export const SignedIn = Me.extend({ token: z.string(), token_type: z.literal('Bearer'), expires_at: instant() })

export const UpdateMe = z.object({ name: text(255), email: email() }).partial()
export const VerifyEmail = z.object({ token: text(200) })
