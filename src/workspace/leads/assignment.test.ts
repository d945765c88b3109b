import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
let seller: Person
let rival: Person

before(async () => {
  firm = await world.workspace({ modules: ['leads'] })
  seller = await firm.user(['leads.view', 'leads.create', 'leads.update'], 'Sel Seller')
  rival = await firm.user(['leads.view'], 'Ria Rival')
  await firm.owner.put(`/users/${seller.id}`, { lead_commission_rate: 2.5 })
})

const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]
const lead = async (by: Person = firm.owner, body: object = {}) => {
  const reply = await by.post('/leads', { name: 'Ann', lead_type: 'direct', ...body })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data
}
const assign = (id: number, assigned_to: unknown, reason?: string) =>
  firm.owner.post(`/leads/${id}/assign`, { assigned_to, reason })
const bulk = (body: object, by: Person = firm.owner) => by.post('/leads/bulk-assign', body)
const history = async (id: number) => (await firm.owner.get(`/leads/${id}/assignment-history`)).body.data

/** Runs `work` and returns the `lead.assigned` events that listeners of an installed module would receive. */
const told = async (work: () => Promise<unknown>) => {
  const { modules } = world.services
  const events: any[] = []
  const { listeners } = modules
  modules.listeners = async (event) =>
    event === 'lead.assigned'
      ? [
          {
            module: modules.workspace.get('leads')!,
            listener: { event, react: async (_: unknown, carried: unknown) => events.push(carried) },
          },
        ]
      : listeners(event)
  await work()
  modules.listeners = listeners
  return events
}

describe('assigning a lead', () => {
  it('keeps who, whom, why and the commission of that moment (LEAD-11, LEAD-32, LEAD-42)', async () => {
    const { id } = await lead()
    const { data } = (await assign(id, seller.id, 'She knows them')).body
    assert.deepEqual(
      [data.assignee.name, data.commission_rate, data.activities[0].description],
      ['Sel Seller', 2.5, 'Assigned to Sel Seller'],
    )
    const [row] = data.assignment_histories
    assert.deepEqual(
      [row.old_user.id, row.new_user.id, row.changed_by.id, row.reason, row.batch_id, row.created_at === row.updated_at],
      [firm.owner.id, seller.id, firm.owner.id, 'She knows them', null, true],
    )
    await firm.owner.put(`/users/${seller.id}`, { lead_commission_rate: 3 })
    assert.equal((await firm.owner.get(`/leads/${id}`)).body.data.commission_rate, 2.5)
    const freed = (await assign(id, null)).body.data
    assert.deepEqual([freed.assigned_to, freed.commission_rate, freed.assignment_histories[0].new_user], [null, null, null])
    assert.deepEqual(await history(id), freed.assignment_histories)
  })

  it('to the same user again is nothing', async () => {
    const { id } = await lead()
    await assign(id, seller.id)
    assert.deepEqual(await told(() => assign(id, seller.id)), [])
    assert.equal((await history(id)).length, 1)
  })

  it('refuses the owner, the suspended, the excluded, and strangers (LEAD-43, LEAD-44)', async () => {
    const [suspended, excluded, deleted] = [await firm.user([]), await firm.user([]), await firm.user([])]
    await firm.owner.post(`/users/${suspended.id}/suspend`)
    await firm.owner.put(`/users/${excluded.id}`, { exclude_from_lead_auto_assign: true })
    await firm.owner.del(`/users/${deleted.id}`)
    const stranger = (await world.workspace({ modules: [] })).owner
    const { id } = await lead(seller)
    for (const user of [firm.owner, suspended, excluded, deleted, stranger, { id: 999_999 }]) {
      assert.deepEqual(refused(await assign(id, user.id)), [422, ['assigned_to']])
      assert.deepEqual(refused(await firm.owner.put(`/leads/${id}`, { assigned_to: user.id })), [422, ['assigned_to']])
      assert.deepEqual(refused(await bulk({ ids: [id], assigned_to: user.id })), [422, ['assigned_to']])
    }
    const body = { name: 'A', lead_type: 'direct', assigned_to: excluded.id }
    assert.deepEqual(refused(await firm.owner.post('/leads', body)), [422, ['assigned_to']])
    assert.deepEqual(await history(id), [])
  })

  it('of a new lead needs the permission; without it the lead is its creator’s (LEAD-38)', async () => {
    assert.deepEqual((await lead(firm.owner, { assigned_to: null })).assigned_to, null)
    assert.equal((await lead(firm.owner, { assigned_to: firm.owner.id })).assigned_to, firm.owner.id)
    const given = await lead(firm.owner, { assigned_to: seller.id })
    assert.deepEqual([given.assigned_to, given.commission_rate, given.assignment_histories.length], [seller.id, 3, 1])
    for (const assigned_to of [rival.id, null, undefined]) {
      const own = await lead(seller, { assigned_to })
      assert.deepEqual([own.assigned_to, own.commission_rate, own.assignment_histories], [seller.id, 3, []])
    }
    const own = await lead(seller)
    assert.equal((await seller.put(`/leads/${own.id}`, { assigned_to: rival.id })).body.data.assigned_to, seller.id)
    assert.equal((await seller.post(`/leads/${own.id}/assign`, { assigned_to: rival.id })).status, 403)
  })

  it('is told: to whom, by which deed', async () => {
    const { id } = await lead()
    assert.deepEqual(await told(() => assign(id, seller.id)), [
      { user_id: seller.id, lead_ids: [id], source: 'assign', batch_id: null },
    ])
    assert.deepEqual(await told(() => assign(id, null)), [])
    assert.deepEqual(await told(() => lead()), [])
    const events = await told(() => lead(firm.owner, { assigned_to: seller.id }))
    assert.deepEqual([events.length, events[0].user_id, events[0].source], [1, seller.id, 'assign'])
  })

  it('twice at once leaves a history without gaps', async () => {
    const { id } = await lead()
    await Promise.all([assign(id, seller.id), assign(id, rival.id)])
    const [newest, first] = await history(id)
    assert.equal(newest.old_user.id, first.new_user.id)
    assert.equal((await firm.owner.get(`/leads/${id}`)).body.data.assigned_to, newest.new_user.id)
  })
})

