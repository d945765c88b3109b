/** Records in columns, moved by dragging, by a menu of each card, or by Alt and the arrows. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../api.ts'
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { t } from '../texts/texts.ts'
import { changed, useAnswer } from './data.ts'
import { Layouts } from './layouts.tsx'
import { Filters, queryOf } from './list.tsx'
import { NewLink } from './new-link.tsx'
import { filled, listAddress, may, type Row, recordAddress, type Screen, titleOf } from './shape.ts'
import { counted, Value } from './values.tsx'
import { Views } from './views.tsx'

const METHODS = { POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

export function BoardScreen({ screen }: { screen: Screen }) {
  const board = screen.board!
  const { page: _, per_page: __, ...query } = queryOf(screen)
  const { answer, error, again } = useAnswer(board.path, query)
  /** What was moved by keys takes the focus where it came to. */
  const moved = useRef<unknown>(undefined)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (moved.current === undefined || !answer) return
    const card = box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(String(moved.current))}"]`)
    if (card && !card.contains(document.activeElement)) card.querySelector('a')?.focus()
  }, [answer])
  const over = useSignal<unknown>(undefined)
  const dragged = useSignal<Row | undefined>(undefined)
  const field = screen.list.columns.find(({ name }) => name === board.by)
  const columns: Row[] = Array.isArray(answer?.data) ? answer.data : []
  /** A column is a word, or a record in short. */
  const keyOf = (column: Row): unknown =>
    typeof column[board.column] === 'object' ? column[board.column]?.id : column[board.column]
  const labelOf = (column: Row): string => {
    const told = column[board.column]
    return typeof told === 'object' && told
      ? String(told.name)
      : (field?.options?.find(({ value }) => value === told)?.label ?? String(told))
  }
  const mayMove = board.move !== null && may(board.move.allow)
  const moves = screen.lifecycle?.field === board.by ? screen.lifecycle.moves : undefined
  /** Why a record can't go to a column; undefined where it can, as far as is known here. */
  const whyNot = (row: Row, to: Row): string | undefined => {
    const from = String(row[board.by])
    if (!moves || keyOf(to) === from || moves.some((move) => move.to === keyOf(to) && move.from.includes(from))) return undefined
    return t('notNow', { state: field?.options?.find(({ value }) => value === from)?.label ?? from })
  }
  const columnOf = (row: Row) => columns.findIndex((column) => (column[board.rows] as Row[]).includes(row))
  const move = async (row: Row, to: Row, isBack = false) => {
    const from = columns[columnOf(row)]
    const why = isBack ? undefined : whyNot(row, to)
    if (why) return tell(why)
    moved.current = row[screen.key_field]
    try {
      await call(METHODS[board.move!.method], filled(board.move!.path, row[screen.key_field]), {
        body: { [board.by]: keyOf(to) },
      })
      tell(
        t('moved', { name: titleOf(screen, row), to: labelOf(to) }),
        from && !isBack && !whyNot({ ...row, [board.by]: keyOf(to) }, from)
          ? { label: t('undo'), run: () => void move(row, from, true) }
          : undefined,
      )
    } catch (error) {
      tell((error as Error).message)
    }
    changed()
  }
  /** To the next column on that side that takes it. */
  const walk = (event: KeyboardEvent, row: Row) => {
    const towards = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!towards || !event.altKey || !mayMove) return
    event.preventDefault()
    const step = getComputedStyle(event.currentTarget as Element).direction === 'rtl' ? -towards : towards
    const ahead = step > 0 ? columns.slice(columnOf(row) + 1) : columns.slice(0, columnOf(row)).reverse()
    const to = ahead.find((column) => !whyNot(row, column))
    if (to) void move(row, to)
    else tell(t('moveNowhere', { name: titleOf(screen, row) }))
  }
  const about = screen.list.columns
    .filter(({ name, is_hidden }) => !is_hidden && name !== screen.title_field && name !== board.by && name !== 'status')
    .slice(0, 3)
  const countOf = (column: Row) => Number((board.count && column[board.count]) ?? column[board.rows].length)
  const restOf = (column: Row) =>
    screen.list.filters.some(({ name }) => name === board.by) && countOf(column) > column[board.rows].length
      ? `${listAddress(screen)}?${new URLSearchParams({ ...query, [board.by]: String(keyOf(column)) })}`
      : undefined
  return (
    <ScreenFrame
      title={screen.title}
      tools={
        <>
          <Views screen={screen} columns={[]} layout="board" />
          <Layouts screen={screen} here="board" />
          <NewLink screen={screen} />
        </>
      }
    >
      <Filters screen={screen} query={query} />
      {error && !answer ? <Trouble error={error} again={again} /> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
      <div class="board" role="region" aria-label={t('board')} tabIndex={0} ref={box}>
        {columns.map((column) => (
          <section
            key={String(keyOf(column))}
            aria-label={labelOf(column)}
            class={dragged.value && whyNot(dragged.value, column) ? 'closed' : over.value === keyOf(column) ? 'over' : undefined}
            onDragOver={(event) => {
              if (!dragged.value || whyNot(dragged.value, column)) return
              event.preventDefault()
              over.value = keyOf(column)
            }}
            onDragLeave={() => (over.value = undefined)}
            onDrop={(event) => {
              event.preventDefault()
              over.value = undefined
              if (dragged.value && !(column[board.rows] as Row[]).includes(dragged.value)) void move(dragged.value, column)
              dragged.value = undefined
            }}
          >
            <h2>
              {labelOf(column)}
              <span class="quiet">{counted.format(countOf(column))}</span>
            </h2>
            {(column[board.rows] as Row[]).map((row) => (
              <article
                key={row[screen.key_field]}
                data-key={String(row[screen.key_field])}
                draggable={mayMove}
                onKeyDown={(event) => walk(event, row)}
                onDragStart={() => (dragged.value = row)}
                onDragEnd={() => (dragged.value = undefined)}
              >
                <div class="line">
                  <a
                    class="title"
                    draggable={false}
                    href={recordAddress(screen, row[screen.key_field])}
                    aria-keyshortcuts={mayMove ? 'Alt+ArrowRight Alt+ArrowLeft' : undefined}
                  >
                    {titleOf(screen, row)}
                  </a>
                  {mayMove && (
                    <Menu name={`${t('moveTo')}: ${titleOf(screen, row)}`} kind="plain only-icon" label={<Icon name="more" />}>
                      <div class="group">{t('moveTo')}</div>
                      {columns.map((to) => (
                        <Item
                          key={String(keyOf(to))}
                          checked={to === column}
                          why={whyNot(row, to)}
                          act={() => to !== column && void move(row, to)}
                        >
                          {labelOf(to)}
                        </Item>
                      ))}
                    </Menu>
                  )}
                </div>
                {about.map((one) => (
                  <small class="quiet" key={one.name}>
                    <Value field={one} row={row} />
                  </small>
                ))}
              </article>
            ))}
            {restOf(column) && (
              <p class="rest">
                <a href={restOf(column)}>
                  {t('boardMore', { count: counted.format(countOf(column) - column[board.rows].length) })}
                </a>
              </p>
            )}
          </section>
        ))}
      </div>
    </ScreenFrame>
  )
}
