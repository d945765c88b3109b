import { z } from 'zod'
import {
  AcceptInvitation,
  authLogin,
  ChangePassword,
  changePassword,
  endSession,
  ForgotPassword,
  forgotPassword,
  markVerified,
  ResetPassword,
  resetPassword,
  resetPasswordLimit,
  Session,
  sessionsOf,
} from '#kernel/auth/accounts.ts'
import { redeemOneTimeToken, revokeTokens } from '#kernel/auth/tokens.ts'
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { authSensitive } from '#kernel/http/limits.ts'
import { open, platform } from '#kernel/http/route.ts'
import { text } from '#kernel/values/fields.ts'
import { login, profileOf, requestReset, updateMe } from './account.ts'
import { Login, Profile, SignedIn, UpdateMe } from './schema.ts'

const { get, post, del } = platform
const own = { allow: 'signed-in', unverified: true } as const
const accountOf = (ctx: PlatformCtx) => ({ tenant_id: null, user_id: ctx.actor.id! })

export default [
  open.post(
    '/auth/login',
    { allow: 'anybody', limit: authLogin, body: Login, reply: SignedIn, message: 'Signed in.' },
    (ctx, { body }) => login(ctx, body),
  ),
  open.post(
    '/auth/forgot-password',
    { allow: 'anybody', limit: forgotPassword, body: ForgotPassword, message: 'If the address is known, a mail is on its way.' },
    (ctx, { body }) => requestReset(ctx, body.email),
  ),
  open.post(
    '/auth/reset-password',
    { allow: 'anybody', limit: resetPasswordLimit, body: ResetPassword, message: 'The password was changed. Sign in with it.' },
    async (ctx, { body }) => {
      await resetPassword(ctx, 'platform', ['reset-password'], body)
    },
  ),
  open.post(
    '/auth/accept-invite',
    { allow: 'anybody', body: AcceptInvitation, message: 'Welcome. Sign in with the password.' },
    async (ctx, { body }) => {
      await resetPassword(ctx, 'platform', ['invitation', 'set-up'], body)
    },
  ),
  open.post(
    '/auth/verify-email',
    { allow: 'anybody', body: z.object({ token: text(200) }), message: 'The address is verified.' },
    async (ctx, { body }) => {
      const found = await redeemOneTimeToken(ctx, ['verify-email'], body.token)
      if (!found || found.tenant_id !== null) throw invalid({ token: 'This link is not valid any more. Ask for a new one.' })
      await markVerified(ctx, found)
    },
  ),
  get('/me', { ...own, reply: Profile }, (ctx) => profileOf(ctx, ctx.actor.id!)),
  post('/me', { ...own, body: UpdateMe, reply: Profile, message: 'Profile saved.' }, (ctx, { body }) => updateMe(ctx, body)),
  post(
    '/me/change-password',
    { ...own, limit: authSensitive, body: ChangePassword, message: 'Password changed.' },
    (ctx, { body }) => changePassword(ctx, accountOf(ctx), ctx.actor.token!.id, body),
  ),
  get('/me/sessions', { ...own, reply: z.array(Session) }, (ctx) => sessionsOf(ctx, accountOf(ctx), ctx.actor.token!.id)),
  del('/me/sessions/:session', { ...own, message: 'Session ended.' }, (ctx, { session }) =>
    endSession(ctx, accountOf(ctx), session),
  ),
  post('/me/sessions/revoke-others', { ...own, message: 'The other sessions were ended.' }, async (ctx) => {
    await revokeTokens(ctx, accountOf(ctx), { except: ctx.actor.token!.id })
  }),
  post(
    '/me/logout',
    { ...own, body: z.object({ all: z.boolean().default(false) }), message: 'Signed out.' },
    async (ctx, { body }) => {
      await revokeTokens(ctx, accountOf(ctx), body.all ? {} : { only: ctx.actor.token!.id })
    },
  ),
]
