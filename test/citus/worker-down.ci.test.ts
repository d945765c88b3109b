// CI stage: citus-short
// Own process: it starts a cluster and the service, and kills a machine.
/**
 * A machine of a cluster is killed under load and restarted: replies meanwhile to its workspaces and all others, to
 * unauthenticated callers with links, and to the operator.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ADMIN, runCommand, type Service, startService } from '../service.ts'

const skip = process.env.CITUS_NODES ? false : 'needs Citus: test/citus/with-cluster.sh'
const PASSWORD = 'a good passphrase'
/** Number of workspaces on each of the two machines. */
const EACH = 2
const MODULES = ['companies', 'contacts', 'products', 'vendors', 'quotations', 'invoices', 'payments', 'short-links', 'leads']

interface Firm {
  id: number
  slug: string
  email: string
  token: string
  machine: number
  short: { code: string; uuid: string }
  accept: string
  pay: string
  /** Webhook of its payment provider, and the one that receives leads. */
  provider: string
  leads: { uuid: string; api_key: string }
}

interface Done {
  firm: Firm
  what: string
  status: number
  code?: string
  began: number
  ended: number
}

describe('a machine of a cluster', { skip }, async () => {
  if (skip) return
  // A separate cluster: other tests use theirs.
  const cluster = spawn(
    join(import.meta.dirname, 'with-cluster.sh'),
    ['bash', '-c', 'echo "$CITUS_NODES $DATABASE_URL"; exec cat'],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-worker-down-'))
  let nodes: string[]
  let url: string
  let service: Service
  let operator: string
  const firms: Firm[] = []
  after(async () => {
    await service?.stop()
    const ended = once(cluster, 'close')
    cluster.stdin.end()
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function query(node: string, text: string, values?: unknown[]) {
    const client = new pg.Client({ connectionString: Object.assign(new URL(node), { pathname: new URL(url).pathname }).href })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text, values)).rows as any[]
    } finally {
      await client.end()
    }
  }
  const coordinator = (text: string, values?: unknown[]) => query(nodes[0]!, text, values)

  async function ask(method: string, path: string, { token, body, key }: { token?: string; body?: unknown; key?: string } = {}) {
    const reply = await fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.includes('json')
    return { status: reply.status, body: isJson ? JSON.parse(text) : text }
  }
  const tenant = (method: string, path: string, more = {}) => ask(method, `/api/tenant/v1${path}`, more)
  const central = (method: string, path: string, body?: unknown) =>
    ask(method, `/api/central/v1${path}`, { token: operator, body })
  const signIn = (email: string, password = PASSWORD) => tenant('POST', '/auth/login', { body: { email, password } })

  before(async () => {
    const [said] = await once(cluster.stdout, 'data')
    const all = String(said).trim().split(' ')
    url = all.pop()!
    nodes = all
    const machine = (node: string) => [new URL(node).hostname, Number(new URL(node).port)]
    // Acknowledged writes must survive a kill, which the other tests' cluster doesn't guarantee.
    for (const node of nodes)
      for (const text of ['CREATE EXTENSION citus', 'ALTER SYSTEM SET synchronous_commit = on', 'SELECT pg_reload_conf()'])
        await query(node, text)
    await coordinator('SELECT citus_set_coordinator_host($1, $2)', machine(nodes[0]!))
    for (const node of nodes.slice(1)) await coordinator('SELECT citus_add_node($1, $2)', machine(node))
    const env = { ...ADMIN, DATABASE_URL: url, DATA_DIR: dataDir, APP_KEY: Buffer.alloc(32, 1).toString('base64') }
    const distributed = await runCommand(['distribute'], env)
    assert.equal(distributed.code, 0, distributed.output)
    service = await startService(env)
    operator = (await central('POST', '/auth/login', { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD })).body.data
      .token
    const catalogue: { id: number; key: string }[] = (await central('GET', '/modules?per_page=100')).body.data
    const modules = MODULES.map((key) => catalogue.find((one) => one.key === key)!.id)
    for (let n = 1; [2, 3].some((machine) => firms.filter((firm) => firm.machine === machine).length < EACH); n++) {
      const firm = await makeFirm(n, modules)
      if (firm) firms.push(firm)
    }
    await coordinator('DELETE FROM rate_limits')
  })

  const machineOf = async (id: number) =>
    (
      await coordinator(
        `SELECT array_position($2::int[], nodeport) AS machine FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
         WHERE shardid = get_shard_id_for_distribution_column('users', $1::bigint)`,
        [id, nodes.map((node) => Number(new URL(node).port))],
      )
    )[0].machine as number

  /** Creates a workspace with the data used below; undefined where its machine has enough. */
  async function makeFirm(n: number, modules: number[]): Promise<Firm | undefined> {
    await coordinator('DELETE FROM rate_limits')
    const email = `owner@firm-${n}.test`
    const made = await central('POST', '/tenants', {
      ...{ company_name: `Firm ${n}`, email, owner_name: 'Ann', owner_email: email, owner_password: PASSWORD },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { id, slug } = made.body.data
    const machine = await machineOf(id)
    await central('POST', `/tenants/${id}/verify-owner`, {})
    if (firms.filter((firm) => firm.machine === machine).length === EACH) return undefined
    for (const module_id of modules) await central('POST', `/tenants/${id}/modules`, { module_id })
    const { token } = (await signIn(email)).body.data
    const own = async (method: string, path: string, body?: unknown) => {
      const reply = await tenant(method, path, { token, body })
      assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`)
      return reply.body.data
    }
    const short = await own('POST', '/short-links', { destination_url: 'https://example.test/' })
    const company = await own('POST', '/companies', { name: 'Lindqvist AB', email: 'ask@lindqvist.test' })
    const lines = [{ name: 'Oak desk', quantity: 1, unit_price: 100, tax_rate: 19 }]
    const quotation = await own('POST', '/quotations', { title: 'Desks', company_id: company.id, lines })
    await own('POST', `/quotations/${quotation.id}/send`, {})
    const accept = (await own('POST', `/quotations/${quotation.id}/acceptance-link`, {})).url.split('/').at(-1)
    await own('PUT', '/payment-methods/bank_transfer', {
      is_enabled: true,
      account_holder: 'Firm',
      iban: 'DE89370400440532013000',
    })
    const invoice = await own('POST', '/invoices', { title: 'Desks', currency: 'EUR', lines })
    await own('POST', `/invoices/${invoice.id}/send`, {})
    const pay = (await own('POST', `/invoices/${invoice.id}/pay-link`, {})).url.split('/').at(-1)
    const keys = { secret_key: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc', webhook_secret: 'whsec_4eC39HqLyjWDarjtT1zdp7dc' }
    const provider = (await own('PUT', '/payment-methods/stripe', keys)).webhook_url.split('/').at(-1)
    const leads = await own('POST', '/leads/integrations/webhooks', { name: 'Web form' })
    return { id, slug, email, token, machine, short, accept, pay, provider, leads }
  }

  const done: Done[] = []
  /** Idempotency keys of the created vendors, by name. */
  const sent = new Map<string, { firm: Firm; key: string; status: number }>()
  let working = true

  async function make(firm: Firm, name: string, key: string) {
    const { status, body } = await tenant('POST', '/vendors', { token: firm.token, key, body: { name } })
    sent.set(name, { firm, key, status })
    return { status, body }
  }
  const actions: Record<string, (firm: Firm) => Promise<{ status: number; body: any }>> = {
    'a list': ({ token }) => tenant('GET', '/vendors', { token }),
    'a new record': (firm) => make(firm, `Vendor ${randomUUID()}`, randomUUID()),
    'who they are': ({ token }) => tenant('GET', '/me', { token }),
    'a short link': ({ short }) => ask('GET', `/r/${short.code}`),
    'a short link by its uuid': ({ short }) => ask('GET', `/r/${short.uuid}`),
    'a lead that a program brings': ({ leads }) =>
      ask('POST', `/webhooks/leads/custom/${leads.uuid}`, { token: leads.api_key, body: { name: 'Ann Ash' } }),
    'an acceptance link': ({ accept }) => tenant('GET', `/public/quotations/accept/${accept}`),
    'a pay link': ({ pay }) => ask('GET', `/pay/invoices/${pay}`),
    'a sign-in': ({ email }) => signIn(email),
    'a sign-in that names the workspace': ({ email, slug }) =>
      tenant('POST', '/auth/login', { body: { email, password: PASSWORD, workspace: slug } }),
  }

  async function workFor(firm: Firm) {
    while (working)
      for (const [what, act] of Object.entries(actions)) {
        const began = performance.now()
        const { status, body } = await act(firm)
        done.push({ firm, what, status, code: body?.code, began, ended: performance.now() })
      }
  }
  const failures = (some: Done[]) => some.filter(({ status }) => status >= 400)
  const told = (some: Done[]) => some.map(({ firm, what, status, code }) => `${firm.slug}: ${what}: ${status} ${code}`)

  /** Kills PostgreSQL on a machine, as a power failure does; returns a function that restarts it. */
  async function kill(node: string) {
    const [{ folder, bin }] = await query(
      node,
      "SELECT current_setting('data_directory') AS folder, (SELECT setting FROM pg_config WHERE name = 'BINDIR') AS bin",
    )
    process.kill(Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT')
    return async () => {
      const command = [`${bin}/pg_ctl`, '-D', folder, '-l', `${folder}.log`, '-w', 'start']
      const as = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []
      const [program, ...args] = [...as, ...command]
      const [code] = await once(spawn(program!, args, { stdio: 'ignore' }), 'close')
      assert.equal(code, 0)
    }
  }

  it('takes its own workspaces along when it is killed, and nobody else', async (t) => {
    const limits = setInterval(() => coordinator('DELETE FROM rate_limits').catch(() => {}), 500)
    const work = firms.map(workFor)
    const everyoneIsDone = (since: number) =>
      firms.every((firm) =>
        Object.keys(actions).every((what) => done.some((one) => one.firm === firm && one.what === what && one.began > since)),
      )
    const round = async () => {
      for (const since = performance.now(); !everyoneIsDone(since); ) await sleep(100)
    }
    const lost = 2
    const [dead, living] = [firms.filter(({ machine }) => machine === lost), firms.filter(({ machine }) => machine !== lost)]
    try {
      await round()
      assert.deepEqual(told(failures(done)), [])
      const impersonated = []
      for (const { id } of [living[0]!, dead[0]!, dead[1]!]) {
        const begun = await central('POST', `/tenants/${id}/impersonate`, { reason: 'Ticket 4711' })
        assert.equal(begun.status, 201, JSON.stringify(begun.body))
        impersonated.push(begun.body.data)
      }
      const [ofLiving, ofDead, left] = impersonated

      const start = await kill(nodes[lost - 1]!)
      const isDown = performance.now()
      await round()

      const list = await central('GET', '/tenants?per_page=100')
      assert.equal(list.status, 200, JSON.stringify(list.body))
      const rows = new Map<number, any>(list.body.data.map((row: any) => [row.id, row]))
      for (const { id, email } of living) assert.equal(rows.get(id).owner.email, email)
      for (const { id } of dead) {
        assert.deepEqual([rows.get(id).owner, rows.get(id).storage_used_bytes], [null, null])
        assert.ok(list.body.meta.incomplete.includes(id))
      }
      assert.ok(living.every(({ id }) => !list.body.meta.incomplete.includes(id)))
      for (const path of ['/tenants?search=firm', '/modules', '/users', '/roles'])
        assert.equal((await central('GET', path)).status, 200, path)
      assert.deepEqual(
        [(await central('GET', `/tenants/${dead[0]!.id}`)).status, (await central('GET', `/tenants/${living[0]!.id}`)).status],
        [503, 200],
      )
      assert.equal((await central('GET', '/email-logs')).status, 503)
      // Password guessing reveals nothing: unknown addresses, reachable and unreachable workspaces get the same reply.
      for (const email of ['nobody@firm.test', living[0]!.email, dead[0]!.email]) {
        const { status, body } = await signIn(email, 'another passphrase')
        assert.deepEqual([status, body.code], [401, 'INVALID_CREDENTIALS'], email)
      }
      const forgotten = await Promise.all(
        [living[0]!, dead[0]!].map(({ email }) => tenant('POST', '/auth/forgot-password', { body: { email } })),
      )
      assert.deepEqual(
        forgotten.map(({ status }) => status),
        [200, 200],
      )
      const operatorAgain = await central('POST', '/auth/login', { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD })
      assert.equal(operatorAgain.status, 200, JSON.stringify(operatorAgain.body))

      // Unsigned: 400 where the workspace is known.
      const told400 = await Promise.all(
        [living[0]!, dead[0]!].map(({ provider }) => ask('POST', `/webhooks/payments/${provider}`, { body: {} })),
      )
      assert.deepEqual(
        told400.map(({ status }) => status),
        [400, 503],
      )
      const end = (one: { id: number }) => central('POST', `/impersonation/${one.id}/end`, {})
      assert.deepEqual([(await end(ofLiving)).status, (await end(ofDead)).status], [200, 503])
      assert.equal((await tenant('GET', '/me', { token: ofLiving.tenant_token })).status, 401)
      const signedOut = await ask('POST', '/api/central/v1/me/logout', { token: operatorAgain.body.data.token, body: {} })
      assert.equal(signedOut.status, 200, JSON.stringify(signedOut.body))

      const isUpAgain = performance.now()
      await start()
      const meanwhile = done.filter(({ firm, began, ended }) => firm.machine === lost && began > isDown && ended < isUpAgain)
      assert.ok(meanwhile.length >= Object.keys(actions).length)
      const answers = new Set(meanwhile.map(({ what, status, code }) => `${what}: ${status} ${code}`))
      assert.deepEqual(
        [...answers].filter((one) => !/503 (UNAVAILABLE|undefined)$/.test(one)), // pages have no code
        [],
      )

      for (const until = performance.now() + 30_000; performance.now() < until; ) {
        const since = performance.now()
        await round()
        if (!failures(done.filter(({ began }) => began > since)).length) break
      }
      const since = performance.now()
      await round()
      assert.deepEqual(told(failures(done.filter(({ began }) => began > since))), [])
      assert.deepEqual((await central('GET', '/tenants?per_page=100')).body.meta.incomplete, undefined)
      // Its token became invalid when its operator signed out; its end is recorded by now or within a minute.
      assert.equal((await tenant('GET', '/me', { token: left.tenant_token })).status, 401)
      assert.ok([200, 422].includes((await end(left)).status))
    } finally {
      working = false
      await Promise.all(work)
      clearInterval(limits)
    }
    assert.deepEqual(told(failures(done.filter(({ firm }) => firm.machine !== lost))), [])
    t.diagnostic(`${done.length} requests, ${failures(done).length} answered 503`)
  })

  it('has lost nothing and done nothing twice', async () => {
    const tried = [...sent].filter(([, { status }]) => status !== 201)
    assert.ok(tried.length > 0)
    for (const [name, { firm, key }] of tried) assert.equal((await make(firm, name, key)).status, 201, name)
    for (const firm of firms) {
      const names = [...sent].flatMap(([name, one]) => (one.firm === firm ? [name] : [])).sort()
      const kept = await coordinator(
        `SELECT name FROM vendors WHERE tenant_id = $1 AND name LIKE 'Vendor %' ORDER BY name COLLATE "C"`,
        [firm.id],
      )
      assert.deepEqual(
        kept.map(({ name }) => name),
        names,
      )
    }
    assert.deepEqual(await coordinator('SELECT gid FROM pg_prepared_xacts'), [])
  })
})
