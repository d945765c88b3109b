/**
 * Bounds replies to a size that an agent can process: long values are cut, and the reply states where and how to read on. Texts
 * lose their end, lists their last entries. Each field of a record gets its share, so that one long text doesn't displace the
 * others.
 */

/** Maximum number of characters in a reply: some 10,000 tokens. */
export const MAX_CHARACTERS = 40_000

/** A cut: number of shown entries of a list, or characters of a text. */
export interface Cut {
  /** Path of the value, as the parameter `at` takes it. */
  at: string
  shown: number
  of: number
}

/**
 * Returns a value whose JSON has at most about `most` characters, and the cuts. `at` is the value's path; it starts at offset
 * `from`.
 */
export function bounded(value: unknown, { at = '', from = 0, most = MAX_CHARACTERS } = {}): { value: unknown; cuts: Cut[] } {
  const cuts: Cut[] = []
  return { value: fitted(value, most, at, from, cuts), cuts }
}

/** Returns the length of a value's JSON, or for a longer one any number above `most`, so that the scan is bounded. */
function lengthOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length > most ? value.length + 2 : JSON.stringify(value).length
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)?.length ?? 4
  let length = 1
  const isList = Array.isArray(value)
  for (const name in value) {
    if (!isList) length += JSON.stringify(name).length + 1
    length += lengthOf((value as Record<string, unknown>)[name], most - length) + 1
    if (length > most) return length
  }
  return Math.max(2, length)
}

function fitted(value: unknown, most: number, at: string, from: number, cuts: Cut[]): unknown {
  if (typeof value === 'string') return fittedText(value, most, at, from, cuts)
  if (typeof value !== 'object' || value === null || lengthOf(value, most) <= most) return value
  return Array.isArray(value) ? fittedList(value, most, at, from, cuts) : fittedObject(value, most, at, cuts)
}

function fittedText(text: string, most: number, at: string, from: number, cuts: Cut[]) {
  if (lengthOf(text, most) <= most) return text
  let end = Math.max(0, Math.min(most, text.length))
  while (end > 0 && lengthOf(text.slice(0, end), most) > most) end = Math.floor(end * 0.8) // escapes take more
  const shown = text.slice(0, end).replace(/[\ud800-\udbff]$/, '')
  cuts.push({ at, shown: from + shown.length, of: from + text.length })
  return shown
}

function fittedList(list: unknown[], most: number, at: string, from: number, cuts: Cut[]) {
  const shown: unknown[] = []
  let left = most - 2
  for (const [n, entry] of list.entries()) {
    const length = lengthOf(entry, left) + 1
    if (length > left && n) break
    shown.push(length > left ? fitted(entry, left, join(at, n + from), 0, cuts) : entry)
    left -= length
  }
  if (shown.length < list.length) cuts.push({ at, shown: from + shown.length, of: from + list.length })
  return shown
}

function fittedObject(value: object, most: number, at: string, cuts: Cut[]) {
  const sizes = Object.entries(value).map(([name, inner]) => ({ name, inner, size: name.length + 4 + lengthOf(inner, most) }))
  const shares = new Map<string, number>()
  let left = most - 2
  for (const [n, { name, size }] of sizes.toSorted((a, b) => a.size - b.size).entries()) {
    const share = Math.min(size, Math.floor(left / (sizes.length - n)))
    shares.set(name, share - name.length - 4)
    left -= share
  }
  const kept = sizes.filter(({ name }) => shares.get(name)! > 0)
  if (kept.length < sizes.length) cuts.push({ at, shown: kept.length, of: sizes.length })
  return Object.fromEntries(kept.map(({ name, inner }) => [name, fitted(inner, shares.get(name)!, join(at, name), 0, cuts)]))
}

const join = (at: string, name: string | number) => (at ? `${at}.${name}` : String(name))

/** Returns a part of a reply by its path (`data.3.notes`), from an entry or character on; undefined where there is none. */
export function partOf(value: unknown, at: string, from: number): unknown {
  const part = at.split('.').reduce<unknown>((inner, name) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined
    return (inner as Record<string, unknown>)[name]
  }, value)
  return typeof part === 'string' || Array.isArray(part) ? part.slice(from) : part
}
