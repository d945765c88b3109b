/** Starts the process. The embedded PostgreSQL starts first, while the rest of the code is loaded. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, makeDataDir } from '../config.ts'
import type { Services } from '../context.ts'
import { startEmbedded } from '../database/embedded.ts'
import type { Clock } from '../values/time.ts'
import { logTo } from './log.ts'

/** Folder of the source code: src. */
export const sourceRoot = join(import.meta.dirname, '../..')

export interface Started extends Services {
  stop(): Promise<void>
}

export interface StartOptions {
  clock?: Clock
  log?: Logger
  /** Additional module folders (tests add temporary ones). */
  roots?: string[]
  worker?: boolean
  migrate?: boolean
  /** Set for a command: leaves the embedded PostgreSQL running for a service that was started meanwhile. */
  command?: true
}

/** Returns the folders with migrations. */
export const migrationFolders = (roots: string[]) => [
  join(sourceRoot, 'kernel'),
  ...roots.flatMap((root) => ['workspace', 'platform', 'public'].map((s) => join(root, s))),
]

/** Starts the embedded database unless DATABASE_URL is set, and all services. */
export async function startServices(config: Config, options: StartOptions = {}): Promise<Started> {
  makeDataDir(config.DATA_DIR)
  const log = options.log ?? logTo(config.LOG_LEVEL)
  const embedded = config.DATABASE_URL
    ? undefined
    : startEmbedded({ dataDir: config.DATA_DIR, log: (message) => log.debug(message) })
  const url = embedded ? embedded.then((server) => server.url) : Promise.resolve(config.DATABASE_URL!)
  url.catch(() => {}) // the services await it once their code is loaded
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
    await stopEmbedded().catch(() => {}) // the start's error is reported
    throw error
  }
}
