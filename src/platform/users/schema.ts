import { sql } from 'kysely'
import { z } from 'zod'
import { confirmed, mismatch, newPassword, Password } from '#kernel/auth/passwords.ts'
import type { BaseCtx } from '#kernel/context.ts'
import { derived, embedded, view } from '#kernel/records/view.ts'
import { changesOf, email, formatted, instant, optionalText, text, trashStamps } from '#kernel/values/fields.ts'
import { RoleNames, roleNames } from '#platform/roles/public.ts'

const profile = { name: text(255), email: email(), phone: optionalText(50, 'phone') }

export const CreateUser = z.object({ ...profile, password: Password, role: RoleNames.default([]) })
/** CEN-38. */
export const InviteUser = z.object({ ...profile, role: RoleNames.min(1, 'Must name at least one role.') })
export const UpdateUser = changesOf(z.object({ ...profile, role: RoleNames }))

/** CEN-37: another user's new password. */
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
  role: roleNames('platform_users'),
  invite_token: embedded(z.null().describe('Told in the mailed link alone.'), { columns: [], value: () => sql`null` }),
  invite_sent_at: instant().nullable().describe('When the last invitation was mailed; null: none was.'),
  email_verified_at: instant().nullable(),
  suspended_at: instant().nullable(),
  ...trashStamps,
})
