/**
 * Tests with real processes that redirect and are stopped or killed under load: lost clicks, and the time until a change reaches
 * them.
 */
// CI stage: clicks
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { type Service, startService } from '#test/service.ts'
import { KILLS } from '#test/worker-process.ts'

const world = await startTest({ machineClock: true })
const at = '/short-links'
const VISITORS = 16
let firm: Workspace
const running = new Set<Service>()

before(async () => {
  firm = await world.workspace({ modules: ['short-links'] })
})
after(async () => {
  for (const service of running) service.process.kill('SIGKILL')
})

async function start() {
  const { DATABASE_URL, APP_KEY, BASE_URL } = world.services.config
  const service = await startService(
    {
      DATABASE_URL: DATABASE_URL!,
      APP_KEY: APP_KEY.toString('base64'),
      BASE_URL,
      TRUST_PROXY: 'loopback',
      DATABASE_POOL_SIZE: '6',
    },
    'api',
  )
  running.add(service)
  return service
}
async function end(service: Service, signal: NodeJS.Signals) {
  const ended = once(service.process, 'close')
  service.process.kill(signal)
  await ended
  running.delete(service)
}

const make = async () => (await firm.owner.post(at, { destination_url: 'https://example.test/' })).body.data
let visitors = 0
const visit = (service: Service, code: string) => {
  const n = ++visitors
  const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  return fetch(`${service.url}/r/${code}`, { redirect: 'manual', headers: { 'x-forwarded-for': address } })
}
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const until = async (holds: () => boolean) => {
  while (!holds()) await pause(10)
}

/** Visits the links until the process is gone. Collects the times of the redirects. */
function load(service: Service, codes: string[]) {
  const answered: number[] = []
  const visitor = async (n: number) => {
    for (let m = n; ; m++) {
      const reply = await visit(service, codes[m % codes.length]!).catch(() => undefined)
      if (!reply) return
      assert.equal(reply.status, 302)
      answered.push(performance.now())
    }
  }
  const over = Promise.all(Array.from({ length: VISITORS }, (_, n) => visitor(n)))
  return { answered, over }
}

const written = async () => (await world.sql('SELECT count(*)::int AS n FROM short_link_clicks'))[0].n as number
const counted = async () => (await world.sql('SELECT sum(click_count)::int AS n FROM short_links'))[0].n as number

describe('clicks', () => {
  it('are all written by a process that is stopped under load', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await make()).code))
    for (let stop = 0; stop < 3; stop++) {
      const before = await written()
      const service = await start()
      const { answered, over } = load(service, codes)
      await pause(1000)
      await end(service, 'SIGTERM')
      await over
      const after = await written()
      assert.ok(answered.length > 100, `${answered.length}`)
      assert.ok(after - before >= answered.length, `${answered.length} answered, ${after - before} written`)
      assert.ok(after - before <= answered.length + VISITORS, 'an answer may be cut off, no more')
      assert.equal(await counted(), after)
    }
  })

  it('of the last 250 milliseconds at most are lost with a process that is killed', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await make()).code))
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await written()
      const service = await start()
      const { answered, over } = load(service, codes)
      await Promise.race([over, until(() => answered.length >= 50)]) // the first replies take longest
      await pause(300 + Math.random() * 300)
      const killed = performance.now()
      await end(service, 'SIGKILL')
      await over
      const safe = answered.filter((time) => time < killed - 250).length
      const kept = (await written()) - before
      assert.ok(safe > 20, `${safe}`)
      assert.ok(kept >= safe, `${safe} answered more than 250 ms before, ${kept} written`)
      assert.equal(await counted(), await written())
    }
  })
})

describe('a change of a link', () => {
  it('reaches every process within a second, told or not', async () => {
    const services = [await start(), await start()]
    const everywhere = async (code: string, status: number) => {
      const replies = await Promise.all(services.map((service) => visit(service, code)))
      return replies.every((reply) => reply.status === status)
    }
    const reaches = async (code: string, status: number, change: () => Promise<unknown>) => {
      await change()
      const began = performance.now()
      while (!(await everywhere(code, status))) assert.ok(performance.now() - began < 1000, `not ${status} within a second`)
    }
    for (let n = 0; n < 5; n++) {
      const { id, code } = await make()
      assert.ok(await everywhere(code, 302))
      await reaches(code, 404, () => firm.owner.put(`${at}/${id}`, { status: 'paused' }))
      await reaches(code, 302, () => firm.owner.put(`${at}/${id}`, { status: 'active' }))
      // no process is notified
      await reaches(code, 404, () => world.sql(`UPDATE short_links SET status = 'paused' WHERE id = $1`, [id]))
      await reaches(code, 302, () => world.sql(`UPDATE short_links SET status = 'active' WHERE id = $1`, [id]))
      await reaches(code, 403, () => world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [firm.id]))
      await reaches(code, 302, () => world.sql(`UPDATE tenants SET status = 'active' WHERE id = $1`, [firm.id]))
      await reaches(code, 404, () => firm.owner.del(`${at}/${id}`))
    }
    for (const service of services) await end(service, 'SIGTERM')
  })
})
