import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
let owner: Person
let ann: Person
let ben: Person
let cleo: Person
let lead: Person

before(async () => {
  firm = await world.workspace({ modules: ['projects'] })
  owner = firm.owner
  const work = ['projects.view', 'projects.create', 'projects.update']
  ann = await firm.user(work, 'Ann')
  ben = await firm.user(work, 'Ben')
  cleo = await firm.user(work, 'Cleo')
  lead = await firm.user([...work, 'projects.assign'], 'Lea')
})

async function project(fields: object = {}, by = lead) {
  const { status, body } = await by.post('/projects', { title: 'Move', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const names = ({ members }: { members: { name: string }[] }) => members.map(({ name }) => name)
const refused = ({ status, body }: Reply) => [status, ...Object.keys(body.errors ?? {})]
const read = async (id: number) => (await owner.get(`/projects/${id}`)).body.data
/** Returns assignee and members. */
const team = async (id: number) => {
  const shown = await read(id)
  return [shown.assignee?.name ?? null, ...names(shown)]
}
const synced = async (id: number) => (await read(id)).activities.filter(({ type }: { type: string }) => type === 'members_synced')

describe('members', () => {
  it('are user references, each once, in the order of their names (PRJ-09)', async () => {
    const made = await project({ member_ids: [cleo.id, ann.id, ann.id] })
    assert.deepEqual(made.members, [
      { id: ann.id, name: 'Ann', email: ann.email },
      { id: cleo.id, name: 'Cleo', email: cleo.email },
    ])
    const [listed] = (await owner.get('/projects')).body.data
    assert.deepEqual(listed.members, made.members)
  })

  it('are live users of the workspace, and at most a hundred', async () => {
    const other = await world.workspace({ modules: ['projects'] })
    const { id } = await project()
    const sent = { member_ids: [ann.id, other.owner.id] }
    for (const reply of [
      await lead.post('/projects', { title: 'x', ...sent }),
      await lead.put(`/projects/${id}`, sent),
      await lead.put(`/projects/${id}/members`, sent),
    ])
      assert.deepEqual(refused(reply), [422, 'member_ids.1'])
    const many = await lead.put(`/projects/${id}/members`, { member_ids: Array.from({ length: 101 }, () => ann.id) })
    assert.deepEqual(refused(many), [422, 'member_ids'])
    for (const member_ids of [null, 7, 'x', [null], ['7'], [0], [1.5], { 0: 1 }])
      assert.match(String(refused(await lead.put(`/projects/${id}/members`, { member_ids }))), /^422,member_ids/)
    assert.deepEqual(refused(await lead.put(`/projects/${id}/members`, {})), [422, 'member_ids'])
    assert.deepEqual(await team(id), [null])
  })

  it('are replaced as a whole, which is told (PRJ-31)', async () => {
    const { id } = await project({ member_ids: [ann.id, ben.id] })
    const reply = await lead.put(`/projects/${id}/members`, { member_ids: [cleo.id, ben.id] })
    assert.deepEqual([reply.status, names(reply.body.data)], [200, ['Ben', 'Cleo']])
    const [told] = await synced(id)
    assert.deepEqual(told.properties, { added: [{ id: cleo.id, name: 'Cleo' }], removed: [{ id: ann.id, name: 'Ann' }] })
    assert.equal(told.description, 'Members changed: Cleo added; Ann removed')
    assert.deepEqual(names((await lead.put(`/projects/${id}/members`, { member_ids: [] })).body.data), [])
  })

  it('are the next state of the project, unless they are the same', async () => {
    const { id } = await project({ member_ids: [ann.id, ben.id] })
    const etag = String((await lead.get(`/projects/${id}`)).headers.etag)
    const put = (member_ids: number[]) => lead.put(`/projects/${id}/members`, { member_ids }, { headers: { 'if-match': etag } })
    assert.deepEqual([(await put([ben.id, ann.id])).headers.etag, (await synced(id)).length], [etag, 0])
    assert.notEqual((await put([ben.id])).headers.etag, etag)
    assert.equal((await put([ann.id])).status, 412)
  })

  it('may stay when their user is deleted', async () => {
    const gone = await firm.user([], 'Gil Gone')
    const { id } = await project({ member_ids: [gone.id] })
    await owner.del(`/users/${gone.id}`)
    const reply = await lead.put(`/projects/${id}/members`, { member_ids: [gone.id, ann.id] })
    assert.deepEqual(names(reply.body.data), ['Ann', 'Gil Gone'])
    await lead.put(`/projects/${id}/members`, { member_ids: [ann.id] })
    assert.deepEqual(refused(await lead.put(`/projects/${id}/members`, { member_ids: [gone.id, ann.id] })), [422, 'member_ids.0'])
  })

  it('go with the project, and come back with it', async () => {
    const { id } = await project({ member_ids: [ann.id] })
    await owner.del(`/projects/${id}`)
    assert.deepEqual(names((await owner.post(`/projects/${id}/restore`)).body.data), ['Ann'])
    await owner.del(`/projects/${id}`)
    assert.equal((await owner.del(`/projects/${id}/force`)).status, 200)
    assert.deepEqual(await world.sql('SELECT FROM project_members WHERE project_id = $1', [id]), [])
  })
})

describe('the assignee', () => {
  it('is never a member (PRJ-10, PRJ-30)', async () => {
    const { id } = await project({ assigned_to: ann.id, member_ids: [ann.id, ben.id] })
    assert.deepEqual(await team(id), ['Ann', 'Ben'])
    await lead.put(`/projects/${id}/members`, { member_ids: [ann.id, cleo.id, ben.id] })
    assert.deepEqual(await team(id), ['Ann', 'Ben', 'Cleo'])
    await lead.post(`/projects/${id}/assign`, { assigned_to: ben.id })
    assert.deepEqual(await team(id), ['Ben', 'Cleo'])
    await lead.put(`/projects/${id}`, { assigned_to: cleo.id })
    assert.deepEqual(await team(id), ['Cleo'])
    await lead.put(`/projects/${id}`, { assigned_to: ann.id, member_ids: [ann.id, cleo.id] })
    assert.deepEqual(await team(id), ['Ann', 'Cleo'])
    await lead.post(`/projects/${id}/assign`, { assigned_to: null })
    assert.deepEqual(await team(id), [null, 'Cleo'])
    await lead.put(`/projects/${id}/members`, { member_ids: [ann.id] })
    assert.deepEqual(await team(id), [null, 'Ann'])
  })

  it('is never a member, whatever comes at once', async () => {
    const { id } = await project({ member_ids: [ann.id] })
    const everybody = [ann.id, ben.id, cleo.id]
    for (let round = 0; round < 3; round++) {
      const replies = await Promise.all([
        ...everybody.map((assigned_to) => lead.post(`/projects/${id}/assign`, { assigned_to })),
        ...everybody.map(() => lead.put(`/projects/${id}/members`, { member_ids: everybody })),
        ...everybody.map((assigned_to) => lead.put(`/projects/${id}`, { assigned_to, member_ids: everybody })),
      ])
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200])
      const { assigned_to, members } = await read(id)
      assert.ok(!members.some((member: { id: number }) => member.id === assigned_to))
    }
  })

  it('is the creator, and there are no members, where the creator may not assign (PRJ-36)', async () => {
    const made = await project({ assigned_to: ben.id, member_ids: [ben.id, 999_999] }, ann)
    assert.deepEqual([made.assigned_to, names(made)], [ann.id, []])
    const saved = await ann.put(`/projects/${made.id}`, { title: 'Mine', assigned_to: ben.id, member_ids: [ben.id] })
    assert.deepEqual([saved.status, saved.body.data.title, await team(made.id)], [200, 'Mine', ['Ann']])
    for (const asked of [
      ann.post(`/projects/${made.id}/assign`, { assigned_to: ben.id }),
      ann.put(`/projects/${made.id}/members`, { member_ids: [ben.id] }),
    ])
      assert.equal((await asked).status, 403)
  })

  it('must be a live user of the workspace', async () => {
    const { id } = await project()
    for (const assigned_to of [999_999, -1, 'x', undefined])
      assert.deepEqual(refused(await lead.post(`/projects/${id}/assign`, { assigned_to })), [422, 'assigned_to'])
    const mentioned = await project({ title: 'Found', assigned_to: cleo.id })
    assert.deepEqual((await lead.get(`/projects?assigned_to=${cleo.id}&search=found`)).body.data[0].id, mentioned.id)
  })
})
