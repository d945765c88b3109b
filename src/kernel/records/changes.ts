/** What has changed about a record: which fields, as the API shows them, saved and told in its timeline. */
import Big from 'big.js'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import type { Changes, RecordTable, Resource, Row } from './resource.ts'
import { type Changed, joinUpdate, writeActivity } from './timeline.ts'

/**
 * Saves what changes by a deed on another record, or by one without words of its own, and tells it as an update, once: with what the database
 * works out of it (a balance), and what `also` changed beside the row.
 */
export async function saveTold<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  row: Row<T>,
  changes: Changes<T>,
  also: Changed = {},
): Promise<Row<T>> {
  const saved = await of.save(ctx, row, changes)
  const changed = { ...followingChanges(of, row as object, saved as object), ...also }
  const { id } = row as unknown as { id: number }
  await writeActivity(ctx, { table: of.table, id, type: 'updated', properties: { fields: Object.keys(changed) }, changed })
  return saved
}

/** What the API shows of all that differs between a row and what it has become. */
export function followingChanges(of: Resource, before: object, after: object): Changed {
  const { updated_at: _, revision: __, ...changes } = changedFields(before as Record<string, unknown>, after, of.exact)
  return shownChanges(of, before, changes)
}

/** The changes among the sent fields: what differs from the stored row. Columns named as exact are compared by value. */
export function changedFields<R extends object>(row: R, sent: Partial<R>, exact: readonly string[] = []): Partial<R> {
  const same = (key: string, a: unknown, b: unknown) =>
    a === b ||
    (a !== null && b !== null && exact.includes(key) && new Big(a as string).eq(b as string)) ||
    JSON.stringify(a) === JSON.stringify(b)
  const entries = Object.entries(sent).filter(
    ([key, value]) => value !== undefined && !same(key, row[key as keyof R] ?? null, value ?? null),
  )
  return Object.fromEntries(entries) as Partial<R>
}

/**
 * Saves the sent fields that differ and says in the timeline which. Nothing changed: nothing is written. `also` are changes elsewhere; without
 * values they are named alone. `joined`: the request may have told another update of the record, which then tells these, too.
 */
export async function revise<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  row: Row<T>,
  sent: Changes<T>,
  also: Record<string, Changed[string] | undefined> = {},
  telling?: 'joined',
): Promise<Row<T>> {
  const changes = changedFields(row as object, sent as object, of.exact)
  const fields = [...Object.keys(changes), ...Object.keys(also)]
  if (!fields.length) return row
  const deed = {
    table: of.table,
    id: (row as unknown as { id: number }).id,
    type: 'updated',
    properties: { fields },
    changed: { ...shownChanges(of, row as object, changes), ...told(also) },
  }
  if (telling && (await joinUpdate(ctx, deed))) return of.save(ctx, row, changes as Changes<T>)
  const [saved] = await allPipelined(of.save(ctx, row, changes as Changes<T>), writeActivity(ctx, deed))
  return saved
}

/** Longer texts are kept as far in the history of a record. */
const MAX_KEPT_TEXT = 1000

/** Characters of JSON: longer lists, before and after together, are named in the history of a record without what they hold. */
const MAX_KEPT_LISTS = 20_000

const told = (changes: Record<string, Changed[string] | undefined>): Changed =>
  Object.fromEntries(
    Object.entries(changes).flatMap(([field, values]) =>
      values && JSON.stringify(values).length <= MAX_KEPT_LISTS ? [[field, values]] : [],
    ),
  )

/** What the API shows of a change: the values before and after, by field. */
function shownChanges(of: Resource, before: object, changes: object): Changed {
  const kept = (field: string, value: unknown) =>
    typeof value !== 'string'
      ? (value ?? null)
      : of.exact.includes(field)
        ? Number(value)
        : value.length > MAX_KEPT_TEXT
          ? `${value.slice(0, MAX_KEPT_TEXT).toWellFormed()}…` // no half of a letter, which JSON of the database can't hold
          : value
  return Object.fromEntries(
    Object.entries(changes)
      .filter(([field]) => of.historyFields.has(field))
      .map(([field, after]) => [field, [kept(field, (before as Record<string, unknown>)[field]), kept(field, after)]]),
  )
}
