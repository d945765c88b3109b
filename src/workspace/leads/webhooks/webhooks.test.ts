// Also in CI: citus-short
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { signatureOf } from '#kernel/http/signature.ts'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
let manager: Person

const HOOKS = '/leads/integrations/webhooks'

interface Endpoint {
  id: number
  uuid: string
  url: string
  api_key: string
  signing_secret: string
}

const make = async (body: object = {}, of = firm): Promise<Endpoint> => {
  const reply = await of.owner.post(HOOKS, { name: 'Website', ...body })
  assert.equal(reply.status, 201, reply.raw.toString())
  return reply.body.data
}
const json = { 'content-type': 'application/json' }
const deliver = (uuid: string, headers: Record<string, string>, body: object | string = { name: 'Ann Ash' }, base = '') =>
  world.root.post(`${base}/webhooks/leads/custom/${uuid}`, typeof body === 'string' ? body : JSON.stringify(body), {
    headers: { ...json, ...headers },
  })
const byKey = ({ api_key }: Endpoint) => ({ authorization: `Bearer ${api_key}` })
const seconds = () => Math.floor(Date.parse(world.clock.now()) / 1000)
const signed = ({ signing_secret }: Endpoint, body: object, at = seconds()) => ({
  'x-service-signature': signatureOf(signing_secret, at, JSON.stringify(body)),
})
const send = (endpoint: Endpoint, body?: object | string) => deliver(endpoint.uuid, byKey(endpoint), body)
const lead = async ({ body }: { body: { data: { lead_id: number } } }, of = firm) =>
  (await of.owner.get(`/leads/${body.data.lead_id}`)).body.data
const log = async ({ id }: Endpoint, query = '') => (await firm.owner.get(`${HOOKS}/${id}/deliveries${query}`)).body

before(async () => {
  firm = await world.workspace({ modules: ['leads'] })
  manager = await firm.user(['leads.manage_integrations'])
})