it('history and timeline are in the order in which leads were given, not in that of the requests’ beginnings', async () => {
  const ids = [(await lead()).id, (await lead()).id]
  const began = Date.parse(world.clock.now())
  const at = (seconds: number) => world.clock.set(new Date(began + seconds * 1000).toISOString())
  try {
    at(5)
    for (const id of ids) await assign(id, rival.id)
    at(1) // began earlier, and waited for the lock
    await bulk({ ids, assigned_to: seller.id })
    at(3)
    await assign(ids[0]!, null)
    await firm.owner.put(`/leads/${ids[1]}`, { assigned_to: null })
    at(6)
    for (const id of ids) {
      const { assignment_histories, activities } = (await firm.owner.get(`/leads/${id}`)).body.data
      const whom = (rows: any[]) => rows.map(({ new_user }) => new_user?.id ?? null)
      assert.deepEqual(whom(assignment_histories), [null, seller.id, rival.id])
      assert.deepEqual(whom(await history(id)), [null, seller.id, rival.id])
      assert.deepEqual(
        activities.map(({ description }: { description: string }) => description),
        ['Unassigned', 'Assigned to Sel Seller', 'Assigned to Ria Rival', 'Created'],
      )
    }
  } finally {
    world.clock.set(undefined)
  }
})

describe('assigning many at once', () => {
  it('gives what is there, names what is not, and tells it as one deed', async () => {
    const [a, b, gone] = [await lead(), await lead(), await lead()]
    await firm.owner.del(`/leads/${gone.id}`)
    await assign(b.id, rival.id)
    let reply: Reply | undefined
    const events = await told(async () => {
      reply = await bulk({ ids: [b.id, a.id, gone.id, 999_999, a.id], assigned_to: rival.id, reason: 'Holidays' })
    })
    const { processed, failed, batch_id } = reply!.body.data
    assert.deepEqual([processed, failed.map((one: { id: number }) => one.id)], [2, [gone.id, 999_999]])
    assert.deepEqual(events, [{ user_id: rival.id, lead_ids: [a.id], source: 'bulk_assign', batch_id }])
    const [row] = await history(a.id)
    assert.deepEqual([row.batch_id, row.reason, row.new_user.id], [batch_id, 'Holidays', rival.id])
    assert.equal((await history(b.id)).length, 1, 'it was theirs already')
    const listed = (await rival.get(`/leads?batch_id=${batch_id}`)).body.data
    assert.deepEqual(
      listed.map((one: { id: number }) => one.id),
      [a.id],
    )
  })

  it('refuses too many, none, and nothing but what is not there', async () => {
    const assigned_to = seller.id
    for (const ids of [[], Array.from({ length: 101 }, (_, n) => n + 1), [999_998, 999_999], 'all'])
      assert.deepEqual(refused(await bulk({ ids, assigned_to })), [422, ['ids']])
    assert.deepEqual((await bulk({ ids: [999_999], assigned_to })).body.data, {
      processed: 0,
      failed: [{ id: 999_999, message: 'There is no such lead.' }],
    })
    assert.equal((await bulk({ ids: [1], assigned_to }, seller)).status, 403)
    const theirs = await world.workspace({ modules: ['leads'] })
    const foreign = (await theirs.owner.post('/leads', { name: 'B', lead_type: 'direct' })).body.data.id
    assert.deepEqual(refused(await bulk({ ids: [foreign], assigned_to })), [422, ['ids']])
  })

  it('twice at once, in any order, lets both through', async () => {
    const ids: number[] = []
    for (let n = 0; n < 6; n++) ids.push((await lead()).id)
    const replies = await Promise.all([
      bulk({ ids, assigned_to: seller.id }),
      bulk({ ids: ids.toReversed(), assigned_to: rival.id }),
    ])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    )
    const owners = new Set(
      (await Promise.all(ids.map((id) => firm.owner.get(`/leads/${id}`)))).map(({ body }) => body.data.assigned_to),
    )
    assert.equal(owners.size, 1)
  })
})

