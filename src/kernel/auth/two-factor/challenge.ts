/** Second-factor challenge between the password and the session (AUTH-20). */
import { z } from 'zod'
import type { BaseCtx, PublicSteps } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { text } from '../../values/fields.ts'
import { type Account, findAccount } from '../accounts.ts'
import { openSession, type SessionOptions } from '../opening.ts'
import type { Realm } from '../realm.ts'
import { issueOneTimeToken, lockOneTimeToken, rewriteOneTimeToken, useUpOneTimeToken } from '../tokens.ts'
import { refusal, verifyCode } from './factor.ts'

declare module '../tokens.ts' {
  interface TokenPurposes {
    /** A sign-in with the right password that waits for the second factor's code. */
    'two-factor': SessionOptions & { wrong: number }
  }
}

const SECONDS = 300
/** Number of wrong codes that end a challenge. */
const MAX_WRONG = 5

/** Reply of a sign-in that needs a code instead of a token (CEN-04). */
export const Challenged = z.object({
  two_factor_required: z.literal(true).describe('Always true: a code is asked for.'),
  challenge_token: z
    .string()
    .meta({ description: 'To be sent with the code, within minutes.', examples: ['Jm3rVtq0o8nWc5xYb1dKfA'] }),
})

/**
 * Creates a challenge. It doesn't end the account's other challenges, so that a stranger who has the password can't lock the
 * owner out.
 */
export async function challenge(ctx: BaseCtx, account: Account, wish: SessionOptions) {
  const payload = { ...wish, wrong: 0 }
  const challenge_token = await issueOneTimeToken(ctx, account, 'two-factor', payload, { seconds: SECONDS, kept: true })
  return { two_factor_required: true as const, challenge_token }
}

// CEN-05
export const AnswerChallenge = z.object({
  challenge_token: text(200).meta({ description: 'The token that the sign-in answered.', examples: ['Jm3rVtq0o8nWc5xYb1dKfA'] }),
  code: text(50).meta({ description: 'Six digits of the authenticator app, or a recovery code.', examples: ['492871'] }),
  remember: z
    .boolean()
    .optional()
    .describe('true: the session lasts longer, as on a device of one’s own. Unless sent: as the sign-in said.'),
})

/**
 * Exchanges a code for a session, once. Throws 422 on `challenge_token` if the challenge has ended, and on `code` if the code is
 * wrong.
 */
export async function answerChallenge(steps: PublicSteps, realm: Realm, sent: z.output<typeof AnswerChallenge>) {
  const outcome = await steps.finish(async (ctx) => {
    const found = await lockOneTimeToken(ctx, ['two-factor'], sent.challenge_token)
    const account = found && realm.has(found) ? await findAccount(ctx, found) : undefined
    if (!found || !account) return 'dead'
    const verdict = await verifyCode(ctx, found, sent.code)
    const { wrong, ...wish } = found.payload
    if (verdict === 'right') {
      await useUpOneTimeToken(ctx, sent.challenge_token)
      return openSession(ctx, realm, found, account, { ...wish, remember: sent.remember ?? wish.remember })
    }
    if (verdict === 'off' || (verdict === 'wrong' && wrong + 1 >= MAX_WRONG)) await useUpOneTimeToken(ctx, sent.challenge_token)
    else if (verdict === 'wrong')
      await rewriteOneTimeToken(ctx, 'two-factor', sent.challenge_token, { ...wish, wrong: wrong + 1 })
    return verdict === 'off' ? 'dead' : verdict
  })
  if (outcome === 'dead') throw invalid({ challenge_token: 'This challenge is over. Sign in again.' })
  if (typeof outcome === 'string') throw refusal(outcome)
  return outcome
}
