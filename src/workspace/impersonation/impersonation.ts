/** Working as another user of the workspace (USR-17 … USR-24): for one hour, with a reason, in the audit log. */
import { sql } from 'kysely'
import { z } from 'zod'
import { issueToken, revokeTokens } from '#kernel/auth/tokens.ts'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid, notFound } from '#kernel/errors.ts'
import { userRef } from '#kernel/records/embed.ts'
import { filterOf, listing, workspaceTable } from '#kernel/records/listing.ts'
import type { Row } from '#kernel/records/resource.ts'
import { readOne, view } from '#kernel/records/view.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { choice, instant, shownOnce } from '#kernel/values/fields.ts'
import { beyond, permissionsOf, rolesOf } from '#workspace/roles/public.ts'

export const Impersonate = z.object({
  reason: z.string().trim().min(5, 'Must have at least 5 characters.').max(1000, 'Must be at most 1000 characters.'),
})

export const Impersonation = view('user_impersonations', 'UserImpersonation', {
  id: z.int(),
  actor: userRef('actor_id'),
  target: userRef('target_id'),
  reason: z.string(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  token_id: z.int().meta({ description: 'Id of the token that was given out.', examples: [42] }),
  expires_at: instant().describe('When the token ends by itself: an hour after it was given out.'),
  created_at: instant(),
  ended_at: instant().nullable().describe('When it was ended; null: it was not.'),
})

/** The token is only shown in this reply. */
export const StartedImpersonation = z
  .object({
    ...Impersonation.shape,
    target_token: shownOnce().meta({
      description: 'Bearer token by which one works as that user. Told this once.',
      examples: ['42|Jm3rVtq0o8nWc5xYb1dKfA'],
    }),
  })
  .meta({ id: 'StartedImpersonation' })

/** A session whose token was ended otherwise (a new password, a revoked permission) isn't running either. */
const running = (ctx: Ctx) => sql<boolean>`(
  user_impersonations.ended_at is null and user_impersonations.expires_at > ${ctx.now} and ${hasToken(ctx)})`

/** On a cluster, tokens are on another node than the workspace's rows: there the workspace's tokens are read first. */
const hasToken = ({ services, tenant }: Ctx) =>
  services.database.isCluster
    ? sql<boolean>`user_impersonations.token_id in (select k.id from access_tokens k where k.tenant_id = ${tenant.id})`
    : sql<boolean>`exists (select from access_tokens k where k.tenant_id = ${tenant.id} and k.id = user_impersonations.token_id)`

/** Lists running sessions unless another `status` is requested. */
export const impersonations = listing(workspaceTable('user_impersonations', Impersonation), {
  sorts: ['created_at', 'expires_at'],
  hardDeleted: true,
  filters: {
    status: filterOf({
      schema: choice(['running', 'ended', 'all']).default('running'),
      where: (ctx: Ctx, status) =>
        status === 'all' ? undefined : status === 'running' ? running(ctx) : sql`not ${running(ctx)}`,
    }),
  },
})

const TOKEN_NAME = 'user-impersonation'
const HOUR = 3600

/**
 * Starts a session as the target. 422 on `user` for oneself, the owner, a suspended user, or from an impersonation (AUTH-13,
 * USR-21, USR-22). 422 also for a user with a permission that the actor doesn't have.
 */
export async function start(ctx: Ctx, target: Row<'users'>, reason: string): Promise<z.input<typeof StartedImpersonation>> {
  const refuse = (why: string) => invalid({ user: why })
  if (ctx.actor.impersonator || ['impersonation', TOKEN_NAME].includes(ctx.actor.token?.name ?? ''))
    throw refuse('End this impersonation before you begin another.')
  if (target.id === ctx.actor.id) throw refuse('You are this user already.')
  if (target.is_owner) throw refuse('The workspace owner cannot be impersonated.')
  if (target.suspended_at) throw refuse('A suspended user cannot be impersonated.')
  const more = await beyond(ctx, permissionsOf(ctx, await rolesOf(ctx, target.id)))
  if (more) throw refuse(`This user may do what you may not (${more}).`)

  const account = { tenant_id: ctx.tenant.id, user_id: target.id }
  const token = await issueToken(ctx, account, TOKEN_NAME, HOUR, { type: 'user', id: ctx.actor.id! })
  const { id } = await ctx.tx
    .insertInto('user_impersonations')
    .values({
      tenant_id: ctx.tenant.id,
      actor_id: ctx.actor.id!,
      target_id: target.id,
      reason,
      ip: ctx.request.ip,
      user_agent: ctx.request.userAgent.slice(0, 500),
      token_id: token.id,
      created_at: ctx.now,
      expires_at: token.expires_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(ctx, 'user_impersonation_started', { user_impersonation_id: id, target_id: target.id, reason })
  return { ...JSON.parse((await show(ctx, id)).text), target_token: token.token }
}

/** Returns the session, locked; 404 outside the workspace. */
export async function lock(ctx: Ctx, id: number) {
  const session = await ctx.from('user_impersonations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!session) throw notFound('There is no such impersonation.')
  return session
}

/**
 * Ends the session and its token: by the token itself, or by the user who started it and still has the permission (USR-23,
 * USR-24). 422 on `impersonation` if it has ended.
 */
export async function end(ctx: Ctx, session: Awaited<ReturnType<typeof lock>>) {
  const byItself = ctx.actor.token?.id === session.token_id
  const byItsActor = ctx.can('users.impersonate') && session.actor_id === ctx.actor.id
  if (!byItself && !byItsActor) throw forbidden('Only who began this impersonation may end it.')
  if (session.ended_at) throw invalid({ impersonation: 'This impersonation has already ended.' })
  await close(ctx, session)
  return show(ctx, session.id)
}

async function close(ctx: Ctx, session: Awaited<ReturnType<typeof lock>>) {
  await ctx.update('user_impersonations').set({ ended_at: ctx.now }).where('id', '=', session.id).execute()
  await revokeTokens(ctx, { tenant_id: ctx.tenant.id, user_id: session.target_id }, { only: session.token_id })
  await audit(ctx, 'user_impersonation_ended', { user_impersonation_id: session.id, target_id: session.target_id })
}

/** Ends running sessions of a token (when it is signed out), or of a user, as actor and as target. */
export async function endAll(ctx: Ctx, { token_id, user_id }: { token_id?: number; user_id?: number }) {
  const sessions = ctx
    .from('user_impersonations')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .where((eb) =>
      token_id === undefined
        ? eb.or([eb('actor_id', '=', user_id!), eb('target_id', '=', user_id!)])
        : eb('token_id', '=', token_id),
    )
    .forUpdate()
  for (const session of await sessions.execute()) await close(ctx, session)
}

const show = (ctx: Ctx, id: number) =>
  readOne(
    ctx,
    Impersonation,
    'user_impersonations',
    sql`user_impersonations.tenant_id = ${ctx.tenant.id} and user_impersonations.id = ${id}`,
    { noun: 'impersonation' },
  )
