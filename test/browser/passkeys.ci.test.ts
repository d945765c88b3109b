/** Passkeys in a real browser with its virtual device: service and browser understand each other. Run by .ci/run. */
// CI stage: pages
import assert from 'node:assert/strict'
import { after, before, beforeEach, it, type TestContext } from 'node:test'
import puppeteer, { type Browser, type CDPSession, type Page } from 'puppeteer-core'
import { freePort } from '../free-port.ts'
import { PASSWORD, startTest } from '../harness.ts'

const port = await freePort()
const world = await startTest({ machineClock: true, env: { BASE_URL: `http://localhost:${port}` } })
await world.app.listen({ port, host: '127.0.0.1' })
let browser: Browser
let page: Page
let devtools: CDPSession

before(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  page = await browser.newPage()
  await page.goto(`http://localhost:${port}/platform/reset-password`)
  devtools = await page.createCDPSession()
  await devtools.send('WebAuthn.enable')
})
after(() => browser.close())

/** A new device for each test: it would offer the passkeys of both APIs, which share a host. */
beforeEach(async (t) => {
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
  ;(t as TestContext).after(() => devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }))
})

/** Runs a script in the page, as a client of the API. */
const inPage = async <T>(script: string) => (await page.evaluate(`(async () => { ${script} })()`)) as T

for (const [api, token] of [
  ['/api/central/v1', world.admin.token],
  ['/api/tenant/v1', undefined],
] as const)
  it(`${api}: a passkey is added and signs in`, async () => {
    const owner = token ? undefined : (await world.workspace({ modules: [] })).owner
    const call = `
      const call = async (method, path, body) => {
        const headers = { 'content-type': 'application/json', authorization: 'Bearer ${token ?? owner!.token}' }
        const reply = await fetch('${api}' + path, { method, headers, body: body && JSON.stringify(body) })
        return { ...(await reply.json()), status: reply.status }
      }`
    const added = await inPage<{ status: number; message: string }>(`${call}
      const { data: { options_token, options } } = await call('GET', '/me/passkeys/options')
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const credential = (await navigator.credentials.create({ publicKey })).toJSON()
      return call('POST', '/me/passkeys', { password: '${PASSWORD}', name: 'Virtual', options_token, credential })`)
    assert.equal(added.status, 201, added.message)
    const signedIn = await inPage<{ status: number; message: string; data: { user: { email: string } } }>(`${call}
      const { data: { options_token, options } } = await call('GET', '/auth/passkeys/login/options')
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
      const credential = (await navigator.credentials.get({ publicKey })).toJSON()
      return call('POST', '/auth/passkeys/login', { options_token, credential })`)
    assert.equal(signedIn.status, 200, signedIn.message)
    assert.equal(signedIn.data.user.email, owner?.email ?? world.admin.email)
  })
