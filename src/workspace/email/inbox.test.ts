/**
 * Requests of an inbox: all mailboxes in one reply, folders from a message onwards, conversations, messages as pages, and events
 * of changes.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Person } from '#test/harness.ts'
import { startImap } from '#test/imap.ts'
import { clientOf, letter, mailboxWorld } from '#test/mailboxes.ts'

const server = await startImap()
after(() => server.stop())
const at = await mailboxWorld(server.port)
const { owner } = at.firm
const LETTERS = 7
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
let account: string
let inbox: any
let colleague: Person

const framed = (uuid: string, query: Record<string, string> = {}) => owner.get(`/email/messages/${uuid}/page`, { query })
const newest = async (query: Record<string, string> = {}) =>
  (await owner.get(`/email/folders/${inbox.uuid}/messages`, { query })).body as any

before(async () => {
  const client = await clientOf(server.port, 'reader')
  for (let n = 1; n <= LETTERS; n++) {
    const answers = n > 1 && n < 4 ? `In-Reply-To: <letter-${n - 1}@sender.test>\r\n` : ''
    await client.append('INBOX', letter(n, { head: `${answers}MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8` }))
  }
  const html = `<p onclick="x()">Dear all</p><img src="cid:logo@sender.test"><img src="cid:none"><img src="https://track.test/1.gif"><script>x()</script>`
  await client.append(
    'INBOX',
    letter(8, {
      head: 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=a',
      body: `--a\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n--a\r\nContent-Type: image/png; name=logo.png\r\nContent-ID: <logo@sender.test>\r\nContent-Disposition: inline\r\nContent-Transfer-Encoding: base64\r\n\r\n${PNG}\r\n--a--\r\n`,
    }),
  )
  await client.logout()
  account = await at.connect(owner, 'reader')
  await at.sync(account)
  inbox = (await at.folders(account)).INBOX
  colleague = await at.firm.user(['email.view', 'email.accounts.manage'])
})

describe('an inbox', () => {
  it('has its mailboxes, folders and labels at once, the caller’s alone', async () => {
    const label = (await owner.post(`/email/accounts/${account}/labels`, { name: 'Urgent', color: '#aa0000' })).body.data
    const { mailboxes } = (await owner.get('/email/mailboxes')).body.data
    assert.equal(mailboxes.length, 1)
    const [{ folders, labels, ...mailbox }] = mailboxes
    assert.partialDeepStrictEqual(mailbox, {
      uuid: account,
      email_address: 'reader@firm.test',
      is_default: true,
      last_error: null,
    })
    assert.deepEqual(labels, [{ uuid: label.uuid, name: 'Urgent', color: '#aa0000' }])
    const shown = folders.find(({ type }: any) => type === 'inbox')
    assert.partialDeepStrictEqual(shown, { uuid: inbox.uuid, is_on_server: true, unread_count: 8, total_count: 8 })
    assert.deepEqual((await colleague.get('/email/mailboxes')).body.data, { mailboxes: [] })
  })

  it('is read on from a message, whatever came before it', async () => {
    const first = await newest({ per_page: '3' })
    const subjects = (page: any) => page.data.map(({ subject }: any) => subject)
    assert.deepEqual([subjects(first), first.meta.total], [['Letter 8', 'Letter 7', 'Letter 6'], 8])
    const before = first.data.at(-1).uuid
    const second = await newest({ per_page: '3', before })
    assert.deepEqual([subjects(second), second.meta.total], [['Letter 5', 'Letter 4', 'Letter 3'], 8])
    assert.deepEqual(subjects(await newest({ per_page: '3', before: second.data.at(-1).uuid })), ['Letter 2', 'Letter 1'])
    const unread = await newest({ per_page: '3', before, is_read: 'false' })
    assert.deepEqual([subjects(unread), unread.meta.total], [['Letter 5', 'Letter 4', 'Letter 3'], 8])
    const read = await newest({ is_read: 'true' })
    assert.deepEqual([read.data, read.meta.total], [[], 0])
    const found = await owner.get(`/email/accounts/${account}/messages/search`, { query: { q: 'letter', before, per_page: 2 } })
    assert.deepEqual(subjects(found.body), ['Letter 5', 'Letter 4'])
  })

  it('refuses a place in another order, and knows nothing of strangers’ messages', async () => {
    const [{ uuid }] = (await newest()).data
    const of = (query: Record<string, string>) => owner.get(`/email/folders/${inbox.uuid}/messages`, { query })
    for (const query of [{ sort: 'subject' }, { direction: 'asc' }] as Record<string, string>[]) {
      const { status, body } = await of({ before: uuid, ...query })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['before']], JSON.stringify(query))
    }
    assert.deepEqual(Object.keys((await of({ before: 'first' })).body.errors!), ['before'])
    const theirs = await at.connect(colleague, 'reader')
    await at.sync(theirs, colleague)
    const folder = (await at.folders(theirs, colleague)).INBOX
    const seen = await colleague.get(`/email/folders/${folder.uuid}/messages`, { query: { before: uuid } })
    assert.deepEqual(seen.body.data, [])
  })

  it('has a message’s conversation', async () => {
    const { data } = await newest()
    const uuidOf = (subject: string) => data.find((one: any) => one.subject === subject).uuid
    const beside = async (subject: string) =>
      (await owner.get(`/email/messages/${uuidOf(subject)}/thread`)).body.data.map((one: any) => one.subject)
    assert.deepEqual(await beside('Letter 2'), ['Letter 3', 'Letter 2', 'Letter 1'])
    assert.deepEqual(await beside('Letter 7'), ['Letter 7'])
    assert.equal((await colleague.get(`/email/messages/${uuidOf('Letter 2')}/thread`)).status, 404)
  })

  it('is told what changed, its user alone', async () => {
    const end = async (person: Person) => (await person.get('/events', { query: { after: 999_999_999 } })).body.meta as any
    const [mine, theirs] = [(await end(owner)).next_after, (await end(colleague)).next_after]
    const told = async (person: Person, after: number) =>
      (await person.get('/events', { query: { after } })).body.data
        .filter(({ type }: any) => type.startsWith('email_account.'))
        .map(({ type, subject, data }: any) => [type, subject.label, data])
    await at.sync(account)
    assert.deepEqual(await told(owner, mine), [], 'nothing had changed')
    const client = await clientOf(server.port, 'reader')
    await client.append('INBOX', letter(9))
    await client.logout()
    await at.sync(account)
    assert.deepEqual(await told(owner, mine), [['email_account.changed', 'reader@firm.test', {}]])
    assert.deepEqual(await told(colleague, theirs), [])
    await at.world.drain()
  })
})

describe('a message as a page', () => {
  let uuid: string
  before(async () => {
    uuid = (await newest()).data.find(({ subject }: any) => subject === 'Letter 8').uuid
  })

  it('runs nothing, and brings its own pictures with it', async () => {
    const { status, headers, raw } = await framed(uuid)
    const page = String(raw)
    assert.equal(status, 200)
    assert.match(page, /<p>Dear all<\/p>/)
    assert.ok(page.includes(`src="data:image/png;base64,${PNG}"`), page)
    assert.match(page, /src="cid:none"/)
    assert.match(page, /data-remote-src="https:\/\/track\.test\/1\.gif"/)
    assert.doesNotMatch(page, /script|onclick/)
    const policy = String(headers['content-security-policy']).split('; ')
    for (const part of [`default-src 'none'`, 'img-src data:', `frame-ancestors 'self'`, `form-action 'none'`])
      assert.ok(policy.includes(part), part)
    assert.ok(policy.some((part) => part.startsWith('sandbox') && !/scripts|same-origin|forms|top/.test(part)))
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN')
  })

  it('loads what lies elsewhere only where it is asked for', async () => {
    const { headers, raw } = await framed(uuid, { remote_images: 'true' })
    assert.match(String(raw), /<img src="https:\/\/track\.test\/1\.gif" \/>/)
    assert.ok(String(headers['content-security-policy']).includes('img-src data: http: https:;'))
  })

  it('shows plain text as it is', async () => {
    const { account_uuid } = (await newest()).data[0]
    const draft = await owner.post('/email/messages/compose', { account_uuid, subject: 'x', body_text: 'a < b\n<img src=x>' })
    const { raw } = await framed(draft.body.data.uuid)
    assert.ok(String(raw).includes('<pre>a &lt; b\n&lt;img src=x&gt;</pre>'))
  })

  it('is nobody else’s', async () => {
    assert.equal((await colleague.get(`/email/messages/${uuid}/page`)).status, 404)
    const other = await at.world.workspace({ modules: ['email'] })
    assert.equal((await other.owner.get(`/email/messages/${uuid}/page`)).status, 404)
    const without = await at.firm.user([])
    assert.equal((await without.get(`/email/messages/${uuid}/page`)).status, 403)
  })
})
