/** packages/client in Chromium: in a page of another origin, and in a worker. Run by .ci/run. */
// CI stage: pages
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { bundled } from '../client/bundle.ts'
import { startClientWorld } from '../client/world.ts'
import { PASSWORD } from '../harness.ts'

const { world, baseUrl } = await startClientWorld()
const { owner } = await world.workspace({ modules: ['documents', 'vendors'] })

const scripts = new Map([
  ['/client.js', await bundled(`export * from '@atrium/client'; export { default as Pusher } from 'pusher-js'`)],
  ['/worker-client.js', await bundled(`export * from '@atrium/client'; export { default as Pusher } from 'pusher-js/worker'`)],
  [
    '/worker.js',
    `onmessage = async ({ data }) => postMessage(await (0, eval)('(async () => {' + data + '})()').catch((error) => String(error)))`,
  ],
])
const app = createServer(({ url }, reply) => {
  const script = scripts.get(url!)
  reply.setHeader('content-type', script ? 'text/javascript' : 'text/html').end(script ?? '<title>App</title>')
})
let browser: Browser
let page: Page

before(async () => {
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(app.address() as AddressInfo).port}/`)
})
after(async () => {
  await browser.close()
  app.close()
})

/** Returns a program that has signed in as `atrium` and returns a value. `client` contains all exports of the package. */
const programOf = (module: string, work: string) => `
  const client = await import('${module}')
  const atrium = client.workspaceClient({ baseUrl: '${baseUrl}' })
  const session = await client.signIn(atrium, { email: '${owner.email}', password: '${PASSWORD}' })
  ${work}`
const WORK = `
  const { data: vendor, etag } = await atrium.POST('/vendors', { body: { name: 'Nordwind' } })
  const params = { path: { id: vendor.id } }
  await atrium.PUT('/vendors/{id}', { params, body: { phone: '1' }, ifMatch: etag })
  const stale = await atrium.PUT('/vendors/{id}', { params, body: { phone: '2' }, ifMatch: etag }).catch((error) => error)
  const told = []
  const file = new File(['x'.repeat(3_000_000)], 'terms.txt', { type: 'text/plain' })
  const sending = { body: { title: 'Terms', file }, fetch: client.progress((sent, total) => told.push([sent, total])) }
  const { data: document } = await atrium.POST('/documents', sending)
  const ending = new AbortController()
  const stopped = await atrium.POST('/documents', { ...sending, signal: ending.signal, fetch: client.progress(() => ending.abort(new Error('Enough.'))) })
    .catch((error) => error)
  const nobody = await client.workspaceClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
    .POST('/documents', sending).catch((error) => error)
  const occurred = []
  const { close } = await client.realtime(atrium, client.Pusher, { onEvents: ({ events }) => occurred.push(...events) })
  await atrium.DELETE('/vendors/{id}', { params })
  while (!occurred.some(({ type }) => type === 'vendor.deleted')) await new Promise((resolve) => setTimeout(resolve, 20))
  close()
  const types = []
  for await (const { type } of client.events(atrium, { types: ['vendor.*'] })) types.push(type)
  await client.signOut(atrium)
  return { stale: [stale.status, stale.code, !!stale.requestId], size: document.size_bytes, last: told.at(-1), steps: told.length, stopped: stopped.message,
    nobody: nobody.code, types: types.slice(-3) }`

function judge(said: any) {
  const { last, steps, ...rest } = said
  assert.deepEqual(rest, {
    stale: [412, 'PRECONDITION_FAILED', true],
    size: 3_000_000,
    stopped: 'Enough.',
    nobody: 'UNREACHABLE',
    types: ['vendor.created', 'vendor.updated', 'vendor.deleted'],
  })
  assert.ok(last[0] === last[1] && last[1] > 3_000_000 && steps > 0, `${last} in ${steps}`)
}

it('works in a page of another origin', async () => {
  judge(await page.evaluate(`(async () => {${programOf('/client.js', WORK)}})()`))
})

it('works in a worker', async () => {
  const program = JSON.stringify(programOf('/worker-client.js', WORK))
  const inWorker = `new Promise((resolve) => {
    const worker = new Worker('/worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.postMessage(${program})
  })`
  judge(await page.evaluate(inWorker))
})
