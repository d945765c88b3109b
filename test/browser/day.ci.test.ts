/**
 * A user's and an operator's working day in a real browser, by accessible names: with mouse, keyboard only, and touch on a phone.
 * Run by .ci/run. SCREENSHOTS is a folder for screenshots.
 */
// CI stage: console
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page } from 'puppeteer-core'
import { wrongIn } from './axe.ts'
import { finger, focused, type Hands, keys, mouse } from './hands.ts'
import { arrive, evaluate, heading, named, screens, see, startBrowsing } from './person.ts'

const { base, world, signIn: signInAs, newPage } = await startBrowsing()
const terms = join(mkdtempSync(join(tmpdir(), 'atrium-day-')), 'terms.txt')
writeFileSync(terms, 'Within four weeks of your order.')

const signIn = (page: Page, address: string, email: string) => signInAs(page, address, { email })
async function picture(page: Page, name: string) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) as `${string}.png` })
}

type Row = Record<string, unknown>
const MODULES = [
  ...['leads', 'contacts', 'companies', 'opportunities', 'quotations', 'invoices', 'payments'],
  ...['vendors', 'products', 'warehouses', 'purchase-orders', 'inventory', 'expenses'],
  ...['tasks', 'projects', 'employees', 'attendance', 'documents', 'storage'],
]

