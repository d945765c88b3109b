/**
 * Finds imports between source files, and the layers of the kernel. Used by the checks of test/architecture.test.ts and by the
 * map (tools/map.ts).
 */
import { dirname, join } from 'node:path'

/** Import of one source file by another. */
export interface Import {
  from: string
  to: string
  /** Line in `from`, starting at 1. */
  line: number
  /** `type`: erased, including `declare module`. `call`: loaded when it is called. */
  kind: 'value' | 'type' | 'call'
}

/**
 * Layers of the kernel from the bottom: folders of src/kernel, and single files in it. Each imports from lower layers only. See
 * docs/architecture.md for their purpose.
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

/**
 * Returns the node of a file in the graph. `src/kernel/records/view.ts` belongs to `kernel/records`, `src/kernel/errors.ts` to
 * `kernel/errors`, `src/app.ts` and `src/demo/demo.ts` to `src/*.ts`.
 */
export function boxOf(path: string) {
  const [, section = '', name = ''] = path.split('/')
  return name && section !== 'demo' ? `${section}/${name.replace(/\.ts$/, '')}` : 'src/*.ts'
}

/** Returns the layer of a kernel node, from 0; undefined if FLOORS doesn't contain it. */
export function floorOf(box: string) {
  const floor = Object.values(FLOORS).findIndex((boxes) => boxes.includes(box.replace('kernel/', '')))
  return floor < 0 ? undefined : floor
}

/** Biome formats imports uniformly, so a pattern finds all of them. */
const statement = /^(?:import|export) (type )?(?:[^'"`;]*? from )?'([^']+)'|\bimport\('([^']+)'\)|^declare module '([^']+)'/gm

/** Returns the imports between the project's files, by paths from the root. Packages are left out. */
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
