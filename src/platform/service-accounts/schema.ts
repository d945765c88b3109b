import { z } from 'zod'
import { view } from '#kernel/records/view.ts'
import { changesOf, instant, optionalText, text, trashStamps } from '#kernel/values/fields.ts'
import { RoleNames, roleNames } from '#platform/roles/public.ts'

const profile = { name: text(255), description: optionalText(500) }

export const CreateServiceAccount = z.object({ ...profile, role: RoleNames.default([]) })
export const UpdateServiceAccount = changesOf(z.object({ ...profile, role: RoleNames }))

export const ServiceAccount = view('platform_users', 'PlatformServiceAccount', {
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  role: roleNames('platform_users'),
  suspended_at: instant().nullable(),
  ...trashStamps,
})
