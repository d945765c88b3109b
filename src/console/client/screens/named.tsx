/** Records of which no more than the key is told, by what people call them. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../api.ts'
import { type Row, recordAddress, type Summary, titleOf } from './shape.ts'

/** By screen and key; null: nobody can say. */
const known = signal<ReadonlyMap<string, string | null>>(new Map())
const placeOf = (screen: Summary, key: unknown) => `${screen.key}/${key}`

/** How many are asked for at once, and kept. */
const MOST = 100
const KEPT = 5000
const waiting = new Map<Summary, Set<string>>()

/** Those of one screen that are drawn in the same moment are asked for together. */
function find(screen: Summary, key: string) {
  if (!waiting.size) setTimeout(findAll)
  const keys = waiting.get(screen) ?? new Set<string>()
  waiting.set(screen, keys.add(key))
}

function findAll() {
  const all = [...waiting]
  waiting.clear()
  for (const [screen, keys] of all) {
    const list = [...keys]
    for (let from = 0; from < list.length; from += MOST) void findSome(screen, list.slice(from, from + MOST))
  }
}

async function findSome(screen: Summary, keys: string[]) {
  const rows: Row[] = await call('get', screen.path, { params: { query: { ids: keys.join(), per_page: MOST } } }).then(
    ({ data }) => data as Row[],
    () => [], // one that somebody may not read stays a number
  )
  const found = new Map(rows.map((row) => [String(row[screen.key_field]), titleOf(screen, row)]))
  const before = known.value.size < KEPT ? known.value : []
  known.value = new Map([...before, ...keys.map((key) => [placeOf(screen, key), found.get(key) ?? null] as const)])
}

/** A record by its name, which is looked up, and the way to it. */
export function Named({ screen, of }: { screen: Summary; of: unknown }) {
  const key = String(of)
  const name = known.value.get(placeOf(screen, key))
  useEffect(() => {
    if (!known.peek().has(placeOf(screen, key))) find(screen, key)
  }, [screen, key, name === undefined])
  if (name === undefined) return '…'
  if (name === null) return `#${key}`
  return screen.has_record ? <a href={recordAddress(screen, key)}>{name}</a> : name
}
