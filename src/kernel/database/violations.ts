/** Which constraint of the database a change broke: read here, and nowhere else. */
import pg from 'pg'

interface Violation {
  kind: 'unique' | 'foreign_key' | 'check'
  constraint: string
  /** The table that has the constraint; unknown for a unique one that a Citus worker reported. */
  table?: string
}

const kinds: Record<string, Violation['kind']> = { 23505: 'unique', 23503: 'foreign_key', 23514: 'check' }

/**
 * The constraint that an error of the database is about; undefined for any other error.
 * A Citus worker's error has the names in its message alone, with the number of a shard behind them: `"products_sku_102142"`.
 */
export function violationOf(error: unknown): Violation | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined
  const kind = kinds[error.code ?? '']
  if (!kind) return undefined
  if (error.constraint) return { kind, constraint: error.constraint, table: error.table }
  const named = (pattern: RegExp) => [...error.message.matchAll(pattern)].at(-1)?.[1]?.replace(/_\d{6,}$/, '')
  const constraint = named(/constraint "([^"]+)"/g)
  return constraint ? { kind, constraint, table: named(/(?:table|relation) "([^"]+)"/g) } : undefined
}
