/** Maps that keep the newest of what they were told, in the order in which it was last used. */

/** Moves what is used again behind all others. */
export function touch<K, V>(known: Map<K, V>, key: K) {
  const value = known.get(key)
  if (value === undefined) return
  known.delete(key)
  known.set(key, value)
}

/** What is known with what is told: `most` of it at most, but for what is `needed`. What was used longest ago is dropped. */
export function latest<K, V>(
  known: ReadonlyMap<K, V>,
  told: Iterable<readonly [K, V]>,
  most: number,
  needed: { has(key: K): boolean } = new Set(),
) {
  const kept = new Map(known)
  for (const [key, value] of told) {
    kept.delete(key)
    kept.set(key, value)
  }
  const tooMany = Math.max(0, kept.size - most)
  const dropped = tooMany ? [...kept.keys()].filter((key) => !needed.has(key)).slice(0, tooMany) : []
  for (const key of dropped) kept.delete(key)
  return { kept, dropped }
}
