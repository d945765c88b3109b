/**
 * Access to the operations dashboards: by role rather than permission, with a verified address (AUTH-23). The API returns a
 * signed one-time link that is valid for a minute. It starts a dashboard session tied to the API session, which ends with that
 * one.
 */
import { sql } from 'kysely'
import { accountOf } from '#kernel/auth/accounts.ts'
import { issueOneTimeToken, redeemOneTimeToken } from '#kernel/auth/tokens.ts'
import type { Actor, BaseCtx, PlatformCtx, Services } from '#kernel/context.ts'
import { forbidden, unauthenticated } from '#kernel/errors.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { SUPERADMIN } from '#platform/roles/public.ts'

declare module '#kernel/auth/tokens.ts' {
  interface TokenPurposes {
    /** API session that requested access. */
    operations: { session: number }
  }
}

export const dashboards = ['metrics', 'queues'] as const
export type Dashboard = (typeof dashboards)[number]

const ROLES = [SUPERADMIN, 'developer', 'tester']
const LINK_SECONDS = 60
/** Lifetime of a dashboard session in seconds. */
export const SESSION_SECONDS = 3600

const LINK = 'operations-link'
const SESSION = 'operations-session'

/** Returns a link to a dashboard (CEN-19). 403 without one of the roles. */
export async function enter(ctx: PlatformCtx, dashboard: Dashboard): Promise<{ url: string }> {
  if (!ctx.actor.roles.some((role) => ROLES.includes(role))) throw forbidden(`This needs one of the roles ${ROLES.join(', ')}.`)
  const payload = { session: ctx.actor.token!.id }
  const token = await issueOneTimeToken(ctx, accountOf(ctx), 'operations', payload, { seconds: LINK_SECONDS, kept: true })
  const signature = ctx.services.secrets.sign(LINK, `${dashboard} ${token}`)
  const { href } = new URL(
    `/operations/enter?to=${dashboard}&token=${token}&signature=${signature}`,
    ctx.services.config.BASE_URL,
  )
  return { url: href }
}

/** Exchanges a link for a dashboard session. 401 if it is forged, used or expired. */
export async function openDashboards(
  ctx: BaseCtx,
  { to, token, signature }: { to: Dashboard; token: string; signature: string },
) {
  const genuine = ctx.services.secrets.verify(LINK, `${to} ${token}`, signature)
  const found = genuine ? await redeemOneTimeToken(ctx, ['operations'], token) : undefined
  if (!found || !(await operatorOf(ctx, found.payload.session)))
    throw unauthenticated('This link is over. Enter from the platform again.')
  const until = plusSeconds(ctx.now, SESSION_SECONDS)
  const claim = `${found.payload.session}.${Date.parse(until)}`
  return `${claim}.${ctx.services.secrets.sign(SESSION, claim)}`
}

/** Returns the API session of a dashboard session; undefined if that is forged or expired. */
export function sessionBehind({ secrets, clock }: Services, session: string): number | undefined {
  const [, claim, id, until, signature] = /^((\d{1,15})\.(\d{1,15}))\.([\w-]{43})$/.exec(session) ?? []
  if (!claim || !secrets.verify(SESSION, claim, signature!)) return undefined
  return Number(until) > Date.parse(clock.now()) ? Number(id) : undefined
}

/**
 * Returns the operator of an API session. undefined if it has ended or the operator may no longer see the dashboards (suspended,
 * not verified, or without a role).
 */
export async function operatorOf(ctx: BaseCtx, session: number): Promise<Actor | undefined> {
  const found = await ctx.tx
    .selectFrom('access_tokens as t')
    .innerJoin('platform_users as u', 'u.id', 't.user_id')
    .select(['t.name as token_name', 'u.id', 'u.name', 'u.email'])
    .select(
      sql<string[]>`array(
        select r.name from platform_user_roles ur join platform_roles r on r.id = ur.role_id where ur.user_id = u.id)`.as(
        'roles',
      ),
    )
    .where('t.id', '=', session)
    .where('t.tenant_id', 'is', null)
    .where('t.expires_at', '>', ctx.now)
    .where('u.deleted_at', 'is', null)
    .where('u.suspended_at', 'is', null)
    .where('u.email_verified_at', 'is not', null)
    .executeTakeFirst()
  if (!found?.roles.some((role) => ROLES.includes(role))) return undefined
  const { token_name, ...who } = found
  return { ...who, isOwner: false, token: { id: session, name: token_name }, impersonator: null }
}
