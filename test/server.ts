/**
 * PostgreSQL server of a test run. `npm test` starts one and passes it in TEST_SERVER; a file run alone starts its own.
 * DATABASE_URL overrides it (the role must be able to create databases and roles).
 */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import pino from 'pino'
import { readConfig } from '#kernel/config.ts'
import { distribute } from '#kernel/database/distributing.ts'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { startServices } from '#kernel/process/start.ts'

export interface TestServer {
  createDatabase(name: string): Promise<void>
  dropDatabase(name: string): Promise<void>
  urlOf(name: string): string
  adminUrlOf(name: string): string
  /** Stops a server started for this file only, once its databases are dropped. */
  release(): Promise<void>
}

/** Connection data for a run's files: two connection strings and the name of the migrated template. */
export interface ServerFacts {
  url: string
  adminUrl: string
  template: string
  /** Locations of databases on a Citus cluster (test/citus): the superuser's addresses of its other machines. */
  workers: string[]
}

const withDatabase = (url: string, name: string) => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

let started: Promise<TestServer> | undefined

/**
 * Returns the server for this process's files. Each gets its own promise: node:test attributes continuations of a promise to the
 * file that created it.
 */
export async function testServer(): Promise<TestServer> {
  started ??= (async () => {
    if (process.env.TEST_SERVER) return serverOf(JSON.parse(process.env.TEST_SERVER), async () => {})
    const { facts, stop } = await startServer()
    return serverOf(facts, stop)
  })()
  return await started
}

function serverOf({ url, adminUrl, template, workers }: ServerFacts, stop: () => Promise<void>): TestServer {
  const owner = new URL(url).username
  let databases = 0
  return {
    async createDatabase(name) {
      databases++
      // The default strategy copies through the WAL, page by page, which is several times slower.
      const made = `CREATE DATABASE "${name}" TEMPLATE "${template}" OWNER "${owner}" STRATEGY file_copy`
      await Promise.all([adminUrl, ...workers].map((url) => run(url, made)))
    },
    async dropDatabase(name) {
      for (const url of [adminUrl, ...workers]) await drop(url, name)
      databases--
    },
    release: async () => (databases === 0 ? stop() : undefined),
    urlOf: (name) => withDatabase(url, name),
    adminUrlOf: (name) => withDatabase(adminUrl, name),
  }
}

/** A run needs at most a third of this, including the WAL. */
const ENOUGH_MEMORY = 2_000_000_000

/**
 * Returns the folder of a test server's data: in memory if there is enough. A database has 1,500 files. Cloning one took up to a
 * second of CPU time on ext4, which searches free blocks, and 0.04 in memory.
 */
export function serverFolder() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > ENOUGH_MEMORY) return '/dev/shm'
  } catch {} // not available on this system
  return tmpdir()
}

/** Starts PostgreSQL without durability: test data is discarded anyway. */
export const startPostgres = (dataDir: string) =>
  startEmbedded({
    dataDir,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '120',
      max_wal_size: '256MB',
      autovacuum: 'off',
    },
  })

/** Starts (or joins) the server and creates the template from which each file's database is cloned. */
export async function startServer(): Promise<{ facts: ServerFacts; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(serverFolder(), 'atrium-test-'))
  const external = process.env.DATABASE_URL
  const embedded = external ? undefined : await startPostgres(dataDir)
  const [coordinator, ...workers] = process.env.CITUS_NODES?.split(' ') ?? []
  const urls = { url: external ?? embedded!.url, adminUrl: coordinator ?? external ?? embedded!.adminUrl }
  const template = `atrium_template_${process.pid}`
  if (coordinator) await makeDistributedTemplate(urls, workers, template, dataDir)
  else await makeTemplate(urls, template, dataDir)
  return {
    facts: { ...urls, template, workers },
    async stop() {
      for (const url of [urls.adminUrl, ...workers]) await drop(url, template)
      await embedded?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Creates a database with the whole schema and the data of the service's first start. Replaces an existing one. */
export async function makeTemplate(urls: Omit<ServerFacts, 'template' | 'workers'>, template: string, dataDir: string) {
  await drop(urls.adminUrl, template)
  await run(urls.adminUrl, `CREATE DATABASE "${template}" OWNER "${new URL(urls.url).username}"`)
  await migrateAndStart(urls, template, dataDir)
}

async function migrateAndStart({ url }: { url: string }, template: string, dataDir: string) {
  const config = readConfig({
    DATABASE_URL: withDatabase(url, template),
    DATA_DIR: dataDir,
    APP_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  await (await startServices(config, { worker: false, log: pino({ level: 'silent' }) })).stop()
}

/** The same on every machine of a Citus cluster, distributed as by `npm run distribute`. */
async function makeDistributedTemplate(
  urls: Omit<ServerFacts, 'template' | 'workers'>,
  workers: string[],
  template: string,
  dataDir: string,
) {
  const all = [urls.adminUrl, ...workers]
  for (const url of all) {
    await drop(url, template)
    await run(url, `CREATE DATABASE "${template}" OWNER "${new URL(urls.url).username}"`)
    await run(withDatabase(url, template), 'CREATE EXTENSION citus')
  }
  const { hostname, port } = new URL(urls.adminUrl)
  const inTemplate = withDatabase(urls.adminUrl, template)
  await run(inTemplate, `SELECT citus_set_coordinator_host('${hostname}', ${port})`)
  for (const { hostname, port } of workers.map((url) => new URL(url)))
    await run(inTemplate, `SELECT citus_add_node('${hostname}', ${port})`)
  await migrateAndStart(urls, template, dataDir)
  await distribute(withDatabase(urls.url, template), () => {})
  // Citus' own process in each database would prevent cloning.
  for (const url of all)
    await run(
      url,
      `ALTER DATABASE "${template}" ALLOW_CONNECTIONS false;
       SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${template}'`,
    )
}

async function run(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** Only superusers can terminate an autovacuum worker, which ends by itself in a moment. */
async function drop(adminUrl: string, name: string) {
  for (let tries = 1; ; tries++)
    try {
      return await run(adminUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
    } catch (error) {
      if (tries === 40 || (error as { code?: string }).code !== '42501') throw error
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
}
