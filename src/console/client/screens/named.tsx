/** Names of records of which only the key is known. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError, call } from '../api.ts'
import { changes } from './data.ts'
import { latest, touch } from './latest.ts'
import { type Row, recordAddress, type Summary, titleOf } from './shape.ts'

/** By screen and key; null: the name is unavailable. */
const known = signal(new Map<string, string | null>())
const placeOf = (screen: Summary, key: unknown) => `${screen.key}/${key}`

/** Maximum number of names in one request, and in the cache. */
const MOST = 100
const KEPT = 5000
const waiting = new Map<Summary, Set<string>>()
/** Requested since the last change. */
const asked = new Set<string>()
changes.subscribe(() => asked.clear())
/** Names on the screen with their number of uses: not requested again, and so never dropped. */
const inSight = new Map<string, number>()
/** Screens whose lists have no filter by key. */
const deaf = new Set<string>()

/** Requests of one screen in the same moment are sent together. */
function find(screen: Summary, key: string) {
  const place = placeOf(screen, key)
  touch(known.peek(), place)
  if (asked.has(place)) return
  asked.add(place)
  if (!waiting.size) setTimeout(findAll)
  const keys = waiting.get(screen) ?? new Set<string>()
  waiting.set(screen, keys.add(key))
}

function findAll() {
  const all = [...waiting]
  waiting.clear()
  for (const [screen, keys] of all) {
    const list = [...keys]
    if (deaf.has(screen.key)) keep(screen, list, [])
    else for (let from = 0; from < list.length; from += MOST) void findSome(screen, list.slice(from, from + MOST))
  }
}

async function findSome(screen: Summary, keys: string[]) {
  try {
    const { data } = await call('get', screen.path, { params: { query: { ids: keys.join(), per_page: MOST } } })
    const rows = data as Row[]
    if (rows.some((row) => !keys.includes(String(row[screen.key_field])))) deaf.add(screen.key)
    keep(screen, keys, rows)
  } catch (error) {
    keep(screen, keys, []) // unreadable records keep their number; failed requests are repeated
    if (!(error instanceof ApiError && error.status === 403)) for (const key of keys) asked.delete(placeOf(screen, key))
  }
}

function keep(screen: Summary, keys: string[], rows: Row[]) {
  const found = new Map(rows.map((row) => [String(row[screen.key_field]), titleOf(screen, row)]))
  const told = keys.map((key) => [placeOf(screen, key), found.get(key) ?? null] as const)
  const { kept, dropped } = latest(known.peek(), told, KEPT, inSight)
  for (const place of dropped) asked.delete(place)
  known.value = kept
}

/** Looks up names of records by key. Returns the name of each; undefined: not known yet, null: unavailable. */
export function useNames(screen: Summary | undefined, keys: readonly unknown[]) {
  useEffect(() => {
    if (!screen) return
    for (const key of keys) find(screen, String(key))
    const places = keys.map((key) => placeOf(screen, key))
    for (const place of places) inSight.set(place, (inSight.get(place) ?? 0) + 1)
    return () => {
      for (const place of places) {
        const others = inSight.get(place)! - 1
        others ? inSight.set(place, others) : inSight.delete(place)
      }
    }
  }, [screen, keys.join(), changes.value])
  return (key: unknown) => screen && known.value.get(placeOf(screen, key))
}

/** Name of a record, looked up, with its link. */
export function Named({ screen, of }: { screen: Summary; of: unknown }) {
  const key = String(of)
  const name = useNames(screen, [key])(key)
  if (name === undefined) return '…'
  if (name === null) return `#${key}`
  return screen.has_record ? <a href={recordAddress(screen, key)}>{name}</a> : name
}
