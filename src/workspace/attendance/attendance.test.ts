import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { workbookOf } from '#test/workbook.ts'

const world = await startTest()
const MODULES = ['attendance', 'employees']
const DAY = '2027-03-01'
let firm: Workspace

before(async () => {
  world.clock.set(`${DAY}T09:05:00.000Z`)
  firm = await world.workspace({ modules: MODULES })
})

beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
  world.clock.set(`${DAY}T09:05:00.000Z`)
})

/** Returns a user who is an employee with the given permissions, by default none. */
async function employee(permissions: string[] = [], workspace = firm) {
  const person = await workspace.user(permissions)
  const { status, body } = await workspace.owner.post(`/users/${person.id}/create-employee`)
  assert.equal(status, 201, body.message)
  return { ...person, employee_id: body.data.id as number }
}
const checkIn = (person: Person, body: object = {}) =>
  person.post('/attendance-records/check-in', { work_mode: 'on_site', ...body })
const checkOut = (person: Person, body: object = {}) => person.post('/attendance-records/check-out', body)
const today = (person: Person) => person.get('/attendance-records/today')
const settings = (values: object, workspace = firm) => workspace.owner.put('/settings', { settings: values })
const reasons = async (query: Record<string, string> = {}, { owner } = firm) =>
  (await owner.get('/attendance-reasons', { query })).body.data
const reason = async (kind: string, other: boolean, workspace = firm) =>
  (await reasons({ kind }, workspace)).find(({ is_other }: { is_other: boolean }) => is_other === other).id as number
const timeline = async (id: number) => (await firm.owner.get(`/attendance-records/${id}/timeline`)).body.data
const byHand = async (more: object = {}) => {
  const { employee_id } = await employee()
  return firm.owner.post('/attendance-records', { employee_id, date: '2027-02-26', change_reason: 'Forgot his phone', ...more })
}

function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

