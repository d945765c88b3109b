/**
 * Response times of the console in Debian's Chromium: first screen and list, a visited list, a full inbox, an order, a key among
 * many lines, the page preview next to a form.
 */
import puppeteer, { type Browser, type Page, PredefinedNetworkConditions } from 'puppeteer-core'
import { sessionCookie, workspaceRealm } from '#console/server/session.ts'
import type { Running, Suite } from '../prepare.ts'
import { milliseconds, type Table, verdict } from '../table.ts'
import { fillInbox } from './email.ts'

const ROWS = 2000
const MESSAGES = 100_000
const TIMES = 9
const LINES = 200
const KEYS = 12
/** Shortest key-to-paint time that browsers report. */
const LEAST_MS = 16
const desk = { width: 1280, height: 900 }
const phone = { width: 390, height: 844, isMobile: true, hasTouch: true }

interface At {
  root: string
  /** User who owns the drafts. */
  userId: number
  cookie: { name: string; value: string; url: string }
}

const middle = (all: number[]) => all.toSorted((a, b) => a - b)[all.length >> 1]!

/** Returns a page with an empty cache, signed in. */
async function fresh(browser: Browser, { cookie }: At, viewport: object): Promise<Page> {
  const context = await browser.createBrowserContext()
  await context.setCookie({ ...cookie, domain: new URL(cookie.url).hostname, path: new URL(cookie.url).pathname })
  const page = await context.newPage()
  await page.setViewport(viewport as typeof desk)
  return page
}

/** Measures the time from navigation to visible rows, each time with an empty cache. */
async function firstLists(
  browser: Browser,
  at: At,
  viewport: object,
  { path = '/invoices', rows = 'tbody tr', isSlow = false } = {},
): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const page = await fresh(browser, at, viewport)
    if (isSlow) {
      await page.emulateCPUThrottling(4)
      await page.emulateNetworkConditions(PredefinedNetworkConditions['Fast 4G'])
    }
    const began = performance.now()
    await page.goto(at.root + path, { waitUntil: 'domcontentloaded' })
    await page.waitForSelector(rows)
    all.push(performance.now() - began)
    await page.browserContext().close()
  }
  return all
}

/** Measures the time from navigation to the first screen until its lists are visible and its charts drawn. */
async function dashboards(browser: Browser, at: At): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const page = await fresh(browser, at, desk)
    const began = performance.now()
    await page.goto(`${at.root}/`, { waitUntil: 'domcontentloaded' })
    await page.waitForFunction(`document.querySelector('.widget') && !document.querySelector('.charted-waits')`)
    all.push(performance.now() - began)
    await page.browserContext().close()
  }
  return all
}

/** Measures the time from a key press in a form until the document's preview shows it. */
async function previews(browser: Browser, at: At): Promise<number[]> {
  const page = await fresh(browser, at, desk)
  const lines = Array.from({ length: 10 }, (_, n) => ({ name: `Line ${n}`, quantity: 1, unit_price: n }))
  const draft = JSON.stringify({ values: { title: 'Many', lines }, touched: [] })
  await page.evaluateOnNewDocument(
    `sessionStorage.setItem('atrium.draft.${at.userId}.' + location.pathname, ${JSON.stringify(draft)})`,
  )
  await page.goto(`${at.root}/quotations/new`, { waitUntil: 'networkidle0' })
  await page.waitForSelector('.rows .row [name=name]')
  if (!(await page.$('.preview')))
    await clicked(page, '.form-tools button[aria-pressed=false]', `document.querySelector('.preview')`)
  await page.waitForSelector('.preview img')
  await page.focus('.rows .row [name=name]')
  const all: number[] = []
  for (let n = 0; n < KEYS; n++) {
    await page.waitForNetworkIdle({ idleTime: 200 })
    const before = await page.evaluate(`document.querySelector('.preview img').src`)
    const began = performance.now()
    await page.keyboard.press('1')
    await page.waitForFunction(`document.querySelector('.preview img').src !== ${JSON.stringify(before)}`)
    all.push(performance.now() - began)
  }
  await page.browserContext().close()
  return all
}

/** Measures, in the page, the time from a click until a condition holds. */
const clicked = (page: Page, target: string, until: string) =>
  page.evaluate(`new Promise((done) => {
    const began = performance.now()
    document.querySelector(${JSON.stringify(target)}).click()
    const look = () => (${until}) ? done(performance.now() - began) : requestAnimationFrame(look)
    look()
  })`) as Promise<number>

