/** Mails in many charsets, as listed, searched and opened; and dates that don't exist. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { charsetMails, SAMPLES } from '#test/charset-mails.ts'
import { startImap } from '#test/imap.ts'
import { clientOf, mailboxWorld } from '#test/mailboxes.ts'
import { readText } from './messages/charsets.ts'

const server = await startImap()
after(() => server.stop())
const at = await mailboxWorld(server.port)
const { owner } = at.firm
const CASES = join(import.meta.dirname, '../../../test/fixtures/cases')

interface Listed {
  uuid: string
  subject: string
  snippet: string
  date: string
  from: { name: string | null }
}

describe('a mail in any charset', () => {
  const { inBody, inHeaders } = charsetMails()
  const listed = new Map<string, Listed>()
  let account: string

  before(async () => {
    const client = await clientOf(server.port, 'reader')
    for (const { content } of [...inBody, ...inHeaders]) await client.append('INBOX', content)
    await client.append('INBOX', readFileSync(join(CASES, 'mail-html-charset-in-meta-only.eml')))
    await client.append('INBOX', readFileSync(join(CASES, 'mail-no-charset-latin1.eml')))
    await client.append('INBOX', readFileSync(join(CASES, 'mail-us-ascii-but-utf8.eml')))
    await client.logout()
    account = await at.connect(owner, 'reader')
    await at.sync(account)
    const { INBOX } = await at.folders(account)
    for (let page = 1; ; page++) {
      const { data } = (await owner.get(`/email/folders/${INBOX.uuid}/messages`, { query: { per_page: 100, page } })).body
      for (const { uuid } of data) {
        const { message_id, ...message } = (await owner.get(`/email/messages/${uuid}`)).body.data
        listed.set(message_id, message)
      }
      if (data.length < 100) return
    }
  })
  const named = (name: string) => listed.get(`<${name.replaceAll(/\W+/g, '-')}@charsets.test>`) as Listed & { body_text: string }

  it('has 60 cases and more', () => {
    assert.ok(inBody.length + inHeaders.length >= 60)
    assert.equal(listed.size, inBody.length + inHeaders.length + 3)
  })

  it('has its body and its snippet in the text that was written', () => {
    for (const { name, text } of inBody) {
      const { body_text, snippet } = named(name)
      assert.deepEqual({ body_text: body_text.trim(), snippet }, { body_text: text, snippet: text }, name)
    }
  })

  it('has its subject and its sender in the text that was written', () => {
    for (const { name, text } of inHeaders) {
      const { subject, from } = named(name)
      assert.deepEqual({ subject, from: from.name }, { subject: text, from: text }, name)
    }
  })

  it('is read where another program has mislabelled it', () => {
    for (const [file, text] of [
      ['mail-html-charset-in-meta-only', 'Привет'],
      ['mail-no-charset-latin1', 'Jürgen Größe'],
      ['mail-us-ascii-but-utf8', 'Jürgen Größe'],
    ] as const) {
      const { body_text, snippet } = listed.get(`<${file}.eml@x.example>`) as Listed & { body_text: string }
      assert.deepEqual({ body_text: body_text.trim(), snippet }, { body_text: text, snippet: text }, file)
    }
  })

  it('is found by what it says', async () => {
    const { data } = (await owner.get(`/email/accounts/${account}/messages/search`, { query: { q: 'Größe 5' } })).body
    assert.ok(data.length > 0)
    for (const { subject, snippet } of data as Listed[]) assert.match(`${subject} ${snippet}`, /Größe 5/)
  })
})

describe('a text of unknown charset', () => {
  const DECLARED = [
    ...SAMPLES.map(([charset]) => charset),
    ...[
      '',
      'us-ascii',
      'utf-16',
      'utf-32',
      'no-such-charset',
      'iso-8859-8-i',
      'windows-1253',
      'windows-1257',
      'macintosh',
      'cp437',
      'tcvn',
    ],
    ...[
      'gb18030',
      'shift_jis',
      'euc-jp',
      'euc-kr',
      'big5',
      'iso-8859-3',
      'iso-8859-6',
      'windows-874',
      'x-mac-cyrillic',
      'cp65001',
    ],
  ]

  it('has no replacement character, whatever is declared for whichever bytes', () => {
    for (const declared of DECLARED)
      for (const [real, text, bytes] of SAMPLES)
        for (const isHtml of [false, true]) {
          const read = readText(Buffer.from(bytes, 'latin1'), { declared, isHtml })
          assert.ok(!read.includes('\ufffd'), `${real} as ${declared}: ${read}`)
          if (real === declared || real === 'utf-8') assert.equal(read, text, `${real} as ${declared}`)
        }
  })

  it('has none where it is cut within a character', () => {
    const bytes = Buffer.from('Größe € 😀')
    for (let end = 0; end <= bytes.length; end++)
      for (const declared of ['', 'utf-8', 'iso-8859-1']) {
        const read = readText(bytes.subarray(0, end), { declared, isCut: true })
        assert.ok('Größe € 😀'.startsWith(read), `${end}: ${read}`)
      }
  })

  it('keeps its characters around bytes that are broken', () => {
    const broken = Buffer.concat([Buffer.from('Größe über alles '), Buffer.from([0xfc]), Buffer.from(' Maß')])
    assert.equal(readText(broken, { declared: 'utf-8' }), 'Größe über alles ü Maß')
    const long = Buffer.from(`${'\xe1'.repeat(40)}\xd2`, 'latin1')
    assert.equal(readText(long, { declared: 'iso-8859-7' }), `${'α'.repeat(40)}Ò`)
    const chinese = Buffer.from(`${'\xc4\xe3'.repeat(40)}\xff`, 'latin1')
    assert.equal(readText(chinese, { declared: 'gb2312' }), `${'你'.repeat(40)}\ufffd`)
  })
})

describe('the date of a mail', () => {
  it('is that of its arrival where the written one does not exist', async () => {
    const client = await clientOf(server.port, 'dated')
    const dates = ['Mon, 30 Feb 2026 10:00:00 +0100', '31 Apr 2026 10:00 GMT', 'Sat, 28 Feb 2026 10:00:00 +0100']
    for (const [n, date] of dates.entries()) {
      const head = `From: a@sender.test\r\nSubject: ${n}\r\nMessage-ID: <${n}@dated.test>\r\nDate: ${date}\r\n\r\nx`
      await client.append('INBOX', Buffer.from(head))
    }
    await client.mailboxOpen('INBOX')
    const arrived = new Map<string, string>()
    for await (const { envelope, internalDate } of client.fetch('1:*', { envelope: true, internalDate: true }))
      arrived.set(envelope!.subject!, new Date(internalDate!).toISOString())
    await client.logout()
    const account = await at.connect(owner, 'dated')
    await at.sync(account)
    const { INBOX } = await at.folders(account)
    const { data } = (await owner.get(`/email/folders/${INBOX.uuid}/messages`)).body
    const shown = Object.fromEntries((data as Listed[]).map(({ subject, date }) => [subject, date]))
    assert.deepEqual(shown, {
      0: arrived.get('0'),
      1: arrived.get('1'),
      2: '2026-02-28T09:00:00.000Z',
    })
  })
})
