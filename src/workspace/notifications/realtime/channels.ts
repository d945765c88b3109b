/**
 * The application that Pusher clients connect to: its key, which is public, and who may listen to which channel. The signature that
 * a client shows with its subscription names the session that got it, so that the subscription ends with that session.
 */
import type { Ctx, Services } from '#kernel/context.ts'
import { sameBytes } from '#kernel/secrets/secrets.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import type { News } from '../audience.ts'

export const appKeyOf = (services: Services) => appKeysOf(services)[0]!

/** Those that clients may have been told: after APP_KEY changed, the former ones too. */
export const appKeysOf = ({ secrets }: Services) =>
  secrets.signatures('realtime key', 'atrium').map((one) => hex(one).slice(0, 20))

/** NTF-23. */
export const channelOf = (tenantId: number, userId: number) => `private-tenant.${tenantId}.user.${userId}`

/** Beside it, for those who ask: what happens to the records that the user may see. */
export const eventsChannelOf = (tenantId: number, userId: number) => `${channelOf(tenantId, userId)}.events`

/** Whose channel it is, and what they hear on it; undefined for any other name. */
export function userOf(channel: string): { tenantId: number; userId: number; hears: 'notifications' | 'events' } | undefined {
  const [, tenantId, userId, events] = /^private-tenant\.([1-9]\d{0,14})\.user\.([1-9]\d{0,14})(\.events)?$/.exec(channel) ?? []
  if (!tenantId || !userId) return undefined
  return { tenantId: Number(tenantId), userId: Number(userId), hears: events ? 'events' : 'notifications' }
}

interface Subscription {
  socketId: string
  channel: string
  /** Of the session's token. */
  tokenId: number
}

/** `<key>:<64 hexadecimal digits>`, as Pusher's own: 16 of the token's id, 48 of an HMAC-SHA256. */
export const authOf = (services: Services, subscription: Subscription) => authsOf(services, subscription)[0]!

/** The same by each key. */
function authsOf(services: Services, { socketId, channel, tokenId }: Subscription) {
  const keys = appKeysOf(services)
  return services.secrets
    .signatures('realtime subscription', `${socketId}:${channel}:${tokenId}`)
    .map((mac, n) => `${keys[n]}:${tokenId.toString(16).padStart(16, '0')}${hex(mac).slice(0, 48)}`)
}

/** The token whose session may subscribe; undefined for a signature that isn't ours, or is another socket's or channel's. */
export function tokenOf(services: Services, auth: string, on: Omit<Subscription, 'tokenId'>): number | undefined {
  const [, digits] = /^[0-9a-f]{20}:([0-9a-f]{16})[0-9a-f]{48}$/.exec(auth) ?? []
  const tokenId = Number.parseInt(digits ?? '', 16)
  if (!Number.isSafeInteger(tokenId)) return undefined
  const isOurs = authsOf(services, { ...on, tokenId }).some((one) => sameBytes(Buffer.from(one), Buffer.from(auth)))
  return isOurs ? tokenId : undefined
}

const hex = (base64: string) => Buffer.from(base64, 'base64url').toString('hex')

declare module '#kernel/database/channel.ts' {
  interface Topics {
    'notification.created': { tenant_id: number; user_id: number; id: string }
    'realtime.judge': { tenant_id: number; user_id: number }
  }
}

/** Says in every process that a notification was written, once that is committed (NTF-25): whoever holds its user's sockets sends it. */
export const broadcast = (ctx: Ctx, news: News[]) =>
  ctx.afterCommit(() => {
    for (const { id, viewer } of news)
      ctx.services.channel.publish('notification.created', { tenant_id: ctx.tenant.id, user_id: viewer.id, id })
  })

/** Has a user's sockets judged at once, in every process, when something was done that ends sessions of theirs. */
export const judgeSockets = (ctx: Ctx, user_id: number) =>
  ctx.afterCommit(() => ctx.services.channel.publish('realtime.judge', { tenant_id: ctx.tenant.id, user_id }))

// What was written while this process may have heard nothing of it. Clients know a notification by its id, and take it once.

/** Longer than a process takes to notice that it hears nothing, and to listen again. */
const SECONDS = 180
/** Of one workspace: more than these, clients read in the list. */
const MAX = 1000

/** Notifications of the last minutes for the users of these channels, the oldest first. */
export async function recentOf({ database, clock }: Services, channels: Iterable<string>) {
  const since = plusSeconds(clock.now(), -SECONDS)
  const users = Map.groupBy(
    [...channels].flatMap((channel) => userOf(channel) ?? []).filter(({ hears }) => hears === 'notifications'),
    ({ tenantId }) => tenantId,
  )
  const found: { tenant_id: number; user_id: number; id: string }[] = []
  for (const [tenantId, those] of users)
    found.push(
      ...(await database.workspace(tenantId, 'read', (tx) =>
        tx
          .selectFrom('notifications')
          .select(['tenant_id', 'user_id', 'id'])
          .where('tenant_id', '=', tenantId)
          .where(
            'user_id',
            'in',
            those.map(({ userId }) => userId),
          )
          .where('created_at', '>', since)
          .orderBy('created_at')
          .limit(MAX)
          .execute(),
      )),
    )
  return found
}
