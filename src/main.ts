/**
 * Command line: start · api · realtime · worker · migrate · backup · move · rotate-key · distribute · rebalance · isolate · demo
 * · job · openapi, and commands of modules. Each command loads only what it needs.
 */
import { keepCompiledCode } from './kernel/process/compiled-code.ts'

const commands: Record<string, { says: string; run(args: string[]): Promise<void> }> = {
  start: { says: 'serve the API and work the queue (the usual way)', run: () => serve({ api: true, worker: true }) },
  api: { says: 'serve the API only', run: () => serve({ api: true, worker: false }) },
  realtime: { says: 'serve realtime sockets only', run: () => serve({ api: 'realtime', worker: false }) },
  worker: { says: 'work the queue only', run: () => serve({ api: false, worker: true }) },
  migrate: { says: 'bring the database up to date and stop', run: migrateOnly },
  backup: { says: 'copy the data folder, with the database in it, to a new folder; the service may run', run: backUpTo },
  move: {
    says: 'copy the embedded database, or the one at FORMER_DATABASE_URL, to the empty one at DATABASE_URL',
    async run([from = process.env.FORMER_DATABASE_URL, ...more]) {
      if (more.length) throw new Error('Name one former database: by FORMER_DATABASE_URL, or npm run move -- <url>')
      const { moveToOwnDatabase } = await import('./kernel/process/move.ts')
      const rows = await moveToOwnDatabase(await config(), from)
      console.log(`Moved: ${rows} rows are in the database at DATABASE_URL.`)
    },
  },
  'rotate-key': { says: 'encrypt all stored secrets anew by APP_KEY; APP_KEY_PREVIOUS names the former one', run: rotateKeys },
  distribute: { says: 'spread the database at DATABASE_URL over the machines of its Citus cluster', run: distributeAll },
  rebalance: { says: 'move shards of the cluster until every machine has its share', run: rebalanceShards },
  isolate: { says: 'give a workspace (its slug) a shard of its own', run: isolateWorkspace },
  demo: {
    says: 'fill workspaces and the platform with believable data (--workspaces N --records N --seed N)',
    run: async (args) => (await demoCommand()).demo(args),
  },
  job: {
    says: 'run one job at once (its name, --workspace SLUG --user ID --data JSON); without a name: all names',
    run: async (args) => (await import('./run-job.ts')).job(args, await config()),
  },
  openapi: { says: 'print the OpenAPI document of an API: tenant or central', run: printOpenApi },
}

const [name = 'start', ...args] = process.argv.slice(2)
const isHelp = [name, ...args].some((one) => ['help', '--help', '-h'].includes(one))
if (!commands[name]) Object.assign(commands, await commandsOfModules())
const command = isHelp ? undefined : commands[name]
if (!command) {
  const list = Object.entries(commands).map(([key, { says }]) => `  ${key.padEnd(8)} ${says}`)
  if (isHelp)
    console.log(
      [
        'node src/main.ts <command>, where the command is',
        ...list,
        'Settings are environment variables: docs/configuration.md.',
      ].join('\n'),
    )
  else console.error([`Unknown command ${name}. There are:`, ...list].join('\n'))
  process.exit(isHelp ? 0 : 2)
}
try {
  keepCompiledCode(process.env)
  await command.run(args)
} catch (error) {
  console.error(error instanceof Error && !process.env.DEBUG ? `atrium: ${error.message}` : error)
  process.exit(1)
}

/** Loads the demo command. Demo data belong to development: a production installation lacks the dependencies. */
async function demoCommand() {
  try {
    return await import('./demo/demo.ts')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error('demo needs the development dependencies: run npm ci without --omit=dev.')
  }
}

async function commandsOfModules(): Promise<typeof commands> {
  const { loadManifests } = await import('./kernel/process/load.ts')
  const declared = (await loadManifests([import.meta.dirname])).flatMap((module) => Object.entries(module.commands ?? {}))
  return Object.fromEntries(
    declared.map(([key, { says, load }]) => [
      key,
      { says, run: async (given: string[]) => (await load()).default(given, await config()) },
    ]),
  )
}

