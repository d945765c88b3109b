/** Content of a board's card besides its title: each field in its place, by its kind. */
import type { ComponentChildren } from 'preact'
import { Icon } from '../parts/icon.tsx'
import { t } from '../texts/texts.ts'
import type { Field, Row, Screen } from './shape.ts'
import { embedded, isLate, Swatch, textFor, Value } from './values.tsx'

const FIELDS = 3
/** Returns the fields of a screen's cards: the module's choice, or else the list's first fields, tags and latest note. */
export function cardFields({ list, board, title_field }: Screen, named: readonly string[] | null = board!.card): Field[] {
  if (named) return named.flatMap((name) => list.columns.find((one) => one.name === name) ?? [])
  const usual = list.columns.filter(
    ({ name, is_hidden }) => !is_hidden && name !== title_field && name !== board!.by && name !== 'status',
  )
  const also = list.columns.filter(({ name }) => name === 'tags' || name === 'latest_note' || name === 'assigned_to')
  return [...new Set([...usual.slice(0, FIELDS), ...also])]
}

/** Due date or time, highlighted where it has passed. */
export function Due({ field, row }: { field: Field; row: Row }) {
  const value = row[field.name]
  if (!value) return null
  const late = isLate(field, row)
  return (
    <span class={late ? 'due late' : 'due'} title={field.label}>
      <Icon name="calendar" />
      <time dateTime={String(value)}>{textFor(field, value, row)}</time>
      {late && <span class="unseen">{t('overdue')}</span>}
    </span>
  )
}

/** A person's name with initials. `isShort`: initials only. */
export function Who({ name, isShort }: { name: string; isShort?: boolean }) {
  const parts = name.trim().split(/\s+/)
  const letters = [parts[0], parts.length > 1 ? parts.at(-1) : ''].map((part) => [...(part ?? '')][0] ?? '').join('')
  return (
    <span class="who" title={name}>
      <span class="initials" aria-hidden="true">
        {letters.toUpperCase()}
      </span>
      <span class={isShort ? 'unseen' : 'name'}>{name}</span>
    </span>
  )
}

/** Tags in their colours. */
export const Tags = ({ tags }: { tags: Row[] }) => (
  <ul class="chips small">
    {tags.map((tag) => (
      <li key={tag.id ?? tag.name}>
        {tag.color && <Swatch colour={tag.color} />}
        {tag.name}
      </li>
    ))}
  </ul>
)

/** Returns a field's place on a card. */
function placeOf({ name, kind }: Field): 'text' | 'chips' | 'note' | 'foot' {
  if (name === 'tags' || kind === 'lines') return 'chips'
  if (name === 'latest_note') return 'note'
  return kind === 'money' || kind === 'date' || kind === 'instant' || name === 'assigned_to' ? 'foot' : 'text'
}

export function Face({ fields, row, children }: { fields: Field[]; row: Row; children?: ComponentChildren }) {
  const at = (place: string) => fields.filter((field) => placeOf(field) === place)
  const person = (field: Field) => embedded(field, row)?.name as string | undefined
  const foot = at('foot').filter((field) => (field.name === 'assigned_to' ? person(field) : row[field.name] != null))
  return (
    <>
      {at('text').map((field) => (
        <small class="quiet" key={field.name}>
          <Value field={field} row={row} />
        </small>
      ))}
      {children}
      {at('chips').map(({ name }) =>
        Array.isArray(row[name]) && row[name].length > 0 ? <Tags key={name} tags={row[name]} /> : null,
      )}
      {at('note').map(({ name }) =>
        row[name]?.body ? (
          <small class="said quiet" key={name}>
            <Icon name="note" />
            <span>{String(row[name].body).slice(0, 200)}</span>
          </small>
        ) : null,
      )}
      {foot.length > 0 && (
        <div class="foot">
          {foot.map((field) =>
            field.name === 'assigned_to' ? (
              <Who key={field.name} name={person(field)!} isShort />
            ) : field.kind === 'money' ? (
              <strong key={field.name} title={field.label}>
                {textFor(field, row[field.name], row)}
              </strong>
            ) : (
              <Due key={field.name} field={field} row={row} />
            ),
          )}
        </div>
      )}
    </>
  )
}
