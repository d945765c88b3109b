/** Custom screens of attendance, stock and documents by accessible names. Run by .ci/run. */
// CI stage: screens
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page } from 'puppeteer-core'
import type { Person, Workspace } from '../harness.ts'
import { wrongIn } from './axe.ts'
import { evaluate, heading, named, press, see, startBrowsing, type } from './person.ts'

const { world, signIn, member, newPage } = await startBrowsing()
const phone = { width: 360, height: 780, isMobile: true, hasTouch: true }
/** User input must always be rendered as text. */
const HOSTILE = `<img src=x onerror="document.title='stolen'">`
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
let firm: Workspace
let clerk: Person

before(async () => {
  firm = await world.workspace({
    name: 'Nordwind',
    modules: ['employees', 'attendance', 'products', 'warehouses', 'inventory', 'storage', 'documents'],
  })
  clerk = await member(firm, [], 'Carl Clerk')
  await firm.owner.post('/employees', { name: 'Olive Owner', user_id: firm.owner.id })
  await firm.owner.post('/employees', { name: 'Carl Clerk', user_id: clerk.id })
  await firm.owner.post('/employees', { name: HOSTILE })
})

async function signedIn(address: string, who: { email: string } = firm.owner, viewport?: object) {
  const page = await newPage(viewport)
  await signIn(page, `/w/${firm.slug}${address}`, who)
  return page
}
const until = (page: Page, expression: string) => page.waitForFunction(expression)
/**
 * Asserts that nothing overflows in light, dark and right-to-left variants, on a desktop, at double zoom and on the narrowest
 * phone; axe checks the variants where its results may differ.
 */
async function looksRight(page: Page) {
  for (const { way, isWhole, ...viewport } of [
    { width: 1280, height: 900, way: 'light', isWhole: true },
    { width: 1280, height: 900, way: 'dark', isWhole: true },
    { width: 1024, height: 700, way: 'rtl', isWhole: false },
    { width: 640, height: 450, way: 'light', isWhole: false },
    { width: 360, height: 780, way: 'rtl', isWhole: false },
    { width: 360, height: 780, way: 'light', isWhole: true },
  ]) {
    await page.setViewport(viewport)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: way === 'dark' ? 'dark' : 'light' }])
    await evaluate(page, `void (document.documentElement.dir = '${way === 'rtl' ? 'rtl' : 'ltr'}')`)
    const overflow = await evaluate<number>(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth')
    assert.equal(overflow, 0, `${viewport.width} ${way}`)
    if (isWhole) assert.deepEqual(await wrongIn(page), [], `${viewport.width} ${way}`)
  }
  await page.setViewport({ width: 1280, height: 900 })
}

describe('attendance', () => {
  it('checks in and out with one press, by keys, and shows who is in', async () => {
    const page = await signedIn('/attendance-day')
    await heading(page, 'Attendance')
    await see(page, 'You are not in yet.')
    await evaluate(page, `document.querySelector('[value=remote]').focus()`)
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await see(page, 'Checked in at')
    await page.waitForSelector(named('button', 'Check out'))
    assert.equal(await evaluate(page, `document.activeElement !== document.body`), true)
    const [record] = (await firm.owner.get('/attendance-records')).body.data
    assert.deepEqual([record.work_mode, record.latitude], ['remote', null])
    await until(page, `document.querySelector('tr[data-state=in] th')?.textContent === 'Olive Owner'`)
    await looksRight(page)

    await press(page, 'button', '2 Not in')
    await until(page, `document.querySelectorAll('.attendance-table tbody tr').length === 2`)
    assert.match(page.url(), /only=not_in/)
    await press(page, 'button', 'Correct Carl Clerk')
    await page.locator('dialog select').fill('absent')
    await press(page, 'button', 'Save')
    await until(page, `document.querySelector('dialog [aria-invalid]') === document.activeElement`)
    await type(page, 'Why it is corrected', 'Called in sick')
    await press(page, 'button', 'Save')
    await see(page, 'Corrected.')
    await page.waitForSelector(named('button', '1 Absent'))

    await press(page, 'button', 'Check out')
    await see(page, 'You left at')
    await press(page, 'button', 'Day before')
    await until(page, `new URLSearchParams(location.search).has('date')`)
    await page.close()
  })

  it('counts on only what was begun today', async () => {
    const gail = await member(firm, [], 'Gail Gone')
    const { id: employee_id } = (await firm.owner.post('/employees', { name: 'Gail Gone', user_id: gail.id })).body.data
    const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
    const record = { employee_id, date: day, check_in: '00:01', change_reason: 'Forgot to go' }
    assert.equal((await firm.owner.post('/attendance-records', record)).status, 201)
    const page = await signedIn('/attendance-day', gail)
    await until(page, `document.querySelector('.attendance-recent tbody tr')`)
    assert.match(await evaluate(page, `document.querySelector('.attendance-recent tbody tr').innerText`), /No check-out/)
    await page.close()
    await firm.owner.del(`/employees/${employee_id}`)
  })

  it('takes a time of the day without its first zero', async () => {
    const { id: employee_id } = (await firm.owner.post('/employees', { name: 'Ella Early' })).body.data
    const page = await signedIn(`/attendance-records/new?employee_id=${employee_id}&date=2026-11-02`)
    await page.locator('[name=check_in]').fill('7:00')
    await page.locator('[name=change_reason]').fill('Forgot to come')
    await press(page, 'button', 'Create')
    await until(page, `/attendance-records\\/\\d+$/.test(location.pathname)`)
    const [record] = (await firm.owner.get('/attendance-records', { query: { employee_id } })).body.data
    assert.equal(record.check_in, '07:00:00')
    await page.close()
    await firm.owner.del(`/employees/${employee_id}`)
  })

  it('shows employees without permissions themselves alone, and others who to ask', async () => {
    const page = await signedIn('/attendance-day', clerk)
    await see(page, 'You are noted as absent today.')
    assert.equal(await evaluate(page, `document.querySelectorAll('.attendance-all').length`), 0)
    await page.close()
    const other = await signedIn('/attendance-day', await member(firm, []), phone)
    await see(other, 'You can’t check in here')
    assert.deepEqual(await wrongIn(other), [])
    await other.close()
  })
})

