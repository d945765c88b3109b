/**
 * Every page that we serve in a real browser: on a phone and on a desktop, in the light and in the dark. Run by .ci/run, with Debian's Chromium.
 * SCREENSHOTS names a folder for pictures of what was seen.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { startTest } from '../harness.ts'
import { wrongIn } from './axe.ts'

const port = await freePort()
const base = `http://127.0.0.1:${port}`
const world = await startTest({ env: { BASE_URL: base, APP_URL: 'https://front.test' } }) // with the console, it has the pages of mailed links
await world.app.listen({ port, host: '127.0.0.1' })
let browser: Browser

const screens = {
  phone: { width: 360, height: 740, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  desktop: { width: 1280, height: 900 },
}
const schemes = ['light', 'dark'] as const
/** By name: an address, or how to come there. */
const pages: Record<string, string | ((page: Page) => Promise<void>)> = {}
const goto = (url: string) => async (page: Page) => void (await page.goto(url, { waitUntil: 'networkidle0' }))

before(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  await world.admin.put('/system-settings', { settings: { app_name: 'Ledgerly', support_email: 'help@ledgerly.test' } })
  const { owner, user } = await world.workspace({
    name: 'Nordwind Möbel GmbH',
    modules: ['quotations', 'contracts', 'companies', 'tasks', 'invoices', 'payments'],
  })
  // Yellow can't be read on white: the pages see to it.
  const settings = {
    company_address: 'Hafenstraße 12\n20457 Hamburg',
    document_accent_color: '#f2c200',
    email_notifications: true,
  }
  assert.equal((await owner.put('/settings', { settings })).status, 200)
  const company = {
    name: 'Lindqvist Kontor AB',
    email: 'purchasing.department@lindqvist-kontor.example',
    address: 'Storgatan 5\nStockholm',
  }
  const { id: company_id } = (await owner.post('/companies', company)).body.data
  const documents = {
    quotations: {
      title: 'Office equipment',
      currency: 'EUR',
      valid_until: '2099-12-31',
      notes: '<p>We look forward to <a href="https://nordwind.example">working with you</a>.</p>',
      lines: [1, 2, 3].map((n) => ({ name: `Height-adjustable desk ${n}`, quantity: 12 * n, unit_price: 1489.5, tax_rate: 19 })),
    },
    contracts: {
      title: 'Maintenance',
      currency: 'EUR',
      value: 4800,
      body: '<p>The parties agree.</p><table><tr><td>One</td><td>Two</td></tr></table>',
    },
  }
  const link = async (kind: keyof typeof documents) => {
    const { id } = (await owner.post(`/${kind}`, { company_id, ...documents[kind] })).body.data
    await owner.post(`/${kind}/${id}/send`)
    return (await owner.post(`/${kind}/${id}/acceptance-link`)).body.data.url as string
  }
  pages.quotation = await link('quotations')
  pages.contract = await link('contracts')
  pages['acceptance-refused'] = async (page) => {
    await page.goto(pages.quotation as string)
    await page.evaluate(`document.querySelector('form').noValidate = true`)
    await Promise.all([page.waitForNavigation(), page.click('form > button')])
  }
  const signed = await link('quotations')
  const signer = { signer_name: 'Grace Hopper', signer_email: 'grace@hopper.test', accept_terms: true }
  const token = signed.split('/').at(-1)
  assert.equal((await world.anonymous.post(`/public/quotations/accept/${token}`, signer)).status, 200)
  pages.signed = signed
  const account = { account_holder: 'Nordwind Möbel GmbH', iban: 'DE89370400440532013000', is_enabled: true }
  assert.equal((await owner.put('/payment-methods/bank_transfer', account)).status, 200)
  const { id: invoice } = (await owner.post('/invoices', { company_id, ...documents.quotations, valid_until: undefined })).body
    .data
  await owner.post(`/invoices/${invoice}/send`)
  pages.pay = (await owner.post(`/invoices/${invoice}/pay-link`)).body.data.url
  pages['unknown-link'] = `${base}/accept/quotations/unknown`
  pages.nothing = `${base}/no/such/page`
  for (const name of ['verify-email', 'cancel-email-change', 'invite', 'reset-password', 'forgot-password']) {
    pages[name] = `${base}/app/${name}#made-up`
    pages[`platform-${name}`] = `${base}/platform/${name}#made-up`
  }
  pages['account-refused'] = async (page) => {
    await page.goto(`${base}/app/reset-password#made-up`, { waitUntil: 'networkidle0' })
    await page.type('[name=email]', 'nobody')
    await page.click('form button')
    await page.waitForSelector('[aria-invalid]')
  }
  pages.register = `${base}/register`
  pages.app = `${base}/app`
  const ida = await user(['tasks.view'], 'Ida')
  await owner.post('/tasks', { title: 'Ring them', assigned_to: ida.id })
  const [{ unsubscribe_url }] = await world.sql('SELECT unsubscribe_url FROM email_logs WHERE unsubscribe_url IS NOT NULL')
  pages.unsubscribe = unsubscribe_url
  pages.unsubscribed = async (page) => {
    await page.goto(unsubscribe_url)
    await Promise.all([page.waitForNavigation(), page.click('form > button')])
  }
  const dashboards = (dashboard: string) => async (page: Page) => {
    await page.goto((await world.admin.get(`/${dashboard}-dashboard/enter`)).body.data.url, { waitUntil: 'networkidle0' })
    await page.waitForFunction(`document.querySelector('[role=status]')?.textContent !== 'Loading …'`)
  }
  pages['operations-metrics'] = dashboards('metrics')
  pages['operations-queues'] = dashboards('queue')
})
after(() => browser.close())

