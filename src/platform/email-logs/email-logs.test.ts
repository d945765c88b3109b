import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { inPublic, originOf } from '#kernel/context.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import type { Mail } from '#kernel/mail/mail-log.ts'
import { startTest, type Workspace } from '#test/harness.ts'
import { operator } from '#test/operator.ts'

const world = await startTest()
const { admin } = world
let acme: Workspace
const log = (mail: Partial<Mail>, tenantId = 0) =>
  inPublic(originOf(world.services), 'write', (ctx) =>
    sendMail(ctx, { type: 'test.sent', to: ['to@x.test'], subject: 'Hello', html: '<p>Hi</p>', text: 'Hi', ...mail }, tenantId),
  )
const subjects = async (query: Record<string, string | number>) =>
  (await admin.get('/email-logs', { query })).body.data.map((mail: { subject: string }) => mail.subject)

before(async () => {
  acme = await world.workspace({ modules: [] })
})

describe('the e-mail log', () => {
  it('lists mail of the platform and of every workspace, without bodies (SET-13)', async () => {
    await log({ subject: 'From the platform', cc: ['cc@x.test'], bcc: ['bcc@x.test'] })
    await log({ subject: 'From Acme', type: 'vendor.told' }, acme.id)
    const { status, body } = await admin.get('/email-logs', { query: { search: 'from' } })
    assert.equal(status, 200)
    assert.equal(body.meta.total, 2)
    const [mine, platforms] = body.data
    assert.partialDeepStrictEqual(mine, {
      tenant_id: acme.id,
      tenant: { id: acme.id, slug: acme.slug },
      notification_type: 'vendor.told',
    })
    const { uuid, created_at, ...rest } = platforms
    assert.deepEqual(rest, {
      tenant_id: null,
      tenant: null,
      to: ['to@x.test'],
      cc: ['cc@x.test'],
      bcc: ['bcc@x.test'],
      subject: 'From the platform',
      notification_type: 'test.sent',
      status: 'queued',
      display_status: 'queued',
      provider: null,
      sent_at: null,
    })
  })

  it('says of a mail that nobody delivers that it is kept', async () => {
    await log({ subject: 'Kept here' })
    await world.drain()
    const { data } = (await admin.get('/email-logs', { query: { search: 'Kept here' } })).body
    assert.partialDeepStrictEqual(data, [{ status: 'sent', display_status: 'kept', provider: 'log' }])
  })

  it('is searched, sorted and filtered', async () => {
    await log({ subject: 'B listed', to: ['bob@there.test'] }, acme.id)
    await world.drain()
    await log({ subject: 'A listed', type: 'other.type' })
    assert.deepEqual(await subjects({ search: 'listed' }), ['A listed', 'B listed'])
    assert.deepEqual(await subjects({ search: 'listed', sort: 'subject', direction: 'desc' }), ['B listed', 'A listed'])
    assert.deepEqual(await subjects({ search: 'OTHER.TYPE' }), ['A listed'])
    assert.deepEqual(await subjects({ search: 'Bob@There' }), ['B listed'])
    assert.deepEqual(await subjects({ search: 'listed', status: 'queued' }), ['A listed'])
    assert.deepEqual(await subjects({ search: 'listed', status: 'sent' }), ['B listed'])
    assert.deepEqual(await subjects({ search: 'listed', tenant_id: acme.id }), ['B listed'])
    assert.deepEqual(await subjects({ notification_type: 'other.type' }), ['A listed'])
    assert.deepEqual(await subjects({ search: 'listed', per_page: 1, page: 2 }), ['B listed'])
    for (const [name, value] of [
      ['sort', 'body_html'],
      ['status', 'lost'],
      ['tenant_id', 'acme'],
    ] as const) {
      const { status, body } = await admin.get('/email-logs', { query: { [name]: value } })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, [name]])
    }
  })

  it('shows one mail with its bodies (SET-13)', async () => {
    const uuid = await log({ html: '<b>bold</b>', text: 'plain' }, acme.id)
    const { status, body } = await admin.get(`/email-logs/${uuid}`)
    assert.equal(status, 200)
    const { body_html, body_text, error, events } = body.data
    assert.deepEqual(
      { body_html, body_text, error, events },
      { body_html: '<b>bold</b>', body_text: 'plain', error: null, events: [] },
    )
    for (const none of ['00000000-0000-4000-8000-000000000000', 'nothing', '1'])
      for (const call of [admin.get(`/email-logs/${none}`), admin.post(`/email-logs/${none}/resend`)])
        assert.equal((await call).status, 404, none)
  })

  it('sends a mail again as a new entry, attachments included', async () => {
    const content = Buffer.from([0, 1, 2, 255])
    const attachments = [{ name: 'a.pdf', mime: 'application/pdf', content }]
    const mail = {
      subject: 'Again',
      to: ['a@x.test', 'b@x.test'],
      cc: ['c@x.test'],
      bcc: ['d@x.test'],
      replyTo: 'r@x.test',
      attachments,
    }
    const uuid = await log(mail, acme.id)
    await world.drain()
    const { status, body } = await admin.post(`/email-logs/${uuid}/resend`)
    assert.equal(status, 200)
    assert.notEqual(body.data.uuid, uuid)
    assert.partialDeepStrictEqual(body.data, { status: 'queued', tenant_id: acme.id })
    await world.drain()
    const rows =
      await world.sql(`SELECT l.tenant_id, l."to", l.cc, l.bcc, l.reply_to, l.subject, l.body_html, l.body_text, l.status,
      l.notification_type, a.name, a.mime, a.content FROM email_logs l JOIN email_attachments a ON a.tenant_id = l.tenant_id AND a.email_log_id = l.id`)
    assert.equal(rows.length, 2)
    assert.equal(rows[0].status, 'sent')
    assert.deepEqual(rows[0], rows[1])
  })

  it('sends again at most six times a minute, for each user (SET-15)', async () => {
    const [eager, other] = [await operator(world, ['email-logs.resend']), await operator(world, ['email-logs.resend'])]
    const uuid = await log({ subject: 'Wanted often' })
    const statuses = []
    for (let n = 0; n < 7; n++) statuses.push((await eager.post(`/email-logs/${uuid}/resend`)).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429])
    assert.equal((await other.post(`/email-logs/${uuid}/resend`)).status, 200)
    assert.equal((await subjects({ search: 'wanted often' })).length, 8)
  })

  it('needs a permission for each of its routes (SET-14)', async () => {
    const uuid = await log({})
    const who = await Promise.all(['list', 'read', 'resend'].map((action) => operator(world, [`email-logs.${action}`])))
    const everybody = [world.central(), ...who]
    assert.deepEqual(await Promise.all(everybody.map(async (one) => (await one.get('/email-logs')).status)), [401, 200, 403, 403])
    assert.deepEqual(
      await Promise.all(everybody.map(async (one) => (await one.get(`/email-logs/${uuid}`)).status)),
      [401, 403, 200, 403],
    )
    const resent = everybody.map(async (one) => (await one.post(`/email-logs/${uuid}/resend`)).status)
    assert.deepEqual(await Promise.all(resent), [401, 403, 403, 200])
  })
})
