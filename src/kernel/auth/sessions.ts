/** The user's own sessions: list and end them. */
import { z } from 'zod'
import type { BaseCtx } from '../context.ts'
import { notFound } from '../errors.ts'
import { instant } from '../values/fields.ts'
import { type Account, ownedBy } from './accounts.ts'
import { revokeTokens } from './tokens.ts'

export const Session = z
  .object({
    id: z.int(),
    name: z
      .string()
      .meta({ description: 'The device, as it was named at the sign-in, or what its browser says.', examples: ['Ann’s laptop'] }),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    last_used_at: instant(),
    created_at: instant(),
    expires_at: instant().describe('When it ends by itself.'),
    is_current: z.boolean(),
  })
  .meta({ id: 'Session' })

/** Maximum number of sessions returned. */
const MAX_SESSIONS = 100

/** Returns the account's live sessions, last used first. */
export async function sessionsOf(ctx: BaseCtx, account: Account, currentToken: number) {
  const rows = await ctx.tx
    .selectFrom('access_tokens')
    .select(['id', 'name', 'ip', 'user_agent', 'last_used_at', 'created_at', 'expires_at'])
    .where(ownedBy(account))
    .where('expires_at', '>', ctx.now)
    .orderBy('last_used_at', 'desc')
    .limit(MAX_SESSIONS)
    .execute()
  return rows.map((row) => ({ ...row, is_current: row.id === currentToken }))
}

/** Ends one of the account's sessions. Throws 404 for others. */
export async function endSession(ctx: BaseCtx, account: Account, id: number) {
  if (!(await revokeTokens(ctx, account, { only: id }))) throw notFound('There is no such session.')
}
