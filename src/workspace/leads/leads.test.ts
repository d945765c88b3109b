import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { eligible, rememberAssignments } from './assignment.ts'
import { reserveIds } from './leads.ts'
import { draftOf, insertLeads, readImportContext } from './saving.ts'
import { CreateLead } from './schema.ts'

const world = await startTest()
let firm: Workspace
/** User who sees only their own leads. */
let seller: Person

before(async () => {
  firm = await world.workspace({ modules: ['leads'], timezone: 'America/New_York' })
  seller = await firm.user(['leads.view', 'leads.create', 'leads.update', 'leads.export', 'leads.delete'])
})

const direct = { name: 'Ann Ash', lead_type: 'direct' }
const make = async (by: Person, body: object = {}) => {
  const reply = await by.post('/leads', { ...direct, ...body })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data
}
const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]
const names = ({ body }: Reply) => body.data.map(({ name }: { name: string }) => name).sort()
const typesOf = (lead: { activities: { type: string }[] }) => lead.activities.map(({ type }) => type)
const stages = async () => (await firm.owner.get('/lead-stages')).body.data as { id: number; name: string }[]
const stage = async (name: string) => (await stages()).find((one) => one.name === name)!.id

describe('a new lead', () => {
  it('of a program is nobody’s, and a program that holds leads.assign finds it again', async () => {
    const create = async (name: string, permissions: string[]) => {
      await firm.owner.post('/roles', { name, permissions })
      const account = (await firm.owner.post('/service-accounts', { name, role: [name] })).body.data
      return world.tenant((await firm.owner.post(`/service-accounts/${account.id}/keys`, { name, scopes: ['*'] })).body.data.key)
    }
    const put = (by: any, name: string) => by.put('/leads/external/form-1', { ...direct, name })
    const desk = await create('desk', ['leads.view', 'leads.create', 'leads.update', 'leads.assign'])
    const { status, body } = await put(desk, 'Ann Ash')
    assert.deepEqual([status, body.data.assigned_to], [201, null], body.message)
    assert.equal((await put(desk, 'Ann Birch')).status, 200)
    const form = await create('form', ['leads.view', 'leads.create', 'leads.update'])
    assert.ok((await put(form, 'Ann Elm')).body.errors.external_id)
  })

  it('is its creator’s, active, of medium priority and in the first stage, with the tag of its type (LEAD-05, LEAD-07, LEAD-08, LEAD-09)', async () => {
    const lead = await make(firm.owner, { email: ' Ann@Ash.TEST ', lead_value: 1200.5 })
    assert.deepEqual(
      {
        assigned_to: lead.assigned_to,
        status: lead.status,
        priority: lead.priority,
        stage: lead.stage.name,
        email: lead.email,
        lead_value: lead.lead_value,
      },
      {
        assigned_to: firm.owner.id,
        status: 'active',
        priority: 'medium',
        stage: 'New',
        email: 'ann@ash.test',
        lead_value: 1200.5,
      },
    )
    assert.deepEqual(
      lead.tags.map(({ name }: { name: string }) => name),
      ['Direct Lead'],
    )
    assert.partialDeepStrictEqual(lead, { is_converted: false, converted_at: null, conversion_meta: null, next_follow_up: null })
    assert.deepEqual(typesOf(lead), ['created'])
  })

  it('takes its value by the older name, which counts less (LEAD-04)', async () => {
    assert.equal((await make(firm.owner, { estimated_value: 7 })).lead_value, 7)
    assert.equal((await make(firm.owner, { estimated_value: 7, lead_value: 8 })).lead_value, 8)
    const { id } = await make(firm.owner, { lead_value: 1 })
    assert.equal((await firm.owner.put(`/leads/${id}`, { estimated_value: 9 })).body.data.lead_value, 9)
    assert.equal((await firm.owner.put(`/leads/${id}`, { lead_value: null })).body.data.lead_value, null)
  })

  it('says what is wrong with it (LEAD-02, LEAD-37)', async () => {
    assert.deepEqual(refused(await firm.owner.post('/leads', { name: 'A' })), [422, ['lead_type']])
    assert.deepEqual(refused(await firm.owner.post('/leads', { ...direct, stage_id: 999_999 })), [422, ['stage_id']])
    assert.deepEqual(refused(await firm.owner.post('/leads', { ...direct, lead_value: 0.001 })), [422, ['lead_value']])
    assert.deepEqual(refused(await firm.owner.post('/leads', { ...direct, tag_ids: [1, 999_999] })), [422, ['tag_ids.1']])
    assert.deepEqual(refused(await firm.owner.post('/leads', { ...direct, follow_up: { title: 'Call', due_at: 'soon' } })), [
      422,
      ['follow_up.due_at'],
    ])
    assert.deepEqual(
      refused(await firm.owner.post('/leads', { ...direct, lead_type: 'x', priority: 'x', status: 'won', lead_value: -1 })),
      [422, ['lead_type', 'lead_value', 'priority', 'status']],
    )
  })
})

