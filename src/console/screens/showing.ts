/** Screens that a user may see. Derived once per process; each caller gets a subset. */
import { createHash } from 'node:crypto'
import { notFound } from '#kernel/errors.ts'
import type { Module, Modules } from '#kernel/modules/module.ts'
import { JsonText } from '#kernel/records/view.ts'
import { screensOf, toPeople } from './derive.ts'
import type { Console, Screen, ScreenPage, ScreenSummary } from './screen.ts'

type Surface = Console['api']

const kept = new WeakMap<Modules, Partial<Record<Surface, Promise<Screen[]>>>>()

/** Returns all screens of an API. */
export function allScreens(modules: Modules, surface: Surface): Promise<Screen[]> {
  const of = kept.getOrInsertComputed(modules, () => ({}))
  return (of[surface] ??= screensOf(modules, surface))
}

/** Permissions of the caller. */
export interface Viewer {
  can(permission: string): boolean
  entitled(module: string): boolean
}

const mayAny = ({ can }: Viewer, allow: string[]) => allow.length === 0 || allow.some(can)
/** Returns whether the viewer may read a screen's list. */
export const mayList = (viewer: Viewer, { module, allow }: Screen) => viewer.entitled(module) && mayAny(viewer, allow)

/** Personal actions, such as checking in, are available without permission for the list. */
const ownDeeds = ({ list_actions }: Screen) => list_actions.filter(({ method, allow }) => method === 'POST' && allow.length === 0)
const maySee = (viewer: Viewer, screen: Screen) =>
  mayList(viewer, screen) || (viewer.entitled(screen.module) && ownDeeds(screen).length > 0)

const summaryOf = (viewer: Viewer, screen: Screen): ScreenSummary => {
  const {
    key,
    module,
    path,
    title,
    noun,
    icon,
    resource,
    key_field,
    title_field,
    allow,
    layouts,
    list,
    record,
    board,
    create,
    list_actions,
  } = screen
  return {
    ...{ key, module, path, title, noun, icon, resource, key_field, title_field, allow, layouts },
    may_create: create !== null && mayAny(viewer, create.allow),
    is_searchable: list.is_searchable,
    has_record: record !== null,
    has_board: board !== null,
    list_actions: list_actions.filter(({ allow }) => mayAny(viewer, allow)).map(({ key, label }) => ({ key, label })),
  }
}

/** Sorts a module's lists: lists that others refer to come last, such as reasons. */
function mainFirst(screens: Screen[]): Screen[] {
  const chosen = new Set(
    screens.flatMap(({ key, create, actions, list_actions }) =>
      [create, ...actions, ...list_actions].flatMap((form) =>
        (form?.fields ?? []).flatMap(({ refers_to }) =>
          refers_to?.screen && refers_to.screen !== key ? [refers_to.screen] : [],
        ),
      ),
    ),
  )
  return screens.toSorted((a, b) => Number(chosen.has(a.key)) - Number(chosen.has(b.key)))
}

/** Returns the modules' custom pages in the order of the modules. */
async function pagesOf(modules: Module[], { can }: Viewer, keys: Set<string>): Promise<ScreenPage[]> {
  const all = modules.map(async (module) => {
    const pages = Object.entries((await module.screen?.())?.default.pages ?? {})
    return pages.flatMap(([key, { title, icon = null, allow = [], drawn, beside }]) => {
      if (keys.has(key)) throw new Error(`${module.key}/screen.ts: ${key} is the address of a screen`)
      return allow.length === 0 || allow.some(can)
        ? [{ key, module: module.key, title, icon, drawn, ...(beside ? { is_beside: true as const } : {}) }]
        : []
    })
  })
  return (await Promise.all(all)).flat()
}

/** Returns screens and modules for `GET /console`; `modules` are the declared ones in their order. */
export async function consoleOf(declared: Modules, surface: Surface, viewer: Viewer) {
  const all = await allScreens(declared, surface)
  const shown = all.filter((screen) => maySee(viewer, screen))
  const placed = declared.all
    .filter((module) => module.surface === surface && viewer.entitled(module.key))
    .map((module) => ({ ...module, title: toPeople(module.title) }))
    .toSorted((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || a.title.localeCompare(b.title, 'en'))
  const byModule = Map.groupBy(shown, ({ module }) => module)
  return {
    permissions: declared
      .permissions(surface)
      .filter(({ name, group }) => viewer.entitled(group) && viewer.can(name))
      .map(({ name }) => name),
    modules: placed.map(({ key, title, category = null }) => ({
      ...{ key, title, category },
      screens: mainFirst(byModule.get(key) ?? []).map((screen) => screen.key),
    })),
    screens: shown.map((screen) => summaryOf(viewer, screen)),
    pages: await pagesOf(placed, viewer, new Set(all.map(({ key }) => key))),
  }
}

/** Returns a complete screen by key; 404 for one that the viewer may not see. */
export async function screenFor(declared: Modules, surface: Surface, viewer: Viewer, key: string): Promise<JsonText> {
  const screen = (await allScreens(declared, surface)).find((one) => one.key === key)
  if (!screen || !maySee(viewer, screen)) throw notFound('There is no such screen.')
  return validated(screen)
}

/** Returns JSON with an ETag of its content. */
export function validated(data: object): JsonText {
  const text = JSON.stringify(data)
  return new JsonText(text, `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`)
}
