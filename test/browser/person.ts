/** Somebody at a browser: a page of their own, and what they do by the names of what they see. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { PASSWORD, startTest, type Workspace } from '../harness.ts'

export const screens = {
  phone: { width: 390, height: 844, isMobile: true, hasTouch: true },
  desktop: { width: 1280, height: 900 },
}

/** Chromium; Firefox where `FIREFOX` says where it is. */
export const launch = (firefox = process.env.FIREFOX) =>
  firefox
    ? puppeteer.launch({ browser: 'firefox', executablePath: firefox })
    : puppeteer.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-dev-shm-usage'],
      })

/** How many times slower than this machine the browser is: `SLOW=6` shows what a test doesn't wait for. */
const SLOW = Number(process.env.SLOW ?? 1)

/** A page with cookies of its own. What the browser complains of is put into `complaints`. */
export async function newPage(browser: Browser, complaints: string[], viewport: object = screens.desktop): Promise<Page> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.setViewport(viewport as typeof screens.desktop)
  page.setDefaultTimeout(20_000 * SLOW)
  if (SLOW > 1) {
    await page.emulateCPUThrottling(SLOW)
    await page.emulateNetworkConditions({ download: 500_000, upload: 500_000, latency: 50 * SLOW })
  }
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // A refusal of the API is an answer that the screens show.
    if (message.type() === 'error' && !/status of (401|403|404|409|412|422)/.test(message.text()))
      complaints.push(`${message.text()} ${message.location().url ?? ''}`)
  })
  return page
}

/** A service that browsers reach at `base`, and a browser. What any of its pages complained of fails the file. */
export async function startBrowsing(options: Parameters<typeof startTest>[0] = {}) {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const world = await startTest({ machineClock: true, ...options, env: { BASE_URL: base, ...options.env } })
  await world.app.listen({ port, host: 'localhost' })
  const browser = await launch()
  const complaints: string[] = []
  after(async () => {
    await browser.close()
    assert.deepEqual(complaints, [])
  })
  /** By the form that stands at that address where nobody has signed in. */
  async function signIn(page: Page, address: string, { email }: { email: string }) {
    await world.sql('DELETE FROM rate_limits')
    await page.goto(new URL(address, base).href, { waitUntil: 'networkidle0' })
    await page.type('[name=email]', email)
    await page.type('[name=password]', PASSWORD)
    await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), page.keyboard.press('Enter')])
  }
  /** Somebody with these permissions, who signs in by the same password as the owner. */
  async function member(firm: Workspace, permissions: string[], name?: string) {
    const person = await firm.user(permissions, name)
    await world.sql('UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2', [
      firm.owner.id,
      person.id,
    ])
    return person
  }
  return { base, world, signIn, member, newPage: (viewport?: object) => newPage(browser, complaints, viewport) }
}

export const named = (role: string, name: string) => `::-p-aria([name="${name}"][role="${role}"])`
export const press = (page: Page, role: string, name: string) => page.locator(named(role, name)).click()
export const type = (page: Page, label: string, text: string) => page.locator(named('textbox', label)).fill(text)
export const evaluate = async <T>(page: Page, expression: string) => (await page.evaluate(expression)) as T
export const see = (page: Page, text: string) =>
  page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, { timeout: 20_000 * SLOW })
export const heading = (page: Page, text: string) =>
  page.waitForFunction(`document.querySelector('h1')?.textContent === ${JSON.stringify(text)}`, { timeout: 20_000 * SLOW })
export const arrive = (page: Page, path: string) =>
  page.waitForFunction(`location.pathname === ${JSON.stringify(path)} && document.readyState === 'complete'`, {
    timeout: 20_000 * SLOW,
  })

/**
 * A script for a page: its next requests to paths that are like `path` fail, as where the service is being started anew. The browser, which doesn't ask,
 * complains of nothing.
 */
export const failing = (path: RegExp, { times = 1 } = {}) => `(() => {
  const ask = globalThis.fetch
  let left = ${times}
  globalThis.fetch = (...asked) =>
    left > 0 && ${path}.test(new URL(asked[0].url ?? asked[0], location).pathname) && left--
      ? Promise.resolve(new Response(null, { status: 502 }))
      : ask(...asked)
})()`

/** Into the fields of a form by the names of their inputs. */
export async function fill(page: Page, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) await page.locator(`[name=${name}]`).fill(value)
}

/** Chooses files in the first input that the selector finds. Of a file that is missing a browser would only say that a request failed. */
export async function upload(page: Page, selector: string, ...paths: string[]) {
  for (const path of paths) assert.ok(existsSync(path), `${path} is missing`)
  const input = (await page.waitForSelector(selector)) as unknown as { uploadFile(...paths: string[]): Promise<void> }
  await input.uploadFile(...paths)
}
