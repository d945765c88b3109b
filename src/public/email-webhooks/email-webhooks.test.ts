import assert from 'node:assert/strict'
import { createHmac, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { inPublic, inWorkspace, originOf } from '#kernel/context.ts'
import { signatureOf } from '#kernel/http/signature.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { systemSession } from '#kernel/tenancy/session.ts'
import { startTest, type Workspace } from '#test/harness.ts'
import { mailsTo, operator } from '#test/operator.ts'

const SECRET = 'planted-webhook-secret-77'
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:atrium-mail'
const fixture = (name: string) => readFileSync(new URL(`../../../test/fixtures/sns/${name}`, import.meta.url), 'utf8')
const certificate = fixture('certificate.pem')
const key = fixture('key-of-the-stand-in.pem')

/** Path prefix of SNS certificates. */
const CERTIFICATE = '/SimpleNotificationService-'

/** Stand-in for SNS: its certificate, and the address that confirms a subscription. */
const asked: string[] = []
const confirmed = () => asked.filter((url) => url.includes('Confirm'))
const poured = { megabytes: 0, most: 64 }
/** Sends megabytes for as long as the client reads. */
function pour(reply: ServerResponse) {
  if (reply.destroyed) return
  if (poured.megabytes++ >= poured.most) return void reply.end()
  reply.write(Buffer.alloc(1024 * 1024, 'x'), (error) => error ?? setImmediate(pour, reply))
}
const sns = createServer((request, reply) => {
  asked.push(request.url!)
  if (request.url === `${CERTIFICATE}endless.pem`) return pour(reply)
  if (request.url === `${CERTIFICATE}moved.pem`) return reply.writeHead(302, { location: `${CERTIFICATE}1.pem` }).end()
  reply.end(request.url!.includes('.pem') ? certificate : '<ConfirmSubscriptionResponse/>')
})
await new Promise<void>((resolve) => sns.listen(0, '127.0.0.1', resolve))
after(() => void sns.close())
const SNS = `http://127.0.0.1:${(sns.address() as AddressInfo).port}`

const lines: string[] = []
const world = await startTest({ log: (line) => void lines.push(line), env: { SNS_URL: SNS } })
const real = await startTest()
const { admin } = world
const acme: Workspace = await world.workspace({ modules: [], name: 'Acme' })
const other: Workspace = await world.workspace({ modules: [], name: 'Other' })
const NOW = '2026-11-21T10:00:00.000Z'
const seconds = (instant = NOW) => Math.floor(Date.parse(instant) / 1000)

let nth = 0
/** Logs a sent mail of a workspace or the platform. Returns its uuid and the provider's message id. */
async function sent({ id }: { id: number } = acme, more: { to?: string[]; by?: number; provider?: string } = {}) {
  const { to = ['to@x.test'], by = null, provider = 'postmark' } = more
  const messageId = `message-${++nth}@x.test`
  const uuid = await inPublic(originOf(world.services), 'write', (ctx) =>
    sendMail(ctx, { type: 'test.sent', to, subject: 'Offer 7', html: 'x', text: 'x', sentBy: by }, id),
  )
  await world.sql(
    `UPDATE email_logs SET status = 'sent', sent_at = now(), provider = $2, provider_message_id = $3 WHERE uuid = $1`,
    [uuid, provider, messageId],
  )
  return { uuid, messageId }
}
const shown = async ({ uuid }: { uuid: string }) => (await admin.get(`/email-logs/${uuid}`)).body.data
const types = async (mail: { uuid: string }) => (await shown(mail)).events.map(({ type }: { type: string }) => type)
const post = (path: string, body: unknown, headers: Record<string, string> = {}, of = world) =>
  of.root.post(`/webhooks/email/${path}`, typeof body === 'string' ? body : JSON.stringify(body), {
    headers: { 'content-type': 'application/json', ...headers },
  })

const basic = (password = SECRET) => ({ authorization: `Basic ${Buffer.from(`postmark:${password}`).toString('base64')}` })
const postmark = (event: object, path = 'postmark', headers: Record<string, string> = basic()) => post(path, event, headers)

function mailgun(event: object, { path = 'mailgun', token = `token-${++nth}`, at = seconds(), secret = SECRET, ...more } = {}) {
  const signature = createHmac('sha256', secret).update(`${at}${token}`).digest('hex')
  return post(path, { signature: { timestamp: String(at), token, signature }, 'event-data': event, ...more })
}

function generic(body: unknown, { path = 'generic', secret = SECRET, at = seconds() } = {}) {
  const raw = JSON.stringify(body)
  return post(path, raw, { 'x-service-signature': signatureOf(secret, at, raw) })
}

interface Sns {
  message?: unknown
  type?: string
  topic?: string
  version?: '1' | '2'
  cert?: string
  subscribe?: string
  subject?: string
  forge?: object
}
function ses(
  { message = 'x', type = 'Notification', topic = TOPIC, version = '2', cert = `${SNS}${CERTIFICATE}1.pem`, ...more }: Sns,
  of = world,
) {
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  const fields: Record<string, string> = {
    Message: text,
    MessageId: crypto.randomUUID(),
    Timestamp: NOW,
    TopicArn: topic,
    Type: type,
  }
  if (type !== 'Notification')
    Object.assign(fields, { SubscribeURL: more.subscribe ?? `${SNS}/?Action=ConfirmSubscription`, Token: 't' })
  if (more.subject) fields.Subject = more.subject
  const signed = Object.keys(fields)
    .sort()
    .map((name) => `${name}\n${fields[name]}\n`)
    .join('')
  const Signature = sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(signed), key).toString('base64')
  const body = { ...fields, SignatureVersion: version, Signature, SigningCertURL: cert, ...more.forge }
  return post('ses', JSON.stringify(body), { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': type }, of)
}
const sesEvent = (eventType: string, messageId: string, more: object) => ({
  eventType,
  mail: { messageId, timestamp: NOW },
  ...more,
})

const configure = (settings: object, of = world) => of.admin.put('/system-settings', { settings })
beforeEach(async () => {
  world.clock.set(NOW)
  real.clock.set(NOW)
  asked.length = 0
  await world.sql('TRUNCATE platform_settings, rate_limits')
  await configure({ mail_webhook_secret: SECRET, ses_topic_arn: TOPIC })
})

describe('who can’t prove to be the provider', () => {
  it('is refused, and nothing is written', async () => {
    const mail = await sent()
    const event = { RecordType: 'Delivery', MessageID: mail.messageId }
    const data = { event: 'delivered', id: 'e', message: { headers: { 'message-id': mail.messageId } } }
    const one = { type: 'delivered', message_id: mail.messageId }
    const delivery = sesEvent('Delivery', mail.messageId, { delivery: { timestamp: NOW, recipients: ['to@x.test'] } })
    const raw = JSON.stringify(one)
    const refused = [
      post('postmark', event),
      postmark(event, 'postmark', basic('wrong')),
      postmark(event, 'postmark', basic('')),
      postmark(event, 'postmark', { authorization: `Bearer ${SECRET}x` }),
      postmark(event, 'postmark', { authorization: 'Basic %%%' }),
      postmark(event, 'postmark?token=wrong', {}),
      postmark(event, 'postmark?token=a&token=b', {}),
      mailgun(data, { secret: 'wrong' }),
      mailgun(data, { at: seconds() - 13 * 3600 }),
      mailgun(data, { at: seconds() + 13 * 3600 }),
      mailgun(data, { at: Number.NaN }),
      post('generic', one),
      generic(one, { secret: 'wrong' }),
      generic(one, { at: seconds() - 301 }),
      post('generic', `${raw} `, { 'x-service-signature': signatureOf(SECRET, seconds(), raw) }),
      ses({ message: delivery, topic: 'arn:aws:sns:eu-central-1:666:evil' }),
      ses({ message: delivery, forge: { Message: JSON.stringify({ ...delivery, eventType: 'Bounce' }) } }),
      ses({ message: delivery, forge: { Signature: 'AAAA' } }),
      ses({ message: delivery, forge: { SignatureVersion: '1' } }),
      ses({ message: delivery, cert: `http://127.0.0.1:1${CERTIFICATE}1.pem` }),
      ses({ message: delivery, cert: `${SNS}@evil.test${CERTIFICATE}1.pem` }),
      ses({ message: delivery, cert: `${SNS}${CERTIFICATE}1.txt` }),
      ses({ message: delivery, cert: `${SNS}${CERTIFICATE}moved.pem` }),
      ses({ message: delivery, cert: `${SNS}/somebodys.pem` }),
      ses({ message: delivery, cert: `${SNS}/somebodys${CERTIFICATE}1.pem` }),
      ses({ message: delivery, cert: `${SNS}${CERTIFICATE}1.pem?somebodys` }),
      ses({ message: delivery, cert: `${SNS}/?somebodys=${CERTIFICATE}1.pem` }),
      ses({ message: delivery, cert: 'file:///etc/passwd.pem' }),
    ]
    for (const [n, reply] of (await Promise.all(refused)).entries())
      assert.deepEqual([reply.status, reply.body.code], [401, 'UNAUTHENTICATED'], `the request ${n}`)
    assert.deepEqual([(await shown(mail)).status, await types(mail)], ['sent', []])
  })

  it('has us read no more of what should be a certificate than one has', async () => {
    assert.equal((await ses({ message: {}, cert: `${SNS}${CERTIFICATE}endless.pem` })).status, 401)
    assert.ok(poured.megabytes > 0 && poured.megabytes < poured.most, `${poured.megabytes} MB`)
  })

  it('is everybody where no secret and no topic is set', async () => {
    await configure({ mail_webhook_secret: null, ses_topic_arn: null })
    const replies = [
      postmark({ RecordType: 'Delivery' }, 'postmark', basic('')),
      mailgun({ event: 'delivered' }, { secret: '' }),
      generic({}, { secret: '' }),
      ses({}),
    ]
    for (const { status } of await Promise.all(replies)) assert.equal(status, 401)
  })

  it('can’t have us ask any address but those of SNS', async () => {
    await configure({ ses_topic_arn: TOPIC }, real)
    for (const cert of [
      `https://sns.eu-central-1.amazonaws.com.evil.test${CERTIFICATE}1.pem`,
      `https://evil.test/sns.eu-central-1.amazonaws.com${CERTIFICATE}1.pem`,
      `https://sns.eu-central-1.amazonaws.com@evil.test${CERTIFICATE}1.pem`,
      `https://sns.eu-central-1.amazonaws.com:444${CERTIFICATE}1.pem`,
      `http://sns.eu-central-1.amazonaws.com${CERTIFICATE}1.pem`,
      `https://sns.evil.test#.amazonaws.com${CERTIFICATE}1.pem`,
      `${SNS}${CERTIFICATE}1.pem`,
      'not an address',
    ])
      assert.equal((await ses({ cert }, real)).status, 401, cert)
    assert.deepEqual(asked, [])
    const subscribe = 'http://127.0.0.1:1/?Action=ConfirmSubscription'
    assert.equal((await ses({ type: 'SubscriptionConfirmation', subscribe })).status, 401)
    assert.deepEqual(confirmed(), [])
  })

  it('is refused by a certificate that is over', async () => {
    world.clock.set('2190-01-01T00:00:00.000Z')
    assert.equal((await ses({})).status, 401)
  })
})

describe('a request that is none', () => {
  it('is told what is wrong with it, whoever the provider is', async () => {
    assert.equal((await post('pigeon', {})).status, 404)
    assert.equal((await post('constructor', {})).status, 404)
    for (const body of ['', '{', '[]', '7', 'null', '"x"'])
      for (const reply of [post('postmark', body, basic()), post('mailgun', body), post('ses', body)])
        assert.ok([400, 422].includes((await reply).status), body)
    assert.equal((await postmark({ RecordType: 'Delivery', MessageID: 'a\0b' })).status, 422)
    assert.equal((await postmark({ RecordType: 7 })).status, 422)
    assert.equal((await post('postmark', 'x'.repeat(300_000), basic())).status, 413)
    const wrong = await generic({ events: [{ type: 'exploded', message_id: '' }] })
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors!)], [422, ['events.0.type', 'events.0.message_id']])
    const many = await generic({ events: Array(101).fill({ type: 'opened', message_id: 'x' }) })
    assert.deepEqual([many.status, Object.keys(many.body.errors!)], [422, ['events']])
  })

  it('is taken as any other when its mail is unknown: it learns nothing', async () => {
    const mail = await sent()
    const known = await postmark({ RecordType: 'Delivery', MessageID: mail.messageId })
    for (const reply of [
      await postmark({ RecordType: 'Delivery', MessageID: 'unknown' }),
      await postmark({ RecordType: 'Delivery' }),
      await postmark({ RecordType: 'Delivery', MessageID: mail.messageId, Metadata: { atrium_mail: "' or 1=1" } }),
      await postmark({ RecordType: 'SubscriptionChange', MessageID: mail.messageId }),
      await postmark({ RecordType: 'Delivery', MessageID: mail.messageId }, 'postmark/nobody'),
      await mailgun({ event: 'accepted', message: { headers: { 'message-id': 'unknown' } } }),
      await ses({ message: 'Successfully validated SNS topic for Amazon SES event publishing.' }),
    ])
      assert.deepEqual([reply.status, reply.body], [200, known.body])
  })

  it('is limited to 600 a minute from one address, right or wrong', async () => {
    await world.sql('TRUNCATE rate_limits')
    await post('generic', {})
    await world.sql('UPDATE rate_limits SET points = 600')
    assert.equal((await post('generic', {})).status, 429)
    assert.equal((await postmark({ RecordType: 'Delivery' })).status, 429)
  })
})

