/**
 * Obstacles for new users of the console: choosing and creating a customer, double clicks, permissions, first steps. Run by
 * .ci/run.
 */
// CI stage: lists
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { PASSWORD, startTest, type Workspace } from '../harness.ts'
import { arrive, evaluate, fill, heading, launch, named, newPage, press, screens, see } from './person.ts'

const port = await freePort()
const base = `http://localhost:${port}`
const world = await startTest({ machineClock: true, env: { BASE_URL: base } })
await world.app.listen({ port, host: 'localhost' })
const complaints: string[] = []
let browser: Browser
let firm: Workspace
let page: Page

before(async () => {
  browser = await launch()
})
after(async () => {
  await browser.close()
  assert.deepEqual(complaints, [])
})

async function signedIn(address: string, email: string) {
  const page = await newPage(browser, complaints)
  await page.goto(base + address, { waitUntil: 'networkidle0' })
  await page.type('[name=email]', email)
  await page.type('[name=password]', PASSWORD)
  await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), page.keyboard.press('Enter')])
  return page
}
async function setUp() {
  const modules = [
    'invoices',
    'companies',
    'contacts',
    'products',
    'inventory',
    'warehouses',
    'quotations',
    'purchase-orders',
    'vendors',
    'tasks',
    'payments',
    'employees',
  ] as const
  firm = await world.workspace({ name: 'Nordwind', modules: [...modules], currency: 'EUR' })
  await firm.owner.post('/products', { name: 'Oak desk', sku: 'DESK', unit_price: 480.5, tax_rate: 19 })
  await firm.owner.post('/companies', { name: 'Zephyr Bakery' })
  page = await signedIn(`/w/${firm.slug}/`, firm.owner.email)
}

const open = (path: string) => page.goto(`${base}/w/${firm.slug}${path}`, { waitUntil: 'networkidle0' })
const box = (label: string) => page.locator(named('combobox', label))
const holds = (label: string, value: string) =>
  page.waitForFunction(
    `[...document.querySelectorAll('[role=combobox]')].some(({ labels, value }) =>
      labels[0]?.textContent.startsWith(${JSON.stringify(label)}) && value === ${JSON.stringify(value)})`,
  )
/** Delays replies to lists of companies, as a slow connection would. */
async function slowly(work: () => Promise<void>) {
  await page.setRequestInterception(true)
  const wait = (request: { url(): string; continue(): Promise<void> }) =>
    void setTimeout(() => void request.continue(), request.url().includes('/companies?') ? 700 : 0)
  page.on('request', wait)
  await work()
  page.off('request', wait)
  await page.setRequestInterception(false)
}

describe('the operator of an empty platform', () => {
  it('is led to the first workspace, and told where links wait without a mail server', async () => {
    const page = await signedIn('/operator/', world.admin.email)
    await see(page, 'Begin here')
    await see(page, 'No mail server is set up.')
    await press(page, 'link', 'Make the first workspace')
    await heading(page, 'New workspace')
    await page.locator('[name=country]').fill('DE')
    const chosen = await page.$eval('[name=country] option:checked', (option) => option.textContent)
    assert.equal(chosen, 'Germany')
    await page.close()
  })
})

describe('somebody who registers where no mail is delivered', () => {
  it('is told who has the link', async () => {
    const page = await newPage(browser, complaints)
    await page.goto(`${base}/sign-in/register`, { waitUntil: 'networkidle0' })
    const words = { company_name: 'Südwind', owner_name: 'Sue', email: 'sue@suedwind.test' }
    await fill(page, { ...words, password: 'a much better battery', password_confirmation: 'a much better battery' })
    await press(page, 'button', 'Register')
    await see(page, 'no mail leaves this installation yet: whoever runs it can give you the link.')
    await page.close()
  })
})

