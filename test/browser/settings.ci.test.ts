/**
 * Charts, short links and settings in a real browser: by mouse, by keyboard only and on a phone; missing permissions; axe;
 * hostile input. Run by .ci/run.
 */
// CI stage: screens
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page } from 'puppeteer-core'
import type { Person, Workspace } from '../harness.ts'
import { wrongIn } from './axe.ts'
import { evaluate, heading, named, press, screens, see, startBrowsing, upload } from './person.ts'
import { HOSTILE, sound, startHostileReceiver } from './sound.ts'

const { base, world, signIn, member, newPage } = await startBrowsing()
const hook = await startHostileReceiver()
let firm: Workspace
let root: string
let clerk: Person
let linkId: number
let endpointId: number

before(async () => {
  firm = await world.workspace({ name: 'Nordwind', modules: ['invoices', 'expenses', 'leads', 'short-links', 'vendors'] })
  root = `${base}/w/${firm.slug}`
  const { owner } = firm
  const day = (await owner.post('/expenses', { title: 'Fuel', amount: 40, currency: 'EUR' })).body.data.expense_date
  await owner.post('/expenses', { title: HOSTILE, amount: 60.5, currency: 'EUR', expense_date: day })
  const made = await owner.post('/short-links', {
    title: HOSTILE,
    destination_url: 'https://nordwind.example/sale',
    code: `sale-${firm.slug}`.slice(0, 40),
  })
  linkId = made.body.data.id
  await fetch(`${base}/r/${made.body.data.code}`, {
    redirect: 'manual',
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/120 Safari/537.36' },
  })
  await owner.post('/roles', { name: 'Sales', permissions: ['leads.view'] })
  await owner.post('/roles', { name: HOSTILE, permissions: [] })
  clerk = await member(firm, ['roles.view', 'short-links.view', 'leads.view'])
  const endpoint = await owner.post('/webhook-endpoints', { url: hook, types: ['vendor.*'] })
  assert.equal(endpoint.status, 201, endpoint.body.message)
  endpointId = endpoint.body.data.id
  await owner.post(`/webhook-endpoints/${endpointId}/test`)
})

async function signedIn(path: string, who: { email: string } = firm.owner, viewport?: object, realm = root) {
  const page = await newPage(viewport)
  await signIn(page, `${realm}${path}`, who)
  return page
}

const valueText = (page: Page) => evaluate<string>(page, `document.querySelector('.plot').getAttribute('aria-valuetext')`)

describe('a chart', () => {
  it('stands above its list, is walked by keys, and is a table for whoever wants one', async () => {
    const page = await signedIn('/expenses')
    await heading(page, 'Expenses')
    await page.waitForSelector('.plot')
    assert.match(await valueText(page), /Total: €100\.50/)
    await page.focus('.plot')
    await page.keyboard.press('End')
    await page.waitForFunction(`/: €100\\.50/.test(document.querySelector('.plot').getAttribute('aria-valuetext'))`)
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(`/: €0\\.00/.test(document.querySelector('.plot').getAttribute('aria-valuetext'))`)
    await page.keyboard.press('Home')
    await sound(page)
    await press(page, 'button', 'Table')
    const rows = await page.waitForSelector('.chart tbody tr')
    assert.ok(rows)
    assert.equal(await evaluate(page, `document.querySelectorAll('.chart tbody tr').length`), 12)
    assert.deepEqual(await wrongIn(page), [])
    await page.select('select[aria-label="Span"]', 'days')
    await page.waitForFunction(`document.querySelectorAll('.chart tbody tr').length === 30`)
    await page.close()
  })

  it('follows the list’s filters, and stays folded for whoever folded it', async () => {
    const page = await signedIn('/expenses?status=paid')
    await heading(page, 'Expenses')
    await page.waitForSelector('.plot')
    assert.match(await valueText(page), /Total: .*0/)
    await page.locator('.charted > summary').click()
    await page.waitForFunction(`!document.querySelector('.plot')`)
    await page.reload()
    await heading(page, 'Expenses')
    await page.waitForSelector('.charted:not([open])')
    await page.close()
  })

  it('is on the first screen, where nothing yet is said so', async () => {
    const page = await signedIn('/')
    await see(page, 'Over time')
    await page.waitForSelector('.plot')
    await see(page, 'Nothing yet in the last periods.')
    await sound(page)
    await page.close()
  })
})