async function config(env = process.env) {
  return (await import('./kernel/config.ts')).readConfig(env)
}

async function serve(parts: { api: boolean | 'realtime'; worker: boolean }) {
  await (await import('./serve.ts')).serve(parts)
}

async function migrateOnly() {
  const { startServices } = await import('./kernel/process/start.ts')
  const services = await startServices(await config(), { worker: false, command: true })
  await services.stop()
  console.log('The database is up to date.')
}

async function rotateKeys() {
  const { startServices } = await import('./kernel/process/start.ts')
  const services = await startServices(await config(), { worker: false, command: true })
  try {
    const { rotateKey } = await import('./kernel/process/rotating.ts')
    const { lost } = await rotateKey(services, (text) => console.log(text))
    if (lost) process.exitCode = 1
  } finally {
    await services.stop()
  }
}

async function backUpTo([target, ...more]: string[]) {
  const { DATABASE_URL, DATA_DIR, S3_BUCKET } = await config()
  if (!target || more.length) throw new Error('Name the new folder: npm run backup -- <folder>')
  if (DATABASE_URL) throw new Error('The database is at DATABASE_URL: back it up with pg_dump, as docs/operations.md says.')
  const { backUp } = await import('./kernel/process/backup.ts')
  const { folder, bytes, files, hasKey } = await backUp(DATA_DIR, target)
  const megabytes = (bytes / 1_000_000).toFixed(0)
  console.log(`Backed up to ${folder}: the database (${megabytes} MB), ${files} files${hasKey ? ', and the key' : ''}.`)
  if (!hasKey) console.log('The key is not in it, because APP_KEY holds it: keep that apart.')
  if (S3_BUCKET) console.log(`Files in the bucket ${S3_BUCKET} are not in it.`)
}

async function clusterUrl() {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = await config()
  if (!DATABASE_URL) throw new Error('The embedded database is one machine: set DATABASE_URL to a cluster (docs/scaling.md).')
  return DATABASE_DIRECT_URL ?? DATABASE_URL
}

async function distributeAll() {
  const url = await clusterUrl()
  const { checkReadiness, distribute } = await import('./kernel/database/distributing.ts')
  await checkReadiness(url)
  await migrateOnly()
  const { tables, rows } = await distribute(url, (text) => console.log(text))
  console.log(tables ? `Distributed: ${tables} tables with ${rows} rows.` : 'Every table is where it belongs.')
}

async function rebalanceShards() {
  const { rebalance } = await import('./kernel/database/shards.ts')
  const moved = await rebalance(await clusterUrl(), (text) => console.log(text))
  console.log(moved ? `Moved ${moved} shards.` : 'Every machine has its share.')
}

async function isolateWorkspace([slug, ...more]: string[]) {
  if (!slug || more.length) throw new Error('Name the workspace: npm run isolate -- <slug>')
  const { isolate } = await import('./kernel/database/shards.ts')
  console.log(`The workspace ${slug} has a shard of its own, on ${await isolate(await clusterUrl(), slug)}.`)
}

/** Prints the OpenAPI document. Needs no database, because the document is made from schemas. */
async function printOpenApi([which]: string[]) {
  const { randomBytes } = await import('node:crypto')
  const { BASE_URL } = await config({ ...process.env, APP_KEY: process.env.APP_KEY ?? randomBytes(32).toString('base64') })
  const { openApi } = await import('./kernel/http/openapi.ts')
  const { withExamplesAsOf } = await import('./kernel/http/example-dates.ts')
  const { loadModules } = await import('./kernel/process/load.ts')
  const { dateIn, systemClock } = await import('./kernel/values/time.ts')
  const surface = which === 'central' ? 'platform' : 'workspace'
  const document = await openApi(await loadModules([import.meta.dirname]), surface, BASE_URL)
  console.log(JSON.stringify(withExamplesAsOf(document, dateIn('UTC', systemClock.now())), null, 2))
}
