import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const WORK = ['projects.view', 'projects.create', 'projects.update']

let acme: Workspace
let owner: Person

before(async () => {
  world.clock.set('2026-12-04T23:30:00.000Z') // in Paris it is the fifth
  acme = await world.workspace({ timezone: 'Europe/Paris' })
  owner = acme.owner
})

async function project(fields: object = {}, by = owner) {
  const { status, body } = await by.post('/projects', { title: 'Move', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

const titles = ({ body }: Reply) => body.data.map(({ title }: { title: string }) => title).sort()
const refused = ({ status, body }: Reply) => [status, ...Object.keys(body.errors ?? {})]

describe('a project', () => {
  it('starts planned, given to nobody, without members and links (PRJ-01, PRJ-05, PRJ-12)', async () => {
    const { id, uuid, notes, activities, ...made } = await project({ title: ' Office move ', description: '' })
    assert.match(uuid, /^[0-9a-f-]{36}$/)
    assert.ok(Number.isInteger(id))
    const { creator, created_at, updated_at, ...plain } = made
    assert.deepEqual([creator.id, created_at, updated_at], [owner.id, '2026-12-04T23:30:00.000Z', '2026-12-04T23:30:00.000Z'])
    assert.deepEqual(plain, {
      title: 'Office move',
      description: null,
      status: 'planned',
      contact_id: null,
      contact: null,
      company_id: null,
      company: null,
      opportunity_id: null,
      opportunity: null,
      starts_on: null,
      ends_on: null,
      assigned_to: null,
      assignee: null,
      members: [],
      latest_note: null,
      external_id: null,
      deleted_at: null,
    })
    assert.deepEqual([notes, activities.length], [[], 1])
  })

  it('names each wrong field (PRJ-02, PRJ-15)', async () => {
    const wrong = {
      title: ' ',
      description: 'x'.repeat(65_536),
      contact_id: -1,
      company_id: 'Acme',
      opportunity_id: 1.5,
      starts_on: '2026-02-30',
      ends_on: 'soon',
      assigned_to: 'me',
      member_ids: 'all',
    }
    const reply = await owner.post('/projects', wrong)
    assert.deepEqual(refused(reply).sort(), [422, ...Object.keys(wrong)].sort())
  })

  it('ends on the day on which it starts, or later (PRJ-07)', async () => {
    const { id } = await project({ starts_on: '2026-03-01', ends_on: '2026-03-01' })
    const wrong = { starts_on: '2027-01-02', ends_on: '2027-01-01' }
    assert.deepEqual(refused(await owner.post('/projects', { title: 'x', ...wrong })), [422, 'ends_on'])
    for (const fields of [wrong, { ends_on: '2026-02-28' }, { starts_on: '2026-03-02' }])
      assert.deepEqual(refused(await owner.put(`/projects/${id}`, fields)), [422, 'ends_on'], JSON.stringify(fields))
    for (const fields of [
      { ends_on: null, starts_on: '2026-03-02' },
      { ends_on: '2026-02-28', starts_on: null },
    ])
      assert.equal((await owner.put(`/projects/${id}`, fields)).status, 200, JSON.stringify(fields))
  })

  it('has a story of its own, told in every type of entry (PRJ-33)', async () => {
    const { id } = await project({ title: 'Told' })
    const ann = await acme.user(WORK, 'Ann Ash')
    await owner.put(`/projects/${id}`, { title: 'Told again' })
    await owner.post(`/projects/${id}/assign`, { assigned_to: ann.id })
    await owner.put(`/projects/${id}/members`, { member_ids: [owner.id] })
    await ann.post(`/projects/${id}/status`, { status: 'active' })
    assert.equal((await ann.post(`/projects/${id}/notes`, { body: 'Boxes are here.' })).status, 201)
    await owner.del(`/projects/${id}`)
    await owner.post(`/projects/${id}/restore`)
    const { body } = await owner.get(`/projects/${id}/timeline`)
    assert.deepEqual(
      body.data.map(({ type, description }: { type: string; description: string }) => [type, description]),
      [
        ['restored', 'Restored'],
        ['deleted', 'Deleted'],
        ['note_added', 'Note added'],
        ['status_changed', 'Status changed from planned to active'],
        ['members_synced', 'Members changed: Olive Owner added'],
        ['assigned', 'Assigned to Ann Ash'],
        ['updated', 'Changed title'],
        ['created', 'Created'],
      ],
    )
    const [listed] = (await owner.get('/projects', { query: { search: 'told AGAIN' } })).body.data
    assert.equal(listed.latest_note.body, 'Boxes are here.')
    const { notes, activities } = (await owner.get(`/projects/${id}`)).body.data
    assert.deepEqual([notes.length, activities.length], [1, 8])
  })
})

describe('the status of a project', () => {
  const follow: Record<string, string[]> = {
    planned: ['active', 'cancelled'],
    active: ['on_hold', 'completed', 'cancelled'],
    on_hold: ['active', 'cancelled'],
    completed: [],
    cancelled: [],
  }
  /** Moves from `planned` to each state. */
  const ways: Record<string, string[]> = {
    planned: [],
    active: ['active'],
    on_hold: ['active', 'on_hold'],
    completed: ['active', 'completed'],
    cancelled: ['cancelled'],
  }

  it('moves along the graph and nowhere else (PRJ-17 … PRJ-20, PRJ-22)', async () => {
    for (const [from, next] of Object.entries(follow))
      for (const to of Object.keys(follow)) {
        const { id } = await project()
        for (const status of ways[from]!)
          assert.equal((await owner.post(`/projects/${id}/status`, { status })).body.data.status, status)
        const reply = await owner.post(`/projects/${id}/status`, { status: to })
        if (next.includes(to)) assert.equal(reply.body.data.status, to)
        else assert.deepEqual(refused(reply), [422, 'status'], `${from} to ${to}`)
      }
  })

  it('is changed by whoever may update, and by no other field or route (PRJ-16, PRJ-21)', async () => {
    const viewer = await acme.user(['projects.view', 'projects.assign'])
    const { id } = await project({ status: 'active' })
    assert.equal((await viewer.post(`/projects/${id}/status`, { status: 'active' })).status, 403)
    const saved = await owner.put(`/projects/${id}`, { status: 'active', title: 'Renamed' })
    assert.partialDeepStrictEqual(saved.body.data, { status: 'planned', title: 'Renamed' })
  })

  it('moves once, whoever clicks', async () => {
    const { id } = await project()
    const moves = await Promise.all([1, 2, 3, 4].map(() => owner.post(`/projects/${id}/status`, { status: 'cancelled' })))
    assert.deepEqual(moves.map(({ status }) => status).sort(), [200, 422, 422, 422])
    const { activities } = (await owner.get(`/projects/${id}`)).body.data
    assert.equal(activities.filter(({ type }: { type: string }) => type === 'status_changed').length, 1)
  })
})

describe('what a project is linked to', () => {
  it('must have its module (GEN-10)', async () => {
    const firm = await world.workspace({ modules: ['projects', 'contacts', 'companies', 'opportunities'] })
    const made = async (path: string, body: object) => (await firm.owner.post(path, body)).body.data.id
    const links = {
      contact_id: await made('/contacts', { name: 'Fay Fir' }),
      company_id: await made('/companies', { name: 'Fir' }),
      opportunity_id: await made('/opportunities', { name: 'Sawmill' }),
    }
    const id = await made('/projects', { title: 'Linked', ...links })
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1 AND module_key <> 'projects'`, [
      firm.id,
    ])
    await world.sql('UPDATE access_revisions SET revision = revision + 1 WHERE tenant_id = $1', [firm.id])
    for (const [field, to] of Object.entries(links)) {
      const reply = await firm.owner.post('/projects', { title: 'Linked', [field]: to })
      assert.deepEqual(refused(reply), [422, field])
      assert.match(reply.body.errors![field]![0]!, /its module is not installed/)
    }
    const shown = (await firm.owner.get(`/projects/${id}`)).body.data
    assert.deepEqual([shown.contact_id, shown.company_id, shown.opportunity_id], Object.values(links))
    assert.partialDeepStrictEqual(shown, { contact: null, company: null, opportunity: null })
    assert.equal((await firm.owner.put(`/projects/${id}`, { title: 'Renamed', ...links })).status, 200)
  })

  const kinds = [
    { kind: 'contact', path: '/contacts' },
    { kind: 'company', path: '/companies' },
    { kind: 'opportunity', path: '/opportunities' },
  ] as const
  const views = ['contacts.view', 'companies.view', 'opportunities.view']

  it('must be in sight, and is named to whoever sees it (PRJ-06)', async () => {
    const ben = await acme.user([...WORK, ...views, 'projects.assign'])
    for (const { kind, path } of kinds) {
      const field = `${kind}_id`
      const link = (await owner.post(path, { name: 'Fir' })).body.data.id
      const { id } = await project({ title: 'Sawmill', [field]: link })
      const linked = { id: link, name: 'Fir' }
      assert.deepEqual((await owner.get(`/projects/${id}`)).body.data[kind], linked)
      assert.deepEqual(
        (await owner.get('/projects', { query: { [field]: link } })).body.data.map((one: never) => one[kind]),
        [linked],
      )
      assert.deepEqual(refused(await ben.post('/projects', { title: 'x', [field]: link })), [422, field])
      assert.equal((await ben.get(`/projects/${id}`)).body.data[kind], null)
      assert.equal((await ben.put(`/projects/${id}`, { title: 'Saw', [field]: link })).status, 200)
    }
  })

  it('is let go of when it is deleted for good', async () => {
    const links: Record<string, number> = {}
    for (const { kind, path } of kinds) links[`${kind}_id`] = (await owner.post(path, { name: 'Gum' })).body.data.id
    const { id } = await project(links)
    for (const { kind, path } of kinds) {
      await owner.del(`${path}/${links[`${kind}_id`]}`)
      assert.equal((await owner.del(`${path}/${links[`${kind}_id`]}/force`)).status, 200, kind)
    }
    const { contact_id, company_id, opportunity_id } = (await owner.get(`/projects/${id}`)).body.data
    assert.deepEqual([contact_id, company_id, opportunity_id], [null, null, null])
  })
})

describe('who sees a project', () => {
  let firm: Workspace
  let ann: Person
  let ben: Person
  let cleo: Person
  let dan: Person
  let ids: Record<string, number>
  const ALL = [...WORK, 'projects.delete', 'projects.restore', 'projects.force.delete', 'tasks.create']

  before(async () => {
    firm = await world.workspace({ modules: ['projects', 'tasks'] })
    ann = await firm.user(ALL, 'Ann')
    ben = await firm.user(ALL, 'Ben')
    cleo = await firm.user(ALL, 'Cleo')
    dan = await firm.user([...WORK, 'projects.assign'], 'Dan')
    const make = async (title: string, fields: object, by = firm.owner) => (await project({ title, ...fields }, by)).id
    ids = {
      assigned: await make('Assigned', { assigned_to: ann.id, ends_on: '2026-12-01' }),
      joined: await make('Joined', { member_ids: [ann.id, ben.id] }),
      made: await make('Made', { assigned_to: firm.owner.id, member_ids: [firm.owner.id] }, ann),
      foreign: await make('Foreign', { assigned_to: ben.id, member_ids: [cleo.id], ends_on: '2026-12-01' }),
    }
    await firm.owner.post(`/projects/${ids.made}/assign`, { assigned_to: ben.id })
  })

  const mine = ['Assigned', 'Joined', 'Made']
  const all = ['Assigned', 'Foreign', 'Joined', 'Made']

  it('is its assignee, its members and its creator; and whoever may assign (PRJ-36)', async () => {
    assert.deepEqual(titles(await ann.get('/projects')), mine)
    assert.deepEqual(titles(await ben.get('/projects')), ['Foreign', 'Joined', 'Made'])
    assert.deepEqual(titles(await cleo.get('/projects')), ['Foreign'])
    for (const person of [dan, firm.owner]) assert.deepEqual(titles(await person.get('/projects')), all)
    assert.equal((await ann.get('/projects')).body.meta.total, 3)
  })

  it('is who finds, counts and searches it', async () => {
    assert.deepEqual(titles(await ann.get('/projects?search=foreign')), [])
    assert.deepEqual(titles(await ann.get(`/projects?assigned_to=${ben.id}`)), ['Made'])
    assert.deepEqual(titles(await ann.get('/projects?my_projects=true')), ['Assigned'])
    assert.deepEqual(titles(await ann.get('/projects?overdue=true')), ['Assigned'])
    const figures = { active: 0, active_projects: 0, on_hold: 0, completed: 0, cancelled: 0 }
    const counts = { total_projects: 3, my_projects: 1, planned: 3, ...figures, overdue: 1, overdue_projects: 1, scope: 'mine' }
    assert.deepEqual((await ann.get('/projects/stats')).body.data, counts)
    const whole = { ...counts, total_projects: 4, my_projects: 0, planned: 4, overdue: 2, overdue_projects: 2, scope: 'org' }
    assert.deepEqual((await dan.get('/projects/stats')).body.data, whole)
    const [planned] = (await ann.get('/projects/board')).body.data
    assert.deepEqual([planned.project_count, titles({ body: { data: planned.projects } } as Reply)], [3, mine])
    const widget = (await ann.get('/dashboard')).body.data.widgets.find(({ key }: { key: string }) => key === 'overdue_projects')
    assert.deepEqual([widget.data.total_count, widget.data.rows[0].title], [1, 'Assigned'])
  })

  it('is who reads and changes it; to the others there is none (AUTH-11)', async () => {
    const path = `/projects/${ids.foreign}`
    for (const asked of [
      ann.get(path),
      ann.put(path, { title: 'Mine' }),
      ann.del(path),
      ann.post(`${path}/status`, { status: 'active' }),
      ann.post(`${path}/notes`, { body: 'Hello' }),
      ann.get(`${path}/notes`),
      ann.get(`${path}/timeline`),
    ])
      assert.equal((await asked).status, 404)
    assert.deepEqual(refused(await ann.post('/tasks', { title: 'Spy', project_id: ids.foreign })), [422, 'project_id'])
    await firm.owner.del(path)
    for (const asked of [ann.post(`${path}/restore`), ann.del(`${path}/force`)]) assert.equal((await asked).status, 404)
    assert.equal((await cleo.post(`${path}/restore`)).status, 200)

    for (const id of [ids.assigned, ids.joined, ids.made])
      assert.equal((await ann.put(`/projects/${id}`, { description: 'Read.' })).status, 200)
  })

  it('is nobody any more who was dismissed', async () => {
    const { id } = await project({ title: 'Left', member_ids: [cleo.id] }, firm.owner)
    assert.equal((await cleo.get(`/projects/${id}`)).status, 200)
    await dan.put(`/projects/${id}/members`, { member_ids: [] })
    assert.equal((await cleo.get(`/projects/${id}`)).status, 404)
  })
})

describe('lists and figures', () => {
  let firm: Workspace

  before(async () => {
    firm = await world.workspace({ modules: ['projects'], timezone: 'Pacific/Auckland' })
    const made = [
      { title: 'Late', ends_on: '2026-12-04' },
      { title: 'Today', ends_on: '2026-12-05', status: 'active' },
      { title: 'Never', status: 'active', assigned_to: firm.owner.id },
      { title: 'Late and held', ends_on: '2020-01-01', status: 'on_hold' },
      { title: 'Late but done', ends_on: '2020-01-01', status: 'completed' },
      { title: 'Late but off', ends_on: '2020-01-01', status: 'cancelled' },
    ]
    for (const { status, ...fields } of made) {
      const { id } = await project(fields, firm.owner)
      await world.sql('UPDATE projects SET status = $2 WHERE id = $1', [id, status ?? 'planned'])
    }
  })

  it('call overdue what is open and ended before today, which is the workspace’s (PRJ-23, PRJ-24)', async () => {
    const late = ['Late', 'Late and held']
    assert.deepEqual(titles(await firm.owner.get('/projects?overdue=true')), late)
    assert.deepEqual(titles(await firm.owner.get('/projects?overdue=1&status=on_hold')), ['Late and held'])
    assert.deepEqual(titles(await firm.owner.get('/projects?overdue=false')), ['Late but done', 'Late but off', 'Never', 'Today'])
    const widgets: { key: string; data: { total_count: number; rows: { title: string }[] } }[] = (
      await firm.owner.get('/dashboard')
    ).body.data.widgets
    const card = (key: string) => widgets.find((widget) => widget.key === key)!.data
    assert.deepEqual(
      [card('overdue_projects').total_count, card('overdue_projects').rows.map(({ title }) => title)],
      [2, late.toReversed()],
    )
    assert.deepEqual([card('active_projects').total_count, card('active_projects').rows.length], [2, 2])
    assert.deepEqual(Object.keys(card('active_projects').rows[0]!), [
      'id',
      'uuid',
      'title',
      'status',
      'starts_on',
      'ends_on',
      'company',
      'assignee',
    ])
  })

  it('count under the list’s filters (PRJ-25)', async () => {
    const stats = async (query = '') => (await firm.owner.get(`/projects/stats${query}`)).body.data
    assert.deepEqual(await stats(), {
      total_projects: 6,
      my_projects: 1,
      planned: 1,
      active: 2,
      active_projects: 2,
      on_hold: 1,
      completed: 1,
      cancelled: 1,
      overdue: 2,
      overdue_projects: 2,
      scope: 'org',
    })
    const some = async (query: string) => {
      const { total_projects, active, active_projects, overdue, overdue_projects } = await stats(query)
      return [total_projects, active, active_projects, overdue, overdue_projects]
    }
    assert.deepEqual(await some('?status=on_hold'), [1, 0, 0, 1, 1])
    assert.deepEqual(await some('?overdue=true'), [2, 0, 0, 2, 2])
    assert.deepEqual(await some('?overdue=false'), [4, 2, 2, 0, 0])
    assert.deepEqual(await some('?search=late'), [4, 0, 0, 2, 2])
    assert.deepEqual(await some('?my_projects=true'), [1, 1, 1, 0, 0])
  })

  it('refuse what makes no sense', async () => {
    for (const [name, value] of Object.entries({
      status: 'open',
      contact_id: 'x',
      assigned_to: 'me',
      my_projects: 'yes',
      overdue: 'very',
      trashed: 'no',
      sort: 'members',
      direction: 'up',
    }))
      for (const path of ['/projects', '/projects/board'])
        assert.deepEqual(refused(await firm.owner.get(path, { query: { [name]: value } })), [422, name], `${path}?${name}`)
  })
})
