/**
 * Accounts in the console, in a real browser: all ways to sign in, mailed links, impersonation, the user's own account. Run by
 * .ci/run.
 */
// CI stage: console
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { appCode } from '../authenticator.ts'
import { freePort } from '../free-port.ts'
import { PASSWORD, type Person, startTest, type Workspace } from '../harness.ts'
import { mailsTo } from '../operator.ts'
import { wrongIn } from './axe.ts'
import { arrive, evaluate, failing, fill, heading, launch, named, newPage, press, screens, see } from './person.ts'

const port = await freePort()
const base = `http://localhost:${port}`
const world = await startTest({ machineClock: true, env: { BASE_URL: base } })
await world.app.listen({ port, host: 'localhost' })
const NEW_PASSWORD = 'a much better battery'
let browser: Browser
let firm: Workspace
let root: string
const complaints: string[] = []
const open = (viewport?: object) => newPage(browser, complaints, viewport)

before(async () => {
  browser = await launch()
  firm = await world.workspace({ name: 'Nordwind', modules: ['vendors', 'tasks'] })
  root = `/w/${firm.slug}`
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))
after(async () => {
  await browser.close()
  assert.deepEqual(complaints, [])
})

/** Creates a user with a password and a verified address. */
async function member(permissions: string[], name: string): Promise<Person> {
  const person = await firm.user(permissions, name)
  const owners = 'SELECT password_hash FROM users WHERE tenant_id = $1 AND is_owner'
  await world.sql(`UPDATE users SET password_hash = (${owners}) WHERE tenant_id = $1 AND id = $2`, [firm.id, person.id])
  return person
}

async function signIn(page: Page, email: string, { at = '/sign-in', password = PASSWORD } = {}) {
  await page.goto(base + at, { waitUntil: 'networkidle0' })
  await fill(page, { email, password })
  await press(page, 'button', 'Sign in')
}
const linkTo = async (email: string) => {
  const [mail] = await mailsTo(world, email)
  return /http:\/\/\S+#\S+/.exec(mail!.body_text)![0]
}
const still = { name: 'prefers-reduced-motion', value: 'reduce' }
/** Asserts that the page fits and has no accessibility problems. */
async function looksRight(page: Page, name: string) {
  for (const [screen, { width, height }] of Object.entries(screens)) {
    await page.setViewport({ width, height }) // changing to a phone's viewport reloads the page
    const overflow = await evaluate<number>(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth')
    if (overflow > 0 && process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/too-wide-${name}.png` })
    assert.ok(overflow <= 0, `${name} on a ${screen}: ${overflow} pixels too wide`)
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([still, { name: 'prefers-color-scheme', value: scheme }])
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/account-${name}-${screen}-${scheme}.png` })
      assert.deepEqual(await wrongIn(page), [], `${name} on a ${screen}, ${scheme}`)
    }
  }
  await page.emulateMediaFeatures([])
  await page.setViewport(screens.desktop)
}

describe('signing in', () => {
  it('asks which workspace, where the address and password fit several', async () => {
    const other = await world.workspace({ name: 'Südwind & Söhne', modules: [] })
    await world.sql('UPDATE users SET email = $1 WHERE id = $2', [firm.owner.email, other.owner.id])
    await world.sql('UPDATE sign_in_directory SET email = $1 WHERE user_id = $2', [firm.owner.email, other.owner.id])
    const page = await open()
    await signIn(page, firm.owner.email)
    await see(page, 'Choose a workspace')
    await looksRight(page, 'choice')
    await press(page, 'button', 'Südwind & Söhne')
    await arrive(page, `/w/${other.slug}/`)
    await signIn(page, firm.owner.email)
    await press(page, 'button', 'Nordwind')
    await arrive(page, `${root}/`)
    await page.goto(`${base}/w/${other.slug}/`)
    await arrive(page, `/w/${other.slug}/`) // both sessions are valid
    await world.sql('UPDATE users SET email = $1 WHERE id = $2', ['olga@other.test', other.owner.id])
    await world.sql('UPDATE sign_in_directory SET email = $1 WHERE user_id = $2', ['olga@other.test', other.owner.id])
    await page.close()
  })

  it('takes a second factor', async () => {
    const una = await member([], 'Una')
    const { secret } = (await una.post('/me/two-factor', { password: PASSWORD })).body.data
    const code = (steps: number) => appCode(secret, new Date(Date.parse(world.clock.now()) + steps * 30_000).toISOString())
    assert.equal((await una.post('/me/two-factor/confirm', { code: code(-1) })).status, 200)
    const page = await open()
    await signIn(page, una.email)
    await page.waitForSelector(named('textbox', 'Code'))
    await page.waitForFunction(`document.activeElement.name === 'code'`)
    await looksRight(page, 'second-factor')
    await fill(page, { code: '000000' })
    await press(page, 'button', 'Sign in')
    await page.waitForSelector('[aria-invalid]')
    await fill(page, { code: code(0) })
    await press(page, 'button', 'Sign in')
    await arrive(page, `${root}/`)
    await page.close()
  })
})

