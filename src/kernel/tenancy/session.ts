/** Workspace state, installed modules and permissions of a session: the same checks for requests, links and jobs. */
import { type SqlBool, sql } from 'kysely'
import {
  type Actor,
  type BaseCtx,
  type Ctx,
  type Services,
  type Session,
  systemActor,
  type Tenant,
  workspaceCtx,
} from '../context.ts'
import { allPipelined, asWorkspace, type Tx } from '../database/connect.ts'
import { forbidden } from '../errors.ts'
import type { Module, Modules } from '../modules/module.ts'
import { permissionsBy, type RoleKind, within } from '../modules/permissions.ts'
import { installedModules } from '../modules/subscriptions.ts'

interface Closable {
  status: string
  archived: boolean
}

/** A workspace with its status and modules. */
export interface WorkspaceState {
  tenant: Tenant & Closable
  modules: ReadonlySet<string>
}

/** Returns a workspace and its modules, whether it is open or closed; undefined if there is none. */
export async function workspaceState(tx: Tx, tenantId: number): Promise<WorkspaceState | undefined> {
  const [tenant, modules] = await allPipelined(
    tx
      .selectFrom('tenants')
      .select(['id', 'slug', 'workspace_name as name', 'timezone', 'currency', 'locale', 'status'])
      .select(sql<boolean>`archived_at is not null`.as('archived'))
      .where('id', '=', tenantId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst(),
    installedModules(tx, tenantId),
  )
  return tenant && { tenant, modules }
}

/** A role of a user. */
export interface HeldRole {
  name: string
  kind: RoleKind | null
  permissions: string[]
}

/** JSON of the roles of the user `u` of a workspace, sorted by name. */
export const heldRoles = (tenantId: number) => sql<HeldRole[]>`(
  select coalesce(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'permissions', r.permissions) order by r.name), '[]')
  from user_roles ur join roles r on r.tenant_id = ${tenantId} and r.id = ur.role_id
  where ur.tenant_id = ${tenantId} and ur.user_id = u.id)`

/** Builds a session from the roles held, limited by the API key that was used. */
export function buildSession(
  declared: Modules,
  { tenant, modules }: Pick<Session, 'tenant' | 'modules'>,
  actor: Actor,
  held: Omit<HeldRole, 'name'>[] = [],
): Session {
  const permissions = permissionsBy(declared, held, (key) => modules.has(key))
  return { tenant, actor, permissions: actor.key ? within(actor.key.scopes, permissions) : permissions, modules }
}

/** Returns the reason why a workspace is closed; undefined if it is open. */
export const closureOf = ({ status, archived }: Closable) =>
  archived ? 'archived' : status === 'suspended' ? 'suspended' : undefined

/** Condition for rows of `tenants`, aliased `as`, of open workspaces. */
export const isOpen = (as: string) =>
  sql<SqlBool>`${sql.ref(`${as}.deleted_at`)} is null and ${sql.ref(`${as}.archived_at`)} is null and ${sql.ref(`${as}.status`)} = 'active'`

/** Throws 403 if the workspace is suspended or archived, and so closed to its users. */
export function refuseClosed(tenant: Closable) {
  const closure = closureOf(tenant)
  if (closure) throw forbidden(`This workspace is ${closure}.`, `WORKSPACE_${closure.toUpperCase()}`)
}

/** Returns the first missing module among a module and its requirements; undefined if none is missing. */
export const missingModule = (module: Module | undefined, installed: ReadonlySet<string>) =>
  !module || module.core || module.surface !== 'workspace'
    ? undefined
    : [module.key, ...(module.requires ?? [])].find((key) => !installed.has(key))

/** Throws 403 if a module, or one that it requires, isn't installed. */
export function refuseUnentitled(module: Module, installed: ReadonlySet<string>) {
  const missing = missingModule(module, installed)
  if (missing === undefined) return
  const why =
    missing === module.key ? 'is not installed in this workspace' : `needs the module ${missing}, which is not installed`
  throw forbidden(`The module ${module.title} ${why}.`, 'MODULE_NOT_INSTALLED')
}

/** Throws 403 during impersonation (IMPERSONATING): the effect of the action would outlast it. */
export function refuseImpersonator({ impersonator }: Pick<Actor, 'impersonator'>) {
  if (impersonator) throw forbidden('This can’t be done while you work as somebody else.', 'IMPERSONATING')
}

/** Throws 403 during impersonation (IMPERSONATING) and for API keys (KEY_NOT_ALLOWED): they may not change the account itself. */
export function requireInPerson(actor: Pick<Actor, 'impersonator' | 'key'>) {
  refuseImpersonator(actor)
  if (actor.key) throw keyNotAllowed()
}

/** Throws 403 if a route requires a person or a session and the actor has none: for routes called by other routes. */
export function refuseStandIn(
  { inPerson, noKeys }: { inPerson?: true; noKeys?: true },
  actor: Pick<Actor, 'impersonator' | 'key'>,
) {
  if (inPerson) requireInPerson(actor)
  if (noKeys && actor.key) throw keyNotAllowed()
}

/** Error for API keys where a session is required. */
export const keyNotAllowed = (why = 'This can’t be done with an API key: sign in for it.') => forbidden(why, 'KEY_NOT_ALLOWED')

/** Returns a session of the system itself in a workspace: for jobs and the demo. */
export const systemSession = (services: Services, tenantId: number): Promise<Session> =>
  services.database.platform('read', (tx) => sessionOf(services, tx, tenantId, systemActor))

/**
 * Enters a workspace within a transaction of the platform or the public (a registration, an acceptance link). The transaction has
 * the workspace's role and id during `work`, as the system unless an actor is given; afterwards the former ones are restored.
 */
export async function enterWorkspace<T>(
  ctx: BaseCtx,
  tenantId: number,
  work: (ctx: Ctx) => Promise<T>,
  actor: Actor = systemActor,
): Promise<T> {
  const session = await sessionOf(ctx.services, ctx.tx, tenantId, actor)
  return asWorkspace(ctx.tx, tenantId, () => work(workspaceCtx({ ...ctx, role: 'app_tenant' }, session)))
}

async function sessionOf({ modules }: Services, tx: Tx, tenantId: number, actor: Actor) {
  const state = await workspaceState(tx, tenantId)
  if (!state) throw new Error(`No workspace ${tenantId}`)
  return buildSession(modules, state, actor)
}
