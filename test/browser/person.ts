/** Somebody at a browser: a page of their own, and what they do by the names of what they see. */
import puppeteer, { type Browser, type Page } from 'puppeteer-core'

export const screens = {
  phone: { width: 390, height: 844, isMobile: true, hasTouch: true },
  desktop: { width: 1280, height: 900 },
}

export const launch = () =>
  puppeteer.launch({
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
    if (message.type() === 'error' && !/status of (401|403|404|409|412|422)/.test(message.text())) complaints.push(message.text())
  })
  return page
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

/** Into the fields of a form by the names of their inputs. */
export async function fill(page: Page, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) await page.locator(`[name=${name}]`).fill(value)
}