describe('a short link', () => {
  it('shows who followed it, is copied, and led elsewhere', async () => {
    const page = await signedIn(`/short-links/${linkId}`)
    await see(page, '1 in all, by browsers')
    assert.equal(await evaluate(page, `document.querySelector('h1').textContent`), HOSTILE)
    await page.waitForFunction(`document.querySelector('.short-links-share img')?.naturalWidth > 0`)
    await page.browserContext().overridePermissions(base, ['clipboard-read', 'clipboard-write'])
    await press(page, 'button', 'Copy the short address')
    await page.waitForFunction(`/copied|refused/.test(document.querySelector('[role=status].toasts').textContent)`)
    await sound(page)
    await page.select('select[aria-label="Span"]', '365')
    await page.waitForSelector('.plot polyline')
    await press(page, 'button', 'Change the destination')
    await page.locator('dialog [name=destination_url]').fill('nowhere')
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog [aria-invalid]')
    await page.locator('dialog [name=destination_url]').fill('https://nordwind.example/summer')
    await page.keyboard.press('Enter')
    await see(page, 'https://nordwind.example/summer')
    await page.close()
  })

  it('keeps who clicked from those who may not see it', async () => {
    const page = await signedIn(`/short-links/${linkId}`, clerk)
    await see(page, 'Who clicked is shown to those with the permission short-links.view_analytics.')
    assert.equal(await page.$('.plot'), null)
    assert.equal(await page.$(named('button', 'Change the destination')), null)
    await page.close()
  })
})

const cell = (permission: string, role: string) => `input[aria-label="${permission}, ${role}"]`
const isChecked = (page: Page, selector: string) =>
  evaluate<boolean>(page, `document.querySelector(${JSON.stringify(selector)}).checked`)
const salesRole = async () =>
  (await firm.owner.get('/roles', { query: { search: 'Sales' } })).body.data[0].permissions as string[]

describe('the matrix of permissions', () => {
  it('is walked and changed by keys alone, and shows what changes before it counts', async () => {
    const page = await signedIn('/permission-matrix')
    await heading(page, 'Permission matrix')
    await page.waitForSelector(cell('Add leads', 'Sales'))
    await page.focus('[role=grid] input[tabindex="0"]')
    const here = () => evaluate<string>(page, `document.activeElement.getAttribute('aria-label') ?? ''`)
    for (let n = 0; n < 20 && !(await here()).endsWith(', Sales'); n++) await page.keyboard.press('ArrowRight')
    for (let n = 0; n < 400 && (await here()) !== 'Add leads, Sales'; n++) await page.keyboard.press('ArrowDown')
    assert.equal(await here(), 'Add leads, Sales')
    await page.keyboard.press('Space')
    await see(page, '1 change')
    assert.deepEqual(await salesRole(), ['leads.view'])
    await press(page, 'button', 'Review and save')
    const dialog = await page.waitForSelector('dialog')
    assert.match(await dialog!.evaluate((one) => one.textContent ?? ''), /Sales.*\+ Add leads/)
    assert.deepEqual(await wrongIn(page), [])
    await page.locator(`dialog >>> ${named('button', 'Save')}`).click()
    await see(page, 'The roles are saved.')
    assert.deepEqual((await salesRole()).sort(), ['leads.create', 'leads.view'])
    await sound(page)
    await page.close()
  })

  it('says why a role can’t be changed, and offers nothing to who may not', async () => {
    const page = await signedIn('/permission-matrix', clerk)
    await page.waitForSelector(cell('See leads', 'Sales'))
    await page.locator(cell('See leads', 'Sales')).click()
    await see(page, 'It takes the permission roles.update to change roles.')
    assert.equal(await isChecked(page, cell('See leads', 'Sales')), true)
    assert.equal(await page.$(named('link', 'New role')), null)
    await page.close()
    const manager = await member(firm, ['roles.view', 'roles.update', 'leads.view', 'leads.create'])
    const theirs = await signedIn('/permission-matrix', manager)
    await theirs.waitForSelector(cell('Delete leads', 'Sales'))
    await theirs.locator(cell('Delete leads', 'Sales')).click()
    await see(theirs, 'You don’t hold leads.delete yourself, so you can’t give it.')
    await theirs.locator(cell('See leads', 'admin')).click()
    await see(theirs, 'admin may everything that is installed')
    await theirs.close()
  })

  it('shows one role at a time on a phone', async () => {
    const page = await signedIn('/permission-matrix', firm.owner, screens.phone)
    await page.waitForSelector('[role=grid]')
    assert.equal(await evaluate(page, `document.querySelectorAll('[role=grid] thead th').length`), 2)
    const sales = await evaluate<string>(
      page,
      `[...document.querySelectorAll('main select option')].find((one) => one.label === 'Sales').value`,
    )
    await page.select('main select', sales)
    await page.waitForSelector(cell('See leads', 'Sales'))
    await page.locator(cell('See leads', 'Sales')).click()
    await see(page, '1 change')
    await press(page, 'button', 'Discard')
    await page.waitForFunction(`document.querySelector(${JSON.stringify(cell('See leads', 'Sales'))}).checked`)
    await page.close()
  })
})

