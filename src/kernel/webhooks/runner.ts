/** The loop of a process that works: it turns events into deliveries and sends those that are due. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../context.ts'
import { attempt, type Claimed, claim } from './sending.ts'
import type { Side } from './side.ts'

/** Between two looks where nothing ends meanwhile, in milliseconds. Looking never takes more than a fifth of a process's time. */
const PAUSE = 500
/** A request that has ended makes room for the next one of its endpoint: then the next look comes so soon. */
const SOON = 10

/** Begins to send what is due of a side beside what is under way, and answers what it has begun. */
export async function sendDue(services: Services, side: Side, underWay: Set<Claimed> = new Set()): Promise<Promise<void>[]> {
  const claimed = await claim(services, side, underWay)
  return claimed.map(async (one) => {
    underWay.add(one)
    try {
      await attempt(services, one)
    } catch (error) {
      const { tenant_id, id: delivery } = one.delivery
      services.log.error({ err: error, tenant_id, delivery }, 'a webhook could not be sent')
    } finally {
      underWay.delete(one)
    }
  })
}

/** Turns what happened on a side into deliveries. Answers whether there may be more to do at once. */
export type Dispatch = (services: Services) => Promise<boolean>

/** Runs until it is stopped; stopping waits for the requests under way. */
export function startRunner(services: Services, side: Side, dispatch: Dispatch): () => Promise<void> {
  const underWay = new Set<Claimed>()
  const requests = new Set<Promise<void>>()
  let isStopped = false
  let isWoken = false
  let endPause = () => {}
  const wake = () => {
    isWoken = true
    endPause()
  }
  /** Ends early when it is woken, also where that was since the last look began. */
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      if (isWoken) return resolve()
      const timer = setTimeout(resolve, ms)
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const loop = async () => {
    while (!isStopped) {
      const began = performance.now()
      isWoken = false
      const more = await turn().catch((error) => {
        services.log.warn({ err: error }, 'webhooks can not be sent at the moment')
        return false
      })
      const took = performance.now() - began
      if (!more && !isStopped) {
        await pause(Math.max(PAUSE, 4 * took))
        const rest = Math.max(SOON, 5 * took) - (performance.now() - began)
        if (!isStopped && rest > 0) await sleep(rest)
      }
    }
  }
  async function turn() {
    // Whatever keeps events from becoming deliveries, those that wait are sent.
    const more = await dispatch(services).catch((error) => {
      services.log.warn({ err: error }, 'events can not be made into webhooks at the moment')
      return false
    })
    const sent = await sendDue(services, side, underWay)
    for (const request of sent) {
      requests.add(request)
      request.finally(() => {
        requests.delete(request)
        wake()
      })
    }
    return more || sent.length > 0
  }
  const running = loop()
  return async () => {
    isStopped = true
    wake()
    await running
    await Promise.all(requests)
  }
}
