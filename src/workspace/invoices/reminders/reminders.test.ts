import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { mailsTo } from '#test/operator.ts'
import { remindDaily, remindNext } from './daily.ts'

const world = await startTest()
let firm: Workspace
/** Day on which the tests begin; each continues where the previous one ended. */
let today = Temporal.PlainDate.from('2026-12-01')
let people = 0

const refusedOn = (fields: string | string[], { status, body }: { status: number; body: { errors?: object } }) =>
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [fields].flat()])

/** Moves to a morning some days later and runs its daily jobs. */
async function morning(days: number) {
  today = today.add({ days })
  world.clock.set(`${today}T09:00:00.000Z`)
  await world.drain('due')
}
const dayFrom = (days: number) => today.add({ days }).toString()

async function customer(more: object = {}) {
  const email = `payer${++people}@firm.test`
  const { id } = (await firm.owner.post('/contacts', { name: `Payer ${people}`, email, ...more })).body.data
  return { id, email }
}
async function unpaid(more: object = {}): Promise<{ id: number; number: string }> {
  const lines = [{ name: 'Oak desk', quantity: 1, unit_price: 100, tax_rate: 19 }]
  const body = { title: 'Desks', currency: 'USD', issue_date: dayFrom(-60), due_date: dayFrom(0), lines, ...more }
  const made = await firm.owner.post('/invoices', body)
  assert.equal((await firm.owner.post(`/invoices/${made.body.data.id}/send`)).status, 200)
  return made.body.data
}
const subjects = async (email: string) => (await mailsTo(world, email)).map(({ subject }) => subject).reverse()
const steps = [
  { days: -3 },
  { days: 7 },
  { days: 21, fee: 5, subject: 'At last: {number}', message: 'Pay {amount}.\n\nDue {due}.' },
]
let plan: number
const change = (body: object) => firm.owner.put(`/reminder-plans/${plan}`, body)
const remindersOf = async (id: number) => {
  const { reminders } = (await firm.owner.get(`/invoices/${id}`)).body.data
  return reminders.map(({ days, status }: { days: number | null; status: string }) => [days, status])
}

before(async () => {
  world.clock.set(`${today}T06:00:00.000Z`)
  firm = await world.workspace({ modules: ['payments', 'invoices', 'contacts', 'companies', 'credit-notes'] })
})

describe('reminder plans', () => {
  it('are made by who configures invoices, with steps that make sense', async () => {
    const clerk = await firm.user(['invoices.view', 'invoices.update', 'invoices.send'])
    assert.equal((await clerk.post('/reminder-plans', { name: 'Mild', steps })).status, 403)
    const post = (body: object) => firm.owner.post('/reminder-plans', { name: 'Mild', steps, ...body })
    refusedOn('steps', await post({ steps: [] }))
    refusedOn('steps', await post({ steps: [{ days: 7 }, { days: 7 }] }))
    refusedOn('steps', await post({ steps: Array.from({ length: 11 }, (_, days) => ({ days })) }))
    for (const days of [1000, -31]) {
      const reply = await post({ steps: [{ days }] })
      refusedOn('steps.0.days', reply)
      assert.match(reply.body.errors!['steps.0.days']![0]!, /−30 to 365/)
    }
    refusedOn('steps.0.fee', await post({ steps: [{ days: 7, fee: 1.005 }] }))
    refusedOn('steps.0.fee', await post({ steps: [{ days: 7, fee: -1 }] }))
    refusedOn('steps.0.message', await post({ steps: [{ days: 7, message: 'Dear {name}' }] }))
    const made = await post({ steps: steps.toReversed() })
    assert.equal(made.status, 201)
    plan = made.body.data.id
    const shown = (await clerk.get(`/reminder-plans/${plan}`)).body.data
    assert.deepEqual(
      shown.steps.map(({ days, fee }: { days: number; fee: number | null }) => [days, fee]),
      [
        [-3, null],
        [7, null],
        [21, 5],
      ],
    )
    assert.deepEqual([shown.is_active, shown.listed_at], [false, null])
    refusedOn('name', await post({}))
    const other = await firm.owner.post('/reminder-plans', { name: 'Other', steps, is_active: true })
    refusedOn('is_active', await change({ is_active: true }))
    assert.equal((await firm.owner.del(`/reminder-plans/${other.body.data.id}`)).status, 200)
    const stranger = await world.workspace({ modules: ['invoices'] })
    assert.equal((await stranger.owner.get(`/reminder-plans/${plan}`)).status, 404)
  })
})

