import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTest, type World } from '#test/harness.ts'
import { mailsTo } from '#test/operator.ts'

const world = await startTest()

/** Sends every kind of link. Returns their addresses without secrets. */
async function mailed(world: World): Promise<string[]> {
  const { owner, slug } = await world.workspace({ modules: [] })
  await owner.post('/users', { name: 'Invited', email: 'invited@x.test' })
  await owner.post('/users', { name: 'Unverified', email: 'unverified@x.test', password: 'a good passphrase' })
  await world.anonymous.post('/auth/forgot-password', { email: owner.email, workspace: slug })
  await world.central().post('/auth/forgot-password', { email: world.admin.email })
  const addresses = ['invited@x.test', 'unverified@x.test', owner.email, world.admin.email]
  await world.drain()
  const mails = (await Promise.all(addresses.map((email) => mailsTo(world, email)))).flat()
  const links = mails.map(({ body_text }) => /http:\/\/atrium\.test(\/\S+)/.exec(body_text)![1]!)
  return links.map((link) => link.replace(/#[\w-]{43}$/, '')).sort()
}

it('every link that is mailed leads to a page of the console', async () => {
  for (const link of await mailed(world)) {
    const to = await world.root.get(link)
    assert.deepEqual([to.status, to.headers['cache-control']], [302, 'private, no-store'])
    assert.match(String(to.headers.location), /^\/sign-in\/(operator\/)?(invitation|reset|verify)$/)
    assert.equal((await world.root.get(String(to.headers.location))).status, 200)
  }
})

it('every link that is mailed opens a plain page where people have a front end of their own', async () => {
  const world = await startTest({ env: { APP_URL: 'https://front.test' } })
  const links = await mailed(world)
  assert.deepEqual(links, ['/app/invite', '/app/reset-password', '/app/verify-email', '/platform/reset-password'])
  for (const link of links) {
    const page = await world.root.get(link)
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
    const html = page.raw.toString()
    const [, action] = /fetch\('([^']+)'/.exec(html)!
    assert.equal((await world.root.post(action!, {})).status, 422)
  }
})

it('opening a link does not use it up', async () => {
  const { owner } = await world.workspace({ modules: [] })
  await owner.post('/users', { name: 'Later', email: 'later@x.test' })
  const [mail] = await mailsTo(world, 'later@x.test')
  const [, link, token] = /http:\/\/atrium\.test(\/\S+)#(\S+)/.exec(mail!.body_text)!
  await world.root.get(link!)
  const body = { token, password: 'a good passphrase', password_confirmation: 'a good passphrase' }
  assert.equal((await world.anonymous.post('/auth/accept-invite', body)).status, 200)
})

it('links say in the mail how long they are good', async () => {
  const { owner } = await world.workspace({ modules: [] })
  await owner.post('/users', { name: 'Timed', email: 'timed@x.test' })
  const [mail] = await mailsTo(world, 'timed@x.test')
  assert.match(mail!.body_text, /The link is good for 7 days, and once\./)
})

it('what there is not is a page to who asks for one, with a way onward and without codes', async () => {
  await world.admin.put('/system-settings', { settings: { app_name: 'Ledgerly', support_email: 'help@ledgerly.test' } })
  const asked = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
  for (const [path, options, status] of [
    ['/no/such/page', asked, 404],
    ['/accept/quotations/unknown', {}, 404],
    ['/unsubscribe/unknown', asked, 404],
  ] as const) {
    const reply = await world.root.get(path, options)
    const html = reply.raw.toString()
    assert.deepEqual([reply.status, reply.headers['content-type']], [status, 'text/html; charset=utf-8'], path)
    assert.doesNotMatch(html, /NOT_FOUND/)
    for (const part of [/help@ledgerly\.test/, /<span>Ledgerly<\/span>/, /href="http:\/\/atrium\.test\/app"/])
      assert.match(html, part, path)
  }
  for (const [path, options] of [
    ['/no/such/page', {}],
    ['/api/tenant/v1/no-such-route', asked],
  ] as const)
    assert.equal((await world.root.get(path, options)).body.code, 'NOT_FOUND')
})

it('a front end is found from everywhere', async () => {
  assert.equal((await world.root.get('/app')).headers.location, '/')
  const elsewhere = await startTest({ env: { APP_URL: 'https://front.test' } })
  assert.match((await elsewhere.root.get('/app')).raw.toString(), /href="https:\/\/front\.test"/)
  assert.match((await elsewhere.root.get('/register')).raw.toString(), /href="https:\/\/front\.test"/)
})
