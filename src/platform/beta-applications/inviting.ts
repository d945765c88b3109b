/** Invitations: links that permit registering a workspace even while registration is closed. Only their hashes are stored. */

import { type BaseCtx, inPublic, originOf, type PlatformCtx, type Services } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { letter } from '#kernel/mail/letter.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { plainName } from '#kernel/mail/names.ts'
import { platformBrand } from '#kernel/modules/branding.ts'
import { writtenDate } from '#kernel/modules/platform-dates.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { randomSecret, sha256 } from '#kernel/secrets/secrets.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { type Application, endInvites, saveApplication, showApplication } from './applications.ts'

const DAY = 24 * 3600

/**
 * Maximum number of valid links of an application. Beyond it no further link is sent, so that strangers can't flood a mailbox
 * with requests.
 */
const MAX_LINKS = 5
/** Time for which an expired link is still recognised as expired. */
const REMEMBERED_DAYS = 30

/**
 * Invites an applicant. A new link replaces earlier ones (CEN-64). 422 if the application has already become a workspace
 * (CEN-65).
 */
export async function invite(ctx: PlatformCtx, application: Application) {
  if (application.status === 'activated') throw invalid({ beta_application: 'This application has become a workspace already.' })
  await endInvites(ctx, application.id)
  const invite_url = await sendInvite(ctx, application)
  await audit(ctx, 'beta_application_invited', { beta_application_id: application.id })
  return { ...JSON.parse((await showApplication(ctx, application.id)).text), invite_url }
}

/** Sends an invited applicant another link. Earlier links stay valid. */
export const resendInvite = (services: Services, { email }: { email: string }) =>
  inPublic(originOf(services), 'write', async (ctx) => {
    const application = await ctx.tx
      .selectFrom('beta_applications')
      .selectAll()
      .where('email', '=', email)
      .where('status', '=', 'invited')
      .forUpdate()
      .executeTakeFirst()
    if (application && (await workingLinks(ctx, application.id)) < MAX_LINKS) await sendInvite(ctx, application)
  })

async function workingLinks(ctx: BaseCtx, applicationId: number) {
  const { working } = await ctx.tx
    .selectFrom('beta_invites')
    .select((eb) => eb.fn.countAll<number>().as('working'))
    .where('application_id', '=', applicationId)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirstOrThrow()
  return working
}

/** Creates a link and mails it. Returns the link. */
async function sendInvite(ctx: BaseCtx, { id, name, email }: Application): Promise<string> {
  const expires_at = plusSeconds(ctx.now, (await platformSetting(ctx, 'founding_beta_invite_ttl_days')) * DAY)
  const token = randomSecret()
  await ctx.tx
    .deleteFrom('beta_invites')
    .where('application_id', '=', id)
    .where('expires_at', '<', plusSeconds(ctx.now, -REMEMBERED_DAYS * DAY))
    .execute()
  await ctx.tx
    .insertInto('beta_invites')
    .values({ token_hash: sha256(token), application_id: id, created_at: ctx.now, expires_at })
    .execute()
  await saveApplication(ctx, id, { status: 'invited', invited_at: ctx.now, invite_expires_at: expires_at })

  const url = `${ctx.services.config.BASE_URL}/register#${token}`
  const brand = await platformBrand(ctx)
  const from = plainName(brand.name)
  const by = await writtenDate(ctx, expires_at)
  const subject = `Your invitation to the beta – ${from}`
  const bodies = letter({
    title: subject,
    from,
    paragraphs: [
      `Hello ${plainName(name)},`,
      `You are invited to the founding beta of ${from}. Register your workspace by ${by}.`,
    ],
    button: { label: 'Register your workspace', url, holds: `The link is good until ${by}, and once.` },
    brand,
  })
  await sendMail(ctx, { type: 'beta_application.invited', to: [email], subject, ...bodies, secrets: [token] }, 0)
  return url
}
