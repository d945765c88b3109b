/**
 * Document editor with its preview in a real browser: the preview follows the input; lines by keyboard, mouse and from a
 * spreadsheet.
 */
// CI stage: screens
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'puppeteer-core'
import type { Workspace } from '../harness.ts'
import { wrongIn } from './axe.ts'
import { evaluate, heading, press, screens, see, startBrowsing } from './person.ts'

const { base, signIn, newPage, world } = await startBrowsing()
const wide = { width: 1440, height: 900 }
let firm: Workspace
let root: string
let company_id: number

before(async () => {
  firm = await world.workspace({
    name: 'Nordwind',
    modules: ['invoices', 'quotations', 'estimates', 'credit-notes', 'purchase-orders', 'vendors', 'companies', 'products'],
  })
  root = `${base}/w/${firm.slug}`
  company_id = (await firm.owner.post('/companies', { name: 'Harbour Ltd' })).body.data.id
  await firm.owner.post('/products', { name: 'Oak desk', sku: 'DESK-OAK', unit_price: 480.5, tax_rate: 19 })
})

async function open(path: string, viewport: object = wide): Promise<Page> {
  const page = await newPage(viewport)
  await signIn(page, root + path, firm.owner)
  await page.waitForSelector('main form.form .rows .row')
  return page
}
const draft = async (names: string[], path = '/invoices'): Promise<{ id: number; number: string }> => {
  const lines = names.map((name) => ({ name, quantity: 1, unit_price: 100, tax_rate: 0 }))
  return (await firm.owner.post(path, { title: 'Desks', company_id, lines })).body.data
}
/** Waits until the preview has this number of pages and the first is visible: later ones render when scrolled near. */
const drawn = (page: Page, count = 1) =>
  page.waitForFunction(
    `(all => all.length === ${count} && all[0].complete && all[0].naturalWidth > 0)([...document.querySelectorAll('.preview img')])`,
  )
/** Returns the address of the first page's picture, which changes with each rendering. */
const shown = (page: Page) => evaluate<string>(page, `document.querySelector('.preview img').src`)
const another = (page: Page, than: string) =>
  page.waitForFunction(`document.querySelector('.preview[aria-busy=false] img')?.src !== ${JSON.stringify(than)}`)
const field = (n: number, name: string) => `.rows > .row:nth-child(${n}) [name=${name}]`
const namesOf = (page: Page, name = 'name') =>
  evaluate<string[]>(page, `[...document.querySelectorAll('.rows > .row [name=${name}]')].map((one) => one.value)`)
const linesAre = (page: Page, names: string[]) =>
  page.waitForFunction(
    `JSON.stringify([...document.querySelectorAll('.rows > .row [name=name]')].map((one) => one.value)) === ${JSON.stringify(JSON.stringify(names))}`,
  )
async function held(page: Page, keys: ('Alt' | 'Shift')[], key: 'ArrowUp' | 'ArrowDown' | 'Delete') {
  for (const one of keys) await page.keyboard.down(one)
  await page.keyboard.press(key)
  for (const one of keys) await page.keyboard.up(one)
}
const paste = (page: Page, selector: string, text: string) =>
  evaluate(
    page,
    `(() => { const data = new DataTransfer(); data.setData('text/plain', ${JSON.stringify(text)});
      document.querySelector(${JSON.stringify(selector)}).dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })) })()`,
  )

