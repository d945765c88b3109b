/**
 * Custom pages of the operator's records, dragging documents to folders, and a custom page in Firefox if installed. Run by
 * .ci/run.
 */
// CI stage: lists
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inPublic, originOf } from '#kernel/context.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import type { Workspace } from '../harness.ts'
import { startImap } from '../imap.ts'
import { clientOf, letter, PASSWORD } from '../mailboxes.ts'
import { operator } from '../operator.ts'
import { startSubmission } from '../submission.ts'
import { wrongIn } from './axe.ts'
import { evaluate, fill, heading, launch, named, newPage as newPageOf, press, see, startBrowsing } from './person.ts'
import { HOSTILE, sound, startHostileReceiver } from './sound.ts'

const { base, world, signIn, newPage } = await startBrowsing({ env: { ALLOW_INTERNAL_MAIL_HOSTS: 'true' } })
let firm: Workspace
let root: string
const hook = await startHostileReceiver()

before(async () => {
  firm = await world.workspace({ name: 'Nordwind', modules: ['storage', 'documents', 'leads', 'vendors', 'email'] })
  root = `${base}/w/${firm.slug}`
})

async function signedIn(address: string, who: { email: string }, viewport?: object) {
  const page = await newPage(viewport)
  await signIn(page, address, who)
  return page
}
const asOperator = (path: string, who: { email: string } = world.admin) => signedIn(`${base}/operator${path}`, who)

