/**
 * Notifications as modules declare them: which of their events are somebody's news, and what is said of each. A module's manifest names
 * them; the module Notifications stores and sends them.
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

/** What is said of several records at once, and the filters of the list that has them. */
export interface Digest {
  title: string
  body(count: number): string
  filters: Record<string, string>
}

/**
 * What is said of records, to those who may see them and haven't done it themselves. It is told once for each of them, user and
 * occasion.
 */
export interface News {
  ids: number[]
  /** Default: whoever the records are given to. */
  users?: number[]
  /** Somebody has to know: where nobody whom it is given to can be told, whoever made the record is, else the owner. */
  escalates?: boolean
  /** The actor too, where it is news to them. */
  alsoActor?: true
  title: string
  body(name: string): string
  /** Of several records that a user may see; without it nothing is said of these. With a `count` also where they may see none. */
  digest?: Digest & { count?: number }
  source?: (typeof SOURCES)[number]
  metadata?: Record<string, unknown>
  batch_id?: string | null
  /** What tells occasions apart, of one record and user. Default: the moment. */
  occasion?: string | number
}

/** An event that is news about a record of the subject. */
export interface NotificationKind<E extends EventName = any> {
  /** The event is the type of the notification. */
  type: E
  subject: SubjectType
  /** In the list of preferences: when it comes. */
  title: string
  /** It is never mailed, whatever is set. */
  unmailed?: true
  /** What is said at the end of a bulk change that concerned several; default: that there was one. */
  digest?(ctx: Ctx, batch_id: string): Digest
  news(ctx: Ctx, event: Events[E]): News | News[] | undefined | Promise<News | News[] | undefined>
}

/** `export default [kind('truck.inspection_due', { subject: 'truck', … })]` in a module's `notifications.ts`. */
export const kind = <const E extends EventName>(type: E, of: Omit<NotificationKind<E>, 'type'>): NotificationKind<E> => ({
  type,
  ...of,
})

/** In a manifest. */
export interface NotificationManifest {
  category: Category
  /** The module's kinds of record whose notes may mention somebody. */
  mentions?: SubjectType[]
  kinds?: () => Promise<{ default: NotificationKind[] }>
  /** The place of its records in the enumeration of these, where that isn't the module's `position`. */
  recordPosition?: number
}

/** Who does it, in a sentence. */
export const actorName = (ctx: Ctx) => (ctx.actor.id === null ? 'Atrium' : ctx.actor.name)