describe('what Postmark tells', () => {
  it('comes to the mail by its id, each way of proving it', async () => {
    const mail = await sent()
    const event = (RecordType: string, more = {}) => ({ RecordType, MessageID: mail.messageId, Recipient: 'To@X.test', ...more })
    assert.equal((await postmark(event('Delivery', { DeliveredAt: '2026-11-21T09:59:00Z', Details: '250 OK' }))).status, 200)
    assert.equal((await shown(mail)).status, 'delivered')
    assert.equal(
      (await postmark(event('Open', { ReceivedAt: '2026-11-21T09:59:30Z' }), `postmark?token=${SECRET}`, {})).status,
      200,
    )
    const click = event('Click', { ReceivedAt: '2026-11-21T09:59:40Z', OriginalLink: 'https://x.test/' })
    assert.equal((await postmark(click, 'postmark', { 'x-webhook-token': SECRET })).status, 200)
    const { open_count, click_count, events } = await shown(mail)
    assert.deepEqual([open_count, click_count], [1, 1])
    assert.deepEqual(events, [
      {
        type: 'clicked',
        recipient: 'to@x.test',
        permanent: false,
        detail: 'https://x.test/',
        occurred_at: '2026-11-21T09:59:40.000Z',
      },
      { type: 'opened', recipient: 'to@x.test', permanent: false, detail: null, occurred_at: '2026-11-21T09:59:30.000Z' },
      { type: 'delivered', recipient: 'to@x.test', permanent: false, detail: '250 OK', occurred_at: '2026-11-21T09:59:00.000Z' },
    ])
  })

  it('of a bounce is hard, soft or a delay, by its type', async () => {
    for (const { Type, status, type, permanent } of [
      { Type: 'HardBounce', status: 'bounced', type: 'bounced', permanent: true },
      { Type: 'BadEmailAddress', status: 'bounced', type: 'bounced', permanent: true },
      { Type: 'SoftBounce', status: 'bounced', type: 'bounced', permanent: false },
      { Type: 'Transient', status: 'sent', type: 'deferred', permanent: false },
    ] as const) {
      const mail = await sent()
      await postmark({ RecordType: 'Bounce', ID: ++nth, Type, MessageID: mail.messageId, Email: 'to@x.test', Details: '550 No' })
      const { status: is, events, error } = await shown(mail)
      assert.deepEqual([is, events[0].type, events[0].permanent], [status, type, permanent], Type)
      assert.equal(error, status === 'bounced' ? '550 No' : null)
    }
  })

  it('of a complaint stays, whatever comes behind it', async () => {
    const mail = await sent()
    for (const RecordType of ['SpamComplaint', 'Delivery', 'Bounce']) await postmark({ RecordType, MessageID: mail.messageId })
    assert.equal((await shown(mail)).status, 'complained')
  })
})