describe('the first run of a plan', () => {
  it('lists what was due by then, and mails none of it', async () => {
    const { id: contact_id, email } = await customer()
    const old = await unpaid({ contact_id, due_date: dayFrom(-40) })
    const fresh = await unpaid({ contact_id, due_date: dayFrom(30) })
    await morning(1)
    assert.deepEqual(await remindersOf(old.id), []) // no plan is active
    await change({ is_active: true })
    await morning(1)
    assert.deepEqual([await remindersOf(old.id), await remindersOf(fresh.id)], [[[21, 'listed']], []])
    const listed = await firm.owner.get('/invoices', { query: { reminder: 'listed' } })
    assert.deepEqual(
      listed.body.data.map(({ id }: { id: number }) => id),
      [old.id],
    )
    await morning(1)
    assert.deepEqual(await subjects(email), [])
    const { status, body } = await firm.owner.post(`/invoices/${old.id}/remind`, {})
    assert.deepEqual([status, body.data.days, body.data.status, body.data.fee], [200, 21, 'sent', 5])
    assert.deepEqual(await subjects(email), [`At last: ${old.number}`])
    await world.drain()
    const [reminder] = (await firm.owner.get(`/invoices/${old.id}`)).body.data.reminders
    assert.deepEqual([reminder.status, reminder.display_status], ['sent', 'kept'], 'nobody delivers mails here')
    await change({ steps })
    assert.equal((await firm.owner.get(`/reminder-plans/${plan}`)).body.data.listed_at, null)
    await morning(1)
  })
})

