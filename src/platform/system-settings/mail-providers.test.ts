/** Tests of mail through each provider's wire format, with stand-in servers. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { inPublic, originOf } from '#kernel/context.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import type { Mail } from '#kernel/mail/mail-log.ts'
import { startTest } from '#test/harness.ts'
import { credentials, mailProviders } from '#test/mail-providers.ts'
import { operator } from '#test/operator.ts'

const lines: string[] = []
const providers = await mailProviders()
const inbox: { mail: string; user: string | undefined }[] = []
const peer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth: ({ username, password }, _, done) =>
    password === 'smtp-password-9i0j' ? done(null, { user: username }) : done(new Error(`5.7.8 ${password} is not right`)),
  onData(stream, { user }, done) {
    let mail = ''
    stream.on('data', (chunk) => (mail += chunk))
    stream.on('end', () => {
      inbox.push({ mail, user: user as string | undefined })
      done()
    })
  },
})
await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
after(() => new Promise<void>((resolve) => peer.close(resolve)))
const smtp_port = (peer.server.address() as AddressInfo).port
const world = await startTest({
  log: (line) => void lines.push(line),
  env: { ...providers.env, SMTP_URL: `smtp://127.0.0.1:${smtp_port}`, MAIL_FROM: 'env@atrium.test' },
})
const { admin } = world
const put = async (settings: object) => assert.equal((await admin.put('/system-settings', { settings })).status, 200)
const test = async () => {
  await world.sql('TRUNCATE rate_limits')
  return admin.post('/system-settings/test-mail', { email: 'ops@x.test' })
}
const logged = async (uuid: string) => (await admin.get(`/email-logs/${uuid}`)).body.data
const mail: Mail = {
  type: 'test.sent',
  to: ['one@x.test', 'two@x.test'],
  cc: ['cc@x.test'],
  bcc: ['bcc@x.test'],
  replyTo: 'reply@x.test',
  subject: 'Rechnung für Zoë',
  html: '<p>Grüße</p>',
  text: 'Grüße',
  attachments: [{ name: 'a "1".pdf', mime: 'application/pdf', content: Buffer.from([0, 1, 2, 255]) }],
}
/** Sends a mail through the queue. Returns its uuid and the stand-in's received data. */
async function sent() {
  const uuid = await inPublic(originOf(world.services), 'write', (ctx) => sendMail(ctx, mail))
  await world.drain()
  return { uuid, row: await messageIdOf(uuid), taken: providers.taken.at(-1)! }
}
const messageIdOf = async (uuid: string) =>
  (await world.sql('SELECT status, provider, provider_message_id AS id FROM email_logs WHERE uuid = $1', [uuid]))[0]

beforeEach(async () => {
  providers.refuse(undefined)
  providers.taken.length = inbox.length = 0
  await world.sql('TRUNCATE platform_settings, rate_limits')
})

