/**
 * Manifest declarations that are combined in one module: notification kinds, template placeholders, audit events. Schemas use
 * them at import time, so `loadModules` collects them before any route is loaded.
 */
import type { NotificationKind, NotificationManifest } from './notifications.ts'
import type { PlaceholderContext } from './placeholders.ts'

/** Each in the order of the modules' `position`; modules without one come last, alphabetically. */
export interface Declared {
  notifications: (Omit<NotificationManifest, 'kinds'> & { position: number; kinds: NotificationKind[] })[]
  placeholders: PlaceholderContext[]
  /** Display names of the events in a workspace's own audit log, and of all events. */
  auditEvents: Record<'workspace' | 'any', Record<string, string>>
}

let gathered: Declared | undefined

/** Stores the declarations; called by `loadModules`. */
export const declare = (all: Declared) => {
  gathered = all
}

/** Returns the declarations. For files imported after `loadModules`: routes, listeners, jobs and their imports. */
export function declared(): Declared {
  if (!gathered) throw new Error('Modules are not loaded yet: import this file behind loadModules().')
  return gathered
}
