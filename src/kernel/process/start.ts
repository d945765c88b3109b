/** Starts the process's services: the embedded PostgreSQL first, so that it gets ready while the rest of the code is loaded. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, makeDataDir } from '../config.ts'
import type { Services } from '../context.ts'
import { startEmbedded } from '../database/embedded.ts'
import type { Clock } from '../values/time.ts'
import { logTo } from './log.ts'

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
  makeDataDir(config.DATA_DIR)
  const log = options.log ?? logTo(config.LOG_LEVEL)
  const embedded = config.DATABASE_URL
    ? undefined
    : startEmbedded({ dataDir: config.DATA_DIR, log: (message) => log.debug(message) })
  const url = embedded ? embedded.then((server) => server.url) : Promise.resolve(config.DATABASE_URL!)
  url.catch(() => {}) // the services wait for it when their code is loaded
  const stopEmbedded = async () => {
    const server = await embedded
    await (options.command ? server?.leave() : server?.stop())
  }
  try {
    const { servicesOf } = await import('./services.ts')
    const services = await servicesOf(config, { ...options, log, url, embedded: embedded !== undefined })
    return {
      ...services,
      async stop() {
        await services.stop().finally(stopEmbedded)
      },
    }
  } catch (error) {
    await stopEmbedded().catch(() => {}) // its failure is the error
    throw error
  }
}
