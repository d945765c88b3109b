/** Which constraint of the database a change broke, and what a client is told of it: read here, and nowhere else. */
import pg from 'pg'
import { invalid } from '../errors.ts'

interface Violation {
  kind: 'unique' | 'foreign_key' | 'check'
  constraint: string
  /** The table that has the constraint; unknown for a unique one that a Citus worker reported. */
  table?: string
}

const kinds: Record<string, Violation['kind']> = { 23505: 'unique', 23503: 'foreign_key', 23514: 'check' }

/**
 * The constraint that an error of the database is about; undefined for any other error. On a Citus cluster names have the number of a shard behind them,
 * `products_sku_102142`, and the error of another machine has them in its message alone.
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

/** By the name of a unique constraint: the field that it is about and what to say. */
export type Taken = Record<string, Record<string, string>>

/** Turns the violation of a named unique constraint into a 422 on its field: `.catch(refuseTaken({ products_sku: { sku: '…' } }))` */
export const refuseTaken =
  (taken: Taken = {}) =>
  (error: unknown): never => {
    const violation = violationOf(error)
    const fields = violation?.kind === 'unique' ? taken[violation.constraint] : undefined
    throw fields ? invalid(fields) : error
  }

/** Turns the violation of a foreign key by a deletion into a 422 on the noun: it is still used. */
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
