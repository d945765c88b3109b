/**
 * Where a mail server's name leads. The address that is checked is the one that is connected to: a name that changes its mind in
 * between leads nowhere else.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Services } from '#kernel/context.ts'
import { MailServerError, type Side } from './failures.ts'

const LOCAL_NAME = /(^|\.)(localhost|local|internal)\.?$/i

const isPublic = (address: string) => ipaddr.process(address).range() === 'unicast'

/** Whether mailboxes may be on this machine or in its network. */
export function allowsInternal({ config }: Services) {
  const { hostname } = new URL(config.BASE_URL)
  return config.ALLOW_INTERNAL_MAIL_HOSTS ?? (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.'))
}

/** Whether a name, by itself, is one of this machine or its network: what can be told without asking anybody. */
export const isInternalName = (host: string) => (isIP(host) ? !isPublic(host) : LOCAL_NAME.test(host))

export interface Address {
  /** An IP address. */
  host: string
  /** The name for which the certificate must be good; none where the account names an address. */
  servername: string | undefined
}

/** The address to connect to. 502 where the name leads nowhere, or only to this machine or its network. */
export async function addressOf(services: Services, side: Side, host: string): Promise<Address> {
  const found = await lookup(host, { all: true, order: 'ipv4first' }).catch(() => [])
  if (!found.length) throw new MailServerError(side, 'host', `There is no server ${host}.`)
  const usable = allowsInternal(services) ? found : found.filter(({ address }) => isPublic(address))
  if (!usable[0]) throw new MailServerError(side, 'host', 'Servers in internal networks are not connected to.')
  return { host: usable[0].address, servername: isIP(host) ? undefined : host }
}