describe('a change', () => {
  it('of the type swaps the tag of the type, and no other (LEAD-39)', async () => {
    const hot = (await firm.owner.get('/lead-tags?search=hot')).body.data[0].id
    const { id } = await make(firm.owner, { tag_ids: [hot] })
    const tags = async (change: object) => {
      const { body } = await firm.owner.put(`/leads/${id}`, change)
      return body.data.tags.map(({ slug }: { slug: string }) => slug)
    }
    assert.deepEqual(await tags({ lead_type: 'company' }), ['company-lead', 'hot'])
    assert.deepEqual(await tags({ lead_type: 'direct', tag_ids: [] }), ['direct-lead'])
  })

  it('of the status tells it once, and leaves the stage', async () => {
    const { id } = await make(firm.owner)
    const { data } = (await firm.owner.put(`/leads/${id}`, { status: 'on_hold', source: 'Fair' })).body
    assert.deepEqual([data.status, data.stage.name, typesOf(data)], ['on_hold', 'New', ['status_changed', 'updated', 'created']])
    assert.equal(data.activities[1].description, 'Changed source')
  })

  it('of the stage leaves the status, and the same stage again is none (LEAD-45)', async () => {
    const { id } = await make(firm.owner)
    const won = await stage('Won')
    const moved = (await firm.owner.post(`/leads/${id}/stage`, { stage_id: won })).body.data
    assert.deepEqual(
      [moved.stage.is_won, moved.status, moved.activities[0].description],
      [true, 'active', 'Stage changed from New to Won'],
    )
    assert.equal((await firm.owner.put(`/leads/${id}`, { stage_id: won })).body.data.activities.length, 2)
    assert.deepEqual(refused(await firm.owner.post(`/leads/${id}/stage`, { stage_id: 999_999 })), [422, ['stage_id']])
    const other = await world.workspace({ modules: ['leads'] })
    const theirs = (await other.owner.get('/lead-stages')).body.data[0].id
    assert.deepEqual(refused(await firm.owner.put(`/leads/${id}`, { stage_id: theirs })), [422, ['stage_id']])
  })

  it('that comes twice at once is told twice, from where it then stood', async () => {
    const { id } = await make(firm.owner)
    const [contacted, lost] = [await stage('Contacted'), await stage('Lost')]
    await Promise.all([contacted, lost].map((stage_id) => firm.owner.post(`/leads/${id}/stage`, { stage_id })))
    const { activities } = (await firm.owner.get(`/leads/${id}`)).body.data
    const moves = activities
      .filter(({ type }: { type: string }) => type === 'stage_changed')
      .toSorted((a: { id: number }, b: { id: number }) => b.id - a.id) // their order of creation may differ
    assert.equal(moves.length, 2)
    assert.equal(moves[0].properties.from, moves[1].properties.to)
  })
})

