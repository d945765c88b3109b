/**
 * Contexts of requests and jobs (transaction, workspace or platform, actor, clock, services) and the functions that open
 * transactions.
 */
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Channel } from './database/channel.ts'
import { type Database, type DatabaseUse, type Ending, inSavepoint, type Tx } from './database/connect.ts'
import { isCommitted, isRetryable } from './database/failures.ts'
import type { DB } from './database/tables.ts'
import { forbidden } from './errors.ts'
import type { Isolation } from './isolate/isolated.ts'
import type { Permission, PlatformPermission, SettingKey, WorkspaceSettings } from './names.ts'
import type { Secrets } from './secrets/secrets.ts'
import { type Clock, dateIn } from './values/time.ts'

/**
 * Services of a process, created once. Higher layers add theirs by declaration merging: modules, storage, queue, pdf, metrics.
 */
export interface Services {
  config: Config
  database: Database
  clock: Clock
  log: Logger
  secrets: Secrets
  /** Messages between all processes. */
  channel: Channel
  /** Runs functions that parse untrusted texts in child processes. */
  isolation: Isolation
  /** Returns all settings of a workspace: stored values, or defaults. */
  readSettings(tx: Tx, tenantId: number): Promise<WorkspaceSettings>
}

/** User or service account that acts, or the system itself. */
export interface Actor {
  /** null for the system itself, in a job. */
  id: number | null
  name: string
  /** Empty for a service account. */
  email: string
  isOwner: boolean
  roles: string[]
  /** Access token of the session; null if the actor used an API key or there was no request. */
  token: { id: number; name: string } | null
  /**
   * API key of the request, if one was used. The session's permissions are then the owner's permissions limited to the key's
   * scopes.
   */
  key?: { id: number; name: string; scopes: string[] }
  /** User who impersonates this actor. */
  impersonator: { type: 'user' | 'platform_user'; id: number; name: string } | null
  /** Set for a platform account that works in a workspace by means of `X-Workspace`. */
  isPlatformAccount?: true
}

/** Workspace of a context. */
export interface Tenant {
  id: number
  slug: string
  name: string
  timezone: string
  currency: string
  locale: string
}

/** Part of a context that is independent of a transaction. Shared by retries and by the steps of a route. */
export interface Origin {
  services: Services
  log: Logger
  /** Time of the request. Everything that the request writes has this timestamp. */
  now: string
  request: {
    id: string
    method: string
    ip: string
    userAgent: string
    url: string
    host: string
    /** Name that the client program gives itself, such as an agent's. */
    client: string | null
    /** Set when a language model decides on the request and reads the reply. */
    isAgent?: true
  }
  /** Database usage of this request so far. */
  used: DatabaseUse
}

/** Context common to both APIs, public routes and jobs. */
export interface BaseCtx extends Origin, Ending {
  tx: Tx
  /** Database role of the transaction. */
  role: 'app_tenant' | 'app_platform'
  /** Registers work to run after the commit. It doesn't run after a rollback. */
  afterCommit(work: () => unknown): void
  /**
   * Registers work to run after a rollback of the transaction or of the current savepoint. Undoes what the database can't, such
   * as an uploaded object.
   */
  onRollback(work: () => unknown): void
}

/** Actor's abilities in a workspace, independent of a transaction. */
interface InWorkspace {
  tenant: Tenant
  actor: Actor
  /**
   * Returns whether the actor has a permission. The owner's role has all of them (AUTH-06), the owner's API keys only those of
   * their scopes.
   */
  can(permission: Permission): boolean
  /** Throws a 403 if the actor lacks the permission. */
  require(permission: Permission): void
  entitled(module: string): boolean
  /** Current calendar date in the workspace's time zone. */
  today(): string
}

/** Names of tables that have a `tenant_id`. */
type OfWorkspaces = { [T in keyof DB]: DB[T] extends { tenant_id: unknown } ? T : never }[keyof DB] & string
/** Name of such a table, optionally with an alias: `users as u`. */
type Named = OfWorkspaces | `${OfWorkspaces} as ${string}`
declare const query: Tx

/**
 * Context of a workspace. Row-level security limits every query to this workspace. `from`, `update` and `deleteFrom` add the
 * tenant predicate for the planner, and for a cluster, which uses it to find the shard.
 */
