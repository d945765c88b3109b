import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['leads'], timezone: 'Europe/Berlin' })
})

const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]
const tag = async (body: object) => {
  const reply = await firm.owner.post('/lead-tags', body)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data
}
const lead = async (body: object = {}) =>
  (await firm.owner.post('/leads', { name: 'Ann', lead_type: 'direct', ...body })).body.data
const show = async (id: number) => (await firm.owner.get(`/leads/${id}`)).body.data
const slugs = (one: { tags: { slug: string }[] }) => one.tags.map(({ slug }) => slug)
const put = (id: number, tag_ids: number[], more: object = {}) => firm.owner.put(`/leads/${id}/tags`, { tag_ids, ...more })
const known = async (slug: string) => {
  const { data } = (await firm.owner.get('/lead-tags?per_page=100')).body
  return data.find((one: { slug: string }) => one.slug === slug)
}

describe('the catalogue of tags', () => {
  it('is there from the start, in its order (LEAD-19)', async () => {
    const { data } = (await firm.owner.get('/lead-tags')).body
    assert.deepEqual(
      data.map(({ name, behavior, system }: any) => [name, behavior, system]),
      [
        ['Direct Lead', 'none', 'direct'],
        ['Company Lead', 'none', 'company'],
        ['Duplicate', 'none', 'duplicate'],
        ['Hot', 'none', null],
        ['Cold', 'none', null],
        ['Call back', 'auto_follow_up', null],
        ['Appointment', 'force_follow_up', null],
      ],
    )
  })

  it('says the bounds to a number that is out of them', async () => {
    for (const [field, value, told] of [
      ['sort_order', -1, 'Must be a whole number from 0 to 1000000.'],
      ['auto_follow_up_days', 366, 'Must be a whole number from 0 to 365.'],
    ] as const) {
      const { status, body } = await firm.owner.post('/lead-tags', { name: 'Bounds', [field]: value })
      assert.deepEqual([status, body.errors], [422, { [field]: [told] }])
    }
  })

  it('names a tag by name and slug, each once', async () => {
    assert.deepEqual((await tag({ name: ' Größer als 10! ' })).slug, 'größer-als-10')
    assert.equal((await tag({ name: 'Eins', slug: 'ONE-1' })).slug, 'one-1')
    assert.deepEqual(refused(await firm.owner.post('/lead-tags', { name: 'Eins' })), [422, ['name']])
    assert.deepEqual(refused(await firm.owner.post('/lead-tags', { name: 'EINS', slug: 'one-1' })), [422, ['slug']])
    for (const slug of ['', '-a', 'a b', 'a--b'])
      assert.deepEqual(refused(await firm.owner.post('/lead-tags', { name: 'x', slug })), [422, ['slug']])
    const both = await Promise.all([1, 2].map(() => firm.owner.post('/lead-tags', { name: 'Twice' })))
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 422])
  })

  it('asks for the days of a tag that makes follow-ups', async () => {
    const wrong = { name: 'Auto', behavior: 'auto_follow_up' }
    assert.deepEqual(refused(await firm.owner.post('/lead-tags', wrong)), [422, ['auto_follow_up_days']])
    const { id } = await tag({ ...wrong, auto_follow_up_days: 3 })
    assert.deepEqual(refused(await firm.owner.put(`/lead-tags/${id}`, { auto_follow_up_days: null })), [
      422,
      ['auto_follow_up_days'],
    ])
    assert.equal((await firm.owner.put(`/lead-tags/${id}`, { behavior: 'none', auto_follow_up_days: null })).status, 200)
  })

  it('keeps the tags that the service itself uses', async () => {
    const { id } = await known('direct-lead')
    for (const change of [{ name: 'Mine' }, { slug: 'mine' }, { is_default: true }, { behavior: 'force_follow_up' }])
      assert.deepEqual(refused(await firm.owner.put(`/lead-tags/${id}`, change)), [422, Object.keys(change)])
    assert.equal((await firm.owner.put(`/lead-tags/${id}`, { color: '#000000', name: 'Direct Lead' })).body.data.color, '#000000')
    assert.deepEqual(refused(await firm.owner.del(`/lead-tags/${id}`)), [422, ['tag']])
  })

  it('is put in another order: what is named comes first (LEAD-23)', async () => {
    const [hot, cold] = [await known('hot'), await known('cold')]
    const order = (ordered_ids: unknown) => firm.owner.post('/lead-tags/reorder', { ordered_ids })
    const first = (await order([cold.id, hot.id])).body.data.slice(0, 3).map(({ slug }: { slug: string }) => slug)
    assert.deepEqual(first, ['cold', 'hot', 'direct-lead'])
    assert.deepEqual(refused(await order([hot.id, 999_999, hot.id])), [422, ['ordered_ids.1', 'ordered_ids.2']])
    assert.deepEqual((await order([])).body.errors, { ordered_ids: ['Must have at least 1 entry.'] })
    assert.deepEqual((await order('x')).body.errors, { ordered_ids: ['Must be a list.'] })
    const replies = await Promise.all([order([hot.id, cold.id]), order([cold.id, hot.id])])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    )
    const { data } = (await firm.owner.get('/lead-tags')).body
    assert.equal(new Set(data.map((one: { sort_order: number }) => one.sort_order)).size, data.length)
  })

  it('loses a deleted tag on every lead; what it asked for stays to be done (LEAD-22)', async () => {
    const { id: tagId } = await tag({ name: 'Gone', behavior: 'auto_follow_up', auto_follow_up_days: 1 })
    const { id } = await lead({ tag_ids: [tagId] })
    assert.equal((await firm.owner.del(`/lead-tags/${tagId}`)).status, 200)
    const { tags, follow_ups } = await show(id)
    assert.deepEqual([tags.length, follow_ups.length, follow_ups[0].lead_tag_id], [1, 1, null])
  })

  it('can lose a tag while it is put on leads', async () => {
    const { id: tagId } = await tag({ name: 'Fleeting' })
    const { id } = await lead()
    const replies = await Promise.all([put(id, [tagId]), firm.owner.del(`/lead-tags/${tagId}`), lead({ tag_ids: [tagId] })])
    assert.deepEqual([replies[1].status, [200, 422].includes(replies[0].status)], [200, true])
    assert.deepEqual(slugs(await show(id)), ['direct-lead'])
  })
})