describe('a document beside its pages', () => {
  it('is drawn as it is typed, and nothing of it is kept', async () => {
    const before = (await firm.owner.get('/invoices')).body.meta.total
    const page = await open('/invoices/new')
    await drawn(page)
    const first = await shown(page)
    await page.locator(field(1, 'name')).fill('Oak desk')
    await page.locator(field(1, 'quantity')).fill('2')
    await page.locator(field(1, 'unit_price')).fill('480.50')
    await another(page, first)
    await drawn(page)
    await see(page, '$961.00')
    assert.equal(await evaluate(page, `document.querySelector('.line-sum output').textContent`), '$961.00')
    assert.equal((await firm.owner.get('/invoices')).body.meta.total, before)
    assert.deepEqual(await wrongIn(page), [])
    await page.close()
  })

  for (const kind of ['quotations', 'estimates', 'credit-notes'])
    it(`is so of ${kind} too`, async () => {
      const { id } = await draft(['One'], `/${kind}`)
      const page = await open(`/${kind}/${id}/edit`)
      await drawn(page)
      const first = await shown(page)
      await page.locator('[name=title]').fill('Chairs')
      await another(page, first)
      await page.close()
    })

  it('says quietly what it waits for, and keeps the last page', async () => {
    const page = await open('/purchase-orders/new')
    await see(page, 'The preview follows once this is right: Vendor.')
    assert.equal(await evaluate(page, `document.querySelectorAll('[aria-invalid], [role=alert] p').length`), 0)
    await page.close()
    const { id } = await draft(['One'])
    const edited = await open(`/invoices/${id}/edit`)
    await drawn(edited)
    await edited.locator(field(1, 'quantity')).fill('many')
    await see(edited, 'The preview follows once this is right: Line 1, Quantity.')
    await drawn(edited)
    await edited.close()
  })

  it('of many pages shows the first nine and the last', async () => {
    const { id } = await draft(Array.from({ length: 400 }, (_, n) => `Desk ${n}`))
    const page = await open(`/invoices/${id}/edit`)
    await drawn(page, 10)
    await see(page, 'are not shown here')
    await page.close()
  })

  it('stands behind a button where there is no room, on a phone too', async () => {
    const { id } = await draft(['One', 'Two'])
    const page = await open(`/invoices/${id}/edit`, screens.phone)
    assert.equal(await evaluate(page, `document.querySelectorAll('.preview').length`), 0)
    await press(page, 'button', 'Preview')
    await page.waitForSelector('dialog[open] .preview')
    await drawn(page)
    assert.deepEqual(await wrongIn(page), [])
    assert.ok(await evaluate<boolean>(page, 'document.documentElement.scrollWidth <= innerWidth'))
    await press(page, 'button', 'Close')
    await page.waitForFunction(`!document.querySelector('dialog[open]') && document.activeElement.textContent === 'Preview'`)
    await page.close()
  })
})

