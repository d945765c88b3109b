/** Conformance tests of mailboxes for any IMAP server: a minimal one in `npm test`, and Dovecot in `.ci/run`. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { ImapFlow } from 'imapflow'
import { type Person, startTest } from './harness.ts'
import { startSubmission } from './submission.ts'
import { tnefOf } from './tnef.ts'

export const PASSWORD = 'planted-pässword-7Zq'
const BODY_SECRET = 'planted-body-9Kx'

export interface ImapServer {
  port: number
  /** Whether UIDVALIDITY is based on seconds: two folders of one second would have the same. */
  countsSeconds?: true
  stop(): Promise<void>
}

/** Returns a plain message; `head` and `body` replace those of a text in UTF-8. */
export const letter = (n: number, more: { to?: string; head?: string; body?: string; id?: string | null } = {}) =>
  [
    `From: Ann ${n} <ann${n}@sender.test>`,
    `To: ${more.to ?? 'bob@firm.test'}`,
    `Subject: Letter ${n}`,
    ...(more.id === null ? [] : [`Message-ID: ${more.id ?? `<letter-${n}@sender.test>`}`]),
    `Date: ${new Date(Date.UTC(2026, 9, 1) + n * 60_000).toUTCString()}`,
    more.head ?? 'MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8',
    '',
    more.body ?? `This is letter number ${n}. ${BODY_SECRET}`,
    '',
  ].join('\r\n')

/** Returns another client of a mailbox. */
export async function clientOf(port: number, user: string) {
  const auth = { user, pass: PASSWORD }
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: false,
    doSTARTTLS: false,
    auth,
    logger: false,
    disableAutoIdle: true,
  })
  await client.connect()
  return client
}

export type MailboxWorld = Awaited<ReturnType<typeof mailboxWorld>>
export async function mailboxWorld(port: number) {
  const lines: string[] = []
  const world = await startTest({ env: { ALLOW_INTERNAL_MAIL_HOSTS: 'true' }, log: (line) => void lines.push(line) })
  for (const secret of [BODY_SECRET, Buffer.from(PASSWORD).toString('base64').slice(2, -2)]) world.secret(secret)
  const smtp = await startSubmission(PASSWORD)
  const firm = await world.workspace({ modules: ['email', 'leads', 'storage', 'documents'] })
  after(() => smtp.stop())

  async function connect(person: Person, user: string, more: object = {}) {
    const server = { host: '127.0.0.1', encryption: 'none', username: user, password: PASSWORD }
    const of = (side: string, at: number) =>
      Object.fromEntries(Object.entries({ ...server, port: at }).map(([name, value]) => [`${side}_${name}`, value]))
    const body = { email_address: `${user}@firm.test`, from_name: 'Bob', ...of('imap', port), ...of('smtp', smtp.port), ...more }
    const { status, raw, body: reply } = await person.post('/email/accounts', body)
    assert.equal(status, 201, String(raw))
    return reply.data.uuid as string
  }

  async function sync(account: string, person: Person = firm.owner) {
    assert.equal((await person.post(`/email/accounts/${account}/sync`)).status, 200)
    await world.drain()
    const { data } = (await person.get(`/email/accounts/${account}`)).body
    assert.equal(data.last_error, null)
    return data
  }

  async function folders(account: string, person: Person = firm.owner): Promise<Record<string, any>> {
    const { data } = (await person.get(`/email/accounts/${account}/folders`, { query: { per_page: 100 } })).body
    return Object.fromEntries(data.map((folder: any) => [folder.name, folder]))
  }

  async function list(account: string, folder: string, person: Person = firm.owner): Promise<any[]> {
    const { uuid } = (await folders(account, person))[folder]
    return (await person.get(`/email/folders/${uuid}/messages`, { query: { per_page: 100, sort: 'date', direction: 'asc' } }))
      .body.data
  }

  const subjects = async (account: string, folder: string) => (await list(account, folder)).map(({ subject }) => subject)
  return { world, smtp, firm, lines, connect, sync, folders, list, subjects }
}