describe('what Mailgun tells', () => {
  it('comes to the mail by its id', async () => {
    const data = (event: string, messageId: string, more = {}) => ({
      event,
      id: `event-${++nth}`,
      timestamp: seconds() - 1.5,
      recipient: 'to@x.test',
      message: { headers: { 'message-id': messageId } },
      ...more,
    })
    for (const { event, more, status, type } of [
      { event: 'delivered', more: { 'delivery-status': { code: 250, message: 'OK' } }, status: 'delivered', type: 'delivered' },
      { event: 'failed', more: { severity: 'temporary' }, status: 'sent', type: 'deferred' },
      {
        event: 'failed',
        more: { severity: 'permanent', reason: 'bounce', 'delivery-status': { message: 'No such user' } },
        status: 'bounced',
        type: 'bounced',
      },
      { event: 'rejected', more: { reject: { reason: 'virus' } }, status: 'failed', type: 'failed' },
      { event: 'complained', more: {}, status: 'complained', type: 'complained' },
      { event: 'opened', more: {}, status: 'delivered', type: 'opened' },
      { event: 'clicked', more: { url: 'https://x.test/' }, status: 'delivered', type: 'clicked' },
    ] as const) {
      const mail = await sent(acme, { provider: 'mailgun' })
      assert.equal((await mailgun(data(event, mail.messageId, more))).status, 200)
      const { status: is, events } = await shown(mail)
      assert.deepEqual([is, events[0].type, events[0].occurred_at], [status, type, '2026-11-21T09:59:58.500Z'], event)
    }
  })

  it('by one token is taken again as it was, and never with another body', async () => {
    const [mail, victim] = [await sent(), await sent()]
    const data = (messageId: string) => ({ event: 'delivered', id: 'once', message: { headers: { 'message-id': messageId } } })
    const token = 'seen-on-the-wire'
    assert.equal((await mailgun(data(mail.messageId), { token })).status, 200)
    assert.equal((await mailgun(data(mail.messageId), { token })).status, 200)
    assert.equal((await mailgun({ ...data(victim.messageId), event: 'complained' }, { token })).status, 422)
    assert.deepEqual([await types(mail), (await shown(victim)).status], [['delivered'], 'sent'])
  })
})

