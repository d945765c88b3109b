/** Undoing imports of leads: created leads are deleted, changed leads are restored unless somebody has changed them since. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { sweepImports } from './run.ts'

const world = await startTest()
let firm: Workspace
let colleague: Person

before(async () => {
  firm = await world.workspace({ modules: ['leads'] })
  colleague = await firm.user(['leads.view', 'leads.update'], 'Cleo Colleague')
})

const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]
const data = (reply: Reply) => {
  assert.ok(reply.status < 300, String(reply.raw))
  return reply.body.data
}

/** Runs an import of a file whose headers are field names, and returns its uuid. */
async function imported(csv: string, options: object = {}, by: Person = firm.owner): Promise<string> {
  const { uuid } = data(await by.post('/leads/imports', { file: new File([csv], 'leads.csv') })).import
  const fields = csv.slice(0, csv.indexOf('\n')).split(',')
  data(await by.put(`/leads/imports/${uuid}`, { mapping: Object.fromEntries(fields.map((field) => [field, field])) }))
  data(await by.put(`/leads/imports/${uuid}/options`, options))
  data(await by.post(`/leads/imports/${uuid}/run`))
  await world.drain()
  return uuid
}

async function undone(uuid: string, by: Person = firm.owner) {
  assert.equal(data(await by.post(`/leads/imports/${uuid}/undo`)).status, 'undoing')
  await world.drain()
  return data(await by.get(`/leads/imports/${uuid}/undo`))
}

/** Returns all leads as exported, without the time of change. */
async function exported() {
  const { raw } = await firm.owner.get('/leads/export')
  const rows = parse<Record<string, string>>(String(raw), { columns: true, bom: true })
  return rows.map((row) => ({ ...row, 'Updated at': undefined }))
}

const lead = (fields: object = {}) => firm.owner.post('/leads', { name: 'Ann', lead_type: 'direct', ...fields }).then(data)

