/**
 * `npm test`: every test file on one PostgreSQL, with node's own test runner. Files share processes, so that the product is loaded a few
 * times and not once for each; one that needs a process to itself says `// Own process: <why>`.
 *
 *   npm test                       what every change needs, on a server that is made for it and gone afterwards
 *   npm test -- --ci               what `.ci/run` runs beside it (see sets.ts); --stage kills: the files of one of its stages
 *   npm test -- vendors            the files whose path holds "vendors"
 *   npm test -- -t 'have names'    the tests of that name (a text, or /a regular expression/)
 *   npm test -- --watch vendors    again whenever something that they import changes
 *   npm test -- --all              every case of the generated suites; else those of changed modules and a part of the others
 *   npm test -- --base HEAD~3      what changed is what differs from there
 *   npm test -- --slowest 20       the files that took longest, at the end
 *   npm test -- --coverage F       which lines of src each file executed, as a JSON file of each below the folder F
 *
 * A selection runs on a server that stays for some minutes: see warm-server.ts.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { overBudget, RUN_SECONDS } from './budgets.ts'
import type { Lane, Took } from './lane.ts'
import { EVERYTHING, samplingOf } from './sampling.ts'
import { serverFolder, startServer } from './server.ts'
import { describeFile, filesOfStage, type TestFile, testFiles } from './sets.ts'
import { startWarmServer } from './warm-server.ts'

/** What a file leaves behind doesn't pile up, and reports come as lanes end. */
const FILES_OF_LANE = 20
/** They begin first, so that none of them is worked alone at the end. */
const SLOW = [
  'test/promises/records.test.ts',
  'test/isolation.test.ts',
  'test/grants.test.ts',
  'test/promises/naming.test.ts',
  'test/plans.ci.test.ts',
]

/** A process that takes longer hangs: it is ended, and what it has not worked is named. */
const MOST_MS = 30 * 60_000

const { values: options, positionals: given } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', short: 't', multiple: true },
    watch: { type: 'boolean', short: 'w' },
    all: { type: 'boolean' },
    base: { type: 'string' },
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    ci: { type: 'boolean' },
    stage: { type: 'string' },
    slowest: { type: 'string' },
    coverage: { type: 'string' },
  },
})
const { watch, 'test-name-pattern': names, coverage } = options
const files = filesOf(given)
const whole = !given.length && !names && !watch
const { facts, stop } = await (whole ? startServer() : startWarmServer())
const folder = mkdtempSync(join(tmpdir(), 'atrium-run-'))
const claims = join(folder, 'claims')
mkdirSync(claims)

// A stage of `.ci/run` takes every case.
const sampling =
  options.all || options.ci || options.stage ? { ...EVERYTHING, seed: options.seed } : samplingOf(options.seed, options.base)
if (sampling.share > 1) {
  const changed = sampling.changed.length ? `all routes of ${sampling.changed.join(', ')}, ` : ''
  console.log(
    `Generated suites: ${changed}one in ${sampling.share} of the others (--seed ${sampling.seed}); --all takes every one.`,
  )
}

const alone = files.filter(({ alone }) => alone).length
const lanes = alone + Math.ceil((files.length - alone) / FILES_OF_LANE)
if (coverage) mkdirSync(coverage, { recursive: true })
const lane: Lane = { files, claims, most: FILES_OF_LANE, named: names !== undefined, coverage: coverage && resolve(coverage) }
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
const results = run({
  // A watching runner has to know the files themselves.
  files: watch ? files.map(({ path }) => path) : Array(lanes).fill(join(import.meta.dirname, 'lane.ts')),
  concurrency: Math.min(availableParallelism() + 1, 5), // one waits now and then,
  testNamePatterns: names,
  watch,
  timeout: watch ? undefined : MOST_MS,
  signal: ending.signal,
  env: {
    ...process.env,
    TMPDIR: serverFolder(),
    TEST_SERVER: JSON.stringify(facts),
    TEST_LANE: JSON.stringify(lane),
    TEST_SAMPLING: JSON.stringify(sampling),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? 'node_modules/.cache/atrium-compiled',
  },
})
results.on('test:fail', () => {
  process.exitCode = 1
})
process.stdout.on('error', () => ending.abort()) // `| head` has read enough
const report = results.compose(spec)
report.pipe(process.stdout)
await finished(report).catch(() => {})
const unfinished = watch ? [] : files.filter((_, index) => !existsSync(join(claims, `${index}.done`)))
if (unfinished.length) {
  console.error(`Not worked to their end:\n${unfinished.map(({ path }) => `  ${path}`).join('\n')}`)
  process.exitCode = 1
}
if (whole && !options.ci && options.stage === undefined && !coverage) checkBudgets()
if (options.slowest) printSlowest(Number(options.slowest))
await stop()
rmSync(folder, { recursive: true, force: true })
process.exit()

function checkBudgets() {
  const over = overBudget(filesWorked(), sampling.share > 1 ? RUN_SECONDS.sampled : RUN_SECONDS.all)
  if (!over.length) return
  console.error(`More than test/budgets.ts allows:\n${over.map((sentence) => `  ${sentence}`).join('\n')}`)
  process.exitCode = 1
}

function printSlowest(count: number) {
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(7)
  for (const { path, ms, cpu } of filesWorked()
    .sort((a, b) => b.cpu - a.cpu)
    .slice(0, count))
    console.log(`${seconds(cpu)} s of CPU in ${seconds(ms)} s  ${path}`)
}

/** The files that were worked to their end, with what they took. */
function filesWorked(): (Took & { path: string })[] {
  return files.flatMap(({ path }, index) => {
    const note = join(claims, `${index}.done`)
    return existsSync(note) ? [{ path, ...(JSON.parse(readFileSync(note, 'utf8')) as Took) }] : []
  })
}

/** The test files that the arguments mean: a file by its path, or all whose path holds the text. */
function filesOf(given: string[]): Lane['files'] {
  const all = testFiles()
  const named = (text: string) => {
    const isOne = existsSync(text) && statSync(text).isFile()
    return isOne ? [describeFile(text, readFileSync(text, 'utf8'))] : setOf(all).filter(({ path }) => path.includes(text))
  }
  const meant = (text: string) => {
    const found = named(text)
    if (!found.length) {
      console.error(`No test file has ${text} in its path.`)
      process.exit(2)
    }
    return found
  }
  const chosen = given.length ? new Map(given.flatMap(meant).map((file) => [file.path, file])).values().toArray() : setOf(all)
  const files = chosen.map(({ path, isAlone }) => ({ path, alone: isAlone }))
  // Those that stand alone first: each takes the first turn of a process, and as many processes as they are begin with one.
  const rank = ({ path, alone }: Lane['files'][number]) => (alone ? 0 : SLOW.indexOf(path) + 1 || SLOW.length + 1)
  return files.sort((a, b) => rank(a) - rank(b))
}

/** The files of the set that the options name. */
function setOf(all: TestFile[]): TestFile[] {
  if (options.stage === undefined) return all.filter(({ stage }) => (stage !== 'tests') === Boolean(options.ci))
  const files = filesOfStage(options.stage, all)
  if (!files.length) {
    console.error(`No test file names the stage ${options.stage}.`)
    process.exit(2)
  }
  return files
}
