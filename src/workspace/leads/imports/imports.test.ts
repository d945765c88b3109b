/** Imports from upload to end: outcome of rows, permissions, and notifications. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { sweepImports } from './run.ts'

const world = await startTest()
let firm: Workspace
let seller: Person

const MODULES = ['leads', 'employees']
before(async () => {
  firm = await world.workspace({ modules: MODULES, timezone: 'Asia/Tokyo' })
  seller = await firm.user(['leads.view', 'leads.import'], 'Sel Seller')
})

const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]
const columns = { name: 'Name', email: 'Email', phone: 'Phone' }

async function upload(csv: string, by: Person = firm.owner) {
  const reply = await by.post('/leads/imports', { file: new File([csv], 'leads.csv') })
  assert.equal(reply.status, 201, String(reply.raw))
  return reply.body.data.import.uuid as string
}

interface Wanted {
  mapping?: object
  options?: object
  by?: Person
}

async function prepared(csv: string, { mapping, options, by = firm.owner }: Wanted = {}) {
  const uuid = await upload(csv, by)
  const mapped = await by.put(`/leads/imports/${uuid}`, { mapping: mapping ?? columns })
  assert.equal(mapped.status, 200, String(mapped.raw))
  if (options) {
    const chosen = await by.put(`/leads/imports/${uuid}/options`, options)
    assert.equal(chosen.status, 200, String(chosen.raw))
  }
  return uuid
}

async function ran(csv: string, wanted: Wanted = {}) {
  const { by = firm.owner } = wanted
  const uuid = await prepared(csv, wanted)
  const reply = await by.post(`/leads/imports/${uuid}/run`)
  assert.deepEqual([reply.status, reply.body.data?.status], [200, 'queued'], String(reply.raw))
  await world.drain()
  return (await by.get(`/leads/imports/${uuid}`)).body.data
}

const counts = (one: any) =>
  ['imported', 'updated', 'skipped', 'duplicate', 'failed'].map((name) => one[`${name}_count`]) as number[]
const byEmail = async (email: string, by: Person = firm.owner) => {
  const { body } = await by.get(`/leads?search=${email}&per_page=100`)
  return body.data.filter((lead: any) => lead.email === email)
}
const detail = async (email: string) => (await firm.owner.get(`/leads/${(await byEmail(email))[0].id}`)).body.data
const fileOf = async (uuid: string, what: string, by: Person = firm.owner) => {
  const reply = await by.get(`/leads/imports/${uuid}/${what}`)
  assert.equal(reply.status, 200)
  return { headers: reply.headers, text: String(reply.raw) }
}

/** Returns the events that listeners would receive during `work`. */
async function told(work: () => Promise<unknown>) {
  const { modules } = world.services
  const { listeners } = modules
  const events: { event: string; carried: any }[] = []
  const module = modules.workspace.get('leads')!
  modules.listeners = async (event) =>
    event.startsWith('lead.')
      ? [{ module, listener: { event, react: async (_: unknown, carried: any) => events.push({ event, carried }) } as never }]
      : listeners(event)
  await work()
  modules.listeners = listeners
  return events
}