describe('checking in and out', () => {
  it('is for active employees, where the workspace lets them (ATT-15, ATT-17)', async () => {
    const stranger = await firm.user(['attendance.view', 'attendance.create', 'attendance.update'])
    for (const reply of [await checkIn(stranger), await checkOut(stranger)]) assert.equal(reply.status, 403)
    assert.equal((await today(stranger)).body.data, null, 'who may view sees the facts')
    assert.equal((await today(await firm.user([]))).status, 403)

    const person = await employee()
    await firm.owner.put(`/employees/${person.employee_id}`, { status: 'inactive' })
    for (const reply of [await checkIn(person), await today(person)]) assert.equal(reply.status, 403)
    await firm.owner.put(`/employees/${person.employee_id}`, { status: 'active' })
    await settings({ attendance_self_check_in: false })
    for (const reply of [await checkIn(person), await today(person)]) assert.equal(reply.status, 403)
    await settings({ attendance_self_check_in: true })
    assert.equal((await checkIn(person)).status, 200)
  })

  it('shows those who may view attendance their day, also where nobody checks in by themselves (ATT-13, ATT-14)', async () => {
    const viewer = await employee(['attendance.view'])
    const { id } = (await checkIn(viewer)).body.data
    await settings({ attendance_self_check_in: false })
    const { status, body } = await today(viewer)
    await settings({ attendance_self_check_in: true })
    assert.deepEqual([status, body.data?.id, body.meta.self_check_enabled], [200, id, false])
  })

  it('is 403 without Employees, which attendance can do without', async () => {
    const { owner } = await world.workspace({ modules: ['attendance'] })
    assert.equal((await checkIn(owner)).status, 403)
    assert.equal((await today(owner)).status, 200)
    refused(await owner.post('/attendance-records', { employee_id: 1, date: DAY, change_reason: 'Because' }), 'employee_id')
  })

  it('takes the server’s time and addresses, whatever is sent (ATT-06)', async () => {
    const person = await employee()
    const sent = {
      check_in: '01:00',
      check_in_ip: '9.9.9.9',
      date: '2020-01-01',
      status: 'absent',
      latitude: 52.52,
      longitude: 13.405,
    }
    const { data } = (await checkIn(person, sent)).body
    const { employee_id, date, check_in, check_out, status, work_mode, latitude, longitude, check_in_ip } = data
    assert.deepEqual(
      { employee_id, date, check_in, check_out, status, work_mode, latitude, longitude, check_in_ip },
      {
        ...{ employee_id: person.employee_id, date: DAY, check_in: '09:05:00', check_out: null, status: 'present' },
        ...{ work_mode: 'on_site', latitude: 52.52, longitude: 13.405, check_in_ip: '127.0.0.1' },
      },
    )
    world.clock.set(`${DAY}T17:31:02.900Z`)
    const out = (await checkOut(person, { check_out: '01:00', check_out_ip: '9.9.9.9' })).body.data
    assert.partialDeepStrictEqual(out, { check_out: '17:31:02', check_out_ip: '127.0.0.1', check_in: '09:05:00' })
    assert.deepEqual((await today(person)).body.data.id, data.id)
  })

  it('happens once a day, in this order (ATT-02)', async () => {
    const person = await employee()
    refused(await checkOut(person), 'check_in')
    assert.equal((await checkIn(person)).status, 200)
    refused(await checkIn(person), 'check_in')
    assert.equal((await checkOut(person)).status, 200)
    refused(await checkOut(person), 'check_out')
    world.clock.set('2027-03-02T08:00:00.000Z')
    refused(await checkOut(person), 'check_in')
    assert.equal((await checkIn(person)).status, 200)
  })

  it('makes one record of many attempts at once', async () => {
    const person = await employee()
    const replies = await Promise.all(Array.from({ length: 6 }, () => checkIn(person)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422, 422, 422, 422, 422])
    const out = await Promise.all(Array.from({ length: 4 }, () => checkOut(person)))
    assert.deepEqual(out.map(({ status }) => status).sort(), [200, 422, 422, 422])
    const { employee_id } = person
    const [{ n }] = await world.sql('SELECT count(*)::int AS n FROM attendance_records WHERE employee_id = $1', [employee_id])
    assert.equal(n, 1)
  })

  it('fills in the record that somebody made for today', async () => {
    const person = await employee()
    const body = { employee_id: person.employee_id, date: DAY, status: 'absent', change_reason: 'Called in sick' }
    const { id } = (await firm.owner.post('/attendance-records', body)).body.data
    const { data } = (await checkIn(person, { work_mode: 'remote' })).body
    assert.partialDeepStrictEqual(data, { id, status: 'remote', check_in: '09:05:00' })
  })

  it('refuses senseless places and modes', async () => {
    const person = await employee()
    refused(await checkIn(person, { work_mode: 'moon' }), 'work_mode')
    refused(await checkIn(person, { latitude: 90.1, longitude: -180.1 }), 'latitude', 'longitude')
    refused(await person.post('/attendance-records/check-in', {}), 'work_mode')
  })
})

