/**
 * Boards, leads and projects in a real browser: moving cards by mouse, keyboard and touch, follow-ups, lead and project pages,
 * concurrent users. Run by .ci/run.
 */
// CI stage: screens
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { KeyInput, Page } from 'puppeteer-core'
import type { Person, Workspace } from '../harness.ts'
import { wrongIn } from './axe.ts'
import { evaluate, failing, heading, named, press, screens, see, startBrowsing, type, upload } from './person.ts'
import { HOSTILE } from './sound.ts'

const { base, world, signIn, newPage, member } = await startBrowsing()
let firm: Workspace
let lea: Person
let root: string

before(async () => {
  firm = await world.workspace({
    name: 'Nordwind',
    modules: ['leads', 'projects', 'tasks', 'documents', 'contacts', 'companies', 'opportunities'],
  })
  lea = await member(firm, ['leads.view', 'leads.update', 'projects.view', 'tasks.view', 'tasks.update'], 'Lea')
  root = `${base}/w/${firm.slug}`
})

/** Opens a page as a signed-in user. */
async function at(path: string, viewport: object = screens.desktop, who: Person = firm.owner): Promise<Page> {
  const page = await newPage(viewport)
  await signIn(page, `${root}/${path}`, who)
  return page
}
const lead = async (name: string, more: object = {}) =>
  (await firm.owner.post('/leads', { name, lead_type: 'direct', ...more })).body.data as { id: number; stage_id: number }
const show = async (path: string) => (await firm.owner.get(path)).body.data
const stageOf = async (id: number): Promise<string> => (await show(`/leads/${id}`)).stage.name
const cardIn = (column: string, name: string) =>
  `[...document.querySelectorAll('section[aria-label="${column}"] article a.title')].some((one) => one.textContent === ${JSON.stringify(name)})`
const standsIn = (page: Page, column: string, name: string) => page.waitForFunction(cardIn(column, name))
const headOf = (page: Page, column: string) =>
  evaluate<string>(page, `document.querySelector('section[aria-label="${column}"] h2').innerText.replace(/\\s+/g, ' ')`)
const live = (page: Page, text: string) =>
  page.waitForFunction(`document.querySelector('[aria-live=assertive]')?.textContent.includes(${JSON.stringify(text)})`)
const focusOn = (page: Page, text: string, column: string, timeout = page.getDefaultTimeout()) =>
  page.waitForFunction(
    `document.activeElement.textContent === ${JSON.stringify(text)} && document.activeElement.closest('section')?.ariaLabel === ${JSON.stringify(column)}`,
    { timeout },
  )
async function chord(page: Page, modifier: KeyInput, key: KeyInput) {
  await page.keyboard.down(modifier)
  await page.keyboard.press(key)
  await page.keyboard.up(modifier)
}
const sentFiles = (page: Page, count: number) =>
  page.waitForFunction(`document.querySelectorAll('.uploads [data-state=done]').length === ${count}`)
const middleOf = (page: Page, selector: string) =>
  evaluate<{ x: number; y: number }>(
    page,
    `(() => { const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return { x: left + width / 2, y: top + Math.min(height / 2, 60) } })()`,
  )
const cardOf = ({ id }: { id: number }) => `article[data-key="${id}"]`
const columnOf = (name: string) => `section[aria-label="${name}"]`
const stop = (page: Page) => page.browserContext().close()

