/** Who imports whom in a set of source files, and on which floors they stand. The guards of test/architecture.test.ts and the map (tools/map.ts) read it. */
import { dirname, join } from 'node:path'

export interface Import {
  from: string
  to: string
  /** The line of `from` on which it stands, from 1. */
  line: number
  /** `type`: erased, a `declare module` too; `call`: loaded when it is called, which leads no reader anywhere. */
  kind: 'value' | 'type' | 'call'
}

/**
 * The floors of the kernel, from its ground: folders of src/kernel, and files that stand in it alone. Each imports from lower floors only.
 * docs/architecture.md says what each is for.
 */
export const FLOORS: Record<string, string[]> = {
  ground: ['errors', 'names', 'on-demand', 'folders', 'networks', 'fair-share'],
  values: ['values', 'config', 'secrets', 'isolate', 'outbound', 'loop-slices', 'semaphore'],
  database: ['database'],
  context: ['context'],
  modules: ['modules'],
  tenancy: ['tenancy'],
  records: ['records', 'jobs'],
  files: ['storage', 'pdf', 'export'],
  http: ['http', 'mail', 'payment-providers', 'import'],
  accounts: ['auth', 'demo', 'webhooks'],
  process: ['process'],
}

/** `src/kernel/records/view.ts` is of the box `kernel/records`, `src/kernel/errors.ts` of `kernel/errors`, `src/app.ts` and `src/demo/demo.ts` of `src/*.ts`. */
export function boxOf(path: string) {
  const [, section = '', name = ''] = path.split('/')
  return name && section !== 'demo' ? `${section}/${name.replace(/\.ts$/, '')}` : 'src/*.ts'
}

/** The floor of a box of the kernel, from 0; undefined where FLOORS doesn't name it. */
export function floorOf(box: string) {
  const floor = Object.values(FLOORS).findIndex((boxes) => boxes.includes(box.replace('kernel/', '')))
  return floor < 0 ? undefined : floor
}

/** Biome formats imports in one way, so that a pattern finds them all. */
const statement = /^(?:import|export) (type )?(?:[^'"`;]*? from )?'([^']+)'|\bimport\('([^']+)'\)|^declare module '([^']+)'/gm

/** The imports of files of the project, by their paths from the root; packages are left out. */
export function importsOf(files: Map<string, string>): Import[] {
  return [...files].flatMap(([from, text]) =>
    [...text.matchAll(statement)].flatMap(({ index, 1: type, 2: named, 3: called, 4: merged }) => {
      const to = resolve(from, (named ?? called ?? merged)!)
      if (!to) return []
      const line = text.slice(0, index).split('\n').length
      return [{ from, to, line, kind: type || merged ? ('type' as const) : called ? ('call' as const) : ('value' as const) }]
    }),
  )
}

function resolve(from: string, name: string) {
  if (name.startsWith('#'))
    return name
      .replace(/^#client\//, 'packages/client/src/')
      .replace(/^#(\w+)\//, 'src/$1/')
      .replace(/^#app$/, 'src/app.ts')
      .replace(/^#client$/, 'packages/client/src/index.ts')
  return name.startsWith('.') ? join(dirname(from), name) : undefined
}
