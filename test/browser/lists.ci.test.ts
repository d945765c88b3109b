/** Large lists: months of instants in the user's time zone, and a thousand rows. Run by .ci/run. */
// CI stage: lists
// Own process: its modules are those of test/fixtures too.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { PASSWORD, startTest, type Workspace } from '../harness.ts'
import { wrongIn } from './axe.ts'
import { evaluate, heading, launch, named, newPage, press, screens, see } from './person.ts'

const port = await freePort()
const base = `http://localhost:${port}`
const world = await startTest({
  machineClock: true,
  env: { BASE_URL: base },
  roots: [join(import.meta.dirname, '../fixtures/modules')],
})
await world.app.listen({ port, host: 'localhost' })
let browser: Browser
let firm: Workspace
let root: string
/** Console messages of the browser; none is allowed. */
const complaints: string[] = []

before(async () => {
  browser = await launch()
  firm = await world.workspace({
    name: 'Nordwind',
    modules: ['short-links', 'tasks', 'leads', 'vendors', 'projects', 'trucks', 'repair-shops', 'quotations'],
  })
  root = `${base}/w/${firm.slug}`
})
after(async () => {
  await browser.close()
  assert.deepEqual(complaints, [])
})

async function signedIn(
  path: string,
  { viewport = screens.desktop as object, zone = '', german = false, who = firm.owner.email } = {},
) {
  await world.sql('DELETE FROM rate_limits')
  const page = await newPage(browser, complaints, viewport)
  if (zone) await page.emulateTimezone(zone)
  if (german) await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await page.goto(`${root}${path}`, { waitUntil: 'networkidle0' })
  await page.type('[name=email]', who)
  await page.type('[name=password]', PASSWORD)
  await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), page.keyboard.press('Enter')])
  return page
}

/** Takes a screenshot if SCREENSHOTS is set. */
async function shoot(page: Page, name: string) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) as `${string}.png` })
}

