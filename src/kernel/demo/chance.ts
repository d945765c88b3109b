/** Pseudo-random numbers for demo data. The same seed gives the same sequence. */

/** Random choices. */
export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** Integer from `least` to `most`, both included. */
  whole(least: number, most: number): number
  between(least: number, most: number): number
  pick<T>(from: readonly T[]): T
  /** Picks an item by its weight `often`. */
  often<T extends { often: number }>(from: readonly T[]): T
  happens(probability: number): boolean
}

/** Returns a Mulberry32 generator: small, fast, and good enough for demo data. */
export function randomFrom(seed: number): Random {
  const next = () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    between: (least, most) => least + next() * (most - least),
    pick: (from) => from[Math.floor(next() * from.length)]!,
    often(from) {
      let left = next() * from.reduce((sum, { often }) => sum + often, 0)
      return from.find(({ often }) => (left -= often) < 0) ?? from[0]!
    },
    happens: (probability) => next() < probability,
  }
}

/** Returns the FNV-1a hash of a text as a seed. */
export const seedOf = (text: string) =>
  [...text].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5)
