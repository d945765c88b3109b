import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { installAll } from '#platform/tenants/public.ts'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
/** Workspace without the modules that a conversion creates records in. */
let bare: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['leads', 'contacts', 'companies', 'opportunities'] })
  bare = await world.workspace({ modules: ['leads'] })
  await without(bare, ['contacts', 'companies'])
})

/** Cancels modules that every new workspace has. */
const without = ({ id }: Workspace, keys: string[]) =>
  world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1 AND module_key = ANY ($2)`, [id, keys])
const refused = ({ status, body }: Reply) => [status, Object.keys(body.errors ?? {})]
const lead = async (by: Person, body: object = {}) => {
  const reply = await by.post('/leads', { name: 'Ann Ash', lead_type: 'direct', ...body })
  assert.equal(reply.status, 201)
  return reply.body.data.id as number
}
const convert = (by: Person, id: number, body?: object) => by.post(`/leads/${id}/convert`, body)
const converted = async (by: Person, id: number, body?: object) => {
  const reply = await convert(by, id, body)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.data
}
const contact = async (id: number) => (await firm.owner.get(`/contacts/${id}`)).body.data
const company = async (id: number) => (await firm.owner.get(`/companies/${id}`)).body.data

describe('converting a lead', () => {
  it('makes a contact of it, and of its firm a company, and closes it (LEAD-12, LEAD-50, LEAD-51, LEAD-52)', async () => {
    world.clock.set('2026-12-01T10:00:00Z')
    const seller = await firm.user(['leads.view'])
    const id = await lead(firm.owner, {
      ...{ email: 'Ann@ash.test', phone: '+1 212 555 0100', company: ' Ash & Sons ', job_title: 'Head', assigned_to: seller.id },
    })
    const data = await converted(firm.owner, id)
    assert.partialDeepStrictEqual(data, { status: 'closed', is_converted: true, converted_at: '2026-12-01T10:00:00.000Z' })
    const { stub, company_id, opportunity_id } = data.conversion_meta
    assert.deepEqual([stub, opportunity_id, data.contact], [false, null, { id: data.contact_id, name: 'Ann Ash' }])
    const { name, email, phone, job_title, assigned_to, linked_company } = await contact(data.contact_id)
    assert.deepEqual(
      { name, email, phone, job_title, assigned_to },
      { name: 'Ann Ash', email: 'ann@ash.test', phone: '+1 212 555 0100', job_title: 'Head', assigned_to: seller.id },
    )
    assert.deepEqual(
      [linked_company, (await company(company_id)).assigned_to],
      [{ id: company_id, name: 'Ash & Sons' }, seller.id],
    )
    const [status, told] = data.activities
    assert.deepEqual(
      [status.type, told.type, told.description],
      ['status_changed', 'converted', `Converted: contact ${data.contact_id}, company ${company_id}`],
    )
  })

  it('is done once', async () => {
    const id = await lead(firm.owner)
    const replies = await Promise.all([convert(firm.owner, id), convert(firm.owner, id)])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422])
    assert.deepEqual(refused(await convert(firm.owner, id, {})), [422, ['lead']])
    await firm.owner.put(`/leads/${id}`, { status: 'active' })
    assert.deepEqual(refused(await convert(firm.owner, id)), [422, ['lead']])
    assert.equal((await firm.owner.get(`/leads/${id}`)).body.data.is_converted, true)
  })

  it('takes the contact that is there: by address, else by phone with its country (LEAD-51)', async () => {
    const known = async (body: object) => (await firm.owner.post('/contacts', { name: 'Known', ...body })).body.data.id
    const [byEmail, byPhone] = [await known({ email: 'bo@birch.test' }), await known({ phone: '+49 (0) 40 - 555 12 ext. 3' })]
    const contactOf = async (body: object) => (await converted(firm.owner, await lead(firm.owner, body))).contact_id
    assert.equal(await contactOf({ email: 'BO@birch.test', phone: '+49 40 55512' }), byEmail)
    assert.equal(await contactOf({ email: 'other@birch.test', phone: '0049 40 555-12' }), byPhone)
    assert.ok(![byEmail, byPhone].includes(await contactOf({ phone: '040 55512' })), 'a number without its country is nobody’s')
    await firm.owner.del(`/contacts/${byEmail}`)
    assert.notEqual(await contactOf({ email: 'bo@birch.test' }), byEmail)
  })

  it('takes the company that is there, whatever the case of its name (LEAD-52)', async () => {
    const { id } = (await firm.owner.post('/companies', { name: 'Žito GmbH' })).body.data
    const { conversion_meta } = await converted(firm.owner, await lead(firm.owner, { company: 'žITO gmbh' }))
    assert.equal(conversion_meta.company_id, id)
  })

  it('of two at once makes one company and one contact', async () => {
    const same = { company: 'Twins Ltd', email: 'twin@twins.test' }
    const ids = [await lead(firm.owner, same), await lead(firm.owner, { ...same, company: 'TWINS ltd' })]
    const [a, b] = await Promise.all(ids.map((id) => converted(firm.owner, id)))
    assert.deepEqual([a.contact_id, a.conversion_meta.company_id], [b.contact_id, b.conversion_meta.company_id])
  })

  it('notes on the contact and on the lead', async () => {
    const data = await converted(firm.owner, await lead(firm.owner), { notes: 'Signed today' })
    assert.equal(data.notes[0].body, 'Signed today')
    assert.equal((await contact(data.contact_id)).note_entries[0].body, 'Signed today')
    assert.deepEqual((await converted(firm.owner, await lead(firm.owner), { notes: null })).notes, [])
  })

  it('needs the lead in sight, its own permission, and those for what it makes (LEAD-48)', async () => {
    const foreign = await lead(firm.owner)
    const seller = await firm.user(['leads.view', 'leads.create', 'leads.convert'])
    assert.equal((await convert(seller, foreign)).status, 404)
    const id = await lead(seller, { company: 'Elm & Co' })
    assert.equal((await convert(seller, id)).body.message, 'This needs the permission companies.create.')
    const more = await firm.user(['leads.view', 'leads.create', 'leads.convert', 'companies.create'])
    const other = await lead(more, { company: 'Elm & Co' })
    assert.equal((await convert(more, other)).body.message, 'This needs the permission contacts.create.')
    assert.equal((await firm.owner.get('/companies?search=Elm')).body.data.length, 0, 'nothing is left of it')
    const clerk = await firm.user(['leads.view', 'leads.create', 'leads.update'])
    assert.equal((await convert(clerk, await lead(clerk))).status, 403)
  })

  it('takes nobody whom the actor does not see', async () => {
    const { id: hidden } = (await firm.owner.post('/contacts', { name: 'Hidden', email: 'hid@den.test' })).body.data
    const seller = await firm.user(['leads.view', 'leads.create', 'leads.convert', 'contacts.view', 'contacts.create'])
    const first = (await converted(seller, await lead(seller, { email: 'hid@den.test' }))).contact_id
    assert.notEqual(first, hidden)
    assert.equal((await converted(seller, await lead(seller, { email: 'hid@den.test' }))).contact_id, first)
  })

  it('lets go of what is deleted for good, and stays converted', async () => {
    const data = await converted(firm.owner, await lead(firm.owner, { company: 'Short Lived' }))
    for (const path of [`/contacts/${data.contact_id}`, `/companies/${data.conversion_meta.company_id}`]) {
      await firm.owner.del(path)
      assert.equal((await firm.owner.del(`${path}/force`)).status, 200, path)
    }
    const after = (await firm.owner.get(`/leads/${data.id}`)).body.data
    assert.deepEqual([after.contact_id, after.conversion_meta.company_id, after.is_converted], [null, null, true])
  })

  it('without the modules leaves a stub, which gets its contact once they are there (LEAD-55, LEAD-56)', async () => {
    const id = await lead(bare.owner, { company: 'Late Ltd' })
    const { status, contact_id, conversion_meta, converted_at } = await converted(bare.owner, id)
    assert.deepEqual(
      [status, contact_id, conversion_meta],
      ['closed', null, { stub: true, company_id: null, opportunity_id: null }],
    )
    assert.deepEqual(refused(await convert(bare.owner, id)), [422, ['lead']])
    await installAll(world.services, bare.id, ['contacts', 'companies'])
    await bare.owner.put(`/leads/${id}`, { status: 'waiting' })
    const later = await converted(bare.owner, id)
    assert.deepEqual([later.conversion_meta.stub, later.converted_at, later.status], [false, converted_at, 'waiting'])
    assert.ok(later.contact_id && later.conversion_meta.company_id)
    assert.equal(later.activities[0].type, 'conversion_completed')
    assert.deepEqual(refused(await convert(bare.owner, id)), [422, ['lead']])
  })

  it('makes an opportunity where that is asked for (LEAD-53)', async () => {
    const data = await converted(firm.owner, await lead(firm.owner, { company: 'Opportune Ltd' }), {
      ...{ create_opportunity: true, opportunity: { name: 'Big deal', amount: 5000, currency: 'EUR', probability: 40 } },
    })
    const { body } = await firm.owner.get(`/opportunities/${data.conversion_meta.opportunity_id}`)
    const { name, amount, currency, probability, contact, company_id, assigned_to, status } = body.data
    assert.deepEqual(
      { name, amount, currency, probability, status },
      { name: 'Big deal', amount: 5000, currency: 'EUR', probability: 40, status: 'open' },
    )
    assert.deepEqual([contact.id, company_id, assigned_to], [data.contact_id, data.conversion_meta.company_id, firm.owner.id])
  })

  it('says what is wrong with the opportunity, and makes none unasked', async () => {
    const id = await lead(firm.owner)
    const wrong = async (opportunity: unknown) =>
      refused(await convert(firm.owner, id, { create_opportunity: true, opportunity }))
    for (const nothing of [undefined, null, {}]) assert.deepEqual(await wrong(nothing), [422, ['opportunity.name']])
    assert.deepEqual(await wrong({ name: 'x', stage_id: 999_999 }), [422, ['opportunity.stage_id']])
    assert.deepEqual(await wrong({ name: 'x', amount: 0.001 }), [422, ['opportunity.amount']])
    assert.deepEqual(await wrong({ name: 'x', probability: 101 }), [422, ['opportunity.probability']])
    assert.equal((await firm.owner.get(`/leads/${id}`)).body.data.is_converted, false)
    const seller = await firm.user(['leads.view', 'leads.create', 'leads.convert', 'contacts.create'])
    const own = await lead(seller)
    const body = { create_opportunity: true, opportunity: { name: 'x' } }
    assert.equal((await convert(seller, own, body)).body.message, 'This needs the permission opportunities.create.')
    assert.equal((await converted(seller, own, { opportunity: { name: 'x' } })).conversion_meta.opportunity_id, null)
  })

  it('gives the opportunity of a stub its contact later, which needs the permission to change it (LEAD-54)', async () => {
    const late = await world.workspace({ modules: ['leads', 'opportunities'] })
    await without(late, ['contacts'])
    const seller = await late.user([
      ...['leads.view', 'leads.create', 'leads.convert', 'contacts.create', 'opportunities.view', 'opportunities.create'],
    ])
    const id = await lead(seller)
    const body = { create_opportunity: true, opportunity: { name: 'First' } }
    const { stub, opportunity_id } = (await converted(seller, id, body)).conversion_meta
    assert.equal(stub, true)
    await installAll(world.services, late.id, ['contacts'])
    assert.equal((await convert(seller, id)).body.message, 'This needs the permission opportunities.update.')
    assert.deepEqual(refused(await convert(late.owner, id, body)), [422, ['create_opportunity']])
    const keeper = await late.user([
      'leads.view',
      'leads.convert',
      'leads.assign',
      'contacts.create',
      'opportunities.view',
      'opportunities.update',
    ])
    assert.equal((await keeper.get(`/opportunities/${opportunity_id}`)).status, 404, 'it is the seller’s')
    const blind = await late.user(['leads.view', 'leads.convert', 'leads.assign', 'contacts.create', 'opportunities.view'])
    assert.equal((await convert(blind, id)).body.message, 'This needs the permission opportunities.update.')
    const { contact_id } = await converted(keeper, id)
    assert.equal((await late.owner.get(`/opportunities/${opportunity_id}`)).body.data.contact_id, contact_id)
    await late.owner.del(`/opportunities/${opportunity_id}`)
    assert.equal((await late.owner.del(`/opportunities/${opportunity_id}/force`)).status, 200)
    assert.equal((await late.owner.get(`/leads/${id}`)).body.data.conversion_meta.opportunity_id, null)
  })

  it('asks for no opportunity where there are none', async () => {
    const id = await lead(bare.owner)
    assert.deepEqual(refused(await convert(bare.owner, id, { create_opportunity: true })), [422, ['create_opportunity']])
  })
})
