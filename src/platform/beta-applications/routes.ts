import { limiter } from '#kernel/http/limits.ts'
import { open, platform, under } from '#kernel/http/route.ts'
import { applications, apply, judge, lockApplication, showApplication } from './applications.ts'
import { previewInvite } from './invites.ts'
import { invite } from './inviting.ts'
import { resend } from './jobs.ts'
import { Applied, Apply, BetaApplication, ChangeApplication, Invite, InvitedApplication, Resend } from './schema.ts'

const { get, post, patch } = platform

/** Rate limits by IP address (CEN-57). */
const byIp = (name: string, points: number) => limiter({ name, points, seconds: 60, by: 'ip' })
const intake = byIp('beta-applications', 10)
const preview = byIp('beta-invite-preview', 60)
const resending = byIp('beta-invite-resend', 5)

const administration = under('/beta-applications', [
  get('/', { allow: 'beta-applications.list', query: applications.query, page: BetaApplication }, (ctx, { query }) =>
    applications.page(ctx, query),
  ),
  get('/:beta_application', { allow: 'beta-applications.read', reply: BetaApplication }, (ctx, { beta_application }) =>
    showApplication(ctx, beta_application),
  ),
  patch(
    '/:beta_application',
    {
      allow: 'beta-applications.update',
      record: lockApplication,
      body: ChangeApplication,
      reply: BetaApplication,
      message: 'Application saved.',
      description: 'Changes the status and the internal notes of an application.',
    },
    async (ctx, { record, body }) => {
      await judge(ctx, record, body)
      return showApplication(ctx, record.id)
    },
  ),
  post(
    '/:beta_application/invite',
    {
      allow: 'beta-applications.update',
      record: lockApplication,
      reply: InvitedApplication,
      message: 'Invitation sent.',
      description:
        'Mails an invitation by which the applicant can register a workspace, and answers its address, once. An earlier one ends.',
    },
    (ctx, { record }) => invite(ctx, record),
  ),
])

const forAnybody = under('/public', [
  open.post(
    '/beta-applications',
    {
      allow: 'anybody',
      errors: [403],
      limit: intake,
      body: Apply,
      reply: Applied,
      status: 201,
      message: 'Thank you. You will hear from us by e-mail.',
      description: 'Applies for the founding beta. 403 while no applications are taken.',
    },
    (ctx, { body }) => apply(ctx, body),
  ),
  open.get(
    '/beta-invites/:token',
    {
      allow: 'anybody',
      description: 'Tells whether an invitation is good, and for whom it was made.',
      limit: preview,
      reply: Invite,
    },
    (ctx, { token }) => previewInvite(ctx, token),
  ),
  open.post(
    '/beta-invites/resend',
    {
      allow: 'anybody',
      limit: resending,
      body: Resend,
      message: 'If this address is invited, the invitation is on its way again.',
      description: 'Mails an invitation again to an address that has one. The reply never tells whether it has.',
    },
    async (ctx, { body }) => {
      await ctx.services.queue.send(ctx, resend, body)
    },
  ),
])

export default [...administration, ...forAnybody]
