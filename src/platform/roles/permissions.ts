/** Every permission of the platform: those that modules declare, and those that the contract names without a module of ours. */
import type { Modules } from '#kernel/modules/load.ts'

/** CEN-51 … CEN-53. They can be given and show in the matrix, whether routes ask for them or not. */
const withoutModule: Record<string, readonly string[]> = {
  dashboard: ['view'],
  billing: ['manage'],
  invoices: ['list', 'read', 'update'],
  payments: ['list', 'read', 'update'],
  feedback: ['list', 'read', 'update', 'comment', 'stats'],
}

/** Their names, each once. */
export function permissionNames(modules: Modules): string[] {
  const named = Object.entries(withoutModule).flatMap(([group, actions]) => actions.map((action) => `${group}.${action}`))
  return [...new Set([...modules.permissions('platform').map(({ name }) => name), ...named])]
}
