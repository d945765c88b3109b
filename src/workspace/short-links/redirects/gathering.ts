/** Batches concurrent look-ups: one statement for many costs little more than for a single one. */

/** Maximum number of concurrent batches; later look-ups wait for the next one. */
const MAX_UNDER_WAY = 2
const MAX_BATCH = 500

interface Waiting<K, V> extends PromiseWithResolvers<V | undefined> {
  key: K
}

/**
 * Returns a batched look-up. `lookUp` returns the known values of many keys; unknown keys yield undefined. `apart`: keys of a
 * failed batch are looked up one by one, because just one may be unreachable.
 */
export function gathering<K, V>(
  lookUp: (keys: K[]) => Promise<Map<K, V>>,
  { apart = false } = {},
): (key: K) => Promise<V | undefined> {
  const waiting: Waiting<K, V>[] = []
  let underWay = 0
  let scheduled = false

  /** Runs after all requests that have arrived in this iteration of the event loop. */
  function schedule() {
    if (scheduled || !waiting.length || underWay >= MAX_UNDER_WAY) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      void askFor(waiting.splice(0, MAX_BATCH))
      schedule()
    })
  }

  async function askFor(batch: Waiting<K, V>[]) {
    underWay++
    try {
      const found = await lookUp(batch.map(({ key }) => key))
      for (const { key, resolve } of batch) resolve(found.get(key))
    } catch (error) {
      if (!apart || batch.length === 1) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map((one) => lookUp([one.key]).then((found) => one.resolve(found.get(one.key)), one.reject)))
    }
    underWay--
    schedule()
  }

  return (key) => {
    const one: Waiting<K, V> = { key, ...Promise.withResolvers<V | undefined>() }
    waiting.push(one)
    schedule()
    return one.promise
  }
}
