/**
 * Continuous list of up to a thousand rows: all can be selected, only those near the viewport are rendered. The focused row, or
 * the one that the user returns to, always stays rendered.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { at, leftFor } from '../addresses.ts'
import { findAgain } from '../parts/screen.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { textsOf } from '../texts/texts.ts'
import { type Answer, ask, lastAnswer } from './data.ts'
import { LONG, PAGES_OF_LONG } from './list-query.ts'
import { isNarrow } from './narrow.ts'
import { type Meta, Pages } from './pages.tsx'
import { type Drawn, Rows, type RowsProps } from './rows.tsx'
import { type Row, recordAddress } from './shape.ts'
import { counted } from './values.tsx'

const t = textsOf({
  en: { reading: '{count} of {total} rows are here.' },
  de: { reading: '{count} von {total} Zeilen sind da.' },
})

/** Number of rows rendered beyond each edge of the viewport, and the step of that range. */
const BEYOND = 16
const STEP = 8
/** Assumed height of a row before one was measured. */
const GUESSED_PX = 41

interface Props extends RowsProps {
  answer: Answer
  isAged: boolean
}

/** Returns the rows of the pages after the first, loaded one after another. */
function useMore({ screen, query, answer, isAged }: Props) {
  const first = Number(query.page)
  const last = Math.min((answer.meta as Meta).last_page, first + PAGES_OF_LONG - 1)
  const pages = Array.from({ length: Math.max(0, last - first) }, (_, n) => ({ ...query, page: String(first + n + 1) }))
  const asked = JSON.stringify(query)
  const read = useSignal<{ asked: string; pages: Row[][] } | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const tries = useSignal(0)
  const known = () => {
    const answers = pages.map((page) => lastAnswer(screen.path, page))
    const missing = answers.indexOf(undefined)
    return answers.slice(0, missing < 0 ? answers.length : missing).map((one) => one!.data as Row[])
  }
  const shown = read.value?.asked === asked ? read.value.pages : known()
  useEffect(() => {
    if (isAged) return
    const ending = new AbortController()
    const readOn = async () => {
      for (const [n, page] of pages.entries()) {
        const { data } = await ask(screen.path, page, ending.signal)
        const before = read.value?.asked === asked ? read.value.pages : shown
        read.value = { asked, pages: [...before.slice(0, n), data, ...before.slice(n + 1)] }
      }
      read.value = { asked, pages: (read.value?.pages ?? []).slice(0, pages.length) }
    }
    error.value = undefined
    readOn().catch((failure) => {
      if (!ending.signal.aborted) error.value = failure
    })
    return () => ending.abort()
  }, [answer, asked, isAged, tries.value])
  return { rows: shown.flat(), error: error.value, again: () => void tries.value++ }
}

