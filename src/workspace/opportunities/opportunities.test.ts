import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { createOpportunity, linkContact, OpportunityFields } from './public.ts'

const world = await startTest()
let firm: Workspace
/** Stage ids by name. */
let stages: Record<string, number>

const makeFirm = () => world.workspace({ modules: ['opportunities'], currency: 'EUR' })
const stagesOf = async ({ owner }: Workspace): Promise<Record<string, number>> =>
  Object.fromEntries((await owner.get('/opportunity-stages')).body.data.map(({ id, name }: any) => [name, id]))

before(async () => {
  firm = await makeFirm()
  stages = await stagesOf(firm)
})

const post = (body: object, by: Client = firm.owner) => by.post('/opportunities', { name: 'Deal', ...body })
const create = async (body: object = {}, by: Client = firm.owner) => (await post(body, by)).body.data
const names = (reply: Reply) => reply.body.data.map(({ name }: { name: string }) => name).sort()

/** Asserts 422 on exactly these fields. */
function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

describe('stages', () => {
  it('are six from the start, in the order of the pipeline', async () => {
    const { data } = (await (await makeFirm()).owner.get('/opportunity-stages')).body
    assert.deepEqual(
      data.map(({ name, is_won, is_lost }: any) => [name, is_won, is_lost]),
      [
        ['New', false, false],
        ['Qualified', false, false],
        ['Proposal', false, false],
        ['Negotiation', false, false],
        ['Won', true, false],
        ['Lost', false, true],
      ],
    )
  })

  it('have names of their own, and are not won and lost at once', async () => {
    refused(await firm.owner.post('/opportunity-stages', { name: 'Won' }), 'name')
    refused(await firm.owner.post('/opportunity-stages', { name: 'Odd', is_won: true, is_lost: true }), 'is_lost')
    refused(await firm.owner.put(`/opportunity-stages/${stages.Won}`, { is_lost: true }), 'is_lost')
  })

  it('stay while something stands in them, and one begins in the first open one', async () => {
    const firm = await makeFirm()
    const stages = await stagesOf(firm)
    const remove = (name: string) => firm.owner.del(`/opportunity-stages/${stages[name]}`)
    const { id, stage } = await create({}, firm.owner)
    assert.equal(stage.name, 'New')
    refused(await remove('New'), 'stage')
    assert.equal((await remove('Qualified')).status, 200)
    await firm.owner.put(`/opportunity-stages/${stages.Negotiation}`, { sort_order: 1 })
    assert.equal((await create({}, firm.owner)).stage.name, 'Negotiation')
    for (const name of ['New', 'Proposal', 'Negotiation'])
      await firm.owner.put(`/opportunity-stages/${stages[name]}`, { is_lost: true })
    refused(await post({}, firm.owner), 'stage_id')
    assert.equal((await firm.owner.get(`/opportunities/${id}`)).body.data.status, 'lost')
  })

  it('that won or lost something don’t reopen it', async () => {
    const firm = await makeFirm()
    const stages = await stagesOf(firm)
    const { id } = await create({ stage_id: stages.Won }, firm.owner)
    const put = (body: object) => firm.owner.put(`/opportunity-stages/${stages.Won}`, body)
    refused(await put({ is_won: false }), 'is_won')
    refused(await put({ is_won: false, is_lost: true }), 'is_won')
    assert.equal((await put({ is_won: true, name: 'Ours' })).status, 200)
    await firm.owner.put(`/opportunities/${id}`, { stage_id: stages.New })
    assert.equal((await put({ is_won: false })).status, 200)
  })

  it('are not deleted while something comes into them', async () => {
    for (let round = 1; round <= 5; round++) {
      const { id } = (await firm.owner.post('/opportunity-stages', { name: `Racing ${round}` })).body.data
      const [made, deleted] = await Promise.all([post({ stage_id: id }), firm.owner.del(`/opportunity-stages/${id}`)])
      if (made.status === 201) refused(deleted, 'stage')
      else refused(made, 'stage_id')
    }
  })
})

