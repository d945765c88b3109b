import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest({ env: { CHAT_LINK_BASE_URL: 'https://chat.test' } })
const PATH = '/communication-templates'
const MODULES = [
  'communication-templates',
  'leads',
  'contacts',
  'companies',
  'invoices',
  'projects',
  'opportunities',
  'employees',
]
let firm: Workspace
let made = 0

before(async () => {
  world.clock.set('2027-03-01T23:30:00.000Z')
  firm = await world.workspace({ modules: MODULES, name: 'Acme', timezone: 'Asia/Tokyo' })
})

const create = (more: object = {}) =>
  firm.owner.post(PATH, { name: `Template ${++made}`, context: 'lead', channel: 'chat_app', body: 'Hello', ...more })
const template = async (body: string, context = 'lead', more: object = {}) => {
  const reply = await create({ body, context, ...more })
  assert.equal(reply.status, 201, reply.body.message)
  return reply.body.data.uuid as string
}
const record = async (path: string, body: object) => {
  const reply = await firm.owner.post(path, body)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data.id as number
}
const lead = (more: object = {}) => record('/leads', { name: 'Maria Silva', lead_type: 'direct', ...more })
const preview = (uuid: string, body?: object, by = firm.owner) => by.post(`${PATH}/${uuid}/preview`, body)
const render = (uuid: string, entity_id: unknown, by = firm.owner) => by.post(`${PATH}/${uuid}/render`, { entity_id })

function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

describe('a template', () => {
  it('may only hold placeholders of its context, written as they are written (TPL-06, TPL-07)', async () => {
    for (const { body, named } of [
      { body: 'Hello {{lead.surname}}', named: '{{lead.surname}}' },
      { body: 'Hello {{invoice.number}}', named: '{{invoice.number}}' },
      { body: 'Hello {{ lead.name | friend }} of {{nobody}}', named: '{{nobody}}' },
      { body: 'Hello {{}}', named: '{{}}' },
      { body: 'Hello {{lead.name', named: '{{lead.name' },
      { body: 'Hello lead.name}}', named: 'lead.name}}' },
      { body: 'Hello {{lead.name|a|b}}', named: '{{lead.name|a|b}}' },
      { body: 'Hello {{lead.name|{{lead.phone}}}}', named: '{{lead.name|' },
      { body: 'Hello {{__proto__}} {{constructor}}', named: '{{__proto__}}' },
    ] as const) {
      const reply = await create({ body })
      refused(reply, 'body')
      assert.ok(reply.body.errors!.body![0]!.includes(named), `${body}: ${reply.body.errors!.body}`)
    }
    const uuid = await template('Dear {{lead.first_name|friend}}, { {single} braces } are words')
    refused(await firm.owner.put(`${PATH}/${uuid}`, { body: '{{lead.surname}}' }), 'body')
    refused(await firm.owner.put(`${PATH}/${uuid}`, { context: 'invoice' }), 'body')
    assert.equal((await firm.owner.put(`${PATH}/${uuid}`, { context: 'contact', body: '{{contact.name}}' })).status, 200)
  })

  it('has one name in its context, also when two are made at once and when one comes back (TPL-02)', async () => {
    const body = { name: 'Welcome', context: 'lead', channel: 'chat_app', body: 'Hi' }
    const replies = await Promise.all(Array.from({ length: 4 }, () => firm.owner.post(PATH, body)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422, 422, 422])
    const { uuid } = replies.find(({ status }) => status === 201)!.body.data
    assert.equal((await firm.owner.post(PATH, { ...body, context: 'contact' })).status, 201)
    await firm.owner.del(`${PATH}/${uuid}`)
    assert.equal((await firm.owner.post(PATH, body)).status, 201)
    refused(await firm.owner.post(`${PATH}/${uuid}/restore`), 'name')
  })

  it('is refused beyond its bounds (TPL-03, TPL-04, TPL-05)', async () => {
    refused(await create({ name: 'x'.repeat(121) }), 'name')
    refused(await create({ category: 'x'.repeat(81) }), 'category')
    refused(await create({ body: 'x'.repeat(4001) }), 'body')
    refused(await create({ context: 'moon', channel: 'fax' }), 'context', 'channel')
  })
})

