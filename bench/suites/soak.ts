/**
 * Measures what accumulates under everyday load. `--seconds 1800` runs it for half an hour. Several companies work at a steady
 * rate, with webhooks, open screens, redirects and mail. Figures that should stay constant (memory, connections, files, queues)
 * are compared between the first third and the last.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { PASSWORD } from '../../test/mailboxes.ts'
import { startSubmission } from '../../test/submission.ts'
import { connect } from '../listener.ts'
import { apiAt, dataOf } from '../neighbours/api.ts'
import type { Filled, Running, Suite } from '../prepare.ts'
import { deeds, type Firm, nextDeed, type Person } from '../soak/day.ts'
import { look, type Sample, type Watched } from '../soak/samples.ts'
import { percent, type Table, verdict, whole } from '../table.ts'

const FIRMS = 8
/** Users per company. Each has at most one running action. */
const PEOPLE = 6
/** Interval between the starts of a user's actions. */
const EVERY_MS = 600
const REDIRECTS_A_SECOND = 5
const LOOK_EVERY_MS = 10_000
/** Share of the total time in which caches and pools settle. */
const WARM_UP = 0.25
/** Maximum ratio of the last third to the first. More counts as accumulation. */
const MORE = 1.15

interface Told {
  mails: Awaited<ReturnType<typeof startSubmission>>
  hooks: { base: string; count: number; stop(): void }
}
let told: Told

async function startHooks() {
  const hooks = { base: '', count: 0, stop: () => void server.close() }
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end())
    hooks.count++
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  hooks.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return hooks
}