async function withinPage(browser: Browser, at: At): Promise<{ cached: number[]; sorted: number[] }> {
  const page = await fresh(browser, at, desk)
  await page.goto(`${at.root}/vendors`, { waitUntil: 'networkidle0' })
  const [cached, sorted]: [number[], number[]] = [[], []]
  const list = (key: string) => `nav a[href$="/${key}"]`
  const shows = (title: string) => `document.querySelector('h1').textContent === '${title}' && document.querySelector('tbody tr')`
  await clicked(page, list('invoices'), shows('Invoices'))
  for (let n = 0; n < TIMES; n++) {
    cached.push(await clicked(page, list('vendors'), shows('Vendors')))
    await clicked(page, list('invoices'), shows('Invoices'))
  }
  await clicked(page, list('vendors'), shows('Vendors'))
  for (let n = 0; n < TIMES; n++) {
    await page.waitForNetworkIdle({ idleTime: 100 })
    const before = await page.evaluate(`document.querySelector('tbody a').textContent`)
    sorted.push(
      await clicked(
        page,
        'thead th button',
        `![undefined, ${JSON.stringify(before)}].includes(document.querySelector('tbody a')?.textContent)`,
      ),
    )
  }
  await page.browserContext().close()
  return { cached, sorted }
}

/** Measures the time from a key press until it is painted, in a quotation with many lines. */
async function keys(browser: Browser, at: At): Promise<number[]> {
  const page = await fresh(browser, at, desk)
  const lines = Array.from({ length: LINES }, (_, n) => ({ name: `Line ${n}`, quantity: 1, unit_price: n }))
  const draft = JSON.stringify({ values: { title: 'Many', lines }, touched: [] })
  await page.evaluateOnNewDocument(`sessionStorage.setItem('atrium.draft.${at.userId}.' + location.pathname, ${JSON.stringify(draft)})
    globalThis.taken = []
    new PerformanceObserver((list) => taken.push(...list.getEntriesByType('event').filter(({ name }) => name === 'keydown').map(({ duration }) => duration)))
      .observe({ type: 'event', durationThreshold: ${LEAST_MS} })`)
  await page.goto(`${at.root}/quotations/new`, { waitUntil: 'networkidle0' })
  await page.waitForSelector(`.rows .row:nth-of-type(${LINES})`)
  await page.evaluate(`document.querySelectorAll('.rows .row')[${LINES / 2}].querySelector('[name=unit_price]').focus()`)
  await page.evaluate('taken.length = 0')
  for (let n = 0; n < KEYS; n++) {
    await page.keyboard.press('1')
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
  const taken = (await page.evaluate('taken')) as number[]
  await page.browserContext().close()
  return [...taken, ...Array<number>(Math.max(0, KEYS - taken.length)).fill(LEAST_MS)]
}

export default {
  title: 'Console',
  async table({ services, workspace, ask, inside }) {
    const { token, id } = await workspace(ROWS)
    await inside(id, (ctx) => fillInbox(ctx, MESSAGES))
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { user, workspace: own } = (await ask(token, '/api/tenant/v1/me')).json().data
    const realm = workspaceRealm(own.slug)
    const [name, value] = sessionCookie(services, realm, token).split(';')[0]!.split(/=(.*)/s) as [string, string]
    return async ({ atrium, say }: Running): Promise<Table> => {
      const root = `${atrium.base}${realm.path}`
      const at: At = { root, userId: user.id, cookie: { name, value, url: root } }
      const browser = await puppeteer.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-dev-shm-usage'],
      })
      try {
        await firstLists(browser, at, desk) // warms the process up
        say('Measuring')
        const first = await firstLists(browser, at, desk)
        const onPhone = await firstLists(browser, at, phone, { rows: '.cards li', isSlow: true })
        const inbox = await firstLists(browser, at, desk, { path: '/inbox', rows: '.email-row' })
        const { cached, sorted } = await withinPage(browser, at)
        const pressed = await keys(browser, at)
        const dashboard = await dashboards(browser, at)
        const preview = await previews(browser, at)
        const row = (what: string, all: number[], most: number, worst?: number) => [
          what,
          milliseconds(middle(all)),
          milliseconds(Math.max(...all)),
          verdict({
            says: `< ${most} ms${worst ? `, at worst ${worst}` : ''}`,
            met: middle(all) < most && (!worst || Math.max(...all) < worst),
          }),
        ]
        return {
          head: ['', 'median', 'worst', 'aim'],
          rows: [
            row('first list of 50', first, 300, 600),
            row('the same on a phone: CPU a quarter, Fast 4G', onPhone, 1200),
            row(`the inbox with ${MESSAGES.toLocaleString('en')} messages`, inbox, 400),
            row('a list that was seen before', cached, 50),
            row('50 rows in another order', sorted, 150),
            row(`a key among ${LINES} lines`, pressed, 32),
            row('the first screen with its lists and curves', dashboard, 500),
            row('a key until the page beside the form shows it', preview, 300),
          ],
          figures: { first, onPhone, inbox, cached, sorted, pressed, dashboard, preview },
        }
      } finally {
        await browser.close()
      }
    }
  },
} satisfies Suite
