/** Records in columns, moved by a menu of each card, or by dragging. */
import { useSignal } from '@preact/signals'
import { at } from '../addresses.ts'
import { call } from '../api.ts'
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { t } from '../texts/texts.ts'
import { changed, useAnswer } from './data.ts'
import { filled, listAddress, may, type Row, recordAddress, type Screen, titleOf } from './shape.ts'
import { Value } from './values.tsx'
import { Views } from './views.tsx'

const METHODS = { POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

/** Filters of the address, without what is of the screen alone. */
const queryOf = () =>
  Object.fromEntries(
    [...at.value.searchParams].filter(([name]) => !['view', 'columns', 'sort', 'direction', 'page'].includes(name)),
  )

export function BoardScreen({ screen }: { screen: Screen }) {
  const board = screen.board!
  const { answer, error, again } = useAnswer(board.path, queryOf())
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
  const mayMove = board.move && may(board.move.allow)
  const move = async (row: Row, to: Row) => {
    try {
      await call(METHODS[board.move!.method], filled(board.move!.path, row[screen.key_field]), {
        body: { [board.by]: keyOf(to) },
      })
      tell(t('moved', { name: titleOf(screen, row), to: labelOf(to) }))
    } catch (error) {
      tell((error as Error).message)
    }
    changed()
  }
  const about = screen.list.columns
    .filter(({ name, is_hidden }) => !is_hidden && name !== screen.title_field && name !== board.by && name !== 'status')
    .slice(0, 3)
  return (
    <ScreenFrame
      title={screen.title}
      tools={
        <>
          <Views screen={screen} columns={[]} layout="board" />
          <a class="button" href={listAddress(screen)}>
            <Icon name="list" />
            {t('list')}
          </a>
          {screen.create && may(screen.create.allow) && (
            <a class="button primary" href={`${listAddress(screen)}/new`}>
              <Icon name="plus" />
              {t('newOne', { noun: screen.noun })}
            </a>
          )}
        </>
      }
    >
      {error && !answer ? <Trouble error={error} again={again} /> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
      <div class="board" role="region" aria-label={t('board')} tabIndex={0}>
        {columns.map((column) => (
          <section
            key={String(keyOf(column))}
            aria-label={labelOf(column)}
            class={over.value === keyOf(column) ? 'over' : undefined}
            onDragOver={(event) => {
              if (!dragged.value) return
              event.preventDefault()
              over.value = keyOf(column)
            }}
            onDragLeave={() => (over.value = undefined)}
            onDrop={(event) => {
              event.preventDefault()
              over.value = undefined
              if (dragged.value) void move(dragged.value, column)
              dragged.value = undefined
            }}
          >
            <h2>
              {labelOf(column)}
              <span class="quiet">{(board.count && column[board.count]) ?? column[board.rows].length}</span>
            </h2>
            {(column[board.rows] as Row[]).map((row) => (
              <article
                key={row[screen.key_field]}
                draggable={mayMove ?? false}
                onDragStart={() => (dragged.value = row)}
                onDragEnd={() => (dragged.value = undefined)}
              >
                <div class="line">
                  <a class="title" draggable={false} href={recordAddress(screen, row[screen.key_field])}>
                    {titleOf(screen, row)}
                  </a>
                  {mayMove && (
                    <Menu name={`${t('moveTo')}: ${titleOf(screen, row)}`} kind="plain only-icon" label={<Icon name="more" />}>
                      <div class="group">{t('moveTo')}</div>
                      {columns.map((to) => (
                        <Item key={String(keyOf(to))} checked={to === column} act={() => to !== column && void move(row, to)}>
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
          </section>
        ))}
      </div>
    </ScreenFrame>
  )
}
