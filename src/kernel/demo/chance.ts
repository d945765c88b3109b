/** Chance for demo data: the same seed gives the same. */

export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** A whole number, both bounds included. */
  whole(least: number, most: number): number
  between(least: number, most: number): number
  pick<T>(from: readonly T[]): T
  /** Picks by weight. */
  often<T extends { often: number }>(from: readonly T[]): T
  happens(probability: number): boolean
}

/** Mulberry32: small, quick, and good enough for made-up data. */
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

export const seedOf = (text: string) =>
  [...text].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5)
