/** The command line: start · api · worker · migrate · backup · move · demo · stock · openapi. */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { ensureFirstAdmin } from '#platform/account/public.ts'
import { createApp } from './app.ts'
import { openApi } from './kernel/http/openapi.ts'
import { loadModules } from './kernel/modules/load.ts'
import { backUp } from './kernel/process/backup.ts'
import { type Config, readConfig } from './kernel/process/config.ts'
import { surviveFaults } from './kernel/process/faults.ts'
import { moveToOwnDatabase } from './kernel/process/move.ts'
import { sourceRoot, startServices } from './kernel/process/start.ts'

const commands: Record<string, { says: string; run(args: string[]): Promise<void> }> = {
  start: { says: 'serve the API and work the queue (the usual way)', run: () => serve({ api: true, worker: true }) },
  api: { says: 'serve the API only', run: () => serve({ api: true, worker: false }) },
  worker: { says: 'work the queue only', run: () => serve({ api: false, worker: true }) },
  migrate: { says: 'bring the database up to date and stop', run: migrateOnly },
  backup: { says: 'copy the data folder, with the database in it, to a new folder; the service may run', run: backUpTo },
  move: {
    says: 'copy the embedded database to the empty one at DATABASE_URL',
    async run() {
      const rows = await moveToOwnDatabase(readConfig(process.env))
      console.log(`Moved: ${rows} rows are in the database at DATABASE_URL.`)
    },
  },
  demo: {
    says: 'fill workspaces and the platform with believable data (--workspaces N --records N --seed N)',
    run: async (args) => (await import('./demo.ts')).demo(args),
  },
  stock: {
    says: 'compare stock with its movements, or make it anew from them (check or rebuild, --workspace SLUG)',
    run: async (args) => (await import('./stock.ts')).stock(args, readConfig(process.env)),
  },
  openapi: { says: 'print the OpenAPI document of an API: tenant or central', run: printOpenApi },
}

const [name = 'start', ...args] = process.argv.slice(2)
const command = commands[name]
if (!command) {
  console.error(
    `Unknown command ${name}. There are:\n${Object.entries(commands)
      .map(([key, { says }]) => `  ${key.padEnd(8)} ${says}`)
      .join('\n')}`,
  )
  process.exit(2)
}
try {
  await command.run(args)
} catch (error) {
  console.error(error instanceof Error && !process.env.DEBUG ? `atrium: ${error.message}` : error)
  process.exit(1)
}

async function serve({ api, worker }: { api: boolean; worker: boolean }) {
  const began = performance.now()
  const config = readConfig(process.env)
  const services = await startServices(config, { worker })
  const setUpToken = await ensureFirstAdmin(services)
  const app = api ? await createApp(services) : undefined
  await app?.listen({ port: config.PORT, host: config.HOST })
  const stop = async () => {
    await app?.close()
    await services.stop()
  }
  stopOnSignals(stop)
  surviveFaults({ log: services.log, registry: services.metrics.registry, stop, env: process.env })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (app) tellWhere(config, (app.server.address() as AddressInfo).port, seconds, setUpToken)
  else console.log(`Atrium's worker is ready (${seconds} s).`)
}

/**
 * Ctrl-C and SIGTERM: no new connections; requests and jobs under way end; then the database stops. Pressed again, it
 * insists. Not within a second, though: a terminal's Ctrl-C reaches us twice, by itself and through npm.
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
        process.exit(0)
      } catch (error) {
        console.error(error)
        process.exit(1)
      }
    })
}

function tellWhere(config: Config, port: number, seconds: string, setUpToken: string | undefined) {
  const at = `http://${config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST}:${port}`
  const lines = [
    `Atrium is ready (${seconds} s).`,
    `  API reference   ${at}/docs`,
    `  Workspace API   ${at}/api/tenant/v1`,
    `  Platform API    ${at}/api/central/v1`,
    `  Data            ${config.DATABASE_URL ? 'DATABASE_URL' : config.DATA_DIR}`,
  ]
  if (setUpToken)
    lines.push(
      '',
      '  Nobody can sign in to the platform yet. Choose a password for the first administrator:',
      `    curl -X POST ${at}/api/central/v1/auth/accept-invite -H 'content-type: application/json' \\`,
      `      -d '{"token":"${setUpToken}","password":"<yours>","password_confirmation":"<yours>"}'`,
      `  and sign in as ${config.ADMIN_EMAIL ?? 'admin@atrium.localhost'}. (Or set ADMIN_EMAIL and ADMIN_PASSWORD before the first start.)`,
    )
  console.log(lines.join('\n'))
}

async function migrateOnly() {
  const services = await startServices(readConfig(process.env), { worker: false, command: true })
  await services.stop()
  console.log('The database is up to date.')
}

async function backUpTo([target, ...more]: string[]) {
  const { DATABASE_URL, DATA_DIR, S3_BUCKET } = readConfig(process.env)
  if (!target || more.length) throw new Error('Name the new folder: npm run backup -- <folder>')
  if (DATABASE_URL) throw new Error('The database is at DATABASE_URL: back it up with pg_dump, as docs/operations.md says.')
  const { folder, bytes, files, hasKey } = await backUp(DATA_DIR, target)
  const megabytes = (bytes / 1_000_000).toFixed(0)
  console.log(`Backed up to ${folder}: the database (${megabytes} MB), ${files} files${hasKey ? ', and the key' : ''}.`)
  if (!hasKey) console.log('The key is not in it, because APP_KEY holds it: keep that apart.')
  if (S3_BUCKET) console.log(`Files in the bucket ${S3_BUCKET} are not in it.`)
}

/** Needs no database: the document comes from the schemas alone. */
async function printOpenApi([which]: string[]) {
  const config = readConfig({ ...process.env, APP_KEY: process.env.APP_KEY ?? randomBytes(32).toString('base64') })
  const surface = which === 'central' ? 'platform' : 'workspace'
  console.log(JSON.stringify(await openApi(await loadModules([sourceRoot]), surface, config.BASE_URL), null, 2))
}
