/** Signing in to a workspace, and one's own profile. */
import { sql } from 'kysely'
import type { z } from 'zod'
import {
  type AcceptInvitation,
  type Account,
  invalidCredentials,
  mailLink,
  markVerified,
  resetPassword,
  signIn,
} from '#kernel/auth/accounts.ts'
import { verifyPassword } from '#kernel/auth/passwords.ts'
import { redeemOneTimeToken } from '#kernel/auth/tokens.ts'
import { type BaseCtx, type Ctx, LIVE, type PublicCtx } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { refuseClosed } from '#kernel/http/entrances.ts'
import { permissionsBy } from '#kernel/modules/permissions.ts'
import { refuseTaken } from '#kernel/records/resource.ts'
import type { Login, UpdateMe } from './schema.ts'

/** Signs somebody in. 401 for any wrong pair, in equal time; 422 on `workspace` when several know the address. */
export async function login(ctx: PublicCtx, body: z.output<typeof Login>) {
  const candidates = await candidatesFor(ctx, body.email, body.workspace)
  const right = []
  for (const candidate of candidates.length ? candidates : [undefined])
    if (await verifyPassword(body.password, candidate?.password_hash)) right.push(candidate!)
  const [found] = right
  if (!found) throw invalidCredentials()
  if (candidates.length > 1) throw invalid({ workspace: 'Several workspaces know this address. Say which one by its slug.' })
  return enter(ctx, found, body)
}

/** Sets the first password by the invitation's link, and signs its bearer in. */
export async function acceptInvitation(ctx: PublicCtx, body: z.output<typeof AcceptInvitation>) {
  const { tenant_id, user_id } = await resetPassword(ctx, 'workspace', ['invitation'], body)
  const invited = entrants(ctx).where('d.tenant_id', '=', tenant_id).where('d.user_id', '=', user_id)
  return enter(ctx, await invited.executeTakeFirstOrThrow(), {})
}

type Entrant = Awaited<ReturnType<typeof candidatesFor>>[number]

/** Opens a session; 403 in a closed workspace and for a suspended user. */
async function enter(ctx: PublicCtx, found: Entrant, options: { remember?: boolean; device_name?: string }) {
  refuseClosed(found)
  if (found.suspended_at) throw forbidden('This account is suspended.', 'USER_SUSPENDED')
  const session = await signIn(ctx, { tenant_id: found.tenant_id, user_id: found.id }, options)
  return { ...session, ...(await profileOf(ctx, found.tenant_id, found.id)) }
}

const MOST_CANDIDATES = 5

/** The accounts that an address may mean: in the workspace that is named, else in the host's, else in every one. */
function candidatesFor(ctx: PublicCtx, email: string, workspace: string | undefined) {
  const slug = workspace?.trim().toLowerCase() ?? slugOfHost(ctx)
  const query = entrants(ctx).where('d.email', '=', email).limit(MOST_CANDIDATES)
  return (slug === undefined ? query : query.where('t.slug', '=', slug)).execute()
}

