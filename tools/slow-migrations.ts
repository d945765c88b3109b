/**
 * Rejects migrations after version 1 that lock a large table for longer than a moment or remove what the running version needs
 * (docs/decisions/0022). squawk parses the SQL with PostgreSQL's grammar; its disabled rules are listed here.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { OUTSIDE } from '../src/kernel/database/migrate.ts'
import { VERSION_1 } from './migrations.ts'

const root = join(import.meta.dirname, '..')

/**
 * Disabled rules: matters of taste, and what `migrate` ensures itself: it sets a lock_timeout, and each migration is a
 * transaction.
 */
const NOT_OURS = [
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'prefer-identity',
  'prefer-robust-stmts',
  'prefer-text-field',
  'prefer-timestamp-tz',
  'ban-char-field',
  'ban-create-domain-with-constraint',
  'require-lock-timeout',
  'require-statement-timeout',
]

/** Returns the faults of a migration: `add-x.sql:3 what it does`. */
export function faultsOf(sql: string, name: string): string[] {
  const isOutside = sql.startsWith(OUTSIDE)
  const args = ['--reporter', 'json', '--pg-version', '15', '--stdin-filepath', `${name}.sql`, '-e', NOT_OURS.join()]
  if (!isOutside) args.push('--assume-in-transaction')
  const { stdout, stderr, error } = spawnSync('squawk', args, { input: sql, encoding: 'utf8' })
  if (error) throw error
  let found: { line: number; message: string; rule_name: string }[]
  try {
    found = JSON.parse(stdout)
  } catch {
    throw new Error(`squawk: ${stdout}${stderr}`)
  }
  return [
    ...outsideFaults(sql, name),
    ...found.map(({ line, message, rule_name }) => `${name}.sql:${line + 1} ${rule_name}: ${message}`),
  ]
}

/** Checks a statement that can't run in a transaction: it must be the only one, and repeatable. */
function outsideFaults(sql: string, name: string) {
  const text = sql.replace(/--.*/g, '').trim()
  if (!sql.startsWith(OUTSIDE))
    return /\bconcurrently\b/i.test(text) ? [`${name}.sql:1 outside: its first line must be ${OUTSIDE}`] : []
  return [
    ...(/;\s*\S/.test(text) ? [`${name}.sql:1 outside: one statement only, because those before one that fails would stay`] : []),
    ...(/\bif (not )?exists\b/i.test(text)
      ? []
      : [`${name}.sql:1 outside: IF [NOT] EXISTS, because it may be run a second time`]),
  ]
}

if (import.meta.main) {
  const files = globSync('src/**/migrations/*.sql', { cwd: root }).filter((path) => basename(path) > VERSION_1)
  const faults = files.flatMap((path) => faultsOf(readFileSync(join(root, path), 'utf8'), basename(path, '.sql')))
  if (faults.length) {
    console.error(
      [...faults, 'How each of these is done without a pause: docs/decisions/0022-expand-and-contract.md.'].join('\n'),
    )
    process.exit(1)
  }
}
