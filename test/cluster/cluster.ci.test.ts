/** Several processes behind nginx, also while they are replaced and killed. `.ci/run` installs nginx and runs it. */
// CI stage: cluster
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pusherJs from 'pusher-js'
import { freePort } from '../free-port.ts'
import { PASSWORD, type Person, startTest, type Workspace } from '../harness.ts'
import { type Answer, type Ask, asking, clusterOf, loadOn } from './cluster.ts'
import { noNginx, startNginx } from './nginx.ts'

/** The package's types describe the module, not its default export. */
const Pusher = pusherJs as unknown as typeof pusherJs.default

const skip = noNginx()
if (skip) it('holds across two API processes and two workers behind nginx', { skip })
else await holds()

async function holds() {
  const [port, a, b] = [await freePort(), await freePort(), await freePort()]
  const world = await startTest({ env: { BASE_URL: `http://127.0.0.1:${port}`, TRUST_PROXY: '1' } })
  const cluster = await clusterOf(world, { a, b })
  const nginx = await startNginx({ port, apis: [a, b] })
  after(() => nginx.stop())

  const [front, A, B] = [port, a, b].map((at) => `http://127.0.0.1:${at}`) as [string, string, string]
  const tenant = (url: string, who?: { token: string }) => asking(`${url}/api/tenant/v1`, who?.token)
  const central = (url: string, token = world.admin.token) => asking(`${url}/api/central/v1`, token)
  const rowsOf = async (from: string, values: unknown[] = []) =>
    (await world.sql(`SELECT count(*)::int AS n FROM ${from}`, values))[0].n as number
  async function until(what: string, seconds: number, holds: () => Promise<unknown> | unknown) {
    for (const end = Date.now() + seconds * 1000; !(await holds()); ) {
      assert.ok(Date.now() < end, `never within ${seconds} s: ${what}`)
      await sleep(20)
    }
  }

  let firm: Workspace
  let boss: Person
  before(async () => {
    firm = await world.workspace({ modules: ['vendors', 'tasks', 'leads', 'invoices'] })
    boss = await firm.user(
      [
        'vendors.view',
        'vendors.create',
        'tasks.view',
        'tasks.create',
        'tasks.assign',
        'leads.view',
        'leads.create',
        'leads.import',
      ],
      'Boss',
    )
  })

  /** Checked last, so that the minutes until the schedules run pass meanwhile. */
  const scheduled = { series: 20, weeks: 10, digests: 2 }
  it('has work that only schedules find', async () => {
    const today = Temporal.Now.plainDateISO('UTC')
    const first = today.subtract({ weeks: scheduled.weeks - 1 }).toString()
    const recurrence = { is_recurring: true, recurrence_frequency: 'weekly', recurrence_next_issue_on: today.add({ weeks: 2 }) }
    for (let n = 0; n < scheduled.series; n++) {
      const lines = [{ name: 'Rooms', quantity: 3, unit_price: 12.5 }]
      const { id } = (await firm.owner.post('/invoices', { title: 'Cleaning', ...recurrence, lines })).body.data
      assert.equal((await firm.owner.post(`/invoices/${id}/send`)).status, 200)
    }
    await boss.post('/tasks', { title: 'Digest me', due_on: today, assigned_to: boss.id })
    await firm.owner.put('/settings', { settings: { task_reminder_time: '00:00' } })
    // Moves the dates to the past, as if time had passed.
    await world.sql('UPDATE invoices SET recurrence_anchor_on = $1, recurrence_next_issue_on = $1 WHERE is_recurring', [first])
    await world.sql('DELETE FROM job_days')
    await world.sql('DELETE FROM job_times')
  })

  describe('limits', () => {
    it('are counted together by both', async () => {
      const guess = { email: 'somebody@example.com', password: 'guess', workspace: firm.slug }
      const ask = tenant(front)
      const replies: Answer[] = []
      for (let n = 0; n < 8; n++) replies.push(await ask('POST', '/auth/login', guess))
      assert.deepEqual(
        replies.map(({ status }) => status),
        [401, 401, 401, 401, 401, 429, 429, 429],
      )
      for (const url of [A, B]) assert.equal((await tenant(url)('POST', '/auth/login', guess)).status, 429)
    })

    it('are each client’s own, by the address that nginx tells, whatever the client says of itself', async () => {
      const [one, other] = ['127.0.0.21', '127.0.0.22'].map((from) => asking(front, undefined, from)) as [Ask, Ask]
      const path = '/api/central/v1/public/stats'
      const left: number[] = []
      for (let n = 0; n < 120; n++) {
        const { headers } = await one('GET', path, undefined, { headers: { 'x-forwarded-for': `203.0.113.${n}` } })
        left.push(Number(headers['ratelimit-remaining']))
      }
      assert.deepEqual(
        left,
        left
          .keys()
          .map((n) => 119 - n)
          .toArray(),
      )
      assert.equal((await one('GET', path)).status, 429)
      assert.equal((await other('GET', path)).status, 200)
    })
  })

  describe('an Idempotency-Key', () => {
    it('is replayed by the other process', async () => {
      const options = { headers: { 'idempotency-key': 'twice' } }
      const [first, second] = [
        await tenant(A, boss)('POST', '/vendors', { name: 'Nordwind' }, options),
        await tenant(B, boss)('POST', '/vendors', { name: 'Nordwind' }, options),
      ]
      assert.deepEqual([first.status, second.status, second.headers['idempotency-replayed']], [201, 201, 'true'])
      assert.deepEqual(second.body, first.body)
    })

    it('is done once, asked of both at once', async () => {
      const at = [tenant(A, boss), tenant(B, boss)]
      for (let n = 0; n < 20; n++) {
        const options = { headers: { 'idempotency-key': `at once ${n}` } }
        const replies = await Promise.all(at.map((ask) => ask('POST', '/vendors', { name: `Once ${n}` }, options)))
        for (const { status } of replies) assert.ok([201, 409].includes(status), String(status))
        assert.equal(await rowsOf('vendors WHERE name = $1', [`Once ${n}`]), 1)
      }
    })
  })

  describe('what is done at one process', () => {
    const roleOf = async ({ id }: Person) =>
      (await world.sql('SELECT role_id::int AS id FROM user_roles WHERE user_id = $1', [id]))[0].id as number
    /** Events that end a session, and the other process's reply afterwards. */
    const ends: { what: string; done: (who: Person, at: Workspace) => Promise<Answer>; status: number; code: string }[] = [
      { what: 'signing out', done: (who) => tenant(A, who)('POST', '/auth/logout'), status: 401, code: 'UNAUTHENTICATED' },
      {
        what: 'a suspension',
        done: (who, at) => tenant(A, at.owner)('POST', `/users/${who.id}/suspend`),
        status: 403,
        code: 'USER_SUSPENDED',
      },
      {
        what: 'a deletion',
        done: (who, at) => tenant(A, at.owner)('DELETE', `/users/${who.id}`),
        status: 401,
        code: 'UNAUTHENTICATED',
      },
      {
        what: 'a change of the role',
        done: async (who, at) => tenant(A, at.owner)('PUT', `/roles/${await roleOf(who)}`, { permissions: ['tasks.view'] }),
        status: 403,
        code: 'FORBIDDEN',
      },
      {
        what: 'the end of a module’s subscription',
        done: async (_, at) => {
          const { body } = await central(A)('GET', `/module-subscriptions?tenant_id=${at.id}&per_page=100`)
          const { id } = body.data.find((one: any) => one.tenant.id === at.id && one.module.key === 'vendors')
          return central(A)('POST', `/module-subscriptions/${id}/deactivate`)
        },
        status: 403,
        code: 'MODULE_NOT_INSTALLED',
      },
      {
        what: 'the suspension of the workspace',
        done: (_, at) => central(A)('PUT', `/tenants/${at.id}`, { status: 'suspended' }),
        status: 403,
        code: 'WORKSPACE_SUSPENDED',
      },
      {
        what: 'archiving the workspace',
        done: (_, at) => central(A)('POST', `/tenants/${at.id}/archive`),
        status: 403,
        code: 'WORKSPACE_ARCHIVED',
      },
    ]
    for (const { what, done, status, code } of ends)
      it(`counts at the other from the next request on: ${what}`, async () => {
        const at = await world.workspace({ modules: ['vendors', 'tasks'] })
        const who = await at.user(['vendors.view'])
        const ask = tenant(B, who)
        for (let n = 0; n < 3; n++) assert.equal((await ask('GET', '/vendors')).status, 200)
        const reply = await done(who, at)
        assert.equal(reply.status, 200, JSON.stringify(reply.body))
        const refused = await ask('GET', '/vendors')
        assert.deepEqual([refused.status, refused.body.code], [status, code])
      })

    it('counts at the other from the next request on: another password', async () => {
      const { owner, slug } = await world.workspace({ modules: ['vendors'] })
      const login = { email: owner.email, password: PASSWORD, workspace: slug }
      const { token } = (await tenant(A)('POST', '/auth/login', login)).body.data
      assert.equal((await tenant(B, owner)('GET', '/vendors')).status, 200)
      const password = 'another good passphrase'
      const change = { old_password: PASSWORD, password, password_confirmation: password }
      assert.equal((await tenant(A, { token })('POST', '/me/change-password', change)).status, 200)
      assert.equal((await tenant(B, owner)('GET', '/vendors')).status, 401)
      assert.equal((await tenant(B)('POST', '/auth/login', login)).status, 401)
      assert.equal((await tenant(B)('POST', '/auth/login', { ...login, password })).status, 200)
    })

    it('counts at the other from the next request on: a key’s end, its rotation, and less that its account may', async () => {
      const at = await world.workspace({ modules: ['vendors', 'tasks'] })
      const owner = tenant(A, at.owner)
      const made = async (path: string, body: object) => (await owner('POST', path, body)).body.data
      const role = await made('/roles', { name: 'Syncs', permissions: ['vendors.view'] })
      const account = await made('/service-accounts', { name: 'Sync', role: [role.name] })
      const keys = `/service-accounts/${account.id}/keys`
      const key = await made(keys, { name: 'Sync', scopes: ['vendors.view'] })
      const own = await made('/api-keys', { name: 'Mine', scopes: ['vendors.view'] })
      const status = async ({ key: token }: { key: string }) => (await tenant(B, { token })('GET', '/vendors')).status
      assert.deepEqual([await status(key), await status(own)], [200, 200])

      const next = (await owner('POST', `/api-keys/${own.id}/rotate`, { overlap_hours: 1 })).body.data
      assert.deepEqual([await status(own), await status(next)], [200, 200], 'both in the overlap')
      const last = (await owner('POST', `/api-keys/${next.id}/rotate`, { overlap_hours: 0 })).body.data
      assert.deepEqual([await status(next), await status(last)], [401, 200])
      assert.equal((await owner('DELETE', `/api-keys/${last.id}`)).status, 200)
      assert.equal(await status(last), 401)

      assert.equal((await owner('PUT', `/roles/${role.id}`, { permissions: ['tasks.view'] })).status, 200)
      assert.equal(await status(key), 403)
      assert.equal((await owner('POST', `/service-accounts/${account.id}/suspend`)).status, 200)
      assert.ok([401, 403].includes(await status(key)))
    })

    it('is seen by the other: settings of the workspace and of the platform', async () => {
      const settings = { invoices_number_prefix: 'R-', currency: 'CHF' }
      assert.equal((await tenant(A, firm.owner)('PUT', '/settings', { settings })).status, 200)
      const { invoices_number_prefix, currency } = (await tenant(B, firm.owner)('GET', '/settings')).body.data.settings
      assert.deepEqual({ invoices_number_prefix, currency }, settings)
      assert.equal((await central(A)('PUT', '/system-settings', { settings: { app_name: 'Two of it' } })).status, 200)
      assert.equal((await central(B)('GET', '/public/settings')).body.data.app_name, 'Two of it')
    })

    it('closes the other within moments: maintenance', async () => {
      const ask = tenant(B, boss)
      for (const { maintenance_mode, expected } of [
        { maintenance_mode: true, expected: 503 },
        { maintenance_mode: false, expected: 200 },
      ] as const) {
        assert.equal((await central(A)('PUT', '/system-settings', { settings: { maintenance_mode } })).status, 200)
        await until(`maintenance ${maintenance_mode}`, 2, async () => (await ask('GET', '/vendors')).status === expected)
        assert.equal((await tenant(front, boss)('GET', '/vendors')).status, expected)
        assert.equal((await central(front)('GET', '/tenants')).status, 200)
      }
    })
  })

  /** Starts a client as in a browser, behind nginx; collects its messages. */
  async function listener(who: Person) {
    const { data } = (await tenant(front, who)('GET', '/broadcasting/config')).body
    assert.deepEqual([data.host, data.port], ['127.0.0.1', port])
    const pusher = new Pusher(data.key, {
      wsHost: data.host,
      wsPort: data.port,
      forceTLS: data.scheme === 'https',
      enabledTransports: ['ws'],
      cluster: '',
      enableStats: false,
      channelAuthorization: {
        transport: 'ajax',
        endpoint: `${front}/api/tenant/v1/broadcasting/auth`,
        headers: { authorization: `Bearer ${who.token}` },
      },
    })
    after(() => pusher.disconnect())
    const heard: string[] = []
    const channel = pusher.subscribe(`private-tenant.${firm.id}.user.${who.id}`)
    channel.bind('notification.created', (news: any) => void heard.push(news.data.body))
    await new Promise((resolve) => channel.bind('pusher:subscription_succeeded', resolve))
    return { heard, pusher, channel }
  }
  /** Enough connections that nginx uses both processes. */
  const listeners = (who: Person) => Promise.all(Array.from({ length: 6 }, () => listener(who)))
  /** Notifications come from a job, which waits for earlier ones of the workers. */
  const everyoneHears = (them: { heard: string[] }[], what: RegExp) =>
    until(`${what} is heard by all`, 30, () => them.every(({ heard }) => heard.some((one) => what.test(one))))

  describe('realtime', () => {
    it('hears at both of what is written by either, and by a worker', async () => {
      const ada = await firm.user(['tasks.view'], 'Ada')
      const them = await listeners(ada)
      for (const { url, title } of [
        { url: A, title: 'From one' },
        { url: B, title: 'From the other' },
      ] as const) {
        assert.equal((await tenant(url, boss)('POST', '/tasks', { title, assigned_to: ada.id })).status, 201)
        await everyoneHears(them, new RegExp(title))
      }
      for (const { heard } of them) assert.equal(heard.length, 2)
      const importers = await listeners(boss)
      await importLeads(1)
      await everyoneHears(importers, /lead/i)
      for (const { pusher } of [...them, ...importers]) pusher.disconnect()
    })

    it('ends at both when its user signs out at one', async () => {
      const leaving = await firm.user(['tasks.view'])
      const them = await listeners(leaving)
      const codes = new Set<number>()
      for (const { pusher } of them) pusher.connection.bind('error', ({ data }: any) => data && codes.add(data.code))
      assert.equal((await tenant(A, leaving)('POST', '/auth/logout')).status, 200)
      await until('all are closed', 2, () => them.every(({ pusher }) => pusher.connection.state !== 'connected'))
      assert.deepEqual([...codes], [4009])
    })
  })

  /** Starts an import of this number of leads by the workers and returns its uuid. */
  async function importLeads(rows: number) {
    const lines = Array.from({ length: rows }, (_, n) => `Lead ${n},${crypto.randomUUID()}@cluster.test`)
    const file = new File([`Name,Email\n${lines.join('\n')}\n`], 'leads.csv', { type: 'text/csv' })
    const { uuid } = (await boss.post('/leads/imports', { file })).body.data.import
    await boss.put(`/leads/imports/${uuid}`, { mapping: { name: 'Name', email: 'Email' } })
    assert.equal((await boss.post(`/leads/imports/${uuid}/run`)).status, 200)
    return uuid as string
  }

  const load = (keys: boolean) => loadOn(tenant(front, boss), keys)
  const everyNameOnce = async (names: string[]) => {
    assert.ok(names.length > 100, `${names.length}`)
    assert.equal(await rowsOf('vendors WHERE name = ANY ($1)', [names]), names.length)
  }

  describe('a replacement of all processes, one after the other', () => {
    it('fails no request, loses no news and no work', async (t) => {
      const ada = await firm.user(['tasks.view'], 'Ada')
      const them = await listeners(ada)
      const uuid = await importLeads(20_000)
      const work = load(false)
      for (const member of ['a', 'worker 1', 'b', 'worker 2', 'a', 'b'] as const) {
        await sleep(500)
        assert.equal(await cluster.end(member), 0)
        await sleep(500)
        await cluster.start(member)
      }
      await sleep(500)
      await work.end()
      t.diagnostic(`answered while six were replaced: ${JSON.stringify(Object.fromEntries(work.answered))}`)
      assert.deepEqual([...work.answered.keys()].sort(), ['GET 200', 'POST 201'])
      await everyNameOnce(work.names)
      await tenant(front, boss)('POST', '/tasks', { title: 'After it', assigned_to: ada.id })
      await everyoneHears(them, /After it/)
      for (const { pusher } of them) pusher.disconnect()
      const one = async () => (await boss.get(`/leads/imports/${uuid}`)).body.data
      await until('the import is completed', 120, async () => (await one()).status === 'completed')
      const { processed_rows, imported_count } = await one()
      assert.deepEqual([processed_rows, imported_count], [20_000, 20_000])
    })
  })

  describe('a process that is killed', () => {
    it('costs reading nothing, and writing with a key nothing', async (t) => {
      const work = load(true)
      for (const member of ['a', 'b'] as const) {
        await sleep(1000)
        await cluster.end(member, 'SIGKILL')
        await sleep(1000)
        await cluster.start(member)
      }
      await sleep(500)
      await work.end()
      t.diagnostic(`answered while two were killed: ${JSON.stringify(Object.fromEntries(work.answered))}`)
      await everyNameOnce(work.names)
      const wrong = [...work.answered.keys()].filter(
        (status) => !['GET 200', 'POST 201', 'POST 409', 'POST 502'].includes(status),
      )
      assert.deepEqual(wrong, [])
    })
  })

  describe('schedules', () => {
    it('fire once, with both workers', async () => {
      const { series, weeks, digests } = scheduled
      const occurrences = 'invoices WHERE recurring_source_invoice_id IS NOT NULL'
      await until('all is issued', 90, async () => (await rowsOf(occurrences)) >= series * weeks)
      const [made] = await world.sql(`
        SELECT count(*)::int AS n, count(DISTINCT (recurring_source_invoice_id, occurrence_on))::int AS dates,
          count(DISTINCT number)::int AS numbers FROM ${occurrences}`)
      assert.deepEqual(made, { n: series * weeks, dates: series * weeks, numbers: series * weeks })
      const mails = `email_logs WHERE tenant_id = $1 AND notification_type LIKE 'daily%'`
      await until('the digests are sent', 90, async () => (await rowsOf(mails, [firm.id])) >= digests)
      assert.equal(await rowsOf(mails, [firm.id]), digests)
      const [{ ticks, minutes }] = await world.sql(`
        SELECT count(*)::int AS ticks, extract(epoch FROM max(created_on) - min(created_on))::float / 60 AS minutes
        FROM pgboss.job WHERE name = 'invoices-find-due'`)
      assert.ok(ticks >= 1 && ticks <= minutes + 2, `${ticks} in ${minutes} minutes`)
    })
  })

  it('has no defect in its logs, and no job that failed for good', async () => {
    assert.deepEqual(
      cluster
        .output()
        .split('\n')
        .filter((line) => /"level":[56]0/.test(line)),
      [],
    )
    assert.equal(await rowsOf(`pgboss.job WHERE name = 'dead-letters'`), 0)
  })
}
