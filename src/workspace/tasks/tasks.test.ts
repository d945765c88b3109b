import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { on } from '#kernel/modules/events.ts'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const WORK = ['tasks.view', 'tasks.create', 'tasks.update', 'projects.view']
let firm: Workspace
let owner: Person
let ann: Person
let lead: Person

before(async () => {
  world.clock.set('2026-12-04T23:30:00.000Z') // in Paris it is the fifth
  firm = await world.workspace({ modules: ['tasks', 'projects'], timezone: 'Europe/Paris' })
  owner = firm.owner
  ann = await firm.user(WORK, 'Ann')
  lead = await firm.user([...WORK, 'tasks.assign'], 'Lea')
})

async function task(fields: object = {}, by = lead) {
  const { status, body } = await by.post('/tasks', { title: 'Call', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const titles = ({ body }: Reply) => body.data.map(({ title }: { title: string }) => title).sort()
const refused = ({ status, body }: Reply) => [status, ...Object.keys(body.errors ?? {})]
const types = async (id: number) =>
  (await owner.get(`/tasks/${id}`)).body.data.activities.map(({ type }: { type: string }) => type)

describe('a task', () => {
  it('is to do by nobody and at no time, unless it says otherwise', async () => {
    const { status, due_on, project, assigned_to, notes } = await task()
    assert.deepEqual(
      { status, due_on, project, assigned_to, notes },
      { status: 'todo', due_on: null, project: null, assigned_to: null, notes: [] },
    )
    const told = await task({
      status: 'in_progress',
      due_on: '2026-12-24',
      assigned_to: ann.id,
      description: 'Ask for Mrs. Lund.',
    })
    assert.deepEqual(
      { status: told.status, due_on: told.due_on, assignee: told.assignee.name, description: told.description },
      { status: 'in_progress', due_on: '2026-12-24', assignee: 'Ann', description: 'Ask for Mrs. Lund.' },
    )
    assert.deepEqual(titles(await lead.get('/tasks?search=mrs. lund')), ['Call'])
  })

  it('names each wrong field', async () => {
    const wrong = { title: '', description: 7, status: 'open', due_on: '2026-02-30', project_id: 'x', assigned_to: 0 }
    assert.deepEqual(refused(await owner.post('/tasks', wrong)).sort(), [422, ...Object.keys(wrong)].sort())
  })

  it('may come from any state into any other, by either route, told once', async () => {
    const states = ['todo', 'in_progress', 'done', 'cancelled']
    for (const from of states)
      for (const to of states) {
        const { id } = await task({ status: from })
        const put = await lead.put(`/tasks/${id}`, { status: to })
        assert.deepEqual([put.status, put.body.data.status], [200, to])
        assert.deepEqual(await types(id), from === to ? ['created'] : ['status_changed', 'created'])
        const post = await lead.post(`/tasks/${id}/status`, { status: from })
        if (from === to) assert.deepEqual(refused(post), [422, 'status'])
        else assert.equal(post.body.data.status, from)
      }
    const { id } = await task()
    await lead.put(`/tasks/${id}`, { status: 'done', title: 'Called' })
    assert.deepEqual(await types(id), ['status_changed', 'updated', 'created'])
  })

  it('is seen by its assignee, and by whoever may assign', async () => {
    const theirs = await task({ title: 'Theirs', assigned_to: lead.id })
    const mine = await task({ title: 'Mine', assigned_to: lead.id }, ann)
    assert.equal(mine.assigned_to, ann.id)
    const path = `/tasks/${theirs.id}`
    for (const asked of [
      ann.get(path),
      ann.put(path, { title: 'x' }),
      ann.post(`${path}/notes`, { body: 'x' }),
      ann.get(`${path}/timeline`),
    ])
      assert.equal((await asked).status, 404)
    assert.ok(!titles(await ann.get('/tasks')).includes('Theirs'))
    assert.equal((await ann.get('/tasks/stats')).body.data.scope, 'mine')
    const saved = await ann.put(`/tasks/${mine.id}`, { assigned_to: lead.id })
    assert.deepEqual([saved.status, saved.body.data.assigned_to], [200, ann.id])
    assert.equal((await ann.post(`/tasks/${mine.id}/assign`, { assigned_to: null })).status, 403)
  })

  it('is counted and found when it is overdue, by the workspace’s calendar', async () => {
    const late = await world.workspace({ modules: ['tasks'], timezone: 'Europe/Paris' })
    for (const fields of [
      { title: 'Late', due_on: '2026-12-04' },
      { title: 'Started late', due_on: '2026-12-01', status: 'in_progress', assigned_to: late.owner.id },
      { title: 'Today', due_on: '2026-12-05' },
      { title: 'Done', due_on: '2026-12-01', status: 'done' },
      { title: 'Off', due_on: '2026-12-01', status: 'cancelled' },
      { title: 'Some day' },
    ])
      await task(fields, late.owner)
    assert.deepEqual(titles(await late.owner.get('/tasks?overdue=true')), ['Late', 'Started late'])
    assert.deepEqual(titles(await late.owner.get('/tasks?overdue=false')), ['Done', 'Off', 'Some day', 'Today'])
    assert.deepEqual(titles(await late.owner.get('/tasks?open=true')), ['Late', 'Some day', 'Started late', 'Today'])
    assert.deepEqual(titles(await late.owner.get('/tasks?open=false')), ['Done', 'Off'])
    const stats = async (query = '') => (await late.owner.get(`/tasks/stats${query}`)).body.data
    const all = { total_tasks: 6, my_tasks: 1, todo: 3, in_progress: 1, done: 1, cancelled: 1, overdue: 2, scope: 'org' }
    assert.deepEqual(await stats(), all)
    assert.equal((await stats('?overdue=false')).overdue, 0)
    assert.equal((await stats('?my_tasks=true')).overdue, 1)
  })
})

describe('the board of tasks', () => {
  it('has a column for each state, under the list’s filters and to whom they are shown', async () => {
    const { id: project_id } = (await owner.post('/projects', { title: 'Move' })).body.data
    for (const [title, status] of [
      ['Pack', 'todo'],
      ['Load', 'done'],
      ['Drive', 'todo'],
    ] as const) {
      await task({ title, status }, owner)
      await task({ title: `${title} here`, status, project_id, ...(title === 'Drive' ? { assigned_to: ann.id } : {}) }, owner)
    }
    const board = async (by: Person, query: Record<string, string | number>) =>
      (await by.get('/tasks/board', { query })).body.data.map(({ status, task_count, tasks }: any) => [
        ...[status, task_count],
        ...tasks.map(({ title }: { title: string }) => title),
      ])
    assert.deepEqual(await board(owner, { project_id }), [
      ['todo', 2, 'Drive here', 'Pack here'],
      ['in_progress', 0],
      ['done', 1, 'Load here'],
      ['cancelled', 0],
    ])
    assert.deepEqual((await board(owner, { project_id, per_column: 1 }))[0], ['todo', 2, 'Drive here'])
    assert.deepEqual((await board(ann, { search: 'here' }))[0], ['todo', 1, 'Drive here'])
    assert.deepEqual(refused(await owner.get('/tasks/board?per_column=0')), [422, 'per_column'])
    assert.equal((await (await firm.user([])).get('/tasks/board')).status, 403)
  })
})

describe('the project of a task', () => {
  it('is named with its status, to whoever sees it (PRJ-14)', async () => {
    const { id, uuid } = (await owner.post('/projects', { title: 'Move', assigned_to: ann.id })).body.data
    const made = await task({ project_id: id }, ann)
    const named = { id, uuid, title: 'Move', status: 'planned' }
    assert.deepEqual([made.project_id, made.project], [id, named])
    assert.deepEqual(
      (await ann.get('/tasks', { query: { project_id: id } })).body.data.map((one: { project: object }) => one.project),
      [named],
    )
    const seen = (await lead.get(`/tasks/${made.id}`)).body.data
    assert.partialDeepStrictEqual(seen, { project_id: id, project: null })
    assert.deepEqual((await owner.get(`/tasks/${made.id}`)).body.data.project, named)
  })

  it('must be there, live, and in sight (PRJ-13)', async () => {
    const hidden = (await owner.post('/projects', { title: 'Hidden' })).body.data.id
    const gone = (await owner.post('/projects', { title: 'Gone', assigned_to: ann.id })).body.data.id
    await owner.del(`/projects/${gone}`)
    const { id } = await task({}, ann)
    for (const project_id of [hidden, gone, 999_999]) {
      assert.deepEqual(refused(await ann.post('/tasks', { title: 'x', project_id })), [422, 'project_id'])
      assert.deepEqual(refused(await ann.put(`/tasks/${id}`, { project_id })), [422, 'project_id'])
    }
    const bare = await world.workspace({ modules: ['tasks'] })
    assert.deepEqual(refused(await bare.owner.post('/tasks', { title: 'x', project_id: 1 })), [422, 'project_id'])
  })

  it('is let go of when it is deleted for good, by deleted tasks too', async () => {
    const { id } = (await owner.post('/projects', { title: 'Brief' })).body.data
    const tasks = [await task({ project_id: id }, owner), await task({ project_id: id }, owner)]
    await owner.del(`/tasks/${tasks[1].id}`)
    await owner.del(`/projects/${id}`)
    assert.equal((await owner.get(`/tasks/${tasks[0].id}`)).body.data.project_id, id)
    assert.equal((await owner.del(`/projects/${id}/force`)).status, 200)
    await owner.post(`/tasks/${tasks[1].id}/restore`)
    for (const one of tasks) assert.equal((await owner.get(`/tasks/${one.id}`)).body.data.project_id, null)
  })
})

describe('what a task tells other modules', () => {
  it('is whom it is given to, and whom a note mentions', async () => {
    const { modules } = world.services
    const module = modules.workspace.get('tasks')!
    const heard: object[] = []
    modules.listeners = async (event) => [{ module, listener: on(event, async (_, told) => heard.push(told)) }]
    const told = () => heard.splice(0)

    const { id } = await task({ assigned_to: ann.id })
    assert.deepEqual(told(), [{ task_id: id, user_id: ann.id }])
    await task()
    await lead.put(`/tasks/${id}`, { title: 'Called', assigned_to: ann.id })
    await lead.post(`/tasks/${id}/assign`, { assigned_to: ann.id })
    await lead.post(`/tasks/${id}/assign`, { assigned_to: null })
    assert.deepEqual(told(), [])
    await lead.put(`/tasks/${id}`, { assigned_to: lead.id })
    await lead.post(`/tasks/${id}/assign`, { assigned_to: ann.id })
    assert.deepEqual(told(), [
      { task_id: id, user_id: lead.id },
      { task_id: id, user_id: ann.id },
    ])

    const note = await lead.post(`/tasks/${id}/notes`, { body: `@[Ann](${ann.id}) and @[Lea](${lead.id}), please.` })
    assert.deepEqual(told(), [{ table: 'tasks', id, note_id: note.body.data.id, user_ids: [ann.id] }])
  })
})