describe('opportunities', () => {
  it('begin as they are sent, in the currency of the workspace', async () => {
    const sent = { amount: 1234.5, probability: 12.5, expected_close_date: '2027-02-28', notes: 'Warm' }
    const made = await create(sent)
    for (const [field, value] of Object.entries(sent)) assert.equal(made[field], value, field)
    assert.partialDeepStrictEqual(made, { currency: 'EUR', status: 'open', contact: null, company: null })
    assert.equal((await create()).amount, null)
  })

  it('have no more decimals than their currency', async () => {
    refused(await post({ amount: 0.001 }), 'amount')
    refused(await post({ amount: 0.5, currency: 'JPY' }), 'amount')
    const { id } = await create({ amount: 0.5 })
    refused(await firm.owner.put(`/opportunities/${id}`, { currency: 'JPY' }), 'amount')
    const both = await firm.owner.put(`/opportunities/${id}`, { currency: 'JPY', amount: 50 })
    assert.deepEqual([both.status, both.body.data.amount], [200, 50])
    refused(
      await post({ probability: 100.1, currency: 'EURO', expected_close_date: '2027-02-30' }),
      ...['probability', 'currency', 'expected_close_date'],
    )
  })

  it('go from stage to stage, which the timeline tells', async () => {
    const { id } = await create()
    const move = (stage_id: number) => firm.owner.put(`/opportunities/${id}`, { stage_id, probability: 50 })
    const won = (await move(stages.Won!)).body.data
    assert.deepEqual([won.stage, won.status], [{ id: stages.Won, name: 'Won', is_won: true, is_lost: false }, 'won'])
    await move(stages.Won!)
    refused(await move(999_999), 'stage_id')
    refused(await move((await stagesOf(await makeFirm())).Won!), 'stage_id')
    const { data } = (await firm.owner.get(`/opportunities/${id}/timeline`)).body
    assert.deepEqual(
      data.map(({ description }: { description: string }) => description),
      ['Stage changed from New to Won', 'Changed probability', 'Created'],
    )
  })

  it('are filtered by stage, state, contact, company and assignee, and found by name', async () => {
    const firm = await world.workspace({ modules: ['opportunities'] })
    const stages = await stagesOf(firm)
    const company = (await firm.owner.post('/companies', { name: 'Elm & Co' })).body.data
    const contact = (await firm.owner.post('/contacts', { name: 'Emil Elm' })).body.data
    const linked = { name: 'Chairs', contact_id: contact.id, company_id: company.id, assigned_to: firm.owner.id }
    const made = await create({ ...linked, stage_id: stages.Won }, firm.owner)
    await create({ name: 'Desks' }, firm.owner)
    assert.deepEqual(
      [made.contact, made.company],
      [
        { id: contact.id, name: 'Emil Elm' },
        { id: company.id, name: 'Elm & Co' },
      ],
    )
    const list = async (query: string) => names(await firm.owner.get(`/opportunities?${query}`))
    const ofOne = [`contact_id=${contact.id}`, `company_id=${company.id}`, `stage_id=${stages.Won}`, 'my_opportunities=1']
    for (const query of [...ofOne, 'status=won', 'search=HAIR', `assigned_to=${firm.owner.id}`])
      assert.deepEqual(await list(query), ['Chairs'], query)
    for (const query of ['status=open', 'assigned_to=unassigned', 'search=desk'])
      assert.deepEqual(await list(query), ['Desks'], query)
    assert.deepEqual(await list('status=lost'), [])
  })

  it('outlive their contact and company', async () => {
    const company = (await firm.owner.post('/companies', { name: 'Gone' })).body.data
    const contact = (await firm.owner.post('/contacts', { name: 'Gone' })).body.data
    const { id } = await create({ contact_id: contact.id, company_id: company.id })
    for (const path of [`/contacts/${contact.id}`, `/companies/${company.id}`]) {
      await firm.owner.del(path)
      assert.equal((await firm.owner.del(`${path}/force`)).status, 200)
    }
    const { contact_id, company_id } = (await firm.owner.get(`/opportunities/${id}`)).body.data
    assert.deepEqual([contact_id, company_id], [null, null])
  })
})

