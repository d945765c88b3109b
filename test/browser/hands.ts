/** Ways of using a page: mouse, keyboard only, touch on a phone. Each finds elements by their accessible names. */
import type { ElementHandle, KeyInput, Page } from 'puppeteer-core'
import { evaluate, named, screens } from './person.ts'

type Role = 'button' | 'link' | 'menuitem' | 'menuitemradio' | 'checkbox' | 'option'

export interface Hands {
  viewport: object
  /** Opens the list with this title; `module`: under which it is collapsed. */
  open(page: Page, title: string, module?: string): Promise<void>
  /** `inDialog`: within the open dialog. */
  press(page: Page, role: Role, name: string, inDialog?: boolean): Promise<void>
  /** Types into a field. `within`: in the group with this name. */
  type(page: Page, label: string, text: string, within?: string): Promise<void>
  /** Chooses a record by some of its letters. */
  choose(page: Page, label: string, text: string, option: string, within?: string): Promise<void>
  /** Chooses an option of a select. */
  pick(page: Page, label: string, option: string): Promise<void>
  file(page: Page, path: string): Promise<void>
  /** Sets a date, as `2026-12-24`. */
  date(page: Page, label: string, day: string): Promise<void>
}

async function found(page: Page, role: string, name: string, within?: string): Promise<ElementHandle> {
  const selector = within ? `${named('group', within)} >>> ${named(role, name)}` : named(role, name)
  return (await page.waitForSelector(selector)) as ElementHandle
}
const placed = (role: Role, name: string, inDialog = false) => (inDialog ? `dialog >>> ${named(role, name)}` : named(role, name))

async function fieldOf(page: Page, label: string, within?: string): Promise<ElementHandle> {
  return found(page, 'textbox', label, within)
}

async function press(page: Page, role: Role, name: string, inDialog?: boolean) {
  await page.locator(placed(role, name, inDialog)).click()
}

const wordOf = (select: ElementHandle, option: string) =>
  select.evaluate(
    (one, label) =>
      [...(one as unknown as { options: { label: string; value: string }[] }).options].find((o) => o.label === label)!.value,
    option,
  )

async function choosing(page: Page, path: string, open: () => Promise<void>) {
  const [chooser] = await Promise.all([page.waitForFileChooser(), open()])
  await chooser.accept([path])
}

export const mouse: Hands = {
  viewport: screens.desktop,
  async open(page, title, module) {
    if (module) await press(page, 'link', module)
    await press(page, 'link', title)
  },
  press,
  async type(page, label, text, within) {
    const field = await fieldOf(page, label, within)
    await field.click({ count: 3 })
    await page.keyboard.type(text)
  },
  async choose(page, label, text, option, within) {
    const field = await found(page, 'combobox', label, within)
    await field.click()
    await page.keyboard.type(text)
    await press(page, 'option', option)
  },
  async pick(page, label, option) {
    const select = await found(page, 'combobox', label)
    await select.select(await wordOf(select, option))
  },
  async file(page, path) {
    await choosing(page, path, async () => (await page.waitForSelector('input[type=file]'))!.click())
  },
  async date(page, label, day) {
    await page.locator(`input[type=date]::-p-aria(${label})`).fill(day)
  },
}

/** Minimum pause between two touches, so that they don't count as a double tap. */
const APART_MS = 300
let touched = 0

/** Touches an element as a user does: scrolls it to an unobscured position, waits for the paint, and taps. */
async function touch(handle: ElementHandle) {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, touched + APART_MS - performance.now())))
  await handle.evaluate(async (one) => {
    ;(one as unknown as { scrollIntoView(how: object): void }).scrollIntoView({ block: 'center' })
    const painted = () => new Promise((resolve) => (globalThis as any).requestAnimationFrame(resolve))
    await painted()
    await painted()
  })
  await handle.tap()
  touched = performance.now()
}
/** Touches a field until it has the focus. */
async function touchField(page: Page, field: ElementHandle) {
  for (let n = 0; n < 5; n++) {
    await touch(field)
    const isThere = page.waitForFunction((one) => one === (globalThis as any).document.activeElement, { timeout: 1000 }, field)
    if (await isThere.catch(() => false)) return
  }
  throw new Error('It is not focused by a touch.')
}

