/** Maps constraint violations of the database to errors for clients. No other code reads them. */
import pg from 'pg'
import { invalid } from '../errors.ts'

interface Violation {
  kind: 'unique' | 'foreign_key' | 'check'
  constraint: string
  /** Table of the constraint; unknown for a unique constraint reported by a Citus worker. */
  table?: string
}

const kinds: Record<string, Violation['kind']> = { 23505: 'unique', 23503: 'foreign_key', 23514: 'check' }

/**
 * Returns the constraint that a database error reports; undefined for any other error. On a Citus cluster names have a shard
 * number as a suffix, `products_sku_102142`, and errors of other nodes contain them only in the message.
 */
export function violationOf(error: unknown): Violation | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined
  const kind = kinds[error.code ?? '']
  if (!kind) return undefined
  if (error.constraint)
    return { kind, constraint: withoutShard(error.constraint), table: error.table && withoutShard(error.table) }
  const named = (pattern: RegExp) => {
    const name = [...error.message.matchAll(pattern)].at(-1)?.[1]
    return name && withoutShard(name)
  }
  const constraint = named(/constraint "([^"]+)"/g)
  return constraint ? { kind, constraint, table: named(/(?:table|relation) "([^"]+)"/g) } : undefined
}

const withoutShard = (name: string) => name.replace(/_\d{6,}$/, '')

/** Field and message by the name of a unique constraint. */
export type Taken = Record<string, Record<string, string>>

/**
 * Maps the violation of a named unique constraint to a 422 on its field: `.catch(refuseTaken({ products_sku: { sku: '…' } }))`
 */
export const refuseTaken =
  (taken: Taken = {}) =>
  (error: unknown): never => {
    const violation = violationOf(error)
    const fields = violation?.kind === 'unique' ? taken[violation.constraint] : undefined
    throw fields ? invalid(fields) : error
  }

/** Maps a foreign key violation by a deletion to a 422 on the noun: it is still in use. */
export const refuseUsed =
  (noun: string) =>
  (error: unknown): never => {
    const violation = violationOf(error)
    if (violation?.kind !== 'foreign_key') throw error
    throw invalid({
      [noun.replaceAll(' ', '_')]:
        `This ${noun} is still used${violation.table ? ` by ${violation.table.replaceAll('_', ' ')}` : ''}.`,
    })
  }
