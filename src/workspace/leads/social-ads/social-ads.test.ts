import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, beforeEach, describe, it } from 'node:test'
import { plusSeconds } from '#kernel/values/time.ts'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { APP_SECRET, startGraph, VERIFY_TOKEN } from '#test/stand-ins/graph.ts'

const graph = await startGraph()
const world = await startTest({
  env: {
    SOCIAL_ADS_API_URL: graph.url,
    SOCIAL_ADS_APP_ID: 'app-1',
    SOCIAL_ADS_APP_SECRET: APP_SECRET,
    SOCIAL_ADS_VERIFY_TOKEN: VERIFY_TOKEN,
  },
})
after(() => graph.close())
for (const secret of [APP_SECRET, VERIFY_TOKEN, 'short-token', 'page-token-10']) world.secret(secret)

const ADS = '/leads/integrations/social-ads'
const HOOK = '/webhooks/leads/social-ads'
const CALLBACK = '/api/oauth/leads/social-ads/callback'
const ENVELOPE = ['status', 'message', 'data', 'meta']
let firm: Workspace
let manager: Person

const begin = async (who: Person) => {
  const reply = await who.get(`${ADS}/oauth/redirect`)
  assert.equal(reply.status, 200, reply.raw.toString())
  return new URL(reply.body.data.url)
}
const comeBack = (state: string, rest = '&code=good-code', headers: Record<string, string> = {}) =>
  world.root.get(`${CALLBACK}?state=${state}${rest}`, { headers })
const connect = async (who: Person) => comeBack((await begin(who)).searchParams.get('state')!)
const connectedTo = async (page_ids: string[], of = firm) => {
  assert.equal((await connect(of.owner)).status, 200)
  const reply = await of.owner.post(`${ADS}/pages`, { page_ids })
  assert.equal(reply.status, 200, reply.raw.toString())
  return reply.body.data
}
const newWorkspace = () => world.workspace({ modules: ['leads'] })
const refused = ({ status, body }: { status: number; body: { errors?: object } }) => [status, Object.keys(body.errors ?? {})]

let last = 1000
const leadgen = (answers: Record<string, string>) => {
  const id = String(++last)
  graph.leads.set(id, answers)
  return id
}
const notification = (leadgenIds: string[], page_id: unknown = '101') => ({
  object: 'page',
  entry: [{ id: page_id, changes: leadgenIds.map((leadgen_id) => ({ field: 'leadgen', value: { leadgen_id, page_id } })) }],
})
const signatureOf = (body: string, secret = APP_SECRET) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
const notify = (body: object | string, headers?: Record<string, string>, base = '') => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const signed = headers ?? { 'x-hub-signature-256': signatureOf(text) }
  return world.root.post(`${base}${HOOK}`, text, { headers: { 'content-type': 'application/json', ...signed } })
}
const log = async (of = firm) => (await of.owner.get(`${ADS}/deliveries`)).body.data
const leadsOf = async (of = firm) => (await of.owner.get('/leads?sort=name&direction=asc')).body.data

beforeEach(async () => {
  await world.sql('DELETE FROM lead_ad_pages') // the platform notifies every workspace that has the page
  graph.broken = undefined
  graph.subscribed.clear()
  graph.asked.length = 0
  firm = await newWorkspace()
  manager = await firm.user(['leads.manage_integrations'])
})

