/** Names of migrations. They are applied in the order of their timestamps, across all modules. */
import { globSync } from 'node:fs'
import { basename } from 'node:path'

/** Formats a time as in migrations' names: `yyyymmddhhmmss`, in UTC. */
const stamp = (moment: Temporal.PlainDateTime) => moment.toString({ smallestUnit: 'second' }).replace(/\D/g, '')
const momentOf = (digits: string) =>
  Temporal.PlainDateTime.from(digits.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6'))

/**
 * Migrations before it make the schema of version 1. Later ones run while a previous version is working (docs/decisions/0022).
 */
export const VERSION_1 = '20261215000000'

/** Returns the names of all migrations of the product, in order. */
export const migrationsOf = (root: string) =>
  globSync('src/**/migrations/*.sql', { cwd: root })
    .map((path) => basename(path, '.sql'))
    .sort()

/**
 * Returns a name later than all existing ones, so that the migration may alter their tables. It is the next full minute, or a
 * minute after the last one if that is later. The service refuses to start with a migration dated before an applied one.
 */
export function nextMigration(root: string, what: string, now = Temporal.Now.plainDateTimeISO('UTC')) {
  const minute = now.round({ smallestUnit: 'minute', roundingMode: 'ceil' })
  const last = [VERSION_1, ...migrationsOf(root)].sort().at(-1)
  const behind = last && momentOf(last.slice(0, 14)).add({ minutes: 1 })
  return `${stamp(behind && Temporal.PlainDateTime.compare(behind, minute) > 0 ? behind : minute)}-${what}`
}
