/** Full-text index of operations, built once, so that a query need not scan all of them. */
import QuickLRU from 'quick-lru'
import type { Modules } from '#kernel/modules/module.ts'
import { type Operation, operationsOf } from './operations.ts'
import { splitWords } from './words.ts'

/** Maximum number of words of a query that are used. */
const MAX_WORDS = 12
/** Maximum number of cached words: a byte for each operation, some 2 MB in all. */
const MAX_REMEMBERED = 1000
/** Stop words of queries. */
const STOP_WORDS = new Set('a an the of to for in on by with and or all my is are who what which how do'.split(' '))

type Nearest = (usable: Operation[], question: string) => Operation[]

const indexes = new WeakMap<Modules, Promise<Nearest>>()

/** Returns the operations among `usable` that match a query, best first. An empty query returns all in their order. */
export async function nearest(modules: Modules, usable: Operation[], question: string): Promise<Operation[]> {
  const search = await indexes.getOrInsertComputed(modules, async () => searchOf((await operationsOf(modules)).values()))
  return search(usable, question)
}

/** Scores by match: name of the operation or a filter of its list; prefix of such a word; description. */
const NAMED = 6
const BEGINS_ALIKE = 4
const DESCRIBED = 1

function searchOf(operations: Iterable<Operation>): Nearest {
  const all = [...operations]
  const places = new Map(all.map((operation, place) => [operation, place]))
  const named = new Map<string, number[]>()
  const filtered = new Map<string, number[]>()
  const add = (to: Map<string, number[]>, word: string, place: number) => to.getOrInsertComputed(word, () => []).push(place)
  for (const [place, { words, filters }] of all.entries()) {
    for (const word of new Set(words.named)) add(named, word, place)
    for (const word of filters.keys()) add(filtered, word, place)
  }
  const vocabulary = [...named].map(([word, found]) => ({ word, stem: stemOf(word), found }))
  const descriptions = textIndex(all.map(({ words }) => words.described))
  const remembered = new QuickLRU<string, Uint8Array>({ maxSize: MAX_REMEMBERED })

  /** Returns each operation's score for a word. */
  function pointsOf(asked: string): Uint8Array {
    const known = remembered.get(asked)
    if (known) return known
    const points = new Uint8Array(all.length)
    const isLong = asked.length > 2
    if (isLong) for (const place of descriptions.placesOf(asked)) points[place] = DESCRIBED
    const stem = stemOf(asked)
    for (const { word, stem: other, found } of isLong ? vocabulary : [])
      if (word.startsWith(stem) || asked.startsWith(other)) for (const place of found) points[place] = BEGINS_ALIKE
    for (const { word, found } of vocabulary)
      if (word === asked || isPlural(word, asked) || isPlural(asked, word)) for (const place of found) points[place] = NAMED
    for (const place of filtered.get(asked) ?? []) points[place] = NAMED
    remembered.set(asked, points)
    return points
  }

  return (usable, question) => {
    const asked = splitWords(question)
      .filter((word) => !STOP_WORDS.has(word))
      .slice(0, MAX_WORDS)
    if (!asked.length) return usable
    const scores = new Float64Array(usable.length)
    const placesUsable = usable.map((operation) => places.get(operation)!)
    for (const word of asked) {
      const points = pointsOf(word)
      let met = 0
      for (const place of placesUsable) if (points[place]) met++
      if (!met) continue
      const weight = Math.log(1 + usable.length / met) // inverse frequency: rare words count more
      for (const [n, place] of placesUsable.entries()) scores[n]! += points[place]! * weight
    }
    const best = scores.reduce((most, score) => Math.max(most, score), 0)
    return usable
      .map((operation, n) => ({ operation, score: scores[n]! }))
      .filter(({ score }) => score > best / 3)
      .sort((a, b) => b.score - a.score || a.operation.path.length - b.operation.path.length)
      .map(({ operation }) => operation)
  }
}

/** Joins texts into one, so that the engine's own search finds a word in all of them. */
function textIndex(texts: string[]) {
  const whole = texts.join('\n')
  const ends: number[] = []
  for (const text of texts) ends.push((ends.at(-1) ?? -1) + text.length + 1)
  return {
    *placesOf(word: string) {
      let place = 0
      for (let at = whole.indexOf(word); at >= 0; at = whole.indexOf(word, ends[place]! + 1)) {
        while (ends[place]! < at) place++
        yield place
      }
    },
  }
}

/** Drops the last letter of words that are long enough to remain distinct. */
const stemOf = (word: string) => (word.length > 4 ? word.slice(0, -1) : word)
const isPlural = (plural: string, one: string) => plural === `${one}s` || plural === `${one}es`
