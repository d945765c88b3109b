import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { requireMentions } from '#kernel/http/record-routes.ts'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { refusing } from '#test/refusing.ts'

const world = await startTest()
let firm: Workspace
let boss: Person
let ada: Person
let lin: Person

const leadWork = ['leads.view', 'leads.create', 'leads.update', 'tasks.view', 'tasks.create']

before(async () => {
  firm = await world.workspace({
    modules: ['leads', 'tasks', 'contacts', 'invoices', 'payments', 'quotations'],
    timezone: 'Asia/Tokyo',
  })
  boss = await firm.user(
    [...leadWork, 'leads.assign', 'tasks.update', 'tasks.assign', 'invoices.view', 'invoices.create', 'invoices.assign'],
    'Bo Boss',
  )
  ada = await firm.user(leadWork, 'Ada')
  lin = await firm.user(['tasks.view'], 'Lin')
})

const lead = async (by: Person, name: string, more = {}) =>
  (await by.post('/leads', { name, lead_type: 'direct', ...more })).body.data as { id: number }
const listOf = async (who: Person, query = {}) => (await who.get('/notifications', { query })).body
const unread = async (who: Person) => (await who.get('/notifications/unread-count')).body.data.unread_count
const forget = () => world.sql('DELETE FROM notifications WHERE tenant_id = $1', [firm.id])

