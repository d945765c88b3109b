/** Sends due deliveries and records the outcome: delivered, retried later, given up, or endpoint disabled. */
import { sql } from 'kysely'
import type { Services } from '../context.ts'
import { toldOf } from '../database/failures.ts'
import type { UsageMeter } from '../fair-share.ts'
import { OutboundError, type OutboundReply, post } from '../outbound/request.ts'
import type { Row } from '../records/resource.ts'
import { isOpen } from '../tenancy/session.ts'
import { plusSeconds } from '../values/time.ts'
import { type Endpoint, secretsOf } from './endpoints.ts'
import { allowedNetworks } from './networks.ts'
import { type Side, systemTransactions, type Transact } from './side.ts'
import { signedHeaders } from './signing.ts'
import { switchOff } from './switching-off.ts'

export type Delivery = Row<'webhook_deliveries'>

const SECOND = 1
const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

/** Delays before further tries, in seconds: ten tries within 75 hours, as Standard Webhooks recommends. */
const RETRY_DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
/** Time limit of a receiver's whole reply. */
const TIMEOUT_MS = 15_000
const MAX_REPLY_BYTES = 16_384
const MAX_EXCERPT = 500
/** Time of continuous failure after which an endpoint is disabled. */
const MAX_FAILING = 5 * DAY
/**
 * End of a delivery's lease. After it, the process that claimed the delivery is considered lost. In milliseconds, the precision
 * in which it is read back.
 */
export const leased = sql<string>`date_trunc('milliseconds', now() + interval '1 minute')`

/** Makes one attempt of a delivery that this process has claimed. */
export async function attempt(services: Services, claimed: Claimed) {
  const { delivery, endpoint } = claimed
  const began = performance.now()
  const now = services.clock.now()
  const seconds = Math.floor(Date.parse(now) / 1000)
  const { tenant_id, id, event_id, body } = delivery
  const messageId = event_id === null ? `test_${tenant_id}_${id}` : `evt_${tenant_id}_${event_id}`
  const request = () =>
    post({
      url: new URL(endpoint.url),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Atrium-Webhooks/1',
        ...signedHeaders(secretsOf({ services }, endpoint, now), { id: messageId, seconds, body }),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      maxReplyBytes: MAX_REPLY_BYTES,
      allowed: allowedNetworks(services),
    })
  const result = await Promise.try(request).catch((error) => {
    if (error instanceof OutboundError) return error
    // Counts as a failed attempt; otherwise it would be repeated for ever.
    services.log.error({ err: error, tenant_id, delivery: id }, 'a webhook could not be sent')
    return new OutboundError(toldOf(error))
  })
  await note(claimed, { result, duration_ms: Math.round(performance.now() - began) })
}

interface Outcome {
  result: OutboundReply | OutboundError
  duration_ms: number
}

/** Records the outcome of an attempt. */
async function note({ delivery, endpoint, transact }: Claimed, { result, duration_ms }: Outcome) {
  const isReply = !(result instanceof OutboundError)
  const isDelivered = isReply && result.status >= 200 && result.status < 300
  await transact('write', async (ctx) => {
    const attempts = delivery.attempts + 1
    const delay = isDelivered ? undefined : nextDelay(attempts, isReply ? result : undefined, ctx.now)
    const saved = await ctx
      .update('webhook_deliveries')
      .set({
        status: isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'waiting',
        attempts,
        next_attempt_at: delay === undefined ? null : plusSeconds(ctx.now, delay),
        leased_until: null,
        response_status: isReply ? result.status : null,
        response_excerpt: isReply ? printable(result.text) : null,
        error: isReply ? (isDelivered ? null : said(result)) : result.message,
        duration_ms,
        delivered_at: isDelivered ? ctx.now : null,
        updated_at: ctx.now,
      })
      .where('id', '=', delivery.id)
      .where('leased_until', '=', delivery.leased_until) // another process may have claimed it
      .executeTakeFirst()
    if (!saved.numUpdatedRows) return
    if (isDelivered) {
      if (endpoint.failing_since !== null)
        await ctx.update('webhook_endpoints').set({ failing_since: null }).where('id', '=', endpoint.id).execute()
      return
    }
    if (isReply && result.status === 410) return switchOff(ctx, endpoint.id, 'It answered 410 Gone.')
    const since = endpoint.failing_since ?? ctx.now
    if (endpoint.failing_since === null)
      await ctx
        .update('webhook_endpoints')
        .set({ failing_since: ctx.now })
        .where('id', '=', endpoint.id)
        .where('failing_since', 'is', null)
        .execute()
    if (plusSeconds(since, MAX_FAILING) <= ctx.now) await switchOff(ctx, endpoint.id, 'Nothing could be delivered for five days.')
  })
}

