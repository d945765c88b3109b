/** Names of migrations: they are applied in the order of their timestamps, those of all modules together. */
import { globSync } from 'node:fs'
import { basename } from 'node:path'

/** Moments are written as migrations have them: `yyyymmddhhmmss`, in UTC. */
const stamp = (moment: Temporal.PlainDateTime) => moment.toString({ smallestUnit: 'second' }).replace(/\D/g, '')
const momentOf = (digits: string) =>
  Temporal.PlainDateTime.from(digits.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6'))

/** What is dated before it makes the schema of version 1. Behind it, migrations are run beside a version that works (docs/decisions/0022). */
export const VERSION_1 = '20261215000000'

/** The names of all migrations of the product, in their order. */
export const migrationsOf = (root: string) =>
  globSync('src/**/migrations/*.sql', { cwd: root })
    .map((path) => basename(path, '.sql'))
    .sort()

/**
 * A name behind all that exist, whose tables it may therefore alter: that of the next full minute, or a minute after the last one where that
 * is dated later. The start refuses one that is dated before another that is applied.
 */
export function nextMigration(root: string, what: string, now = Temporal.Now.plainDateTimeISO('UTC')) {
  const minute = now.round({ smallestUnit: 'minute', roundingMode: 'ceil' })
  const last = [VERSION_1, ...migrationsOf(root)].sort().at(-1)
  const behind = last && momentOf(last.slice(0, 14)).add({ minutes: 1 })
  return `${stamp(behind && Temporal.PlainDateTime.compare(behind, minute) > 0 ? behind : minute)}-${what}`
}
