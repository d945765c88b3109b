/**
 * Links mailed to the owner of an account. The secret is in the fragment (`#`), which browsers don't send, so that it is in no
 * server log.
 */
import type { BaseCtx } from '../context.ts'
import { letter } from '../mail/letter.ts'
import { sendMail } from '../mail/mail.ts'
import { plainName } from '../mail/names.ts'
import { LONGEST_WAIT_SECONDS } from '../mail/pace.ts'
import { platformBrand } from '../modules/branding.ts'
import { type Account, senderName } from './accounts.ts'
import { issueOneTimeToken } from './tokens.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const links = {
  'verify-email': {
    subject: 'Verify your e-mail address',
    says: 'Please confirm that this address is yours.',
    label: 'Verify',
    lasts: 3 * DAY,
    page: 'verify-email',
  },
  'cancel-email-change': {
    subject: 'Your e-mail address is being changed',
    says: 'Somebody asked to replace this address of your account by another one. If it was you, there is nothing to do. If not, keep the address: within a day this link stops the change or undoes it, and signs everybody out. Then choose a new password.',
    label: 'Keep this address',
    lasts: DAY,
    page: 'cancel-email-change',
    kept: true,
  },
  'reset-password': {
    subject: 'Reset your password',
    says: 'Somebody asked to reset your password. If it was not you, ignore this mail.',
    label: 'Choose a new password',
    lasts: HOUR,
    page: 'reset-password',
    kept: true,
  },
  invitation: {
    subject: 'You are invited',
    says: 'An account was made for you. Choose a password to begin.',
    label: 'Accept the invitation',
    lasts: 7 * DAY,
    page: 'invite',
  },
} as const

const inWords = (seconds: number) => {
  const [count, unit] = seconds < DAY ? [seconds / HOUR, 'hour'] : [seconds / DAY, 'day']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/**
 * Mails a one-time link. Names typed by users are inserted as plain text. The link's lifetime starts when the mail is delivered;
 * until then it counts as one of the account's valid links.
 */
export async function mailLink(
  ctx: BaseCtx,
  account: Account,
  purpose: keyof typeof links,
  { name, email }: { name: string; email: string },
  note?: string,
) {
  const { subject: topic, says, label, lasts, page, ...more } = links[purpose]
  const token = await issueOneTimeToken(ctx, account, purpose, { email }, { seconds: lasts + LONGEST_WAIT_SECONDS, ...more })
  const from = plainName(await senderName(ctx, account))
  const url = `${ctx.services.config.BASE_URL}/${account.tenant_id === null ? 'platform' : 'app'}/${page}#${token}`
  const subject = `${topic} – ${from}`
  const bodies = letter({
    title: subject,
    from,
    paragraphs: [`Hello ${plainName(name)},`, says, ...(note ? [note] : [])],
    button: { label, url, holds: `The link is good for ${inWords(lasts)}, and once.` },
    brand: await platformBrand(ctx),
  })
  const type = `auth.${purpose.replaceAll('-', '_')}`
  const link = { token, seconds: lasts }
  await sendMail(ctx, { type, to: [email], subject, ...bodies, link }, account.tenant_id ?? 0)
}
