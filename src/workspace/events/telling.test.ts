/**
 * An action on a record that changes another one is an event of that one too, once; and users get an event about a record that
 * leaves their scope.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { untoldSaves, watchSaves } from '#test/untold.ts'

const world = await startTest()
/** On a cluster, triggers can't query another table from a shard. */
const unwatched = world.services.database.isCluster && 'not on a cluster'
let firm: Workspace
let owner: Client

const done = async (reply: Promise<Reply>) => {
  const { status, body } = await reply
  assert.ok([200, 201].includes(status), `${status} ${body.message} ${JSON.stringify(body.errors)}`)
  return body.data
}
const make = (path: string, body: object) => done(owner.post(path, body))
async function readOn(by: Client, after: number) {
  const { body } = await by.get('/events', { query: { after, limit: 1000 } })
  assert.equal(body.status, 'success', body.message)
  return body as unknown as { data: any[]; meta: { next_after: number } }
}
const here = async () => (await readOn(owner, 0)).meta.next_after
/** Returns the events of an action for a reader. */
async function toldOf(deed: () => Promise<unknown>, by: Client = owner) {
  const after = await here()
  await deed()
  return (await readOn(by, after)).data
}
const brief = (events: any[]) => events.map(({ type, subject }) => `${type} ${subject.id}`)

before(async () => {
  firm = await world.workspace({ name: 'Telling' })
  owner = firm.owner
  await world.services.modules.routes()
  if (!unwatched) await watchSaves(world)
})

async function sentInvoice() {
  const invoice = await make('/invoices', { title: 'Work', lines: [{ name: 'Work', quantity: 1, unit_price: 500 }] })
  return done(owner.post(`/invoices/${invoice.id}/status`, { status: 'unpaid' }))
}

describe('figures that follow from another record', () => {
  it('are told of an invoice by its payment, and when that is voided', async () => {
    const { id, currency } = await sentInvoice()
    let payment: any
    const pay = (amount: number) => async () =>
      (payment = await make('/payments', { amount, currency, method: 'cash', allocations: [{ invoice_id: id, amount }] }))
    const part = await toldOf(pay(100))
    assert.deepEqual(brief(part), [`payment.created ${payment.id}`, `invoice.updated ${id}`])
    assert.deepEqual(part[1].changed, { amount_paid: [0, 100], balance_due: [500, 400], display_status: ['unpaid', 'partial'] })
    assert.deepEqual(part[1].data.fields.toSorted(), ['amount_paid', 'balance_due', 'display_status'])
    const rest = await toldOf(pay(400))
    assert.deepEqual(brief(rest), [`payment.created ${payment.id}`, `invoice.paid ${id}`], 'one row a deed')
    assert.deepEqual(rest[1].changed, {
      amount_paid: [100, 500],
      balance_due: [400, 0],
      status: ['unpaid', 'paid'],
      display_status: ['partial', 'paid'],
    })
    const voided = await toldOf(() => done(owner.post(`/payments/${payment.id}/void`)))
    assert.deepEqual(brief(voided), [`invoice.unpaid ${id}`, `payment.voided ${payment.id}`])
    assert.deepEqual(voided[0].changed, {
      amount_paid: [500, 100],
      balance_due: [0, 400],
      status: ['paid', 'unpaid'],
      display_status: ['paid', 'partial'],
    })
  })

  it('are told of invoices by what is left of a payment', async () => {
    const { id, currency } = await sentInvoice()
    const payment = await make('/payments', { amount: 50, currency, method: 'cash', allocations: [] })
    const told = await toldOf(() =>
      done(owner.post(`/payments/${payment.id}/allocate`, { allocations: [{ invoice_id: id, amount: 20 }] })),
    )
    assert.deepEqual(brief(told).toSorted(), [`invoice.updated ${id}`, `payment.allocated ${payment.id}`])
    const [mine] = told.filter(({ subject }) => subject.type === 'payment')
    assert.equal(mine.data.amount, 20, 'amounts are numbers')
  })
})

