/**
 * The inbox in a real browser: reading, replying with an attachment and filing, by mouse, keyboard and touch; hostile mails;
 * offline drafts. Run by .ci/run, with DOVECOT=1 on Dovecot.
 */
// CI stage: screens
// Also in CI: dovecot
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { invoiceXml } from '../../src/workspace/incoming-invoices/samples.ts'
import { noDovecot, startDovecot } from '../dovecot.ts'
import { freePort } from '../free-port.ts'
import { PASSWORD as SIGN_IN, startTest, type Workspace } from '../harness.ts'
import { hostileMails } from '../hostile-mails.ts'
import { startImap } from '../imap.ts'
import { clientOf, letter, PASSWORD } from '../mailboxes.ts'
import { startSubmission } from '../submission.ts'
import { wrongIn } from './axe.ts'
import { evaluate, failing, heading, launch, named, newPage, press, screens, see, upload } from './person.ts'

const reason = process.env.DOVECOT ? noDovecot() : undefined
if (reason) throw new Error(reason)
const server = process.env.DOVECOT ? await startDovecot() : await startImap()
const smtp = await startSubmission(PASSWORD)
const port = await freePort()
const base = `http://localhost:${port}`
const world = await startTest({ machineClock: true, env: { BASE_URL: base, ALLOW_INTERNAL_MAIL_HOSTS: 'true' } })
await world.app.listen({ port, host: 'localhost' })
const complaints: string[] = []
/** An external server, which detects that a mail is read when its picture is loaded. */
let seen = 0
const theirs = createServer((_, reply) => {
  seen++
  reply.setHeader('content-type', 'image/gif').end(Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64'))
}).listen(0, '127.0.0.1')
await once(theirs, 'listening')
const remote = `http://127.0.0.1:${(theirs.address() as AddressInfo).port}/seen.gif`
let browser: Browser
let firm: Workspace
let root: string
const file = join(mkdtempSync(join(tmpdir(), 'atrium-inbox-')), 'offer.txt')
writeFileSync(file, 'What it costs')

before(async () => {
  browser = await launch()
  firm = await world.workspace({ name: 'Nordwind', modules: [...modules] })
  root = `${base}/w/${firm.slug}`
})
after(async () => {
  await browser.close()
  theirs.close()
  theirs.closeAllConnections()
  await smtp.stop()
  await server.stop()
  assert.deepEqual(complaints, [])
})

const modules = ['email', 'contacts', 'leads', 'documents', 'expenses', 'vendors', 'incoming-invoices'] as const

/** Connects a mailbox with these messages in its inbox; other clients file into Archive and Trash. */
async function connected(user: string, letters: (string | Buffer)[]) {
  const client = await clientOf(server.port, user)
  for (const one of letters) await client.append('INBOX', one as Buffer)
  const settings = { host: '127.0.0.1', encryption: 'none', username: user, password: PASSWORD }
  const of = (side: string, at: number) =>
    Object.fromEntries(Object.entries({ ...settings, port: at }).map(([name, value]) => [`${side}_${name}`, value]))
  const body = { email_address: `${user}@firm.test`, from_name: 'Bob', ...of('imap', server.port), ...of('smtp', smtp.port) }
  const account = (await firm.owner.post('/email/accounts', body)).body.data.uuid as string
  await world.drain()
  return { account, client }
}
const disconnect = (account: string) => firm.owner.del(`/email/accounts/${account}`)

async function signIn(page: Page, address: string, email = firm.owner.email) {
  await world.sql('DELETE FROM rate_limits')
  await page.goto(address, { waitUntil: 'networkidle0' })
  await page.type('[name=email]', email)
  await page.type('[name=password]', SIGN_IN)
  await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), page.keyboard.press('Enter')])
}
const opened = async (account: string, viewport: object = screens.desktop) => {
  const page = await newPage(browser, complaints, viewport)
  await signIn(page, `${root}/inbox?account=${account}`)
  await heading(page, 'Inbox')
  return page
}
const row = (subject: string) => `.email-row a ::-p-text(${subject})`
const gone = (page: Page, subject: string) =>
  page.waitForFunction(
    `![...document.querySelectorAll('.email-row')].some((one) => one.innerText.includes(${JSON.stringify(subject)}))`,
  )
const attach = async (page: Page) => {
  await upload(page, '.email-writing input[type=file]', file)
  await page.waitForFunction(`document.querySelector('.email-writing .email-files')?.innerText.includes('offer.txt')`)
  await page.waitForFunction(`!document.querySelector('.email-writing progress')`)
}
/** Waits until the body's editor is ready and focused. */
const writing = (page: Page) => page.waitForFunction(`document.activeElement.matches('.email-body[contenteditable=true]')`)
const says = (page: Page, text: string) =>
  page.waitForFunction(`document.querySelector('.email-body[contenteditable]')?.innerText.includes(${JSON.stringify(text)})`)