describe('a test mail', () => {
  it('is sent by those who may change settings, to one address (SET-02)', async () => {
    const lister = await operator(world, ['system-settings.list'])
    assert.equal((await world.central().post('/system-settings/test-mail', { email: 'a@x.test' })).status, 401)
    assert.equal((await lister.post('/system-settings/test-mail', { email: 'a@x.test' })).status, 403)
    for (const email of [undefined, '', 'nobody', 'a@x.test, b@x.test', 'a@x.test\r\nBcc: b@x.test', ['a@x.test']]) {
      const { status, body } = await admin.post('/system-settings/test-mail', { email })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['email']])
    }
    assert.equal(inbox.length + providers.taken.length, 0)
  })

  it('goes out at once and is logged with the id that the provider gave it', async () => {
    await put({ ...credentials, mail_provider: 'postmark', app_name: 'Nordlicht', timezone: 'Asia/Tokyo', date_format: 'D.M.YY' })
    world.clock.set('2026-11-21T20:00:00.000Z')
    const { status, body } = await test()
    world.clock.set(undefined)
    assert.equal(status, 200)
    const [taken] = providers.taken
    assert.deepEqual([body.data.provider, body.data.message_id], ['postmark', taken!.messageId])
    assert.partialDeepStrictEqual(taken!.body, { From: '"Nordlicht" <env@atrium.test>', Subject: 'Test mail – Nordlicht' })
    assert.match(taken!.body.TextBody, /Sent: 22\.11\.26 05:00 \(Asia\/Tokyo\)/)
    const entry = await logged(body.data.email_log_uuid)
    assert.deepEqual([entry.status, entry.notification_type, entry.to], ['sent', 'system.test_mail', ['ops@x.test']])
  })

  it('says in the provider’s own words why it was not taken, and what is missing', async () => {
    const refused = async (words: RegExp) => {
      const { status, body } = await test()
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['mail_provider']])
      assert.match(body.errors!.mail_provider![0]!, words)
    }
    for (const { mail_provider, missing } of [
      { mail_provider: 'postmark', missing: /postmark_token/ },
      { mail_provider: 'mailgun', missing: /mailgun_domain/ },
      { mail_provider: 'ses', missing: /ses_region/ },
    ] as const) {
      await put({ mail_provider })
      await refused(missing)
    }
    await put({
      ...credentials,
      mailgun_api_key: 'wrong-key-000',
      postmark_token: 'wrong-token-000',
      ses_access_key_id: 'AKIAWRONG',
    })
    for (const { mail_provider, words } of [
      { mail_provider: 'postmark', words: /Postmark refused the mail \(401\): No Account or Server API tokens/ },
      { mail_provider: 'mailgun', words: /Mailgun refused the mail \(401\): Invalid private key/ },
      { mail_provider: 'ses', words: /Amazon SES refused the mail: .*The security token is invalid/ },
    ] as const) {
      await put({ mail_provider })
      await refused(words)
    }
    const [last] = await world.sql(`SELECT status, error FROM email_logs ORDER BY id DESC LIMIT 1`)
    assert.equal(last.status, 'failed')
    assert.match(last.error, /security token/)
    await put({ mail_provider: 'smtp', smtp_host: '127.0.0.1', smtp_port: 1, smtp_encryption: 'none' })
    await refused(/mail server could not be given the mail: .*ECONNREFUSED/)
    providers.refuse({ status: 200, body: () => 'a page, no JSON' })
    await put({ mail_provider: 'postmark' })
    await refused(/a page, no JSON/)
    providers.refuse({ status: 302, body: () => '', headers: { location: 'http://169.254.169.254/' } })
    await refused(/can't be reached/)
  })

  it('tells of a secret that was encrypted under another key as of a missing one', async () => {
    await put({ ...credentials, mail_provider: 'postmark' })
    await world.sql(`UPDATE platform_settings SET sealed = decode(repeat('00', 60), 'hex') WHERE key = 'postmark_token'`)
    const { status, body } = await test()
    assert.equal(status, 422)
    assert.match(body.errors!.mail_provider![0]!, /postmark_token is missing/)
    assert.ok(lines.some((line) => line.includes('another APP_KEY')))
  })

  it('is kept in the log where nobody delivers, whatever the environment says', async () => {
    await put({ mail_provider: 'log' })
    const { body } = await test()
    assert.partialDeepStrictEqual(body.data, { provider: 'log', message_id: null })
    assert.equal(inbox.length, 0)
  })
})

