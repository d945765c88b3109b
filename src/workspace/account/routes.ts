import { z } from 'zod'
import {
  AcceptInvitation,
  authLogin,
  ChangePassword,
  changePassword,
  endSession,
  ForgotPassword,
  forgotPassword,
  ResetPassword,
  resetPassword,
  resetPasswordLimit,
  Session,
  sessionsOf,
} from '#kernel/auth/accounts.ts'
import { revokeTokens } from '#kernel/auth/tokens.ts'
import type { Ctx } from '#kernel/context.ts'
import { authSensitive } from '#kernel/http/limits.ts'
import { open, workspace } from '#kernel/http/route.ts'
import { acceptInvitation, login, me, requestReset, resendVerification, updateMe, verifyEmail } from './account.ts'
import { Login, Me, SignedIn, UpdateMe, VerifyEmail } from './schema.ts'

const { get, post, put, del } = workspace
const own = { allow: 'signed-in', unverified: true } as const
const accountOf = (ctx: Ctx) => ({ tenant_id: ctx.tenant.id, user_id: ctx.actor.id! })

export default [
  open.post(
    '/auth/login',
    { allow: 'anybody', limit: authLogin, body: Login, reply: SignedIn, message: 'Signed in.' },
    (ctx, { body }) => login(ctx, body),
  ),
  open.post(
    '/auth/forgot-password',
    { allow: 'anybody', limit: forgotPassword, body: ForgotPassword, message: 'If the address is known, a mail is on its way.' },
    (ctx, { body }) => requestReset(ctx, body.email, body.workspace),
  ),
  open.post(
    '/auth/reset-password',
    { allow: 'anybody', limit: resetPasswordLimit, body: ResetPassword, message: 'The password was changed. Sign in with it.' },
    async (ctx, { body }) => {
      await resetPassword(ctx, 'workspace', ['reset-password'], body)
    },
  ),
  open.post(
    '/auth/accept-invite',
    { allow: 'anybody', body: AcceptInvitation, reply: SignedIn, message: 'Welcome.' },
    (ctx, { body }) => acceptInvitation(ctx, body),
  ),
  open.post('/auth/verify-email', { allow: 'anybody', body: VerifyEmail, message: 'The address is verified.' }, (ctx, { body }) =>
    verifyEmail(ctx, body.token),
  ),
  post('/auth/resend-verification', { ...own, limit: authSensitive, message: 'A mail is on its way.' }, resendVerification),
  post(
    '/auth/logout',
    { ...own, body: z.object({ all: z.boolean().default(false) }), message: 'Signed out.' },
    async (ctx, { body }) => {
      await revokeTokens(ctx, accountOf(ctx), body.all ? {} : { only: ctx.actor.token!.id })
    },
  ),
  get('/me', { ...own, reply: Me }, me),
  put('/me', { ...own, body: UpdateMe, reply: Me, message: 'Profile saved.' }, (ctx, { body }) => updateMe(ctx, body)),
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
]