async function fits(page: Page) {
  assert.deepEqual(await wrongIn(page), [])
  assert.equal(await evaluate(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
}

describe('a month of instants', () => {
  /** In New York clocks are put forward on 9 March 2031, and back on 2 November. */
  const links = [
    { title: 'Before', expires_at: '2031-03-09T04:59:59.999Z' },
    { title: 'First', expires_at: '2031-03-09T05:00:00Z' },
    { title: 'Last', expires_at: '2031-03-10T03:59:59.999Z' },
    { title: 'After', expires_at: '2031-03-10T04:00:00Z' },
    { title: 'Early', expires_at: '2031-11-02T04:00:00Z' },
    { title: 'Late', expires_at: '2031-11-03T04:59:59Z' },
  ]
  before(async () => {
    for (const link of links) {
      const made = await firm.owner.post('/short-links', { ...link, destination_url: 'https://nordwind.example/' })
      assert.equal(made.status, 201, made.body.message)
    }
  })
  const on = (page: Page, day: string) =>
    evaluate<string[]>(
      page,
      `[...document.querySelectorAll('[data-day="${day}"] .entry')].map((one) => one.innerText.split(',')[0].trim())`,
    )

  it('has days of 23 and 25 hours as they are where whoever reads is', async () => {
    const page = await signedIn('/short-links/calendar?month=2031-03', { zone: 'America/New_York' })
    await page.waitForSelector('.entry')
    assert.deepEqual(await on(page, '2031-03-08'), ['11:59 PM Before'])
    assert.deepEqual(await on(page, '2031-03-09'), ['12:00 AM First', '11:59 PM Last'])
    assert.deepEqual(await on(page, '2031-03-10'), ['12:00 AM After'])
    await shoot(page, 'month-of-instants')
    await fits(page)
    await page.goto(`${root}/short-links/calendar?month=2031-11`, { waitUntil: 'networkidle0' })
    await page.waitForSelector('.entry')
    assert.deepEqual(await on(page, '2031-11-02'), ['12:00 AM Early', '11:59 PM Late'])
    await page.close()
    const far = await signedIn('/short-links/calendar?month=2031-03', { zone: 'Pacific/Auckland' })
    await far.waitForSelector('.entry')
    assert.deepEqual(await on(far, '2031-03-09'), ['5:59 PM Before', '6:00 PM First'])
    await far.close()
  })

  it('is chosen among a list’s days and instants, which the address keeps, and a new one begins on its day', async () => {
    const page = await signedIn('/short-links', { zone: 'America/New_York' })
    await press(page, 'link', 'Calendar')
    await page.waitForSelector('table.calendar')
    assert.equal(await evaluate(page, `document.querySelector('.month select').value`), 'expires_at')
    await page.select('.month select', 'created_at')
    await page.waitForFunction(`location.search.includes('by=created_at')`)
    await page.waitForFunction(`document.querySelectorAll('[aria-current] .entry').length > 0`)
    await page.reload({ waitUntil: 'networkidle0' })
    assert.equal(await evaluate(page, `document.querySelector('.month select').value`), 'created_at')
    await page.goto(`${root}/short-links/calendar?month=2031-03`, { waitUntil: 'networkidle0' })
    await page.locator('[data-day="2031-03-20"] a.number').click()
    await heading(page, 'New short link')
    await page.waitForSelector('[name=expires_at]')
    assert.equal(await evaluate(page, `document.querySelector('[name=expires_at]').value`), '2031-03-20T12:00')
    await page.close()
  })

  it('leads to a list that is kept to the same days, as the filter of the list does', async () => {
    const page = await signedIn('/short-links', { zone: 'America/New_York' })
    const titles = () =>
      evaluate<string[]>(page, `[...document.querySelectorAll('tbody a.title')].map((one) => one.textContent).sort()`)
    await page.waitForSelector('tbody tr')
    if (await page.$(named('button', 'Filter'))) await press(page, 'button', 'Filter')
    const select = `[...document.querySelectorAll('.filters label.filter')].find((one) => one.innerText.startsWith('Expires'))?.querySelector('select')`
    await page.waitForFunction(select)
    await evaluate(page, `(${select}).value = 'ownDays'; (${select}).dispatchEvent(new Event('change', { bubbles: true }))`)
    await page.locator(`.filters [aria-label="Expires at, from"]`).fill('2031-03-09')
    // While typing, the browser reports the years 0002, 0020 and 0203 first.
    await page.focus(`.filters [aria-label="Expires at, to"]`)
    await page.keyboard.type('03092031')
    await page.waitForFunction(`new URLSearchParams(location.search).get('expires_at_to') === '2031-03-10T03:59:59.999Z'`)
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 2`)
    assert.deepEqual(await titles(), ['First', 'Last'])
    await page.reload({ waitUntil: 'networkidle0' })
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 2`)
    assert.equal(await evaluate(page, `document.querySelector('.filters [aria-label="Expires at, to"]').value`), '2031-03-09')
    await page.close()
  })

  it('is a list of days on a phone, in German and in the dark too', async () => {
    const page = await signedIn('/short-links/calendar?month=2031-03', {
      viewport: { ...screens.phone, width: 360 },
      zone: 'America/New_York',
      german: true,
    })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
    await page.waitForSelector('.agenda')
    assert.deepEqual(await evaluate(page, `document.querySelectorAll('.agenda h3')[1].textContent`), 'Sonntag, 9. März')
    await fits(page)
    await shoot(page, 'month-of-instants-phone-de')
    await page.close()
  })
})

it('a search box says what the address says, after Back and without filters too', async () => {
  const page = await signedIn('/vendors')
  const box = '.filters input[type=search]'
  const isSearched = (text: string) =>
    page.waitForFunction(
      `[new URLSearchParams(location.search).get('search') ?? '', document.querySelector('${box}')?.value].every((one) => one === '${text}')`,
    )
  await page.locator(box).fill('nobody')
  await isSearched('nobody')
  await press(page, 'link', 'Clear filters')
  await isSearched('')
  await page.goBack()
  await isSearched('nobody')
  await page.close()
})

describe('a list of a thousand rows', () => {
  const MANY = 1_050
  before(async () => {
    await firm.owner.post('/tasks', { title: 'Seed' })
    await world.sql(
      `INSERT INTO tasks (tenant_id, title, status, created_at, updated_at)
       SELECT tenant_id, 'Task ' || lpad(n::text, 4, '0'), status, created_at, updated_at FROM tasks, generate_series(1, ${MANY - 1}) n
       WHERE tenant_id = $1 AND title = 'Seed'`,
      [firm.id],
    )
  })
  const ADDRESS = '/tasks?per_page=1000&sort=title&direction=asc'
  const whole = (page: Page) =>
    page.waitForFunction(
      `/of 1,050/.test(document.querySelector('.pages')?.innerText) && !document.querySelector('.long > [role=status]') && !!document.querySelector('.long')`,
    )
  const last = `[...document.querySelectorAll('tbody tr:not(.gap), .cards > li:not(.gap)')].at(-1)?.querySelector('.title')?.textContent`

  it('is asked for in the place of pages, and read to its end', async () => {
    const page = await signedIn('/tasks?sort=title&direction=asc')
    await page.waitForSelector('.pages select')
    await page.select('.pages select', '1000')
    await page.waitForFunction(`location.search.includes('per_page=1000')`)
    await whole(page)
    await see(page, '1 to 1,000 of 1,050')
    assert.equal(await evaluate(page, `document.querySelector('table').ariaRowCount`), '1001')
    await evaluate(page, 'scrollTo(0, 1e9)')
    await page.waitForFunction(`${last} === 'Task 0999'`)
    assert.equal(await evaluate(page, `[...document.querySelectorAll('[aria-rowindex]')].at(-1).ariaRowIndex`), '1001')
    await fits(page)
    await press(page, 'button', 'Next')
    await see(page, '1,001 to 1,050 of 1,050')
    await evaluate(page, 'scrollTo(0, 1e9)')
    await page.waitForFunction(`${last} === 'Task 1049'`)
    await page.close()
  })

  for (const [name, viewport] of Object.entries(screens))
    it(`is scrolled without more being drawn than is near the window: ${name}`, async () => {
      const page = await signedIn(ADDRESS, { viewport })
      await whole(page)
      await evaluate(page, `window.rows = () => document.querySelectorAll('tbody tr, .cards > li').length`)
      const [most, longest, empty] = await evaluate<[number, number, number]>(
        page,
        `new Promise((resolve) => {
          let [most, empty] = [0, 0]
          const tasks = []
          new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
          const step = () => {
            scrollBy(0, 400)
            most = Math.max(most, rows())
            if (document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('.gap')) empty++
            if (scrollY + innerHeight < document.documentElement.scrollHeight - 1) requestAnimationFrame(step)
            else setTimeout(() => resolve([most, Math.max(0, ...tasks), empty]), 200)
          }
          requestAnimationFrame(step)
        })`,
      )
      assert.ok(most < 120, `${most} rows`)
      const nodes = await evaluate<number>(page, `document.querySelectorAll('*').length`)
      assert.ok(nodes < 2_500, `${nodes} nodes`)
      await page.waitForFunction(`${last} === 'Task 0999'`)
      if (process.env.FIGURES)
        process.stderr.write(
          `1,000 rows, ${name}: longest task ${Math.round(longest)} ms, ${nodes} nodes, ${most} rows, ${empty} empty frames\n`,
        )
      await shoot(page, `thousand-${name}`)
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      await evaluate(page, `document.documentElement.dir = 'rtl'`)
      await fits(page)
      await shoot(page, `thousand-${name}-dark-rtl`)
      await page.close()
    })

  it('is chosen whole, and its rows are walked by the keyboard, which never falls out of it', async () => {
    const page = await signedIn(ADDRESS)
    await whole(page)
    await press(page, 'checkbox', 'Select all')
    await see(page, '1,000 selected')
    await press(page, 'checkbox', 'Select Seed')
    await see(page, '999 selected')
    await evaluate(page, `document.querySelector('tbody a.title').focus()`)
    for (let n = 0; n < 120; n++) await page.keyboard.press('Tab')
    const reached = await evaluate<number>(page, `Number(document.activeElement.closest('tr').ariaRowIndex)`)
    assert.ok(reached > 40, `row ${reached}`)
    const focused = await evaluate<string>(page, 'document.activeElement.outerHTML')
    await evaluate(page, 'scrollTo(0, 1e9)')
    await page.waitForFunction(`${last} === 'Task 0999'`)
    assert.equal(await evaluate(page, 'document.activeElement.outerHTML'), focused)
    await page.keyboard.down('Shift')
    await page.keyboard.press('Tab')
    await page.keyboard.up('Shift')
    assert.ok(await evaluate(page, `document.activeElement.closest('tr') !== null`))
    await page.close()
  })

  it('is changed whole as one deed, which is undone as one', async () => {
    const page = await signedIn(ADDRESS)
    await whole(page)
    const due = async () => {
      const { body } = await firm.owner.get('/tasks', {
        query: { per_page: '1', due_on_from: '2031-05-01', due_on_to: '2031-05-01' },
      })
      return body.meta.total as number
    }
    await press(page, 'checkbox', 'Select all')
    await press(page, 'button', 'Edit')
    await page.select('dialog select', 'due_on')
    await page.locator('dialog input[type=date]').fill('2031-05-01')
    await press(page, 'button', 'Save')
    await see(page, '1,000 changed.')
    assert.equal(await due(), 1000)
    await press(page, 'button', 'Undo')
    await see(page, '1,000 are as they were.')
    assert.equal(await due(), 0)
    await page.close()
  })

  it('is changed whole while the service starts anew: no part of it is left, and none is done twice', async () => {
    const page = await signedIn(ADDRESS)
    await whole(page)
    const [{ before }] = await world.sql('SELECT count(*)::int AS before FROM bulk_batches WHERE tenant_id = $1', [firm.id])
    // Of the batches, and of their undoing, the second is rejected at first, and the reply to the fourth is lost.
    await evaluate(
      page,
      `(() => {
        const ask = globalThis.fetch
        const asked = {}
        globalThis.fetch = async (request, ...more) => {
          const deed = /\\/(bulk|undo)$/.exec(new URL(request.url ?? request, location).pathname)?.[1]
          const n = deed && (asked[deed] = (asked[deed] ?? 0) + 1)
          if (n === 2) return new Response(null, { status: 502 })
          const reply = await ask(request, ...more)
          return n === 5 ? new Response(null, { status: 502 }) : reply
        }
      })()`,
    )
    await press(page, 'checkbox', 'Select all')
    await press(page, 'button', 'Edit')
    await page.select('dialog select', 'due_on')
    await page.locator('dialog input[type=date]').fill('2031-06-01')
    await press(page, 'button', 'Save')
    await see(page, '1,000 changed.')
    const [{ made }] = await world.sql('SELECT count(*)::int AS made FROM bulk_batches WHERE tenant_id = $1', [firm.id])
    assert.equal(made - before, 10)
    await press(page, 'button', 'Undo')
    await see(page, '1,000 are as they were.')
    await page.close()
  })

  it('is found again where it was left', async () => {
    const page = await signedIn(ADDRESS)
    await whole(page)
    await evaluate(page, 'scrollTo(0, 1e9)')
    await page.waitForFunction(`${last} === 'Task 0999'`)
    await evaluate(page, `[...document.querySelectorAll('tbody a.title')].at(-3).focus()`)
    await page.keyboard.press('Enter')
    await heading(page, 'Task 0997')
    await page.goBack()
    await page.waitForFunction(`document.activeElement.textContent === 'Task 0997'`)
    await page.close()
  })

  it('keeps its columns as wide as they were', async () => {
    const page = await signedIn(ADDRESS)
    await whole(page)
    const widths = () =>
      evaluate<number[]>(
        page,
        `[...document.querySelectorAll('thead th')].map((one) => Math.round(one.getBoundingClientRect().width))`,
      )
    const before = await widths()
    await evaluate(page, 'scrollTo(0, 1e9)')
    await page.waitForFunction(`${last} === 'Task 0999'`)
    assert.deepEqual(await widths(), before)
    await page.close()
  })
})

describe('a module that nobody has drawn', () => {
  const year = new Date().getFullYear() + 1
  before(async () => {
    const made = await firm.owner.post('/trucks', { plate: 'D 1', name: 'Forklift', inspection_due_on: `${year}-05-12` })
    assert.equal(made.status, 201, made.body.message)
  })

  it('has its list, form, record, board and calendar, which fit and in which axe finds nothing', async () => {
    const page = await signedIn('/')
    await press(page, 'link', 'Trucks')
    await heading(page, 'Trucks')
    await press(page, 'link', 'New truck')
    await page.waitForSelector('main form.form')
    await page.locator('[name=plate]').fill('D 2')
    await page.locator('[name=name]').fill('Crane')
    await press(page, 'button', 'Create')
    await page.waitForFunction(`/^(D 2|Crane)$/.test(document.querySelector('h1').textContent)`)
    const { id } = (await firm.owner.get('/trucks', { query: { search: 'Crane' } })).body.data[0]
    for (const place of ['', '/new', `/${id}`, `/${id}/edit`, '/board', `/calendar?month=${year}-05`]) {
      await page.setViewport(screens.desktop)
      await page.goto(`${root}/trucks${place}`, { waitUntil: 'networkidle0' })
      await fits(page)
      await page.setViewport({ ...screens.phone, width: 360 })
      await page.waitForFunction('innerWidth === 360')
      await fits(page)
    }
    await see(page, 'Forklift')
    await page.close()
  })
})

describe('wherever somebody goes', () => {
  /** Navigates as a link of the page does. */
  const go = async (page: Page, path: string) => {
    await page.evaluate(`(() => {
      const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(`/w/`)} + ${JSON.stringify(firm.slug)} + ${JSON.stringify(path)} })
      document.body.append(link)
      link.click()
      link.remove()
    })()`)
    await page.waitForFunction(`location.pathname + location.search === ${JSON.stringify(`/w/${firm.slug}${path}`)}`)
  }
  const focused = `document.activeElement.tagName + ' ' + document.activeElement.textContent`

  it('the heading of the screen has the focus, there is one, and Back finds one too', async () => {
    const page = await signedIn('/')
    const told = (await firm.owner.get('/console')).body.data
    const paths: string[] = [
      ...told.screens.flatMap(({ key, may_create, layouts }: { key: string; may_create: boolean; layouts: string[] }) => [
        `/${key}`,
        ...layouts.slice(1).map((layout) => `/${key}/${layout}`),
        ...(may_create ? [`/${key}/new`] : []),
      ]),
      ...told.pages.map(({ key }: { key: string }) => `/${key}`),
      ...['/vendors/import', '/settings', '/account', '/notifications/preferences', '/nothing'],
    ]
    const lost: string[] = []
    for (const path of paths) {
      await go(page, path)
      // The heading is rendered before the part has loaded.
      await page.waitForNetworkIdle({ idleTime: 60 })
      const isOn = await page
        .waitForFunction(`document.activeElement?.tagName === 'H1' && document.querySelectorAll('h1').length === 1`, {
          timeout: 3_000,
        })
        .then(
          () => true,
          () => false,
        )
      if (!isOn) lost.push(`${path}: ${await evaluate(page, focused)}`)
    }
    for (let n = 0; n < 5; n++) {
      const before = page.url()
      await page.goBack()
      await page.waitForFunction(`location.href !== ${JSON.stringify(before)}`)
      await page.waitForNetworkIdle({ idleTime: 60 })
      if ((await evaluate(page, 'document.activeElement.tagName')) === 'BODY') lost.push(`back to ${page.url()}`)
    }
    assert.deepEqual(lost, [])
    assert.ok(paths.length > 60, String(paths.length))
    await page.close()
  })
})

it('what happened to a record is read page by page', async () => {
  const { id } = (await firm.owner.post('/tasks', { title: 'Often' })).body.data
  for (let n = 1; n <= 26; n++) await firm.owner.put(`/tasks/${id}`, { title: `Often ${n}` })
  const page = await signedIn(`/tasks/${id}`)
  await see(page, '1 to 25 of 27')
  await press(page, 'button', 'Next')
  await see(page, '26 to 27 of 27')
  assert.equal(await evaluate(page, `document.querySelectorAll('.happened > li').length`), 2)
  assert.equal(await evaluate(page, 'document.activeElement.textContent'), 'Next')
  await page.close()
})

describe('a session that ends', () => {
  const end = () =>
    world.sql(`UPDATE access_tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE tenant_id = $1 AND name = 'session'`, [
      firm.id,
    ])
  const again = async (page: Page, { email } = firm.owner) => {
    await world.sql('DELETE FROM rate_limits')
    await page.waitForSelector('dialog [name=password]')
    await page.type('dialog [name=email]', email)
    await page.type('dialog [name=password]', PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForFunction(`!document.querySelector('dialog [name=password]')`)
  }

  it('takes nothing of a note, nor of what a deed asks for', async () => {
    const { id } = (await firm.owner.post('/tasks', { title: 'Outlives' })).body.data
    const page = await signedIn(`/tasks/${id}`)
    await page.locator(named('textbox', 'Note')).fill('Kept in the end')
    await end()
    await press(page, 'button', 'Add note')
    await again(page)
    assert.equal(await evaluate(page, `document.querySelector('textarea').value`), 'Kept in the end')
    await press(page, 'button', 'Add note')
    await page.waitForFunction(`document.querySelector('textarea').value === ''`)
    assert.equal((await firm.owner.get(`/tasks/${id}/notes`)).body.data[0].body, 'Kept in the end')
    await page.close()
  })

  it('shows nothing of it to somebody else who signs in there', async () => {
    const other = await firm.user(['tasks.view', 'tasks.update', 'tasks.assign'], 'Otto Other')
    await world.sql('UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2', [
      firm.owner.id,
      other.id,
    ])
    const { id } = (await firm.owner.post('/tasks', { title: 'Handed over' })).body.data
    const page = await signedIn(`/tasks/${id}`)
    await page.locator(named('textbox', 'Note')).fill('For my eyes')
    await end()
    await press(page, 'button', 'Add note')
    await again(page, other)
    await page.waitForSelector(named('button', 'Account: Otto Other'))
    await heading(page, 'Handed over')
    assert.equal(await evaluate(page, `document.querySelector('textarea')?.value ?? ''`), '')
    await page.close()
  })

  it('leads to sign in again from a page that is loaded, and back to what was typed', async () => {
    const page = await signedIn('/vendors/new')
    await page.locator(named('textbox', 'Name')).fill('Typed before')
    await page.waitForNetworkIdle({ idleTime: 700 })
    await end()
    await page.reload({ waitUntil: 'networkidle0' })
    assert.match(page.url(), /\/sign-in\?next=/)
    await world.sql('DELETE FROM rate_limits')
    await page.type('[name=email]', firm.owner.email)
    await page.type('[name=password]', PASSWORD)
    await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), page.keyboard.press('Enter')])
    await see(page, 'What you typed is back.')
    assert.equal(await evaluate(page, `document.querySelector('[name=name]').value`), 'Typed before')
    await page.close()
  })
})