describe('being late', () => {
  it('begins behind the grace of each mode (ATT-14)', async () => {
    await settings({ attendance_remote_start: '10:00' })
    for (const { time, mode, status } of [
      { time: '09:15:00', mode: 'on_site', status: 'present' },
      { time: '09:15:01', mode: 'on_site', status: 'late' },
      { time: '10:15:00', mode: 'remote', status: 'remote' },
      { time: '10:15:01', mode: 'remote', status: 'late' },
    ] as const) {
      world.clock.set(`${DAY}T${time}.500Z`)
      const person = await employee()
      const { thresholds } = (await today(person)).body.meta
      assert.equal(thresholds[mode].is_late_now, status === 'late', time)
      assert.equal((await checkIn(person, { work_mode: mode })).body.data.status, status, time)
    }
    world.clock.set(`${DAY}T09:00:01.000Z`)
    await settings({ attendance_remote_start: '09:00', attendance_grace_minutes: 0 })
    assert.equal((await checkIn(await employee())).body.data.status, 'late')
    await settings({ attendance_grace_minutes: 15 })
  })

  it('needs a reason where the workspace wants one, and Other needs words (ATT-19, ATT-20)', async () => {
    await settings({ attendance_require_late_reason: true })
    world.clock.set(`${DAY}T10:00:00.000Z`)
    const person = await employee()
    assert.deepEqual((await today(person)).body.meta, {
      ...{ self_check_enabled: true, require_late_reason: true, timezone: 'UTC', today: DAY },
      thresholds: {
        on_site: { start: '09:00', grace_minutes: 15, is_late_now: true },
        remote: { start: '09:00', grace_minutes: 15, is_late_now: true },
      },
    })
    refused(await checkIn(person), 'reason_id')
    refused(await checkIn(person, { reason_id: 999_999 }), 'reason_id')
    refused(await checkIn(person, { reason_id: await reason('check_out', false) }), 'reason_id')
    const other = await reason('check_in_late', true)
    for (const reason_notes of [undefined, null, '', '   '])
      refused(await checkIn(person, { reason_id: other, reason_notes }), 'reason_notes')
    const { data } = (await checkIn(person, { reason_id: other, reason_notes: 'A herd of cows' })).body
    assert.deepEqual([data.status, data.check_in_reason.name, data.reason_notes], ['late', 'Other', 'A herd of cows'])
    refused(await checkOut(person, { reason_id: await reason('check_out', true) }), 'reason_notes')
    refused(await checkOut(person, { reason_id: other, reason_notes: 'of the wrong kind' }), 'reason_id')
    await settings({ attendance_require_late_reason: false })
    assert.equal((await checkIn(await employee())).status, 200)
  })

  it('has a reason for each end of the day', async () => {
    world.clock.set(`${DAY}T10:00:00.000Z`)
    const person = await employee()
    const [late, other, out] = [
      await reason('check_in_late', false),
      await reason('check_in_late', true),
      await reason('check_out', false),
    ]
    const shown = ({ body }: Reply) => {
      const { reason_id, reason_notes, check_in_reason, check_in_reason_notes, check_out_reason, check_out_reason_notes } =
        body.data
      const of = (one: { id: number } | null, notes: string | null) => [one?.id ?? null, notes]
      return [[reason_id, reason_notes], of(check_in_reason, check_in_reason_notes), of(check_out_reason, check_out_reason_notes)]
    }
    const cows = [other, 'Cows']
    const none = [null, null]
    const arrived = await checkIn(person, { reason_id: other, reason_notes: 'Cows' })
    assert.deepEqual(shown(arrived), [cows, cows, none])
    assert.deepEqual(shown(await checkOut(person, { reason_id: out })), [[out, null], cows, [out, null]])

    const put = (change: object) =>
      firm.owner.put(`/attendance-records/${arrived.body.data.id}`, { ...change, change_reason: 'As he told' })
    assert.deepEqual(shown(await put({ reason_notes: 'Early' })), [[out, 'Early'], cows, [out, 'Early']])
    assert.deepEqual(shown(await put({ reason_id: late, reason_notes: null })), [
      [out, 'Early'],
      [late, null],
      [out, 'Early'],
    ])
    assert.deepEqual(shown(await put({ reason_id: null, reason_notes: null })), [[late, null], [late, null], none])
    refused(await put({ reason_id: other }), 'reason_notes')
    const list = async (id: number) =>
      (
        await firm.owner.get('/attendance-records', {
          query: { reason_id: `${id}`, date: DAY, employee_id: `${person.employee_id}` },
        })
      ).body.data.length
    assert.deepEqual([await list(late), await list(out)], [1, 0])
  })

  it('follows the workspace’s own clock, far away and when it is put forward', async () => {
    const far = await world.workspace({ modules: MODULES, timezone: 'Pacific/Kiritimati' })
    const islander = await employee([], far)
    world.clock.set('2027-03-01T18:59:59.000Z')
    const { date, check_in } = (await checkIn(islander)).body.data
    assert.deepEqual([date, check_in], ['2027-03-02', '08:59:59'])

    const berlin = await world.workspace({ modules: MODULES, timezone: 'Europe/Berlin' })
    for (const { instant, time, status } of [
      { instant: '2027-03-27T08:15:00.000Z', time: '09:15:00', status: 'present' },
      { instant: '2027-03-28T07:15:00.000Z', time: '09:15:00', status: 'present' }, // daylight saving begins this night
      { instant: '2027-03-28T08:15:00.000Z', time: '10:15:00', status: 'late' },
      { instant: '2027-10-31T00:30:00.000Z', time: '02:30:00', status: 'present' }, // 02:30 occurs twice this night
    ] as const) {
      const person = await employee([], berlin)
      world.clock.set(instant)
      const { data } = (await checkIn(person)).body
      assert.deepEqual([data.check_in, data.status], [time, status], instant)
    }
  })

  it('ends no sooner than it began where the clock is put back in between', async () => {
    const berlin = await world.workspace({ modules: MODULES, timezone: 'Europe/Berlin' })
    const person = await employee([], berlin)
    world.clock.set('2027-10-31T00:50:00.000Z')
    assert.equal((await checkIn(person)).body.data.check_in, '02:50:00')
    world.clock.set('2027-10-31T01:10:00.000Z')
    const { status, body } = await person.post('/attendance-records/check-out', {})
    assert.deepEqual([status, body.data.check_out], [200, '02:50:00'])
  })
})

