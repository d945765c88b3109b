/**
 * The application with its own PostgreSQL is killed (`kill -9`) repeatedly while sixteen clients write. A reader of the feed gets
 * each event once and in order, and a webhook endpoint gets each one, with one body.
 */
// CI stage: kills
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../free-port.ts'
import { ADMIN, killAll, ownersToken, privateFolder, startService, workspaceOn } from '../service.ts'
import { KILLS, QUICK_HEARTBEAT } from '../worker-process.ts'

const WRITERS = 16
/** Deliveries of a killed process are released after a minute, and retried. */
const SETTLED = 240_000

it(`tells each deed once in the feed and at least once to an endpoint, killed ${KILLS} times`, async (t) => {
  const { dataDir, remove } = privateFolder()
  const told = new Map<string, Set<string>>()
  let secret: string | undefined
  let forged = 0
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      try {
        new Webhook(secret!).verify(body, headers)
      } catch {
        forged++
      }
      const id = headers['webhook-id']!
      told.set(id, (told.get(id) ?? new Set()).add(body))
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const env = {
    ...ADMIN,
    ...QUICK_HEARTBEAT,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    LOG_LEVEL: 'error',
  }
  let service = await startService(env)
  t.after(async () => {
    service.process.kill('SIGKILL')
    receiver.closeAllConnections()
    receiver.close()
    await remove()
  })
  await workspaceOn(service, ['vendors'])
  const base = `${service.url}/api/tenant/v1`
  const authorization = `Bearer ${await ownersToken(service)}`

  /** Repeats a request until there is a reply. */
  async function insist(method: string, path: string, body?: object) {
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
    for (let tries = 0; ; tries++) {
      const reply = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) }).catch(() => undefined)
      const answer: any = await reply?.json().catch(() => undefined)
      if (reply?.ok && answer) return answer
      assert.ok(!reply || [409, 429, 503].includes(reply.status) || !answer, `${method} ${path}: ${JSON.stringify(answer)}`)
      assert.ok(tries < 1000)
      await sleep(100)
    }
  }

  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  secret = (await insist('POST', '/webhook-endpoints', { url, types: ['vendor.*'] })).data.secret
  const start = (await insist('GET', '/events?limit=1000')).meta.next_after as number
  let isOver = false
  const deeds: string[] = []
  const write = async (writer: number) => {
    for (let n = 0; !isOver; n++) {
      const { id } = (await insist('POST', '/vendors', { name: `Vendor ${writer} ${n}` })).data
      await insist('PUT', `/vendors/${id}`, { notes: 'Changed' })
      deeds.push(`vendor.created ${id}`, `vendor.updated ${id}`)
      await sleep(400)
    }
  }
  const feed: { id: number; type: string; subject: { id: number } }[] = []
  let after = start
  async function read() {
    const { data, meta } = await insist('GET', `/events?types=vendor.*&limit=500&after=${after}`)
    feed.push(...data)
    after = meta.next_after
    return data.length as number
  }
  const reader = (async () => {
    while (!isOver) if (!(await read())) await sleep(20)
  })()
  const writers = Array.from({ length: WRITERS }, (_, n) => write(n))
  const busy = Promise.all([reader, ...writers])
  busy.catch(() => {}) // reported below
  for (let kill = 0; kill < KILLS; kill++) {
    await Promise.race([sleep(2000 + Math.random() * 2000), busy])
    await killAll(service, dataDir)
    service = await startService(env)
  }
  await sleep(2000)
  isOver = true
  await busy
  while (await read());

  const ids = feed.map(({ id }) => id)
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
    'each once, in order',
  )
  const seen = feed.map(({ type, subject }) => `${type} ${subject.id}`)
  assert.equal(new Set(seen).size, seen.length, 'no deed twice')
  assert.deepEqual(seen.toSorted(), deeds.toSorted())

  const deadline = performance.now() + SETTLED
  while (told.size < feed.length && performance.now() < deadline) await sleep(500)
  const sequences = [...told.keys()].map((id) => Number(id.split('_').at(-1)))
  assert.deepEqual(
    sequences.sort((a, b) => a - b),
    ids,
    'the endpoint is told of each',
  )
  assert.ok(
    [...told.values()].every((bodies) => bodies.size === 1),
    'with one body',
  )
  assert.equal(forged, 0)
  t.diagnostic(`${KILLS} kills, ${deeds.length} deeds, ${told.size} told`)
})
