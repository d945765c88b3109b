/** The routes of the second factor, the same in both APIs. None knows an Idempotency-Key: what they tell must not be kept anywhere. */
import { z } from 'zod'
import { authSensitive, limiter } from '../../http/limits.ts'
import { open, type Route } from '../../http/route.ts'
import { formatted, text } from '../../values/fields.ts'
import { accountOf } from '../accounts.ts'
import { signedInReply } from '../opening.ts'
import { GivenPassword } from '../passwords.ts'
import { inPersonRoute, type Realm, selfRoute } from '../realm.ts'
import { AnswerChallenge, answerChallenge } from './challenge.ts'
import { factorStatus } from './factor.ts'
import { beginTwoFactor, confirmTwoFactor, endTwoFactor, renewRecoveryCodes } from './managing.ts'

const byChallenge = limiter({ name: 'two-factor-challenge', points: 5, seconds: 60, by: { field: 'challenge_token' } })

const ByPassword = z.object({ password: GivenPassword })
const ByCode = z.object({ code: text(50) })
const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) })

export function twoFactorRoutes(realm: Realm): Route[] {
  const { get, post, multiTransaction } = realm.signedIn
  const change = { ...inPersonRoute, limit: authSensitive, notIdempotent: true } as const
  return [
    open.multiTransaction.post(
      '/auth/two-factor/challenge',
      {
        operation: 'answerChallenge',
        summary: 'Sign in by the second factor',
        allow: 'anybody',
        errors: [401, 403],
        limit: byChallenge,
        notIdempotent: true,
        body: AnswerChallenge,
        reply: signedInReply(realm),
        message: 'Signed in.',
      },
      (steps, { body }) => answerChallenge(steps, realm, body) as never,
    ),
    // CEN-12
    get(
      '/me/two-factor',
      {
        summary: 'Whether I have a second factor',
        ...selfRoute,
        reply: z.object({ enabled: z.boolean(), recovery_codes_remaining: z.int() }),
      },
      (ctx) => factorStatus(ctx, accountOf(ctx)),
    ),
    multiTransaction.post(
      '/me/two-factor',
      {
        operation: 'beginMyTwoFactor',
        summary: 'Begin a second factor',
        ...change,
        body: ByPassword,
        reply: z.object({ svg: z.string(), secret: z.string(), otpauth_url: formatted('uri') }),
        message: 'Scan the code and confirm it.',
      },
      (steps, { body }) => beginTwoFactor(steps, accountOf(steps), body.password),
    ),
    post(
      '/me/two-factor/confirm',
      {
        summary: 'Confirm my second factor',
        ...change,
        body: ByCode,
        reply: RecoveryCodes,
        message: 'The second factor is turned on. Keep the recovery codes.',
      },
      (ctx, { body }) => confirmTwoFactor(ctx, accountOf(ctx), body.code),
    ),
    multiTransaction.del(
      '/me/two-factor',
      {
        summary: 'Give my second factor up',
        ...change,
        body: ByPassword.extend(ByCode.shape),
        message: 'The second factor is turned off.',
      },
      (steps, { body }) => endTwoFactor(steps, accountOf(steps), body),
    ),
    multiTransaction.post(
      '/me/two-factor/recovery-codes',
      {
        operation: 'renewMyRecoveryCodes',
        summary: 'Make new recovery codes',
        ...change,
        body: ByPassword,
        reply: RecoveryCodes,
        message: 'These recovery codes replace the former ones.',
      },
      (steps, { body }) => renewRecoveryCodes(steps, accountOf(steps), body.password),
    ),
  ]
}
