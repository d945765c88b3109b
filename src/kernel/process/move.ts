/** Leaving the embedded database for the one at DATABASE_URL. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import type { Config } from '../config.ts'
import { startEmbedded } from '../database/embedded.ts'
import { moveRows } from '../database/moving.ts'
import { startServices } from './start.ts'

/**
 * Copies everything in DATA_DIR's embedded database to DATABASE_URL and gives the number of rows; the embedded one stays as it is. Both
 * are brought up to date first. Errors when the service still runs, because what it writes would be left behind, and when
 * there are users in the new database already.
 */
export async function moveToOwnDatabase(config: Config): Promise<number> {
  const { DATA_DIR, DATABASE_URL } = config
  if (!DATABASE_URL) throw new Error('Set DATABASE_URL to the new database.')
  if (!existsSync(join(DATA_DIR, 'postgres'))) throw new Error(`There is no embedded database in ${resolve(DATA_DIR)}.`)
  const embedded = await startEmbedded({ dataDir: DATA_DIR })
  try {
    if (await found(embedded.url, `SELECT FROM pg_stat_activity WHERE datname = 'atrium' AND pid <> pg_backend_pid()`))
      throw new Error('The service uses the embedded database: stop it first.')
    const bringUpToDate = async (url: string) => (await startServices({ ...config, DATABASE_URL: url }, { worker: false })).stop()
    await bringUpToDate(DATABASE_URL)
    if (await found(DATABASE_URL, 'SELECT FROM platform_users'))
      throw new Error('The database at DATABASE_URL is in use already: name an empty one.')
    await bringUpToDate(embedded.url)
    return await moveRows(embedded.superuserUrl, DATABASE_URL)
  } finally {
    await embedded.stop()
  }
}

async function found(url: string, query: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return Boolean((await client.query(`${query} LIMIT 1`)).rowCount)
  } finally {
    await client.end()
  }
}