describe('the tags of a lead', () => {
  it('are the defaults where nobody says, none where nobody wants any, and always the one of the type (LEAD-09)', async () => {
    const { id } = await tag({ name: 'Fresh', is_default: true })
    assert.deepEqual(slugs(await lead()), ['direct-lead', 'fresh'])
    assert.deepEqual(slugs(await lead({ lead_type: 'company', tag_ids: [] })), ['company-lead'])
    const direct = (await known('direct-lead')).id
    assert.deepEqual(slugs(await lead({ lead_type: 'company', tag_ids: [direct] })), ['company-lead'])
    await firm.owner.del(`/lead-tags/${id}`)
  })

  it('are replaced as a whole, told by name, and are another state for If-Match (LEAD-24)', async () => {
    const [hot, cold] = [(await known('hot')).id, (await known('cold')).id]
    const { id } = await lead({ tag_ids: [hot] })
    const { etag } = (await firm.owner.get(`/leads/${id}`)).headers
    const { body } = await put(id, [cold, cold])
    assert.deepEqual(
      [slugs(body.data), body.data.status, body.data.stage.name],
      [['cold', 'direct-lead'].sort(), 'active', 'New'].flatMap((x) => [x]),
    )
    assert.equal(body.data.activities[0].description, 'Tagged Cold; No longer tagged Hot')
    const late = await firm.owner.put(`/leads/${id}/tags`, { tag_ids: [] }, { headers: { 'if-match': String(etag) } })
    assert.equal(late.status, 412)
    assert.equal((await put(id, [cold])).body.data.activities.length, 2, 'nothing changed, nothing told')
    assert.deepEqual(refused(await put(id, [cold, 999_999])), [422, ['tag_ids.1']])
  })

  it('may insist on a follow-up (LEAD-25)', async () => {
    const { id: tagId } = await known('appointment')
    const follow_up = { title: 'Visit', due_at: '2027-03-01T09:00', notes: 'Bring samples' }
    assert.deepEqual(refused(await firm.owner.post('/leads', { name: 'A', lead_type: 'direct', tag_ids: [tagId] })), [
      422,
      ['follow_up'],
    ])
    const made = await lead({ tag_ids: [tagId], follow_up })
    assert.deepEqual(
      {
        title: made.follow_ups[0].title,
        due_at: made.follow_ups[0].due_at,
        lead_tag_id: made.follow_ups[0].lead_tag_id,
        next_follow_up_at: made.next_follow_up_at,
      },
      { title: 'Visit', due_at: '2027-03-01T08:00:00.000Z', lead_tag_id: tagId, next_follow_up_at: '2027-03-01T08:00:00.000Z' },
    )
    const { id } = await lead()
    assert.deepEqual(refused(await put(id, [tagId])), [422, ['follow_up']])
    assert.deepEqual(slugs(await show(id)), ['direct-lead'])
    assert.equal((await put(id, [tagId], { follow_up })).status, 200)
    assert.equal((await put(id, [tagId])).status, 200, 'it is not newly added')
  })

  it('may make one by itself, once while it is pending, by the workspace’s calendar (LEAD-18, LEAD-26)', async () => {
    world.clock.set('2026-10-24T22:30:00Z') // night when daylight saving time ends in Berlin
    const { id: tagId } = await known('call-back')
    const { id } = await lead()
    const [first] = (await put(id, [tagId])).body.data.follow_ups
    assert.partialDeepStrictEqual(first, {
      title: 'Follow up: Call back',
      status: 'pending',
      due_at: '2026-10-26T23:30:00.000Z',
      assigned_to: firm.owner.id,
    })
    await put(id, [])
    assert.equal((await put(id, [tagId])).body.data.follow_ups.length, 1)
    await firm.owner.post(`/leads/${id}/follow-ups/${first.id}/complete`)
    await put(id, [])
    assert.equal((await put(id, [tagId])).body.data.follow_ups.length, 2)
  })

  it('put on twice at once make one follow-up', async () => {
    const { id: tagId } = await known('call-back')
    const { id } = await lead()
    const replies = await Promise.all([1, 2, 3].map(() => put(id, [tagId])))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal((await show(id)).follow_ups.length, 1)
  })

  it('find leads: by one, or by any of several', async () => {
    const [a, b] = [await tag({ name: 'Tag A' }), await tag({ name: 'Tag B' })]
    await lead({ name: 'Has A', tag_ids: [a.id] })
    await lead({ name: 'Has B', tag_ids: [b.id] })
    const found = async (query: string) =>
      (await firm.owner.get(`/leads?${query}`)).body.data.map(({ name }: { name: string }) => name).sort()
    assert.deepEqual(await found(`tag_id=${a.id}`), ['Has A'])
    assert.deepEqual(await found(`tag_ids=${a.id},${b.id}`), ['Has A', 'Has B'])
    assert.deepEqual(await found('tag_id=999999'), [])
  })
})
