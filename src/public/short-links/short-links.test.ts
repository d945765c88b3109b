import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest({ env: { SHORT_LINK_BASE_URL: 'https://go.test', TRUST_PROXY: '1' } })
const at = '/short-links'
const destination_url = 'https://example.test/offer?a=1#top'
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1'
const IPAD =
  'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1'
const GOOGLE = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
let firm: Workspace

before(async () => {
  firm = await world.workspace({ name: 'Northwind', modules: ['short-links'], timezone: 'Asia/Kathmandu' })
})

const make = async (body: object = {}, by: Person = firm.owner) => {
  const reply = await by.post(at, { destination_url, ...body })
  assert.equal(reply.status, 201, String(reply.raw))
  return reply.body.data
}

let visitors = 0
const nextAddress = () => `10.${(++visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`
const visit = (code: string, headers: Record<string, string> = {}) =>
  world.root.get(`/r/${code}`, { headers: { 'user-agent': CHROME, 'x-forwarded-for': nextAddress(), ...headers } })
const page = async (code: string, status: number) => {
  const reply = await visit(code)
  assert.equal(reply.status, status)
  assert.match(String(reply.headers['content-type']), /^text\/html/)
  return reply.raw.toString()
}
/** Polls, because clicks are written shortly after they were made. */
const until = async <T>(read: () => Promise<T>, done: (value: T) => boolean) => {
  for (let tries = 0; ; tries++) {
    const value = await read()
    if (done(value)) return value
    assert.ok(tries < 200, JSON.stringify(value))
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
const shown = async ({ id }: { id: number }, by = firm.owner) => (await by.get(`${at}/${id}`)).body.data
const clicked = (link: { id: number }, count: number, by = firm.owner) =>
  until(
    () => shown(link, by),
    ({ click_count }) => click_count === count,
  )

describe('a redirect', () => {
  it('leads to the destination with the utm fields, and no cache keeps it (SL-10, SL-24, SL-25)', async () => {
    const { code, uuid } = await make({ utm_source: 'mail', utm_campaign: 'Über uns' })
    const encoded = `%${code.charCodeAt(0).toString(16)}${code.slice(1)}`
    for (const asked of [code, code.toUpperCase(), uuid, uuid.toUpperCase(), `${code}/`, `${encoded}?from=%ff`]) {
      const { status, headers } = await visit(asked)
      assert.equal(status, 302, asked)
      assert.equal(headers.location, 'https://example.test/offer?a=1&utm_source=mail&utm_campaign=%C3%9Cber%20uns#top')
      assert.equal(headers['cache-control'], 'private, no-store')
    }
  })

  it('hands on the visitor’s query where the link says so, and never by itself', async () => {
    const destination_url = 'https://nordwind.example/sale?id=7&sig=a%20b#offer'
    const forwarding = await make({ destination_url, utm_source: 'mail', forwards_query: true })
    const plain = await make({ destination_url })
    assert.deepEqual([forwarding.forwards_query, plain.forwards_query], [true, false])
    const to = async (code: string, query: string) => (await visit(`${code}${query}`)).headers.location
    const own = 'https://nordwind.example/sale?id=7&sig=a%20b&utm_source=mail'
    for (const { query, expected } of [
      { query: '', expected: `${own}#offer` },
      { query: '?', expected: `${own}#offer` },
      { query: '?gclid=x%2Fy&ref=a+b&ref=c&flag', expected: `${own}&gclid=x%2Fy&ref=a+b&ref=c&flag#offer` },
      { query: '?id=8&i%64=9&utm_source=other&gclid=1', expected: `${own}&gclid=1#offer` },
      { query: '?id=8', expected: `${own}#offer` },
      { query: `?x=${'y'.repeat(3600)}`, expected: `${own}#offer` },
      { query: '?from=%ff', expected: `${own}&from=%ff#offer` },
    ])
      assert.equal(await to(forwarding.code, query), expected, query)
    assert.equal(await to(plain.code, '?gclid=1'), destination_url)
    await firm.owner.put(`${at}/${plain.id}`, { forwards_query: true })
    const handed = await until(
      () => to(plain.code, '?gclid=1'),
      (location) => location !== destination_url,
    )
    assert.equal(handed, 'https://nordwind.example/sale?id=7&sig=a%20b&gclid=1#offer')
    assert.equal((await firm.owner.post(at, { destination_url, forwards_query: 'perhaps' })).status, 422)
  })

  it('has an address of its own where one is configured', async () => {
    const { code } = await make()
    const asked = (host: string, path: string) => world.root.get(path, { headers: { host, 'user-agent': CHROME } })
    for (const host of ['go.test', 'GO.test', 'go.test:443']) assert.equal((await asked(host, `/${code}`)).status, 302, host)
    assert.equal((await asked('go.test', '/docs')).status, 404)
    assert.equal((await asked('go.test', '/api/tenant/v1/short-links')).status, 404)
    const elsewhere = await asked('atrium.test', `/${code}`)
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 'NOT_FOUND'])
  })

  it('is a page where the link is missing, paused, expired or deleted (SL-16, SL-26, SL-28)', async () => {
    assert.match(await page('nothing-here', 404), /<header><span>Atrium<\/span>/)
    for (const odd of ['a', '%00', '..%2f', 'x'.repeat(300), '9'.repeat(10_000), '00000000-0000-4000-8000-000000000000', 'ä'])
      await page(odd, 404)
    for (const undecodable of ['%ff', '%', '%c3', 'abc%zz', '%ff?a=%ff', '%25%ff']) await page(undecodable, 404)
    await page((await make({ status: 'paused' })).code, 404)
    const expired = await make({ expires_at: '2020-01-01T00:00' })
    assert.match(await page(expired.code, 404), /<header><span>Northwind<\/span>/)
    const { id, code } = await make()
    await firm.owner.del(`${at}/${id}`)
    await page(code, 404)
  })

  it('follows every change at once, also what was remembered', async () => {
    const { id, code, uuid } = await make({ code: 'changing' })
    const statuses = async () => [(await visit(code)).status, (await visit(uuid)).status]
    assert.deepEqual(await statuses(), [302, 302])
    await firm.owner.put(`${at}/${id}`, { status: 'paused' })
    assert.deepEqual(await statuses(), [404, 404])
    await firm.owner.put(`${at}/${id}`, { status: 'active', destination_url: 'https://new.test/' })
    assert.equal((await visit(code)).headers.location, 'https://new.test/')
    await firm.owner.del(`${at}/${id}`)
    assert.deepEqual(await statuses(), [404, 404])
    await firm.owner.post(`${at}/${id}/restore`)
    assert.deepEqual(await statuses(), [302, 302])
    await firm.owner.del(`${at}/${id}`)
    await firm.owner.del(`${at}/${id}/force`)
    assert.deepEqual(await statuses(), [404, 404])
    await make({ code }) // available again at once
    assert.equal((await visit(code)).status, 302)
  })

  it('ends with the moment in which the link expires', async () => {
    world.clock.set('2026-12-01T10:00:00.000Z')
    const { code } = await make({ expires_at: '2026-12-01T15:46' }) // 10:01 UTC
    assert.equal((await visit(code)).status, 302)
    world.clock.set('2026-12-01T10:01:00.000Z')
    await page(code, 404)
  })

  it('is a 403 at once where the workspace may not, unless there is nothing to follow, and leads again at once where it may (SL-29)', async () => {
    const shut = await world.workspace({ name: 'Shut', modules: ['short-links'] })
    const [link, paused] = [await make({}, shut.owner), await make({ status: 'paused' }, shut.owner)]
    const tenant = `/tenants/${shut.id}`
    const [{ id: subscription, module_id }] = await world.sql(
      `SELECT id, module_id FROM module_subscriptions WHERE tenant_id = $1 AND module_key = 'short-links'`,
      [shut.id],
    )
    const { admin } = world
    for (const { close, reopen, status } of [
      {
        close: () => admin.patch(tenant, { status: 'suspended' }),
        reopen: () => admin.patch(tenant, { status: 'active' }),
        status: 403,
      },
      { close: () => admin.post(`${tenant}/archive`), reopen: () => admin.post(`${tenant}/unarchive`), status: 403 },
      {
        close: () => admin.post(`/module-subscriptions/${subscription}/deactivate`),
        reopen: () => admin.post(`${tenant}/modules`, { module_id: Number(module_id) }),
        status: 403,
      },
      { close: () => admin.del(tenant), reopen: () => admin.post(`${tenant}/restore`), status: 404 },
    ] as const) {
      assert.equal((await visit(link.code)).status, 302)
      const closed = await close()
      assert.ok(closed.status < 300, String(closed.raw))
      const said = await page(link.code, status)
      if (status === 403) assert.match(said, /<header><span>Shut<\/span>/)
      await page(paused.code, 404)
      const reopened = await reopen()
      assert.ok(reopened.status < 300, String(reopened.raw))
    }
    assert.equal((await visit(link.code)).status, 302)
    await clicksOf(link.id, 5)
  })

  it('is its own among many that are asked for at once, of several workspaces', async () => {
    const [one, two, shut] = await Promise.all(
      ['One', 'Two', 'Shut down'].map((name) => world.workspace({ name, modules: ['short-links'] })),
    )
    const made = await Promise.all(
      [one!, two!, shut!, one!, two!, shut!].map(async ({ owner }, n) =>
        make({ destination_url: `https://example.test/${n}` }, owner),
      ),
    )
    const { id } = await make({ code: 'gone-at-once' }, two!.owner)
    await two!.owner.del(`${at}/${id}`)
    await world.admin.patch(`/tenants/${shut!.id}`, { status: 'suspended' })
    const asked = [...made.map(({ code }) => code), 'gone-at-once', 'never-was', made[4].uuid, made[5].uuid]
    const replies = await Promise.all(asked.map((code) => visit(code)))
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, String(headers.location ?? '').slice(-1) || undefined]),
      [
        ...[
          [302, '0'],
          [302, '1'],
          [403, undefined],
          [302, '3'],
          [302, '4'],
          [403, undefined],
        ],
        ...[
          [404, undefined],
          [404, undefined],
          [302, '4'],
          [403, undefined],
        ],
      ],
    )
    assert.match(replies[2]!.raw.toString(), /<header><span>Shut down<\/span>/)
    assert.match(replies[7]!.raw.toString(), /<header><span>Atrium<\/span>/)
  })

  it('is limited by address (SL-30)', async () => {
    const { code } = await make()
    const from = (address: string) => visit(code, { 'x-forwarded-for': address })
    const first = await from('192.0.2.1')
    assert.deepEqual([first.headers['ratelimit-limit'], first.headers['ratelimit-remaining']], ['120', '119'])
    const replies = await Promise.all(Array.from({ length: 120 }, () => from('192.0.2.1')))
    assert.equal(replies.filter(({ status }) => status === 302).length, 119)
    const refused = replies.find(({ status }) => status === 429)!
    assert.match(String(refused.headers['content-type']), /^text\/html/)
    assert.match(String(refused.headers['retry-after']), /^\d+$/)
    assert.equal((await from('192.0.2.2')).status, 302)
  })
})

