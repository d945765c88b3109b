/** Visitor data of a click: kind of device and referring site. IP addresses are not stored in any form. */
import type Bowser from 'bowser'
import type crawlers from 'crawler-user-agents'
import QuickLRU from 'quick-lru'
import { onDemand } from '#kernel/on-demand.ts'

export const DEVICES = ['desktop', 'mobile', 'tablet', 'bot', 'unknown'] as const
export type Device = (typeof DEVICES)[number]

const bowser = onDemand<typeof Bowser>('bowser')
const crawlerPatterns = onDemand<typeof crawlers>('crawler-user-agents')

/** Crawlers, link previews of messengers, programs. */
const isCrawler = (userAgent: string) =>
  (crawler ??= new RegExp(
    crawlerPatterns()
      .map(({ pattern }) => pattern)
      .join('|'),
  )).test(userAgent)
let crawler: RegExp | undefined

const known = new QuickLRU<string, Device>({ maxSize: 5000 })

/** Returns the device by user agent; unrecognised ones are `unknown`. */
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

/** Returns only the host of the referring page: its path and query may be private. */
export function referrerOf(header: string | null): string | null {
  const host = header ? URL.parse(header)?.hostname : undefined
  return host ? host.slice(0, 253).toWellFormed() : null
}
