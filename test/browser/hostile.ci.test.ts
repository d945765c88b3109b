/**
 * Hostile input and hostile pages: texts are rendered as text on every screen, and other origins can't act as the signed-in user.
 * Run by .ci/run.
 */
// CI stage: console
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { withField } from '../contract/references.ts'
import { requestsIn, send } from '../contract/requests.ts'
import { startContract } from '../contract/world.ts'
import { freePort } from '../free-port.ts'
import { PASSWORD, type Workspace } from '../harness.ts'
import { textFields } from '../hostile/worst.ts'
import { evaluate, launch, named, newPage, see } from './person.ts'

const [port, elsewhere] = [await freePort(), await freePort()]
const base = `http://localhost:${port}`
const world = await startContract({ BASE_URL: base })
await world.app.listen({ port, host: 'localhost' })
/** Each closes a context that a text may be in; short ones fit short fields. */
const HOSTILE = [
  `"'></textarea></script><script>stolen=1</script><img src=x onerror=stolen=1><svg onload=stolen=1>`,
  `<img src=x onerror=stolen=1>`,
  `<svg onload=stolen=1>`,
  `javascript:stolen=1`,
]
const TRIES = 6
const complaints: string[] = []
let browser: Browser
let firm: Workspace
let root: string
let page: Page
/** An attacker's page on another origin. */
let theirs = ''
const other = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end(theirs))

before(async () => {
  await new Promise<void>((resolve) => other.listen(elsewhere, '127.0.0.1', resolve))
  browser = await launch()
  firm = await world.workspace({ name: 'Nordwind' })
  root = `${base}/w/${firm.slug}`
  await world.sql('DELETE FROM rate_limits')
  page = await newPage(browser, complaints)
  await page.goto(`${root}/`, { waitUntil: 'networkidle0' })
  await page.type('[name=email]', firm.owner.email)
  await page.type('[name=password]', PASSWORD)
  await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), page.keyboard.press('Enter')])
})
after(async () => {
  await browser.close()
  other.close()
})

/**
 * Creates a record with the first of these texts that each field accepts; rejected fields get a valid value. Returns the number
 * of fields with a text.
 */
async function made(path: string): Promise<{ took: number; record?: Record<string, unknown> }> {
  const operation = world.operations.find((one) => one.at === `POST /api/tenant/v1${path}`)
  if (!operation) return { took: 0 }
  const plain = await requestsIn(world, firm).requestOf(operation)
  const texts = textFields(operation)
  /** Index of the text tried in each field. */
  const tried = new Map(texts.map(({ field, maxLength }) => [field, HOSTILE.findIndex((text) => text.length <= maxLength)]))
  for (let n = 0; n < TRIES; n++) {
    const fields = [...tried].filter(([, which]) => HOSTILE[which] !== undefined)
    const request = fields.reduce((all, [field, which]) => withField(all, field, HOSTILE[which]), plain)
    await world.sql('DELETE FROM rate_limits')
    const { status, body } = await send(world, request)
    if (status < 300) return { took: fields.length, record: body.data }
    const wrong = Object.keys(body.errors ?? {})
    if (!wrong.length) return { took: 0 }
    for (const [field, which] of tried)
      if (wrong.some((one) => field === one || field.startsWith(`${one}.`))) tried.set(field, n > 2 ? -1 : which + 1)
  }
  return { took: 0 }
}

/** Elements that no screen of ours has, and effects of executed code. */
const STOLEN = `[typeof stolen, document.querySelectorAll('main :is(script, iframe, object, embed, [onerror], [onload]), [role=dialog] script, dialog :is(script, [onerror])').length].join()`
const clean = async (where: string) => {
  const said = await evaluate<string>(page, STOLEN)
  return said === 'undefined,0' ? [] : [`${where}: ${said}`]
}
/** Navigates within the page, as a link does. */
async function go(path: string) {
  await page.evaluate(`(() => {
    const link = document.createElement('a')
    link.href = ${JSON.stringify(`/w/${firm.slug}${path}`)}
    document.body.append(link)
    link.click()
    link.remove()
  })()`)
  await page.waitForFunction(`document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]')`)
  await page.waitForNetworkIdle({ idleTime: 80 })
}

