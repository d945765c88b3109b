/**
 * The application that Pusher clients connect to: its public key and the authorisation of channels. A subscription's signature
 * contains the session that obtained it, so that the subscription ends with that session.
 */
import type { Ctx, Services } from '#kernel/context.ts'
import { sameBytes } from '#kernel/secrets/secrets.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import type { News } from '../audience.ts'

export const appKeyOf = (services: Services) => appKeysOf(services)[0]!

/** Keys that clients may have received: after APP_KEY changed, the former ones too. */
export const appKeysOf = ({ secrets }: Services) =>
  secrets.signatures('realtime key', 'atrium').map((one) => hex(one).slice(0, 20))

/** NTF-23. */
export const channelOf = (tenantId: number, userId: number) => `private-tenant.${tenantId}.user.${userId}`

/** Additional channel: events of records that the user may see. */
export const eventsChannelOf = (tenantId: number, userId: number) => `${channelOf(tenantId, userId)}.events`

/** Returns the user of a channel and its content; undefined for any other name. */
export function userOf(channel: string): { tenantId: number; userId: number; hears: 'notifications' | 'events' } | undefined {
  const [, tenantId, userId, events] = /^private-tenant\.([1-9]\d{0,14})\.user\.([1-9]\d{0,14})(\.events)?$/.exec(channel) ?? []
  if (!tenantId || !userId) return undefined
  return { tenantId: Number(tenantId), userId: Number(userId), hears: events ? 'events' : 'notifications' }
}

interface Subscription {
  socketId: string
  channel: string
  /** Id of the session's token. */
  tokenId: number
}

/** Returns `<key>:<64 hexadecimal digits>`, Pusher's format: 16 digits of the token's id, 48 of an HMAC-SHA256. */
export const authOf = (services: Services, subscription: Subscription) => authsOf(services, subscription)[0]!

/** The same with each key. */
function authsOf(services: Services, { socketId, channel, tokenId }: Subscription) {
  const keys = appKeysOf(services)
  return services.secrets
    .signatures('realtime subscription', `${socketId}:${channel}:${tokenId}`)
    .map((mac, n) => `${keys[n]}:${tokenId.toString(16).padStart(16, '0')}${hex(mac).slice(0, 48)}`)
}

/** Returns the id of the session's token; undefined for a signature that isn't ours, or belongs to another socket or channel. */
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

/** Announces a stored notification to every process after the commit (NTF-25). The process with the user's sockets sends it. */
export const broadcast = (ctx: Ctx, news: News[]) =>
  ctx.afterCommit(() => {
    for (const { id, viewer } of news)
      ctx.services.channel.publish('notification.created', { tenant_id: ctx.tenant.id, user_id: viewer.id, id })
  })

/** Revalidates a user's sockets at once, in every process, after a change that ends sessions of theirs. */
export const judgeSockets = (ctx: Ctx, user_id: number) =>
  ctx.afterCommit(() => ctx.services.channel.publish('realtime.judge', { tenant_id: ctx.tenant.id, user_id }))

// Notifications stored while this process may have missed announcements. Clients recognise a notification by its id and ignore
// repetitions.

/** Exceeds the time that a process needs to notice a lost listener and reconnect. */
const SECONDS = 180
/** Maximum per workspace; clients read further ones from the list. */
const MAX = 1000

/** Returns notifications of the last minutes for the users of these channels, oldest first. */
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
