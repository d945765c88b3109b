/** `npm run rotate-key`: re-encrypts stored secrets with the current APP_KEY, in batches, while the service runs. */
import { type RawBuilder, sql } from 'kysely'
import { recoveryKeys } from '../auth/two-factor/codes.ts'
import * as factors from '../auth/two-factor/factor.ts'
import type { Services } from '../context.ts'
import type { Database } from '../database/connect.ts'
import * as replies from '../http/idempotency.ts'
import * as mails from '../mail/sealed.ts'
import type { Modules } from '../modules/module.ts'
import * as settings from '../modules/platform-settings.ts'
import type { SealedColumn } from '../secrets/secrets.ts'
import * as endpoints from '../webhooks/endpoints.ts'

/** Rows per read. */
const BATCH = 500

interface Outcome {
  /** Number of values re-encrypted by this call. */
  renewed: number
  /** Number of values that no given key decrypts. */
  lost: number
  /** Number of accounts with recovery codes that only a former key verifies. */
  formerCodes: number
}

/** Returns every encrypted column, as declared by its feature. */
export async function sealedColumnsOf(modules: Pick<Modules, 'all'>): Promise<SealedColumn[]> {
  const declared = await Promise.all(modules.all.flatMap(({ sealed }) => sealed ?? []).map((load) => load()))
  return [factors, settings, replies, mails, endpoints, ...declared].flatMap(({ sealedColumns }) => sealedColumns)
}

/**
 * Processes all encrypted columns. Values of the current key are skipped, so it may be interrupted and repeated. Reports progress
 * by `say`, and at the end whether the former key is still needed. Never reports a secret.
 */
export async function rotateKey(services: Services, say: (text: string) => void): Promise<Outcome> {
  let renewed = 0
  let lost = 0
  for (const column of await sealedColumnsOf(services.modules)) {
    const done = await renewColumn(services, column)
    renewed += done.renewed
    lost += done.lost
    const left = done.lost ? `, ${done.lost} opened by no key` : ''
    if (done.renewed || done.lost) say(`${column.table}.${column.column}: ${done.renewed} encrypted anew${left}`)
  }
  const formerCodes = await countFormerCodes(services)
  say(`${renewed} secrets were encrypted anew.`)
  if (lost) say(`${lost} are opened by no key: name the key by which they were made in APP_KEY_PREVIOUS, or enter them anew.`)
  else say('No stored secret needs a former key any more.')
  if (formerCodes) say(`Recovery codes of ${formerCodes} accounts are good as long as APP_KEY_PREVIOUS names their key.`)
  say(
    'So are links that were signed by it: to files, to pay, to unsubscribe. Take it out when those may end (docs/operations.md).',
  )
  return { renewed, lost, formerCodes }
}

type Row = Record<string, unknown> & { sealed: Buffer }

async function renewColumn({ database, secrets }: Pick<Services, 'database' | 'secrets'>, sealedColumn: SealedColumn) {
  const { table, column, purpose, by = [] } = sealedColumn
  const keys = await primaryKeyOf(database, table)
  const named = keys.map((key) => sql.ref(key))
  const wanted = [...new Set([...keys, ...by])].map((name) => sql.ref(name))
  let renewed = 0
  let lost = 0
  for (let last: Row | undefined; ; ) {
    const behind: RawBuilder<unknown> = last
      ? sql`AND (${sql.join(named)}) > (${sql.join(keys.map((key) => last![key]))})`
      : sql``
    const { rows } = await database.platform('read', (tx) =>
      sql<Row>`SELECT ${sql.join(wanted)}, ${sql.ref(column)} AS sealed FROM ${sql.table(table)}
        WHERE length(${sql.ref(column)}) > 0 ${behind} ORDER BY ${sql.join(named)} LIMIT ${sql.lit(BATCH)}`.execute(tx),
    )
    const changes: { row: Row; next: Buffer }[] = []
    for (const row of rows)
      try {
        const next = secrets.renewed(typeof purpose === 'string' ? purpose : purpose(row), row.sealed)
        if (next) changes.push({ row, next })
      } catch {
        lost++
      }
    if (changes.length)
      await database.platform('write', async (tx) => {
        for (const { row, next } of changes) {
          const same = sql.join(
            keys.map((key) => sql`${sql.ref(key)} = ${row[key]}`),
            sql` AND `,
          )
          // A value changed meanwhile is already encrypted with the current key.
          await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${next}
            WHERE ${same} AND ${sql.ref(column)} = ${row.sealed}`.execute(tx)
        }
      })
    renewed += changes.length
    last = rows.at(-1)
    if (rows.length < BATCH) return { renewed, lost }
  }
}

/** Returns the columns of the primary key, in order. */
async function primaryKeyOf(database: Database, table: string) {
  const rows = await database.statement<{ name: string }>(
    `SELECT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = $1::regclass AND i.indisprimary ORDER BY array_position(i.indkey::int2[], a.attnum)`,
    [`public.${table}`],
  )
  return rows.map(({ name }) => name)
}

async function countFormerCodes({ database, secrets }: Pick<Services, 'database' | 'secrets'>) {
  const present = `${recoveryKeys(secrets)[0]}.`
  const { rows } = await database.platform('read', (tx) =>
    sql<{ n: number }>`SELECT count(*)::int AS n FROM two_factors
      WHERE EXISTS (SELECT FROM unnest(recovery_codes) code WHERE NOT starts_with(code, ${present}))`.execute(tx),
  )
  return rows[0]!.n
}
