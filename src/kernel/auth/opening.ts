/** Opens a session for an authenticated account. */
import { z } from 'zod'
import type { BaseCtx, PublicCtx } from '../context.ts'
import { forbidden } from '../errors.ts'
import { platformSetting } from '../modules/platform-settings.ts'
import { instant } from '../values/fields.ts'
import type { Account, AccountRow } from './accounts.ts'
import type { Realm } from './realm.ts'
import { issueToken } from './tokens.ts'

/** Session options in sign-in requests. */
export const sessionOptions = {
  remember: z.boolean().describe('true: the session lasts longer, as on a device of one’s own.').default(false),
  device_name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'What the list of sessions calls this device.', examples: ['Ann’s laptop'] }),
}
/** Options of a new session. */
export interface SessionOptions {
  remember?: boolean
  device_name?: string
}

/** Schema of the sign-in reply: a bearer token, and the realm's additional fields. */
export const signedInReply = ({ welcome }: Realm) =>
  z.object({
    token: z.string().meta({
      description: 'A bearer token: `Authorization: Bearer <token>`. It is told once; the service keeps a hash of it.',
      examples: ['42|Jm3rVtq0o8nWc5xYb1dKfA'],
    }),
    token_type: z.literal('Bearer').describe('How the token is sent.'),
    expires_at: instant().describe('When the session ends by itself.'),
    ...welcome.shape,
  })

const REMEMBERED = 30 * 24 * 3600

/** Throws 403 if the workspace is closed or the user is suspended. */
export async function refuseEntry(ctx: BaseCtx, realm: Realm, account: Account, { suspended_at }: AccountRow) {
  await realm.refuse?.(ctx, account)
  if (suspended_at) throw forbidden('This account is suspended.', 'USER_SUSPENDED')
}

/**
 * Opens a session for an authenticated account and returns its token, which isn't stored. Throws 403 if the account may not sign
 * in.
 */
export async function openSession(
  ctx: PublicCtx,
  realm: Realm,
  { tenant_id, user_id }: Account,
  row: AccountRow,
  { remember, device_name: name = 'session' }: SessionOptions,
) {
  const account = { tenant_id, user_id }
  await refuseEntry(ctx, realm, account, row)
  const minutes = await platformSetting(ctx, 'session_lifetime_minutes')
  const issued = await issueToken(ctx, account, name, remember ? REMEMBERED : minutes * 60)
  const profile = await realm.profile(ctx, account)
  await realm.signedInto?.(ctx, account, { ...issued, name })
  const who = { api: realm.api, workspace: tenant_id ?? undefined, user: user_id, session: issued.id }
  ctx.afterCommit(() => ctx.log.info({ ...who, ip: ctx.request.ip }, 'signed in'))
  const { token, expires_at } = issued
  return { token, token_type: 'Bearer' as const, expires_at, ...realm.greet(profile) }
}
