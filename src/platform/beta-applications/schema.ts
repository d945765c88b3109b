import { sql } from 'kysely'
import { z } from 'zod'
import { computed, describeRecord, view } from '#kernel/records/view.ts'
import { choice, email, formatted, hardStamps, instant, optionalText, shownOnce, text } from '#kernel/values/fields.ts'

export const STATUSES = ['new', 'reviewing', 'approved', 'rejected', 'invited', 'activated'] as const

export const Apply = z.object({ name: text(255), email: email(), company: text(255), message: optionalText(5000) })
export const Applied = z.object({ uuid: z.uuid() })
export const Resend = z.object({ email: email() })
export const ChangeApplication = z.object({ status: choice(STATUSES).optional(), internal_notes: optionalText(10_000) })

/** State of an open invitation. Withdrawn and used invitations are neither active nor expired. */
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
  company: z.string().meta({ description: 'Name of the applicant’s firm.', examples: ['Nordwind GmbH'] }),
  message: z
    .string()
    .nullable()
    .meta({ description: 'What the applicant wrote; null: nothing.', examples: ['We run twelve shops.'] }),
  status: choice(STATUSES).describe('Where the application stands.'),
  internal_notes: z
    .string()
    .nullable()
    .meta({
      description: 'What the operator notes about it; the applicant never sees it.',
      examples: ['Knows us from the fair.'],
    }),
  invited_at: instant().nullable().describe('When the last invitation was mailed; null: none was.'),
  invite_expires_at: instant().nullable().describe('Until when that invitation is good.'),
  has_active_invite: invited('active').describe('Whether an invitation can be used now.'),
  invite_expired: invited('expired').describe('Whether the last invitation’s time is over.'),
  activated: computed(z.boolean(), ({ table }) => sql`(${sql.ref(`${table}.status`)} = 'activated')`).describe(
    'Whether a workspace was registered by it.',
  ),
  activated_at: instant().nullable().describe('When a workspace was registered by it; null: none was.'),
  ...hardStamps,
})
describeRecord(BetaApplication, { table: 'beta_applications', title: 'name' })

export const InvitedApplication = z
  .object({ ...BetaApplication.shape, invite_url: shownOnce() })
  .meta({ id: 'InvitedBetaApplication' })

/** CEN-58. */
export const Invite = z
  .object({
    valid: z.boolean().describe('Whether a workspace can be registered by it now.'),
    expired: z.boolean().describe('Whether its time is over.'),
    activated: z.boolean(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    company: z.string().nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'BetaInvite' })