describe('deleting for good', () => {
  it('is told of every record that loses a reference by it', async () => {
    const project = await make('/projects', { title: 'Gone' })
    const tasks = [
      await make('/tasks', { title: 'A', project_id: project.id }),
      await make('/tasks', { title: 'B', project_id: project.id }),
    ]
    const before = (await owner.get(`/tasks/${tasks[0].id}`)).headers.etag
    await done(owner.del(`/projects/${project.id}`))
    const told = await toldOf(() => done(owner.del(`/projects/${project.id}/force`)))
    assert.deepEqual(
      brief(told).toSorted(),
      [`project.force_deleted ${project.id}`, ...tasks.map(({ id }) => `task.updated ${id}`)].toSorted(),
    )
    const [one] = told.filter(({ subject }) => subject.type === 'task')
    assert.deepEqual([one.changed, one.data], [{ project_id: [project.id, null] }, { fields: ['project_id'] }])
    const { headers, body } = await owner.get(`/tasks/${tasks[0].id}`)
    assert.notEqual(headers.etag, before)
    assert.deepEqual([body.data.project_id, body.data.updated_at > tasks[0].updated_at], [null, true])
  })

  it('is told of references to customers, companies and staff', async () => {
    const contact = await make('/contacts', { name: 'Ann' })
    const company = await make('/companies', { name: 'Ash' })
    const of = { contact_id: contact.id, company_id: company.id }
    const opportunity = await make('/opportunities', { name: 'Deal', ...of })
    const project = await make('/projects', { title: 'Built', ...of })
    for (const [path, { id }, field] of [
      ['/contacts', contact, 'contact_id'],
      ['/companies', company, 'company_id'],
    ] as const) {
      await done(owner.del(`${path}/${id}`))
      const told = await toldOf(() => done(owner.del(`${path}/${id}/force`)))
      for (const type of ['opportunity.updated', 'project.updated']) {
        const event = told.find((one) => one.type === type)
        assert.deepEqual(event?.changed, { [field]: [id, null] }, `${type} by ${path}`)
      }
    }
    assert.ok(opportunity.id && project.id)
  })
})

describe('users', () => {
  it('are told when they are suspended, let in again and vouched for', async () => {
    const person = await firm.user(['tasks.view'])
    await world.sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [person.id])
    const told = await toldOf(async () => {
      for (const verb of ['suspend', 'suspend', 'unsuspend', 'verify-email'])
        await done(owner.post(`/users/${person.id}/${verb}`))
    })
    assert.deepEqual(
      brief(told),
      ['suspended', 'unsuspended', 'email_verified'].map((deed) => `user.${deed} ${person.id}`),
    )
    const at = told[0].changed.suspended_at[1]
    assert.deepEqual([told[0].changed.suspended_at[0], told[1].changed.suspended_at], [null, [at, null]])
    const { data } = (await owner.get(`/users/${person.id}/timeline`)).body
    assert.deepEqual(
      data.slice(0, 2).map((one: any) => one.description),
      ['Address verified', 'Suspension lifted'],
    )
  })

  it('have one event for one change, with what each field was and is', async () => {
    const person = await firm.user(['tasks.view'])
    const { role } = await done(owner.get(`/users/${person.id}`))
    const told = await toldOf(() => done(owner.put(`/users/${person.id}`, { role: ['member'], lead_commission_rate: 5 })))
    assert.deepEqual(brief(told), [`user.updated ${person.id}`])
    assert.deepEqual(told[0].changed, { role: [role, ['member']], lead_commission_rate: [null, 5] })
  })

  it('are people: programs are told of as service accounts', async () => {
    let account: any
    const told = await toldOf(async () => {
      account = await make('/service-accounts', { name: 'Shop', role: ['member'] })
      await done(owner.put(`/service-accounts/${account.id}`, { name: 'Shop 2', role: ['admin'] }))
      for (const verb of ['suspend', 'unsuspend']) await done(owner.post(`/service-accounts/${account.id}/${verb}`))
      await done(owner.del(`/service-accounts/${account.id}`))
    })
    const { id } = account
    assert.deepEqual(
      brief(told),
      ['created', 'updated', 'suspended', 'unsuspended', 'deleted'].map((deed) => `service_account.${deed} ${id}`),
    )
    assert.deepEqual(told[1].changed, { name: ['Shop', 'Shop 2'], role: [['member'], ['admin']] })
    assert.deepEqual(told[0].subject, { type: 'service_account', id, label: 'Shop 2' })
    const [managers, users] = [await firm.user(['service-accounts.manage']), await firm.user(['users.view'])]
    const seen = async (by: Client) => (await readOn(by, told[0].id - 1)).data.filter(({ subject }) => subject.id === id).length
    assert.deepEqual([await seen(managers), await seen(users)], [5, 0])
    const { body } = await owner.get('/events', { query: { types: 'service_account.updated', after: told[0].id - 1 } })
    assert.deepEqual(brief(body.data as any[]), [`service_account.updated ${id}`])
  })
})