describe('a mailed link leads into the console:', () => {
  it('a forgotten password is replaced', async () => {
    const fay = await member([], 'Fay')
    const page = await open()
    await page.goto(`${base}/sign-in`, { waitUntil: 'networkidle0' })
    await press(page, 'link', 'Forgot your password?')
    await heading(page, 'Forgot your password?')
    await fill(page, { email: fay.email })
    await press(page, 'button', 'Mail me a link')
    await see(page, 'If the address is known, a mail is on its way.')
    const link = await linkTo(fay.email)
    await page.goto(link, { waitUntil: 'networkidle0' })
    await heading(page, 'Choose a new password')
    assert.equal(new URL(page.url()).pathname, '/sign-in/reset')
    await looksRight(page, 'reset')
    await fill(page, { email: fay.email, password: NEW_PASSWORD, password_confirmation: 'something else' })
    await press(page, 'button', 'Change the password')
    await page.waitForFunction(`document.activeElement.name === 'password_confirmation'`)
    await fill(page, { password_confirmation: NEW_PASSWORD })
    await press(page, 'button', 'Change the password')
    await see(page, 'The password was changed.')
    await page.goto(`${link}#`, { waitUntil: 'networkidle0' })
    await page.goto(link, { waitUntil: 'networkidle0' })
    await fill(page, { email: fay.email, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD })
    await press(page, 'button', 'Change the password')
    await press(page, 'link', 'Have a new link mailed')
    await heading(page, 'Forgot your password?')
    await signIn(page, fay.email, { password: NEW_PASSWORD })
    await arrive(page, `${root}/`)
    await page.close()
  })

  it('an invitation is accepted, and its bearer is in', async () => {
    await firm.owner.post('/users', { name: 'Ivo Invited', email: 'ivo@nordwind.test' })
    const page = await open()
    await page.goto(await linkTo('ivo@nordwind.test'), { waitUntil: 'networkidle0' })
    await heading(page, 'Welcome')
    await looksRight(page, 'invitation')
    await fill(page, { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD })
    await press(page, 'button', 'Begin')
    await arrive(page, `${root}/`)
    await see(page, 'Ivo')
    await page.close()
  })

  it('an operator who is invited chooses a password, and signs in by it', async () => {
    const roles = (await world.admin.get('/roles')).body.data
    const role = [roles[0].name]
    assert.equal((await world.admin.post('/users/invite', { name: 'Opal', email: 'opal@platform.test', role })).status, 201)
    const page = await open()
    await page.goto(await linkTo('opal@platform.test'), { waitUntil: 'networkidle0' })
    await fill(page, { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD })
    await press(page, 'button', 'Begin')
    await see(page, 'Welcome. Sign in with the password.')
    await press(page, 'link', 'Sign in')
    await heading(page, 'Sign in · Operator')
    await signIn(page, 'opal@platform.test', { at: '/sign-in/operator', password: NEW_PASSWORD })
    await arrive(page, '/operator/')
    await page.close()
  })

  it('a workspace is registered, its address verified, and its owner signs in', async () => {
    const page = await open()
    await page.goto(`${base}/sign-in`, { waitUntil: 'networkidle0' })
    await press(page, 'link', 'Register a workspace')
    await heading(page, 'Register a workspace')
    await fill(page, {
      company_name: 'Ostwind',
      owner_name: 'Ada',
      email: 'ada@ostwind.test',
      password: 'x',
      password_confirmation: 'x',
    })
    await press(page, 'button', 'Register')
    await page.waitForFunction(`document.activeElement.name === 'password'`)
    await fill(page, { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD })
    await press(page, 'button', 'Register')
    await see(page, 'Your workspace Ostwind is made.')
    await page.goto(await linkTo('ada@ostwind.test'), { waitUntil: 'networkidle0' })
    await heading(page, 'Verify your e-mail address')
    await press(page, 'button', 'Verify')
    await see(page, 'The address is verified.')
    await looksRight(page, 'verified')
    await press(page, 'link', 'Sign in')
    await signIn(page, 'ada@ostwind.test', { password: NEW_PASSWORD })
    await arrive(page, '/w/ostwind/')
    await page.close()
  })

  it('a notification opens its record, after signing in', async () => {
    const nils = await member(['users.view'], 'Nils')
    const { id } = (await firm.owner.get('/users')).body.data[0]
    const page = await open()
    await signIn(page, nils.email, { at: `/sign-in?next=${encodeURIComponent(`${root}/users/${id}`)}` })
    await arrive(page, `${root}/users/${id}`)
    await page.close()
  })
})

