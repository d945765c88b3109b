/** The two loops of a process that works: one turns events into deliveries, the other sends those that are due. Neither waits for the other. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../context.ts'
import { type UsageMeter, usageMeter } from '../fair-share.ts'
import { attempt, type Claimed, claim } from './sending.ts'
import type { Side } from './side.ts'

/** Between two looks where nothing ends meanwhile, in milliseconds. Looking never takes more than a fifth of a process's time. */
const PAUSE = 500
/** A request that has ended makes room for the next one of its endpoint: then the next look comes so soon. */
const SOON = 10

interface Sender {
  /** Deliveries under way in this process. */
  underWay: Set<Claimed>
  /** Time that requests of each workspace took lately. */
  meter: UsageMeter
}

export const newSender = (): Sender => ({ underWay: new Set(), meter: usageMeter() })

/** Begins to send what is due of a side beside what is under way, and answers what it has begun. */
export async function sendDue(services: Services, side: Side, { underWay, meter } = newSender()): Promise<Promise<void>[]> {
  const claimed = await claim(services, side, { underWay, meter })
  return claimed.map(async (one) => {
    const { tenant_id, id: delivery } = one.delivery
    const began = performance.now()
    underWay.add(one)
    try {
      await attempt(services, one)
    } catch (error) {
      services.log.error({ err: error, tenant_id, delivery }, 'a webhook could not be sent')
    } finally {
      underWay.delete(one)
      meter.charge(tenant_id, performance.now() - began)
    }
  })
}

/** Turns what happened on a side into deliveries, for one slice of time. Answers whether there may be more to do at once. */
export type Dispatch = (services: Services) => Promise<boolean>

/** Repeats turns while there is more to do, with a pause in between otherwise. */
function startLoop(turn: () => Promise<boolean>) {
  let isStopped = false
  let isWoken = false
  let endPause = () => {}
  const wake = () => {
    isWoken = true
    endPause()
  }
  /** Ends early when it is woken, also where that was since the last turn began. */
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
      const more = await turn()
      const took = performance.now() - began
      if (!more && !isStopped) {
        await pause(Math.max(PAUSE, 4 * took))
        const rest = Math.max(SOON, 5 * took) - (performance.now() - began)
        if (!isStopped && rest > 0) await sleep(rest)
      }
    }
  }
  const running = loop()
  return {
    wake,
    async stop() {
      isStopped = true
      wake()
      await running
    },
  }
}

/** Runs until it is stopped; stopping waits for the requests under way. */
export function startRunner(services: Services, side: Side, dispatch: Dispatch): () => Promise<void> {
  const sender = newSender()
  const requests = new Set<Promise<void>>()
  const sending = startLoop(async () => {
    const sent = await sendDue(services, side, sender).catch((error) => {
      services.log.warn({ err: error }, 'webhooks can not be sent at the moment')
      return []
    })
    for (const request of sent) {
      requests.add(request)
      request.finally(() => {
        requests.delete(request)
        sending.wake()
      })
    }
    return sent.length > 0
  })
  let hadMore = false
  const making = startLoop(async () => {
    const more = await dispatch(services).catch((error) => {
      services.log.warn({ err: error }, 'events can not be made into webhooks at the moment')
      return false
    })
    if (more || hadMore) sending.wake()
    hadMore = more
    return more
  })
  return async () => {
    await Promise.all([making.stop(), sending.stop()])
    await Promise.all(requests)
  }
}
