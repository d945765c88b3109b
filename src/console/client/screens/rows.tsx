/** Rows of a list: a table with sortable columns, or cards on a phone. */
import type { ComponentChildren, VNode } from 'preact'
import { go } from '../addresses.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../texts/texts.ts'
import type { Asked } from './actions.tsx'
import type { Picked } from './bulk.tsx'
import { refine } from './list-query.ts'
import { isNarrow } from './narrow.ts'
import { RowDeeds } from './row-deeds.tsx'
import { type Field, type Row, recordAddress, type Screen, titleOf } from './shape.ts'
import { isDue, isNumeric, Value } from './values.tsx'

/** Rendered rows of a long list, with gaps in place of the others. */
export interface Drawn {
  count: number
  draw(one: (row: Row, n: number) => VNode, gap: (key: string, height: number) => VNode): VNode[]
}

/** Head of a sortable column. */
export function SortHead({
  by,
  label,
  query,
  isNumeric = false,
  usual = 'asc',
}: {
  by: string
  label: string
  query: Record<string, string>
  isNumeric?: boolean
  usual?: 'asc' | 'desc'
}) {
  const isSorted = query.sort === by
  const direction = query.direction ?? 'asc'
  const to = isSorted ? (direction === 'asc' ? 'desc' : 'asc') : usual
  return (
    <th
      scope="col"
      class={isNumeric ? 'numbers' : undefined}
      aria-sort={isSorted ? (direction === 'desc' ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" onClick={() => refine({ sort: by, direction: to })}>
        {label}
        {isSorted && <Icon name={direction === 'desc' ? 'down' : 'up'} />}
      </button>
    </th>
  )
}

export interface RowsProps {
  screen: Screen
  columns: Field[]
  rows: Row[]
  query: Record<string, string>
  picked: Picked
  pick: ((rows: Row[], on: boolean) => void) | undefined
  /** For rows without a page: shows their actions. */
  ask: ((asked: Asked) => void) | undefined
  restore: ((key: string) => void) | undefined
  /** Undefined: all rows are rendered. */
  some?: Drawn | undefined
}

/** Returns whether a click opens the row: not on a control inside, and not for a text selection. */
const opens = ({ target, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  !(target as Element).closest('a, button, input, .picks') && !(ctrlKey || metaKey || shiftKey) && !getSelection()?.toString()

const keyOf = (screen: Screen, row: Row) => String(row[screen.key_field])

function TitleLink({ screen, row, children }: { screen: Screen; row: Row; children?: ComponentChildren }) {
  return screen.record ? (
    <a class="title" href={recordAddress(screen, keyOf(screen, row))}>
      {children ?? titleOf(screen, row)}
    </a>
  ) : (
    <span class="title">{children ?? titleOf(screen, row)}</span>
  )
}

/** Rows as a table, or as cards on a phone. Selection, actions and restoring need `pick`, `ask` and `restore`. */
export function Rows({ screen, columns, rows, query, picked, pick, ask, restore, some }: RowsProps) {
  const linked =
    columns.find(({ name }) => name === screen.title_field) ?? columns.find(({ kind }) => kind === 'text') ?? columns[0]
  const named = new Set([linked, ...columns.filter(({ name, kind }) => kind === 'text' && /^(number|name|title)$/.test(name))])
  if (isNarrow.value) return <Cards {...{ screen, columns, rows, linked, picked, pick, ask, restore, some }} />
  const gap = (key: string, height: number) => (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it takes no focus.
    <tr key={key} class="gap" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  )
  const one = (row: Row, n: number) => {
    const key = keyOf(screen, row)
    return (
      <tr
        key={key}
        aria-rowindex={some && n + 2}
        onClick={(event) => screen.record && opens(event) && go(recordAddress(screen, key))}
      >
        {pick && (
          <td class="picks">
            <input
              type="checkbox"
              aria-label={t('selectOne', { name: titleOf(screen, row) })}
              checked={picked.all || picked.rows.has(row.id)}
              onChange={(event) => pick([row], event.currentTarget.checked)}
            />
          </td>
        )}
        {columns.map((column) => (
          <td key={column.name} class={isNumeric(column) ? 'numbers' : undefined}>
            {named.has(column) ? (
              <TitleLink screen={screen} row={row}>
                {row[column.name] ? (
                  <Value
                    field={column.kind === 'url' || column.kind === 'email' ? { ...column, kind: 'text' } : column}
                    row={row}
                  />
                ) : undefined}
              </TitleLink>
            ) : (
              <Value field={column} row={row} />
            )}
          </td>
        ))}
        {ask && (
          <td class="deeds">
            <RowDeeds deeds={screen} row={row} name={titleOf(screen, row)} keys={[key]} ask={ask} />
          </td>
        )}
        {restore && (
          <td>
            <button type="button" onClick={() => restore(key)}>
              {t('restore')}
            </button>
          </td>
        )}
      </tr>
    )
  }
  const usual = screen.list.default_sort
  const sorted = query.sort || !usual ? query : { direction: usual.direction, ...query, sort: usual.by }
  return (
    <section class="table-wrap" aria-label={screen.title}>
      <table aria-rowcount={some && some.count + 1}>
        <thead>
          <tr aria-rowindex={some && 1}>
            {pick && (
              <th class="picks" scope="col">
                <input
                  type="checkbox"
                  aria-label={t('selectAll')}
                  checked={picked.all || rows.every(({ id }) => picked.rows.has(id))}
                  onChange={(event) => pick(rows, event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => {
              const sorts = screen.list.sorts.includes(column.name)
              return sorts ? (
                <SortHead key={column.name} by={column.name} label={column.label} query={sorted} isNumeric={isNumeric(column)} />
              ) : (
                <th key={column.name} scope="col" class={isNumeric(column) ? 'numbers' : undefined}>
                  {column.label}
                </th>
              )
            })}
            {(restore || ask) && (
              <th scope="col">
                <span class="unseen">{t('actions')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{some ? some.draw(one, gap) : rows.map(one)}</tbody>
      </table>
    </section>
  )
}

/** Cards on a phone: title, status, amount, and a line with further fields. */
function Cards({
  screen,
  columns,
  rows,
  linked,
  picked,
  pick,
  ask,
  restore,
  some,
}: Omit<RowsProps, 'query'> & { linked: Field | undefined }) {
  const state = columns.find(({ kind, name }) => kind === 'enum' && name === 'status')
  const sum = screen.list.columns.find(({ kind, name }) => kind === 'money' && /^(total|amount|balance_due|value)$/.test(name))
  // Of several dates, the due date is shown.
  const due = columns.find((column) => column.kind === 'date' && isDue(column))
  const rest = columns
    .filter(
      (column) => column !== linked && column !== state && column !== sum && (!due || column === due || column.kind !== 'date'),
    )
    .slice(0, 3)
  const gap = (key: string, height: number) => <li key={key} class="gap" aria-hidden="true" style={{ height: `${height}px` }} />
  const one = (row: Row, n: number) => (
    <li key={keyOf(screen, row)} aria-setsize={some?.count} aria-posinset={some && n + 1}>
      {pick && (
        <input
          type="checkbox"
          aria-label={t('selectOne', { name: titleOf(screen, row) })}
          checked={picked.all || picked.rows.has(row.id)}
          onChange={(event) => pick([row], event.currentTarget.checked)}
        />
      )}
      <div class="about">
        <div class="line">
          <TitleLink screen={screen} row={row} />
          {sum && (
            <span class="numbers">
              <Value field={sum} row={row} />
            </span>
          )}
        </div>
        <div class="more">
          {state && <Value field={state} row={row} />}
          {rest.map((column) => (
            <span key={column.name}>
              <Value field={column} row={row} />
            </span>
          ))}
        </div>
      </div>
      {ask && <RowDeeds deeds={screen} row={row} name={titleOf(screen, row)} keys={[keyOf(screen, row)]} ask={ask} />}
      {restore && (
        <button type="button" onClick={() => restore(keyOf(screen, row))}>
          {t('restore')}
        </button>
      )}
    </li>
  )
  return (
    <ul class="cards" aria-label={screen.title}>
      {some ? some.draw(one, gap) : rows.map(one)}
    </ul>
  )
}