describe('whoever may not assign', () => {
  let seller: Person
  before(async () => {
    seller = await firm.user(['view', 'create', 'update'].map((action) => `opportunities.${action}`))
  })

  it('sees and changes only their own', async () => {
    const { id } = await create({ name: 'Theirs' })
    await create({ name: 'Mine', assigned_to: firm.owner.id }, seller)
    assert.deepEqual(names(await seller.get('/opportunities')), ['Mine'])
    for (const asked of [seller.get(`/opportunities/${id}`), seller.put(`/opportunities/${id}`, { name: 'Taken' })])
      assert.equal((await asked).status, 404)
    const { total_opportunities, my_opportunities, open, scope } = (await seller.get('/opportunities/stats')).body.data
    assert.deepEqual(
      { total_opportunities, my_opportunities, open, scope },
      { total_opportunities: 1, my_opportunities: 1, open: 1, scope: 'mine' },
    )
  })

  it('names no contact or company that they don’t see, and sees none', async () => {
    const company = (await firm.owner.post('/companies', { name: 'Hidden' })).body.data
    const contact = (await firm.owner.post('/contacts', { name: 'Hidden' })).body.data
    refused(await post({ contact_id: contact.id, company_id: company.id }, seller), 'contact_id', 'company_id')
    const { id } = await create({ contact_id: contact.id, company_id: company.id, assigned_to: seller.id })
    const shown = (await seller.get(`/opportunities/${id}`)).body.data
    assert.partialDeepStrictEqual(shown, { contact: null, company: null })
    assert.equal((await seller.put(`/opportunities/${id}`, { name: 'Kept', contact_id: contact.id })).status, 200)
  })
})

describe('figures', () => {
  it('count by stage, and add up what is open, each currency by itself and exactly', async () => {
    const firm = await makeFirm()
    const stages = await stagesOf(firm)
    const stats = async (query = '') => (await firm.owner.get(`/opportunities/stats${query}`)).body.data
    const nothing = { open: 0, won: 0, lost: 0, pipeline_value: [] }
    assert.deepEqual(await stats(), { total_opportunities: 0, my_opportunities: 0, ...nothing, scope: 'org' })
    await create({ amount: 0.1, probability: 50 }, firm.owner)
    await create({ amount: 0.2 }, firm.owner)
    await create({ amount: 99_999_999_999, probability: 33.3333, currency: 'USD', assigned_to: firm.owner.id }, firm.owner)
    await create({ currency: 'JPY' }, firm.owner)
    await create({ amount: 7, stage_id: stages.Won }, firm.owner)
    await create({ amount: 8, stage_id: stages.Lost }, firm.owner)
    assert.deepEqual(await stats(), {
      ...{ total_opportunities: 6, my_opportunities: 1, open: 4, won: 1, lost: 1, scope: 'org' },
      pipeline_value: [
        { currency: 'EUR', amount: 0.3, weighted_amount: 0.05 },
        { currency: 'USD', amount: 99_999_999_999, weighted_amount: 33_333_299_999.6667 },
      ],
    })
    const { total_opportunities, pipeline_value } = await stats('?my_opportunities=true')
    assert.deepEqual([total_opportunities, pipeline_value.length], [1, 1])
    assert.deepEqual((await stats('?trashed=only')).pipeline_value, [])
  })
})

describe('for other modules', () => {
  const links = { contact_id: null, company_id: null, assigned_to: null }
  const fields = (sent: object) => OpportunityFields.parse({ name: 'Of a lead', ...sent })

  it('one is made with its links, or its fields are named as the caller has them', async () => {
    const id = await firm.inside((ctx) => createOpportunity(ctx, fields({ amount: 5 }), { ...links, assigned_to: firm.owner.id }))
    const { name, stage, currency, assigned_to } = (await firm.owner.get(`/opportunities/${id}`)).body.data
    assert.deepEqual(
      { name, stage: stage.name, currency, assigned_to },
      { name: 'Of a lead', stage: 'New', currency: 'EUR', assigned_to: firm.owner.id },
    )
    for (const [field, sent] of Object.entries({ amount: { amount: 0.001 }, stage_id: { stage_id: 999_999 } }))
      await assert.rejects(
        firm.inside((ctx) => createOpportunity(ctx, fields(sent), links)),
        (error: any) => error.status === 422 && Object.keys(error.errors).join() === `opportunity.${field}`,
      )
  })

  it('one gets its contact once', async () => {
    const contact = async (name: string) => (await firm.owner.post('/contacts', { name })).body.data.id
    const [first, second] = [await contact('First'), await contact('Second')]
    const id = await firm.inside((ctx) => createOpportunity(ctx, fields({}), links))
    for (const contactId of [first, second]) await firm.inside((ctx) => linkContact(ctx, id, contactId))
    assert.equal((await firm.owner.get(`/opportunities/${id}`)).body.data.contact_id, first)
    const [without, gone] = [await create(), await create()]
    await firm.owner.del(`/opportunities/${gone.id}`)
    const refusing = (id: number) => firm.inside((ctx) => linkContact({ ...ctx, require: () => assert.fail('asked') }, id, first))
    await assert.rejects(refusing(without.id), /asked/)
    for (const nothingToDo of [id, gone.id, 999_999]) await refusing(nothingToDo)
  })
})
