/**
 * The console in a real browser by accessible names: sign-in, every derived screen, keyboard only, a phone, and hostile input.
 * Run by .ci/run.
 */
// CI stage: console
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page } from 'puppeteer-core'
import { PASSWORD, type Workspace } from '../harness.ts'
import { wrongIn } from './axe.ts'
import { heading as arrivedAt, evaluate, named, press, see, startBrowsing, type, upload } from './person.ts'

const { base, world, signIn: signInAt, newPage } = await startBrowsing()
const screens = {
  phone: { width: 360, height: 780, isMobile: true, hasTouch: true },
  desktop: { width: 1280, height: 900 },
}
/** Variants of screens: light, dark, right to left, and a desktop at double zoom. */
const looks = [
  ...Object.entries(screens).flatMap(([screen, viewport]) =>
    (['light', 'dark', 'rtl'] as const).map((way) => ({ screen, viewport, way, whole: way === 'light' })),
  ),
  {
    screen: 'desktop at 200 %',
    viewport: { width: 640, height: 450, deviceScaleFactor: 2 },
    way: 'light' as const,
    whole: false,
  },
]
/** User input must always be rendered as text. */
const HOSTILE = `<img src=x onerror="document.title='stolen'"><script>document.title='stolen'</script>{{7*7}}"'>`
let firm: Workspace
let root: string

before(async () => {
  firm = await world.workspace({
    name: 'Nordwind',
    modules: ['vendors', 'purchase-orders', 'invoices', 'payments', 'leads', 'projects', 'tasks', 'documents'],
  })
  root = `${base}/w/${firm.slug}`
  const { id: vendor_id } = (await firm.owner.post('/vendors', { name: 'Lindqvist Kontor', email: 'post@lindqvist.example' }))
    .body.data
  const lines = [{ description: 'Desk', quantity: 2, unit_price: 480.5, tax_rate: 19 }]
  await firm.owner.post('/purchase-orders', { vendor_id, title: 'Desks', currency: 'EUR', lines })
  await firm.owner.post('/leads', { name: 'Ada Lovelace', lead_type: 'direct' })
  await firm.owner.post('/vendors', { name: HOSTILE, notes: HOSTILE })
})

/** Also waits for the form, which loads after its heading. */
const form = async (page: Page, title: string) => {
  await heading(page, title)
  await page.waitForSelector('main form.form')
}
const heading = async (page: Page, text: string) => {
  await arrivedAt(page, text)
  assert.equal(await evaluate(page, `document.querySelectorAll('h1').length`), 1)
}

const signIn = (page: Page, address = `${root}/`, email = firm.owner.email) => signInAt(page, address, { email })

describe('signing in', () => {
  it('says what is wrong, and leads back to where somebody was', async () => {
    const page = await newPage()
    await page.goto(`${root}/vendors?search=lind`, { waitUntil: 'networkidle0' })
    await type(page, 'E-mail address', 'nobody@nordwind.test')
    await type(page, 'Password', 'wrong')
    await press(page, 'button', 'Sign in')
    await see(page, 'is not right')
    await signIn(page, `${root}/vendors?search=lind`)
    assert.equal(page.url(), `${root}/vendors?search=lind`)
    await heading(page, 'Vendors')
    assert.equal(
      await evaluate(
        page,
        `document.cookie.includes('atrium_session') || JSON.stringify({ ...localStorage, ...sessionStorage }).includes('|')`,
      ),
      false,
    )
    await page.close()
  })

  it('leads nowhere else', async () => {
    for (const next of [
      'https://evil.test/',
      '//evil.test',
      '/\\evil.test',
      `/w/${firm.slug}/../../docs`,
      'javascript:alert(1)',
    ]) {
      const page = await newPage()
      await signIn(page, `${base}/sign-in?next=${encodeURIComponent(next)}`)
      assert.ok(page.url().startsWith(`${root}/`), `${next} → ${page.url()}`)
      await page.close()
    }
  })

  it('ends by the menu of the account', async () => {
    const page = await newPage()
    await signIn(page, `${root}/vendors/new`)
    await type(page, 'Name', 'Typed before')
    await page.waitForFunction(`Object.values(sessionStorage).join().includes('Typed before')`)
    await press(page, 'button', 'Account: Olive Owner')
    await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), press(page, 'menuitem', 'Sign out')])
    assert.equal(await evaluate(page, 'sessionStorage.length'), 0, 'nothing stays for the next one at this tab')
    await page.goto(`${root}/vendors`, { waitUntil: 'networkidle0' })
    assert.match(page.url(), /\/sign-in\?next=/)
    await page.close()
  })
})

