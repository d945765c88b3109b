/**
 * Where a mail server's name leads. The address that is checked is the one that is connected to: a name that changes its mind in
 * between leads nowhere else.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Services } from '#kernel/context.ts'
import { isPublicAddress } from '#kernel/outbound/public-addresses.ts'
import { addressesOf } from '#kernel/outbound/request.ts'
import { MailServerError, type Side } from './failures.ts'

const LOCAL_NAME = /(^|\.)(localhost|local|internal)\.?$/i

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i

/** Whether mailboxes may be on this machine or in its network. By default only where nobody else's machine can reach the service. */
export const allowsInternal = ({ config: { ALLOW_INTERNAL_MAIL_HOSTS, BASE_URL, HOST } }: Services) =>
  ALLOW_INTERNAL_MAIL_HOSTS ?? [new URL(BASE_URL).hostname, HOST].every((host) => LOOPBACK.test(host))

/** Whether a name, by itself, is one of this machine or its network: what can be told without asking anybody. */
export const isInternalName = (host: string) => (isIP(host) ? !isPublicAddress(host) : LOCAL_NAME.test(host))

export interface Address {
  /** An IP address. */
  host: string
  /** The name for which the certificate must be good; none where the account names an address. */
  servername: string | undefined
}

/** The addresses of a name, IPv4 first. */
async function resolve(services: Services, host: string): Promise<string[]> {
  if (isIP(host)) return [host]
  if (allowsInternal(services)) {
    const found = await lookup(host, { all: true, order: 'ipv4first' }).catch(() => []) // names of this machine too
    return found.map(({ address }) => address)
  }
  return addressesOf(host)
}

/** The address to connect to. 502 where the name leads nowhere, or only to this machine or its network. */
export async function addressOf(services: Services, side: Side, host: string): Promise<Address> {
  const found = await resolve(services, host)
  if (!found.length) throw new MailServerError(side, 'host', `There is no server ${host}.`)
  const usable = allowsInternal(services) ? found : found.filter(isPublicAddress)
  if (!usable[0]) throw new MailServerError(side, 'host', 'Servers in internal networks are not connected to.')
  return { host: usable[0], servername: isIP(host) ? undefined : host }
}