describe('one change', () => {
  it('is one event, also with another name in another system', async () => {
    const { id } = await make('/contacts', { name: 'Bo' })
    const told = await toldOf(() => done(owner.put(`/contacts/${id}`, { external_id: 'bo-1', language: 'de' })))
    assert.deepEqual(brief(told), [`contact.updated ${id}`])
    assert.deepEqual(told[0].changed, { external_id: [null, 'bo-1'], language: [null, 'de'] })
    const lead = await make('/leads', { name: 'Cy', lead_type: 'direct', email: 'cy@leads.test' })
    const own = await toldOf(() => done(owner.put(`/leads/${lead.id}`, { external_id: 'cy-1', phone: '1' })))
    assert.deepEqual(brief(own), [`lead.updated ${lead.id}`], 'where the module changes it itself')
    assert.deepEqual(own[0].changed, { external_id: [null, 'cy-1'], phone: [null, '1'] })
  })

  it('says what was and what is, of stages, tags and members too', async () => {
    const { id, stage_id } = await make('/leads', { name: 'Di', lead_type: 'direct', email: 'di@leads.test' })
    const stages = (await owner.get('/lead-stages')).body.data as any[]
    const to = stages.find((stage) => stage.id !== stage_id).id
    const [moved] = await toldOf(() => done(owner.post(`/leads/${id}/stage`, { stage_id: to })))
    assert.deepEqual([moved.type, moved.changed], ['lead.stage_changed', { stage_id: [stage_id, to] }])
    const project = await make('/projects', { title: 'Members' })
    const person = await firm.user([])
    const [synced] = await toldOf(() => done(owner.put(`/projects/${project.id}/members`, { member_ids: [person.id] })))
    assert.deepEqual([synced.type, synced.changed], ['project.members_synced', { member_ids: [[], [person.id]] }])
  })
})

describe('a lead', () => {
  it('is listed by updated_since when its next follow-up is another', async () => {
    const lead = await make('/leads', { name: 'Eve', lead_type: 'direct', email: 'eve@leads.test' })
    const [told] = await toldOf(() => make(`/leads/${lead.id}/follow-ups`, { title: 'Call', due_at: '2027-03-02T09:00:00Z' }))
    assert.equal(told.type, 'lead.follow_up_added')
    const { data } = (await owner.get('/leads', { query: { updated_since: told.occurred_at } })).body
    assert.deepEqual(
      (data as any[]).map(({ id }) => id),
      [lead.id],
    )
  })
})

describe('what leaves the sight of a reader', () => {
  it('is told to whoever had it until then, without what it is called since', async () => {
    const clerk = await firm.user(['tasks.view', 'tasks.create'])
    const { id } = await make('/tasks', { title: 'Was mine', assigned_to: clerk.id })
    const told = await toldOf(async () => {
      await done(owner.post(`/tasks/${id}/assign`, { assigned_to: firm.owner.id }))
      await done(owner.put(`/tasks/${id}`, { title: 'Secret since' }))
    }, clerk)
    assert.deepEqual(brief(told), [`task.assigned ${id}`])
    assert.deepEqual(told[0].changed, { assigned_to: [clerk.id, firm.owner.id] })
    assert.doesNotMatch(JSON.stringify(told), /Secret/)
    assert.equal((await clerk.get(`/tasks/${id}`)).status, 404)
    await done(owner.del(`/tasks/${id}`))
    assert.deepEqual(await toldOf(() => done(owner.del(`/tasks/${id}/force`)), clerk), [], 'it was no longer theirs')
  })

  it('leaves a tombstone when it is deleted for good', async () => {
    const [clerk, other] = [await firm.user(['tasks.view']), await firm.user(['tasks.view'])]
    const { id } = await make('/tasks', { title: 'Mine', assigned_to: clerk.id })
    await done(owner.del(`/tasks/${id}`))
    const after = await here()
    await done(owner.del(`/tasks/${id}/force`))
    const { data } = await readOn(clerk, after)
    assert.deepEqual(brief(data), [`task.force_deleted ${id}`])
    assert.deepEqual(data[0].data, {})
    assert.deepEqual((await readOn(other, after)).data, [])
    const member = await firm.user(['projects.view'])
    const project = await make('/projects', { title: 'Ours', member_ids: [member.id] })
    await done(owner.del(`/projects/${project.id}`))
    const told = await toldOf(() => done(owner.del(`/projects/${project.id}/force`)), member)
    assert.deepEqual(brief(told), [`project.force_deleted ${project.id}`])
  })
})

describe('the types of events', () => {
  it('are those that can come', async () => {
    const types = Object.keys(((await world.anonymous.get('/openapi.json')).body as any).webhooks)
    for (const never of ['user.force_deleted', 'service_account.force_deleted', 'vendor.note_added', 'user.note_added'])
      assert.ok(!types.includes(never), never)
    for (const one of [
      'invoice.note_added',
      'document.force_deleted',
      'incoming_invoice.force_deleted',
      'service_account.suspended',
      'user.suspended',
      'webhook.test',
    ])
      assert.ok(types.includes(one), one)
  })
})

it('leaves no save of a record untold, which would be noticed', { skip: unwatched }, async () => {
  assert.deepEqual(await untoldSaves(world), [])
  const { id } = await make('/contacts', { name: 'Told' })
  await world.sql(
    `UPDATE contacts SET name = 'Untold', updated_at = now() + interval '1 hour', revision = revision + 1 WHERE id = $1`,
    [id],
  )
  assert.deepEqual(await untoldSaves(world), ['contacts: name, search_text'])
})