describe('a record', () => {
  it('is made, changed, deleted, and brought back', async () => {
    const page = await newPage()
    await signIn(page)
    await press(page, 'link', 'Vendors')
    await heading(page, 'Vendors')
    await page.waitForFunction(`document.activeElement.tagName === 'H1'`)
    await press(page, 'link', 'New vendor')
    await form(page, 'New vendor')
    await press(page, 'button', 'Create')
    await page.waitForSelector('[aria-invalid]')
    const tied = `(() => { const field = document.activeElement; return document.getElementById(field.getAttribute('aria-describedby').split(' ').at(-1)).textContent })()`
    await page.waitForFunction(`document.activeElement.name === 'name'`)
    assert.match(await evaluate(page, tied), /\w/)
    await type(page, 'Name', 'Hansen Bygg')
    await press(page, 'button', 'Create')
    await heading(page, 'Hansen Bygg')
    await press(page, 'link', 'Edit')
    await form(page, 'Edit Hansen Bygg')
    await type(page, 'Name', 'Hansen & Sønn')
    await page.reload({ waitUntil: 'networkidle0' })
    await see(page, 'What you typed is back.')
    assert.equal(await evaluate(page, `document.querySelector('[name=name]').value`), 'Hansen & Sønn')
    await press(page, 'button', 'Save')
    await heading(page, 'Hansen & Sønn')
    await press(page, 'button', 'Actions')
    await press(page, 'menuitem', 'Delete')
    await see(page, 'Hansen & Sønn was deleted.')
    await heading(page, 'Vendors')
    await press(page, 'button', 'Undo')
    await see(page, 'Hansen & Sønn is back.')
    const list = await firm.owner.get('/vendors', { query: { search: 'Hansen' } })
    assert.deepEqual(
      list.body.data.map(({ name }: { name: string }) => name),
      ['Hansen & Sønn'],
    )
    await page.close()
  })

  it('is merged field by field where somebody else changed it meanwhile', async () => {
    const { id } = (await firm.owner.post('/vendors', { name: 'Merge', phone: '1' })).body.data
    const page = await newPage()
    await signIn(page, `${root}/vendors/${id}/edit`)
    await type(page, 'Name', 'Mine')
    await firm.owner.put(`/vendors/${id}`, { name: 'Theirs', phone: '2' })
    await press(page, 'button', 'Save')
    await see(page, 'Somebody changed this meanwhile')
    // Cancelling the choice shows it again at the next attempt.
    await page.locator(`dialog >>> ${named('button', 'Cancel')}`).click()
    await page.waitForFunction(`!document.querySelector('dialog')`)
    await press(page, 'button', 'Save')
    await see(page, 'Somebody changed this meanwhile')
    assert.equal((await firm.owner.get(`/vendors/${id}`)).body.data.name, 'Theirs')
    await press(page, 'button', 'Save this')
    await heading(page, 'Mine')
    const { name, phone } = (await firm.owner.get(`/vendors/${id}`)).body.data
    assert.deepEqual([name, phone], ['Mine', '2'])
    await page.close()
  })

  it('is merged with what was typed before a reload too: only that stands over what it holds now', async () => {
    const { id } = (await firm.owner.post('/vendors', { name: 'Reloaded', phone: '1' })).body.data
    const page = await newPage()
    await signIn(page, `${root}/vendors/${id}/edit`)
    await type(page, 'Name', 'Typed before')
    await page.waitForFunction(`Object.values(sessionStorage).join().includes('Typed before')`)
    await firm.owner.put(`/vendors/${id}`, { name: 'Theirs', phone: '2' })
    await page.reload({ waitUntil: 'networkidle0' })
    await see(page, 'What you typed is back.')
    const shown = `['name', 'phone'].map((name) => document.querySelector('form.form [name=' + name + ']').value)`
    assert.deepEqual(await evaluate(page, shown), ['Typed before', '2'])
    await press(page, 'button', 'Save')
    await see(page, 'Somebody changed this meanwhile')
    await see(page, 'Theirs')
    await page.locator(`dialog >>> ${named('radio', 'Theirs: Theirs')}`).click()
    await press(page, 'button', 'Save this')
    await heading(page, 'Theirs')
    assert.equal((await firm.owner.get(`/vendors/${id}`)).body.data.phone, '2')
    await page.close()
  })

  it('is changed as it is now, not as it was when it was last looked at', async () => {
    const { id } = (await firm.owner.post('/vendors', { name: 'Looked at', phone: '1' })).body.data
    const page = await newPage()
    await signIn(page, `${root}/vendors/${id}`)
    await heading(page, 'Looked at')
    await world.sql(`UPDATE vendors SET phone = '2' WHERE tenant_id = $1 AND id = $2`, [firm.id, id])
    await press(page, 'link', 'Edit')
    await form(page, 'Edit Looked at')
    assert.equal(await evaluate(page, `document.querySelector('form.form [name=phone]').value`), '2')
    await page.close()
  })

  it('keeps what was typed when the session ends', async () => {
    const page = await newPage()
    await signIn(page, `${root}/vendors/new`)
    await type(page, 'Name', 'Outlives')
    await world.sql(
      `UPDATE access_tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE tenant_id = $1 AND name = 'session'`,
      [firm.id],
    )
    await press(page, 'button', 'Create')
    await see(page, 'Your session is over')
    await page.type('dialog [name=email]', firm.owner.email)
    await page.type('dialog [name=password]', PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForFunction(`!document.querySelector('dialog')`)
    await press(page, 'button', 'Create')
    await heading(page, 'Outlives')
    await page.close()
  })

  it('has actions by their names, which say why where they can’t be done', async () => {
    const page = await newPage()
    await signIn(page, `${root}/purchase-orders`)
    await press(page, 'link', 'PO-00001')
    await heading(page, 'PO-00001')
    await press(page, 'button', 'Actions')
    const receive = `[...document.querySelectorAll('[role=menuitem]')].find((one) => one.textContent.startsWith('Receive'))`
    assert.equal(await evaluate(page, `${receive}.getAttribute('aria-disabled')`), 'true')
    assert.match(await evaluate(page, `${receive}.textContent`), /Draft/i)
    await page.keyboard.press('Escape')
    await press(page, 'button', 'Send')
    await see(page, 'Sent')
    assert.equal((await firm.owner.get('/purchase-orders')).body.data[0].status, 'sent')
    await type(page, 'Note', 'Ring them')
    await press(page, 'button', 'Add note')
    await see(page, 'Ring them')
    await page.close()
  })
})

it('has lines that are put in order by keys, and by buttons', async () => {
  const { id: vendor_id } = (await firm.owner.post('/vendors', { name: 'Orders' })).body.data
  const lines = ['One', 'Two', 'Three'].map((description) => ({ description, quantity: 1, unit_price: 1 }))
  const { id } = (await firm.owner.post('/purchase-orders', { vendor_id, title: 'Ordered', currency: 'EUR', lines })).body.data
  const page = await newPage()
  await signIn(page, `${root}/purchase-orders/${id}/edit`)
  await page.waitForSelector('.rows .row')
  const third = `[...document.querySelectorAll('.row')][2].querySelector('[name=description]')`
  await evaluate(page, `${third}.focus()`)
  await page.keyboard.down('Alt')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.up('Alt')
  await page.waitForFunction(
    `document.activeElement.value === 'Three' && document.activeElement.closest('.row').ariaLabel === 'Line 2'`,
  )
  await press(page, 'button', 'Move line 1 down')
  await press(page, 'button', 'Remove line 3')
  await press(page, 'button', 'Save')
  await see(page, 'Saved.')
  const saved = (await firm.owner.get(`/purchase-orders/${id}`)).body.data.lines.map(
    (line: { description: string }) => line.description,
  )
  assert.deepEqual(saved, ['Three', 'One'])
  await page.close()
})

it('tells what lines come to while they are typed, as the server reckons, and keeps nothing of it', async () => {
  const before = (await firm.owner.get('/purchase-orders')).body.meta.total
  const page = await newPage()
  await signIn(page, `${root}/purchase-orders/new`)
  await page.locator(named('combobox', 'Vendor')).fill('Lind')
  await press(page, 'option', 'Lindqvist Kontor')
  await page.locator('[name=quantity]').fill('3')
  await page.locator('[name=unit_price]').fill('0.335')
  await page.locator('[name=tax_rate]').fill('19')
  await page.waitForSelector('.totals')
  const totals = () =>
    evaluate<string[]>(page, `[...document.querySelectorAll('.totals dd')].map((one) => one.textContent.replace(/[^\\d.]/g, ''))`)
  const lines = [{ description: 'Nails', quantity: 3, unit_price: 0.335, tax_rate: 19 }]
  const [{ id: vendor_id }] = (await firm.owner.get('/vendors', { query: { search: 'Lindqvist' } })).body.data
  const { data } = (await firm.owner.post('/purchase-orders', { vendor_id, title: 'Nails', lines })).body
  await page.locator('[name=description]').fill('Nails')
  await page.waitForFunction(`document.querySelectorAll('.totals dd').length === 3`)
  assert.deepEqual((await totals()).map(Number), [data.subtotal, data.tax_total, data.total].map(Number))
  await firm.owner.del(`/purchase-orders/${data.id}`)
  assert.equal((await firm.owner.get('/purchase-orders')).body.meta.total, before)
  await page.close()
})

it('is sent with what is still looked up for it, and not where that is nothing', async () => {
  const [one, other] = await Promise.all(
    ['Slow and steady', 'Quick and ready'].map(async (name) => (await firm.owner.post('/vendors', { name })).body.data.id),
  )
  const lines = [{ description: 'Nails', quantity: 1, unit_price: 1 }]
  const { id } = (await firm.owner.post('/purchase-orders', { vendor_id: one, title: 'Nails', lines })).body.data
  const vendor = async () => (await firm.owner.get(`/purchase-orders/${id}`)).body.data.vendor_id
  const page = await newPage()
  await signIn(page, `${root}/purchase-orders/${id}/edit`)
  const typeAndSend = async (text: string) => {
    await page.locator(named('combobox', 'Vendor')).click({ count: 3 })
    await page.keyboard.type(text)
    await page.keyboard.down('Control')
    await page.keyboard.press('s')
    await page.keyboard.up('Control')
  }
  await typeAndSend('Nobody has this name')
  await page.waitForFunction(`document.querySelector('form [role=alert]')?.innerText.includes('nothing was chosen')`)
  assert.equal(await vendor(), one)
  await typeAndSend('Quick and')
  await page.waitForFunction(`!location.pathname.endsWith('/edit')`)
  assert.equal(await vendor(), other)
  await page.close()
})

it('begins with what waits and how much there is, each a way to it', async () => {
  const page = await newPage()
  const { id } = (await firm.owner.post('/tasks', { title: 'Sweep the yard' })).body.data
  await signIn(page, `${root}/`)
  const figures = `[aria-labelledby=figures]`
  await page.waitForSelector(`${figures} table`)
  await page.locator(`${figures} a[href$='/tasks?status=todo']`).click()
  await heading(page, 'Tasks')
  await see(page, 'Sweep the yard')
  await firm.owner.del(`/tasks/${id}`)
  await page.close()
})

it('has files: attached to a record from its page, found there, and taken away', async () => {
  const { id } = (await firm.owner.post('/projects', { title: 'Harbour office' })).body.data
  const page = await newPage()
  await signIn(page, `${root}/projects/${id}`)
  await press(page, 'link', 'New document')
  await form(page, 'New document')
  await see(page, 'Harbour office')
  const file = join(mkdtempSync(join(tmpdir(), 'atrium-console-')), 'plan.txt')
  writeFileSync(file, 'Two rooms')
  await type(page, 'Title', 'Plan')
  await upload(page, 'input[type=file]', file)
  await press(page, 'button', 'Create')
  await heading(page, 'Plan')
  await page.goto(`${root}/projects/${id}`, { waitUntil: 'networkidle0' })
  await page.locator(`main >>> ${named('link', 'Documents')}`).click()
  await page.waitForFunction(`location.search === '?project_id=${id}' && document.querySelectorAll('tbody tr').length === 1`)
  await press(page, 'link', 'Plan')
  await heading(page, 'Plan')
  await press(page, 'button', 'Actions')
  await press(page, 'menuitem', 'Delete')
  await see(page, 'Plan was deleted.')
  await page.close()
})

describe('a calendar', () => {
  const place = (page: Page) => evaluate<string>(page, 'location.search')
  const focusedDay = (day: string) => `document.activeElement.dataset.day === '${day}'`
  before(async () => {
    for (const [title, due_on] of [
      ['Before', '2031-01-25'],
      ['First', '2031-02-01'],
      ['Last', '2031-02-28'],
      ['After', '2031-03-09'],
    ])
      assert.equal((await firm.owner.post('/tasks', { title, due_on })).status, 201)
  })

  it('shows a month of records, which its address says; arrows go from day to day and over its edge', async () => {
    const page = await newPage()
    await signIn(page, `${root}/tasks`)
    await press(page, 'link', 'Calendar')
    await page.waitForSelector('table.calendar')
    await page.goto(`${root}/tasks/calendar?month=2031-02&status=todo`, { waitUntil: 'networkidle0' })
    await page.waitForSelector('.entry')
    const shown = () =>
      evaluate<string[]>(page, `[...document.querySelectorAll('.entry')].map((one) => one.firstChild.textContent)`)
    assert.deepEqual(await shown(), ['First', 'Last'])
    await evaluate(page, `document.querySelector('[data-day="2031-02-01"]').focus()`)
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(focusedDay('2031-02-02'))
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction(focusedDay('2031-02-09'))
    await page.keyboard.press('PageUp')
    await page.waitForFunction(focusedDay('2031-01-01'))
    assert.equal(await place(page), '?month=2031-01&status=todo&day=2031-01-01')
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(focusedDay('2030-12-31'))
    await press(page, 'button', 'Next')
    await press(page, 'button', 'Next')
    await page.waitForFunction(`document.querySelectorAll('.entry').length === 2`)
    await evaluate(page, `document.querySelector('[data-day="2031-02-28"]').focus()`)
    await page.keyboard.press('Enter')
    await heading(page, 'Last')
    await page.goBack()
    await page.waitForSelector('table.calendar')
    await evaluate(page, `document.querySelector('[data-day="2031-02-03"]').focus()`)
    await page.keyboard.press('Enter')
    await form(page, 'New task')
    assert.equal(await evaluate(page, `document.querySelector('[name=due_on]').value`), '2031-02-03')
    await page.close()
  })

  it('is mirrored with its page, and a list of days on a phone', async () => {
    const page = await newPage()
    await signIn(page, `${root}/tasks/calendar?month=2031-02`)
    await page.waitForSelector('.entry')
    await evaluate(page, `document.documentElement.dir = 'rtl'; document.querySelector('[data-day="2031-02-10"]').focus()`)
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(focusedDay('2031-02-11'))
    await page.setViewport(screens.phone)
    await page.waitForSelector('.agenda')
    const days = await evaluate<string[]>(page, `[...document.querySelectorAll('.agenda h3')].map((one) => one.textContent)`)
    assert.deepEqual(days, ['Saturday, February 1', 'Friday, February 28'])
    await page.close()
  })

  it('says so where there is more than it shows', async () => {
    const tasks = Array.from({ length: 101 }, (_, n) => ({ title: `Many ${n}`, due_on: '2032-02-10' }))
    const made = await Promise.all(tasks.map((task) => firm.owner.post('/tasks', task)))
    assert.ok(made.every(({ status }) => status === 201))
    const page = await newPage()
    await signIn(page, `${root}/tasks/calendar?month=2032-02`)
    await see(page, 'The first 100 of 101')
    await page.locator('.calendar .rest').click()
    await page.waitForFunction(`location.pathname.endsWith('/tasks') && location.search.includes('due_on_from=2032-02-10')`)
    await see(page, 'of 101')
    await page.close()
  })
})

it('begins a payment with what is left to pay of the invoice that one comes from', async () => {
  const lines = [{ name: 'Desk', quantity: 2, unit_price: 480.5, tax_rate: 19 }]
  const { id, number, balance_due } = (await firm.owner.post('/invoices', { title: 'Desks', lines })).body.data
  assert.equal((await firm.owner.post(`/invoices/${id}/send`, {})).status, 200)
  const page = await newPage()
  await signIn(page, `${root}/invoices/${id}`)
  await press(page, 'link', 'New payment')
  // The form and the balance due load first.
  const amounts = `[...document.querySelectorAll('[name=amount]')].map((one) => one.value).join()`
  await page.waitForFunction(`${amounts} === '${balance_due},${balance_due}'`)
  await page.select('[name=method]', 'cash')
  await press(page, 'button', 'Create')
  await page.waitForFunction(`/^PAY/.test(document.querySelector('h1').textContent)`)
  await page.goto(`${root}/invoices/${id}`, { waitUntil: 'networkidle0' })
  await heading(page, number)
  await see(page, 'Paid')
  assert.equal((await firm.owner.get(`/invoices/${id}`)).body.data.balance_due, 0)
  await page.close()
})

it('keeps what is typed into a form whose invoice can not be read, whatever happens elsewhere', async () => {
  const page = await newPage()
  await signIn(page, `${root}/payments/new?allocations.invoice_id=999999`)
  await form(page, 'New payment')
  await new Promise((resolve) => setTimeout(resolve, 1500)) // it subscribes a moment later
  await type(page, 'Reference', 'Typed meanwhile')
  await evaluate(page, `document.querySelector('main form.form').dataset.typed = 'here'`)
  const asked = page.waitForResponse((response) => response.url().includes('/invoices/999999'))
  const paid = await firm.owner.post('/payments', { amount: 1, method: 'cash', currency: 'EUR' })
  assert.equal(paid.status, 201, paid.body.message)
  assert.equal((await asked).status(), 404)
  await page.waitForNetworkIdle({ idleTime: 500 })
  assert.equal(await evaluate(page, `document.querySelector('main form.form')?.dataset.typed`), 'here')
  assert.equal(await evaluate(page, `document.querySelector('[name=reference]').value`), 'Typed meanwhile')
  await page.close()
})

it('keeps the settings of the firm: its address and its logo, and a role by what roles there are', async () => {
  const page = await newPage()
  await signIn(page)
  await press(page, 'link', 'Settings')
  await heading(page, 'Settings')
  await type(page, 'Address on documents', 'Quay 7\nLübeck')
  await type(page, 'Telephone on documents', '')
  await press(page, 'button', 'Save')
  await see(page, 'Settings saved.')
  const { settings } = (await firm.owner.get('/settings')).body.data
  assert.equal(settings.company_address, 'Quay 7\nLübeck')
  const file = join(mkdtempSync(join(tmpdir(), 'atrium-console-')), 'logo.svg')
  writeFileSync(
    file,
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#123456"/></svg>',
  )
  await upload(page, 'input[type=file]', file)
  await page.waitForSelector('.logo img')
  await press(page, 'button', 'Remove the logo')
  await see(page, 'There is none yet.')
  const { id } = await firm.user(['tasks.view'])
  await page.goto(`${root}/users/${id}/edit`, { waitUntil: 'networkidle0' })
  await page.waitForSelector('.choices input')
  const before = (await firm.owner.get(`/users/${id}`)).body.data.role
  await page.locator('.choices label ::-p-text(member)').click()
  await press(page, 'button', 'Save')
  await see(page, 'Saved.')
  assert.deepEqual(new Set((await firm.owner.get(`/users/${id}`)).body.data.role), new Set([...before, 'member']))
  await page.close()
})

describe('the focus', () => {
  before(async () => void (await firm.owner.post('/tasks', { title: 'Look around' })))
  const isOn = (page: Page, text: string) =>
    page.waitForFunction(`document.activeElement.textContent.trim() === ${JSON.stringify(text)}`, { timeout: 10_000 })
  const isOnHeading = (page: Page, text: string) =>
    page.waitForFunction(
      `document.activeElement.tagName === 'H1' && document.activeElement.textContent === ${JSON.stringify(text)}`,
    )

  for (const [key, title] of [
    ['vendors', 'Vendors'],
    ['purchase-orders', 'Purchase orders'],
    ['leads', 'Leads'],
    ['tasks', 'Tasks'],
  ] as const)
    it(`is on the heading of what is opened, and on the row that one came from: ${key}`, async () => {
      const page = await newPage()
      await signIn(page)
      await press(page, 'link', title)
      await isOnHeading(page, title)
      const link = (await page.waitForSelector('tbody tr:last-child a.title'))!
      const name = await link.evaluate((one) => one.textContent!.trim())
      await link.focus()
      await page.keyboard.press('Enter')
      await page.waitForFunction(`document.querySelector('h1').textContent !== ${JSON.stringify(title)}`)
      await page.waitForFunction(`document.activeElement.tagName === 'H1'`)
      await page.goBack()
      await isOn(page, name)
      await page.goForward()
      await page.waitForFunction(`document.activeElement.tagName === 'H1'`)
      await press(page, 'link', 'Edit')
      await page.waitForFunction(
        `document.activeElement.tagName === 'H1' && document.activeElement.textContent.startsWith('Edit')`,
      )
      await page.goBack()
      await isOn(page, 'Edit')
      await page.close()
    })

  it('is never lost: after making, deleting, taking back, closing a dialog, and where a deed takes its own button away', async () => {
    const page = await newPage()
    await signIn(page, `${root}/tasks/new`)
    await type(page, 'Title', 'Focused')
    await press(page, 'button', 'Create')
    await isOnHeading(page, 'Focused')
    await press(page, 'button', 'Actions')
    await press(page, 'menuitem', 'Assign')
    await page.waitForSelector('dialog')
    await page.keyboard.press('Escape')
    await page.waitForFunction(`!document.querySelector('dialog')`)
    await isOn(page, 'Actions')
    await page.locator(named('button', 'Start')).wait()
    await evaluate(page, `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Start').focus()`)
    await page.keyboard.press('Enter')
    await page.waitForFunction(`![...document.querySelectorAll('button')].some((one) => one.textContent === 'Start')`)
    assert.notEqual(await evaluate(page, 'document.activeElement.tagName'), 'BODY')
    await press(page, 'button', 'Actions')
    await press(page, 'menuitem', 'Delete')
    await isOnHeading(page, 'Tasks')
    await see(page, 'Focused was deleted.')
    await evaluate(page, `[...document.querySelectorAll('.toast .act')].at(-1).focus()`)
    await page.keyboard.press('Enter')
    await see(page, 'Focused is back.')
    assert.notEqual(await evaluate(page, 'document.activeElement.tagName'), 'BODY')
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('dialog')
    await page.keyboard.press('Escape')
    await page.waitForFunction(`!document.querySelector('dialog')`)
    assert.notEqual(await evaluate(page, 'document.activeElement.tagName'), 'BODY')
    await page.close()
  })
})

it('scrolls the longest page of a list, and a board of hundreds of cards, without standing still', async () => {
  await world.sql(
    `INSERT INTO leads (tenant_id, name, lead_type, priority, status, stage_id, created_at, updated_at)
     SELECT tenant_id, 'Long ' || n, lead_type, priority, status, stage_id, created_at, updated_at FROM leads, generate_series(1, 1000) n
     WHERE tenant_id = $1 AND name = 'Ada Lovelace'`,
    [firm.id],
  )
  for (const viewport of [screens.desktop, screens.phone])
    for (const [path, card] of [
      ['leads?per_page=100', viewport === screens.phone ? '.cards > li' : 'tbody tr'],
      ['leads/board', '.board article'],
    ] as const) {
      const page = await newPage(viewport)
      await signIn(page, `${root}/${path}`)
      await page.waitForFunction(`document.querySelectorAll('${card}').length >= 50`)
      const longest = await evaluate<number>(
        page,
        `new Promise((resolve) => {
          const tasks = []
          new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
          const step = () => {
            scrollBy(0, 600)
            if (scrollY + innerHeight < document.documentElement.scrollHeight - 1) requestAnimationFrame(step)
            else setTimeout(() => resolve(Math.max(0, ...tasks)), 200)
          }
          requestAnimationFrame(step)
        })`,
      )
      assert.ok(longest < 1000, `${path}: a task of ${longest} ms`)
      if (process.env.FIGURES) process.stderr.write(`${path}, ${viewport.width} px: longest task ${Math.round(longest)} ms\n`)
      await page.close()
    }
})

describe('the state of a record', () => {
  it('is led on by a button, and back by undo', async () => {
    const { id } = (await firm.owner.post('/tasks', { title: 'Water the plants' })).body.data
    const page = await newPage()
    await signIn(page, `${root}/tasks/${id}`)
    await press(page, 'button', 'Start')
    await page.waitForSelector(named('button', 'Undo'))
    assert.equal((await firm.owner.get(`/tasks/${id}`)).body.data.status, 'in_progress')
    await press(page, 'button', 'Undo')
    await page.waitForSelector(named('button', 'Start'))
    assert.equal((await firm.owner.get(`/tasks/${id}`)).body.data.status, 'todo')
    await page.close()
  })

  it('has its next step named for whoever may not take it, with the reason for eyes and ears', async () => {
    const page = await newPage()
    const tim = await firm.user(['tasks.view'], 'Tim')
    const { id } = (await firm.owner.post('/tasks', { title: 'Count the chairs', assigned_to: tim.id })).body.data
    await world.sql('UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2', [
      firm.owner.id,
      tim.id,
    ])
    await signIn(page, `${root}/tasks/${id}`, tim.email)
    const start = (await page.waitForSelector(named('button', 'Start')))!
    await start.focus()
    const tip = `document.getElementById(document.activeElement.getAttribute('aria-describedby'))`
    const told = await evaluate<string[]>(
      page,
      `[document.activeElement.getAttribute('aria-disabled'), ${tip}.textContent, getComputedStyle(${tip}).visibility]`,
    )
    assert.deepEqual([told[0], told[2]], ['true', 'visible'])
    assert.match(told[1]!, /permission/)
    await page.keyboard.press('Enter')
    assert.equal((await firm.owner.get(`/tasks/${id}`)).body.data.status, 'todo')
    await page.close()
  })
})

describe('a list', () => {
  it('has its columns and filters in the address, one state, and names that lead to the record', async () => {
    const page = await newPage()
    await signIn(page, `${root}/purchase-orders?columns=number,status,title&status=received`)
    await see(page, 'Nothing was found')
    const [{ status }] = (await firm.owner.get('/purchase-orders', { query: { search: 'PO-00001' } })).body.data
    await page.select('.filters select', status)
    await page.waitForSelector('tbody tr')
    assert.ok(page.url().includes(`status=${status}`))
    const headings = `[...document.querySelectorAll('thead th')].map((one) => one.textContent).filter(Boolean)`
    assert.deepEqual(await evaluate(page, headings), ['Number', 'Status', 'Title'])
    await press(page, 'button', 'Columns')
    await press(page, 'menuitemcheckbox', 'Title')
    await page.waitForFunction(`new URLSearchParams(location.search).get('columns') === 'number,status'`)
    await press(page, 'menuitemcheckbox', 'Vendor')
    await page.keyboard.press('Escape')
    await see(page, 'Lindqvist Kontor')
    await press(page, 'link', 'PO-00001')
    await heading(page, 'PO-00001')
    await page.goto(`${root}/invoices`, { waitUntil: 'networkidle0' })
    await press(page, 'button', 'Columns')
    assert.deepEqual(
      await evaluate(
        page,
        `[...document.querySelectorAll('[role=menuitemcheckbox]')].filter((one) => /status/i.test(one.textContent)).map((one) => one.innerText.split('\\n')[0])`,
      ),
      ['Status', 'Recurrence status'],
    )
    await page.close()
  })

  it('has a deed done to the chosen and to all that match, names those that it can not be done to, and undoes it', async () => {
    const make = async (n: number) => (await firm.owner.post('/tasks', { title: `Chair ${n}` })).body.data.id as number
    const ids: number[] = []
    for (let n = 0; n < 3; n++) ids.push(await make(n))
    const page = await newPage()
    await signIn(page, `${root}/tasks?search=Chair`)
    const all = async () => (await firm.owner.get('/tasks', { query: { search: 'Chair' } })).body.data as { status: string }[]
    await page.waitForSelector('tbody tr')
    await press(page, 'checkbox', 'Select Chair 1')
    await see(page, '1 selected')
    const many = (await all()).length
    await press(page, 'button', `Select all ${many} that match`)
    await see(page, `${many} selected`)
    await press(page, 'button', 'Delete')
    await see(page, `${many} deleted.`)
    await page.waitForFunction(`!document.querySelector('tbody')`)
    await press(page, 'button', 'Undo')
    await see(page, `${many} are as they were.`)
    assert.equal((await all()).length, many)
    await press(page, 'checkbox', 'Select all')
    await press(page, 'button', 'Edit')
    await page.select('dialog select', 'due_on')
    await page.locator('dialog input[type=date]').fill('2027-02-01')
    await press(page, 'button', 'Save')
    await see(page, `${many} changed.`)
    await firm.owner.post(`/tasks/${ids[0]}/status`, { status: 'done' })
    await page.reload({ waitUntil: 'networkidle0' })
    await press(page, 'checkbox', 'Select Chair 0')
    await press(page, 'checkbox', 'Select Chair 1')
    await press(page, 'button', 'Change the status')
    await page.select('dialog select', 'done')
    await press(page, 'button', 'Save')
    await see(page, '1 could not be done:')
    await see(page, 'Chair 0: ')
    await page.close()
  })

  it('is saved as a view, for oneself and for everybody', async () => {
    const page = await newPage()
    await signIn(page, `${root}/vendors?is_active=true&sort=name&direction=desc&columns=name,email`)
    await press(page, 'button', 'Views')
    await press(page, 'menuitem', 'Save as a view')
    await type(page, 'Name', 'Whom we buy from')
    await press(page, 'checkbox', 'Share it with everybody here')
    await press(page, 'button', 'Save')
    await see(page, 'Whom we buy from is saved.')
    const ina = await firm.user(['vendors.view'], 'Ina')
    const [view] = (await ina.get('/saved-views', { query: { screen: 'vendors' } })).body.data
    assert.deepEqual(
      [view.name, view.filters, view.sort, view.direction, view.columns],
      ['Whom we buy from', { is_active: 'true' }, 'name', 'desc', ['name', 'email']],
    )
    await page.goto(`${root}/vendors`, { waitUntil: 'networkidle0' })
    await press(page, 'button', 'Views')
    await press(page, 'menuitemradio', 'Whom we buy from')
    await page.waitForFunction(`document.querySelectorAll('thead th').length === 3`)
    await press(page, 'button', 'Whom we buy from')
    await press(page, 'menuitem', 'Delete Whom we buy from')
    await see(page, 'Whom we buy from was deleted.')
    await press(page, 'button', 'Undo')
    await press(page, 'button', 'Views')
    await page.waitForSelector(named('menuitemradio', 'Whom we buy from'))
    await page.close()
  })

  it('takes records from a file, tells which rows are wrong, and takes the import back', async () => {
    const page = await newPage()
    await signIn(page, `${root}/vendors`)
    await press(page, 'button', 'More')
    await press(page, 'menuitem', 'Import')
    await heading(page, 'Import Vendors')
    const file = join(mkdtempSync(join(tmpdir(), 'atrium-console-')), 'vendors.csv')
    writeFileSync(file, 'Company,E-mail,Shoe size\nImported One,one@import.example,40\nImported Two,no address,41\n')
    await upload(page, 'input[type=file]', file)
    await see(page, 'Left out: ')
    await page.select('select[name=name]', 'Company')
    await page.select('select[name=email]', 'E-mail')
    await press(page, 'button', 'Try it')
    await see(page, 'What is wrong')
    assert.match(await evaluate(page, `document.querySelector('tbody').innerText`), /^3\t?.*mail/i)
    await press(page, 'button', 'Import 2 rows')
    await page.waitForSelector(named('heading', 'Import'))
    await world.drain()
    await see(page, 'The import is done.')
    await page.reload({ waitUntil: 'networkidle0' })
    await page.waitForSelector(named('link', 'Rows that failed'))
    const names = async () => (await firm.owner.get('/vendors', { query: { search: 'Imported' } })).body.data.length
    assert.equal(await names(), 1)
    await press(page, 'button', 'Undo')
    await see(page, 'done')
    await world.drain()
    await see(page, 'The import was taken back.')
    assert.equal(await names(), 0)
    await page.close()
  })

  it('is searched, sorted and left by addresses that give the same again', async () => {
    const page = await newPage()
    await signIn(page, `${root}/vendors`)
    await page.locator('::-p-aria([name="Search"][role="searchbox"])').fill('lindqvist')
    await page.waitForFunction(`location.search === '?search=lindqvist' && document.querySelectorAll('tbody tr').length === 1`)
    await press(page, 'button', 'Clear filters').catch(() => press(page, 'link', 'Clear filters'))
    await press(page, 'button', 'Name')
    await page.waitForFunction(`document.querySelector('th[aria-sort]')?.textContent === 'Name'`)
    assert.match(page.url(), /sort=name&direction=asc/)
    await press(page, 'link', 'Lindqvist Kontor')
    await heading(page, 'Lindqvist Kontor')
    await page.goBack()
    await heading(page, 'Vendors')
    assert.match(page.url(), /sort=name&direction=asc/)
    await page.close()
  })

  it('shows as text what people typed', async () => {
    const page = await newPage()
    await signIn(page, `${root}/vendors`)
    await see(page, '<script>document.title')
    assert.equal(await evaluate(page, `document.querySelectorAll('main img, main script').length`), 0)
    assert.notEqual(await page.title(), 'stolen')
    await page.close()
  })
})

describe('a board', () => {
  it('moves a record by keys, by menu and by pointer, says where it is, and undoes it', async () => {
    const { id } = (await firm.owner.post('/projects', { title: 'New shelves' })).body.data
    const status = async () => (await firm.owner.get(`/projects/${id}`)).body.data.status
    const page = await newPage()
    await signIn(page, `${root}/projects/board`)
    const card = (await page.waitForSelector(named('link', 'New shelves')))!
    await card.focus()
    const alt = async (key: 'ArrowRight' | 'ArrowLeft') => {
      await page.keyboard.down('Alt')
      await page.keyboard.press(key)
      await page.keyboard.up('Alt')
    }
    await alt('ArrowLeft')
    await see(page, 'There is no column on that side for New shelves.')
    await alt('ArrowRight')
    await see(page, 'New shelves is in Active now.')
    await page.waitForFunction(
      `document.activeElement.textContent === 'New shelves' && document.activeElement.closest('section').ariaLabel === 'Active'`,
    )
    assert.equal(await status(), 'active')
    await press(page, 'button', 'Move to: New shelves')
    const planned = `[...document.querySelectorAll('[role^=menuitem]')].find((one) => one.textContent.startsWith('Planned'))`
    assert.equal(await evaluate(page, `${planned}.getAttribute('aria-disabled')`), 'true')
    await press(page, 'menuitemradio', 'On hold')
    await see(page, 'New shelves is in On hold now.')
    await press(page, 'button', 'Undo')
    await page.waitForFunction(`document.querySelector('section[aria-label=Active] article')`) // optimistic
    await see(page, 'New shelves is in Active now.')
    assert.equal(await status(), 'active')
    const [from, to] = [await page.$('section[aria-label=Active] article'), await page.$('section[aria-label=Completed]')]
    await to!.drop(from!)
    await see(page, 'New shelves is in Completed now.')
    assert.equal(await status(), 'completed')
    await page.close()
  })
})

it('is used by the keyboard alone: the palette leads to a form, and the form is sent', async () => {
  const page = await newPage()
  await signIn(page)
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.waitForSelector(named('dialog', 'Commands'))
  await page.keyboard.type('new vendor')
  await page.keyboard.press('Enter')
  await form(page, 'New vendor')
  await page.waitForFunction(`document.activeElement.tagName === 'H1'`)
  for (let n = 0; n < 5 && (await evaluate(page, 'document.activeElement.name')) !== 'name'; n++) await page.keyboard.press('Tab')
  await page.keyboard.type('By keys')
  await page.keyboard.down('Control')
  await page.keyboard.press('Enter')
  await page.keyboard.up('Control')
  await heading(page, 'By keys')
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.waitForSelector(named('dialog', 'Commands'))
  await page.keyboard.type('keyboard')
  await page.waitForSelector(named('option', 'Keyboard'))
  await page.keyboard.press('Enter')
  await page.waitForSelector(named('dialog', 'Keyboard'))
  assert.deepEqual(await wrongIn(page), [])
  await page.keyboard.press('Escape')
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.keyboard.type('lovelace')
  await page.waitForSelector(named('option', 'Ada Lovelace'))
  await page.keyboard.press('Enter')
  await heading(page, 'Ada Lovelace')
  await page.close()
})

it('shows a member what they may, and says what they lack', async () => {
  const ida = await firm.user(['vendors.view'], 'Ida')
  await world.sql('UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2', [
    firm.owner.id,
    ida.id,
  ])
  const page = await newPage()
  await signIn(page, `${root}/vendors`, ida.email)
  await heading(page, 'Vendors')
  const links = await evaluate<string[]>(
    page,
    `[...document.querySelectorAll('nav[aria-label=Modules] a')].map((one) => one.textContent)`,
  )
  assert.deepEqual(links.includes('Purchase orders'), false)
  assert.equal(await evaluate(page, `[...document.querySelectorAll('a')].some((one) => one.textContent === 'New vendor')`), false)
  await page.goto(`${root}/purchase-orders`, { waitUntil: 'networkidle0' })
  await heading(page, 'There is nothing here')
  await page.close()
})

it('shows a key once, and says as whom somebody works', async () => {
  const page = await newPage()
  await signIn(page, `${root}/api-keys/new`)
  await type(page, 'Name', 'Export')
  await page.locator(named('checkbox', 'vendors.view See vendors')).click()
  await press(page, 'button', 'Create')
  await see(page, 'Shown once')
  assert.match(await evaluate(page, `document.querySelector('dialog input').value`), /^\S{30,}$/)
  await press(page, 'button', 'Close')
  await page.waitForFunction(`!document.querySelector('dialog')`)
  const operator = await newPage()
  await signIn(operator, `${base}/operator/tenants/${firm.id}`, world.admin.email)
  await press(operator, 'button', 'Actions')
  await press(operator, 'menuitem', 'Impersonate')
  await type(operator, 'Reason', 'To see what they see')
  await Promise.all([
    operator.waitForNavigation({ waitUntil: 'networkidle0' }),
    operator.locator('dialog button[type=submit]').click(),
  ])
  assert.equal(operator.url(), `${root}/`)
  await see(operator, 'and work as Olive Owner.')
  await press(operator, 'button', 'End')
  await operator.waitForFunction(`location.pathname === '/operator/tenants'`)
  await page.close()
  await operator.close()
})

it('speaks German to whoever wants it', async () => {
  const page = await newPage()
  await signIn(page)
  await press(page, 'button', 'Account: Olive Owner')
  await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), press(page, 'menuitemradio', 'Deutsch')])
  assert.deepEqual(
    [
      await evaluate(page, 'document.documentElement.lang'),
      await evaluate(page, `document.querySelector('.find').innerText.split('\\n')[0]`),
    ],
    ['de', 'Befehle'],
  )
  await press(page, 'link', 'Bestellungen')
  await heading(page, 'Bestellungen')
  await page.waitForSelector('thead th')
  const headings = await evaluate<string[]>(page, `[...document.querySelectorAll('thead th')].map((one) => one.textContent)`)
  assert.ok(headings.includes('Lieferant') && headings.includes('Gesamt'), headings.join())
  await press(page, 'link', 'PO-00001')
  await press(page, 'button', 'Aktionen')
  await page.waitForSelector(named('menuitem', 'Status ändern'))
  await see(page, 'Angelegt')
  await page.waitForFunction(
    `[...document.querySelectorAll('[role=menuitem] small')].some((one) => /^Im Stand „/.test(one.textContent))`,
  )
  assert.doesNotMatch(
    await evaluate<string>(page, `document.querySelector('main').innerText`),
    /It is not possible|Status changed/,
  )
  await page.close()
})

