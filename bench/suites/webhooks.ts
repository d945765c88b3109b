/**
 * Latency of webhooks: for a minute, records are created in many workspaces, each with several endpoints, some of which never
 * reply. Also measures a page of a long feed.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Filled, Running, Suite } from '../prepare.ts'
import { type Table, verdict, whole } from '../table.ts'

const WORKSPACES = 50
const ENDPOINTS = 20
/** Endpoints of each workspace that never reply. */
const HANGING = 2
/** Deliveries per minute, to replying and hanging endpoints. */
const A_MINUTE = 10_000
const SECONDS = 60
/** Maximum 99th percentile of the time from the request's reply to the webhook's arrival, in milliseconds. */
const P99 = 2000
/** Events of one workspace, and maximum time for a page of them in milliseconds. */
const FEED = 1_000_000
const PAGE = 10
/** Maximum share of an event's row in the time of a creation. */
const SHARE = 0.05
const TURNS = 400

const arrivals: { label: string; at: number }[] = []
let repeated = 0
let receiver: Awaited<ReturnType<typeof startReceiver>>

/** Starts a server that records requests below /told, and never replies below /hang. */
async function startReceiver() {
  const seen = new Set<string>()
  const server = createServer(async (request, response) => {
    const parts = await request.toArray()
    if (request.url!.startsWith('/hang')) return
    const { subject } = JSON.parse(Buffer.concat(parts).toString())
    const what = `${request.url} ${request.headers['webhook-id']}`
    if (seen.has(what)) repeated++
    else arrivals.push({ label: subject.label, at: performance.now() })
    seen.add(what)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.close()
    server.closeAllConnections()
  }
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

export default {
  title: 'Webhooks',
  async surroundings() {
    receiver = await startReceiver()
    return { env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, stop: receiver.stop }
  },
  async table({ workspace, ask, databaseUrl }) {
    const firms: Filled[] = []
    for (let n = 0; n < WORKSPACES; n++) {
      const firm = await workspace(1)
      firms.push(firm)
      for (let e = 0; e < ENDPOINTS; e++) {
        const url = `${receiver.base}/${e < HANGING ? 'hang' : 'told'}/${n}/${e}`
        const { statusCode, body } = await ask(firm.token, '/api/tenant/v1/webhook-endpoints', { url, types: ['vendor.created'] })
        if (statusCode !== 201) throw new Error(body)
      }
    }
    const reader = await workspace(1)
    await ask(reader.token, '/api/tenant/v1/vendors', { name: 'Told of' })
    await ask(reader.token, '/api/tenant/v1/events') // assigns the event's position
    await fillFeed(databaseUrl, reader.id)
    return (running) => measure(running, firms, reader, databaseUrl)
  },
} satisfies Suite

/** Fills a feed as after many actions: activities of one vendor, each with its position. */
async function fillFeed(connectionString: string, tenantId: number) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query('SELECT coalesce(max(position), 0)::int AS last FROM activities WHERE tenant_id = $1', [
      tenantId,
    ])
    const { rowCount } = await client.query(
      `INSERT INTO activities (tenant_id, subject_type, subject_id, type, properties, actor_id, created_at, position)
       SELECT $1, a.subject_type, a.subject_id, a.type, a.properties, a.actor_id, now(), $2::int + n
       FROM generate_series(1, $3::int) n,
         (SELECT * FROM activities WHERE tenant_id = $1 AND type = 'created' AND subject_type = 'vendors' LIMIT 1) a`,
      [tenantId, rows[0].last, FEED],
    )
    if (rowCount !== FEED) throw new Error(`${rowCount} events instead of ${FEED}`)
    await client.query('UPDATE event_feeds SET last = $2::int + $3::int WHERE tenant_id = $1', [tenantId, rows[0].last, FEED])
    await client.query('VACUUM (ANALYZE) activities')
  } finally {
    await client.end()
  }
}

/**
 * Measures what an event's row adds to the statement that creates a record, relative to the whole request. Both variants
 * alternate, so that other load on the machine affects them alike. The row is sent with the record, so it costs no round trip.
 */
