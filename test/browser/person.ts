/** A user at a browser: a separate page, and actions by accessible names. */
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

/** Launches Chromium, or Firefox where `FIREFOX` is its path. */
export const launch = (firefox = process.env.FIREFOX) =>
  firefox
    ? puppeteer.launch({ browser: 'firefox', executablePath: firefox })
    : puppeteer.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-dev-shm-usage'],
      })

/** Slows the browser down: `SLOW=6` reveals missing waits in tests. */
const SLOW = Number(process.env.SLOW ?? 1)

/** Opens a page with its own cookies. Console errors are added to `complaints`. */
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
    // Error statuses of the API are expected: the screens show them.
    if (message.type() === 'error' && !/status of (401|403|404|409|412|422)/.test(message.text()))
      complaints.push(`${message.text()} ${message.location().url ?? ''}`)
  })
  return page
}

/** Starts a service reachable at `base`, and a browser. Console errors of any page fail the test file. */
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
  /** Signs in by the form that the address shows without a session. */
  async function signIn(page: Page, address: string, { email }: { email: string }) {
    await world.sql('DELETE FROM rate_limits')
    await page.goto(new URL(address, base).href, { waitUntil: 'networkidle0' })
    await page.type('[name=email]', email)
    await page.type('[name=password]', PASSWORD)
    await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), page.keyboard.press('Enter')])
  }
  /** Creates a user with these permissions and the owner's password. */
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
 * Returns a script that makes the page's next requests to matching paths fail, as during a restart of the service. No request is
 * sent, so the browser logs no error.
 */
export const failing = (path: RegExp, { times = 1 } = {}) => `(() => {
  const ask = globalThis.fetch
  let left = ${times}
  globalThis.fetch = (...asked) =>
    left > 0 && ${path}.test(new URL(asked[0].url ?? asked[0], location).pathname) && left--
      ? Promise.resolve(new Response(null, { status: 502 }))
      : ask(...asked)
})()`

/** Fills form fields by the names of their inputs. */
export async function fill(page: Page, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) await page.locator(`[name=${name}]`).fill(value)
}

/** Chooses files in the first matching input. Checks that they exist, because a browser would only report a failed request. */
export async function upload(page: Page, selector: string, ...paths: string[]) {
  for (const path of paths) assert.ok(existsSync(path), `${path} is missing`)
  const input = (await page.waitForSelector(selector)) as unknown as { uploadFile(...paths: string[]): Promise<void> }
  await input.uploadFile(...paths)
}
