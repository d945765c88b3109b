import { sql } from 'kysely'
import { z } from 'zod'
import { computed, view } from '#kernel/records/view.ts'
import { changesOf, instant, optionalText, stamps, text } from '#kernel/values/fields.ts'

const profile = { name: text(255), description: optionalText(500) }
const RoleNames = z.array(z.string().max(100)).max(50)

export const CreateServiceAccount = z.object({ ...profile, role: RoleNames.default([]) })
export const UpdateServiceAccount = changesOf(z.object({ ...profile, role: RoleNames }))

export const ServiceAccount = view('platform_users', 'PlatformServiceAccount', {
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  role: computed(
    z.array(z.string()),
    ({ table }) => sql`(
      select coalesce(json_agg(r.name order by r.name), '[]') from platform_user_roles ur
      join platform_roles r on r.id = ur.role_id where ur.user_id = ${sql.ref(`${table}.id`)})`,
  ),
  suspended_at: instant().nullable(),
  ...stamps,
})
