/** What a serving process does about its own faults: errors that no request and no job has caught. */
import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'

interface Faults {
  log: Logger
  registry: Registry
  /** Ends requests and jobs under way, and the services. */
  stop(): Promise<void>
  /** The environment that this process was started with: the one that follows gets it too. */
  env: Record<string, string | undefined>
}

const STOP_TIMEOUT_MS = 30_000
/** More faults than that within the time end the process for good: whoever started it shall see that something is wrong. */
const MAX_RESTARTS = 5
const RESTARTS_WITHIN_MS = 300_000
/** Instants of earlier restarts, in milliseconds, for the process image that follows. */
const RESTARTED_AT = 'ATRIUM_RESTARTED_AT'

/**
 * A promise that was rejected unheard concerns what began it and nothing else: it is logged and counted, and the process goes on. An
 * exception outside any promise may have left anything half done: the process stops in an orderly way and begins anew under the same
 * process id, so that it works without a service manager as well.
 */
export function surviveFaults({ log, registry, stop, env }: Faults) {
  const faults = new Counter({
    name: 'process_faults_total',
    help: 'Errors that nothing caught, by kind',
    labelNames: ['kind'],
    registers: [registry],
  })
  process.on('unhandledRejection', (error) => {
    faults.inc({ kind: 'rejection' })
    log.error({ err: error }, 'defect: a rejection that nobody listens to')
  })
  let ending = false
  process.on('uncaughtException', (error) => {
    faults.inc({ kind: 'exception' })
    log.fatal({ err: error }, 'defect: an exception that nothing caught')
    if (ending) return
    ending = true
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    stop().then(beginAnew, () => process.exit(1))
  })

  function beginAnew() {
    const now = Date.now()
    const before = (env[RESTARTED_AT] ?? '').split(',').map(Number)
    const recent = before.filter((at) => at > now - RESTARTS_WITHIN_MS)
    // The channel to a supervisor would be lost: it starts another one.
    if (recent.length >= MAX_RESTARTS || !process.execve || cluster.isWorker) process.exit(1)
    log.warn({ restarts: recent.length + 1 }, 'the process begins anew')
    const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
    process.execve(process.execPath, command, { ...env, [RESTARTED_AT]: [...recent, now].join() } as Record<string, string>)
  }
}