describe('the operator’s records', () => {
  it('a webhook endpoint shows what was told to it and what it answered, as text', async () => {
    const { admin } = world
    const made = await admin.post('/webhook-endpoints', { url: hook, types: ['tenant.*'] })
    assert.equal(made.status, 201, made.body.message)
    const { id } = made.body.data
    await admin.post(`/webhook-endpoints/${id}/test`)
    const page = await asOperator(`/webhook-endpoints/${id}`)
    await see(page, 'Deliveries')
    await page.waitForSelector('.deliveries li')
    await see(page, 'webhook.test')
    await page.locator('.deliveries summary').click()
    await see(page, HOSTILE)
    await sound(page)
    await page.select('.deliveries select', 'delivered')
    await see(page, 'No delivery is in this state.')
    await page.close()
  })

  it('a workspace shows what it subscribes to, owes and does, with ways there', async () => {
    const { admin } = world
    const found = (await admin.get('/modules', { query: { search: 'inventory' } })).body.data
    const { id: module_id } = found.find(({ key }: { key: string }) => key === 'inventory')
    await admin.put(`/modules/${module_id}`, { monthly_price: 19, yearly_price: 190, is_billable: true, currency: 'USD' })
    for (const key of ['products', 'warehouses']) {
      const other = (await admin.get('/modules', { query: { search: key } })).body.data
      const needed = other.find((one: { key: string }) => one.key === key)
      await admin.post(`/tenants/${firm.id}/modules`, { module_id: needed.id })
    }
    const sold = await admin.post(`/tenants/${firm.id}/modules`, { module_id, billing_cycle: 'monthly' })
    assert.equal(sold.status, 201, sold.body.message)
    for (const phone of ['1', '2', '3', '4', '5', '6']) await admin.put(`/tenants/${firm.id}`, { phone: `+4940555${phone}` })
    await admin.put(`/tenants/${firm.id}`, { notes: HOSTILE })
    const page = await asOperator(`/tenants/${firm.id}`)
    await heading(page, 'Nordwind')
    await see(page, '$19.00 a month')
    await see(page, firm.owner.email)
    await see(page, 'Nothing was paid yet.')
    await see(page, 'Page 1 of')
    await sound(page)
    await press(page, 'button', 'Earlier')
    await see(page, 'Page 2 of')
    await page.locator('.tenants-free summary').click()
    await page.waitForSelector(named('link', 'Leads'))
    await press(page, 'link', 'Inventory')
    await page.waitForFunction(`location.pathname === '/operator/module-subscriptions/${sold.body.data.id}'`)
    // The subscription shows workspace and module by name, as links.
    await page.waitForSelector(named('link', 'Nordwind'))
    await page.goBack()
    await see(page, '$19.00 a month')
    await page.waitForFunction(`document.activeElement.textContent === 'Inventory'`)
    await page.goto(`${base}/operator/module-subscriptions?tenant_id=${firm.id}`, { waitUntil: 'networkidle0' })
    await page.waitForSelector(`tbody ${named('link', 'Nordwind')}`)
    assert.deepEqual(await wrongIn(page), [])
    await page.close()
  })

  it('a workspace shows no ledger to whoever may not see it', async () => {
    const reader = await operator(world, ['tenants.list', 'tenants.read'])
    const page = await asOperator(`/tenants/${firm.id}`, reader)
    await see(page, 'Audit log')
    const shown = await evaluate<string>(page, `document.querySelector('main').innerText`)
    for (const one of ['Subscriptions', 'Payments', 'a month']) assert.ok(!shown.includes(one), one)
    await page.close()
  })

  it('a logged mail is shown as it reads, and whose it is', async () => {
    const mail = { type: 'test.sent', to: ['ann@x.test'], subject: 'Your offer', html: '<p>Hello</p>', text: HOSTILE }
    const uuid = await inPublic(originOf(world.services), 'write', (ctx) => sendMail(ctx, mail, firm.id))
    await world.drain()
    const page = await asOperator(`/email-logs/${uuid}`)
    await heading(page, 'Your offer')
    await see(page, 'Kept, not sent')
    await see(page, HOSTILE)
    await page.waitForSelector(named('link', 'Nordwind'))
    await sound(page)
    await page.close()
  })

  it('a gateway is set up from what it is now, not from what it was when it was last looked at', async () => {
    const { id } = (await world.admin.get('/payment-gateways')).body.data.find(({ code }: { code: string }) => code === 'stripe')
    const page = await asOperator(`/payment-gateways/${id}`)
    await page.waitForSelector('[name=secret_key]')
    await press(page, 'link', 'Payment gateways')
    await heading(page, 'Payment gateways')
    await world.sql(`UPDATE payment_gateways SET mode = 'live', revision = revision + 1 WHERE code = 'stripe'`)
    const { promise: held, resolve: answer } = Promise.withResolvers<void>()
    await page.setRequestInterception(true)
    page.on('request', (request) => {
      const go = () => void request.continue()
      if (request.url().endsWith(`/payment-gateways/${id}`) && request.method() === 'GET') void held.then(go)
      else go()
    })
    await press(page, 'link', 'Stripe')
    await heading(page, 'Stripe')
    await new Promise((done) => setTimeout(done, 500))
    assert.equal(await page.$('[name=secret_key]'), null)
    answer()
    await page.waitForSelector('[name=secret_key]')
    assert.equal(await evaluate(page, `document.querySelector('.payment-gateways-credentials select').value`), 'live')
    await world.sql(`UPDATE payment_gateways SET mode = 'sandbox', revision = revision + 1 WHERE code = 'stripe'`)
    await page.close()
  })

  it('a gateway says what is missing, takes its credentials, and tells none', async () => {
    const all = (await world.admin.get('/payment-gateways')).body.data
    const { id } = all.find(({ code }: { code: string }) => code === 'stripe')
    const page = await asOperator(`/payment-gateways/${id}`)
    await see(page, 'needs its credentials of the mode “Sandbox”')
    await see(page, 'The secret of the webhook is missing')
    await sound(page)
    await fill(page, { secret_key: 'sk_live_1234567890abcd' })
    await press(page, 'button', 'Save the credentials')
    await page.waitForFunction(`document.activeElement.name === 'secret_key' && document.activeElement.ariaInvalid === 'true'`)
    await see(page, 'Must be a key of the mode sandbox.')
    await fill(page, {
      secret_key: 'sk_test_1234567890abcd',
      publishable_key: 'pk_test_1234567890abcd',
      webhook_secret: 'whsec_1234567890abcdef',
    })
    await press(page, 'button', 'Save the credentials')
    await see(page, 'Credentials saved.')
    await see(page, 'It was not called yet.')
    assert.equal(await evaluate(page, `document.querySelector('[name=secret_key]').value`), '')
    assert.ok(!(await page.content()).includes('1234567890abcd'))
    await press(page, 'button', 'Save the credentials')
    await see(page, 'Nothing was typed')
    await page.close()
    const reader = await operator(world, ['payment-gateways.list', 'payment-gateways.read'])
    const theirs = await asOperator(`/payment-gateways/${id}`, reader)
    await see(theirs, 'Address to give to Stripe')
    assert.equal(await theirs.$('[name=secret_key]'), null)
    await theirs.close()
  })
})