describe('what Amazon SES tells', () => {
  it('comes through SNS, for each recipient, by signatures of both versions', async () => {
    const mail = await sent(acme, { to: ['a@x.test', 'b@x.test'], provider: 'ses' })
    const delivery = { timestamp: '2026-11-21T09:00:00.000Z', recipients: ['a@x.test', 'b@x.test'], smtpResponse: '250 ok' }
    assert.equal((await ses({ message: sesEvent('Delivery', mail.messageId, { delivery }), version: '1' })).status, 200)
    assert.deepEqual([(await shown(mail)).status, await types(mail)], ['delivered', ['delivered', 'delivered']])
    const bounce = {
      timestamp: '2026-11-21T09:10:00.000Z',
      bounceType: 'Permanent',
      feedbackId: 'feedback-1',
      bouncedRecipients: [{ emailAddress: 'b@x.test', diagnosticCode: 'smtp; 550 5.1.1' }],
    }
    const notification = { notificationType: 'Bounce', mail: { messageId: mail.messageId }, bounce }
    assert.equal((await ses({ message: notification, subject: 'Amazon SES' })).status, 200)
    const { status, error, events } = await shown(mail)
    assert.deepEqual(
      { status, error, recipient: events[0].recipient, permanent: events[0].permanent },
      { status: 'bounced', error: 'smtp; 550 5.1.1', recipient: 'b@x.test', permanent: true },
    )
  })

  it('of delays, complaints, rejections, opens and clicks as well', async () => {
    const people = [{ emailAddress: 'to@x.test', diagnosticCode: '421 later' }]
    for (const { event, more, status, type } of [
      {
        event: 'DeliveryDelay',
        more: { deliveryDelay: { timestamp: NOW, delayedRecipients: people } },
        status: 'sent',
        type: 'deferred',
      },
      {
        event: 'Complaint',
        more: { complaint: { timestamp: NOW, complainedRecipients: people } },
        status: 'complained',
        type: 'complained',
      },
      {
        event: 'Bounce',
        more: { bounce: { timestamp: NOW, bounceType: 'Transient', bouncedRecipients: people } },
        status: 'bounced',
        type: 'bounced',
      },
      { event: 'Reject', more: { reject: { reason: 'Bad content' } }, status: 'failed', type: 'failed' },
      { event: 'Rendering Failure', more: { failure: { errorMessage: 'x' } }, status: 'failed', type: 'failed' },
      { event: 'Open', more: { open: { timestamp: NOW } }, status: 'delivered', type: 'opened' },
      { event: 'Click', more: { click: { timestamp: NOW, link: 'https://x.test/' } }, status: 'delivered', type: 'clicked' },
      { event: 'Send', more: { send: {} }, status: 'sent', type: undefined },
    ] as const) {
      const mail = await sent()
      assert.equal((await ses({ message: sesEvent(event, mail.messageId, more) })).status, 200, event)
      assert.deepEqual([(await shown(mail)).status, (await types(mail))[0]], [status, type], event)
    }
  })

  it('begins when the subscription of our topic is confirmed, and of no other', async () => {
    const confirm = { type: 'SubscriptionConfirmation' }
    assert.equal((await ses({ ...confirm, topic: 'arn:aws:sns:eu-central-1:666:evil' })).status, 401)
    assert.deepEqual(confirmed(), [])
    assert.equal((await ses(confirm)).status, 200)
    assert.deepEqual(confirmed(), ['/?Action=ConfirmSubscription'])
    assert.equal((await ses({ type: 'UnsubscribeConfirmation' })).status, 200)
    assert.equal(confirmed().length, 1)
  })
})