describe('what somebody typed into every text of every form', () => {
  it('is text in every list, record, board, in search, commands and notifications', async () => {
    const { screens } = (await firm.owner.get('/console')).body.data
    const wrong: string[] = []
    let took = 0
    const shown: string[] = []
    for (const { key, path, key_field, may_create, has_record, has_board } of screens) {
      const { took: here, record } = may_create ? await made(path) : { took: 0, record: undefined }
      took += here
      const { list } = (await firm.owner.get(`/console/screens/${key}`)).body.data
      await go(`/${key}?columns=${list.columns.map(({ name }: { name: string }) => name).join()}`)
      wrong.push(...(await clean(key)))
      if (here && (await evaluate<boolean>(page, `document.querySelector('main').innerText.includes('stolen=1')`)))
        shown.push(key)
      const id = record?.[key_field]
      if (has_record && id !== undefined) {
        await go(`/${key}/${id}`)
        wrong.push(...(await clean(`${key} ${id}`)))
      }
      if (has_board) {
        await go(`/${key}/board`)
        wrong.push(...(await clean(`${key} board`)))
      }
    }
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector(named('dialog', 'Commands'))
    await page.keyboard.type('stolen')
    await page.waitForFunction(`document.querySelectorAll('dialog [role=option]').length > 3`)
    wrong.push(...(await clean('commands')))
    await page.keyboard.press('Escape')
    await page.waitForFunction(`!document.querySelector('dialog')`)
    await page.click('.side .bell')
    await page.waitForSelector(named('dialog', 'Notifications'))
    wrong.push(...(await clean('notifications')))
    await page.keyboard.press('Escape')
    assert.deepEqual(wrong, [])
    assert.deepEqual(complaints, [])
    // Verifies that the check would detect a forbidden element.
    await evaluate(page, `document.querySelector('main').append(document.createElement('iframe'))`)
    assert.equal((await clean('one of mine')).length, 1)
    assert.ok(took > 150 && shown.length > 20, `${took} texts were taken, and are shown by ${shown.length} lists`)
  })
})

describe('a page of another origin', () => {
  const visit = async (html: string) => {
    theirs = html
    const attacker = await page.browserContext().newPage()
    await attacker.goto(`http://127.0.0.1:${elsewhere}/`)
    return attacker
  }
  const vendors = async () => (await firm.owner.get('/vendors', { query: { search: 'Forged' } })).body.meta.total

  it('sends no form and asks nothing as who is signed in', async () => {
    const target = `${root}/api/tenant/v1/vendors`
    const form = await visit(
      `<form method="post" enctype="text/plain" action="${target}"><input name='{"name":"Forged","x":"' value='"}'></form>`,
    )
    await Promise.all([form.waitForNavigation(), form.evaluate(`document.forms[0].submit()`)])
    const json = await visit('<title>Theirs</title>')
    const asked = await json.evaluate(
      `fetch(${JSON.stringify(target)}, { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"name":"Forged"}' }).then((reply) => reply.type, (error) => error.name)`,
    )
    assert.ok(['opaque', 'TypeError'].includes(asked as string))
    const read = await json.evaluate(
      `fetch(${JSON.stringify(target)}, { credentials: 'include' }).then((reply) => reply.text(), () => 'refused')`,
    )
    assert.equal(read, 'refused')
    assert.equal(await vendors(), 0)
    await form.close()
    await json.close()
  })

  it('shows no screen in a frame of its own', async () => {
    const attacker = await visit(`<iframe src="${root}/vendors" onload="document.title = 'loaded'"></iframe>`)
    await attacker.waitForFunction(`document.title === 'loaded'`)
    const [, frame] = attacker.frames()
    assert.ok(!frame!.url().startsWith(root), frame!.url())
    await attacker.close()
  })
})

it('a link into another workspace leads to its sign-in, and shows nothing of it', async () => {
  const southwind = await world.workspace({ name: 'Südwind', modules: ['vendors'] })
  const { id } = (await southwind.owner.post('/vendors', { name: 'Theirs alone' })).body.data
  await page.goto(`${base}/w/${southwind.slug}/vendors/${id}`, { waitUntil: 'networkidle0' })
  assert.match(page.url(), /\/sign-in\?next=/)
  await page.goto(`${root}/vendors/${id + 1_000_000}`, { waitUntil: 'networkidle0' })
  await see(page, 'not')
  assert.ok(!(await evaluate<string>(page, 'document.body.innerText')).includes('Theirs alone'))
  const { status } = (await page.evaluate(
    `fetch('/w/${southwind.slug}/api/tenant/v1/vendors/${id}').then(({ status }) => ({ status }))`,
  )) as { status: number }
  assert.equal(status, 401)
})
