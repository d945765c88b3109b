import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

interface Column {
  status: string
  project_count: number
  projects: {
    title: string
    members: { name: string }[]
    company: { name: string } | null
    latest_note: { body: string } | null
  }[]
}

const columns = async (query: Record<string, string | number> = {}, by = firm.owner): Promise<Column[]> => {
  const { status, body } = await by.get('/projects/board', { query })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.meta, null)
  return body.data
}
/** Returns count and titles of the non-empty columns: `{ planned: '3 C B A' }`. */
const board = async (query: Record<string, string | number> = {}, by = firm.owner) =>
  Object.fromEntries(
    (await columns(query, by))
      .filter(({ project_count }) => project_count)
      .map(({ status, project_count, projects }) => [status, [project_count, ...projects.map(({ title }) => title)].join(' ')]),
  )

let company: number

before(async () => {
  firm = await world.workspace({ modules: ['projects', 'companies'] })
  company = (await firm.owner.post('/companies', { name: 'Fir' })).body.data.id
  const made: [title: string, status: string, fields?: object][] = [
    ['A', 'planned', { ends_on: '2020-05-01', company_id: company }],
    ['B', 'planned', { ends_on: '2020-04-01', assigned_to: firm.owner.id }],
    ['C', 'planned'],
    ['D', 'active', { ends_on: '2020-06-01', company_id: company }],
    ['E', 'active', { ends_on: '2999-01-01' }],
    ['F', 'completed', { ends_on: '2020-01-01' }],
    ['G', 'active'],
  ]
  for (const [n, [title, status, fields]] of made.entries()) {
    world.clock.set(`2026-12-04T08:00:0${n}.000Z`)
    const { id } = (await firm.owner.post('/projects', { title, ...fields })).body.data
    await world.sql('UPDATE projects SET status = $2 WHERE id = $1', [id, status])
    if (title === 'G') await firm.owner.del(`/projects/${id}`)
  }
})

describe('the board of projects', () => {
  it('has one column for each status, in their order, the newest first (PRJ-26)', async () => {
    const all = await columns()
    assert.deepEqual(
      all.map(({ status }) => status),
      ['planned', 'active', 'on_hold', 'completed', 'cancelled'],
    )
    assert.deepEqual(await board(), { planned: '3 C B A', active: '2 E D', completed: '1 F' })
    assert.deepEqual(all[2], { status: 'on_hold', project_count: 0, projects: [] })
  })

  it('shows of each what the list shows', async () => {
    const listed = (await firm.owner.get('/projects', { query: { status: 'active' } })).body.data
    assert.deepEqual((await columns())[1]!.projects, listed)
    assert.deepEqual(listed[1].company, { id: company, name: 'Fir' })
  })

  it('is cut at per_column and counts on (PRJ-27)', async () => {
    assert.deepEqual(await board({ per_column: 1 }), { planned: '3 C', active: '2 E', completed: '1 F' })
    assert.deepEqual(await board({ per_column: 2 }), { planned: '3 C B', active: '2 E D', completed: '1 F' })
    assert.deepEqual(await board({ per_column: 100 }), await board())
    assert.deepEqual(await board({ per_column: '' }), await board())
  })

  it('refuses another per_column (PRJ-27)', async () => {
    for (const per_column of ['0', '101', '-1', '2.5', 'x', 'NaN', '1e9', '99999999999999999999', '1,2', 'true']) {
      const { status, body } = await firm.owner.get('/projects/board', { query: { per_column } })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['per_column']], per_column)
      assert.equal(body.errors!.per_column![0], 'Must be a whole number from 1 to 100.')
    }
    assert.equal((await firm.owner.get('/projects/board?per_column=1&per_column=2')).status, 422)
  })

  it('follows the list’s filters (PRJ-26)', async () => {
    assert.deepEqual(await board({ status: 'active' }), { active: '2 E D' })
    assert.deepEqual(await board({ search: 'b' }), { planned: '1 B' })
    assert.deepEqual(await board({ company_id: company }), { planned: '1 A', active: '1 D' })
    assert.deepEqual(await board({ overdue: 'true' }), { planned: '2 B A', active: '1 D' })
    assert.deepEqual(await board({ my_projects: 'true' }), { planned: '1 B' })
    assert.deepEqual(await board({ assigned_to: 'unassigned', status: 'planned' }), { planned: '2 C A' })
    assert.deepEqual(await board({ trashed: 'only' }), { active: '1 G' })
    assert.deepEqual(await board({ trashed: 'with', status: 'active' }), { active: '3 G E D' })
    assert.deepEqual(await board({ contact_id: 7 }), {})
  })

  it('is sorted as the list, in each column', async () => {
    assert.deepEqual(await board({ sort: 'ends_on', direction: 'asc' }), {
      planned: '3 B A C',
      active: '2 D E',
      completed: '1 F',
    })
    assert.deepEqual(await board({ sort: 'title', per_column: 1 }), { planned: '3 A', active: '2 D', completed: '1 F' })
    assert.deepEqual(await board({ sort: 'title', direction: 'desc', per_column: 2 }), {
      planned: '3 C B',
      active: '2 E D',
      completed: '1 F',
    })
  })

  it('shows and counts what the actor sees', async () => {
    const ann = await firm.user(['projects.view'], 'Ann Ash')
    assert.deepEqual(await board({}, ann), {})
    const [a, b] = (await firm.owner.get('/projects', { query: { sort: 'title', direction: 'asc' } })).body.data
    await firm.owner.put(`/projects/${a.id}/members`, { member_ids: [ann.id] })
    await firm.owner.post(`/projects/${b.id}/assign`, { assigned_to: ann.id })
    assert.deepEqual(await board({}, ann), { planned: '2 B A' })
    assert.deepEqual(await board({ my_projects: 'true' }, ann), { planned: '1 B' })
    const [planned] = await columns({}, ann)
    const shown = planned!.projects.find(({ title }) => title === 'A')!
    assert.deepEqual([shown.members.map(({ name }) => name), shown.company], [['Ann Ash'], null]) // companies are assigned too
  })
})