/** Phone pages are narrow, and the navigation is behind a button. */
export const finger: Hands = {
  ...mouse,
  viewport: screens.phone,
  async open(page, title, module) {
    for (const name of module ? [module, title] : [title]) {
      await this.press(page, 'button', 'Menu')
      await this.press(page, 'link', name)
    }
  },
  async press(page, role, name, inDialog) {
    const locator = page.locator(placed(role, name, inDialog))
    const handle = (await locator.waitHandle()) as ElementHandle
    await touch(handle)
  },
  async type(page, label, text, within) {
    const field = await fieldOf(page, label, within)
    // Input is retried, because text typed while the browser still scrolls to the field may be lost.
    for (let n = 0; n < 3 && (await field.evaluate((one) => (one as unknown as { value: string }).value)) !== text; n++) {
      await touchField(page, field)
      await chord(page, 'Control', 'a')
      await page.keyboard.type(text)
    }
  },
  async choose(page, label, text, option, within) {
    const field = await found(page, 'combobox', label, within)
    await touchField(page, field)
    await page.keyboard.type(text)
    await this.press(page, 'option', option)
  },
}

/** Maximum number of Tab presses between two elements. */
const STEPS = 200
async function walkTo(page: Page, target: ElementHandle, key: KeyInput = 'Tab') {
  for (let n = 0; n < STEPS; n++) {
    if (await target.evaluate((one) => one === (globalThis as any).document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`It is not reached by ${key}: ${await target.evaluate((one) => one.outerHTML.slice(0, 200))}`)
}
async function chord(page: Page, modifier: KeyInput, key: KeyInput) {
  await page.keyboard.down(modifier)
  await page.keyboard.press(key)
  await page.keyboard.up(modifier)
}

/** Uses no pointer. */
export const keys: Hands = {
  viewport: screens.desktop,
  async open(page, title) {
    await chord(page, 'Control', 'k')
    await page.waitForSelector(named('dialog', 'Commands'))
    await page.keyboard.type(title)
    await page.waitForSelector(`${named('option', title)}[aria-selected=true]`)
    await page.keyboard.press('Enter')
  },
  async press(page, role, name, inDialog) {
    const target = (await page.waitForSelector(placed(role, name, inDialog))) as ElementHandle
    await walkTo(page, target, role.startsWith('menuitem') ? 'ArrowDown' : 'Tab')
    await page.keyboard.press(role === 'checkbox' ? 'Space' : 'Enter')
  },
  async type(page, label, text, within) {
    await walkTo(page, await fieldOf(page, label, within))
    await chord(page, 'Control', 'a')
    await page.keyboard.type(text)
  },
  async choose(page, label, text, option, within) {
    await walkTo(page, await found(page, 'combobox', label, within))
    await page.keyboard.type(text)
    const offered = (await page.waitForSelector(named('option', option)))!
    for (let n = 0; n < STEPS && (await offered.evaluate((one) => one.getAttribute('aria-selected'))) !== 'true'; n++)
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  },
  async pick(page, label, option) {
    await walkTo(page, await found(page, 'combobox', label))
    await page.keyboard.type(option)
    await page.waitForFunction(`document.activeElement.selectedOptions[0].label === ${JSON.stringify(option)}`)
  },
  async file(page, path) {
    await choosing(page, path, async () => {
      await walkTo(page, (await page.waitForSelector('input[type=file]'))!)
      await page.keyboard.press('Enter')
    })
  },
  async date(page, label, day) {
    const [year, month, date] = day.split('-')
    await walkTo(page, (await page.waitForSelector(`input[type=date]::-p-aria(${label})`))!)
    await page.keyboard.type(`${month}${date}${year}`)
  },
}

/** Returns the focused element, for error messages. */
export const focused = (page: Page) => evaluate<string>(page, 'document.activeElement.outerHTML.slice(0, 200)')