for (const { screen, viewport, way, whole } of looks)
  it(`on a ${screen}, ${way}: every screen fits, and axe finds nothing wrong`, async () => {
    const page = await newPage(viewport)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: way === 'dark' ? 'dark' : 'light' }])
    const wrong: string[] = []
    const look = async (path: string) => {
      await page.goto(base + path, { waitUntil: 'networkidle0' })
      if (way === 'rtl') await page.evaluate(`document.documentElement.dir = 'rtl'`)
      if (process.env.SCREENSHOTS)
        await page.screenshot({
          path: join(process.env.SCREENSHOTS, `console${path.replaceAll('/', '-')}-${screen}-${way}.png`) as `${string}.png`,
        })
      const overflow = await evaluate<number>(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth')
      if (overflow > 0) wrong.push(`${path}: ${overflow} pixels too wide`)
      wrong.push(...(await wrongIn(page)).map((one) => `${path}: ${one}`))
    }
    for (const path of ['/sign-in', '/sign-in/forgotten', '/sign-in/register', '/sign-in/operator']) await look(path)
    await signIn(page)
    const { screens: all } = (await firm.owner.get('/console')).body.data
    const below = `/w/${firm.slug}`
    await look(`${below}/`)
    // The remaining screens consist of the same components.
    for (const { key, may_create, layouts } of whole ? all : all.slice(0, 4)) {
      await look(`${below}/${key}`)
      if (may_create && whole) await look(`${below}/${key}/new`)
      for (const layout of layouts.slice(1)) await look(`${below}/${key}/${layout}`)
    }
    await look(`${below}/tasks/calendar?month=2031-02`)
    await look(`${below}/vendors/import`)
    await look(`${below}/settings`)
    for (const path of ['vendors', 'purchase-orders', 'leads']) {
      const { id } = (await firm.owner.get(`/${path}`)).body.data.at(-1)
      await look(`${below}/${path}/${id}`)
      await look(`${below}/${path}/${id}/edit`)
    }
    assert.deepEqual(wrong, [])
    await page.close()
  })
