import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTest } from '#test/harness.ts'

const world = await startTest()

it('the page that invitations open posts to routes that exist, and holds nothing of the request', async () => {
  await world.sql(`INSERT INTO platform_settings (key, value, updated_at) VALUES ('app_name', '"Acme <b>"', now())`)
  const { status, headers, raw } = await world.root.get('/register?<script>')
  const html = raw.toString()
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.ok(html.includes('Acme &lt;b&gt;') && !html.includes('?<script>'))
  const api = world.central()
  assert.equal((await api.post('/public/register-workspace', {})).status, 422)
  assert.equal((await api.post('/public/beta-invites/resend', {})).status, 422)
  assert.equal((await api.get('/public/beta-invites/x')).status, 200)
})
