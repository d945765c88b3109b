/** Maps of bounded size in the order of last use. */

/** Moves a used entry to the end. */
export function touch<K, V>(known: Map<K, V>, key: K) {
  const value = known.get(key)
  if (value === undefined) return
  known.delete(key)
  known.set(key, value)
}

/** Returns a map with added entries, limited to `most` by dropping the least recently used ones, except those in `needed`. */
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
