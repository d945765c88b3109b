/** Impersonation of a workspace's owner (CEN-30 … CEN-35): one hour, with a reason, recorded in the workspace's audit log. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import { issueToken, revokeTokens } from '#kernel/auth/tokens.ts'
import type { PlatformCtx, Services } from '#kernel/context.ts'
import { inSavepoint } from '#kernel/database/connect.ts'
import { isUnreachable } from '#kernel/database/failures.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { batchByBatch } from '#kernel/jobs/one-by-one.ts'
import { listing } from '#kernel/records/listing.ts'
import { readOne } from '#kernel/records/view.ts'
import { inOne, lockAcross, type Within } from '#kernel/tenancy/across.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { orUnreachable } from '#kernel/tenancy/machines.ts'
import { closureOf } from '#kernel/tenancy/session.ts'
import { type LockedTenant, ofTenant } from '#platform/tenants/public.ts'
import { Impersonation, type StartedImpersonation } from './schema.ts'

export const impersonations = listing(ofTenant('platform_impersonations', Impersonation), {
  sorts: ['started_at', 'expires_at', 'ended_at'],
  order: { by: ['started_at'], direction: 'desc' },
  search: ['reason', 'admin_name', 'admin_email'],
  hardDeleted: true,
})

const TOKEN_NAME = 'impersonation'
const HOUR = 3600

/**
 * Starts an impersonation of the owner. 422 on `tenant` for a closed workspace, one without an owner, and from within an
 * impersonation (AUTH-13).
 */
