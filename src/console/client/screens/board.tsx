/**
 * Board of records in columns. A card moves by dragging, its menu, Alt with arrow keys, or the space bar (pick up, then arrow
 * keys). Moves are optimistic: a rejected card returns with the reason.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { call } from '../api.ts'
import { boot } from '../boot.ts'
import { useEvents } from '../events.ts'
import { Answered } from '../parts/answered.tsx'
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { t } from '../texts/texts.ts'
import { ActionDialog, type Asked } from './actions.tsx'
import { cardFields, Face } from './card.tsx'
import { type Column, MAX_PAGES, useColumns } from './columns.ts'
import { changed } from './data.ts'
import { useDragging } from './dragging.ts'
import { Filters } from './filters.tsx'
import { Layouts } from './layouts.tsx'
import { queryOf } from './list-query.ts'
import { NewLink } from './new-link.tsx'
import { filled, listAddress, may, methodOf, type Row, recordAddress, type Screen, titleOf } from './shape.ts'
import { counted, textFor, tone } from './values.tsx'
import { Views } from './views.tsx'

export interface Hooks {
  /** Fields of the cards, if they differ from the screen's own board. */
  card?: readonly string[]
  /** Content of a card below its fields. */
  more?: (row: Row) => ComponentChildren
  /** Menu items of a card in addition to move and assign. */
  items?: (row: Row) => ComponentChildren
  /** Shortcut keys for the focused card. */
  keys?: Record<string, (row: Row) => void>
  /**
   * Returns a function that opens a dialog for a move to this column; undefined: none is needed. The dialog passes its input to
   * `go`, which resolves to whether the move succeeded.
   */
  asks?: (row: Row, to: Column, go: (said?: Row) => Promise<boolean>) => (() => void) | undefined
  /** Content at the foot of a column. */
  foot?: (column: Column) => ComponentChildren
}

/**
 * Board of a screen with its filters. A module with a custom board passes its parts as `hooks`, and `dialogs` next to the board.
 */
export function BoardScreen({ screen, hooks, dialogs }: { screen: Screen; hooks?: Hooks; dialogs?: ComponentChildren }) {
  const { page: _, per_page: __, ...query } = queryOf(screen)
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
      <Board screen={screen} query={query} hooks={hooks} />
      {dialogs}
    </ScreenFrame>
  )
}

interface Props {
  screen: Screen
  query: Record<string, string>
  hooks?: Hooks | undefined
  /** Embedded in another screen, which gets no events of these records. */
  isWithin?: boolean
}

