/**
 * Notification declarations of modules: the events that cause notifications, and their contents. Manifests refer to them; the
 * module Notifications stores and sends them.
 */
import type { Ctx } from '../context.ts'
import type { SubjectType } from '../names.ts'
import type { EventName, Events } from './events.ts'

/** NTF-02. */
export const CATEGORIES = ['crm', 'tasks', 'billing', 'support', 'system'] as const
export type Category = (typeof CATEGORIES)[number]

/** NTF-12. */
export const SOURCES = [
  ...(['assign', 'bulk_assign', 'import', 'webhook', 'workflow', 'mention', 'direct_message', 'system', 'schedule'] as const),
] as const

/** Notification about several records, with the filters of the list that shows them. */
export interface Digest {
  title: string
  body(count: number): string
  filters: Record<string, string>
}

/**
 * Notification about records, for users who can see them and didn't cause it. Each record, user and occasion gets one
 * notification.
 */
export interface News {
  ids: number[]
  /** Default: the records' assignees. */
  users?: number[]
  /** Someone must be notified: if no assignee can be, then the record's creator, else the owner. */
  escalates?: boolean
  /** Whether the actor is notified, too. */
  alsoActor?: true
  title: string
  body(name: string): string
  /**
   * Content for users who can see several of the records; without it they get no notification. With `count` also for users who
   * can see none of them.
   */
  digest?: Digest & { count?: number }
  source?: (typeof SOURCES)[number]
  metadata?: Record<string, unknown>
  batch_id?: string | null
  /** Distinguishes occasions of the same record and user. Default: the current time. */
  occasion?: string | number
}

/** Event that causes notifications about a record of the subject. */
export interface NotificationKind<E extends EventName = any> {
  /** The event's name is the notification's type. */
  type: E
  subject: SubjectType
  /** Title in the list of preferences: the occasion of the notification. */
  title: string
  /** Never sent by mail, whatever the preferences are. */
  unmailed?: true
  /** Content at the end of a batch that affected several records. Default: a general message. */
  digest?(ctx: Ctx, batch_id: string): Digest
  news(ctx: Ctx, event: Events[E]): News | News[] | undefined | Promise<News | News[] | undefined>
}

/** `export default [kind('truck.inspection_due', { subject: 'truck', … })]` in a module's `notifications.ts`. */
export const kind = <const E extends EventName>(type: E, of: Omit<NotificationKind<E>, 'type'>): NotificationKind<E> => ({
  type,
  ...of,
})

/** Notifications in a manifest. */
export interface NotificationManifest {
  category: Category
  /** Kinds of record of the module whose notes may mention users. */
  mentions?: SubjectType[]
  kinds?: () => Promise<{ default: NotificationKind[] }>
  /** Position of its records in the enumeration of record types, if it differs from the module's `position`. */
  recordPosition?: number
}

/** Name of the actor in a sentence. */
export const actorName = (ctx: Ctx) => (ctx.actor.id === null ? 'Atrium' : ctx.actor.name)