describe('signing in', () => {
  const signIn = async (person: Person, workspace = firm) => {
    await world.sql('DELETE FROM rate_limits')
    const owners = 'SELECT password_hash FROM users WHERE tenant_id = $1 AND is_owner'
    await world.sql(`UPDATE users SET password_hash = (${owners}) WHERE tenant_id = $1 AND id = $2`, [workspace.id, person.id])
    const body = { email: person.email, password: 'correct horse battery', workspace: workspace.slug }
    assert.equal((await world.anonymous.post('/auth/login', body)).status, 200)
  }

  it('checks in the first time of a day, where the workspace wants it (ATT-08)', async () => {
    const person = await employee()
    await signIn(person)
    assert.equal((await today(person)).body.data, null)
    await settings({ attendance_auto_check_in_on_login: true, attendance_require_late_reason: true })
    world.clock.set(`${DAY}T09:45:00.000Z`)
    await signIn(person)
    world.clock.set(`${DAY}T10:45:00.000Z`)
    await signIn(person)
    const { data } = (await today(person)).body
    assert.partialDeepStrictEqual(data, { check_in: '09:45:00', status: 'late', work_mode: 'on_site' })
    assert.deepEqual(
      (await timeline(data.id)).map(({ type }: { type: string }) => type),
      ['checked_in'],
    )
    const nobody = await firm.user([])
    await signIn(nobody)
    await settings({ attendance_auto_check_in_on_login: false, attendance_require_late_reason: false })
  })
})