describe('whoever may not assign', () => {
  it('sees their own leads only, wherever leads are (LEAD-79)', async () => {
    const theirs = await make(firm.owner, { name: 'Zoe of somebody' })
    await make(seller, { name: 'Yan of the seller' })
    assert.deepEqual(names(await seller.get('/leads')), ['Yan of the seller'])
    assert.deepEqual(names(await seller.get('/leads?search=of')), ['Yan of the seller'])
    assert.deepEqual(names(await seller.get('/leads?trashed=with')), ['Yan of the seller'])
    const stats = (await seller.get('/leads/stats')).body.data
    assert.partialDeepStrictEqual(stats, { total_leads: 1, my_leads: 1, scope: 'mine' })
    const columns = (await seller.get('/leads/board')).body.data
    assert.deepEqual(
      columns.map((one: { lead_count: number }) => one.lead_count).reduce((a: number, b: number) => a + b),
      1,
    )
    const file = (await seller.get('/leads/export')).raw.toString()
    assert.ok(file.includes('Yan') && !file.includes('Zoe'))
    for (const path of ['', '/timeline', '/notes', '/follow-ups', '/assignment-history'])
      assert.equal((await seller.get(`/leads/${theirs.id}${path}`)).status, 404, path)
    for (const path of ['/notes', '/stage', '/follow-ups'])
      assert.equal((await seller.post(`/leads/${theirs.id}${path}`, {})).status, 404, path)
    for (const path of ['', '/tags']) assert.equal((await seller.put(`/leads/${theirs.id}${path}`, {})).status, 404, path)
    assert.equal((await seller.del(`/leads/${theirs.id}`)).status, 404)
  })
})

