/** Signed requests: `X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, with a shared secret. */
import { createHmac } from 'node:crypto'
import { sameBytes } from '../secrets/secrets.ts'

/** Tolerance for the sender's clock, and how long a signature must be remembered to reject its replay. */
const SIGNATURE_WINDOW_SECONDS = 300

/** Returns the header value that signs these bytes at an instant. */
export const signatureOf = (secret: string, seconds: number, raw: Buffer | string) =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.`).update(raw).digest('hex')}`

/** Whether a header is a valid, current signature of these bytes with this secret. */
export function isSigned(header: string | string[] | undefined, secret: string, raw: Buffer, now: string): boolean {
  const [, seconds] = /^t=(\d{1,12}),v1=[0-9a-f]{64}$/.exec(String(header ?? '')) ?? []
  if (!seconds || Math.abs(Date.parse(now) / 1000 - Number(seconds)) > SIGNATURE_WINDOW_SECONDS) return false
  return sameBytes(Buffer.from(signatureOf(secret, Number(seconds), raw)), Buffer.from(String(header)))
}