describe('records', () => {
  it('are made and changed by hand for a reason (ATT-05, ATT-09, ATT-23, ATT-24)', async () => {
    for (const change_reason of [undefined, '', 'four', '  four  ']) refused(await byHand({ change_reason }), 'change_reason')
    const { status, body } = await byHand({
      check_in: '09:00',
      check_out: '17:30:15',
      work_mode: 'remote',
      check_in_ip: '9.9.9.9',
    })
    assert.equal(status, 201)
    const { id, check_in, check_out, work_mode, check_in_ip, change_reason } = body.data
    assert.deepEqual(
      { check_in, check_out, work_mode, check_in_ip },
      { check_in: '09:00:00', check_out: '17:30:15', work_mode: null, check_in_ip: null },
    )
    assert.equal(change_reason, 'Forgot his phone')
    const put = (more: object) => firm.owner.put(`/attendance-records/${id}`, more)
    refused(await put({ notes: 'x' }), 'change_reason')
    for (const wrong of ['24:00', '9:00', '09:60', 'noon', 900])
      refused(await put({ check_in: wrong, change_reason: 'Because' }), 'check_in')
    refused(await put({ check_in: '17:31', change_reason: 'Because' }), 'check_out')
    refused(await put({ check_in: null, change_reason: 'Because' }), 'check_out')
    refused(await byHand({ date: '2020-01-01', check_out: '17:00' }), 'check_out')
    refused(await byHand({ date: '2020-01-01', check_in: '22:00', check_out: '06:00' }), 'check_out')
    const changed = (await put({ check_in: '09:30', work_mode: 'remote', status: 'late', change_reason: 'Door log says so' }))
      .body.data
    assert.partialDeepStrictEqual(changed, { check_in: '09:30:00', check_out: '17:30:15', work_mode: 'remote' })
    const [updated, created] = await timeline(id)
    assert.deepEqual(
      [updated.type, updated.change_reason, updated.ip, updated.coordinates, updated.properties],
      [
        ...['updated', 'Door log says so', '127.0.0.1', null],
        {
          before: { check_in: '09:00:00', work_mode: null, status: 'present' },
          after: { check_in: '09:30:00', work_mode: 'remote', status: 'late' },
        },
      ],
    )
    assert.deepEqual(
      [created.type, created.change_reason, created.properties.after.check_out],
      ['created', 'Forgot his phone', '17:30:15'],
    )
    assert.equal(updated.description, 'Changed status, check in, work mode')
  })

  it('are one a day for each employee, also of many made at once, and when one comes back (ATT-02)', async () => {
    const { employee_id } = await employee()
    const body = { employee_id, date: '2027-02-20', change_reason: 'Paper list' }
    const replies = await Promise.all(Array.from({ length: 5 }, () => firm.owner.post('/attendance-records', body)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422, 422, 422, 422])
    for (const reply of replies) if (reply.status === 422) refused(reply, 'date')
    const { id } = replies.find(({ status }) => status === 201)!.body.data
    await firm.owner.del(`/attendance-records/${id}`)
    assert.equal((await firm.owner.post('/attendance-records', body)).status, 201)
    refused(await firm.owner.post(`/attendance-records/${id}/restore`), 'date')
  })

  it('tell where somebody was (ATT-09)', async () => {
    const person = await employee()
    const { id } = (await checkIn(person, { latitude: -33.8688, longitude: 151.2093 })).body.data
    await checkOut(person)
    const [out, entry] = await timeline(id)
    assert.deepEqual(
      [entry.type, entry.coordinates, entry.actor.id],
      ['checked_in', { latitude: -33.8688, longitude: 151.2093 }, person.id],
    )
    assert.deepEqual([out.type, out.coordinates, out.properties.before], ['checked_out', null, { check_out: null }])
  })

  it('are counted, those who are there now apart (ATT-11, ATT-12)', async () => {
    const { owner } = await world.workspace({ modules: MODULES })
    const here = await world.workspace({ modules: MODULES })
    const people = [await employee([], here), await employee([], here), await employee([], here)]
    await checkIn(people[0]!)
    await checkIn(people[1]!, { work_mode: 'remote' })
    await checkIn(people[2]!)
    await checkOut(people[2]!)
    const stats = async (query: Record<string, string> = {}) =>
      (await here.owner.get('/attendance-records/stats', { query })).body.data
    assert.deepEqual(await stats(), {
      ...{ total: 3, present: 2, absent: 0, half_day: 0, remote: 1, late: 0 },
      ...{ checked_in_open: 2, on_site_open: 1, remote_open: 1 },
    })
    assert.equal((await stats({ work_mode: 'remote' })).checked_in_open, 1)
    assert.equal((await stats({ date_from: '2027-03-02' })).total, 0)
    world.clock.set('2027-03-02T09:00:00.000Z')
    assert.equal((await stats()).checked_in_open, 0, 'open is today')
    assert.equal((await owner.get('/attendance-records/stats')).body.data.total, 0)
  })
})