describe('undoing a bulk change of whose leads are', () => {
  const changed = async (body: object) => {
    const { status, body: reply } = await firm.owner.post('/leads/bulk', body)
    assert.deepEqual([status, reply.data.failed], [200, []], JSON.stringify(reply))
    return reply.data.batch_id as string
  }
  const undo = async (batch: string) => {
    const { processed, failed } = (await firm.owner.post(`/bulk/${batch}/undo`, {})).body.data
    return [processed, failed]
  }
  const whose = async (ids: number[]) =>
    Promise.all(ids.map(async (id) => (await firm.owner.get(`/leads/${id}`)).body.data.assigned_to))

  it('gives them back to whoever had them, also where nobody could give these one now', async () => {
    const heir = await firm.user(['leads.view'], 'Hal Heir')
    const former = await firm.user(['leads.view', 'leads.create'], 'Fay Former')
    const ids = [(await lead()).id, (await lead(former)).id, (await lead(firm.owner, { assigned_to: null })).id]
    const had = await whose(ids)
    assert.deepEqual(had, [firm.owner.id, former.id, null])
    await firm.owner.post(`/users/${former.id}/suspend`)
    for (const more of [{ action: 'assign' }, { action: 'update' }]) {
      const batch = await changed({ ids, ...more, changes: { assigned_to: heir.id } })
      assert.deepEqual(await whose(ids), [heir.id, heir.id, heir.id])
      assert.deepEqual(await undo(batch), [3, []], more.action)
      assert.deepEqual(await whose(ids), had)
    }
    assert.deepEqual(refused(await assign(ids[2]!, former.id)), [422, ['assigned_to']], 'nobody chooses them')
    assert.deepEqual(refused(await assign(ids[2]!, firm.owner.id)), [422, ['assigned_to']])
    const batch = await changed({ ids, action: 'assign', changes: { assigned_to: heir.id } })
    await firm.owner.del(`/users/${former.id}`)
    const gone = [{ id: ids[1], message: 'There is no such user in this workspace.' }]
    assert.deepEqual(await undo(batch), [2, gone])
    assert.deepEqual(await whose(ids), [firm.owner.id, heir.id, null])
  })

  it('gives them back with the commission that was agreed then', async () => {
    const heir = await firm.user(['leads.view'], 'Hedy Heir')
    const agent = await firm.user(['leads.view', 'leads.create'], 'Ada Agent')
    const rate = (of: Person, lead_commission_rate: number) => firm.owner.put(`/users/${of.id}`, { lead_commission_rate })
    await rate(heir, 1)
    await rate(agent, 7.5)
    const ids = [(await lead(agent)).id, (await lead(firm.owner, { assigned_to: null })).id]
    await rate(agent, 9)
    const commissions = () => Promise.all(ids.map(async (id) => (await firm.owner.get(`/leads/${id}`)).body.data.commission_rate))
    assert.deepEqual(await commissions(), [7.5, null])
    for (const action of ['assign', 'update']) {
      const batch = await changed({ ids, action, changes: { assigned_to: heir.id } })
      assert.deepEqual(await commissions(), [1, 1])
      assert.deepEqual(await undo(batch), [2, []], action)
      assert.deepEqual(await commissions(), [7.5, null], action)
    }
  })
})
