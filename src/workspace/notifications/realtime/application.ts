/**
 * The application that Pusher clients connect to: its key, which is public, and who may listen to which channel. The signature that
 * a client shows with its subscription names the session that got it, so that the subscription ends with that session.
 */
import type { Services } from '#kernel/context.ts'
import { sameBytes } from '#kernel/secrets/secrets.ts'

export const appKeyOf = ({ secrets }: Services) => hex(secrets.sign('realtime key', 'atrium')).slice(0, 20)

/** NTF-23. */
export const channelOf = (tenantId: number, userId: number) => `private-tenant.${tenantId}.user.${userId}`

/** Whose channel it is; undefined for any other name. */
export function userOf(channel: string): { tenantId: number; userId: number } | undefined {
  const [, tenantId, userId] = /^private-tenant\.([1-9]\d{0,14})\.user\.([1-9]\d{0,14})$/.exec(channel) ?? []
  return tenantId && userId ? { tenantId: Number(tenantId), userId: Number(userId) } : undefined
}

interface Subscription {
  socketId: string
  channel: string
  /** Of the session's token. */
  tokenId: number
}

/** `<key>:<64 hexadecimal digits>`, as Pusher's own: 16 of the token's id, 48 of an HMAC-SHA256. */
export function authOf(services: Services, subscription: Subscription) {
  const { socketId, channel, tokenId } = subscription
  const mac = hex(services.secrets.sign('realtime subscription', `${socketId}:${channel}:${tokenId}`))
  return `${appKeyOf(services)}:${tokenId.toString(16).padStart(16, '0')}${mac.slice(0, 48)}`
}

/** The token whose session may subscribe; undefined for a signature that isn't ours, or is another socket's or channel's. */
export function tokenOf(services: Services, auth: string, on: Omit<Subscription, 'tokenId'>): number | undefined {
  const [, digits] = /^[0-9a-f]{20}:([0-9a-f]{16})[0-9a-f]{48}$/.exec(auth) ?? []
  const tokenId = Number.parseInt(digits ?? '', 16)
  if (!Number.isSafeInteger(tokenId)) return undefined
  return sameBytes(Buffer.from(authOf(services, { ...on, tokenId })), Buffer.from(auth)) ? tokenId : undefined
}

const hex = (base64: string) => Buffer.from(base64, 'base64url').toString('hex')
