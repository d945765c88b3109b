/**
 * `npm run bench`: compares each route with the machine's limit, and start-up and memory with their aims. Everything runs on this
 * machine: Atrium as its own process, the bare server as another, the load from here.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { compareWith } from './compare.ts'
import { compare, type Load, type Target } from './load.ts'
import { type Case, onStage, type Suite } from './prepare.ts'
import { atriumEnv, freePort, type Memory, memoryOf, type Server, startAtrium, startBare } from './servers.ts'
import { type Aim, milliseconds, percent, printTable, type Table, verdict, whole } from './table.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    records: { type: 'string' }, // 100,000; 300,000 in the suite skew
    connections: { type: 'string', default: '16' },
    workspaces: { type: 'string', default: '10000' }, // small ones in addition to the large one, in the suite skew
    suite: { type: 'string', default: 'purchase-orders' }, // a file of bench/suites
    only: { type: 'string', multiple: true, default: [] }, // rows of a suite with a custom table: findings, modules
    compare: { type: 'string' }, // a commit whose product is measured alternately with this one
    json: { type: 'string' }, // a file for the figures
    profile: { type: 'string' }, // a folder for a CPU profile of Atrium under load
  },
})
/** Maximum ratio of the 99th percentile to the median. */
const SLOWEST = 4

const { default: suite } = (await import(`./suites/${options.suite}.ts`)) as { default: Suite }
const seconds = Number(options.seconds)
const records = Number(options.records ?? (suite.kept ? 300_000 : 100_000))
const connections = Number(options.connections)
const endings: (() => Promise<unknown>)[] = []
const running = new Set<Server>()
let cleaning: Promise<void> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cleanUp().then(() => process.exit(130)))
const ownDir = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
const atEnd = (work: () => Promise<unknown>) => void endings.push(work)
const workspaces = Number(options.workspaces)
const isAlone = options.compare === undefined
const dataDir = (isAlone && (await suite.kept?.({ workspaces, records, side: '', say, atEnd }))) || ownDir
const surroundings = isAlone ? await suite.surroundings?.() : undefined
if (surroundings) atEnd(surroundings.stop)
const env = atriumEnv(dataDir, await freePort(), surroundings?.env)
try {
  await (isAlone ? (suite.table ? benchTable(suite.table) : bench()) : benchBeside(options.compare!))
} finally {
  await cleanUp()
}

async function bench() {
  say('Starting')
  const startUp = await measureStartUp()
  const atrium = await keep(startAtrium(env, options.profile))
  await sleep(5000)
  const idle = memoryOf(atrium, dataDir)

  say(`${suite.title}: filling with ${whole(records)} records`)
  const { cases, databaseUrl } = await onStage(atrium.base, env, async (stage) => {
    return { cases: (await suite.cases?.(stage, records)) ?? [], databaseUrl: stage.databaseUrl }
  })
  const pdf = cases.find(({ key }) => key === 'pdfSame')
  const show = cases.find(({ key }) => key === 'show')
  if (show) await time(() => get(show.target)) // so that the first PDF is measured, and not the first request
  const pdfCold = pdf && (await time(() => get(pdf.target)))

  const bare = await keep(startBare({ databaseUrl, routes: cases.map((one) => one.bare) }))
  const routes: RouteFigures[] = []
  for (const [n, one] of cases.entries()) routes.push(await measureRoute(one, n, bare))
  const figures = (await onStage(atrium.base, env, async (stage) => suite.figures?.(stage, atrium.base))) ?? []
  await sleep(5000)
  const loaded = memoryOf(atrium, dataDir)

  report({ routes, figures, startUp, pdfCold, idle, loaded })
}

/** Runs a suite with a custom table. */
async function benchTable(table: NonNullable<Suite['table']>) {
  say('Starting')
  const atrium = await keep(startAtrium(env, options.profile))
  say(`${suite.title}: preparing ${whole(records)} records`)
  const measure = await onStage(atrium.base, env, (stage) => table(stage, records, options.only))
  show(await measure({ atrium, seconds, only: options.only, say }))
}

/** Compares this product with another commit's. */
async function benchBeside(commit: string) {
  const { suite, only } = options
  show(
    await compareWith({ commit, suite, records, workspaces, only, seconds, connections, say, atEnd }),
    `${connections} connections, `,
  )
}

