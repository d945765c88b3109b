/** Permissions of a workspace's roles. */
import type { Modules } from './module.ts'

/** Seeded roles: the owner's, which passes every check; admin, with all other permissions; member, for everyday work. */
export type RoleKind = 'owner' | 'admin' | 'member'

/**
 * Permissions of the role admin: all permissions of the core and of installed modules. Computed, so that new permissions are
 * included.
 */
export const everyPermission = (modules: Modules, entitled: (module: string) => boolean) =>
  new Set(
    declaredIn(modules)
      .filter(({ group }) => modules.workspace.get(group)?.core || entitled(group))
      .map(({ name }) => name),
  )

const declared = new WeakMap<Modules, ReturnType<Modules['permissions']>>()
/** Permissions of all workspace modules; constant while the process runs. */
const declaredIn = (modules: Modules) => declared.getOrInsertComputed(modules, () => modules.permissions('workspace'))

/** Returns the permissions of a set of roles in a workspace with these modules. */
export function permissionsBy(
  modules: Modules,
  roles: { kind: RoleKind | null; permissions: string[] }[],
  entitled: (module: string) => boolean,
): Set<string> {
  if (roles.some(({ kind }) => kind === 'owner')) return new Set(declaredIn(modules).map(({ name }) => name))
  const listed = new Set(roles.flatMap(({ permissions }) => permissions))
  return roles.some(({ kind }) => kind === 'admin') ? listed.union(everyPermission(modules, entitled)) : listed
}

/** Permissions that the scope `read` covers, in both APIs. */
const READING = /\.(view|list|read)$/

/** Whether an API key's scopes cover a permission: by its name, by `read`, by `*`. */
export const covers = (scopes: readonly string[], permission: string) =>
  scopes.includes(permission) || scopes.includes('*') || (scopes.includes('read') && READING.test(permission))

/** Returns the permissions that a key's scopes cover. */
export const within = (scopes: readonly string[], permissions: Iterable<string>) =>
  new Set([...permissions].filter((permission) => covers(scopes, permission)))

/** Returns the permissions that the seeded role member gets when the module is installed. */
export function everydayPermissions(modules: Modules, module: string) {
  const { everyday = ['view', 'create', 'update'] } = modules.workspace.get(module) ?? {}
  const names = new Set(everyday.map((action) => `${module}.${action}`))
  return declaredIn(modules)
    .map(({ name }) => name)
    .filter((name) => names.has(name))
}
