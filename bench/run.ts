/**
 * `npm run bench`: each of our routes beside the limit of the same machine, start-up and memory, beside what we aim at.
 * Everything runs on this machine: Atrium as its own process, the bare server as another, the load from here.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { compare, type Load, type Target } from './load.ts'
import { type Case, prepare } from './prepare.ts'
import { atriumEnv, freePort, type Memory, memoryOf, type Server, startAtrium, startBare } from './servers.ts'
import { type Aim, milliseconds, percent, printTable, verdict, whole } from './table.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    records: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '16' },
    json: { type: 'string' }, // a file for the figures
    profile: { type: 'string' }, // a folder for a CPU profile of Atrium under load
  },
})
const [seconds, records, connections] = [options.seconds, options.records, options.connections].map(Number) as [
  number,
  number,
  number,
]

const dataDir = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
const running = new Set<Server>()
const port = await freePort()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cleanUp().then(() => process.exit(130)))
try {
  await bench()
} finally {
  await cleanUp()
}

async function bench() {
  say('Starting')
  const startUp = await measureStartUp()
  const atrium = await keep(startAtrium(dataDir, port, options.profile))
  await sleep(5000)
  const idle = memoryOf(atrium, dataDir)

  say(`Filling a workspace of ${whole(records)} purchase orders`)
  const { cases, databaseUrl, seededIn } = await prepare(atrium.base, atriumEnv(dataDir, port), records)
  const of = (key: string) => cases.find((one) => one.key === key)!
  await time(() => get(of('show').target)) // so that the first PDF is measured, and not the first request
  const pdfCold = await time(() => get(of('pdfSame').target))

  const bare = await keep(startBare({ databaseUrl, routes: cases.map((one) => one.bare) }))
  const routes: RouteFigures[] = []
  for (const [n, one] of cases.entries()) routes.push(await measureRoute(one, n, bare))
  await sleep(5000)
  const loaded = memoryOf(atrium, dataDir)

  report({ routes, startUp, pdfCold, seededIn, idle, loaded })
}

export interface RouteFigures {
  key: string
  name: string
  ours: Load
  bytes: Load
  /** Nothing to compare with where the work isn't the database's. */
  sql?: Load
  /** The same, on prepared plans such as ours. */
  prepared?: Load
}

async function measureRoute({ key, name, target, bare: { bytes } }: Case, n: number, bare: Server): Promise<RouteFigures> {
  say(`${name} (${whole(bytes.length)} bytes)`)
  const isPdf = key.startsWith('pdf')
  const { paths: _, tokens: __, ...single } = target
  const targets = [target, { ...single, url: `${bare.base}/bytes/${n}` }]
  if (!isPdf) for (const kind of ['sql', 'prepared']) targets.push({ ...single, url: `${bare.base}/${kind}/${n}` })
  const loads = await compare(targets, { seconds, connections: isPdf ? 1 : connections })
  const [ours, fixed, sql, prepared] = loads as [Load, Load, Load?, Load?]
  return { key, name, ours, bytes: fixed, sql, prepared }
}

/** The first start makes the database; the median of three later ones. */
async function measureStartUp() {
  const starts: number[] = []
  for (let n = 0; n < 4; n++) {
    const atrium = await keep(startAtrium(dataDir, port))
    starts.push(atrium.readyAfter)
    await atrium.stop()
    running.delete(atrium)
  }
  const [fresh, ...later] = starts as [number, ...number[]]
  return { fresh, existing: later.sort((a, b) => a - b)[1]! }
}

interface Figures {
  routes: RouteFigures[]
  startUp: { fresh: number; existing: number }
  pdfCold: number
  seededIn: number
  idle: Memory
  loaded: Memory
}

function report(figures: Figures) {
  const { routes, startUp, pdfCold, seededIn, idle, loaded } = figures
  const of = (key: string) => routes.find((route) => route.key === key)!
  const share = ({ ours, prepared }: RouteFigures) => prepared && ours.perSecond / prepared.perSecond
  const growth = of('listSmall').ours.perSecond / of('listLarge').ours.perSecond
  const atLeast60 = (key: string): Aim => ({ says: '≥ 60 % of prepared', met: share(of(key))! >= 0.6 })
  const below = (limit: number, value: number, unit: string): Aim => ({ says: `< ${limit} ${unit}`, met: value < limit })
  const aims: Record<string, Aim> = {
    listSmall: atLeast60('listSmall'),
    listLarge: atLeast60('listLarge'),
    show: atLeast60('show'),
    pdfSame: below(10, of('pdfSame').ours.p50, 'ms'),
    pdfDifferent: below(10, of('pdfDifferent').ours.p50, 'ms'),
  }

  console.log(
    `\n${cpus().length} × ${cpus()[0]?.model}, node ${process.version}, ${connections} connections, ${seconds} s each\n`,
  )
  printTable(
    ['requests a second', 'Atrium', 'bare bytes', 'bare SQL', 'prepared', 'of prepared', 'p50', 'p99', 'aim'],
    routes.map((route) => [
      route.name,
      ...[route.ours, route.bytes, route.sql, route.prepared].map((one) => whole(one?.perSecond)),
      percent(share(route)),
      milliseconds(route.ours.p50),
      milliseconds(route.ours.p99),
      verdict(aims[route.key]),
    ]),
  )
  const memory = ({ node, postgres, total }: Memory) => `${whole(total)} MB (node ${whole(node)}, PostgreSQL ${whole(postgres)})`
  printTable(
    ['', 'Atrium', 'aim'],
    [
      ['cost of a list, large to small', `${growth.toFixed(2)} ×`, verdict({ says: '≤ 1.15 ×', met: growth <= 1.15 })],
      ['first PDF of the process', milliseconds(pdfCold), ''],
      ['ready on a fresh folder', milliseconds(startUp.fresh), verdict(below(10_000, startUp.fresh, 'ms'))],
      ['ready on an existing database', milliseconds(startUp.existing), verdict(below(3000, startUp.existing, 'ms'))],
      ['memory, idle after the start', memory(idle), verdict(below(250, idle.total, 'MB'))],
      ['memory, after the load', memory(loaded), ''],
      [
        `demo of ${whole(records)} purchase orders`,
        `${(seededIn / 1000).toFixed(1)} s`,
        verdict(below(60, seededIn / 1000, 's')),
      ],
    ],
  )
  console.log(`bare bytes: Fastify sends the same reply from memory. bare SQL: Fastify sends, on plain pg, the statements that our
request sends (the session's too; for create its inserts alone), as superuser, planned each time, and answers JSON.stringify of the rows. prepared: the same on prepared plans, as ours are: the honest limit.`)
  if (!idle.shares) console.log('Memory is resident size here: what PostgreSQL processes share is counted several times.')
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ seconds, records, connections, ...figures }, null, 2)}\n`)
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

async function cleanUp() {
  await Promise.all([...running].map((server) => server.stop()))
  rmSync(dataDir, { recursive: true, force: true })
}

function say(what: string) {
  console.log(`· ${what}`)
}
