/**
 * What a verb is given: the transaction, the workspace, the actor, the clock. Passed by hand as `ctx`; nothing is ambient.
 */
import type { Logger } from 'pino'
import type { Database, Tx } from './database/connect.ts'
import { forbidden } from './errors.ts'
import type { Queue } from './jobs/queue.ts'
import type { Modules } from './modules/load.ts'
import type { Permission, PlatformPermission, SettingKey, WorkspaceSettings } from './modules/module.ts'
import { readSettings } from './modules/settings.ts'
import type { Printer } from './pdf/printer.ts'
import type { Config } from './process/config.ts'
import type { Secrets } from './secrets/secrets.ts'
import type { Storage } from './storage/storage.ts'
import { type Clock, dateIn } from './values/time.ts'

/** What the process has, once. */
export interface Services {
  config: Config
  database: Database
  clock: Clock
  log: Logger
  modules: Modules
  secrets: Secrets
  storage: Storage
  queue: Queue
  pdf: Printer
}

export interface Actor {
  /** null: the system itself, in a job. */
  id: number | null
  name: string
  email: string
  isOwner: boolean
  roles: string[]
  token: { id: number; name: string } | null
}

export interface Tenant {
  id: number
  slug: string
  name: string
  timezone: string
  currency: string
  locale: string
}

/** Common to both APIs, the public routes and jobs. */
export interface BaseCtx {
  services: Services
  tx: Tx
  /** The role that the transaction has taken. */
  role: 'app_tenant' | 'app_platform'
  /** The instant of this request: the same for everything that it writes. */
  now: string
  log: Logger
  request: { id: string; ip: string; userAgent: string; url: string; host: string }
  /** Runs once the transaction is committed; never when it is rolled back. */
  afterCommit(work: () => void | Promise<void>): void
}

/** In a workspace: every query sees this workspace and no other. */
export interface Ctx extends BaseCtx {
  tenant: Tenant
  actor: Actor
  /** The owner's role passes every gate (AUTH-06). */
  can(permission: Permission): boolean
  /** 403 without the permission. */
  require(permission: Permission): void
  entitled(module: string): boolean
  /** A setting of the workspace, or its default. */
  setting<K extends SettingKey>(key: K): Promise<WorkspaceSettings[K]>
  /** The workspace's calendar date. */
  today(): string
}

/** On the platform: queries see every workspace, so each names the one it means. */
export interface PlatformCtx extends BaseCtx {
  actor: Actor
  can(permission: PlatformPermission): boolean
  require(permission: PlatformPermission): void
}

/** Nobody is signed in. */
export interface PublicCtx extends BaseCtx {}

/** The part of a context that outlives a retry of its transaction. */
export interface Origin {
  services: Services
  log: Logger
  now: string
  request: BaseCtx['request']
}

export interface Session {
  tenant: Tenant
  actor: Actor
  permissions: ReadonlySet<string>
  modules: ReadonlySet<string>
}

const noRequest = { id: '-', ip: '', userAgent: '', url: '', host: '' }

/** Runs work in a transaction of a workspace and gives it its ctx. Retries when the database asks for that (deadlock, serialisation). */
export function inWorkspace<T>(
  origin: Origin,
  session: Session,
  mode: 'read' | 'write',
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  return attempt(origin, async (base, finish) =>
    finish(
      await origin.services.database.workspace(session.tenant.id, mode, (tx) => {
        let settings: ReturnType<typeof readSettings> | undefined
        const can = (permission: string) => session.actor.isOwner || session.permissions.has(permission)
        const ctx: Ctx = {
          ...base,
          tx,
          role: 'app_tenant',
          tenant: session.tenant,
          actor: session.actor,
          can,
          require(permission) {
            if (!can(permission)) throw missing(permission)
          },
          entitled: (module) => session.modules.has(module),
          async setting(key) {
            settings ??= readSettings(tx, session.tenant.id, origin.services.modules)
            return (await settings)[key] as any
          },
          today: () => dateIn(session.tenant.timezone, origin.now),
        }
        return work(ctx)
      }),
    ),
  )
}

/** Runs work in a transaction of the platform. */
export function onPlatform<T>(
  origin: Origin,
  who: { actor: Actor; permissions: ReadonlySet<string> },
  mode: 'read' | 'write',
  work: (ctx: PlatformCtx) => Promise<T>,
): Promise<T> {
  const can = (permission: string) => who.actor.roles.includes('superadmin') || who.permissions.has(permission)
  return attempt(origin, async (base, finish) =>
    finish(
      await origin.services.database.platform(mode, (tx) =>
        work({
          ...base,
          tx,
          role: 'app_platform',
          actor: who.actor,
          can,
          require(permission) {
            if (!can(permission)) throw missing(permission)
          },
        }),
      ),
    ),
  )
}

/** Runs work for somebody unknown, with the platform's role: sign-in, registration, public pages. */
export function inPublic<T>(origin: Origin, mode: 'read' | 'write', work: (ctx: PublicCtx) => Promise<T>): Promise<T> {
  return attempt(origin, async (base, finish) =>
    finish(await origin.services.database.platform(mode, (tx) => work({ ...base, tx, role: 'app_platform' }))),
  )
}

export const missing = (permission: string) => forbidden(`This needs the permission ${permission}.`)

export const systemActor: Actor = { id: null, name: 'Atrium', email: '', isOwner: true, roles: ['superadmin'], token: null }

/** Origin of work that no request began. */
export function originOf(services: Services): Origin {
  return { services, log: services.log, now: services.clock.now(), request: noRequest }
}

/** A session for the system itself in a workspace: jobs, the demo, registration. Reads the workspace through the platform. */
export async function systemSession(services: Services, tenantId: number): Promise<Session> {
  const found = await services.database.platform('read', async (tx) => ({
    tenant: await tx
      .selectFrom('tenants')
      .select(['id', 'slug', 'workspace_name as name', 'timezone', 'currency', 'locale'])
      .where('id', '=', tenantId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst(),
    modules: await tx
      .selectFrom('module_subscriptions')
      .select('module_key')
      .where('tenant_id', '=', tenantId)
      .where('status', 'in', ['trialing', 'active', 'past_due'])
      .execute(),
  }))
  if (!found.tenant) throw new Error(`No workspace ${tenantId}`)
  return {
    tenant: found.tenant,
    actor: systemActor,
    permissions: new Set(),
    modules: new Set(found.modules.map((m) => m.module_key)),
  }
}

type Base = Omit<BaseCtx, 'tx' | 'role'>

const RETRYABLE = new Set(['40001', '40P01'])

async function attempt<T>(origin: Origin, run: (base: Base, finish: (result: T) => Promise<T>) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const later: (() => void | Promise<void>)[] = []
    const base: Base = { ...origin, afterCommit: (work) => void later.push(work) }
    try {
      return await run(base, async (result) => {
        // What was committed stays committed: a failure behind it is a matter for the log.
        for (const work of later) await Promise.try(work).catch((error) => origin.log.error({ err: error }, 'after commit'))
        return result
      })
    } catch (error) {
      if (tries >= 4 || !RETRYABLE.has((error as { code?: string }).code ?? '')) throw error
      origin.log.debug({ err: error, tries }, 'transaction retried')
    }
  }
}
