/** Columns of a board: the API's reply, optimistic moves, and further pages of cards. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { call } from '../api.ts'
import { useAnswer } from './data.ts'
import type { Row, Screen } from './shape.ts'

export interface Column {
  /** Value of the column's field: an enum value or a record's id. */
  key: unknown
  label: string
  /** Raw column in the API's reply. */
  told: Row
  rows: Row[]
  count: number
  sums: Record<string, number>
}

/** Where a record is shown until the API has replied. */
interface Moved {
  to: unknown
  isDone: boolean
}

const PER_PAGE = 100
/** Above this number of pages of a hundred, the list is more suitable. */
export const MAX_PAGES = 5
const isRecord = (told: unknown): told is Row => typeof told === 'object' && told !== null

/** Returns a row's part of a column's sum: `total_lead_value` adds up `lead_value`. */
const partOf = (sum: string, row: Row) => Number(row[sum] ?? row[sum.replace(/^total_/, '')] ?? 0)

/** Returns whether two columns show the same. */
const says = (a: Column, b: Column) =>
  a.key === b.key &&
  a.label === b.label &&
  a.count === b.count &&
  a.rows.length === b.rows.length &&
  a.rows.every((row, n) => row === b.rows[n]) &&
  Object.keys(a.sums).every((name) => a.sums[name] === b.sums[name])

