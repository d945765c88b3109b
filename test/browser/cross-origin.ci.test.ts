/** A browser app of another origin: what CORS_ORIGINS permits and what it doesn't. Run by .ci/run. */
// CI stage: pages
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, it } from 'node:test'
import puppeteer, { type Browser } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { startTest } from '../harness.ts'

const [port, friend, stranger] = [await freePort(), await freePort(), await freePort()]
const world = await startTest({
  machineClock: true,
  env: { BASE_URL: 'https://atrium.example', CORS_ORIGINS: `http://127.0.0.1:${friend}` },
})
await world.app.listen({ port, host: '127.0.0.1' })
const { owner } = await world.workspace({ modules: ['vendors'] })
const pages = [friend, stranger].map((at) =>
  createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<title>App</title>')).listen(at, '127.0.0.1'),
)
let browser: Browser

before(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
})
after(async () => {
  await browser.close()
  for (const page of pages) page.close()
})

/** Runs a script in a page of an app at this port. `ask` returns a reply, or the browser's error. */
async function inApp<T>(at: number, script: string): Promise<T> {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${at}/`)
  const ask = `const ask = (method, path, { body, headers } = {}) => fetch('http://127.0.0.1:${port}/api/tenant/v1' + path, {
    method, body: body && JSON.stringify(body),
    headers: { authorization: 'Bearer ${owner.token}', ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
  }).then(async (reply) => ({ ...(await reply.json()), status: reply.status, etag: reply.headers.get('etag'), limit: reply.headers.get('ratelimit-limit'),
    id: reply.headers.get('x-request-id') }), (error) => ({ refused: error.message }))`
  const said = await page.evaluate(`(async () => { ${ask}; ${script} })()`)
  await page.close()
  return said as T
}

it('an allowed one reads, writes, and sees the headers that it needs', async () => {
  const { made, changed, stale } = await inApp<any>(
    friend,
    `const made = await ask('POST', '/vendors', { body: { name: 'Nordwind' }, headers: { 'idempotency-key': 'one' } })
     const shown = await ask('GET', '/vendors/' + made.data.id)
     const put = (name) => ask('PUT', '/vendors/' + made.data.id, { body: { name }, headers: { 'if-match': shown.etag } })
     return { made, changed: await put('Nordwind Ltd'), stale: await put('Nordwind AG') }`,
  )
  assert.deepEqual([made.status, changed.status, stale.status, stale.code], [201, 200, 412, 'PRECONDITION_FAILED'])
  assert.ok(made.id)
})

it('another one is refused by the browser, and what it would write is not written', async () => {
  const said = await inApp<any>(
    stranger,
    `return [await ask('GET', '/vendors'), await ask('POST', '/vendors', { body: { name: 'Stolen' } })]`,
  )
  for (const { refused } of said) assert.match(refused, /Failed to fetch/)
  const { body } = await owner.get('/vendors', { query: { search: 'Stolen' } })
  assert.equal(body.meta.total, 0)
})

it('no cookie goes along: what is sent with credentials is not readable', async () => {
  const said = await inApp<any>(
    friend,
    `return fetch('http://127.0.0.1:${port}/api/tenant/v1/vendors', { credentials: 'include' }).then(() => 'read', () => 'refused')`,
  )
  assert.equal(said, 'refused')
})