describe('stock', () => {
  it('is adjusted with a look at what it becomes, never below zero, and taken back', async () => {
    const { owner } = firm
    const { id: product_id } = (
      await owner.post('/products', {
        name: 'Oak desk',
        sku: 'DESK',
        unit_price: 480,
        tax_rate: 19,
        track_stock: true,
        reorder_level: 5,
      })
    ).body.data
    const { id: warehouse_id } = (await owner.post('/warehouses', { name: 'Harbour', code: 'H', is_default: true })).body.data
    const { id: other } = (await owner.post('/warehouses', { name: 'Hill', code: 'B' })).body.data
    await owner.post('/inventory/stock/adjust', { product_id, warehouse_id, type: 'in', quantity: 12, notes: HOSTILE })
    await owner.post('/inventory/transfers', {
      from_warehouse_id: warehouse_id,
      to_warehouse_id: other,
      lines: [{ product_id, quantity: 3 }],
    })
    const onHand = async () =>
      (await owner.get('/inventory/stock', { query: { warehouse_id } })).body.data.map((one: { on_hand: number }) => one.on_hand)

    const page = await signedIn('/inventory-stock')
    await heading(page, 'Inventory stock')
    await page.waitForSelector(named('button', 'Adjust Oak desk, Harbour'))
    await looksRight(page)
    await press(page, 'button', 'Adjust Oak desk, Harbour')
    await press(page, 'radio', 'Goes out')
    await see(page, 'On hand: 12.')
    await page.locator('dialog [inputmode=decimal]').fill('20')
    await see(page, 'Only 12 are there')
    await press(page, 'button', 'Adjust')
    await until(page, `document.activeElement.inputMode === 'decimal' && document.activeElement.ariaInvalid !== 'false'`)
    assert.deepEqual(await onHand(), [12])
    await page.locator('dialog [inputmode=decimal]').fill('8')
    await see(page, 'It becomes 4.')
    assert.deepEqual(await wrongIn(page), [])
    await press(page, 'button', 'Adjust')
    await see(page, 'Oak desk, Harbour: 4 on hand now.')
    await page.waitForSelector(named('button', '1 low'))
    await press(page, 'button', 'Undo')
    await see(page, 'is at 12 again')
    assert.deepEqual(await onHand(), [12])

    await press(page, 'button', 'Oak desk: movements')
    await until(page, `document.querySelectorAll('.inventory-movements tbody tr').length === 3`)
    assert.match(page.url(), /#product-\d+$/)
    assert.deepEqual(await wrongIn(page), [])
    await page.keyboard.press('Escape')
    await until(page, `!document.querySelector('dialog') && document.activeElement.className === 'inventory-product'`)

    await press(page, 'link', 'Transfers')
    await heading(page, 'Stock transfers')
    await page.waitForSelector(named('link', 'New stock transfer'))
    const number = (await owner.get('/inventory/transfers')).body.data[0].number
    await press(page, 'button', `Dispatch: ${number}`)
    await page.waitForSelector(named('button', `Complete: ${number}`))
    await looksRight(page)
    await press(page, 'button', `Complete: ${number}`)
    await until(page, `document.querySelector('tbody .tag').textContent === 'Completed'`)
    assert.deepEqual(await onHand(), [9])
    await page.close()
  })

  it('is adjusted by what German writes', async () => {
    const { owner } = firm
    const product = { name: 'Seil', sku: 'SEIL', unit_price: 2, tax_rate: 19, track_stock: true }
    const { id: product_id } = (await owner.post('/products', product)).body.data
    const { id: warehouse_id } = (await owner.post('/warehouses', { name: 'Hafen', code: 'HA' })).body.data
    await owner.post('/inventory/stock/adjust', { product_id, warehouse_id, type: 'in', quantity: 1 })
    const page = await newPage()
    await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
    await signIn(page, `/w/${firm.slug}/inventory-stock`, owner)
    await press(page, 'button', 'Seil, Hafen anpassen')
    await see(page, 'Vorhanden: 1.')
    await page.focus('dialog [inputmode=decimal]')
    await page.keyboard.type('1.249,5')
    await see(page, 'Danach sind es 1.250,5.')
    await press(page, 'button', 'Anpassen')
    await see(page, 'Seil, Hafen: jetzt sind 1.250,5 da.')
    await page.close()
  })

  it('offers no correction to whoever may not, and keeps all columns within reach', async () => {
    const page = await signedIn('/inventory-stock', await member(firm, ['inventory.view']))
    await page.waitForSelector(named('button', 'Oak desk: movements'))
    assert.equal(await evaluate(page, `document.body.innerText.includes('Adjust')`), false)
    await press(page, 'button', 'More')
    await press(page, 'menuitem', 'All columns')
    await page.waitForSelector(named('button', 'Columns'))
    await press(page, 'button', 'Views')
    await press(page, 'menuitem', 'Save as a view')
    await type(page, 'Name', 'Every column')
    await press(page, 'button', 'Save')
    await see(page, 'Every column is saved.')
    await page.reload({ waitUntil: 'networkidle0' })
    await page.waitForSelector(named('button', 'Columns'))
    await press(page, 'button', 'Every column')
    await page.waitForSelector(named('menuitemradio', 'Every column'))
    assert.equal(await page.$(named('menuitem', 'Save the changes to Every column')), null)
    await page.close()
  })
})

describe('documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-files-'))
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }

  it('are uploaded several at once, previewed, renamed, moved, and deleted with a way back', async () => {
    await firm.owner.post('/document-categories', { name: 'Contracts' })
    const page = await signedIn('/documents')
    await heading(page, 'Documents')
    await page.waitForSelector(named('link', 'Contracts'))
    const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'button', 'Upload files')])
    await chooser.accept([file('desk.png', PIXEL), file('terms.txt', HOSTILE), file('empty.txt', ''), file('run.exe', 'MZ')])
    await see(page, 'The file is empty.')
    await see(page, 'Must be one of pdf')
    await until(page, `document.querySelectorAll('.uploads [data-state=done]').length === 2`)
    await page.waitForSelector(named('button', 'Preview desk'))
    await page.waitForSelector(named('button', 'Try again: empty.txt'))
    await looksRight(page)
    await press(page, 'button', 'Clear')

    await press(page, 'button', 'Preview desk')
    await until(page, `document.querySelector('.documents-shown img')?.naturalWidth === 1`)
    assert.deepEqual(await wrongIn(page), [])
    await page.keyboard.press('Escape')
    await press(page, 'button', 'Preview terms')
    await until(page, `document.querySelector('.documents-shown pre')?.textContent.startsWith('<img')`)
    await page.keyboard.press('Escape')
    await until(page, `!document.querySelector('dialog') && document.activeElement.classList.contains('documents-look')`)

    await page.keyboard.press('F2')
    await page.waitForSelector('dialog input')
    await page.locator('dialog input').fill('Terms of 2026')
    await page.keyboard.press('Enter')
    await page.waitForSelector(named('button', 'Preview Terms of 2026'))
    await press(page, 'button', 'What to do with Terms of 2026')
    await press(page, 'menuitemradio', 'Contracts')
    await see(page, 'Terms of 2026 is in Contracts now.')

    const row = (await page.waitForSelector('tbody tr:has([aria-label="Preview desk"]) td:nth-child(4)'))!
    await row.hover()
    await page.mouse.down()
    await (await page.waitForSelector(named('link', 'Contracts')))!.hover()
    await page.mouse.up()
    await see(page, 'desk is in Contracts now.')
    await evaluate(
      page,
      `(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['Dropped'], 'dropped.txt'))
        for (const type of ['dragover', 'drop'])
          document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }))
      })()`,
    )
    await page.waitForSelector(named('button', 'Preview dropped'))

    await press(page, 'link', 'Contracts')
    await until(page, `document.querySelectorAll('tbody tr').length === 2`)
    await press(page, 'button', 'Tiles')
    await until(page, `document.querySelectorAll('.documents-tiles > li').length === 2`)
    await looksRight(page)
    await evaluate(page, `document.querySelector('.documents-title').focus()`)
    await page.keyboard.press('Delete')
    await until(page, `document.querySelectorAll('.documents-tiles > li').length === 1`)
    await see(page, 'was deleted.')
    await evaluate(page, `[...document.querySelectorAll('.toast .act')].at(-1).click()`) // a move can be undone too
    await until(page, `document.querySelectorAll('.documents-tiles > li').length === 2`)
    assert.equal(await page.title().then((title) => title.includes('stolen')), false)
    await page.close()
  })

  it('offers readers what they may do', async () => {
    const page = await signedIn('/documents', await member(firm, ['documents.view']))
    await page.waitForSelector(named('button', 'Preview dropped'))
    const names = await evaluate<string>(page, `document.querySelector('main').innerText`)
    for (const name of ['Upload files', 'New category', 'New document']) assert.ok(!names.includes(name), name)
    await page.close()
  })
})
