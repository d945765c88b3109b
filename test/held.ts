/** How long the event loop stood still during some work, in milliseconds: so long nobody else was answered. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export async function heldDuring(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  await work()
  await new Promise((resolve) => setTimeout(resolve, 20)) // a timer that is late is counted when it runs
  delays.disable()
  return delays.max / 1e6
}
