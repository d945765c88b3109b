/**
 * Page of an acceptance link in a real browser: on a phone and a desktop, with and without JavaScript, by keyboard alone. Run by
 * .ci/run, with Debian's Chromium. SCREENSHOTS is a folder for screenshots.
 */
// CI stage: pages
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { formOf, type Person, startTest } from '../harness.ts'

const port = await freePort()
const world = await startTest({ machineClock: true, env: { BASE_URL: `http://127.0.0.1:${port}` } })
await world.app.listen({ port, host: '127.0.0.1' })
let browser: Browser
let owner: Person
let company: number

before(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  const firm = await world.workspace({ name: 'Nordwind Möbel GmbH' })
  owner = firm.owner
  const uploaded = await owner.put('/settings/logo', formOf({ file: new File([new Uint8Array(logo)], 'logo.png') }))
  assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body))
  await owner.put('/settings', {
    settings: { company_address: 'Hafenstraße 12\n20457 Hamburg', document_accent_color: '#0b6e4f' },
  })
  company = (await owner.post('/companies', { name: 'Lindqvist Kontor AB', address: 'Storgatan 5\nStockholm' })).body.data.id
})
after(() => browser.close())

/** Very wide: 200 × 5 pixels. */
const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAMgAAAAFCAMAAAA38FPGAAAABGdBTUEAALGPC/xhBQAAACBjSFJNAAB6JgAAgIQAAPoAAACA6AAAdTAAAOpgAAA6mAAAF3CculE8AAAAA1BMVEULbk+2MsgTAAAAB3RJTUUH6gsVEgwrdLfFqgAAABFJREFUKM9jYBgFo2AUjAgAAAPtAAFX8LSqAAAAJXRFWHRkYXRlOmNyZWF0ZQAyMDI2LTExLTIxVDE4OjEyOjQzKzAwOjAwAWmvuwAAACV0RVh0ZGF0ZTptb2RpZnkAMjAyNi0xMS0yMVQxODoxMjo0MyswMDowMHA0FwcAAAAASUVORK5CYII=',
  'base64',
)
const lines = [
  {
    name: 'Height-adjustable desk, oak',
    body: '<p>160 × 80 cm, <b>oiled</b></p>',
    quantity: 12,
    unit_price: 489,
    tax_rate: 19,
    discount_value: 5,
  },
  { name: 'كرسي مكتب مريح', quantity: 12, unit_price: 249.5, tax_rate: 19, discount_value: 0 },
  {
    name: '会议桌 😀',
    body: '<ul><li>20 seats</li><li>Cable duct</li></ul>',
    quantity: 1,
    unit_price: 3890,
    tax_rate: 7,
    discount_value: 10,
  },
  {
    name: `Donaudampfschifffahrtsgesellschaftskapitänskajüteneinrichtung${'x'.repeat(60)}`,
    quantity: 0.5,
    unit_price: 1_250_000,
    tax_rate: 19,
    discount_value: 0,
  },
]
const terms =
  '<h3>Delivery</h3><p>Within four weeks of your order, to the goods entrance.</p><h3>Payment</h3><ol><li>Half on order</li><li>Half on delivery</li></ol>'
const documents = {
  quotations: {
    title: 'Office equipment for the new building',
    line_discount_type: 'percent',
    lines,
    currency: 'EUR',
    valid_until: '2099-12-31',
  },
  contracts: {
    title: 'Maintenance of the desks',
    body: `<p>The parties agree as follows.</p>${terms}`,
    value: 4800,
    currency: 'EUR',
    starts_on: '2027-01-01',
  },
}
type Kind = keyof typeof documents

/** Sends a document and returns its page's address. */
async function sent(kind: Kind) {
  const texts =
    kind === 'quotations' ? { terms_and_conditions: terms, notes: '<p>We look forward to <i>working with you</i>.</p>' } : {}
  const { id } = (await owner.post(`/${kind}`, { company_id: company, ...documents[kind], ...texts })).body.data
  await owner.post(`/${kind}/${id}/send`)
  const { url } = (await owner.post(`/${kind}/${id}/acceptance-link`)).body.data
  return {
    url,
    signature: async () => (await owner.get(`/${kind}/${id}`)).body.data.signature,
    pdf: () => owner.get(`/${kind}/${id}/pdf`),
  }
}

const screens = {
  phone: { width: 360, height: 740, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  desk: { width: 1280, height: 900 },
}

async function opened(url: string, screen: keyof typeof screens, { script = true } = {}) {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.setViewport(screens[screen])
  await page.setJavaScriptEnabled(script)
  assert.equal((await page.goto(url))!.status(), 200)
  return { page, complaints }
}
async function picture(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) as `${string}.png`, fullPage: true })
}
/** Evaluates an expression in the page. */
const seen = async <T>(page: Page, expression: string) => (await page.evaluate(expression)) as T
const heading = (page: Page) => seen<string>(page, `document.querySelector('h1').textContent`)
/** Asserts that nothing is wider than the screen, and that touch targets are large enough. */
async function fits(page: Page) {
  const found = await seen(
    page,
    `({
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      small: [...document.querySelectorAll('input:not([type=hidden], [type=checkbox]), form > button')]
        .filter((element) => element.getBoundingClientRect().height < 40).length,
    })`,
  )
  assert.deepEqual(found, { overflow: 0, small: 0 })
}
async function fill(page: Page) {
  await page.type('[name=signer_name]', 'Grace Hopper')
  await page.type('[name=signer_email]', 'grace@hopper.test')
  await page.click('[name=accept_terms]')
}
const submit = (page: Page) => Promise.all([page.waitForNavigation(), page.click('form > button')])

