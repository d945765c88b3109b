/** Custom screens of modules: files in their folder `screen`, which the bundler finds by path and the page loads on demand. */
import type { ComponentType } from 'preact'
import { boot } from '../boot.ts'
import { lazy } from '../parts/lazy.tsx'
import type { Page, Screen } from '../screens/shape.ts'

/**
 * Props of such a file's default export: custom parts of a screen get `screen`, those of a record also `id`; a page gets none.
 */
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

/** Returns the component of such a file, cached, so that it isn't created again on each render. */
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

/** Returns the custom component for a part of a screen; undefined: it is derived. */
export const drawnAt = (screen: Screen, place: string): Drawn | undefined => {
  const file = screen.drawn[place]
  return file === undefined ? undefined : drawn(screen.module, file, screen.title)
}
