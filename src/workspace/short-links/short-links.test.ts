// Also in CI: citus-short
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest({ env: { SHORT_LINK_BASE_URL: 'https://go.test' } })
const at = '/short-links'
const destination_url = 'https://example.test/offer'
let firm: Workspace
let other: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['short-links', 'branded'], timezone: 'Asia/Kolkata' })
  other = await world.workspace({ modules: ['short-links'] })
})

const make = async (body: object = {}, by = firm.owner) => {
  const reply = await by.post(at, { destination_url, ...body })
  assert.equal(reply.status, 201, String(reply.raw))
  return reply.body.data
}
const refused = async (body: object, field: string, by = firm.owner) => {
  const reply = await by.post(at, { destination_url, ...body })
  assert.deepEqual([reply.status, Object.keys(reply.body.errors ?? {})], [422, [field]], JSON.stringify(body))
}

describe('a code', () => {
  it('is made of seven letters where none is given (SL-03)', async () => {
    for (const code of [undefined, null, '']) {
      const link = await make({ code })
      assert.match(link.code, /^[a-z0-9]{7}$/)
      assert.equal(link.short_url, `https://go.test/${link.code}`)
    }
  })

  it('may be chosen, within its rules (SL-02)', async () => {
    assert.equal((await make({ code: 'summer-2026' })).code, 'summer-2026')
    assert.equal((await make({ code: 'x'.repeat(64) })).code.length, 64)
    for (const code of ['ab', 'x'.repeat(65), 'Summer', 'so_so', 'ä-b', 'a b', '../..', 'api', 'login', 'docs', 7])
      await refused({ code }, 'code')
  })

  it('never leads to a link whose uuid it is: it has no such form (SL-25)', async () => {
    const { uuid } = await make()
    for (const code of [uuid, '00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
      await refused({ code }, 'code', other.owner)
    for (const code of [uuid.slice(1), uuid.replaceAll('-', ''), `${uuid}-1`]) assert.equal((await make({ code })).code, code)
  })

  it('belongs to one link of all workspaces, also when two ask at once (SL-02)', async () => {
    const code = 'one-of-all'
    const replies = await Promise.all([firm, other, firm, other].map(({ owner }) => owner.post(at, { destination_url, code })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422, 422, 422])
    await refused({ code }, 'code', other.owner)
  })

  it('never changes (SL-04)', async () => {
    const { id, code } = await make({ code: 'for-good' })
    const changed = await firm.owner.put(`${at}/${id}`, { code: 'other-one', title: 'New' })
    assert.deepEqual([changed.status, changed.body.data.code, changed.body.data.title], [200, code, 'New'])
  })

  it('is kept in the trash and free after the end', async () => {
    const { id, code } = await make({ code: 'phoenix' })
    await firm.owner.del(`${at}/${id}`)
    await refused({ code }, 'code', other.owner)
    assert.equal((await firm.owner.del(`${at}/${id}/force`)).status, 200)
    await make({ code }, other.owner)
  })
})

describe('a destination', () => {
  it('is any http or https address', async () => {
    for (const url of [
      'http://example.test',
      'HTTPS://EXAMPLE.test:8443/a%20b?x=1&x=2&y=#top',
      'https://bücher.example/straße?q=ä',
      'https://xn--bcher-kva.example/',
      'http://192.0.2.7:81/',
      'http://[2001:db8::1]/x',
      'https://example.test/login?next=user@host',
      'https://example.test/two words',
    ])
      assert.equal((await make({ destination_url: url })).destination_url, url)
  })

  it('is nothing else', async () => {
    for (const url of [
      '',
      'example.test',
      '//example.test',
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://example.test',
      'https:example.test',
      'https:/example.test',
      'http:\\\\example.test',
      'https://good.test\\@evil.test/',
      'https://user@example.test/',
      'https://user:secret@example.test/',
      'https://@example.test/',
      'java\tscript:alert(1)',
      'https://exa\nmple.test',
      'https://exa mple.test',
      'https://',
      'https://example.test:99999/',
      `https://example.test/${'x'.repeat(2000)}`,
      `https://example.test/${'漢'.repeat(1000)}`,
    ])
      await refused({ destination_url: url }, 'destination_url')
  })

  it('is no short link itself', async () => {
    for (const url of [
      'https://go.test/abcdefg',
      'http://GO.test:8080',
      'https://go.test./abc',
      'http://atrium.test/r/abcdefg',
      'https://ATRIUM.test/%72/abc',
      'http://firm.atrium.test/r/abc',
    ])
      await refused({ destination_url: url }, 'destination_url')
    await make({ destination_url: 'http://atrium.test/docs' })
    await world.sql(`INSERT INTO branded_hosts (host, tenant_id) VALUES ('links.firm.test', $1)`, [firm.id])
    await refused({ destination_url: 'https://links.firm.test/r/abc' }, 'destination_url')
    await make({ destination_url: 'https://links.firm.test/about' })
    const { id } = await make()
    const changed = await firm.owner.put(`${at}/${id}`, { destination_url: 'https://go.test/x' })
    assert.deepEqual([changed.status, Object.keys(changed.body.errors!)], [422, ['destination_url']])
  })
})

describe('a short link', () => {
  it('expires by the workspace’s clock, or by an offset (SL-09)', async () => {
    assert.equal((await make({ expires_at: '2026-12-24T18:00' })).expires_at, '2026-12-24T12:30:00.000Z')
    const { id, expires_at } = await make({ expires_at: '2020-12-24T18:00:00+01:00' })
    assert.equal(expires_at, '2020-12-24T17:00:00.000Z') // in the past, which is allowed
    const changed = await firm.owner.put(`${at}/${id}`, { expires_at: null })
    assert.equal(changed.body.data.expires_at, null)
    await refused({ expires_at: 'tomorrow' }, 'expires_at')
  })

  it('is found by its uuid as well as by its id (SL-01)', async () => {
    const { id, uuid } = await make({ title: 'By uuid' })
    assert.equal((await firm.owner.get(`${at}/${uuid}`)).body.data.id, id)
    assert.equal((await firm.owner.put(`${at}/${uuid.toUpperCase()}`, { status: 'paused' })).body.data.status, 'paused')
    assert.equal((await firm.owner.get(`${at}/${uuid}/clicks`)).status, 200)
    assert.equal((await other.owner.get(`${at}/${uuid}`)).status, 404)
    for (const key of ['0', '-1', '1.5', 'summer-2026', '99999999999999999999', `${uuid}0`])
      assert.equal((await firm.owner.get(`${at}/${key}`)).status, 404, key)
    assert.equal((await firm.owner.del(`${at}/${uuid}`)).status, 200)
    assert.equal((await firm.owner.post(`${at}/${uuid}/restore`)).body.data.id, id)
  })

  it('is listed, searched, sorted and counted under the same filters (SL-17, SL-18)', async () => {
    const { owner, id: tenant } = await world.workspace({ modules: ['short-links'] })
    const [a, b, c] = [
      await make({ title: 'Autumn' }, owner),
      await make({ title: 'Winter', status: 'paused' }, owner),
      await make({ destination_url: 'https://autumn.test/x' }, owner),
    ]
    await world.sql('UPDATE short_links SET click_count = id % 100 + 1 WHERE tenant_id = $1', [tenant])
    const ids = async (query: Record<string, string>) =>
      (await owner.get(at, { query })).body.data.map(({ id }: { id: number }) => id)
    assert.deepEqual(await ids({ search: 'AUTUMN', sort: 'created_at', direction: 'asc' }), [a.id, c.id])
    assert.deepEqual(await ids({ status: 'paused' }), [b.id])
    assert.equal((await owner.get(at, { query: { sort: 'destination_url' } })).status, 422)
    for (const sort of ['title', 'code', 'click_count', 'last_clicked_at', 'expires_at'])
      assert.equal((await ids({ sort })).length, 3)
    const clicks = [a, b, c].map(({ id }) => (id % 100) + 1)
    const stats = async (query: Record<string, string>) => (await owner.get(`${at}/stats`, { query })).body.data
    const total_clicks = clicks[0]! + clicks[1]! + clicks[2]!
    assert.deepEqual(await stats({}), { total_links: 3, active_links: 2, paused_links: 1, total_clicks })
    const autumn = { total_links: 2, active_links: 2, paused_links: 0, total_clicks: clicks[0]! + clicks[2]! }
    assert.deepEqual(await stats({ search: 'autumn' }), autumn)
  })
})

describe('its QR code', () => {
  it('is a picture of the size that is asked for', async () => {
    const { id, code } = await make()
    const svg = await firm.owner.get(`${at}/${id}/qr`, { query: { size: 512 } })
    assert.equal(svg.headers['content-type'], 'image/svg+xml')
    assert.match(svg.raw.toString(), /<svg [^>]*width="512" height="512"/)
    for (const size of [100, 333, 2000]) {
      const png = await firm.owner.get(`${at}/${id}/qr`, { query: { format: 'png', size } })
      assert.equal(png.headers['content-type'], 'image/png')
      assert.match(String(png.headers['content-disposition']), new RegExp(`${code}\\.png`))
      assert.deepEqual([png.raw.readUInt32BE(16), png.raw.readUInt32BE(20)], [size, size])
    }
    for (const query of [{ size: 99 }, { size: 2001 }, { size: 'big' }, { format: 'gif' }])
      assert.equal((await firm.owner.get(`${at}/${id}/qr`, { query: query as never })).status, 422)
  })
})
