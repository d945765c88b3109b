/**
 * One large workspace among many small ones: all lists, counts and records in the API document, in the small and in the large
 * one. Measured before and after PostgreSQL switches to generic plans (from the sixth call on a connection).
 */
import { openApi } from '#kernel/http/openapi.ts'
import type { Running, Stage, Suite } from '../prepare.ts'
import { skewedDatabase, workspacesIn } from '../skew/database.ts'
import { type Asked, type Kind, requestsOf } from '../skew/requests.ts'
import { milliseconds, type Table, verdict } from '../table.ts'

const api = '/api/tenant/v1'
const LEAST = 100

interface Limit {
  /** Factor of the time of the small workspace's later calls. */
  times?: number
  ms?: number
}
const AS_SMALL: Limit = { times: 1.5 }
const limits: Record<Kind, Limit> = {
  list: AS_SMALL,
  board: AS_SMALL,
  stats: AS_SMALL,
  show: AS_SMALL,
  widgets: AS_SMALL,
  other: AS_SMALL,
  few: { times: 3 },
  many: { ms: 1000 },
  sort: { ms: 100 },
  filter: { ms: 100 },
  deep: { ms: 100 },
}
/** Minimum divisor of ratios, in milliseconds. */
const FLOOR = 2
/** Calls of one connection with custom plans. */
const PLANNED = 5
/** Calls between those and the later ones. */
const BETWEEN = 3
const LATER = 9
/** Time budget of a row in milliseconds, beyond which fewer calls are made. */
const BUDGET = 2000

interface Row extends Asked {
  small?: number
  first: number
  later: number
  ratio?: number
  isOver: boolean
}

export default {
  title: 'Skew',
  kept: skewedDatabase,
  async targets(stage, only) {
    const { large } = await partiesOf(stage, only)
    return large.asked
      .filter(({ kind }) => ['list', 'stats', 'board', 'few', 'widgets'].includes(kind))
      .map(({ name, path }) => ({ name, target: { url: api + path, headers: headersOf(large.token) } }))
  },
  async table(stage, _, only) {
    const { small, large } = await partiesOf(stage, only)
    return (running) => measureAll(running, small, large)
  },
} satisfies Suite

interface Party {
  token: string
  asked: Asked[]
  left: string[]
}

const headersOf = (token: string) => ({ authorization: `Bearer ${token}` })

/** Requests are made by this process on its own connections: those of the measured server must stay fresh. */
async function partiesOf({ services, ask, tokenOf }: Stage, only: string[]): Promise<{ small: Party; large: Party }> {
  const document = JSON.parse(JSON.stringify(await openApi(services.modules, 'workspace', '')))
  const wanted = (template: string) => !only.length || only.some((one) => template.startsWith(`/${one}`))
  const party = async (id: number, least: number): Promise<Party> => {
    const token = await tokenOf(id)
    const get = async (path: string) => {
      const reply = await ask(token, api + path)
      return { status: reply.statusCode, body: reply.json() }
    }
    return { token, ...(await requestsOf(document, get, { least, wanted, now: services.clock.now() })) }
  }
  const { small, large } = workspacesIn(services.config.DATA_DIR)
  return { small: await party(small, 0), large: await party(large, LEAST) }
}

async function measureAll({ atrium, say }: Running, small: Party, large: Party): Promise<Table> {
  const rows: Row[] = []
  const call = async (token: string, path: string) => {
    const began = performance.now()
    const reply = await fetch(atrium.base + api + path, { headers: headersOf(token) })
    await reply.arrayBuffer()
    if (!reply.ok) say(`${path} answered ${reply.status}`)
    return performance.now() - began
  }
  const smalls = new Map(small.asked.map(({ name, path }) => [name, path]))
  const module = ({ name }: Asked) => name.split(/[/?]/)[1]!
  for (const asked of large.asked) {
    if (module(asked) !== (rows.length ? module(rows.at(-1)!) : undefined)) say(module(asked))
    const limit = limits[asked.kind]
    const began = performance.now()
    const times = async (token: string, path: string, least: number, most: number) => {
      const took: number[] = []
      while (took.length < least || (took.length < most && performance.now() - began < BUDGET)) took.push(await call(token, path))
      return took
    }
    // The first call reads uncached data and compiles code, which doesn't concern plans.
    const [, ...first] = await times(large.token, asked.path, 2, PLANNED)
    await times(large.token, asked.path, PLANNED - first.length, PLANNED + BETWEEN - 1 - first.length)
    const path = limit.times ? smalls.get(asked.name) : undefined
    if (path) await times(small.token, path, BETWEEN, BETWEEN)
    // Calls alternate, so that other load on the machine affects both alike.
    const later: number[] = []
    const laterSmall: number[] = []
    while (!later.length || (later.length < LATER && performance.now() - began < BUDGET)) {
      later.push(await call(large.token, asked.path))
      if (path) laterSmall.push(await call(small.token, path))
    }
    const row: Row = { ...asked, first: median(first), later: median(later), isOver: false }
    if (limit.times && path) {
      row.small = median(laterSmall)
      row.ratio = row.later / Math.max(FLOOR, row.small)
      row.isOver = Math.max(row.later, row.first) / Math.max(FLOOR, row.small) > limit.times
    }
    if (limit.ms) row.isOver = Math.max(row.first, row.later) > limit.ms
    rows.push(row)
  }
  return tableOf(rows, large.left)
}

const median = (some: number[]) => some.sort((a, b) => a - b)[some.length >> 1]!

/** Returns the printed table, without sorts, filters and the like within their limit. */
function tableOf(rows: Row[], left: string[]): Table {
  const shown = rows.filter(({ kind, isOver }) => isOver || !['sort', 'filter', 'deep', 'show', 'other'].includes(kind))
  const says = ({ times, ms }: Limit) => (times ? `≤ ${times} × small` : `≤ ${ms} ms`)
  return {
    head: ['', 'small', 'large, first', 'large, later', 'ratio', 'aim'],
    rows: shown.map((row) => [
      row.name,
      milliseconds(row.small),
      milliseconds(row.first),
      milliseconds(row.later),
      row.ratio === undefined ? '–' : row.ratio.toFixed(1),
      verdict({ says: says(limits[row.kind]), met: !row.isOver }),
    ]),
    notes: [
      ...[...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, some]) => {
        const over = some.filter(({ isOver }) => isOver).length
        return `${kind}: ${some.length} asked, ${over} over their limit`
      }),
      ...(left.length ? [`No value to ask with: ${left.join(', ')}`] : []),
    ],
    figures: rows,
  }
}