describe('a lead that is given to somebody', () => {
  it('is told in the envelope, to them alone (NTF-01 … NTF-07, NTF-11 … NTF-15, NTF-17, NTF-32, NTF-35)', async () => {
    await forget()
    const { id } = await lead(boss, 'Nordwind', { assigned_to: ada.id })
    const { data, meta } = await listOf(ada)
    assert.equal(meta.total, 1)
    const [{ data: envelope, ...row }] = data
    assert.deepEqual(Object.keys(row).sort(), ['created_at', 'id', 'read_at', 'type', 'updated_at'])
    assert.match(row.id, /^[0-9a-f-]{36}$/)
    assert.equal(row.read_at, null)
    const [{ created_at }] = await world.sql('SELECT app.iso(created_at) AS created_at FROM leads WHERE id = $1', [id])
    assert.deepEqual(envelope, {
      schema_version: 1,
      type: 'lead.assigned',
      category: 'crm',
      title: 'Lead assigned to you',
      body: 'Bo Boss assigned you the lead Nordwind.',
      entity_type: 'lead',
      entity_id: id,
      actor_id: boss.id,
      metadata: {},
      dedupe_key: `lead.assigned:${id}:${ada.id}:${created_at}`,
      source: 'assign',
      route: { resource: 'lead', action: 'show', entity_id: id, filters: {} },
      delivery: 'immediate',
      broadcast_ready: true,
    })
    assert.equal((await listOf(boss)).meta.total, 0)
  })

  it('is no news to whoever did it', async () => {
    await forget()
    await lead(boss, 'Mine', { assigned_to: boss.id })
    assert.equal(await unread(boss), 0)
  })

  it('is not told to somebody who may not see leads', async () => {
    await forget()
    await lead(boss, 'Unseen', { assigned_to: lin.id })
    assert.equal(await unread(lin), 0)
  })

  it('comes as one digest when many are given at once, and as one notification when it is one (NTF-09, NTF-10, NTF-16, NTF-34, NTF-36)', async () => {
    await forget()
    const ids = await Promise.all(Array.from({ length: 7 }, (_, n) => lead(boss, `Many ${n}`).then(({ id }) => id)))
    const { batch_id } = (await boss.post('/leads/bulk-assign', { ids, assigned_to: ada.id })).body.data
    const [{ type, data: digest }] = (await listOf(ada)).data
    assert.equal(type, 'lead.assigned.digest')
    assert.deepEqual(
      [digest.count, digest.entity_id, digest.batch_id, digest.source, digest.delivery, digest.sample_entity_ids.length],
      [7, null, batch_id, 'bulk_assign', 'aggregated', 5],
    )
    assert.deepEqual(digest.route, { resource: 'lead', action: 'list', entity_id: null, filters: { assigned: 'me', batch_id } })
    assert.equal(digest.dedupe_key, `lead.assigned.digest:${batch_id}:${ada.id}`)
    const { id } = await lead(boss, 'Single')
    await boss.post('/leads/bulk-assign', { ids: [id], assigned_to: ada.id })
    const [{ data: single }] = (await listOf(ada)).data
    assert.deepEqual(
      { type: single.type, source: single.source, entity_id: single.entity_id, count: single.count },
      { type: 'lead.assigned', source: 'bulk_assign', entity_id: id, count: undefined },
    )
    assert.equal(await unread(ada), 2)
  })

  it('comes as one digest of a bulk change, too, and of its undoing (NTF-34, NTF-36)', async () => {
    const leads = await Promise.all(Array.from({ length: 3 }, (_, n) => lead(boss, `Bulk ${n}`).then(({ id }) => id)))
    const one = (await boss.post('/tasks', { title: 'Bulk task' })).body.data.id as number
    const all = [one, (await boss.post('/tasks', { title: 'Another' })).body.data.id as number]
    await forget()
    const given = async (path: string, ids: number[], to = ada, action = 'assign') =>
      (await boss.post(`${path}/bulk`, { ids, action, changes: { assigned_to: to.id } })).body.data.batch_id as string
    const told = async (who: Person) => (await listOf(who)).data.map(({ data }: any) => data)
    const batch_id = await given('/leads', leads)
    const [digest, ...more] = await told(ada)
    assert.deepEqual(more, [])
    assert.partialDeepStrictEqual(digest, {
      ...{ type: 'lead.assigned.digest', title: 'Leads assigned to you', body: 'Bo Boss assigned you 3 leads.' },
      ...{ count: 3, batch_id, source: 'bulk_assign', delivery: 'aggregated', entity_id: null },
      route: { resource: 'lead', action: 'list', filters: { assigned: 'me', batch_id } },
      dedupe_key: `lead.assigned.digest:${batch_id}:${ada.id}`,
    })
    assert.equal((await boss.get('/leads', { query: { batch_id } })).body.meta.total, 3)
    await given('/tasks', [one])
    const [single] = await told(ada)
    assert.partialDeepStrictEqual(single, { type: 'task.assigned', title: 'Task assigned to you', source: 'bulk_assign' })
    assert.deepEqual([single.entity_id, single.body], [one, 'Bo Boss assigned you the task Bulk task.'])
    await forget()
    await given('/tasks', all, ada, 'update')
    assert.deepEqual(
      (await told(ada)).map(({ type, entity_id }: any) => [type, entity_id]),
      [['task.assigned', all[1]]],
      'the other one was theirs already',
    )
    const away = await given('/tasks', all, lin)
    assert.deepEqual(
      (await told(lin)).map(({ type, body }: any) => [type, body]),
      [['task.assigned.digest', 'Bo Boss assigned you 2 tasks.']],
    )
    await forget()
    assert.equal((await boss.post(`/bulk/${away}/undo`, {})).body.data.processed, 2)
    assert.deepEqual(
      (await told(ada)).map(({ type, count }: any) => [type, count]),
      [['task.assigned.digest', 2]],
    )
    const [{ n }] = await world.sql('SELECT count(*)::int AS n FROM gathered_news WHERE tenant_id = $1', [firm.id])
    assert.equal(n, 0)
  })

  it('comes as one digest of a bulk change that a job does', async () => {
    await forget()
    await world.sql(
      `INSERT INTO tasks (tenant_id, title, status, created_at, updated_at) SELECT $1, 'Jobbed ' || n, 'todo', now(), now() FROM generate_series(1, 102) n`,
      [firm.id],
    )
    const body = { filter: { search: 'Jobbed' }, action: 'assign', changes: { assigned_to: ada.id } }
    assert.equal((await boss.post('/tasks/bulk', body)).body.data.state, 'waiting')
    await world.drain()
    const { data, meta } = await listOf(ada)
    assert.deepEqual([meta.total, data[0].type, data[0].data.count], [1, 'task.assigned.digest', 102])
  })

  it('comes in the name of whoever began it, also of a bulk change that ends early', async () => {
    await forget()
    await world.sql(
      `INSERT INTO tasks (tenant_id, title, status, created_at, updated_at) SELECT $1, 'Halved ' || n, 'todo', now(), now() FROM generate_series(1, 150) n`,
      [firm.id],
    )
    const body = { filter: { search: 'Halved' }, action: 'assign', changes: { assigned_to: ada.id } }
    assert.equal((await boss.post('/tasks/bulk', body)).body.data.state, 'waiting')
    const [{ last }] = await world.sql(`SELECT max(id)::int AS last FROM tasks`)
    await refusing(world, { event: 'INSERT', table: 'bulk_rows', when: `NEW.record_id = ${last}` }, () => world.drain('all'))
    const { data } = await listOf(ada)
    assert.deepEqual(
      data.map(({ data }: any) => [data.body, data.actor_id]),
      [['Bo Boss assigned you 100 tasks.', boss.id]],
    )
  })

  it('names nobody’s address (NTF-08)', async () => {
    await forget()
    await lead(boss, 'jane.doe@example.com', { assigned_to: ada.id })
    const [{ data }] = (await listOf(ada)).data
    assert.ok(!JSON.stringify(data).includes('@'), data.body)
  })
})