const entrants = (ctx: PublicCtx) =>
  ctx.tx
    .selectFrom('sign_in_directory as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .innerJoin('users as u', (join) => join.onRef('u.tenant_id', '=', 'd.tenant_id').onRef('u.id', '=', 'd.user_id'))
    .select([
      'u.id',
      'u.tenant_id',
      'u.password_hash',
      'u.suspended_at',
      't.status',
      sql<boolean>`t.archived_at is not null`.as('archived'),
    ])
    .where('t.deleted_at', 'is', null)

/** The workspace that a request's host names: `<slug>.<platform domain>`. The service's own address names none. */
function slugOfHost(ctx: PublicCtx) {
  const { PLATFORM_DOMAIN, BASE_URL } = ctx.services.config
  const name = ctx.request.host.split(':')[0]!.toLowerCase()
  const domain = `.${PLATFORM_DOMAIN.toLowerCase()}`
  return name.endsWith(domain) && name !== new URL(BASE_URL).hostname ? name.slice(0, -domain.length) : undefined
}

/** The user, the workspace, and what may be done there. */
async function profileOf(ctx: BaseCtx, tenantId: number, userId: number) {
  const [user, roles, workspace, installed] = await Promise.all([
    ctx.tx
      .selectFrom('users')
      .select(['id', 'name', 'email', 'is_owner', 'email_verified_at', 'created_at'])
      .where('tenant_id', '=', tenantId)
      .where('id', '=', userId)
      .executeTakeFirstOrThrow(),
    ctx.tx
      .selectFrom('user_roles as ur')
      .innerJoin('roles as r', (join) => join.on('r.tenant_id', '=', tenantId).onRef('r.id', '=', 'ur.role_id'))
      .select(['r.name', 'r.kind', 'r.permissions'])
      .where('ur.tenant_id', '=', tenantId)
      .where('ur.user_id', '=', userId)
      .orderBy('r.name')
      .execute(),
    ctx.tx
      .selectFrom('tenants')
      .select(['id', 'slug', 'workspace_name as name', 'timezone', 'currency', 'locale'])
      .where('id', '=', tenantId)
      .executeTakeFirstOrThrow(),
    ctx.tx
      .selectFrom('module_subscriptions')
      .select('module_key')
      .where('tenant_id', '=', tenantId)
      .where('status', 'in', LIVE)
      .orderBy('module_key')
      .execute(),
  ])
  const modules = installed.map((module) => module.module_key)
  const permissions = permissionsBy(ctx.services.modules, roles, (key) => modules.includes(key))
  return { user: { ...user, role: roles.map(({ name }) => name) }, workspace, permissions: [...permissions].sort(), modules }
}

export const me = (ctx: Ctx) => profileOf(ctx, ctx.tenant.id, ctx.actor.id!)

/** Changes name or address. A new address must be verified anew. */
export async function updateMe(ctx: Ctx, body: z.output<typeof UpdateMe>) {
  const changedEmail = body.email !== undefined && body.email !== ctx.actor.email
  const saved = await ctx.tx
    .updateTable('users')
    .set({ ...body, ...(changedEmail ? { email_verified_at: null } : {}), updated_at: ctx.now, revision: sql`revision + 1` })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', ctx.actor.id!)
    .returning(['id', 'name', 'email', 'password_hash'])
    .executeTakeFirstOrThrow()
    .catch(refuseTaken(takenEmail))
  if (changedEmail) await proveAddress(ctx, saved)
  return me(ctx)
}

/** The unique index judges, not a look beforehand: two at once can't both have the address. */
export const takenEmail = { users_email: { email: 'Another user of this workspace has this address.' } }

/** What a new address changes besides itself. */
export const changedEmail = { email_verified_at: null }

/** Asks for proof of a user's new address: an invitation while there is no password, else a link to verify it. What was mailed before ends. */
export async function proveAddress(ctx: Ctx, user: { id: number; name: string; email: string; password_hash: string | null }) {
  await endLinks(ctx, user.id)
  const purpose = user.password_hash === null ? 'invitation' : 'verify-email'
  await mailLink(ctx, { tenant_id: ctx.tenant.id, user_id: user.id }, purpose, { ...user, from: ctx.tenant.name })
}

/** Ends the links that were mailed to a user. */
export async function endLinks(ctx: Ctx, userId: number) {
  await ctx.tx.deleteFrom('one_time_tokens').where('tenant_id', '=', ctx.tenant.id).where('user_id', '=', userId).execute()
}

export async function resendVerification(ctx: Ctx) {
  const { user } = await me(ctx)
  if (user.email_verified_at !== null) return
  await mailLink(ctx, { tenant_id: ctx.tenant.id, user_id: user.id }, 'verify-email', { ...user, from: ctx.tenant.name })
}

/** 422 on `token` when the link is unknown, used or expired. */
export async function verifyEmail(ctx: PublicCtx, token: string) {
  const found = await redeemOneTimeToken(ctx, ['verify-email'], token)
  if (!found?.tenant_id) throw invalid({ token: 'This link is not valid any more. Ask for a new one.' })
  await markVerified(ctx, found)
}

/** Mails a reset link to every account that the address has. Says the same whether there is one or not. */
export async function requestReset(ctx: PublicCtx, email: string, workspace: string | undefined) {
  for (const candidate of await candidatesFor(ctx, email, workspace)) {
    const account: Account = { tenant_id: candidate.tenant_id, user_id: candidate.id }
    const profile = await profileOf(ctx, candidate.tenant_id, candidate.id)
    await mailLink(ctx, account, 'reset-password', { ...profile.user, from: profile.workspace.name })
  }
}
