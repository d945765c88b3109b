import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { writeClicks } from './redirects/writing.ts'

const world = await startTest()
const at = '/short-links'
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
const BOT = 'Googlebot/2.1'
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['short-links'] })
})

const make = async () => (await firm.owner.post(at, { destination_url: 'https://example.test/' })).body.data
const shown = async (id: number) => (await firm.owner.get(`${at}/${id}/stats`)).body.data
/** Inserts clicks at once; the n-th has the referrer `site(n)`. */
const click = (linkId: number, count: number, site: (n: number) => string | null, userAgent = CHROME, time = world.clock.now()) =>
  world.services.database.workspace(firm.id, 'write', (tx) =>
    writeClicks(
      tx,
      firm.id,
      Array.from({ length: count }, (_, n) => ({ tenantId: firm.id, linkId, at: time, referrer: site(n), userAgent })),
    ),
  )
const unsummed = async (id: number) =>
  (await world.sql('SELECT unsummed_clicks FROM short_links WHERE id = $1', [id]))[0].unsummed_clicks

describe('analytics', () => {
  it('are the same before and after clicks are summed up', async () => {
    const { id } = await make()
    const site = (n: number) => (n % 3 ? `https://site${n % 3}.example/` : null)
    await click(id, 900, site)
    await click(id, 60, site, BOT)
    assert.equal(await unsummed(id), 960)
    const before = await shown(id)
    await click(id, 40, () => null, BOT)
    assert.equal(await unsummed(id), 0)
    const after = await shown(id)
    assert.deepEqual(after, {
      ...before,
      devices: [
        { device_type: 'desktop', clicks: 900 },
        { device_type: 'bot', clicks: 100 },
      ],
    })
    await click(id, 3, site)
    const { click_count, top_referrers, clicks_by_day, devices } = await shown(id)
    assert.equal(click_count, 903)
    assert.deepEqual(top_referrers, [
      { referrer: null, clicks: 301 },
      { referrer: 'site1.example', clicks: 301 },
      { referrer: 'site2.example', clicks: 301 },
    ])
    assert.equal(clicks_by_day.at(-1).clicks, 903)
    assert.deepEqual(devices[0], { device_type: 'desktop', clicks: 903 })
    assert.equal((await firm.owner.get(`${at}/${id}/clicks`)).body.meta.total, 1003)
  })

  it('tell five hundred sites apart, those that most came from first, and count further ones together', async () => {
    const { id } = await make()
    await click(id, 1100, (n) => `https://site${n < 50 ? 7 : n}.example/`)
    await click(id, 1100, (n) => `https://other${n}.example/`)
    await click(id, 1000, (n) => (n < 200 ? 'https://site7.example/' : null))
    const { top_referrers } = await shown(id)
    assert.equal(top_referrers.length, 10)
    const [{ n }] = await world.sql(
      `SELECT count(*)::int AS n FROM short_link_sources WHERE link_id = $1 AND kind = 'referrer'`,
      [id],
    )
    assert.ok(n <= 502, n)
    assert.deepEqual(top_referrers.slice(0, 3), [
      { referrer: '(other)', clicks: 551 + 1100 },
      { referrer: null, clicks: 800 },
      { referrer: 'site7.example', clicks: 250 },
    ])
  })

  it('tell as many days as are asked for, and no more than a year', async () => {
    const { id } = await make()
    const told = async (days: string) => firm.owner.get(`/short-links/${id}/stats`, { query: { days } })
    const { body } = await told('366')
    assert.equal(body.data.clicks_by_day.length, 366)
    assert.deepEqual((await told('7')).body.data.clicks_by_day, body.data.clicks_by_day.slice(-7))
    for (const days of ['0', '367', '1.5', 'week', '-7']) {
      const { status, body } = await told(days)
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['days']], days)
    }
  })

  it('count exactly while many write at once', async () => {
    const links = await Promise.all([make(), make(), make()])
    const writers = Array.from({ length: 9 }, (_, n) =>
      Promise.all(links.map(({ id }) => click(id, 150 + n, (m) => `https://s${m % 5}.example/`))),
    )
    const reader = Promise.all(Array.from({ length: 20 }, () => shown(links[0].id)))
    await Promise.all(writers)
    const total = 9 * 150 + 36
    for (const { devices, click_count } of await reader) assert.ok((devices[0]?.clicks ?? 0) <= total && click_count <= total)
    for (const { id } of links) {
      const { click_count, devices, clicks_by_day, top_referrers } = await shown(id)
      assert.deepEqual([click_count, devices], [total, [{ device_type: 'desktop', clicks: total }]])
      assert.equal(clicks_by_day.at(-1).clicks, total)
      assert.equal(
        top_referrers.reduce((sum: number, { clicks }: any) => sum + clicks, 0),
        total,
      )
    }
  })
})