describe('mentions', () => {
  it('are told to those who may see the record, once for each note', async () => {
    await forget()
    const { id } = await lead(boss, 'Secret', { assigned_to: boss.id })
    const body = `@[Ada](${ada.id}) @[Lin](${lin.id}) @[Bo](${boss.id}) look`
    assert.equal((await boss.post(`/leads/${id}/notes`, { body })).status, 201)
    assert.deepEqual(await Promise.all([ada, lin, boss].map(unread)), [0, 0, 0])
    const { id: shared } = await lead(boss, 'Shared', { assigned_to: ada.id })
    await forget()
    await boss.post(`/leads/${shared}/notes`, { body })
    const [{ type, data }] = (await listOf(ada)).data
    assert.deepEqual(
      { type, source: data.source, resource: data.route.resource, entity_id: data.entity_id },
      { type: 'lead.mentioned', source: 'mention', resource: 'lead', entity_id: shared },
    )
    assert.equal(await unread(lin), 0)
  })

  it('are told of every kind of record that has notes, or the service does not start', async () => {
    const { modules } = world.services
    await requireMentions(modules)
    const silent = modules.all.map((module) => (module.key === 'tasks' ? { ...module, notifications: undefined } : module))
    await assert.rejects(
      requireMentions({ ...modules, all: silent }),
      /^Error: tasks: whom a note mentions .*notifications\.mentions/,
    )
  })
})

