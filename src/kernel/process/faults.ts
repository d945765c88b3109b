/** Handles errors of a serving process that no request and no job has caught. */
import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'

interface Faults {
  log: Logger
  registry: Registry
  /** Ends running requests and jobs, and the services. */
  stop(): Promise<void>
  /** Environment of this process, passed on to the restarted one. */
  env: Record<string, string | undefined>
}

const STOP_TIMEOUT_MS = 30_000
/**
 * Maximum number of restarts within the time. Further faults end the process, so that the operator or service manager notices.
 */
const MAX_RESTARTS = 5
const RESTARTS_WITHIN_MS = 300_000
/** Variable with the times of earlier restarts in milliseconds, for the restarted process. */
const RESTARTED_AT = 'ATRIUM_RESTARTED_AT'

/**
 * Installs the handlers. An unhandled rejection concerns only the work it began in: it is logged and counted, and the process
 * continues. An uncaught exception may have left anything half done: the process stops in order and restarts with the same
 * process id, which works without a service manager too.
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
    // A worker would lose the channel to its supervisor, which starts another one instead.
    if (recent.length >= MAX_RESTARTS || !process.execve || cluster.isWorker) process.exit(1)
    log.warn({ restarts: recent.length + 1 }, 'the process begins anew')
    const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
    process.execve(process.execPath, command, { ...env, [RESTARTED_AT]: [...recent, now].join() } as Record<string, string>)
  }
}
