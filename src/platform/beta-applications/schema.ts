import { sql } from 'kysely'
import { z } from 'zod'
import { computed, describeRecord, view } from '#kernel/records/view.ts'
import { choice, email, formatted, hardStamps, instant, optionalText, shownOnce, text } from '#kernel/values/fields.ts'

export const STATUSES = ['new', 'reviewing', 'approved', 'rejected', 'invited', 'activated'] as const

export const Apply = z.object({ name: text(255), email: email(), company: text(255), message: optionalText(5000) })
export const Applied = z.object({ uuid: z.uuid() })
export const Resend = z.object({ email: email() })
export const ChangeApplication = z.object({ status: choice(STATUSES).optional(), internal_notes: optionalText(10_000) })

/** Withdrawn and used invitations are neither active nor expired. */
const invited = (is: 'active' | 'expired') =>
  computed(z.boolean(), ({ ctx, table }) => {
    const open = sql`${sql.ref(`${table}.invite_expires_at`)} > ${ctx.now}`
    return sql`(${sql.ref(`${table}.status`)} = 'invited' and ${is === 'active' ? open : sql`not ${open}`})`
  })

/** CEN-62. */
export const BetaApplication = view('beta_applications', 'BetaApplication', {
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  email: formatted('email'),
  company: z.string(),
  message: z.string().nullable(),
  status: choice(STATUSES),
  internal_notes: z.string().nullable(),
  invited_at: instant().nullable(),
  invite_expires_at: instant().nullable(),
  has_active_invite: invited('active'),
  invite_expired: invited('expired'),
  activated: computed(z.boolean(), ({ table }) => sql`(${sql.ref(`${table}.status`)} = 'activated')`),
  activated_at: instant().nullable(),
  ...hardStamps,
})
describeRecord(BetaApplication, { table: 'beta_applications', title: 'name' })

export const InvitedApplication = z
  .object({ ...BetaApplication.shape, invite_url: shownOnce() })
  .meta({ id: 'InvitedBetaApplication' })

/** CEN-58. */
export const Invite = z
  .object({
    valid: z.boolean(),
    expired: z.boolean(),
    activated: z.boolean(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    company: z.string().nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'BetaInvite' })
