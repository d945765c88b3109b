/**
 * What manifests declare for one module to list: kinds of notification, placeholders of templates, events of the audit log. Schemas are made of these while their
 * files are loaded, so `loadModules` gathers them before anything loads a route.
 */
import type { NotificationKind, NotificationManifest } from './notifications.ts'
import type { PlaceholderContext } from './placeholders.ts'

/** Each in the order of its modules' `position`, those without one last, alphabetically. */
export interface Declared {
  notifications: (Omit<NotificationManifest, 'kinds'> & { position: number; kinds: NotificationKind[] })[]
  placeholders: PlaceholderContext[]
  /** What people call the events that a workspace's own audit log may hold, and all that there are. */
  auditEvents: Record<'workspace' | 'any', Record<string, string>>
}

let gathered: Declared | undefined

export const declare = (all: Declared) => {
  gathered = all
}

/** For files that are loaded behind `loadModules`: routes, listeners, jobs and what these import. */
export function declared(): Declared {
  if (!gathered) throw new Error('Modules are not loaded yet: import this file behind loadModules().')
  return gathered
}
