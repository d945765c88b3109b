/** A database of many small workspaces and a large one. It is kept between runs, as long as neither the schema nor its making changes. */
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
/** Rows of each kind in a small workspace, at most. */
const SMALL = 5
/** What the large one is copied from. */
const SEED = 100

/** Written last: the ids of both workspaces that are asked. */
const filledFile = (dataDir: string) => join(dataDir, 'skew.json')
export const workspacesIn = (dataDir: string): { small: number; large: number } =>
  JSON.parse(readFileSync(filledFile(dataDir), 'utf8'))

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
  // Whatever becomes of it before it is filled is made anew.
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

/** By a connection of its own: it takes longer than the service lets a statement take. */
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