const middleOf = async (page: Page, selector: string) => {
  const { x, y, width, height } = (await (await page.waitForSelector(selector))!.boundingBox())!
  return { x: x + width / 2, y: y + Math.min(height / 2, 40) }
}
async function dragged(page: Page, from: string, to: string) {
  const [start, end] = [await middleOf(page, from), await middleOf(page, to)]
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move(start.x + 8, start.y + 8, { steps: 3 })
  await page.mouse.move(end.x, end.y, { steps: 6 })
  await page.mouse.up()
}
const folderOf = async (title: string) =>
  (await firm.owner.get('/documents', { query: { search: title } })).body.data[0].category?.name ?? null

describe('a document', () => {
  before(async () => {
    for (const name of ['Contracts', 'Offers']) await firm.owner.post('/document-categories', { name })
    const file = new File(['Terms'], 'terms.txt', { type: 'text/plain' })
    const made = await firm.owner.post('/documents', { title: 'Terms', file })
    assert.equal(made.status, 201, made.body.message)
  })

  it('is dragged into a folder, and back by Undo', async () => {
    const page = await signedIn(`${root}/documents`, firm.owner)
    await page.waitForSelector(named('button', 'Preview Terms'))
    await page.waitForSelector(named('link', 'Contracts'))
    await dragged(page, '.documents-list tbody tr td:nth-child(4)', '.documents-folders li:nth-child(2) a')
    await see(page, 'Terms is in Contracts now.')
    assert.equal(await folderOf('Terms'), 'Contracts')
    await press(page, 'button', 'Undo')
    await see(page, 'Terms is in Without a category now.')
    assert.equal(await folderOf('Terms'), null)
    await page.close()
  })

  it('is moved by keys alone, and back', async () => {
    const page = await signedIn(`${root}/documents`, firm.owner)
    await page.waitForSelector(named('button', 'What to do with Terms'))
    await page.focus('.documents-title')
    const focused = () => evaluate<string>(page, `document.activeElement.innerText`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=menu]')
    for (let n = 0; n < 12 && !(await focused()).startsWith('Offers'); n++) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await see(page, 'Terms is in Offers now.')
    // The menu’s button has the focus again, from which the undo action is reachable.
    assert.equal(await evaluate(page, `document.activeElement.ariaLabel`), 'What to do with Terms')
    await page.focus('.toast .act')
    await page.keyboard.press('Enter')
    await see(page, 'Terms is in Without a category now.')
    assert.equal(await folderOf('Terms'), null)
    await page.close()
  })
})

const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr'
/** First version whose window size puppeteer can set: it also sets the orientation. */
const FIREFOX_VERSION = 144

function whyNotInFirefox() {
  if (!existsSync(FIREFOX)) return 'there is no Firefox'
  const version = Number(/\d+/.exec(execFileSync(FIREFOX, ['--version'], { encoding: 'utf8' }))?.[0])
  return version < FIREFOX_VERSION && `puppeteer needs Firefox ${FIREFOX_VERSION}, not ${version}`
}

