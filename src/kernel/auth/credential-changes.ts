/**
 * Changes of an account's credentials: each is written to the audit log and mailed to the owner, who alone can recognise an
 * attacker's change.
 */
import { type Actor, type BaseCtx, systemActor } from '../context.ts'
import { type Letter, letter } from '../mail/letter.ts'
import { sendMail } from '../mail/mail.ts'
import { plainName } from '../mail/names.ts'
import { audit } from '../tenancy/audit.ts'
import { type Account, type AccountRow, lockAccount, senderName } from './accounts.ts'

const messages = {
  two_factor_turned_on: 'The second factor of your account was turned on: signing in asks for a code.',
  two_factor_turned_off: 'The second factor of your account was turned off.',
  recovery_codes_renewed: 'Your recovery codes were replaced by others.',
  passkey_added: 'A passkey was added to your account. It opens the account without the password.',
  passkey_removed: 'A passkey of your account was removed.',
  passkey_confirmed: 'A passkey of your account that was suspended opens it again, without the password.',
  'api_key.created': 'An API key was made for your account: programs that have it work in your name, without the password.',
  'api_key.rotated': 'An API key of your account got another secret, which programs use in your name, without the password.',
  'platform_grants.opened':
    'You let people of the platform who work in your workspace change who may come in and where money goes, until the time that the settings say.',
  'platform_grants.closed':
    'People of the platform who work in your workspace change neither who may come in nor where money goes any more.',
}

const ALARM =
  'If it was not you, choose a new password, end your other sessions, and look at the passkeys, the API keys and the second factor of your account.'

/** Records that the signed-in owner changed a credential, and mails it to them. Auditors can read the properties. */
export async function notifyCredentialChange(
  ctx: BaseCtx & { actor: Actor },
  account: Account,
  event: keyof typeof messages,
  properties: Record<string, unknown> = {},
) {
  await audit(ctx, event, properties)
  await mailOwner(ctx, account, await lockAccount(ctx, account), event, { paragraphs: [messages[event], ALARM] })
}

/** Records that a new password suspended passkeys, and mails the owner a list of them. */
export async function passkeysSuspended(
  ctx: BaseCtx,
  account: Account,
  owner: Pick<AccountRow, 'name' | 'email'>,
  passkeys: { id: number; name: string; created_at: string }[],
) {
  const properties = { user_id: account.user_id, passkey_ids: passkeys.map(({ id }) => id) }
  await audit({ ...ctx, actor: systemActor }, 'passkeys_suspended', properties, account.tenant_id ?? 0)
  await mailOwner(ctx, account, owner, 'passkeys_suspended', {
    paragraphs: [
      'The password of your account was set anew. Its passkeys open nothing until you confirm them: sign in with the new password, confirm those that are yours, and remove the others.',
    ],
    facts: passkeys.map(({ name, created_at }) => ({ label: plainName(name), value: `added ${created_at}` })),
  })
}

async function mailOwner(
  ctx: BaseCtx,
  account: Account,
  { name, email }: Pick<AccountRow, 'name' | 'email'>,
  event: string,
  { paragraphs, facts }: Pick<Letter, 'paragraphs' | 'facts'>,
) {
  const from = plainName(await senderName(ctx, account))
  const subject = `Security of your account – ${from}`
  const bodies = letter({ title: subject, from, paragraphs: [`Hello ${plainName(name)},`, ...paragraphs], facts })
  await sendMail(ctx, { type: `auth.${event}`, to: [email], subject, ...bodies }, account.tenant_id ?? 0)
}
