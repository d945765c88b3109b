/** The redirects of a process: where codes lead, and the clicks that wait to be written. */
import type { Services } from '#kernel/context.ts'
import type { Database } from '#kernel/database/connect.ts'
import { clicksIn } from './clicks.ts'
import { type Found, finderIn, type Missing } from './finding.ts'

const begun = new WeakMap<Database, ReturnType<typeof begin>>()

function begin({ database, log }: Services) {
  return { finder: finderIn(database), clicks: clicksIn(database, log) }
}

/** Begins with the process; what it gives ends it, with every click written. */
export function startRedirects(services: Services) {
  const { finder, clicks } = begin(services)
  begun.set(services.database, { finder, clicks })
  const unheard = services.channel.on(
    'short-link.changed',
    ({ code, uuid }) => {
      finder.forget(code)
      if (uuid) finder.forget(uuid)
    },
    finder.forgetAll,
  )
  return async () => {
    unheard()
    await clicks.stop()
  }
}

/** Who follows a link. */
export interface Visit {
  now: string
  /** HEAD asks where a link leads, which is no click. */
  method: string
  referrer: string | null
  userAgent: string | null
}

/** Where a code or uuid leads now (SL-25, SL-26), the click counted (SL-27). No `target`: missing, paused, expired or deleted; not `open`: its workspace may not. */
export async function follow({ database }: Services, asked: string, visit: Visit): Promise<Found | Missing> {
  const { finder, clicks } = begun.get(database)!
  const found = await finder.find(asked)
  if (found.target === null) return found
  const { tenantId, linkId, expiresAt, open, brand } = found
  if (expiresAt !== null && expiresAt <= visit.now) return { target: null, brand }
  if (open && visit.method !== 'HEAD')
    clicks.add({ tenantId, linkId, at: visit.now, referrer: visit.referrer, userAgent: visit.userAgent })
  return found
}
