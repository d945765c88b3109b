import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const everything = ['tasks.view', 'tasks.create', 'leads.view', 'leads.create', 'leads.update']
let firm: Workspace
let ada: Person
let lin: Person

/** In Kiritimati the day begins fourteen hours before UTC's. */
const at = (local: string) =>
  world.clock.set(Temporal.PlainDateTime.from(local).toZonedDateTime('Pacific/Kiritimati').toInstant().toString())

before(async () => {
  firm = await world.workspace({ modules: ['tasks', 'leads'], timezone: 'Pacific/Kiritimati' })
  ada = await firm.user(everything, 'Ada')
  lin = await firm.user(['tasks.view', 'tasks.create'], 'Lin')
})
beforeEach(() => world.sql('TRUNCATE daily_digests, email_logs CASCADE'))

async function mails() {
  await world.drain('due')
  return world.sql(
    `SELECT notification_type AS type, "to"[1] AS "to", body_text AS text FROM email_logs
     WHERE tenant_id = $1 AND notification_type LIKE 'daily%' ORDER BY id`,
    [firm.id],
  )
}

describe('the daily digests', () => {
  it('say nothing where there is nothing to say', async () => {
    at('2026-12-01T08:00')
    assert.deepEqual(await mails(), [])
  })

  it('come at the workspace’s time: to everybody their own, to the owner the team’s (NTF-37, USR-05)', async () => {
    at('2026-12-02T09:00')
    const task = (who: Person, title: string, due_on: string) => who.post('/tasks', { title, due_on })
    await task(ada, 'Overdue', '2026-12-01')
    await task(ada, 'Due', '2026-12-03')
    await task(ada, 'Tomorrow', '2026-12-04')
    await task(lin, 'Of Lin', '2026-12-03')
    const { id } = (await ada.post('/leads', { name: 'Nora', lead_type: 'direct' })).body.data
    await ada.post(`/leads/${id}/follow-ups`, { title: 'Call back', due_at: '2026-12-03T23:30' })
    await ada.post(`/leads/${id}/follow-ups`, { title: 'Next day', due_at: '2026-12-04T00:00' })
    at('2026-12-03T07:59')
    await mails()
    await world.sql('TRUNCATE email_logs CASCADE')
    at('2026-12-03T08:00')
    const [team, own, ofLin, ...more] = await mails()
    assert.deepEqual(more, [])
    assert.partialDeepStrictEqual(team, { type: 'daily_summary.team', to: firm.owner.email })
    assert.match(
      team.text,
      /Tasks due: 3\nof these overdue: 1\nFollow-ups due: 1\nof them overdue: 0\nNew leads yesterday: 1\nOpen leads: 1/,
    )
    assert.partialDeepStrictEqual(own, { type: 'daily_summary.personal', to: ada.email })
    assert.match(own.text, /Tasks due: 2, 1 of them overdue\n2026-12-01 {2}Overdue\n2026-12-03 {2}Due\n/)
    assert.match(own.text, /Follow-ups due: 1\n2026-12-03 {2}Nora: Call back\n/)
    assert.match(own.text, /Your new leads yesterday: 1\nYour open leads: 1\n/)
    assert.ok(!own.text.includes('Lin'))
    assert.deepEqual([ofLin.to, /Of Lin/.test(ofLin.text), /leads/.test(ofLin.text)], [lin.email, true, false])
  })

  it('come once a day, whatever is repeated', async () => {
    at('2026-12-04T08:00')
    const sent = (await mails()).length
    assert.ok(sent > 0)
    const { batchOfDigests } = await import('./digests.ts')
    for (const _ of [1, 2])
      await firm.inside((ctx) => ctx.services.queue.send(ctx, batchOfDigests, { day: '2026-12-04', after: 0 }))
    assert.equal((await mails()).length, sent)
    await firm.owner.put('/settings', { settings: { task_reminder_time: '10:00' } })
    at('2026-12-04T10:00')
    assert.equal((await mails()).length, sent)
    at('2026-12-05T09:59')
    assert.equal((await mails()).length, sent)
    at('2026-12-05T10:00')
    assert.equal((await mails()).length, 2 * sent)
  })

  it('show the team to whoever is to have it, and nothing to those who are suspended or unproven (USR-04)', async () => {
    await firm.owner.put(`/users/${lin.id}`, { receive_all_users_daily_summary: true })
    await world.sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [ada.id])
    at('2026-12-06T10:00')
    assert.deepEqual(
      (await mails()).map(({ type, to }) => [type, to]),
      [firm.owner.email, lin.email].map((to) => ['daily_summary.team', to]),
    )
    await firm.owner.post(`/users/${lin.id}/suspend`)
    at('2026-12-07T10:00')
    assert.equal((await mails()).filter(({ to }) => to === lin.email).length, 1)
  })

  it('reach everybody of a large workspace, some at a time', async () => {
    await world.sql(
      `INSERT INTO users (tenant_id, name, email, email_verified_at, is_owner, created_at, updated_at)
       SELECT $1, 'Extra ' || n, 'extra' || n || '@crowd.test', now(), false, now(), now() FROM generate_series(1, 120) n`,
      [firm.id],
    )
    const [{ role_id }] = await world.sql('SELECT role_id FROM user_roles WHERE user_id = $1', [ada.id])
    await world.sql(
      `INSERT INTO user_roles (tenant_id, user_id, role_id) SELECT tenant_id, id, $1 FROM users WHERE email LIKE '%@crowd.test'`,
      [role_id],
    )
    await world.sql(
      `INSERT INTO tasks (tenant_id, title, due_on, assigned_to, created_at, updated_at)
       SELECT tenant_id, 'Sweep', '2026-12-08', id, now(), now() FROM users WHERE email LIKE '%@crowd.test'`,
    )
    at('2026-12-08T10:00')
    const crowd = (await mails()).filter(({ to }) => to.endsWith('@crowd.test'))
    assert.equal(new Set(crowd.map(({ to }) => to)).size, 120)
    assert.equal(crowd.length, 120)
  })
})