describe('a board by mouse', () => {
  it('has a card where it was dropped at once, with what its columns come to', async () => {
    const ada = await lead('Ada Lovelace', { lead_value: 1500, company: HOSTILE })
    const page = await at('leads/board')
    await page.waitForSelector(cardOf(ada))
    assert.match(await headOf(page, 'New'), /New 1 \$1,500\.00/)
    const [from, to] = [await middleOf(page, cardOf(ada)), await middleOf(page, columnOf('Qualified'))]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 5 })
    await page.waitForSelector(`${columnOf('Qualified')}.over`)
    await page.mouse.up()
    await standsIn(page, 'Qualified', 'Ada Lovelace')
    assert.match(await headOf(page, 'New'), /New 0 \$0\.00/)
    assert.match(await headOf(page, 'Qualified'), /Qualified 1 \$1,500\.00/)
    await see(page, 'Ada Lovelace is in Qualified now.')
    assert.equal(await stageOf(ada.id), 'Qualified')
    assert.ok(await evaluate(page, `document.body.innerText.includes(${JSON.stringify(HOSTILE)})`))
    assert.ok((await page.url()).endsWith('/leads/board'), 'the click that ends it leads nowhere')
    await press(page, 'button', 'Undo')
    await standsIn(page, 'New', 'Ada Lovelace')
    // Escape cancels the drag.
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 5 })
    await page.keyboard.press('Escape')
    await page.mouse.up()
    assert.equal(await evaluate(page, cardIn('New', 'Ada Lovelace')), true)
    await stop(page)
    await firm.owner.del(`/leads/${ada.id}`)
  })

  it('asks why a lead is lost, and what a won one becomes', async () => {
    const bob = await lead('Bob Bee')
    const page = await at('leads/board')
    await press(page, 'button', 'Move to: Bob Bee')
    await press(page, 'menuitemradio', 'Lost')
    await page.waitForSelector(named('dialog', 'Move to: Lost'))
    assert.equal(await stageOf(bob.id), 'New')
    await type(page, 'Reason', 'Too dear')
    await press(page, 'button', 'Move to: Lost')
    await focusOn(page, 'Bob Bee', 'Lost')
    assert.equal((await show(`/leads/${bob.id}`)).activities[0].description, 'Stage changed from New to Lost: Too dear')
    await press(page, 'button', 'Move to: Bob Bee')
    await press(page, 'menuitemradio', 'Won')
    await page.waitForSelector(named('dialog', 'Won: Bob Bee'))
    await press(page, 'button', 'Move and convert')
    await see(page, 'Bob Bee is a customer now.')
    const { stage, is_converted } = await show(`/leads/${bob.id}`)
    assert.deepEqual([stage.name, is_converted], ['Won', true])
    await stop(page)
    await firm.owner.del(`/leads/${bob.id}`)
  })

  it('puts a card back with the reason when its move is refused', async () => {
    const cid = await lead('Cid Cox')
    const page = await at('leads/board')
    await page.setRequestInterception(true)
    let answer = () => {}
    page.on('request', (request) => {
      if (!request.url().endsWith('/stage')) return void request.continue()
      answer = () =>
        void request.respond({
          status: 422,
          contentType: 'application/json',
          body: JSON.stringify({ status: 'error', message: 'The stage is closed.', data: null, errors: {} }),
        })
    })
    await press(page, 'button', 'Move to: Cid Cox')
    await press(page, 'menuitemradio', 'Proposal')
    await standsIn(page, 'Proposal', 'Cid Cox') // before the reply
    answer()
    await see(page, 'Cid Cox stays where it was. The stage is closed.')
    await focusOn(page, 'Cid Cox', 'New')
    await stop(page)
    await firm.owner.del(`/leads/${cid.id}`)
  })

  it('keeps its filters in the address, and finds by follow-up, type, tag and source', async () => {
    const { id: tag } = (await firm.owner.post('/lead-tags', { name: 'Referral' })).body.data
    const due = { title: 'Call', due_at: new Date(Date.now() - 60_000).toISOString() }
    const dan = await lead('Dan Due', { follow_up: due, tag_ids: [tag], source: 'Fair' })
    const eve = await lead('Eve Else')
    const page = await at(`leads/board?follow_up=overdue&tag_id=${tag}&source=Fair&lead_type=direct`)
    await standsIn(page, 'New', 'Dan Due')
    assert.equal(await evaluate(page, `document.querySelectorAll('.board article').length`), 1)
    assert.ok(await evaluate(page, `document.querySelector('.board .due.late').innerText.includes('Overdue')`))
    const select = (await page.waitForSelector(named('combobox', 'Follow-up')))!
    await select.select('none')
    await page.waitForFunction(`location.search.includes('follow_up=none') && !document.querySelector('.board article')`)
    await page.goBack()
    await standsIn(page, 'New', 'Dan Due')
    await stop(page)
    for (const { id } of [dan, eve]) await firm.owner.del(`/leads/${id}`)
  })
})

