/**
 * The test files, and when each is run.
 *
 * - `*.test.ts`: needed for every change, run by `npm test`.
 * - `*.ci.test.ts`: longer variants, or tests with slow dependencies: browsers, mail servers, killed processes. `.ci/run` runs each
 *   of them in one stage, which a comment at the top of the file declares: `// CI stage: kills`.
 * - Any file may also run on other peers: `// Also in CI: debian, citus`.
 */
import { globSync, readFileSync } from 'node:fs'

/** Stages that run files again, on other databases or with other servers. Each other stage runs its own files completely. */
export const PEER_STAGES = ['citus', 'citus-short', 'debian', 'dovecot', 'pgbouncer']

export interface TestFile {
  path: string
  /** Where it runs completely: `tests`, or the stage of a `*.ci.test.ts`. */
  stage: string | undefined
  peers: string[]
  /** Whether it needs a separate process. */
  isAlone: boolean
}

/** Reads the headers of all test files, in the order of their paths. */
export function testFiles(root = '.'): TestFile[] {
  const paths = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).sort()
  return paths.map((path) => describeFile(path, readFileSync(`${root}/${path}`, 'utf8')))
}

export function describeFile(path: string, text: string): TestFile {
  const [, stage] = /^\/\/ CI stage: ([\w-]+)$/m.exec(text) ?? []
  const [, peers = ''] = /^\/\/ Also in CI: (.+)$/m.exec(text) ?? []
  return {
    path,
    stage: path.endsWith('.ci.test.ts') ? stage : 'tests',
    peers: peers.split(', ').filter(Boolean),
    isAlone: /^\/\/ Own process: /m.test(text),
  }
}

/**
 * Returns the files of a stage of `.ci/run`, including those that run there again. A full run on a cluster includes the tests of
 * every module.
 */
export const filesOfStage = (stage: string, all = testFiles()): TestFile[] =>
  all.filter(
    (file) =>
      file.stage === stage ||
      file.peers.includes(stage) ||
      (stage === 'citus' && (file.peers.includes('citus-short') || file.stage === 'citus-short' || isOfModule(file))),
  )

const isOfModule = ({ path, stage }: TestFile) => stage === 'tests' && /^src\/(demo|platform|public|workspace)\//.test(path)
