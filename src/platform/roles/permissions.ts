/** Every permission of the platform: those that modules declare, and those that the contract names without a module of ours. */
import type { Modules } from '#kernel/modules/module.ts'

/** CEN-53: it can be given and shows in the matrix, though no route asks for it. */
const withoutModule: Record<string, readonly string[]> = { feedback: ['list', 'read', 'update', 'comment', 'stats'] }

/** Their names, each once. */
export function permissionNames(modules: Modules): string[] {
  const named = Object.entries(withoutModule).flatMap(([group, actions]) => actions.map((action) => `${group}.${action}`))
  return [...new Set([...modules.permissions('platform').map(({ name }) => name), ...named])]
}
