import { sql } from 'kysely'
import { z } from 'zod'
import { Password } from '#kernel/auth/passwords.ts'
import type { BaseCtx } from '#kernel/context.ts'
import { computed, derived, embedded, view } from '#kernel/records/view.ts'
import { changesOf, email, formatted, instant, optionalText, stamps, text } from '#kernel/values/fields.ts'

const roleNames = z.array(z.string().max(100)).max(50)
const profile = { name: text(255), email: email(), phone: optionalText(50, 'phone') }

export const CreateUser = z.object({ ...profile, password: Password, role: roleNames.default([]) })
/** CEN-38. */
export const InviteUser = z.object({ ...profile, role: roleNames.min(1, 'Must name at least one role.') })
export const UpdateUser = changesOf(z.object({ ...profile, role: roleNames }))

/**
 * Both are required. That is judged once the user is found, because a route in steps reads its body first and an unknown id is a
 * 404 whatever was sent.
 */
export const ResetPassword = z.object({
  password: Password.optional().describe('Required.'),
  password_confirmation: z.string().max(1000).optional().describe('Required: the same again.'),
})

const urlOf = (path: string | null, { services }: BaseCtx) => path && services.storage.url(path)

/** CEN-37. */
export const User = view('platform_users', 'PlatformUser', {
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  email: formatted('email'),
  pending_email: formatted('email').nullable(),
  phone: formatted('phone').nullable(),
  avatar_path: z.string().nullable(),
  avatar_url: derived(formatted('uri').nullable(), 'avatar_path', urlOf),
  role: computed(
    z.array(z.string()),
    ({ table }) => sql`(
      select coalesce(json_agg(r.name order by r.name), '[]') from platform_user_roles ur
      join platform_roles r on r.id = ur.role_id where ur.user_id = ${sql.ref(`${table}.id`)})`,
  ),
  invite_token: embedded(z.null().describe('Told in the mailed link alone.'), { columns: [], value: () => sql`null` }),
  invite_sent_at: instant().nullable(),
  email_verified_at: instant().nullable(),
  suspended_at: instant().nullable(),
  ...stamps,
})
