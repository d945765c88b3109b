/** What a verb is given: the transaction, the workspace or the platform, who acts, the clock and the services; and where transactions begin and end. */
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

/** What the process has, once. The floors above add theirs by declaration merging: modules, storage, queue, pdf, metrics. */
export interface Services {
  config: Config
  database: Database
  clock: Clock
  log: Logger
  secrets: Secrets
  /** Messages between all processes. */
  channel: Channel
  /** Runs functions that read strangers' texts. */
  isolation: Isolation
  /** Every setting of a workspace, stored or its default. */
  readSettings(tx: Tx, tenantId: number): Promise<WorkspaceSettings>
}

export interface Actor {
  /** null: the system itself, in a job. */
  id: number | null
  name: string
  /** '' of a service account. */
  email: string
  isOwner: boolean
  roles: string[]
  /** The session's; null: they came by a key, or none came. */
  token: { id: number; name: string } | null
  /** The API key by which they came. Their session's permissions are those that its scopes leave of their own. */
  key?: { id: number; name: string; scopes: string[] }
  /** Who works as this one. */
  impersonator: { type: 'user' | 'platform_user'; id: number; name: string } | null
  /** In a workspace: an account of the platform, which came by `X-Workspace`. */
  isPlatformAccount?: true
}

export interface Tenant {
  id: number
  slug: string
  name: string
  timezone: string
  currency: string
  locale: string
}

/** The part of a context that outlives its transaction: a retry, the steps of a route. */
export interface Origin {
  services: Services
  log: Logger
  /** The instant of this request: the same for everything that it writes. */
  now: string
  request: {
    id: string
    method: string
    ip: string
    userAgent: string
    url: string
    host: string
    /** The program through which somebody asks, as it calls itself: an agent's. */
    client: string | null
    /** An agent asks: a language model decides on the request and reads the reply. */
    isAgent?: true
  }
  /** What it has asked of the database. */
  used: DatabaseUse
}

/** Common to both APIs, the public routes and jobs. */
export interface BaseCtx extends Origin, Ending {
  tx: Tx
  /** The role that the transaction has taken. */
  role: 'app_tenant' | 'app_platform'
  /** Runs once the transaction is committed; never when it is rolled back. */
  afterCommit(work: () => unknown): void
  /** Runs when the transaction, or the savepoint at hand, was rolled back: undoes what the database can't (an uploaded object). */
  onRollback(work: () => unknown): void
}

/** What somebody may do in a workspace, with a transaction or without. */
interface InWorkspace {
  tenant: Tenant
  actor: Actor
  /** The owner's role passes every gate (AUTH-06), but for the owner's keys. */
  can(permission: Permission): boolean
  /** 403 without the permission. */
  require(permission: Permission): void
  entitled(module: string): boolean
  /** The workspace's calendar date. */
  today(): string
}

/** Tables of workspaces. */
type OfWorkspaces = { [T in keyof DB]: DB[T] extends { tenant_id: unknown } ? T : never }[keyof DB] & string
/** Such a table, perhaps under another name: `users as u`. */
type Named = OfWorkspaces | `${OfWorkspaces} as ${string}`
declare const query: Tx

/**
 * In a workspace: every query sees this workspace and no other. Row-level security holds that; `from`, `update` and `deleteFrom` name the workspace
 * besides, for the planner and for a cluster, which finds the rows by it.
 */
export interface Ctx extends BaseCtx, InWorkspace {
  /** SELECT of a table's rows in this workspace. */
  from<T extends Named>(table: T): ReturnType<typeof query.selectFrom<T>>
  /** UPDATE of a table's rows in this workspace. */
  update<T extends Named>(table: T): ReturnType<typeof query.updateTable<T>>
  /** DELETE of a table's rows in this workspace. */
  deleteFrom<T extends Named>(table: T): ReturnType<typeof query.deleteFrom<T>>
  /** Long work of which this is a part, as an import: whom it concerns is told once, when it ends (`batch.ended`), and not of each record. */
  batch?: string
  /** What a record was is put back: whom it was given to isn't judged as if somebody chose them now, and what came with it comes back. */
  putsBack?: object
  /** Nobody reads the replies: they say which record in which revision, and show nothing of it. */
  unread?: true
  /** Is told of each row that is saved as its next revision, also beside the one that a route is about. */
  revised?(table: string, row: { id: number; revision: number }): void
  /** A setting of the workspace, or its default. */
  setting<K extends SettingKey>(key: K): Promise<WorkspaceSettings[K]>
}