const seen = async <T>(page: Page, expression: string) => (await page.evaluate(expression)) as T

for (const [screen, viewport] of Object.entries(screens))
  for (const scheme of schemes)
    describe(`on a ${screen}, ${scheme}`, () => {
      it('every page fits, and axe finds nothing wrong', async () => {
        const page = await browser.newPage()
        await page.setViewport(viewport)
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        const wrong: string[] = []
        for (const [name, to] of Object.entries(pages)) {
          await (typeof to === 'string' ? goto(to) : to)(page)
          if (process.env.SCREENSHOTS)
            await page.screenshot({
              path: join(process.env.SCREENSHOTS, `${name}-${screen}-${scheme}.png`) as `${string}.png`,
              fullPage: true,
            })
          const overflow = await seen<number>(page, `document.documentElement.scrollWidth - document.documentElement.clientWidth`)
          if (overflow > 0) wrong.push(`${name}: ${overflow} pixels too wide`)
          wrong.push(...(await wrongIn(page)).map((one) => `${name}: ${one}`))
        }
        assert.deepEqual(wrong, [])
        await page.close()
      })
    })

it('the document stands beside the form on a desktop, and addresses stay whole', async () => {
  const page = await browser.newPage()
  await page.setViewport(screens.desktop)
  await goto(pages.quotation as string)(page)
  const boxes = await seen<{ form: number; table: number }>(
    page,
    `({ form: document.querySelector('form').getBoundingClientRect().left, table: document.querySelector('table.lines').getBoundingClientRect().right })`,
  )
  assert.ok(boxes.form > boxes.table, JSON.stringify(boxes))
  await page.close()
})

it('errors stand beside their field, are announced, and lead on', async () => {
  const page = await browser.newPage()
  await (pages['account-refused'] as (page: Page) => Promise<void>)(page)
  const beside = `document.getElementById(document.querySelector('[name=email]').getAttribute('aria-describedby')).textContent`
  assert.equal(await seen(page, beside), 'Must be an e-mail address.')
  assert.equal(await seen(page, 'document.activeElement.name'), 'email')
  assert.notEqual(await seen(page, `document.querySelector('[role=status]').textContent`), '')
  await page.$eval('[name=email]', (input) => ((input as { value?: string }).value = 'ann@x.test'))
  for (const name of ['password', 'password_confirmation']) await page.type(`[name=${name}]`, 'a good passphrase')
  await page.click('form button')
  await page.waitForSelector('#otherwise a', { visible: true })
  assert.equal(await page.$eval('#otherwise a', (link) => link.getAttribute('href')), '/app/forgot-password')
  await page.close()
})
