/**
 * `node bench/cpu.ts`: CPU time per request of Atrium and of its PostgreSQL, in milliseconds. On a machine with other load it is
 * steadier than requests per second; the minimum of several rounds counts. The client is this process, whose time doesn't count.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import type { Stage } from './prepare.ts'
import { atriumEnv, freePort, type Server } from './servers.ts'
import { printTable } from './table.ts'

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '2000' },
    requests: { type: 'string', default: '3000' }, // of each kind per round
    connections: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true, default: [] }, // kinds of request, by the beginning of their names
    against: { type: 'string' }, // another checkout, measured alternately with this one
    profile: { type: 'string' }, // a folder for a CPU profile of Atrium
  },
})
const [records, requests, connections, rounds] = [options.records, options.requests, options.connections, options.rounds].map(
  Number,
) as [number, number, number, number]

const API = '/api/tenant/v1'
/** Length of Linux's CPU time unit in milliseconds. */
const TICK = 10

/** Kind of request, with its limit. */
interface Kind {
  name: string
  limit?: number
  path: string
  body?: object
}

/** CPU time per request in milliseconds. */
interface Cost {
  node: number
  postgres: number
}

/** Running Atrium with its minimum costs. */
interface Side {
  name: string
  atrium: Server
  dataDir: string
  token: string
  kinds: Kind[]
  least: Map<string, Cost>
}

const sides: Side[] = []
const folders: string[] = []
try {
  sides.push(await start('this', join(import.meta.dirname, '..')))
  if (options.against) sides.unshift(await start('against', options.against))
  await sleep(2000) // until the connections that filled the databases have ended
  for (let round = 0; round <= rounds; round++)
    // the first round is a warm-up
    for (const { name } of sides[0]!.kinds) for (const side of sides) await measure(side, name, round > 0)
  printTable(
    ['CPU a request', ...(options.against ? [''] : []), 'Node', 'PostgreSQL', 'together', 'at most'],
    sides[0]!.kinds.flatMap(({ name, limit }) =>
      sides.map((side) => {
        const { node, postgres } = side.least.get(name)!
        return [name, ...(options.against ? [side.name] : []), ms(node), ms(postgres), ms(node + postgres), ms(limit)]
      }),
    ),
  )
} finally {
  for (const { atrium } of sides) await atrium.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/** Starts and fills the Atrium of a checkout, with that checkout's own code. */
async function start(name: string, checkout: string): Promise<Side> {
  const { onStage } = (await import(join(checkout, 'bench/prepare.ts'))) as typeof import('./prepare.ts')
  const { startAtrium } = (await import(join(checkout, 'bench/servers.ts'))) as typeof import('./servers.ts')
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-cpu-'))
  folders.push(dataDir)
  const env = atriumEnv(dataDir, await freePort())
  const atrium = await startAtrium(env, options.profile && join(options.profile, name))
  return { name, atrium, dataDir, least: new Map(), ...(await onStage(atrium.base, env, prepare)) }
}

async function prepare({ services, workspace, ask }: Stage) {
  const { token } = await workspace(records)
  await services.database.statement('VACUUM (ANALYZE)', [])
  const about = async (path: string) => (await ask(token, API + path)).json().data
  const found: { id: number; vendor_id: number }[] = await about('/purchase-orders?status=received&per_page=100')
  const details = await Promise.all(found.map(({ id }) => about(`/purchase-orders/${id}`)))
  const ten = details.find((order) => order.lines.length === 10)
  const lines = ten.lines.map(({ description, quantity, unit_price, tax_rate, product_id }: any) => {
    return { description, quantity, unit_price, tax_rate, product_id }
  })
  const [invoice] = await about('/invoices?per_page=1')
  const all: Kind[] = [
    { name: 'stats', limit: 0.4, path: '/purchase-orders/stats' },
    { name: 'show with ten lines', limit: 0.8, path: `/purchase-orders/${ten.id}` },
    { name: 'list of 25', limit: 0.95, path: '/purchase-orders' },
    { name: 'me', limit: 0.45, path: '/me' },
    {
      name: 'create with ten lines',
      limit: 2.2,
      path: '/purchase-orders',
      body: { vendor_id: ten.vendor_id, title: 'Measured', lines },
    },
    { name: 'invoice: show', path: `/invoices/${invoice.id}` },
    { name: 'invoices: list of 25', path: '/invoices' },
  ]
  const { only } = options
  return { token, kinds: all.filter(({ name }) => !only.length || only.some((asked) => name.startsWith(asked))) }
}

async function measure({ atrium, dataDir, token, kinds, least }: Side, name: string, counts: boolean) {
  const { path, body } = kinds.find((kind) => kind.name === name)!
  const amount = body ? Math.ceil(requests / 2) : requests
  const before = timesOf(atrium.pid, dataDir)
  const result = await autocannon({
    url: atrium.base + API + path,
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
    connections,
    amount,
  })
  if (result['2xx'] !== amount) throw new Error(`${path}: only ${result['2xx']} of ${amount} were answered well`)
  const after = timesOf(atrium.pid, dataDir)
  const cost = { node: (after.node - before.node) / amount, postgres: (after.postgres - before.postgres) / amount }
  const known = least.get(name)
  if (counts && !(known && known.node + known.postgres <= cost.node + cost.postgres)) least.set(name, cost)
}

/** Returns CPU milliseconds so far: of the process, and of PostgreSQL with all its children, including ended ones. */
function timesOf(pid: number, dataDir: string): Cost {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  const children = readdirSync('/proc').flatMap((name) => {
    const [, parent] = /^\d+$/.test(name) ? statOf(Number(name)) : []
    return parent === postmaster ? [Number(name)] : []
  })
  const own = (one: number) => added(statOf(one).slice(11, 13)) // utime, stime
  const ended = added(statOf(postmaster).slice(13, 15)) // cutime, cstime
  const ticks = [postmaster, ...children].reduce((total, one) => total + own(one), ended)
  return { node: own(pid) * TICK, postgres: ticks * TICK }
}

/** Returns the numbers in `/proc/<pid>/stat` after the name, starting with the state; empty once the process has ended. */
function statOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number)
  } catch {
    return []
  }
}

function added(numbers: number[]) {
  return numbers.reduce((total, one) => total + one, 0)
}

function ms(value: number | undefined) {
  return value === undefined ? '' : value.toFixed(2)
}
