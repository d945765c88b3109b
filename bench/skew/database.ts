/** Database with many small workspaces and a large one. It is kept between runs until the schema or this code changes. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import pino from 'pino'
import { readConfig } from '#kernel/config.ts'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { fillDemo } from '#kernel/demo/parts.ts'
import { startServices } from '#kernel/process/start.ts'
import { makeDemoWorkspace } from '../../src/demo/demo.ts'
import type { Kept } from '../prepare.ts'
import { multiply, spread } from '../replicate.ts'

const root = join(import.meta.dirname, '../..')
/** Maximum rows of each type in a small workspace. */
const SMALL = 5
/** Records of the workspace that is multiplied. */
const SEED = 100

/** Written last: the ids of both queried workspaces. */
const filledFile = (dataDir: string) => join(dataDir, 'skew.json')
/** Returns the ids of both queried workspaces of a filled database. */
export const workspacesIn = (dataDir: string): { small: number; large: number } =>
  JSON.parse(readFileSync(filledFile(dataDir), 'utf8'))

/** Returns the data directory of such a database, and fills it if there is none yet. */
export async function skewedDatabase({ workspaces, records, side, say, atEnd }: Kept): Promise<string> {
  const prefix = `atrium-skew${side}-${workspaces}x${records}-`
  const dataDir = join(tmpdir(), prefix + hashOfSources())
  if (existsSync(filledFile(dataDir))) {
    say(`Using ${dataDir}`)
    return dataDir
  }
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(prefix)) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  say(`Filling ${dataDir}, which is kept for the next run`)
  // Not durable: a partially filled database is recreated.
  const settings = { fsync: 'off', shared_buffers: '512MB', max_wal_size: '4GB', maintenance_work_mem: '256MB' }
  const embedded = await startEmbedded({ dataDir, settings })
  atEnd(() => embedded.stop())
  const services = await startServices(readConfig({ DATA_DIR: dataDir }), { worker: false, log: pino({ level: 'error' }) })
  try {
    const filled = async (seed: number, orders: number) => {
      const { id } = await makeDemoWorkspace(services, 'only for the benchmark')
      await fillDemo(services, id, { records: orders, seed })
      return id
    }
    const small = await filled(1, SMALL)
    const large = await filled(2, SEED)
    say(`${workspaces} workspaces of ${SMALL} rows`)
    await spread(embedded.superuserUrl, small, workspaces, SMALL)
    await multiply(embedded.superuserUrl, large, records, say)
    await vacuum(embedded.superuserUrl)
    writeFileSync(filledFile(dataDir), JSON.stringify({ small, large }))
  } finally {
    await services.stop()
    await embedded.stop()
  }
  return dataDir
}

/** Uses its own connection, because it exceeds the service's statement timeout. */
async function vacuum(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('VACUUM (ANALYZE)')
  await client.end()
}

function hashOfSources() {
  const hash = createHash('sha256')
  const files = globSync(['src/**/migrations/*.sql', 'bench/replicate.ts', 'bench/skew/database.ts'], { cwd: root }).sort()
  for (const file of files) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 12)
}