export function Board({ screen, query, hooks = {}, isWithin }: Props) {
  const board = screen.board!
  const { columns, error, isLoaded, again, shown, showMore, pagesOf, shift } = useColumns(screen, query)
  useEvents(isWithin ? screen.resource : undefined, changed)
  const box = useRef<HTMLDivElement>(null)
  const lifted = useSignal<string | undefined>(undefined)
  const over = useSignal<unknown>(undefined)
  /** Card picked up by keyboard, and its destination column. */
  const held = useSignal<{ key: string; to: unknown } | undefined>(undefined)
  const live = useSignal('')
  const asked = useSignal<Asked | undefined>(undefined)
  const id = useId()
  const fields = cardFields(screen, hooks.card)
  const assign = screen.actions.find(
    ({ path, fields }) => path.endsWith('/assign') && fields.some(({ name }) => name === 'assigned_to'),
  )
  const mayMove = board.move !== null && may(board.move.allow)
  const mayAssign = assign && may(assign.allow)
  const moves = screen.lifecycle?.field === board.by ? screen.lifecycle.moves : undefined
  const state = screen.list.columns.find(({ name }) => name === board.by)

  const keyOf = (row: Row) => String(row[screen.key_field])
  const find = (key: string) => {
    for (const [n, column] of columns.entries()) {
      const row = column.rows.find((one) => keyOf(one) === key)
      if (row) return { row, column, n }
    }
    return undefined
  }
  /** Returns why a record can't move to a column; undefined where it can, as far as the client knows. */
  const whyNot = (row: Row, { key }: Column): string | undefined => {
    const from = String(row[board.by])
    if (!moves || key === from || moves.some((move) => move.to === key && move.from.includes(from))) return undefined
    return t('notNow', { state: state?.options?.find(({ value }) => value === from)?.label ?? from })
  }

  /** The focused card keeps the focus when it moves, whoever moved it. */
  const focused = useRef<string | undefined>(undefined)
  const follows = useRef(false)
  useLayoutEffect(() => {
    const key = focused.current
    if (key === undefined || (!follows.current && document.activeElement !== document.body)) return
    const card = cardOf(key)
    if (!card || card.contains(document.activeElement)) return
    follows.current = false
    card.querySelector('a')?.focus({ preventScroll: true })
    card.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  const cardOf = (key: string) => box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)

  /** Serialises moves of a card that is moved again before the first reply. */
  const waiting = useRef(new Map<string, Promise<unknown>>())
  const send = async (row: Row, to: Column, said: Row = {}, isBack = false): Promise<boolean> => {
    const key = keyOf(row)
    const from = find(key)?.column
    focused.current = key
    follows.current = true
    const { made, back } = shift(key, to.key)
    const before = waiting.current.get(key)
    const sending = (async () => {
      await before?.catch(() => {})
      await call(methodOf(board.move!), filled(board.move!.path, key), { body: { ...said, [board.by]: to.key } })
    })()
    waiting.current.set(key, sending)
    try {
      await sending
      made()
      tell(
        t('moved', { name: titleOf(screen, row), to: to.label }),
        from && !isBack && !whyNot({ ...row, [board.by]: to.key }, from)
          ? { label: t('undo'), run: () => void send({ ...row, [board.by]: to.key }, from, {}, true) }
          : undefined,
      )
      return true
    } catch (error) {
      back()
      tell(`${t('notMoved', { name: titleOf(screen, row) })} ${(error as Error).message}`)
      return false
    } finally {
      if (waiting.current.get(key) === sending) waiting.current.delete(key)
      changed()
    }
  }
  const move = (row: Row, to: Column) => {
    const why = whyNot(row, to)
    if (why) return tell(why)
    const own = hooks.asks?.(row, to, (said) => send(row, to, said))
    if (own) return own()
    const fields = askedFor(to)
    if (!fields.length) return void send(row, to)
    into.current = to
    asked.value = {
      action: { ...board.move!, fields, label: `${t('moveTo')}: ${to.label}` },
      ...{ on: row[screen.key_field], row, also: { [board.by]: to.key } },
    }
  }
  /** Destination column while a dialog is open. */
  const into = useRef<Column | undefined>(undefined)
  /** Returns the required fields of a move, and its reason where the column is a negative outcome. */
  const askedFor = ({ key, told }: Column) => {
    const others = (board.move?.fields ?? []).filter(({ name }) => name !== board.by)
    const isBad = tone(String(key)) === 'bad' || told[board.column]?.is_lost === true
    return others.filter(({ name, is_required }) => is_required || (name === 'reason' && isBad))
  }

  const announce = (row: Row, to: Column) => {
    live.value = t('boardHeld', { name: titleOf(screen, row), to: to.label, n: columns.indexOf(to) + 1, count: columns.length })
  }
  /** Returns the next column in a direction that accepts the record. */
  const ahead = (row: Row, from: number, step: number) =>
    (step > 0 ? columns.slice(from + 1) : columns.slice(0, from).reverse()).find((column) => !whyNot(row, column))
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as Element
    const card = target.closest<HTMLElement>('[data-key]')
    if (!card || !target.matches('a')) return
    const at = find(card.dataset.key!)
    if (!at) return
    const { row, n } = at
    const arrow = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const step = arrow && getComputedStyle(card).direction === 'rtl' ? -arrow : arrow
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey
    const done = (deed: () => void) => {
      event.preventDefault()
      deed()
    }
    if (!isPlain) return
    if (event.altKey) {
      if (!step || !mayMove) return
      const to = ahead(row, n, step)
      return done(() => (to ? move(row, to) : tell(t('moveNowhere', { name: titleOf(screen, row) }))))
    }
    if (held.value) {
      const now = columns.findIndex(({ key }) => key === held.value!.to)
      if (event.key === 'Escape')
        return done(() => {
          held.value = undefined
          live.value = t('boardLeft', { name: titleOf(screen, row) })
        })
      if (event.key === ' ' || event.key === 'Enter')
        return done(() => {
          const to = columns[now]
          held.value = undefined
          live.value = ''
          if (to && now !== n) move(row, to)
        })
      if (!step) return
      return done(() => {
        const to = ahead(row, now, step)
        if (!to) return
        held.value = { key: keyOf(row), to: to.key }
        announce(row, to)
        box.current
          ?.querySelector(`[data-column="${CSS.escape(String(to.key))}"]`)
          ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      })
    }
    if (event.key === ' ' && mayMove)
      return done(() => {
        held.value = { key: keyOf(row), to: columns[n]!.key }
        announce(row, columns[n]!)
      })
    if (event.key === 'a' && mayAssign) return done(() => (asked.value = { action: assign, on: row[screen.key_field], row }))
    const own = hooks.keys?.[event.key]
    if (own) return done(() => own(row))
    if (step || event.key === 'ArrowDown' || event.key === 'ArrowUp')
      done(() => {
        const place = columns[n]!.rows.indexOf(row)
        const near = step
          ? (step > 0 ? columns.slice(n + 1) : columns.slice(0, n).reverse()).find(({ rows }) => rows.length)
          : columns[n]
        const next = step
          ? near?.rows[Math.min(place, near.rows.length - 1)]
          : near?.rows[place + (event.key === 'ArrowDown' ? 1 : -1)]
        const to = next && cardOf(keyOf(next))
        to?.querySelector('a')?.focus()
      })
  }
  const onFocusOut = ({ target }: FocusEvent) =>
    setTimeout(() => {
      // The user left it; a removed element is looked up at its new position instead.
      if (!(target as Element).isConnected || box.current?.contains(document.activeElement)) return
      if (document.activeElement === document.body || !document.hasFocus() || document.querySelector('dialog[open]')) return
      focused.current = undefined
      held.value = undefined
    })

  useDragging(box, {
    may: () => mayMove,
    lift(key) {
      lifted.value = key
      over.value = undefined
      held.value = undefined
    },
    over: (column) => (over.value = column),
    drop(key, column) {
      const at = find(key)
      const to = columns.find((one) => String(one.key) === column)
      if (at && to && at.column !== to) move(at.row, to)
    },
  })

  // Renders a card again only when its content has changed: among hundreds, a move renders one.
  const now = useRef({ find, move, whyNot, columns, hooks })
  now.current = { find, move, whyNot, columns, hooks }
  const drawn = useRef(new WeakMap<Row, { from: unknown[]; made: JSX.Element }>())
  const cardFor = (row: Row) => {
    const from = [mayMove, hooks.more, screen]
    const before = drawn.current.get(row)
    if (before?.from.every((one, n) => one === from[n])) return before.made
    const made = draw(row)
    drawn.current.set(row, { from, made })
    return made
  }
  const itemsFor = (key: string) => {
    const at = now.current.find(key)
    if (!at) return null
    const { row, column } = at
    const { columns, hooks, whyNot, move } = now.current
    return (
      <>
        {mayMove && (
          <>
            <div class="group">{t('moveTo')}</div>
            {columns.map((to) => (
              <Item key={String(to.key)} checked={to === column} why={whyNot(row, to)} act={() => to !== column && move(row, to)}>
                {to.label}
              </Item>
            ))}
          </>
        )}
        {mayMove && (mayAssign || hooks.items) && <hr />}
        {mayAssign && (
          <Item act={() => (asked.value = { action: assign, on: row[screen.key_field], row })}>
            <Icon name="user" />
            {assign.label}
          </Item>
        )}
        {mayAssign && boot.me && row.assigned_to !== boot.me.user.id && (
          <Item act={() => void assignTo(row, boot.me!.user.id)}>
            <Icon name="user" />
            {t('assignMe')}
          </Item>
        )}
        {hooks.items?.(row)}
      </>
    )
  }
  const assignTo = async (row: Row, assigned_to: number) => {
    try {
      await call(methodOf(assign!), filled(assign!.path, row[screen.key_field]), { body: { assigned_to } })
      tell(t('done'))
    } catch (error) {
      tell((error as Error).message)
    }
    changed()
  }
  const draw = (row: Row) => {
    const key = keyOf(row)
    const title = titleOf(screen, row)
    return (
      <article key={key} data-key={key}>
        <div class="line">
          <a
            class="title"
            draggable={false}
            href={recordAddress(screen, key)}
            aria-keyshortcuts={mayMove ? 'Space Alt+ArrowRight Alt+ArrowLeft' : undefined}
          >
            {title}
          </a>
          {(mayMove || mayAssign || hooks.items) && (
            <Menu name={`${mayMove ? t('moveTo') : t('actions')}: ${title}`} kind="plain only-icon" label={<Icon name="more" />}>
              {() => itemsFor(key)}
            </Menu>
          )}
        </div>
        <Face fields={fields} row={row}>
          {hooks.more?.(row)}
        </Face>
      </article>
    )
  }

  const picked = held.value?.key ?? lifted.value
  const at = picked === undefined ? undefined : find(picked)?.row
  const target = held.value ? held.value.to : over.value
  const classOf = (column: Column) =>
    !at ? undefined : whyNot(at, column) ? 'closed' : String(target) === String(column.key) ? 'over' : undefined
  const listOf = (column: Column) =>
    screen.list.filters.some(({ name }) => name === board.by)
      ? `${listAddress(screen)}?${new URLSearchParams({ ...query, [board.by]: String(column.key) })}`
      : undefined
  const sections = useRef(new WeakMap<Column, { from: unknown[]; made: JSX.Element }>())
  const sectionFor = (column: Column) => {
    const from = [classOf(column), listOf(column), pagesOf(column), mayMove, screen]
    const before = sections.current.get(column)
    if (before?.from.every((one, n) => one === from[n])) return before.made
    const made = section(column)
    sections.current.set(column, { from, made })
    return made
  }
  const section = (column: Column) => {
    const left = column.count - column.rows.length
    return (
      <section key={String(column.key)} data-column={String(column.key)} aria-label={column.label} class={classOf(column)}>
        <h2>
          {column.label} <span class="quiet">{counted.format(column.count)}</span>
          {board.sums.map((sum) => (
            <span class="quiet sum" key={sum.name} title={sum.label}>
              {textFor(sum, column.sums[sum.name]!.toFixed(4), {})}
            </span>
          ))}
        </h2>
        {column.rows.map(cardFor)}
        {left > 0 && listOf(column) && (
          <p class="rest">
            {pagesOf(column) < MAX_PAGES ? (
              <button type="button" class="plain" onClick={() => showMore(column)}>
                {t('boardMore', { count: counted.format(left) })}
              </button>
            ) : (
              <a href={listOf(column)}>{t('boardMore', { count: counted.format(left) })}</a>
            )}
          </p>
        )}
        {hooks.foot?.(column)}
      </section>
    )
  }
  if (error) return <Trouble error={error} again={again} />
  return (
    <>
      <p class="unseen" id={`${id}-keys`}>
        {mayMove ? t('boardKeys') : ''}
      </p>
      <div class="unseen" aria-live="assertive">
        {live.value}
      </div>
      {isLoaded && <Answered of={shown}>{() => null}</Answered>}
      <div
        class={lifted.value === undefined ? 'board' : 'board dragging'}
        role="region"
        aria-label={t('board')}
        aria-describedby={`${id}-keys`}
        aria-busy={!isLoaded}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
        tabIndex={0}
        ref={box}
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => {
          focused.current = (target as Element).closest<HTMLElement>('[data-key]')?.dataset.key
        }}
        onFocusOut={onFocusOut}
      >
        {columns.map(sectionFor)}
      </div>
      {asked.value && (
        <ActionDialog
          asked={asked.value}
          done={(message) => {
            const [{ row }, to] = [asked.value!, into.current]
            asked.value = undefined
            into.current = undefined
            if (!message) return
            if (row && to) {
              focused.current = keyOf(row)
              follows.current = true
            }
            tell(row && to ? t('moved', { name: titleOf(screen, row), to: to.label }) : message)
            changed()
          }}
        />
      )}
    </>
  )
}
