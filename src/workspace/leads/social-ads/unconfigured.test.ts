import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTest } from '#test/harness.ts'

const world = await startTest()

it('social ads that no app is configured for are shown as such, connect nothing and take nothing', async () => {
  const { owner } = await world.workspace({ modules: ['leads'] })
  assert.equal((await owner.get('/leads/integrations/social-ads')).body.data.is_configured, false)
  const { status, body } = await owner.get('/leads/integrations/social-ads/oauth/redirect')
  assert.deepEqual([status, Object.keys(body.errors!)], [422, ['connection']])
  const query = { 'hub.mode': 'subscribe', 'hub.verify_token': '', 'hub.challenge': '1' }
  assert.equal((await world.root.get('/webhooks/leads/social-ads', { query })).status, 403)
  assert.equal((await world.root.post('/webhooks/leads/social-ads', { entry: [] })).status, 404)
})
