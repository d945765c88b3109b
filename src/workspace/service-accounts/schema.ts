import { z } from 'zod'
import { view } from '#kernel/records/view.ts'
import { changesOf, instant, optionalText, stamps, text } from '#kernel/values/fields.ts'
import { RoleNames, roleNames } from '#workspace/roles/public.ts'

const profile = { name: text(255), description: optionalText(500) }

export const CreateServiceAccount = z.object({ ...profile, role: RoleNames.default([]) })
export const UpdateServiceAccount = changesOf(z.object({ ...profile, role: RoleNames }))

export const ServiceAccount = view('users', 'ServiceAccount', {
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  role: roleNames('users'),
  suspended_at: instant().nullable(),
  ...stamps,
})
