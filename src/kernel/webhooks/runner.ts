/** Loops of a worker process: one turns events into deliveries, the other sends due ones. They don't wait for each other. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../context.ts'
import { type UsageMeter, usageMeter } from '../fair-share.ts'
import { attempt, type Claimed, claim } from './sending.ts'
import type { Side } from './side.ts'

/**
 * Pause between two polls if nothing ends meanwhile, in milliseconds. Polling never takes more than a fifth of a process's time.
 */
const PAUSE = 500
/** Shorter pause after a request has ended, which makes room for its endpoint's next one. */
const SOON = 10

interface Sender {
  /** Running deliveries of this process. */
  underWay: Set<Claimed>
  /** Recent request time of each workspace. */
  meter: UsageMeter
}

export const newSender = (): Sender => ({ underWay: new Set(), meter: usageMeter() })

/** Starts to send a scope's due deliveries in addition to running ones. Returns the started requests. */
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

/** Turns events of a scope into deliveries, for one slice of time. Returns whether there may be more to do at once. */
export type Dispatch = (services: Services) => Promise<boolean>

/** Repeats `turn` at once while there is more to do, otherwise after a pause. */
function startLoop(turn: () => Promise<boolean>) {
  let isStopped = false
  let isWoken = false
  let endPause = () => {}
  const wake = () => {
    isWoken = true
    endPause()
  }
  /** Pause that ends early on `wake`, also if it was called since the last turn began. */
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

/** Starts both loops. Returns a function that stops them and waits for running requests. */
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
