/**
 * Manifests of modules. A manifest is data: the catalogue entry, entitlement check, permissions, settings and OpenAPI tag are
 * derived from it. Higher layers add the parts that they load (`routes`, `jobs`, `widgets`, `demo`) by declaration merging.
 */
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Ctx, Services } from '../context.ts'
import type { SubjectType } from '../names.ts'
import type { SealedColumn } from '../secrets/secrets.ts'
import type { EventName, Listener } from './events.ts'
import type { NotificationManifest } from './notifications.ts'
import type { PlaceholderContext } from './placeholders.ts'
import type { Referable } from './subjects.ts'

declare module '../context.ts' {
  interface Services {
    modules: Modules
  }
}

/** Permissions of every kind of record; modules add their own. */
export const recordPermissions = <const Plural extends string>(plural: Plural) =>
  ({
    view: `See ${plural}`,
    create: `Add ${plural}`,
    update: `Change ${plural}`,
    delete: `Delete ${plural}`,
    restore: `Restore deleted ${plural}`,
    'force.delete': `Delete ${plural} for good`,
    export: `Export ${plural}`,
  }) as const

/** `interface WorkspacePermissions extends PermissionNames<'vendors', typeof permissions> {}` */
export type PermissionNames<Key extends string, Actions> = { [A in keyof Actions & string as `${Key}.${A}`]: true }

/** `interface AuditEvents extends AuditEventNames<typeof auditEvents> {}` */
export type AuditEventNames<Events> = { [E in keyof Events & string]: true }

/** Initial data of a module in a workspace: stages, categories, reasons. */
export interface Installation {
  /** Increased when there is more data to seed; workspaces that already have the module are then seeded, too. */
  version: number
  /**
   * Creates missing data. `from` is the version with which the workspace was last seeded, 0 the first time. Runs as the system;
   * must be idempotent.
   */
  seed(ctx: Ctx, from: number): Promise<void>
}

/** A command of the command line. */
export interface Command {
  /** Description of the command and its arguments, for the list of commands. */
  says: string
  load: () => Promise<{ default(args: string[], config: Config): Promise<void> }>
}

/** Stops work that a module has started in the process. */
export type Stop = () => unknown

/** Declaration of a workspace setting. */
export interface Setting {
  schema: z.core.$ZodType
  default: unknown
  title: string
  /** Further explanation of the setting. */
  hint?: string
  /** Only the owner in a session may change it. */
  ownerOnly?: true
  /**
   * Whether it determines who has access or where money goes. Callers who act for another user can't change it, as with granting
   * routes.
   */
  grants: boolean
  /** Returns an error for a value that is currently invalid, beyond its schema's checks. */
  refuse?: (value: any, now: string) => string | undefined
}

/** Setting for a resource's `numberPrefix`: the prefix of new records' numbers, such as `INV-`. */
export const numberPrefix = (prefix: string, noun: string): Setting => ({
  // Numbers become file names, and are part of files that other systems read.
  schema: z
    .string()
    .max(20, 'Must be at most 20 characters.')
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]*$/u, 'Must have no control characters and neither / nor \\.'),
  default: prefix,
  title: `Prefix of ${noun} numbers`,
  grants: false,
})

/** Categories of modules in the catalogue. */
export const CATALOGUE_CATEGORIES = [
  ...([
    'Customers and sales',
    'Finance',
    'Purchasing and stock',
    'Work',
    'People',
    'Communication',
    'Files',
    'Workspace',
  ] as const),
] as const
export type CatalogueCategory = (typeof CATALOGUE_CATEGORIES)[number]

/** Declaration of a module, in its `module.ts`. */
export interface Manifest {
  /** Name of the folder, the catalogue entry and the permissions: `purchase-orders`. */
  key: string
  title: string
  description?: string
  /** Semantic version in the catalogue (VER-02). */
  version?: string
  /** Category in the catalogue, unless an operator changes it. */
  category?: CatalogueCategory
  /** Core modules belong to every workspace and need no entitlement. */
  core?: true
  /** Required modules: without them it can't be installed. Their `public.ts` may be imported. */
  requires?: string[]
  /** Optional modules: their `public.ts` may be imported, too, and used after a check of `ctx.entitled(key)`. */
  uses?: string[]
  /** Included in every new workspace. */
  defaultIncluded?: true
  /** Actions with descriptions of their permissions: `{ send: 'Send to the vendor' }`. */
  permissions?: Record<string, string>
  /** Actions that the seeded role member gets on installation. Default: view, create, update. */
  everyday?: readonly string[]
  /** Path of its routes below the API's base path; '' if the routes have their full paths. Default: `/<key>`. */
  path?: '' | `/${string}`
  settings?: Record<string, Setting>
  /** Error codes of the module with their causes, for the API documents: `409: another file is being read.` */
  errorCodes?: Record<string, string>
  /** Audit events of the module with their display names: `{ payment_method_configured: 'Payment method set up' }`. */
  auditEvents?: Record<string, string>
  /** For a platform module: events that it writes to the log of the workspace concerned. */
  auditEventsOfWorkspaces?: Record<string, string>
  /** Kinds of record that others may refer to, by type; each resource is loaded on first use. */
  subjects?: { [T in SubjectType]?: () => Promise<Referable> }
  /**
   * Position, ascending, in API lists to which several modules contribute: notification types, template contexts. Modules without
   * one come last.
   */
  position?: number
  /** Events that cause notifications, and records whose notes may mention users. */
  notifications?: NotificationManifest
  /** Template placeholders for its records. */
  placeholders?: () => Promise<{ default: PlaceholderContext }>
  /** Listeners for events of other modules. */
  listeners?: () => Promise<{ default: Listener[] }>
  installation?: () => Promise<{ default: Installation }>
  /**
   * Runs at each start of a process before it serves requests, in the order of the modules, on a migrated database. The returned
   * function runs when the process stops, after its last request: it flushes pending work and closes resources.
   */
  start?: () => Promise<{ default(services: Services): Promise<Stop | void> }>
  /** Files that declare its encrypted columns. Columns that are missing here would become unreadable with the next APP_KEY. */
  sealed?: (() => Promise<{ sealedColumns: SealedColumn[] }>)[]
  /** Commands of the command line, by name: `node src/main.ts stock`. */
  commands?: Record<string, Command>
}

/** API to which a module's routes belong. */
export type Surface = 'workspace' | 'platform' | 'public'
export const basePaths: Record<Surface, string> = { workspace: '/api/tenant/v1', platform: '/api/central/v1', public: '' }

/** A loaded module. */
export interface Module extends Manifest {
  surface: Surface
  folder: string
}

/** Modules of this process, found by `loadModules`. */
export interface Modules {
  all: Module[]
  /** Workspace modules, including core ones, by key. */
  workspace: Map<string, Module>
  /** Returns all permissions of a surface with their descriptions. */
  permissions(surface: Surface): { name: string; group: string; description: string }[]
  /** All workspace settings by key. */
  settings: Map<string, Setting>
  /** Subjects by type. */
  subjects: Map<SubjectType, { module: Module; of: Referable }>
  /** Returns the listeners of an event, in the order in which they are called. */
  listeners(event: EventName): Promise<{ module: Module; listener: Listener }[]>
  /** Returns a module's initial data for a workspace that installs it. */
  installation(key: string): Promise<Installation | undefined>
  /** Returns the functions that run at each start of a process. */
  starts(): Promise<((services: Services) => Promise<Stop | void>)[]>
}

export const defineInstallation = (installation: Installation) => installation

export const defineModule = <const M extends Manifest>(manifest: M): M => manifest
