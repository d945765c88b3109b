/** E-invoices in a mailbox: an attachment becomes an incoming invoice, but only from the user's own mail. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Person, Workspace } from '#test/harness.ts'
import { startImap } from '#test/imap.ts'
import { clientOf, letter, mailboxWorld } from '#test/mailboxes.ts'
import { invoiceXml } from './samples.ts'

const server = await startImap()
after(() => server.stop())
const at = await mailboxWorld(server.port)
const xml = invoiceXml({ number: 'M-1' })
const files: Record<string, Buffer> = {
  'rechnung.xml': Buffer.from(xml),
  'brief.txt': Buffer.from('Good day.'),
  'leer.pdf': Buffer.from('%PDF-1.7\n%%EOF'),
  'page.xml': Buffer.from('<html/>'),
  'bomb.xml': Buffer.from(`<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${xml.replace(/<\?.*\?>/, '')}`),
  'image.png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}
let firm: Workspace
let owner: Person
let account: string
let message: { uuid: string; attachments: { id: string; name: string }[] }

/** A mail with attachments. */
const withFiles = (n: number) =>
  letter(n, {
    head: 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a',
    body: [
      '--a\r\nContent-Type: text/plain\r\n\r\nOur invoice.',
      ...Object.entries(files).map(
        ([name, content]) =>
          `--a\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${content.toString('base64').replace(/.{76}/g, '$&\r\n')}`,
      ),
      '--a--\r\n',
    ].join('\r\n'),
  })

before(async () => {
  firm = await at.world.workspace({ modules: ['email', 'expenses', 'vendors', 'incoming-invoices'] })
  owner = firm.owner
  const client = await clientOf(server.port, 'buyer')
  await client.append('INBOX', withFiles(1))
  await client.logout()
  account = await at.connect(owner, 'buyer')
  await at.sync(account, owner)
  ;[message] = await messagesOf(account)
})
beforeEach(() => at.world.sql('DELETE FROM rate_limits'))

async function messagesOf(of: string) {
  const listed = await at.list(of, 'INBOX', owner)
  return Promise.all(listed.map(async ({ uuid }) => (await owner.get(`/email/messages/${uuid}`)).body.data))
}
const idOf = (name: string) => message.attachments.find((one) => one.name === name)!.id
const take = (body: object, by = owner) => by.post('/incoming-invoices', body)
const named = (name: string) => ({ email_message_uuid: message.uuid, email_attachment_id: idOf(name) })
async function refused(body: object, field = 'email_attachment_id', by = owner) {
  const { status, body: reply } = await take(body, by)
  assert.deepEqual([status, Object.keys(reply.errors ?? {})], [422, [field]], JSON.stringify(reply))
  return reply.errors![field]![0]!
}

describe('an attachment of an e-mail', () => {
  it('becomes an incoming invoice once, also by two clicks at once, and is kept byte for byte', async () => {
    const replies = await Promise.all([take(named('rechnung.xml')), take(named('rechnung.xml'))])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422])
    const { data } = replies.find(({ status }) => status === 201)!.body
    assert.deepEqual([data.number, data.status, data.file_name, data.total], ['M-1', 'booked', 'rechnung.xml', 119])
    assert.equal(data.sha256, createHash('sha256').update(xml).digest('hex'))
    assert.equal((await owner.get(`/incoming-invoices/${data.id}/file`)).raw.toString(), xml)
    assert.match(await refused(named('rechnung.xml')), /M-1 of .* was received on .* as incoming invoice/)
    const [{ left }] = await at.world.sql(
      "SELECT count(*)::int AS left FROM stored_files WHERE tenant_id = $1 AND state <> 'kept'",
      [firm.id],
    )
    assert.equal(left, 0)
  })

  it('is refused in words where it is no e-invoice, and nothing of it is kept', async () => {
    const kept = async () =>
      (await at.world.sql('SELECT count(*)::int AS n FROM stored_files WHERE tenant_id = $1', [firm.id]))[0].n
    const before = await kept()
    for (const [name, why] of [
      ['brief.txt', /Is no XML that can be read/],
      ['leer.pdf', /Is no PDF that can be read/],
      ['page.xml', /Is <html>/],
      ['bomb.xml', /Is no XML that can be read/],
      ['image.png', /Must be an e-invoice/],
    ] as const)
      assert.match(await refused(named(name)), why)
    assert.equal(await kept(), before)
  })

  it('is one of the caller’s own mailboxes, whole, and instead of a file', async () => {
    const one = named('rechnung.xml')
    const clerk = ['incoming-invoices.view', 'incoming-invoices.create', 'email.view'] as const
    const foreign = await firm.user([...clerk])
    const blind = await firm.user([...clerk.slice(0, 2)])
    assert.match(await refused(one, 'email_attachment_id', foreign), /no such attachment/)
    assert.match(await refused(one, 'email_attachment_id', blind), /no such attachment/)
    assert.equal((await take(one, await firm.user(['email.view']))).status, 403)
    const elsewhere = await at.world.workspace({ modules: ['email', 'expenses', 'incoming-invoices'] })
    await refused(one, 'email_attachment_id', elsewhere.owner)
    const without = await at.world.workspace({ modules: ['expenses', 'incoming-invoices'] })
    await refused(one, 'email_attachment_id', without.owner)
    await refused({ ...one, email_attachment_id: '77' })
    await refused({ ...one, email_message_uuid: '0f8fad5b-d9cb-469f-a165-70867728950e' })
    await refused({ ...one, email_message_uuid: 'x' }, 'email_message_uuid')
    await refused({ email_message_uuid: one.email_message_uuid })
    await refused({ email_attachment_id: '2' }, 'email_message_uuid')
    await refused({}, 'file')
    await refused({ ...one, file: new File([xml], 'a.xml') }, 'file')
    const draft = { account_uuid: account, to: ['ida@x.test'], subject: 'Ours', body_text: 'x' }
    const { uuid } = (await owner.post('/email/messages/compose', draft)).body.data
    const { attachments } = (await owner.post(`/email/messages/${uuid}/attachments`, { file: new File([xml], 'a.xml') })).body
      .data
    await refused({ email_message_uuid: uuid, email_attachment_id: attachments[0].id })
  })

  it('that the server has no more is a 404', async () => {
    const client = await clientOf(server.port, 'buyer')
    await client.mailboxOpen('INBOX')
    await client.messageDelete('1')
    await client.logout()
    assert.equal((await take(named('rechnung.xml'))).status, 404)
  })
})
