import { z } from 'zod'
import { email, instant, text } from '#kernel/values/fields.ts'

export const Login = z.object({
  email: email(),
  password: z.string().min(1, 'Must not be empty.').max(200),
  remember: z.boolean().default(false),
  device_name: z.string().trim().min(1).max(100).optional(),
})

export const Profile = z
  .object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    phone: z.string().nullable(),
    avatar_path: z.string().nullable(),
    role: z.array(z.string()),
    permissions: z.array(z.string()),
    email_verified_at: instant().nullable(),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'PlatformProfile' })

export const SignedIn = z.object({ token: z.string(), token_type: z.literal('Bearer'), expires_at: instant(), user: Profile })

export const UpdateMe = z.object({ name: text(255), email: email() }).partial()