function show({ head, rows, notes = [], figures }: Table, more = '') {
  printMachine(more)
  printTable(head, rows)
  for (const note of notes) console.log(note)
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ seconds, records, head, rows, figures }, null, 2)}\n`)
}

function printMachine(more = '') {
  console.log(`\n${cpus().length} × ${cpus()[0]?.model}, node ${process.version}, ${more}${seconds} s each\n`)
}

export interface RouteFigures {
  key: string
  name: string
  atLeast?: number
  ours: Load
  bytes: Load
  /** Absent if the work isn't the database's. */
  sql?: Load
  /** The same on prepared plans, as in Atrium. */
  prepared?: Load
}

async function measureRoute(
  { key, name, atLeast, target, by = connections, bare: { bytes } }: Case,
  n: number,
  bare: Server,
): Promise<RouteFigures> {
  say(`${name} (${whole(bytes.length)} bytes)`)
  const isPdf = key.startsWith('pdf')
  const { paths: _, tokens: __, ...single } = target
  const targets = [target, { ...single, url: `${bare.base}/bytes/${n}` }]
  if (!isPdf) for (const kind of ['sql', 'prepared']) targets.push({ ...single, url: `${bare.base}/${kind}/${n}` })
  const loads = await compare(targets, { seconds, connections: by })
  const [ours, fixed, sql, prepared] = loads as [Load, Load, Load?, Load?]
  return { key, name, atLeast, ours, bytes: fixed, sql, prepared }
}

/** Measures the first start, which creates the database, and the median of three later ones. */
async function measureStartUp() {
  const starts: number[] = []
  for (let n = 0; n < 4; n++) {
    const atrium = await keep(startAtrium(env))
    starts.push(atrium.readyAfter)
    await atrium.stop()
    running.delete(atrium)
  }
  const [fresh, ...later] = starts as [number, ...number[]]
  return { fresh, existing: later.sort((a, b) => a - b)[1]! }
}

interface Figures {
  routes: RouteFigures[]
  figures: [string, string][]
  startUp: { fresh: number; existing: number }
  pdfCold: number | undefined
  idle: Memory
  loaded: Memory
}

function report(all: Figures) {
  const { routes, figures, startUp, pdfCold, idle, loaded } = all
  const of = (key: string) => routes.find((route) => route.key === key)
  const share = ({ ours, prepared }: RouteFigures) => prepared && ours.perSecond / prepared.perSecond
  const [small, large] = [of('listSmall'), of('listLarge')]
  const growth = small && large && small.ours.perSecond / large.ours.perSecond
  const below = (limit: number, value: number, unit: string): Aim => ({ says: `< ${limit} ${unit}`, met: value < limit })
  const aimOf = (route: RouteFigures): Aim | undefined => {
    if (route.key.startsWith('pdf')) return below(10, route.ours.p50, 'ms')
    const { atLeast } = route
    if (!atLeast) return undefined
    const { p50, p99 } = route.ours
    return {
      says: `≥ ${percent(atLeast)} of prepared, p99 ≤ ${SLOWEST} × p50`,
      met: share(route)! >= atLeast && p99 <= SLOWEST * p50,
    }
  }

  printMachine(`${connections} connections, `)
  printTable(
    ['requests a second', 'Atrium', 'bare bytes', 'bare SQL', 'prepared', 'of prepared', 'p50', 'p99', 'aim'],
    routes.map((route) => [
      route.name,
      ...[route.ours, route.bytes, route.sql, route.prepared].map((one) => whole(one?.perSecond)),
      percent(share(route)),
      milliseconds(route.ours.p50),
      milliseconds(route.ours.p99),
      verdict(aimOf(route)),
    ]),
  )
  const memory = ({ node, postgres, total }: Memory) => `${whole(total)} MB (node ${whole(node)}, PostgreSQL ${whole(postgres)})`
  printTable(
    ['', 'Atrium', 'aim'],
    [
      ...figures.map(([name, value]) => [name, value, '']),
      ...(growth
        ? [['cost of a list, large to small', `${growth.toFixed(2)} ×`, verdict({ says: '≤ 1.2 ×', met: growth <= 1.2 })]]
        : []),
      ...(pdfCold ? [['first PDF of the process', milliseconds(pdfCold), '']] : []),
      ['ready on a fresh folder', milliseconds(startUp.fresh), verdict(below(10_000, startUp.fresh, 'ms'))],
      ['ready on an existing database', milliseconds(startUp.existing), verdict(below(1200, startUp.existing, 'ms'))],
      ['memory, idle after the start', memory(idle), verdict(below(200, idle.total, 'MB'))],
      ['memory, after the load', memory(loaded), ''],
    ],
  )
  console.log(`bare bytes: Fastify sends the same reply from memory. bare SQL: Fastify sends, on plain pg, the statements that our
request sends (the session's too; for create its inserts alone), as superuser, planned each time, and answers JSON.stringify of the rows. prepared: the same on prepared plans, as ours are: the honest limit.`)
  if (!idle.shares) console.log('Memory is resident size here: what PostgreSQL processes share is counted several times.')
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ seconds, records, connections, ...all }, null, 2)}\n`)
}

async function get({ url, headers }: Target) {
  const reply = await fetch(url, { headers })
  await reply.arrayBuffer()
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}`)
}

async function time(work: () => Promise<unknown>) {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function keep(starting: Promise<Server>) {
  const server = await starting
  running.add(server)
  return server
}

/** Runs once, even if several exits happen at once. */
function cleanUp() {
  cleaning ??= end()
  return cleaning
}

async function end() {
  await Promise.all([...running].map((server) => server.stop()))
  for (const ending of endings.reverse()) await ending()
  rmSync(ownDir, { recursive: true, force: true })
}

function say(what: string) {
  console.log(`· ${what}`)
}
