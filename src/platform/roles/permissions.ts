/** Permissions of the platform: those declared by modules, and those that the contract names without a module here. */
import type { Modules } from '#kernel/modules/module.ts'

/** CEN-53: can be granted and appears in the matrix, although no route requires it. */
const withoutModule: Record<string, readonly string[]> = { feedback: ['list', 'read', 'update', 'comment', 'stats'] }

/** Returns the names of all permissions, without duplicates. */
export function permissionNames(modules: Modules): string[] {
  const named = Object.entries(withoutModule).flatMap(([group, actions]) => actions.map((action) => `${group}.${action}`))
  return [...new Set([...modules.permissions('platform').map(({ name }) => name), ...named])]
}
