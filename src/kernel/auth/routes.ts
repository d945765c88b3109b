/**
 * Account routes, the same in both APIs: sign-in and sign-out, profile, password, sessions, mailed links, second factor,
 * passkeys.
 */
import { z } from 'zod'
import type { BaseCtx } from '../context.ts'
import { authSensitive, limiter } from '../http/limits.ts'
import { open, type Route } from '../http/route.ts'
import { requireInPerson } from '../tenancy/session.ts'
import { email, text } from '../values/fields.ts'
import { type Account, accountOf, lockAccount, updateAccount } from './accounts.ts'
import { cancelEmailChange, changeOwnEmail, resendProof, verifyEmail } from './addresses.ts'
import { avatarRule, keepAvatar, removeAvatar } from './avatar.ts'
import { askForReset, ForgotPassword } from './forgotten.ts'
import { identityOf, KeyIdentity } from './identity.ts'
import { signedInReply } from './opening.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { inPersonRoute, type Realm, selfRoute } from './realm.ts'
import { endSession, Session, sessionsOf } from './sessions.ts'
import {
  AcceptInvitation,
  acceptInvitation,
  ChangePassword,
  changePassword,
  Login,
  login,
  mailedToken,
  PasswordReset,
  ResetPassword,
  resetPassword,
} from './sign-in.ts'
import { revokeTokens } from './tokens.ts'
import { Challenged } from './two-factor/challenge.ts'
import { twoFactorRoutes } from './two-factor/routes.ts'

/** Five requests a minute per e-mail address in the body, else per client address (AUTH-19). The two APIs count separately. */
const byEmail = (name: string) => limiter({ name, points: 5, seconds: 60, by: { field: 'email' } })
/** Limit for links. Their tokens can't be guessed; this makes attempts costly. */
const byAddress = limiter({ name: 'mailed-link', points: 60, seconds: 60, by: 'ip' })

const UpdateMe = z.object({ name: text(255), email: email() }).partial()
const ByToken = z.object({ token: mailedToken })