describe('one’s own account', () => {
  const account = async (page: Page, email: string) => {
    await signIn(page, email, { at: `/sign-in?next=${root}/account` })
    await heading(page, 'Your account')
    await page.waitForSelector('[name=old_password]')
    await see(page, 'This one')
  }

  it('has a profile, a password, and sessions', async () => {
    const pia = await member([], 'Pia')
    const page = await open()
    await account(page, pia.email)
    await looksRight(page, 'own')
    await fill(page, { name: 'Pia Person' })
    await press(page, 'button', 'Save')
    await see(page, 'Profile saved.')
    await fill(page, { old_password: 'wrong', password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD })
    await press(page, 'button', 'Change password')
    await page.waitForFunction(`document.activeElement.name === 'old_password'`)
    await fill(page, { old_password: PASSWORD })
    await press(page, 'button', 'Change password')
    await see(page, 'Password changed.')
    assert.equal((await pia.get('/me')).status, 401, 'the other session ended')
    await signIn(page, pia.email, { password: NEW_PASSWORD, at: `/sign-in?next=${root}/account` })
    await heading(page, 'Your account')
    await press(page, 'button', 'End all others')
    await see(page, 'The other sessions were ended.')
    await page.close()
  })

  it('says what of it could not be read, and asks for that again', async () => {
    const page = await open()
    await page.evaluateOnNewDocument(failing(/\/me\/sessions$/))
    await signIn(page, firm.owner.email, { at: `/sign-in?next=${root}/account` })
    await heading(page, 'Your account')
    await press(page, 'button', 'Try again')
    await see(page, 'This one')
    await page.close()
  })

  it('turns the second factor on and off', async () => {
    const tom = await member([], 'Tom')
    const page = await open()
    await account(page, tom.email)
    await press(page, 'button', 'Turn on the second factor')
    await page.locator('dialog [name=password]').fill(PASSWORD)
    await press(page, 'button', 'Continue')
    await page.waitForSelector('.secret')
    await looksRight(page, 'factor')
    const secret = await evaluate<string>(page, `document.querySelector('.secret').textContent`)
    world.secret(secret)
    const now = () => appCode(secret, world.clock.now())
    await page.locator('dialog [name=code]').fill(now())
    await press(page, 'button', 'Confirm')
    await see(page, 'Each lets you in once')
    const [code] = await evaluate<string[]>(page, `[...document.querySelectorAll('.codes code')].map((one) => one.textContent)`)
    await press(page, 'button', 'Close')
    await press(page, 'button', 'Turn off the second factor')
    await page.locator('dialog [name=code]').fill(code!)
    await page.locator('dialog [name=password]').fill(PASSWORD)
    await page.locator('dialog button[type=submit]').click()
    await see(page, 'The second factor is turned off.')
    await page.close()
  })

  it('takes a passkey, which signs in', async () => {
    const kim = await member([], 'Kim')
    const page = await open()
    const devtools = await page.createCDPSession()
    await devtools.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
    await account(page, kim.email)
    await press(page, 'button', 'Add a passkey')
    await page.locator('dialog [name=name]').fill('Kim’s phone')
    await page.locator('dialog [name=password]').fill(PASSWORD)
    await page.locator('dialog button[type=submit]').click()
    await see(page, 'Passkey added.')
    await press(page, 'button', 'Account: Kim')
    await press(page, 'menuitem', 'Sign out')
    await arrive(page, '/sign-in')
    await press(page, 'button', 'Sign in with a passkey')
    await arrive(page, `${root}/`)
    await page.close()
  })
})

