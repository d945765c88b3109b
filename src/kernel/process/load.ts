/** Finds modules: every `<surface>/<folder>/module.ts`. A module is added by adding its folder. */
import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Route } from '../http/route.ts'
import { type Declared, declare } from '../modules/declared.ts'
import type { EventName } from '../modules/events.ts'
import { basePaths, type Manifest, type Module, type Modules, type Setting } from '../modules/module.ts'

/** Loads manifests only. `roots` are folders that contain the surfaces `workspace`, `platform` and `public`. */
export async function loadManifests(roots: string[]): Promise<Module[]> {
  const all: Module[] = []
  for (const root of roots)
    for (const surface of ['workspace', 'platform', 'public'] as const)
      for (const file of globSync(join(root, surface, '*', 'module.ts')).sort()) {
        const manifest = (await import(pathToFileURL(file).href)).default as Manifest
        const folder = dirname(file)
        if (manifest?.key !== basename(folder)) throw new Error(`${file}: the key must be the name of the folder`)
        all.push({ ...manifest, surface, folder })
      }
  return all
}

/** Loads manifests and their subjects. Everything else is loaded on first use. Throws on inconsistent declarations. */
export async function loadModules(roots: string[]): Promise<Modules> {
  const all = await loadManifests(roots)
  const workspace = new Map(all.filter((m) => m.surface === 'workspace').map((m) => [m.key, m]))
  const settings = new Map<string, Setting>()
  for (const module of all) {
    for (const key of module.requires ?? [])
      if (!workspace.has(key)) throw new Error(`${module.key} requires ${key}, which doesn't exist`)
    for (const [key, setting] of Object.entries(module.settings ?? {})) {
      if (settings.has(key)) throw new Error(`Two modules declare the setting ${key}`)
      settings.set(key, setting)
    }
  }

  const subjects: Map<string, { module: Module; of: unknown }> = new Map()
  for (const module of all)
    for (const [type, load] of Object.entries(module.subjects ?? {})) {
      if (subjects.has(type)) throw new Error(`Two modules declare the subject ${type}`)
      subjects.set(type, { module, of: await (load as () => unknown)() })
    }

  await declareAll(all, subjects)

  const once = <T>(load: () => Promise<T>) => {
    let loaded: Promise<T> | undefined
    return () => (loaded ??= load())
  }
  const listeners = once(async () => {
    const declared = await Promise.all(
      inOrder(all).map(async (module) => ((await module.listeners?.())?.default ?? []).map((listener) => ({ module, listener }))),
    )
    return Map.groupBy(declared.flat(), ({ listener }) => listener.event as EventName)
  })
  return {
    all,
    workspace,
    settings,
    subjects: subjects as Map<never, never>,
    listeners: async (event) => (await listeners()).get(event) ?? [],
    installation: async (key) => (await workspace.get(key)?.installation?.())?.default,
    permissions: (surface) =>
      all
        .filter((m) => m.surface === surface)
        .flatMap((m) =>
          Object.entries(m.permissions ?? {}).map(([action, description]) => ({
            name: `${m.key}.${action}`,
            group: m.key,
            description,
          })),
        ),
    routes: once(async () => {
      const loaded = all.map(async (module) =>
        ((await module.routes?.())?.default ?? []).map((route) => ({ module, route, path: pathOf(module, route) })),
      )
      return (await Promise.all(loaded)).flat()
    }),
    jobs: once(async () => {
      const loaded = all.map(async (module) => ((await module.jobs?.())?.default ?? []).map((job) => ({ module, job })))
      return (await Promise.all(loaded)).flat()
    }),
    starts: async () => (await Promise.all(inOrder(all).map(async (module) => (await module.start?.())?.default ?? []))).flat(),
    widgets: once(async () =>
      Promise.all(all.map(async (module) => ({ module, widgets: (await module.widgets?.())?.default ?? [] }))),
    ),
    demos: once(async () =>
      Promise.all(all.flatMap((module) => module.demo?.().then((loaded) => ({ module, demo: loaded.default })) ?? [])),
    ),
  }
}

/** Collects modules' declarations that others list. Throws on names that don't exist. */
async function declareAll(all: Module[], subjects: Map<string, unknown>) {
  const placed = all
    .map((module) => ({ module, position: module.position ?? Infinity }))
    .toSorted((a, b) => a.position - b.position || (a.module.key < b.module.key ? -1 : 1))
  const declared: Declared = { notifications: [], placeholders: [], auditEvents: { workspace: {}, any: {} } }
  const types = new Set<string>()
  for (const { module, position } of placed) {
    const { key, surface, notifications, placeholders, auditEvents, auditEventsOfWorkspaces } = module
    if (placeholders) declared.placeholders.push((await placeholders()).default)
    Object.assign(declared.auditEvents.workspace, surface === 'workspace' ? auditEvents : auditEventsOfWorkspaces)
    Object.assign(declared.auditEvents.any, auditEvents, auditEventsOfWorkspaces)
    if (!notifications) continue
    const kinds = (await notifications.kinds?.())?.default ?? []
    for (const subject of [...(notifications.mentions ?? []), ...kinds.map((kind) => kind.subject)])
      if (!subjects.has(subject))
        throw new Error(`${key}: its notifications name ${subject}, which no module declares as a subject`)
    for (const { type } of kinds) {
      if (types.has(type)) throw new Error(`Two modules declare the notification ${type}`)
      types.add(type)
    }
    declared.notifications.push({ ...notifications, position, kinds })
  }
  declare(declared)
}

/** Sorts modules: required ones before those that require them, else alphabetically. */
function inOrder(all: Module[]): Module[] {
  const ordered = new Set<Module>()
  const met = new Set<Module>()
  const add = (module: Module) => {
    if (met.has(module)) return
    met.add(module)
    for (const key of module.requires ?? [])
      for (const needed of all) if (needed.surface === 'workspace' && needed.key === key) add(needed)
    ordered.add(module)
  }
  for (const module of all.toSorted((a, b) => (a.key < b.key ? -1 : 1))) add(module)
  return [...ordered]
}

function pathOf(module: Module, route: Route) {
  const root = module.path ?? `/${module.key}`
  const path = [basePaths[module.surface], root, route.path].map((part) => part.replace(/\/$/, '')).join('')
  return path === '' ? '/' : path
}
