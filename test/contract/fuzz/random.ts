/** Chance that can be had again: the same seed makes the same choices. */
import { createHash } from 'node:crypto'
import { en, Faker } from '@faker-js/faker'

export interface Random {
  /** From 0 to `below`, without it. */
  below(below: number): number
  one<T>(all: readonly T[]): T
  /** True with this probability. */
  chance(probability: number): boolean
}

/** `about` keeps choices apart: what is chosen for one operation doesn't hang on how many there are. */
export function randomOf(seed: number, about = ''): Random {
  const own = createHash('sha256').update(`${seed} ${about}`).digest().readUInt32BE(0)
  const { helpers, number, datatype } = new Faker({ locale: en, seed: own })
  return {
    below: (below) => number.int({ min: 0, max: below - 1 }),
    one: (all) => helpers.arrayElement(all),
    chance: (probability) => datatype.boolean(probability),
  }
}
