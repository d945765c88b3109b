/**
 * Which of the generated cases a run takes. A suite asks the same of every route; `npm test` takes all routes of the modules that differ from the
 * base, and one in so many of the others, by a seed that it prints. `npm test -- --all` and CI take every one.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'

export interface Sampling {
  /** One in so many of the routes of unchanged modules. */
  share: number
  /** Folders of modules that have changed: `vendors`. */
  changed: string[]
  seed: string
}

/** Every case of every suite; the seed is for what is one in so many in every run. */
export const EVERYTHING: Sampling = { share: 1, changed: [], seed: '' }
const sampling: Sampling = process.env.TEST_SAMPLING ? JSON.parse(process.env.TEST_SAMPLING) : EVERYTHING

/** Whether the run takes a case. `key` names it (`POST /vendors`), `module` is the folder of what it belongs to. */
export const isSampled = (key: string, module: string, { share, changed, seed } = sampling): boolean =>
  changed.includes(module) || createHash('sha256').update(`${seed} ${key}`).digest().readUInt32BE() % share === 0

/** Whether a case is one in `share` by the run's seed, whatever else the run takes: for what another suite proves as well. */
export const isOneIn = (share: number, key: string, { seed } = sampling): boolean =>
  createHash('sha256').update(`one in ${share} ${seed} ${key}`).digest().readUInt32BE() % share === 0

/** The sampling of a working tree: of what differs from `base`, uncommitted changes included. Everything where git doesn't know. */
export function samplingOf(seed: string, base?: string): Sampling {
  const from = base ?? usualBase()
  const differing = from && lines('diff', '--name-only', from)
  const added = lines('ls-files', '--others', '--exclude-standard')
  return differing && added ? samplingFor([...differing, ...added], seed) : EVERYTHING
}

/** The sampling for paths that have changed. The kernel, migrations and the tests' own tools reach every module. */
export function samplingFor(paths: string[], seed: string): Sampling {
  const isShared = (path: string) => /^(src\/kernel|test)\//.test(path) || path.endsWith('.sql')
  const changed = paths.flatMap((path) => /^src\/(?:workspace|platform|public)\/([\w-]+)\//.exec(path)?.[1] ?? [])
  return { share: paths.some(isShared) ? 2 : 8, changed: [...new Set(changed)].sort(), seed }
}

/** Where a branch left `origin/main`; on main itself the last commit that is older than a day. */
function usualBase(): string | undefined {
  if (lines('rev-list', '--max-count=1', 'origin/main..HEAD')?.length) return lines('merge-base', 'origin/main', 'HEAD')?.[0]
  return lines('rev-list', '--max-count=1', '--before=1.day.ago', 'HEAD')?.[0]
}

function lines(...args: string[]): string[] | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  return status === 0 ? stdout.split('\n').filter(Boolean) : undefined
}
