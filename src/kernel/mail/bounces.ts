/**
 * Notification of a hard bounce to the mail's sender, with the address that rejected it: once for each mail and address. The
 * operator sees it in the e-mail log. For a mail without a sender, such as this notification, nobody is notified.
 */
import type { PublicCtx } from '../context.ts'
import { platformBrand } from '../modules/branding.ts'
import { writtenInstant } from '../modules/platform-dates.ts'
import { letter } from './letter.ts'
import type { LoggedMail, MailEvent } from './mail-event.ts'
import type { SendMail } from './mail-log.ts'
import { plainName } from './names.ts'

/** Notifies a mail's sender that an address rejected it. */
export async function notifyBounce(ctx: PublicCtx, mail: LoggedMail, { recipient, detail }: MailEvent, send: SendMail) {
  const sender = await senderOf(ctx, mail)
  if (!sender || (await wasTold(ctx, mail, recipient))) return
  const brand = await platformBrand(ctx)
  const sent = await writtenInstant(ctx, mail.sent_at ?? mail.created_at, sender.workspace)
  const address = recipient ?? mail.to.join(', ')
  const subject = `Not delivered: ${mail.subject}`
  const bodies = letter({
    title: subject,
    from: plainName(sender.workspace?.name ?? brand.name),
    paragraphs: [
      `A mail of yours could not be delivered: ${address} does not exist, or its server does not take the mail.`,
      'Check the address. Other mails to it will come back as well.',
    ],
    facts: [
      { label: 'Subject', value: mail.subject },
      { label: 'To', value: address },
      { label: 'Sent', value: sent },
      ...(detail ? [{ label: 'Their server said', value: detail }] : []),
    ],
    brand,
  })
  await send(ctx, { type: 'mail.bounced', to: [sender.email], subject, ...bodies }, mail.tenant_id)
}

/** Returns the sender's address, if the account is active, with the workspace's name, time zone and locale. */
async function senderOf(ctx: PublicCtx, { tenant_id, sent_by }: LoggedMail) {
  if (sent_by === null) return undefined
  if (tenant_id === 0) {
    const people = ctx.tx.selectFrom('platform_users').select('email').where('id', '=', sent_by)
    const one = await people.where('deleted_at', 'is', null).where('suspended_at', 'is', null).executeTakeFirst()
    return one?.email ? { email: one.email, workspace: undefined } : undefined
  }
  const one = await ctx.tx
    .selectFrom('users')
    .innerJoin('tenants', 'tenants.id', 'users.tenant_id')
    .select(['users.email', 'tenants.workspace_name as name', 'tenants.timezone', 'tenants.locale'])
    .where('users.tenant_id', '=', tenant_id)
    .where('users.id', '=', sent_by)
    .where('users.deleted_at', 'is', null)
    .where('users.suspended_at', 'is', null)
    .where('tenants.deleted_at', 'is', null)
    .executeTakeFirst()
  return one?.email ? { email: one.email, workspace: one } : undefined
}

/** Returns whether an earlier hard bounce of that address was recorded. */
async function wasTold(ctx: PublicCtx, { tenant_id, id }: LoggedMail, recipient: string | null) {
  const { told } = await ctx.tx
    .selectFrom('email_events')
    .select((eb) => eb.fn.countAll<number>().as('told'))
    .where('tenant_id', '=', tenant_id)
    .where('email_log_id', '=', id)
    .where('type', '=', 'bounced')
    .where('permanent', '=', true)
    .where('recipient', 'is not distinct from', recipient)
    .executeTakeFirstOrThrow()
  return told > 1
}