describe('the list', () => {
  let full: Workspace
  const ask = async (query: string) => names(await full.owner.get(`/leads?${query}`)).join()
  before(async () => {
    full = await world.workspace({ modules: ['leads'] })
    for (const { name, lead_value, priority } of [
      { name: 'A', lead_value: 10, priority: 'low' },
      { name: 'B', lead_value: 99.5, priority: 'high' },
      { name: 'C', lead_value: undefined, priority: 'high' },
    ] as const)
      await make(full.owner, {
        name,
        lead_value,
        priority,
        email: `${name}@x.test`,
        phone: `+49 ${name}1`,
        company: `${name} Ltd`,
        job_title: `${name} chief`,
      })
  })

  it('filters by value, priority, status, stage, assignee (LEAD-36)', async () => {
    assert.equal(await ask('lead_value_min=10'), 'A,B')
    assert.equal(await ask('lead_value_min=10.01&lead_value_max=99.5'), 'B')
    assert.equal(await ask('lead_value_max=50'), 'A')
    assert.equal(await ask('priority=high'), 'B,C')
    assert.equal(await ask('status=active&my_leads=true'), 'A,B,C')
    assert.equal(await ask('status=closed'), '')
    assert.equal(await ask('assigned_to=unassigned'), '')
    const [first] = (await full.owner.get('/lead-stages')).body.data
    assert.equal(await ask(`stage_id=${first.id}`), 'A,B,C')
    for (const wrong of ['lead_value_min=ten', 'lead_value_max=-1', 'tag_ids=1,x', 'tag_id=x', 'batch_id=7', 'priority=x'])
      assert.deepEqual(refused(await full.owner.get(`/leads?${wrong}`)), [422, [wrong.split('=')[0]]])
  })

  it('finds what stands on a card', async () => {
    for (const term of ['b@x', '+49 b', 'b ltd', 'B CHIEF']) assert.equal(await ask(`search=${encodeURIComponent(term)}`), 'B')
  })

  it('sorts by what is to be done next', async () => {
    const { data } = (await full.owner.get('/leads')).body
    for (const [n, { id }] of data.entries())
      if (n < 2) await full.owner.post(`/leads/${id}/follow-ups`, { title: 'Call', due_at: `2027-01-0${2 - n}T10:00:00Z` })
    const sorted = (await full.owner.get('/leads?sort=next_follow_up_at&direction=asc')).body.data
    assert.deepEqual(
      sorted.map((lead: { next_follow_up_at: string | null }) => lead.next_follow_up_at?.slice(0, 10)),
      ['2027-01-01', '2027-01-02', undefined],
    )
  })

  it('has a board: a column for each stage (LEAD-35)', async () => {
    const columns = (await full.owner.get('/leads/board?per_column=2')).body.data
    assert.deepEqual(
      columns.map((column: any) => [column.stage.name, column.lead_count, column.total_lead_value, column.leads.length]),
      [
        ['New', 3, 109.5, 2],
        ...['Contacted', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost'].map((name) => [name, 0, 0, 0]),
      ],
    )
    assert.deepEqual(refused(await full.owner.get('/leads/board?per_column=101')), [422, ['per_column']])
    assert.deepEqual(
      Object.keys(columns[0].leads[0])
        .filter((key) => /tags|next|latest/.test(key))
        .sort(),
      [...['latest_note', 'next_follow_up', 'next_follow_up_at', 'tags']],
    )
  })

  it('tells in its timeline why it was moved, where that is said', async () => {
    const { id } = await make(full.owner, { lead_type: 'company', source: 'Moved' })
    const { data } = (await full.owner.get('/lead-stages')).body
    const lost = data.find(({ is_lost }: { is_lost: boolean }) => is_lost).id
    const move = (body: object) => full.owner.post(`/leads/${id}/stage`, { stage_id: lost, ...body })
    assert.deepEqual(refused(await move({ reason: 'x'.repeat(1001) })), [422, ['reason']])
    const { activities } = (await move({ reason: ' Too dear ' })).body.data
    assert.deepEqual(
      [activities[0].description, activities[0].properties.reason],
      ['Stage changed from New to Lost: Too dear', 'Too dear'],
    )
    const found = async (query: string) =>
      (await full.owner.get(`/leads?${query}`)).body.data.map((lead: { id: number }) => lead.id)
    assert.deepEqual(await found('source=Moved&lead_type=company'), [id])
    assert.deepEqual(await found('source=Moved&lead_type=direct'), [])
    await full.owner.del(`/leads/${id}`)
  })

  it('can be had as a file, without formulas (LEAD-41)', async () => {
    await make(full.owner, { name: '=HYPERLINK("x")', phone: '+1 212', source: '@cmd' })
    const file = await full.owner.get('/leads/export?sort=name&direction=asc&lead_value_max=0')
    assert.equal(file.raw.toString().split('\r\n').length, 2, 'the filter holds')
    const lines = (await full.owner.get('/leads/export?search=HYPERLINK')).raw.toString().split('\r\n')
    assert.match(lines[1]!, /^"'=HYPERLINK\(""x""\)",direct,,'\+1 212,,,'@cmd,,medium,active,New,Direct Lead,Olive Owner/)
    const xlsx = await full.owner.get('/leads/export?format=xlsx')
    assert.deepEqual([xlsx.status, xlsx.raw.subarray(0, 2).toString()], [200, 'PK'])
  })
})

describe('notes', () => {
  it('tell whom they mention, and stand in list and detail (LEAD-13, LEAD-47)', async () => {
    const { id } = await make(firm.owner)
    assert.equal((await firm.owner.post(`/leads/${id}/notes`, { body: `Ask @[Sel](${seller.id})` })).status, 201)
    const { notes, latest_note } = (await firm.owner.get(`/leads/${id}`)).body.data
    assert.deepEqual([notes.length, notes[0].body], [1, latest_note.body])
  })

  it('are 10,000 of a record at most', async () => {
    const { id } = await make(firm.owner)
    await world.sql(
      `INSERT INTO notes (tenant_id, subject_type, subject_id, body, created_at)
       SELECT $1, 'leads', $2, 'x', $3 FROM generate_series(1, 9999)`,
      [firm.id, id, world.clock.now()],
    )
    const add = () => firm.owner.post(`/leads/${id}/notes`, { body: 'One more' })
    assert.equal((await add()).status, 201)
    const { status, body } = await add()
    assert.partialDeepStrictEqual(
      { status, errors: body.errors },
      { status: 422, errors: { body: ['A record has at most 10000 notes.'] } },
    )
    await world.sql(`DELETE FROM notes WHERE tenant_id = $1 AND subject_id = $2 AND subject_type = 'leads'`, [firm.id, id])
  })
})

describe('a lead that is deleted for good', () => {
  it('takes with it what belongs to it', async () => {
    const { id } = await make(firm.owner, { follow_up: { title: 'Call', due_at: '2027-01-01T10:00' } })
    await firm.owner.post(`/leads/${id}/assign`, { assigned_to: seller.id })
    await firm.owner.post(`/leads/${id}/notes`, { body: 'x' })
    await firm.owner.del(`/leads/${id}`)
    assert.equal((await firm.owner.del(`/leads/${id}/force`)).status, 200)
    for (const table of ['lead_tag_links', 'lead_follow_ups', 'lead_assignments'])
      assert.deepEqual(await world.sql(`SELECT * FROM ${table} WHERE tenant_id = ${firm.id} AND lead_id = ${id}`), [], table)
  })
})

describe('many leads at once', () => {
  it('are what each would be alone', async () => {
    const bulk = await world.workspace({ modules: ['leads'] })
    const seller = await bulk.user([])
    await bulk.owner.put(`/users/${seller.id}`, { lead_commission_rate: 5 })
    const { data } = (await bulk.owner.get('/lead-tags')).body
    const callBack = data.find(({ slug }: { slug: string }) => slug === 'call-back').id
    const sent = Array.from({ length: 500 }, (_, n) =>
      CreateLead.parse({
        name: `Lead ${n}`,
        lead_type: n % 2 ? 'company' : 'direct',
        ...(n % 3 ? {} : { email: `lead${n}@x.test`, lead_value: n }),
        ...(n % 5 ? {} : { tag_ids: [callBack], follow_up: { title: 'Visit', due_at: '2027-05-05T10:00Z' } }),
      }),
    )
    await bulk.inside(async (ctx) => {
      const [to, ground, ids] = [await eligible(ctx, seller.id), await readImportContext(ctx), await reserveIds(ctx, sent.length)]
      await insertLeads(
        ctx,
        sent.map((one, n) => ({ ...draftOf(ctx, ground, one, to), id: ids[n]! })),
      )
      await rememberAssignments(
        ctx,
        ids.map((lead_id) => ({ lead_id, from: null, to: to.id })),
        { reason: 'Import', source: 'bulk_assign', batch_id: null },
      )
    })
    const stats = (await bulk.owner.get('/leads/stats')).body.data
    assert.partialDeepStrictEqual(stats, { total_leads: 500, active: 500 })
    const [lead] = (await bulk.owner.get('/leads?search=lead%20495')).body.data
    const { email, lead_value, commission_rate, tags, follow_ups, next_follow_up, activities, assignment_histories } = (
      await bulk.owner.get(`/leads/${lead.id}`)
    ).body.data
    assert.deepEqual([email, lead_value, commission_rate], ['lead495@x.test', 495, 5])
    assert.deepEqual(
      tags.map(({ slug }: { slug: string }) => slug),
      ['company-lead', 'call-back'],
    )
    assert.deepEqual([follow_ups.length, next_follow_up.id, activities.length], [2, follow_ups[0].id, 3])
    assert.equal(assignment_histories[0].reason, 'Import')
  })
})