describe('keys and webhooks', () => {
  it('makes a key of scopes that are chosen, rotates and revokes it', async () => {
    const page = await signedIn('/api-keys/new')
    await page.waitForSelector('form.form [name=name]')
    await page.locator('form.form [name=name]').fill(HOSTILE)
    await page.locator('input[aria-label="Scopes: Search"]').fill('leads.view')
    await page.locator(named('checkbox', 'leads.view See leads')).click()
    await press(page, 'button', 'Create')
    await see(page, 'Shown once')
    await page.keyboard.press('Escape')
    const menu = 'td.deeds .menu > button'
    await page.waitForSelector(menu)
    await page.locator(menu).click()
    await press(page, 'menuitem', 'Rotate')
    await page.waitForSelector('dialog [name=overlap_hours]')
    await page.locator(`dialog >>> ${named('button', 'Rotate')}`).click()
    await see(page, 'Shown once')
    await page.keyboard.press('Escape')
    await page.waitForFunction(`!document.querySelector('dialog')`)
    await page.locator(menu).click()
    await press(page, 'menuitem', 'Delete')
    await page.locator(`dialog >>> ${named('button', 'Delete')}`).click()
    await see(page, 'API key revoked.')
    await sound(page)
    await page.close()
  })

  it('changes of a key what was typed, and empties what was emptied: what others changed meanwhile stays', async () => {
    const made = await firm.owner.post('/api-keys', {
      name: 'Shop',
      scopes: ['leads.view'],
      expires_at: '2099-01-01T00:00:00.000Z',
    })
    assert.equal(made.status, 201, made.body.message)
    const page = await signedIn('/api-keys')
    await press(page, 'button', 'Actions on Shop')
    await press(page, 'menuitem', 'Edit')
    await page.locator('dialog [name=name]').fill('Shop in Bergen')
    await page.locator('dialog [name=expires_at]').fill('')
    const theirs = await firm.owner.put(`/api-keys/${made.body.data.id}`, { scopes: ['leads.view', 'invoices.view'] })
    assert.equal(theirs.status, 200, theirs.body.message)
    await page.locator(`dialog >>> ${named('button', 'Edit')}`).click()
    await see(page, 'API key saved.')
    const key = (await firm.owner.get('/api-keys')).body.data.find(({ id }: { id: number }) => id === made.body.data.id)
    assert.deepEqual([key.name, key.scopes, key.expires_at], ['Shop in Bergen', ['leads.view', 'invoices.view'], null])
    await page.close()
  })

  it('shows what was told to an endpoint and what it answered, as text', async () => {
    const page = await signedIn(`/webhook-endpoints/${endpointId}`)
    await see(page, 'Deliveries')
    await page.waitForSelector('.deliveries li')
    await page.locator('.deliveries summary').click()
    await see(page, HOSTILE)
    await sound(page)
    await page.select('.deliveries select', 'waiting')
    await see(page, 'No delivery is in this state.')
    await page.goto(`${root}/webhook-endpoints/new`)
    await page.waitForSelector('input[aria-label="Types: Search"]')
    await page.locator('input[aria-label="Types: Search"]').fill('vendor.')
    await page.waitForSelector('.choices input')
    await see(page, 'vendor.created')
    await page.close()
  })
})

