/** Mail from its cause to delivery: a real SMTP peer. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { inPublic, originOf } from '#kernel/context.ts'
import { DEFECT } from '#kernel/database/failures.ts'
import { deliverMail } from '#kernel/mail/delivery.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import type { Mail } from '#kernel/mail/mail-log.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { startTest } from './harness.ts'

interface Arrived {
  from: string
  to: string[]
  head: string
  body: string
}

const inbox: Arrived[] = []
let refusals = 0
let refusal = { text: '4.2.1 Mailbox is napping', code: 451 }
let asked = 0
/** Whether addresses that begin with `later` are deferred. */
let isDeferring = true
const peer = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  onRcptTo({ address }, _, done) {
    if (/^nobody/.test(address)) return done(Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 }))
    if (/^later/.test(address) && isDeferring) return done(Object.assign(new Error('4.7.1 Greylisted'), { responseCode: 451 }))
    done()
  },
  onData(stream, session, done) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.on('end', () => {
      asked++
      if (refusals-- > 0) return done(Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
      const [head = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')
      const { mailFrom, rcptTo } = session.envelope
      const unfolded = head.replace(/\r\n[ \t]+/g, ' ')
      inbox.push({
        from: (mailFrom || { address: '' }).address,
        to: rcptTo.map(({ address }) => address),
        head: unfolded,
        body: rest.join('\r\n\r\n'),
      })
      done()
    })
  },
})
await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
const { port } = peer.server.address() as AddressInfo
const world = await startTest({ env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Atrium <system@atrium.test>' } })
const logging = await startTest()
const unreachable = await startTest({ env: { SMTP_URL: 'smtp://127.0.0.1:1' } })
after(() => new Promise<void>((resolve) => peer.close(resolve)))
beforeEach(() => {
  inbox.length = 0
  refusals = 0
  refusal = { text: '4.2.1 Mailbox is napping', code: 451 }
  asked = 0
  isDeferring = true
})

type World = typeof world
const mail: Mail = { type: 'test.sent', to: ['to@x.test'], subject: 'Hello', html: '<p>Hi</p>', text: 'Hi there' }
const send = (more: Partial<Mail> = {}, of: World = world, tenantId = 0) =>
  inPublic(originOf(of.services), 'write', (ctx) => sendMail(ctx, { ...mail, ...more }, tenantId))
const logged = async (uuid: string, of: World = world) =>
  (
    await of.sql('SELECT id::int, status, provider, provider_message_id, sent_at, error FROM email_logs WHERE uuid = $1', [uuid])
  )[0]
/** Ends the pause before the next attempt. */
const letPauseEnd = (of: World = world) =>
  of.sql(`UPDATE pgboss.job SET start_after = statement_timestamp() WHERE state = 'retry'`)
/** Ends the pause before the last attempt. (The queue's limit has one more, which detects that the worker was lost.) */
const letLastPauseEnd = (of: World = world) =>
  of.sql(`UPDATE pgboss.job SET start_after = statement_timestamp(), retry_count = retry_limit - 2 WHERE state = 'retry'`)
const header = ({ head }: Arrived, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]

describe('a mail', () => {
  it('arrives with subject, both bodies and the bytes of its attachments', async () => {
    const content = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256))
    const uuid = await send({
      to: ['one@x.test', 'two@x.test'],
      cc: ['cc@x.test'],
      bcc: ['bcc@x.test'],
      replyTo: 'reply@x.test',
      subject: 'Rechnung für Zoë 请款',
      html: '<p>Grüße</p>',
      text: 'Plain words',
      attachments: [{ name: 'Rechnung "№ 7".pdf', mime: 'application/pdf', content }],
    })
    assert.deepEqual((await logged(uuid)).status, 'queued')
    await world.drain()
    const [arrived, ...more] = inbox as [Arrived]
    assert.equal(more.length, 0)
    assert.equal(arrived.from, 'system@atrium.test')
    assert.deepEqual(arrived.to.sort(), ['bcc@x.test', 'cc@x.test', 'one@x.test', 'two@x.test'])
    assert.equal(header(arrived, 'From'), 'Atrium <system@atrium.test>')
    assert.equal(header(arrived, 'To'), 'one@x.test, two@x.test')
    assert.equal(header(arrived, 'Cc'), 'cc@x.test')
    assert.equal(header(arrived, 'Reply-To'), 'reply@x.test')
    assert.equal(header(arrived, 'X-Atrium-Mail'), uuid)
    assert.ok(!`${arrived.head}${arrived.body}`.includes('bcc@x.test'), 'blind is blind')
    const subject = header(arrived, 'Subject')!.replace(/=\?UTF-8\?([BQ])\?(.*?)\?=\s*/gi, (_, kind, text) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString()
        : decodeURIComponent(text.replaceAll('_', ' ').replaceAll('=', '%')),
    )
    assert.equal(subject, 'Rechnung für Zoë 请款')
    assert.ok(arrived.body.includes('Plain words'))
    assert.ok(
      arrived.body.includes('<p>Gr=C3=BC=C3=9Fe</p>') || arrived.body.includes(Buffer.from('<p>Grüße</p>').toString('base64')),
    )
    const [, encoded] = /Content-Type: application\/pdf[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(arrived.body)!
    assert.ok(Buffer.from(encoded!, 'base64').equals(content))

    const row = await logged(uuid)
    assert.partialDeepStrictEqual(row, { status: 'sent', provider: 'smtp', error: null })
    assert.equal(row.provider_message_id, header(arrived, 'Message-ID'))
    assert.ok(row.sent_at)
  })

  it('is sent once, even if its job runs again', async () => {
    const uuid = await send()
    await world.drain()
    const { id } = await logged(uuid)
    await inPublic(originOf(world.services), 'write', (ctx) =>
      world.services.queue.send(ctx, deliverMail, { tenant_id: 0, id: Number(id) }),
    )
    await world.drain()
    assert.equal(inbox.length, 1)
  })

  it('is not sent, nor logged, when its cause is rolled back', async () => {
    const failing = inPublic(originOf(world.services), 'write', async (ctx) => {
      await sendMail(ctx, { ...mail, subject: 'Never' })
      throw new Error('thought better of it')
    })
    await assert.rejects(failing, /thought better/)
    await world.drain()
    assert.deepEqual([inbox.length, (await world.sql(`SELECT 1 FROM email_logs WHERE subject = 'Never'`)).length], [0, 0])
  })

  it('of a workspace’s own cause reaches its reader', async () => {
    const acme = await world.workspace({ modules: [], name: 'Acme & <Sons>' })
    await acme.owner.post('/users', { name: 'Nina <b>', email: 'nina@x.test', role: ['member'] })
    await world.drain()
    const [arrived] = inbox as [Arrived]
    assert.deepEqual(arrived.to, ['nina@x.test'])
    const text = arrived.body.replace(/=\r\n/g, '').replaceAll('=3D', '=')
    assert.match(text, /http:\/\/atrium\.test\/app\/invite#\S{40,}/)
    assert.ok(text.includes('Nina &lt;b&gt;') && text.includes('Acme &amp; &lt;Sons&gt;'), 'names are text, not HTML')
  })
})

describe('a PDF that is drawn for a mail', () => {
  const drawing = (notes: string): PdfSpec => ({
    template: 'billing-documents/document',
    data: { kind: 'Order', number: '7', notes },
  })
  const attach = (notes: string) => [{ name: '7.pdf', mime: 'application/pdf', drawing: drawing(notes) }]
  const stored = (uuid: string) =>
    world.sql(
      `SELECT a.content, a.drawing FROM email_attachments a
       JOIN email_logs l ON l.tenant_id = a.tenant_id AND l.id = a.email_log_id WHERE l.uuid = $1`,
      [uuid],
    )

  it('is stored as what it shows, drawn at delivery, and kept for the next tries', async () => {
    refusals = 1
    const uuid = await send({ attachments: attach('as of now') })
    assert.deepEqual(await stored(uuid), [{ content: null, drawing: drawing('as of now') }])
    await world.drain()
    const [{ content, drawing: left }] = await stored(uuid)
    assert.deepEqual([content.subarray(0, 5).toString(), left, inbox.length], ['%PDF-', null, 0])
    await letPauseEnd()
    await world.drain()
    const [, encoded] = /Content-Type: application\/pdf[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(inbox[0]!.body)!
    assert.ok(Buffer.from(encoded!, 'base64').equals(content))
  })

  it('that can’t be drawn fails the mail at once, with the reason', async () => {
    const uuid = await send({ attachments: attach('x'.repeat(5 * 2 ** 20)) })
    await world.drain()
    const { status, error } = await logged(uuid)
    assert.equal(status, 'failed')
    assert.match(error, /can't be printed: it has too much text/)
    await letPauseEnd()
    await world.drain()
    assert.equal(asked, 0)
  })

  it('that can’t be drawn because of a defect fails the mail without a word of that', async (t) => {
    t.mock.method(world.services.pdf, 'render', () => Promise.reject(new Error('connect /srv/atrium/printer.sock')))
    const uuid = await send({ attachments: attach('unlucky') })
    await world.drain()
    await letLastPauseEnd()
    await world.drain()
    const { status, error } = await logged(uuid)
    assert.deepEqual([status, error], ['failed', DEFECT])
  })
})

describe('a mail that somebody made to break out of its headers', () => {
  it('stays one mail to whom it is for', async () => {
    const evil = 'Hello\r\nBcc: evil@x.test\r\n\r\n<script>'
    await send({ subject: evil, attachments: [{ name: 'a"\r\nX-Evil: 1.pdf', mime: 'text/plain', content: Buffer.from('x') }] })
    await send({ subject: 'Lone\nX-Evil: 1\rX-Evil: 2' })
    await world.drain()
    assert.equal(inbox.length, 2)
    for (const arrived of inbox) {
      assert.deepEqual(arrived.to, ['to@x.test'])
      assert.deepEqual([header(arrived, 'Bcc'), header(arrived, 'X-Evil')], [undefined, undefined])
      assert.doesNotMatch(arrived.body, /^X-Evil/m)
    }
    const [first] = await world.sql(`SELECT subject FROM email_logs WHERE subject LIKE 'Hello Bcc%'`)
    assert.equal(first.subject, 'Hello Bcc: evil@x.test <script>')
  })

  it('cannot be begun with an address that holds more than one', async () => {
    for (const email of ['a@x.test\r\nBcc: evil@x.test', 'a@x.test, evil@x.test', 'a@x.test\r\nRCPT TO:<evil@x.test>']) {
      const { status } = await world.central().post('/public/register-workspace', {
        company_name: 'Evil',
        owner_name: 'Eve',
        email,
        password: 'correct horse battery',
        password_confirmation: 'correct horse battery',
      })
      assert.equal(status, 422, email)
    }
    await world.drain()
    assert.equal(inbox.length, 0)
  })
})

describe('the headers of a mail', () => {
  it('name the firm before the address of the service, whatever it calls itself', async () => {
    const names: [string, string][] = [
      ['Acme, Inc.', '"Acme, Inc." <system@atrium.test>'],
      ['Müller & Söhne', '=?UTF-8?Q?M=C3=BCller_=26_S=C3=B6hne?= <system@atrium.test>'],
      ['Eve\r\nBcc: evil@x.test', '"Eve Bcc: evil x.test" <system@atrium.test>'],
      ['PayPal" <support@paypal.test>', 'PayPal support paypal.test <system@atrium.test>'],
      ['\u202e ', 'Atrium <system@atrium.test>'],
    ]
    for (const [from] of names) await send({ from })
    await world.drain()
    assert.deepEqual(
      inbox.map((arrived) => header(arrived, 'From')?.replaceAll('"', '')).sort(),
      names.map(([, written]) => written.replaceAll('"', '')).sort(),
    )
    for (const arrived of inbox) assert.deepEqual([arrived.to, header(arrived, 'Bcc')], [['to@x.test'], undefined])
  })

  it('say that nobody wrote it, where that is so, and how mails of its kind end', async () => {
    await send({ subject: 'Automatic', unsubscribeUrl: 'https://atrium.test/unsubscribe/x' })
    await send({ subject: 'By hand', automatic: false })
    await world.drain()
    const of = (subject: string) => inbox.find((arrived) => header(arrived, 'Subject') === subject)!
    const told = (arrived: Arrived) =>
      ['Auto-Submitted', 'List-Unsubscribe', 'List-Unsubscribe-Post'].map((name) => header(arrived, name))
    assert.deepEqual(told(of('Automatic')), [
      'auto-generated',
      '<https://atrium.test/unsubscribe/x>',
      'List-Unsubscribe=One-Click',
    ])
    assert.deepEqual(told(of('By hand')), [undefined, undefined, undefined])
  })
})

describe('a mail whose recipients are refused for good', () => {
  const jobsOf = async (uuid: string) =>
    world.sql(
      `SELECT name FROM pgboss.job WHERE state IN ('created', 'retry', 'failed') AND (data->>'id' = $1 OR data->'data'->>'id' = $1)`,
      [String((await logged(uuid)).id)],
    )
  const eventsOf = async (uuid: string) =>
    world.sql('SELECT type, recipient, permanent, detail FROM email_events WHERE email_log_id = $1', [(await logged(uuid)).id])

  it('has bounced: no other try, no dead letter, and its sender is told', async () => {
    const firm = await world.workspace({ modules: [] })
    const uuid = await send({ to: ['nobody@x.test'], sentBy: firm.owner.id }, world, firm.id)
    await world.drain()
    const { status, error, sent_at } = await logged(uuid)
    assert.deepEqual([status, sent_at, await jobsOf(uuid)], ['bounced', null, []])
    assert.match(error, /No such user/)
    const [event, ...more] = await eventsOf(uuid)
    assert.deepEqual([event.type, event.recipient, event.permanent, more], ['bounced', 'nobody@x.test', true, []])
    await world.drain()
    assert.deepEqual(
      inbox.map(({ to }) => to),
      [[firm.owner.email]],
    )
    assert.match(inbox[0]!.body, /nobody@x\.test/)
  })

  it('also when it is refused whole', async () => {
    refusals = 1
    refusal = { text: '5.7.1 No', code: 554 }
    const uuid = await send()
    await world.drain()
    assert.deepEqual([asked, (await logged(uuid)).status, await jobsOf(uuid)], [1, 'bounced', []])
  })

  it('reaches the others', async () => {
    const uuid = await send({ to: ['to@x.test', 'nobody@x.test'] })
    await world.drain()
    assert.deepEqual(
      inbox.map(({ to }) => to),
      [['to@x.test']],
    )
    assert.deepEqual([(await logged(uuid)).status, (await eventsOf(uuid)).length], ['bounced', 1])
  })

  /** Runs this SQL before each event of a mail is inserted. */
  async function whereEvents(does: string, work: () => Promise<void>) {
    await world.sql('CREATE SEQUENCE app.unlucky_tries')
    await world.sql(
      `CREATE FUNCTION app.unlucky() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN ${does}; RETURN NEW; END $$`,
    )
    await world.sql('CREATE TRIGGER unlucky BEFORE INSERT ON email_events FOR EACH ROW EXECUTE FUNCTION app.unlucky()')
    try {
      await work()
    } finally {
      await world.sql('DROP TRIGGER unlucky ON email_events; DROP FUNCTION app.unlucky(); DROP SEQUENCE app.unlucky_tries')
    }
  }

  it('is known to be refused for one of them also when the connection broke while that was written', async () => {
    const uuid = await send({ to: ['to@x.test', 'nobody@x.test'] })
    const breaks = `IF nextval('app.unlucky_tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF`
    await whereEvents(breaks, async () => {
      await world.drain()
      assert.deepEqual([(await logged(uuid)).status, await eventsOf(uuid)], ['queued', []], 'all of it or nothing')
      await letPauseEnd()
      await world.drain()
    })
    assert.deepEqual([(await logged(uuid)).status, (await eventsOf(uuid)).length], ['bounced', 1])
  })

  it('is not sent again because that can’t be written', async () => {
    const uuid = await send({ to: ['to@x.test', 'nobody@x.test'] })
    await whereEvents(`RAISE 'never'`, async () => {
      await world.drain()
      await letPauseEnd()
      await world.drain()
    })
    assert.deepEqual([asked, (await logged(uuid)).status, await jobsOf(uuid)], [1, 'sent', []])
  })
})

describe('a mail that some recipients have, while others’ server does not take it yet', () => {
  const to = ['to@x.test', 'later@x.test', 'later-too@x.test']
  const arrived = () => inbox.map(({ to }) => to)
  const letDelayEnd = () => world.sql(`UPDATE pgboss.job SET start_after = statement_timestamp() WHERE state = 'created'`)

  it('is sent to those alone, until they have it', async () => {
    const uuid = await send({ to: to.slice(0, 2), cc: ['cc@x.test'], bcc: to.slice(2), secrets: ['there'] })
    await world.drain()
    const { status, error, sent_at, provider_message_id } = await logged(uuid)
    assert.deepEqual([status, error], ['sent', 'Not taken yet for later@x.test, later-too@x.test'])
    await world.drain()
    assert.deepEqual(arrived(), [['to@x.test', 'cc@x.test']], 'not without a pause')
    await letDelayEnd()
    await world.drain()
    assert.equal(inbox.length, 1)
    isDeferring = false
    await letPauseEnd()
    await world.drain()
    assert.deepEqual(arrived().slice(1), [['later@x.test', 'later-too@x.test']])
    assert.match(inbox[1]!.body, /Hi there/)
    const { head } = inbox[1]!
    assert.match(head, /^To: to@x\.test, later@x\.test\r\nCc: cc@x\.test\r$/m, 'it names whom it named before')
    assert.doesNotMatch(head, /later-too/, 'and nobody who gets it unknown to the others')
    assert.partialDeepStrictEqual(await logged(uuid), { status, error: null, sent_at, provider_message_id })
    const [{ sealed }] = await world.sql('SELECT sealed FROM email_logs WHERE uuid = $1', [uuid])
    assert.equal(sealed.length, 0, 'nothing is left to be sent')
    await world.drain('all')
    assert.equal(inbox.length, 2)
  })

  it('gets to them where processes of the version before, to which it looks sent, work beside', async () => {
    await send({ to })
    await world.drain()
    const ofBoth = ['mail-deliver', 'mail-deliver-account']
    await world.sql(`UPDATE pgboss.job SET state = 'completed' WHERE name = ANY($1) AND state < 'active'`, [ofBoth])
    isDeferring = false
    await letDelayEnd()
    await world.drain()
    assert.deepEqual(arrived(), [to.slice(0, 1), to.slice(1)])
  })

  it('has bounced for those who never take it, and its sender is told', async () => {
    const firm = await world.workspace({ modules: [] })
    const uuid = await send({ to, sentBy: firm.owner.id }, world, firm.id)
    await world.drain()
    await letDelayEnd()
    await world.drain()
    await letLastPauseEnd()
    await world.drain('all')
    const { id, status, error } = await logged(uuid)
    assert.equal(status, 'bounced')
    assert.match(error, /Greylisted/)
    const bounced = `SELECT recipient FROM email_events WHERE email_log_id = $1 AND type = 'bounced' AND permanent ORDER BY 1`
    const events = await world.sql(bounced, [id])
    assert.deepEqual(
      events.map(({ recipient }) => recipient),
      ['later-too@x.test', 'later@x.test'],
    )
    assert.deepEqual(arrived(), [['to@x.test'], [firm.owner.email], [firm.owner.email]])
  })
})

describe('a mail that the peer refuses', () => {
  it('is tried again and arrives once', async () => {
    refusals = 1
    const uuid = await send()
    await world.drain()
    assert.deepEqual([inbox.length, asked, (await logged(uuid)).status], [0, 1, 'queued'])
    await world.drain()
    assert.equal(asked, 1, 'not without a pause')
    await letPauseEnd()
    await world.drain()
    assert.deepEqual([inbox.length, asked, (await logged(uuid)).status], [1, 2, 'sent'])
  })

  it('is logged as failed, with what the peer said, after the last try', async () => {
    refusals = Number.POSITIVE_INFINITY
    const uuid = await send()
    for (const tries of [1, 2]) {
      await world.drain()
      assert.deepEqual([(await logged(uuid)).status, asked], ['queued', tries])
      await letPauseEnd()
    }
    await letLastPauseEnd()
    await world.drain()
    const { status, error, sent_at } = await logged(uuid)
    assert.deepEqual([status, sent_at, asked], ['failed', null, 3])
    assert.match(error, /Mailbox is napping/)
    await letPauseEnd()
    await world.drain()
    assert.equal(asked, 3, 'given up')
    const dead = await world.sql(`SELECT 1 FROM pgboss.job WHERE name = 'dead-letters' AND data->'data'->>'id' = $1`, [
      String((await logged(uuid)).id),
    ])
    assert.equal(dead.length, 1, 'kept for the operator')

    refusals = 0
    const shown = await world.admin.get(`/email-logs/${uuid}`)
    assert.match(shown.body.data.error, /napping/)
    const again = await world.admin.post(`/email-logs/${uuid}/resend`)
    await world.drain()
    assert.deepEqual(
      [inbox.length, (await logged(again.body.data.uuid)).status, (await logged(uuid)).status],
      [1, 'sent', 'failed'],
    )
  })

  it('is logged as failed, with nothing of a defect of ours that kept it', async () => {
    const uuid = await send({ secrets: ['there'] })
    await world.sql(`UPDATE email_logs SET sealed = '\\x01' WHERE uuid = $1`, [uuid])
    await world.drain()
    await letLastPauseEnd()
    await world.drain()
    assert.deepEqual([asked, (await logged(uuid)).error], [0, DEFECT])
  })

  it('fails in the same way when there is no peer at all', async () => {
    const uuid = await send({}, unreachable)
    await unreachable.drain()
    assert.equal((await logged(uuid, unreachable)).status, 'queued')
    await letLastPauseEnd(unreachable)
    await unreachable.drain()
    const { status, error } = await logged(uuid, unreachable)
    assert.equal(status, 'failed')
    assert.match(error, /ECONNREFUSED/)
  })
})

describe('without SMTP_URL', () => {
  it('mail is kept in the log, where it can be read, and counts as sent', async () => {
    const uuid = await send({}, logging)
    await logging.drain()
    const { status, provider, provider_message_id, error } = await logged(uuid, logging)
    assert.deepEqual(
      { status, provider, provider_message_id, error },
      { status: 'sent', provider: 'log', provider_message_id: null, error: null },
    )
    const { data } = (await logging.admin.get(`/email-logs/${uuid}`)).body
    assert.deepEqual([data.body_text, data.body_html, inbox.length], ['Hi there', '<p>Hi</p>', 0])
  })
})
