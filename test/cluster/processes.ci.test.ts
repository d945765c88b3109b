/** Several processes of one machine that share a port (WEB_CONCURRENCY): running, replaced, killed. */
// CI stage: cluster
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pusherJs from 'pusher-js'
import { startOf } from '#kernel/database/ownership.ts'
import { type Person, startTest, type Workspace } from '../harness.ts'
import { ADMIN, postmasterOf, privateFolder, runCommand, type Service, startService } from '../service.ts'
import { asking, loadOn } from './cluster.ts'

/** The package's types describe the module, not its default export. */
const Pusher = pusherJs as unknown as typeof pusherJs.default

await holds()

async function holds() {
  const world = await startTest({ machineClock: true })
  const { DATABASE_URL = '', DATA_DIR, BASE_URL, APP_KEY } = world.services.config
  const METRICS_TOKEN = 'read by the test'
  const same = { DATABASE_URL, DATA_DIR, BASE_URL, APP_KEY: APP_KEY.toString('base64'), METRICS_TOKEN, HOST: '127.0.0.1' }
  let service: Service
  let firm: Workspace
  let boss: Person
  const tenant = (who?: { token: string }, url = service.url) => asking(`${url}/api/tenant/v1`, who?.token)
  /** Returns the serving processes: the children of the supervisor. */
  const processes = () => {
    const { pid } = service.process
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  }
  async function until(what: string, seconds: number, holds: () => Promise<unknown> | unknown) {
    for (const end = Date.now() + seconds * 1000; !(await holds()); ) {
      assert.ok(Date.now() < end, `never within ${seconds} s: ${what}\n${service.output()}`)
      await sleep(20)
    }
  }
  const everyNameOnce = async (names: string[]) => {
    assert.ok(names.length > 50, `${names.length}`)
    const [{ n }] = await world.sql('SELECT count(*)::int AS n FROM vendors WHERE name = ANY ($1)', [names])
    assert.equal(n, names.length)
  }

  before(async () => {
    firm = await world.workspace({ modules: ['vendors', 'tasks'] })
    boss = await firm.user(['vendors.view', 'vendors.create', 'tasks.view', 'tasks.create', 'tasks.assign'], 'Boss')
    service = await startService({ ...same, WEB_CONCURRENCY: '3', DATABASE_POOL_SIZE: '400' })
  })
  after(() => service.process.kill('SIGKILL'))

  it('says that it is ready when all are, on one port, and asks no more connections of the database than there are', () => {
    assert.match(service.output(), /^Atrium is ready \([\d.]+ s, 3 processes\)\.$/m)
    assert.match(service.output(), /"pool_size":\d+,"msg":"DATABASE_POOL_SIZE is lowered"/)
    assert.equal(processes().length, 3)
  })

  it('counts limits together', async () => {
    const guess = { email: 'somebody@example.com', password: 'guess', workspace: firm.slug }
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) statuses.push((await tenant()('POST', '/auth/login', guess)).status) // separate connections
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
  })

  /** Starts a client as in a browser; collects its messages. */
  async function listener(who: Person, wsPort: number) {
    const { data } = (await tenant(who)('GET', '/broadcasting/config')).body
    const headers = { authorization: `Bearer ${who.token}` }
    const endpoint = `${service.url}/api/tenant/v1/broadcasting/auth`
    const where = {
      wsHost: '127.0.0.1',
      wsPort,
      forceTLS: false,
      enabledTransports: ['ws' as const],
      cluster: '',
      enableStats: false,
    }
    const pusher = new Pusher(data.key, { ...where, channelAuthorization: { transport: 'ajax', endpoint, headers } })
    after(() => pusher.disconnect())
    const heard: string[] = []
    const channel = pusher.subscribe(`private-tenant.${firm.id}.user.${who.id}`)
    channel.bind('notification.created', (news: any) => void heard.push(news.data.body))
    await new Promise((resolve) => channel.bind('pusher:subscription_succeeded', resolve))
    return { heard, pusher }
  }

  it('tells news at every process, and at one that serves sockets alone', async () => {
    const apart = await startService({ ...same, LOG_LEVEL: 'warn' }, 'realtime')
    after(() => apart.process.kill('SIGKILL'))
    assert.equal((await fetch(`${apart.url}/readyz`)).status, 200)
    assert.equal((await fetch(`${apart.url}/api/tenant/v1/me`)).status, 404)
    const ada = await firm.user(['tasks.view'], 'Ada')
    const ports = [service.url, service.url, service.url, service.url, apart.url].map((url) => Number(new URL(url).port))
    const them = await Promise.all(ports.map((port) => listener(ada, port)))
    assert.equal((await tenant(boss)('POST', '/tasks', { title: 'For all', assigned_to: ada.id })).status, 201)
    await until('all hear it', 5, () => them.every(({ heard }) => heard.some((one) => /For all/.test(one))))
    for (const { pusher } of them) pusher.disconnect()
    assert.equal(await apart.stop(), 0)
  })

  it('tells the figures of all at each', async () => {
    const figures = async () => {
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
      const { body } = await asking(service.url)('GET', '/metrics', undefined, { headers })
      const read = (name: string) =>
        body
          .split('\n')
          .filter((line: string) => line.startsWith(name))
          .reduce((sum: number, line: string) => sum + Number(line.split(' ').at(-1)), 0)
      return {
        guesses: read('http_request_duration_seconds_count{method="POST",route="/api/tenant/v1/auth/login"'),
        info: read('atrium_build_info'),
      }
    }
    for (let n = 0; n < 4; n++) assert.deepEqual(await figures(), { guesses: 8, info: 1 })
  })

  describe('SIGHUP', () => {
    it('replaces all, one after the other, and fails no request', async (t) => {
      const former = processes()
      const work = loadOn(tenant(boss), false)
      await sleep(500)
      service.process.kill('SIGHUP')
      await until('none of them is left', 60, () => former.every((pid) => !processes().includes(pid)))
      await sleep(500)
      await work.end()
      t.diagnostic(`answered while three were replaced: ${JSON.stringify(Object.fromEntries(work.answered))}`)
      assert.deepEqual([...work.answered.keys()].sort(), ['GET 200', 'POST 201'])
      assert.equal(processes().length, 3)
      await everyNameOnce(work.names)
    })
  })

  describe('a process that is killed', () => {
    it('is started again, and costs reading and writing with a key nothing that asking again doesn’t mend', async (t) => {
      const work = loadOn(tenant(boss), true)
      await sleep(500)
      for (let n = 0; n < 2; n++) {
        const [one = 0] = processes()
        process.kill(one, 'SIGKILL')
        await until('another one is there', 30, () => !processes().includes(one) && processes().length === 3)
        await sleep(500)
      }
      await work.end()
      t.diagnostic(`answered while two were killed: ${JSON.stringify(Object.fromEntries(work.answered))}`)
      const cut = ['ECONNRESET', 'EPIPE'].flatMap((code) => [`GET ${code}`, `POST ${code}`])
      const wrong = [...work.answered.keys()].filter((what) => !['GET 200', 'POST 201', 'POST 409', ...cut].includes(what))
      assert.deepEqual(wrong, [])
      await everyNameOnce(work.names)
      assert.match(service.output(), /"signal":"SIGKILL","msg":"a process ended and is started again"/)
    })
  })

  it('ends all of them', async () => {
    const all = processes()
    assert.equal(await service.stop(), 0)
    assert.deepEqual(
      all.filter((pid) => startOf(pid) !== undefined),
      [],
    )
    assert.match(service.output(), /Atrium has stopped\.\n$/)
    assert.equal(service.output().match(/Atrium has stopped/g)!.length, 1)
  })

  it('is what the embedded database lives as long as', async (t) => {
    const { dataDir, remove } = privateFolder()
    t.after(remove)
    const own = await startService({ DATA_DIR: dataDir, ...ADMIN, WEB_CONCURRENCY: '2' })
    t.after(() => own.process.kill('SIGKILL'))
    const login = { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD }
    assert.equal((await own.central()('/auth/login', login)).status, 200)
    assert.equal(await own.stop(), 0)
    assert.equal(postmasterOf(dataDir), undefined)
    assert.doesNotMatch(own.output(), /lowered/)
  })

  it('does not start where one of them can’t', async (t) => {
    const { dataDir, remove } = privateFolder()
    t.after(remove)
    const taken = await startService({ ...same }, 'realtime')
    t.after(() => taken.process.kill('SIGKILL'))
    const env = { DATA_DIR: dataDir, WEB_CONCURRENCY: '2', HOST: '127.0.0.1', PORT: new URL(taken.url).port }
    const { code, output } = await runCommand(['start'], env)
    assert.equal(code, 1)
    assert.match(output, /EADDRINUSE/)
    assert.match(output, /atrium: A process did not start \(exit code 1\)\./)
    assert.equal(postmasterOf(dataDir), undefined)
  })
}
