import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTest } from '#test/harness.ts'

const world = await startTest()

it('every link that is mailed opens a page that posts to a route that exists', async () => {
  const { owner, slug } = await world.workspace({ modules: [] })
  await owner.post('/users', { name: 'Invited', email: 'invited@x.test' })
  await owner.post('/users', { name: 'Unverified', email: 'unverified@x.test', password: 'a good passphrase' })
  await world.anonymous.post('/auth/forgot-password', { email: owner.email, workspace: slug })
  await world.central().post('/auth/forgot-password', { email: world.admin.email })
  const mails = await world.sql('select body_text from email_logs')
  const links = mails.map(({ body_text }) => /http:\/\/atrium\.test(\/\S+)/.exec(body_text)![1]!)
  assert.deepEqual(links.map((link) => link.replace(/[^/]+$/, '')).sort(), [
    '/app/invite/',
    '/app/reset-password/',
    '/app/verify-email/',
    '/platform/reset-password/',
  ])
  for (const link of links) {
    const page = await world.root.get(link)
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
    const html = page.raw.toString()
    assert.ok(!html.includes(link.split('/').at(-1)!), 'the token is not written into the page')
    const [, action] = /fetch\('([^']+)'/.exec(html)!
    assert.equal((await world.root.post(action!, {})).status, 422)
  }
})

it('opening a link does not use it up', async () => {
  const { owner } = await world.workspace({ modules: [] })
  await owner.post('/users', { name: 'Later', email: 'later@x.test' })
  const [{ body_text }] = await world.sql(`select body_text from email_logs where "to" = '{later@x.test}'`)
  const link = /http:\/\/atrium\.test(\/\S+)/.exec(body_text)![1]!
  await world.root.get(link)
  const body = { token: link.split('/').at(-1), password: 'a good passphrase', password_confirmation: 'a good passphrase' }
  assert.equal((await world.anonymous.post('/auth/accept-invite', body)).status, 200)
})
