/** Changes of the ways into an account: each stands in the audit log and is told to the owner by mail, who alone knows a thief's. */
import type { Actor, BaseCtx } from '../context.ts'
import { letter } from '../mail/letter.ts'
import { sendMail } from '../mail/mail.ts'
import { plainName } from '../mail/names.ts'
import { type Account, houseOf, lockAccount } from './accounts.ts'
import { audit } from './audit.ts'

const sentences = {
  two_factor_turned_on: 'The second factor of your account was turned on: signing in asks for a code.',
  two_factor_turned_off: 'The second factor of your account was turned off.',
  recovery_codes_renewed: 'Your recovery codes were replaced by others.',
  passkey_added: 'A passkey was added to your account. It opens the account without the password.',
  passkey_removed: 'A passkey of your account was removed.',
}

/** Records that the signed-in owner changed a way in, and mails it to them. Properties are read by auditors. */
export async function changedWayIn(
  ctx: BaseCtx & { actor: Actor },
  account: Account,
  event: keyof typeof sentences,
  properties: Record<string, unknown> = {},
) {
  await audit(ctx, event, properties)
  const { name, email } = await lockAccount(ctx, account)
  const from = plainName(await houseOf(ctx, account))
  const paragraphs = [
    `Hello ${plainName(name)},`,
    sentences[event],
    'If it was not you, choose a new password, end your other sessions, and look at the passkeys and the second factor of your account.',
  ]
  const bodies = letter({ from, paragraphs })
  const subject = `Security of your account – ${from}`
  await sendMail(ctx, { type: `auth.${event}`, to: [email], subject, ...bodies }, account.tenant_id ?? 0)
}
