/** The redirects of a process: where codes lead, and the clicks that wait to be written. */
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

/** Begins with the process; what it gives ends it, with every click written. */
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

/** Who follows a link. */
export interface Visit {
  now: string
  /** HEAD asks where a link leads, which is no click. */
  method: string
  /** Of the address that is followed, without its question mark. */
  query: string
  referrer: string | null
  userAgent: string | null
}

/** Where a visit ends, and whose page is shown where it leads nowhere. */
export type Outcome = { to: string } | { to: null; why: 'missing' | 'closed'; brand: string }

/**
 * Where a code or uuid leads now (SL-25), the click counted (SL-27): active links that have not expired, of workspaces that are open and
 * have the module (SL-26). Missing goes before closed.
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