/** Returns a folder's messages as another client sees them. */
async function onServer(client: Awaited<ReturnType<typeof clientOf>>, folder: string) {
  await client.mailboxOpen(folder)
  const found = await client.fetchAll('1:*', { envelope: true, flags: true, uid: true }).catch(() => [])
  return found.map(({ envelope, flags = new Set() }) => [
    envelope?.subject,
    [...flags].filter((flag) => flag !== '\\Recent').sort(),
  ])
}

const rich = 'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8'

describe('mail is read, answered with a file, and filed', () => {
  it('by mouse', async () => {
    const { account, client } = await connected('mouse', [
      letter(1, { head: rich, body: `<p>Dear <b>Bob</b></p><img src="${remote}">` }),
      letter(2),
    ])
    const page = await opened(account)
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    await page.locator(row('Letter 1')).click()
    await page.waitForSelector('.email-frame iframe')
    const frame = await evaluate<string[]>(
      page,
      `(({ src, sandbox }) => [new URL(src).pathname.replace(/[0-9a-f-]{36}/, ''), sandbox.value])(document.querySelector('.email-frame iframe'))`,
    )
    assert.deepEqual(frame, [`/w/${firm.slug}/api/tenant/v1/email/messages//page`, 'allow-popups allow-popups-to-escape-sandbox'])
    const inside = await page.waitForFrame((one) => one.url().endsWith('/page'))
    assert.match(await inside.$eval('body', (one) => one.textContent ?? ''), /Dear Bob/)
    assert.ok(!asked.includes(remote) && !seen)
    await Promise.all([page.waitForResponse(remote), press(page, 'button', 'Show pictures')])
    assert.equal(seen, 1)
    await press(page, 'button', 'Reply')
    await writing(page)
    await page.keyboard.type('With pleasure.')
    await attach(page)
    await press(page, 'button', 'Send')
    await see(page, 'Message queued.')
    await world.drain()
    const { to, message } = smtp.submitted.at(-1)!
    assert.deepEqual(to, ['ann1@sender.test'])
    for (const part of [
      /Subject: Re: Letter 1/,
      /In-Reply-To: <letter-1@sender\.test>/,
      /With pleasure\./,
      /filename=offer\.txt/,
      /> Dear/,
    ])
      assert.match(message, part)
    await press(page, 'button', 'Archive')
    await see(page, 'The message is in Archive now.')
    await gone(page, 'Letter 1')
    await world.drain()
    await world.drain()
    assert.deepEqual(await onServer(client, 'Archive'), [['Letter 1', ['\\Answered', '\\Seen']]])
    assert.deepEqual(await onServer(client, 'Sent'), [['Re: Letter 1', ['\\Seen']]])
    await client.logout()
    await disconnect(account)
    await page.browserContext().close()
  })

  it('by keys', async () => {
    const { account, client } = await connected(
      'keys',
      [1, 2, 3].map((n) => letter(n)),
    )
    const page = await opened(account)
    await page.waitForSelector('.email-row')
    const focusedRow = (subject: string) =>
      page.waitForFunction(`document.activeElement.closest('.email-row')?.innerText.includes(${JSON.stringify(subject)})`)
    await page.keyboard.press('j')
    await focusedRow('Letter 3')
    await page.keyboard.press('j')
    await focusedRow('Letter 2')
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      `document.activeElement.textContent === 'Letter 2' && document.querySelector('.email-answers button')`,
    )
    await page.waitForFunction(`!document.querySelector('.email-row.open').classList.contains('unread')`)
    await page.keyboard.press('r')
    await writing(page)
    await page.keyboard.type('jkre# is text here')
    await page.keyboard.down('Control')
    await page.keyboard.press('Enter')
    await page.keyboard.up('Control')
    await see(page, 'Message queued.')
    await page.waitForSelector('.email-letter')
    await world.drain()
    assert.match(smtp.submitted.at(-1)!.message, /jkre# is text here/)
    await page.keyboard.press('e')
    await gone(page, 'Letter 2')
    await press(page, 'button', 'Undo')
    await page.waitForSelector(row('Letter 2'))
    await page.keyboard.press('Escape')
    await page.evaluate(`document.querySelector('.email-row a').focus()`)
    await page.keyboard.press('s')
    await page.waitForFunction(`document.querySelector('.email-row .starred')`)
    await page.keyboard.press('u')
    await page.waitForFunction(`!document.querySelector('.email-row').classList.contains('unread')`)
    await page.keyboard.press('#')
    await gone(page, 'Letter 3')
    await see(page, 'The message was deleted.')
    await page.keyboard.press('?')
    await page.waitForSelector(named('dialog', 'Keys'))
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('ann1')
    await page.waitForFunction(`location.search.includes('q=ann1') && document.querySelectorAll('.email-row').length === 1`)
    await world.drain()
    assert.deepEqual(
      (await onServer(client, 'Trash')).map(([subject]) => subject),
      ['Letter 3'],
    )
    await client.logout()
    await disconnect(account)
    await page.browserContext().close()
  })

  it('on a phone, one pane after another, with Back', async () => {
    const { account, client } = await connected(
      'finger',
      [1, 2].map((n) => letter(n)),
    )
    const page = await opened(account, screens.phone)
    const pane = (name: string) => page.waitForSelector(`[data-pane=${name}]`)
    await press(page, 'link', 'Folders')
    await pane('places')
    await page.goBack()
    await pane('list')
    await page.locator(row('Letter 1')).click()
    await pane('reading')
    const shared = page.url()
    await page.goBack()
    await pane('list')
    await page.waitForFunction(`document.activeElement.innerText?.includes('Letter 1')`)
    await page.goto(shared, { waitUntil: 'networkidle0' })
    await see(page, 'This is letter number 1.')
    await press(page, 'button', 'Reply')
    await writing(page)
    await page.keyboard.type('From the road.')
    await attach(page)
    await press(page, 'button', 'Send')
    await see(page, 'Message queued.')
    await pane('reading')
    await press(page, 'button', 'Archive')
    await pane('list')
    await gone(page, 'Letter 1')
    await world.drain()
    assert.match(smtp.submitted.at(-1)!.message, /From the road\.[\s\S]*offer\.txt/)
    assert.deepEqual(await evaluate(page, 'document.documentElement.scrollWidth <= innerWidth'), true)
    await client.logout()
    await disconnect(account)
    await page.browserContext().close()
  })
})

