/** Order in which a workspace's tables can be emptied, derived from the database catalogue, so that it covers future modules. */
import { sql } from 'kysely'
import type { Tx } from '#kernel/database/connect.ts'

/** Table of a workspace. */
export interface Table {
  name: string
  /** Columns that identify a row within a workspace: the primary key, or a unique index if there is none. */
  key: string[]
}

/** Foreign key between tables of a workspace, without its tenant_id. */
export interface Reference {
  from: string
  to: string
  /** Its nullable columns. */
  nullable: string[]
}

/** Order in which a workspace's tables are emptied. */
export interface Deletion {
  /** Columns to set to null first, because of circular references. */
  loosened: { table: Table; columns: string[] }[]
  /** Tables in order: referencing tables before those they refer to. */
  tables: Table[]
}

/** Last tables by the contract: only the workspace itself outlives these (CEN-25). */
const LAST = ['users', 'branded_domains', 'branded_hosts', 'module_subscriptions']

/** Returns the tables made by app.workspace_table, in an order in which they can be emptied. */
export async function readDeletion(tx: Tx): Promise<Deletion> {
  const tables = await sql<Table>`
    select distinct on (c.relname) c.relname as name, array(
      select a.attname::text from unnest(i.indkey) with ordinality as k (attnum, n)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum where a.attname <> 'tenant_id' order by k.n
    ) as key
    from pg_policy p join pg_class c on c.oid = p.polrelid
    join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
    join pg_index i on i.indrelid = c.oid and i.indisunique and i.indpred is null
    where p.polname = 'workspace' order by c.relname, i.indisprimary desc, i.indexrelid`.execute(tx)
  const references = await sql<Reference>`
    select f.relname as from, t.relname as to, array(
      select a.attname::text from pg_attribute a
      where a.attrelid = f.oid and a.attnum = any(k.conkey) and a.attname <> 'tenant_id' and not a.attnotnull
    ) as nullable
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f'`.execute(tx)
  const order = deletionOf(
    tables.rows.map(({ name }) => name),
    references.rows,
  )
  /** Tables with one row per workspace have tenant_id as their only key. */
  const byName = new Map(tables.rows.map(({ name, key }) => [name, { name, key: key.length ? key : ['tenant_id'] }]))
  return {
    tables: order.tables.map((name) => byName.get(name)!),
    loosened: order.loosened.map(({ table, columns }) => ({ table: byName.get(table)!, columns })),
  }
}

/** Computes the order. Throws on circular references by columns that aren't nullable. */
export function deletionOf(names: string[], references: Reference[]) {
  const inside = references.filter(({ from, to }) => names.includes(from) && names.includes(to))
  const next = Map.groupBy(inside, ({ from }) => from)
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (next.get(from) ?? []).some((one) => {
      if (one.to === to) return true
      if (seen.has(one.to)) return false
      return reaches(one.to, to, seen.add(one.to))
    })
  const circular = inside.filter(({ from, to, nullable }) => nullable.length && (from === to || reaches(to, from)))
  const firm = inside.filter((one) => !circular.includes(one))

  const tables: string[] = []
  const left = new Set(names.toSorted((a, b) => LAST.indexOf(a) - LAST.indexOf(b) || (a < b ? -1 : 1)))
  while (left.size) {
    const free = [...left].find((name) => !firm.some(({ from, to }) => to === name && left.has(from)))
    if (!free) throw new Error(`Tables of a workspace refer to each other in a circle: ${[...left].join(', ')}`)
    left.delete(free)
    tables.push(free)
  }
  const loosened = circular.map(({ from, nullable }) => ({ table: from, columns: nullable }))
  return { loosened, tables }
}