export default {
  title: 'Soak',
  async surroundings() {
    told = { mails: await startSubmission(PASSWORD), hooks: await startHooks() }
    const address = `smtp://service:${encodeURIComponent(PASSWORD)}@127.0.0.1:${told.mails.port}`
    return {
      env: { SMTP_URL: address, ALLOW_INTERNAL_MAIL_HOSTS: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
      async stop() {
        told.hooks.stop()
        await told.mails.stop()
      },
    }
  },
  async table({ services, workspace, ask }, records) {
    const firms: (Filled & { firm: Firm })[] = []
    for (let n = 0; n < FIRMS; n++) {
      // One is much larger than the others.
      const filled = await workspace(n ? Math.ceil(records / 100) : records / 10, PEOPLE)
      const idsOf = async (path: string): Promise<number[]> => {
        const { data } = (await ask(filled.token, `/api/tenant/v1/${path}per_page=100`)).json()
        return data.map(({ id }: { id: number }) => id)
      }
      const make = async (path: string, body: object) => {
        const made = await ask(filled.token, `/api/tenant/v1/${path}`, body)
        if (made.statusCode !== 201) throw new Error(made.body)
      }
      const code = `soak-${n}`
      await make('short-links', { title: 'Offer', code, destination_url: 'https://shop.example/' })
      await make('webhook-endpoints', { url: `${told.hooks.base}/${n}`, types: ['vendor.created', 'invoice.created'] })
      const firm = {
        code,
        vendors: await idsOf('vendors?'),
        invoices: await idsOf('invoices?'),
        orders: await idsOf('purchase-orders?status=sent&'),
      }
      firms.push({ ...filled, firm })
    }
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { DATA_DIR } = services.config
    return (running) => measure(running, firms, DATA_DIR)
  },
} satisfies Suite

interface Took {
  at: number
  name: string
  ms: number
  isRight: boolean
  status: number
}

async function measure({ atrium, seconds, say }: Running, firms: (Filled & { firm: Firm })[], dataDir: string): Promise<Table> {
  const began = performance.now()
  const now = () => (performance.now() - began) / 1000
  const took: Took[] = []
  const samples: Sample[] = []
  let redirected = 0
  let notRedirected = 0
  const sockets = await Promise.all(
    firms.flatMap(({ id, tokens }) => tokens.map((token) => connect(id, token, atrium.base, () => {}))),
  )
  say(`Working for ${whole(seconds)} s`)
  const works = async (person: Person, firm: Firm, n: number) => {
    await sleep(((n * EVERY_MS) / (FIRMS * PEOPLE)) | 0)
    for (let next = performance.now(); now() < seconds; ) {
      const deed = nextDeed()
      const at = performance.now()
      const { status } = await deed.act(person, firm)
      took.push({ at: now(), name: deed.name, ms: performance.now() - at, isRight: status === (deed.answers ?? 200), status })
      next = Math.max(next + EVERY_MS, performance.now() - EVERY_MS)
      await sleep(Math.max(0, next - performance.now()))
    }
  }
  const follows = async () => {
    for (let n = 0; now() < seconds; n++) {
      const { firm } = firms[n % firms.length]!
      const visitor = `10.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`
      const reply = await fetch(`${atrium.base}/r/${firm.code}`, { redirect: 'manual', headers: { 'x-forwarded-for': visitor } })
      await reply.arrayBuffer()
      reply.status === 302 ? redirected++ : notRedirected++
      await sleep(1000 / REDIRECTS_A_SECOND)
    }
  }
  const watches = async () => {
    for (let next = LOOK_EVERY_MS / 1000; next < seconds; next += LOOK_EVERY_MS / 1000) {
      await sleep(Math.max(0, next - now()) * 1000)
      samples.push({ at: now(), figures: await look(atrium, dataDir) })
      const minute = Math.floor(now() / 60)
      if (minute > Math.floor((now() - LOOK_EVERY_MS / 1000) / 60)) say(`${minute} min, ${whole(took.length)} deeds`)
    }
  }
  const people = firms.flatMap(({ tokens, firm }) =>
    tokens.map((token) => ({ firm, person: { api: apiAt({ base: atrium.base, token }), count: 0 } })),
  )
  // The first request must succeed, else nothing is measured.
  await dataOf(people[0]!.person.api.get('/me'))
  await Promise.all([...people.map(({ person, firm }, n) => works(person, firm, n)), follows(), watches()])
  for (const { socket } of sockets) socket.terminate()

  const from = seconds * WARM_UP
  const third = (seconds - from) / 3
  const thirds = [0, 1, 2].map((n) => ({
    samples: samples.filter(({ at }) => at >= from + n * third && at < from + (n + 1) * third),
    took: took.filter(({ at }) => at >= from + n * third && at < from + (n + 1) * third),
  }))
  const wrong = took.filter(({ isRight }) => !isRight)
  return {
    head: ['', 'first third', 'second', 'last', 'aim'],
    rows: [...rowsOf(thirds.map((one) => one.samples)), ...timesOf(thirds.map((one) => one.took)), growthOf(thirds)],
    notes: [
      `${whole(took.length)} deeds, ${wrong.length} of them answered otherwise than they should${wrong.length ? `: ${counts(wrong)}` : ''}.`,
      `${whole(redirected)} redirects, ${notRedirected} refused; ${whole(told.hooks.count)} webhooks, ${whole(told.mails.submitted.length)} mails, ${sockets.length} open screens.`,
    ],
    figures: { samples, took },
  }
}

/** Figures that should stay constant: unit, and permitted absolute increase. */
const WATCHED: Partial<Record<Watched, { unit: string; slack: number }>> = {
  node: { unit: 'MB', slack: 10 },
  heap: { unit: 'MB', slack: 10 },
  children: { unit: 'MB', slack: 20 },
  postgres: { unit: 'MB', slack: 10 },
  'files open': { unit: '', slack: 10 },
  connections: { unit: '', slack: 2 },
  'jobs waiting': { unit: '', slack: 20 },
  'oldest job': { unit: 's', slack: 10 },
  'jobs given up': { unit: '', slack: 0 },
}
/** Maximum size of PostgreSQL's write-ahead log: a gigabyte. */
const MOST_LOG_MB = 1024

function rowsOf(thirds: Sample[][]): string[][] {
  const medianOf = (name: Watched) => thirds.map((samples) => median(samples.map(({ figures }) => figures[name])))
  const rows = Object.entries(WATCHED).map(([name, { unit, slack }]) => {
    const values = medianOf(name as Watched)
    const [first, last] = [values[0]!, values[2]!]
    const says = `≤ ${MORE} × the first`
    return [
      name,
      ...values.map((value) => `${whole(value)} ${unit}`.trim()),
      verdict({ says, met: last <= first * MORE + slack }),
    ]
  })
  const log = medianOf('log of changes')
  const met = log[2]! <= MOST_LOG_MB
  return [...rows, ['log of changes', ...log.map((value) => `${whole(value)} MB`), verdict({ says: `≤ ${MOST_LOG_MB} MB`, met })]]
}

function timesOf(thirds: Took[][]): string[][] {
  return deeds.map(({ name }) => {
    const at = (share: number) =>
      thirds.map((took) => {
        const all = took.filter((one) => one.name === name).map(({ ms }) => ms)
        return all.sort((a, b) => a - b)[Math.floor(share * (all.length - 1))] ?? Number.NaN
      })
    const [medians, slowest] = [at(0.5), at(0.95)]
    const cells = medians.map((ms, n) => `${ms.toFixed(0)} ms (95 of 100: ${slowest[n]!.toFixed(0)})`)
    return [`${name}, median`, ...cells, '']
  })
}

/** Data grow with the created records, so equally fast in the last third as in the first. */
function growthOf(thirds: { samples: Sample[]; took: Took[] }[]): string[] {
  const values = thirds.map(({ samples, took }) => {
    const grown = (samples.at(-1)?.figures.data ?? 0) - (samples[0]?.figures.data ?? 0)
    return (grown / took.length) * 1000
  })
  const met = values[2]! <= Math.max(values[0]! * 1.5, values[0]! + 1)
  return [
    'data, by 1,000 deeds',
    ...values.map((mb) => `${mb.toFixed(1)} MB`),
    verdict({ says: `≤ ${percent(1.5)} of the first`, met }),
  ]
}

const median = (of: number[]) => of.toSorted((a, b) => a - b)[of.length >> 1] ?? Number.NaN

function counts(wrong: Took[]): string {
  const by = Map.groupBy(wrong, ({ name, status }) => `${name}: ${status || 'no answer'}`)
  return [...by].map(([what, { length }]) => `${length} × ${what}`).join(', ')
}
