/**
 * The API reference in a real browser: it works under its policy, which blocks foreign scripts. Run by .ci/run, with Debian's
 * Chromium.
 */
// CI stage: pages
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import puppeteer, { type Browser } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { startTest } from '../harness.ts'
import { wrongIn } from './axe.ts'

const port = await freePort()
const base = `http://127.0.0.1:${port}`
const world = await startTest({ machineClock: true, env: { BASE_URL: base } })
await world.app.listen({ port, host: '127.0.0.1' })
let browser: Browser

before(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
})
after(() => browser.close())

it('shows both APIs and sends requests, and lets no other script in', async () => {
  const page = await browser.newPage()
  await page.setViewport({ width: 1400, height: 1000 })
  const errors: string[] = []
  const foreign: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on(
    'request',
    (request) => !/^(blob|data):/.test(request.url()) && !request.url().startsWith(base) && foreign.push(request.url()),
  )
  const shows = (text: string) =>
    page.waitForFunction(`document.querySelector('#app').textContent.includes('${text}')`, { timeout: 60_000 })

  await page.goto(`${base}/docs`, { waitUntil: 'networkidle0', timeout: 120_000 })
  await shows('Workspace API')
  await shows('Vendors')
  await page.goto(`${base}/docs/?api=platform`, { waitUntil: 'networkidle0', timeout: 120_000 })
  await shows('Tenants')
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/reference.png` })

  // Its own client sends requests to this service.
  const follow = async (text: string) => {
    const link = await page.waitForSelector(
      `::-p-xpath(//a[normalize-space(.)="${text}"] | //a[starts-with(normalize-space(.), "${text}")])`,
    )
    await link!.evaluate((found) => (found as unknown as { click(): void }).click())
  }
  await follow('Tenants')
  await follow('List tenants')
  await page.waitForSelector('.show-api-client-button', { timeout: 60_000 })
  await page.$eval('.show-api-client-button', (button) => (button as unknown as { click(): void }).click())
  const send = await page.waitForSelector('::-p-xpath(//button[contains(., "Send")])')
  const asked = page.waitForResponse(
    (response) => response.url().startsWith(`${base}/api/`) && !response.url().endsWith('openapi.json'),
  )
  await send!.evaluate((button) => (button as unknown as { click(): void }).click())
  const tried = await asked
  assert.ok(tried.status() < 500)
  assert.equal(tried.request().headers().prefer, 'handling=strict')
  assert.equal(new URL(tried.url()).search, '', 'no parameter is sent that nobody has chosen')
  assert.deepEqual([foreign, errors.filter((text) => !/status of 4\d\d/.test(text))], [[], []])

  assert.equal(await page.title(), 'Atrium API reference')
  const refused = await page.evaluate(`(async () => {
    const violations = []
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => violations.push(effectiveDirective))
    const add = (script) => document.body.append(Object.assign(document.createElement('script'), script))
    add({ text: 'window.stolen = true' })
    add({ src: 'https://evil.test/x.js' })
    await fetch('https://evil.test/').catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 200))
    return { violations: violations.sort(), stolen: 'stolen' in window }
  })()`)
  assert.deepEqual(refused, { violations: ['connect-src', 'script-src-elem', 'script-src-elem'], stolen: false })
})

it('paints within a second and a half at 10 Mbit/s', async () => {
  const page = await browser.newPage()
  await page.setCacheEnabled(false)
  await page.emulateNetworkConditions({ download: 10_000_000 / 8, upload: 10_000_000 / 8, latency: 40 })
  await page.goto(`${base}/docs`, { waitUntil: 'load', timeout: 60_000 })
  const paint = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)
  assert.ok((paint as number) < 1500, `${paint} ms`)
  assert.equal(await page.evaluate('document.documentElement.lang'), 'en')
})

it('is read by everybody: axe finds nothing wrong, on a phone in the dark and on a desktop, and tables are scrolled by keyboard', async () => {
  for (const viewport of [
    { width: 360, height: 740, isMobile: true, hasTouch: true },
    { width: 1280, height: 900 },
  ]) {
    const page = await browser.newPage()
    await page.setViewport(viewport)
    if (viewport.width < 1000) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
    await page.goto(`${base}/docs`, { waitUntil: 'networkidle0', timeout: 120_000 })
    await page.waitForFunction(`document.querySelector('#app').textContent.includes('Vendors')`, { timeout: 60_000 })
    assert.deepEqual(await wrongIn(page), [])
    await page.close()
  }
})
