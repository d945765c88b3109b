/**
 * Accounts of the platform that work in a workspace, by `X-Workspace` and the permission tenants.act. There each is a service account: timelines and the
 * audit log name it, and the workspace's people see it among theirs and may suspend or delete it. The owner may refuse them all by the
 * setting platform_access.
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

/** The permission that it takes on the platform. */
export const ACTING = 'tenants.act'

/** What such an account holds in a workspace: as much as the seeded role admin. A key's scopes narrow it. */
export const heldByPlatform: Omit<HeldRole, 'name'>[] = [{ kind: 'admin', permissions: [] }]

/**
 * A workspace by its slug and an account's session in it. 404 where there is none, 403 PLATFORM_ACCESS_REFUSED where the workspace refuses
 * the platform or this account.
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
    email: '', // their own is the platform's business
    isOwner: false,
    roles: [],
    token: null,
    key: keyIn(origin.services.modules, account.key),
    isPlatformAccount: true,
  }
  return { state, session: buildSession(origin.services.modules, state, actor, heldByPlatform) }
}

/**
 * The key as the workspace judges it: by the names of the workspace's permissions among its scopes, and `read`. Where it has none of
 * these, tenants.act alone says that it works there, with all that the workspace has.
 */
export function keyIn(modules: Modules, key: Actor['key']): Actor['key'] {
  if (!key) return undefined
  const isOfWorkspaces = new Set(modules.permissions('workspace').map(({ name }) => name))
  const scopes = key.scopes.filter((scope) => scope === '*' || scope === 'read' || isOfWorkspaces.has(scope))
  return { ...key, scopes: scopes.length ? scopes : ['*'] }
}

/** Whether an account of the platform may still work in workspaces: asked for a job that it began. */
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

/** Makes the account's own one at its first visit, and keeps its name. */
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
