import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
let seller: Person
let stage: (name: string) => number

before(async () => {
  firm = await world.workspace({ modules: ['leads'], timezone: 'Asia/Tokyo' })
  seller = await firm.user(['leads.view'])
  const { data } = (await firm.owner.get('/lead-stages')).body
  stage = (name) => data.find((one: { name: string }) => one.name === name).id
})

const lead = async (body: object = {}) =>
  (await firm.owner.post('/leads', { name: 'Ann', lead_type: 'direct', ...body })).body.data.id as number
const move = (id: number, name: string) => firm.owner.post(`/leads/${id}/stage`, { stage_id: stage(name) })
const figures = async (query = '', by: Person = firm.owner) => (await by.get(`/leads/stats${query}`)).body.data

describe('the figures of leads', () => {
  it('are nought of nothing', async () =>
    assert.deepEqual(await figures(), {
      ...{ total_leads: 0, my_leads: 0, active: 0, waiting: 0, on_hold: 0, closed: 0, archived: 0 },
      ...{ pipeline_value: 0, average_lead_value: 0, conversion_rate: 0, won_this_month: 0 },
      ...{ todays_follow_ups: 0, overdue_follow_ups: 0, scope: 'org' },
    }))

  it('go by the flags of stages, not by the status (LEAD-34)', async () => {
    world.clock.set('2026-11-20T03:00:00Z')
    await lead({ lead_value: 0.1, assigned_to: seller.id })
    await lead({ lead_value: 0.2, status: 'closed' })
    await lead({ lead_value: 100, stage_id: stage('Won') })
    await lead({ lead_value: 1000, stage_id: stage('Lost') })
    await lead()
    await lead({ assigned_to: seller.id })
    const { pipeline_value, average_lead_value, conversion_rate, won_this_month, total_leads, my_leads, closed } = await figures()
    assert.deepEqual(
      { pipeline_value, average_lead_value, conversion_rate, won_this_month },
      { pipeline_value: 0.3, average_lead_value: 275.08, conversion_rate: 16.7, won_this_month: 1 },
    )
    assert.deepEqual([total_leads, my_leads, closed], [6, 4, 1])
  })

  it('follow the filters and the sight of who asks (LEAD-33)', async () => {
    const own = await figures('', seller)
    assert.partialDeepStrictEqual(own, { total_leads: 2, pipeline_value: 0.1, average_lead_value: 0.1, scope: 'mine' })
    const valued = await figures('?lead_value_min=1')
    assert.partialDeepStrictEqual(valued, { total_leads: 2, pipeline_value: 0, conversion_rate: 50 })
  })

  it('count what was won in the month of the workspace’s calendar, and is won still', async () => {
    world.clock.set('2027-01-31T14:30:00Z') // 23:30 in Tokyo
    const [kept, lost] = [await lead(), await lead()]
    await move(kept, 'Won')
    await move(lost, 'Won')
    assert.equal((await figures()).won_this_month, 2)
    await move(lost, 'Lost')
    assert.equal((await figures()).won_this_month, 1)
    world.clock.set('2027-01-31T15:30:00Z') // half past midnight, in February
    assert.equal((await figures()).won_this_month, 0)
    await firm.owner.put(`/leads/${kept}`, { stage_id: stage('Qualified') })
    await move(kept, 'Won')
    assert.equal((await figures()).won_this_month, 1)
  })

  it('count the follow-ups of today and those whose time has passed', async () => {
    world.clock.set('2027-03-02T03:00:00Z') // noon in Tokyo
    const id = await lead({ name: 'Planned', assigned_to: seller.id })
    for (const due_at of ['2027-03-01T23:59', '2027-03-02T00:00', '2027-03-02T18:00', '2027-03-03T00:00'])
      await firm.owner.post(`/leads/${id}/follow-ups`, { title: 'Call', due_at })
    const due = async (query = '', by?: Person) => {
      const { todays_follow_ups, overdue_follow_ups } = await figures(query, by)
      return [todays_follow_ups, overdue_follow_ups]
    }
    assert.deepEqual(await due(), [2, 2])
    assert.deepEqual(
      [await due('', seller), await due('?my_leads=true')],
      [
        [2, 2],
        [0, 0],
      ],
    )
    const { follow_ups } = (await firm.owner.get(`/leads/${id}`)).body.data
    await firm.owner.post(`/leads/${id}/follow-ups/${follow_ups[0].id}/complete`)
    assert.deepEqual(await due(), [2, 1])
    await firm.owner.del(`/leads/${id}`)
    assert.deepEqual(
      [await due(), await due('?trashed=only')],
      [
        [0, 0],
        [2, 1],
      ],
    )
  })
})