describe('an import', () => {
  it('brings every column of a row (LEAD-62, LEAD-63)', async () => {
    const mapping = Object.fromEntries(
      'first_name last_name lead_type email phone company job_title source lead_value priority status stage tags commission_rate follow_up_title follow_up_due_at note external_id'
        .split(' ')
        .map((field) => [field, field]),
    )
    const row = `Ann,Ash,Company,Ann.All@Example.test,+1 212 555 0199,Ash,CEO,Fair,"1,200.50",HIGH,On hold,qualified,"hot, COLD",12.5,Call,2030-01-01 09:30,Hello,X-1`
    const one = await ran(`${Object.keys(mapping)}\n${row}\n`, { mapping })
    assert.deepEqual([one.status, one.total_rows, one.processed_rows, ...counts(one)], ['completed', 1, 1, 1, 0, 0, 0, 0])
    const lead = await detail('ann.all@example.test')
    assert.deepEqual(
      {
        name: lead.name,
        lead_type: lead.lead_type,
        company: lead.company,
        lead_value: lead.lead_value,
        priority: lead.priority,
        status: lead.status,
        stage: lead.stage.name,
        commission_rate: lead.commission_rate,
      },
      {
        name: 'Ann Ash',
        lead_type: 'company',
        company: 'Ash',
        lead_value: 1200.5,
        priority: 'high',
        status: 'on_hold',
        stage: 'Qualified',
        commission_rate: 12.5,
      },
    )
    assert.deepEqual(lead.tags.map(({ slug }: any) => slug).sort(), ['cold', 'company-lead', 'hot'])
    assert.equal(lead.next_follow_up_at, '2030-01-01T00:30:00.000Z', 'by the workspace’s clock')
    assert.deepEqual([lead.notes[0].body, lead.notes[0].creator.id, lead.creator.id], ['Hello', firm.owner.id, firm.owner.id])
    assert.deepEqual(lead.activities.map(({ type }: any) => type).sort(), ['created', 'follow_up_added', 'note_added'])
  })

  it('reads days as a German file has them, and a comma as a group where it can be one', async () => {
    const row = 'Jörg;jorg@german.test;12,500.50;7.5 %;03.12.2026'
    const other = 'Uwe;uwe@german.test;1;0,125 %;'
    const mapping = {
      ...{ name: 'Name', email: 'E-Mail', lead_value: 'Wert' },
      commission_rate: 'Provision',
      follow_up_due_at: 'Anruf',
    }
    assert.deepEqual(counts(await ran(`Name;E-Mail;Wert;Provision;Anruf\n${row}\n${other}\n`, { mapping })), [1, 0, 0, 0, 1])
    const lead = await detail('jorg@german.test')
    assert.deepEqual([lead.lead_value, lead.commission_rate], [12_500.5, 7.5])
    assert.match(lead.next_follow_up.due_at, /^2026-12-03T/)
  })

  it('names tags as they are written, else in whatever case', async () => {
    for (const [name, slug] of Object.entries({ Fair: 'fair-1', fair: 'fair-2' }))
      assert.equal((await firm.owner.post('/lead-tags', { name, slug })).status, 201)
    const rows = ['Ann,a@case.test,Fair', 'Ben,b@case.test,fair', 'Cy,c@case.test,FAIR']
    const mapping = { name: 'Name', email: 'Email', tags: 'Tags' }
    assert.deepEqual(counts(await ran(`Name,Email,Tags\n${rows.join('\n')}\n`, { mapping })), [3, 0, 0, 0, 0])
    const named = async (email: string) => (await detail(email)).tags.map(({ name }: { name: string }) => name)
    for (const [email, name] of Object.entries({ 'a@case.test': 'Fair', 'b@case.test': 'fair' }))
      assert.ok((await named(email)).includes(name), email)
  })

  it('is taken in whole, though the rights of its uploader change while it is', async () => {
    // A session change makes the transaction run twice.
    await world.sql(`CREATE TRIGGER rights_change AFTER INSERT ON lead_import_chunks
      FOR EACH ROW EXECUTE FUNCTION app.bump_access_revision()`)
    const rows = Array.from({ length: 2500 }, (_, n) => `Row ${n},row${n}@changing.test`)
    const one = await ran(['Name,Email', ...rows].join('\n'), { mapping: { name: 'Name', email: 'Email' } })
    await world.sql('DROP TRIGGER rights_change ON lead_import_chunks')
    assert.partialDeepStrictEqual(one, { status: 'completed', total_rows: 2500, imported_count: 2500 })
  })

  it('says what is wrong with each row, and keeps the others (LEAD-71)', async () => {
    const mapping = { ...columns, stage: 'Stage', note: 'Note', tags: 'Tags', lead_value: 'Value', assigned_to: 'To' }
    const csv = [
      'Name,Email,Phone,Stage,Note,Tags,Value,To',
      '=cmd|x,no-address,@1,,,,,',
      ',b@wrong.test,,,,,,',
      'C,c@wrong.test,,Nowhere,,,,',
      `D,d@wrong.test,,,${'n'.repeat(5001)},,,`,
      'E,e@wrong.test,,,,Strange,,',
      'F,f@wrong.test,,,,,1.2.3,',
      `G,g@wrong.test,,,,,,${firm.owner.email.replace('@', 'x@')}`,
      'H,h@wrong.test,,,,Appointment,,',
      'I,i@wrong.test,,,,,,,,too wide',
      'J,j@right.test,,,,,,',
    ].join('\n')
    const uuid = await prepared(csv, { mapping })
    const preview = (await firm.owner.post(`/leads/imports/${uuid}/preview`)).body.data
    assert.partialDeepStrictEqual(preview, { total_rows: 10, valid_rows: 1, invalid_rows: 9, duplicate_rows: 0 })
    assert.deepEqual(
      preview.sample_errors.map(({ row, errors }: any) => [row, Object.keys(errors)]),
      [
        [2, ['email']],
        [3, ['name']],
        [4, ['stage']],
        [5, ['note']],
        [6, ['tags']],
        [7, ['lead_value']],
        [8, ['assigned_to']],
        [9, ['follow_up_title']],
        [10, ['row']],
      ],
    )
    assert.equal((await byEmail('j@right.test')).length, 0, 'a preview writes nothing')
    await firm.owner.post(`/leads/imports/${uuid}/run`)
    await world.drain()
    const one = (await firm.owner.get(`/leads/imports/${uuid}`)).body.data
    assert.deepEqual([one.status, ...counts(one)], ['completed', 1, 0, 0, 0, 9])
    const failed = await fileOf(uuid, 'failed-records')
    assert.match(failed.headers['content-disposition'] as string, /failed_records\.csv/)
    assert.match(failed.text, /2,'=cmd\|x,no-address,'@1,.*email: Must be an e-mail address/)
    assert.equal(failed.text.trim().split('\r\n').length, 10)
    assert.match((await fileOf(uuid, 'error-report')).text, /^\ufeff?Row,Exception,At\r\n$/)
    assert.equal((await fileOf(uuid, 'file')).text, csv)
  })

  it('has no formulas in its report of what failed, whoever named the columns', async () => {
    const uuid = await prepared(`Name,"=HYPERLINK(""http://evil.test"")","+1","two\nlines"\n,a,b,c`, {
      mapping: { name: 'Name' },
    })
    await firm.owner.post(`/leads/imports/${uuid}/run`)
    await world.drain()
    const { text } = await fileOf(uuid, 'failed-records')
    assert.match(
      text,
      /^\ufeff?Row,Name,"'=HYPERLINK\(""http:\/\/evil.test""\)",'\+1,"two\nlines",Reason,Validation errors\r\n2,/,
    )
  })

  it('has no guard twice in that report: what is mended there comes in as it was meant', async () => {
    const mapping = { name: "'=Name", email: 'E-mail', phone: 'Phone' }
    const run = async (text: string) => {
      const uuid = await prepared(text, { mapping })
      await firm.owner.post(`/leads/imports/${uuid}/run`)
      await world.drain()
      return uuid
    }
    const first = await run(`'=Name,E-mail,Phone\nGuarded,nobody,'+49 30 5550100\nBare,nobody,+49 30 5550101\n`)
    const { text } = await fileOf(first, 'failed-records')
    assert.match(text, /^\ufeff?Row,'=Name,E-mail,Phone,Reason,Validation errors\r\n/)
    let n = 0
    await run(text.replaceAll('nobody', () => `${n++}@guarded.test`))
    const { data } = (await firm.owner.get('/leads?search=guarded.test')).body
    assert.deepEqual(data.map(({ phone }: { phone: string }) => phone).sort(), ['+49 30 5550100', '+49 30 5550101'])
  })

  it('has an order: mapping before preview and run, and one run (LEAD-59, LEAD-69)', async () => {
    const uuid = await upload('Name\nAnn')
    const at = `/leads/imports/${uuid}`
    for (const path of ['preview', 'run']) assert.deepEqual(refused(await firm.owner.post(`${at}/${path}`)), [422, ['status']])
    const map = (mapping: object) => firm.owner.put(at, { mapping })
    assert.deepEqual(refused(await map({ name: 'Nom' })), [422, ['mapping.name']])
    assert.deepEqual(refused(await map({ name: null })), [422, ['mapping.name']])
    assert.equal((await map({ nome: 'Name' })).status, 422)
    const mapped = await map({ name: 'Name', email: null })
    assert.deepEqual([mapped.status, mapped.body.data.status, mapped.body.data.mapping], [200, 'mapped', { name: 'Name' }])
    const { data } = (await firm.owner.put(`${at}/options`, { unique_fields: ['email', 'email'] })).body
    assert.deepEqual(
      {
        status: data.status,
        unique_fields: data.unique_fields,
        duplicate_mode: data.duplicate_mode,
        assignment_mode: data.assignment_mode,
      },
      { status: 'mapped', unique_fields: ['email'], duplicate_mode: 'skip', assignment_mode: 'none' },
    )
    const runs = await Promise.all([1, 2, 3].map(() => firm.owner.post(`${at}/run`)))
    assert.deepEqual(runs.map(({ status }) => status).sort(), [200, 422, 422])
    await world.drain()
    for (const again of [
      firm.owner.post(`${at}/run`),
      map({ name: 'Name' }),
      firm.owner.put(`${at}/options`, {}),
      firm.owner.post(`${at}/preview`),
    ])
      assert.deepEqual(refused(await again), [422, ['status']])
    const [left] = await world.sql(
      'SELECT count(*)::int AS n FROM lead_import_chunks c JOIN lead_imports i ON i.tenant_id = c.tenant_id AND i.id = c.import_id WHERE i.uuid = $1',
      [uuid],
    )
    assert.equal(left.n, 0)
  })

  it('is seen by its uploader and by those who may assign leads', async () => {
    const mine = await upload('Name\nAnn', seller)
    const theirs = await upload('Name\nAnn')
    assert.equal((await seller.get(`/leads/imports/${theirs}`)).status, 404)
    assert.equal((await seller.post(`/leads/imports/${theirs}/run`)).status, 404)
    assert.equal((await firm.owner.get(`/leads/imports/${mine}`)).body.data.user.id, seller.id)
    const { owner: stranger } = await world.workspace({ modules: ['leads'] })
    for (const path of ['', '/file', '/failed-records', '/error-report'])
      assert.equal((await stranger.get(`/leads/imports/${theirs}${path}`)).status, 404, path)
    for (const path of ['preview', 'run'])
      assert.equal((await stranger.post(`/leads/imports/${theirs}/${path}`)).status, 404, path)
    assert.equal((await stranger.put(`/leads/imports/${theirs}`, { mapping: { name: 'Name' } })).status, 404)
    assert.equal((await stranger.put(`/leads/imports/${theirs}/options`, {})).status, 404)
    const listed = (await seller.get('/leads/imports')).body
    assert.deepEqual([listed.data.map(({ uuid }: any) => uuid), listed.meta.total], [[mine], 1])
  })
})

describe('duplicates', () => {
  const rows = (tag: string) =>
    `Name,Email,Phone\nNew name,OLD@${tag}.test,\nBy phone,,+44 20 7946 0999\nFresh,fresh@${tag}.test,1\nAgain,FRESH@${tag}.test,2\n`
  const old = async (tag: string) => {
    await firm.owner.post('/leads', { name: 'Old', lead_type: 'direct', email: `old@${tag}.test`, job_title: 'Stays' })
    await firm.owner.post('/leads', { name: 'Tel', lead_type: 'direct', email: `tel@${tag}.test`, phone: '0044 20 79460999' })
  }

  it('are skipped, of each other too (LEAD-64)', async () => {
    await old('skip')
    const uuid = await prepared(rows('skip'))
    assert.equal((await firm.owner.post(`/leads/imports/${uuid}/preview`)).body.data.duplicate_rows, 3)
    assert.deepEqual(counts(await ran(rows('skip'))), [1, 0, 3, 3, 0])
    assert.equal((await detail('old@skip.test')).name, 'Old')
    await world.sql(`UPDATE leads SET phone = NULL`)
  })

  it('update what they match by the cells that aren’t empty (LEAD-64)', async () => {
    await old('update')
    const one = await ran(rows('update'), { options: { duplicate_mode: 'update' } })
    assert.deepEqual(counts(one), [1, 3, 0, 3, 0])
    const lead = await detail('old@update.test')
    assert.partialDeepStrictEqual(lead, { name: 'New name', job_title: 'Stays', priority: 'medium' })
    assert.equal((await detail('tel@update.test')).name, 'By phone')
    const fresh = await detail('fresh@update.test')
    assert.partialDeepStrictEqual(fresh, { name: 'Again', phone: '2' })
    await world.sql(`UPDATE leads SET phone = NULL`)
  })

  it('updated get their tags, note, assignee and stage as by hand', async () => {
    await firm.owner.post('/leads', { name: 'Old', lead_type: 'direct', email: 'old@rich.test' })
    const heir = await firm.user(['leads.view'], 'Hei Heir')
    const mapping = { ...columns, tags: 'T', note: 'N', assigned_to: 'A', stage: 'S', external_id: 'X' }
    const csv = `Name,Email,Phone,T,N,A,S,X\nOld,old@rich.test,,Hot,Again,${heir.email},Contacted,X9\n`
    const events = await told(async () => {
      assert.deepEqual(counts(await ran(csv, { mapping, options: { duplicate_mode: 'update' } })), [0, 1, 0, 1, 0])
    })
    const lead = await detail('old@rich.test')
    assert.deepEqual([lead.assignee.id, lead.stage.name, lead.notes[0].body], [heir.id, 'Contacted', 'Again'])
    assert.ok(lead.tags.some(({ slug }: any) => slug === 'hot') && lead.tags.some(({ slug }: any) => slug === 'duplicate'))
    const given = events.filter(({ event }) => event === 'lead.assigned')
    assert.deepEqual(
      given.map(({ carried }) => [carried.user_id, carried.lead_ids, carried.source]),
      [[heir.id, [lead.id], 'import']],
    )
  })

  it('are kept, and fields of their own can be chosen', async () => {
    await old('keep')
    assert.deepEqual(counts(await ran(rows('keep'), { options: { duplicate_mode: 'keep' } })), [4, 0, 0, 3, 0])
    assert.equal((await byEmail('fresh@keep.test')).length, 2)
    const mapping = { name: 'Name', external_id: 'Id' }
    const options = { unique_fields: ['external_id'] }
    assert.deepEqual(counts(await ran('Name,Id\nA,E1\nA,E2\nA,E1\n', { mapping, options })), [2, 0, 1, 1, 0])
    assert.deepEqual(counts(await ran('Name,Id\nA,E1\nA,E3\n', { mapping, options })), [1, 0, 1, 1, 0])
    assert.deepEqual(counts(await ran('Name,Id\nA,E1\n', { mapping, options: { unique_fields: [] } })), [0, 0, 0, 0, 1])
    await world.sql(`UPDATE leads SET phone = NULL`)
  })

  it('never take over what another lead is called by another system, and are told so', async () => {
    const post = (body: object) => firm.owner.post('/leads', { name: 'Named', lead_type: 'direct', ...body })
    assert.equal((await post({ email: 'named@ext.test', external_id: 'N-1' })).status, 201)
    await post({ name: 'Other', email: 'other@ext.test' })
    const said = (await post({ external_id: 'N-1' })).body.errors
    const mapping = { name: 'Name', email: 'Email', external_id: 'Id' }
    const csv = (n: string) =>
      `Name,Email,Id\nRow,,N-1\nFirst,,${n}\nSecond,,${n}\nOther,other@ext.test,N-1\nMine,named@ext.test,N-1\nNone,,\n`
    const expected = {
      skip: [
        [2, 0, 2, 2, 2],
        ['Row', 'Second'],
      ],
      keep: [
        [2, 0, 0, 0, 4],
        ['Row', 'Second', 'Other', 'Mine'],
      ],
      update: [
        [2, 1, 0, 1, 3],
        ['Row', 'Second', 'Other'],
      ],
    } as const
    for (const [duplicate_mode, [figures, refused]] of Object.entries(expected)) {
      const wanted = { mapping, options: { duplicate_mode, unique_fields: ['email'] } }
      const ahead = await firm.owner.post(`/leads/imports/${await prepared(csv(`N-${duplicate_mode}`), wanted)}/preview`)
      assert.deepEqual(
        ahead.body.data.sample_errors.map(({ errors }: any) => errors),
        refused.map(() => said),
        String(ahead.raw),
      )
      const one = await ran(csv(`N-${duplicate_mode}`), wanted)
      assert.deepEqual(counts(one), figures, duplicate_mode)
      const failed = await world.sql(
        `SELECT f.cells, f.errors FROM lead_import_failures f JOIN lead_imports i ON i.id = f.import_id
         WHERE i.tenant_id = $1 AND i.uuid = $2 ORDER BY f.row_number`,
        [firm.id, one.uuid],
      )
      assert.deepEqual(
        failed.map(({ cells, errors }: any) => [cells[0], errors]),
        refused.map((name) => [name, said]),
      )
    }
    assert.equal((await detail('named@ext.test')).name, 'Mine')
    assert.equal((await detail('other@ext.test')).external_id, null)
    assert.equal((await firm.owner.get('/leads', { query: { external_id: 'N-keep' } })).body.data[0].name, 'First')
  })

  it('of today get the tag and are told about once, in every mode; older ones don’t (LEAD-67)', async () => {
    const past = (await firm.owner.post('/leads', { name: 'Yesterday', lead_type: 'direct', email: 'past@day.test' })).body.data
    const aDayBefore = new Date(Date.parse(past.created_at) - 86_400_000)
    await world.sql("UPDATE leads SET created_at = $1 WHERE email = 'past@day.test'", [aDayBefore])
    const keeper = await firm.user(['leads.view'], 'Kee Keeper')
    const { data } = (
      await firm.owner.post('/leads', { name: 'Today', lead_type: 'direct', email: 'now@day.test', assigned_to: keeper.id })
    ).body
    const csv = 'Name,Email,Phone\nA,past@day.test,\nB,now@day.test,\nC,now@day.test,\n'
    for (const [n, duplicate_mode] of ['skip', 'update', 'keep'].entries()) {
      const events = await told(() => ran(csv, { options: { duplicate_mode, unique_fields: ['email'] } }))
      const found = events.filter(({ event }) => event === 'lead.duplicate_detected').map(({ carried }) => carried)
      assert.deepEqual(
        found.map(({ user_id, lead_ids, source }) => [user_id, lead_ids, source]).sort(([a]: any, [b]: any) => a - b),
        [
          [firm.owner.id, [data.id], 'import'],
          [keeper.id, [data.id], 'import'],
        ],
        duplicate_mode,
      )
      assert.deepEqual(events.filter(({ event }) => event === 'lead.imported').length, 1)
      const { tags, activities } = (await firm.owner.get(`/leads/${data.id}`)).body.data
      assert.ok(tags.some(({ slug }: any) => slug === 'duplicate'))
      assert.equal(activities.filter(({ type }: any) => type === 'tags_changed').length, 1, `round ${n}`)
    }
    const tagged = (lead: any) => lead.tags.some(({ slug }: any) => slug === 'duplicate')
    assert.ok(!tagged((await firm.owner.get(`/leads/${past.id}`)).body.data))
    assert.deepEqual((await byEmail('now@day.test')).map(tagged), [true, true, true], 'those that were kept')
    assert.deepEqual((await byEmail('past@day.test')).map(tagged), [false, false])
  })

  it('are looked for in the importer’s sight alone', async () => {
    await firm.owner.post('/leads', { name: 'Hidden', lead_type: 'direct', email: 'hidden@sight.test' })
    const one = await ran('Name,Email,Phone\nMine,hidden@sight.test,\n', { by: seller })
    assert.deepEqual(counts(one), [1, 0, 0, 0, 0])
    const [lead] = await byEmail('hidden@sight.test', seller)
    assert.partialDeepStrictEqual(lead, { name: 'Mine', assigned_to: seller.id })
  })

  it('of two imports at once are found by the later one', async () => {
    const csv = `Name,Email,Phone\n${Array.from({ length: 200 }, (_, n) => `R${n},r${n}@race.test,`).join('\n')}`
    const uuids = [await prepared(csv), await prepared(csv)]
    for (const uuid of uuids) await firm.owner.post(`/leads/imports/${uuid}/run`)
    await Promise.all([world.drain(), world.drain()])
    const both = await Promise.all(uuids.map(async (uuid) => (await firm.owner.get(`/leads/imports/${uuid}`)).body.data))
    assert.deepEqual(
      both.map((one) => one.imported_count).sort((a, b) => a - b),
      [0, 200],
    )
  })
})

describe('rights', () => {
  it('update needs leads.update, equal needs leads.assign and a department, and so do the columns of assigning (LEAD-65)', async () => {
    const uuid = await prepared('Name,To\nAnn,1', { by: seller, mapping: { name: 'Name' } })
    const options = (body: object, by = seller) => by.put(`/leads/imports/${uuid}/options`, body)
    assert.equal((await options({ duplicate_mode: 'update' })).status, 403)
    assert.equal((await options({ assignment_mode: 'equal' })).status, 403)
    assert.equal((await options({ assignment_mode: 'equal' }, firm.owner)).status, 403, 'the owner manages none')
    for (const field of ['assigned_to', 'commission_rate'])
      assert.equal((await seller.put(`/leads/imports/${uuid}`, { mapping: { name: 'Name', [field]: 'To' } })).status, 403)
    assert.equal((await options({ duplicate_mode: 'keep' })).status, 200)
  })

  it('are those that the importer has when it runs', async () => {
    const updater = await firm.user(['leads.view', 'leads.import', 'leads.update'])
    const uuid = await prepared('Name,Email,Phone\nA,a@lost.test,\n', { by: updater, options: { duplicate_mode: 'update' } })
    await updater.post(`/leads/imports/${uuid}/run`)
    await world.sql(
      `UPDATE roles r SET permissions = array_remove(permissions, 'leads.update') FROM user_roles u
       WHERE u.tenant_id = r.tenant_id AND u.role_id = r.id AND u.user_id = $1`,
      [updater.id],
    )
    await world.drain()
    const { data } = (await firm.owner.get(`/leads/imports/${uuid}`)).body
    assert.partialDeepStrictEqual(data, { status: 'failed', imported_count: 0, error: 'This needs the permission leads.update.' })
    assert.match((await fileOf(uuid, 'error-report')).text, /0,This needs the permission leads\.update\./)
  })

  it('that are gone altogether end the import', async () => {
    const gone = await firm.user(['leads.view', 'leads.import'])
    const uuid = await prepared('Name,Email,Phone\nA,a@gone.test,\n', { by: gone })
    await gone.post(`/leads/imports/${uuid}/run`)
    await world.sql('UPDATE users SET suspended_at = now() WHERE id = $1', [gone.id])
    await world.drain()
    await firm.inside(sweepImports)
    assert.equal((await firm.owner.get(`/leads/imports/${uuid}`)).body.data.status, 'failed')
  })
})

it('equal distribution spreads new leads over the eligible members of the importer’s departments (LEAD-66)', async () => {
  const manager = await firm.user(['leads.view', 'leads.import', 'leads.assign'], 'Man Ager')
  const members = [await firm.user(['leads.view']), await firm.user(['leads.view']), await firm.user(['leads.view'])]
  const excluded = await firm.user(['leads.view'])
  await firm.owner.put(`/users/${excluded.id}`, { exclude_from_lead_auto_assign: true })
  const department = (await firm.owner.post('/departments', { name: 'Sales', manager_ids: [manager.id] })).body.data
  const csv = `Name,Email,Phone\n${Array.from({ length: 1300 }, (_, n) => `E${n},e${n}@equal.test,`).join('\n')}`
  const options = { assignment_mode: 'equal' }
  const nobody = await prepared(csv, { by: manager, options })
  assert.deepEqual(refused(await manager.post(`/leads/imports/${nobody}/run`)), [422, ['assignment_mode']])
  for (const { id } of [...members, excluded])
    await firm.owner.post('/employees', { name: 'Member', department_id: department.id, user_id: id })
  const events = await told(async () => assert.equal((await ran(csv, { by: manager, options })).imported_count, 1300))
  const shares = await world.sql(
    `SELECT assigned_to AS id, count(*)::int AS n FROM leads WHERE email LIKE '%@equal.test' GROUP BY 1 ORDER BY 1`,
  )
  assert.deepEqual(
    shares.map(({ id, n }) => [Number(id), n]),
    members.map(({ id }, n) => [id, n === 0 ? 434 : 433]),
  )
  const given = events.filter(({ event }) => event === 'lead.assigned').map(({ carried }) => carried)
  assert.deepEqual(
    given.map(({ user_id, lead_ids }) => [user_id, lead_ids.length]),
    [
      [members[0]!.id, 434],
      [members[1]!.id, 433],
      [members[2]!.id, 433],
    ],
  )
})

describe('a failure in the middle', () => {
  const many = (tag: string) =>
    `Name,Email,Phone\n${Array.from({ length: 2500 }, (_, n) => `N${n},n${n}@${tag}.test,`).join('\n')}`

  it('of the worker goes on from the last batch, and doubles nothing', async () => {
    const uuid = await prepared(many('crash'))
    await firm.owner.post(`/leads/imports/${uuid}/run`)
    // The second batch fails once: its lead can't be inserted before the first retry.
    await world.sql(
      `CREATE FUNCTION public.crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'crash' USING ERRCODE = '57P01'; END $$`,
    )
    await world.sql(
      `CREATE TRIGGER crash BEFORE INSERT ON leads FOR EACH ROW WHEN (NEW.email = 'n1500@crash.test') EXECUTE FUNCTION public.crash()`,
    )
    await world.drain()
    const half = (await firm.owner.get(`/leads/imports/${uuid}`)).body.data
    assert.partialDeepStrictEqual(half, { status: 'processing', processed_rows: 1000, imported_count: 1000 })
    await world.sql('DROP TRIGGER crash ON leads')
    await world.drain('all')
    const one = (await firm.owner.get(`/leads/imports/${uuid}`)).body.data
    assert.deepEqual([one.status, one.processed_rows, ...counts(one)], ['completed', 2500, 2500, 0, 0, 0, 0])
    const [{ n }] = await world.sql(`SELECT count(*)::int AS n FROM leads WHERE email LIKE '%@crash.test'`)
    assert.equal(n, 2500)
  })

  it('of one row costs that row, which the error report names', async () => {
    await world.sql(
      `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'odd row' USING ERRCODE = '22000'; END $$`,
    )
    await world.sql(
      `CREATE TRIGGER refuse BEFORE INSERT ON leads FOR EACH ROW WHEN (NEW.email = 'n77@odd.test') EXECUTE FUNCTION public.refuse()`,
    )
    const one = await ran(many('odd'))
    await world.sql('DROP TRIGGER refuse ON leads')
    assert.deepEqual([one.status, ...counts(one)], ['completed', 2499, 0, 0, 0, 1])
    assert.match((await fileOf(one.uuid, 'error-report')).text, /\r\n79,What is stored does not allow it\.,/)
  })
})