describe('lines', () => {
  it('are made, moved, copied and removed by keys alone, and a removed one comes back', async () => {
    const { id, number } = await draft(['One', 'Two'])
    const page = await open(`/invoices/${id}/edit`)
    await page.focus(field(2, 'name'))
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      `document.activeElement.closest('.row')?.ariaLabel === 'Line 3' && document.activeElement.name === 'name'`,
    )
    await page.keyboard.type('Three')
    await held(page, ['Alt'], 'ArrowUp')
    await linesAre(page, ['One', 'Three', 'Two'])
    await page.waitForFunction(`document.activeElement.value === 'Three'`)
    await held(page, ['Alt', 'Shift'], 'ArrowDown')
    await linesAre(page, ['One', 'Three', 'Three', 'Two'])
    await page.waitForFunction(`document.activeElement.closest('.row')?.ariaLabel === 'Line 3'`) // the copy gets the focus
    await page.focus(field(1, 'name'))
    await held(page, ['Alt'], 'Delete')
    await linesAre(page, ['Three', 'Three', 'Two'])
    await press(page, 'button', 'Undo')
    await linesAre(page, ['One', 'Three', 'Three', 'Two'])
    for (const n of [2, 3]) {
      await page.locator(field(n, 'quantity')).fill('1')
      await page.locator(field(n, 'unit_price')).fill('7.5')
    }
    await page.focus('[name=title]')
    await page.keyboard.press('Enter')
    await heading(page, number)
    const saved = (await firm.owner.get(`/invoices/${id}`)).body.data.lines.map(({ name }: { name: string }) => name)
    assert.deepEqual(saved, ['One', 'Three', 'Three', 'Two'])
    await page.close()
  })

  it('take over what the chosen product says, but not over what was typed', async () => {
    const page = await open('/invoices/new')
    const choose = async (n: number) => {
      await page.locator(`.rows > .row:nth-child(${n}) [role=combobox]`).fill('Oak')
      await press(page, 'option', 'Oak desk')
    }
    await choose(1)
    await page.waitForFunction(`document.querySelector('[name=unit_price]').value === '480.5'`)
    assert.deepEqual([await namesOf(page), await namesOf(page, 'tax_rate')], [['Oak desk'], ['19']])
    await press(page, 'button', 'Add line')
    await page.locator(field(2, 'name')).fill('Desk as agreed')
    await choose(2)
    await page.waitForFunction(`document.querySelectorAll('[name=unit_price]')[1].value === '480.5'`)
    assert.deepEqual(await namesOf(page), ['Oak desk', 'Desk as agreed'])
    await page.close()
  })

  it('get what is looked up for them, wherever they are moved meanwhile', async () => {
    const { id } = await draft(['One', 'Two'])
    const page = await open(`/invoices/${id}/edit`)
    const held: (() => void)[] = []
    let isHeld = true
    await page.setRequestInterception(true)
    page.on('request', (request) => {
      const go = () => void request.continue().catch(() => {}) // it was cancelled meanwhile
      if (isHeld && /\/products\?.*search=/.test(request.url())) held.push(go)
      else go()
    })
    const product = (n: number) => `.rows > .row:nth-child(${n}) [role=combobox]`
    await page.locator(product(1)).fill('Oak')
    await page.focus(product(1))
    await page.keyboard.press('Enter')
    await press(page, 'button', 'Move line 1 down')
    await linesAre(page, ['Two', 'One'])
    isHeld = false
    for (const go of held) go()
    await page.waitForFunction(
      `[...document.querySelectorAll('.rows > .row [role=combobox]')].some(({ value }) => value === 'Oak desk')`,
    )
    const chosen = [1, 2].map((n) => evaluate(page, `document.querySelector('${product(n)}').value`))
    assert.deepEqual(await Promise.all(chosen), ['', 'Oak desk'])
    await page.close()
  })

  it('are pasted from a spreadsheet, in one step that can be taken back', async () => {
    const page = await open('/invoices/new')
    await paste(page, field(1, 'name'), 'Oak desk\t2\t1,234.50\r\n"Lamp, ""tall""\nbrass"\t1\t$20.00\r\n')
    await see(page, '2 lines pasted.')
    await linesAre(page, ['Oak desk', 'Lamp, "tall" brass'])
    assert.deepEqual(
      [await namesOf(page, 'quantity'), await namesOf(page, 'unit_price')],
      [
        ['2', '1'],
        ['1234.50', '20.00'],
      ],
    )
    await press(page, 'button', 'Undo')
    await linesAre(page, [''])
    await paste(page, field(1, 'quantity'), 'Quantity\tName\n3\tChair')
    await linesAre(page, ['Chair'])
    await page.close()
  })

  it('are dragged by their grips', async () => {
    const { id } = await draft(['One', 'Two', 'Three'])
    const page = await open(`/invoices/${id}/edit`)
    const to = (await page.$('.rows > .row:nth-child(1)'))!
    await page.evaluate(`document.querySelector('.rows > .row:nth-child(3)').scrollIntoView({ block: 'center' })`)
    const grip = (await page.$('.rows > .row:nth-child(3) .grip'))!
    const [from, box] = [(await grip.boundingBox())!, (await to.boundingBox())!]
    await page.mouse.move(from.x + 8, from.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + 40, box.y + 20, { steps: 5 })
    await page.mouse.move(box.x + 40, box.y + 4, { steps: 3 })
    await page.waitForSelector('.rows > .row:nth-child(1)[data-before]')
    await page.mouse.move(box.x + 42, box.y + 5)
    await page.mouse.up()
    await linesAre(page, ['Three', 'One', 'Two'])
    await page.close()
  })
})

