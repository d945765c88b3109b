/** Redirects of a process: the look-up of codes, and the buffer of clicks. */
import type { Services } from '#kernel/context.ts'
import type { Database } from '#kernel/database/connect.ts'
import { isHead } from '#kernel/http/head.ts'
import { withQuery } from '../destination.ts'
import { clicksIn } from './clicks.ts'
import { finderIn } from './finding.ts'

const begun = new WeakMap<Database, ReturnType<typeof begin>>()

function begin({ database, log }: Services) {
  return { finder: finderIn(database), clicks: clicksIn(database, log) }
}

/** Starts with the process. Returns a function that stops it after writing every click. */
export function startRedirects(services: Services) {
  const { finder, clicks } = begin(services)
  begun.set(services.database, { finder, clicks })
  const ends = [
    services.channel.on(
      'short-link.changed',
      ({ code, uuid }) => {
        finder.forgetLink(code)
        if (uuid) finder.forgetLink(uuid)
      },
      finder.forgetAll,
    ),
    services.channel.on('workspace.access', finder.forgetAll),
  ]
  return async () => {
    for (const end of ends) end()
    await clicks.stop()
  }
}

/** A request for a short link. */
export interface Visit {
  now: string
  /** HEAD is no click. */
  method: string
  /** Query of the requested address, without its question mark. */
  query: string
  referrer: string | null
  userAgent: string | null
}

/** Target of a visit, or the page shown where there is none. */
export type Outcome = { to: string } | { to: null; why: 'missing' | 'closed'; brand: string }

/**
 * Resolves a code or uuid (SL-25) and counts the click (SL-27). Only active links that have not expired, of open workspaces with
 * the module (SL-26). `missing` takes precedence over `closed`.
 */
export async function follow({ database }: Services, asked: string, visit: Visit): Promise<Outcome> {
  const { finder, clicks } = begun.get(database)!
  const link = await finder.link(asked)
  if (!link) return { to: null, why: 'missing', brand: await finder.platformBrand() }
  const { tenantId, linkId, target, forwardsQuery, expiresAt, brand, open } = link
  if (open === null || (expiresAt !== null && expiresAt <= visit.now)) return { to: null, why: 'missing', brand }
  if (!open) return { to: null, why: 'closed', brand }
  if (!isHead(visit)) clicks.add({ tenantId, linkId, at: visit.now, referrer: visit.referrer, userAgent: visit.userAgent })
  return { to: forwardsQuery ? withQuery(target, visit.query) : target }
}