describe('the operator’s overview', () => {
  it('shows revenue and growth, each with its table', async () => {
    const page = await signedIn('/overview', world.admin, screens.desktop, `${base}/operator`)
    await heading(page, 'Overview')
    await page.waitForSelector('.plot')
    await sound(page)
    await press(page, 'button', 'Table')
    await page.waitForSelector('.chart tbody tr')
    await page.close()
  })
})

describe('the settings of the platform', () => {
  const operatorAt = (path: string) => signedIn(path, world.admin, screens.desktop, `${base}/operator`)
  const settings = async () => (await world.admin.get('/system-settings')).body.data.settings

  it('hold the mail server, whose password is never shown, and a test mail says whether it works', async () => {
    const page = await operatorAt('/system-settings')
    await heading(page, 'System settings')
    await page.waitForSelector('form.form [name=mail_provider]')
    assert.equal(await page.$('[name=smtp_host]'), null)
    await page.select('[name=mail_provider]', 'smtp')
    await page.locator('[name=smtp_host]').fill('127.0.0.1')
    await page.locator('[name=smtp_port]').fill('1')
    await page.locator('[name=smtp_password]').fill('never-shown-6f1d')
    await page.locator('summary ::-p-text(Branding)').click()
    await page.locator('[name=support_email]').fill('not an address')
    await press(page, 'button', 'Save')
    await page.waitForSelector('[name=support_email][aria-invalid]')
    await page.locator('[name=support_email]').fill('help@nordwind.example')
    await press(page, 'button', 'Save')
    await see(page, 'Settings saved.')
    await see(page, 'Is set. What is typed here takes its place.')
    const { mail, branding } = await settings()
    assert.deepEqual(
      [mail.mail_provider, mail.smtp_host, mail.smtp_port, mail.smtp_password, branding.support_email],
      ['smtp', '127.0.0.1', 1, { set: true }, 'help@nordwind.example'],
    )
    // Saved again without typing: the password stays.
    await page.locator('[name=app_name]').fill(HOSTILE)
    await page.locator('[name=smtp_password]').fill('x')
    await page.locator('[name=smtp_password]').fill('')
    const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
    await press(page, 'button', 'Save')
    assert.equal((await answered).status(), 200)
    assert.equal((await settings()).general.app_name, HOSTILE)
    assert.deepEqual((await settings()).mail.smtp_password, { set: true })
    assert.equal(await evaluate(page, `document.body.innerHTML.includes('never-shown')`), false)
    await press(page, 'button', 'Send a test mail')
    await page.waitForSelector('dialog [name=email]')
    await page.keyboard.press('Enter')
    await see(page, 'The mail was not taken:')
    await page.keyboard.press('Escape')
    await sound(page)
    assert.deepEqual(await wrongIn(page), [])
    await page.close()
  })

  it('keep what is typed while they are saved, and save it with the next', async () => {
    const page = await operatorAt('/system-settings')
    await page.waitForSelector('form.form [name=app_name]')
    await page.locator('[name=app_name]').fill('Nordwind')
    const { promise: asked, resolve } = Promise.withResolvers<() => void>()
    let isHeld = true
    await page.setRequestInterception(true)
    page.on('request', (request) => {
      const go = () => void request.continue()
      if (request.method() !== 'PUT' || !isHeld) return go()
      isHeld = false
      resolve(go)
    })
    await press(page, 'button', 'Save')
    const answer = await asked
    await page.locator('[name=app_name]').fill('Nordwind AG')
    answer()
    await see(page, 'Settings saved.')
    await page.waitForSelector('form.form button[type=submit][aria-disabled=false]')
    const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
    await press(page, 'button', 'Save')
    assert.equal((await answered).status(), 200)
    assert.equal((await settings()).general.app_name, 'Nordwind AG')
    await page.close()
  })

  it('hold the pictures of the platform, judged by what they are', async () => {
    const page = await operatorAt('/system-settings')
    await upload(page, '.system-settings-pictures input', import.meta.filename)
    await page.waitForSelector('.system-settings-pictures [aria-invalid]')
    await upload(page, '.system-settings-pictures input', join(import.meta.dirname, '../../docs/console.png'))
    await see(page, 'Picture saved.')
    await page.waitForFunction(`document.querySelector('.system-settings-pictures img')?.naturalWidth > 0`)
    await page.close()
  })
})