export interface Ctx extends BaseCtx, InWorkspace {
  /** Starts a SELECT of a table's rows in this workspace. */
  from<T extends Named>(table: T): ReturnType<typeof query.selectFrom<T>>
  /** Starts an UPDATE of a table's rows in this workspace. */
  update<T extends Named>(table: T): ReturnType<typeof query.updateTable<T>>
  /** Starts a DELETE of a table's rows in this workspace. */
  deleteFrom<T extends Named>(table: T): ReturnType<typeof query.deleteFrom<T>>
  /**
   * Id of the batch that this work belongs to, such as an import. Users are notified once when the batch ends (`batch.ended`),
   * not for each record.
   */
  batch?: string
  /**
   * Set while an earlier state is restored. Skips the checks of assignees and restores the columns stored with the assignment.
   */
  putsBack?: object
  /** Set when nobody reads the replies. They then contain only record ids and revisions. */
  unread?: true
  /** Called for each row that is saved with a new revision, including rows other than the one that the route addresses. */
  revised?(table: string, row: { id: number; revision: number }): void
  /** Returns a setting of the workspace, or its default. */
  setting<K extends SettingKey>(key: K): Promise<WorkspaceSettings[K]>
}

interface OnPlatform {
  actor: Actor
  can(permission: PlatformPermission): boolean
  require(permission: PlatformPermission): void
}

/** Context of the platform. Queries see every workspace, so each query must name the workspaces it means. */
export interface PlatformCtx extends BaseCtx, OnPlatform {}

/** Context without a signed-in user. */
export interface PublicCtx extends BaseCtx {}

/**
 * Route context for work in several separate transactions. Slow work (network, hashing, files) runs between them, never inside
 * one. `finish` runs the last transaction and returns the reply, which an Idempotency-Key stores in the same transaction.
 */
export interface Steps<C> extends Origin {
  read<T>(work: (ctx: C) => Promise<T>): Promise<T>
  write<T>(work: (ctx: C) => Promise<T>): Promise<T>
  finish<T>(work: (ctx: C) => Promise<T>): Promise<T>
}
export type WorkspaceSteps = Steps<Ctx> & InWorkspace
export type PlatformSteps = Steps<PlatformCtx> & OnPlatform
export type PublicSteps = Steps<PublicCtx>

/** Actor in a workspace, with permissions and entitled modules. */
export interface Session {
  tenant: Tenant
  actor: Actor
  permissions: ReadonlySet<string>
  modules: ReadonlySet<string>
}

/** Actor on the platform, with permissions. */
export interface Operator {
  actor: Actor
  permissions: ReadonlySet<string>
}

type Mode = 'read' | 'write'
type Opening = Parameters<Database['workspace']>[3]

/** Runs work in a transaction of a workspace. Retries up to three times on deadlocks and serialisation failures. */
export function inWorkspace<T>(
  origin: Origin,
  session: Session,
  mode: Mode,
  work: (ctx: Ctx) => Promise<T>,
  opening?: Opening,
): Promise<T> {
  return withRetries(origin, (hooks) =>
    origin.services.database.workspace(
      session.tenant.id,
      mode,
      (tx, ending) => work(workspaceCtx({ ...origin, ...hooks, tx, role: 'app_tenant', ...ending }, session)),
      opening,
      session.actor.id,
      origin.used,
    ),
  )
}

/** Runs work in a transaction of the platform, with the same retries. */
export function onPlatform<T>(origin: Origin, who: Operator, mode: Mode, work: (ctx: PlatformCtx) => Promise<T>): Promise<T> {
  return withRetries(origin, (hooks) =>
    origin.services.database.platform(
      mode,
      (tx, ending) => work({ ...origin, ...hooks, tx, role: 'app_platform', ...ending, ...platformAbilities(who) }),
      { group: 'platform', user: who.actor.id },
      origin.used,
    ),
  )
}

/** Runs work without a signed-in user, with the platform's role: sign-in, registration, public pages. */
export function inPublic<T>(origin: Origin, mode: Mode, work: (ctx: PublicCtx) => Promise<T>): Promise<T> {
  return withRetries(origin, (hooks) =>
    origin.services.database.platform(
      mode,
      (tx, ending) => work({ ...origin, ...hooks, tx, role: 'app_platform', ...ending }),
      { group: 'public' },
      origin.used,
    ),
  )
}

/** Runs work in a savepoint. If it fails, only its own writes are rolled back; other items of a batch are unaffected. */
export async function savepoint<T, C extends BaseCtx>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  const hooks = hooksOf(ctx.log)
  try {
    const result = await inSavepoint(ctx.tx, () => work({ ...ctx, ...hooks.given }))
    ctx.afterCommit(hooks.committed)
    ctx.onRollback(hooks.rolledBack)
    return result
  } catch (error) {
    await hooks.rolledBack()
    throw error
  }
}

/** Returns the steps of a route, each of which runs in its own transaction of the same caller. */
export const stepsOf = <C extends BaseCtx, More>(
  origin: Origin,
  run: <T>(mode: Mode, work: (ctx: C) => Promise<T>) => Promise<T>,
  more: More,
): Steps<C> & More => ({
  ...origin,
  ...more,
  read: (work) => run('read', work),
  write: (work) => run('write', work),
  finish: (work) => run('write', work),
})