describe('an endpoint', () => {
  it('shows its key and its secret when they are made, and never again (LEAD-73)', async () => {
    const made = await manager.post(HOOKS, { name: 'Website' }, { headers: { 'idempotency-key': 'made' } })
    const endpoint = made.body.data
    assert.equal(made.status, 201)
    assert.deepEqual(
      {
        assign_to_website_recipients: endpoint.assign_to_website_recipients,
        is_active: endpoint.is_active,
        field_map: endpoint.field_map,
        default_stage_id: endpoint.default_stage_id,
      },
      { assign_to_website_recipients: false, is_active: true, field_map: {}, default_stage_id: null },
    )
    assert.equal(endpoint.url, `http://atrium.test/webhooks/leads/custom/${endpoint.uuid}`)
    const replayed = await manager.post(HOOKS, { name: 'Website' }, { headers: { 'idempotency-key': 'made' } })
    const changed = await manager.put(`${HOOKS}/${endpoint.id}`, { name: 'Site' })
    assert.partialDeepStrictEqual(replayed.body.data, { id: endpoint.id, api_key: null })
    assert.equal(changed.body.data.name, 'Site')
    const shown = [replayed, changed, await manager.get(HOOKS), await manager.get(`${HOOKS}/${endpoint.id}`)]
    for (const { raw } of shown)
      for (const secret of [endpoint.api_key, endpoint.signing_secret]) assert.ok(!raw.includes(secret))
    const stored = JSON.stringify(await world.sql('SELECT e::text FROM lead_webhook_endpoints e'))
    const kept = JSON.stringify(await world.sql('SELECT k::text FROM idempotency_keys k'))
    for (const secret of [endpoint.api_key, endpoint.signing_secret])
      for (const text of [stored, kept]) assert.ok(!text.includes(secret) && !text.includes(Buffer.from(secret).toString('hex')))
  })

  it('is known to its workspace, by those who manage integrations (LEAD-72)', async () => {
    const { id } = await make()
    const other = await world.workspace({ modules: ['leads'] })
    const seller = await firm.user(['leads.view', 'leads.update', 'leads.delete'])
    for (const { who, status } of [
      { who: other.owner, status: 404 },
      { who: seller, status: 403 },
      { who: world.anonymous, status: 401 },
    ] as const) {
      assert.equal((await who.get(`${HOOKS}/${id}/deliveries`)).status, status)
      assert.equal((await who.put(`${HOOKS}/${id}`, { name: 'Mine' })).status, status)
      assert.equal((await who.post(`${HOOKS}/${id}/rotate`)).status, status)
      assert.equal((await who.del(`${HOOKS}/${id}`)).status, status)
    }
  })

  it('says what is wrong with it', async () => {
    const theirs = (await (await world.workspace({ modules: ['leads'] })).owner.get('/lead-stages')).body.data[0].id
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, 'name']))
    for (const { body, field } of [
      { body: { name: '' }, field: 'name' },
      { body: { default_stage_id: theirs }, field: 'default_stage_id' },
      { body: { field_map: { mail: 'password' } }, field: 'field_map.mail' },
      { body: { field_map: { a: 'email', b: 'email' } }, field: 'field_map' },
      { body: { field_map: many }, field: 'field_map' },
      { body: { field_map: [] }, field: 'field_map' },
      { body: { is_active: 'yes' }, field: 'is_active' },
    ] as const) {
      const { status, body: told } = await firm.owner.post(HOOKS, { name: 'Website', ...body })
      assert.deepEqual([status, Object.keys(told.errors ?? {})], [422, [field]])
    }
    const { id } = await make()
    assert.equal((await firm.owner.put(`${HOOKS}/${id}`, { default_stage_id: theirs })).status, 422)
  })

  it('lets nobody in by what was rotated', async () => {
    const old = await make()
    const rotated = (await firm.owner.post(`${HOOKS}/${old.id}/rotate`)).body.data as Endpoint
    assert.notEqual(rotated.api_key, old.api_key)
    assert.equal((await send(old)).status, 401)
    assert.equal((await deliver(old.uuid, signed(old, { name: 'Ann Ash' }))).status, 401)
    assert.equal((await send(rotated)).status, 201)
  })
})

