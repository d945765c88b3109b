/** What the roles of a workspace allow. */
import type { Modules } from './module.ts'

/** The seeded roles: the owner's, which passes every gate; one that may everything else; one for everyday work. */
export type RoleKind = 'owner' | 'admin' | 'member'

/** The role admin holds whatever the core and the installed modules have, by this rule and not by a list that ages. */
export const everyPermission = (modules: Modules, entitled: (module: string) => boolean) =>
  new Set(
    declaredIn(modules)
      .filter(({ group }) => modules.workspace.get(group)?.core || entitled(group))
      .map(({ name }) => name),
  )

const declared = new WeakMap<Modules, ReturnType<Modules['permissions']>>()
/** The permissions of a workspace's modules, which stay as they are while the process runs. */
const declaredIn = (modules: Modules) => declared.getOrInsertComputed(modules, () => modules.permissions('workspace'))

/** What a set of roles allows in a workspace with these modules. */
export function permissionsBy(
  modules: Modules,
  roles: { kind: RoleKind | null; permissions: string[] }[],
  entitled: (module: string) => boolean,
): Set<string> {
  if (roles.some(({ kind }) => kind === 'owner')) return new Set(declaredIn(modules).map(({ name }) => name))
  const listed = new Set(roles.flatMap(({ permissions }) => permissions))
  return roles.some(({ kind }) => kind === 'admin') ? listed.union(everyPermission(modules, entitled)) : listed
}

/** What the scope `read` stands for, in both APIs. */
const READING = /\.(view|list|read)$/

/** Whether an API key's scopes cover a permission: by its name, by `read`, by `*`. */
export const covers = (scopes: readonly string[], permission: string) =>
  scopes.includes(permission) || scopes.includes('*') || (scopes.includes('read') && READING.test(permission))

/** Those of these permissions that a key leaves to whoever comes by it. */
export const within = (scopes: readonly string[], permissions: Iterable<string>) =>
  new Set([...permissions].filter((permission) => covers(scopes, permission)))

/** Everyday work in a module, which the seeded role member gets when the module is installed. */
export function everydayPermissions(modules: Modules, module: string) {
  const { everyday = ['view', 'create', 'update'] } = modules.workspace.get(module) ?? {}
  const names = new Set(everyday.map((action) => `${module}.${action}`))
  return declaredIn(modules)
    .map(({ name }) => name)
    .filter((name) => names.has(name))
}