it('numbers are typed and shown as German writes them, in lines and in a product', async () => {
  const page = await newPage(wide)
  await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await signIn(page, `${root}/quotations/new?company_id=${company_id}`, firm.owner)
  await page.locator('[name=title]').fill('Tische')
  await page.locator(field(1, 'name')).fill('Tisch')
  await page.locator(field(1, 'unit_price')).fill('1,249.50')
  await press(page, 'button', 'Anlegen')
  await see(page, 'Muss eine Zahl sein.')
  await page.locator(field(1, 'unit_price')).fill('1.249,50')
  await page.waitForFunction(`document.querySelector('.line-sum output').textContent === '1.249,50\u00a0$'`)
  assert.deepEqual(await namesOf(page, 'unit_price'), ['1.249,50'])
  await page.locator(field(1, 'quantity')).fill('0,5')
  await paste(page, field(1, 'name'), 'Lampe\t2\t1.500,00 €\nStuhl\t1.500\t0.125')
  await linesAre(page, ['Tisch', 'Lampe', 'Stuhl'])
  assert.deepEqual(
    [await namesOf(page, 'quantity'), await namesOf(page, 'unit_price')],
    [
      ['0,5', '2', '1500'],
      ['1.249,50', '1500,00', '0,125'],
    ],
  )
  await page.waitForFunction(`document.querySelector('.totals').innerText.includes('3.812,25\u00a0$')`)
  await press(page, 'button', 'Anlegen')
  await page.waitForFunction(`/quotations\\/\\d+$/.test(location.pathname)`)
  await see(page, '3.812,25')
  const path = `/quotations/${(await evaluate<string>(page, 'location.pathname')).split('/').at(-1)}`
  const made = (await firm.owner.get(path)).body.data
  assert.deepEqual(
    made.lines.map((line: { quantity: number; unit_price: number }) => [line.quantity, line.unit_price]),
    [
      [0.5, 1249.5],
      [2, 1500],
      [1500, 0.125],
    ],
  )

  // Saving an unedited form changes nothing.
  await page.goto(`${root}${path}/edit`, { waitUntil: 'networkidle0' })
  assert.deepEqual(await namesOf(page, 'unit_price'), ['1249,5', '1500', '0,125'])
  await press(page, 'button', 'Speichern')
  await page.waitForFunction(`!location.pathname.endsWith('/edit')`)
  assert.deepEqual((await firm.owner.get(path)).body.data, made)

  const { id } = (await firm.owner.post('/products', { name: 'Tisch', sku: 'TISCH', unit_price: 1249.5 })).body.data
  await page.goto(`${root}/products/${id}/edit`, { waitUntil: 'networkidle0' })
  assert.equal(await evaluate(page, `document.querySelector('[name=unit_price]').value`), '1249,5')
  await page.locator('[name=unit_price]').fill('12.500')
  // Input survives a reload with the same value.
  await page.waitForFunction(`Object.values(sessionStorage).some((kept) => kept.includes('12500'))`)
  await page.reload({ waitUntil: 'networkidle0' })
  assert.equal(await evaluate(page, `document.querySelector('[name=unit_price]').value`), '12500')
  await press(page, 'button', 'Speichern')
  await see(page, '12.500,00')
  assert.equal((await firm.owner.get(`/products/${id}`)).body.data.unit_price, 12500)
  await page.close()
})

it('two hundred lines are typed into', async () => {
  const { id } = await draft(Array.from({ length: 200 }, (_, n) => `Desk ${n}`))
  const page = await open(`/invoices/${id}/edit`)
  await page.focus(field(100, 'name'))
  await page.keyboard.type(' of oak')
  await page.waitForFunction(`document.querySelectorAll('.rows > .row [name=name]')[99].value === 'Desk 99 of oak'`)
  await drawn(page, 7)
  await page.close()
})