describe('records of others', () => {
  it('are news when they come to somebody: tasks and invoices', async () => {
    await forget()
    const task = (await boss.post('/tasks', { title: 'Call', assigned_to: lin.id })).body.data
    const [{ type, data }] = (await listOf(lin)).data
    assert.deepEqual([type, data.category, data.entity_id], ['task.assigned', 'tasks', task.id])
    const clerk = await firm.user(['invoices.view'], 'Clerk')
    const line = { name: 'Work', quantity: 1, unit_price: 10 }
    const body = { title: 'Work', issue_date: '2026-01-01', due_date: '2026-02-01', lines: [line], assigned_to: clerk.id }
    const made = await boss.post('/invoices', body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const invoice = made.body.data
    const [told] = (await listOf(clerk)).data
    assert.deepEqual([told.type, told.data.category, told.data.entity_id], ['invoice.created', 'billing', invoice.id])
    await firm.owner.post(`/invoices/${invoice.id}/send`)
    const pay = (amount: number) =>
      firm.owner.post('/payments', {
        amount,
        currency: invoice.currency,
        method: 'cash',
        allocations: [{ invoice_id: invoice.id, amount }],
      })
    assert.equal((await pay(4)).status, 201)
    assert.equal((await pay(6)).status, 201)
    const types = (await listOf(clerk)).data.map((one: { type: string }) => one.type)
    assert.deepEqual(types, ['invoice.paid', 'payment.posted', 'invoice.created'])
  })
})

describe('the list', () => {
  it('is filtered by state and by days of the workspace (NTF-19)', async () => {
    await forget()
    world.clock.set('2026-12-10T14:59:59.000Z') // 23:59 on the 10th in Tokyo
    await lead(boss, 'Tenth', { assigned_to: ada.id })
    world.clock.set('2026-12-10T15:00:00.000Z')
    await lead(boss, 'Eleventh', { assigned_to: ada.id })
    const names = async (query: object) =>
      (await listOf(ada, query)).data.map(({ data }: { data: { body: string } }) => data.body.split(' ').at(-1))
    assert.deepEqual(await names({}), ['Eleventh.', 'Tenth.'])
    assert.deepEqual(await names({ date_to: '2026-12-10' }), ['Tenth.'])
    assert.deepEqual(await names({ date_from: '2026-12-11', date_to: '2026-12-11' }), ['Eleventh.'])
    const [{ id }] = (await listOf(ada)).data
    assert.ok((await ada.post(`/notifications/${id}/read`)).body.data.read_at)
    assert.deepEqual(await names({ status: 'read' }), ['Eleventh.'])
    assert.deepEqual(await names({ status: 'unread' }), ['Tenth.'])
    for (const query of [{ status: 'old' }, { date_from: '2026-13-01' }, { date_to: '9999-12-31' }] as Record<string, string>[])
      assert.deepEqual(Object.keys((await ada.get('/notifications', { query })).body.errors!), Object.keys(query))
  })

  it('is one’s own alone, and read once', async () => {
    const [{ id }] = (await listOf(ada, { status: 'unread' })).data
    for (const stranger of [boss, firm.owner, (await world.workspace()).owner])
      assert.equal((await stranger.post(`/notifications/${id}/read`)).status, 404)
    const first = await ada.post(`/notifications/${id}/read`)
    world.clock.set('2026-12-10T16:00:00.000Z')
    const second = await ada.post(`/notifications/${id}/read`)
    assert.deepEqual(second.body.data, first.body.data)
    assert.equal((await ada.post('/notifications/nonsense/read')).status, 404)
  })

  it('is read as a whole', async () => {
    await lead(boss, 'More', { assigned_to: ada.id })
    assert.equal(await unread(ada), 1)
    assert.deepEqual((await ada.post('/notifications/read-all')).body.data, { marked: 1, unread_count: 0 })
    assert.deepEqual((await ada.post('/notifications/read-all')).body.data, { marked: 0, unread_count: 0 })
  })
})

describe('a key', () => {
  it('is told once, by however many at the same time (NTF-31)', async () => {
    await forget()
    const { notify } = await import('./notify.ts')
    const once = () =>
      firm.inside((ctx) =>
        notify(ctx, [ada.id], async () => ({
          ...{ type: 'announcement', title: 'Closed', body: 'On Monday', entity_type: null, source: 'system' },
          route: { resource: 'task', action: 'list', entity_id: null },
          dedupe_key: 'closed-on-monday',
        })),
      )
    await Promise.all(Array.from({ length: 8 }, once))
    assert.equal(await unread(ada), 1)
  })
})

describe('preferences', () => {
  it('are shown for every type, and changed in part', async () => {
    const put = (who: Person, preferences: unknown) => who.put('/notifications/preferences', { preferences })
    const of = (reply: { body: { data: { preferences: { type: string }[] } } }, type: string) =>
      reply.body.data.preferences.find((one) => one.type === type)
    const before = await ada.get('/notifications/preferences')
    assert.deepEqual(of(before, 'task.assigned'), {
      ...{ type: 'task.assigned', title: 'You are given a task', category: 'tasks', in_app: true, push: true, mail: true },
    })
    assert.equal((of(before, 'lead.assigned') as { mail?: boolean }).mail, null)
    await put(ada, [{ type: 'task.assigned', push: false }])
    const after = await put(ada, [{ type: 'task.assigned', mail: false }])
    assert.deepEqual((({ push, mail }: any) => [push, mail])(of(after, 'task.assigned')), [false, false])
    for (const { wrong, field } of [
      { wrong: [{ type: 'nonsense' }], field: 'preferences.0.type' },
      { wrong: [{ type: 'task.assigned', push: 'no' }], field: 'preferences.0.push' },
      { wrong: [], field: 'preferences' },
    ] as const)
      assert.deepEqual(Object.keys((await put(ada, wrong)).body.errors!), [field])
  })
})

describe('mail', () => {
  const mailed = () =>
    world.sql(`SELECT notification_type, "to" FROM email_logs WHERE tenant_id = $1 AND notification_type LIKE 'notification.%'`, [
      firm.id,
    ])

  it('goes out where the workspace wants it, but never for leads that are given to somebody (NTF-29, NTF-30)', async () => {
    await boss.post('/tasks', { title: 'Silent', assigned_to: lin.id })
    assert.deepEqual(await mailed(), [])
    assert.equal((await firm.owner.put('/settings', { settings: { email_notifications: true } })).status, 200)
    await boss.post('/tasks', { title: 'Mailed', assigned_to: lin.id })
    await lead(boss, 'Not mailed', { assigned_to: ada.id })
    await boss.post('/tasks', { title: 'Switched off', assigned_to: ada.id })
    assert.deepEqual(await mailed(), [{ notification_type: 'notification.task.assigned', to: [lin.email] }])
  })
})

describe('a mailed notification', () => {
  const last = async () =>
    (
      await world.sql(
        `SELECT body_html, body_text, unsubscribe_url, is_automatic FROM email_logs WHERE tenant_id = $1 AND notification_type LIKE 'notification.%'
         ORDER BY id DESC LIMIT 1`,
        [firm.id],
      )
    )[0]
  const mailAbout = async (task: object) => {
    await firm.owner.put('/settings', { settings: { email_notifications: true } })
    const { id } = (await boss.post('/tasks', { title: 'Ring them', assigned_to: lin.id, ...task })).body.data
    return { id, ...(await last()) }
  }
  const wants = async () => {
    const { preferences } = (await lin.get('/notifications/preferences')).body.data
    return preferences.find(({ type }: any) => type === 'task.assigned').mail
  }

  it('leads to what it tells of, says when that is due, and to the preferences', async () => {
    const { id, body_html, body_text, is_automatic } = await mailAbout({ due_on: '2027-03-04' })
    assert.equal(is_automatic, true)
    assert.match(body_text, new RegExp(`Open: http://atrium\\.test/w/${firm.slug}/tasks/${id}\n`))
    assert.match(body_text, /Due: March 4, 2027/)
    assert.match(body_text, new RegExp(`mailed to you: http://atrium\\.test/w/${firm.slug}/notifications/preferences`))
    assert.match(body_html, /^<!doctype html><html lang="en"><head>.*<title>Task assigned to you<\/title>/s)
    assert.match(body_html, new RegExp(`>http://atrium\\.test/w/${firm.slug}/tasks/${id}</a>`), 'a plain link under the button')
  })

  it('ends mails of its kind by a link that asks for no sign-in: opened it asks, posted it does, as often as one likes', async () => {
    const { unsubscribe_url, body_text } = await mailAbout({})
    assert.ok(body_text.includes(unsubscribe_url))
    assert.match(body_text, /is good until \w+ \d+, \d{4}\./)
    const path = new URL(unsubscribe_url).pathname
    const opened = await world.root.get(path)
    assert.deepEqual([opened.status, await wants()], [200, true])
    assert.match(opened.raw.toString(), /<form method="post">/)
    const form = new FormData()
    form.append('List-Unsubscribe', 'One-Click')
    const multipart = new Response(form)
    const bodies: [unknown, string?][] = [
      ['List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'],
      [Buffer.from(await multipart.arrayBuffer()), multipart.headers.get('content-type')!],
      [undefined],
    ]
    for (const [body, type] of bodies) {
      const { status, raw } = await world.root.post(path, body, type ? { headers: { 'content-type': type } } : {})
      assert.deepEqual([status, await wants()], [200, false], raw.toString())
    }
    // Other channels and other kinds are unchanged.
    const { preferences } = (await lin.get('/notifications/preferences')).body.data
    assert.deepEqual(
      preferences.filter(({ mail }: any) => mail === false).map(({ type, push }: any) => [type, push]),
      [['task.assigned', true]],
    )
    await lin.put('/notifications/preferences', { preferences: [{ type: 'task.assigned', mail: true }] })
  })

  it('has no link for others, for longer than it says, or of a workspace that is closed', async () => {
    const { unsubscribe_url } = await mailAbout({})
    const path = new URL(unsubscribe_url).pathname
    const forged = path.replace(/task\.assigned/, 'task.mentioned')
    const status = async (of: string) => [(await world.root.get(of)).status, (await world.root.post(of)).status]
    assert.deepEqual(await status(forged), [404, 404])
    assert.deepEqual(await status(`/unsubscribe/${'x'.repeat(300)}`), [404, 404])
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [firm.id])
    assert.deepEqual(await status(path), [404, 404])
    await world.sql(`UPDATE tenants SET status = 'active' WHERE id = $1`, [firm.id])
    const now = world.clock.now()
    world.clock.set(new Date(Date.parse(now) + 91 * 24 * 3600_000).toISOString())
    assert.deepEqual(await status(path), [404, 404])
    world.clock.set(now)
    assert.equal(await wants(), true)
  })
})

