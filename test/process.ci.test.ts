/** The real process, as operators run it: start, stop, survival of kills, two at once. */
// CI stage: processes
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startOf } from '#kernel/database/ownership.ts'
import { testServer } from './server.ts'
import {
  ADMIN,
  killAll,
  launch,
  ownersToken,
  postmasterOf,
  privateFolder,
  runCommand,
  startByNpm,
  startService,
  workspaceOn,
} from './service.ts'

type Call = Awaited<ReturnType<typeof workspaceOn>>

/** A zombie process counts as ended. */
const isAlive = (pid: number) => startOf(pid) !== undefined

/** Creates vendors concurrently until the service is gone. Returns the acknowledged ids. */
function burst(owner: Call) {
  const acknowledged: number[] = []
  const hands = Array.from({ length: 16 }, async (_, hand) => {
    for (let n = 0; ; n++)
      try {
        const { status, body } = await owner('/vendors', { name: `Vendor ${hand}.${n}` })
        if (status === 201) acknowledged.push(body.data.id)
      } catch {
        return // the service is gone
      }
  })
  return { acknowledged, over: Promise.all(hands) }
}

const until = async (condition: () => boolean) => {
  while (!condition()) await setTimeout(5)
}

async function allVendors(owner: Call) {
  const ids = new Set<number>()
  for (let page = 1, last = 1; page <= last; page++) {
    const { body } = await owner(`/vendors?per_page=100&page=${page}`)
    last = body.meta.last_page
    for (const { id } of body.data) ids.add(id)
    assert.equal(body.meta.total, body.meta.last_page === page ? ids.size : body.meta.total)
  }
  return ids
}

test('starts from compiled code without loading what strips types', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-compiled-'))
  mkdirSync(join(dataDir, 'compiled'))
  const tell = `data:text/javascript,process.on('exit', () => console.error(process.moduleLoadList.some((name) => name.includes('amaro'))))`
  const isStripping = () => {
    const args = ['--import', tell, 'src/start.js', 'help']
    return spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    }).stderr.trim()
  }
  assert.deepEqual([isStripping(), isStripping()], ['true', 'false'])
  rmSync(dataDir, { recursive: true })
})

test('starts in an empty folder that only its owner may enter, says where it is, and lets the first administrator in', async (t) => {
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  assert.equal(statSync(dirname(dataDir)).mode & 0o777, 0o700)
  const service = await startService({ DATA_DIR: dataDir })
  t.after(() => service.process.kill('SIGKILL'))
  for (const line of [/Workspace API +http:\S+\/api\/tenant\/v1\n/, /Platform API +http:\S+\/api\/central\/v1\n/])
    assert.match(service.output(), line)
  assert.ok(service.output().includes(dataDir))
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
  assert.match(await (await fetch(`${service.url}/docs`)).text(), /<html/i)

  const [, token] = /"token":"([^"]+)"/.exec(service.output()) ?? []
  const chosen = { password: 'chosen by myself', password_confirmation: 'chosen by myself' }
  assert.equal((await service.central()('/auth/accept-invite', { token, ...chosen })).status, 200)
  assert.equal((await service.central()('/auth/accept-invite', { token, ...chosen })).status, 422)
  const [, email] = /and sign in as (\S+)\. /.exec(service.output()) ?? []
  const login = await service.central()('/auth/login', { email, password: chosen.password })
  assert.equal(login.status, 200, login.body.message)
  assert.deepEqual(login.body.data.user.role, ['superadmin'])

  const postmaster = postmasterOf(dataDir)!
  assert.equal(await service.stop(), 0)
  assert.equal(isAlive(postmaster), false)
})

/** Lazily loaded packages: development's, those of one provider, and large ones that are rarely used. */
const LATE = [
  ...['@faker-js/faker', 'cli-progress', '@aws-sdk/client-s3', '@aws-sdk/client-sesv2', 'stripe', '@simplewebauthn/server'],
  ...['@myriaddreamin/typst-ts-node-compiler', '@scalar/fastify-api-reference', 'ajv', 'yaml', 'imapflow', 'sanitize-html'],
  ...['htmlparser2', 'file-type', 'csv-parse', 'csv-stringify', 'crawler-user-agents', 'bowser', 'zod-openapi'],
]

test('stops in good order when npm passes SIGTERM on, and when a terminal’s Ctrl-C arrives twice, having loaded no library too early', async (t) => {
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  const byNpm = await startByNpm({ DATA_DIR: dataDir, ...ADMIN })
  const first = postmasterOf(dataDir)!
  await byNpm.stop()
  await until(() => !isAlive(first))

  const list = join(dirname(dataDir), 'loaded.json')
  const preload = `--import=${import.meta.resolve('./fixtures/loaded-packages.ts')}`
  const service = await startService({ DATA_DIR: dataDir, NODE_OPTIONS: preload, LOADED_PACKAGES: list })
  const second = postmasterOf(dataDir)!
  const ended = once(service.process, 'close')
  service.process.kill('SIGINT')
  service.process.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
  assert.equal(isAlive(second), false)
  const loaded: string[] = JSON.parse(readFileSync(list, 'utf8'))
  assert.ok(loaded.includes('fastify') && loaded.includes('pg-boss'))
  assert.deepEqual(
    LATE.filter((name) => loaded.includes(name)),
    [],
  )
})

