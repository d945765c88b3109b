/**
 * Every page that we serve in a real browser: on a phone and a desktop, light and dark. Run by .ci/run, with Debian's Chromium.
 * SCREENSHOTS is a folder for screenshots.
 */
// CI stage: pages
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { epcText } from '#workspace/payments/online/credit-transfer.ts'
import { freePort } from '../free-port.ts'
import { startTest } from '../harness.ts'
import { SECRET_KEY, startStripe, WEBHOOK_SECRET } from '../stand-ins/stripe.ts'
import { wrongIn } from './axe.ts'

const port = await freePort()
const base = `http://127.0.0.1:${port}`
const stripe = await startStripe(() => world.services.clock.now())
after(() => stripe.close())
// The console includes the pages of mailed links.
const world = await startTest({
  machineClock: true,
  env: { BASE_URL: base, APP_URL: 'https://front.test', STRIPE_API_BASE: stripe.url },
})
await world.app.listen({ port, host: '127.0.0.1' })
let browser: Browser

const screens = {
  phone: { width: 360, height: 740, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  desktop: { width: 1280, height: 900 },
}
const schemes = ['light', 'dark'] as const
/** Pages by name: an address, or a function that opens it. */
const pages: Record<string, string | ((page: Page) => Promise<void>)> = {}
/** Expected payload of the code on a pay link's page. */
let transfer: string
const goto = (url: string) => async (page: Page) => void (await page.goto(url, { waitUntil: 'networkidle0' }))

before(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  await world.admin.put('/system-settings', { settings: { app_name: 'Ledgerly', support_email: 'help@ledgerly.test' } })
  const { owner, user } = await world.workspace({
    name: 'Nordwind Möbel GmbH',
    modules: ['quotations', 'contracts', 'companies', 'tasks', 'invoices', 'payments'],
  })
  // Yellow is unreadable on white: pages must adjust it.
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
  const payLink = async () => {
    const { id } = (await owner.post('/invoices', { company_id, ...documents.quotations, valid_until: undefined })).body.data
    const invoice = (await owner.post(`/invoices/${id}/send`)).body.data
    transfer = epcText({ bic: null, ...account } as never, invoice, invoice.balance_due)!
    return (await owner.post(`/invoices/${id}/pay-link`)).body.data.url as string
  }
  pages.pay = await payLink()
  const keys = { secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET, allow_partial: true, is_enabled: true }
  assert.equal((await owner.put('/payment-methods/stripe', keys)).status, 200)
  const online = (pages['pay-online'] = await payLink())
  pages['pay-returned'] = `${online}?returned=1`
  pages['pay-refused'] = async (page) => {
    await page.goto(online)
    await page.$eval('[name=amount]', (input) => ((input as { value?: string }).value = 'all'))
    await Promise.all([page.waitForNavigation(), page.click('form button')])
  }
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

describe('the page behind a pay link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-pay-'))
  after(() => rmSync(folder, { recursive: true }))
  const zbar = spawnSync('zbarimg', ['--version']).status === 0
  const read = (picture: string) => execFileSync('zbarimg', ['-q', '--nodbus', '--raw', picture], { encoding: 'utf8' }).trimEnd()

  for (const [screen, viewport] of Object.entries(screens))
    for (const scheme of schemes)
      it(`needs no script and nothing from elsewhere, and leads on to pay: ${screen}, ${scheme}`, async () => {
        const page = await browser.newPage()
        await page.setViewport(viewport)
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        await page.setJavaScriptEnabled(false)
        const asked: string[] = []
        page.on('request', (request) => void asked.push(request.url()))
        await goto(pages['pay-online'] as string)(page)
        assert.deepEqual(
          asked.filter((url) => !url.startsWith('data:') && !url.startsWith(`${base}/`)),
          [],
        )
        if (zbar) {
          const path = join(folder, `${screen}-${scheme}.png`) as `${string}.png`
          await (await page.$('section.transfer'))!.screenshot({ path })
          assert.equal(read(path), transfer)
        }
        await Promise.all([page.waitForNavigation(), page.click('form button')])
        assert.ok(page.url().startsWith(`${stripe.url}/pay/cs_`), page.url())
        await page.close()
      })

  it('has a PDF whose code banking apps read', { skip: !zbar && 'zbarimg is not installed' }, async () => {
    const page = await browser.newPage()
    await goto(pages['pay-online'] as string)(page)
    const href = await page.$eval('a[download]', (link) => link.getAttribute('href'))
    await page.close()
    const pdf = join(folder, 'invoice.pdf')
    writeFileSync(pdf, Buffer.from(await (await fetch(new URL(href!, base))).arrayBuffer()))
    execFileSync('pdftoppm', ['-r', '150', '-png', '-f', '1', pdf, join(folder, 'paper')])
    const said = execFileSync('sh', ['-c', 'zbarimg -q --nodbus --raw "$0"/paper-*.png', folder], { encoding: 'utf8' })
    assert.equal(said.trimEnd(), transfer)
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