describe('reasons', () => {
  it('are there from the start, with one Other of each kind, which stays (ATT-07)', async () => {
    const all = await reasons()
    for (const kind of ['check_in_late', 'check_out']) {
      const others = all.filter((one: { kind: string; is_other: boolean }) => one.kind === kind && one.is_other)
      assert.equal(others.length, 1, kind)
      const path = `/attendance-reasons/${others[0].id}`
      refused(await firm.owner.del(path), 'attendance_reason')
      refused(await firm.owner.put(path, { is_active: false }), 'is_active')
      refused(await firm.owner.put(path, { kind: kind === 'check_out' ? 'check_in_late' : 'check_out' }), 'kind')
      assert.equal((await firm.owner.put(path, { name: 'Something else' })).body.data.name, 'Something else')
      assert.equal((await firm.owner.put(path, { name: 'Other', is_other: false })).body.data.is_other, true)
    }
  })

  it('are added by managers, changed and deleted by the owner and admins (ATT-21)', async () => {
    const manager = await firm.user(['attendance.view', 'attendance.update'])
    const { status, body } = await manager.post('/attendance-reasons', { kind: 'check_in_late', name: 'Snow', is_other: true })
    assert.deepEqual([status, body.data.is_other], [201, false])
    const path = `/attendance-reasons/${body.data.id}`
    for (const reply of [
      await manager.put(path, { name: 'Ice' }),
      await manager.del(path),
      await manager.del('/attendance-reasons/999999'),
    ])
      assert.equal(reply.status, 403)
    assert.equal((await firm.owner.put(path, { name: 'Ice' })).status, 200)
    const admin = await firm.user([])
    await world.sql(
      `INSERT INTO user_roles (tenant_id, user_id, role_id) SELECT tenant_id, $2, id FROM roles WHERE tenant_id = $1 AND kind = 'admin'`,
      [firm.id, admin.id],
    )
    assert.equal((await admin.put(path, { is_active: false })).status, 200)
    world.clock.set(`${DAY}T11:00:00.000Z`)
    refused(await checkIn(await employee(), { reason_id: body.data.id }), 'reason_id')
    assert.equal((await admin.del(path)).status, 200)
  })

  it('are kept while a record gives them', async () => {
    world.clock.set(`${DAY}T11:00:00.000Z`)
    const { id } = (await firm.owner.post('/attendance-reasons', { kind: 'check_in_late', name: 'Flood' })).body.data
    assert.equal((await checkIn(await employee(), { reason_id: id })).status, 200)
    refused(await firm.owner.del(`/attendance-reasons/${id}`), 'attendance_reason')
  })
})