export function accountRoutes(realm: Realm): Route[] {
  const { get, post, del, multiTransaction } = realm.signedIn
  const anybody = { allow: 'anybody' } as const
  const SignedIn = signedInReply(realm)

  return [
    open.multiTransaction.post(
      '/auth/login',
      {
        summary: 'Sign in',
        description:
          'Answers a bearer token for the right address and password, or the challenge of a second factor where there is one. 422 on `workspace` where several workspaces know this address and password; its `data.workspaces` names them.',
        ...anybody,
        errors: [401, 403],
        limit: byEmail('auth-login'),
        notIdempotent: true,
        body: Login,
        reply: z.union([SignedIn, Challenged]),
        message: 'The password is right.',
      },
      (steps, { body }) => login(steps, realm, body) as never,
    ),
    open.post(
      '/auth/forgot-password',
      {
        ...anybody,
        limit: byEmail('forgot-password'),
        body: ForgotPassword,
        message: 'If the address is known, a mail is on its way.',
        description: 'Mails a link by which a new password can be set. The reply never tells whether the address is known.',
      },
      (ctx, { body }) => askForReset(ctx, realm, body),
    ),
    open.multiTransaction.post(
      '/auth/reset-password',
      {
        ...anybody,
        limit: byEmail('reset-password'),
        body: ResetPassword,
        reply: PasswordReset,
        message: 'The password was changed. Sign in with it.',
        description:
          'Sets a new password by the token of a mailed link. All sessions end, and passkeys are suspended until their owner confirms them.',
      },
      (steps, { body }) => resetPassword(steps, realm, ['reset-password'], body),
    ),
    open.multiTransaction.post(
      '/auth/accept-invite',
      {
        ...anybody,
        limit: byAddress,
        notIdempotent: true,
        description: 'Sets the first password by the token of a mailed invitation, which proves the address too.',
        body: AcceptInvitation,
        ...(realm.invitationSignsIn
          ? { reply: SignedIn, message: 'Welcome.' }
          : { message: 'Welcome. Sign in with the password.' }),
      },
      (steps, { body }) => acceptInvitation(steps, realm, body) as never,
    ),
    open.post(
      '/auth/verify-email',
      {
        ...anybody,
        limit: byAddress,
        body: ByToken,
        message: 'The address is verified.',
        description: 'Proves an address by the token of the mailed link.',
      },
      (ctx, { body }) => verifyEmail(ctx, realm, body.token),
    ),
    open.post(
      '/auth/cancel-email-change',
      {
        ...anybody,
        limit: byAddress,
        body: ByToken,
        message: 'The address stays. Everybody was signed out.',
        description: 'Takes back a change of the address by the token that was mailed to the former one, and ends all sessions.',
      },
      (ctx, { body }) => cancelEmailChange(ctx, realm, body.token),
    ),
    post(
      '/auth/resend-verification',
      {
        ...selfRoute,
        grants: true,
        limit: authSensitive,
        message: 'A mail is on its way.',
        description: 'Mails the link once more by which the caller’s address, or the new one they asked for, is proven.',
      },
      (ctx) => resendProof(ctx, accountOf(ctx)),
    ),
    get(
      '/me',
      {
        ...selfRoute,
        noKeys: undefined,
        anyKey: true,
        reply: z.union([realm.me, KeyIdentity]),
        description:
          'Answers who the caller is and what they may do: of a session its user, of an API key what it is good for, and so of an account of the platform in the workspace that `X-Workspace` names.',
      },
      (ctx) => (ctx.actor.token ? realm.profile(ctx, accountOf(ctx)) : identityOf(ctx)),
    ),
    realm.signedIn[realm.paths.saveMe](
      '/me',
      {
        ...inPersonRoute,
        body: UpdateMe,
        reply: realm.me,
        message: 'Profile saved.',
        description:
          'Changes what is sent of the caller’s profile. A new address counts once its mailed link is opened; `pending_email` shows it until then.',
      },
      async (ctx, { body }) => {
        await updateMe(ctx, accountOf(ctx), body)
        return realm.profile(ctx, accountOf(ctx))
      },
    ),
    post(
      '/me/avatar',
      {
        operation: 'uploadMyAvatar',
        summary: 'Upload my picture',
        description: 'Replaces the caller’s picture by a JPEG, PNG or WebP file.',
        ...inPersonRoute,
        body: z.object({}),
        upload: { file: { ...avatarRule, required: true } },
        reply: realm.me,
        message: 'Picture saved.',
      },
      async (ctx, { files }) => {
        await keepAvatar(ctx, accountOf(ctx), files.file)
        return realm.profile(ctx, accountOf(ctx))
      },
    ),
    del(
      '/me/avatar',
      {
        summary: 'Remove my picture',
        description: 'Removes the caller’s picture. None is no error.',
        ...inPersonRoute,
        reply: realm.me,
        message: 'Picture removed.',
      },
      async (ctx) => {
        await removeAvatar(ctx, accountOf(ctx))
        return realm.profile(ctx, accountOf(ctx))
      },
    ),
    multiTransaction.post(
      '/me/change-password',
      {
        ...inPersonRoute,
        limit: authSensitive,
        body: ChangePassword,
        description: 'Changes the caller’s password. Other sessions end unless `revoke_other_sessions` is false.',
        message: 'Password changed.',
      },
      (steps, { body }) => changePassword(steps, accountOf(steps), steps.actor.token!.id, body),
    ),
    get(
      '/me/sessions',
      { ...selfRoute, description: 'Answers all live sessions of the caller, the last used first.', reply: z.array(Session) },
      (ctx) => sessionsOf(ctx, accountOf(ctx), ctx.actor.token!.id),
    ),
    del(
      '/me/sessions/:session',
      {
        ...inPersonRoute,
        message: 'Session ended.',
        description: 'Ends one of the caller’s sessions: its token is a 401 from now on.',
      },
      (ctx, { session }) => endSession(ctx, accountOf(ctx), session),
    ),
    post(
      '/me/sessions/revoke-others',
      {
        operation: 'endMyOtherSessions',
        summary: 'End my other sessions',
        description: 'Ends all sessions of the caller but the one that asks.',
        ...inPersonRoute,
        message: 'The other sessions were ended.',
      },
      async (ctx) => {
        await revokeTokens(ctx, accountOf(ctx), { except: ctx.actor.token!.id })
      },
    ),
    post(
      realm.paths.logout,
      {
        operation: 'logout',
        summary: 'Sign out',
        description: 'Ends the session that asks; with `all`, every session of the caller.',
        ...selfRoute,
        grants: false,
        body: z.object({ all: z.boolean().describe('true ends every session of the caller, not only this one.').default(false) }),
        message: 'Signed out.',
      },
      async (ctx, { body }) => {
        if (body.all) requireInPerson(ctx.actor)
        await revokeTokens(ctx, accountOf(ctx), body.all ? {} : { only: ctx.actor.token!.id })
        await realm.signedOut?.(ctx, ctx.actor.token!.id)
      },
    ),
    ...twoFactorRoutes(realm),
    ...passkeyRoutes(realm),
  ]
}

async function updateMe(ctx: BaseCtx, account: Account, { name, email }: z.output<typeof UpdateMe>) {
  const before = await lockAccount(ctx, account)
  if (name !== undefined) await updateAccount(ctx, account, { name })
  if (email !== undefined) await changeOwnEmail(ctx, account, { ...before, name: name ?? before.name }, email)
}