/**
 * Returns whether an actor has a permission. An almighty actor has every permission, but an API key has only those of its scopes.
 */
export const passes = (actor: Actor, isAlmighty: boolean, permissions: ReadonlySet<string>, permission: string) =>
  (isAlmighty && !actor.key) || permissions.has(permission)

/** Returns the part of a workspace context that depends on the session. */
export const workspaceAbilities = ({ now }: Origin, { tenant, actor, permissions, modules }: Session): InWorkspace => {
  const can = (permission: string) => passes(actor, actor.isOwner, permissions, permission)
  return {
    tenant,
    actor,
    can,
    require(permission) {
      if (!can(permission)) throw missing(permission)
    },
    entitled: (module) => modules.has(module),
    today: () => dateIn(tenant.timezone, now),
  }
}

/** Returns the part of a platform context that depends on the actor. */
export const platformAbilities = ({ actor, permissions }: Operator): OnPlatform => {
  const can = (permission: string) => passes(actor, actor.roles.includes('superadmin'), permissions, permission)
  return {
    actor,
    can,
    require(permission) {
      if (!can(permission)) throw missing(permission)
    },
  }
}

/** Returns the context of a session for an open transaction of its workspace. */
export function workspaceCtx(base: BaseCtx, session: Session): Ctx {
  let settings: Promise<WorkspaceSettings> | undefined
  const { tx } = base
  /** Adds the tenant predicate to a query of any such table. The callers' types are declared by `Ctx`. */
  const within = (query: { where(column: string, is: '=', value: number): unknown }, table: string): any =>
    query.where(`${table.split(' as ').at(-1)}.tenant_id`, '=', session.tenant.id)
  return {
    ...base,
    ...workspaceAbilities(base, session),
    from: (table) => within(tx.selectFrom(table as never), table),
    update: (table) => within(tx.updateTable(table as never), table),
    deleteFrom: (table) => within(tx.deleteFrom(table as never), table),
    async setting(key) {
      // A failed read in a savepoint must not be cached: the next call reads again.
      settings ??= base.services.readSettings(base.tx, session.tenant.id).catch((error) => {
        settings = undefined
        throw error
      })
      return (await settings)[key] as any
    },
  }
}

/** Returns a 403 that names the missing permission. */
export const missing = (permission: string) => forbidden(`This needs the permission ${permission}.`)

/** The system itself as an actor: it may do everything. */
export const systemActor: Actor = {
  id: null,
  name: 'Atrium',
  email: '',
  isOwner: true,
  roles: ['superadmin'],
  token: null,
  impersonator: null,
}
export const systemOperator: Operator = { actor: systemActor, permissions: new Set() }

/** Runs work of the system itself in its own transaction of the platform. Used by jobs and at start-up. */
export const writeAsSystem = <T>(services: Services, work: (ctx: PlatformCtx) => Promise<T>): Promise<T> =>
  onPlatform(originOf(services), systemOperator, 'write', work)

const noRequest = { id: '-', method: '', ip: '', userAgent: '', url: '', host: '', client: null }

/** Returns the origin of work without a request. */
export function originOf(services: Services): Origin {
  return { services, log: services.log, now: services.clock.now(), request: noRequest, used: { statements: 0, ms: 0 } }
}

type Hooks = Pick<BaseCtx, 'afterCommit' | 'onRollback'>

/** Returns hooks that run at the end of a transaction. Errors in hooks are logged only: they can't undo a commit. */
function hooksOf(log: Logger) {
  const commits: (() => unknown)[] = []
  const rollbacks: (() => unknown)[] = []
  const run = async (all: (() => unknown)[], when: string) => {
    for (const work of all.splice(0)) await Promise.try(work).catch((error) => log.error({ err: error }, when))
  }
  const given: Hooks = { afterCommit: (work) => void commits.push(work), onRollback: (work) => void rollbacks.push(work) }
  return { given, committed: () => run(commits, 'after commit'), rolledBack: () => run(rollbacks.reverse(), 'after a roll-back') }
}

async function withRetries<T>(origin: Origin, run: (hooks: Hooks) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const hooks = hooksOf(origin.log)
    try {
      const result = await run(hooks.given)
      await hooks.committed()
      return result
    } catch (error) {
      await (isCommitted(error) ? hooks.committed() : hooks.rolledBack())
      if (tries >= 4 || !isRetryable(error)) throw error
      origin.log.debug({ err: error, tries }, 'transaction retried')
    }
  }
}
