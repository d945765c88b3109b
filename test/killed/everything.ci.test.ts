/**
 * The application in its normal setup, with its own PostgreSQL, is killed (`kill -9`) repeatedly while clients use all modules at
 * once. No acknowledged write is lost, and nothing is duplicated.
 */
// CI stage: kills
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { UUID_HEADER } from '#kernel/mail/providers/provider.ts'
import { freePort } from '../free-port.ts'
import { ADMIN, killAll, ownersToken, privateFolder, startService, workspaceOn } from '../service.ts'
import { startSubmission } from '../submission.ts'
import { KILLS, QUICK_HEARTBEAT } from '../worker-process.ts'
import { type Client, type Firm, follow, operate, work } from './hands.ts'
import { type Ledger, openLedger } from './ledger.ts'
import * as reckoning from './reckoning.ts'

const MODULES = [
  ...['vendors', 'products', 'warehouses', 'contacts', 'companies'],
  ...['purchase-orders', 'inventory', 'invoices', 'payments', 'credit-notes', 'estimates', 'quotations', 'contracts', 'leads'],
  ...['tasks', 'projects', 'opportunities', 'documents', 'employees', 'attendance', 'expenses', 'assets', 'short-links'],
]
const VISITORS = 3
/** Clicks acknowledged within this many milliseconds before a kill may be lost: see short-links/redirects/clicks.ts. */
const WINDOW = 250
/** Maximum seconds until it is ready again: two or three on an idle machine. */
const SLOWEST = 60

it(`loses nothing that was acknowledged and doubles nothing, killed ${KILLS} times`, async (t) => {
  const { dataDir, remove } = privateFolder()
  const smtp = await startSubmission('secret')
  const port = await freePort()
  const env = {
    ...ADMIN,
    ...QUICK_HEARTBEAT,
    DATA_DIR: dataDir,
    PORT: String(port),
    TRUST_PROXY: '1',
    SMTP_URL: `smtp://atrium:secret@127.0.0.1:${smtp.port}`,
    LOG_LEVEL: 'error',
  }
  let service = await startService(env)
  t.after(async () => {
    service.process.kill('SIGKILL')
    await smtp.stop()
    await remove()
  })
  await workspaceOn(service, MODULES)
  const url = service.url
  const signedIn = await service.central()('/auth/login', { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD })
  const ledger = openLedger()
  const owner = clientOf(`${url}/api/tenant/v1`, await ownersToken(service), ledger)
  const operator = clientOf(`${url}/api/central/v1`, signedIn.body.data.token, ledger)
  const firm = await prepare(owner)
  const catalogue: { id: number; key: string }[] = await operator.get('/modules?per_page=100')
  const some = ['vendors', 'leads', 'tasks'].map((key) => catalogue.find((one) => one.key === key)!.id)
  const tenant: number = (await operator.get('/tenants'))[0].id

  const hands = [work(ledger, owner, firm), operate(ledger, operator, some)]
  for (let n = 0; n < VISITORS; n++) hands.push(follow(ledger, url, owner, firm))
  const busy = Promise.all(hands)
  busy.catch(() => {}) // reported below
  const ends: number[] = []
  const seconds: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await Promise.race([sleep(2000 + Math.random() * 3000), busy])
    ends.push(performance.now())
    await killAll(service, dataDir)
    const began = performance.now()
    service = await startService(env)
    seconds.push((performance.now() - began) / 1000)
  }
  await sleep(2000)
  owner.over = operator.over = true
  await busy

  const { superuserUrl } = await startEmbedded({ dataDir }) // as a second user of the server
  const connection = new pg.Client({ connectionString: superuserUrl })
  await connection.connect()
  const ask = reckoning.askingAt(connection)
  const settling = performance.now()
  // A killed worker's job is retried after a minute and a half.
  for (let left = 1; left; await sleep(500)) {
    left = await reckoning.leftToDo(ask)
    assert.ok(performance.now() - settling < 180_000, `${left} jobs are stuck`)
  }
  const settled = (performance.now() - settling) / 1000

  const undecided = await reckoning.eachOnce(ask, ledger)
  for (const table of Object.keys(undecided))
    assert.ok(['users', 'tenants', 'lead_imports'].includes(table), `${table}: unanswered`)
  await reckoning.numbers(ask, ledger, tenant)
  await reckoning.stock(ask, ledger, firm)
  await reckoning.money(ask, ledger)
  await reckoning.occurrences(ask, ledger)
  await reckoning.imports(ask, ledger)
  await reckoning.notifications(ask, ledger, firm.clerk)
  await reckoning.tallies(ask)
  await reckoning.workspaces(ask)
  const pending = await reckoning.storage(ask, tenant)
  assert.ok(pending <= 3 * KILLS, `${pending}`) // of documents, import files, and first PDFs of issued documents

  for (const [id, expected] of ledger.files) {
    const reply = await fetch(`${url}/api/tenant/v1/documents/${id}/download`, { headers: owner.headers })
    const bytes = Buffer.from(await reply.arrayBuffer())
    assert.equal(createHash('sha256').update(bytes).digest('hex'), expected)
  }

  const [{ clicks, counted }] = await ask(
    'SELECT (SELECT count(*) FROM short_link_clicks)::int AS clicks, (SELECT sum(click_count) FROM short_links)::int AS counted',
  )
  const atRisk = ledger.clicks.filter((at) => ends.some((end) => at > end - WINDOW && at < end + WINDOW)).length
  assert.equal(counted, clicks)
  assert.ok(clicks >= ledger.clicks.length - atRisk, `${clicks} of ${ledger.clicks.length}, ${atRisk} at risk`)
  assert.ok(clicks <= ledger.clicks.length + VISITORS * KILLS)

  const mailed = new Set(smtp.submitted.flatMap(({ to }) => to))
  const { told: invited } = ledger.made.kinds().find(({ table }) => table === 'users')!
  for (const email of invited.keys()) assert.ok(mailed.has(email), `${email} has no mail`)
  const mails = new Set(smtp.submitted.map(({ message }) => new RegExp(`^${UUID_HEADER}: (.*)$`, 'mi').exec(message)![1])).size
  const again = smtp.submitted.length - mails
  assert.ok(again <= KILLS, `${again} mails came again`) // mails are delivered one at a time
  t.diagnostic(
    JSON.stringify({
      ...{ kills: KILLS, acknowledged: ledger.acknowledged, replayed: ledger.replayed, undecided, pending },
      ...{ clicks: ledger.clicks.length, lost: ledger.clicks.length - clicks, mails, again },
      ...{ ready: seconds.map((one) => Number(one.toFixed(1))), settled: Math.round(settled) },
      made: Object.fromEntries(ledger.made.kinds().map(({ table, told }) => [table, told.size])),
    }),
  )
  const [{ n: unsent }] = await ask(`SELECT count(*)::int AS n FROM email_logs WHERE status <> 'sent'`)
  const [{ n: dead }] = await ask(`SELECT count(*)::int AS n FROM pgboss.job WHERE name = 'dead-letters'`)
  assert.deepEqual([unsent, dead], [0, 0])
  assert.ok(Math.max(...seconds) < SLOWEST, `ready after ${seconds.map((one) => one.toFixed(1))} s`)
  await connection.end()
  assert.equal(await service.stop(), 0)
})

