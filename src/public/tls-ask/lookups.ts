/**
 * Batches lookups of hostnames: one query at a time, for all names requested while the previous one ran. A proxy can be made to
 * ask for any number of invented names. They cost one connection, and a real name waits for at most two queries.
 */
import type { Services } from '#kernel/context.ts'
import { unavailable } from '#kernel/errors.ts'
import { verifiedHosts } from '#workspace/branded/public.ts'

/** Maximum number of different names waiting for the next query. */
const MAX_WAITING = 10_000
/** At least two labels of letters, digits and hyphens, as in claims of domains. */
const HOSTNAME = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,126}$/

type Answer = PromiseWithResolvers<boolean>
const asked = new WeakMap<Services, (host: string) => Promise<boolean>>()

/** Returns whether a hostname belongs to a workspace. 503 if too many wait. */
export async function isVerified(services: Services, host: string): Promise<boolean> {
  if (!HOSTNAME.test(host)) return false
  const ask = asked.get(services) ?? lookupsIn(services)
  asked.set(services, ask)
  return ask(host)
}

function lookupsIn({ database }: Services) {
  let waiting = new Map<string, Answer>()
  let isRunning = false

  async function run() {
    isRunning = true
    while (waiting.size) {
      const batch = waiting
      waiting = new Map()
      try {
        const found = await database.platform('read', (tx) => verifiedHosts(tx, [...batch.keys()], database.isCluster))
        for (const [host, { resolve }] of batch) resolve(found.has(host))
      } catch (error) {
        for (const { reject } of batch.values()) reject(error)
      }
    }
    isRunning = false
  }

  return (host: string) => {
    let answer = waiting.get(host)
    if (!answer) {
      if (waiting.size >= MAX_WAITING) throw unavailable('Too many hostnames are asked about. Try again soon.')
      waiting.set(host, (answer = Promise.withResolvers()))
    }
    if (!isRunning) run()
    return answer.promise
  }
}
