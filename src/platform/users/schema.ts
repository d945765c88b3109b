import { sql } from 'kysely'
import { z } from 'zod'
import { confirmed, mismatch, newPassword, Password } from '#kernel/auth/passwords.ts'
import type { BaseCtx } from '#kernel/context.ts'
import { computed, derived, embedded, view } from '#kernel/records/view.ts'
import { changesOf, email, formatted, instant, optionalText, stamps, text } from '#kernel/values/fields.ts'

const roleNames = z.array(z.string().max(100)).max(50)
const profile = { name: text(255), email: email(), phone: optionalText(50, 'phone') }

export const CreateUser = z.object({ ...profile, password: Password, role: roleNames.default([]) })
/** CEN-38. */
export const InviteUser = z.object({ ...profile, role: roleNames.min(1, 'Must name at least one role.') })
export const UpdateUser = changesOf(z.object({ ...profile, role: roleNames }))

/** CEN-37: somebody else's new password. */
export const ResetPassword = z.object({ ...newPassword }).refine(confirmed, mismatch)

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
  invite_sent_at: instant().nullable().describe('When the last invitation was mailed; null: none was.'),
  email_verified_at: instant().nullable(),
  suspended_at: instant().nullable(),
  ...stamps,
})