describe('connecting', () => {
  it('leads to the platform and back, and keeps tokens encrypted', async () => {
    assert.deepEqual((await manager.get(ADS)).body.data, {
      is_configured: true,
      is_connected: false,
      is_enabled: true,
      default_stage_id: null,
      default_source: null,
      connected_at: null,
      pages: [],
    })
    const url = await begin(manager)
    assert.deepEqual(
      [url.searchParams.get('client_id'), url.searchParams.get('redirect_uri'), url.searchParams.get('response_type')],
      ['app-1', `http://atrium.test${CALLBACK}`, 'code'],
    )
    const back = await comeBack(url.searchParams.get('state')!)
    assert.equal(back.status, 200, back.raw.toString())
    assert.match(String(back.headers['content-type']), /^text\/html/)
    const shown = await manager.get(ADS)
    assert.equal(shown.body.data.is_connected, true)
    assert.deepEqual(shown.body.data.available_pages, [
      { id: '101', name: 'Bakery' },
      { id: '102', name: 'Café' },
    ])
    assert.deepEqual((await manager.get(`${ADS}/pages`)).body.data, shown.body.data.available_pages)
    const stored = JSON.stringify([
      await world.sql('SELECT c::text FROM lead_ad_connections c'),
      await world.sql('SELECT p::text FROM lead_ad_pages p'),
      await world.sql('SELECT t::text FROM one_time_tokens t'),
    ])
    for (const secret of ['short-token', 'page-token', url.searchParams.get('state')!])
      for (const text of [secret, Buffer.from(secret).toString('hex')])
        assert.ok(!stored.includes(text) && !shown.raw.includes(text) && !back.raw.includes(text), text)
  })

  it('counts a state once, for ten minutes, for who began and still may', async () => {
    const state = async (who = manager) => (await begin(who)).searchParams.get('state')!
    const first = await state()
    const both = await Promise.all([comeBack(first), comeBack(first)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422])
    assert.equal((await comeBack('made-up')).status, 422)
    assert.equal((await world.root.get(`${CALLBACK}?code=good-code`)).status, 422)
    const denied = await state()
    assert.equal((await comeBack(denied, '&error=access_denied')).status, 422)
    assert.equal((await comeBack(denied)).status, 422)
    const stale = await state()
    await world.sql(`UPDATE one_time_tokens SET expires_at = now() - interval '1 second' WHERE purpose = 'connect-social-ads'`)
    assert.equal((await comeBack(stale)).status, 422)
    const barred = await state()
    await world.sql('UPDATE users SET suspended_at = now() WHERE id = $1', [manager.id])
    assert.equal((await comeBack(barred)).status, 403)
    const [shut, left, lost] = [await newWorkspace(), await newWorkspace(), await newWorkspace()]
    const person = await lost.user(['leads.manage_integrations'])
    const states = [await state(shut.owner), await state(left.owner), await state(person)]
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [shut.id])
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1`, [left.id])
    await world.sql(`UPDATE roles SET permissions = '{}' WHERE id IN (SELECT role_id FROM user_roles WHERE user_id = $1)`, [
      person.id,
    ])
    for (const one of states) assert.equal((await comeBack(one)).status, 403)
  })

  it('is finished by the browser that began it, and by no other', async () => {
    const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0' }
    const begun = async (who: Person, host = 'atrium.test') => {
      const { headers, body, status } = await who.get(`${ADS}/oauth/redirect`, { headers: { host, ...agent } })
      assert.deepEqual([status, body.status, Object.keys(body), Object.keys(body.data)], [200, 'success', ENVELOPE, ['url']])
      const [cookie, ...attributes] = String(headers['set-cookie']).split('; ')
      return { cookie: cookie!, attributes, state: new URL(body.data.url).searchParams.get('state')! }
    }
    const isConnected = async () => (await manager.get(ADS)).body.data.is_connected
    const stranger = await begun((await newWorkspace()).owner)
    for (const headers of [
      { ...agent },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      { ...agent, cookie: stranger.cookie },
      { cookie: stranger.cookie },
      { ...agent, cookie: `${stranger.cookie.split('=')[0]}=` },
    ] as Record<string, string>[]) {
      const back = await comeBack((await begun(manager)).state, undefined, headers)
      assert.equal(back.status, 422, JSON.stringify(headers))
      assert.match(back.raw.toString(), /another browser/)
    }
    assert.equal(await isConnected(), false)
    const own = await begun(manager)
    const value = own.cookie.split('=')[1]!
    world.secret(value)
    assert.deepEqual(own.attributes, ['Path=/api/oauth/leads/social-ads', 'Max-Age=600', 'HttpOnly', 'SameSite=Lax'])
    assert.ok(!JSON.stringify(await world.sql('SELECT t::text FROM one_time_tokens t')).includes(value), 'kept as a hash')
    assert.equal((await comeBack(own.state, undefined, { ...agent, cookie: `a=1; ${own.cookie}; b=2` })).status, 200)
    assert.equal(await isConnected(), true)
    // Started at the workspace's host below the service's: the cookie is for both.
    assert.ok((await begun(manager, 'firm.atrium.test:3000')).attributes.includes('Domain=atrium.test'))
    for (const host of ['firm.example', 'notatrium.test', 'atrium.test'])
      assert.ok(!(await begun(manager, host)).attributes.join().includes('Domain'), host)
  })

  it('fails as a 502 where the platform does, without its words', async () => {
    const reply = await comeBack((await begin(manager)).searchParams.get('state')!, '&code=bad-code')
    assert.deepEqual([reply.status, (await manager.get(ADS)).body.data.is_connected], [502, false])
    await connectedTo([])
    for (const broken of [
      { status: 500, body: 'oops' },
      { status: 200, body: 'not json' },
      { status: 200, body: '{"data":7}' },
      { status: 200, body: `{"data":[],"x":"${'x'.repeat(1_100_000)}"}` },
      { status: 302, body: '', headers: { location: `${graph.url}/me/accounts` } },
      { status: 400, body: '{"error":{"message":"Malformed access token long-short-token","code":190}}' },
    ]) {
      graph.broken = broken
      graph.asked.length = 0
      const failed = await manager.get(`${ADS}/pages`)
      assert.deepEqual([failed.status, failed.body.code], [502, 'SOCIAL_ADS_UNAVAILABLE'])
      assert.ok(!failed.raw.includes('token'))
      assert.deepEqual(graph.asked, ['GET /me/accounts'])
    }
  })

  it('is needed for pages, and is for those who manage integrations (LEAD-72)', async () => {
    for (const reply of [
      await manager.get(`${ADS}/pages`),
      await manager.post(`${ADS}/pages`, { page_ids: [] }),
      await manager.post(`${ADS}/disconnect`),
    ])
      assert.deepEqual(refused(reply), [422, ['connection']])
    const seller = await firm.user(['leads.view', 'leads.update'])
    for (const path of ['', '/pages', '/oauth/redirect', '/deliveries']) assert.equal((await seller.get(ADS + path)).status, 403)
  })
})

describe('settings and pages', () => {
  it('are changed in part', async () => {
    const theirs = (await (await newWorkspace()).owner.get('/lead-stages')).body.data[0].id
    assert.deepEqual(refused(await manager.patch(ADS, { default_stage_id: theirs })), [422, ['default_stage_id']])
    assert.equal((await manager.patch(ADS, { is_enabled: false })).body.data.is_enabled, false)
    const { data } = (await manager.patch(ADS, { default_source: 'Ads' })).body
    assert.partialDeepStrictEqual(data, { is_enabled: false, default_source: 'Ads', is_connected: false })
    assert.equal((await manager.patch(ADS, {})).body.data.default_source, 'Ads')
  })

  it('are subscribed to by their ids, and let go of (LEAD-77)', async () => {
    assert.deepEqual((await connectedTo(['101'])).pages, [{ id: '101', name: 'Bakery' }])
    assert.deepEqual([...graph.subscribed], ['101'])
    const strange = await firm.owner.post(`${ADS}/pages`, { page_ids: ['102', '999', '../me'] })
    assert.deepEqual(refused(strange), [422, ['page_ids.1', 'page_ids.2']])
    const other = await newWorkspace()
    await connectedTo(['101', '102'], other)
    assert.deepEqual((await firm.owner.post(`${ADS}/pages`, { page_ids: [] })).body.data.pages, [])
    assert.deepEqual([...graph.subscribed].sort(), ['101', '102'], 'the other workspace goes on')
    assert.equal((await other.owner.post(`${ADS}/pages`, { page_ids: [] })).status, 200)
    assert.deepEqual([...graph.subscribed], [])
  })

  it('are gone for good after a disconnection, even while the platform is down (LEAD-78)', async () => {
    await connectedTo(['101'])
    await firm.owner.patch(ADS, { default_source: 'Ads' })
    assert.equal((await firm.owner.post(`${ADS}/disconnect`)).status, 200)
    assert.deepEqual([...graph.subscribed], [])
    const { is_connected, pages, available_pages, default_source } = (await firm.owner.get(ADS)).body.data
    assert.deepEqual(
      { is_connected, pages, available_pages, default_source },
      { is_connected: false, pages: [], available_pages: undefined, default_source: 'Ads' },
    )
    assert.equal((await world.sql('SELECT 1 FROM lead_ad_pages WHERE tenant_id = $1', [firm.id])).length, 0)
    await connectedTo(['101'])
    graph.broken = { status: 500, body: '' }
    assert.equal((await firm.owner.post(`${ADS}/disconnect`)).status, 200)
    assert.equal((await firm.owner.get(ADS)).body.data.is_connected, false)
    graph.broken = undefined
    await connectedTo(['101'])
    await world.sql(`UPDATE lead_ad_pages SET token = '\\x00' WHERE tenant_id = $1`, [firm.id]) // simulates another APP_KEY
    assert.equal((await firm.owner.post(`${ADS}/disconnect`)).status, 200)
  })
})

describe('the webhook', () => {
  it('proves its address by the verify token alone', async () => {
    const ask = (token: string, mode = 'subscribe', base = '') =>
      world.root.get(`${base}${HOOK}`, { query: { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': '1158201444' } })
    for (const base of ['', '/api/tenant/v1']) {
      const reply = await ask(VERIFY_TOKEN, 'subscribe', base)
      assert.deepEqual([reply.status, reply.raw.toString()], [200, '1158201444'])
    }
    assert.equal((await ask('wrong')).status, 403)
    assert.equal((await ask(VERIFY_TOKEN, 'other')).status, 422)
    assert.equal((await world.root.get(HOOK)).status, 422)
  })

  it('takes signed notifications only', async () => {
    await connectedTo(['101'])
    const body = JSON.stringify(notification([leadgen({ full_name: 'Ann' })]))
    for (const headers of [
      {},
      { 'x-hub-signature-256': 'sha256=00' },
      { 'x-hub-signature-256': signatureOf(body, 'another secret') },
      { 'x-hub-signature-256': signatureOf(`${body} `) },
      { authorization: `Bearer ${firm.owner.token}` },
    ] as Record<string, string>[])
      for (const text of [body, 'not json']) assert.equal((await notify(text, headers)).status, 401)
    assert.deepEqual(await log(), [])
    for (const { text, status } of [
      { text: 'not json', status: 400 },
      { text: '[]', status: 422 },
      { text: '{}', status: 422 },
      {
        text: '{"entry":[{"changes":[{"field":"feed","value":{}},{"field":"leadgen","value":{"leadgen_id":{},"page_id":"101"}}]}]}',
        status: 200,
      },
      { text: '{"entry":[{"changes":[{"field":"leadgen","value":{"leadgen_id":"../me","page_id":"101"}}]}]}', status: 200 },
      { text: JSON.stringify(notification(Array.from({ length: 1001 }, (_, n) => `x${n}`))), status: 422 },
    ] as const)
      assert.equal((await notify(text)).status, status, text.slice(0, 80))
    assert.deepEqual(await log(), [])
  })

  it('makes one lead of what is told twice, ten times at once, or at both addresses', async () => {
    await connectedTo(['101'])
    const stage = (await firm.owner.get('/lead-stages')).body.data[1].id
    await firm.owner.patch(ADS, { default_stage_id: stage, default_source: 'Spring ads' })
    const id = leadgen({
      full_name: 'Ann Ash',
      email: 'Ann@Ash.test',
      phone_number: '+1 555',
      company_name: 'Ash',
      budget: 'much',
    })
    const told = notification([id], 101)
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => notify(told, undefined, n % 2 ? '/api/tenant/v1' : '')),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    assert.equal(
      replies.map(({ body }) => body.data.received).reduce((a, b) => a + b),
      1,
    )
    await world.drain()
    await notify(told)
    await world.drain()
    const [lead, ...more] = await leadsOf()
    assert.deepEqual(more, [])
    assert.deepEqual(
      {
        name: lead.name,
        email: lead.email,
        phone: lead.phone,
        company: lead.company,
        source: lead.source,
        stage_id: lead.stage_id,
        assigned_to: lead.assigned_to,
        latest_note: lead.latest_note.body,
      },
      {
        name: 'Ann Ash',
        email: 'ann@ash.test',
        phone: '+1 555',
        company: 'Ash',
        source: 'Spring ads',
        stage_id: stage,
        assigned_to: null,
        latest_note: 'budget: much',
      },
    )
    const [entry, ...others] = await log()
    assert.deepEqual(
      { outcome: entry.outcome, lead_id: entry.lead_id, leadgen_id: entry.leadgen_id, others },
      { outcome: 'accepted', lead_id: lead.id, leadgen_id: id, others: [] },
    )
  })

  it('tells every workspace that is subscribed, open and enabled', async () => {
    const [same, off, shut, without] = [await newWorkspace(), await newWorkspace(), await newWorkspace(), await newWorkspace()]
    for (const one of [firm, same, off, shut, without]) await connectedTo(['101'], one)
    await off.owner.patch(ADS, { is_enabled: false })
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [shut.id])
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1`, [without.id])
    const ids = [leadgen({ full_name: 'A' }), leadgen({ full_name: 'B' })]
    const before = (await world.sql('SELECT count(*)::int FROM leads'))[0].count
    await notify(notification(ids))
    await notify(notification([leadgen({ full_name: 'C' })], '102'))
    await world.drain()
    for (const one of [firm, same])
      assert.deepEqual(
        (await leadsOf(one)).map(({ name }: { name: string }) => name),
        ['A', 'B'],
      )
    assert.equal(
      (await world.sql('SELECT count(*)::int FROM leads WHERE tenant_id = ANY($1)', [[off.id, shut.id, without.id]]))[0].count,
      0,
    )
    assert.ok((await world.sql('SELECT count(*)::int FROM leads'))[0].count >= before + 4)
  })

  it('has a lead retrieved that waited in vain while the workspace was closed', async () => {
    await connectedTo(['101'])
    const told = notification([leadgen({ full_name: 'Patient' })])
    await notify(told)
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [firm.id])
    await world.drain()
    await world.sql(`UPDATE tenants SET status = 'active' WHERE id = $1`, [firm.id])
    assert.equal((await notify(told)).body.data.received, 0)
    const before = plusSeconds(world.clock.now(), -25 * 3600)
    await world.sql('UPDATE lead_ad_deliveries SET updated_at = $2 WHERE tenant_id = $1', [firm.id, before])
    assert.equal((await notify(told)).body.data.received, 1)
    await world.drain()
    assert.equal((await leadsOf()).length, 1)
  })

  it('loses no lead to what people write', async () => {
    await connectedTo(['101'])
    const odd = [
      { first_name: 'Bo', last_name: 'Birch', email: 'not an address', phone_number: '0'.repeat(60) },
      { full_name: 'x'.repeat(300), email: 'c@d.test', question: '@[Olive](1) \0 hello' },
      {},
    ]
    await notify(notification(odd.map((answers) => leadgen(answers as Record<string, string>))))
    await world.drain()
    const made = await leadsOf()
    assert.deepEqual(
      made.map(({ name, email }: { name: string; email: string | null }) => [name, email]),
      [
        ['Bo Birch', null],
        ['Lead of an ad', null],
        ['c@d.test', 'c@d.test'],
      ].sort(),
    )
    const notes = made.map(({ latest_note }: { latest_note: { body: string } | null }) => latest_note?.body ?? '').join('\n')
    assert.ok(notes.includes('email: not an address') && notes.includes('@ [Olive](1)') && !notes.includes('@['))
  })

  it('tries again while the platform fails, says why in the log, and makes it when it is told again', async () => {
    await connectedTo(['101'])
    const id = leadgen({ full_name: 'Late' })
    graph.broken = { status: 503, body: '' }
    await notify(notification([id]))
    await world.drain()
    assert.equal((await log())[0].outcome, 'pending')
    await world.drain('all')
    const [failed] = await log()
    assert.partialDeepStrictEqual(failed, { outcome: 'failed', reason: 'The ad platform refused: 503.', lead_id: null })
    assert.equal(graph.asked.filter((asked) => asked === `GET /${id}`).length, 6)
    graph.broken = undefined
    await notify(notification([id]))
    await world.drain()
    assert.deepEqual([(await log())[0].outcome, (await leadsOf()).length], ['accepted', 1])
  })
})
