/**
 * Requests to addresses that strangers choose. The name is resolved first and the address that was checked is the one that is connected to, so
 * that a name which changes its mind leads nowhere else. No redirect is followed, and no more of a reply is read than is asked for.
 */
import { Resolver } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { type BlockList, isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { isIn } from '../networks.ts'
import { isPublicAddress } from './public-addresses.ts'

/** Asks name servers itself: `lookup` takes a thread of the few that the process has, for as long as a name server likes. */
const resolver = new Resolver({ timeout: 3000, tries: 2 })

/** Where a request was not even tried, or what became of the connection: in words for whoever owns the address. */
export class OutboundError extends Error {}

/**
 * The address to connect to; OutboundError where there is none, or none that may be connected to. `isEncrypted` false: only one of the allowed
 * networks, because everything else is read on the way.
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

/** The addresses of a name by name servers, IPv4 first; none where there is no such name. */
export async function addressesOf(host: string): Promise<string[]> {
  const name = domainToASCII(host)
  const found = await Promise.all([resolver.resolve4(name).catch(() => []), resolver.resolve6(name).catch(() => [])])
  return found.flat()
}

export interface OutboundRequest {
  url: URL
  headers: Record<string, string>
  body: string
  /** Of everything, from the name to the end of the reply. */
  timeoutMs: number
  /** Of the reply's body; what is beyond isn't read. */
  maxReplyBytes: number
  /** Networks of one's own, which may be connected to besides public ones. */
  allowed?: BlockList
}

export interface OutboundReply {
  status: number
  headers: http.IncomingHttpHeaders
  /** The beginning of the body. */
  text: string
}

/** POSTs a body. OutboundError for what fails before there is a reply. */
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
      // The address that was found, whatever the name says by now.
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