describe('notifications', () => {
  it('are counted and told at once, lead to their record, and can be read', async () => {
    const ned = await member(['tasks.view', 'tasks.update'], 'Ned')
    const page = await open()
    await signIn(page, ned.email)
    await page.waitForSelector(named('button', 'Notifications'))
    await new Promise((resolve) => setTimeout(resolve, 1500)) // it subscribes a moment later
    const { id } = (await firm.owner.post('/tasks', { title: 'Ring them', assigned_to: ned.id })).body.data
    await page.waitForSelector(named('button', 'Notifications, 1 unread'))
    await see(page, 'Task assigned to you')
    await press(page, 'button', 'Notifications, 1 unread')
    await page.waitForSelector(named('dialog', 'Notifications'))
    await see(page, 'assigned you the task')
    await looksRight(page, 'notifications')
    await page.locator('.news button').click()
    await heading(page, 'Ring them')
    assert.equal(new URL(page.url()).pathname, `${root}/tasks/${id}`)
    await page.waitForSelector(named('button', 'Notifications'))
    await page.goto(`${base}${root}/notifications/preferences`, { waitUntil: 'networkidle0' })
    await heading(page, 'Preferences of notifications')
    await looksRight(page, 'preferences')
    await page.locator('input[aria-label$=": Mail"]').click()
    await see(page, 'Saved.')
    await page.close()
  })

  it('of what others do: an open list shows it, and the focus stays', async () => {
    const vic = await member(['vendors.view', 'vendors.create'], 'Vic')
    const page = await open()
    // It also subscribes after an initial failure.
    for (const path of [/\/broadcasting\/config$/, /\/broadcasting\/auth$/]) await page.evaluateOnNewDocument(failing(path))
    await signIn(page, vic.email, { at: `/sign-in?next=${root}/vendors` })
    await heading(page, 'Vendors')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await page.focus('input[type=search]')
    await firm.owner.post('/vendors', { name: 'Made elsewhere' })
    await see(page, 'Made elsewhere')
    await firm.owner.post('/vendors', { name: 'Made while it listens' })
    await see(page, 'Made while it listens')
    assert.equal(await evaluate(page, 'document.activeElement.type'), 'search')
    await page.close()
  })

  it('of what others do: an open list shows it also after signing in again there', async () => {
    const wim = await member(['vendors.view'], 'Wim')
    const page = await open()
    await signIn(page, wim.email, { at: `/sign-in?next=${root}/vendors` })
    await heading(page, 'Vendors')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await world.sql(
      `UPDATE access_tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE tenant_id = $1 AND name = 'session'`,
      [firm.id],
    )
    await new Promise((resolve) => setTimeout(resolve, 2500)) // its socket is closed within two seconds
    await page.type('input[type=search]', 'Heard')
    await see(page, 'Your session is over')
    await page.locator('dialog [name=email]').fill(wim.email)
    await page.locator('dialog [name=password]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForFunction(`!document.querySelector('dialog')`)
    await page.waitForNetworkIdle({ idleTime: 1000 })
    await firm.owner.post('/vendors', { name: 'Heard again' })
    await see(page, 'Heard again')
    await page.close()
  })
})

describe('whoever works as somebody else', () => {
  it('is themselves again when it ends: a colleague in their own session', async () => {
    const cleo = await member(['vendors.view'], 'Cleo Clerk')
    const page = await open()
    await signIn(page, firm.owner.email, { at: `/sign-in?next=${root}/users/${cleo.id}` })
    await heading(page, 'Cleo Clerk')
    await press(page, 'button', 'Actions')
    await press(page, 'menuitem', 'Impersonate')
    await fill(page, { reason: 'To see what they see' })
    await page.locator('dialog button[type=submit]').click()
    await see(page, 'You are Olive Owner, and work as Cleo Clerk.')
    await looksRight(page, 'posing')
    await press(page, 'button', 'End')
    await page.waitForFunction(`document.body && !document.body.innerText.includes('work as')`)
    await page.waitForSelector(named('button', 'Account: Olive Owner'))
    const { data } = await evaluate<{ data: object[] }>(
      page,
      `fetch('${root}/api/tenant/v1/user-impersonations').then((reply) => reply.json())`,
    )
    assert.deepEqual(data, [])
    await page.close()
  })

  it('is led back when their hour is over', async () => {
    const carl = await member(['vendors.view'], 'Carl Clerk')
    const page = await open()
    await signIn(page, firm.owner.email)
    await arrive(page, `${root}/`)
    await evaluate(
      page,
      `fetch('${root}/api/tenant/v1/users/${carl.id}/impersonate', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"reason":"To see what they see"}' })`,
    )
    await page.goto(`${base}${root}/vendors/new`, { waitUntil: 'networkidle0' })
    await see(page, 'work as Carl Clerk')
    await world.sql(`UPDATE access_tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE user_id = $1`, [carl.id])
    await press(page, 'link', 'Home')
    await page.waitForSelector(named('button', 'Account: Olive Owner'))
    await page.close()
  })
})
