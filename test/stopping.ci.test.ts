/** Connections from a proxy while a process stops, and resources left by a failed start or stop. */
// CI stage: processes
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '#kernel/config.ts'
import { startServices } from '#kernel/process/start.ts'
import { createApp } from '../src/app.ts'
import { startTest } from './harness.ts'
import { testServer } from './server.ts'

const world = await startTest()

async function serving() {
  const app = await createApp(world.services)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/healthz` }
}
async function ask(url: string, agent: Agent) {
  const [reply] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage]
  await reply.toArray()
  return { status: reply.statusCode, connection: reply.headers.connection }
}

it('answers what comes on connections that are open, closes each behind its answer, and listens no more', async () => {
  const { app, url } = await serving()
  const agents = Array.from({ length: 3 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  for (const agent of agents) assert.deepEqual(await ask(url, agent), { status: 200, connection: 'keep-alive' })
  const closed = app.close()
  for (const agent of agents.slice(1)) assert.deepEqual(await ask(url, agent), { status: 200, connection: 'close' })
  await assert.rejects(ask(url, agents[1]!), { code: 'ECONNREFUSED' })
  await closed // the first sent nothing more
})

/**
 * Starts services on a separate database, with a module that runs this at its start; returns a function that counts their
 * connections.
 */
async function startWith(t: TestContext, start: string) {
  const server = await testServer()
  const name = `atrium_starting_${process.pid}_${Math.trunc(performance.now())}`
  await server.createDatabase(name)
  const folder = mkdtempSync(join(tmpdir(), 'atrium-starting-'))
  t.after(async () => {
    await server.dropDatabase(name)
    rmSync(folder, { recursive: true })
  })
  const module = join(folder, 'public/unlucky')
  mkdirSync(module, { recursive: true })
  writeFileSync(join(module, 'module.ts'), `export default { key: 'unlucky', start: () => import('./start.ts') }`)
  writeFileSync(join(module, 'start.ts'), `export default ${start}`)
  const config = readConfig({
    DATABASE_URL: server.urlOf(name),
    DATA_DIR: folder,
    APP_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  const started = startServices(config, { log: world.services.log, worker: false, roots: [folder] })
  const connections = async () => {
    const [{ count }] = await world.sql(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'atrium%'`,
      [name],
    )
    return count as number
  }
  return { started, connections }
}

/** The server notices closed connections a moment later. */
async function allClosed(connections: () => Promise<number>) {
  for (let n = 0; n < 100 && (await connections()); n++) await sleep(50)
  assert.equal(await connections(), 0)
}

it('stops what had begun of a start that fails', async (t) => {
  const { started, connections } = await startWith(t, `() => { throw new Error('unlucky start') }`)
  await assert.rejects(started, /unlucky start/)
  await allClosed(connections)
})

it('stops the others where one does not stop, and says which', async (t) => {
  const { started, connections } = await startWith(t, `() => () => { throw new Error('unlucky stop') }`)
  const services = await started
  assert.ok(await connections())
  await assert.rejects(services.stop(), /unlucky stop/)
  await allClosed(connections)
})