describe('permissions in German', () => {
  it('are called so in the matrix, among scopes, and by whoever lacks one', async () => {
    const page = await signedIn('/permission-matrix', { german: true })
    await page.waitForSelector('tbody th')
    const left = await evaluate<string[]>(
      page,
      `[...document.querySelectorAll('tbody tr:not(.roles-group) th')].map((one) => one.firstChild.textContent).filter((one) => /^(See|Add|Change|Delete|Restore|Export|Manage)\\b/.test(one))`,
    )
    assert.deepEqual(left, [])
    await see(page, 'Aufgaben ansehen')
    await shoot(page, 'matrix-de')
    await page.goto(`${root}/api-keys/new`, { waitUntil: 'networkidle0' })
    await page.waitForSelector('.choices small')
    await see(page, 'Gelöschte Aufgaben wiederherstellen')
    await shoot(page, 'scopes-de')
    await page.close()
    const tim = await firm.user(['tasks.view'], 'Tim')
    await world.sql('UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2', [
      firm.owner.id,
      tim.id,
    ])
    const theirs = await signedIn('/tasks', { german: true, who: tim.email })
    const { id } = (await firm.owner.post('/tasks', { title: 'Looked at', assigned_to: tim.id })).body.data
    await theirs.goto(`${root}/tasks/${id}`, { waitUntil: 'networkidle0' })
    await theirs.waitForFunction(`document.body.textContent.includes('das Recht „Aufgaben: ändern“')`)
    await theirs.close()
  })
})
