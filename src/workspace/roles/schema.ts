import { z } from 'zod'
import { instant, optionalText, text } from '#kernel/values/fields.ts'

export const CreateRole = z.object({
  name: text(100),
  description: optionalText(500),
  permissions: z.array(z.string().max(100)).max(1000).default([]),
})
export const UpdateRole = CreateRole.extend({ permissions: z.array(z.string().max(100)).max(1000) }).partial()

export const Role = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    permissions: z.array(z.string()),
    is_protected: z.boolean(),
    users_count: z.int(),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Role' })

export const PermissionEntry = z
  .object({ name: z.string(), group: z.string(), description: z.string() })
  .meta({ id: 'Permission' })
