/** What a click tells of whoever clicked: the kind of device and the site they came from. Addresses (IP) are not kept in any form. */
import type Bowser from 'bowser'
import type crawlers from 'crawler-user-agents'
import QuickLRU from 'quick-lru'
import { onDemand } from '#kernel/on-demand.ts'

export const DEVICES = ['desktop', 'mobile', 'tablet', 'bot', 'unknown'] as const
export type Device = (typeof DEVICES)[number]

const bowser = onDemand<typeof Bowser>('bowser')
const crawlerPatterns = onDemand<typeof crawlers>('crawler-user-agents')

/** Crawlers, previews of messengers, programs. */
const isCrawler = (userAgent: string) =>
  (crawler ??= new RegExp(
    crawlerPatterns()
      .map(({ pattern }) => pattern)
      .join('|'),
  )).test(userAgent)
let crawler: RegExp | undefined

const known = new QuickLRU<string, Device>({ maxSize: 5000 })

/** By the user agent: what says nothing is unknown. */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) return 'unknown'
  const device = known.get(userAgent) ?? judge(userAgent)
  known.set(userAgent, device)
  return device
}

function judge(userAgent: string): Device {
  if (isCrawler(userAgent)) return 'bot'
  const { type = '' } = bowser().parse(userAgent).platform
  return (DEVICES as readonly string[]).includes(type) ? (type as Device) : 'unknown'
}

/** The host alone of the page that a click came from: paths and queries may hold what is nobody's business. */
export function referrerOf(header: string | null): string | null {
  const host = header ? URL.parse(header)?.hostname : undefined
  return host ? host.slice(0, 253).toWellFormed() : null
}