describe('what is over', () => {
  it('is swept after half a year', async () => {
    await forget()
    world.clock.set('2026-01-01T00:00:00.000Z')
    await lead(boss, 'Old', { assigned_to: ada.id })
    world.clock.set('2026-06-29T00:00:00.000Z')
    await lead(boss, 'New', { assigned_to: ada.id })
    await world.drain('due')
    world.clock.set('2026-06-30T20:00:00.000Z')
    await world.drain('due')
    assert.deepEqual(
      (await listOf(ada)).data.map((one: any) => one.data.body),
      ['Bo Boss assigned you the lead New.'],
    )
  })

  it('goes with its user', async () => {
    const gone = await firm.user(['tasks.view'], 'Gone')
    await boss.post('/tasks', { title: 'Left', assigned_to: gone.id })
    await gone.post('/fcm-device-tokens', { token: 'gone-device', platform: 'ios' })
    await gone.put('/notifications/preferences', { preferences: [{ type: 'task.assigned', push: false }] })
    const rows = () =>
      world.sql(
        `SELECT (SELECT count(*) FROM notifications WHERE user_id = $1) + (SELECT count(*) FROM fcm_device_tokens WHERE user_id = $1)
          + (SELECT count(*) FROM notification_preferences WHERE user_id = $1) AS n`,
        [gone.id],
      )
    assert.deepEqual(await rows(), [{ n: '3' }])
    assert.equal((await firm.owner.del(`/users/${gone.id}`)).status, 200)
    assert.deepEqual(await rows(), [{ n: '0' }])
  })
})
