/** Routes of the second factor, the same in both APIs. None accepts an Idempotency-Key: their replies must not be stored. */
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
const ByCode = z.object({
  code: text(50).meta({ description: 'Six digits of the authenticator app, or a recovery code.', examples: ['492871'] }),
})
const RecoveryCodes = z.object({
  recovery_codes: z.array(z.string()).meta({
    description: 'Each lets its owner in once, in place of a code. They are told this once.',
    examples: [['8f3k-2m9x', 'q7c1-z4tb']],
  }),
})

export function twoFactorRoutes(realm: Realm): Route[] {
  const { get, post, multiTransaction } = realm.signedIn
  const change = { ...inPersonRoute, limit: authSensitive, notIdempotent: true } as const
  return [
    open.multiTransaction.post(
      '/auth/two-factor/challenge',
      {
        operation: 'answerChallenge',
        summary: 'Sign in by the second factor',
        description: 'Exchanges the challenge of a sign-in and a code (of the app, or a recovery code) for a bearer token.',
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
        description: 'Answers whether the caller’s second factor is turned on, and how many recovery codes are left.',
        ...selfRoute,
        reply: z.object({
          enabled: z.boolean().describe('Whether a code is asked for at each sign-in.'),
          recovery_codes_remaining: z.int().meta({ description: 'How many recovery codes were not used.', examples: [8] }),
        }),
      },
      (ctx) => factorStatus(ctx, accountOf(ctx)),
    ),
    multiTransaction.post(
      '/me/two-factor',
      {
        operation: 'beginMyTwoFactor',
        summary: 'Begin a second factor',
        description:
          'Makes a secret for an authenticator app, as text, address and QR code. It counts once a code of it is confirmed.',
        ...change,
        body: ByPassword,
        reply: z.object({
          svg: z.string().meta({
            description: 'The QR code to scan, as an SVG picture.',
            examples: ['<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
          }),
          secret: z
            .string()
            .meta({ description: 'The secret to type into an app that can’t scan, in base 32.', examples: ['JBSWY3DPEHPK3PXP'] }),
          otpauth_url: formatted('uri').meta({
            description: 'The same as an address, for apps on the same device.',
            examples: ['otpauth://totp/Atrium:ann@nordwind.example?secret=JBSWY3DPEHPK3PXP'],
          }),
        }),
        message: 'Scan the code and confirm it.',
      },
      (steps, { body }) => beginTwoFactor(steps, accountOf(steps), body.password),
    ),
    post(
      '/me/two-factor/confirm',
      {
        summary: 'Confirm my second factor',
        description: 'Turns the second factor on by a first code, and answers recovery codes, once.',
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
        description: 'Turns the second factor off, by the password and a code.',
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
        description: 'Replaces the recovery codes by new ones, which are told once.',
        ...change,
        body: ByPassword,
        reply: RecoveryCodes,
        message: 'These recovery codes replace the former ones.',
      },
      (steps, { body }) => renewRecoveryCodes(steps, accountOf(steps), body.password),
    ),
  ]
}