describe('a board by the keyboard alone', () => {
  it('is walked by arrows; a card is picked up, told where it would go, dropped, and left', async () => {
    const [ada, bob] = [await lead('Ada A'), await lead('Bob B')]
    await firm.owner.post(`/leads/${bob.id}/stage`, { stage_id: bob.stage_id + 1 })
    const page = await at('leads/board')
    await (await page.waitForSelector(named('link', 'Ada A')))!.focus()
    await page.keyboard.press('ArrowRight')
    await focusOn(page, 'Bob B', 'Contacted')
    await page.keyboard.press('ArrowLeft')
    await focusOn(page, 'Ada A', 'New')
    await page.keyboard.press('Space')
    await live(page, 'Ada A is picked up. New, column 1 of 7.')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await live(page, 'Qualified, column 3 of 7.')
    await page.keyboard.press('Escape')
    await live(page, 'Ada A is left where it was.')
    assert.equal(await stageOf(ada.id), 'New')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await live(page, 'Contacted, column 2 of 7.')
    await page.keyboard.press('Space')
    await focusOn(page, 'Ada A', 'Contacted')
    await see(page, 'Ada A is in Contacted now.')
    await chord(page, 'Alt', 'ArrowRight')
    await chord(page, 'Alt', 'ArrowRight')
    await focusOn(page, 'Ada A', 'Proposal')
    await see(page, 'Ada A is in Proposal now.')
    await page.waitForFunction(`!document.querySelector('.board [aria-busy=true]')`)
    assert.equal(await stageOf(ada.id), 'Proposal')
    await page.keyboard.press('a')
    await page.waitForSelector(named('dialog', 'Assign'))
    await page.keyboard.press('Escape')
    await focusOn(page, 'Ada A', 'Proposal')
    await page.keyboard.press('f')
    await page.waitForSelector(named('dialog', 'Plan a follow-up'))
    await page.keyboard.press('Enter')
    await see(page, 'The follow-up is planned.')
    assert.equal((await show(`/leads/${ada.id}`)).next_follow_up.title, 'Call back')
    await focusOn(page, 'Ada A', 'Proposal')
    await stop(page)
    for (const { id } of [ada, bob]) await firm.owner.del(`/leads/${id}`)
  })

  it('keeps the focus on a card that somebody else moves', async () => {
    const fay = await lead('Fay Fox', { assigned_to: lea.id })
    const page = await at('leads/board')
    await (await page.waitForSelector(named('link', 'Fay Fox')))!.focus()
    // The page subscribes shortly after loading; earlier events are in its first queries.
    let isTold = false
    for (const [n, column] of ['Contacted', 'Qualified', 'Proposal', 'Negotiation'].entries()) {
      assert.equal((await lea.post(`/leads/${fay.id}/stage`, { stage_id: fay.stage_id + n + 1 })).status, 200)
      isTold = await focusOn(page, 'Fay Fox', column, 3000).then(
        () => true,
        () => false,
      )
      if (isTold) break
    }
    assert.ok(isTold, await evaluate(page, 'document.activeElement.outerHTML.slice(0, 200)'))
    await stop(page)
    await firm.owner.del(`/leads/${fay.id}`)
  })

  it('offers whoever may only look no move', async () => {
    const tim = await member(firm, ['leads.view', 'leads.assign'], 'Tim')
    const gil = await lead('Gil Gay')
    const only = await member(firm, ['leads.view'], 'Uma')
    await firm.owner.post(`/leads/${gil.id}/assign`, { assigned_to: only.id })
    const page = await at('leads/board', screens.desktop, only)
    await (await page.waitForSelector(named('link', 'Gil Gay')))!.focus()
    await chord(page, 'Alt', 'ArrowRight')
    await page.keyboard.press('Space')
    assert.equal(await evaluate(page, `document.querySelectorAll('.board article button').length`), 0)
    assert.equal(await evaluate(page, `document.querySelector('[aria-live=assertive]').textContent`), '')
    assert.equal(await stageOf(gil.id), 'New')
    await stop(page)
    const other = await at('leads/board', screens.desktop, tim)
    await press(other, 'button', 'Actions: Gil Gay')
    await press(other, 'menuitem', 'Assign to me')
    await see(other, 'Done')
    assert.equal((await show(`/leads/${gil.id}`)).assigned_to, tim.id)
    await stop(other)
    await firm.owner.del(`/leads/${gil.id}`)
  })
})

