/**
 * Effect of a workspace on its neighbours: while one does its worst, another requests its user, sends mail, reads its mailbox and
 * has invoices issued. There is a row for each finding of the review of shared resources.
 */
import { rmSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startImapThread } from '../../test/imap-thread.ts'
import { PASSWORD } from '../../test/mailboxes.ts'
import { startSubmission } from '../../test/submission.ts'
import { fillLeads } from '../fill-leads.ts'
import { Refused } from '../neighbours/api.ts'
import { type Attack, attackerAt } from '../neighbours/attack.ts'
import children from '../neighbours/children.ts'
import { longestHold, loopWatchedAt } from '../neighbours/loop.ts'
import mailServers from '../neighbours/mail-servers.ts'
import { ADDRESS, type Neighbour, neighbourAt } from '../neighbours/neighbour.ts'
import { startPulse } from '../neighbours/pulse.ts'
import replies from '../neighbours/replies.ts'
import texts from '../neighbours/texts.ts'
import work from '../neighbours/work.ts'
import type { Running, Suite } from '../prepare.ts'
import { residentOf, type Server } from '../servers.ts'
import { type Table, verdict, whole } from '../table.ts'

const ORDERS = 50
/** Aims in milliseconds. */
const P99 = 250
const OUTCOME = 10_000
const AIM = `p99 < ${P99} ms, < ${OUTCOME / 1000} s`

/** Time from the start of an attack to the measurement, in milliseconds. */
const BEFORE = 1000
const TIMEOUT_MS = 30_000
/** Interval between mails of the neighbour: a user may mail ten documents a minute. */
const MAIL_EVERY = 6500
const AGAIN = 1000

const calm: Attack = { finding: '', does: 'nobody attacks', atOnce: 0, prepare: async () => async () => {} }
const attacks = [
  calm,
  ...[...texts, ...mailServers, ...work, ...children, ...replies].sort((a, b) => a.finding.localeCompare(b.finding)),
]
/** Maximum number of attacking workspaces. */
const ATTACKERS = Math.max(...attacks.map(({ attackers = 1 }) => attackers))

let submission: Awaited<ReturnType<typeof startSubmission>>
let receiver: { server: HttpServer; url: string; bodies: string[] }