describe('undoing an import of leads', () => {
  it('takes away what it made and puts back what it changed, with what its rows wrote beside', async () => {
    const tags = data(await firm.owner.get('/lead-tags')) as { id: number; slug: string }[]
    const idOf = (slug: string) => tags.find((tag) => tag.slug === slug)!.id
    world.clock.set('2027-03-01T10:00:00.000Z')
    const ann = await lead({ email: 'ann@undo.test', lead_value: 1200.5, source: 'Fair', tag_ids: [idOf('cold')] })
    await firm.owner.post(`/leads/${ann.id}/notes`, { body: 'Of old.' })
    world.clock.set('2027-03-03T10:00:00.000Z')
    const ben = await lead({ name: 'Ben', email: 'ben@undo.test' })
    const was = await exported()
    const fields =
      'name,email,lead_type,lead_value,source,priority,status,stage,tags,assigned_to,commission_rate,external_id,note,follow_up_title,follow_up_due_at'
    const csv = `${fields}
Anna,ann@undo.test,company,7,,high,on_hold,Qualified,hot,${colleague.email},12.5,X-1,Changed,Call,2030-01-01
Benno,ben@undo.test,direct,,,,,,,,,,,,
Benno again,ben@undo.test,direct,3,,,,,,,,,Twice,,
Cleo,cleo@undo.test,direct,,,,,,,,,,New,Call,2030-01-01
Cleo again,cleo@undo.test,direct,,,,,,,,,,,,`
    const uuid = await imported(csv, { duplicate_mode: 'update' })
    const run = data(await firm.owner.get(`/leads/imports/${uuid}`))
    assert.partialDeepStrictEqual(run, { status: 'completed', imported_count: 1, updated_count: 4, failed_count: 0 })
    const changed = data(await firm.owner.get(`/leads/${ann.id}`))
    assert.partialDeepStrictEqual(changed, { name: 'Anna', lead_value: 7, commission_rate: 12.5, assigned_to: colleague.id })
    assert.deepEqual([changed.notes.length, changed.follow_ups.length], [2, 1])
    const tagged = data(await firm.owner.get(`/leads/${ben.id}`))
    assert.ok(
      tagged.tags.some(({ slug }: any) => slug === 'duplicate'),
      'of today',
    )

    const back = await undone(uuid)
    assert.partialDeepStrictEqual(back, { status: 'undone', undone_count: 3, kept_count: 0, kept: [], error: null })
    assert.deepEqual(await exported(), was)
    const again = data(await firm.owner.get(`/leads/${ann.id}`))
    assert.deepEqual(
      again.notes.map(({ body }: any) => body),
      ['Of old.'],
    )
    assert.deepEqual([again.follow_ups, again.next_follow_up_at, again.stage.name], [[], null, ann.stage.name])
    assert.equal((await firm.owner.get('/leads?external_id=X-1')).body.meta.total, 0)
    assert.deepEqual(data(await firm.owner.get(`/leads/imports/${uuid}`)).status, 'completed', 'the import tells what it did')
    assert.deepEqual(refused(await firm.owner.post(`/leads/imports/${uuid}/undo`)), [422, ['status']])
  })

  it('leaves alone what somebody has changed since, and says so', async () => {
    const rows = Array.from({ length: 250 }, (_, n) => `Many ${n},many${n}@undo.test`)
    const uuid = await imported(['name,email', ...rows].join('\n'))
    const [found] = data(await firm.owner.get('/leads?search=many7@undo.test'))
    const [gone] = data(await firm.owner.get('/leads?search=many8@undo.test'))
    data(await firm.owner.put(`/leads/${found.id}`, { source: 'Fair' }))
    assert.equal((await firm.owner.del(`/leads/${gone.id}`)).status, 200)
    const back = await undone(uuid)
    assert.partialDeepStrictEqual(back, { status: 'undone', undone_count: 248, kept_count: 2 })
    assert.deepEqual(back.kept, [
      { id: found.id, message: 'It was changed since.' },
      { id: gone.id, message: 'There is no such lead any more.' },
    ])
    assert.equal((await firm.owner.get('/leads?search=many')).body.meta.total, 1)
  })

  it('goes from one import back to the one before it', async () => {
    const first = await imported('name,email,external_id\nDora,dora@undo.test,D', { unique_fields: ['external_id'] })
    const options = { unique_fields: ['external_id'], duplicate_mode: 'update' }
    const second = await imported('name,external_id\nDorothea,D', options)
    const [dora] = data(await firm.owner.get('/leads?external_id=D'))
    assert.equal(dora.name, 'Dorothea')
    assert.equal((await undone(second)).undone_count, 1)
    assert.equal(data(await firm.owner.get(`/leads/${dora.id}`)).name, 'Dora')
    assert.equal((await undone(first)).undone_count, 1)
    assert.equal((await firm.owner.get(`/leads/${dora.id}`)).status, 404)
  })

  it('is for those who may delete what it made, change what it changed and name whom it named', async () => {
    const importer = await firm.user(['leads.view', 'leads.import'], 'Ida Importer')
    const mine = await imported('name\nEve', {}, importer)
    assert.equal((await importer.post(`/leads/imports/${mine}/undo`)).status, 403)
    assert.equal((await colleague.post(`/leads/imports/${mine}/undo`)).status, 403)
    const { owner: stranger } = await world.workspace({ modules: ['leads'] })
    assert.equal((await stranger.post(`/leads/imports/${mine}/undo`)).status, 404)
    assert.equal((await stranger.get(`/leads/imports/${mine}/undo`)).status, 404)
    const keeper = await firm.user(['leads.view', 'leads.import', 'leads.update', 'leads.delete'], 'Kim Keeper')
    const theirs = await imported('name\nFay', {}, importer)
    assert.equal((await keeper.post(`/leads/imports/${theirs}/undo`)).status, 404, 'of others only who may assign sees any')
    const waiting = data(await firm.owner.post('/leads/imports', { file: new File(['name\nGus'], 'leads.csv') })).import.uuid
    assert.deepEqual(refused(await firm.owner.post(`/leads/imports/${waiting}/undo`)), [422, ['status']])
    assert.equal(data(await firm.owner.get(`/leads/imports/${waiting}/undo`)).status, null)
  })

  it('ends with its actor’s rights, and may be tried again', async () => {
    const uuid = await imported('name\nHal')
    const keeper = await firm.user(['leads.view', 'leads.import', 'leads.assign', 'leads.delete'], 'Kay Keeper')
    data(await keeper.post(`/leads/imports/${uuid}/undo`))
    await world.sql(
      `UPDATE roles r SET permissions = array_remove(permissions, 'leads.delete') FROM user_roles u WHERE u.tenant_id = r.tenant_id AND u.role_id = r.id AND u.user_id = $1`,
      [keeper.id],
    )
    await world.drain()
    const ended = data(await firm.owner.get(`/leads/imports/${uuid}/undo`))
    assert.partialDeepStrictEqual(ended, { status: null, undone_count: 0 })
    assert.match(ended.error, /leads\.delete/)
    assert.partialDeepStrictEqual(await undone(uuid), { status: 'undone', undone_count: 1, error: null })
  })

  it('is possible for 30 days; then what it would take is forgotten', async () => {
    const uuid = await imported('name\nIda')
    world.clock.set('2027-04-03T10:00:00.000Z')
    assert.deepEqual(refused(await firm.owner.post(`/leads/imports/${uuid}/undo`)), [422, ['status']])
    await firm.inside(sweepImports)
    const left = await world.sql(
      'SELECT 1 FROM lead_import_records r JOIN lead_imports i ON i.tenant_id = r.tenant_id AND i.id = r.import_id WHERE i.uuid = $1',
      [uuid],
    )
    assert.equal(left.length, 0)
  })
})