describe('a board by a finger', () => {
  it('picks up what it rests on, and scrolls where it moves at once', async () => {
    const ivy = await lead('Ivy Ito')
    const page = await at('leads/board', screens.phone)
    await page.waitForSelector(cardOf(ivy))
    const from = await middleOf(page, cardOf(ivy))
    await page.touchscreen.touchStart(from.x, from.y)
    await page.waitForSelector(`${cardOf(ivy)}.lifted`)
    const to = { x: 370, y: from.y }
    await page.touchscreen.touchMove(to.x, to.y)
    await page.waitForSelector(`${columnOf('Contacted')}.over`)
    await page.touchscreen.touchMove(to.x - 60, to.y)
    await page.touchscreen.touchEnd()
    await page.waitForFunction(`!document.querySelector(${JSON.stringify(`${columnOf('New')} ${cardOf(ivy)}`)})`)
    await see(page, 'Ivy Ito is in')
    assert.notEqual(await stageOf(ivy.id), 'New')
    const now = await stageOf(ivy.id)
    await page.evaluate(
      `document.querySelector(${JSON.stringify(cardOf(ivy))}).scrollIntoView({ block: 'center', inline: 'center' })`,
    )
    const again = await middleOf(page, cardOf(ivy))
    await page.touchscreen.touchStart(again.x, again.y)
    await page.touchscreen.touchMove(again.x - 120, again.y)
    await page.touchscreen.touchEnd()
    assert.equal(await stageOf(ivy.id), now)
    await press(page, 'button', 'Move to: Ivy Ito')
    await press(page, 'menuitemradio', 'Negotiation')
    await see(page, 'Ivy Ito is in Negotiation now.')
    assert.ok(
      (await evaluate<number>(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth')) <= 0,
      'nothing sticks out',
    )
    await stop(page)
    await firm.owner.del(`/leads/${ivy.id}`)
  })
})

describe('follow-ups', () => {
  it('stand by when they are due, and are finished with what came of it and the next one', async () => {
    const before = new Date(Date.now() - 3_600_000).toISOString()
    const kim = await lead('Kim Kay', { follow_up: { title: 'Call about the offer', due_at: before }, company: HOSTILE })
    const page = await at('follow-ups')
    await heading(page, 'Follow-ups')
    await see(page, 'Kim Kay')
    await see(page, 'Nothing else is due today.')
    await (await page.waitForSelector(named('button', 'Done: Call about the offer, Kim Kay')))!.focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector(named('dialog', 'Finish the follow-up'))
    await type(page, 'What came of it', 'Wants it by <b>Friday</b>')
    await press(page, 'radio', 'Another time')
    await page.locator('input[type=datetime-local]').fill('')
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog [aria-invalid]')
    assert.equal((await show(`/leads/${kim.id}`)).follow_ups[0].status, 'pending')
    await press(page, 'radio', 'In a week')
    await type(page, 'What is to be done', 'Send the contract')
    await page.keyboard.press('Enter')
    await see(page, 'Send the contract')
    await see(page, 'Nothing is overdue.')
    const { notes, next_follow_up } = await show(`/leads/${kim.id}`)
    assert.deepEqual([notes[0].body, next_follow_up.title], ['Wants it by <b>Friday</b>', 'Send the contract'])
    await press(page, 'button', 'Another time: Send the contract, Kim Kay')
    await press(page, 'radio', 'Tomorrow')
    await press(page, 'button', 'Save')
    await see(page, 'The follow-up has another time.')
    assert.ok(Date.parse((await show(`/leads/${kim.id}`)).next_follow_up.due_at) < Date.now() + 3 * 86_400_000)
    await stop(page)
    await firm.owner.del(`/leads/${kim.id}`)
  })
})

it('of more follow-ups than stand there, the others are those of the same person', async () => {
  const due_at = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const mine = { follow_up: { title: 'Call', due_at }, assigned_to: firm.owner.id }
  for (let n = 0; n < 51; n++) await lead(`Lead ${n}`, mine)
  const page = await at('follow-ups')
  await press(page, 'link', 'The first 50 of 51.')
  await page.waitForFunction(`location.pathname.endsWith('/leads')`)
  const { searchParams } = new URL(page.url())
  assert.deepEqual([searchParams.get('follow_up'), searchParams.get('assigned_to')], ['upcoming', String(firm.owner.id)])
  await stop(page)
  await world.sql('UPDATE leads SET deleted_at = now() WHERE tenant_id = $1', [firm.id])
})

it('a board that can not be read anew says so, and stays', async () => {
  await lead('Ann Archer')
  const page = await at('leads/board')
  await standsIn(page, 'New', 'Ann Archer')
  await evaluate(page, failing(/\/leads\/board$/, { times: 100 }))
  await press(page, 'button', 'Move to: Ann Archer')
  await press(page, 'menuitemradio', 'Contacted')
  await see(page, 'This is the last that is known.')
  await standsIn(page, 'Contacted', 'Ann Archer')
  await stop(page)
  await world.sql('UPDATE leads SET deleted_at = now() WHERE tenant_id = $1', [firm.id])
})

describe('the record of a lead', () => {
  it('has what is next at its top, and keeps what derived ones have', async () => {
    const lou = await lead('Lou Lee', { company: 'Lee & Sons' })
    const page = await at(`leads/${lou.id}`)
    await press(page, 'button', 'Qualified: move here')
    await see(page, 'Lou Lee is in Qualified now.')
    await page.waitForSelector(`button[aria-current=step]::-p-text(Qualified)`)
    await press(page, 'button', 'Plan a follow-up')
    await press(page, 'button', 'Save')
    await see(page, 'Call back')
    await press(page, 'button', 'Lost: move here')
    await type(page, 'Reason', 'No money')
    await press(page, 'button', 'Lost')
    await see(page, 'Stage changed from Qualified to Lost: No money')
    await press(page, 'button', 'Convert')
    await page.waitForSelector(named('dialog', 'Convert'))
    await press(page, 'button', 'Cancel')
    for (const name of ['Edit', 'Actions', 'Add note', 'Assign'])
      await page.waitForSelector(named('button', name)).catch(() => page.waitForSelector(named('link', name)))
    for (const text of ['Timeline', 'Lee & Sons', 'Documents']) await see(page, text)
    await stop(page)
    await firm.owner.del(`/leads/${lou.id}`)
  })
})

describe('a project', () => {
  it('has its tasks on a board and in a list, added by a line and moved by keys and mouse', async () => {
    const { id } = (await firm.owner.post('/projects', { title: 'Showroom', starts_on: '2026-01-01', ends_on: '2026-02-01' }))
      .body.data
    const page = await at(`projects/${id}`)
    await see(page, 'days over')
    for (const title of ['Paint it', HOSTILE]) {
      await type(page, 'New task', title)
      await page.keyboard.press('Enter')
      await standsIn(page, 'Todo', title)
    }
    const [, paint] = await show(`/tasks?project_id=${id}`)
    await (await page.waitForSelector(named('link', 'Paint it')))!.focus()
    await chord(page, 'Alt', 'ArrowRight')
    await focusOn(page, 'Paint it', 'In progress')
    await see(page, 'Paint it is in In progress now.')
    await page.keyboard.press('d')
    await page.waitForSelector(named('dialog', 'Due day: Paint it'))
    await page.locator('dialog input[type=date]').fill('2026-12-24')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.querySelector('${cardOf(paint)} time')?.dateTime === '2026-12-24'`)
    await page.evaluate(`document.querySelector('.projects-board').scrollIntoView({ block: 'center' })`)
    const [from, to] = [await middleOf(page, cardOf(paint)), await middleOf(page, columnOf('Done'))]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 5 })
    await page.mouse.up()
    await standsIn(page, 'Done', 'Paint it')
    await see(page, '1 of 2 done')
    await press(page, 'button', 'List')
    const done = (await page.waitForSelector(named('checkbox', 'Done: Paint it')))!
    await done.click()
    await see(page, '0 of 2 done')
    assert.equal((await show(`/tasks/${paint.id}`)).status, 'todo')
    await press(page, 'button', 'Board')
    for (const name of ['Activate', 'Actions', 'Add note']) await page.waitForSelector(named('button', name))
    await see(page, 'Timeline')
    await stop(page)
  })

  it('has its files: chosen or dropped, with what went wrong, looked at and downloaded', async () => {
    const { id } = (await firm.owner.post('/projects', { title: 'Files' })).body.data
    const folder = mkdtempSync(join(tmpdir(), 'atrium-boards-'))
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const files = { 'plan.png': png, "o'hare & co.txt": Buffer.from('text'), 'evil.exe': Buffer.from('MZ') }
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    const page = await at(`projects/${id}`)
    await upload(page, '.projects-choose input', ...Object.keys(files).map((name) => join(folder, name)))
    await see(page, "o'hare & co.txt")
    await page.waitForSelector('.uploads [role=alert]')
    await press(page, 'button', 'Remove evil.exe')
    await sentFiles(page, 2)
    assert.equal((await show(`/documents?project_id=${id}`)).length, 2)
    await press(page, 'button', 'Preview: plan.png')
    await page.waitForFunction(`document.querySelector('dialog img')?.naturalWidth === 1`)
    await press(page, 'button', 'Close')
    await page.waitForSelector(named('link', 'Download: plan.png'))
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
      document.querySelector('.projects-drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`)
    await sentFiles(page, 3)
    await stop(page)
    const looker = await member(firm, ['projects.view', 'projects.assign', 'documents.view'], 'Max')
    const theirs = await at(`projects/${id}`, screens.phone, looker)
    await see(theirs, 'dropped.txt')
    assert.equal(await evaluate(theirs, `document.querySelectorAll('.projects-drop, .projects-board').length`), 0)
    await stop(theirs)
  })

  it('is worked on by a finger', async () => {
    const { id } = (await firm.owner.post('/projects', { title: 'By hand' })).body.data
    const task = (await firm.owner.post('/tasks', { title: 'Sweep', project_id: id })).body.data
    const page = await at(`projects/${id}`, screens.phone)
    await page.waitForSelector(cardOf(task))
    await page.evaluate(`document.querySelector(${JSON.stringify(cardOf(task))}).scrollIntoView({ block: 'center' })`)
    const from = await middleOf(page, cardOf(task))
    await page.touchscreen.touchStart(from.x, from.y)
    await page.waitForSelector(`${cardOf(task)}.lifted`)
    await page.touchscreen.touchMove(300, from.y)
    await page.waitForSelector(`${columnOf('In progress')}.over`)
    await page.touchscreen.touchEnd()
    await see(page, 'Sweep is in')
    assert.notEqual((await show(`/tasks/${task.id}`)).status, 'todo')
    await stop(page)
  })
})

it('moves a card among 7 × 200 without standing still', async () => {
  const first = await lead('Zoe Zed', { lead_value: 10 })
  await world.sql(
    `INSERT INTO leads (tenant_id, name, lead_type, priority, status, stage_id, lead_value, created_at, updated_at)
     SELECT l.tenant_id, 'Lead ' || s.id || ' ' || n, l.lead_type, l.priority, l.status, s.id, n, l.created_at, l.updated_at
     FROM leads l JOIN lead_stages s ON s.tenant_id = l.tenant_id, generate_series(1, 200) n WHERE l.id = $1`,
    [first.id],
  )
  const page = await at('leads/board')
  for (const count of [100, 200]) {
    for (let n = 0; n < 7; n++) {
      const more = `[...document.querySelectorAll('.board section')][${n}].querySelector('.rest button')`
      await page.waitForFunction(
        `document.querySelectorAll('.board section')[${n}].querySelectorAll('article').length >= ${count / 2}`,
      )
      await evaluate(page, `${more}?.click()`)
    }
    await page.waitForFunction(
      `[...document.querySelectorAll('.board section')].every((one) => one.querySelectorAll('article').length >= ${count})`,
    )
  }
  const tookMs = await evaluate<number[]>(
    page,
    `(async () => {
      const took = []
      const link = document.querySelector('.board section article a.title')
      link.focus()
      for (let n = 0; n < 5; n++) {
        const key = n % 2 ? 'ArrowLeft' : 'ArrowRight'
        const from = document.activeElement.closest('section')
        const begin = performance.now()
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, altKey: true, bubbles: true, cancelable: true }))
        while (document.activeElement.closest('section') === from) await new Promise((resolve) => setTimeout(resolve))
        document.body.offsetHeight // laid out
        took.push(performance.now() - begin)
        await new Promise((resolve) => setTimeout(resolve, 700))
      }
      return took
    })()`,
  )
  if (process.env.FIGURES) process.stderr.write(`A move among 7 × 200 cards: ${tookMs.map(Math.round).join(', ')} ms\n`)
  assert.ok(Math.min(...tookMs) < 1000, String(tookMs))
  await stop(page)
  await world.sql('UPDATE leads SET deleted_at = now() WHERE tenant_id = $1', [firm.id])
})

describe('how they look', () => {
  for (const [name, viewport, way] of [
    ['light', screens.desktop, 'light'],
    ['dark', screens.desktop, 'dark'],
    ['mirrored, at 360 px', { ...screens.phone, width: 360 }, 'rtl'],
  ] as const)
    it(`is right in the eyes of axe, and nothing sticks out: ${name}`, async () => {
      const due = { title: 'Call', due_at: new Date(Date.now() - 60_000).toISOString() }
      const company = 'A company with a rather long name & Partners'
      const one = await lead('Pia Poe', { follow_up: due, lead_value: 3, company })
      await firm.owner.post(`/leads/${one.id}/notes`, { body: 'A note' })
      const dates = { starts_on: '2026-11-01', ends_on: '2026-12-01' }
      const { id } = (await firm.owner.post('/projects', { title: 'Look', ...dates })).body.data
      await firm.owner.post('/tasks', { title: 'Look at it', project_id: id, due_on: '2026-01-01', assigned_to: lea.id })
      await firm.owner.post('/documents', { title: 'Plan', project_ids: [id], file: new File(['x'], 'x.txt') })
      const page = await at('leads/board', viewport)
      if (way === 'dark') await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      for (const [path, shown] of [
        ['leads/board', '.board article'],
        [`leads/${one.id}`, '.leads-stages li'],
        ['follow-ups?whose=all', '.leads-span li'],
        [`projects/${id}`, '.projects-board article'],
      ] as const) {
        if (path !== 'leads/board') await page.goto(`${root}/${path}`)
        await page.waitForSelector(shown)
        if (way === 'rtl') await evaluate(page, `document.documentElement.dir = 'rtl'`)
        const overflow = await evaluate<number>(
          page,
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        assert.ok(overflow <= 0, `${path}: ${overflow} pixels too wide`)
        assert.deepEqual(await wrongIn(page), [], path)
        const picture = `${name}-${path}`.replaceAll(/\W+/g, '-')
        if (process.env.SCREENSHOTS)
          await page.screenshot({ path: join(process.env.SCREENSHOTS, `${picture}.png`) as `${string}.png` })
      }
      await stop(page)
      await firm.owner.del(`/leads/${one.id}`)
    })
})