/** Starts a server that receives webhooks and stores the neighbour's. */
async function startReceiver() {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (request.url === '/neighbour') bodies.push(body)
      response.end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
const loop = join(tmpdir(), `atrium-bench-loop-${process.pid}`)

export default {
  title: 'Neighbours',
  async surroundings() {
    submission = await startSubmission(PASSWORD)
    receiver = await startReceiver()
    const address = `smtp://service:${encodeURIComponent(PASSWORD)}@127.0.0.1:${submission.port}`
    return {
      env: {
        SMTP_URL: address,
        ALLOW_INTERNAL_MAIL_HOSTS: 'true',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        ...loopWatchedAt(loop),
      },
      async stop() {
        rmSync(loop, { force: true })
        receiver.server.closeAllConnections()
        receiver.server.close()
        await submission.stop()
      },
    }
  },
  async table({ services, databaseUrl, workspace, inside }, records) {
    const attackers = [await workspace(ORDERS)]
    await inside(attackers[0]!.id, (ctx) => fillLeads(ctx, records))
    while (attackers.length < ATTACKERS) attackers.push(await workspace(ORDERS))
    const neighbour = await workspace(ORDERS)
    const owner = { email: ADDRESS }
    await inside(neighbour.id, (ctx) =>
      ctx.tx.updateTable('users').set(owner).where('tenant_id', '=', neighbour.id).where('is_owner', '=', true).execute(),
    )
    await services.database.statement('VACUUM (ANALYZE)', [])
    const calmDown = () => settle(databaseUrl, neighbour.id)
    return (running) =>
      measureAll(running, { attackers: attackers.map(({ token }) => token), neighbour: neighbour.token, calmDown })
  },
} satisfies Suite

interface Parties {
  attackers: string[]
  neighbour: string
  /** Removes what an attack has left waiting. */
  calmDown(): Promise<void>
}

async function measureAll({ atrium, seconds, only, say }: Running, { attackers: tokens, ...parties }: Parties): Promise<Table> {
  const { base } = atrium
  const smtp = submission.port
  const imap = await startImapThread()
  try {
    const outbox = submission.submitted
    const neighbour = await neighbourAt({ base, token: parties.neighbour, outbox, servers: { imap: imap.port, smtp }, receiver })
    const rows: string[][] = []
    for (const attack of attacks) {
      if (attack.finding && only.length && !only.includes(attack.finding)) continue
      say(nameOf(attack))
      const row = { atrium, seconds, neighbour, me: parties.neighbour }
      const attackers = tokens
        .slice(0, attack.attackers ?? 1)
        .map((token) => attackerAt({ base, token, smtp, receiver: receiver.url }))
      rows.push(await measureOne(attack, { ...row, attackers }))
      outbox.length = 0
      await parties.calmDown()
    }
    return { head, rows }
  } finally {
    await imap.stop()
  }
}

const head = [
  'finding',
  '/me p50',
  'p99',
  'worst',
  'not 200',
  'loop held',
  'mail',
  'mailbox',
  'series',
  'memory',
  'aim',
  'answers to the attacker',
]

interface Row {
  atrium: Server
  seconds: number
  neighbour: Neighbour
  attackers: ReturnType<typeof attackerAt>[]
  /** Token of the neighbour. */
  me: string
}

const nameOf = ({ finding, does }: Attack) => `${finding} ${does}`.trim()

async function measureOne(attack: Attack, { atrium, seconds, neighbour, attackers, me }: Row): Promise<string[]> {
  let fighting: Promise<unknown> | undefined
  try {
    const attempts = await Promise.all(attackers.map(({ attacker }) => attack.prepare(attacker)))
    for (const { answers } of attackers) answers.clear()
    await longestHold(loop)
    const pulse = await startPulse(atrium.base, me)
    const memory = watchMemory(atrium)
    fighting = Promise.all(attackers.map((attacker, n) => attacker.keepUp(attack, attempts[n]!)))
    fighting.catch(() => {}) // awaited below
    await sleep(BEFORE)
    const until = performance.now() + seconds * 1000 - BEFORE
    const [mail, link, webhook, mailbox, series] = await Promise.all([
      worstOf(neighbour.mail, { until, every: MAIL_EVERY }),
      attack.link ? worstOf(neighbour.link, { until: 0, every: 0 }) : undefined,
      attack.webhook ? worstOf(neighbour.webhook, { until, every: AGAIN }) : undefined,
      worstOf(neighbour.mailbox, { until, every: AGAIN }),
      worstOf(neighbour.series, { until, every: AGAIN }),
    ])
    const { took, refused } = await pulse.stop()
    const held = await longestHold(loop)
    const { own, children } = memory.stop()
    for (const attacker of attackers) attacker.end()
    await fighting
    const at = (share: number) => took[Math.floor(share * (took.length - 1))] ?? 0
    const outcomes = [mail, mailbox, series, ...(link ? [link] : []), ...(webhook ? [webhook] : [])]
    const met = at(0.99) < P99 && !Object.keys(refused).length && outcomes.every(({ ms }) => ms < OUTCOME)
    return [
      nameOf(attack),
      ...[0.5, 0.99, 1].map((share) => `${whole(at(share))} ms`),
      counts(Object.entries(refused)) || '0',
      Number.isNaN(held) ? '–' : `${whole(held)} ms`,
      shown(mail) + (link ? `, link ${shown(link)}` : '') + (webhook ? `, webhook ${shown(webhook)}` : ''),
      shown(mailbox),
      shown(series),
      `${whole(own)} + ${whole(children)} MB`,
      verdict({ says: AIM, met }),
      counts([...total(attackers)]),
    ]
  } catch (error) {
    // The server rejects what the attack needs, perhaps because it is gone: there is nothing to measure.
    if (!(error instanceof Refused)) throw error
    return [nameOf(attack), ...Array(head.length - 3).fill('–'), verdict({ says: AIM, met: false }), error.message]
  } finally {
    for (const attacker of attackers) attacker.end()
    await fighting?.catch(() => {})
    for (const attacker of attackers) await attacker.stop()
  }
}

/** Returns the sums of replies to all attackers. */
function total(attackers: { answers: Map<string, number> }[]) {
  const sums = new Map<string, number>()
  for (const { answers } of attackers) for (const [what, n] of answers) sums.set(what, (sums.get(what) ?? 0) + n)
  return sums
}

const counts = (some: [string, number][]) =>
  some
    .sort()
    .map(([what, n]) => `${whole(n)} × ${what}`)
    .join(', ')

interface Outcome {
  /** Infinity without a result. */
  ms: number
  why?: string
}

const shown = ({ ms, why }: Outcome) => why ?? `${(ms / 1000).toFixed(1)} s`

type Part = (signal: AbortSignal) => Promise<void>

/** Repeats work and returns its longest time. Stops once it was rejected or took too long. */
async function worstOf(part: Part, { until, every }: { until: number; every: number }): Promise<Outcome> {
  let worst = 0
  do {
    const began = performance.now()
    const outcome = await timed(part)
    if (outcome.why) return outcome
    worst = Math.max(worst, outcome.ms)
    await sleep(Math.max(0, Math.min(began + every, until) - performance.now()))
  } while (performance.now() < until)
  return { ms: worst }
}

async function timed(part: Part): Promise<Outcome> {
  const began = performance.now()
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    await part(signal)
    return { ms: performance.now() - began }
  } catch (error) {
    if (!(error instanceof Refused) && !signal.aborted) throw error
    return { ms: Number.POSITIVE_INFINITY, why: signal.aborted ? `> ${TIMEOUT_MS / 1000} s` : (error as Error).message }
  }
}

/** Tracks the maximum memory from now on. */
function watchMemory(atrium: Server) {
  const most = { own: 0, children: 0 }
  const look = () => {
    const { own, children } = residentOf(atrium)
    most.own = Math.max(most.own, own)
    most.children = Math.max(most.children, children)
  }
  look()
  const timer = setInterval(look, 250)
  return {
    stop() {
      clearInterval(timer)
      return most
    },
  }
}

/** Deletes waiting jobs of all but the neighbour, ends recurring invoices, resets rate limits, and waits for running jobs. */
async function settle(databaseUrl: string, neighbour: number) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const ofOthers = `data ->> 'tenant_id' <> '${neighbour}'`
    const began = performance.now()
    await client.query('DELETE FROM rate_limits')
    await client.query(`UPDATE invoices SET recurrence_status = 'ended' WHERE tenant_id <> $1 AND recurrence_status = 'active'`, [
      neighbour,
    ])
    for (;;) {
      await client.query(`DELETE FROM pgboss.job WHERE state < 'active' AND ${ofOthers}`)
      const { rowCount } = await client.query(`SELECT FROM pgboss.job WHERE state = 'active' AND ${ofOthers}`)
      if (!rowCount || performance.now() - began > 2 * TIMEOUT_MS) break
      await sleep(200)
    }
  } finally {
    await client.end()
  }
  await sleep(AGAIN)
}