const ONE_SECOND = `Date: ${new Date(Date.UTC(2026, 9, 1, 0, 10)).toUTCString()}`

it('many are chosen and filed at once, and new mail comes without moving what is read', async () => {
  // Messages from the sixth on have the same second, across the boundary of the first page of fifty.
  const letters = Array.from({ length: 60 }, (_, n) => (n < 5 ? letter(n + 1) : letter(n + 1).replace(/^Date: .*/m, ONE_SECOND)))
  const { account, client } = await connected('many', letters)
  const page = await opened(account)
  await page.waitForSelector('.email-row')
  assert.equal(await evaluate(page, `document.querySelectorAll('.email-row').length`), 50)
  await page.evaluate(`document.querySelector('.email-end').scrollIntoView()`)
  await page.waitForFunction(`document.querySelectorAll('.email-row').length === 60`)
  await page.evaluate(`document.querySelector('.email-list').scrollTo(0, 0)`)
  await page.locator(row('Letter 58')).click()
  await page.waitForFunction(`document.querySelector('.email-reading')?.innerText.includes('letter number 58')`)
  await client.append('INBOX', letter(99))
  await firm.owner.post(`/email/accounts/${account}/sync`)
  await world.drain()
  await page.waitForSelector(row('Letter 99'))
  assert.equal(await evaluate(page, `document.querySelectorAll('.email-row').length`), 61)
  assert.match(await evaluate(page, `document.querySelector('.email-reading').innerText`), /letter number 58/)
  await page.keyboard.press('Escape')
  await page.waitForSelector('[data-pane=list]')
  for (const n of [99, 60, 59]) await press(page, 'checkbox', `Select: Letter ${n}`)
  await see(page, '3 chosen')
  // One message is deleted meanwhile: the result for the others is reported.
  await world.sql(`DELETE FROM email_messages WHERE subject = 'Letter 59'`)
  await press(page, 'button', 'Move to')
  await press(page, 'menuitem', 'Archive')
  await page.waitForFunction(`/2 messages are in Archive now\\. \\S/.test(document.querySelector('.toasts').innerText)`)
  await gone(page, 'Letter 59')
  await world.drain()
  assert.equal((await onServer(client, 'Archive')).length, 2)
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

it('what is refused of many, or undone, stands in the list again, where it stood', async () => {
  const { account, client } = await connected(
    'refused',
    Array.from({ length: 60 }, (_, n) => letter(n + 1)),
  )
  const page = await opened(account)
  await page.waitForSelector('.email-row')
  await page.evaluate(`document.querySelector('.email-end').scrollIntoView()`)
  await page.waitForFunction(`document.querySelectorAll('.email-row').length === 60`)
  const last = `[...document.querySelectorAll('.email-row .email-subject')].slice(-4).map((one) => one.textContent).join()`
  const choose = async (...numbers: number[]) => {
    for (const n of numbers) await page.$eval(`[aria-label="Select: Letter ${n}"]`, (box) => (box as { click(): void }).click())
    await see(page, `${numbers.length} chosen`)
  }
  await choose(60, 3, 2)
  await world.sql(`UPDATE email_messages SET status = 'sending' WHERE tenant_id = $1 AND subject = 'Letter 3'`, [firm.id])
  await press(page, 'button', 'Delete')
  await see(page, '2 messages were deleted. The message is being sent at this moment.')
  await gone(page, 'Letter 60')
  await page.waitForFunction(`${last} === 'Letter 5,Letter 4,Letter 3,Letter 1'`)
  await press(page, 'button', 'Undo')
  await see(page, '2 messages are back.')
  await page.waitForFunction(`${last} === 'Letter 4,Letter 3,Letter 2,Letter 1'`)
  // When the service doesn't reply, no message of the selection is changed.
  await choose(4, 1)
  await page.evaluate(failing(/\/email\/messages\/bulk$/))
  await press(page, 'button', 'Move to')
  await press(page, 'menuitem', 'Archive')
  await page.waitForFunction(`${last} === 'Letter 4,Letter 3,Letter 2,Letter 1' && !document.querySelector('.chosen-bar')`)
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

it('a file of a mail becomes an incoming invoice with its expense, and a document, by keys', async () => {
  const files = { 'rechnung.xml': invoiceXml({ number: 'M-7' }), 'photo.png': 'no picture', 'note.txt': 'What it is about' }
  const parts = Object.entries(files).map(
    ([name, content]) =>
      `--a\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n')}`,
  )
  const body = ['--a\r\nContent-Type: text/plain\r\n\r\nOur invoice.', ...parts, '--a--\r\n'].join('\r\n')
  const head = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a'
  const { account, client } = await connected('keeper', [letter(1, { head, body })])
  const page = await opened(account)
  await page.locator(row('Letter 1')).click()
  const choose = async (file: string, item: string) => {
    await page.waitForSelector(named('button', `Keep ${file}`))
    await page.focus(`[aria-label="Keep ${file}"]`)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=menuitem]:focus')
    await page.keyboard.press(item[0] as 'A')
    await page.waitForFunction(`document.activeElement.innerText === ${JSON.stringify(item)}`)
    await page.keyboard.press('Enter')
  }
  await choose('note.txt', 'In documents')
  await see(page, 'Document created.')
  await choose('photo.png', 'In documents')
  await see(page, 'photo.png: ')
  await choose('rechnung.xml', 'As an incoming invoice and expense')
  await see(page, 'Invoice received.')
  await choose('rechnung.xml', 'As an incoming invoice and expense')
  await see(page, 'rechnung.xml: M-7 of')
  const [document] = (await firm.owner.get('/documents')).body.data
  assert.deepEqual([document.title, document.original_name, document.size_bytes], ['note', 'note.txt', 16])
  const [invoice] = (await firm.owner.get('/incoming-invoices')).body.data
  assert.deepEqual([invoice.number, invoice.status], ['M-7', 'booked'])
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

it('a message that is passed on leaves with all of its files, or with those that somebody left out', async () => {
  const parts = ['one.txt', 'two.txt'].map(
    (name) => `--a\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nFile ${name}`,
  )
  const body = ['--a\r\nContent-Type: text/plain\r\n\r\nLook.', ...parts, '--a--\r\n'].join('\r\n')
  const head = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a'
  const { account, client } = await connected('passer', [letter(1, { head, body })])
  const page = await opened(account)
  await page.locator(row('Letter 1')).click()
  await page.waitForSelector(named('button', 'Keep two.txt'))
  await evaluate(page, failing(/\/attachments\/[^/]+$/))
  await press(page, 'button', 'Forward')
  await press(page, 'button', 'Leave out one.txt')
  await page.waitForFunction(`!document.querySelector('.email-missing')`)
  await page.waitForFunction(`document.querySelector('.email-writing .email-files')?.innerText.includes('two.txt')`)
  await page.locator(named('combobox', 'To')).fill('ada@lovelace.example,')
  await press(page, 'button', 'Send')
  await see(page, 'Message queued.')
  await world.drain()
  const without = smtp.submitted.at(-1)!.message
  assert.deepEqual([without.includes('filename=one.txt'), without.includes('filename=two.txt')], [false, true])

  await evaluate(page, failing(/\/attachments\/[^/]+$/))
  await press(page, 'button', 'Forward')
  await page.waitForSelector(named('button', 'Leave out one.txt'))
  await press(page, 'button', 'Try again')
  await page.waitForFunction(`document.querySelectorAll('.email-writing progress, .email-missing').length === 0`)
  await page.waitForFunction(`document.querySelector('.email-writing .email-files')?.innerText.includes('two.txt')`)
  await page.locator(named('combobox', 'To')).fill('ada@lovelace.example,')
  await press(page, 'button', 'Send')
  await see(page, 'Message queued.')
  await world.drain()
  const { message } = smtp.submitted.at(-1)!
  for (const part of ['filename=one.txt', 'filename=two.txt', 'Subject: Fwd: Letter 1']) assert.ok(message.includes(part), part)
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

it('the page comes with the mailboxes and the messages of its place, and asks for neither', async () => {
  const { account, client } = await connected('first', [letter(1), letter(2)])
  const page = await opened(account)
  const asked: string[] = []
  page.on('request', (request) => void asked.push(request.url()))
  for (const query of [`account=${account}`, `account=${account}&unread=1`]) {
    asked.length = 0
    await page.goto(`${root}/inbox?${query}`)
    await page.waitForSelector(row('Letter 2'))
    const came = await evaluate<string[]>(
      page,
      `JSON.parse(document.getElementById('boot').textContent).first.map(({ asked }) => asked.replace(/[0-9a-f-]{36}/, ''))`,
    )
    const unread = query.includes('unread') ? 'is_read=false&' : ''
    assert.deepEqual(came, ['/email/mailboxes?', `/email/folders//messages?${unread}per_page=50`])
    assert.deepEqual(
      asked.filter((url) => url.includes('/email/')),
      [],
    )
  }
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

it('what is written outlives a lost connection and a reload, and leaves only when somebody sends it', async () => {
  const { account, client } = await connected('writer', [letter(1)])
  await firm.owner.post('/contacts', { name: 'Ada Lovelace', email: 'ada@lovelace.example' })
  await firm.owner.post('/email/signatures', { name: 'Office', body_text: 'Bob of Nordwind', is_default: true })
  const template = {
    name: 'Offer',
    subject: 'Offer for {{name}}',
    body_html: '<p>Dear {{name}},</p><p>our offer.</p>',
    variables: ['name'],
  }
  await firm.owner.post('/email/templates', template)
  const page = await opened(account)
  await press(page, 'button', 'New message')
  await says(page, 'Bob of Nordwind')
  await page.locator(named('combobox', 'To')).fill('ada')
  await press(page, 'option', 'Ada Lovelace <ada@lovelace.example>')
  await press(page, 'button', 'Template')
  await press(page, 'menuitem', 'Offer')
  await page.waitForSelector(named('dialog', 'Offer'))
  assert.equal(await evaluate(page, `document.querySelector('dialog input').value`), 'Ada Lovelace')
  await press(page, 'button', 'Fill in')
  await page.waitForFunction(`document.querySelector('.email-body').innerText.startsWith('Dear Ada Lovelace,')`)
  await see(page, 'Saved in Drafts')
  const before = smtp.submitted.length
  await page.setOfflineMode(true)
  await page.focus('.email-body')
  await page.keyboard.type('Written in a tunnel. ')
  await see(page, 'Kept on this device')
  await new Promise((resolve) => setTimeout(resolve, 3000)) // longer than the delay of saving
  complaints.splice(0)
  await page.setOfflineMode(false)
  await page.reload({ waitUntil: 'networkidle0' })
  await says(page, 'Written in a tunnel.')
  await world.drain()
  assert.equal(smtp.submitted.length, before)
  await press(page, 'button', 'Send')
  await see(page, 'Message queued.')
  await world.drain()
  const { to, message } = smtp.submitted.at(-1)!
  assert.deepEqual(to, ['ada@lovelace.example'])
  for (const part of ['Subject: Offer for Ada Lovelace', 'Written in a tunnel.', 'Bob of Nordwind'])
    assert.ok(message.includes(part), part)
  assert.equal(await evaluate(page, `Object.keys(localStorage).filter((key) => key.startsWith('atrium.mail')).length`), 0)
  // An untouched message isn't stored, even with a signature. A missing recipient is reported at the field.
  await press(page, 'button', 'New message')
  await says(page, 'Bob of Nordwind')
  const touched = `Object.entries(localStorage).filter(([key]) => key.startsWith('atrium.mail')).map(([, one]) => JSON.parse(one).isTouched)`
  assert.deepEqual(await evaluate(page, touched), [false])
  await press(page, 'button', 'Send')
  await see(page, 'Name a recipient.')
  await page.waitForFunction(`document.activeElement.getAttribute('aria-invalid') === 'true'`)
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

/** Simulates a paste from elsewhere. */
const paste = (page: Page, html: string, text = '') =>
  page.evaluate(
    `((html, text) => {
      const clipboardData = new DataTransfer()
      if (html) clipboardData.setData('text/html', html)
      clipboardData.setData('text/plain', text)
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.querySelector('.email-body').dispatchEvent(event)
    })(${JSON.stringify(html)}, ${JSON.stringify(text)})`,
  )
const bodyHtml = (page: Page) => evaluate<string>(page, `document.querySelector('.email-body').innerHTML`)
const together = async (page: Page, key: 'b' | 'i' | 'k' | 'z' | 'y' | 'Enter' | 'Digit1') => {
  await page.keyboard.down('Control')
  await page.keyboard.press(key)
  await page.keyboard.up('Control')
}
/** Decodes quoted-printable text. */
const decoded = (mime: string) =>
  mime.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

it('text is formatted by keys and tools, quotes what it answers, and arrives as HTML and as text', async () => {
  const body = `<p>Dear <b>Bob</b>, <span style="color:#c00;position:fixed">here</span> is <a href="https://x.test/offer">our offer</a>.</p><ul><li>One</li></ul><img src="${remote}">`
  const { account, client } = await connected('formatter', [letter(1, { head: rich, body })])
  const signature = {
    name: 'Formatted',
    body_html: '<p><b>Bob</b> of <i>Nordwind</i></p>',
    account_uuid: account,
    is_default: true,
  }
  await firm.owner.post('/email/signatures', signature)
  const before = seen
  const page = await opened(account)
  await page.locator(row('Letter 1')).click()
  await press(page, 'button', 'Reply')
  await writing(page)
  await says(page, 'of Nordwind')
  await page.keyboard.type('Thank you, ')
  await together(page, 'b')
  await page.waitForSelector(`[role=toolbar] [aria-label=Bold][aria-pressed=true]`)
  await page.keyboard.type('Ann')
  await together(page, 'b')
  await page.keyboard.type('. See ')
  // The command palette, which uses this key elsewhere, stays closed.
  await together(page, 'k')
  await page.waitForSelector(named('dialog', 'Link'))
  assert.equal(await evaluate(page, `document.querySelectorAll('dialog[open]').length`), 1)
  await page.keyboard.type('javascript:alert(1)')
  await together(page, 'Enter') // submits the dialog and doesn't send the message
  await see(page, 'Write an address of the web')
  await page.locator(named('textbox', 'Address')).fill('nordwind.test/prices')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.email-body > div a[href="https://nordwind.test/prices"]')
  await writing(page)
  // A key that exists on keyboards of every language.
  for (const isQuoted of [true, false]) {
    await page.keyboard.down('Shift')
    await together(page, 'Digit1')
    await page.keyboard.up('Shift')
    await page.waitForFunction(
      `(document.querySelector('.email-body a[href$=prices]').closest('blockquote') !== null) === ${isQuoted}`,
    )
  }
  await page.keyboard.press('Enter')
  await press(page, 'button', 'List')
  await page.keyboard.type('first')
  await page.waitForSelector('.email-body > ul li')
  await together(page, 'z')
  await page.waitForFunction(`!document.querySelector('.email-body > ul')?.innerText.includes('first')`)
  await together(page, 'y')
  await page.waitForFunction(`document.querySelector('.email-body > ul')?.innerText.includes('first')`)
  const text = await evaluate<string>(page, `document.querySelector('.email-body').innerText`)
  assert.match(text, /^Thank you.*--\s.*wrote:.*Dear Bob/s)
  // The toolbar is one tab stop; arrow keys move within it.
  await page.focus('[role=toolbar] [aria-label=Bold]')
  await page.keyboard.press('ArrowRight')
  assert.equal(await evaluate(page, `document.activeElement.ariaLabel`), 'Italic')
  assert.deepEqual(await wrongIn(page), [])
  await see(page, 'Saved in Drafts')
  const written = await bodyHtml(page)
  await page.evaluate('localStorage.clear()')
  await page.goto(`${root}/inbox?account=${account}`, { waitUntil: 'networkidle0' })
  await page.goto(`${root}/inbox?write=${await draftOf(account)}`, { waitUntil: 'networkidle0' })
  await says(page, 'Thank you')
  assert.equal(plainly(await bodyHtml(page)), plainly(written))
  await press(page, 'button', 'Signature')
  await page.waitForSelector('[role=menuitemcheckbox][aria-checked=true], [role=menuitemradio][aria-checked=true]')
  await page.keyboard.press('Escape')
  await press(page, 'button', 'Send')
  await see(page, 'Message queued.')
  await world.drain()
  const message = decoded(smtp.submitted.at(-1)!.message)
  for (const part of [
    /Content-Type: multipart\/alternative/,
    /Thank you, Ann\. See nordwind\.test\/prices/,
    /- first/,
    /> Dear Bob, here is our offer <https:\/\/x\.test\/offer>\./,
    /Thank you,[^<]*<b>Ann<\/b>/,
    /<blockquote>.*<b>Bob<\/b>.*color:.*<\/blockquote>/s,
    /<b>Bob<\/b> of <i>Nordwind<\/i>/,
  ])
    assert.match(message, part)
  assert.doesNotMatch(message, /position|squire/)
  assert.equal(seen, before)
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

const draftOf = async (account: string) => {
  const { folders } = (await firm.owner.get('/email/mailboxes')).body.data.mailboxes.find(
    ({ uuid }: { uuid: string }) => uuid === account,
  )
  const { uuid } = folders.find(({ type }: { type: string }) => type === 'drafts')
  return (await firm.owner.get(`/email/folders/${uuid}/messages`)).body.data[0].uuid as string
}
/** Removes attributes that differ between browsers. */
const plainly = (html: string) => html.replace(/ (class|rel|target|data-remote-src|alt)="[^"]*"/g, '').replace(/\s+/g, ' ')

it('what is pasted, signed with or quoted runs nothing, and is as long as a message may be', async () => {
  const hostile = [
    `<script>stolen=1</script><img src=x onerror="stolen=1"><svg onload="stolen=1"><script>stolen=1</script></svg>`,
    `<a href="javascript:stolen=1">a</a><a href=" java&#10;script:stolen=1">b</a><a href="data:text/html,<script>stolen=1</script>">c</a>`,
    `<iframe srcdoc="<script>parent.stolen=1</script>"></iframe><object data="${remote}"></object><embed src="${remote}"><link rel=stylesheet href="${remote}">`,
    `<style>@import url(${remote});</style><div style="background:url(${remote});position:fixed;inset:0">x</div><base href="${remote}"><form action="${remote}"><button>y</button></form>`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=stolen=1&gt;">`,
    `<input id=squire-selection-start autofocus onfocus="stolen=1"><details open ontoggle="stolen=1">z</details><img src="${remote}" srcset="${remote} 2x">`,
    `<template><img src=x onerror=stolen=1></template><noscript><p title="</noscript><img src=x onerror=stolen=1>"></noscript><xmp><img src=x onerror=stolen=1></xmp>`,
    '<b>'.repeat(100_000),
    '<p id=location name=body>&lt;script&gt;stolen=1&lt;/script&gt;</p>',
  ]
  const { account, client } = await connected('pasted', [letter(1, { head: rich, body: hostile.join('') })])
  await firm.owner.post('/email/signatures', {
    name: hostile[0]!.slice(0, 200),
    body_html: hostile.join('').slice(0, 90_000),
    account_uuid: account,
    is_default: true,
  })
  const before = seen
  const page = await opened(account)
  await page.locator(row('Letter 1')).click()
  await press(page, 'button', 'Reply')
  await writing(page)
  const unseen = `<svg>${'<g>'.repeat(125_000)}${'</b>'.repeat(150_000)}`
  for (const html of [...hostile, unseen]) await paste(page, html, 'as text')
  const strange = () =>
    evaluate<string[]>(
      page,
      `[...document.querySelectorAll('.email-body *')].filter((one) =>
        !/^(a|b|i|u|s|p|br|div|span|blockquote|ul|ol|li|pre|code|img|sub|sup|table|tbody|tr|td)$/.test(one.localName) ||
        [...one.attributes].some(({ name, value }) => /^on|^id$|^name$|^src/.test(name) || /script|position/.test(value))).map((one) => one.outerHTML.slice(0, 200))`,
    )
  assert.deepEqual([await evaluate(page, 'typeof stolen'), await strange(), seen], ['undefined', [], before])
  await page.evaluate(`document.querySelector('.email-body').focus()`)
  await together(page, 'z')
  await together(page, 'y')
  assert.deepEqual([await evaluate(page, 'typeof stolen'), await strange(), seen], ['undefined', [], before])

  // The message's frame loads nothing either.
  const kept = complaints.splice(0).filter((one) => !/^Loading the image .* violates .*"img-src data:"/.test(one))
  assert.deepEqual(kept, [])
  // HTML as pasted from Word and web pages.
  await press(page, 'button', 'New message')
  await page.waitForFunction(
    `document.querySelector('.email-writing h2').innerText === 'New message' && document.querySelector('.email-body[contenteditable]')`,
  )
  await says(page, '--')
  const word = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style><title>t</title></head><body lang=DE>
    <h1 style='color:red'>Offer</h1><p class=MsoNormal style='margin-bottom:8.0pt;font-family:"Calibri"'><b>Price</b><o:p></o:p> of <span style='font-style:italic;font-size:40pt'>ten</span></p>
    <table><tr><td>a</td><td>b</td></tr></table></body></html>`
  await page.focus('.email-body')
  await paste(page, word, 'Offer')
  await says(page, 'Price')
  const cleaned = await bodyHtml(page)
  for (const part of ['<b>Offer</b>', '<b>Price</b>', '<i>ten</i>']) assert.ok(cleaned.includes(part), cleaned.slice(0, 500))
  assert.doesNotMatch(cleaned.slice(0, cleaned.indexOf('<i>ten')), /style=|class=|Mso|Calibri|<h1|<table/)
  // A megabyte of each kind.
  for (const [html, text] of [
    ['', 'word '.repeat(210_000)],
    ['<p>x</p>'.repeat(130_000), ''],
    [`<p>${'&amp;'.repeat(200_000)}</p>`, ''],
    ['', '\n'.repeat(1_000_000)],
  ] as const) {
    await paste(page, html, text)
  }
  await see(page, 'the end of it was left out')
  assert.ok((await evaluate<number>(page, `document.querySelectorAll('.email-body *').length`)) <= 10_000)
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

it('hostile mails run nothing, load nothing, and leave the page’s title alone', async () => {
  const attacks = [
    `<script>top.document.title='stolen'</script><img src=x onerror="top.document.title='stolen'"><svg onload="parent.stolen=1">`,
    `<iframe srcdoc="<script>top.document.title='stolen'</script>"></iframe><object data="${remote}"></object><embed src="${remote}">`,
    `<style>@import url(${remote});body{background:url(${remote})}</style><div style="background:url(${remote})">x</div><link rel=stylesheet href="${remote}">`,
    `<meta http-equiv=refresh content="0;url=${remote}"><base href="${remote}"><form action="${remote}"><input autofocus onfocus="top.stolen=1"></form>`,
    `<a href="javascript:top.document.title='stolen'" target=_top>click</a><title>stolen</title><img src="${remote}"><video src="${remote}" autoplay></video>`,
    `</body></html><script>top.document.title='stolen'</script><plaintext><img srcset="${remote} 2x">`,
  ].map((body, n) => letter(n + 1, { head: rich, body }))
  const named = `<img src=x onerror="document.title='stolen'">`
  const subject = letter(50)
    .replace('Subject: Letter 50', `Subject: ${named}`)
    .replace('From: Ann 50', `From: "${named.replaceAll('"', "'")}"`)
  const corpus = hostileMails()
    .filter(([, content], n) => n % 13 === 0 && content.length < 300_000)
    .map(([, content]) => content)
  const { account, client } = await connected('victim', [...attacks, subject, ...corpus])
  const before = seen
  const page = await newPage(browser, complaints)
  const strange: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:')) strange.push(request.url())
  })
  await signIn(page, `${root}/inbox?account=${account}`)
  await page.waitForSelector('.email-row')
  const addresses = await evaluate<string[]>(page, `[...document.querySelectorAll('.email-row a')].map(({ href }) => href)`)
  assert.ok(addresses.length > attacks.length + 1, `${addresses.length} are shown`)
  for (const address of addresses) {
    await page.evaluate(`(() => {
      const link = document.createElement('a')
      link.href = ${JSON.stringify(address)}
      document.body.append(link)
      link.click()
      link.remove()
    })()`)
    await page.waitForFunction(
      `document.querySelector('.email-opened .email-people') && !document.querySelector('.email-reading [aria-busy]')`,
    )
    await page.waitForNetworkIdle({ idleTime: 80 })
    const said = await evaluate(
      page,
      `[typeof stolen, document.title, location.pathname, document.querySelectorAll('main :is(script, object, embed, [onerror], [onload]), main iframe:not([sandbox])').length].join()`,
    )
    assert.equal(said, `undefined,Inbox · Nordwind,/w/${firm.slug}/inbox,0`, address)
    for (const frame of page.frames().slice(1))
      assert.ok(frame.url().startsWith(`${root}/api/tenant/v1/email/messages/`), frame.url())
  }
  assert.deepEqual([strange, seen], [[], before])
  // Resources blocked by the policy are expected here.
  const kept = complaints.splice(0).filter((one) => !/^Loading the image .* violates .*"img-src data:"/.test(one))
  assert.deepEqual(kept, [])
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})

it('offers nothing that somebody may not do', async () => {
  const reader = await firm.user(['email.view', 'email.accounts.manage'])
  const client = await clientOf(server.port, 'watcher')
  await client.append('INBOX', letter(1))
  await client.logout()
  const settings = { host: '127.0.0.1', encryption: 'none', username: 'watcher', password: PASSWORD }
  const of = (side: string, at: number) =>
    Object.fromEntries(Object.entries({ ...settings, port: at }).map(([name, value]) => [`${side}_${name}`, value]))
  await reader.post('/email/accounts', { email_address: 'w@firm.test', ...of('imap', server.port), ...of('smtp', smtp.port) })
  await world.drain()
  await world.sql('UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2', [
    firm.owner.id,
    reader.id,
  ])
  const page = await newPage(browser, complaints)
  await signIn(page, `${root}/inbox`, reader.email)
  await page.locator(row('Letter 1')).click()
  await see(page, 'This is letter number 1.')
  for (const key of ['c', 'r', 'e', '#', 'u'] as const) await page.keyboard.press(key)
  const buttons = await evaluate<string[]>(
    page,
    `[...document.querySelectorAll('main button')].map((one) => one.ariaLabel ?? one.innerText)`,
  )
  for (const name of ['New message', 'Reply', 'Archive', 'Delete', 'Star']) assert.ok(!buttons.includes(name), name)
  assert.equal(
    await evaluate(
      page,
      `document.querySelectorAll('.email-row').length + ' ' + Boolean(document.querySelector('.email-writing'))`,
    ),
    '1 false',
  )
  await page.browserContext().close()
})

const looksAlike = process.env.DOVECOT ? 'looks the same on every server' : false
it('has nothing that axe finds wrong, in any look', { skip: looksAlike }, async () => {
  const { account, client } = await connected('looks', [letter(1, { head: rich, body: '<p>Dear Bob</p>' }), letter(2)])
  const wrong: string[] = []
  const phone = { width: 360, height: 780, isMobile: true, hasTouch: true }
  const large = { width: 640, height: 450, deviceScaleFactor: 2 }
  const page = await opened(account)
  // Without transitions, whose intermediate colours axe would report.
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.waitForSelector('.email-row')
  const message = await evaluate<string>(page, `document.querySelector('.email-row a').dataset.uuid`)
  for (const [name, viewport, set] of [
    ['light', screens.desktop, ''],
    ['dark', screens.desktop, `document.documentElement.dataset.theme = 'dark'`],
    ['mirrored', screens.desktop, `document.documentElement.dir = 'rtl'`],
    ['phone', phone, ''],
    ['200 %', large, ''],
  ] as const) {
    await page.setViewport(viewport)
    for (const query of ['', `?message=${message}`, '?show=folders', 'writing']) {
      if (query === '?show=folders' && viewport === screens.desktop) continue // there they are shown next to the list
      await page.goto(`${root}/inbox${query === 'writing' ? '' : query}`, { waitUntil: 'networkidle0' })
      await page.waitForSelector('.email-panes')
      if (query === 'writing') {
        await press(page, 'button', 'New message')
        await page.waitForSelector('.email-writing')
      }
      if (set) await page.evaluate(set)
      wrong.push(...(await wrongIn(page)).map((one) => `${name} ${query}: ${one}`))
      if (await evaluate<boolean>(page, 'document.documentElement.scrollWidth > innerWidth'))
        wrong.push(`${name} ${query}: sticks out`)
    }
  }
  assert.deepEqual(wrong, [])
  await client.logout()
  await disconnect(account)
  await page.browserContext().close()
})
