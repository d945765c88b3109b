/** Runs the service as one process, or as several that share a port: starts, prints its addresses, and stops on signals. */
import cluster from 'node:cluster'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Config, readConfig } from './kernel/config.ts'
import { startServices } from './kernel/process/start.ts'
import type { Ready } from './kernel/process/supervisor.ts'

interface Parts {
  /** `realtime`: sockets only. */
  api: boolean | 'realtime'
  worker: boolean
}

/** Serves until a signal. An interrupted start is completed and then undone, so that nothing is left behind. */
export async function serve(parts: Parts) {
  const config = readConfig(process.env)
  const starting = config.WEB_CONCURRENCY > 1 && cluster.isPrimary ? startSeveral(config) : start(config, parts)
  stopOnSignals(async () => (await starting.catch(() => undefined))?.())
  await starting
}

/** Starts several processes of this command. SIGHUP replaces them one after the other. */
async function startSeveral(config: Config): Promise<() => Promise<void>> {
  const began = performance.now()
  const starting = import('./kernel/process/supervisor.ts').then(({ supervise }) => supervise(config))
  // Installed before the start completes: the first process already serves and may get the signal while the others start. A
  // closed terminal also sends SIGHUP, which must end the service.
  if (!process.stdout.isTTY)
    process.on('SIGHUP', () => {
      const replaced = starting.then((supervisor) => supervisor.replaceAll())
      replaced.catch((error: Error) => console.error(`Not all processes were replaced: ${error.message}`))
    })
  const supervisor = await starting
  sayReady(config, supervisor.ready, began)
  return supervisor.stop
}

/**
 * Starts the service. Returns a function that stops it. If the start fails, everything started so far, including the database, is
 * stopped first.
 */
async function start(config: Config, { api, worker }: Parts): Promise<() => Promise<void>> {
  const began = performance.now()
  const services = await startServices(config, { worker })
  let app: FastifyInstance | undefined
  const stop = async () => {
    await Promise.try(() => app?.close()).finally(() => services.stop())
  }
  try {
    const { ensureFirstAdmin } = await import('#platform/account/public.ts')
    const setUpToken = await ensureFirstAdmin(services)
    app = api ? await (await import('./app.ts')).createApp(services, { realtimeOnly: api === 'realtime' }) : undefined
    await app?.listen({ port: config.PORT, host: config.HOST })
    const { surviveFaults } = await import('./kernel/process/faults.ts')
    surviveFaults({ log: services.log, registry: services.metrics.registry, stop, env: process.env })
    const ready: Ready = { port: (app?.server.address() as AddressInfo | undefined)?.port, setUpToken }
    if (cluster.isWorker) process.send?.({ ready })
    else sayReady(config, ready, began)
  } catch (error) {
    await stop().catch(() => {}) // the start's error is reported
    throw error
  }
  giveBackMemory()
  return stop
}

/**
 * Frees memory that only the start needed, some 30 MB, which V8 would keep. Runs at once, because it blocks the process for a
 * fifth of a second. Requires `--expose-gc`.
 */
function giveBackMemory() {
  setImmediate(() => globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' }))
}

/**
 * Stops on Ctrl-C and SIGTERM: no new connections, running requests and jobs end, then the database stops. A second Ctrl-C exits
 * at once, but not within the first second, because a terminal's Ctrl-C arrives twice: directly and through npm.
 */
function stopOnSignals(stop: () => Promise<void>) {
  let stoppingSince = 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, async () => {
      if (stoppingSince) {
        if (signal === 'SIGINT' && performance.now() - stoppingSince > 1000) process.exit(130)
        return
      }
      stoppingSince = performance.now()
      try {
        await stop()
        if (cluster.isPrimary) console.log('Atrium has stopped.')
        process.exit(0)
      } catch (error) {
        console.error(error)
        process.exit(1)
      }
    })
}

function sayReady(config: Config, { port, setUpToken }: Ready, began: number) {
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const several = config.WEB_CONCURRENCY > 1 ? `, ${config.WEB_CONCURRENCY} processes` : ''
  if (port === undefined) return console.log(`Atrium's worker is ready (${seconds} s${several}).`)
  const at = `http://${config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST}:${port}`
  const lines = [
    `Atrium is ready (${seconds} s${several}).`,
    `  Console         ${at}/sign-in`,
    `  API reference   ${at}/docs`,
    `  Workspace API   ${at}/api/tenant/v1`,
    `  Platform API    ${at}/api/central/v1`,
    `  Data            ${config.DATABASE_URL ? 'DATABASE_URL' : config.DATA_DIR}`,
  ]
  if (setUpToken)
    lines.push(
      '',
      '  Nobody can sign in to the platform yet. Choose a password for the first administrator, in a browser:',
      `    ${at}/sign-in/operator/invitation#${setUpToken}`,
      '  or in a terminal:',
      `    curl -X POST ${at}/api/central/v1/auth/accept-invite -H 'content-type: application/json' \\`,
      `      -d '{"token":"${setUpToken}","password":"<yours>","password_confirmation":"<yours>"}'`,
      `  and sign in as ${config.ADMIN_EMAIL ?? 'admin@atrium.localhost'}. (Or set ADMIN_EMAIL and ADMIN_PASSWORD before the first start.)`,
    )
  console.log(lines.join('\n'))
}
