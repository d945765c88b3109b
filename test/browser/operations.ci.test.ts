/**
 * Dashboards of operations in a real browser: entering from another site's page, charts, dead letters. Run by .ci/run, with
 * Debian's Chromium. SCREENSHOTS is a folder for screenshots.
 */
// CI stage: pages
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { startTest } from '../harness.ts'

const port = await freePort()
const world = await startTest({ machineClock: true, env: { BASE_URL: `http://127.0.0.1:${port}` } })
await world.app.listen({ port, host: '127.0.0.1' })
let browser: Browser

/** A site on another host, with a link to the dashboard. */
const elsewhere = createServer((request, response) => {
  const to = new URL(request.url!, 'http://x').searchParams.get('to') ?? ''
  response.setHeader('content-type', 'text/html').end(`<a href="${to.replaceAll('&', '&amp;')}">Dashboard</a>`)
})
const otherPort = await freePort()

before(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(otherPort, '127.0.0.1', resolve))
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  await samples()
  await deadLetters()
})
after(async () => {
  await browser.close()
  elsewhere.close()
})

/** Inserts a quarter of an hour of samples of two processes, one with a gap. */
async function samples() {
  await world.sql(`
    INSERT INTO operations_samples (process, taken_at, figures)
    SELECT p::uuid, now() - n * interval '10 s', jsonb_build_object(
      'counts', jsonb_build_object('requests', 400 + round(150 * sin(n / 7.0)), 'refused', 12 + n % 9, 'failed', CASE WHEN n BETWEEN 30 AND 36 THEN 40 ELSE n % 2 END,
        'le 0.001', 20, 'le 0.005', 120, 'le 0.01', 250, 'le 0.05', 380, 'le 0.1', 390, 'le 0.5', 396, 'le 1', 399, 'le 5', 400, 'le +Inf', 400,
        'jobs completed', 25 + n % 11, 'jobs retried', n % 3, 'jobs failed', (n % 20 = 0)::int),
      'state', jsonb_build_object('rss', 2.1e8 + n * 4e5, 'lag', 0.011 + 0.003 * (n % 4), 'open', 12, 'busy', 3 + n % 5, 'waiting', n % 2))
    FROM generate_series(0, 90) n, unnest(ARRAY['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']) p
    WHERE NOT (p LIKE '%2' AND n BETWEEN 50 AND 60) AND n NOT BETWEEN 70 AND 74`)
}

const deadLetters = () =>
  world.sql(`
    INSERT INTO pgboss.job (name, data, source_name, source_retry_count, source_created_on, output)
    SELECT 'dead-letters', jsonb_build_object('tenant_id', n), 'sweep', 5, now() - interval '1 hour',
      jsonb_build_object('message', '<b>The mail server</b> does not answer: ' || repeat('connection refused; ', n))
    FROM generate_series(1, 3) n`)

const screens = {
  phone: { width: 360, height: 740, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  desk: { width: 1280, height: 900 },
}
const seen = async <T>(page: Page, expression: string) => (await page.evaluate(expression)) as T
const until = (page: Page, expression: string) => page.waitForFunction(expression, { timeout: 10_000 })
const picture = async (page: Page, name: string) => {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) as `${string}.png`, fullPage: true })
}

/** Enters a dashboard by a link on another site's page. */
async function entered(dashboard: 'metrics' | 'queue', screen: keyof typeof screens) {
  const { body } = await world.admin.get(`/${dashboard}-dashboard/enter`)
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (!message.location().url?.endsWith('/favicon.ico')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.setViewport(screens[screen])
  await page.goto(`http://localhost:${otherPort}/?to=${encodeURIComponent(body.data.url)}`)
  await page.click('a')
  await until(page, `document.querySelector('[role=status]')?.textContent.startsWith('As of')`)
  return { page, complaints }
}
const fits = async (page: Page) =>
  assert.equal(await seen(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)

for (const screen of ['phone', 'desk'] as const)
  describe(`on a ${screen}`, () => {
    it('metrics are drawn', async () => {
      const { page, complaints } = await entered('metrics', screen)
      await fits(page)
      await picture(page, `metrics-${screen}`)
      assert.equal(await seen(page, `document.querySelectorAll('figure svg path').length`), 14)
      assert.equal(
        await seen(
          page,
          `[...document.querySelectorAll('path')].filter((path) => /NaN|undefined/.test(path.getAttribute('d'))).length`,
        ),
        0,
      )
      assert.match(
        await seen(page, `document.querySelector('figure path').getAttribute('d')`),
        /^M.*L.*M/,
        'a gap where nobody measured',
      )
      assert.match(await seen(page, `document.querySelector('figure p').textContent`), /all: \d/)
      await page.select('select', '60')
      await page.waitForResponse((reply) => reply.url().endsWith('minutes=60'))
      assert.deepEqual(complaints, [])
    })

    it('dead letters are given back and forgotten', async () => {
      const { page, complaints } = await entered('queue', screen)
      await fits(page)
      await picture(page, `queues-${screen}`)
      const letters = () => seen<number>(page, `document.querySelectorAll('#letters tr').length`)
      const before = await letters()
      assert.equal(await seen(page, `document.querySelectorAll('#letters b').length`), 0, 'texts are texts')
      page.on('dialog', (dialog) => void dialog.accept())
      await page.click('#letters tr button.plain')
      await until(page, `document.querySelector('[role=status]').textContent === 'Done.'`)
      assert.equal(await letters(), before - 1)
      assert.deepEqual(complaints, [])
      await page.setOfflineMode(true)
      await page.click('#letters tr button')
      await until(page, `document.querySelector('[role=status]').textContent === 'The service does not answer.'`)
      assert.equal(await seen(page, `document.querySelector('#letters tr button').disabled`), false, 'to be tried again')
      await page.setOfflineMode(false)
      if (screen === 'phone') return
      await page.click('#letters tr button')
      await until(page, `document.querySelectorAll('#letters tr').length === ${before - 2}`)
    })
  })
