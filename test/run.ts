/**
 * `npm test`: every test file on one PostgreSQL, with node's own test runner. Files share processes, so that the product is loaded a few
 * times and not once for each; one that needs a process to itself says `// Own process: <why>`.
 *
 *   npm test                       everything, on a server that is made for it and gone afterwards
 *   npm test -- vendors            the files whose path holds "vendors"
 *   npm test -- -t 'have names'    the tests of that name (a text, or /a regular expression/)
 *   npm test -- --watch vendors    again whenever something that they import changes
 *   npm test -- --slowest 20       the files that took longest, at the end
 *
 * A selection runs on a server that stays for some minutes: see warm-server.ts.
 */
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import type { Lane } from './lane.ts'
import { serverFolder, startServer } from './server.ts'
import { startWarmServer } from './warm-server.ts'

/** What a file leaves behind doesn't pile up, and reports come as lanes end. */
const FILES_OF_LANE = 20
/** They begin first, so that none of them is worked alone at the end. */
const SLOW = [
  'test/promises/records.test.ts',
  'test/promises.test.ts',
  'test/process.test.ts',
  'test/isolation.test.ts',
  'test/plans.test.ts',
  'test/embedded.test.ts',
  'test/tour.test.ts',
  'test/turns.test.ts',
  'test/secret-mail.test.ts',
  'test/exports.test.ts',
  'src/workspace/email/hostile-servers.test.ts',
  'src/kernel/auth/account.test.ts',
  'src/workspace/account/account.test.ts',
  'src/workspace/invoices/series.test.ts',
  'src/kernel/auth/two-factor/two-factor.test.ts',
]

const { values: options, positionals: given } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', short: 't', multiple: true },
    watch: { type: 'boolean', short: 'w' },
    slowest: { type: 'string' },
  },
})
const { watch, 'test-name-pattern': names } = options
const files = filesOf(given)
const whole = !given.length && !names && !watch
const { facts, stop } = await (whole ? startServer() : startWarmServer())
const folder = mkdtempSync(join(tmpdir(), 'atrium-run-'))
const claims = join(folder, 'claims')
mkdirSync(claims)

const alone = files.filter(({ alone }) => alone).length
const lanes = alone + Math.ceil((files.length - alone) / FILES_OF_LANE)
const lane: Lane = { files, claims, most: FILES_OF_LANE, named: names !== undefined }
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
const results = run({
  // A watching runner has to know the files themselves.
  files: watch ? files.map(({ path }) => path) : Array(lanes).fill(join(import.meta.dirname, 'lane.ts')),
  concurrency: Math.min(availableParallelism() + 1, 5), // one waits now and then,
  testNamePatterns: names,
  watch,
  signal: ending.signal,
  env: {
    ...process.env,
    TMPDIR: serverFolder(),
    TEST_SERVER: JSON.stringify(facts),
    TEST_LANE: JSON.stringify(lane),
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
if (options.slowest) printSlowest(Number(options.slowest))
await stop()
rmSync(folder, { recursive: true, force: true })
process.exit()

function printSlowest(count: number) {
  const times = files.flatMap(({ path }, index) => {
    const note = join(claims, `${index}.done`)
    return existsSync(note) ? [{ path, ms: Number(readFileSync(note, 'utf8')) }] : []
  })
  for (const { path, ms } of times.sort((a, b) => b.ms - a.ms).slice(0, count))
    console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${path}`)
}

/** The test files that the arguments mean: a file by its path, or all whose path holds the text. */
function filesOf(given: string[]): Lane['files'] {
  const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
  const meant = (text: string) => {
    const found = existsSync(text) && statSync(text).isFile() ? [text] : all.filter((path) => path.includes(text))
    if (!found.length) {
      console.error(`No test file has ${text} in its path.`)
      process.exit(2)
    }
    return found
  }
  const chosen = given.length ? [...new Set(given.flatMap(meant))] : all
  const files = chosen.map((path) => ({ path, alone: /^\/\/ Own process: /m.test(readFileSync(path, 'utf8')) }))
  // Those that stand alone first: each takes the first turn of a process, and as many processes as they are begin with one.
  const rank = ({ path, alone }: Lane['files'][number]) => (alone ? 0 : SLOW.indexOf(path) + 1 || SLOW.length + 1)
  return files.sort((a, b) => rank(a) - rank(b))
}
