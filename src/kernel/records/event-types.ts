/** The types of event that records of this service have: `invoice.created`, `invoice.paid`. From what modules declare of them. */
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

/** The kind of record that events name: `purchase_order`. */
export const eventKindOf = ({ table }: Pick<Resource, 'table'>) => singular(table)

/** Of all modules that are loaded, by kind of record. A move to another state is named by that state. */
export const eventTypes = (): EventType[] =>
  resources.flatMap((of) => {
    const kind = eventKindOf(of)
    const { status_changed: _, assigned, ...templates } = of.activityTemplates
    const deeds = [...Object.keys(templates), 'force_deleted', ...(of.assignPermission ? ['assigned'] : []), ...statesOf(of)]
    return [...new Set(deeds)].map((deed) => ({
      name: `${kind}.${deed}`,
      module: of.module,
      says: `${words(kind)}: ${words(deed)}`,
    }))
  })

/** Those that a record can come into by a move. */
function statesOf({ noun, states = [] }: Resource): readonly string[] {
  const graph = machines.find((one) => one.noun === noun)
  return graph ? Object.values(graph.moves).map(({ to }) => to) : states
}
