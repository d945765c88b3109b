/** What a proxy in front of a process meets while that process is stopped. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createApp } from '../src/app.ts'
import { startTest } from './harness.ts'

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
  await closed // the first had nothing more to say
})