describe('a plan', () => {
  it('sends each step once, on its day or as soon after it as may be, in the customer’s language', async () => {
    const { id: contact_id, email } = await customer({ language: 'de' })
    const { id, number } = await unpaid({ contact_id, due_date: dayFrom(10) })
    await morning(1)
    assert.deepEqual(await subjects(email), [])
    await morning(6)
    await morning(1)
    assert.deepEqual(await subjects(email), [`Rechnung ${number} ist bald fällig`])
    await morning(9)
    assert.deepEqual(await subjects(email), [`Rechnung ${number} ist bald fällig`, `Zahlungserinnerung: Rechnung ${number}`])
    const [mail] = await mailsTo(world, email)
    assert.match(mail!.body_text, /war am .* fällig, und 119,00 USD sind noch offen/)
    await morning(30)
    await morning(1)
    assert.deepEqual(await remindersOf(id), [
      [21, 'sent'],
      [7, 'sent'],
      [-3, 'sent'],
    ])
    const [last] = await mailsTo(world, email)
    assert.match(last!.body_text, /Pay 119,00 USD\.\n\nDue /)
    assert.match(last!.body_text, /Mahngebühren: 5,00 USD\n.*124,00 USD/)
    const { status, body } = await firm.owner.post(`/invoices/${id}/remind`, { subject: 'Once more {number}', attach_pdf: false })
    assert.deepEqual([status, body.data.days, body.data.fee], [200, null, null])
    assert.equal((await subjects(email)).at(-1), `Once more ${number}`)
    refusedOn('message', await firm.owner.post(`/invoices/${id}/remind`, { message: 'Dear {name}' }))
    assert.match((await mailsTo(world, email))[0]!.body_text, /Trotz unserer Erinnerung[\s\S]*124,00 USD/)
    const { activities } = (await firm.owner.get(`/invoices/${id}`)).body.data
    assert.equal(activities.filter(({ type }: { type: string }) => type === 'reminded').length, 4)
  })

  it('tells with each step the fees of all before it, also of those on the day and before it', async () => {
    await change({
      steps: [
        { days: -3, fee: 1 },
        { days: 0, fee: 5 },
        { days: 7, fee: 10 },
        { days: 14, fee: 15 },
      ],
    })
    await morning(1)
    const prompt = await customer()
    await unpaid({ contact_id: prompt.id, due_date: dayFrom(4) })
    const late = await customer()
    const { id } = await unpaid({ contact_id: late.id, due_date: dayFrom(4) })
    const charged = async ({ email }: { email: string }) =>
      (await mailsTo(world, email))
        .map(({ body_text }) => /fees: USD (\S+)[\s\S]*: USD (\S+)/.exec(body_text)?.slice(1))
        .reverse()
    await morning(1)
    await firm.owner.post(`/invoices/${id}/reminders/pause`)
    await morning(3)
    await morning(3)
    await firm.owner.post(`/invoices/${id}/reminders/resume`)
    await morning(1)
    await morning(3)
    await morning(7)
    const told = [
      ['1.00', '120.00'],
      ['6.00', '125.00'],
      ['16.00', '135.00'],
      ['31.00', '150.00'],
    ]
    assert.deepEqual([await charged(prompt), await charged(late)], [told, told])
    await change({ steps })
    await morning(1)
  })

  it('goes on after a pause with the last step alone', async () => {
    const { id: contact_id, email } = await customer()
    const { id, number } = await unpaid({ contact_id, due_date: dayFrom(-1) })
    const clerk = await firm.user(['invoices.view', 'invoices.send', 'invoices.assign'])
    assert.equal((await clerk.post(`/invoices/${id}/reminders/pause`)).status, 403)
    assert.equal((await firm.owner.post(`/invoices/${id}/reminders/pause`)).body.data.exclude_from_reminders, true)
    await morning(10)
    await morning(20)
    assert.deepEqual(await subjects(email), [])
    await firm.owner.post(`/invoices/${id}/reminders/resume`)
    await morning(1)
    assert.deepEqual(await subjects(email), [`At last: ${number}`])
  })

  it('ends with payment, credit and void, and passes over who is excluded or has no address', async () => {
    const made: Record<string, { id: number; email: string }> = {}
    for (const name of ['paid', 'credited', 'voided', 'part', 'excluded', 'silent']) {
      const more = name === 'silent' ? { email: null } : name === 'excluded' ? { exclude_from_reminders: true } : {}
      const { id: contact_id, email } = await customer(more)
      made[name] = { id: (await unpaid({ contact_id, due_date: dayFrom(0) })).id, email }
    }
    const firmWithout = (
      await firm.owner.post('/companies', { name: 'Ash', email: 'ash@firm.test', exclude_from_reminders: true })
    ).body.data
    const ofFirm = await unpaid({ company_id: firmWithout.id })
    const pay = (name: string, amount: number) =>
      firm.owner.post('/payments', {
        amount,
        currency: 'USD',
        method: 'cash',
        allocations: [{ invoice_id: made[name]!.id, amount }],
      })
    await pay('paid', 119)
    await pay('part', 19)
    await firm.owner.post(`/invoices/${made.voided!.id}/void`)
    const lines = [{ name: 'Oak desk', quantity: 1, unit_price: 119 }]
    const note = (await firm.owner.post('/credit-notes', { title: 'Back', currency: 'USD', lines })).body.data.id
    await firm.owner.post(`/credit-notes/${note}/issue`)
    const applied = await firm.owner.post(`/credit-notes/${note}/apply`, { invoice_id: made.credited!.id, amount: 119 })
    assert.equal(applied.status, 200)
    await morning(7)
    const told: Record<string, number> = {}
    for (const [name, { email }] of Object.entries(made)) told[name] = (await subjects(email)).length
    assert.deepEqual(told, { paid: 0, credited: 0, voided: 0, part: 1, excluded: 0, silent: 0 })
    assert.match((await mailsTo(world, made.part!.email))[0]!.body_text, /USD 100\.00 is still open/)
    assert.deepEqual(await remindersOf(made.silent!.id), [[7, 'no_address']])
    assert.deepEqual(await remindersOf(ofFirm.id), [])
    refusedOn('to', await firm.owner.post(`/invoices/${made.silent!.id}/remind`, {}))
    for (const name of ['paid', 'voided']) refusedOn('status', await firm.owner.post(`/invoices/${made[name]!.id}/remind`, {}))
    const byHand = await firm.owner.post(`/invoices/${made.silent!.id}/remind`, { to: ['found@firm.test'] })
    assert.deepEqual([byHand.status, byHand.body.data.days, byHand.body.data.to], [200, 7, ['found@firm.test']])
  })
})

