/** Event types of records, such as `invoice.created` and `invoice.paid`, derived from the modules' declarations. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { Permission } from '../names.ts'
import { singular, words } from '../values/words.ts'
import { machines } from './machine.ts'
import { type Resource, resources } from './resource.ts'

export interface EventType {
  /** `purchase_order.sent`. */
  name: string
  /** Key of the module. */
  module: string
  /** Short description: "Purchase order: sent". */
  says: string
}

/** Kind of row that events are recorded for, by its table. */
export interface EventSubject {
  /** Kind of record in event names: `purchase_order`. */
  kind: string
  table: string
  /** Key of the module. */
  module: string
  /** Column with the name that users know a row by. */
  title: string
  /** Permission to receive the events. */
  allow: Permission
  /** Condition for the rows whose events the actor may receive; undefined: all. */
  scope?: (ctx: Ctx, as: string) => RawBuilder<SqlBool> | undefined
  /**
   * Condition for entries that the actor receives although they can't see the row any more: they lost sight of it by this entry.
   */
  parting?: (ctx: Ctx, entry: string) => RawBuilder<SqlBool>
  deeds: readonly string[]
}

const others: EventSubject[] = []

/** Declares events of rows that aren't records and change through actions on records. They are written by `writeActivities`. */
export function eventSubject(subject: Omit<EventSubject, 'kind'>): EventSubject {
  const named = { ...subject, kind: singular(subject.table) }
  others.push(named)
  return named
}

/** Matches entries by which the actor lost sight of the record: reassigned, removed as a member, or purged. */
function partedFrom({ actor }: Ctx, entry: string) {
  const at = (name: string) => sql`${sql.ref(`${entry}.properties`)} -> ${sql.lit(name)}`
  const me = sql`to_jsonb(${actor.id}::bigint)`
  return sql<SqlBool>`(
    (${sql.ref(`${entry}.type`)} = 'assigned' and ${at('from')} = ${me})
    or (${sql.ref(`${entry}.type`)} = 'members_synced' and ${at('removed')} @> jsonb_build_array(jsonb_build_object('id', ${actor.id}::bigint)))
    or (${sql.ref(`${entry}.type`)} = 'force_deleted' and ${at('seen_by')} @> ${me}))`
}

/** Returns the event subjects of all loaded modules. A status change is named by the new status. */
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

/** Returns the event types of all loaded modules. */
export const eventTypes = (): EventType[] =>
  eventSubjects().flatMap((of) => {
    const { kind, module, deeds } = of
    return deeds.map((deed) => ({ name: `${kind}.${deed}`, module, says: `${words(kind)}: ${words(deed)}` }))
  })

/** Returns the statuses that a record can reach by a move. */
function statesOf({ noun, states = [] }: Resource): readonly string[] {
  const graph = machines.find((one) => one.noun === noun)
  return graph ? Object.values(graph.moves).map(({ to }) => to) : states
}