const clicksOf = (id: number, least = 1) =>
  until(
    () => world.sql('SELECT * FROM short_link_clicks WHERE link_id = $1 ORDER BY clicked_at, id', [id]),
    (rows) => rows.length >= least,
  )

describe('a click', () => {
  it('is logged and counted with device and site, and without an address (SL-11, SL-12)', async () => {
    world.clock.set('2026-12-02T09:00:00.000Z')
    const link = await make()
    await visit(link.code, { referer: 'https://News.example:8080/story?secret=1' })
    await visit(link.code, { 'user-agent': IPHONE, referer: 'nonsense' })
    await visit(link.code, { 'user-agent': IPAD })
    await visit(link.code, { 'user-agent': 'x'.repeat(2000) })
    await visit(link.code, { 'user-agent': '' })
    const { last_clicked_at, updated_at, created_at } = await clicked(link, 5)
    assert.deepEqual([last_clicked_at, updated_at], ['2026-12-02T09:00:00.000Z', created_at])
    const { data, meta } = (await firm.owner.get(`${at}/${link.id}/clicks`, { query: { per_page: 3 } })).body
    assert.deepEqual([data.length, meta.total, meta.last_page], [3, 5, 2])
    const rows = await clicksOf(link.id)
    assert.deepEqual(rows.map(({ device_type, referrer }) => [device_type, referrer]).sort(), [
      ['desktop', 'news.example'],
      ['mobile', null],
      ['tablet', null],
      ['unknown', null],
      ['unknown', null],
    ])
    assert.ok(rows.every(({ user_agent }) => user_agent === null || user_agent.length <= 500))
    assert.doesNotMatch(JSON.stringify(await world.sql('SELECT * FROM short_link_clicks')), /10\.0\.0|secret/)
  })

  it('of a bot is logged, and counted as nothing but a bot', async () => {
    const link = await make()
    await visit(link.code, { 'user-agent': GOOGLE, referer: 'https://bots.example/' })
    await visit(link.code)
    await clicked(link, 1)
    const { data } = await (await firm.owner.get(`${at}/${link.id}/clicks`)).body
    assert.deepEqual(data.map(({ device_type }: any) => device_type).sort(), ['bot', 'desktop'])
    const stats = (await firm.owner.get(`${at}/${link.id}/stats`)).body.data
    assert.deepEqual(stats.devices, [
      { device_type: 'bot', clicks: 1 },
      { device_type: 'desktop', clicks: 1 },
    ])
    assert.deepEqual(stats.top_referrers, [{ referrer: null, clicks: 1 }])
    assert.equal(stats.clicks_by_day.at(-1).clicks, 1)
  })

  it('is not what HEAD makes', async () => {
    const link = await make()
    const head = await world.app.inject({ method: 'HEAD', url: `/r/${link.code}`, headers: { 'user-agent': CHROME } })
    assert.deepEqual([head.statusCode, head.headers.location], [302, destination_url])
    await visit(link.code)
    await clicked(link, 1)
    assert.equal((await clicksOf(link.id)).length, 1)
  })

  it('is counted exactly while many links are clicked at once and one of them is changed', async () => {
    const links = await Promise.all(Array.from({ length: 8 }, () => make()))
    const clicks = Array.from({ length: 400 }, (_, n) => visit(links[n % 8]!.code))
    const changes = Array.from({ length: 10 }, (_, n) => firm.owner.put(`${at}/${links[0]!.id}`, { title: `Title ${n}` }))
    const replies = await Promise.all([...clicks, ...changes])
    assert.ok(replies.every(({ status }) => status < 400))
    for (const link of links) await clicked(link, 50)
  })

  it('disappears with its link, also while it waits to be written (SL-22)', async () => {
    const [gone, stays] = [await make(), await make()]
    await Promise.all([visit(gone.code), visit(stays.code)])
    await firm.owner.del(`${at}/${gone.id}`)
    assert.equal((await firm.owner.del(`${at}/${gone.id}/force`)).status, 200)
    await clicked(stays, 1)
    const left = await world.sql(
      `SELECT link_id FROM short_link_clicks WHERE link_id = $1 UNION ALL SELECT link_id FROM short_link_quarters WHERE link_id = $1
       UNION ALL SELECT link_id FROM short_link_sources WHERE link_id = $1`,
      [gone.id],
    )
    assert.deepEqual(left, [])
  })

  it('changes neither the revision nor the ETag', async () => {
    const link = await make()
    const { etag } = (await firm.owner.get(`${at}/${link.id}`)).headers
    await visit(link.code)
    await clicked(link, 1)
    const changed = await firm.owner.put(`${at}/${link.id}`, { title: 'Same' }, { headers: { 'if-match': String(etag) } })
    assert.equal(changed.status, 200)
  })
})