describe('in Firefox', { skip: whyNotInFirefox() }, () => {
  it('one signs in, sorts a list, fills a form, moves a card and a document, and writes a letter', async () => {
    const [imap, smtp] = [await startImap(), await startSubmission(PASSWORD)]
    const firefox = await launch(FIREFOX)
    const complaints: string[] = []
    try {
      const mailbox = { host: '127.0.0.1', encryption: 'none', username: 'fox', password: PASSWORD }
      const of = (side: string, port: number) =>
        Object.fromEntries(Object.entries({ ...mailbox, port }).map(([name, value]) => [`${side}_${name}`, value]))
      const client = await clientOf(imap.port, 'fox')
      await client.append('INBOX', Buffer.from(letter(1, {})))
      const account = await firm.owner.post('/email/accounts', {
        ...{ email_address: 'fox@firm.test', from_name: 'Fox' },
        ...of('imap', imap.port),
        ...of('smtp', smtp.port),
      })
      await world.drain()
      await client.logout()

      const page = await newPageOf(firefox, complaints)
      await signIn(page, `${root}/vendors/new`, firm.owner)
      await heading(page, 'New vendor')
      await fill(page, { name: 'Fuchs & Sons' })
      await press(page, 'button', 'Create')
      await heading(page, 'Fuchs & Sons')
      await page.goto(`${root}/vendors`)
      await press(page, 'button', 'Name')
      await page.waitForFunction(`location.search.includes('sort=name')`)
      await page.waitForSelector(named('link', 'Fuchs & Sons'))

      await firm.owner.post('/leads', { name: 'Ada Lovelace', lead_type: 'direct' })
      await page.goto(`${root}/leads/board`)
      await dragged(page, '.board article', 'section[aria-label="Qualified"]')
      await see(page, 'Ada Lovelace is in Qualified now.')

      await page.goto(`${root}/documents`)
      await page.waitForSelector('.documents-title')
      await page.waitForSelector('.documents-folders li:nth-child(3) a')
      await dragged(page, '.documents-list tbody tr td:nth-child(4)', '.documents-folders li:nth-child(3) a')
      await see(page, 'Terms is in Offers now.')

      await page.goto(`${root}/inbox?account=${account.body.data.uuid}`)
      await page.locator('.email-row a ::-p-text(Letter 1)').click()
      await press(page, 'button', 'Reply')
      await page.waitForFunction(`document.activeElement.matches('.email-body[contenteditable=true]')`)
      const together = async (key: 'b' | 'k' | 'z') => {
        await page.keyboard.down('Control')
        await page.keyboard.press(key)
        await page.keyboard.up('Control')
      }
      await together('b')
      await page.keyboard.type('Bold')
      await together('b')
      await page.keyboard.type(' and ')
      await together('k')
      await page.waitForSelector(named('dialog', 'Link'))
      await page.locator(named('textbox', 'Address')).fill('nordwind.test/prices')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.email-body a[href="https://nordwind.test/prices"]')
      await page.waitForFunction(`document.activeElement.matches('.email-body')`)
      await page.keyboard.press('Enter')
      await press(page, 'button', 'List')
      await page.keyboard.type('first')
      await page.keyboard.press('Enter')
      await page.keyboard.type('mistaken')
      await page.waitForFunction(`document.querySelectorAll('.email-body ul li').length === 2`)
      await together('z')
      await page.waitForFunction(`!document.querySelector('.email-body').innerText.includes('mistaken')`)
      await press(page, 'button', 'Send')
      await see(page, 'Message queued.')
      await world.drain()
      const sent = smtp.submitted.at(-1)!.message.replace(/=\r?\n/g, '')
      for (const part of [/<b>Bold<\/b>/, /nordwind\.test\/prices/, /<li>.*first/, /- first/]) assert.match(sent, part)
      assert.doesNotMatch(sent, /mistaken/)
    } finally {
      await firefox.close()
      await smtp.stop()
      await imap.stop()
    }
    assert.deepEqual(complaints, [])
  })
})
