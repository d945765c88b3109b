/** Reproducible randomness: the same seed makes the same choices. */
import { createHash } from 'node:crypto'
import { en, Faker } from '@faker-js/faker'

export interface Random {
  /** Returns an integer from 0 to `below`, exclusive. */
  below(below: number): number
  one<T>(all: readonly T[]): T
  /** Returns true with this probability. */
  chance(probability: number): boolean
}

/** `about` separates sequences: an operation's choices don't depend on the number of operations. */
export function randomOf(seed: number, about = ''): Random {
  const own = createHash('sha256').update(`${seed} ${about}`).digest().readUInt32BE(0)
  const { helpers, number, datatype } = new Faker({ locale: en, seed: own })
  return {
    below: (below) => number.int({ min: 0, max: below - 1 }),
    one: (all) => helpers.arrayElement(all),
    chance: (probability) => datatype.boolean(probability),
  }
}