describe('placeholders', () => {
  it('are told for each context, with those that all share (TPL-11, TPL-12)', async () => {
    const { data } = (await firm.owner.get(`${PATH}/meta/contexts`)).body
    const known = ['lead', 'contact', 'company', 'opportunity', 'invoice', 'project', 'employee']
    // If another test of this process has loaded more modules, their contexts follow.
    const contexts = data.map(({ context }: { context: string }) => context).slice(0, known.length)
    assert.deepEqual(contexts, known)
    for (const context of contexts) {
      const told = (await firm.owner.get(`${PATH}/meta/placeholders`, { query: { context } })).body.data
      assert.deepEqual([...new Set(told.map(({ group }: { group: string }) => group))], [context, 'agent', 'workspace', 'system'])
      const all = told.map(({ key }: { key: string }) => `{{${key}}}`).join(' ')
      const { body } = await preview(await template(all, context))
      assert.deepEqual(body.data.missing_placeholders, ['workspace.phone'], context)
      assert.ok(told.every(({ sample, description }: { sample: string; description: string }) => sample && description))
    }
    for (const query of [{ context: 'moon' }, {}] as Record<string, string>[])
      refused(await firm.owner.get(`${PATH}/meta/placeholders`, { query }), 'context')
  })
})

describe('a preview', () => {
  it('takes samples, and agent, workspace and system as they are (TPL-16, TPL-18)', async () => {
    const uuid = await template('{{lead.name}}, {{agent.email}}, {{workspace.name}}, {{system.date}} {{system.time}}')
    const { status, body } = await preview(uuid)
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      body: `Maria Silva, ${firm.owner.email}, Acme, Mar 2, 2027 8:30 AM`,
      channel: 'chat_app',
      missing_placeholders: [],
    })
  })

  it('says how to reach the workspace as its documents do', async () => {
    const settings = { company_phone: '+1 206 555 0100', company_email: 'office@acme.test' }
    assert.equal((await firm.owner.put('/settings', { settings })).status, 200)
    const { body } = await preview(await template('{{workspace.phone}}, {{workspace.email}}'))
    assert.equal(body.data.body, '+1 206 555 0100, office@acme.test')
  })

  it('takes a record that the reader may view (TPL-16)', async () => {
    const id = await lead({ name: 'Bo  Birch', lead_value: 1234.5 })
    const uuid = await template(
      '{{ lead.first_name }}/{{lead.value}}/{{lead.phone}}/{{lead.email|no mail}}/{{lead.phone}}{{lead.company|}}',
    )
    assert.deepEqual((await preview(uuid, { entity_id: id })).body.data, {
      ...{ body: 'Bo/1,234.50 USD//no mail/', channel: 'chat_app', missing_placeholders: ['lead.phone'] },
    })
    const reader = await firm.user(['communication-templates.view'])
    assert.equal((await preview(uuid, {}, reader)).status, 200)
    assert.equal((await preview(uuid, { entity_id: id }, reader)).status, 404, 'without leads.view')
    const seller = await firm.user(['communication-templates.use', 'leads.view'])
    assert.equal((await preview(uuid, { entity_id: id }, seller)).status, 404, 'somebody else’s lead')
    await firm.owner.post(`/leads/${id}/assign`, { assigned_to: seller.id })
    assert.equal((await preview(uuid, { entity_id: id }, seller)).status, 200)
    assert.equal((await preview(uuid, { entity_id: 999_999 })).status, 404)
    const { last_used_at } = (await firm.owner.get(`${PATH}/${uuid}`)).body.data
    assert.equal(last_used_at, null)
  })

  it('pastes nothing of a record as a placeholder', async () => {
    const id = await lead({ name: '{{agent.email}} $& $1' })
    assert.equal((await preview(await template('{{lead.name}}'), { entity_id: id })).body.data.body, '{{agent.email}} $& $1')
  })
})