describe('customers of one batch', () => {
  it('are reminded though one of them can’t be', async () => {
    await morning(1)
    const made: { id: number; email: string }[] = []
    for (let n = 0; n < 3; n++) {
      const { id: contact_id, email } = await customer()
      made.push({ id: (await unpaid({ contact_id, due_date: dayFrom(0) })).id, email })
    }
    await world.sql(`
      CREATE FUNCTION app.refuses() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF NEW.invoice_id = TG_ARGV[0]::bigint THEN RAISE ''can not be''; END IF; RETURN NEW; END'`)
    await world.sql(
      `CREATE TRIGGER refuses BEFORE INSERT ON invoice_reminders FOR EACH ROW EXECUTE FUNCTION app.refuses(${made[1]!.id})`,
    )
    await morning(7)
    const told = async () => Promise.all(made.map(async ({ email }) => (await subjects(email)).length))
    assert.deepEqual(await told(), [1, 0, 1])
    await world.sql('DROP FUNCTION app.refuses CASCADE')
    await morning(1)
    assert.deepEqual(await told(), [1, 1, 1])
  })
})

describe('a reminder by hand', () => {
  it('that is asked for four times at once is sent once', async () => {
    await morning(1)
    const { id: contact_id, email } = await customer()
    const { id } = await unpaid({ contact_id })
    const remind = (body = {}) => firm.owner.post(`/invoices/${id}/remind`, body)
    await world.sql('DELETE FROM rate_limits')
    const replies = await Promise.all([remind(), remind(), remind({ to: [email.toUpperCase()] }), remind()])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422, 422, 422])
    for (const reply of replies.filter(({ status }) => status === 422)) {
      refusedOn('to', reply)
      assert.match(reply.body.errors!.to![0]!, /was reminded of this invoice within the last minute/)
    }
    assert.equal((await subjects(email)).length, 1)
    assert.equal((await remind({ to: ['other@firm.test'] })).status, 200)
    world.clock.set(`${today}T09:01:00.001Z`)
    await world.sql('DELETE FROM rate_limits')
    assert.equal((await remind()).status, 200)
    assert.equal((await subjects(email)).length, 2)
  })
})

describe('two workers at once', () => {
  beforeEach(() => morning(1))

  it('remind of each invoice once, and of none that is paid meanwhile', async () => {
    const { id: contact_id, email } = await customer()
    const ids: number[] = []
    for (let n = 0; n < 30; n++) ids.push((await unpaid({ contact_id, due_date: dayFrom(-7) })).id)
    const attempt = { signal: new AbortController().signal, module: undefined }
    const work = () => remindNext.handle(world.services, { tenant_id: firm.id, data: { due_date: '0001-01-01', id: 0 } }, attempt)
    const allocations = [{ invoice_id: ids[29]!, amount: 119 }]
    await Promise.all([
      work(),
      work(),
      remindDaily.handle(world.services, { tenant_id: firm.id, data: {} }, attempt),
      firm.owner.post('/payments', { amount: 119, currency: 'USD', method: 'cash', allocations }),
    ])
    await world.drain()
    const mails = await subjects(email)
    assert.equal(new Set(mails).size, mails.length)
    assert.ok(mails.length >= 29)
    const [{ reminders }] = await world.sql(
      'SELECT count(*)::int AS reminders FROM invoice_reminders WHERE invoice_id = ANY ($1) AND days = 7',
      [ids],
    )
    assert.equal(reminders, mails.length)
    await morning(1)
    assert.equal((await subjects(email)).length, mails.length)
  })
})
