/** Further users of the platform. */
import { issueToken } from '#kernel/auth/tokens.ts'
import { inPublic, originOf } from '#kernel/context.ts'
import { unseal } from '#kernel/mail/sealed.ts'
import type { Client, World } from './harness.ts'

let made = 0

export interface Operator extends Client {
  id: number
  email: string
  token: string
}

/** Creates a signed-in platform user with exactly these permissions. */
export async function operator(world: World, permissions: string[], { verified = true } = {}): Promise<Operator> {
  const email = `operator${++made}@platform.test`
  const [{ id }] = await world.sql(
    `WITH u AS (
       INSERT INTO platform_users (name, email, password_hash, email_verified_at, created_at, updated_at)
       SELECT 'Oscar Operator', $1, password_hash, CASE WHEN $4 THEN email_verified_at END, created_at, created_at
       FROM platform_users WHERE email = 'admin@platform.test' RETURNING id
     ), r AS (
       INSERT INTO platform_roles (name, permissions, created_at, updated_at) VALUES ($2, $3, now(), now()) RETURNING id
     )
     INSERT INTO platform_user_roles (user_id, role_id) SELECT u.id, r.id FROM u, r RETURNING user_id AS id`,
    [email, `role of ${email}`, permissions, verified],
  )
  const { token } = await inPublic(originOf(world.services), 'write', (ctx) =>
    issueToken(ctx, { tenant_id: null, user_id: Number(id) }, 'test', 365 * 24 * 3600),
  )
  return { ...world.central(token), id: Number(id), email, token }
}

interface SealedMail {
  tenant_id: string
  notification_type: string
  subject: string
  body_text: string
  sealed: Buffer | null
}

/** Returns the mails to an address, newest first, with secrets that the log stores encrypted. Runs the mail jobs first. */
export async function mailsTo(world: World, email: string): Promise<Omit<SealedMail, 'sealed'>[]> {
  await world.drain()
  const mails: SealedMail[] = await world.sql(
    'SELECT tenant_id, notification_type, subject, body_text, sealed FROM email_logs WHERE $1 = ANY ("to") ORDER BY id DESC',
    [email],
  )
  const opened = mails.map(({ sealed, ...mail }) => ({
    ...mail,
    body_text: unseal(world.services, sealed)?.text ?? mail.body_text,
  }))
  for (const { body_text } of opened) if (body_text.length > 20) world.secret(body_text)
  return opened
}

/** Returns the token in the link of the newest mail to an address, optionally of one type. */
export async function mailedToken(world: World, type: string | undefined, email: string): Promise<string> {
  const mail = (await mailsTo(world, email)).find(({ notification_type }) => !type || notification_type === type)
  const token = /https?:\S+#(\S+)/.exec(mail?.body_text ?? '')?.[1] ?? ''
  if (token) world.secret(token)
  return token
}