describe('rendering', () => {
  it('answers the phone in digits and the link, and notes the use (TPL-09, TPL-20, TPL-21, TPL-22)', async () => {
    const id = await lead({ phone: '+351 (21) 000-0000' })
    const uuid = await template('Olá {{lead.first_name}} & co? 100 %')
    const revision = ({ headers }: { headers: Record<string, unknown> }) => /^"\d+-\d+/.exec(String(headers.etag))![0]
    const before = revision(await firm.owner.get(`${PATH}/${uuid}`))
    const { status, body } = await render(uuid, id)
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      ...{ body: 'Olá Maria & co? 100 %', channel: 'chat_app', phone: '351210000000', missing_placeholders: [] },
      chat_link_url: 'https://chat.test/351210000000?text=Ol%C3%A1%20Maria%20%26%20co%3F%20100%20%25',
    })
    const shown = await firm.owner.get(`${PATH}/${uuid}`)
    assert.equal(shown.body.data.last_used_at, world.clock.now())
    assert.equal(revision(shown), before, 'using it changes nothing')
  })

  it('reads the digits of any script', async () => {
    const uuid = await template('Hello')
    for (const phone of [
      '+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧',
      '+۹۶۶ ۵۰ ۱۲۳ ۴۵۶۷',
      '＋９６６ ５０ １２３ ４５６７',
      '+𝟿𝟼𝟼 𝟻𝟶 𝟷𝟸𝟹 𝟺𝟻𝟼𝟽',
      '+९६६ ५० १२३ ४५६७',
    ])
      assert.equal((await render(uuid, await lead({ phone }))).body.data?.phone, '966501234567', phone)
  })

  it('needs an active template and a phone of eight digits (TPL-19, TPL-23)', async () => {
    const uuid = await template('Hello')
    for (const phone of [null, '1234567', 'call me']) refused(await render(uuid, await lead({ phone })), 'entity_id')
    refused(await firm.owner.post(`${PATH}/${uuid}/render`, {}), 'entity_id')
    const id = await lead({ phone: '12345678' })
    assert.equal((await render(uuid, id)).status, 200)
    await firm.owner.put(`${PATH}/${uuid}`, { is_active: false })
    refused(await render(uuid, id), 'template')
    assert.equal((await preview(uuid, { entity_id: id })).status, 200)
    assert.equal(
      (await render(uuid, id, await firm.user(['communication-templates.view', 'leads.view', 'leads.assign']))).status,
      403,
    )
  })

  it('uses the contact’s phone, else the company’s, as far as the agent may see them', async () => {
    const contact = await record('/contacts', { name: 'Cy', phone: '+49 30 111 1111' })
    const company = await record('/companies', { name: 'Co', phone: '+49 30 222 2222' })
    const uuid = await template('{{invoice.number}} {{invoice.total}} {{invoice.contact_name|?}} {{invoice.due_date}}', 'invoice')
    const invoice = {
      title: 'Desk',
      due_date: '2027-03-31',
      lines: [{ name: 'Desk', quantity: 2, unit_price: 617.25, tax_rate: 0 }],
    }
    const both = await record('/invoices', { ...invoice, contact_id: contact, company_id: company })
    const { data } = (await render(uuid, both)).body
    assert.partialDeepStrictEqual(data, { phone: '49301111111', body: 'INV-00001 1,234.50 USD Cy Mar 31, 2027' })
    const company_only = await record('/invoices', { ...invoice, company_id: company })
    assert.equal((await render(uuid, company_only)).body.data.phone, '49302222222')
    refused(await render(uuid, await record('/invoices', invoice)), 'entity_id')
    // A user who sees all invoices and companies, but not this contact.
    const allowed = [
      'communication-templates.use',
      'invoices.view',
      'invoices.assign',
      'companies.view',
      'companies.assign',
      'contacts.view',
    ]
    const agent = await firm.user(allowed)
    const theirs = (await render(uuid, both, agent)).body.data
    assert.partialDeepStrictEqual(theirs, { phone: '49302222222', body: 'INV-00001 1,234.50 USD ? Mar 31, 2027' })
  })

  it('is 404 for a record of a module that is not installed', async () => {
    const bare = await world.workspace({ modules: ['communication-templates'] })
    const { uuid } = (await bare.owner.post(PATH, { name: 'x', context: 'lead', channel: 'chat_app', body: '{{lead.name}}' }))
      .body.data
    assert.equal((await render(uuid, 1, bare.owner)).status, 404)
    assert.equal((await preview(uuid, {}, bare.owner)).status, 200)
  })
})
