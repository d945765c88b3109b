/** Whether a workspace is open, which modules it has, and what somebody may do there: asked in one way by requests, links and jobs. */
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

export interface WorkspaceState {
  tenant: Tenant & Closable
  modules: ReadonlySet<string>
}

/** A workspace and the modules that it has, open or closed; undefined where there is none. */
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

/** A role that a user holds. */
export interface HeldRole {
  name: string
  kind: RoleKind | null
  permissions: string[]
}

/** JSON of the roles of the user `u` of a workspace, by their names. */
export const heldRoles = (tenantId: number) => sql<HeldRole[]>`(
  select coalesce(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'permissions', r.permissions) order by r.name), '[]')
  from user_roles ur join roles r on r.tenant_id = ${tenantId} and r.id = ur.role_id
  where ur.tenant_id = ${tenantId} and ur.user_id = u.id)`

/** Somebody in a workspace, by the roles that they hold, as far as the API key reaches by which they came. */
export function buildSession(
  declared: Modules,
  { tenant, modules }: Pick<Session, 'tenant' | 'modules'>,
  actor: Actor,
  held: Omit<HeldRole, 'name'>[] = [],
): Session {
  const permissions = permissionsBy(declared, held, (key) => modules.has(key))
  return { tenant, actor, permissions: actor.key ? within(actor.key.scopes, permissions) : permissions, modules }
}

/** Why nobody works in a workspace; undefined: it is open. */
export const closureOf = ({ status, archived }: Closable) =>
  archived ? 'archived' : status === 'suspended' ? 'suspended' : undefined

/** The rows of `tenants`, called `as`, of workspaces that are open. */
export const isOpen = (as: string) =>
  sql<SqlBool>`${sql.ref(`${as}.deleted_at`)} is null and ${sql.ref(`${as}.archived_at`)} is null and ${sql.ref(`${as}.status`)} = 'active'`

/** 403: a suspended or archived workspace is closed to its users. */
export function refuseClosed(tenant: Closable) {
  const closure = closureOf(tenant)
  if (closure) throw forbidden(`This workspace is ${closure}.`, `WORKSPACE_${closure.toUpperCase()}`)
}

/** What a workspace lacks of a module and those that it requires; undefined: nothing. */
export const missingModule = (module: Module | undefined, installed: ReadonlySet<string>) =>
  !module || module.core || module.surface !== 'workspace'
    ? undefined
    : [module.key, ...(module.requires ?? [])].find((key) => !installed.has(key))

/** 403 where a module, or one that it requires, is not installed. */
export function refuseUnentitled(module: Module, installed: ReadonlySet<string>) {
  const missing = missingModule(module, installed)
  if (missing === undefined) return
  const why =
    missing === module.key ? 'is not installed in this workspace' : `needs the module ${missing}, which is not installed`
  throw forbidden(`The module ${module.title} ${why}.`, 'MODULE_NOT_INSTALLED')
}

/** 403 to whoever works as somebody else (IMPERSONATING): what is done would go on when that is over. */
export function refuseImpersonator({ impersonator }: Pick<Actor, 'impersonator'>) {
  if (impersonator) throw forbidden('This can’t be done while you work as somebody else.', 'IMPERSONATING')
}

/** 403 to whoever works as somebody else (IMPERSONATING) and to programs (KEY_NOT_ALLOWED): they may not change that account itself. */
export function requireInPerson(actor: Pick<Actor, 'impersonator' | 'key'>) {
  refuseImpersonator(actor)
  if (actor.key) throw keyNotAllowed()
}

/** 403 where a route is for a person, or for a session, and the actor comes otherwise: asked where it is gone through by another one. */
export function refuseStandIn(
  { inPerson, noKeys }: { inPerson?: true; noKeys?: true },
  actor: Pick<Actor, 'impersonator' | 'key'>,
) {
  if (inPerson) requireInPerson(actor)
  if (noKeys && actor.key) throw keyNotAllowed()
}

export const keyNotAllowed = (why = 'This can’t be done with an API key: sign in for it.') => forbidden(why, 'KEY_NOT_ALLOWED')

/** A session for the system itself in a workspace: jobs, the demo. */
export const systemSession = (services: Services, tenantId: number): Promise<Session> =>
  services.database.platform('read', (tx) => sessionOf(services, tx, tenantId, systemActor))

/**
 * Enters a workspace within a transaction of the platform or the public (a registration, an acceptance link): its role and id are
 * taken for this work, as the system unless an actor is given, and given back behind it.
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
