/** Signatures by Standard Webhooks 1.0.0: secrets and headers by which receivers verify messages. */
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

export const newSecret = () => PREFIX + randomBytes(32).toString('base64')

/** Returns a message's headers, signed with each secret. `seconds` is the Unix time of sending. */
export function signedHeaders(secrets: string[], { id, seconds, body }: { id: string; seconds: number; body: string }) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}
