/** Export and import of contacts as vCards. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let here: Workspace
let there: Workspace

before(async () => {
  const modules = ['contacts', 'imports']
  here = await world.workspace({ modules })
  there = await world.workspace({ modules })
})

const upload = ({ owner }: Workspace, text: string | Uint8Array) =>
  owner.post('/imports', { module: 'contacts', file: new File([text as never], 'people.vcf') })
async function run(to: Workspace, text: string) {
  const { status, body } = await upload(to, text)
  assert.equal(status, 201, body.message)
  const { import: made, context } = body.data
  await to.owner.put(`/imports/${made.uuid}`, { mapping: context.suggested_mapping })
  await to.owner.post(`/imports/${made.uuid}/run`)
  await world.drain()
  return (await to.owner.get(`/imports/${made.uuid}`)).body.data
}
const found = async ({ owner }: Workspace, search: string) => {
  const { data } = (await owner.get('/contacts', { query: { search } })).body
  return (await owner.get(`/contacts/${data[0].id}`)).body.data
}

describe('a vCard', () => {
  const contact = {
    ...{ name: 'Zoé van den Berg', email: 'zoe@berg.example', phone: '+49 40 123, ext. 4', job_title: 'Head; of "sales"' },
    ...{ company: 'Nordwind & Söhne, Hamburg', address: 'Hafenstraße 4\n20457 Hamburg', street: 'Hafenstraße 4' },
    ...{ postcode: '20457', city: 'Hamburg', country: 'DE', notes: `Comes back\\n; ^n\n${'sehr lang ü '.repeat(40)}`.trim() },
  }
  for (const version of ['3.0', '4.0'])
    it(`of version ${version} is read again as it was written`, async () => {
      const name = `${contact.name} ${version[0]}`
      const { id } = (await here.owner.post('/contacts', { ...contact, name })).body.data
      const { status, headers, raw } = await here.owner.get(`/contacts/${id}/vcard`, { query: { version } })
      assert.partialDeepStrictEqual({ status, type: headers['content-type'] }, { status: 200, type: 'text/vcard; charset=utf-8' })
      for (const line of raw.toString().split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line)
      assert.equal((await run(there, raw.toString())).created_count, 1)
      assert.partialDeepStrictEqual(await found(there, name), { ...contact, name })
    })

  it('is there for each contact that a list finds, in one file', async () => {
    for (const name of ['Listed One', 'Listed Two']) await here.owner.post('/contacts', { ...contact, name })
    const member = await here.user(['contacts.view'])
    assert.equal((await member.get('/contacts/vcards/export')).status, 403)
    const { status, headers, raw } = await here.owner.get('/contacts/vcards/export', {
      query: { search: 'Listed', version: '3.0' },
    })
    assert.partialDeepStrictEqual({ status, type: headers['content-type'] }, { status: 200, type: 'text/vcard; charset=utf-8' })
    assert.match(String(headers['content-disposition']), /contacts-\d{4}-\d\d-\d\d\.vcf/)
    assert.equal((await run(there, raw.toString())).created_count, 2)
    assert.partialDeepStrictEqual(await found(there, 'Listed Two'), { ...contact, name: 'Listed Two' })
    const wrong = await here.owner.get('/contacts/vcards/export', { query: { version: '2.1' } })
    assert.partialDeepStrictEqual(
      { status: wrong.status, fields: Object.keys(wrong.body.errors ?? {}) },
      { status: 422, fields: ['version'] },
    )
  })

  it('is read as address books write it', async () => {
    const text = [
      ...['BEGIN:VCARD', 'VERSION:3.0', 'N:Ash;Ann;;Dr.;', 'item1.EMAIL;type=INTERNET;type=pref:ann@ash.example'],
      ...['EMAIL:other@ash.example', 'TEL;TYPE="cell,voice":+1 555', 'ORG:Ash Ltd;Sales', 'TITLE:Bu', ' yer'],
      ...['ADR;TYPE=WORK:;Floor 2;1 Quay;London;;E1;United Kingdom', `PHOTO;ENCODING=b:${'A'.repeat(300_000)}`, 'END:VCARD', ''],
      ...['BEGIN:VCARD', 'VERSION:4.0', 'FN:Ben\\, the second', 'TEL;VALUE=uri:tel:+49-40-1', 'EMAIL;PREF=2:b@x.example'],
      ...['EMAIL;PREF=1:a@x.example', 'X-OTHER;X="a:b;c":d', 'END:VCARD', ''],
    ].join('\r\n')
    assert.partialDeepStrictEqual(await run(there, text), { created_count: 2, failed_count: 0 })
    assert.partialDeepStrictEqual(await found(there, 'Ann Ash'), {
      ...{ name: 'Dr. Ann Ash', email: 'ann@ash.example', phone: '+1 555', company: 'Ash Ltd', job_title: 'Buyer' },
      ...{
        street: '1 Quay',
        postcode: 'E1',
        city: 'London',
        country: null,
        address: '1 Quay Floor 2\nE1 London\nUnited Kingdom',
      },
    })
    assert.partialDeepStrictEqual(await found(there, 'Ben'), { name: 'Ben, the second', phone: '+49-40-1', email: 'a@x.example' })
  })

  it('is refused where it is none, or of another version', async () => {
    for (const text of [
      'Name,Email\nAnn,ann@ash.example\n',
      'BEGIN:VCARD\r\nVERSION:2.1\r\nFN:Ann\r\nEND:VCARD\r\n',
      'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann\r\n',
      'BEGIN:VCARD\r\nBEGIN:VCARD\r\n',
      'FN:Ann\r\n',
    ]) {
      const { status, body } = await upload(here, text)
      assert.deepEqual({ status, fields: Object.keys(body.errors ?? {}) }, { status: 422, fields: ['file'] }, text)
    }
    const { id } = (await here.owner.post('/contacts', { name: 'Ann' })).body.data
    assert.equal((await here.owner.get(`/contacts/${id}/vcard`, { query: { version: '2.1' } })).status, 422)
    assert.equal((await (await here.user([])).get(`/contacts/${id}/vcard`)).status, 403)
    assert.equal((await there.owner.get('/contacts/999999/vcard')).status, 404)
  })
})