test('what was acknowledged survives SIGTERM, and kill -9 of everything, in the middle of the work', async (t) => {
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  const env = { DATA_DIR: dataDir, ...ADMIN }
  let service = await startService(env)
  t.after(() => service.process.kill('SIGKILL'))

  const first = burst(await workspaceOn(service, ['vendors']))
  await until(() => first.acknowledged.length > 50)
  const postmaster = postmasterOf(dataDir)!
  const asked = Date.now()
  assert.equal(await service.stop(), 0)
  assert.ok(Date.now() - asked < 10_000, 'clients that keep their connections open do not hold it up')
  await first.over
  assert.equal(isAlive(postmaster), false, 'PostgreSQL stops with the service')
  assert.equal(postmasterOf(dataDir), undefined)

  service = await startService(env)
  let owner = service.tenant(await ownersToken(service))
  let stored = await allVendors(owner)
  assert.deepEqual(
    first.acknowledged.filter((id) => !stored.has(id)),
    [],
  )

  const second = burst(owner)
  await until(() => second.acknowledged.length > 50)
  await killAll(service, dataDir)
  await second.over

  service = await startService(env)
  owner = service.tenant(await ownersToken(service))
  stored = await allVendors(owner)
  assert.deepEqual(
    [...first.acknowledged, ...second.acknowledged].filter((id) => !stored.has(id)),
    [],
  )
  assert.equal(await service.stop(), 0)
})

test('two processes on one database share rate limits and numbering', async (t) => {
  const server = await testServer()
  const name = `atrium_process_${randomBytes(6).toString('hex')}`
  await server.createDatabase(name)
  t.after(async () => {
    await server.dropDatabase(name)
    await server.release()
  })
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  const env = { DATABASE_URL: server.urlOf(name), DATA_DIR: dataDir, ...ADMIN }
  const services = await Promise.all([startService(env, 'api'), startService(env, 'api')])
  t.after(() => Promise.all(services.map((service) => service.stop())))

  await workspaceOn(services[0]!, ['vendors', 'purchase-orders'])
  const owners = await Promise.all(services.map(async (service) => service.tenant(await ownersToken(service))))
  const vendor_id = (await owners[0]!('/vendors', { name: 'Nordwind' })).body.data.id
  const orders = await Promise.all(
    Array.from({ length: 40 }, (_, n) => owners[n % 2]!('/purchase-orders', { vendor_id, title: `Order ${n}` })),
  )
  assert.deepEqual(
    orders.map(({ body }) => body.data.number).sort(),
    Array.from({ length: 40 }, (_, n) => `PO-${String(n + 1).padStart(5, '0')}`),
  )

  const guesses = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      services[n % 2]!.central()('/auth/login', { email: 'somebody@example.com', password: 'guess' }),
    ),
  )
  assert.deepEqual(guesses.map(({ status }) => status).sort(), [401, 401, 401, 401, 401, 429, 429, 429])
})

test('a wrong environment is refused with every variable named', async () => {
  const { code, output } = await runCommand(['start'], {
    PORT: 'eighty',
    WEB_CONCURRENCY: '0',
    APP_KEY: 'short',
    LOG_LEVEL: 'loud',
  })
  assert.equal(code, 1)
  for (const said of [
    /PORT: /,
    /WEB_CONCURRENCY: must be a number from 1 to 64, or auto/,
    /APP_KEY: must be 32 random bytes in base64/,
    /LOG_LEVEL: /,
    /docs\/configuration\.md/,
  ])
    assert.match(output, said)
})

test('demo says in one line that a production install can’t make it', async () => {
  const hidden = `--import=${import.meta.resolve('./fixtures/production-install.ts')}`
  const { code, output } = await runCommand(['demo'], { NODE_OPTIONS: hidden })
  assert.deepEqual([code, output.trim()], [1, 'atrium: demo needs the development dependencies: run npm ci without --omit=dev.'])
})

test('a start that fails, or is interrupted, leaves no PostgreSQL behind, and nobody who still writes', async (t) => {
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const PORT = String((taken.address() as AddressInfo).port)
  const failed = await runCommand(['start'], { DATA_DIR: dataDir, PORT, HOST: '127.0.0.1', LOG_LEVEL: 'warn' })
  assert.equal(failed.code, 1)
  assert.match(failed.output, /EADDRINUSE/)
  assert.equal(postmasterOf(dataDir), undefined)

  const starting = launch(['start'], { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' })
  await until(() => postmasterOf(dataDir) !== undefined)
  starting.process.kill('SIGINT')
  assert.deepEqual(await once(starting.process, 'close'), [0, null])
  assert.match(starting.output(), /Atrium has stopped\.\n$/)
  assert.equal(postmasterOf(dataDir), undefined)
  // Child processes bundle the console's scripts once the service listens.
  const written = () => (readdirSync(dataDir, { recursive: true }) as string[]).filter((name) => !name.startsWith('postgres'))
  const left = written()
  assert.deepEqual(
    left.filter((name) => /^console\/\w+\./.test(name)),
    [],
  )
  await setTimeout(1000)
  assert.deepEqual(written(), left)
})

test('a DATA_DIR that can’t hold data is refused at once', async (t) => {
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  const file = join(dirname(dataDir), 'a file')
  writeFileSync(file, '')
  for (const DATA_DIR of [file, join(file, 'below'), '/proc/atrium']) {
    const { code, output } = await runCommand(['start'], { DATA_DIR })
    assert.equal(code, 1, output)
    assert.match(output, new RegExp(`^atrium: DATA_DIR: ${DATA_DIR} can't hold Atrium's data: .+\n$`))
  }
})

test('--help says which commands there are', async () => {
  const { code, output } = await runCommand(['--help'])
  assert.equal(code, 0)
  assert.match(output, /^ {2}stock /m)
})

test('an unknown command is refused with those that there are', async () => {
  const { code, output } = await runCommand(['serve'])
  assert.equal(code, 2)
  assert.match(output, /Unknown command serve/)
  for (const command of ['start', 'api', 'worker', 'migrate', 'demo', 'openapi', 'stock'])
    assert.match(output, new RegExp(`^  ${command} `, 'm'))
})
