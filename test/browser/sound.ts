/** Hostile input and replies, and checks of screens that show them. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'puppeteer-core'
import { wrongIn } from './axe.ts'
import { evaluate, screens } from './person.ts'

/** User input must always be rendered as text. */
export const HOSTILE = `<img src=x onerror="document.title='stolen'">{{7*7}}"'>`

/** Starts a receiver of webhooks, until the file ends, that replies with hostile HTML. Returns its address. */
export async function startHostileReceiver(): Promise<string> {
  const receiver = createServer((_, response) => {
    response.statusCode = 500
    response.end(HOSTILE)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  after(() => void receiver.close())
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
}

/** Asserts that nothing overflows, axe finds no problems and no input was executed: light, dark, right to left, on a phone. */
export async function sound(page: Page) {
  for (const way of ['light', 'dark', 'rtl'] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: way === 'dark' ? 'dark' : 'light' }])
    await evaluate(page, `void (document.documentElement.dir = ${JSON.stringify(way === 'rtl' ? 'rtl' : 'ltr')})`)
    for (const viewport of [{ ...screens.phone, width: 360 }, screens.desktop]) {
      await page.setViewport(viewport)
      const wide = await evaluate<number>(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth')
      assert.equal(wide, 0, `${way} ${viewport.width}`)
      if (way === 'light' || viewport === screens.desktop) assert.deepEqual(await wrongIn(page), [], `${way} ${viewport.width}`)
    }
  }
  await evaluate(page, `void (document.documentElement.dir = 'ltr')`)
  assert.ok(!(await page.title()).startsWith('stolen'))
  assert.equal(await evaluate(page, `document.querySelectorAll('img[onerror], main script').length`), 0)
}