describe('events of a mail', () => {
  it('told twice, by many at once, count once', async () => {
    const mail = await sent()
    const opened = { type: 'opened', message_id: `<${mail.messageId}>`, id: 'open-1' }
    const events = [opened, opened, { ...opened, id: 'open-2' }, { type: 'delivered', message_id: mail.messageId }]
    const replies = await Promise.all(Array.from({ length: 8 }, () => generic({ events })))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const { status, open_count } = await shown(mail)
    assert.deepEqual([status, open_count, (await types(mail)).sort()], ['delivered', 2, ['delivered', 'opened', 'opened']])
  })

  it('in any order come to the same', async () => {
    const story = ['deferred', 'delivered', 'opened', 'clicked', 'bounced'].map((type) => ({ type, recipient: 'to@x.test' }))
    const orders = [story, story.toReversed(), [story[4], story[1], story[0], story[3], story[2]]]
    const ends = []
    for (const order of orders) {
      const mail = await sent()
      for (const event of order) await generic({ ...event, message_id: mail.messageId, occurred_at: NOW })
      const { status, open_count, click_count, events } = await shown(mail)
      ends.push({ status, open_count, click_count, count: events.length })
    }
    assert.deepEqual(ends, Array(3).fill({ status: 'bounced', open_count: 1, click_count: 1, count: 5 }))
  })

  it('find it by our own id before the provider’s is stored, and sending doesn’t undo them', async () => {
    const uuid = await inPublic(originOf(world.services), 'write', (ctx) =>
      sendMail(ctx, { type: 'test.sent', to: ['to@x.test'], subject: 'x', html: 'x', text: 'x' }, acme.id),
    )
    await postmark({ RecordType: 'Delivery', MessageID: 'not yet known', Metadata: { atrium_mail: uuid } })
    assert.equal((await shown({ uuid })).status, 'delivered')
    await world.drain()
    assert.equal((await shown({ uuid })).status, 'delivered')
  })

  it('are kept as the settings say, with sensible instants, at most 200 of one mail', async () => {
    await configure({ mail_webhook_events: ['bounced', 'opened'] })
    const mail = await sent()
    await generic({ events: ['delivered', 'clicked', 'deferred'].map((type) => ({ type, message_id: mail.messageId })) })
    assert.deepEqual([(await shown(mail)).status, await types(mail)], ['sent', []])
    for (const occurred_at of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])
      await generic({ type: 'opened', message_id: mail.messageId, id: occurred_at, occurred_at })
    assert.deepEqual(new Set((await shown(mail)).events.map((one: { occurred_at: string }) => one.occurred_at)), new Set([NOW]))
    for (let batch = 0; batch < 3; batch++)
      await generic({
        events: Array.from({ length: 100 }, (_, n) => ({ type: 'opened', message_id: mail.messageId, id: `${batch}-${n}` })),
      })
    const { open_count, events } = await shown(mail)
    assert.deepEqual([open_count, events.length], [200, 100])
  })

  it('of a workspace’s address touch that workspace’s mails and no other’s', async () => {
    const [mine, theirs, platforms] = [await sent(acme), await sent(other), await sent({ id: 0 })]
    const events = [mine, theirs, platforms].map(({ messageId }) => ({ type: 'delivered', message_id: messageId }))
    for (const path of [`generic/${acme.slug}`, 'generic/nobody']) assert.equal((await generic({ events }, { path })).status, 200)
    const statuses = () => Promise.all([mine, theirs, platforms].map(async (mail) => (await shown(mail)).status))
    assert.deepEqual(await statuses(), ['delivered', 'sent', 'sent'])
    await generic({ events })
    assert.deepEqual(await statuses(), ['delivered', 'delivered', 'delivered'])
  })

  it('never reach a mail that was only logged', async () => {
    const mail = await sent(acme, { provider: 'log' })
    await generic({ type: 'bounced', message_id: mail.messageId })
    assert.equal((await shown(mail)).status, 'sent')
  })
})

