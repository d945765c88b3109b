import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace()
})

const names = (reply: { body: { data: { name: string }[] } }) => reply.body.data.map(({ name }) => name).sort()

describe('companies', () => {
  it('may share a name, and are found by what stands on their card', async () => {
    const sent = {
      name: 'Ash & Sons',
      email: 'office@ash.test',
      phone: '+49 40 555',
      website: 'https://ash.test',
      tax_id: 'DE 1',
    }
    for (let n = 0; n < 2; n++) assert.equal((await firm.owner.post('/companies', sent)).status, 201)
    for (const word of ['ash %26', 'office@', '40 55', 'ash.test'])
      assert.equal((await firm.owner.get(`/companies?search=${word}`)).body.data.length, 2, word)
  })

  it('are seen by their assignee only, unless one may assign them', async () => {
    const seller = await firm.user(['companies.view', 'companies.create', 'companies.update'])
    const { id } = (await firm.owner.post('/companies', { name: 'Cedar' })).body.data
    await seller.post('/companies', { name: 'Dogwood', assigned_to: firm.owner.id })
    assert.deepEqual(names(await seller.get('/companies')), ['Dogwood'])
    assert.deepEqual((await seller.get('/companies/stats')).body.data, { total_companies: 1, my_companies: 1, scope: 'mine' })
    for (const asked of [seller.get(`/companies/${id}`), seller.put(`/companies/${id}`, { name: 'Mine' })])
      assert.equal((await asked).status, 404)
    await firm.owner.post(`/companies/${id}/assign`, { assigned_to: seller.id })
    assert.deepEqual(names(await seller.get('/companies?my_companies=true')), ['Cedar', 'Dogwood'])
  })
})
