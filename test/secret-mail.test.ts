/** Mails with secrets, in the log and in transit; limits of mail per cause. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { inPublic, originOf } from '#kernel/context.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { plainName } from '#kernel/mail/names.ts'
import { sweep } from '#kernel/process/sweep.ts'
import { PASSWORD, startTest } from './harness.ts'
import { mailedToken, operator } from './operator.ts'

const inbox: string[] = []
let refuses = false
const peer = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  onData(stream, _, done) {
    let text = ''
    stream.on('data', (chunk) => (text += chunk))
    stream.on('end', () => {
      if (refuses) return done(Object.assign(new Error('5.1.1 No'), { responseCode: 550 }))
      inbox.push(text)
      done()
    })
  },
})
await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
after(() => new Promise<void>((resolve) => peer.close(resolve)))
const { port } = peer.server.address() as AddressInfo
const logging = await startTest()
const sending = await startTest({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
type World = typeof logging
beforeEach(() => {
  inbox.length = 0
  refuses = false
})

const forgot = async (world: World, email: string) => {
  await world.sql('DELETE FROM rate_limits')
  await world.central().post('/auth/forgot-password', { email })
}
const logged = async (world: World, email: string) =>
  (
    await world.sql(
      'SELECT uuid, id::int, tenant_id::int, status, subject, body_html, body_text, sealed, error FROM email_logs WHERE $1 = ANY ("to") ORDER BY id DESC',
      [email],
    )
  )[0]

describe('a mail with a secret', () => {
  it('is masked in the log, whole in the post, and then nowhere', async () => {
    const { email } = await operator(sending, [])
    await forgot(sending, email)
    await sending.drain()
    const [, token] = /reset-password#([\w-]{43})/.exec(inbox[0]!.replaceAll('=\r\n', '').replaceAll('=3D', '='))!
    const mail = await logged(sending, email)
    assert.deepEqual([mail.status, mail.sealed.length], ['sent', 0])
    assert.ok(!JSON.stringify(mail).includes(token!))
    const shown = await sending.admin.get(`/email-logs/${mail.uuid}`)
    assert.match(shown.body.data.body_text, /reset-password#•+/)
    assert.ok(!JSON.stringify(shown.body).includes(token!))
    const reset = { email, token, password: PASSWORD, password_confirmation: PASSWORD }
    assert.equal((await sending.central().post('/auth/reset-password', reset)).status, 200)
  })

  it('keeps nothing readable in the tables while it waits', async () => {
    const { email } = await operator(logging, [])
    await forgot(logging, email)
    const token = await mailedToken(logging, 'auth.reset_password', email)
    assert.match(token, /^[\w-]{43}$/)
    const tables = await logging.sql(`SELECT json_agg(l)::text AS text FROM email_logs l`)
    const jobs = await logging.sql(`SELECT json_agg(j)::text AS text FROM pgboss.job j`)
    assert.ok(![...tables, ...jobs].some(({ text }) => text.includes(token)))
  })

  it('is forgotten when it could not be delivered, and after a week where nothing delivers', async () => {
    refuses = true
    const { email } = await operator(sending, [])
    await forgot(sending, email)
    for (let n = 0; n < 8; n++) {
      await sending.sql(`UPDATE pgboss.job SET start_after = statement_timestamp() WHERE state = 'retry'`)
      await sending.drain()
    }
    const failed = await logged(sending, email)
    assert.deepEqual([failed.status, failed.sealed.length], ['bounced', 0])

    const kept = await operator(logging, [])
    await forgot(logging, kept.email)
    await logging.drain()
    const ages = async (days: number) => {
      logging.clock.set(new Date(Date.parse(logging.clock.now()) + days * 24 * 3_600_000).toISOString())
      await sweep.handle(logging.services, { data: {} }, { signal: AbortSignal.timeout(10_000), module: undefined })
      logging.clock.set(undefined)
      return (await logged(logging, kept.email)).sealed.length
    }
    assert.ok((await ages(6)) > 0)
    assert.equal(await ages(8), 0)
  })

  it('is read whole by a superadmin where nothing delivers, and nowhere else, and each reading is audited', async () => {
    const acme = await logging.workspace({ modules: [] })
    const reader = await operator(logging, ['email-logs.read', 'email-logs.list'])
    const tokens: [string, number][] = [['', 0]]
    await forgot(logging, reader.email)
    tokens[0]![0] = await mailedToken(logging, 'auth.reset_password', reader.email)
    await acme.owner.post('/users', { name: 'Ida', email: 'ida@invited.test' })
    tokens.push([await mailedToken(logging, 'auth.invitation', 'ida@invited.test'), acme.id])
    for (const [token, tenant] of tokens) {
      const mail = await logged(logging, tenant ? 'ida@invited.test' : reader.email)
      assert.ok(!JSON.stringify((await reader.get(`/email-logs/${mail.uuid}`)).body).includes(token))
      assert.ok(!JSON.stringify((await logging.admin.get('/email-logs')).body).includes(token))
      const audits = () =>
        logging.sql(`SELECT tenant_id::int, actor_type, properties FROM audit_logs WHERE event = 'secret_mail_read' ORDER BY id`)
      const count = (await audits()).length
      const whole = (await logging.admin.get(`/email-logs/${mail.uuid}`)).body.data
      assert.ok(whole.body_text.includes(token) && whole.body_html.includes(token))
      const [entry, ...more] = (await audits()).slice(count)
      assert.deepEqual(
        [entry.tenant_id, entry.actor_type, entry.properties.uuid, more.length],
        [tenant, 'platform_user', mail.uuid, 0],
      )
    }
    const seen = (await acme.owner.get('/audit-logs', { query: { event: 'secret_mail_read' } })).body.data
    assert.deepEqual([seen.length, seen[0].actor.type], [1, 'platform_user'])
  })

  it('is read whole by no key of a superadmin', async () => {
    const { email } = await operator(logging, [])
    await forgot(logging, email)
    const token = await mailedToken(logging, 'auth.reset_password', email)
    const { uuid } = await logged(logging, email)
    for (const scopes of [['email-logs.read'], ['*']]) {
      const made = (await logging.admin.post('/api-keys', { name: 'Log', scopes })).body.data
      logging.secret(made.key)
      const { status, body } = await logging.central(made.key).get(`/email-logs/${uuid}`)
      assert.equal(status, 200)
      assert.match(body.data.body_text, /reset-password#•+/)
      assert.ok(!JSON.stringify(body).includes(token))
    }
  })

  it('is never sent again from the log', async () => {
    for (const world of [logging, sending]) {
      const { email } = await operator(world, [])
      await forgot(world, email)
      await world.drain()
      const { uuid } = await logged(world, email)
      const { status, body } = await world.admin.post(`/email-logs/${uuid}/resend`)
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['email_log']])
    }
    const marked = await inPublic(originOf(logging.services), 'write', (ctx) =>
      sendMail(ctx, {
        type: 'contract.sent',
        to: ['x@x.test'],
        subject: 'x',
        html: 'see s3cret',
        text: 's3cret',
        secrets: ['s3cret'],
      }),
    )
    assert.equal((await logging.admin.post(`/email-logs/${marked}/resend`)).status, 422)
  })
})

describe('names of strangers in mails', () => {
  it('are one short line without links', () => {
    for (const { name, plain } of [
      { name: 'Zoë Weiß', plain: 'Zoë Weiß' },
      { name: "Conan O'Brien & Søn", plain: "Conan O'Brien & Søn" },
      { name: 'J. R. Smith', plain: 'J. R. Smith' },
      { name: 'You won!\r\nGo to https://evil.example/win?x=1', plain: 'You won! Go to https evil example win?x=1' },
      { name: 'www.evil.example', plain: 'www evil example' },
      { name: 'ｅｖｉｌ．example', plain: 'evil example' },
      { name: 'a\u202eb\u200bc', plain: 'abc' },
      { name: 'mail me@evil.example', plain: 'mail me evil example' },
    ])
      assert.equal(plainName(name!), plain)
    assert.equal(plainName('x'.repeat(300)).length, 60)
    assert.equal(plainName('\u{1f600}'.repeat(300)), '\u{1f600}'.repeat(60))
  })

  it('are so in registrations and invitations', async () => {
    const company_name = 'Claim at https://evil.example/prize'
    const person = { owner_name: 'Dear\nwinner www.evil.example', email: 'victim@x.test' }
    const sent = { company_name, ...person, password: PASSWORD, password_confirmation: PASSWORD }
    assert.equal((await logging.central().post('/public/register-workspace', sent)).status, 201)
    await logging.drain()
    const mail = await logged(logging, 'victim@x.test')
    assert.doesNotMatch([mail.subject, mail.body_text, mail.body_html].join(), /evil\.example/)
    assert.match(mail.body_text, /Hello Dear winner www evil example,/)
  })
})

describe('the pace of mail', () => {
  const send = (world: World, to: string, ip = '', tenantId = 0) => {
    const origin = originOf(world.services)
    return inPublic({ ...origin, request: { ...origin.request, ip } }, 'write', (ctx) =>
      sendMail(ctx, { type: 'test.sent', to: [to], subject: 'x', html: 'x', text: 'x' }, tenantId),
    )
  }
  const waiting = async () =>
    (
      await sending.sql(
        `SELECT round(extract(epoch from start_after - created_on))::int AS wait FROM pgboss.job WHERE name = 'mail-deliver' AND state = 'created' ORDER BY start_after`,
      )
    ).map(({ wait }) => wait)

  it('is thirty an hour to one address; more waits in the queue, none is refused', async () => {
    await sending.sql('DELETE FROM rate_limits')
    sending.clock.set('2027-05-01T10:00:00.000Z')
    for (let n = 0; n < 32; n++) await send(sending, 'flooded@x.test')
    await sending.drain()
    assert.equal(inbox.length, 30)
    const waits = await waiting()
    assert.deepEqual(waits, [120, 240])
    await sending.sql(`UPDATE pgboss.job SET start_after = statement_timestamp() WHERE state = 'created'`)
    await sending.drain()
    assert.equal(inbox.length, 32, 'each has its turn')
    await send(sending, 'somebody@x.test')
    await sending.drain()
    assert.equal(inbox.length, 33)
  })

  it('counts a mail nowhere that it refuses', async () => {
    await sending.sql('DELETE FROM rate_limits')
    sending.clock.set('2027-05-01T18:00:00.000Z')
    const once = async () => {
      await send(sending, 'full@x.test', '203.0.113.8')
      await sending.drain()
    }
    await once()
    // The recipient's counter is the one that expires last.
    await sending.sql('UPDATE rate_limits SET expire = $1 WHERE expire = (SELECT max(expire) FROM rate_limits)', [
      Date.parse('2027-05-02T19:00:00Z'),
    ])
    const counted = () => sending.sql('SELECT key, expire FROM rate_limits ORDER BY key')
    const before = await counted()
    assert.equal(before.length, 3)
    await once()
    assert.deepEqual(await counted(), before)
    const statuses = await sending.sql(`SELECT status FROM email_logs WHERE 'full@x.test' = ANY ("to") ORDER BY id`)
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ['sent', 'failed'],
    )
  })

  it('comes slower where many workspaces write to its recipient, by four hours at most', async () => {
    await sending.sql('DELETE FROM rate_limits')
    await sending.sql(`DELETE FROM pgboss.job WHERE state = 'created'`)
    sending.clock.set('2027-05-01T20:00:00.000Z')
    await send(sending, 'bombed@x.test')
    await sending.drain()
    const [ofAll] = await sending.sql('SELECT key FROM rate_limits ORDER BY expire LIMIT 1') // the counter of all mail expires first
    for (const full of ['2027-05-01T23:00:00Z', '2027-05-02T06:00:00Z']) {
      await sending.sql('UPDATE rate_limits SET expire = $1 WHERE key = $2', [Date.parse(full), ofAll.key])
      await send(sending, 'bombed@x.test')
      await sending.drain()
    }
    assert.deepEqual(await waiting(), [2 * 3600 + 12, 4 * 3600])
    const before = inbox.length
    await sending.sql(`UPDATE pgboss.job SET start_after = statement_timestamp() WHERE state = 'created'`)
    await sending.drain()
    assert.equal(inbox.length, before + 2)
  })

  it('is counted by sender and by workspace too, and nothing waits longer than a day', async () => {
    const { id } = await sending.workspace({ modules: [] })
    sending.clock.set('2027-05-02T10:00:00.000Z')
    const full = (key: string, hours: number) =>
      sending
        .sql(`UPDATE rate_limits SET expire = $1 WHERE key LIKE 'mail:%'`, [
          Date.parse('2027-05-02T10:00:00Z') + hours * 3_600_000,
        ])
        .then(() => key)
    for (const { to, ip, tenant } of [
      { to: 'a@x.test', ip: '203.0.113.9', tenant: 0 },
      { to: 'b@x.test', ip: '', tenant: id },
    ] as const) {
      await sending.sql('DELETE FROM rate_limits')
      await send(sending, to, ip, tenant)
      await sending.drain()
      await full(to, 2)
      const before = inbox.length
      await send(sending, `other.${to}`, ip, tenant)
      await sending.drain()
      assert.deepEqual([inbox.length, (await waiting()).length], [before, 1])
      await sending.sql(`DELETE FROM pgboss.job WHERE state = 'created'`)
      await full(to, 30)
      await send(sending, `late.${to}`, ip, tenant)
      await sending.drain()
      assert.deepEqual([inbox.length, (await logged(sending, `late.${to}`)).error], [before, 'Too many mails at once'])
      sending.clock.set('2027-05-03T11:00:00.000Z')
      await send(sending, `next.${to}`, ip, tenant)
      await sending.drain()
      assert.equal(inbox.length, before + 1, 'however large the flood was, it is over after a day')
      sending.clock.set('2027-05-02T10:00:00.000Z')
    }
  })
})
