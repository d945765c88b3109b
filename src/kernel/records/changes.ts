/** Changes of a record: which fields differ, as the API shows them; saved and recorded in the timeline. */
import Big from 'big.js'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import type { Changes, RecordTable, Resource, Row } from './resource.ts'
import { type Changed, joinUpdate, writeActivity } from './timeline.ts'

/**
 * Saves changes caused by an action on another record, or by an action without its own type of timeline entry, and records them
 * as one update. The entry includes columns that the database derives (a balance), and `also`: changes outside the row.
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

/** Returns all differences between two states of a row, as the API shows them. */
export function followingChanges(of: Resource, before: object, after: object): Changed {
  const { updated_at: _, revision: __, ...changes } = changedFields(before as Record<string, unknown>, after, of.exact)
  return shownChanges(of, before, changes)
}

/** Returns the sent fields that differ from the stored row. Columns in `exact` are compared by value. */
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
 * Saves the sent fields that differ and adds a timeline entry with their names; does nothing if none differs. `also` are changes
 * outside the row; those without values are only named. `joined`: if the request has already written an update entry of the
 * record, the fields are added to it.
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

/** Maximum length of a text in a record's history; longer ones are truncated. */
const MAX_KEPT_TEXT = 1000

/** Maximum length of a list's JSON in a record's history, before and after together; longer lists are only named. */
const MAX_KEPT_LISTS = 20_000

const told = (changes: Record<string, Changed[string] | undefined>): Changed =>
  Object.fromEntries(
    Object.entries(changes).flatMap(([field, values]) =>
      values && JSON.stringify(values).length <= MAX_KEPT_LISTS ? [[field, values]] : [],
    ),
  )

/** Returns the values before and after by field, as the API shows them. */
function shownChanges(of: Resource, before: object, changes: object): Changed {
  const kept = (field: string, value: unknown) =>
    typeof value !== 'string'
      ? (value ?? null)
      : of.exact.includes(field)
        ? Number(value)
        : value.length > MAX_KEPT_TEXT
          ? `${value.slice(0, MAX_KEPT_TEXT).toWellFormed()}…` // no half surrogate pair, which PostgreSQL's JSON rejects
          : value
  return Object.fromEntries(
    Object.entries(changes)
      .filter(([field]) => of.historyFields.has(field))
      .map(([field, after]) => [field, [kept(field, (before as Record<string, unknown>)[field]), kept(field, after)]]),
  )
}