/** Returns a client that repeats requests without a reply until the service is back. */
function clientOf(base: string, token: string, ledger: Ledger): Client & { headers: Record<string, string> } {
  const headers = { authorization: `Bearer ${token}` }
  async function send(method: string, path: string, body: unknown, key?: string) {
    const form = body && Object.values(body).some((value) => value instanceof File) ? new FormData() : undefined
    if (form) for (const [name, value] of Object.entries(body as object)) form.append(name, value)
    const type = form || body === undefined ? {} : { 'content-type': 'application/json' }
    const init = { method, headers: { ...headers, ...type, ...(key ? { 'idempotency-key': key } : {}) } }
    try {
      const reply = await fetch(base + path, { ...init, body: form ?? (body === undefined ? undefined : JSON.stringify(body)) })
      return { status: reply.status, replayed: reply.headers.has('idempotency-replayed'), body: (await reply.json()) as any }
    } catch {
      return undefined
    }
  }
  async function insist(method: string, path: string, body?: unknown) {
    const key = method === 'POST' ? crypto.randomUUID() : undefined
    for (let conflicts = 0; conflicts < 20; await sleep(100)) {
      const reply = await send(method, path, body, key)
      if (!reply) continue
      if (reply.status < 300) {
        ledger.acknowledged++
        if (reply.replayed) ledger.replayed++
        return reply.body.data
      }
      if (reply.status === 409) conflicts++
      else if (![429, 503].includes(reply.status)) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`)
    }
  }
  return {
    headers,
    over: false,
    post: (path, body) => insist('POST', path, body),
    put: (path, body) => insist('PUT', path, body),
    get: (path) => insist('GET', path),
  }
}

async function prepare(owner: Client): Promise<Firm> {
  const id = async (path: string, body: object) => (await owner.post(path, body)).id as number
  const product = (sku: string) => id('/products', { name: sku, sku })
  const place = (code: string) => id('/warehouses', { name: code, code })
  const clerk = await id('/users', { name: 'Cleo Clerk', email: 'cleo@example.com', password: 'a good passphrase' })
  await owner.post(`/users/${clerk}/verify-email`)
  const employees = []
  for (let n = 0; n < 5; n++) employees.push(await id('/employees', { name: `Employee ${n}` }))
  const codes = []
  for (let n = 0; n < 5; n++) codes.push((await owner.post('/short-links', { destination_url: 'https://example.test/' })).code)
  return {
    vendor: await id('/vendors', { name: 'Nordwind' }),
    ...{ bought: await product('DESK'), moved: await product('LAMP'), store: await place('STORE'), shop: await place('SHOP') },
    ...{ clerk, employees, codes },
  }
}
