/** The types of event that records of this service have: `invoice.created`, `invoice.paid`. From what modules declare of them. */
import type { RawBuilder, SqlBool } from 'kysely'
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
  table: string
  /** The module's key. */
  module: string
  /** The column that people know a row by. */
  title: string
  /** Who may be told. */
  allow: Permission
  /** The rows that the actor may be told of; undefined: all. */
  scope?: (ctx: Ctx, as: string) => RawBuilder<SqlBool> | undefined
  deeds: readonly string[]
}

const others: EventSubject[] = []

/** Declares events of rows that are no records, and change by what is done to records. They are written by `writeActivities`. */
export function eventSubject(subject: EventSubject): EventSubject {
  others.push(subject)
  return subject
}

/** Of all modules that are loaded. A move to another state is named by that state. */
export const eventSubjects = (): EventSubject[] => [
  ...resources.map((of) => {
    const { status_changed: _, assigned, ...templates } = of.activityTemplates
    const deeds = [...Object.keys(templates), 'force_deleted', ...(of.assignPermission ? ['assigned'] : []), ...statesOf(of)]
    const { table, module, title, scope } = of
    return { table, module, title, allow: of.may('view'), scope, deeds: [...new Set(deeds)] }
  }),
  ...others,
]

/** The kind of record that events name: `purchase_order`. */
export const eventKindOf = ({ table }: { table: string }) => singular(table)

export const eventTypes = (): EventType[] =>
  eventSubjects().flatMap((of) => {
    const kind = eventKindOf(of)
    return of.deeds.map((deed) => ({ name: `${kind}.${deed}`, module: of.module, says: `${words(kind)}: ${words(deed)}` }))
  })

/** Those that a record can come into by a move. */
function statesOf({ noun, states = [] }: Resource): readonly string[] {
  const graph = machines.find((one) => one.noun === noun)
  return graph ? Object.values(graph.moves).map(({ to }) => to) : states
}
