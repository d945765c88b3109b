/**
 * Resolves a mail server's name. The connection goes to the very address that was checked, so a name that resolves differently in
 * between gains nothing (DNS rebinding).
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Services } from '#kernel/context.ts'
import { isPublicAddress } from '#kernel/outbound/public-addresses.ts'
import { addressesOf } from '#kernel/outbound/request.ts'
import { MailServerError, type Side } from './failures.ts'

const LOCAL_NAME = /(^|\.)(localhost|local|internal)\.?$/i

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i

/** Whether mailboxes may be on this machine or in its network. By default only if no other machine can reach the service. */
export const allowsInternal = ({ config: { ALLOW_INTERNAL_MAIL_HOSTS, BASE_URL, HOST } }: Services) =>
  ALLOW_INTERNAL_MAIL_HOSTS ?? [new URL(BASE_URL).hostname, HOST].every((host) => LOOPBACK.test(host))

/** Whether a name in itself belongs to this machine or its network, without a DNS lookup. */
export const isInternalName = (host: string) => (isIP(host) ? !isPublicAddress(host) : LOCAL_NAME.test(host))

export interface Address {
  /** An IP address. */
  host: string
  /** Name that the certificate must match; none if the account's host is an address. */
  servername: string | undefined
}

/** Returns the addresses of a name, IPv4 first. */
async function resolve(services: Services, host: string): Promise<string[]> {
  if (isIP(host)) return [host]
  if (allowsInternal(services)) {
    const found = await lookup(host, { all: true, order: 'ipv4first' }).catch(() => []) // including names of this machine
    return found.map(({ address }) => address)
  }
  return addressesOf(host)
}

/** Returns the address to connect to. 502 if the name doesn't resolve, or only to this machine or its network. */
export async function addressOf(services: Services, side: Side, host: string): Promise<Address> {
  const found = await resolve(services, host)
  if (!found.length) throw new MailServerError(side, 'host', `There is no server ${host}.`)
  const usable = allowsInternal(services) ? found : found.filter(isPublicAddress)
  if (!usable[0]) throw new MailServerError(side, 'host', 'Servers in internal networks are not connected to.')
  return { host: usable[0], servername: isIP(host) ? undefined : host }
}