describe('a hard bounce', () => {
  const bounced = (mail: { messageId: string }, recipient: string, id: string) =>
    generic({ type: 'bounced', permanent: true, message_id: mail.messageId, recipient, id, detail: '550 <b>No</b> such user' })
  const told = async (email: string) => (await mailsTo(world, email)).filter((mail) => mail.notification_type === 'mail.bounced')

  it('is told to whoever sent the mail, once for each address, with what the other side said', async () => {
    await configure({ date_format: 'D MMMM YYYY', time_format: 'h:mm A' })
    const mail = await sent(acme, { to: ['gone@x.test', 'lost@x.test'], by: acme.owner.id })
    await world.sql(`UPDATE email_logs SET sent_at = '2026-11-21T08:05:00Z' WHERE uuid = $1`, [mail.uuid])
    for (const id of ['1', '1', '2']) await bounced(mail, 'gone@x.test', id)
    await generic({ type: 'bounced', permanent: false, message_id: mail.messageId, recipient: 'full@x.test' })
    const [letter, ...more] = await told(acme.owner.email)
    assert.deepEqual([Number(letter!.tenant_id), letter!.subject, more.length], [acme.id, 'Not delivered: Offer 7', 0])
    assert.match(
      letter!.body_text,
      /gone@x\.test does not exist[\s\S]*Sent: 21 November 2026 8:05 AM \(UTC\)[\s\S]*550 <b>No<\/b> such user/,
    )
    const [{ body_html }] = await world.sql(`SELECT body_html FROM email_logs WHERE notification_type = 'mail.bounced'`)
    assert.ok(body_html.includes('&lt;b&gt;No'))
    await bounced(mail, 'lost@x.test', '3')
    assert.equal((await told(acme.owner.email)).length, 2)
  })

  it('of the platform’s own mail is told to the operator who sent it', async () => {
    const { id, email } = await operator(world, [])
    await bounced(await sent({ id: 0 }, { by: id }), 'gone@x.test', '1')
    assert.equal((await told(email)).length, 1)
  })

  it('is told to nobody who is gone, and never in a circle', async () => {
    const user = await acme.user([], 'Gone Soon')
    const mail = await sent(acme, { by: user.id })
    await world.sql('UPDATE users SET suspended_at = now() WHERE tenant_id = $1 AND id = $2', [acme.id, user.id])
    await bounced(mail, 'gone@x.test', '1')
    assert.equal((await told(user.email)).length, 0)
    const count = async () => (await world.sql(`SELECT 1 FROM email_logs WHERE notification_type = 'mail.bounced'`)).length
    const before = await count()
    await world.sql(
      `UPDATE email_logs SET provider = 'smtp', provider_message_id = uuid::text WHERE notification_type = 'mail.bounced'`,
    )
    const [letter] = await world.sql(`SELECT uuid FROM email_logs WHERE notification_type = 'mail.bounced' LIMIT 1`)
    await bounced({ messageId: letter.uuid }, acme.owner.email, '1')
    assert.equal(await count(), before)
  })

  it('names the user of a workspace whose deed the mail was', async () => {
    const session = await systemSession(world.services, acme.id)
    const actor = { ...session.actor, id: acme.owner.id }
    const uuid = await inWorkspace(originOf(world.services), { ...session, actor }, 'write', (ctx) =>
      sendMail(ctx, { type: 'test.sent', to: ['to@x.test'], subject: 'x', html: 'x', text: 'x' }),
    )
    const again = (await admin.post(`/email-logs/${uuid}/resend`)).body.data.uuid
    const rows = await world.sql('SELECT sent_by::int FROM email_logs WHERE uuid = ANY ($1)', [[uuid, again]])
    assert.deepEqual(rows, [{ sent_by: acme.owner.id }, { sent_by: acme.owner.id }])
  })
})

it('the secret of the webhooks is in no line of the log and in no reply', async () => {
  const replies = [
    await postmark({ RecordType: 'Delivery' }, `postmark?token=${SECRET}`, {}),
    await postmark({ RecordType: SECRET }),
    await post(`postmark/${SECRET}?token=${SECRET}`, '{', basic()),
    await admin.get('/system-settings'),
  ]
  assert.ok(lines.length > 50)
  for (const text of [...lines, ...replies.map(({ raw }) => raw.toString())]) assert.ok(!text.includes(SECRET), text)
})