async function rowOfEvent(connectionString: string, tenantId: number, create: () => Promise<Response>) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const record = `INSERT INTO vendors (tenant_id, name, created_at, updated_at) VALUES ($1, 'Made', now(), now()) RETURNING tenant_id, id`
  const texts = {
    without: record,
    with: `WITH made AS (${record}) INSERT INTO activities (tenant_id, subject_type, subject_id, type, properties, created_at)
      SELECT tenant_id, 'vendors', id, 'created', '{}', now() FROM made RETURNING tenant_id, id`,
  }
  const timed = async (work: () => Promise<unknown>) => {
    const at = performance.now()
    await work()
    return performance.now() - at
  }
  const took: Record<'with' | 'without' | 'whole', number[]> = { with: [], without: [], whole: [] }
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      for (const name of turn % 2 ? (['with', 'without'] as const) : (['without', 'with'] as const))
        took[name].push(await timed(() => client.query({ name, text: texts[name], values: [tenantId] })))
      took.whole.push(await timed(async () => (await create()).arrayBuffer()))
    }
  } finally {
    await client.end()
  }
  const median = (of: number[]) => of.toSorted((a, b) => a - b)[of.length >> 1]!
  return { more: median(took.with) - median(took.without), whole: median(took.whole) }
}

async function measure({ atrium, say }: Running, firms: Filled[], reader: Filled, databaseUrl: string): Promise<Table> {
  const call = (token: string, path: string, body?: object) =>
    fetch(`${atrium.base}/api/tenant/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  say('Telling')
  const deeds = Math.round(A_MINUTE / ENDPOINTS)
  const done = new Map<string, number>()
  const began = performance.now()
  await Promise.all(
    Array.from({ length: deeds }, async (_, n) => {
      await sleep((n * SECONDS * 1000) / deeds)
      const name = `Deed ${n}`
      const reply = await call(firms[n % firms.length]!.token, '/vendors', { name })
      if (reply.status !== 201) throw new Error(await reply.text())
      done.set(name, performance.now())
    }),
  )
  const expected = deeds * (ENDPOINTS - HANGING)
  while (arrivals.length < expected && performance.now() - began < 4 * SECONDS * 1000) await sleep(100)
  const took = (Math.max(...arrivals.map(({ at }) => at)) - began) / 1000
  const delays = arrivals.map(({ label, at }) => at - done.get(label)!).sort((a, b) => a - b)
  const slowest = delays[Math.floor(delays.length * 0.99)]!

  say('Reading the feed')
  const pages: number[] = []
  for (let n = 0; n < 200; n++) {
    const after = Math.floor((n * FEED) / 200)
    const at = performance.now()
    const reply = await call(reader.token, `/events?after=${after}&limit=100`)
    const { data } = (await reply.json()) as { data: unknown[] }
    pages.push(performance.now() - at)
    if (data.length !== 100) throw new Error(`A page of ${data.length} events`)
  }
  pages.sort((a, b) => a - b)
  say('Writing')
  const row = await rowOfEvent(databaseUrl, reader.id, () => call(reader.token, '/vendors', { name: 'Made' }))
  const ms = (value: number) => `${value.toFixed(0)} ms`
  return {
    head: ['what', 'median', 'p99', 'aim'],
    rows: [
      [
        `${whole(deeds * ENDPOINTS)} deliveries in ${SECONDS} s, ${WORKSPACES * HANGING} of ${WORKSPACES * ENDPOINTS} endpoints hang`,
        ms(delays[Math.floor(delays.length / 2)]!),
        ms(slowest),
        verdict({ says: `p99 < ${P99} ms`, met: slowest < P99 && arrivals.length === expected }),
      ],
      [
        `a page of 100 of ${whole(FEED)} events`,
        `${pages[100]!.toFixed(1)} ms`,
        `${pages[198]!.toFixed(1)} ms`,
        verdict({ says: `median < ${PAGE} ms`, met: pages[100]! < PAGE }),
      ],
      [
        `the event's row, of a creation that takes ${row.whole.toFixed(1)} ms`,
        `${row.more.toFixed(2)} ms`,
        '',
        verdict({
          says: `≤ ${SHARE * 100} % (${((row.more / row.whole) * 100).toFixed(1)} %)`,
          met: row.more <= SHARE * row.whole,
        }),
      ],
    ],
    notes: [
      `${whole(arrivals.length)} of ${whole(expected)} arrived, the last after ${took.toFixed(1)} s; ${repeated} of them twice.`,
    ],
  }
}
