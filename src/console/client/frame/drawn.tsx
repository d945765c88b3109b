/** What a module draws itself: files of its folder `screen`, which the bundler finds by their place and this page fetches when they are needed. */
import type { ComponentType } from 'preact'
import { boot } from '../boot.ts'
import { lazy } from '../parts/lazy.tsx'
import type { Page, Screen } from '../screens/shape.ts'

/** What is given to the default export of such a file: a place of a screen has its `screen`, a record's its `id` too; a page has nothing. */
export interface DrawnProps {
  screen?: Screen
  id?: string
}
type Drawn = ComponentType<DrawnProps>

const load = async (module: string, file: string): Promise<Drawn> => {
  const found =
    boot.realm!.path === '/operator'
      ? await import(`../../../platform/${module}/screen/${file}.tsx`)
      : await import(`../../../workspace/${module}/screen/${file}.tsx`)
  return found.default
}

const kept = new Map<string, Drawn>()

/** The component of such a file. One for each, so that it is not made anew with each look at it. */
function drawn(module: string, file: string, title: string): Drawn {
  const key = `${module}/${file}`
  const found =
    kept.get(key) ??
    lazy<DrawnProps>(
      () => load(module, file),
      () => title,
    )
  kept.set(key, found)
  return found
}

export function DrawnPage({ page }: { page: Page }) {
  const Found = drawn(page.module, page.drawn, page.title)
  return <Found />
}

/** The component that draws that place of a screen by hand; undefined: it is derived. */
export const drawnAt = (screen: Screen, place: string): Drawn | undefined => {
  const file = screen.drawn[place]
  return file === undefined ? undefined : drawn(screen.module, file, screen.title)
}