describe('analytics', () => {
  it('count thirty days of the workspace’s calendar (SL-13)', async () => {
    world.clock.set('2026-12-10T18:14:59.000Z') // in Kathmandu 23:59:59
    const link = await make()
    for (const instant of ['2026-11-11T18:14:59', '2026-11-11T18:15:00', '2026-12-10T18:14:59', '2026-12-10T18:15:00']) {
      world.clock.set(`${instant}.000Z`)
      await visit(link.code, { referer: 'https://a.example/' })
    }
    await clicked(link, 4)
    const { clicks_by_day, last_clicked_at } = (await firm.owner.get(`${at}/${link.id}/stats`)).body.data
    assert.equal(last_clicked_at, '2026-12-10T18:15:00.000Z')
    assert.equal(clicks_by_day.length, 30)
    assert.deepEqual(
      clicks_by_day.filter(({ clicks }: any) => clicks),
      [
        { date: '2026-11-12', clicks: 1 },
        { date: '2026-12-10', clicks: 1 },
        { date: '2026-12-11', clicks: 1 },
      ],
    )
    assert.deepEqual([clicks_by_day[0].date, clicks_by_day[29].date], ['2026-11-12', '2026-12-11'])
    // Another time zone regroups past days.
    await firm.owner.put('/settings', { settings: { timezone: 'UTC' } })
    const { clicks_by_day: inUtc } = (await firm.owner.get(`${at}/${link.id}/stats`)).body.data
    assert.deepEqual(
      inUtc.filter(({ clicks }: any) => clicks),
      [
        { date: '2026-11-11', clicks: 2 },
        { date: '2026-12-10', clicks: 2 },
      ],
    )
  })

  it('need their own permission (SL-15)', async () => {
    const { id } = await make()
    const viewer = await firm.user(['short-links.view'])
    for (const path of ['stats', 'clicks']) assert.equal((await viewer.get(`${at}/${id}/${path}`)).status, 403)
    const analyst = await firm.user(['short-links.view_analytics'])
    for (const path of ['stats', 'clicks']) assert.equal((await analyst.get(`${at}/${id}/${path}`)).status, 200)
    assert.equal((await analyst.get(`${at}/${id}`)).status, 403)
  })
})
