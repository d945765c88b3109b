/** Moves from the embedded database, or one of another server, to the one at DATABASE_URL. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { withClient } from '../database/client.ts'
import { isCluster } from '../database/cluster.ts'
import { startEmbedded } from '../database/embedded.ts'
import { moveRows } from '../database/moving.ts'
import { startServices } from './start.ts'

/**
 * Copies everything to the empty database at DATABASE_URL and returns the number of rows. The source is the embedded database, or
 * the one at `from`, read with a role that sees all rows. It stays unchanged. Throws if the service still uses the source (its
 * writes would be lost), if the schemas differ, or if the new database already has users.
 */
export async function moveToOwnDatabase(config: Config, from?: string): Promise<number> {
  const to = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
  if (!to) throw new Error('Set DATABASE_URL to the new database.')
  if (from === undefined) return leaveEmbedded(config, to)
  if (!/^postgres(?:ql)?:\/\//.test(from))
    throw new Error('Name the former database by its URL, postgresql://…; or nothing for the embedded one.')
  await refuseUsed(from)
  await prepare(config, to)
  // Only its owner may migrate it, and this role isn't its owner.
  if ((await stateOf(from)) !== (await stateOf(to)))
    throw new Error(
      'The former database is not up to date: run migrate with DATABASE_URL set to it first, by this version of the code.',
    )
  return moveRows(from, to, () => refuseUsed(from))
}

async function leaveEmbedded(config: Config, to: string) {
  const { DATA_DIR } = config
  if (!existsSync(join(DATA_DIR, 'postgres'))) throw new Error(`There is no embedded database in ${resolve(DATA_DIR)}.`)
  const embedded = await startEmbedded({ dataDir: DATA_DIR })
  try {
    await refuseUsed(embedded.url)
    await prepare(config, to)
    await bringUpToDate(config, embedded.url)
    return await moveRows(embedded.superuserUrl, to, () => refuseUsed(embedded.url))
  } finally {
    await embedded.stop()
  }
}

async function bringUpToDate(config: Config, url: string) {
  await (await startServices({ ...config, DATABASE_URL: url, DATABASE_DIRECT_URL: undefined }, { worker: false })).stop()
}

async function refuseUsed(url: string) {
  const others = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'atrium%' LIMIT 1"
  if ((await ask(url, others)).length) throw new Error('The service uses the former database: stop it first.')
}

/** Creates the schema in the new database. Throws if the database is in use. */
async function prepare(config: Config, url: string) {
  if (await isCluster(url))
    throw new Error('The database at DATABASE_URL is distributed already: move to an empty one, and distribute it then.')
  await bringUpToDate(config, url)
  if ((await ask(url, 'SELECT FROM platform_users UNION ALL SELECT FROM tenants LIMIT 1')).length)
    throw new Error('The database at DATABASE_URL is in use already: name an empty one.')
}

/** Returns the applied migrations and the queue's version as one text. */
async function stateOf(url: string) {
  const made = "SELECT to_regclass('public.schema_migrations') IS NOT NULL AND to_regclass('pgboss.version') IS NOT NULL AS made"
  if (!(await ask(url, made))[0].made) return undefined
  const state = `SELECT (SELECT string_agg(name, ' ' ORDER BY name) FROM schema_migrations) || (SELECT max(version) FROM pgboss.version) AS state`
  return (await ask(url, state))[0].state as string
}

const ask = (url: string, query: string) => withClient(url, async (client) => (await client.query(query)).rows as any[])
