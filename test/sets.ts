/**
 * Which test files there are, and when each is run.
 *
 * - `*.test.ts` are what every change needs: `npm test` runs them.
 * - `*.ci.test.ts` prove the same at greater length, or need what takes long: browsers, mail servers, processes that are killed.
 *   `.ci/run` runs each of them in one stage, which a comment at the top of the file names: `// CI stage: kills`.
 * - Any file may be run once more on another peer: `// Also in CI: debian, citus`.
 */
import { globSync, readFileSync } from 'node:fs'

/** Stages that run files again: on other databases, or beside other servers. Each of the others runs its files whole, and no other stage does. */
export const PEER_STAGES = ['citus', 'citus-short', 'debian', 'dovecot', 'pgbouncer']

export interface TestFile {
  path: string
  /** What runs it whole: `tests`, or the stage of a `*.ci.test.ts`. */
  stage: string | undefined
  peers: string[]
  /** It has a process to itself. */
  isAlone: boolean
}

/** Reads the heads of all test files, in the order of their paths. */
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

/** The files of a stage of `.ci/run`, those that it runs as a further peer included. A whole run on a cluster takes the tests of every module. */
export const filesOfStage = (stage: string, all = testFiles()): TestFile[] =>
  all.filter(
    (file) =>
      file.stage === stage ||
      file.peers.includes(stage) ||
      (stage === 'citus' && (file.peers.includes('citus-short') || file.stage === 'citus-short' || isOfModule(file))),
  )

const isOfModule = ({ path, stage }: TestFile) => stage === 'tests' && /^src\/(demo|platform|public|workspace)\//.test(path)
