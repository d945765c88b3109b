/**
 * One of two compared products: a process in its own checkout that fills a database, serves it until it is stopped, and returns
 * the requests.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Target } from './load.ts'
import { onStage, type Suite } from './prepare.ts'
import { atriumEnv, freePort, startAtrium } from './servers.ts'

/** Task for a side, sent to its process as the first message. */
export interface SideJob {
  suite: string
  records: number
  workspaces: number
  /** Name of the data that it keeps between runs. */
  side: string
  only: string[]
}

interface AskedRow {
  name: string
  target: Target
  /** Number of concurrent requests. */
  by?: number
}

/** Message of a side's process: progress, its requests once it serves, or a failure. */
export type FromSide = { say: string } | { rows: AskedRow[]; left: string[] } | { failed: string }

const send = (message: FromSide) => process.send!(message)
const endings: (() => Promise<unknown>)[] = []
let ending: Promise<never> | undefined

async function end(): Promise<never> {
  for (const work of endings.reverse()) await work().catch(() => {})
  process.exit()
}

for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(signal, () => (ending ??= end()))
process.once('message', (job: SideJob) =>
  serve(job).catch((error: Error) => {
    if (!ending) send({ failed: error.stack ?? error.message })
  }),
)

async function serve({ suite: name, records, workspaces, side, only }: SideJob) {
  const { default: suite } = (await import(`./suites/${name}.ts`)) as { default: Suite }
  const ownDir = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
  endings.push(async () => rmSync(ownDir, { recursive: true, force: true }))
  const atEnd = (work: () => Promise<unknown>) => void endings.push(work)
  const say = (what: string) => void send({ say: what })
  const dataDir = (await suite.kept?.({ workspaces, records, side, say, atEnd })) ?? ownDir
  const surroundings = await suite.surroundings?.()
  if (surroundings) atEnd(surroundings.stop)
  const env = atriumEnv(dataDir, await freePort(), surroundings?.env)
  const atrium = await startAtrium(env)
  atEnd(() => atrium.stop())
  const rows: AskedRow[] = await onStage(atrium.base, env, async (stage) => {
    if (suite.targets) return suite.targets(stage, only)
    if (suite.cases) return suite.cases(stage, records)
    throw new Error(`${suite.title} has a table of its own: there is nothing to compare`)
  })
  const here = ({ url, ...target }: Target) => ({ ...target, url: url.startsWith('/') ? atrium.base + url : url })
  const asked = rows.filter(({ name }) => !only.length || suite.targets || only.some((one) => name.startsWith(one)))
  send({
    rows: asked.filter(({ target }) => !target.vary).map(({ name, target, by }) => ({ name, target: here(target), by })),
    left: asked.filter(({ target }) => target.vary).map(({ name }) => name), // functions can't be sent to another process
  })
}
