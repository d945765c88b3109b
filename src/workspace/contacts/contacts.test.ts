import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace()
})

const names = (reply: { body: { data: { name: string }[] } }) => reply.body.data.map(({ name }) => name).sort()

describe('contacts', () => {
  it('may share an e-mail address, and keep a phone as it was sent', async () => {
    const sent = { name: 'Ann Ash', email: 'desk@ash.test', phone: ' +1 (212) 555-0100 ext 7 ', company: 'Ash & Sons' }
    for (const { status, body } of [await firm.owner.post('/contacts', sent), await firm.owner.post('/contacts', sent)]) {
      const { name, email, phone, company, company_id, linked_company } = body.data
      assert.deepEqual([status, { name, email, phone, company }], [201, sent])
      assert.deepEqual([company_id, linked_company], [null, null])
    }
  })

  it('are found by what stands on their card', async () => {
    await firm.owner.post('/contacts', {
      name: 'Bea Birch',
      email: 'bea@wood.test',
      phone: '0171-99',
      company: 'Timber Ltd',
      notes: 'tall',
    })
    for (const word of ['birch', 'wood.test', '171-9', 'timber']) {
      assert.deepEqual(names(await firm.owner.get(`/contacts?search=${word}`)), ['Bea Birch'], word)
    }
    assert.deepEqual(names(await firm.owner.get('/contacts?search=tall')), [])
  })

  it('are seen by their assignee only, unless one may assign them', async () => {
    const seller = await firm.user(['contacts.view', 'contacts.create'])
    const { id } = (await firm.owner.post('/contacts', { name: 'Carl Cedar' })).body.data
    await seller.post('/contacts', { name: 'Dora Dogwood', assigned_to: firm.owner.id })
    assert.deepEqual(names(await seller.get('/contacts')), ['Dora Dogwood'])
    assert.deepEqual((await seller.get('/contacts/stats')).body.data, { total_contacts: 1, my_contacts: 1, scope: 'mine' })
    assert.equal((await seller.get(`/contacts/${id}`)).status, 404)

    assert.equal((await firm.owner.post(`/contacts/${id}/assign`, { assigned_to: seller.id })).body.data.assignee.id, seller.id)
    assert.deepEqual(names(await seller.get('/contacts?my_contacts=true')), ['Carl Cedar', 'Dora Dogwood'])
    assert.deepEqual(names(await firm.owner.get(`/contacts?assigned_to=${seller.id}`)), ['Carl Cedar', 'Dora Dogwood'])
    assert.deepEqual((await firm.owner.get('/contacts/stats')).body.data, { total_contacts: 5, my_contacts: 0, scope: 'org' })
  })

  it('show their newest note, and all of them with their story in the detail', async () => {
    const { id } = (await firm.owner.post('/contacts', { name: 'Emil Elm' })).body.data
    for (const body of ['Called.', 'Called again.']) await firm.owner.post(`/contacts/${id}/notes`, { body })
    const [listed] = (await firm.owner.get('/contacts?search=elm')).body.data
    const { note_entries, activities } = (await firm.owner.get(`/contacts/${id}`)).body.data
    assert.deepEqual([listed.latest_note.body, note_entries.length, activities.length], ['Called again.', 2, 3])
    assert.equal('activities' in listed, false)
  })

  it('are linked to a company that the actor sees, and outlive it', async () => {
    const company = (await firm.owner.post('/companies', { name: 'Fir Furniture' })).body.data
    const { id, linked_company } = (await firm.owner.post('/contacts', { name: 'Fay Fir', company_id: company.id })).body.data
    assert.deepEqual(linked_company, { id: company.id, name: 'Fir Furniture' })
    assert.deepEqual(names(await firm.owner.get(`/contacts?company_id=${company.id}`)), ['Fay Fir'])
    const seller = await firm.user(['contacts.create', 'companies.view'])
    const unseen = await seller.post('/contacts', { name: 'Gil Fir', company_id: company.id })
    assert.deepEqual([unseen.status, Object.keys(unseen.body.errors!)], [422, ['company_id']])
    await firm.owner.del(`/companies/${company.id}`)
    assert.equal((await firm.owner.del(`/companies/${company.id}/force`)).status, 200)
    assert.equal((await firm.owner.get(`/contacts/${id}`)).body.data.company_id, null)
  })
})