describe('a call', () => {
  it('is read as JSON whatever type it names, but for a form of files', async () => {
    const endpoint = await make()
    const sent = async (type: string) => (await deliver(endpoint.uuid, { ...byKey(endpoint), 'content-type': type })).status
    for (const type of ['text/plain', 'application/xml', 'application/json; charset=latin1', 'application/x-www-form-urlencoded'])
      assert.equal(await sent(type), 201, type)
    assert.equal(await sent('multipart/form-data; boundary=x'), 415)
  })

  it('is read as a form where it is one, of either type, by key and by signature', async () => {
    const endpoint = await make({ field_map: { 'your-email': 'email' } })
    const tagOf = async (name: string) => (await firm.owner.post('/lead-tags', { name })).body.data.id as number
    const tag_ids = [await tagOf('Fair'), await tagOf('Form')]
    const texts: [string, string][] = [
      ...[
        ['first_name', 'Änne '],
        ['last_name', 'Ash'],
        ['your-email', 'Anne@Müller.example'],
        ['lead_value', '12.50'],
      ],
      ...[
        ['company', 'Nordwind & Söhne'],
        ['job_title', ''],
        ['unknown', 'x'],
        ...tag_ids.map((id: number) => ['tag_ids[]', `${id}`]),
      ],
    ] as [string, string][]
    const urlencoded = new URLSearchParams(texts).toString()
    const part = ([name, value]: [string, string]) => `--b1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const file =
      '--b1\r\nContent-Disposition: form-data; name="cv"; filename="cv.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n'
    const multipart = `${texts.map(part).join('')}${file}--b1--\r\n`
    for (const { type, body } of [
      { type: 'application/x-www-form-urlencoded', body: urlencoded },
      { type: 'application/x-www-form-urlencoded; charset=UTF-8', body: urlencoded },
      { type: 'multipart/form-data; boundary=b1', body: multipart },
    ])
      for (const headers of [
        byKey(endpoint),
        { 'x-service-signature': signatureOf(endpoint.signing_secret, seconds() - type.length, body) },
      ]) {
        const reply = await deliver(endpoint.uuid, { ...headers, 'content-type': type } as Record<string, string>, body)
        assert.equal(reply.status, 201, reply.raw.toString())
        const made = await lead(reply)
        assert.partialDeepStrictEqual(made, {
          ...{ name: 'Änne Ash', email: 'anne@xn--mller-kva.example', company: 'Nordwind & Söhne' },
          ...{ lead_value: 12.5, job_title: null, lead_type: 'direct' },
        })
        assert.ok(tag_ids.every((id: number) => made.tags.some((tag: { id: number }) => tag.id === id)))
      }
  })

  it('makes a name of its parts in JSON too, by whatever they are called', async () => {
    const endpoint = await make({ field_map: { fname: 'first_name', lname: 'last_name' } })
    for (const { body, name } of [
      { body: { fname: 'Ann', lname: 'Ash' }, name: 'Ann Ash' },
      { body: { lname: 'Ash' }, name: 'Ash' },
      { body: { fname: 'Ann', name: 'Dr. Ann Ash' }, name: 'Dr. Ann Ash' },
    ])
      assert.equal((await lead(await send(endpoint, body))).name, name)
    for (const fname of [7, 'x'.repeat(256)]) {
      const { status, body } = await send(endpoint, { fname })
      assert.deepEqual({ status, fields: Object.keys(body.errors!) }, { status: 422, fields: ['fname'] })
    }
  })

  it('is refused as a form that holds no text, too many fields, or another charset', async () => {
    const endpoint = await make()
    const form = 'application/x-www-form-urlencoded'
    for (const { type, body, status } of [
      { type: form, body: 'name=%ff', status: 400 },
      { type: form, body: new URLSearchParams(Array.from({ length: 1001 }, (_, n) => [`f${n}`, 'x'])).toString(), status: 400 },
      { type: `${form}; charset=latin1`, body: 'name=Ann', status: 415 },
      { type: form, body: 'email=nobody', status: 422 },
      { type: 'multipart/form-data', body: 'name=Ann', status: 415 },
      { type: 'multipart/form-data; boundary=b1', body: '--b2\r\n', status: 415 },
    ]) {
      const reply = await deliver(endpoint.uuid, { ...byKey(endpoint), 'content-type': type }, body)
      assert.equal(reply.status, status, `${type} ${body.slice(0, 40)}`)
    }
    assert.equal((await deliver(endpoint.uuid, { 'content-type': form }, 'name=Ann')).status, 401)
  })

  it('is admitted by the key or by a signature of its bytes, at both addresses (LEAD-75, AUTH-16)', async () => {
    const endpoint = await make()
    const body = { name: 'Ann Ash', email: 'ann@ash.test', lead_value: '12.50', source: '' }
    for (const { base, headers } of [
      { base: '', headers: byKey(endpoint) },
      { base: '/api/tenant/v1', headers: byKey(endpoint) },
      { base: '', headers: signed(endpoint, body) },
      { base: '/api/tenant/v1', headers: signed(endpoint, body, seconds() - 240) },
    ] as const) {
      const reply = await deliver(endpoint.uuid, headers, body, base)
      assert.equal(reply.status, 201, reply.raw.toString())
      const { name, email, lead_type, lead_value, assigned_to, creator, source } = await lead(reply)
      assert.deepEqual(
        { name, email, lead_type, lead_value },
        { name: 'Ann Ash', email: 'ann@ash.test', lead_type: 'direct', lead_value: 12.5 },
      )
      assert.deepEqual([assigned_to, creator, source], [null, null, null])
    }
  })

  it('is refused without credentials, whatever its body is', async () => {
    const endpoint = await make()
    const another = await make()
    const body = { name: 'Ann Ash' }
    const altered = JSON.stringify({ name: 'Eve Ash' })
    for (const headers of [
      {},
      byKey(another),
      { authorization: `Bearer ${firm.owner.token}` },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${'x'.repeat(5000)}` },
      signed(another, body),
      signed(endpoint, body, seconds() - 301),
      signed(endpoint, body, seconds() + 360),
      { 'x-service-signature': 't=1,v1=00' },
    ] as Record<string, string>[])
      for (const sent of [body, 'not json', ''])
        assert.equal((await deliver(endpoint.uuid, headers, sent)).status, 401, JSON.stringify(headers))
    assert.equal((await deliver(endpoint.uuid, signed(endpoint, body), altered)).status, 401)
    for (const uuid of [crypto.randomUUID(), 'x', '1', "'; select 1"])
      assert.equal((await deliver(encodeURIComponent(uuid), byKey(endpoint))).status, 404, uuid)
  })

  it('counts once by its signature, also of ten at once', async () => {
    const endpoint = await make()
    const body = { name: 'Once' }
    const headers = signed(endpoint, body)
    const replies = await Promise.all(Array.from({ length: 10 }, () => deliver(endpoint.uuid, headers, body)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)])
    assert.equal((await firm.owner.get('/leads?search=Once')).body.meta.total, 1)
    assert.equal((await deliver(endpoint.uuid, headers, body, '/api/tenant/v1')).status, 409)
  })

  it('finds no endpoint that is inactive or deleted', async () => {
    const endpoint = await make({ is_active: false })
    assert.equal((await send(endpoint)).status, 404)
    await firm.owner.put(`${HOOKS}/${endpoint.id}`, { is_active: true })
    assert.equal((await send(endpoint)).status, 201)
    assert.equal((await firm.owner.del(`${HOOKS}/${endpoint.id}`)).status, 200)
    assert.equal((await send(endpoint)).status, 404)
  })

  it('is refused by a closed workspace, and by one without Leads, after its credentials', async () => {
    const shut = await world.workspace({ modules: ['leads'] })
    const endpoint = await make({}, shut)
    const codes = async () => [(await send(endpoint)).body.code, (await deliver(endpoint.uuid, {})).status]
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [shut.id])
    assert.deepEqual(await codes(), ['WORKSPACE_SUSPENDED', 401])
    await world.sql(`UPDATE tenants SET status = 'active', archived_at = now() WHERE id = $1`, [shut.id])
    assert.deepEqual(await codes(), ['WORKSPACE_ARCHIVED', 401])
    await world.sql(`UPDATE tenants SET archived_at = NULL WHERE id = $1`, [shut.id])
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1`, [shut.id])
    assert.deepEqual(await codes(), ['MODULE_NOT_INSTALLED', 401])
  })

  it('is read by the field map, and refused by the names that it used', async () => {
    const stage = (await firm.owner.get('/lead-stages')).body.data[2].id
    const field_map = { 'your-name': 'name', 'your-mail': 'email', budget: 'lead_value', kind: 'lead_type' }
    const endpoint = await make({ field_map, default_stage_id: stage, default_source: 'Website' })
    const sent = { 'your-name': 'Bo Birch', 'your-mail': 'bo@birch.test', budget: '900', kind: 'company', phone: '1', gone: {} }
    const made = await lead(await send(endpoint, sent))
    assert.partialDeepStrictEqual(made, {
      name: 'Bo Birch',
      email: 'bo@birch.test',
      lead_value: 900,
      lead_type: 'company',
      phone: '1',
      stage_id: stage,
      source: 'Website',
    })
    const wrong = await send(endpoint, { 'your-mail': 'nobody', budget: 'much', kind: 'x' })
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors!).sort()], [422, ['budget', 'kind', 'your-mail', 'your-name']])
  })

  it('takes a mapped key for what the map says alone, and other fields by their own names', async () => {
    const endpoint = await make({ field_map: { name: 'company', contact: 'name', title: 'job_title' } })
    const made = await lead(await send(endpoint, { name: 'Ash & Co', contact: 'Ann Ash', job_title: 'Baker' }))
    assert.partialDeepStrictEqual(made, { name: 'Ann Ash', company: 'Ash & Co', job_title: 'Baker' })
    const nameless = await send(endpoint, { name: 'Ash & Co' })
    assert.deepEqual([nameless.status, Object.keys(nameless.body.errors!)], [422, ['contact']])
  })

  it('that makes no sense is a 4xx', async () => {
    const endpoint = await make()
    const nested = `{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`
    for (const { body, status } of [
      { body: 'not json', status: 400 },
      { body: '', status: 400 },
      { body: '[]', status: 400 },
      { body: 'null', status: 400 },
      { body: '"text"', status: 400 },
      { body: '{}', status: 422 },
      { body: '{"__proto__":{"name":"Eve"}}', status: 422 },
      { body: '{"name":"a\\u0000b"}', status: 422 },
      { body: nested, status: 400 },
      { body: JSON.stringify({ name: 'x'.repeat(256) }), status: 422 },
      { body: JSON.stringify({ name: 'A', assigned_to: firm.owner.id }), status: 422 },
      { body: JSON.stringify({ name: 'A', stage_id: 999_999 }), status: 422 },
      { body: JSON.stringify({ name: 'x'.repeat(1_100_000) }), status: 413 },
    ] as const)
      assert.equal((await send(endpoint, body)).status, status, body.slice(0, 60))
  })

  it('is not lost to a default tag that insists on a follow-up', async () => {
    const strict = await world.workspace({ modules: ['leads'] })
    for (const { name, behavior } of [
      { name: 'Insisting', behavior: 'force_follow_up' },
      { name: 'New', behavior: 'none' },
    ])
      assert.equal((await strict.owner.post('/lead-tags', { name, behavior, is_default: true })).status, 201)
    const { tags } = await lead(await send(await make({}, strict)), strict)
    assert.deepEqual(
      tags.map(({ name }: { name: string }) => name),
      ['Direct Lead', 'New'],
    )
  })
})

describe('website recipients', () => {
  const recipient = async (of: Workspace, name: string, fields = '') => {
    const { id } = await of.user([], name)
    await world.sql(`UPDATE users SET receive_website_leads = true ${fields} WHERE id = $1`, [id])
    return id
  }

  it('get leads in turn, equally many of twenty at once over two endpoints, with a history (LEAD-80)', async () => {
    const house = await world.workspace({ modules: ['leads'] })
    const ids = [
      await recipient(house, 'A'),
      await recipient(house, 'B'),
      await recipient(house, 'C'),
      await recipient(house, 'D'),
    ]
    await recipient(house, 'Suspended', ', suspended_at = now()')
    await recipient(house, 'Excluded', ', exclude_from_lead_auto_assign = true')
    await world.sql('UPDATE users SET receive_website_leads = true WHERE id = $1', [house.owner.id])
    const both = [
      await make({ assign_to_website_recipients: true }, house),
      await make({ assign_to_website_recipients: true }, house),
    ]
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => send(both[n % 2]!, { name: `Lead ${n}` })))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
    const given = await world.sql('SELECT assigned_to, count(*)::int FROM leads WHERE tenant_id = $1 GROUP BY 1 ORDER BY 1', [
      house.id,
    ])
    assert.deepEqual(
      given.map(({ assigned_to, count }) => [Number(assigned_to), count]),
      ids.map((id) => [id, 5]),
    )
    const history = (await house.owner.get(`/leads/${replies[0]!.body.data.lead_id}/assignment-history`)).body.data
    assert.deepEqual([history.length, history[0].old_user, history[0].changed_by], [1, null, null])
  })

  it('get them one after the other; a new one is next, nobody named is passed over, and nobody is nobody', async () => {
    const house = await world.workspace({ modules: ['leads'] })
    const endpoint = await make({ assign_to_website_recipients: true }, house)
    const next = async (body: object = {}) => (await lead(await send(endpoint, { name: 'Next', ...body }), house)).assigned_to
    assert.equal(await next(), null)
    const [a, b] = [await recipient(house, 'A'), await recipient(house, 'B')]
    assert.deepEqual([await next(), await next(), await next()], [a, b, a])
    const c = await recipient(house, 'C')
    assert.deepEqual(
      [await next(), await next({ assigned_to: a }), await next({ assigned_to: null }), await next()],
      [c, a, null, b],
    )
    await world.sql('UPDATE users SET suspended_at = now() WHERE id = $1', [a])
    assert.deepEqual([await next(), await next()], [c, b])
  })
})

describe('the log of an endpoint', () => {
  it('has accepted and refused calls with reasons, and no credentials', async () => {
    const endpoint = await make()
    const made = (await send(endpoint, { name: 'Logged' })).body.data.lead_id
    await send(endpoint, { email: 'x' })
    await deliver(endpoint.uuid, { authorization: 'Bearer wrong-secret' })
    const { data } = await log(endpoint, '?per_page=100')
    assert.deepEqual(data.map(({ outcome, status, lead_id }: any) => [outcome, status, lead_id]).sort(), [
      ['accepted', 201, made],
      ['refused', 401, null],
      ['refused', 422, null],
    ])
    const refused = data.find(({ status }: any) => status === 422)
    assert.deepEqual(Object.keys(refused.errors).sort(), ['email', 'name'])
    assert.ok(refused.reason)
    assert.equal((await log(endpoint, '?outcome=accepted')).meta.total, 1)
    for (const secret of [endpoint.api_key, endpoint.signing_secret, 'wrong-secret', 'Logged'])
      assert.ok(!JSON.stringify(data).includes(secret))
  })

  it('is not filled by strangers, and ends at a thousand', async () => {
    const endpoint = await make()
    for (let n = 0; n < 3; n++) await deliver(endpoint.uuid, {})
    assert.equal((await log(endpoint)).meta.total, 1)
    await world.sql(
      `INSERT INTO lead_webhook_deliveries (tenant_id, endpoint_id, outcome, status, ip, created_at)
       SELECT $1, $2, 'accepted', 201, '::1', now() FROM generate_series(1, 1100)`,
      [firm.id, endpoint.id],
    )
    await send(endpoint)
    assert.equal((await log(endpoint)).meta.total, 1000)
  })

  it('goes back thirty days, and signatures are forgotten once they are void', async () => {
    const endpoint = await make()
    const body = { name: 'Old' }
    await deliver(endpoint.uuid, signed(endpoint, body), body)
    const count = async (table: string) =>
      (await world.sql(`SELECT count(*)::int FROM ${table} WHERE endpoint_id = $1`, [endpoint.id]))[0].count
    const begun = Date.parse(world.clock.now())
    const day = (days: number) => new Date(begun + days * 24 * 3600_000).toISOString().slice(0, 10)
    const in_days = (days: number) => world.clock.set(`${day(days)}T12:00:00.000Z`) // the sweep runs at night
    in_days(29)
    await world.drain('due')
    assert.deepEqual([await count('lead_webhook_deliveries'), await count('lead_webhook_signatures')], [1, 0])
    in_days(32)
    await world.drain('due')
    assert.deepEqual([await count('lead_webhook_deliveries'), await count('lead_webhook_signatures')], [0, 0])
  })
})
