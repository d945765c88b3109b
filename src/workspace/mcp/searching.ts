/** Searches a text in all lists that the caller may read, by their own `search` parameter. */
import { z } from 'zod'
import { envelopeOf, request, ToolError } from './calling.ts'
import { type Caller, type Operation, shapeOf, usableBy } from './operations.ts'

/** Maximum number of concurrent lists: a user’s requests wait for each other in the database anyway. */
const AT_ONCE = 3

/** A searchable list: its record type, and the field with a record's title. */
interface Searchable {
  operation: Operation
  kind: string
  title: string
}

/** Returns the lists to search: the first of each record type. */
async function searchableBy(caller: Caller): Promise<Searchable[]> {
  const lists = new Map<string, Searchable>()
  for (const operation of await usableBy(caller)) {
    const found = searchable(operation)
    if (found && !lists.has(found.kind)) lists.set(found.kind, found)
  }
  return [...lists.values()]
}

function searchable(operation: Operation): Searchable | undefined {
  const { page, query } = operation.route.spec
  if (!page || /\{/.test(operation.path) || !('search' in (shapeOf(query) ?? {}))) return undefined
  const { 'x-resource': kind, 'x-title-field': title } = (z.globalRegistry.get(page) ?? {}) as Record<string, string | undefined>
  return kind && title ? { operation, kind, title } : undefined
}

interface Wanted {
  text: string
  kinds?: string[]
  per_kind: number
}

/** Returns matching records by type: their number and the first of them. */
export async function search(caller: Caller, { text, kinds, per_kind }: Wanted) {
  const all = await searchableBy(caller)
  const known = all.map(({ kind }) => kind)
  const unknown = kinds?.filter((kind) => !known.includes(kind)) ?? []
  if (unknown.length) throw new ToolError('Some kinds can’t be searched.', { errors: { kinds: unknown }, kinds: known })
  const lists = kinds ? all.filter(({ kind }) => kinds.includes(kind)) : all
  const found = new Map<string, object>()
  const failed: object[] = []
  const waiting = lists.values()
  const work = async () => {
    for (const { operation, kind, title } of waiting) {
      const reply = await request(caller, operation, { query: { search: text, per_page: per_kind } })
      const { data, meta, message } = envelopeOf(reply)
      if (reply.status >= 400) failed.push({ kind, message })
      else if (data.length)
        found.set(kind, { kind, list: operation.id, total: meta.total, records: data.map((row: any) => shortly(row, title)) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { results: known.flatMap((kind) => found.get(kind) ?? []), searched: lists.length, ...(failed.length ? { failed } : {}) }
}

/** Returns the id and title of a record. */
const shortly = ({ id, uuid, ...row }: Record<string, unknown>, title: string) => ({
  ...(id === undefined ? { uuid } : { id }),
  title: row[title],
})
