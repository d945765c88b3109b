/**
 * Returns the maximum milliseconds that the event loop was blocked during some work. Measured in CPU time of this thread, so that
 * other load on the machine doesn't count.
 */
export async function heldDuring(work: () => Promise<unknown>): Promise<number> {
  let worst = 0
  let before = process.threadCpuUsage()
  const look = () => {
    const now = process.threadCpuUsage()
    worst = Math.max(worst, now.user + now.system - before.user - before.system)
    before = now
  }
  const looking = setInterval(look, 1)
  try {
    await work()
    await new Promise((resolve) => setTimeout(resolve, 5))
  } finally {
    clearInterval(looking)
  }
  return worst / 1000
}
