/**
 * What a module says of itself. The manifest is data: from it come the catalogue entry, the entitlement check, permissions,
 * settings and the OpenAPI tag. The floors above add what they load of a module (`routes`, `jobs`, `widgets`, `demo`) by declaration merging.
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

/** What can be done with every record; a module adds its own. */
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

/** What an installation brings: stages, categories, reasons. */
export interface Installation {
  /** Counted up when there is more to bring; workspaces that have the module already are then seeded too. */
  version: number
  /** Makes what is missing. `from` is the version that the workspace was seeded with, 0 at first. Runs as the system; may run twice. */
  seed(ctx: Ctx, from: number): Promise<void>
}

/** A command of the command line. */
export interface Command {
  /** What it does and takes, for those who ask which commands there are. */
  says: string
  load: () => Promise<{ default(args: string[], config: Config): Promise<void> }>
}

/** Ends what a module has begun with the process. */
export type Stop = () => unknown

export interface Setting {
  schema: z.core.$ZodType
  default: unknown
  title: string
  /** More of it than a title has room for. */
  hint?: string
  /** Only the owner, signed in, may change it. */
  ownerOnly?: true
  /** Whether it says who may come in or where money goes: refused to whoever works for another, as routes that grant are. */
  grants: boolean
  /** What is wrong with a value at this moment, beyond its schema. */
  refuse?: (value: any, now: string) => string | undefined
}

/** The setting that a resource names as its `numberPrefix`: what stands before the counter in the numbers of new records, e.g. `INV-`. */
export const numberPrefix = (prefix: string, noun: string): Setting => ({
  // Files are called by numbers, and files that other systems read carry them.
  schema: z
    .string()
    .max(20, 'Must be at most 20 characters.')
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]*$/u, 'Must have no control characters and neither / nor \\.'),
  default: prefix,
  title: `Prefix of ${noun} numbers`,
  grants: false,
})

/** What the catalogue groups modules by. */
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

export interface Manifest {
  /** Folder, catalogue and permission name: `purchase-orders`. */
  key: string
  title: string
  description?: string
  /** Semantic version in the catalogue (VER-02). */
  version?: string
  /** Where the catalogue shows it until an operator says otherwise. */
  category?: CatalogueCategory
  /** Core modules belong to every workspace and need no entitlement. */
  core?: true
  /** Installing is blocked while one of these is not installed. Their `public.ts` may be imported. */
  requires?: string[]
  /** May be used when installed: their `public.ts` may be imported too, and asked `ctx.entitled(key)` first. */
  uses?: string[]
  /** Comes with every new workspace. */
  defaultIncluded?: true
  /** Actions and what they let somebody do: `{ send: 'Send to the vendor' }`. */
  permissions?: Record<string, string>
  /** Actions that the seeded role member gets when it is installed. Default: view, create, update. */
  everyday?: readonly string[]
  /** Where its routes hang below the API's base path: '' where they name it whole. Default: `/<key>`. */
  path?: '' | `/${string}`
  settings?: Record<string, Setting>
  /** `code` of errors that are its own, and when they happen, for the API documents: `409: another file is being read.` */
  errorCodes?: Record<string, string>
  /** Events that it writes to the audit log, with what people call them: `{ payment_method_configured: 'Payment method set up' }`. */
  auditEvents?: Record<string, string>
  /** Of an area of the platform: those that it writes to the log of the workspace that they are about. */
  auditEventsOfWorkspaces?: Record<string, string>
  /** Kinds of record that others may name, by type: each with its resource, loaded when it is asked for. */
  subjects?: { [T in SubjectType]?: () => Promise<Referable> }
  /**
   * Its place, ascending, in lists of the API to which several modules contribute: types of notification, contexts of templates. Without
   * one it comes behind those that have one.
   */
  position?: number
  /** Which of its events are somebody's news, and in whose notes users may be mentioned. */
  notifications?: NotificationManifest
  /** What templates may say of its records. */
  placeholders?: () => Promise<{ default: PlaceholderContext }>
  /** What it does about events of others. */
  listeners?: () => Promise<{ default: Listener[] }>
  installation?: () => Promise<{ default: Installation }>
  /**
   * Runs at each start of a process, before it serves: in the order of the modules, on a migrated database. What it may return runs
   * when the process stops, once it serves no more: flushes what waits, closes what is open.
   */
  start?: () => Promise<{ default(services: Services): Promise<Stop | void> }>
  /** Where its encrypted columns are declared: one that is missing here would be lost with the next APP_KEY. */
  sealed?: (() => Promise<{ sealedColumns: SealedColumn[] }>)[]
  /** Of the command line, by name: `node src/main.ts stock`. */
  commands?: Record<string, Command>
}

export type Surface = 'workspace' | 'platform' | 'public'
export const basePaths: Record<Surface, string> = { workspace: '/api/tenant/v1', platform: '/api/central/v1', public: '' }

export interface Module extends Manifest {
  surface: Surface
  folder: string
}

/** The modules of this process, found by `loadModules`. */
export interface Modules {
  all: Module[]
  /** The workspace modules, core ones included, by key. */
  workspace: Map<string, Module>
  /** Every permission of a surface with what it allows. */
  permissions(surface: Surface): { name: string; group: string; description: string }[]
  /** Every workspace setting by key. */
  settings: Map<string, Setting>
  /** What others may name, by type. */
  subjects: Map<SubjectType, { module: Module; of: Referable }>
  /** Who listens to an event, in the order in which they are told. */
  listeners(event: EventName): Promise<{ module: Module; listener: Listener }[]>
  /** What a module brings to a workspace that installs it. */
  installation(key: string): Promise<Installation | undefined>
  /** What runs at each start of a process. */
  starts(): Promise<((services: Services) => Promise<Stop | void>)[]>
}

export const defineInstallation = (installation: Installation) => installation

export const defineModule = <const M extends Manifest>(manifest: M): M => manifest