for (const [way, hands] of Object.entries({ mouse, keys, finger } satisfies Record<string, Hands>))
  describe(`by ${way}`, () => {
    it('a person sells, buys, spends, and does the day’s work', async () => {
      const firm = await world.workspace({ name: `Nordwind ${way}`, modules: MODULES, currency: 'EUR' })
      await firm.owner.post('/employees', { name: 'Olive Owner', user_id: firm.owner.id })
      await firm.owner.post('/products', { name: 'Oak desk', sku: 'DESK', unit_price: 480.5, tax_rate: 19, track_stock: true })
      await firm.owner.post('/warehouses', { name: 'Harbour', code: 'H', is_default: true })
      await firm.owner.post('/vendors', { name: 'Lindqvist Kontor' })
      const page = await newPage(hands.viewport)
      await signIn(page, `/w/${firm.slug}/`, firm.owner.email)
      const h = handsOn(page, hands)

      const at = (name: string) => heading(page, name)
      const done = (text: string) => see(page, text)
      const data = async (path: string) => (await firm.owner.get(path)).body.data
      const now = async (name: string) => {
        await settled(page)
        await picture(page, `day-${way}-${name}`)
      }

      // A lead becomes a customer, gets an offer and accepts it.
      await h.open('Leads')
      await at('Leads')
      await h.press('link', 'New lead')
      await h.type('Name', 'Ada Lovelace')
      await h.pick('Lead type', 'Direct')
      await h.type('Company', 'Analytical Engines')
      await h.press('button', 'Create')
      await at('Ada Lovelace')
      await now('lead')
      await h.open('Leads')
      await page.waitForSelector(named('link', 'New lead'))
      if (!page.url().endsWith('/board')) await h.press('link', 'Board')
      await h.press('button', 'Move to: Ada Lovelace')
      await h.press('menuitemradio', 'Qualified')
      await done('Ada Lovelace is in Qualified now.')
      await now('lead-board')
      await h.press('link', 'Ada Lovelace')
      await at('Ada Lovelace')
      await h.press('button', 'Convert')
      await now('convert')
      await h.inDialog('Convert')
      await done('Lead converted.')
      await h.press('link', 'Ada Lovelace')
      await h.press('link', 'Analytical Engines')
      await at('Analytical Engines')
      await now('company')
      await h.press('link', 'New quotation')
      await at('New quotation')
      await h.type('Title', 'Two desks')
      await h.type('Name', 'Oak desk', 'Line 1')
      await h.type('Quantity', '2', 'Line 1')
      await h.type('Unit price', '480.50', 'Line 1')
      await h.type('Tax rate', '19', 'Line 1')
      if (hands.viewport === screens.desktop)
        await page.waitForFunction(`document.querySelector('.preview[aria-busy=false] img')?.naturalWidth > 0`)
      await now('quotation-new')
      await h.press('button', 'Create')
      await page.waitForSelector(named('button', 'Send'))
      await now('quotation')
      await h.press('button', 'Send')
      await done('sent')
      await h.press('button', 'Actions')
      await h.press('menuitem', 'Make an acceptance link')
      await page.waitForSelector(named('textbox', 'Url'))
      await now('link')
      const link = await evaluate<string>(page, `document.querySelector('dialog input').value`)
      await h.press('button', 'Close')

      const customer = await newPage(hands.viewport)
      await customer.goto(link)
      const c = handsOn(customer, hands)
      await c.type('Your name', 'Grace Hopper')
      await c.type('Your e-mail address', 'grace@hopper.test')
      await c.press('checkbox', 'I accept this document and its terms.')
      await c.press('button', 'Accept and sign')
      await picture(customer, `day-${way}-accepted`)
      await heading(customer, 'Thank you')
      await customer.close()

      // The accepted offer is invoiced and paid.
      await page.reload({ waitUntil: 'networkidle0' })
      await done('Accepted')
      await h.press('button', 'Convert')
      await page.waitForFunction(`location.pathname.includes('/invoices/')`)
      await h.press('button', 'Send')
      await done('Unpaid')
      await now('invoice')
      await h.press('link', 'New payment')
      await at('New payment')
      await now('payment-new')
      await h.type('Amount', '1143.59')
      await h.pick('Method', 'Bank transfer')
      await h.type('Amount', '1143.59', 'Line 1')
      await h.press('button', 'Create')
      await page.waitForFunction(`/^PA/.test(document.querySelector('h1').textContent)`)
      await now('payment')
      await h.open('Invoices')
      await at('Invoices')
      await done('Paid')
      assert.deepEqual(
        (await data('/invoices')).map((one: Row) => [one.status, one.display_status]),
        [['paid', 'paid']],
      )

      // Received goods of an order are in stock.
      await h.open('Purchase orders')
      await at('Purchase orders')
      await h.press('link', 'New purchase order')
      await h.choose('Vendor', 'Lind', 'Lindqvist Kontor')
      await h.type('Title', 'Desks for the harbour')
      await h.type('Description', 'Oak desk', 'Line 1')
      await h.type('Quantity', '5', 'Line 1')
      await h.type('Unit price', '300', 'Line 1')
      await h.choose('Product', 'Oak', 'Oak desk', 'Line 1')
      await h.press('button', 'Create')
      await at('PO-00001')
      await h.press('button', 'Send')
      await done('Sent')
      await h.press('button', 'Receive')
      await h.pick('Status', 'Received')
      await now('receive')
      await h.inDialog('Receive')
      await done('Received')
      await h.open('Inventory stock')
      await at('Inventory stock')
      await now('stock')
      assert.deepEqual(
        (await data('/inventory/stock')).map(({ on_hand }: Row) => on_hand),
        [5],
      )

      await h.open('Expenses')
      await at('Expenses')
      await h.press('link', 'New expense')
      await h.type('Title', 'Train to the fair')
      await h.type('Amount', '86.40')
      await h.press('button', 'Create')
      await at('Train to the fair')
      await now('expense')

      await h.open('Tasks')
      await at('Tasks')
      await h.press('link', 'New task')
      await h.type('Title', 'Oil the desks')
      await h.date('Due on', '2026-12-24')
      await h.press('button', 'Create')
      await at('Oil the desks')
      await h.press('button', 'Start')
      await h.press('button', 'Finish')
      await done('Done')
      const [{ status, due_on }] = await data('/tasks')
      assert.deepEqual([status, due_on], ['done', '2026-12-24'])

      await h.open('Projects')
      await at('Projects')
      await h.press('link', 'New project')
      await h.type('Title', 'The fair')
      await h.press('button', 'Create')
      await at('The fair')
      await h.type('New task', 'Build the stand')
      await page.keyboard.press('Enter')
      await h.press('button', 'Move to: Build the stand')
      await h.press('menuitemradio', 'In progress')
      await done('Build the stand is in In progress now.')
      await now('project')

      await h.open('Attendance')
      await at('Attendance')
      await now('attendance')
      await h.press('button', 'Check in')
      await done('Checked in at')
      await page.waitForSelector(named('button', 'Check out'))
      assert.equal((await data('/attendance-records'))[0].work_mode, 'on_site')

      await h.open('Documents')
      await at('Documents')
      await h.press('link', 'New document')
      await h.type('Title', 'Terms')
      await h.file(terms)
      await now('document-new')
      await h.press('button', 'Create')
      await at('Terms')
      await now('document')
      assert.equal((await data('/documents'))[0].original_name, 'terms.txt')
      await page.close()
    })

    it('the operator makes a workspace, sells it a module, works as its owner, and ends that', async () => {
      const page = await newPage(hands.viewport)
      const h = handsOn(page, hands)
      const name = `Westwind ${way}`
      await signIn(page, '/sign-in/operator', world.admin.email)
      await h.open('Workspaces')
      await heading(page, 'Workspaces')
      await h.press('link', 'New workspace')
      await h.type('Company name', name)
      await h.type('Email', 'office@westwind.test')
      await h.type('Owner name', 'Wanda West')
      await h.type('Owner email', `${way}@westwind.test`)
      await h.type('Owner password', 'a much better battery')
      await h.press('button', 'Create')
      await heading(page, name)
      await h.press('button', 'Actions')
      await h.press('menuitem', 'Verify owner')
      await h.press('button', 'Actions')
      await h.press('menuitem', 'Install a module')
      await h.choose('Module', 'Vend', 'Vendors')
      await picture(page, `day-${way}-install`)
      assert.deepEqual(await wrongIn(page), [])
      await h.inDialog('Install a module')
      await see(page, 'Module installed.')
      await h.press('button', 'Actions')
      await h.press('menuitem', 'Impersonate')
      await h.type('Reason', 'To see what they see')
      await h.inDialog('Impersonate')
      await arrive(page, `/w/westwind-${way}/`)
      await see(page, 'You are Administrator, and work as Wanda West.')
      await h.open('Vendors')
      await heading(page, 'Vendors')
      await picture(page, `day-${way}-impersonated`)
      await h.press('button', 'End')
      await arrive(page, '/operator/tenants')
      await page.goto(`${base}/w/westwind-${way}/`, { waitUntil: 'networkidle0' })
      await heading(page, `Sign in to westwind-${way}`)
      await page.close()
    })
  })

