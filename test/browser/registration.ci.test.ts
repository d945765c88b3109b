/** Page of an invitation in a real browser. Run by .ci/run, with Debian's Chromium. */
// CI stage: pages
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { startTest } from '../harness.ts'

const world = await startTest({ machineClock: true })
await world.app.listen({ port: 0, host: '127.0.0.1' })
const { port } = world.app.server.address() as { port: number }
const password = 'correct horse battery'
let browser: Browser

before(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
})
after(() => browser.close())

async function invitation(email: string) {
  const { body } = await world.central().post('/public/beta-applications', { name: 'Ada <b>', email, company: 'Engines & Co' })
  const [{ id }] = await world.sql('SELECT id FROM beta_applications WHERE uuid = $1', [body.data.uuid])
  const invited = await world.admin.post(`/beta-applications/${id}/invite`)
  return { id, hash: new URL(invited.body.data.invite_url).hash }
}

async function opened(hash: string): Promise<Page> {
  const page = await browser.newPage()
  page.on('pageerror', (error) => assert.fail(String(error)))
  await page.goto(`http://127.0.0.1:${port}/register${hash}`, { waitUntil: 'networkidle0' })
  return page
}
const said = (page: Page) => page.$eval('[role=status]', (status) => status.textContent)
const value = (page: Page, name: string) => page.$eval(`[name=${name}]`, (input) => (input as { value?: string }).value)
const settled = async (page: Page, work: () => Promise<unknown>) =>
  Promise.all([page.waitForNetworkIdle({ idleTime: 100 }), work()])

describe('the page behind an invitation', () => {
  it('knows whom it invites, says what is wrong, and makes the workspace', async () => {
    const { hash } = await invitation('ada@engines.test')
    const page = await opened(hash)
    assert.deepEqual(
      [await value(page, 'company_name'), await value(page, 'owner_name'), await value(page, 'email')],
      ['Engines & Co', 'Ada <b>', 'ada@engines.test'],
    )
    await page.type('[name=password]', password)
    await page.type('[name=password_confirmation]', 'something else')
    await settled(page, () => page.click('button'))
    assert.equal(await said(page), 'Please look at what is marked.')
    assert.equal(
      await page.$eval('#password_confirmation_error', (told) => told.textContent),
      'Must be the same as the password.',
    )
    assert.equal(await page.$eval('[aria-invalid]', (input) => (input as { name?: string }).name), 'password_confirmation')
    await page.$eval('[name=password_confirmation]', (input) => ((input as { value?: string }).value = ''))
    await page.type('[name=password_confirmation]', password)
    await settled(page, () => page.click('button'))
    assert.match((await said(page))!, /^Welcome/)
    assert.equal((await world.sql(`SELECT 1 FROM tenants WHERE company_name = 'Engines & Co'`)).length, 1)
    assert.equal(await said(await opened(hash)), 'This invitation was used already.')
  })

  it('sends a new link where one has expired', async () => {
    const { id, hash } = await invitation('late@engines.test')
    await world.sql(`UPDATE beta_invites SET expires_at = now() - interval '1 day' WHERE application_id = $1`, [id])
    const page = await opened(hash)
    assert.equal(await said(page), 'This invitation has expired.')
    await settled(page, () => page.click('button[type=button]'))
    await world.drain()
    const links = await world.sql('SELECT 1 FROM beta_invites WHERE application_id = $1', [id])
    assert.equal(links.length, 2)
  })

  it('is a plain registration without one', async () => {
    const page = await opened('')
    assert.equal(await said(page), '')
    assert.equal(await said(await opened('#made-up')), 'This invitation is not valid.')
  })
})
