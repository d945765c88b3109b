import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['leads'], timezone: 'America/New_York' })
  world.clock.set('2026-12-01T15:00:00Z')
})

const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]
const lead = async (body: object = {}) =>
  (await firm.owner.post('/leads', { name: 'Ann', lead_type: 'direct', ...body })).body.data
const show = async (id: number) => (await firm.owner.get(`/leads/${id}`)).body.data
const add = (id: number, body: object) => firm.owner.post(`/leads/${id}/follow-ups`, body)
const planned = async (id: number, due_at: string, title = 'Call') => {
  const { status, body } = await add(id, { title, due_at })
  assert.equal(status, 201)
  return body.data
}

describe('a follow-up', () => {
  it('is due at an instant, or by the workspace’s clock', async () => {
    const { id } = await lead()
    for (const { sent, due } of [
      { sent: '2026-12-24T10:00', due: '2026-12-24T15:00:00.000Z' },
      { sent: '2026-12-24T10:00:00+01:00', due: '2026-12-24T09:00:00.000Z' },
      { sent: '2026-12-24T10:00Z', due: '2026-12-24T10:00:00.000Z' },
      { sent: '2027-03-14T02:30:00', due: '2027-03-14T07:30:00.000Z' }, // skipped in New York (daylight saving time)
      { sent: '2026-12-24T10:00:00.123456789Z', due: '2026-12-24T10:00:00.123Z' },
    ] as const)
      assert.equal((await planned(id, sent)).due_at, due, sent)
    const wrong = [
      '',
      'tomorrow',
      '2026-12-24',
      '2026-02-30T10:00',
      '0000-01-01T00:00Z',
      '1899-12-31T23:59Z',
      '2200-01-01T00:00Z',
    ]
    for (const due_at of [...wrong, '2026-12-24T10:00:00.1234567891Z', '2026-12-24T25:00Z', 7, null])
      assert.deepEqual(refused(await add(id, { title: 'x', due_at })), [422, ['due_at']], String(due_at))
  })

  it('is the lead’s assignee’s unless it says whose', async () => {
    const [helper, other] = [await firm.user([]), await world.workspace({ modules: [] })]
    const { id } = await lead()
    assert.equal((await planned(id, '2026-12-02T10:00')).assigned_to, firm.owner.id)
    const given = await add(id, { title: 'x', due_at: '2026-12-02T10:00', assigned_to: helper.id })
    assert.deepEqual([given.body.data.assigned_to, given.body.data.assignee.id], [helper.id, helper.id])
    const foreign = await add(id, { title: 'x', due_at: '2026-12-02T10:00', assigned_to: other.owner.id })
    assert.deepEqual(refused(foreign), [422, ['assigned_to']])
    const nested = { title: 'x', due_at: '2026-12-02T10:00', assigned_to: other.owner.id }
    const created = await firm.owner.post('/leads', { name: 'A', lead_type: 'direct', follow_up: nested })
    assert.deepEqual(refused(created), [422, ['follow_up.assigned_to']])
  })

  it('is given to nobody who is suspended, and stays whose it is', async () => {
    const [helper, gone] = [await firm.user([]), await firm.user([])]
    const { id } = await lead()
    const kept = (await add(id, { title: 'x', due_at: '2026-12-02T10:00', assigned_to: gone.id })).body.data
    const other = await planned(id, '2026-12-02T10:00')
    assert.equal((await firm.owner.post(`/users/${gone.id}/suspend`)).status, 200)
    const wanted = { title: 'x', due_at: '2026-12-02T10:00', assigned_to: gone.id }
    const path = `/leads/${id}/follow-ups`
    for (const [field, reply] of [
      ['assigned_to', await add(id, wanted)],
      ['assigned_to', await firm.owner.put(`${path}/${other.id}`, { assigned_to: gone.id })],
      ['next.assigned_to', await firm.owner.post(`${path}/${other.id}/complete`, { next: wanted })],
      ['follow_up.assigned_to', await firm.owner.put(`/leads/${id}/tags`, { tag_ids: [], follow_up: wanted })],
      ['follow_up.assigned_to', await firm.owner.put(`/leads/${id}`, { follow_up: wanted })],
      ['follow_up.assigned_to', await firm.owner.post('/leads', { name: 'A', lead_type: 'direct', follow_up: wanted })],
    ] as const)
      assert.deepEqual(refused(reply), [422, [field]])
    const changed = await firm.owner.put(`${path}/${kept.id}`, { title: 'y', assigned_to: gone.id })
    assert.deepEqual([changed.status, changed.body.data?.title, changed.body.data?.assigned_to], [200, 'y', gone.id])
    assert.equal((await firm.owner.put(`${path}/${kept.id}`, { assigned_to: helper.id })).status, 200)
    assert.deepEqual(refused(await firm.owner.put(`${path}/${kept.id}`, { assigned_to: gone.id })), [422, ['assigned_to']])
  })

  it('stands among the others by its time, and the first pending one is the next (LEAD-15)', async () => {
    const { id } = await lead({ follow_up: { title: 'Second', due_at: '2026-12-10T10:00' } })
    const first = await planned(id, '2026-12-05T10:00', 'First')
    await planned(id, '2026-12-15T10:00', 'Third')
    const titles = async () => (await show(id)).follow_ups.map(({ title }: { title: string }) => title)
    assert.deepEqual(await titles(), ['First', 'Second', 'Third'])
    const paged = await firm.owner.get(`/leads/${id}/follow-ups?per_page=2&page=2`)
    assert.deepEqual([paged.body.data[0].title, paged.body.meta.total], ['Third', 3])
    assert.equal((await show(id)).next_follow_up.title, 'First')
    await firm.owner.post(`/leads/${id}/follow-ups/${first.id}/complete`)
    const { next_follow_up, next_follow_up_at } = await show(id)
    assert.deepEqual([next_follow_up.title, next_follow_up_at], ['Second', '2026-12-10T15:00:00.000Z'])
  })

  it('is rescheduled, which the timeline tells, and changed (LEAD-31)', async () => {
    const { id } = await lead()
    const { id: one, due_at } = await planned(id, '2026-12-05T10:00')
    const put = (body: object, options = {}) => firm.owner.put(`/leads/${id}/follow-ups/${one}`, body, options)
    const { body, headers } = await put({ due_at: '2026-12-06T10:00' })
    assert.equal(body.data.due_at, '2026-12-06T15:00:00.000Z')
    const [told] = (await show(id)).activities
    assert.deepEqual([told.type, told.properties.from, told.properties.to], ['follow_up_rescheduled', due_at, body.data.due_at])
    assert.equal((await show(id)).next_follow_up_at, body.data.due_at)
    assert.equal((await put({ notes: 'Ring twice', due_at: '2026-12-06T15:00:00Z' })).body.data.notes, 'Ring twice')
    assert.equal((await show(id)).activities[0].type, 'follow_up_updated')
    assert.equal((await put({ title: 'x' }, { headers: { 'if-match': String(headers.etag) } })).status, 412)
    const before = (await show(id)).activities.length
    assert.equal((await put({})).status, 200)
    assert.equal((await show(id)).activities.length, before)
  })

  it('is completed once, also when that comes twice (LEAD-29)', async () => {
    const { id } = await lead()
    const { id: one } = await planned(id, '2026-12-05T10:00')
    const complete = () => firm.owner.post(`/leads/${id}/follow-ups/${one}/complete`)
    const replies = await Promise.all([complete(), complete()])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422])
    assert.deepEqual(refused(await complete()), [422, ['status']])
    const { follow_ups, activities, next_follow_up } = await show(id)
    assert.deepEqual(
      [follow_ups[0].status, follow_ups[0].completed_at, next_follow_up],
      ['completed', '2026-12-01T15:00:00.000Z', null],
    )
    assert.equal(activities[0].description, 'Follow-up completed: Call')
    const late = await firm.owner.put(`/leads/${id}/follow-ups/${one}`, { due_at: '2026-12-06T10:00' })
    assert.deepEqual(refused(late), [422, ['due_at']])
    assert.equal((await firm.owner.put(`/leads/${id}/follow-ups/${one}`, { notes: 'Done' })).status, 200)
  })

  it('is completed with what came of it and the next one, or not at all', async () => {
    const { id } = await lead()
    const { id: one } = await planned(id, '2026-12-01T09:00')
    const complete = (body: object) => firm.owner.post(`/leads/${id}/follow-ups/${one}/complete`, body)
    const next = { title: 'Send the quotation', due_at: '2026-12-03T09:00' }
    const strange = (await world.workspace({ modules: [] })).owner.id
    assert.deepEqual(refused(await complete({ note: 'x', next: { ...next, assigned_to: strange } })), [422, ['next.assigned_to']])
    assert.deepEqual(refused(await complete({ note: 7, next: { title: 'x' } })), [422, ['note', 'next.due_at']])
    assert.deepEqual([(await show(id)).follow_ups[0].status, (await show(id)).notes], ['pending', []])
    assert.equal((await complete({ note: 'Wants it by <Friday>.', next })).body.data.status, 'completed')
    const { follow_ups, notes, next_follow_up, next_follow_up_at } = await show(id)
    assert.deepEqual(
      follow_ups.map(({ status }: { status: string }) => status),
      ['completed', 'pending'],
    )
    assert.deepEqual(
      notes.map(({ body }: { body: string }) => body),
      ['Wants it by <Friday>.'],
    )
    assert.deepEqual([next_follow_up.title, next_follow_up.assigned_to], ['Send the quotation', firm.owner.id])
    assert.equal(next_follow_up_at, '2026-12-03T14:00:00.000Z')
  })

  it('finds its lead by when it is due, by the workspace’s calendar', async () => {
    const due = {
      overdue: '2026-12-01T09:59', // earlier today
      earlier: '2026-11-30T10:00',
      today: '2026-12-01T23:59',
      upcoming: '2026-12-02T00:00',
    }
    const made = new Map<number, string>()
    for (const [name, due_at] of Object.entries({ ...due, none: undefined })) {
      const { id } = await lead({ source: 'Due', ...(due_at ? { follow_up: { title: 'Call', due_at } } : {}) })
      made.set(id, name)
    }
    const found = async (follow_up: string, path = '/leads') => {
      const { body } = await firm.owner.get(`${path}?source=Due&follow_up=${follow_up}`)
      const rows = path === '/leads' ? body.data : body.data.flatMap(({ leads }: { leads: object[] }) => leads)
      return rows.map(({ id }: { id: number }) => made.get(id)).sort()
    }
    assert.deepEqual(await found('overdue'), ['earlier', 'overdue'])
    assert.deepEqual(await found('today'), ['overdue', 'today'])
    assert.deepEqual(await found('due'), ['earlier', 'overdue', 'today'])
    assert.deepEqual(await found('due', '/leads/board'), ['earlier', 'overdue', 'today'])
    assert.deepEqual(await found('upcoming'), ['upcoming'])
    assert.deepEqual(await found('none'), ['none'])
    assert.deepEqual(refused(await firm.owner.get('/leads?follow_up=soon')), [422, ['follow_up']])
  })

  it('belongs to one lead', async () => {
    const [mine, another] = [await lead(), await lead()]
    const { id } = await planned(mine.id, '2026-12-05T10:00')
    assert.equal((await firm.owner.put(`/leads/${another.id}/follow-ups/${id}`, { title: 'x' })).status, 404)
    assert.equal((await firm.owner.post(`/leads/${another.id}/follow-ups/${id}/complete`)).status, 404)
    const [seller, theirs] = [await firm.user(['leads.update']), await world.workspace({ modules: ['leads'] })]
    assert.equal((await theirs.owner.put(`/leads/${mine.id}/follow-ups/${id}`, { title: 'x' })).status, 404)
    assert.equal((await seller.post(`/leads/${mine.id}/follow-ups/${id}/complete`)).status, 404)
  })
})