export function useColumns(screen: Screen, query: Record<string, string>) {
  const board = screen.board!
  const pages = useSignal<Record<string, number>>({})
  const more = useSignal<Record<string, Row[]>>({})
  /** Error and retries of loading further cards. */
  const rest = useSignal<{ error?: unknown; tries: number }>({ tries: 0 })
  const moved = useSignal<ReadonlyMap<string, Moved>>(new Map())
  const isWide = Object.keys(pages.value).length > 0
  const asked = isWide ? { ...query, per_column: String(PER_PAGE) } : query
  const { answer, error, again } = useAnswer(board.path, asked)
  const asking = JSON.stringify(query)
  const last = useRef<{ asking: string; answer: typeof answer }>({ asking, answer: undefined })
  // While more of the same query is loading, the present cards stay.
  if (answer || last.current.asking !== asking) last.current = { asking, answer }
  const known = last.current.answer

  useEffect(() => {
    pages.value = {}
    more.value = {}
    rest.value = { tries: 0 }
    moved.value = new Map()
  }, [asking])
  useEffect(() => {
    moved.value = new Map([...moved.value].filter(([, { isDone }]) => !isDone))
  }, [known])
  // Cards after the first hundred come from the list, page by page.
  useEffect(() => {
    const all = Object.entries(pages.value).filter(([, count]) => count > 1)
    if (!all.length) return
    const ending = new AbortController()
    const page = async (column: string, n: number): Promise<Row[]> => {
      const asked = { ...query, [board.by]: column, per_page: String(PER_PAGE), page: String(n) }
      return (await call('get', screen.path, { params: { query: asked }, signal: ending.signal })).data
    }
    const lists = all.map(async ([column, count]) => {
      const found = await Promise.all(Array.from({ length: count - 1 }, (_, n) => page(column, n + 2)))
      return [column, found.flat()] as const
    })
    // In one update, so that hundreds of cards are compared once.
    Promise.all(lists).then(
      (found) => {
        more.value = Object.fromEntries(found)
        if (rest.value.error) rest.value = { tries: rest.value.tries }
      },
      (error) => {
        if (!ending.signal.aborted) rest.value = { error, tries: rest.value.tries }
      },
    )
    return () => ending.abort()
  }, [known, pages.value, rest.value.tries])

  /** Rows with equal content stay identical, so that their cards don't render again. */
  const kept = useRef(new Map<string, { row: Row; text: string }>())
  const texts = useRef(new WeakMap<Row, string>())
  const shownLast = useRef<Column[]>([])
  const fresh = useMemo(() => {
    const before = kept.current
    kept.current = new Map()
    const same = (row: Row) => {
      const key = String(row[screen.key_field])
      const text = texts.current.get(row) ?? JSON.stringify(row)
      texts.current.set(row, text)
      const found = before.get(key)
      const one = found?.text === text ? found : { row, text }
      kept.current.set(key, one)
      return one.row
    }
    const seen = new Set<string>()
    const isNew = (row: Row) => {
      const key = String(row[screen.key_field])
      return !seen.has(key) && seen.add(key)
    }
    const field = screen.list.columns.find(({ name }) => name === board.by)
    const columns = (Array.isArray(known?.data) ? known.data : []) as Row[]
    shownLast.current = columns.map((told): Column => {
      const of = told[board.column]
      const key = isRecord(of) ? of.id : of
      const rows = [...(told[board.rows] as Row[]), ...(more.value[String(key)] ?? [])].filter(isNew).map(same)
      const column = {
        ...{ key, told, rows },
        label: isRecord(of) ? String(of.name) : (field?.options?.find(({ value }) => value === of)?.label ?? String(of)),
        count: Number((board.count && told[board.count]) ?? rows.length),
        sums: Object.fromEntries(board.sums.map(({ name }) => [name, Number(told[name])])),
      }
      return shownLast.current.find((one) => says(one, column)) ?? column
    })
    return shownLast.current
  }, [known, more.value])

  const by = query.sort ?? screen.list.default_sort?.by ?? 'created_at'
  const sign = (query.sort ? query.direction : screen.list.default_sort?.direction) === 'desc' ? -1 : 1
  const places = useRef(new WeakMap<Row, Row>())
  const columns = useMemo(() => withMoves(fresh), [fresh, moved.value])

  function withMoves(columns: Column[]): Column[] {
    const shown = [...columns]
    // Columns without a move stay identical and don't render again.
    const own = (column: Column): Column => {
      const n = shown.indexOf(column)
      if (columns[n] === column) shown[n] = { ...column, sums: { ...column.sums } }
      return shown[n]!
    }
    for (const [key, { to }] of moved.value) {
      const left = shown.find(({ rows }) => rows.some((row) => String(row[screen.key_field]) === key))
      const row = left?.rows.find((one) => String(one[screen.key_field]) === key)
      const entered = shown.find((column) => column.key === to)
      if (!left || !row || !entered || left === entered) continue
      const [from, into] = [own(left), own(entered)]
      from.rows = from.rows.filter((one) => one !== row)
      const there = placed(row, into)
      const at = into.rows.findIndex((one) => isBefore(there, one))
      into.rows = at < 0 ? [...into.rows, there] : into.rows.toSpliced(at, 0, there)
      from.count--
      into.count++
      for (const { name } of board.sums) {
        from.sums[name] = from.sums[name]! - partOf(name, row)
        into.sums[name] = into.sums[name]! + partOf(name, row)
      }
    }
    return shown
  }
  /** Returns a record with its column's value; cached, so that its card renders once. */
  function placed(row: Row, { key, told }: Column): Row {
    const found = places.current.get(row)
    if (found && found[board.by] === key) return found
    const there: Row = {
      ...row,
      [board.by]: key,
      ...(isRecord(told[board.column]) ? { [board.column]: told[board.column] } : {}),
    }
    places.current.set(row, there)
    return there
  }
  function isBefore(a: Row, b: Row): boolean {
    const [left, right] = [a[by], b[by]]
    if (left === right) return sign * (a.id - b.id) < 0
    if (left === null || right === null) return right === null
    return sign * (left < right ? -1 : 1) < 0
  }

  return {
    columns,
    error: known ? undefined : error,
    isLoaded: known !== undefined,
    again,
    /** Shown content, with errors of any of its requests. */
    shown: {
      answer: known,
      error: rest.value.error ?? error,
      isAged: false,
      again: () => {
        if (rest.value.error) rest.value = { tries: rest.value.tries + 1 }
        else again()
      },
    },
    /** Loads the next hundred cards of a column. */
    showMore: (column: Column) => {
      const key = String(column.key)
      pages.value = { ...pages.value, [key]: (pages.value[key] ?? (column.rows.length < PER_PAGE ? 0 : 1)) + 1 }
    },
    pagesOf: ({ key }: Column) => pages.value[String(key)] ?? 1,
    /** Shows a record in another column at once. Returns functions that confirm or revert the move. */
    shift(key: string, to: unknown) {
      const entry: Moved = { to, isDone: false }
      const set = (one: Moved | undefined) => {
        const next = new Map(moved.value)
        if (one) next.set(key, one)
        else next.delete(key)
        moved.value = next
      }
      set(entry)
      const isLatest = () => moved.value.get(key) === entry
      return {
        made: () => isLatest() && set(Object.assign(entry, { isDone: true })),
        back: () => isLatest() && set(undefined),
      }
    },
  }
}