/** Declares the tests; awaited at the top of a file. `attachment` is the size of the largest one in bytes. */
export async function promiseMailboxes(server: ImapServer, { attachment }: { attachment: number }) {
  after(() => server.stop())
  const at = await mailboxWorld(server.port)
  const { owner } = at.firm

  /** Connects and synchronises a mailbox with these messages; returns another client too. */
  async function mailbox(user: string, letters: (string | Buffer)[] = []) {
    const client = await clientOf(server.port, user)
    for (const one of letters) await client.append('INBOX', one as Buffer)
    const account = await at.connect(owner, user)
    await at.sync(account)
    return { account, client }
  }

  /** Returns a folder's messages as another client sees them. */
  async function onServer(client: ImapFlow, folder: string) {
    await client.mailboxOpen(folder)
    const found = await client.fetchAll('1:*', { envelope: true, flags: true, uid: true }).catch(() => [])
    return found.map(({ uid, envelope, flags = new Set() }) => ({
      uid,
      subject: envelope?.subject,
      id: envelope?.messageId,
      flags: [...flags].filter((flag) => flag !== '\\Recent').sort(),
    }))
  }

  describe('a mailbox', () => {
    it('is read folder by folder, with headers first and bodies when they are shown', async () => {
      const client = await clientOf(server.port, 'reader')
      await client.mailboxCreate('Projects')
      for (const n of [1, 2, 3]) await client.append('INBOX', letter(n), n === 1 ? ['\\Seen', '\\Flagged'] : [])
      await client.append('Projects', letter(4))
      const account = await at.connect(owner, 'reader')
      assert.deepEqual((await at.sync(account)).counts, { on_server: 4, here: 4, quarantined: 0 })
      const { INBOX, Projects } = await at.folders(account)
      assert.partialDeepStrictEqual(INBOX, { type: 'inbox', remote_path: 'INBOX', total_count: 3, unread_count: 2 })
      assert.partialDeepStrictEqual(Projects, { type: 'custom', total_count: 1 })
      const [first, second] = await at.list(account, 'INBOX')
      assert.deepEqual([first.is_read, first.is_starred, second.is_read, second.is_starred], [true, true, false, false])
      assert.deepEqual(
        [second.subject, second.from, second.to, second.date, second.status, second.snippet.slice(0, 24)],
        [
          'Letter 2',
          { email: 'ann2@sender.test', name: 'Ann 2' },
          [{ email: 'bob@firm.test', name: null }],
          '2026-10-01T00:02:00.000Z',
          'received',
          'This is letter number 2.',
        ],
      )
      const shown = (await owner.get(`/email/messages/${second.uuid}`)).body.data
      assert.partialDeepStrictEqual(shown, { body_html: '', body_text: `This is letter number 2. ${BODY_SECRET}` })
      const searched = await owner.get(`/email/accounts/${account}/messages/search`, { query: { q: 'ann2 lett' } })
      assert.deepEqual(
        searched.body.data.map(({ subject }: any) => subject),
        ['Letter 2'],
      )
      await client.logout()
    })

    it('names who is in a group of recipients, and not the group', async () => {
      const tos = ['undisclosed-recipients:;', 'Team: Ida <ida@x.test>, jan@x.test;', 'Team:ida@x.test;, bob@firm.test']
      const { account, client } = await mailbox(
        'groups',
        tos.map((to, n) => letter(n + 1, { to })),
      )
      assert.deepEqual(
        (await at.list(account, 'INBOX')).map(({ to }) => to),
        [
          [],
          [
            { email: 'ida@x.test', name: 'Ida' },
            { email: 'jan@x.test', name: null },
          ],
          [
            { email: 'ida@x.test', name: null },
            { email: 'bob@firm.test', name: null },
          ],
        ],
      )
      await client.logout()
    })

    it('names all of hundreds of recipients, and finds each', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, n) => `P ${n} <p${n}@x.test>`).join(',\r\n ')
      const { account, client } = await mailbox('crowds', [letter(1, { to: many(300) }), letter(2, { to: many(1200) })])
      const counts = (await at.list(account, 'INBOX')).map(({ to }) => to.length)
      assert.deepEqual(counts, [300, 1000])
      const search = async (q: string) =>
        (await owner.get(`/email/accounts/${account}/messages/search`, { query: { q } })).body.meta.total
      assert.deepEqual([await search('p299'), await search('p999'), await search('p1000')], [2, 1, 0])
      await client.logout()
    })

    it('is nobody else’s (EML-02)', async () => {
      const { account, client } = await mailbox('private', [letter(1)])
      const [message] = await at.list(account, 'INBOX')
      const { INBOX } = await at.folders(account)
      const colleague = await at.firm.user([
        'email.view',
        'email.create',
        'email.update',
        'email.delete',
        'email.accounts.manage',
      ])
      for (const path of [
        `/email/accounts/${account}`,
        `/email/folders/${INBOX.uuid}`,
        `/email/folders/${INBOX.uuid}/messages`,
        `/email/messages/${message.uuid}`,
      ])
        assert.equal((await colleague.get(path)).status, 404, path)
      assert.equal((await colleague.put(`/email/messages/${message.uuid}`, { is_read: true })).status, 404)
      assert.equal((await colleague.del(`/email/messages/${message.uuid}`)).status, 404)
      assert.equal((await colleague.post('/email/messages/compose', { account_uuid: account })).status, 422)
      assert.deepEqual((await colleague.get('/email/accounts')).body.data, [])
      await client.logout()
    })

    it('follows its server: new, flagged, moved and deleted messages', async () => {
      const { account, client } = await mailbox('follower', [letter(1), letter(2), letter(3)])
      const label = (await owner.post(`/email/accounts/${account}/labels`, { name: 'Kept' })).body.data
      const [, moved] = await at.list(account, 'INBOX')
      await owner.put(`/email/messages/${moved.uuid}/labels`, { label_uuids: [label.uuid] })
      await client.mailboxCreate('Elsewhere')
      await client.mailboxOpen('INBOX')
      await client.messageFlagsAdd('1', ['\\Seen'])
      await client.messageMove('2', 'Elsewhere')
      await client.messageDelete('2') // the third, by now
      await client.append('INBOX', letter(4))
      const { counts } = await at.sync(account)
      assert.deepEqual(counts, { on_server: 3, here: 3, quarantined: 0 })
      const inbox = await at.list(account, 'INBOX')
      assert.deepEqual(
        inbox.map(({ subject, is_read }) => [subject, is_read]),
        [
          ['Letter 1', true],
          ['Letter 4', false],
        ],
      )
      const [there] = await at.list(account, 'Elsewhere')
      assert.deepEqual([there.uuid, there.labels.map(({ name }: any) => name)], [moved.uuid, ['Kept']])
      await client.logout()
    })

    it('is not doubled by a folder that is made anew', async () => {
      const { account, client } = await mailbox('anew')
      await client.mailboxCreate('Renewed')
      const letters = [letter(1), letter(2), letter(3, { id: null })]
      for (const one of letters) await client.append('Renewed', one)
      await at.sync(account)
      const before = await at.list(account, 'Renewed')
      await client.mailboxDelete('Renewed')
      if (server.countsSeconds) await new Promise((resolve) => setTimeout(resolve, 1100))
      await client.mailboxCreate('Renewed')
      for (const one of [letter(9), ...letters.toReversed()]) await client.append('Renewed', one)
      const { counts } = await at.sync(account)
      assert.deepEqual(counts, { on_server: 4, here: 4, quarantined: 0 })
      const now = await at.list(account, 'Renewed')
      assert.deepEqual(
        now.slice(0, 3).map(({ uuid }) => uuid),
        before.map(({ uuid }) => uuid),
      )
      await client.mailboxDelete('Renewed')
      assert.equal((await at.sync(account)).counts.here, 0)
      assert.ok(!('Renewed' in (await at.folders(account))))
      await client.logout()
    })

    it('is written to: flags and moves, here at once and there by the queue', async () => {
      const { account, client } = await mailbox('writer', [letter(1), letter(2)])
      await client.mailboxCreate('Done')
      await at.sync(account)
      const [first, second] = await at.list(account, 'INBOX')
      const { Done, INBOX } = await at.folders(account)
      const saved = await owner.put(`/email/messages/${first.uuid}`, { is_read: true, is_starred: true, folder_uuid: Done.uuid })
      assert.deepEqual([saved.status, saved.body.data.is_read, saved.body.data.folder_uuid], [200, true, Done.uuid])
      assert.deepEqual(await at.subjects(account, 'INBOX'), ['Letter 2'])
      await at.world.drain()
      assert.deepEqual(
        (await onServer(client, 'Done')).map(({ subject, flags }) => [subject, flags]),
        [['Letter 1', ['\\Flagged', '\\Seen']]],
      )
      assert.deepEqual(
        (await onServer(client, 'INBOX')).map(({ subject }) => subject),
        ['Letter 2'],
      )
      const [done] = await at.list(account, 'Done')
      assert.deepEqual([done.uuid, done.is_read, done.is_starred], [first.uuid, true, true])
      // Moved back before the server was updated: nothing happens there.
      await owner.put(`/email/messages/${second.uuid}`, { folder_uuid: Done.uuid })
      await owner.put(`/email/messages/${second.uuid}`, { folder_uuid: INBOX.uuid })
      assert.deepEqual((await at.sync(account)).counts, { on_server: 2, here: 2, quarantined: 0 })
      await client.logout()
    })

    it('is told what was answered and passed on', async () => {
      const { account, client } = await mailbox('answers', [letter(1), letter(2)])
      const [first, second] = await at.list(account, 'INBOX')
      const of = async (uuid: string) => (await owner.get(`/email/messages/${uuid}`)).body.data
      const send = async (more: object) => {
        const { uuid } = (await owner.post('/email/messages/compose', { account_uuid: account, to: ['ida@x.test'], ...more }))
          .body.data
        await owner.post(`/email/messages/${uuid}/send`)
        await at.world.drain()
      }
      await send({ subject: 'Re', in_reply_to: (await of(first.uuid)).message_id })
      await send({ subject: 'Fwd', forwards: (await of(second.uuid)).message_id })
      await at.sync(account)
      const flags = (await onServer(client, 'INBOX')).map(({ subject, flags }) => [subject, flags])
      assert.deepEqual(flags.sort(), [
        ['Letter 1', ['\\Answered']],
        ['Letter 2', ['$Forwarded']],
      ])
      const [one, other] = [await of(first.uuid), await of(second.uuid)]
      assert.deepEqual([one.is_answered, one.is_forwarded, other.is_answered, other.is_forwarded], [true, false, false, true])
      // By another client.
      await client.mailboxOpen('INBOX')
      await client.messageFlagsAdd('2', ['\\Answered'])
      await at.sync(account)
      assert.equal((await of(second.uuid)).is_answered, true)
      await client.logout()
    })

    it('keeps its drafts on the server: laid there, replaced, found again, and gone when they are sent', async () => {
      const { account, client } = await mailbox('drafts')
      const compose = { account_uuid: account, to: ['ida@x.test'], bcc: ['hidden@x.test'], subject: 'First', body_text: 'one' }
      const { uuid, message_id } = (await owner.post('/email/messages/compose', compose)).body.data
      await at.sync(account)
      const drafts = async () => (await onServer(client, 'Drafts')).map(({ subject, id, flags }) => [subject, id, flags])
      assert.deepEqual(await drafts(), [['First', message_id, ['\\Draft', '\\Seen']]])
      for (const subject of ['Second', 'Third']) await owner.put(`/email/messages/${uuid}`, { subject })
      await at.sync(account)
      assert.deepEqual(await drafts(), [['Third', message_id, ['\\Draft', '\\Seen']]])
      assert.deepEqual(await at.subjects(account, 'Drafts'), ['Third'])
      // State after a worker was killed between appending and recording it.
      await at.world.sql(`UPDATE email_messages SET append_pending = true, uid = NULL, remote_folder_id = NULL WHERE uuid = $1`, [
        uuid,
      ])
      const { counts } = await at.sync(account)
      assert.deepEqual([await drafts().then((all) => all.length), counts.here], [1, 1])
      const shown = (await owner.get(`/email/messages/${uuid}`)).body.data
      assert.deepEqual([shown.status, shown.body_text, shown.bcc[0].email], ['draft', 'one', 'hidden@x.test'])
      await owner.post(`/email/messages/${uuid}/send`)
      await at.world.drain()
      await at.sync(account)
      assert.deepEqual(await drafts(), [])
      assert.deepEqual(
        (await onServer(client, 'Sent')).map(({ subject }) => subject),
        ['Third'],
      )
      assert.equal((await owner.get(`/email/messages/${uuid}`)).body.data.status, 'sent')
      // Another client deletes one.
      const thrown = (await owner.post('/email/messages/compose', { ...compose, subject: 'Thrown away' })).body.data
      await at.sync(account)
      await client.mailboxOpen('Drafts')
      await client.messageDelete('1')
      await at.sync(account)
      assert.equal((await owner.get(`/email/messages/${thrown.uuid}`)).status, 404)
      await client.logout()
    })

    it('sends files: uploaded, and of the firm’s documents', async () => {
      const { account, client } = await mailbox('files')
      const draft = (
        await owner.post('/email/messages/compose', {
          account_uuid: account,
          to: ['ida@x.test'],
          subject: 'Files',
          body_text: 'See below',
        })
      ).body.data
      const path = `/email/messages/${draft.uuid}`
      const upload = (name: string, content: string | Buffer) => ({
        file: new File([new Uint8Array(Buffer.from(content))], name),
      })
      const bytes = Buffer.from(Array.from({ length: 3000 }, (_, n) => n % 256))
      const added = await owner.post(`${path}/attachments`, upload('Größe 1.bin', bytes))
      assert.equal(added.status, 201, JSON.stringify(added.body))
      const document = (await owner.post('/documents', { ...upload('terms.txt', 'The terms.'), title: 'Terms' })).body.data
      assert.equal((await owner.post(`${path}/attachments`, { document_id: document.id })).status, 201)
      const gone = (await owner.post(`${path}/attachments`, upload('wrong.txt', 'Not this one'))).body.data.attachments.at(-1)
      assert.equal((await owner.get(`${path}/attachments/${gone.id}`)).raw.toString(), 'Not this one')
      const removed = (await owner.del(`${path}/attachments/${gone.id}`)).body.data
      assert.deepEqual(
        removed.attachments.map(({ name }: any) => name),
        ['Größe 1.bin', 'terms.txt'],
      )
      for (const [body, field] of [
        [{}, 'file'],
        [{ document_id: 999_999 }, 'document_id'],
        [upload('large.bin', Buffer.alloc(18 * 1024 * 1024)), 'file'],
      ] as const)
        assert.deepEqual(Object.keys((await owner.post(`${path}/attachments`, body)).body.errors ?? {}), [field])
      assert.equal((await owner.del(`${path}/attachments/${gone.id}`)).status, 404)
      // It has its own copy: the document may be deleted.
      await owner.del(`/documents/${document.id}`)
      await owner.post(`${path}/send`)
      await at.world.drain()
      assert.equal((await owner.get(path)).body.data.status, 'sent')
      const { message } = at.smtp.submitted.findLast(({ message }) => message.includes('Subject: Files'))!
      assert.match(message, /terms\.txt/)
      assert.ok(message.replaceAll('\r\n', '').includes(bytes.toString('base64')))
      assert.equal((await owner.post(`${path}/attachments`, upload('late.txt', 'late'))).status, 422)
      await at.sync(account)
      await client.mailboxOpen('Sent')
      assert.equal((await client.fetchAll('1:*', { bodyStructure: true }))[0]!.bodyStructure?.childNodes?.length, 3)
      // Nothing remains of a deleted message.
      await owner.del(path)
      await owner.del(path)
      const { sweepMessageFiles } = await import('../src/workspace/email/compose/stored-files.ts')
      await sweepMessageFiles.handle(at.world.services, { data: {} } as never, {} as never)
      assert.deepEqual(
        await at.world.sql(
          'SELECT 1 FROM email_message_files WHERE account_id = (SELECT id FROM email_accounts WHERE uuid = $1)',
          [account],
        ),
        [],
      )
      await client.logout()
    })

    it('tells the types of text files by their names, where their bytes are text', async () => {
      const { account, client } = await mailbox('text-files')
      const draft = { account_uuid: account, to: ['ida@x.test'], subject: 'Texts', body_text: 'See below' }
      const path = `/email/messages/${(await owner.post('/email/messages/compose', draft)).body.data.uuid}`
      const files: [name: string, content: Buffer, mime: string][] = [
        ['Größen.CSV', Buffer.from('name;größe\nTisch;4\n'), 'text/csv'],
        ['excel.csv', Buffer.from('name;gr\xf6\xdfe\r\n', 'latin1'), 'text/csv'],
        ['notes.txt', Buffer.from('Zoë\tand others\n'), 'text/plain'],
        ['bytes.txt', Buffer.from([1, 2, 3, 255]), 'application/octet-stream'],
        ['wide.csv', Buffer.from('a;b', 'utf16le'), 'application/octet-stream'],
        ['drawing.svgz', Buffer.from('text'), 'application/octet-stream'],
        ['really.csv', Buffer.from('%PDF-1.7 inside'), 'application/pdf'],
      ]
      for (const [name, content, mime] of files) {
        const { body } = await owner.post(`${path}/attachments`, { file: new File([new Uint8Array(content)], name) })
        assert.deepEqual([body.data.attachments.at(-1).name, body.data.attachments.at(-1).mime], [name, mime])
      }
      await owner.post(`${path}/send`)
      await at.world.drain()
      const { message } = at.smtp.submitted.findLast(({ message }) => message.includes('Subject: Texts'))!
      assert.match(message, /^Content-Type: text\/csv; name=excel\.csv\r\nContent-Transfer-Encoding: base64/m)
      assert.ok(message.includes(files[1]![1].toString('base64')))
      await client.logout()
    })

    it('is not confused by who else moves a message meanwhile', async () => {
      const { account, client } = await mailbox('both', [letter(1), letter(2)])
      await client.mailboxCreate('Mine')
      await client.mailboxCreate('Theirs')
      await at.sync(account)
      const [first, second] = await at.list(account, 'INBOX')
      const { Mine } = await at.folders(account)
      for (const { uuid } of [first, second]) await owner.put(`/email/messages/${uuid}`, { folder_uuid: Mine.uuid })
      await client.mailboxOpen('INBOX')
      await client.messageMove('1', 'Theirs')
      await client.messageDelete('1')
      await at.world.drain()
      assert.deepEqual((await at.sync(account)).counts, { on_server: 1, here: 1, quarantined: 0 })
      assert.equal((await owner.get(`/email/messages/${second.uuid}`)).status, 404)
      const where = (await owner.get(`/email/messages/${first.uuid}`)).body.data.folder_uuid
      assert.ok([Mine.uuid, (await at.folders(account)).Theirs.uuid].includes(where))
      await client.logout()
    })

    it('deletes for good what was just moved into the Trash, whether or not the server has told where it lies', async () => {
      const { account, client } = await mailbox('twice', [letter(1), letter(2)])
      const [one, other] = await at.list(account, 'INBOX')
      for (const permanent of [false, true])
        assert.deepEqual((await owner.del(`/email/messages/${one.uuid}`)).body.data, { permanent })
      for (const left of [['Letter 2'], []]) {
        const { body } = await owner.post('/email/messages/bulk', { action: 'delete', message_uuids: [other.uuid] })
        assert.deepEqual(body.data, { processed: 1, failed: [] })
        assert.deepEqual(
          (await onServer(client, 'Trash')).map(({ subject }) => subject),
          left,
        )
      }
      await at.sync(account)
      assert.deepEqual(await at.subjects(account, 'Trash'), [])
      await client.logout()
    })

    it('deletes into the Trash, and from there for good (EML-26)', async () => {
      const { account, client } = await mailbox('deleter', [letter(1), letter(2), letter(3)])
      const [first, second, third] = await at.list(account, 'INBOX')
      const trashed = await owner.del(`/email/messages/${first.uuid}`)
      assert.deepEqual([trashed.status, trashed.body.data], [200, { permanent: false }])
      assert.deepEqual(
        (await onServer(client, 'Trash')).map(({ subject }) => subject),
        ['Letter 1'],
      )
      await at.sync(account)
      assert.deepEqual(await at.subjects(account, 'Trash'), ['Letter 1'])
      assert.deepEqual((await owner.del(`/email/messages/${first.uuid}`)).body.data, { permanent: true })
      assert.deepEqual([await onServer(client, 'Trash'), (await owner.get(`/email/messages/${first.uuid}`)).status], [[], 404])
      await client.mailboxOpen('INBOX')
      await client.messageDelete('1') // the second, by another client
      assert.deepEqual((await owner.del(`/email/messages/${second.uuid}`)).body.data, { permanent: true })
      await owner.put(`/email/accounts/${account}`, { imap_password: 'wrong' })
      const failed = await owner.del(`/email/messages/${third.uuid}`)
      assert.deepEqual([failed.status, failed.body.code], [502, 'MAIL_SERVER_UNAVAILABLE'])
      assert.deepEqual(await at.subjects(account, 'INBOX'), ['Letter 3'])
      const kept = await owner.get(`/email/messages/${third.uuid}`)
      assert.deepEqual([kept.status, kept.body.data.subject, kept.body.data.body_html], [200, 'Letter 3', null])
      await at.world.drain()
      assert.match((await owner.get(`/email/accounts/${account}`)).body.data.last_error, /refuses the user name or the password/)
      await client.logout()
    })

    it('changes many at once, each by itself (EML-21, EML-24)', async () => {
      const { account, client } = await mailbox(
        'many',
        [1, 2, 3, 4].map((n) => letter(n)),
      )
      const all = (await at.list(account, 'INBOX')).map(({ uuid }) => uuid)
      const nobody = '00000000-0000-4000-8000-000000000000'
      const bulk = (body: object) => owner.post('/email/messages/bulk', body)
      const read = await bulk({ message_uuids: [...all, nobody], action: 'flags', is_read: true })
      assert.deepEqual(
        [read.status, read.body.data.processed, read.body.data.failed.map(({ uuid }: any) => uuid)],
        [200, 4, [nobody]],
      )
      const none = await bulk({ message_uuids: [nobody], action: 'delete' })
      assert.deepEqual([none.status, Object.keys(none.body.errors!), none.body.data.processed], [422, ['message_uuids'], 0])
      const label = (await owner.post(`/email/accounts/${account}/labels`, { name: 'Many' })).body.data.uuid
      assert.equal((await bulk({ message_uuids: all, action: 'labels', label_uuids: [label], label_mode: 'add' })).status, 200)
      assert.equal((await owner.get(`/email/labels/${label}/messages`)).body.meta.total, 4)
      await bulk({ message_uuids: all.slice(1), action: 'labels', label_uuids: [label], label_mode: 'remove' })
      assert.equal((await owner.get(`/email/labels/${label}/messages`)).body.meta.total, 1)
      const { Archive } = await at.folders(account)
      assert.equal(
        (await bulk({ message_uuids: all.slice(0, 2), action: 'move', folder_uuid: Archive.uuid })).body.data.processed,
        2,
      )
      await at.world.drain()
      assert.equal((await onServer(client, 'Archive')).length, 2)
      assert.equal((await bulk({ message_uuids: all.slice(2), action: 'delete' })).body.data.processed, 2)
      assert.equal((await onServer(client, 'Trash')).length, 2)
      for (const [field, body] of Object.entries({
        folder_uuid: { action: 'move' },
        is_read: { action: 'flags' },
        label_mode: { action: 'labels', label_uuids: [] },
        message_uuids: { action: 'flags', is_read: true, message_uuids: Array(26).fill(nobody) },
      }))
        assert.deepEqual(Object.keys((await bulk({ message_uuids: all, ...body })).body.errors!), [field])
      await client.logout()
    })

    it('groups threads by what messages refer to, in whatever order they come', async () => {
      const answers = (n: number, head: string) => letter(n, { head: `${head}\r\nContent-Type: text/plain` })
      const { account, client } = await mailbox('threads', [
        answers(4, 'In-Reply-To: <letter-3@sender.test>'),
        letter(1),
        answers(3, 'In-Reply-To: <letter-2@sender.test>'),
        answers(2, 'References: <letter-1@sender.test>\r\nIn-Reply-To: <unknown@sender.test>'),
        letter(5),
      ])
      const keys = (await at.list(account, 'INBOX')).map(({ thread_key }) => thread_key)
      assert.deepEqual(keys, [...Array(4).fill('<letter-1@sender.test>'), '<letter-5@sender.test>'])
      await client.logout()
    })

    it('sends what was written, lays it into Sent, and shows it once', async () => {
      const { account, client } = await mailbox('sender', [letter(1)])
      const draft = await owner.post('/email/messages/compose', {
        account_uuid: account,
        to: ['Ann <ann@sender.test>', { email: 'carl@sender.test' }],
        bcc: ['hidden@sender.test'],
        subject: 'Re: Letter 1',
        body_html: '<p>Dear <b>Ann</b><script>x</script> <img src="https://track.test/p.png"></p>',
        in_reply_to: '<letter-1@sender.test>',
      })
      assert.equal(draft.status, 201, String(draft.raw))
      const { uuid, thread_key, status } = draft.body.data
      assert.deepEqual([status, thread_key], ['draft', '<letter-1@sender.test>'])
      assert.deepEqual(await at.subjects(account, 'Drafts'), ['Re: Letter 1'])
      assert.equal((await owner.post(`/email/messages/${uuid}/send`)).body.data.status, 'queued')
      const again = await owner.post(`/email/messages/${uuid}/send`)
      assert.deepEqual([again.status, Object.keys(again.body.errors!)], [422, ['status']])
      await at.world.drain()
      const sent = at.smtp.submitted.filter(({ from }) => from === 'sender@firm.test')
      assert.equal(sent.length, 1)
      const { to, message } = sent[0]!
      assert.deepEqual(to, ['ann@sender.test', 'carl@sender.test', 'hidden@sender.test'])
      assert.match(message, /^In-Reply-To: <letter-1@sender.test>\r$/m)
      assert.match(message, /^References: <letter-1@sender.test>\r$/m)
      assert.match(message, /<img src="https:\/\/track.test\/p.png"/)
      assert.doesNotMatch(message, /hidden|<script/)
      for (let n = 0; n < 2; n++) {
        await at.sync(account)
        assert.deepEqual(await at.subjects(account, 'Sent'), ['Re: Letter 1'])
        assert.deepEqual(
          (await onServer(client, 'Sent')).map(({ flags }) => flags),
          [['\\Seen']],
        )
      }
      const shown = (await owner.get(`/email/messages/${uuid}`)).body.data
      assert.deepEqual([shown.status, shown.bcc[0].email], ['sent', 'hidden@sender.test'])
      await client.logout()
    })

    it('sends to oneself: what arrives is not what was sent', async () => {
      const { account, client } = await mailbox('self')
      const compose = { account_uuid: account, to: ['self@firm.test'], subject: 'Note', body_text: 'to myself' }
      const { uuid, message_id } = (await owner.post('/email/messages/compose', compose)).body.data
      await owner.post(`/email/messages/${uuid}/send`)
      at.smtp.behaviour.beforeAnswer = async () => {
        await client.append('INBOX', letter(1, { id: message_id }))
      }
      await at.world.drain()
      at.smtp.behaviour.beforeAnswer = async () => {}
      await at.sync(account)
      assert.deepEqual([await at.subjects(account, 'INBOX'), await at.subjects(account, 'Sent')], [['Letter 1'], ['Note']])
      assert.equal((await onServer(client, 'Sent')).length, 1)
      await client.logout()
    })

    it('sends what lies among the drafts once more: it is in Sent once, and in no quarantine', async () => {
      const { account, client } = await mailbox('copied')
      const compose = { account_uuid: account, to: ['ida@x.test'], subject: 'Copied', body_text: 'once' }
      const { uuid, message_id } = (await owner.post('/email/messages/compose', compose)).body.data
      await at.sync(account)
      // As appended by a worker while it was being sent.
      await client.append('Drafts', letter(1, { id: message_id }), ['\\Draft'])
      await at.sync(account)
      await owner.post(`/email/messages/${uuid}/send`)
      await at.world.drain()
      const { counts, quarantine } = await at.sync(account)
      assert.deepEqual([counts, quarantine], [{ on_server: 1, here: 1, quarantined: 0 }, []])
      assert.deepEqual(
        (await at.list(account, 'Sent')).map((sent) => [sent.uuid, sent.subject]),
        [[uuid, 'Copied']],
      )
      // As quarantined by an earlier version.
      await at.world.sql(
        `INSERT INTO email_quarantine (tenant_id, folder_id, uid, reason, created_at)
         SELECT tenant_id, remote_folder_id, uid, 'It could not be stored (23505).', now() FROM email_messages WHERE uuid = $1`,
        [uuid],
      )
      const after = await at.sync(account)
      assert.deepEqual([after.counts, after.quarantine], [{ on_server: 1, here: 1, quarantined: 0 }, []])
      await client.logout()
    })

    it('sends nothing twice after a worker was killed, and says so', async () => {
      const { account, client } = await mailbox('killed')
      const compose = async (subject: string) =>
        (
          await owner.post('/email/messages/compose', {
            account_uuid: account,
            to: ['ann@sender.test'],
            subject,
            body_text: BODY_SECRET,
          })
        ).body.data.uuid
      const count = (subject: string) => at.smtp.submitted.filter(({ message }) => message.includes(subject)).length
      const [lost, appended, refused] = [await compose('Lost'), await compose('Appended'), await compose('Refused')]
      // Killed during submission: its job is retried.
      await owner.post(`/email/messages/${lost}/send`)
      await at.world.sql(`UPDATE email_messages SET status = 'sending' WHERE uuid = $1`, [lost])
      await at.world.drain()
      const shown = (await owner.get(`/email/messages/${lost}`)).body.data
      assert.deepEqual([shown.status, count('Lost')], ['failed', 0])
      assert.match(shown.error, /may have been sent/)
      await owner.post(`/email/messages/${lost}/send`) // by its author's choice
      await at.world.drain()
      assert.equal(count('Lost'), 1)
      // Killed after the APPEND: the message is found there.
      await owner.post(`/email/messages/${appended}/send`)
      await at.world.drain()
      await at.world.sql(`UPDATE email_messages SET append_pending = true, remote_folder_id = NULL, uid = NULL WHERE uuid = $1`, [
        appended,
      ])
      await at.sync(account)
      assert.deepEqual((await onServer(client, 'Sent')).map(({ subject }) => subject).sort(), ['Appended', 'Lost'])
      assert.deepEqual((await at.subjects(account, 'Sent')).sort(), ['Appended', 'Lost'])
      // Rejected permanently.
      at.smtp.behaviour.refuses = 550
      await owner.post(`/email/messages/${refused}/send`)
      await at.world.drain()
      at.smtp.behaviour.refuses = undefined
      assert.deepEqual([(await owner.get(`/email/messages/${refused}`)).body.data.status, count('Refused')], ['failed', 0])
      await client.logout()
    })

    it('shows nasty messages', async () => {
      const big = Buffer.alloc(attachment, 'atrium')
      const nasty: Record<string, string | Buffer> = {
        nested: letter(1, {
          head: 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a',
          body: [
            '--a\r\nContent-Type: multipart/related; boundary=b\r\n',
            '--b\r\nContent-Type: multipart/alternative; boundary=c\r\n',
            '--c\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nplain ünd text',
            '--c\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p onclick="x()">rich <img src="cid:logo"><img src="https://track.test/1.gif"></p><script>alert(1)</script>\r\n--c--',
            '--b\r\nContent-Type: image/png\r\nContent-ID: <logo>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--',
            '--a\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner text',
            '--a\r\nContent-Type: application/ms-tnef; name="winmail.dat"\r\nContent-Disposition: attachment; filename="winmail.dat"\r\nContent-Transfer-Encoding: base64\r\n\r\neJ8+Ig==\r\n--a--\r\n',
          ].join('\r\n'),
        }),
        charset: Buffer.concat([
          Buffer.from(
            letter(2, { head: 'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit', body: 'Gr' }),
          ),
          Buffer.from([0xfc, 0xdf, 0x65]),
        ]),
        wrong: letter(3, { head: 'Content-Type: text/plain; charset="no-such-charset"', body: 'still read' }),
        liar: Buffer.concat([
          Buffer.from(
            letter(4, { head: 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit', body: 'caf' }),
          ),
          Buffer.from([0xe9]),
        ]),
        anonymous: letter(5, { id: null }),
        broken:
          'From: =?utf-8?Q?broken\r\nSubject: =?x-unknown?B?////?= \x01 end\r\nDate: the day before yesterday\r\nContent-Type: multipart/mixed; boundary\r\nContent-Type: text/plain; charset\r\n\r\nbody',
        empty: 'X: y\r\n\r\n',
        endless: letter(8, {
          head: `References: ${Array.from({ length: 300 }, (_, n) => `<${n}@x.test>`).join('\r\n ')}\r\nTo: ${Array.from({ length: 500 }, (_, n) => `p${n}@x.test`).join(',\r\n ')}`,
          body: 'x'.repeat(100_000),
        }),
        big: letter(9, {
          head: 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a',
          body: `--a\r\nContent-Type: text/plain\r\n\r\nsee attached\r\n--a\r\nContent-Type: application/pdf; name="big.pdf"\r\nContent-Disposition: attachment; filename*=UTF-8''gro%C3%9F.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${big.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n--a--\r\n`,
        }),
      }
      const { account, client } = await mailbox('nasty', Object.values(nasty))
      const { counts } = (await owner.get(`/email/accounts/${account}`)).body.data
      assert.equal(counts.here + counts.quarantined, Object.keys(nasty).length)
      const all = await at.list(account, 'INBOX')
      const shown = async (subject: string) => {
        const { uuid } = all.find((one) => one.subject === subject)
        const { status, body, raw } = await owner.get(`/email/messages/${uuid}`)
        assert.equal(status, 200, String(raw))
        return body.data
      }
      const nested = await shown('Letter 1')
      assert.equal(nested.body_text, 'plain ünd text')
      assert.match(nested.body_html, /rich <img src="cid:logo" \/><img data-remote-src="https:\/\/track.test\/1.gif" \/>/)
      assert.doesNotMatch(nested.body_html, /script|onclick/)
      assert.deepEqual(
        nested.attachments.map(({ name, mime }: any) => [name, mime]),
        [
          ['attachment-1', 'image/png'],
          ['message-2.eml', 'message/rfc822'],
          ['winmail.dat', 'application/ms-tnef'],
        ],
      )
      const images = await owner.get(`/email/messages/${nested.uuid}`, { query: { remote_images: 'true' } })
      assert.match(images.body.data.body_html, /<img src="https:\/\/track.test\/1.gif" \/>/)
      assert.equal((await shown('Letter 2')).body_text, 'Gr\r\nüße'.replace('\r\n', '\n'))
      assert.equal((await shown('Letter 3')).body_text, 'still read')
      assert.equal((await shown('Letter 4')).body_text, 'caf\né')
      for (const { uuid } of all) assert.equal((await owner.get(`/email/messages/${uuid}`)).status, 200)
      const { uuid, attachments } = await shown('Letter 9')
      assert.deepEqual(
        attachments.map(({ name }: any) => name),
        ['groß.pdf'],
      )
      assert.ok(Math.abs(attachments[0].size_bytes - big.length) < 2000)
      const download = await owner.get(`/email/messages/${uuid}/attachments/${attachments[0].id}`)
      assert.deepEqual([download.status, digest(download.raw)], [200, digest(big)])
      assert.match(String(download.headers['content-disposition']), /gro%C3%9F\.pdf/)
      assert.equal((await owner.get(`/email/messages/${uuid}/attachments/77`)).status, 404)
      await client.logout()
    })

    it('reads headers with raw bytes by the charset of the text, or as windows-1252', async () => {
      const raw = (charset: string, subject: Buffer, name: Buffer, file = Buffer.from('a.txt')) =>
        Buffer.concat([
          ...[Buffer.from('From: '), name, Buffer.from(' <ann@sender.test>\r\nTo: bob@firm.test\r\nSubject: '), subject],
          Buffer.from('\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n'),
          ...[Buffer.from(`Content-Type: text/plain${charset}\r\n\r\n`), subject],
          ...[Buffer.from('\r\n--a\r\nContent-Type: application/pdf; name="'), file, Buffer.from('"\r\n\r\nx\r\n--a--\r\n')],
        ])
      const latin = (text: string) => Buffer.from(text, 'latin1')
      const { account, client } = await mailbox('raw-bytes', [
        raw('; charset=iso-8859-1', latin('Grüße aus "Köln"'), latin('Jürgen Groß'), latin('Größe.pdf')),
        raw('; charset=iso-8859-2', Buffer.from([0xa3, 0xf3, 0x64, 0xbc]), latin('Jan')), // Łódź
        raw('; charset=utf-8', latin('Grüße'), latin('Zoë')),
        raw('', latin('Grüße'), latin('Zoë')),
        raw('; charset=utf-8', Buffer.from('Grüße in UTF-8'), Buffer.from('Zoë')),
        // The server writes a backslash before the quote; in GBK that byte is half of a character.
        raw('; charset=gbk', Buffer.concat([Buffer.from([0x81, 0x22]), Buffer.from('") UID 99 ENVELOPE ("')]), latin('Eve')),
      ])
      const all = await at.list(account, 'INBOX')
      const read = all.map(({ subject, from, attachments }) => [subject, from.name, attachments[0].name])
      assert.deepEqual(read.sort(), [
        ['"") UID 99 ENVELOPE ("', 'Eve', 'a.txt'],
        ['Grüße aus "Köln"', 'Jürgen Groß', 'Größe.pdf'],
        ['Grüße in UTF-8', 'Zoë', 'a.txt'],
        ['Grüße', 'Zoë', 'a.txt'],
        ['Grüße', 'Zoë', 'a.txt'],
        ['Łódź', 'Jan', 'a.txt'],
      ])
      const { uuid } = all.find(({ from }) => from.name === 'Jan')
      assert.equal((await owner.get(`/email/messages/${uuid}`)).body.data.body_text, 'Łódź')
      await client.logout()
    })

    it('names an invitation without a name by its type', async () => {
      const invitation = letter(1, {
        head: 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a',
        body: '--a\r\nContent-Type: text/plain\r\n\r\nCome\r\n--a\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\n--a--\r\n',
      })
      const { account, client } = await mailbox('invited', [invitation])
      const [{ attachments }] = await at.list(account, 'INBOX')
      assert.partialDeepStrictEqual(attachments, [{ name: 'attachment-1.ics', mime: 'text/calendar' }])
      await client.logout()
    })

    it('unpacks winmail.dat', async () => {
      const wrapped = (n: number, content: Buffer, text?: string) => {
        const file = `--a\r\nContent-Type: application/ms-tnef; name="winmail.dat"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(content)}\r\n--a--\r\n`
        return letter(n, {
          head: 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a',
          body: text ? `--a\r\nContent-Type: text/plain\r\n\r\n${text}\r\n${file}` : file,
        })
      }
      const files = [
        { name: 'plan für später.pdf', mime: 'application/pdf', content: Buffer.from('%PDF-1.7 inside') },
        { name: 'data.bin', content: Buffer.alloc(200_000, 'tnef') },
      ]
      const alone = letter(4, {
        head: 'MIME-Version: 1.0\r\nContent-Type: application/ms-tnef\r\nContent-Transfer-Encoding: base64',
        body: base64(tnefOf({ files, rtf: "{\\rtf1\\ansi\\ansicpg1252 from\\par r\\'fcch}" })),
      })
      const { account, client } = await mailbox('outlook', [
        wrapped(1, tnefOf({ files, html: '<p onclick="x()">rich</p>' })),
        wrapped(2, tnefOf({ files, html: '<p>other</p>' }), 'its own text'),
        wrapped(3, tnefOf({ files }).subarray(0, 300)),
        alone,
      ])
      const shown = []
      for (const { uuid } of await at.list(account, 'INBOX')) shown.push((await owner.get(`/email/messages/${uuid}`)).body.data)
      const names = shown.map(({ attachments }) => attachments.map(({ name }: any) => name))
      const inside = files.map(({ name }) => name)
      assert.deepEqual(names, [inside, inside, ['winmail.dat'], inside])
      assert.deepEqual(
        shown.map(({ body_html, body_text }) => [body_html, body_text]),
        [
          ['<p>rich</p>', 'rich'],
          ['', 'its own text'],
          ['', ''],
          ['', 'from\nrüch'],
        ],
      )
      for (const { uuid, attachments } of [shown[0], shown[3]])
        for (const [n, { id, mime, size_bytes }] of attachments.entries()) {
          const { content, mime: type = 'application/octet-stream' } = files[n]!
          const { status, raw } = await owner.get(`/email/messages/${uuid}/attachments/${id}`)
          assert.deepEqual([status, digest(raw), mime, size_bytes], [200, digest(content), type, content.length])
        }
      assert.equal((await owner.get(`/email/messages/${shown[0].uuid}/attachments/1~2`)).status, 404)
      assert.equal((await owner.get(`/email/messages/${shown[2].uuid}/attachments/1~0`)).status, 404)
      // Moved by another client, it retains its attachments.
      await client.mailboxOpen('INBOX')
      await client.messageMove('1', 'Archive')
      await at.sync(account)
      assert.deepEqual(
        (await at.list(account, 'Archive'))[0].attachments.map(({ name }: any) => name),
        inside,
      )
      await client.logout()
    })

    it('is synchronised by one worker at a time', async () => {
      const client = await clientOf(server.port, 'crowded')
      for (let n = 0; n < 20; n++) await client.append('INBOX', letter(n))
      const account = await at.connect(owner, 'crowded')
      const { synchronise } = await import('../src/workspace/email/sync/jobs.ts')
      const { stepsIn } = await import('#kernel/jobs/workspace-job.ts')
      const { systemSession } = await import('#kernel/tenancy/session.ts')
      const [{ id }] = await at.world.sql('SELECT id FROM email_accounts WHERE uuid = $1', [account])
      const session = await systemSession(at.world.services, at.firm.id)
      const run = () => synchronise(stepsIn(at.world.services, session), Number(id), 'slow', new AbortController().signal)
      await Promise.all(Array.from({ length: 5 }, run))
      const { counts, is_syncing } = (await owner.get(`/email/accounts/${account}`)).body.data
      assert.deepEqual([counts, is_syncing], [{ on_server: 20, here: 20, quarantined: 0 }, false])
      await at.world.drain()
      await client.logout()
    })

    it('purges what is stored of it when it is disconnected (EML-09)', async () => {
      const { account, client } = await mailbox('leaver', [letter(1), letter(2)])
      await owner.post('/email/messages/compose', { account_uuid: account, subject: 'Draft' })
      const [{ id }] = await at.world.sql('SELECT id FROM email_accounts WHERE uuid = $1', [account])
      const left = async () => [
        (await at.world.sql('SELECT FROM email_accounts WHERE uuid = $1', [account])).length,
        (await at.world.sql('SELECT FROM email_messages WHERE account_id = $1', [id])).length,
      ]
      assert.deepEqual(await left(), [1, 3])
      assert.equal((await owner.del(`/email/accounts/${account}`)).status, 200)
      assert.equal((await owner.get(`/email/accounts/${account}`)).status, 404)
      await at.world.drain()
      assert.deepEqual(await left(), [0, 0])
      assert.equal((await onServer(client, 'INBOX')).length, 2)
      await client.logout()
    })

    it('logs no password and nothing of a message', async () => {
      const said = at.lines.join('\n')
      assert.ok(said.length > 1000)
      for (const secret of [PASSWORD, BODY_SECRET, Buffer.from(PASSWORD).toString('base64').slice(2, -2), 'Letter 1'])
        assert.ok(!said.includes(secret), secret)
    })
  })
  return at
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/.{76}/g, '$&\r\n')
