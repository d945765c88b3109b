/** The types of event that records of this service have: `invoice.created`, `invoice.paid`. From what modules declare of them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { Permission } from '../names.ts'
import { singular, words } from '../values/words.ts'
import { machines } from './machine.ts'
import { type Resource, resources } from './resource.ts'

export interface EventType {
  /** `purchase_order.sent`. */
  name: string
  /** The module's key. */
  module: string
  /** In a sentence: "Purchase order: sent". */
  says: string
}

/** What events are told of, by its table. */
export interface EventSubject {
  /** The kind of record that events name: `purchase_order`. */
  kind: string
  table: string
  /** The module's key. */
  module: string
  /** The column that people know a row by. */
  title: string
  /** Who may be told. */
  allow: Permission
  /** The rows that the actor may be told of; undefined: all. */
  scope?: (ctx: Ctx, as: string) => RawBuilder<SqlBool> | undefined
  /** Entries that tell the actor of a row that they see no more: it was theirs until then. */
  parting?: (ctx: Ctx, entry: string) => RawBuilder<SqlBool>
  deeds: readonly string[]
}

const others: EventSubject[] = []

/** Declares events of rows that are no records, and change by what is done to records. They are written by `writeActivities`. */
export function eventSubject(subject: Omit<EventSubject, 'kind'>): EventSubject {
  const named = { ...subject, kind: singular(subject.table) }
  others.push(named)
  return named
}

/** Given to somebody else, a member no more, or deleted for good. */
function partedFrom({ actor }: Ctx, entry: string) {
  const at = (name: string) => sql`${sql.ref(`${entry}.properties`)} -> ${sql.lit(name)}`
  const me = sql`to_jsonb(${actor.id}::bigint)`
  return sql<SqlBool>`(
    (${sql.ref(`${entry}.type`)} = 'assigned' and ${at('from')} = ${me})
    or (${sql.ref(`${entry}.type`)} = 'members_synced' and ${at('removed')} @> jsonb_build_array(jsonb_build_object('id', ${actor.id}::bigint)))
    or (${sql.ref(`${entry}.type`)} = 'force_deleted' and ${at('seen_by')} @> ${me}))`
}

/** Of all modules that are loaded. A move to another state is named by that state. */
export const eventSubjects = (): EventSubject[] => [
  ...resources.map((of) => {
    const { status_changed: _, assigned, note_added, ...templates } = of.activityTemplates
    const deeds = [...Object.keys(templates), ...of.deeds, ...(of.assignPermission ? ['assigned'] : []), ...statesOf(of)]
    const { table, module, title, scope, eventKind: kind = singular(table) } = of
    const parting = of.assignPermission ? partedFrom : undefined
    return { kind, table, module, title, allow: of.may('view'), scope, parting, deeds: [...new Set(deeds)] }
  }),
  ...others,
]

export const eventTypes = (): EventType[] =>
  eventSubjects().flatMap((of) => {
    const { kind, module, deeds } = of
    return deeds.map((deed) => ({ name: `${kind}.${deed}`, module, says: `${words(kind)}: ${words(deed)}` }))
  })

/** Those that a record can come into by a move. */
function statesOf({ noun, states = [] }: Resource): readonly string[] {
  const graph = machines.find((one) => one.noun === noun)
  return graph ? Object.values(graph.moves).map(({ to }) => to) : states
}