describe('a file of records', () => {
  const run = async (to: Workspace, text: string, more: Record<string, string> = {}) => {
    const sent = await to.owner.post('/imports', { module: 'attendance-records', file: new File([text], 'records.csv') })
    const { import: made, context } = sent.body.data
    await to.owner.put(`/imports/${made.uuid}`, { mapping: { ...context.suggested_mapping, ...more } })
    await to.owner.post(`/imports/${made.uuid}/run`)
    await world.drain()
    return (await to.owner.get(`/imports/${made.uuid}`)).body.data
  }
  const counts = (one: Record<string, unknown>) => [one.created_count, one.updated_count, one.failed_count]

  it('is read again by an import, whoever made them, and undone', async () => {
    const [here, there] = [
      await world.workspace({ modules: [...MODULES, 'imports'] }),
      await world.workspace({ modules: [...MODULES, 'imports'] }),
    ]
    world.clock.set(`${DAY}T10:30:00.000Z`)
    const person = await employee([], here)
    const late = await reason('check_in_late', false, here)
    const { id } = (await checkIn(person, { reason_id: late })).body.data
    await here.owner.post('/attendance-records', {
      ...{ employee_id: person.employee_id, date: '2027-02-26', check_in: '09:00', change_reason: 'Forgot his phone' },
    })
    const exported = async () => (await here.owner.get('/attendance-records/export')).raw.toString()
    const file = await exported()
    assert.match(file, /,Traffic,/)
    assert.deepEqual(counts(await run(here, file, { id: 'ID' })), [0, 2, 0])
    assert.equal(await exported(), file, 'nothing has changed')
    const changed = await run(here, file.replaceAll('10:30:00,', '10:29:00,'), { id: 'ID' })
    assert.deepEqual(counts(changed), [0, 2, 0])
    const shown = async () => (await here.owner.get(`/attendance-records/${id}`)).body.data
    assert.equal((await shown()).check_in, '10:29:00')
    await here.owner.post(`/imports/${changed.uuid}/undo`)
    await world.drain()
    assert.partialDeepStrictEqual(await shown(), { check_in: '10:30:00', reason_id: late })

    const { name } = (await here.owner.get(`/employees/${person.employee_id}`)).body.data
    await there.owner.post('/employees', { name, email: 'same@there.test' })
    assert.deepEqual(counts(await run(there, file)), [2, 0, 0])
  })

  it('names reasons that are called alike by their kind too, and is read so', async () => {
    const [here, there] = [
      await world.workspace({ modules: [...MODULES, 'imports'] }),
      await world.workspace({ modules: [...MODULES, 'imports'] }),
    ]
    const { id: employee_id, name } = (await here.owner.post('/employees', { name: 'Una Usual' })).body.data
    await there.owner.post('/employees', { name })
    const given: [string, string, number][] = [
      ['2027-02-24', 'Other (check_in_late)', await reason('check_in_late', true, here)],
      ['2027-02-25', 'Other (check_out)', await reason('check_out', true, here)],
      ['2027-02-26', 'Traffic', await reason('check_in_late', false, here)],
    ]
    for (const [date, , reason_id] of given) {
      const body = { employee_id, date, check_in: '09:30', check_out: '17:00', change_reason: 'Paper list' }
      const { id } = (await here.owner.post('/attendance-records', body)).body.data
      const more = { reason_id, reason_notes: 'Lost keys', change_reason: 'Paper list' }
      assert.equal((await here.owner.put(`/attendance-records/${id}`, more)).status, 200)
    }
    const file = (await here.owner.get('/attendance-records/export')).raw.toString()
    for (const [date, told] of given) assert.match(file, new RegExp(`${date}.*,${told.replace(/[()]/g, '\\$&')},`))
    assert.deepEqual(counts(await run(there, file)), [3, 0, 0])
    assert.deepEqual(counts(await run(here, file, { id: 'ID' })), [0, 3, 0])
    const { data } = (await here.owner.get('/attendance-records', { query: { sort: 'date', direction: 'asc' } })).body
    assert.deepEqual(
      data.map(({ date, reason_id }: { date: string; reason_id: number }) => [date, reason_id]),
      given.map(([date, , id]) => [date, id]),
    )
  })

  it('has times of the day as spreadsheets keep them', async () => {
    const here = await world.workspace({ modules: [...MODULES, 'imports'] })
    const { name } = await here.owner.post('/employees', { name: 'Una Usual' }).then(({ body }) => body.data)
    const formats =
      '<numFmts><numFmt numFmtId="164" formatCode="[$-409]h:mm:ss\\ AM/PM;@"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts>'
    const styles = `${formats}<cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="20"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>`
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
    const number = (value: number, style: number) => `<c s="${style}"><v>${value}</v></c>`
    const head = ['Employee', 'Date', 'Check in', 'Check out', 'Notes', 'Change reason'].map(text).join('')
    const row = (day: number, from: string, to: string) =>
      `<row>${text(name)}${number(day, 1)}${from}${to}${number(1.5, 4)}${text('Paper list')}</row>`
    const book = await workbookOf(
      `<row>${head}</row>${row(46053, number(0.375, 2), number(0.729178240740741, 3))}${row(46054, number(0, 2), number(0.9999999, 2))}`,
      '',
      styles,
    )
    const file = new File([book as never], 'times.xlsx')
    const { import: made, context } = (await here.owner.post('/imports', { module: 'attendance-records', file })).body.data
    await here.owner.put(`/imports/${made.uuid}`, { mapping: context.suggested_mapping })
    await here.owner.post(`/imports/${made.uuid}/run`)
    await world.drain()
    const { body } = await here.owner.get('/attendance-records', { query: { sort: 'date', direction: 'asc' } })
    assert.deepEqual(
      body.data.map(({ date, check_in, check_out, notes }: Record<string, string>) => [date, check_in, check_out, notes]),
      [
        ['2026-01-31', '09:00:00', '17:30:01', '1.5'],
        ['2026-02-01', '00:00:00', '23:59:59', '1.5'],
      ],
    )
  })
  it('has times of the day with or without a leading zero, and no other nonsense', async () => {
    const here = await world.workspace({ modules: [...MODULES, 'imports'] })
    await here.owner.post('/employees', { name: 'Una Usual' })
    const rows = ['9:00,17:30', '8:05:30,9:00:00', '9:0,', '9,', '9:61,', '24:00,', '9:00 PM,', '009:00,']
    const lines = rows.map((row, n) => `Una Usual,2027-02-0${n + 1},${row},Paper list`)
    const done = await run(here, `Employee,Date,Check in,Check out,Change reason\n${lines.join('\n')}\n`)
    assert.deepEqual(counts(done), [2, 0, 6])
    const { data } = (await here.owner.get('/attendance-records', { query: { sort: 'date', direction: 'asc' } })).body
    assert.deepEqual(
      data.map(({ check_in, check_out }: Record<string, string>) => [check_in, check_out]),
      [
        ['09:00:00', '17:30:00'],
        ['08:05:30', '09:00:00'],
      ],
    )
  })
})
