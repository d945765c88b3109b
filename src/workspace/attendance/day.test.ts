/** A day of all employees, and the data that employees see about themselves. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const DAY = '2027-03-01'
let firm: Workspace
let manager: Person

async function employee(name: string, workspace = firm) {
  const person = await workspace.user([], name)
  const { status, body } = await workspace.owner.post(`/users/${person.id}/create-employee`)
  assert.equal(status, 201, body.message)
  return { ...person, employee_id: body.data.id as number }
}
const day = (query: Record<string, string> = {}, who = manager) => who.get('/attendance-records/day', { query })
const states = async (query: Record<string, string> = {}) => {
  const { status, body } = await day(query)
  assert.equal(status, 200, body.message)
  return Object.fromEntries(
    body.data.employees.map(({ employee, state }: { employee: { name: string }; state: string }) => [employee.name, state]),
  )
}
const byHand = (employee_id: number, more: object) =>
  firm.owner.post('/attendance-records', { employee_id, date: DAY, change_reason: 'Written down', ...more })

before(async () => {
  world.clock.set(`${DAY}T09:05:00.000Z`)
  firm = await world.workspace({ modules: ['attendance', 'employees'] })
  manager = await firm.user(['attendance.view'])
})
beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
  world.clock.set(`${DAY}T09:05:00.000Z`)
})

describe('a day of everybody', () => {
  it('names each active employee with whether they are in, and counts them', async () => {
    const [ada, bea, carl, dora, emil] = [
      await employee('Ada'),
      await employee('Bea'),
      await employee('Carl'),
      await employee('Dora'),
      await employee('Emil'),
    ]
    await ada.post('/attendance-records/check-in', { work_mode: 'on_site' })
    await bea.post('/attendance-records/check-in', { work_mode: 'remote' })
    world.clock.set(`${DAY}T12:00:00.000Z`)
    await bea.post('/attendance-records/check-out', {})
    await byHand(carl.employee_id, { status: 'absent' })
    await byHand(dora.employee_id, { status: 'half_day' })

    assert.deepEqual(await states(), { Ada: 'in', Bea: 'out', Carl: 'absent', Dora: 'present', Emil: 'not_in' })
    const { data } = (await day()).body
    assert.partialDeepStrictEqual(data, { date: DAY, today: DAY, now: '12:00:00', total: 5, page: 1, last_page: 1 })
    assert.deepEqual(data.counts, {
      ...{ not_in: 1, in: 1, out: 1, present: 1, absent: 1 },
      ...{ late: 0, on_site: 1, remote: 1 },
    })
    assert.partialDeepStrictEqual(data.employees[0], {
      employee: { id: ada.employee_id, name: 'Ada' },
      record: { check_in: '09:05:00', check_out: null, status: 'present', work_mode: 'on_site' },
    })
    assert.deepEqual(await states({ only: 'remote' }), { Bea: 'out' })
    assert.deepEqual(await states({ only: 'not_in' }), { Emil: 'not_in' })

    await emil.post('/attendance-records/check-in', { work_mode: 'on_site' })
    assert.deepEqual(await states({ only: 'late' }), { Emil: 'in' })
  })

  it('leaves out who is inactive or was not employed yet, unless there is a record of that day', async () => {
    const fay = await employee('Fay')
    await firm.owner.put(`/employees/${fay.employee_id}`, { hire_date: '2027-03-01' })
    assert.equal((await states()).Fay, 'not_in')
    assert.equal((await states({ date: '2027-02-26' })).Fay, undefined)
    await byHand(fay.employee_id, { date: '2027-02-26', check_in: '09:00', check_out: '10:00' })
    await firm.owner.put(`/employees/${fay.employee_id}`, { status: 'inactive' })
    assert.equal((await states()).Fay, undefined)
    assert.equal((await states({ date: '2027-02-26' })).Fay, 'out')
  })

  it('refuses what is no day, and who may not see records', async () => {
    const wrong: Record<string, string>[] = [{ date: 'yesterday' }, { date: '2027-02-30' }, { only: 'asleep' }, { page: 'x' }]
    for (const query of wrong) {
      const { status, body } = await day(query)
      assert.equal(status, 422)
      assert.deepEqual(Object.keys(body.errors!), Object.keys(query))
    }
    assert.equal((await day({ date: '', only: '', page: '99' })).status, 200)
    assert.equal((await day({}, await employee('Gil'))).status, 403)
    const other = await world.workspace({ modules: ['attendance'] })
    assert.partialDeepStrictEqual((await day({}, other.owner)).body.data, { total: 0, employees: [] }, 'without Employees')
  })
})

describe('what employees see of themselves', () => {
  it('is their own records, the latest first', async () => {
    const [hal, ivy] = [await employee('Hal'), await employee('Ivy')]
    for (const date of ['2027-02-24', '2027-02-26', '2027-02-25']) await byHand(hal.employee_id, { date })
    await byHand(ivy.employee_id, { date: '2027-02-25' })
    const own = async (query: Record<string, string> = {}) =>
      (await hal.get('/me/attendance-records', { query })).body.data.map(({ date }: { date: string }) => date)
    assert.deepEqual(await own(), ['2027-02-26', '2027-02-25', '2027-02-24'])
    assert.deepEqual(await own({ date_from: '2027-02-25', date_to: '2027-02-25' }), ['2027-02-25'])
    assert.equal((await hal.get('/me/attendance-records', { query: { date_from: 'x' } })).status, 422)
    assert.equal((await hal.get('/attendance-records')).status, 403)
  })

  it('is the reasons that they may name, which are those in use', async () => {
    const { data } = (await firm.owner.post('/attendance-reasons', { kind: 'check_out', name: 'Old', is_active: false })).body
    const jo = await employee('Jo')
    const { body } = await jo.get('/me/attendance-reasons')
    assert.ok(body.data.some(({ is_other }: { is_other: boolean }) => is_other))
    assert.ok(!body.data.some(({ id }: { id: number }) => id === data.id))
  })

  it('is nothing for whoever is no employee, or may not check in', async () => {
    const stranger = await firm.user(['attendance.view'])
    for (const path of ['/me/attendance-records', '/me/attendance-reasons']) assert.equal((await stranger.get(path)).status, 403)
  })
})
