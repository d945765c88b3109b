/** Who imports whom in a set of source files. The guards of test/architecture.test.ts and the map (tools/map.ts) read it. */
import { dirname, join } from 'node:path'

export interface Import {
  from: string
  to: string
  /** The line of `from` on which it stands, from 1. */
  line: number
  /** `type`: erased; `call`: loaded when it is called. Neither can be part of a circle. */
  kind: 'value' | 'type' | 'call'
}

/** Biome formats imports in one way, so that a pattern finds them all. */
const statement = /^(?:import|export) (type )?(?:[^'"`;]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm

/** The imports of files of the project, by their paths from the root; packages are left out. */
export function importsOf(files: Map<string, string>): Import[] {
  return [...files].flatMap(([from, text]) =>
    [...text.matchAll(statement)].flatMap(({ index, 1: type, 2: named, 3: called }) => {
      const to = resolve(from, (named ?? called)!)
      if (!to) return []
      const line = text.slice(0, index).split('\n').length
      return [{ from, to, line, kind: type ? ('type' as const) : called ? ('call' as const) : ('value' as const) }]
    }),
  )
}

function resolve(from: string, name: string) {
  if (name.startsWith('#')) return name.replace(/^#(\w+)\//, 'src/$1/').replace(/^#app$/, 'src/app.ts')
  return name.startsWith('.') ? join(dirname(from), name) : undefined
}