/** Removes control characters from a server's reply, which may contain anything. */
const printable = (text: string) => text.replace(/[^\P{C}\n\t]/gu, '').slice(0, MAX_EXCERPT)

const said = ({ status }: OutboundReply) =>
  status >= 300 && status < 400 ? `It answered ${status}: redirects are not followed.` : `It answered ${status}.`

/**
 * Returns the seconds until the next try; undefined after the last one. A random tenth is added, so that deliveries that failed
 * together don't retry together.
 */
function nextDelay(attempts: number, reply: OutboundReply | undefined, now: string): number | undefined {
  const delay = RETRY_DELAYS[attempts - 1]
  if (delay === undefined || reply?.status === 410) return undefined
  const asked = reply && [429, 503].includes(reply.status) ? secondsAsked(reply.headers['retry-after'], now) : 0
  return Math.min(Math.max(delay * (1 + Math.random() / 10), asked), DAY * 1.1)
}

function secondsAsked(header: string | undefined, now: string): number {
  if (!header) return 0
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.parse(now)) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0
}

/** Maximum concurrent requests: of a process, a workspace, an endpoint, a failing endpoint, and all failing ones. */
const MAX_OF_PROCESS = 256
const MAX_OF_WORKSPACE = 32
const MAX_OF_ENDPOINT = 2
const MAX_OF_FAILING_ENDPOINT = 1
const MAX_FAILING_OF_PROCESS = 64
/** Additional requests of a process, for workspaces without a running one, so that others' slow servers don't delay them. */
const MAX_FIRST_OF_PROCESS = 128
/** Maximum number of deliveries that one poll finds. */
const MAX_FOUND = 4 * MAX_OF_PROCESS

/** Claimed delivery with the data for sending it. */
export interface Claimed {
  delivery: Delivery
  endpoint: Endpoint
  /** Transactions of its scope, in which the outcome is written. */
  transact: Transact
}

interface Due {
  tenant_id: number
  endpoint_id: number
  id: number
  is_failing: boolean
  /** Rank among the deliveries of its workspace. */
  turn: number
}

const OPEN = {
  workspace: sql`join tenants t on t.id = e.tenant_id and ${isOpen('t')}`,
  platform: sql`join (select 0::bigint as id) t on t.id = e.tenant_id`,
} satisfies Record<Side, unknown>

interface Sending {
  underWay: Iterable<Claimed>
  /** Recent request time of each workspace. */
  meter: UsageMeter
}

/**
 * Claims due deliveries of a scope, within the limits above. Each workspace, each endpoint and failing endpoints have limits of
 * their own, so that servers that hang don't delay others. Workspaces alternate; those with the least recent request time go
 * first. Workspaces are claimed one by one, because a cluster can't lock rows of several in one statement.
 */
