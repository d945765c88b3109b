/** Shifts over midnight, breaks, and computed hours. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const MODULES = ['attendance', 'employees', 'imports']
let firm: Workspace

before(async () => {
  world.clock.set('2027-03-01T09:05:00.000Z')
  firm = await world.workspace({ modules: MODULES, timezone: 'Europe/Berlin' })
})
beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
})

async function employee(workspace = firm) {
  const person = await workspace.user([])
  const { status, body } = await workspace.owner.post(`/users/${person.id}/create-employee`)
  assert.equal(status, 201, body.message)
  return { ...person, employee_id: body.data.id as number }
}
type Employee = Awaited<ReturnType<typeof employee>>
const at = (instant: string) => world.clock.set(instant)
const checkIn = (person: Person) => person.post('/attendance-records/check-in', { work_mode: 'on_site' })
const checkOut = (person: Person, body: object = {}) => person.post('/attendance-records/check-out', body)
const today = async (person: Person) => (await person.get('/attendance-records/today')).body
const byHand = ({ employee_id }: Employee, body: object) =>
  firm.owner.post('/attendance-records', { employee_id, date: '2027-02-26', change_reason: 'Paper list', ...body })
const change = (id: number, body: object) => firm.owner.put(`/attendance-records/${id}`, { change_reason: 'Paper list', ...body })

describe('a shift over midnight', () => {
  it('is written by hand with ends_next_day and counts on the day it began', async () => {
    const person = await employee()
    const { status, body } = await byHand(person, { check_in: '22:00', check_out: '06:00', ends_next_day: true })
    assert.equal(status, 201, body.message)
    assert.partialDeepStrictEqual(body.data, {
      ...{ date: '2027-02-26', check_in: '22:00:00', check_out: '06:00:00' },
      ...{ ends_next_day: true, break_minutes: 0, attended_minutes: 480 },
    })
    const shown = await firm.owner.get('/attendance-records', {
      query: { date: '2027-02-26', employee_id: `${person.employee_id}` },
    })
    assert.partialDeepStrictEqual(shown.body.data, [{ ends_next_day: true, attended_minutes: 480 }])
  })

  it('stays a 422 on check_out without ends_next_day', async () => {
    const { status, body } = await byHand(await employee(), { check_in: '22:00', check_out: '06:00' })
    assert.partialDeepStrictEqual({ status, fields: Object.keys(body.errors!) }, { status: 422, fields: ['check_out'] })
  })

  it('lasts at most 24 hours and ends at a time', async () => {
    const person = await employee()
    for (const { body: sent, fields } of [
      { body: { check_in: '08:00', check_out: '08:00:01', ends_next_day: true }, fields: ['check_out'] },
      { body: { check_in: '22:00', ends_next_day: true }, fields: ['ends_next_day'] },
      { body: { check_in: '22:00', check_out: '06:00', ends_next_day: null }, fields: ['ends_next_day'] },
    ]) {
      const { status, body } = await byHand(person, sent)
      assert.partialDeepStrictEqual({ status, fields: Object.keys(body.errors!) }, { status: 422, fields })
    }
    const whole = await byHand(person, { check_in: '08:00', check_out: '08:00', ends_next_day: true })
    assert.partialDeepStrictEqual(whole.body.data, { attended_minutes: 1440 })
  })

  it('is made of a record by a correction, and one of a day again', async () => {
    const { id } = (await byHand(await employee(), { check_in: '14:00', check_out: '22:00' })).body.data
    const wrong = await change(id, { check_out: '01:30' })
    assert.partialDeepStrictEqual(
      { status: wrong.status, fields: Object.keys(wrong.body.errors!) },
      { status: 422, fields: ['check_out'] },
    )
    const longer = await change(id, { check_out: '01:30', ends_next_day: true })
    assert.partialDeepStrictEqual(longer.body.data, { ends_next_day: true, attended_minutes: 690 })
    const { data: entries } = (await firm.owner.get(`/attendance-records/${id}/timeline`)).body
    assert.partialDeepStrictEqual(entries[0], {
      properties: { before: { ends_next_day: false }, after: { ends_next_day: true } },
    })
    const open = await change(id, { check_out: null })
    assert.partialDeepStrictEqual(open.body.data, { check_out: null, ends_next_day: false, attended_minutes: null })
  })

  it('is ended by a check-out after midnight, on the record of the day it began', async () => {
    const person = await employee()
    at('2027-03-01T21:00:00.000Z') // 22:00 in Berlin
    const { id } = (await checkIn(person)).body.data
    at('2027-03-02T05:30:00.000Z')
    assert.partialDeepStrictEqual(await today(person), { data: null, meta: { open_shift: { id, date: '2027-03-01' } } })
    const { status, body } = await checkOut(person, { break_minutes: 45 })
    assert.equal(status, 200, body.message)
    assert.partialDeepStrictEqual(body.data, {
      ...{ id, date: '2027-03-01', check_in: '22:00:00', check_out: '06:30:00' },
      ...{ ends_next_day: true, break_minutes: 45, attended_minutes: 465 },
    })
    assert.equal((await today(person)).meta.open_shift, undefined)
    const again = await checkOut(person)
    assert.partialDeepStrictEqual(
      { status: again.status, fields: Object.keys(again.body.errors!) },
      { status: 422, fields: ['check_in'] },
    )
    at('2027-03-02T21:00:00.000Z')
    assert.partialDeepStrictEqual((await checkIn(person)).body.data, { date: '2027-03-02', check_in: '22:00:00' })
  })

  it('is ended within 16 hours of its check-in, not later', async () => {
    for (const { out, expected } of [
      { out: '2027-03-02T09:00:00.000Z', expected: 200 },
      { out: '2027-03-02T09:00:01.000Z', expected: 422 },
    ]) {
      const person = await employee()
      at('2027-03-01T17:00:00.000Z')
      await checkIn(person)
      at(out)
      const { status } = await checkOut(person)
      assert.equal(status, expected, out)
    }
  })

  it('is not interrupted by a sign-in that checks in', async () => {
    const other = await world.workspace({ modules: MODULES, timezone: 'Europe/Berlin' })
    const person = await employee(other)
    at('2027-03-01T21:00:00.000Z')
    await checkIn(person)
    await other.owner.put('/settings', { settings: { attendance_auto_check_in_on_login: true } })
    at('2027-03-02T00:10:00.000Z')
    const owners = 'SELECT password_hash FROM users WHERE tenant_id = $1 AND is_owner'
    await world.sql(`UPDATE users SET password_hash = (${owners}) WHERE tenant_id = $1 AND id = $2`, [other.id, person.id])
    const credentials = { email: person.email, password: 'correct horse battery', workspace: other.slug }
    assert.equal((await world.anonymous.post('/auth/login', credentials)).status, 200)
    const { body } = await other.owner.get('/attendance-records')
    assert.equal(body.meta.total, 1)
  })

  it('is counted by real hours where clocks change', async () => {
    const person = await employee()
    const rows = [
      { date: '2027-03-27', check_in: '22:00', check_out: '06:00', attended_minutes: 420 }, // 02:00 becomes 03:00
      { date: '2027-10-30', check_in: '22:00', check_out: '06:00', attended_minutes: 540 }, // 03:00 becomes 02:00
      { date: '2027-10-23', check_in: '22:00', check_out: '06:00', attended_minutes: 480 },
    ]
    for (const { attended_minutes, ...row } of rows) {
      const { body } = await byHand(person, { ...row, ends_next_day: true })
      assert.partialDeepStrictEqual(body.data, { attended_minutes }, row.date)
    }
  })

  it('counts the hour that a clock shows twice once, as it was', async () => {
    const person = await employee()
    at('2027-10-30T22:00:00.000Z') // midnight in Berlin
    await checkIn(person)
    at('2027-10-31T01:30:00.000Z') // 02:30 for the second time
    assert.partialDeepStrictEqual((await checkOut(person)).body.data, { check_out: '02:30:00', attended_minutes: 210 })
    const second = await employee()
    at('2027-10-31T00:50:00.000Z') // 02:50 for the first time
    const { id } = (await checkIn(second)).body.data
    at('2027-10-31T01:10:00.000Z')
    assert.partialDeepStrictEqual((await checkOut(second)).body.data, { id, attended_minutes: 20 })
  })

  it('keeps its hours when the zone of the workspace is changed', async () => {
    const moved = await world.workspace({ modules: MODULES, timezone: 'Europe/Berlin' })
    const person = await employee(moved)
    at('2027-03-01T08:00:00.000Z')
    await checkIn(person)
    await moved.owner.put('/settings', { settings: { timezone: 'America/New_York' } })
    at('2027-03-01T16:00:00.000Z')
    assert.partialDeepStrictEqual((await checkOut(person)).body.data, { attended_minutes: 480 })
  })
})

describe('breaks', () => {
  it('are taken off the hours', async () => {
    const person = await employee()
    const { id } = (await byHand(person, { check_in: '09:00', check_out: '17:30', break_minutes: 30 })).body.data
    assert.partialDeepStrictEqual((await firm.owner.get(`/attendance-records/${id}`)).body.data, { attended_minutes: 480 })
    assert.partialDeepStrictEqual((await change(id, { break_minutes: 60 })).body.data, { attended_minutes: 450 })
    assert.partialDeepStrictEqual((await change(id, { check_in: '10:00' })).body.data, { attended_minutes: 390 })
  })

  it('are not longer than the time between check-in and check-out', async () => {
    const person = await employee()
    for (const sent of [
      { check_in: '09:00', check_out: '10:00', break_minutes: 61 },
      { break_minutes: -1 },
      { break_minutes: 1441 },
      { break_minutes: 1.5 },
    ]) {
      const { status, body } = await byHand(person, sent)
      assert.partialDeepStrictEqual({ status, fields: Object.keys(body.errors!) }, { status: 422, fields: ['break_minutes'] })
    }
    at('2027-03-01T09:00:00.000Z')
    await checkIn(person)
    at('2027-03-01T09:10:00.000Z')
    const { status, body } = await checkOut(person, { break_minutes: 11 })
    assert.partialDeepStrictEqual({ status, fields: Object.keys(body.errors!) }, { status: 422, fields: ['break_minutes'] })
  })
})

describe('hours', () => {
  it('are added up by day, week and month, with breaks beside', async () => {
    const other = await world.workspace({ modules: MODULES, timezone: 'Europe/Berlin' })
    const [ada, bea] = [await employee(other), await employee(other)]
    const rows = [
      { employee_id: ada.employee_id, date: '2027-01-29', check_in: '09:00', check_out: '17:30', break_minutes: 30 },
      { employee_id: ada.employee_id, date: '2027-01-31', check_in: '22:00', check_out: '06:00', ends_next_day: true },
      { employee_id: ada.employee_id, date: '2027-02-02', check_in: '09:00', check_out: '12:20' },
      { employee_id: ada.employee_id, date: '2027-02-03', check_in: '09:00' },
      { employee_id: bea.employee_id, date: '2027-02-02', check_in: '09:00', check_out: '10:00', break_minutes: 5 },
    ]
    for (const row of rows) {
      const { status, body } = await other.owner.post('/attendance-records', { ...row, change_reason: 'Paper list' })
      assert.equal(status, 201, body.message)
    }
    const series = async (query: Record<string, string>) => {
      const { status, body } = await other.owner.get('/attendance-records/series', { query: { to: '2027-02-03', ...query } })
      assert.equal(status, 200, body.message)
      return { periods: body.data.periods, values: body.data.lines[0].values, total: body.data.lines[0].total }
    }
    const mine = { employee_id: `${ada.employee_id}`, from: '2027-01-29' }
    assert.deepEqual(await series({ ...mine, of: 'attended_minutes', unit: 'month' }), {
      ...{ periods: ['2027-01-01', '2027-02-01'], values: [960, 200], total: 1160 },
    })
    assert.deepEqual(await series({ ...mine, of: 'attended_minutes', unit: 'week' }), {
      ...{ periods: ['2027-01-25', '2027-02-01'], values: [960, 200], total: 1160 },
    })
    assert.deepEqual((await series({ ...mine, of: 'attended_minutes', unit: 'day' })).values, [480, 0, 480, 0, 200, 0])
    assert.deepEqual((await series({ ...mine, of: 'break_minutes', unit: 'month' })).values, [30, 0])
    assert.deepEqual((await series({ from: '2027-02-01', of: 'attended_minutes', unit: 'month' })).values, [255])
    const day = (await other.owner.get('/attendance-records/day', { query: { date: '2027-02-02' } })).body.data
    assert.partialDeepStrictEqual(day, { attended_minutes: 255, break_minutes: 5 })
  })

  it('stand in exports, which an import reads again', async () => {
    const [here, there] = [await world.workspace({ modules: MODULES }), await world.workspace({ modules: MODULES })]
    for (const { owner } of [here, there]) await owner.post('/employees', { name: 'Nora Night' })
    const { data } = (await here.owner.get('/employees', { query: { search: 'Nora' } })).body
    const sent = {
      employee_id: data[0].id,
      date: '2027-02-26',
      check_in: '22:00',
      check_out: '06:00',
      change_reason: 'Paper list',
    }
    await here.owner.post('/attendance-records', { ...sent, ends_next_day: true, break_minutes: 45 })
    const file = (await here.owner.get('/attendance-records/export')).raw.toString()
    assert.match(file, /Ends next day,.*Break minutes,.*Attended minutes/)
    const { body } = await there.owner.post('/imports', { module: 'attendance-records', file: new File([file], 'records.csv') })
    const { import: made, context } = body.data
    await there.owner.put(`/imports/${made.uuid}`, { mapping: context.suggested_mapping })
    await there.owner.post(`/imports/${made.uuid}/run`)
    await world.drain()
    assert.partialDeepStrictEqual((await there.owner.get('/attendance-records')).body.data, [
      { date: '2027-02-26', ends_next_day: true, break_minutes: 45, attended_minutes: 435 },
    ])
  })
})
