/**
 * Messages of Amazon SNS, signed by Amazon with a certificate that the message refers to. Anyone can have messages of their own
 * topic signed, so the topic must be ours. Only addresses of SNS itself are fetched.
 */
import { verify, X509Certificate } from 'node:crypto'
import QuickLRU from 'quick-lru'
import { z } from 'zod'
import { unauthenticated } from '#kernel/errors.ts'
import { wholeText } from '#kernel/outbound/reading.ts'
import { bodyOf, type ProviderEvent } from './reading.ts'

const Envelope = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string().max(200),
  TopicArn: z.string().max(300),
  Subject: z.string().max(1000).nullish(),
  Message: z.string(),
  Timestamp: z.string().max(50),
  Token: z.string().max(1000).optional(),
  SubscribeURL: z.string().max(2000).optional(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string().max(2000),
  SigningCertURL: z.string().max(2000),
})
type Envelope = z.output<typeof Envelope>

const digests = { 1: 'sha1', 2: 'sha256' }
const unsigned = () => unauthenticated('The signature is not right.')

/** Returns the text of a notification of our topic; undefined for other messages. Confirms a requested subscription. */
export async function snsMessage(told: ProviderEvent): Promise<string | undefined> {
  const envelope = bodyOf(Envelope, told.raw)
  if (!told.topic || envelope.TopicArn !== told.topic) throw unauthenticated('This topic is not ours.')
  const certificate = await certificateOf(envelope.SigningCertURL, told)
  const signature = Buffer.from(envelope.Signature, 'base64')
  if (!verify(digests[envelope.SignatureVersion], Buffer.from(signedText(envelope)), certificate.publicKey, signature))
    throw unsigned()
  if (envelope.Type === 'SubscriptionConfirmation') await get(snsAddress(envelope.SubscribeURL ?? '', told))
  return envelope.Type === 'Notification' ? envelope.Message : undefined
}

/** Returns the signed text: these fields, each name and value on a line of its own. */
function signedText(envelope: Envelope): string {
  const fields =
    envelope.Type === 'Notification'
      ? (['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const)
      : (['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const)
  return fields
    .flatMap((field) => (envelope[field as 'Type'] == null ? [] : [`${field}\n${envelope[field as 'Type']}\n`]))
    .join('')
}

const HOST = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/

/** Returns an address of SNS or its stand-in; throws a 401 for any other. */
function snsAddress(text: string, { snsUrl }: ProviderEvent): URL {
  const url = URL.parse(text)
  const trusted = url && (snsUrl ? url.origin === new URL(snsUrl).origin : url.protocol === 'https:' && HOST.test(url.host))
  if (!trusted || url.username || url.password) throw unsigned()
  return url
}

/** Path of SNS certificates. Excludes files that others may have put on the host. */
const CERTIFICATE = /^\/SimpleNotificationService-\w+\.pem$/

const known = new QuickLRU<string, X509Certificate>({ maxSize: 20 })

async function certificateOf(text: string, told: ProviderEvent): Promise<X509Certificate> {
  const url = snsAddress(text, told)
  if (!CERTIFICATE.test(url.href.slice(url.origin.length))) throw unsigned()
  const certificate = known.get(url.href) ?? new X509Certificate(await get(url))
  const now = Date.parse(told.now)
  if (Date.parse(certificate.validFrom) > now || Date.parse(certificate.validTo) < now) throw unsigned()
  known.set(url.href, certificate)
  return certificate
}

const MAX_BYTES = 64 * 1024

/** Fetches from SNS without following redirects. Anything but a success is a 401: Amazon sends again. */
async function get(url: URL): Promise<string> {
  try {
    const reply = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) })
    if (reply.ok) return await wholeText(reply, MAX_BYTES)
  } catch {}
  throw unauthenticated('SNS did not answer.')
}