/** Waits until the page is stable, for a screenshot. */
const settled = (page: Page) => (process.env.SCREENSHOTS ? page.waitForNetworkIdle({ idleTime: 200 }) : undefined)

function handsOn(page: Page, hands: Hands) {
  const told = { ...hands }
  for (const [name, act] of Object.entries(hands))
    if (typeof act === 'function')
      Object.assign(told, {
        [name]: (...given: unknown[]) =>
          (act as (...all: unknown[]) => Promise<void>).apply(hands, given).catch(async (error) => {
            await picture(page, 'failed')
            throw new Error(`${name} ${given.slice(1).join(', ')}: ${error}\n${await focused(page)}`)
          }),
      })
  hands = told
  return {
    /** The submit button of a dialog. */
    inDialog: (name: string) => hands.press(page, 'button', name, true),
    open: (...more: [string, string?]) => hands.open(page, ...more),
    press: (...more: [Parameters<Hands['press']>[1], string]) => hands.press(page, ...more),
    type: (...more: [string, string, string?]) => hands.type(page, ...more),
    choose: (...more: [string, string, string, string?]) => hands.choose(page, ...more),
    pick: (...more: [string, string]) => hands.pick(page, ...more),
    file: (path: string) => hands.file(page, path),
    date: (...more: [string, string]) => hands.date(page, ...more),
  }
}
