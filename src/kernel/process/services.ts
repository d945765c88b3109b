/** Starts the services of a process and stops them without losing work. */

import type { Config } from '../config.ts'
import type { Services } from '../context.ts'
import { channelIn } from '../database/channel.ts'
import { isCluster } from '../database/cluster.ts'
import { connect, type Tx } from '../database/connect.ts'
import { findMigrations, migrate } from '../database/migrate.ts'
import { settleMoves } from '../database/shards.ts'
import { isolationOf } from '../isolate/isolated.ts'
import type { Job } from '../jobs/job.ts'
import { queueIn } from '../jobs/queue.ts'
import { dispatch } from '../jobs/schedule.ts'
import { drawMail } from '../mail/attachments.ts'
import { deliverAccountMail, deliverDeferred, deliverMail } from '../mail/delivery.ts'
import { readSettings } from '../modules/settings.ts'
import { pdfRenderer } from '../pdf/renderer.ts'
import { secretsWith } from '../secrets/secrets.ts'
import { sweepFiles } from '../storage/orphans.ts'
import { storageOf } from '../storage/storage.ts'
import { systemClock } from '../values/time.ts'
import { loadModules } from './load.ts'
import { metricsOf } from './metrics.ts'
import { retention } from './retention.ts'
import { migrationFolders, type Started, type StartOptions, sourceRoot } from './start.ts'
import { sweep } from './sweep.ts'

interface Given extends StartOptions {
  log: Services['log']
  /** URL of the database, which may still be starting. */
  url: Promise<string>
  /** Whether this process started the database itself. */
  embedded: boolean
}

/** Jobs that belong to no module. */
export const kernelJobs: Job[] = [
  drawMail,
  deliverMail,
  deliverAccountMail,
  deliverDeferred,
  sweep,
  retention,
  sweepFiles,
  dispatch,
]

/**
 * Starts the services. Stopping them leaves the database running; its starter stops it. If the start fails, everything started so
 * far is stopped; a failure to stop one doesn't prevent the others from stopping.
 */
export async function servicesOf(config: Config, given: Given): Promise<Started> {
  const stops = new AsyncDisposableStack()
  try {
    const services = await startIn(stops, config, given)
    return { ...services, stop: () => stops.disposeAsync() }
  } catch (error) {
    await stops.disposeAsync().catch((failure) => given.log.error({ err: failure }, 'what had begun of a start does not stop'))
    throw error
  }
}

/** Starts services in order and registers how to stop each. */
async function startIn(stops: AsyncDisposableStack, config: Config, { log, embedded, ...options }: Given): Promise<Services> {
  const roots = [sourceRoot, ...(options.roots ?? [])]
  const modules = await loadModules(roots)
  const url = await options.url
  const applied = options.migrate === false ? [] : await migrate(url, findMigrations(migrationFolders(roots)))
  if (applied.length) log.info({ migrations: applied.length }, 'database brought up to date')
  const prepare = config.DATABASE_PREPARED_STATEMENTS ?? embedded
  const cluster = !embedded && (await isCluster(url))
  const unsettled = cluster ? await settleMoves(config.DATABASE_DIRECT_URL ?? url) : 0
  if (unsettled) log.warn({ tables: unsettled }, 'a move of shards had been interrupted')
  const database = connect({
    url,
    size: config.DATABASE_POOL_SIZE,
    prepare,
    direct: embedded,
    cluster,
    timeouts: {
      statement: config.DATABASE_STATEMENT_TIMEOUT,
      lock: config.DATABASE_LOCK_TIMEOUT,
      idle: config.DATABASE_IDLE_TIMEOUT,
      connection: config.DATABASE_CONNECTION_TIMEOUT,
    },
    onError: ({ message }) => log.warn({ message }, 'idle connection lost'),
    onStatement: config.LOG_SQL ? (sql, ms) => log.info({ sql, ms: Math.round(ms * 10) / 10 }, 'statement') : undefined,
  })
  stops.defer(() => database.close())
  const secrets = secretsWith(config.APP_KEY, config.APP_KEY_PREVIOUS)
  const parts = {
    config,
    database,
    clock: options.clock ?? systemClock,
    log,
    modules,
    secrets,
    storage: await storageOf(config, secrets),
    queue: queueIn(url, log, config.JOB_HEARTBEAT_SECONDS),
    channel: channelIn(config.DATABASE_DIRECT_URL ?? url, database, log),
    pdf: pdfRenderer(config, log),
    isolation: isolationOf(log),
    readSettings: (tx: Tx, tenantId: number) => readSettings(tx, tenantId, modules),
  }
  for (const part of [parts.channel, parts.isolation, parts.pdf, parts.queue]) stops.defer(() => part.stop())
  const services: Services = { ...parts, metrics: metricsOf(parts) }
  await services.channel.start()
  await services.queue.start([...kernelJobs.map((job) => ({ job })), ...(await modules.jobs())], services, options.worker ?? true)
  for (const start of await modules.starts()) {
    const stop = await start(services)
    if (stop) stops.defer(async () => void (await stop()))
  }
  return services
}