for (const screen of ['phone', 'desk'] as const)
  for (const kind of ['quotations', 'contracts'] as const)
    describe(`one of the ${kind} on a ${screen}`, () => {
      it('is read and accepted by a typed name, without JavaScript', async () => {
        const { url, signature } = await sent(kind)
        const { page } = await opened(url, screen, { script: false })
        await fits(page)
        assert.equal(await seen(page, `document.querySelector('header img').naturalWidth`), 200, 'the logo')
        await picture(page, `${kind}-${screen}-without-script`)
        assert.equal(await seen(page, `document.getElementById('pad').checkVisibility()`), false)
        await fill(page)
        await submit(page)
        assert.equal(await heading(page), 'Thank you')
        await picture(page, `${kind}-${screen}-thanks`)
        const { type, signer_name, signer_email } = await signature()
        assert.deepEqual([type, signer_name, signer_email], ['typed', 'Grace Hopper', 'grace@hopper.test'])
        await page.close()
      })

      it('is accepted by a drawn signature', async () => {
        const { url, signature, pdf } = await sent(kind)
        const { page, complaints } = await opened(url, screen)
        await fill(page)
        const canvas = (await page.$('canvas'))!
        await canvas.scrollIntoView()
        const { x, y, width, height } = (await canvas.boundingBox())!
        const strokes = [
          [0.1, 0.7, 0.2, 0.2, 0.3, 0.8, 0.4, 0.4],
          [0.45, 0.6, 0.6, 0.3, 0.75, 0.7, 0.9, 0.35],
        ]
        for (const points of strokes)
          for (let n = 0; n < points.length; n += 2) {
            const at = [x + points[n]! * width, y + points[n + 1]! * height] as const
            await (screen === 'phone'
              ? page.touchscreen[n ? 'touchMove' : 'touchStart'](...at)
              : page.mouse.move(...at, { steps: 5 }))
            if (screen === 'desk' && n === 0) await page.mouse.down()
            if (n === points.length - 2) await (screen === 'phone' ? page.touchscreen.touchEnd() : page.mouse.up())
          }
        await fits(page)
        await picture(page, `${kind}-${screen}-drawn`)
        await submit(page)
        assert.equal(await heading(page), 'Thank you')
        assert.equal((await signature()).type, 'drawn')
        assert.match((await pdf()).raw.toString('latin1'), /\/Subtype\s*\/Image/)
        assert.deepEqual(complaints, [])
        await page.close()
      })
    })

describe('by keyboard alone', () => {
  it('everything is reached in its order, seen to have the focus, and the document is accepted', async () => {
    const { url, signature } = await sent('quotations')
    const { page, complaints } = await opened(url, 'desk')
    const focused = `(({ name, textContent }) => [name || textContent, getComputedStyle(document.activeElement).outlineStyle])(document.activeElement)`
    const reached: unknown[] = []
    const tab = async () => {
      await page.keyboard.press('Tab')
      reached.push(await seen(page, focused))
    }
    await tab()
    await page.keyboard.type('Grace Hopper')
    await tab()
    await page.keyboard.type('grace@hopper.test')
    await tab()
    await tab()
    await page.keyboard.press('Space')
    await tab()
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    assert.deepEqual(reached, [
      ['signer_name', 'solid'],
      ['signer_email', 'solid'],
      ['Clear the drawing', 'solid'],
      ['accept_terms', 'solid'],
      ['Accept and sign', 'solid'],
    ])
    assert.equal(await heading(page), 'Thank you')
    assert.equal((await signature()).type, 'typed')
    assert.deepEqual(complaints, [])
    await page.close()
  })
})

describe('a form that is not filled in rightly', () => {
  it('comes back with what was typed and says what is wrong, also beside the drawing', async () => {
    const { url, signature } = await sent('contracts')
    const { page } = await opened(url, 'phone')
    await seen(page, `document.querySelector('form').noValidate = true`)
    await page.type('[name=signer_name]', 'Grace Hopper')
    await page.type('[name=signer_email]', 'grace')
    await submit(page)
    await picture(page, 'contracts-phone-wrong')
    assert.equal(await seen(page, `document.querySelector('[name=signer_name]').value`), 'Grace Hopper')
    const error = `document.getElementById(document.querySelector('[name=signer_email]').getAttribute('aria-describedby'))`
    const described = await seen(page, `${error}.textContent`)
    assert.equal(described, 'Must be an e-mail address.')
    assert.equal(await signature(), null)
    await page.close()
  })

  it('of a link that was used shows what was signed, to be downloaded', async () => {
    const { url } = await sent('contracts')
    const { page } = await opened(url, 'phone')
    await fill(page)
    await submit(page)
    assert.equal((await page.goto(url))!.status(), 200)
    await picture(page, 'contracts-phone-used')
    assert.match((await heading(page))!, /^Signed: CT-/)
    const pdf = await seen<string>(page, `document.querySelector('a[download]').pathname`)
    assert.equal((await world.root.get(pdf)).raw.toString('latin1', 0, 5), '%PDF-')
    await page.close()
  })
})