describe('somebody new', () => {
  before(setUp)
  after(() => page.close())

  it('is led to what comes first where nothing waits', async () => {
    await see(page, 'Begin here')
    await press(page, 'link', 'Invite a colleague')
    await heading(page, 'New user')
  })

  it('sees the role that is ticked unless they say otherwise, and afterwards who has which', async () => {
    const first = await page.waitForSelector('.choices label')
    assert.match((await first!.evaluate((label) => label.textContent)) ?? '', /^member/)
    assert.ok(await first!.evaluate((label) => label.querySelector('input')!.checked))
    await open('/users')
    await see(page, 'Role')
    await see(page, 'superadmin')
  })

  it('makes an employee of a new user as long as the box is ticked', async () => {
    const madeWith = async (name: string, isTicked: boolean) => {
      await open('/users/new')
      await page.locator('[name=name]').fill(name)
      await page.locator('[name=email]').fill(`${name.toLowerCase()}@nordwind.test`)
      const box = (await page.waitForSelector(named('checkbox', 'Create employee')))!
      assert.ok(await box.evaluate((one) => (one as unknown as { checked: boolean }).checked))
      if (!isTicked) await box.click()
      await press(page, 'button', 'Create')
      await heading(page, name)
      // The reply contains only the employee's id; the page shows the name.
      if (isTicked) {
        const employee = await page.waitForSelector('dd a[href*="/employees/"]')
        assert.equal(await employee!.evaluate((link) => link.textContent), name)
      }
      const { body } = await firm.owner.get(`/users?search=${name}`)
      return body.data[0].employee_id !== null
    }
    assert.deepEqual([await madeWith('Nadia', true), await madeWith('Nils', false)], [true, false])
  })

  it('begins a line of an invoice with one piece, which is no line yet', async () => {
    await open('/invoices/new')
    const quantity = (await page.waitForSelector('[name=quantity]'))!
    const said = () => quantity.evaluate((input) => (input as unknown as { value: string }).value)
    assert.equal(await said(), '1')
    await quantity.click()
    await page.keyboard.type('3')
    assert.equal(await said(), '3')
    await press(page, 'link', 'Cancel')
    await heading(page, 'Invoices')
    await open('/invoices/new')
    await page.locator('[name=title]').fill('Without lines')
    await press(page, 'button', 'Create')
    await heading(page, 'INV-00001')
  })

  it('chooses by Enter or Tab before the list has answered', async () => {
    await open('/invoices/new')
    await slowly(async () => {
      await box('Company').click()
      await page.keyboard.type('Zeph')
      await page.keyboard.press('Enter')
      await holds('Company', 'Zephyr Bakery')
    })
    await open('/payments/new')
    await slowly(async () => {
      await box('Company').click()
      await page.keyboard.type('zephyr')
      await page.keyboard.press('Tab')
      await holds('Company', 'Zephyr Bakery')
    })
  })

  it('is told when what they typed is not chosen', async () => {
    await open('/payments/new')
    await box('Contact').click()
    await page.keyboard.type('Nobody of this name')
    await page.keyboard.press('Tab')
    await see(page, 'nothing was chosen')
  })

  it('makes a customer where the invoice asks for one', async () => {
    await open('/invoices/new')
    await box('Company').click()
    await page.keyboard.type('Brand New Inn')
    await press(page, 'option', 'New company “Brand New Inn”')
    await see(page, 'Brand New Inn is added.')
    await holds('Company', 'Brand New Inn')
    const { body } = await firm.owner.get('/companies?search=Brand')
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      ['Brand New Inn'],
    )
  })

  it('makes what needs more than a name in its own form, and finds the first as they left it', async () => {
    await open('/invoices/new')
    await page.locator('[name=title]').fill('Desks')
    await box('Product').click()
    await page.keyboard.type('Walnut shelf')
    await press(page, 'option', 'New product “Walnut shelf”')
    await arrive(page, `/w/${firm.slug}/products/new`)
    await page.waitForFunction(`document.querySelector('[name=name]')?.value === 'Walnut shelf'`)
    await open('/invoices/new')
    await see(page, 'What you typed is back.')
    assert.equal(await evaluate(page, `document.querySelector('[name=title]').value`), 'Desks')
  })

  it('sends an order once by a double click, and receives nothing by it', async () => {
    const vendor = (await firm.owner.post('/vendors', { name: 'Lindqvist' })).body.data.id
    const lines = [{ description: 'Oak', quantity: 2, unit_price: 10 }]
    const order = (await firm.owner.post('/purchase-orders', { title: 'Oak', vendor_id: vendor, lines })).body.data
    assert.ok(order, 'the order is made')
    await open(`/purchase-orders/${order.id}`)
    const button = await page.waitForSelector(named('button', 'Send'))
    await button!.click({ count: 2, delay: 120 })
    await page.waitForSelector(named('button', 'Receive'))
    const { body } = await firm.owner.get(`/purchase-orders/${order.id}`)
    assert.equal(body.data.status, 'sent')
    assert.doesNotMatch(await evaluate<string>(page, 'document.body.innerText'), /not possible/)
  })

  it('is told what receiving a part does, before it is done', async () => {
    await press(page, 'button', 'Mark as partially received')
    await see(page, 'Nothing goes into stock by it')
    const status = async () => (await firm.owner.get('/purchase-orders')).body.data[0].status
    assert.equal(await status(), 'sent')
    await page.locator(`dialog >>> ${named('button', 'Mark as partially received')}`).click()
    await page.waitForSelector('dialog', { hidden: true })
    await see(page, 'Partially received')
    assert.equal(await status(), 'partially_received')
  })

  it('makes what a dialog lacks in another tab, and finds the dialog as they left it', async () => {
    const task = (await firm.owner.post('/tasks', { title: 'Call the bank', due_on: '2020-01-31' })).body.data.id
    await open(`/tasks/${task}`)
    await see(page, 'Overdue')
    await press(page, 'button', 'Actions')
    await press(page, 'menuitem', 'Assign')
    await page.locator(`dialog >>> ${named('combobox', 'Assigned to')}`).click()
    await page.keyboard.type('Nobody Yet')
    const opened = page.browserContext().waitForTarget((target) => target.url().includes('/users/new?name=Nobody+Yet'))
    await press(page, 'option', 'New user “Nobody Yet”')
    const tab = await (await opened).page()
    await tab!.close()
    await see(page, 'The form is in another tab.')
    assert.ok(await page.$('dialog[open]'))
  })

  it('learns that what is sent was not mailed, and mails it from there', async () => {
    const lines = [{ name: 'Oak desk', quantity: 2, unit_price: 480.5, tax_rate: 19 }]
    const made = await firm.owner.post('/invoices', { title: 'Desks', lines })
    assert.equal(made.status, 201, made.body.message)
    await open(`/invoices/${made.body.data.id}`)
    await see(page, 'Line total')
    const heads = await page.$$eval('[aria-label="Line items"] th, [aria-label="Lines"] th', (all) =>
      all.map((th) => th.textContent),
    )
    assert.ok(heads.includes('Line total') && !heads.includes('Discount value') && !heads.includes('Unit code'), heads.join())
    await press(page, 'button', 'Send')
    await see(page, 'is issued, and not mailed yet.')
    await press(page, 'button', 'Email')
    await page.waitForSelector('dialog[open]')
  })

  it('is offered in a message only what can still be done from where they are', async () => {
    const made = await firm.owner.post('/quotations', { title: 'Desks', lines: [{ name: 'Desk', quantity: 1, unit_price: 10 }] })
    await open(`/quotations/${made.body.data.id}`)
    await press(page, 'button', 'Send')
    await see(page, 'is issued, and not mailed yet.')
    await press(page, 'link', 'Quotations')
    await heading(page, 'Quotations')
    await page.waitForFunction(`!document.body.innerText.includes('not mailed yet')`, { timeout: 3000 })
  })

  it('says to which account invoices are paid, and sees the account on the next one', async () => {
    await open('/payment-methods')
    await heading(page, 'Payment methods')
    await page.locator('[name=account_holder]').fill('Nordwind GmbH')
    await page.locator('[name=iban]').fill('DE89 3704 0044 0532 0130 01')
    await page.locator(named('checkbox', 'Print the account on invoices')).click()
    await press(page, 'button', 'Save Bank transfer')
    await see(page, 'a letter or digit of it is wrong')
    await page.locator('[name=iban]').fill('DE89 3704 0044 0532 0130 00')
    await press(page, 'button', 'Save Bank transfer')
    await see(page, 'Payment method saved.')
    const { body } = await firm.owner.get('/payment-methods/bank_transfer')
    assert.deepEqual([body.data.iban, body.data.is_enabled], ['DE89370400440532013000', true])
  })

  it('finds countries, currencies and languages by their names', async () => {
    await open('/companies/new')
    const names = await page.$$eval('[name=country] option', (all) => all.map((option) => option.textContent))
    assert.ok(names.includes('Germany') && names.indexOf('Austria') < names.indexOf('Germany'))
    await open('/settings')
    await page.waitForSelector('datalist option[value=de]')
    assert.equal(await evaluate(page, `document.querySelector('datalist option[value=de]').textContent.trim()`), 'German')
  })

  it('opens a menu within the window, wherever its button stands, in both directions', async () => {
    const made = await firm.owner.post('/quotations', { title: 'Desks', lines: [{ name: 'Desk', quantity: 1, unit_price: 10 }] })
    await firm.owner.post(`/quotations/${made.body.data.id}/send` as '/', {})
    await page.setViewport({ ...screens.phone, width: 360, height: 480 })
    for (const dir of ['ltr', 'rtl']) {
      await open(`/quotations/${made.body.data.id}`)
      await evaluate(page, `document.documentElement.dir = '${dir}'`)
      await press(page, 'button', 'Actions')
      await page.waitForSelector('[role=menu]')
      const [left, right, top, bottom] = await evaluate<number[]>(
        page,
        `(({ left, right, top, bottom }) => [left, right, top, bottom])(document.querySelector('[role=menu]').getBoundingClientRect())`,
      )
      assert.ok(left! >= 0 && right! <= 360 && top! >= 0 && bottom! <= 480, `${dir} ${[left, right, top, bottom]}`)
    }
    await page.setViewport(screens.desktop)
  })

  it('is asked for the product before the list of what came and went of it', async () => {
    await open('/inventory-stock-movements')
    await see(page, 'Choose the product first')
    await box('Product').click()
    await page.keyboard.type('Oak')
    await press(page, 'option', 'Oak desk')
    await see(page, 'Nothing was found')
  })

  it('sees first what they themselves have to do', async () => {
    const { owner } = firm
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    await owner.post('/tasks', { title: 'Later', due_on: day(9), assigned_to: owner.id })
    await owner.post('/tasks', { title: 'Long due', due_on: day(-9), assigned_to: owner.id })
    await owner.post('/tasks', { title: 'Done', due_on: day(-9), assigned_to: owner.id, status: 'done' })
    await owner.post('/tasks', { title: 'Nobody’s', due_on: day(-9) })
    await open('/')
    await see(page, 'My open tasks')
    const seen = await evaluate(
      page,
      `[...[...document.querySelectorAll('.widget')].find((card) => card.textContent.includes('My open tasks')).querySelectorAll('tbody tr')]
        .map((row) => row.querySelector('td').textContent)`,
    )
    assert.deepEqual(seen, ['Long due', 'Later'])
    const late = await page.$$eval('.widget .late', (all) =>
      all.map((day) => day.closest('tr')?.querySelector('td')?.textContent),
    )
    assert.ok(late.includes('Long due') && !late.includes('Later'), late.join())
  })
})