export async function start(
  ctx: PlatformCtx,
  tenant: LockedTenant,
  reason: string,
): Promise<z.input<typeof StartedImpersonation>> {
  const refuse = (why: string) => invalid({ tenant: why })
  const { actor } = ctx
  if ([TOKEN_NAME, 'user-impersonation'].includes(actor.token!.name))
    throw refuse('End this impersonation before you begin another.')
  const closure = closureOf({ status: tenant.status, archived: tenant.archived_at !== null })
  if (closure) throw refuse(`This workspace is ${closure}.`)
  const owner = await ctx.tx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('tenant_id', '=', tenant.id)
    .where('is_owner', '=', true)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!owner) throw refuse('This workspace has no owner.')

  const account = { tenant_id: tenant.id, user_id: owner.id }
  const issued = await issueToken(ctx, account, TOKEN_NAME, HOUR, { type: 'platform_user', id: actor.id! })
  const { id } = await ctx.tx
    .insertInto('platform_impersonations')
    .values({
      tenant_id: tenant.id,
      admin_id: actor.id!,
      admin_name: actor.name,
      admin_email: actor.email,
      admin_token_id: actor.token!.id,
      user_id: owner.id,
      token_id: issued.id,
      reason,
      ip: ctx.request.ip,
      user_agent: ctx.request.userAgent.slice(0, 500),
      started_at: ctx.now,
      expires_at: issued.expires_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(ctx, 'impersonation_started', { impersonation_id: id, target_id: owner.id, reason }, tenant.id)
  return { ...JSON.parse((await show(ctx, tenant.id, id)).text), tenant_token: issued.token, tenant_user: owner }
}

/** Locks a session for its operator, or for users who may end any session: 403 for others, 404 if it doesn't exist (CEN-33). */
export async function lock(ctx: PlatformCtx, id: number) {
  const session = await lockById(ctx, id)
  if (session?.admin_id !== ctx.actor.id) ctx.require('impersonation.end')
  if (!session) throw notFound('There is no such impersonation.')
  return session
}
type Session = Awaited<ReturnType<typeof lock>>

/**
 * Finds and locks a session. While a node of a cluster is down, it searches the reachable nodes of workspaces with impersonation
 * tokens. A session that isn't found may be on the unreachable node: 503.
 */
async function lockById(ctx: PlatformCtx, id: number) {
  const select = sessions(ctx, sql<SqlBool>`id = ${id}`)
  const [found] = await orWhereTokensAre(ctx, select, {}, async (places, unreachable) => {
    for (const place of places) {
      const session = await orUnreachable(ctx.tx, () => select(inOne(place), true))
      if (session?.length) return session
    }
    throw unreachable
  })
  return found
}

/** Ends a session and its token. 422 on `impersonation` if it has already ended. */
export async function end(ctx: PlatformCtx, session: Session) {
  if (session.ended_at || session.expires_at <= ctx.now) throw invalid({ impersonation: 'This impersonation has already ended.' })
  await close(ctx, session)
  return show(ctx, session.tenant_id, session.id)
}

async function close(ctx: PlatformCtx, session: Session) {
  const { tenant_id, id, user_id, admin_id, token_id } = session
  await ctx.tx
    .updateTable('platform_impersonations')
    .set({ ended_at: sql<string>`least(expires_at, ${ctx.now}::timestamptz)` })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute()
  await revokeTokens(ctx, { tenant_id, user_id }, { only: token_id })
  await audit(ctx, 'impersonation_ended', { impersonation_id: id, target_id: user_id, admin_id }, tenant_id)
}

/** Returns a query of sessions that meet a condition. */
const sessions = (ctx: PlatformCtx, condition: RawBuilder<SqlBool>, some?: number) => (within: Within, lock: boolean) =>
  ctx.tx
    .selectFrom('platform_impersonations')
    .selectAll()
    .where(condition)
    .where(within('platform_impersonations'))
    .orderBy('id')
    .$if(lock, (query) => query.forUpdate())
    .$if(some !== undefined, (query) => query.limit(some!).$if(lock, (limited) => limited.skipLocked()))
    .execute()

/** Returns a query of running sessions that meet a condition; with `some`, at most that many that aren't locked. */
const running = (ctx: PlatformCtx, condition: RawBuilder<SqlBool>, some?: number) =>
  sessions(ctx, sql<SqlBool>`ended_at is null and ${condition}`, some)

/**
 * Locks sessions in all workspaces. While a node of a cluster is down, calls `reach` with the workspaces in which someone, or one
 * operator, works with a token.
 */
async function orWhereTokensAre(
  ctx: PlatformCtx,
  select: ReturnType<typeof sessions>,
  { admin_id }: { admin_id?: number },
  reach: (places: number[], unreachable: unknown) => Promise<Awaited<ReturnType<typeof select>>>,
) {
  if (!ctx.services.database.isCluster) return lockAcross(ctx, select)
  try {
    return await inSavepoint(ctx.tx, () => lockAcross(ctx, select))
  } catch (error) {
    if (!isUnreachable(error)) throw error
    const tokens = await ctx.tx
      .selectFrom('access_tokens')
      .select('tenant_id')
      .distinct()
      .where('impersonator_type', '=', 'platform_user')
      .$if(admin_id !== undefined, (query) => query.where('impersonator_id', '=', admin_id!))
      .execute()
    return reach(
      tokens.map(({ tenant_id }) => tenant_id!),
      error,
    )
  }
}

/**
 * Returns the condition that a session's token no longer exists. A cluster can't join tokens, which are on one node, with sharded
 * sessions.
 */
async function tokenGone({ services, tx }: PlatformCtx): Promise<RawBuilder<SqlBool>> {
  if (!services.database.isCluster)
    return sql`not exists (select from access_tokens k where k.id = platform_impersonations.token_id)`
  const alive = await tx.selectFrom('access_tokens').select('id').where('impersonator_type', '=', 'platform_user').execute()
  return sql`platform_impersonations.token_id <> all (${alive.map(({ id }) => id)}::bigint[])`
}

/** Ends running sessions of a platform user, or in a workspace. */
export async function endImpersonations(ctx: PlatformCtx, { admin_id, tenant_id }: { admin_id?: number; tenant_id?: number }) {
  const condition = admin_id !== undefined ? sql<SqlBool>`admin_id = ${admin_id}` : sql<SqlBool>`tenant_id = ${tenant_id}`
  for (const session of await lockAcross(ctx, running(ctx, condition))) await close(ctx, session)
}

/**
 * Ends the sessions that a user began in the session they sign out of, and those whose token ended with other sessions. While a
 * node of a cluster is down, all of the user's impersonation tokens in its workspaces are revoked, and `closeEnded` records the
 * end of those sessions later.
 */
export async function endWithSession(ctx: PlatformCtx, tokenId: number) {
  const admin_id = ctx.actor.id!
  const condition = sql<SqlBool>`admin_id = ${admin_id} and (admin_token_id = ${tokenId} or ${await tokenGone(ctx)})`
  const select = running(ctx, condition)
  const ended = await orWhereTokensAre(ctx, select, { admin_id }, async (places) => {
    const reached: Awaited<ReturnType<typeof select>> = []
    for (const place of places) {
      const some = await orUnreachable(ctx.tx, () => select(inOne(place), true))
      if (some) reached.push(...some)
      else await dropTokens(ctx, place, admin_id)
    }
    return reached
  })
  for (const session of ended) await close(ctx, session)
}

const dropTokens = ({ tx }: PlatformCtx, tenantId: number, adminId: number) =>
  tx
    .deleteFrom('access_tokens')
    .where('tenant_id', '=', tenantId)
    .where('impersonator_type', '=', 'platform_user')
    .where('impersonator_id', '=', adminId)
    .execute()

/** Records the end of sessions that expired or whose token was revoked otherwise, batch by batch. */
export const closeEnded = (services: Services, signal?: AbortSignal) =>
  batchByBatch<Session>(services, {
    size: 100,
    find: lockEnded,
    async work(ctx, ended) {
      for (const session of ended) await close(ctx, session)
    },
    failing: 'an impersonation could not be ended',
    nameOf: ({ tenant_id, id }) => ({ tenant_id, impersonation: id }),
    signal,
  })

async function lockEnded(ctx: PlatformCtx, limit: number, behind: Session | undefined): Promise<Session[]> {
  const hasEnded = sql<SqlBool>`(expires_at <= ${ctx.now} or ${await tokenGone(ctx)})`
  return lockAcross(ctx, running(ctx, behind ? sql`${hasEnded} and id > ${behind.id}` : hasEnded, limit))
}

const show = (ctx: PlatformCtx, tenantId: number, id: number) =>
  readOne(
    ctx,
    Impersonation,
    'platform_impersonations',
    sql`platform_impersonations.tenant_id = ${tenantId} and platform_impersonations.id = ${id}`,
    { noun: 'impersonation' },
  )