export async function claim(services: Services, side: Side, { underWay, meter }: Sending): Promise<Claimed[]> {
  const now = services.clock.now()
  const { rows } = await services.database.platform('read', (tx) =>
    sql<Due>`
      select tenant_id, endpoint_id, id, is_failing, turn::int from (
        select e.tenant_id, e.id as endpoint_id, d.id, d.next_attempt_at, e.failing_since is not null as is_failing,
          row_number() over (partition by e.tenant_id order by e.failing_since is not null, d.n, d.next_attempt_at, d.id) as turn
        from webhook_endpoints e
        ${OPEN[side]}
        cross join lateral (
          select id, next_attempt_at, row_number() over (order by next_attempt_at, id) as n from webhook_deliveries w
          where w.tenant_id = e.tenant_id and w.endpoint_id = e.id and w.status = 'waiting' and w.next_attempt_at <= ${now}
            and (w.leased_until is null or w.leased_until < now())
          order by next_attempt_at, id limit ${MAX_OF_ENDPOINT}
        ) d
        where e.is_active
      ) due
      where turn <= ${sql.lit(2 * MAX_OF_WORKSPACE)}
      order by is_failing, turn, next_attempt_at limit ${sql.lit(MAX_FOUND)}`.execute(tx),
  )
  const counts = new Map<string, number>()
  const count = (of: string, n = 0) => counts.set(of, (counts.get(of) ?? 0) + n).get(of)!
  const keysOf = ({
    tenant_id,
    endpoint_id,
    is_failing,
  }: Pick<Due, 'tenant_id' | 'endpoint_id' | 'is_failing'>): [string, number][] => [
    ['process', count(`workspace ${tenant_id}`) ? MAX_OF_PROCESS : MAX_OF_PROCESS + MAX_FIRST_OF_PROCESS],
    [`workspace ${tenant_id}`, MAX_OF_WORKSPACE],
    [`endpoint ${tenant_id} ${endpoint_id}`, is_failing ? MAX_OF_FAILING_ENDPOINT : MAX_OF_ENDPOINT],
    ...(is_failing ? [['failing', MAX_FAILING_OF_PROCESS] as [string, number]] : []),
  ]
  for (const { delivery, endpoint } of underWay)
    for (const [key] of keysOf({ ...delivery, is_failing: endpoint.failing_since !== null })) count(key, 1)
  const used = new Map(rows.map(({ tenant_id }) => [tenant_id, meter.used(tenant_id)]))
  const fair = rows.toSorted(
    (a, b) => Number(a.is_failing) - Number(b.is_failing) || a.turn - b.turn || used.get(a.tenant_id)! - used.get(b.tenant_id)!,
  )
  const taken = fair.filter((one) => {
    const keys = keysOf(one)
    if (keys.some(([key, most]) => count(key) >= most)) return false
    for (const [key] of keys) count(key, 1)
    return true
  })
  const claimed: Claimed[] = []
  for (const [tenantId, ofThis] of Map.groupBy(taken, ({ tenant_id }) => tenant_id)) {
    const ids = ofThis.map(({ id }) => id)
    const those = await claimIn(services, tenantId, ids).catch((error) => {
      // Deliveries claimed for other workspaces must be sent, because no one else takes them before their lease ends.
      services.log.warn({ err: error, tenant_id: tenantId }, 'the webhooks of a workspace can not be sent at the moment')
      return []
    })
    claimed.push(...those)
  }
  return claimed
}

async function claimIn(services: Services, tenantId: number, ids: number[]): Promise<Claimed[]> {
  const transact = await systemTransactions(services, tenantId)
  if (!transact) return [] // closed: its deliveries keep waiting
  return transact('write', async (ctx) => {
    const { rows: deliveries } = await sql<Delivery>`
      update webhook_deliveries set leased_until = ${leased}
      where tenant_id = ${tenantId} and id in (
        select id from webhook_deliveries
        where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) and status = 'waiting' and (leased_until is null or leased_until < now())
        for update skip locked)
      returning *`.execute(ctx.tx)
    if (!deliveries.length) return []
    const named = [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))]
    const found = await ctx.from('webhook_endpoints').selectAll().where('id', 'in', named).execute()
    const byId = new Map(found.map((endpoint) => [endpoint.id, endpoint]))
    return deliveries.map((delivery) => ({ delivery, endpoint: byId.get(delivery.endpoint_id)!, transact }))
  })
}