interface OnPlatform {
  actor: Actor
  can(permission: PlatformPermission): boolean
  require(permission: PlatformPermission): void
}

/** On the platform: queries see every workspace, so each names the one it means. */
export interface PlatformCtx extends BaseCtx, OnPlatform {}

/** Nobody is signed in. */
export interface PublicCtx extends BaseCtx {}

/**
 * Work in several transactions of its own, with what takes time (network, hashing, files) between them and never inside one.
 * `finish` is the last: what it answers is the reply, which an Idempotency-Key keeps in the same transaction.
 */
export interface Steps<C> extends Origin {
  read<T>(work: (ctx: C) => Promise<T>): Promise<T>
  write<T>(work: (ctx: C) => Promise<T>): Promise<T>
  finish<T>(work: (ctx: C) => Promise<T>): Promise<T>
}
export type WorkspaceSteps = Steps<Ctx> & InWorkspace
export type PlatformSteps = Steps<PlatformCtx> & OnPlatform
export type PublicSteps = Steps<PublicCtx>

export interface Session {
  tenant: Tenant
  actor: Actor
  permissions: ReadonlySet<string>
  modules: ReadonlySet<string>
}

/** Who acts on the platform. */
export interface Operator {
  actor: Actor
  permissions: ReadonlySet<string>
}

type Mode = 'read' | 'write'
type Opening = Parameters<Database['workspace']>[3]

/** Runs work in a transaction of a workspace and gives it its ctx. Retries when the database asks for that (deadlock, serialisation). */
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

/** Runs work in a transaction of the platform. */
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

/** Runs work for somebody unknown, with the platform's role: sign-in, registration, public pages. */
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

/** One item of several: when it fails, what it wrote is undone and the others stand. */
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

/** The steps of a route: each a transaction of the same caller. */
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

/** Whether somebody holds a permission. Who passes every gate does so in person; by a key they may what its scopes say. */
export const passes = (actor: Actor, isAlmighty: boolean, permissions: ReadonlySet<string>, permission: string) =>
  (isAlmighty && !actor.key) || permissions.has(permission)

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

/** The ctx of a session, of a transaction that is in its workspace. */
export function workspaceCtx(base: BaseCtx, session: Session): Ctx {
  let settings: Promise<WorkspaceSettings> | undefined
  const { tx } = base
  /** Of any of these tables; the declaration says what comes out. */
  const within = (query: { where(column: string, is: '=', value: number): unknown }, table: string): any =>
    query.where(`${table.split(' as ').at(-1)}.tenant_id`, '=', session.tenant.id)
  return {
    ...base,
    ...workspaceAbilities(base, session),
    from: (table) => within(tx.selectFrom(table as never), table),
    update: (table) => within(tx.updateTable(table as never), table),
    deleteFrom: (table) => within(tx.deleteFrom(table as never), table),
    async setting(key) {
      // What fails in a savepoint is asked again behind it.
      settings ??= base.services.readSettings(base.tx, session.tenant.id).catch((error) => {
        settings = undefined
        throw error
      })
      return (await settings)[key] as any
    },
  }
}

export const missing = (permission: string) => forbidden(`This needs the permission ${permission}.`)

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

/** Work of the system itself on the platform, in a transaction of its own: what jobs and starts do. */
export const writeAsSystem = <T>(services: Services, work: (ctx: PlatformCtx) => Promise<T>): Promise<T> =>
  onPlatform(originOf(services), systemOperator, 'write', work)

const noRequest = { id: '-', method: '', ip: '', userAgent: '', url: '', host: '', client: null }

/** Origin of work that no request began. */
export function originOf(services: Services): Origin {
  return { services, log: services.log, now: services.clock.now(), request: noRequest, used: { statements: 0, ms: 0 } }
}

type Hooks = Pick<BaseCtx, 'afterCommit' | 'onRollback'>

/** What waits for the end of a transaction. What was committed stays committed: a failure behind it is a matter for the log. */
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
