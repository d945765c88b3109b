/**
 * Platform accounts acting in a workspace, with `X-Workspace` and the permission tenants.act. In the workspace each is a service
 * account: timelines and the audit log show it, and the workspace's users can see, suspend and delete it. The owner may reject
 * all of them with the setting platform_access.
 */
import { sql } from 'kysely'
import { type Actor, type BaseCtx, inPublic, type Origin, type Session } from '../context.ts'
import type { Tx } from '../database/connect.ts'
import { forbidden, notFound } from '../errors.ts'
import type { Modules } from '../modules/module.ts'
import { covers } from '../modules/permissions.ts'
import { audit } from './audit.ts'
import { buildSession, enterWorkspace, type HeldRole, type WorkspaceState, workspaceState } from './session.ts'

declare module '../names.ts' {
  interface WorkspaceSettings {
    platform_access: boolean
    platform_grants_until: string | null
  }
}

/** Required permission on the platform. */
export const ACTING = 'tenants.act'

/** Permissions of such an account in a workspace: those of the seeded role admin, limited by an API key's scopes. */
export const heldByPlatform: Omit<HeldRole, 'name'>[] = [{ kind: 'admin', permissions: [] }]

/**
 * Returns a workspace by slug, and the account's session in it. Throws 404 for an unknown slug, and 403 PLATFORM_ACCESS_REFUSED
 * if the workspace rejects the platform or this account.
 */
export async function platformSessionIn(
  origin: Origin,
  slug: string,
  account: Actor,
): Promise<{ state: WorkspaceState; session: Session }> {
  const found = await inPublic(origin, 'read', ({ tx }) => findIn(origin, tx, slug, account.id!))
  const { state } = found
  const own = found.own?.name === account.name ? found.own : await inPublic(origin, 'write', (ctx) => admit(ctx, state, account))
  if (own.deleted_at !== null || own.suspended_at !== null)
    throw refused(`This workspace has ${own.deleted_at === null ? 'suspended' : 'deleted'} the account ${own.name}.`)
  const actor: Actor = {
    ...account,
    id: own.id,
    email: '', // the platform account's address isn't shared with workspaces
    isOwner: false,
    roles: [],
    token: null,
    key: keyIn(origin.services.modules, account.key),
    isPlatformAccount: true,
  }
  return { state, session: buildSession(origin.services.modules, state, actor, heldByPlatform) }
}

/**
 * Returns the key as it counts in the workspace: with the workspace permissions among its scopes, and `read`. If it has none of
 * these, tenants.act alone gives it every permission there.
 */
export function keyIn(modules: Modules, key: Actor['key']): Actor['key'] {
  if (!key) return undefined
  const isOfWorkspaces = new Set(modules.permissions('workspace').map(({ name }) => name))
  const scopes = key.scopes.filter((scope) => scope === '*' || scope === 'read' || isOfWorkspaces.has(scope))
  return { ...key, scopes: scopes.length ? scopes : ['*'] }
}

/** Whether a platform account may still act in workspaces; checked for jobs that it started. */
export async function mayStillAct(tx: Tx, platformUserId: number, keyScopes?: readonly string[]) {
  if (keyScopes && !covers(keyScopes, ACTING)) return false
  const { rows } = await sql`
    select from platform_users u where u.id = ${platformUserId} and u.deleted_at is null and u.suspended_at is null and exists (
      select from platform_user_roles ur join platform_roles r on r.id = ur.role_id
      where ur.user_id = u.id and (r.name = 'superadmin' or ${ACTING} = any (r.permissions)))`.execute(tx)
  return rows.length > 0
}

type Own = { id: number; name: string; suspended_at: string | null; deleted_at: string | null }

async function findIn(
  { services }: Origin,
  tx: Tx,
  slug: string,
  platformUserId: number,
): Promise<{ state: WorkspaceState; own?: Own }> {
  const tenant = await tx
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', slug)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const state = tenant && (await workspaceState(tx, tenant.id))
  if (!state) throw notFound('There is no workspace of the slug that X-Workspace names.')
  const { platform_access } = await services.readSettings(tx, state.tenant.id)
  if (!platform_access) throw refused('The owner of this workspace lets no account of the platform work in it.')
  return { state, own: await accountIn(tx, state.tenant.id, platformUserId) }
}

const refused = (why: string) => forbidden(why, 'PLATFORM_ACCESS_REFUSED')

const accountIn = (tx: Tx, tenantId: number, platformUserId: number) =>
  tx
    .selectFrom('users')
    .select(['id', 'name', 'suspended_at', 'deleted_at'])
    .where('tenant_id', '=', tenantId)
    .where('platform_user_id', '=', platformUserId)
    .executeTakeFirst()

/** Creates the account's service account on its first visit, and updates its name. */
async function admit(ctx: BaseCtx, { tenant }: WorkspaceState, { id, name }: Actor): Promise<Own> {
  return enterWorkspace(ctx, tenant.id, async (ctx) => {
    const { rows } = await sql<{ is_new: boolean }>`
      insert into users (tenant_id, name, email, is_service, description, platform_user_id, created_at, updated_at)
      values (${tenant.id}, ${name}, '', true, 'An account of the platform.', ${id}, ${ctx.now}, ${ctx.now})
      on conflict (tenant_id, platform_user_id) where platform_user_id is not null
      do update set name = excluded.name, updated_at = excluded.updated_at
      returning xmax = 0 as is_new`.execute(ctx.tx)
    const own = (await accountIn(ctx.tx, tenant.id, id!))!
    if (rows[0]?.is_new) await audit(ctx, 'platform_account.entered', { platform_user_id: id, user_id: own.id, name })
    return own
  })
}
