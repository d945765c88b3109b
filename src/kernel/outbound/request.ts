/**
 * Requests to addresses chosen by strangers. The host is resolved first and the request connects to the validated address, so
 * that a changed DNS answer (rebinding) can't redirect it. Redirects are not followed, and a reply is read up to a maximum size.
 */
import { Resolver } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { type BlockList, isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { isIn } from '../networks.ts'
import { isPublicAddress } from './public-addresses.ts'

/**
 * Resolver that queries name servers itself. `dns.lookup` would block a thread of the small pool for as long as a name server
 * takes.
 */
const resolver = new Resolver({ timeout: 3000, tries: 2 })

/** Request that was not sent or whose connection failed, with a message for the owner of the address. */
export class OutboundError extends Error {}

/**
 * Returns the address to connect to. Throws an OutboundError if there is none, or none that is permitted. With `isEncrypted`
 * false, only the allowed networks are permitted, because plain text is readable in transit.
 */
export async function addressOf(hostname: string, allowed?: BlockList, isEncrypted = true): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = isIP(host) ? [host] : LOCALHOST.test(host) ? ['127.0.0.1', '::1'] : await addressesOf(host)
  if (!found.length) throw new OutboundError(`There is no server ${host}.`)
  const usable = found.find((address) => (isEncrypted && isPublicAddress(address)) || isAllowed(address, allowed))
  if (!usable && found.some(isPublicAddress)) throw new OutboundError('Must be https: what is sent is read on the way.')
  if (!usable) throw new OutboundError('Servers in internal networks are not connected to.')
  return usable
}

const isAllowed = (address: string, allowed: BlockList | undefined) => allowed !== undefined && isIn(allowed, address)

const LOCALHOST = /^localhost\.?$/i

/** Returns a host's addresses from DNS, IPv4 first; empty if it doesn't exist. */
export async function addressesOf(host: string): Promise<string[]> {
  const name = domainToASCII(host)
  const found = await Promise.all([resolver.resolve4(name).catch(() => []), resolver.resolve6(name).catch(() => [])])
  return found.flat()
}

export interface OutboundRequest {
  url: URL
  headers: Record<string, string>
  body: string
  /** Total time from name resolution to the end of the reply, in milliseconds. */
  timeoutMs: number
  /** Maximum size of the reply's body. The rest isn't read. */
  maxReplyBytes: number
  /** Internal networks that are permitted in addition to public addresses. */
  allowed?: BlockList
}

export interface OutboundReply {
  status: number
  headers: http.IncomingHttpHeaders
  /** Body, up to `maxReplyBytes`. */
  text: string
}

/** Sends a POST request. Throws an OutboundError if there is no reply. */
export async function post({ url, headers, body, timeoutMs, maxReplyBytes, allowed }: OutboundRequest): Promise<OutboundReply> {
  const signal = AbortSignal.timeout(timeoutMs)
  const address = await Promise.race([addressOf(url.hostname, allowed, url.protocol === 'https:'), aborted(signal)])
  const family = isIPv6(address) ? 6 : 4
  const { promise, resolve, reject } = Promise.withResolvers<OutboundReply>()
  const fail = (error: Error) => reject(new OutboundError(signal.aborted ? TOO_SLOW : (wordsOf(error) ?? error.message)))
  const request = (url.protocol === 'https:' ? https : http).request(
    url,
    {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // Connects to the validated address, whatever DNS returns by now.
      lookup: (_, options, done: any) => (options.all ? done(null, [{ address, family }]) : done(null, address, family)),
      agent: false,
      maxHeaderSize: 16_384,
      signal,
    },
    (reply) => {
      const read: Buffer[] = []
      let bytes = 0
      const finish = () => {
        const text = Buffer.concat(read).subarray(0, maxReplyBytes).toString('utf8')
        resolve({ status: reply.statusCode!, headers: reply.headers, text })
        reply.destroy()
      }
      reply.on('data', (chunk: Buffer) => {
        read.push(chunk)
        bytes += chunk.length
        if (bytes >= maxReplyBytes) finish()
      })
      reply.on('end', finish).on('error', fail)
    },
  )
  request.on('error', fail).end(body)
  return promise
}

const TOO_SLOW = 'It did not answer in time.'

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new OutboundError(TOO_SLOW))))

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'It refuses connections.',
  ECONNRESET: 'It closed the connection.',
  EHOSTUNREACH: 'It can’t be reached.',
  ENETUNREACH: 'It can’t be reached.',
  ETIMEDOUT: TOO_SLOW,
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is signed by nobody known.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is signed by nobody known.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name.',
}
const wordsOf = (error: Error) => REASONS[(error as { code?: string }).code ?? '']
