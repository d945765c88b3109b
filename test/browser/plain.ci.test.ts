/** Wording of screens for users: creating records, partial lists, effects of actions. Run by .ci/run. */
// CI stage: lists
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, it } from 'node:test'
import type { Page } from 'puppeteer-core'
import type { Workspace } from '../harness.ts'
import { wrongIn } from './axe.ts'
import { arrive, evaluate, failing, heading, named, press, screens, see, startBrowsing, upload } from './person.ts'

const { world, signIn, newPage, member } = await startBrowsing()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ name: 'Nordwind', modules: ['leads', 'invoices', 'vendors', 'purchase-orders'] })
})

/** Takes a screenshot if SCREENSHOTS is set. */
async function shoot(page: Page, name: string) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) as `${string}.png` })
}

async function fits(page: Page, name: string) {
  await shoot(page, name)
  assert.deepEqual(await wrongIn(page), [])
  assert.equal(await evaluate(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
}

it('begins an import of leads by its steps, and asks there what becomes of duplicates', async () => {
  const page = await newPage()
  await signIn(page, `/w/${firm.slug}/leads-imports`, firm.owner)
  await heading(page, 'Lead imports')
  await see(page, 'A file of leads is brought in step by step')
  await fits(page, 'lead-imports')
  await press(page, 'link', 'New lead import')
  await arrive(page, `/w/${firm.slug}/leads/import`)
  const file = join(mkdtempSync(join(tmpdir(), 'plain-')), 'leads.csv')
  writeFileSync(file, 'Name,Email\nAda,ada@import.example\nAda again,ada@import.example\n')
  await upload(page, '[type=file]', file)
  await press(page, 'button', 'Try it')
  await see(page, 'The first rows were tried')
  await fits(page, 'lead-import-trial')
  await press(page, 'button', 'Change the options')
  await page.waitForSelector('dialog select[name=duplicate_mode]')
  await fits(page, 'lead-import-options')
  await page.select('dialog select[name=duplicate_mode]', 'keep')
  await page.click('dialog [type=submit]')
  await page.waitForFunction('!document.querySelector("dialog[open]")')
  const [made] = (await firm.owner.get('/leads/imports')).body.data
  assert.deepEqual([made.status, made.duplicate_mode], ['mapped', 'keep'])
  const one = page.url()
  await evaluate(page, failing(/\/leads\/imports\/[^/]+$/))
  await press(page, 'button', 'Import 2 rows')
  await see(page, 'You can leave: it goes on.')
  await world.drain()
  await page.waitForSelector(named('button', 'Undo'))
  // An interrupted import can be undone, too.
  await world.sql(`UPDATE lead_imports SET status = 'failed', error = 'It broke off.' WHERE uuid = $1`, [made.uuid])
  await page.goto(one, { waitUntil: 'networkidle0' })
  await see(page, 'It broke off.')
  await press(page, 'button', 'Undo')
  await see(page, 'You can leave: it goes on.')
  await world.drain()
  await see(page, 'The import was taken back.')
  assert.equal((await firm.owner.get('/leads')).body.meta.total, 0)
  assert.equal(await page.$(named('button', 'Undo')), null)
  await fits(page, 'lead-import-undone')
  await page.goto(new URL(`/w/${firm.slug}/leads-imports/${made.uuid}`, page.url()).href, { waitUntil: 'networkidle0' })
  await see(page, 'leads.csv')
  await fits(page, 'lead-import')
  assert.equal(await page.$(named('link', 'Edit')), null)
  await page.goto(new URL(`/w/${firm.slug}/imports`, page.url()).href, { waitUntil: 'networkidle0' })
  await see(page, 'An import begins in the list of what it brings in')
  assert.equal(await page.$(named('link', 'New import')), null)
  await fits(page, 'imports')
})

it('tells somebody who sees only their own who sees all', async () => {
  const clerk = await member(firm, ['invoices.view', 'invoices.create', 'email.view'], 'Clerk')
  const page = await newPage(screens.phone)
  await signIn(page, `/w/${firm.slug}/invoices`, clerk)
  await see(page, 'You see the invoices that are yours. Whoever holds invoices.assign sees all.')
  await fits(page, 'own-invoices-none')
  const made = await clerk.post('/invoices', { title: 'Sails', items: [{ description: 'Sail', quantity: 1, unit_price: 10 }] })
  assert.equal(made.status, 201, made.body.message)
  await page.reload({ waitUntil: 'networkidle0' })
  await see(page, 'Whoever holds invoices.assign sees all.')
  await fits(page, 'own-invoices')
})

it('says of lists without a form where their entries come from', async () => {
  const page = await newPage()
  await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await signIn(page, `/w/${firm.slug}/imports`, firm.owner)
  await see(page, 'Ein Import beginnt in der Liste')
  await fits(page, 'imports-de')
  const log = await newPage()
  await signIn(log, `/w/${firm.slug}/leads`, firm.owner)
  await press(log, 'link', 'Social ad deliveries')
  await see(log, 'Entries are added here as things happen.')
  await fits(log, 'log')
})

it('says of a change of many what it lacks, and marks an order as what it is', async () => {
  const made = await firm.owner.post('/vendors', { name: 'Lindqvist' })
  const page = await newPage()
  await signIn(page, `/w/${firm.slug}/vendors`, firm.owner)
  await press(page, 'checkbox', 'Select Lindqvist')
  await press(page, 'button', 'Edit')
  await page.locator(`dialog >>> ${named('button', 'Save')}`).click()
  await see(page, 'Change at least one field.')
  await fits(page, 'bulk-nothing')
  const { is_active, name } = (await firm.owner.get(`/vendors/${made.body.data.id}`)).body.data
  assert.deepEqual([name, is_active], ['Lindqvist', true])
  const lines = [{ description: 'Oak', quantity: 2, unit_price: 10 }]
  const order = { title: 'Oak', vendor_id: made.body.data.id, lines }
  const { id } = (await firm.owner.post('/purchase-orders', order)).body.data
  await firm.owner.post(`/purchase-orders/${id}/send`)
  for (const [language, name] of [
    ['en', 'Mark as partially received'],
    ['de', 'Als teilweise erhalten vermerken'],
  ] as const) {
    await page.setExtraHTTPHeaders({ 'accept-language': language })
    await page.goto(new URL(`/w/${firm.slug}/purchase-orders/${id}`, page.url()).href, { waitUntil: 'networkidle0' })
    await page.waitForSelector(named('button', name))
    await fits(page, `order-${language}`)
  }
})

it('has the texts of documents in a form, of each language, and gives the shipped ones back', async () => {
  const page = await newPage()
  await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await signIn(page, `/w/${firm.slug}/document-texts`, firm.owner)
  await page.locator('[name=kind_invoice]').fill('Honorarnote')
  await page.locator('[name=tax_id]').fill('UID')
  await press(page, 'button', 'Speichern')
  await see(page, '{id}')
  await page.waitForSelector('[name=tax_id][aria-invalid]')
  await page.locator('[name=tax_id]').fill('UID {id}')
  await press(page, 'button', 'Speichern')
  await see(page, 'Texte der Dokumente: gesichert.')
  const german = async () => {
    const { body } = await firm.owner.get('/document-texts')
    return body.data.find(({ language }: { language: string }) => language === 'de')
  }
  assert.deepEqual((await german()).own, ['kind_invoice', 'tax_id'])
  await page.click('[name=kind_invoice]', { count: 3 })
  await page.keyboard.press('Backspace')
  await press(page, 'button', 'Speichern')
  await page.waitForFunction(`document.querySelector('[name=kind_invoice]').value === 'Rechnung'`)
  assert.deepEqual((await german()).own, ['tax_id'])
  await fits(page, 'document-texts-de')
  await page.select('[name=language]', 'he')
  await page.waitForSelector('.document-texts[data-direction=rtl]')
  await page.locator('[type=search]').fill('Angebot')
  await page.waitForFunction(`document.querySelectorAll('main form input').length < 5`)
  assert.equal(await evaluate(page, `getComputedStyle(document.querySelector('[name=kind_quotation]')).direction`), 'rtl')
  await fits(page, 'document-texts-he')
  const reader = await newPage(screens.phone)
  await signIn(reader, `/w/${firm.slug}/document-texts`, await member(firm, ['settings.view'], 'Reader'))
  await reader.waitForSelector('[name=kind_invoice]')
  assert.equal(await reader.$('main button[type=submit]'), null)
  await fits(reader, 'document-texts-phone')
})

it('says in words what a German console had as codes: on an invoice, in a new role, in an account, in what is found', async () => {
  const shop = await world.workspace({ name: 'Tischlerei', modules: ['contacts', 'invoices', 'payments'] })
  const { owner } = shop
  const contact_id = (await owner.post('/contacts', { name: 'Karl', email: 'karl@tischlerei.example' })).body.data.id
  const lines = [{ name: 'Repair', quantity: 1, unit_price: 1000, tax_rate: 19 }]
  const invoice = (await owner.post('/invoices', { title: 'Reparatur der Tür', contact_id, currency: 'EUR', lines })).body.data
  await owner.post(`/invoices/${invoice.id}/send`)
  const reminded = await owner.post(`/invoices/${invoice.id}/remind`)
  assert.equal(reminded.status, 200, reminded.body.message)
  for (const amount of [190, 1000]) {
    const allocations = [{ invoice_id: invoice.id, amount }]
    const paid = await owner.post('/payments', { amount, currency: 'EUR', method: 'cash', contact_id, allocations })
    assert.equal(paid.status, 201, paid.body.message)
  }
  const page = await newPage()
  await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await signIn(page, `/w/${shop.slug}/invoices/${invoice.id}`, owner)
  await see(page, 'Verlauf')
  await see(page, 'Stand: Offen → Bezahlt')
  await see(page, 'Status: Offen → Teilweise bezahlt')
  const text = await evaluate<string>(page, 'document.body.innerText')
  assert.doesNotMatch(text, /display[ _]status|unpaid|Status: Offen → Bezahlt|[0-9a-f]{8}-[0-9a-f]{4}-/i)
  await shoot(page, 'invoice-words-de')
  const table = await page.waitForSelector('[aria-label="Zugeordnete Zahlungen"]')
  const paid = (await owner.get('/payments', { query: { sort: 'number', direction: 'asc' } })).body.data
  const links = (await table!.evaluate((one: any) =>
    [...one.querySelectorAll('a')].map((a) => [a.textContent, a.getAttribute('href')]),
  )) as string[][]
  assert.deepEqual(
    links.map(([said]) => said),
    paid.map((one: { number: string }) => one.number),
  )
  assert.match(links[0]![1]!, new RegExp(`/payments/${paid[0].id}$`))
  const head = (await table!.evaluate((one: any) => one.querySelector('thead').textContent)) as string
  assert.match(head, /Zahlung.*Status.*Bezahlt am/)
  await table!.evaluate((one: any) => one.scrollIntoView())
  await shoot(page, 'invoice-payments-de')
  const { number } = (await owner.get('/invoices')).body.data[0]
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.waitForSelector('dialog[open] input')
  await page.keyboard.type(number)
  await see(page, `${number} · Reparatur der Tür`)
  await fits(page, 'found-de')
  await page.goto(new URL(`/w/${shop.slug}/roles/new`, page.url()).href, { waitUntil: 'networkidle0' })
  await page.waitForSelector('.choices small')
  const rights = await evaluate<string>(page, `document.querySelector('.choices').innerText`)
  assert.doesNotMatch(rights, /\w+\.\w+/)
  assert.match(rights, /Rechnungen: /)
  await fits(page, 'new-role-de')
  await page.goto(new URL(`/w/${shop.slug}/account`, page.url()).href, { waitUntil: 'networkidle0' })
  await see(page, 'Diese hier')
  assert.doesNotMatch(await evaluate<string>(page, 'document.body.innerText'), /\bsession\b/)
})
