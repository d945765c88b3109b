/** Catalogue of the console's components: available to signed-in users in development, and missing elsewhere. Run by .ci/run. */
// CI stage: lists
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'puppeteer-core'
import type { Person, Workspace } from '../harness.ts'
import { wrongIn } from './axe.ts'
import { evaluate, heading, named, press, see, startBrowsing } from './person.ts'

const { signIn, member, newPage, world } = await startBrowsing({ env: { DEVELOPMENT: 'true' } })
let firm: Workspace
let nobody: Person

before(async () => {
  firm = await world.workspace({ name: 'Nordwind', modules: ['vendors'] })
  nobody = await member(firm, [], 'Nora')
  await firm.owner.post('/vendors', { name: 'Lindqvist Kontor' })
})

async function opened(): Promise<Page> {
  const page = await newPage()
  await signIn(page, `/w/${firm.slug}/_components`, nobody)
  await heading(page, 'Components')
  await page.waitForSelector(named('heading', 'Pictures'))
  return page
}

describe('the page of components', () => {
  it('shows each part to whoever is signed in, and asks for nothing of the workspace', async () => {
    const page = await opened()
    const asked: string[] = []
    page.on('request', (request) => request.url().startsWith('http') && asked.push(new URL(request.url()).pathname))
    await page.reload({ waitUntil: 'networkidle0' })
    await page.waitForSelector(named('heading', 'Pictures'))
    const known = new RegExp(`^/console/assets/|^/w/${firm.slug}/_components$|/(notifications|broadcasting|realtime)`)
    assert.deepEqual(
      asked.filter((path) => !known.test(path)),
      [],
    )
    const names = await evaluate<string[]>(page, `[...document.querySelectorAll('.components h2')].map((one) => one.textContent)`)
    for (const part of ['Colours', 'Buttons', 'Inputs by kind', 'Table', 'Dialog', 'Menu', 'Charts', 'Uploads'])
      assert.ok(names.includes(part), part)
    assert.ok(await evaluate(page, `[...document.querySelectorAll('code')].some((one) => one.textContent === '--accent')`))
    await press(page, 'button', 'Tell with a way back')
    await see(page, 'The vendor is deleted.')
    await press(page, 'button', 'Open a dialog')
    await page.waitForSelector(named('dialog', 'Void the invoice?'))
    await page.keyboard.press('Escape')
    await page.waitForFunction(`document.activeElement.textContent === 'Open a dialog'`)
    await page.close()
  })

  it('is right in the eyes of axe in each look, and nothing sticks out', async () => {
    const page = await opened()
    await page.locator('::-p-aria([name="With errors"][role="checkbox"])').click()
    await see(page, 'Must be one of active, pending.')
    for (const [width, way] of [
      [1280, 'light'],
      [1280, 'dark'],
      [1280, 'rtl'],
      [360, 'light'],
      [360, 'rtl'],
    ] as const) {
      await page.setViewport({ width, height: 900 })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: way === 'dark' ? 'dark' : 'light' }])
      await evaluate(page, `void (document.documentElement.dir = '${way === 'rtl' ? 'rtl' : 'ltr'}')`)
      const overflow = await evaluate<number>(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth')
      assert.equal(overflow, 0, `${width} ${way}`)
      assert.deepEqual(await wrongIn(page), [], `${width} ${way}`)
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/components-${width}-${way}.png`, fullPage: true })
    }
    await page.close()
  })

  it('is an address like any other that leads nowhere, where nobody develops', async () => {
    const production = await startBrowsing()
    const { owner, slug } = await production.world.workspace({ name: 'Westwind', modules: ['vendors'] })
    const page = await production.newPage()
    await production.signIn(page, `/w/${slug}/_components`, owner)
    await heading(page, 'There is nothing here')
    await page.close()
  })
})
