/** `--compare <commit>`: compares the current product with that of a commit, each with its own database, loaded alternately. */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fire, type Load, loadOf, type Target } from './load.ts'
import type { FromSide, SideJob } from './side.ts'
import { milliseconds, type Table, whole } from './table.ts'

const root = join(import.meta.dirname, '..')
/** Rounds per side. The true median is between the third and the tenth of twelve ratios in 96 of 100 runs. */
const ROUNDS = 12
const [LOW, HIGH] = [2, 9]
const WARM_UP = 3 // seconds
/** Minimum number of sequential replies that fit in a round. */
const REPLIES = 10

interface Comparison extends Omit<SideJob, 'side'> {
  commit: string
  seconds: number
  connections: number
  say(what: string): void
  /** Registers clean-up that runs however the run ends. */
  atEnd(work: () => Promise<unknown>): void
}

/** Compares the two products request by request. Returns a row for each request that both have. */
export async function compareWith({ commit, seconds, connections, say, atEnd, ...job }: Comparison): Promise<Table> {
  const there = checkOut(commit, say, atEnd)
  const ours = await startSide(root, { ...job, side: '' }, { say: (what) => say(`here: ${what}`), atEnd })
  const theirs = await startSide(there, { ...job, side: '-compared' }, { say: (what) => say(`there: ${what}`), atEnd })
  const rows: string[][] = []
  const missing: string[] = []
  for (const { name, target, by = connections } of ours.rows) {
    // two rows may have the same name
    const [other] = theirs.rows.splice(theirs.rows.findIndex((one) => one.name === name) >>> 0, 1)
    if (!other) {
      missing.push(name)
      continue
    }
    say(name)
    rows.push([name, ...(await measure(target, other.target, { seconds, connections: by }))])
  }
  return {
    head: ['requests a second', 'here', `at ${commit}`, 'p50 here', 'p50 there', 'here to there', '96 of 100 lie in', ''],
    rows,
    notes: [...ours.left, ...missing].length ? [`Not compared: ${[...ours.left, ...missing].join(', ')}`] : [],
  }
}

/** Checks the commit out with the current benchmarks. Leaves no trace in the repository. */
function checkOut(commit: string, say: (what: string) => void, atEnd: Comparison['atEnd']): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30 })
  const sha = git('rev-parse', '--verify', `${commit}^{commit}`).toString().trim()
  const folder = mkdtempSync(join(tmpdir(), 'atrium-compared-'))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', sha) })
  rmSync(join(folder, 'bench'), { recursive: true, force: true })
  mkdirSync(join(folder, 'bench'))
  cpSync(join(root, 'bench'), join(folder, 'bench'), { recursive: true })
  const lock = (at: string) => readFileSync(join(at, 'package-lock.json'), 'utf8')
  if (lock(root) === lock(folder)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else {
    say(`Installing what ${commit} depends on`)
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return folder
}

type Prepared = Extract<FromSide, { rows: unknown }>

async function startSide(at: string, job: SideJob, { say, atEnd }: Pick<Comparison, 'say' | 'atEnd'>): Promise<Prepared> {
  const child = fork(join(at, 'bench/side.ts'), { cwd: at, serialization: 'advanced' })
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  return new Promise((resolve, reject) => {
    child.on('message', (message: FromSide) => {
      if ('say' in message) say(message.say)
      else if ('failed' in message) reject(new Error(message.failed))
      else resolve(message)
    })
    child.on('exit', (code) => reject(new Error(`${at} ended with ${code}`)))
    child.send(job)
  })
}

async function measure(
  ours: Target,
  theirs: Target,
  { seconds, connections }: Pick<Comparison, 'seconds' | 'connections'>,
): Promise<string[]> {
  const warm: Load[] = []
  for (const target of [ours, theirs]) {
    const { url, method, headers, body } = target
    await (await fetch(url, { method, headers, body })).arrayBuffer() // the first may take longer than a round
    warm.push(loadOf([await fire(target, WARM_UP, connections)]))
  }
  const turnSeconds = Math.max(seconds / ROUNDS, (REPLIES * Math.max(...warm.map(({ p50 }) => p50))) / 1000)
  const turn = async (target: Target) => loadOf([await fire(target, turnSeconds, connections)])
  const rounds: { ours: Load; theirs: Load }[] = []
  for (let n = 0; n < ROUNDS; n++)
    if (n % 2) {
      const one = await turn(theirs)
      rounds.push({ ours: await turn(ours), theirs: one })
    } else rounds.push({ ours: await turn(ours), theirs: await turn(theirs) })
  const ratios = rounds.map((round) => round.ours.perSecond / round.theirs.perSecond).sort((a, b) => a - b)
  const [low, high] = [ratios[LOW]!, ratios[HIGH]!]
  const middle = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of))
  return [
    whole(middle((round) => round.ours.perSecond)),
    whole(middle((round) => round.theirs.perSecond)),
    milliseconds(middle((round) => round.ours.p50)),
    milliseconds(middle((round) => round.theirs.p50)),
    `${median(ratios).toFixed(2)} ×`,
    `${low.toFixed(2)} – ${high.toFixed(2)}`,
    low > 1 ? 'faster' : high < 1 ? 'slower' : 'no difference told from noise',
  ]
}

function median(some: number[]) {
  const sorted = some.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2
}