export function LongList(props: Props) {
  const { screen, columns, query, answer, isAged: _, ...more } = props
  const read = useMore(props)
  // A row that moved up during loading is in two pages.
  const byKey = new Map([...(answer.data as Row[]), ...read.rows].map((row) => [row[screen.key_field], row]))
  const rows = [...byKey.values()]
  const { total, total_is_floor } = answer.meta as Meta
  const page = Math.floor(Number(query.page) / PAGES_OF_LONG) + 1
  const all = Math.min(LONG, total - (page - 1) * LONG)

  const box = useRef<HTMLDivElement>(null)
  const heights = useRef(new Map<number, number>())
  const range = useSignal({ from: 0, to: 2 * BEYOND })
  const held = useSignal(
    leftFor === undefined ? -1 : rows.findIndex((row) => isAt(leftFor!, recordAddress(screen, row[screen.key_field]))),
  )
  const measured = [...heights.current.values()]
  const usual = measured.length ? measured.reduce((sum, one) => sum + one, 0) / measured.length : GUESSED_PX
  const heightOf = (n: number) => heights.current.get(n) ?? usual

  /** Measures rendered rows and determines which are near the viewport. */
  const place = () => {
    const list = box.current?.querySelector('tbody, .cards')
    if (!list) return
    for (const row of list.children) {
      const n = indexOf(row)
      if (n >= 0) heights.current.set(n, (row as HTMLElement).offsetHeight)
    }
    const above = -list.getBoundingClientRect().top
    let [n, y] = [0, 0]
    while (n < rows.length && y + heightOf(n) < above) y += heightOf(n++)
    const from = Math.max(0, Math.floor((n - BEYOND) / STEP) * STEP)
    while (n < rows.length && y < above + innerHeight) y += heightOf(n++)
    const to = Math.min(rows.length, Math.ceil((n + BEYOND) / STEP) * STEP)
    if (from !== range.value.from || to !== range.value.to) range.value = { from, to }
  }
  const now = useRef(place)
  now.current = place

  useLayoutEffect(() => {
    let frame = 0
    const soon = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => now.current())
    }
    addEventListener('scroll', soon, { passive: true })
    addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', soon)
      removeEventListener('resize', soon)
    }
  }, [])
  useLayoutEffect(() => {
    heights.current.clear()
    const fix = () => keepWidths(box.current)
    fix()
    addEventListener('resize', fix)
    return () => removeEventListener('resize', fix)
  }, [isNarrow.value, columns.map(({ name }) => name).join(), more.pick === undefined])
  useLayoutEffect(() => {
    place()
    findAgain()
  })

  const some: Drawn = {
    count: rows.length,
    draw(one, gap) {
      const { from, to } = range.value
      const near = rows.flatMap((_, n) => ((n >= from && n < to) || n === held.value ? [n] : []))
      let next = 0
      const drawn = near.flatMap((n) => {
        const before = next
        next = n + 1
        return n > before ? [gap(`gap ${before}`, between(before, n)), one(rows[n]!, n)] : [one(rows[n]!, n)]
      })
      return next < rows.length ? [...drawn, gap('gap end', between(next, rows.length))] : drawn
    },
  }
  const between = (from: number, to: number) => {
    let sum = 0
    for (let n = from; n < to; n++) sum += heightOf(n)
    return sum
  }
  return (
    <div
      class="long"
      ref={box}
      onFocusIn={({ target }) => (held.value = indexOf((target as Element).closest('[aria-rowindex], [aria-posinset]')))}
    >
      <Rows {...more} {...{ screen, columns, query, rows, some }} />
      {read.error ? (
        <Trouble error={read.error} again={read.again} />
      ) : (
        rows.length < all && (
          <p class="quiet" role="status">
            {t('reading', { count: counted.format(rows.length), total: counted.format(all) })}
          </p>
        )
      )}
      <Pages
        meta={{
          ...{ current_page: page, last_page: Math.ceil(total / LONG), per_page: LONG, total },
          ...(total_is_floor ? { total_is_floor } : {}),
        }}
        shown={rows.length}
        isLongest
      />
    </div>
  )
}

const isAt = (address: string, record: string) => new URL(address, at.value).pathname === new URL(record, at.value).pathname

/** Returns the index of an element's row; -1: none. */
function indexOf(element: Element | null) {
  if (element?.ariaRowIndex) return Number(element.ariaRowIndex) - 2
  return element?.ariaPosInSet ? Number(element.ariaPosInSet) - 1 : -1
}

/** Fixes the column widths to those of the first rows: otherwise they would change with the rendered rows. */
function keepWidths(box: HTMLElement | null) {
  const table = box?.querySelector('table')
  if (!table) return
  const heads = [...table.querySelectorAll<HTMLElement>('thead th')]
  table.style.tableLayout = ''
  for (const head of heads) head.style.width = ''
  const widths = heads.map((head) => head.getBoundingClientRect().width)
  for (const [n, head] of heads.entries()) head.style.width = `${widths[n]}px`
  table.style.tableLayout = 'fixed'
}
