/** Puts the process's services together, and takes them apart without losing anything. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Services } from '../context.ts'
import { connect } from '../database/connect.ts'
import { startEmbedded } from '../database/embedded.ts'
import { findMigrations, migrate } from '../database/migrate.ts'
import { isolationOf } from '../isolate/isolated.ts'
import { queueIn } from '../jobs/queue.ts'
import { dispatch } from '../jobs/schedule.ts'
import { drawMail } from '../mail/attachments.ts'
import { deliverAccountMail, deliverMail } from '../mail/delivery.ts'
import { loadModules } from '../modules/load.ts'
import { printerOf } from '../pdf/printer.ts'
import { secretsWith } from '../secrets/secrets.ts'
import { sweepFiles } from '../storage/orphans.ts'
import { storageOf } from '../storage/storage.ts'
import { type Clock, systemClock } from '../values/time.ts'
import { channelIn } from './channel.ts'
import type { Config } from './config.ts'
import { logTo } from './log.ts'
import { metricsOf } from './metrics.ts'
import { sweep } from './sweep.ts'

export const sourceRoot = join(import.meta.dirname, '../..')

export interface Started extends Services {
  stop(): Promise<void>
}

export interface StartOptions {
  clock?: Clock
  log?: Logger
  /** Further folders of modules (tests mount throw-away ones). */
  roots?: string[]
  worker?: boolean
  migrate?: boolean
  /** For a command: leaves the embedded PostgreSQL to a service that started beside it meanwhile. */
  command?: true
}

/** The folders whose migrations make the schema. */
export const migrationFolders = (roots: string[]) => [
  join(sourceRoot, 'kernel'),
  ...roots.flatMap((root) => ['workspace', 'platform', 'public'].map((s) => join(root, s))),
]

export async function startServices(config: Config, options: StartOptions = {}): Promise<Started> {
  const log = options.log ?? logTo(config.LOG_LEVEL)
  const roots = [sourceRoot, ...(options.roots ?? [])]
  const embedded = config.DATABASE_URL
    ? undefined
    : await startEmbedded({ dataDir: config.DATA_DIR, log: (message) => log.debug(message) })
  const url = config.DATABASE_URL ?? embedded!.url
  const stopEmbedded = async () => (options.command ? embedded?.leave() : embedded?.stop())
  try {
    const loaded = loadModules(roots)
    const applied = options.migrate === false ? [] : await migrate(url, findMigrations(migrationFolders(roots)))
    if (applied.length) log.info({ migrations: applied.length }, 'database brought up to date')
    const prepare = config.DATABASE_PREPARED_STATEMENTS ?? embedded !== undefined
    const database = connect({
      url,
      size: config.DATABASE_POOL_SIZE,
      prepare,
      direct: embedded !== undefined,
      timeouts: {
        statement: config.DATABASE_STATEMENT_TIMEOUT,
        lock: config.DATABASE_LOCK_TIMEOUT,
        idle: config.DATABASE_IDLE_TIMEOUT,
        connection: config.DATABASE_CONNECTION_TIMEOUT,
      },
      onError: ({ message }) => log.warn({ message }, 'idle connection lost'),
    })
    const secrets = secretsWith(config.APP_KEY)
    const modules = await loaded
    const parts = {
      config,
      database,
      clock: options.clock ?? systemClock,
      log,
      modules,
      secrets,
      storage: await storageOf(config, secrets),
      queue: queueIn(url, log),
      channel: channelIn(config.DATABASE_DIRECT_URL ?? url, database, log),
      pdf: printerOf(config, log),
      isolation: isolationOf(log),
    }
    const services: Services = { ...parts, metrics: metricsOf(parts) }
    await services.channel.start()
    const kernelJobs = [drawMail, deliverMail, deliverAccountMail, sweep, sweepFiles, dispatch].map((job) => ({ job }))
    await services.queue.start([...kernelJobs, ...(await modules.jobs())], services, options.worker ?? true)
    const stops: (() => unknown)[] = []
    for (const start of await modules.starts()) stops.unshift((await start(services)) ?? (() => {}))
    return {
      ...services,
      async stop() {
        for (const stop of stops) await stop()
        await services.queue.stop()
        await services.pdf.stop()
        await services.isolation.stop()
        await services.channel.stop()
        await database.close()
        await stopEmbedded()
      },
    }
  } catch (error) {
    await stopEmbedded()
    throw error
  }
}