describe('a mail', () => {
  it('goes by SMTP_URL until a provider is set', async () => {
    const { row } = await sent()
    assert.deepEqual([row.provider, inbox.length, providers.taken.length], ['smtp', 1, 0])
  })

  it('goes by the SMTP server of the settings, with its account', async () => {
    const smtp = { mail_provider: 'smtp', smtp_host: '127.0.0.1', smtp_port, smtp_encryption: 'none', smtp_username: 'atrium' }
    await put({
      ...smtp,
      smtp_password: 'smtp-password-9i0j',
      mail_from_address: 'mail@nordlicht.test',
      mail_from_name: 'Nord, Licht',
    })
    const { row, uuid } = await sent()
    assert.deepEqual([row.status, row.provider, inbox[0]!.user], ['sent', 'smtp', 'atrium'])
    assert.match(inbox[0]!.mail, /^From: "Nord, Licht" <mail@nordlicht\.test>\r$/m)
    assert.match(inbox[0]!.mail, new RegExp(`^X-Atrium-Mail: ${uuid}`, 'm'))
    await put({ smtp_encryption: 'starttls' })
    const { body } = await test()
    assert.match(body.errors!.mail_provider![0]!, /STARTTLS/i, 'never in plain text where that is not asked for')
  })

  it('goes to Postmark as its JSON', async () => {
    await put({ ...credentials, mail_provider: 'postmark', mail_from_name: 'Nord "Licht"' })
    const { taken, uuid, row } = await sent()
    assert.deepEqual(taken.body, {
      From: '"Nord \\"Licht\\"" <env@atrium.test>',
      To: 'one@x.test,two@x.test',
      Cc: 'cc@x.test',
      Bcc: 'bcc@x.test',
      ReplyTo: 'reply@x.test',
      Subject: 'Rechnung für Zoë',
      HtmlBody: '<p>Grüße</p>',
      TextBody: 'Grüße',
      MessageStream: 'outbound',
      Headers: [
        { Name: 'Auto-Submitted', Value: 'auto-generated' },
        { Name: 'X-Atrium-Mail', Value: uuid },
      ],
      Metadata: { atrium_mail: uuid },
      Attachments: [{ Name: 'a "1".pdf', ContentType: 'application/pdf', Content: 'AAEC/w==' }],
    })
    assert.deepEqual(row, { status: 'sent', provider: 'postmark', id: taken.messageId })
  })

  it('goes to Mailgun as its form, the message id without brackets', async () => {
    await put({ ...credentials, mail_provider: 'mailgun' })
    const { taken, uuid, row } = await sent()
    const { attachment, ...fields } = taken.body
    assert.deepEqual(fields, {
      from: ['"Atrium" <env@atrium.test>'],
      to: ['one@x.test', 'two@x.test'],
      cc: ['cc@x.test'],
      bcc: ['bcc@x.test'],
      subject: ['Rechnung für Zoë'],
      html: ['<p>Grüße</p>'],
      text: ['Grüße'],
      'h:Reply-To': ['reply@x.test'],
      'h:Auto-Submitted': ['auto-generated'],
      'h:X-Atrium-Mail': [uuid],
      'v:atrium_mail': [uuid],
    })
    assert.deepEqual([...Buffer.from(await attachment[0].arrayBuffer())], [0, 1, 2, 255])
    assert.deepEqual(row, { status: 'sent', provider: 'mailgun', id: taken.messageId })
    assert.doesNotMatch(row.id, /[<>]/)
  })

  it('goes to Amazon SES as raw MIME, signed by its client', async () => {
    await put({ ...credentials, mail_provider: 'ses', ses_configuration_set: 'atrium' })
    const { taken, uuid, row } = await sent()
    assert.match(taken.headers.authorization!, /\/eu-central-1\/ses\/aws4_request/)
    const { raw, Destination, ConfigurationSetName, EmailTags } = taken.body
    assert.deepEqual([ConfigurationSetName, EmailTags], ['atrium', [{ Name: 'atrium_mail', Value: uuid }]])
    assert.deepEqual(Destination.ToAddresses.sort(), ['bcc@x.test', 'cc@x.test', 'one@x.test', 'two@x.test'])
    assert.ok(!raw.includes('bcc@x.test') && raw.includes(`X-Atrium-Mail: ${uuid}`) && raw.includes('AAEC/w=='))
    assert.deepEqual(row, { status: 'sent', provider: 'ses', id: taken.messageId })
  })

  it('waits in the queue while its provider refuses, and goes out by the one that is set by then', async () => {
    await put({ ...credentials, mail_provider: 'postmark' })
    providers.refuse({ status: 500, body: () => ({ Message: 'Napping' }) })
    const { uuid, row } = await sent()
    assert.equal(row.status, 'queued')
    providers.refuse(undefined)
    await put({ mail_provider: 'mailgun' })
    await world.sql(`UPDATE pgboss.job SET start_after = statement_timestamp() WHERE state = 'retry'`)
    await world.drain()
    assert.deepEqual([(await messageIdOf(uuid)).provider, providers.taken.length], ['mailgun', 1])
  })
})

describe('a secret of a provider', () => {
  it('is in no log line, no reply, no table and no job, even if the provider repeats it', async () => {
    const secrets = {
      postmark_token: 'planted-postmark-1',
      mailgun_api_key: 'planted-mailgun-2',
      ses_secret_access_key: 'planted-ses-3',
    }
    await put({ ...credentials, ...secrets, smtp_password: 'planted-smtp-4', mail_webhook_secret: 'planted-hook-5' })
    const said: string[] = []
    providers.refuse({ status: 400, body: (headers) => ({ Message: `What is ${JSON.stringify(headers)}?`, ...secrets }) })
    const smtp = { smtp_host: '127.0.0.1', smtp_port, smtp_encryption: 'none', smtp_username: 'atrium' }
    for (const mail_provider of ['postmark', 'mailgun', 'ses', 'smtp']) {
      await put({ mail_provider, ...smtp })
      const tested = await test()
      assert.equal(tested.status, 422)
      await sent()
      said.push(tested.raw.toString())
    }
    for (const path of ['/system-settings', '/email-logs', '/public/settings']) said.push((await admin.get(path)).raw.toString())
    const tables = await world.sql(
      `SELECT (SELECT json_agg(l)::text FROM email_logs l) || (SELECT json_agg(j)::text FROM pgboss.job j)
        || (SELECT json_agg(a)::text FROM audit_logs a) || (SELECT json_agg(s)::text FROM platform_settings s) AS text`,
    )
    const everything = [...said, ...lines, ...tables.map(({ text }) => text)].join('\n')
    assert.ok(lines.length > 20)
    for (const secret of ['planted', ...Object.values(secrets).map((one) => Buffer.from(`api:${one}`).toString('base64'))])
      assert.ok(!everything.includes(secret), everything.slice(Math.max(0, everything.indexOf(secret) - 200)).slice(0, 400))
    assert.match(everything, /•••/)
  })
})
